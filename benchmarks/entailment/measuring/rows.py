"""WikiBio's passages as the two parts that score them have them: which rows choose, how they are asked, what is compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from benchmarks.entailment.measuring.checked import Remembered, scores
from benchmarks.entailment.measuring.choices import Choice, Splitter
from benchmarks.entailment.setting import Absent, Setting
from benchmarks.selfcheck.metrics import SENTENCE_COLUMNS, Measured
from benchmarks.selfcheck.passages import Passage, read_passages
from guardrail import Case
from guardrail.backends.embedding import Embedder
from guardrail.engine.backend import Backend

__all__ = ["FITTED", "JUDGED", "Asked", "Scores", "cases", "figure", "halves", "line", "summed"]

FITTED = 119
"""Rows before this one make choices and constants."""

JUDGED = ("NonFact", "NonFact*", "Factual", "Pearson")
"""Columns that have bars, and that choices are compared by."""

Scores: TypeAlias = list[list[float]]


def halves(setting: Setting) -> tuple[list[Passage], list[Passage]]:
    """The passages that choose, and those that are scored once.

    Raises:
        Absent: there are none of one kind.
    """
    passages = read_passages(setting.run.data("wikibio_gpt3"))
    first = [passage for passage in passages if passage.number < FITTED]
    second = [passage for passage in passages if passage.number >= FITTED]
    if not first or not second:
        raise Absent(f"this data lacks the rows before {FITTED} or those after")
    return first, second


@dataclass(frozen=True, slots=True)
class Asked:
    """A model, and the scores it gives passages by some choice.

    Attributes:
        passages: what is scored.
        splitter: gives each passage's own sentences.
        backends: the model, and an encoder; what they have said they are not asked again.
    """

    passages: Sequence[Passage]
    splitter: Splitter
    backends: Mapping[str, Backend[Any]]
    _known: dict[Choice, Scores] = field(default_factory=dict)

    @classmethod
    def of(cls, setting: Setting, which: str, passages: Sequence[Passage]) -> Asked:
        """One of the setting's models."""
        spans = {passage.text: passage.spans() for passage in passages}
        model, encoder = setting.model(which, precision="auto"), Embedder(device="cpu")
        backends = {"entailment": Remembered(model), "embedding": Remembered(encoder)}
        return cls(passages, spans.__getitem__, backends)

    def on(self, passages: Sequence[Passage]) -> Asked:
        """Some of the passages alone, by the same model."""
        return replace(self, passages=passages, _known={})

    def by(self, choice: Choice) -> Scores:
        """Per passage, one score per sentence."""
        if choice not in self._known:
            detector = choice.detector(self.splitter)
            self._known[choice] = scores(detector, cases(self.passages), self.backends)
        return self._known[choice]


def cases(passages: Sequence[Passage]) -> list[Case]:
    """Answers with all their samples."""
    return [Case(answer=passage.text, samples=passage.samples) for passage in passages]


def summed(measured: Measured) -> float:
    """What choices are compared by: the mean of the four columns that are judged."""
    return float(np.mean([figure(measured, column) or 0.0 for column in JUDGED]))


def figure(measured: Measured, column: str) -> float | None:
    """A column, of sentences by average precision."""
    return measured.stepwise[column] if column in SENTENCE_COLUMNS else measured.columns[column]


def line(measured: Measured) -> str:
    """The judged columns, for people."""
    values = [figure(measured, column) for column in JUDGED]
    return " / ".join("–" if value is None else f"{value:.1f}" for value in values)
