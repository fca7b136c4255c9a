"""Citations of works that do not exist: an invented title, and authors, container, series, DOI or arXiv number of real works."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.references.answers.changes import invented
from benchmarks.references.index._noise import content_words
from benchmarks.references.invented._rendered import rendered
from benchmarks.references.invented._segmented import Example, read_strings
from guardrail.references.bibliography.normalise import normalise, squeeze
from guardrail.references.bibliography.records import Record

__all__ = ["Cited", "Titles", "as_they_are", "hand_made", "in_styles", "surroundings"]

_DOI = re.compile(r"10\.\d{4,5}/\d+")
_ARXIV = re.compile(r"(?<=arXiv:)\d{4}\.\d{5}|(?<=arXiv\.)\d{4}\.\d{5}|(?<=arxiv\.org/abs/)\d{4}\.\d{5}")
_ENDS = re.compile(r"[\s.,;:?!\"“”'’»_*)\]]*\Z")
_BEGINS = re.compile(r"\A[\s\"“„'‘«_*(\[]*")
_PATTERNS = (
    "On the {a} of {b} {c}",
    "{a} {b}: {c} and {d} {e}",
    "Towards {a} {b} for {c} {d}",
    "{a} {b} in the {c} of {d}",
    "A {a} {b} Approach to {c} {d}",
    "{a} and {b}: Essays on {c} {d}",
    "The {a} of {b} {c}",
)
_CONTAINERS = ("container", "journal", "series")


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation string.

    Attributes:
        text: the string.
        title: the invented title in it.
        group: where its surroundings come from.
    """

    text: str
    title: str
    group: str


class Titles:
    """Invented titles, each made once, and none of them real.

    Args:
        rng: where the draws come from.
        records: real works; their titles give the words.
        names: of containers and series, which are no titles of works here either.
    """

    def __init__(self, rng: random.Random, records: Sequence[Record], names: Sequence[str] = ()) -> None:
        self._random = rng
        self._taken = {_key(record.title) for record in records} | {_key(name) for name in names}
        self._titles = [record.title for record in records if 4 <= len(record.title.split()) <= 14]
        self._words = [
            word.group()
            for title in rng.sample(self._titles, min(len(self._titles), 20_000))
            for word in content_words(title)
            if len(word.group()) > 3
        ]

    def made(self) -> str:
        """One more: half of the time of two halves of titles, else words of titles in a frame."""
        while True:
            title = self._of_halves() if self._random.random() < 0.5 else self._of_words()
            main = title.partition(": ")[0]
            if len(title) > 15 and not {_key(title), _key(main)} & self._taken:
                self._taken.add(_key(title))
                return title

    def _of_halves(self) -> str:
        title = invented(*self._random.sample(self._titles, 2))
        return " ".join(title.split())

    def _of_words(self) -> str:
        words = {letter: self._random.choice(self._words).capitalize() for letter in "abcde"}
        return self._random.choice(_PATTERNS).format(**words)


def _key(title: str) -> str:
    return squeeze(normalise(title))


def hand_made(path: Path, titles: Titles, rng: random.Random, most: int) -> list[Cited]:
    """Strings of bibliographies (segmented by hand) in which the title is another."""
    some = [example for example in read_strings(path) if _usable(example)]
    rng.shuffle(some)
    return [_retitled(example, titles) for example in some[:most]]


def _usable(example: Example) -> bool:
    fields = {stretch.field for stretch in example.stretches}
    return "title" in fields and bool(fields & {"author", *_CONTAINERS, "doi", "url"})


def _retitled(example: Example, titles: Titles) -> Cited:
    stretch = next(one for one in example.stretches if one.field == "title")
    written = example.text[stretch.start : stretch.end]
    begin, end = _BEGINS.search(written), _ENDS.search(written)
    title = titles.made()
    text = (
        example.text[: stretch.start]
        + (begin.group() if begin else "")
        + title
        + (end.group() if end else "")
        + example.text[stretch.end :]
    )
    return Cited(text, title, "strings of bibliographies")


def surroundings(path: Path) -> list[Record]:
    """The containers, journals and series of the hand-made strings as works of their own, with the string's year."""
    found = {}
    for example in read_strings(path):
        date = re.search(r"(?:1[5-9]|20)\d\d", example.written("date"))
        for field in _CONTAINERS:
            name = re.sub(r"\A(?:In|in)\b:?\s*", "", example.written(field)).strip(" .,;:()“”\"'")
            if len(content_words(name)) >= 2:
                found[_key(name)] = Record(title=name, year=int(date.group()) if date else None)
    return list(found.values())


def in_styles(
    records: Sequence[Record], known: Sequence[Record], titles: Titles, rng: random.Random, count: int
) -> list[Cited]:
    """Rendered strings: an invented title with the authors, the year and the venue of a real record.

    Identifiers in them are those of `known`, which the index has.
    """
    real = rng.sample(list(records), count)
    false = [replace(record, title=titles.made()) for record in real]
    made = rendered(false, count)
    cited = []
    for kind, examples in made.items():
        for example in examples:
            work = rng.choice(known)
            title = example.written("title")
            text = _DOI.sub(_as(work.doi), example.text)
            text = _ARXIV.sub(_as(work.arxiv), text)
            cited.append(Cited(text, title, kind))
    return cited


def as_they_are(records: Sequence[Record], rng: random.Random, count: int) -> list[Cited]:
    """Rendered strings of real works with their own titles, to see that real ones are verified."""
    made = rendered(rng.sample(list(records), count), count)
    return [
        Cited(example.text, example.written("title"), kind)
        for kind, examples in made.items()
        for example in examples
    ]


def _as(value: str) -> Callable[[re.Match[str]], str]:
    return lambda _: value
