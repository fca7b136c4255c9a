"""The labelled answers: written ones with their documents, and real ones of ExpertQA, whose texts are in the data."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from guardrail.errors import InputError
from guardrail.report import Case

__all__ = ["HALVES", "Answer", "Labelled", "answers"]

Half: TypeAlias = Literal["seen", "unseen"]

HALVES: Sequence[Half] = ("seen", "unseen")

_HERE = Path(__file__).resolve().parent / "labelled"


@dataclass(frozen=True, slots=True)
class Labelled:
    """A mark, and what a person says of it.

    Attributes:
        start: where it is in the answer.
        end: where it ends.
        claim: the words that it is for.
        sentences: those in which these words are.
        documents: the ids of those that it points to.
        label: what they say of the claim: "supports", "in part", "contradicts", "silent".
        kind: what was done: "true", "number", "entity", "overclaim", "wrong mark", "silent", "two sources".
        says: the ids of those that say the claim.
    """

    start: int
    end: int
    claim: str
    sentences: tuple[str, ...]
    documents: tuple[str, ...]
    label: str
    kind: str
    says: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with its documents.

    Attributes:
        name: unique; the letter says who wrote or labelled it.
        language: ISO 639-1.
        question: that was asked.
        text: the answer.
        documents: by id, the title, the address and the text.
        marks: labelled.
    """

    name: str
    language: str
    question: str
    text: str
    documents: Mapping[str, tuple[str, str, str]]
    marks: tuple[Labelled, ...]

    @property
    def real(self) -> bool:
        """Whether a system gave it to a person who asked."""
        return self.name[0] in "ef"

    @property
    def case(self) -> Case:
        """What is examined."""
        context = [{"text": text, "title": title, "url": url} for title, url, text in self.documents.values()]
        return Case.of(self.text, prompt=self.question, context=context)


def answers(half: Half, attribution: Path, real: Path) -> list[Answer]:
    """The answers of a half; those of ExpertQA are read from the data.

    Args:
        half: odd numbers are "seen": rules and thresholds were chosen on them.
        attribution: folder of the sets of statements.
        real: folder of the real answers.
    """
    found = [*_written(), *_expertqa(attribution, real)]
    return [one for one in found if (int(one.name.split("-")[1]) % 2 == 1) == (half == "seen")]


def _written() -> Iterator[Answer]:
    for row in _rows(_HERE / "written.jsonl"):
        documents = {
            one["id"]: (one["title"], one["url"], "\n".join(filter(None, (_head(one), one["text"]))))
            for one in row["documents"]
        }
        yield Answer(
            row["id"],
            row["lang"],
            row["question"],
            row["answer"],
            documents,
            tuple(_mark(one, row["answer"]) for one in row["marks"]),
        )


def _head(document: Mapping[str, Any]) -> str:
    """The first line of a paper: its authors and its year."""
    return f"{document['authors']} ({document['year']})" if document.get("authors") else ""


def _expertqa(attribution: Path, real: Path) -> Iterator[Answer]:
    texts = {row["id"]: row for row in _rows(real / "expertqa" / "answers.jsonl")}
    passages: dict[str, dict[str, str]] = {}
    for row in _rows(attribution / "expertqa_support" / "pairs.jsonl"):
        own = passages.setdefault(row["question"], {})
        for one in row["evidence"]:
            said = own.get(one["ref"], "")
            own[one["ref"]] = said if one["text"] in said else f"{said}\n{one['text']}".strip()
    for row in _rows(_HERE / "expertqa.jsonl"):
        answer = texts[row["expertqa"]]
        documents = {}
        for ref, text in passages[answer["prompt"]].items():
            number, _, url = ref.partition(" ")
            documents[ref] = (number.strip("[]"), url, text)
        yield Answer(
            row["id"],
            row["lang"],
            answer["prompt"],
            answer["answer"],
            documents,
            tuple(_mark(one, answer["answer"]) for one in row["marks"]),
        )


def _mark(row: Mapping[str, Any], text: str) -> Labelled:
    at = -1
    for _ in range(row["nth"]):
        at = text.index(row["text"], at + 1)
    return Labelled(
        at,
        at + len(row["text"]),
        row["ties"],
        tuple(row["sentences"]),
        tuple(row["documents"]),
        row["label"],
        row["kind"],
        tuple(row["says"]),
    )


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        with path.open(encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines if line.strip())
    except (OSError, ValueError) as error:
        raise InputError(f"expected one JSON object a line, got {error!r} from {path.name!r}") from error
