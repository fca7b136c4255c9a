"""Entailment by a sequence classifier on this machine: does a premise entail or contradict a hypothesis?"""

from __future__ import annotations

import importlib.util
import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from guardrail.backends._held import HeldModel
from guardrail.backends._local import Device, LocalBackend, LocalModel, Precision, apportion, paid_once
from guardrail.backends._onnx import OnnxModel, is_graph_file
from guardrail.backends.answers import softmax
from guardrail.backends.batching import about_tokens, tune
from guardrail.backends.weights import GRAPH, has_graph
from guardrail.engine.flow import Answer, Cost, Failed, Reason, Reply
from guardrail.errors import ConfigError
from guardrail.requests import Entail, Entailment

if TYPE_CHECKING:
    from tokenizers import Encoding

Order: TypeAlias = Literal["premise_first", "hypothesis_first"]
Runtime: TypeAlias = Literal["auto", "torch", "onnx"]

_MEANINGS: Mapping[str, str] = {
    name: meaning
    for meaning, names in {
        "entailment": "entailment entail entails entailed",
        "contradiction": "contradiction contradict contradicts contradictory",
        "neutral": "neutral",
        "not_entailment": "not_entailment not_entailed non_entailment no_entailment",
    }.items()
    for name in names.split()
}
_KINDS = (
    {"entailment", "neutral", "contradiction"},
    {"entailment", "contradiction"},
    {"entailment", "not_entailment"},
)
_CAPACITY = 8  # batches that a lane hands over at once, so that they can be sorted exactly


@dataclass(frozen=True, slots=True)
class LabelOrder:
    """Which output of a classifier means what; `neutral` is `None` for a two-way one.

    Of a model that knows only "entailment" and "not entailment" the latter is `contradiction`.
    """

    entailment: int
    contradiction: int
    neutral: int | None = None


def label_order(config: Mapping[str, Any], labels: Sequence[str] | None = None) -> LabelOrder:
    """Read the order of a classifier's outputs from its configuration.

    Args:
        config: a model's config.json, of which `id2label` and `label2id` are read.
        labels: the names in the order of the outputs, for a model whose configuration does not say.

    Raises:
        ConfigError: the order is not known, or the configuration contradicts itself.

    Example:
        >>> label_order({"id2label": {"0": "CONTRADICTION", "1": "neutral", "2": "Entailment"}})
        LabelOrder(entailment=2, contradiction=0, neutral=1)
        >>> label_order({}, labels=["entailment", "not_entailment"])
        LabelOrder(entailment=0, contradiction=1, neutral=None)
    """
    names = dict(enumerate(labels)) if labels is not None else _named(config)
    outputs = config.get("num_labels") or len(config.get("id2label") or ())
    if labels is not None and outputs and outputs != len(labels):
        raise ConfigError(f"expected a label for each of the model's {outputs} outputs, got {list(labels)!r}")
    meanings = {index: _MEANINGS.get(_normal(name), "") for index, name in names.items()}
    found = {meaning: index for index, meaning in meanings.items()}
    whole = sorted(meanings) == list(range(len(meanings))) and len(found) == len(meanings)
    if not whole or set(found) not in _KINDS:
        raise ConfigError(
            "expected the labels entailment, contradiction and neutral (or entailment and contradiction, or "
            f"entailment and not_entailment) in the model's config.json, got {names!r}. If you know what its "
            "outputs mean, say so: labels=['entailment', 'neutral', 'contradiction'], in their order."
        )
    other = found["contradiction"] if "contradiction" in found else found["not_entailment"]
    return LabelOrder(found["entailment"], other, found.get("neutral"))


def label_probabilities(logits: Sequence[float], labels: LabelOrder) -> Entailment | None:
    """The soft-max of a classifier's outputs; `None` if one of them is no finite number.

    Example:
        >>> import math
        >>> found = label_probabilities([math.log(3), 0.0], LabelOrder(entailment=1, contradiction=0))
        >>> found.entailment, found.contradiction, found.neutral
        (0.25, 0.75, None)
    """
    shares = softmax(logits)
    if shares is None:
        return None
    return Entailment(
        entailment=shares[labels.entailment],
        contradiction=shares[labels.contradiction],
        neutral=None if labels.neutral is None else shares[labels.neutral],
    )


