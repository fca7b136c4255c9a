"""What people say of a model's recorded replies: sentences of biographies, answers from documents, real references."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["Labels", "labels_of"]

_FILE = Path(__file__).resolve().parent / "labels.jsonl"


@dataclass(frozen=True, slots=True)
class Labels:
    """Of one model's replies; empty for a model that nobody has labelled.

    Attributes:
        sentences: by person and sentence, whether it is made up; sentences that nobody could decide are missing.
        answers: by number of the question, whether the documents support the answer.
        real: titles, normalised, of works that exist but are in no index at hand.
        agreement: by part, the share of rows on which two people agree.
    """

    sentences: Mapping[tuple[int, str], bool]
    answers: Mapping[int, bool]
    real: frozenset[str]
    agreement: Mapping[str, float]


def labels_of(model: str) -> Labels:
    """The labels of a model's replies.

    Args:
        model: its name, as it is recorded.
    """
    rows = [row for row in _rows() if row["model"] == model]
    sentences = {(row["person"], row["sentence"]): row for row in rows if row["part"] == "biographies"}
    answers = {row["question"]: row for row in rows if row["part"] == "documents"}
    both = {"biographies": list(sentences.values()), "documents": list(answers.values())}
    return Labels(
        {place: row["invented"] for place, row in sentences.items() if row["invented"] is not None},
        {place: row["supported"] for place, row in answers.items() if row["supported"] is not None},
        frozenset(row["title"] for row in rows if row["part"] == "references"),
        {part: _agreement(own) for part, own in both.items() if own},
    )


def _agreement(rows: list[Mapping[str, Any]]) -> float:
    return sum(bool(row["agreed"]) for row in rows) / len(rows)


@cache
def _rows() -> list[Mapping[str, Any]]:
    if not _FILE.is_file():
        return []
    return [json.loads(line) for line in _FILE.read_text(encoding="utf-8").splitlines() if line.strip()]
