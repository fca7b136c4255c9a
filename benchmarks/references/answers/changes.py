"""Answers in which a program has changed something: another title, other authors, another year or venue."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from benchmarks.references.answers.labels import Answer, Label
from guardrail.references.authors.names import parse_name
from guardrail.references.bibliography.records import Record
from guardrail.report import Span

__all__ = ["CHANGES", "Changer", "invented"]

_TOKEN = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]|[^\s\u3041-\u30ff\u3400-\u9fff]+")
_SCRIPTS = (
    re.compile(r"[\u3041-\u30ff\u3400-\u9fff]"),
    re.compile(r"[\uac00-\ud7a3]"),
    re.compile(r"[\u0400-\u04ff]"),
)
CHANGES = ("title", "authors", "year", "venue")

_Cut = tuple[int, int, str]


class Changer:
    """Makes claims false, with what other works of the same script are called.

    Args:
        works: of the answers, by key.
        seed: of the choices.
    """

    def __init__(self, works: Mapping[str, Record], seed: int) -> None:
        self._works = works
        self._random = random.Random(seed)

    def changed(self, answer: Answer, field: str) -> tuple[Answer, list[Label]]:
        """The answer with this field of every reference changed, and the labels of those that were.

        A reference of which the field is not said stays as it is.
        """
        text, at, pieces = answer.text, 0, list[str]()
        labels, touched, shift = list[Label](), list[Label](), 0
        for label in answer.labels:
            cuts = sorted(self._cuts(answer, label, field))
            grown = 0
            for start, end, new in cuts:
                pieces += [text[at:start], new]
                at = end
                grown += len(new) - (end - start)
            span = Span(start=label.span.start + shift, end=label.span.end + shift + grown)
            shift += grown
            labels.append(replace(label, span=span))
            if cuts:
                touched.append(labels[-1])
        pieces.append(text[at:])
        return replace(answer, text="".join(pieces), labels=tuple(labels)), touched

    def _cuts(self, answer: Answer, label: Label, field: str) -> list[_Cut]:
        said = label.reference
        if not said.title or label.resolves is not None:
            return []
        if field == "title":
            return self._one(answer, label, said.title, self._title(label))
        if field == "venue":
            return self._one(answer, label, said.venue, self._venue(label))
        if field == "year":
            year = said.year or 0
            return self._one(answer, label, str(year), str(year - 7), alone=True) if year else []
        cuts: list[_Cut] = []
        for author in said.authors:
            family = parse_name(author).family
            cuts += self._one(answer, label, family, self._family(label, family))
        return cuts

    def _one(
        self, answer: Answer, label: Label, old: str, new: str | None, *, alone: bool = False
    ) -> list[_Cut]:
        """The first place where `old` is said; `alone`: not as a part of a word, such as the key `vaswani2017attention`."""
        pattern = rf"(?<![\dA-Za-z./-]){re.escape(old)}(?![\dA-Za-z/-])" if alone else re.escape(old)
        found = re.compile(pattern).search(answer.text, label.span.start, label.span.end) if old else None
        return [(found.start(), found.end(), new)] if found and new else []

    def _others(self, label: Label, text: str, read: Callable[[Record], Sequence[str]]) -> list[str]:
        """What other works have, in the same script."""
        found = {
            value
            for key, work in self._works.items()
            if key != label.work
            for value in read(work)
            if value and _script(value) == _script(text)
        }
        return sorted(found)

    def _title(self, label: Label) -> str | None:
        pool = self._others(label, label.reference.title, lambda work: [work.title])
        pool = [title for title in pool if len(_TOKEN.findall(title)) >= 3]
        if " v. " in label.reference.title:
            return self._case(label)
        pool = [title for title in pool if " v. " not in title]
        return invented(*self._random.sample(pool, 2)) if len(pool) > 1 else None

    def _case(self, label: Label) -> str | None:
        """A case that was decided in another year, so that the claim is false whatever its record has; without a year none would be."""
        own = self._works[label.work]
        if label.reference.year is None:
            return None
        pool = {
            work.title
            for work in self._works.values()
            if " v. " in work.title
            and work.year not in (own.year, label.reference.year)
            and work.title != own.title
        }
        return self._random.choice(sorted(pool)) if pool else None

    def _venue(self, label: Label) -> str | None:
        own = self._works[label.work].venue
        pool = self._others(label, label.reference.venue, lambda work: [work.venue])
        pool = [venue for venue in pool if not set(_words(venue)) & set(_words(own))]
        return self._random.choice(pool) if pool else None

    def _family(self, label: Label, family: str) -> str | None:
        own = {parse_name(author).family for author in self._works[label.work].authors}
        pool = self._others(
            label, family, lambda work: [parse_name(author).family for author in work.authors]
        )
        pool = [name for name in pool if name not in own and name[:1] != family[:1] and len(name) > 1]
        return self._random.choice(pool) if pool else None


def invented(one: str, other: str) -> str:
    """A title that nobody has given: the first half of one, the second half of another.

    Example:
        >>> invented("Attention Is All You Need", "The Structure of Scientific Revolutions")
        'Attention Is All Scientific Revolutions'
    """
    first, second = list(_TOKEN.finditer(one)), list(_TOKEN.finditer(other))
    head = one[: first[len(first) // 2].end()]
    tail = other[second[(len(second) + 1) // 2].start() :]
    return head + ("" if _script(head) == 0 else " ") + tail


def _script(text: str) -> int:
    return next((number for number, script in enumerate(_SCRIPTS) if script.search(text)), len(_SCRIPTS))


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text.casefold()) if len(word) > 3]
