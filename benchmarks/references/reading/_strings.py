"""Strings with their fields known: reading them, labelling their tokens, and parting them for cross-validation."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from guardrail.errors import InputError
from guardrail.references.bibliography.normalise import normalise, squeeze
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.segmentation.fields import Stretch, reference_of, stretches_of
from guardrail.references.citations.segmentation.model import FIELDS
from guardrail.references.citations.segmentation.tokens import Token, tokenise

__all__ = ["Example", "folds", "labels_of", "read_strings", "same", "truth"]

_FIELD = {
    "container-title": "container", "collection-title": "series", "citation-number": "number",
    "director": "editor", "producer": "editor", "medium": "genre", "source": "note",
}  # fmt: skip
_VOLUME_WITH_YEAR = re.compile(r"(?:1[4-9]|20)\d\d;")
_LEAD = re.compile(r"\A(?:in|dans|en)\b[\s:]*(?:the\s)?", re.IGNORECASE)
_JOINED = re.compile(r"\b(?:and|und|et al|et|y|eds?|editors?|by|authors|等|著|외|и др)\b")


@dataclass(frozen=True, slots=True)
class Example:
    """A string, and the fields that its characters belong to."""

    text: str
    stretches: tuple[Stretch, ...]

    def written(self, *fields: str) -> str:
        """The text of the first stretch of one of the fields, "" if there is none."""
        return next((self.text[s.start : s.end] for s in self.stretches if s.field in fields), "")


def read_strings(path: Path) -> list[Example]:
    """The strings of `reference_strings/core.jsonl`.

    Raises:
        InputError: the file cannot be read, or its segments do not make up the text.
    """
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    except (OSError, ValueError) as error:
        raise InputError(
            f"expected JSON lines with 'text' and 'segments' in {path.name!r}, got {error!r}"
        ) from error
    return [_example(row["text"], row["segments"]) for row in rows]


def _example(text: str, segments: Sequence[tuple[str, str]]) -> Example:
    if text != " ".join(written for _, written in segments):
        raise InputError(f"the segments do not make up the text {text[:80]!r}")
    stretches = []
    at = 0
    for label, written in segments:
        stretches.append(Stretch(_FIELD.get(label, label), at, at + len(written)))
        at += len(written) + 1
    return Example(text, tuple(stretches))


def labels_of(example: Example) -> tuple[list[Token], list[int]]:
    """The tokens of a string and the label of each (see `FIELDS`).

    A year at the head of a volume ("1999;50:") is a date where the string has no other: the set marks it at times as
    the one, at times as the other.
    """
    tokens = tokenise(example.text)
    dated = any(stretch.field == "date" for stretch in example.stretches)
    labels = []
    place = 0
    last = (-1, "")
    for token in tokens:
        first = next((at for at in range(token.start, token.end) if example.text[at].isalnum()), token.start)
        while place + 1 < len(example.stretches) and first >= example.stretches[place].end:
            place += 1
        field = example.stretches[place].field
        if field == "volume" and not dated and _VOLUME_WITH_YEAR.fullmatch(token.text):
            field = "date"
        labels.append(2 * FIELDS.index(field) + ((place, field) == last))
        last = place, field
    return tokens, labels


def truth(example: Example) -> Reference:
    """What a perfect model would make of a string."""
    return reference_of(example.text, stretches_of(example.stretches))


def same(field: str, example: Example, read: Reference) -> bool | None:
    """Whether a field was read right; `None` where the string's annotators marked no such field.

    Right is what is the same in the project's normal form of titles (`normalise`: lower case, letters and digits only)
    without blanks. Of the title that is the whole of it. Authors are right if all letters of the list are there, in
    order, and no more, but for what joins names ("and", "et al.", "eds."). The year is right if it is the first year of the date.
    The venue is the journal or the book that a work is in, without "in" and "the".
    """
    if field == "title":
        return _equal(example.written("title"), read.title)
    if field == "authors":
        return _equal(_unjoined(example.written("author")), _unjoined(" ".join(read.authors)))
    if field == "year":
        dates = " ".join(example.text[s.start : s.end] for s in example.stretches if s.field == "date")
        year = re.search(r"(?:1[4-9]|20)\d\d", dates)
        return int(year[0]) == read.year if year else None
    if field == "venue":
        written = _LEAD.sub("", example.written("journal", "container"))
        return _equal(written, _LEAD.sub("", read.venue))
    raise ValueError(f"expected title, authors, year or venue, got {field!r}")


def _equal(written: str, read: str) -> bool | None:
    expected = squeeze(normalise(written))
    return squeeze(normalise(read)) == expected if expected else None


def _unjoined(names: str) -> str:
    return _JOINED.sub("", normalise(names))


def folds(examples: Sequence[Example], count: int, seed: int) -> list[int]:
    """The fold of each string; strings that share a title, a list of authors or a venue are in one fold."""
    parents = list(range(len(examples)))

    def root(at: int) -> int:
        while parents[at] != at:
            parents[at] = parents[parents[at]]
            at = parents[at]
        return at

    seen: dict[str, int] = {}
    for at, example in enumerate(examples):
        for key in _keys(example):
            parents[root(at)] = root(seen.setdefault(key, at))
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for at in range(len(examples)):
        groups[root(at)].append(at)
    shuffled = list(groups.values())
    random.Random(seed).shuffle(shuffled)
    found = [0] * len(examples)
    for number, group in enumerate(shuffled):
        for at in group:
            found[at] = number % count
    return found


def _keys(example: Example) -> Iterable[str]:
    for kind, fields in (
        ("title", ("title",)),
        ("authors", ("author",)),
        ("venue", ("journal", "container")),
    ):
        written = _LEAD.sub("", example.written(*fields))
        key = squeeze(_unjoined(written) if kind == "authors" else normalise(written))
        key = re.sub(r"^(?:the)?proceedings(?:ofthe|of)?", "", key)
        if key:
            yield f"{kind}:{key}"