class EntailmentModel(LocalBackend[Entail]):
    """A three-way or two-way sequence classifier on this machine.

    Pairs are scored in batches of like length, equal pairs once, and the tokens of a text are computed once for
    all pairs that contain it. In fp32 a reply differs by less than 1e-4 from what the pair gets alone.

    Args:
        model: a folder; an ONNX file with the model's config.json and tokenizer.json next to it or in the folder above; a name that is
            looked for in `$GUARDRAIL_MODELS` (see `weights.places`); or a model that you have loaded: a CrossEncoder of
            sentence-transformers (with any of its backends), or a sequence classifier of transformers.
        labels: what its outputs mean, in their order; only for a model whose configuration does not say.
        order: which text the model reads first. NLI models are trained with the premise first; the paper's own
            package of SelfCheckGPT feeds them the other way round.
        device: "auto" takes a GPU if there is one; else "cpu", "cuda", "cuda:1".
        precision: "fp32"; "auto", which is bf16 where the device multiplies that by itself, else fp32; "bf16", about twice as fast on processors that have it; "int8", processors only:
            linear layers in 8 bits, for processors without bfloat16. Both change scores a little, and make them
            depend on the batch a little. Trained MiniLM, 1,860 pairs: bf16 by .0009 in the mean, .015 at most.
            four layers of DeBERTa-v3-large's shape on two AMD cores, against one pair at a time by transformers: 3.0, 6.0 and
            4.3 times as fast.
        budget: tokens per batch; `tune` measures which is fastest here.
        longest: tokens of a pair that are read; by default all that the model takes. Of longer pairs the
            longer text loses its end: the reply says how much was read. Logged once, counted in `work.truncated`.
        tokenizer: of a classifier of transformers that you have loaded; by default the one in the folder that it is from.
        runtime: "torch" (extra `[local]`); "onnx" (extra `[mini]`), which needs `model.onnx` in the folder, loads in a tenth of the time,
            and computes in fp32 on processors only; "auto" takes torch if it is installed, else onnx if the folder
            has that file.

    Raises:
        MissingExtra: the runtime's libraries are not installed.
        WeightsMissing: no such model here; the message has the command that fetches it.
        ConfigError: pickled weights, labels of unknown order, no such device.
    """

    def __init__(
        self,
        model: Any,
        *,
        labels: Sequence[str] | None = None,
        order: Order = "premise_first",
        device: Device = "auto",
        precision: Precision = "fp32",
        budget: int | None = None,
        longest: int | None = None,
        runtime: Runtime = "auto",
        tokenizer: Any = None,
    ) -> None:
        if order not in {"premise_first", "hypothesis_first"}:
            raise ConfigError(f"expected order 'premise_first' or 'hypothesis_first', got {order!r}")
        self._model: LocalModel | OnnxModel | HeldModel
        if not isinstance(model, str | Path):
            if (device, precision, runtime) != ("auto", "fp32", "auto"):
                raise ConfigError(
                    f"expected no device=, precision= or runtime= with a {type(model).__name__}, which has its own, "
                    f"got {device!r}, {precision!r}, {runtime!r}"
                )
            self._model = HeldModel(model, tokenizer=tokenizer, budget=budget, longest=longest)
        elif tokenizer is not None:
            raise ConfigError("expected tokenizer= only with a model that is loaded: a folder has its own")
        elif _is_onnx(runtime, model):
            if device not in {"auto", "cpu"} or precision not in {"auto", "fp32"}:
                raise ConfigError(
                    f"expected device 'cpu' and precision 'fp32' for runtime='onnx', got {device!r} and {precision!r}: "
                    "write runtime='torch'"
                )
            self._model = OnnxModel(model, budget=budget, longest=longest)
        else:
            self._model = LocalModel(
                model, kind="classifier", device=device, precision=precision, budget=budget, longest=longest
            )
        self.labels = label_order(self._model.config, labels)
        self.order: Order = order
        self.batch = 1_024 if self._model.device.startswith("cuda") else 64
        self.capacity = _CAPACITY * self._model.budget

    @property
    def device(self) -> str:
        """Where it computes."""
        return self._model.device

    @property
    def precision(self) -> Precision:
        """In which numbers it computes."""
        return self._model.precision

    @property
    def runtime(self) -> Literal["torch", "onnx", "yours"]:
        """What computes; "yours": what loaded the model that was given."""
        if isinstance(self._model, HeldModel):
            return "yours"
        return "onnx" if isinstance(self._model, OnnxModel) else "torch"

    @property
    def budget(self) -> int:
        """Tokens per batch."""
        return self._model.budget

    @cached_property
    def fingerprint(self) -> str:
        """The weights (by content, so a moved folder stays the same), what its outputs mean, and the order."""
        return f"entailment:{self._model.digest}:{json.dumps(astuple(self.labels))}:{self.order}"

    @property
    def origin(self) -> str:
        """As `fingerprint`, but for the precision: fits are valid in any."""
        return f"entailment:{self._model.origin}:{json.dumps(astuple(self.labels))}:{self.order}"

    def weight(self, request: Entail) -> int:
        """About how many tokens."""
        return about_tokens(request.premise, request.hypothesis)

    def answer(self, requests: Sequence[Entail]) -> list[Reply[Entailment]]:
        """One reply per pair, in order; of equal pairs the first bears the cost."""
        self._model.asked(len(requests))
        found: dict[Entail, Reply[Entailment]] = {}
        ready: dict[Entail, Encoding] = {}
        for request in dict.fromkeys(requests):
            if blank := self._blank(request):
                found[request] = Failed(Reason.REFUSED, f"the {blank} has no words")
            else:
                ready[request] = self._model.input(*self._pair(request))
        started = time.perf_counter()
        logits = self._model.run(list(ready.values()))
        costs = apportion(time.perf_counter() - started, [len(one) for one in ready.values()])
        for request, row, seconds in zip(ready, logits, costs, strict=True):
            reply = self._reply(None if row is None else row.tolist(), Cost(seconds=seconds))
            found[request] = self._told(request, ready[request], reply)
        return paid_once(requests, found)

    def tune(
        self, requests: Sequence[Entail], budgets: Sequence[int] = (512, 1_024, 2_048, 4_096, 8_192)
    ) -> dict[int, float]:
        """Measure which budget is fastest on pairs like these, and use it from now on.

        Returns:
            Seconds by budget, the one that is used first. Other load on the machine spoils the figures.
        """
        inputs = [
            self._model.input(*self._pair(one)) for one in dict.fromkeys(requests) if not self._blank(one)
        ]
        if not inputs:
            raise ConfigError("expected pairs with words to measure on, got none")
        measured = tune(lambda budget: self._model.run(inputs, budget=budget), budgets)
        self._model.budget = next(iter(measured))
        self.capacity = _CAPACITY * self._model.budget
        return measured

    def _pair(self, request: Entail) -> tuple[str, str]:
        if self.order == "hypothesis_first":
            return request.hypothesis, request.premise
        return request.premise, request.hypothesis

    def _blank(self, request: Entail) -> str:
        """The part that leaves the model nothing to read."""
        for name, text in (("premise", request.premise), ("hypothesis", request.hypothesis)):
            if not text.strip() or not len(self._model.tokens(text)):
                return name
        return ""

    def _told(self, request: Entail, given: Encoding, reply: Reply[Entailment]) -> Reply[Entailment]:
        """The reply, saying where the model stopped reading if it did."""
        if isinstance(reply, Failed) or len(given) < self._model.longest:
            return reply
        own = _ranges(given)
        if len(own) != 2:  # a tokenizer without a mark between the texts: nobody could tell, the model least
            return reply
        first, second = (
            _read(self._model.tokens(text), kept) for text, kept in zip(self._pair(request), own, strict=True)
        )
        if self.order == "hypothesis_first":
            first, second = second, first
        return replace(reply, value=replace(reply.value, premise_read=first, hypothesis_read=second))

    def _reply(self, logits: Sequence[float] | None, cost: Cost) -> Reply[Entailment]:
        if logits is None:
            return Failed(Reason.BACKEND, "the pair does not fit into the device's memory", cost=cost)
        value = label_probabilities(logits, self.labels)
        if value is None:
            return Failed(Reason.BACKEND, f"the model's outputs are no numbers: {logits!r}", cost=cost)
        return Answer(value, cost)


