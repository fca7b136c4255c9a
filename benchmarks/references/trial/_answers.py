"""The twenty answers, what is real in them, and what the local catalogues have."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from benchmarks.references.sources.services import Work

__all__ = ["Trial", "trials", "works"]

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Trial:
    """An answer in the shape of chatbots'.

    Attributes:
        name: its shape.
        question: what was asked.
        text: the answer.
        real: titles in it of real works of kinds that catalogues list.
        uncovered: titles of real theses, reports and web pages.
        invented: titles that nobody wrote.
    """

    name: str
    question: str
    text: str
    real: tuple[str, ...]
    uncovered: tuple[str, ...]
    invented: tuple[str, ...]


def trials() -> list[Trial]:
    """All of them, in order."""
    with (HERE / "answers.jsonl").open(encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    return [
        Trial(
            row["name"],
            row["question"],
            row["text"],
            *(tuple(row[what]) for what in ("real", "uncovered", "invented")),
        )
        for row in rows
    ]


def works() -> list[Work]:
    """The works that the local catalogues have."""
    with (HERE / "works.jsonl").open(encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    return [
        Work(
            **{**row, "authors": tuple(row["authors"]), "case": tuple(row["case"]) if "case" in row else None}
        )
        for row in rows
    ]
