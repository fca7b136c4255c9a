"""A transformer in this process: what entailment, similarity and embedding models share.

torch and transformers are imported when a model is made or first used, never with the package.
"""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, TypeVar

from guardrail._log import log
from guardrail.backends._layers import Trunk, trunk
from guardrail.backends._linear import arithmetic, has_any
from guardrail.backends._opened import opened
from guardrail.backends._texts import TextTokens, must_be_installed, must_be_sizes, network_inputs
from guardrail.backends.batching import Workload, batches
from guardrail.backends.networks import coarser, keep_layers
from guardrail.backends.weights import find, read_config, weights_digest
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Cost, Reply
from guardrail.errors import ConfigError
from guardrail.options import PathOption

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Encoding, Tokenizer

    Array: TypeAlias = NDArray[np.float32]

K = TypeVar("K", bound=Hashable)
Q = TypeVar("Q")
V = TypeVar("V")

Precision: TypeAlias = Literal["auto", "fp32", "bf16", "int8"]
Device: TypeAlias = str
Kind: TypeAlias = Literal["classifier", "encoder", "causal", "seq2seq", "multiple_choice"]

BUDGETS = {"cpu": 1_024, "cuda": 65_536}
"""Tokens per batch where none is given. The processor's is measured (MiniLM, pairs of 39 and of 267 tokens: within
11 % of the best of 256 to 8,192 in all three precisions; 8,192 takes up to 3.4 times as long); the GPU's is not."""

_MAKERS: dict[Kind, str] = {
    "classifier": "AutoModelForSequenceClassification",
    "encoder": "AutoModel",
    "causal": "AutoModelForCausalLM",
    "seq2seq": "AutoModelForSeq2SeqLM",
    "multiple_choice": "AutoModelForMultipleChoice",
}

_HEADED: frozenset[Kind] = frozenset({"classifier", "multiple_choice"})
_OVERHEADS = {"cpu": 32, "cuda": 2_048}  # tokens that take as long as starting a forward pass, roughly


class LocalModel(TextTokens):
    """A transformer with its tokenizer, loaded at first use.

    Args:
        model: see `weights.find`.
        kind: with a classification head, without a head, one that says the next token, one that writes a text from
            a text, or one that scores an answer's fitness.
        layers: how many layers of an encoder; all by default.
        device: "auto" takes a GPU if there is one; else "cpu", "cuda", "cuda:1".
        precision: see `EntailmentModel`.
        budget: tokens per batch, see `batching`.
        longest: tokens of a text or pair, special ones included; by default what the model takes.
    """

    def __init__(
        self,
        model: str | Path,
        *,
        kind: Kind,
        layers: int | None = None,
        device: Device = "auto",
        precision: Precision = "fp32",
        budget: int | None = None,
        longest: int | None = None,
    ) -> None:
        must_be_sizes(budget=budget, longest=longest)
        must_be_installed("torch", "transformers", "safetensors", "tokenizers", extra="local")
        self.folder = find(model)
        self.config = read_config(self.folder)
        self.kind: Kind = kind
        self.layers = layers
        self.device = _device(device)
        self.precision = _precision(precision, self.device)
        self.budget = budget or BUDGETS[self.device.partition(":")[0]]
        super().__init__(str(model) if isinstance(model, str) else model.name, longest)

    @property
    def digest(self) -> str:
        """A hash of the weights and all else that answers depend on."""
        return f"{self._files}:{self.precision}:{self.layers or ''}:{self.wanted_longest or ''}"

    @property
    def origin(self) -> str:
        """The same, but for the precision."""
        return f"{self._files}:{self.layers or ''}:{self.wanted_longest or ''}"

    @cached_property
    def _files(self) -> str:
        return weights_digest(self.folder)

    # -- forward passes

    @property
    def network(self) -> Any:
        """The torch module."""
        return self._loaded[0]

    def _run(self, inputs: Sequence[Encoding], budget: int) -> list[Array | None]:
        import torch

        network = self.network
        plan = batches(
            [len(one) for one in inputs],
            budget=budget,
            overhead=_OVERHEADS[self.device.partition(":")[0]],
            padded=self._trunk is None,
        )
        found: list[Array | None] = [None] * len(inputs)
        started = time.perf_counter()
        with self._lock, torch.inference_mode():
            for group in plan.groups:
                self._group(network, [(i, inputs[i]) for i in group], found)
        each, pairs = self._arithmetic
        with self._text_lock:
            self.work.operations += each * plan.tokens + pairs * sum(len(one) ** 2 for one in inputs)
        self._count(plan, time.perf_counter() - started)
        return found

    def _group(self, network: Any, group: list[tuple[int, Encoding]], found: list[Array | None]) -> None:
        import torch

        try:
            for (i, _), values in zip(group, self._forward(network, [one for _, one in group]), strict=True):
                found[i] = values
        except torch.cuda.OutOfMemoryError:
            if len(group) == 1:
                log.warning("out_of_memory", model=self.name, tokens=len(group[0][1]))
                return
            half = len(group) // 2
            self._group(network, group[:half], found)
            self._group(network, group[half:], found)

    def _forward(self, network: Any, inputs: Sequence[Encoding]) -> Iterator[Array]:
        import torch

        if self._trunk is not None:
            yield from self._trunk(inputs, typed=self._takes_types)
            return
        filled = network_inputs(inputs, self._pad)
        if not self._takes_types:
            del filled["token_type_ids"]
        arguments = {name: torch.from_numpy(value) for name, value in filled.items()}
        if self.kind == "multiple_choice":  # one option per row: those of a question need not be neighbours
            arguments = {name: value.unsqueeze(1) for name, value in arguments.items()}
        output = network(**{name: value.to(self.device) for name, value in arguments.items()})
        if self.kind in _HEADED:
            yield from output.logits.float().cpu().numpy()
            return
        hidden = output.last_hidden_state.float().cpu().numpy()
        for row, one in enumerate(inputs):
            yield hidden[row, : len(one)].copy()  # not a view: it would keep the padding alive

    # -- loading

    @cached_property
    def _load(self) -> tuple[Any, Tokenizer]:
        network, reader, told = opened(self.folder, self.config, _MAKERS[self.kind])
        self._must_be_whole(told)
        if self.kind == "encoder" and self.layers is not None:
            keep_layers(network, self.layers)
        self._arithmetic = arithmetic(network)
        self._trunk: Trunk | None = None
        if self.device == "cpu" and self.kind in {"classifier", "encoder"}:
            self._trunk = trunk(network, precision=self.precision, head=self.kind == "classifier")
        if self._trunk is None:
            network = coarser(network, self.precision).to(self.device)
        self._takes_types = (
            getattr(network.config, "type_vocab_size", 0) > 1
            and "token_type_ids" in reader.model_input_names
            and "token_type_ids" in inspect.signature(network.forward).parameters
        )
        self._pad = reader.pad_token_id or 0
        return network, self._bounded(reader)

    def _must_be_whole(self, told: Any) -> None:
        """A head that is not among the weights would be made of random numbers, silently."""
        absent = sorted(name for name in told["missing_keys"] if "pooler" not in name or self.kind in _HEADED)
        wrong = sorted(str(name) for name in told.get("mismatched_keys", ()))
        if absent or wrong:
            raise ConfigError(
                f"expected all weights of a {self.kind} in {str(self.folder)!r}, got none for {(absent + wrong)[:6]!r}. "
                "Was this model trained for the task?"
            )

    def _bounded(self, reader: Any) -> Tokenizer:
        backend: Tokenizer | None = getattr(reader, "backend_tokenizer", None)
        if backend is None or not hasattr(backend, "post_process"):
            raise ConfigError(
                f"expected a fast tokenizer (tokenizer.json) in {str(self.folder)!r}, got {type(reader).__name__}"
            )
        advised = sys.maxsize if self.kind == "seq2seq" else reader.model_max_length  # T5's 512 is no bound
        longest = self._longest(advised, causal=self.kind == "causal")
        return self._prepared(backend, reader.special_tokens_map, longest)