def _is_onnx(runtime: Runtime, model: str | Path) -> bool:
    if runtime not in {"auto", "torch", "onnx"}:
        raise ConfigError(f"expected runtime 'auto', 'torch' or 'onnx', got {runtime!r}")
    if is_graph_file(model):
        if runtime == "torch":
            raise ConfigError(f"expected runtime 'onnx' for an ONNX file, got 'torch' for {str(model)!r}")
        return True
    if runtime != "auto":
        return runtime == "onnx"
    if importlib.util.find_spec("torch") is not None or importlib.util.find_spec("onnxruntime") is None:
        return False
    return (Path(model) / GRAPH).is_file() or has_graph(str(model))


def _ranges(pair: Encoding) -> list[list[tuple[int, int]]]:
    """Where the tokens of the first and of the second text stand in them: what lies between special tokens."""
    found: list[list[tuple[int, int]]] = []
    special = True
    for place, mark in zip(pair.offsets, pair.special_tokens_mask, strict=True):
        if not mark:
            if special:
                found.append([])
            found[-1].append(place)
        special = bool(mark)
    return found


def _read(whole: Encoding, kept: Sequence[tuple[int, int]]) -> int | None:
    """Characters of a text that were read; `None` = all."""
    if len(kept) == len(whole) and not whole.overflowing:
        return None
    return max(end for _, end in kept)


def _named(config: Mapping[str, Any]) -> dict[int, str]:
    given = config.get("id2label")
    inverse = config.get("label2id")
    try:
        names = {int(index): str(name) for index, name in dict(given or {}).items()}
        indices = {str(name): int(index) for name, index in dict(inverse or {}).items()}
    except (TypeError, ValueError) as error:
        raise ConfigError(
            f"expected id2label and label2id to be tables, got {given!r}, {inverse!r}"
        ) from error
    if not names:
        names = {index: name for name, index in indices.items()}
    wrong = {name: index for name, index in indices.items() if names.get(index) != name}
    if wrong:
        raise ConfigError(
            f"expected id2label and label2id to agree in the model's config.json, got {names!r} and {indices!r}. "
            "Find out which is right and say it: labels=[…], in the order of the outputs."
        )
    return names


def _normal(name: str) -> str:
    return re.sub(r"[\s_\-]+", "_", name.strip().lower())
