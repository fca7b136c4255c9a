"""Which answer a text gives to a question, and whether it gives one, by models on this machine."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar

from guardrail.backends._inputs import joined_input
from guardrail.backends._local import Device, LocalModel, Precision
from guardrail.backends.batching import CHARACTERS_PER_TOKEN, Workload
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer, Cost, Failed, Reason, Reply
from guardrail.errors import ConfigError
from guardrail.options import PathOption
from guardrail.requests import Answerable, Choose

if TYPE_CHECKING:
    from tokenizers import Encoding

ANSWERING = "potsawee/longformer-large-4096-answering-race"
"""Chooses among four answers to a question about a text; A of the paper."""

ANSWERABILITY = "potsawee/longformer-large-4096-answerable-squad2"
"""Says whether a text answers a question; U of the paper."""

_CAPACITY = 8  # batches that a lane hands over at once, so that they can be sorted exactly

Asked: TypeAlias = Choose | Answerable
T = TypeVar("T")


def softmax(logits: Sequence[float]) -> tuple[float, ...] | None:
    """The soft-max: one probability per option; `None` if one is no finite number, or of none.

    Example:
        >>> softmax([0.0, 0.0]), softmax([math.inf, 0.0])
        ((0.5, 0.5), None)
    """
    if not logits or not all(math.isfinite(one) for one in logits):
        return None
    top = max(logits)
    powers = [math.exp(one - top) for one in logits]
    total = math.fsum(powers)
    return tuple(power / total for power in powers)


def sigmoid(logit: float) -> float | None:
    """1 / (1 + e^-x), in [0, 1]; `None` where x is no finite number.

    Example:
        >>> sigmoid(0.0), sigmoid(-1000.0), sigmoid(math.nan)
        (0.5, 0.0, None)
    """
    if not math.isfinite(logit):
        return None
    power = math.exp(-abs(logit))
    return 1 / (1 + power) if logit >= 0 else power / (1 + power)


class AnswerModel(Backend[Asked]):
    """Chooses among answers with a multiple-choice model, and says with a classifier whether a text answers at all.

    Any such models of transformers will do (Longformer, RoBERTa, …). Inputs are those of the paper's package
    (selfcheckgpt 0.1.7): "text <s> question" with each option as the second text; "question </s> text" for
    answerability, whose model has one output. Each distinct input goes through a model once, in batches of like
    length.

    Args:
        answering: a folder, or a name that is looked for in `$GUARDRAIL_MODELS` (see `weights.places`).
        answerability: likewise.
        device: "auto" takes a GPU if there is one; else "cpu", "cuda", "cuda:1".
        precision: "fp32", "bf16" or "int8", as for `EntailmentModel`.
        budget: tokens per batch.
        longest: tokens of an input that are read; by default all that each model takes (Longformer: 4,096). Of
            longer inputs the text loses its end: logged once, counted in `work`.

    Raises:
        MissingExtra: torch or transformers is not installed.
        WeightsMissing: no such model here; the message has the command that fetches it.
        ConfigError: pickled weights, a classifier with several outputs, no such device.

    Differs from that package: where an input is too long it cuts the question off first, here the text loses its
    end; a "</s>" within a text is text (there it ends the program).
    """

    paid = False
    paths: ClassVar[Mapping[str, PathOption]] = {
        "answering": PathOption.FILE_OR_NAME,
        "answerability": PathOption.FILE_OR_NAME,
    }

    def __init__(
        self,
        answering: str | Path = ANSWERING,
        answerability: str | Path = ANSWERABILITY,
        *,
        device: Device = "auto",
        precision: Precision = "fp32",
        budget: int | None = None,
        longest: int | None = None,
    ) -> None:
        shared: dict[str, Any] = {
            "device": device,
            "precision": precision,
            "budget": budget,
            "longest": longest,
        }
        self._answering = LocalModel(answering, kind="multiple_choice", **shared)
        self._answerability = LocalModel(answerability, kind="classifier", **shared)
        names = self._answerability.config.get("id2label") or {"0": "LABEL_0", "1": "LABEL_1"}
        if len(names) != 1:
            raise ConfigError(
                f"expected a classifier with one output (is it answerable?) in {str(self._answerability.folder)!r}, "
                f"got {len(names)}: {names!r}"
            )
        self.batch = 256
        self.capacity = _CAPACITY * self._answering.budget

    @property
    def work(self) -> tuple[Workload, Workload]:
        """What the two models have done so far, the choosing one first."""
        return self._answering.work, self._answerability.work

    @cached_property
    def fingerprint(self) -> str:
        """The weights, by content, so a moved folder stays the same."""
        return f"answers:{self._answering.digest}:{self._answerability.digest}"

    def weight(self, request: Asked) -> int:
        """About how many tokens go through a model."""
        one = 4 + (len(request.question) + len(request.context)) // CHARACTERS_PER_TOKEN
        return one * len(request.options) if isinstance(request, Choose) else one

    def load(self) -> None:
        """Load the weights now; else the first answer does."""
        self._answering.load()
        self._answerability.load()

    def answer(self, requests: Sequence[Asked]) -> list[Reply[Any]]:
        """One reply per request, in order; the time is shared evenly."""
        started = time.perf_counter()
        self._answering.asked(sum(isinstance(one, Choose) for one in requests))
        self._answerability.asked(sum(isinstance(one, Answerable) for one in requests))
        worded = [one for one in dict.fromkeys(requests) if not _blank(one)]
        found = self._chosen([one for one in worded if isinstance(one, Choose)])
        found |= self._judged([one for one in worded if isinstance(one, Answerable)])
        cost = Cost(seconds=(time.perf_counter() - started) / max(1, len(requests)))
        blank = Failed(Reason.REFUSED, "a question, an option or a text has no words")
        return [replace(found.get(one, blank), cost=cost) for one in requests]

    def _chosen(self, asked: Sequence[Choose]) -> dict[Asked, Reply[Any]]:
        rows = dict.fromkeys((one.context, one.question, option) for one in asked for option in one.options)
        logits = dict(zip(rows, self._answering.run([self._option(*row) for row in rows]), strict=True))
        found: dict[Asked, Reply[Any]] = {}
        for one in asked:
            values = [logits[one.context, one.question, option] for option in one.options]
            known = [float(value[0]) for value in values if value is not None]
            found[one] = _reply(softmax(known) if len(known) == len(values) else None, known)
        return found

    def _judged(self, asked: Sequence[Answerable]) -> dict[Asked, Reply[Any]]:
        logits = self._answerability.run([self._pair(one.question, one.context) for one in asked])
        known = [None if value is None else float(value[0]) for value in logits]
        return {
            one: _reply(None if value is None else sigmoid(value), value)
            for one, value in zip(asked, known, strict=True)
        }

    def _option(self, context: str, question: str, option: str) -> Encoding:
        model = self._answering
        between = model.special("bos_token")
        pieces = [model.tokens(f"{context} "), *([between] if between else []), model.tokens(f" {question}")]
        return joined_input(model, pieces, cut=0, second=model.tokens(option))

    def _pair(self, question: str, context: str) -> Encoding:
        model = self._answerability
        between = model.special("sep_token")
        pieces = [model.tokens(f"{question} "), *([between] if between else []), model.tokens(f" {context}")]
        return joined_input(model, pieces, cut=len(pieces) - 1)


def _blank(asked: Asked) -> bool:
    texts = [asked.question, asked.context, *(asked.options if isinstance(asked, Choose) else ())]
    return not all(text.strip() for text in texts)


def _reply(value: T | None, logits: object) -> Reply[T]:
    if value is None:
        detail = f"the model's outputs are no numbers, or do not fit into memory: {logits!r}"
        return Failed(Reason.BACKEND, detail)
    return Answer(value)
