"""What of the documents a sentence is compared with: the sentences and windows of sentences most like it. Pure functions.

Support may be in one sentence, spread over neighbours, or in several places. So a model reads the best sentences alone,
the best window of three and of five neighbours, and the best three sentences together.
"""

from __future__ import annotations

import csv
import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from guardrail.selfcheck.grounding.novelty import plain_words
from guardrail.selfcheck.nli.premise import parts
from guardrail.text.bm25 import RankingIndex
from guardrail.text.sentences import split_sentences
from guardrail.text.typography import normalised

Kind: TypeAlias = Literal["single", "three", "five", "together"]
"""One sentence, windows of three and of five neighbours, the best sentences together."""

SINGLE = 3
"""How many single sentences are read, and how many together."""

MOST = SINGLE + 3
"""The most premises of a sentence."""

_WINDOWS: Mapping[int, Kind] = {3: "three", 5: "five"}  # neighbouring sentences
_LONGEST = 1_200  # characters of one premise, about 300 tokens; a longer one is cut
_SHORT = 80  # characters: a value of a record that stands on one line with others
_AT_ONCE = 8  # so many values make a line
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|_")


@dataclass(frozen=True, slots=True)
class Premise:
    """A text of a document that a sentence is compared with.

    Attributes:
        text: handed to the model.
        kind: how it was chosen.
        document: which document the text, or its first sentence, is from; counted from 1.
    """

    text: str
    kind: Kind
    document: int


def lines(document: str) -> list[str]:
    r"""The sentences of a document; of a JSON record or a CSV table its values with the names that lead to them, line by line.

    What has no sentences otherwise (code, a heading alone) is taken line by line.

    Example:
        >>> lines("She was born in Rome. She died in Bern.")
        ['She was born in Rome.', 'She died in Bern.']
        >>> lines('{"name": "Bo", "openingHours": {"monday": "9-17"}, "parking": false}')
        ['name: Bo, parking: no', 'opening Hours: monday: 9-17']
        >>> lines("model,price\nB200,7.2\nA100,3.1")
        ['model: B200, price: 7.2', 'model: A100, price: 3.1']
    """
    found = _record(document)
    if found is None:
        text = normalised(document)
        found = split_sentences(text) or [line.strip() for line in text.splitlines() if line.strip()]
    return [part for line in found for part in _cut_line(line)]


def readable(document: str) -> str:
    """A document as normalised text: a record or a table line by line, as `lines` gives them."""
    record = _record(document)
    return normalised(document) if record is None else "\n".join(record)


class Premises:
    """Documents, split and counted once, for any number of sentences.

    Args:
        documents: texts or JSON records.
    """

    def __init__(self, documents: Sequence[str]) -> None:
        each = [lines(text) for text in documents]
        self.sentences = [line for own in each for line in own]
        self.documents = [number for number, own in enumerate(each, 1) for _ in own]
        words = [plain_words(sentence) for sentence in self.sentences]
        self._alone = RankingIndex(words)
        self._windows = {size: self._cut(size) for size in _WINDOWS}
        self._ranked = {
            size: RankingIndex(list(itertools.chain(*words[a:b])) for a, b in windows)
            for size, windows in self._windows.items()
        }

    def best(self, sentence: str) -> list[Premise]:
        """What this sentence is compared with: at most `MOST` texts, no text twice; empty where the documents contain nothing."""
        words = plain_words(sentence)
        top = [i for i, _ in self._alone.best(words, SINGLE)] or list(range(min(SINGLE, len(self.sentences))))
        found: dict[str, Premise] = {}
        for i in top:
            self._add(found, self.sentences[i], "single", i)
        for size, kind in _WINDOWS.items():
            ranked = self._ranked[size].best(words, 1)
            if ranked:
                first, last = self._windows[size][ranked[0][0]]
                self._add(found, " ".join(self.sentences[first:last]), kind, first)
        if len(top) > 1:
            self._add(found, " ".join(self.sentences[i] for i in sorted(top)), "together", min(top))
        return list(found.values())

    def _add(self, found: dict[str, Premise], text: str, kind: Kind, first: int) -> None:
        text = text[:_LONGEST]
        found.setdefault(text, Premise(text, kind, self.documents[first]))

    def _cut(self, size: int) -> list[tuple[int, int]]:
        """Windows of neighbours within one document; a shorter document is one window."""
        found = []
        start = 0
        for _, own in itertools.groupby(self.documents):
            count = len(list(own))
            found += [(start + i, start + min(i + size, count)) for i in range(max(1, count - size + 1))]
            start += count
        return found


def _cut_line(line: str) -> list[str]:
    """A sentence in overlapping pieces, if it is longer than a premise may be."""
    if len(line) <= _LONGEST:
        return [line]
    return [line[part.start : part.end].strip() for part in parts(line, _LONGEST // 2)]


def _record(document: str) -> list[str] | None:
    """The lines of a JSON record or of a table; `None` of anything else, also of what is nested too deeply."""
    if document.lstrip()[:1] not in ("{", "["):
        return _table(document)
    try:
        return list(map(normalised, _values(json.loads(document), ())))
    except (ValueError, RecursionError):
        return None


def _table(document: str) -> list[str] | None:
    """The rows of a table of comma-separated values, each cell with its heading; `None` of anything else.

    All rows must have as many short cells as the headings, which are without digits and end no sentence.
    """
    head, _, rest = document.strip().partition("\n")
    sign = max(",;\t", key=head.count)
    if not rest or head.count(sign) == 0 or head.rstrip()[-1] in ".!?" or any(map(str.isdigit, head)):
        return None
    try:
        rows = list(csv.reader(document.strip().splitlines(), delimiter=sign, strict=True))
    except csv.Error:
        return None
    names = [name.strip() for name in rows[0]]
    if any(len(row) != len(names) for row in rows) or any(len(cell) > _SHORT for row in rows for cell in row):
        return None
    return [
        normalised(", ".join(f"{name}: {cell.strip()}" for name, cell in zip(names, row, strict=True)))
        for row in rows[1:]
    ]


def _values(value: Any, path: tuple[str, ...]) -> Iterator[str]:
    """The values of a record as lines: short ones of one object together, long texts sentence by sentence."""
    name = " ".join(path)
    if isinstance(value, list):
        for inner in value:
            yield from _values(inner, path)
    elif isinstance(value, dict):
        parts: list[str] = []
        deeper: list[tuple[str, Any]] = []
        for key, inner in value.items():
            called = _HUMP.sub(" ", str(key))
            if isinstance(inner, dict | list) or len(str(inner)) > _SHORT:
                deeper.append((called, inner))
            else:
                parts.append(f"{called}: {_said(inner)}")
        for start in range(0, len(parts), _AT_ONCE):
            line = ", ".join(parts[start : start + _AT_ONCE])
            yield f"{name}: {line}" if name else line
        for called, inner in deeper:
            yield from _values(inner, (*path, called))
    else:
        for sentence in split_sentences(_said(value)) or [_said(value)]:
            yield f"{name}: {sentence}" if name else sentence


def _said(value: Any) -> str:
    if value is None:
        return "unknown"
    return str(value) if not isinstance(value, bool) else "yes" if value else "no"
