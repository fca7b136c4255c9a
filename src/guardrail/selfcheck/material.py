"""What sentences are compared with, and what is found about one: the values that all variants share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from guardrail.report import Edit, Evidence, Span
from guardrail.text.kinds import Kind, refuses


@dataclass(frozen=True, slots=True)
class Judged:
    """What a variant found about one sentence.

    Attributes:
        score: in the variant's scale; `None` = undefined, and `reason` says why.
        threshold: a score of at least this is unsupported.
        reason: one sentence for a person.
        evidence: numbers, and what speaks against the sentence.
        used: texts that gave a value, for variants whose score is a mean over texts.
        partial: what the score lacks, where some texts gave no value.
        label: a word of its own, where there is no score.
        silent: whether nothing is claimed, so that there is no verdict either.
        contradicted: whether the texts surely say something else in its place; a model's word alone is not enough.
        new_words: the share of its words that the texts lack.
        instead: where that is one thing and certain, what the sentence has and what the texts have.
    """

    score: float | None
    threshold: float = 0.5
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    used: int = 0
    partial: str = ""
    label: str = ""
    silent: bool = False
    contradicted: bool = False
    new_words: float = 1.0
    instead: tuple[str, str] | None = None


NOT_JUDGED: Mapping[Kind, Judged] = {
    kind: Judged(None, reason=reason, label=kind.value, silent=kind is not Kind.CODE)
    for kind, reason in {
        Kind.NOTHING: "it claims nothing",
        Kind.LACKING: "it says that something is not known or not in the sources, and claims nothing else",
        Kind.QUESTION: "a question claims nothing",
        Kind.CODE: "program code is not examined",
        Kind.THOUGHT: "the model's thoughts are no part of the answer",
        Kind.HEADING: "it only names a topic",
        Kind.SOURCES: "it only names sources",
    }.items()
}
"""What is said of the pieces of an answer that are no claims; only code is something that nobody has examined."""


@dataclass(frozen=True, slots=True)
class Material:
    """What sentences are compared with.

    Attributes:
        texts: not blank.
        kind: "samples" or "context".
        lacking: why some that were asked for are not there, or why there is none.
        answer: whose sentences they are.
        asked: what the user said, whose words an answer may quote.
        names: what a person calls each text; without them it is called by its number.
    """

    texts: tuple[str, ...] = ()
    kind: Literal["samples", "context"] = "samples"
    lacking: str = ""
    answer: str = ""
    asked: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """What a person calls each text."""
        return self.names or tuple(f"{self.called[:-1]} {number}" for number, _ in enumerate(self.texts, 1))

    @property
    def called(self) -> str:
        """What a person calls the texts."""
        return "documents" if self.kind == "context" else "samples"


def mean(values: Sequence[float | None]) -> float | None:
    """The mean of the values that are there: [manakul2023] eq. 7 over tokens, 6 over questions, 10 and 11 over samples; `None` of none.

    Example:
        >>> mean([0.0, 1.0, None, 0.5]), mean([None])
        (0.5, None)
    """
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def places_of_worst(values: Sequence[float | None], limit: float) -> list[int]:
    """The numbers of the texts that speak against a sentence, the one with the largest value first."""
    against = {i: -value for i, value in enumerate(values) if value is not None and value >= limit}
    return sorted(against, key=lambda i: (against[i], i))


def clauses(*parts: str) -> str:
    """Parts of a reason, without the empty ones."""
    return "; ".join(filter(None, parts))


def has_text(text: str) -> bool:
    """Whether there is anything to see in it: neither blanks nor characters without width alone."""
    return any(character.isprintable() and not character.isspace() for character in text)


def claiming(material: Material, *, of: int) -> Material:
    """Without the samples that refuse: who says nothing contradicts nobody."""
    kept = tuple(text for text in material.texts if not refuses(text))
    refusing = len(material.texts) - len(kept)
    if not refusing:
        return material
    said = (
        f"{refusing} of {of} samples claim nothing"
        if kept or of > refusing
        else "every sample claims nothing"
    )
    return replace(material, texts=kept, lacking=clauses(material.lacking, said))


def corrections(judged: Judged, span: Span, text: str) -> tuple[Edit, ...]:
    """The edit that puts what the texts have in the place of what a sentence has, if that occurs in it once.

    Args:
        judged: the sentence.
        span: where it is in the answer.
        text: what is written there.
    """
    if judged.instead is None:
        return ()
    said, known = judged.instead
    edit = Edit.of_one(said, known, within=span, text=text, why="the source has another value")
    return () if edit is None else (edit,)
