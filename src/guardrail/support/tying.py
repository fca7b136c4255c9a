"""Ties: which words of an answer a mark of citation is for.

Marks are those of the claims layer, and what only the documents give away: a link to one of them, its file name, "Smith (2020)" where one is by
Smith and of 2020. A mark is for the clause before it; one that opens a sentence, for what follows; one at the end of a list that has no
other marks, for the whole list.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from guardrail.report import Span
from guardrail.text.claims import Kind, Piece, pieces

__all__ = ["Tie", "ties"]

_YEAR = r"(?:1[6-9]|20)\d\d[a-z]?"
_NAME = r"[^\W\d_a-z][\w'’-]{1,30}"
_AUTHORS = rf"{_NAME}(?:(?:,? (?:and|&|und|et|y|e) {_NAME})|(?:,? (?:et al\.?|und Kollegen|and colleagues)))?"
_SHOWN = re.compile(
    rf"{_AUTHORS}(?:'s|’s)? [\[(]{_YEAR}[\])]"  # Smith and Lee (2020)
    r"|[\[(][^\[\]()\n]{2,300}?\b(?:1[6-9]|20)\d\d[a-z]?\b[^\[\]()\n]{0,200}[\])]"  # (Smith, J. A study. Journal, 2020)
    r"|!?\[[^\[\]\n]{1,200}\]\([^()\s]{1,500}\)"  # [Leave policy](https://…)
    r"|[(（\[【][^()（）\[\]【】\n]{2,200}[)）\]】]"
)
"""What may be a mark; whether it is one is for `cites` to say."""

_BETWEEN = re.compile(r"[\s,;、，]*(?:and|und|et|y|e|&)?[\s,;]*", re.IGNORECASE)
_LEAD = re.compile(
    r"[\s,;:、，；.。!?–—-]*(?:(?:and|but|while|whereas|und|aber|während|et|mais|y|pero|e|ma)\b[\s,]*)?[\s*_]*",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"\s*(?:[,;:、，；–—]|(?:and|but|while|whereas|und|et|y|e)\b)", re.IGNORECASE)
_SAYS = re.compile(
    r"(?:'s|’s)?[\s,:，]*(?:(?:has|have|also|further|later|first)\s)*(?:(?:report|find|found|show|state|note|argue|suggest|observe|conclude|estimate|describe|demonstrate|"
    r"say|said|write|wrote|claim|explain|confirm|add|indicate|measure|put|give|specif|require)[a-z]*\s(?:that\s)?|who\s)?[\s,:，]*",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")
_EAST = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_BRACKETS = frozenset("[(【（⟦〖［{<")
_FEW = 3  # words before a mark that are no clause
_LINES = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class Tie:
    """A mark and what it is for.

    Attributes:
        mark: where it is in the answer.
        claim: the words that it is for, without the mark at their end.
        sentences: the pieces of the answer that these words are in, in order.
        group: the number of the group that it is in: marks in a row are for the same words.
    """

    mark: Span
    claim: Span
    sentences: tuple[Span, ...]
    group: int


def ties(
    answer: str, cites: Callable[[str], bool] | None = None, places: Iterable[tuple[int, int]] = ()
) -> tuple[Tie, ...]:
    """The marks of an answer, in order, each with its words. Linear in the text.

    Args:
        answer: any string.
        cites: says of a text in an answer whether it names a document, as `Sources.cites` does; `None` = only marks that show by
            themselves that they are some.
        places: of further marks, in the answer.

    Example:
        >>> text = "It was built in 1904 [1], and burnt down in 1950 [2][3]."
        >>> [(one.mark.of(text), one.claim.of(text), one.group) for one in ties(text)]
        [('[1]', 'It was built in 1904', 0), ('[2]', 'burnt down in 1950', 1), ('[3]', 'burnt down in 1950', 1)]
    """
    named = sorted({*places, *(m.span() for m in _SHOWN.finditer(answer) if cites and cites(m[0]))})
    found: list[Tie] = []
    read = pieces(answer)
    for number, piece in enumerate(read):
        if piece.kind in (Kind.CODE, Kind.THOUGHT):
            continue
        groups = list(_groups(answer, piece, named))
        for place, group in enumerate(groups):
            claim = _claim(answer, piece, groups, place)
            sentences: tuple[Span, ...] = (piece.span,)
            if piece.kind is Kind.SOURCES or not _words(claim.of(answer)):
                sentences = _behind(answer, read, number) or _before(answer, read, number, found)
                if not sentences:
                    continue
                claim = Span(start=sentences[0].start, end=sentences[-1].end)
            count = found[-1].group + 1 if found else 0
            found += [Tie(mark, claim, sentences, count) for mark in group]
    return tuple(found)


def _groups(answer: str, piece: Piece, named: Sequence[tuple[int, int]]) -> Iterator[list[Span]]:
    """The marks of a piece, those in a row together."""
    own = {(mark.start, mark.end) for mark in piece.marks}
    at = bisect_right(named, (piece.span.start, 0))
    while at < len(named) and named[at][1] <= piece.span.end:
        start, end = named[at]
        if not any(a < end and start < b for a, b in own):
            own.add((start, end))
        at += 1
    group: list[Span] = []
    for first, end in sorted(own):
        start = end - len(answer[first:end].lstrip(" \t,"))
        if group and _BETWEEN.fullmatch(answer, group[-1].end, start) is None:
            yield group
            group = []
        group.append(Span(start=start, end=end))
    if group:
        yield group


def _claim(answer: str, piece: Piece, groups: Sequence[Sequence[Span]], place: int) -> Span:
    """The words that a group of marks in a piece is for."""
    first, last = groups[place][0].start, groups[place][-1].end
    start = groups[place - 1][-1].end if place else piece.span.start
    end = groups[place + 1][0].start if place + 1 < len(groups) else piece.span.end
    start = min(first, _LEAD.match(answer, start, first).end()) if place else start  # type: ignore[union-attr]
    before, behind = _words(answer[start:first]), _words(answer[last:end])
    if place and _words(answer[piece.span.start : groups[place - 1][0].start]) < _FEW:
        start = _SAYS.match(answer, start, first).end()  # type: ignore[union-attr]  # may be empty
    subject = before and answer[first] in _BRACKETS and _CLAUSE.match(answer, last, end) is None
    if subject and before < _FEW and behind:  # "Sales [1] rose."
        return _trimmed(answer, start, end)
    if before < _FEW and behind:
        opened = _SAYS.match(answer, last, end)
        at = opened.end() if opened else last
        if place + 1 < len(groups) and _words(answer[groups[place + 1][-1].end : piece.span.end]) == 0:
            end = groups[place + 1][0].start  # "Smith (2020) found that X is 3 [1]."
        return _trimmed(answer, at if _words(answer[at:end]) else last, end)
    if place + 1 == len(groups) and behind > 1 and _CLAUSE.match(answer, last, end) is None:
        return _trimmed(answer, start, end)
    return _trimmed(answer, start, first)


def _behind(answer: str, read: Sequence[Piece], number: int) -> tuple[Span, ...]:
    """What a mark on a line that announces others is for: "Facts [1]:" and the items below, if they have no marks."""
    if not answer[read[number].span.start : read[number].span.end].rstrip("*_ ").endswith((":", "：")):
        return ()
    spans: list[Span] = []
    for place in range(number + 1, len(read)):
        piece = read[place]
        if piece.marks or (spans and _LINES.search(answer, spans[-1].end, piece.span.start)):
            break
        spans.append(piece.span)
    return tuple(spans)


def _before(answer: str, read: Sequence[Piece], number: int, found: Sequence[Tie]) -> tuple[Span, ...]:
    """What a mark on a line of its own is for: the sentences before it that have none, of one block."""
    marked = found[-1].mark.end if found else 0
    spans: list[Span] = []
    for place in range(number - 1, -1, -1):
        piece = read[place]
        if piece.span.start < marked or piece.kind in (Kind.CODE, Kind.THOUGHT):
            break
        if spans and _LINES.search(answer, piece.span.end, spans[-1].start):
            break
        spans.append(piece.span)
    return tuple(reversed(spans))


def _words(text: str) -> float:
    """How many words a text has; of scripts without blanks two characters are one."""
    east = len(_EAST.findall(text))
    return len(_WORD.findall(_EAST.sub(" ", text))) + east / 2


def _trimmed(answer: str, start: int, end: int) -> Span:
    while start < end and (answer[start].isspace() or answer[start] in ",;:，；、"):
        start += 1
    while start < end and (answer[end - 1].isspace() or answer[end - 1] in ".,;:(（，；、。"):
        end -= 1
    return Span(start=start, end=end)
