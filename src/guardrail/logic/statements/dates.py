"""Statements about years: "lasted from 1812 to 1870", "took place between …", "born in 1874, died in 1965".

Years are those of the calendar; 44 BC is -43, as there is no year 0 before AD 1 in it and there is one in ISO 8601.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from guardrail.logic.statements.items import Item
from guardrail.logic.statements.model import Dated, Mention
from guardrail.logic.statements.sides import PREPOSITIONS, Sentence, Sides
from guardrail.logic.statements.words import several, stem

# As stems: what has a beginning and an end, what begins, what ends.
_LASTS = frozenset(map(stem, several(
    "lasted went lived existed existence aired ran reigned ruled spanned continued alive active flourished governed held "
    "stood persisted endured served stretched extended fought was reign power progress broadcast war"
)))  # fmt: skip
_HAPPENS = frozenset(map(stem, several("happened occurred place going way held fought")))
_BEGINS = frozenset(map(stem, several(
    "began started born broke launched premiered debuted erupted founded established opened formed created commenced "
    "proclaimed beginning"
)))  # fmt: skip
_ENDS = frozenset(map(stem, several(
    "ended died fell finished collapsed concluded dissolved closed ceased abolished disbanded cancelled"
)))  # fmt: skip
_MONTHS = several(
    "january february march april may june july august september october november december early late mid"
)
_DASHES = frozenset("-–—")
_UNTIL = frozenset({"to", "until", "till", "through"})
_AHEAD = 4  # words between a verb and its year


@dataclass(frozen=True, slots=True)
class _Years:
    begin: int | None
    end: int | None
    within: bool = False


def spans(sentence: Sentence) -> list[Dated]:
    """The statements about years of one sentence, in order.

    Example:
        >>> from guardrail.logic.statements.lexicon import Lexicon
        >>> from guardrail.logic.statements.reading import read
        >>> lexicon = Lexicon({"Korean War": "Korean War"}, [])
        >>> [sentence] = read("The Korean War lasted from 1950 to 1953.", lexicon)
        >>> [(one.subject.name, one.begin, one.end) for one in spans(sentence)]
        [('Korean War', 1950, 1953)]
    """
    if any(item.key == "?" for item in sentence.row[-2:]):
        return []
    return list(_Reader(sentence).spans())


class _Reader(Sides):
    def __init__(self, sentence: Sentence) -> None:
        super().__init__(sentence, (), ())

    def spans(self) -> Iterator[Dated]:
        row = self.row
        for at, item in enumerate(row):
            if item.mention is not None and at + 1 < len(row) and row[at + 1].key == "(":
                years = self._in_parentheses(at + 2)
                if years is not None:
                    yield from self._made([item.mention], years, at, at + 2, denied=False)
            elif item.kind == "word":
                years = self._said(at)
                if years is not None:
                    yield from self._of(at, years)

    def _of(self, at: int, years: _Years) -> Iterator[Dated]:
        row, before = self.row, at - 1
        while (
            before >= 0
            and row[before].kind == "word"
            and row[before].key in {"BE", "have", "take", "under", "in"}
        ):
            before -= 1
        if row[at].key == "BE":
            before = at - 1
        subjects = self.left(before)
        if not subjects:
            return
        self.subject = subjects
        denied = any(item.denied for item in row[before + 1 : at + 2])
        yield from self._made(subjects, years, at, at + 1, denied=denied)

    def _made(
        self, subjects: list[Mention], years: _Years, first: int, stop: int, *, denied: bool
    ) -> Iterator[Dated]:
        last = self.row[min(stop + _AHEAD, len(self.row) - 1)].end
        for subject in subjects:
            start = min(subject.start if subject.end else self.row[first].start, self.row[first].start)
            yield Dated(subject, years.begin, years.end, denied, years.within, start, last)

    def _said(self, at: int) -> _Years | None:
        """The years that a word and those behind it say."""
        key = self.row[at].key
        if key in _BEGINS | _ENDS:
            year = self._point(at + 1)
            if year is None:
                return None
            return _Years(year, None) if key in _BEGINS else _Years(None, year)
        lasts, happens = key in _LASTS, key in _HAPPENS
        if self.key(at + 1) == "on" and self.key(at + 2) in PREPOSITIONS | {"between", "until"}:
            at += 1  # "went on from", "was going on in"
        if not (lasts or happens or key == "BE"):
            return None
        span = self._range(at + 1)
        if span is not None:
            between, begin, end = span
            return _Years(begin, end, within=between)
        if not (happens or lasts):
            return None
        year = self._point(at + 1)
        if year is not None:
            return _Years(year, year, within=True)
        ended = self._year(at + 2) if lasts and self.key(at + 1) in {"until", "till"} else None
        return _Years(None, ended[0]) if ended else None

    def _point(self, at: int) -> int | None:
        """The year of "in 1900", "on 4 May 1900", "out in 1900"."""
        at += self.key(at) in {"out", "there", "up"}
        found = self._year(at + 1) if self.key(at) in {"in", "on"} else None
        return found[0] if found else None

    def _range(self, at: int) -> tuple[bool, int, int] | None:
        """The years of "from 1900 to 1910", "between 1900 and 1910", "1900–1910"."""
        between = self.key(at) == "between"
        at += between or self.key(at) in {"from", "during"}
        first = self._year(at)
        if first is None or first[1] >= len(self.row):
            return None
        link = self.row[first[1]]
        if not (link.key in _UNTIL | _DASHES or (between and link.kind == "and")):
            return None
        second = self._year(first[1] + 1)
        if second is None or second[0] < first[0]:
            return None
        return between, first[0], second[0]

    def _in_parentheses(self, at: int) -> _Years | None:
        key = self.key(at)
        if key in _BEGINS | _ENDS:
            found = self._year(at + 1) or self._year(at + 2)
            if found is None:
                return None
            return _Years(found[0], None) if key in _BEGINS else _Years(None, found[0])
        span = self._range(at)
        return _Years(span[1], span[2]) if span is not None else None

    def _year(self, at: int) -> tuple[int, int] | None:
        """A year, perhaps behind a day and a month, and the place behind it."""
        for number in range(at, min(at + _AHEAD, len(self.row))):
            item = self.row[number]
            if _plain(item) in _MONTHS or item.key == "," or item.folded in {"year", "about", "around"}:
                continue
            if not (item.folded.isascii() and item.folded.isdigit() and len(item.folded) <= 6):
                return None
            following = _plain(self.row[number + 1]) if number + 1 < len(self.row) else ""
            if len(item.folded) <= 2 and following in _MONTHS:
                continue  # a day
            if following in {"bc", "bce"}:
                return 1 - int(item.folded), number + 2
            return int(item.folded), number + 1
        return None


def _plain(item: Item) -> str:
    return item.folded if item.mention is None else item.mention.text.lower()
