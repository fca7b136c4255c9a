"""Spans and fields that were read, against the labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from benchmarks.references.answers.labels import Answer, Label
from guardrail.references.authors.names import parse_name
from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations import Citation, asks_for_references, citations
from guardrail.references.citations.tagging import Tagger
from guardrail.report import Span

__all__ = ["FIELDS", "Read", "alike", "overlap", "paired", "read", "right"]

FIELDS = ("title", "authors", "year", "venue", "identifier")
LEAST_OVERLAP = 0.7  # of the words of both spans together, from which they are the same reference
_WORD = re.compile(r"\w+")

Found = TypeVar("Found", Label, Citation)


@dataclass(frozen=True, slots=True)
class Read:
    """An answer and what was read from it; `pairs` holds each label that has a citation at its place, with that citation."""

    answer: Answer
    citations: list[Citation]
    pairs: list[tuple[Label, Citation]]

    @property
    def missed(self) -> list[Label]:
        """Labels without a citation."""
        found = {id(label) for label, _ in self.pairs}
        return [label for label in self.answer.labels if id(label) not in found]

    @property
    def surplus(self) -> list[Citation]:
        """Citations without a label."""
        found = {id(citation) for _, citation in self.pairs}
        return [citation for citation in self.citations if id(citation) not in found]


def read(answer: Answer, tagger: Tagger | None = None) -> Read:
    """Read an answer, and pair what was found with the labels, each at most once.

    Args:
        answer: labelled.
        tagger: a network that reads it, too.
    """
    asked = asks_for_references(answer.question)
    found = citations(answer.text, asked_for_references=asked, tagger=tagger, question=answer.question)
    return Read(answer, found, paired(answer.text, answer.labels, found))


def paired(text: str, labels: Sequence[Label], found: Sequence[Found]) -> list[tuple[Label, Found]]:
    """Each label with what was found at its place, if there is something; each at most once.

    Args:
        text: which both are of.
        labels: in order.
        found: by a reader, or by another hand.
    """
    pairs, taken = list[tuple[Label, Found]](), set[int]()
    for label in labels:
        near = [
            (overlap(text, label.span, one.span), -number)
            for number, one in enumerate(found)
            if number not in taken and one.span.start < label.span.end and one.span.end > label.span.start
        ]
        if near and max(near)[0] >= LEAST_OVERLAP:
            taken.add(-max(near)[1])
            pairs.append((label, found[-max(near)[1]]))
    return pairs


def overlap(text: str, one: Span, other: Span) -> float:
    """Letters and digits in both spans, of those in either: in [0, 1]; markup at the ends does not count."""
    shared = _size(text, max(one.start, other.start), min(one.end, other.end))
    whole = _size(text, min(one.start, other.start), max(one.end, other.end))
    return shared / whole if whole else 0.0


def _size(text: str, start: int, end: int) -> int:
    return sum(len(word) for word in _WORD.findall(text[start:end])) if end > start else 0


def right(name: str, said: Reference, found: Reference) -> bool:
    """Whether a field was read as it is said: words and their order; of authors, all of them, and whether the list is cut.

    A field that is not said must be empty. An address counts as an identifier only where no other is said.
    """
    if name == "title":
        return alike(said.title, found.title)
    if name == "authors":
        names = [_plain(author) for author in said.authors], [_plain(author) for author in found.authors]
        return names[0] == names[1] and said.et_al == found.et_al
    if name == "year":
        return said.year == found.year
    if name == "venue":
        return alike(said.venue, found.venue)
    pairs = [(getattr(said, kind), getattr(found, kind)) for kind in ("doi", "arxiv", "isbn", "pmid")]
    return all(one.lower() == other.lower() for one, other in pairs)  # a DOI's case says nothing


def alike(said: str, found: str) -> bool:
    """Equal but for case, punctuation and markup."""
    return normalise(said) == normalise(found)


def _plain(author: str) -> str:
    name = parse_name(author)
    return normalise(" ".join((name.family, *name.given)))
