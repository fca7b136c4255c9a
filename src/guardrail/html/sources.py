"""The marks of citation of an answer, each with what its sources say, shown where it is in them."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from guardrail.report import Attribution, Finding, Passage, Report, Verdict
from guardrail.text.sentences import split_sentences

_AROUND = 240  # characters that are shown before and behind a passage
_PASSAGES = 3  # of one mark
_SENTENCES = 8  # of one passage that are looked for one by one
_NEAREST = ("the nearest passage", None)
_UNKNOWN = ("no passage to show", None)
_SAYS = {
    "yes": ("says it", Verdict.SUPPORTED),
    "in part": ("says a part of it", Verdict.UNVERIFIED),
    "contradicts": ("says otherwise", Verdict.UNSUPPORTED),
}
_WORD = re.compile(r"\w+")
_CLOSING = re.compile(r"[.,;:!?…)\]\"'”’»]{0,3}")


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A passage within its document.

    Attributes:
        source: the document's name.
        document: its number, from 1; 0 = none of the report's documents.
        says: what it says of the claim, in words.
        verdict: the same as a verdict; `None` where it does not speak of it.
        pieces: texts in their order, and whether each belongs to the passage; empty where no passage is known.
    """

    source: str
    document: int
    says: str
    verdict: Verdict | None = None
    pieces: tuple[tuple[str, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class CitedMark:
    """One mark.

    Attributes:
        number: of its finding, from 1.
        finding: itself.
        attribution: the mark with its claim and sources.
        quotations: what the documents say that it points to, and those that say its claim.
    """

    number: int
    finding: Finding
    attribution: Attribution
    quotations: tuple[ShownPassage, ...]


def cited_marks(report: Report) -> dict[int, CitedMark]:
    """The marks of a report by the numbers of their findings."""
    names = {name: number for number, name in enumerate(report.case.document_names, 1)}

    @cache
    def words(number: int) -> _Words:
        return _Words(report.case.context[number - 1])

    @cache  # many marks rest on one passage
    def within(number: int, passage: str) -> tuple[tuple[str, bool], ...]:
        return _within(words(number), passage) if number else ((passage, True),)

    def quoted(attribution: Attribution, source: str, passage: Passage | None) -> ShownPassage:
        number = names.get(source, 0)
        says, verdict = _said(attribution, source) if passage or source in attribution.says else _UNKNOWN
        return ShownPassage(source, number, says, verdict, within(number, passage.text) if passage else ())

    found: dict[int, CitedMark] = {}
    for n, finding in enumerate(report.findings, 1):
        if attribution := finding.attribution:
            known: dict[str, Passage | None] = {one.source: one for one in finding.passages[:_PASSAGES]}
            every = {**dict.fromkeys((*attribution.documents, *attribution.says)), **known}
            quotations = tuple(quoted(attribution, source, passage) for source, passage in every.items())
            found[n] = CitedMark(n, finding, attribution, quotations)
    return found


def _said(attribution: Attribution, source: str) -> tuple[str, Verdict | None]:
    """What a document says of a claim."""
    if source in attribution.says:
        together = attribution.support == "yes" and len(attribution.says) > 1
        return "says it, with the others" if together else "says it", Verdict.SUPPORTED
    return _SAYS.get(attribution.support, _NEAREST)


class _Words:
    """The words of a document, in which passages are looked for: typography and blanks do not count."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._places = [one.span() for one in _WORD.finditer(text)]
        words = [_fold(text[start:end]) for start, end in self._places]
        self._joined = f" {' '.join(words)} "
        self._starts: list[int] = []
        at = 0
        for word in words:
            self._starts.append(at)
            at += len(word) + 1

    def place(self, words: Sequence[str]) -> tuple[int, int] | None:
        """Where some words are the first time, one after the other; `None` if they are not."""
        at = self._joined.find(f" {' '.join(words)} ") if words else -1
        if at < 0:
            return None
        first = bisect_right(self._starts, at) - 1
        last = min(first + len(words), len(self._places)) - 1
        closing = _CLOSING.match(self.text, self._places[last][1])
        return self._places[first][0], closing.end() if closing else self._places[last][1]


def _within(document: _Words, passage: str) -> tuple[tuple[str, bool], ...]:
    """The passage with what is around it in its document; alone if it is not there in these words, as of a table."""
    stretches = list(_joined(_places(document, passage)))
    if not stretches:
        return ((passage, True),)
    text, pieces, shown = document.text, list[tuple[str, bool]](), 0
    for number, (start, end) in enumerate(stretches):
        begin = max(shown, _outwards(text, start, -1))
        pieces += [(f"{'… ' if begin > shown else ''}{text[begin:start]}", False), (text[start:end], True)]
        after = stretches[number + 1][0] if number + 1 < len(stretches) else len(text)
        shown = min(after, _outwards(text, end, 1))
        pieces.append((text[end:shown] + (" " if shown < after else ""), False))
    if shown < len(text):
        pieces.append(("…", False))
    return tuple(piece for piece in pieces if piece[0])


def _places(document: _Words, passage: str) -> Iterator[tuple[int, int]]:
    """Where a passage is: in one place, or sentence by sentence if it was put together."""
    words = [_fold(word) for word in _WORD.findall(passage)]
    if passage.endswith("…"):
        del words[-1:]  # it was cut, perhaps within a word
    whole = document.place(words)
    if whole is not None:
        yield whole
        return
    for sentence in split_sentences(passage.removesuffix("…"))[:_SENTENCES]:
        place = document.place([_fold(word) for word in _WORD.findall(sentence)])
        if place is not None:
            yield place


def _joined(places: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """In order, those that overlap as one."""
    begin, until = -1, -1
    for start, end in sorted(places):
        if start >= until:
            if until > 0:
                yield begin, until
            begin = start
        until = max(until, end)
    if until > 0:
        yield begin, until


def _outwards(text: str, place: int, way: int) -> int:
    """The edge of a word some way before (-1) or behind (1) a place."""
    far = place + way * _AROUND
    if not 0 < far < len(text):
        return max(0, min(len(text), far))
    blanks = [i for i in range(min(place, far), max(place, far)) if text[i].isspace()]
    if not blanks:
        return far
    return blanks[0] + 1 if way < 0 else blanks[-1]


def _fold(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold()