class LocalBackend(Backend[Q]):
    """A backend of one model on this machine."""

    paid = False
    paths: ClassVar[Mapping[str, PathOption]] = {"model": PathOption.FILE_OR_NAME}

    _model: TextTokens

    @property
    def work(self) -> Workload:
        """What it has done so far, with the share of padding; of a language model a window counts as a text."""
        return self._model.work

    def load(self) -> None:
        """Load the weights now; else the first answer does."""
        self._model.load()


def apportion(seconds: float, lengths: Sequence[int]) -> list[float]:
    """Time shared out by length: the shares add up to the whole."""
    total = sum(lengths)
    return [seconds * length / total if total else 0.0 for length in lengths]


def paid_once(asked: Iterable[K], found: dict[K, Reply[V]]) -> list[Reply[V]]:
    """The replies in the order of what was asked; only the first of equal ones costs."""
    replies = []
    for one in asked:
        replies.append(found[one])
        found[one] = replace(found[one], cost=Cost())
    return replies


def _device(wanted: str) -> str:
    if wanted == "cpu":
        return wanted
    import torch

    if wanted == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    kind = wanted.partition(":")[0]
    if kind not in BUDGETS:
        raise ConfigError(f"expected device 'auto', 'cpu' or 'cuda', got {wanted!r}")
    if kind == "cuda" and not torch.cuda.is_available():
        raise ConfigError(
            f"expected a GPU for device={wanted!r}, torch {torch.__version__} finds none: use 'cpu'"
        )
    return wanted


def _precision(wanted: Precision, device: str) -> Precision:
    if wanted not in {"auto", "fp32", "bf16", "int8"}:
        raise ConfigError(f"expected precision 'auto', 'fp32', 'bf16' or 'int8', got {wanted!r}")
    if wanted == "int8" and device != "cpu":
        raise ConfigError(f"expected device 'cpu' for precision='int8', got {device!r}: use 'bf16' there")
    if wanted == "auto":
        return "bf16" if _multiplies_bf16(device) else "fp32"
    return wanted


def _multiplies_bf16(device: str) -> bool:
    """Whether the device has products of bfloat16 of its own; a processor that torch knows nothing of has none."""
    if device != "cpu":
        import torch

        return bool(torch.cuda.is_bf16_supported())
    return has_any("amx_bf16", "avx512_bf16")
