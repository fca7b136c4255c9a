"""What sentences are compared with, and what is found about one: the values that all variants share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from guardrail.report import Evidence
from guardrail.text.kinds import refuses

__all__ = ["NOTHING_CLAIMED", "Judged", "Material", "claiming", "has_text", "silent"]

NOTHING_CLAIMED = "nothing claimed"
"""The label of a sentence that is neither right nor wrong."""


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
    """

    score: float | None
    threshold: float = 0.5
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    used: int = 0
    partial: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Material:
    """What sentences are compared with.

    Attributes:
        texts: not blank.
        kind: "samples" or "context".
        lacking: why some that were asked for are not there, or why there is none.
        answer: whose sentences they are.
    """

    texts: tuple[str, ...] = ()
    kind: Literal["samples", "context"] = "samples"
    lacking: str = ""
    answer: str = ""

    @property
    def called(self) -> str:
        """What a person calls the texts."""
        return "documents" if self.kind == "context" else "samples"


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
    return replace(material, texts=kept, lacking="; ".join(filter(None, (material.lacking, said))))


def silent(claims: Sequence[int]) -> Judged:
    """What is said of sentences that claim nothing."""
    whose = "sentence" if claims else "answer"
    return Judged(None, reason=f"the {whose} claims nothing", label=NOTHING_CLAIMED)
