"""The labelled answers and the works that they cite, as `<half>.jsonl` and `<half>_works.jsonl` hold them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guardrail.errors import InputError
from guardrail.references.bibliography.records import Record, Reference
from guardrail.report import Span

__all__ = ["HALVES", "Answer", "Label", "answers", "works"]

HERE = Path(__file__).resolve().parent
HALVES = ("seen", "unseen")


@dataclass(frozen=True, slots=True)
class Label:
    """One reference of an answer.

    Attributes:
        work: key of the work that it cites.
        span: where it is.
        reference: what is said of the work there, and nothing else.
        resolves: index in `Answer.labels` of the entry that an author-year mark refers to; `None` without one.
        kind: what is cited (`guardrail.references.citations.Kind`); "" where the labels do not say it.
    """

    work: str
    span: Span
    reference: Reference
    resolves: int | None = None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of a chatbot, the question before it, and its references in order."""

    id: str
    group: str
    language: str
    question: str
    text: str
    labels: tuple[Label, ...]


def answers(half: str) -> list[Answer]:
    """The answers of a half.

    Raises:
        InputError: a quotation is not in its answer.
    """
    return [_answer(row) for row in _rows(HERE / f"{half}.jsonl")]


def works(half: str) -> dict[str, Record]:
    """The works that a half cites, by key."""
    return {row["key"]: _record(row) for row in _rows(HERE / f"{half}_works.jsonl")}


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def _answer(row: Mapping[str, Any]) -> Answer:
    labels = tuple(_label(row, label) for label in row["references"])
    return Answer(row["id"], row["group"], row["language"], row["question"], row["answer"], labels)


def _label(row: Mapping[str, Any], label: Mapping[str, Any]) -> Label:
    text, quote, start = row["answer"], label["quote"], -1
    for _ in range(label.get("occurrence") or 1):
        start = text.find(quote, start + 1)
        if start < 0:
            raise InputError(f"{row['id']}: expected {quote!r} in the answer. Mend the label.")
    said = {name: value for name, value in label["fields"].items() if value not in (None, "", [])}
    reference = Reference(**{**said, "authors": tuple(said.get("authors", ()))})
    return Label(label["work"], Span(start=start, end=start + len(quote)), reference, label.get("resolves"))


def _record(row: Mapping[str, Any]) -> Record:
    names = ("title", "et_al", "year", "doi", "arxiv", "isbn", "pmid", "volume", "issue", "pages")
    said = {name: row[name] for name in names if row.get(name)}
    return Record(
        **said,
        authors=tuple(row.get("authors") or ()),
        venue=row.get("venue") or row.get("publisher") or "",
        source="labelled works",
    )
