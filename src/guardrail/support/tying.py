"""Ties: which words of an answer a mark of citation is for.

Marks are those of the claims layer, and what only the documents give away: a link to one of them, its file name, "Smith (2020)" where one is by
Smith and of 2020, "document 2". A mark is for the clause before it; one that opens a sentence, for what follows; one at the end of a list that
has no other marks, for the whole list.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from guardrail.report import Span
from guardrail.text.claims import Piece, pieces
from guardrail.text.kinds import Kind

_YEAR = r"(?:1[6-9]|20)\d\d[a-z]?"
_NAME = r"[^\W\d_a-z][\w'’-]{1,30}"
_AUTHORS = rf"{_NAME}(?:(?:,? (?:and|&|und|et|y|e) {_NAME})|(?:,? (?:et al\.?|und Kollegen|and colleagues)))?"
_SHOWN = re.compile(
    rf"{_AUTHORS}(?:'s|’s)? [\[(]{_YEAR}[\])]"  # Smith and Lee (2020)
    r"|!?\[[^\[\]\n]{1,200}\]\([^()\s]{1,500}\)"  # [Leave policy](https://…)
    r"|[(（\[【][^()（）\[\]【】\n]{2,300}[)）\]】]"
    r"|(?<!\w)(?:[Dd]ocument|[Ss]ource|[Pp]assage|[Rr]esult|[Qq]uelle|[Dd]okument|[Ff]uente|[Dd]ocumento|[Ff]onte|文档|来源|資料|文書|出典) ?\d{1,3}(?!\d)"
)
"""What may be a mark; whether it is one is for `cites` to say."""

_BETWEEN = re.compile(r"[\s,;、，]*(?:and|und|et|y|e|&)?[\s,;]*", re.IGNORECASE)
_LEAD = re.compile(
    r"[\s,;:、，；.。!?–—-]*(?:(?:and|but|while|whereas|und|aber|während|et|mais|y|pero|e|ma)\b[\s,]*)?[\s*_]*",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"\s*(?:[,;:、，；–—]|(?:and|but|while|whereas|und|et|y|e)\b)", re.IGNORECASE)
_VERB = (
    r"(?:(?:has|have|also|further|later|first)\s)*(?:report|find|found|show|state|note|argue|suggest|observe|conclude|estimate|describe|demonstrate|"
    r"say|said|write|wrote|claim|explain|confirm|add|indicate|measure|put|give|specif|require)[a-z]*\s(?:that\s)?"
)
_SAYS = re.compile(rf"(?:'s|’s)?[\s,:，]*(?:{_VERB}|who\s)?[\s,:，]*", re.IGNORECASE)
_SAYING = re.compile(rf"\s*(?:[:：]\s|{_VERB})", re.IGNORECASE)
_ATTRIBUTING = re.compile(
    r"\W*(?:according to|as (?:stated|noted|described|shown|reported) (?:in|by)|as per|per|based on|in|by|laut|nach|gemäß|in|d’après|d'après|selon|según|de acuerdo con|"
    r"secondo|segundo|根据|据|按照)?(?:\s(?:the|der|die|das|le|la|el|il|o|a))?\W*",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_EAST = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_BRACKETS = frozenset("[(【（⟦〖［{<")
_FEW = 3  # words before a mark that are no clause
_MOST = 12  # sentences that one mark is for
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
    """The marks of an answer, in order, each with its words.

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
    return _Reader(answer, pieces(answer), named).ties()


class _Reader:
    """Reads the marks of one answer.

    Args:
        answer: the text.
        read: its pieces.
        named: where further marks are, in order.
    """

    def __init__(self, answer: str, read: Sequence[Piece], named: Sequence[tuple[int, int]]) -> None:
        self.answer, self.read, self.named = answer, read, named

    def ties(self) -> tuple[Tie, ...]:
        """All of them, in order."""
        found: list[Tie] = []
        for number, piece in enumerate(self.read):
            if piece.kind in (Kind.CODE, Kind.THOUGHT):
                continue
            groups = self._groups[number]
            for place, group in enumerate(groups):
                claim = self._claim(piece, groups, place)
                sentences: tuple[Span, ...] = (piece.span,)
                if self._follows(number, group[0]):
                    sentences = (self.read[number - 1].span,)
                    claim = self._trimmed(sentences[0].start, sentences[0].end)
                elif place + 1 == len(groups) and (said := self._opening(number, group[-1].end)):
                    claim, sentences = said, (self.read[number + 1].span,)
                elif piece.kind is Kind.SOURCES or not self._words(claim.start, claim.end):
                    sentences = self._behind(number) or self._before(number, found)
                    if not sentences:
                        continue
                    claim = Span(start=sentences[0].start, end=sentences[-1].end)
                count = found[-1].group + 1 if found else 0
                found += [Tie(mark, claim, sentences, count) for mark in group]
        return tuple(found)

    @cached_property
    def _groups(self) -> list[list[list[Span]]]:
        """Of each piece the marks, those in a row together."""
        return [list(self._of(piece)) for piece in self.read]

    def _of(self, piece: Piece) -> Iterator[list[Span]]:
        own = {(mark.start, mark.end) for mark in piece.marks if not self._is_inside(mark.start, piece)}
        starts = sorted(own)
        at = bisect_left(self.named, (piece.span.start, 0))
        while at < len(self.named) and self.named[at][0] < piece.span.end:
            start, end = self.named[
                at
            ]  # a reference in full may go on in the next pieces: "(Smith, A. Rivers. 2020)"
            near = bisect_left(starts, (end, 0))
            if start < end and not (near and start < starts[near - 1][1]):
                own.add((start, end))
            at += 1
        group: list[Span] = []
        for first, end in sorted(own):
            start = end - len(self.answer[first:end].lstrip(" \t,"))
            if group and start < group[-1].end:
                continue
            if group and _BETWEEN.fullmatch(self.answer, group[-1].end, start) is None:
                yield group
                group = []
            group.append(Span(start=start, end=end))
        if group:
            yield group

    def _is_inside(self, at: int, piece: Piece) -> bool:
        """Whether a place of a piece is inside of a mark that began in an earlier one."""
        before = bisect_left(self.named, (piece.span.start, 0)) - 1
        return before >= 0 and at < self.named[before][1]

    def _follows(self, number: int, mark: Span) -> bool:
        """Whether a mark that is a reference in full is a sentence of its own behind another: "Floods rose. Smith, A. (2020). Rivers."."""
        piece = self.read[number]
        if not number or mark.start != piece.span.start or mark.end < piece.span.end:
            return False
        before = self.read[number - 1]
        between = self.answer[before.span.end : mark.start]
        return before.kind is Kind.CLAIM and not self._groups[number - 1] and "\n" not in between

    def _claim(self, piece: Piece, groups: Sequence[Sequence[Span]], place: int) -> Span:
        """The words that a group of marks in a piece is for."""
        answer = self.answer
        first, last = groups[place][0].start, groups[place][-1].end
        start = groups[place - 1][-1].end if place else piece.span.start
        end = groups[place + 1][0].start if place + 1 < len(groups) else piece.span.end
        if place:
            lead = _LEAD.match(answer, start, first)
            start = lead.end() if lead else start
            if self._words(piece.span.start, groups[place - 1][0].start) < _FEW:
                start = self._behind_the_opening(groups[place - 1], start, first)
        before, behind = self._words(start, first), self._words(last, end)
        if before < _FEW and behind and _ATTRIBUTING.fullmatch(answer, start, first):
            opened = _SAYS.match(answer, last, end)
            at = opened.end() if opened and self._words(opened.end(), end) else last
            return self._trimmed(at, end)
        if before < _FEW and behind:  # "Sales [1] rose.", "In 1904 [1], it was built; …"
            cut = answer.find(";", last, end)
            return self._trimmed(start, end if cut < 0 else cut)
        if place + 1 == len(groups) and behind > 1 and _CLAUSE.match(answer, last, end) is None:
            return self._trimmed(start, end)
        return self._trimmed(start, first)

    def _behind_the_opening(self, opening: Sequence[Span], start: int, first: int) -> int:
        """Where a clause begins whose sentence a mark opens: behind its verb, or behind the clause that is that mark's."""
        cut = self.answer.find(";", start, first)
        if cut >= 0 and self.answer[opening[0].start] in _BRACKETS:
            lead = _LEAD.match(self.answer, cut, first)
            return lead.end() if lead else cut
        verb = _SAYS.match(self.answer, start, first)
        return verb.end() if verb else start

    def _opening(self, number: int, end: int) -> Span | None:
        """What follows a mark that opens the next sentence: "… . [2] states that …"; `None` where it does not."""
        if number + 1 >= len(self.read) or self.read[number + 1].kind is not Kind.CLAIM:
            return None
        piece = self.read[number]
        before = (
            self.answer[max(piece.span.start, piece.marks[-1].start - 3) : piece.marks[-1].start]
            if piece.marks
            else ""
        )
        verb = _SAYING.match(self.answer, end)
        following = self.read[number + 1].span
        if verb is None or before.rstrip()[-1:] not in {".", "!", "?", "。"} or verb.end() > following.end:
            return None
        return self._trimmed(max(verb.end(), following.start), following.end)

    def _behind(self, number: int) -> tuple[Span, ...]:
        """What a mark on a line that announces others is for: "Facts [1]:" and the items below, if they have no marks."""
        span = self.read[number].span
        if not self.answer[max(span.start, span.end - 40) : span.end].rstrip("*_ ").endswith((":", "：")):
            return ()
        spans: list[Span] = []
        for place in range(number + 1, min(len(self.read), number + 1 + _MOST)):
            piece = self.read[place]
            if self._groups[place] or (spans and _LINES.search(self.answer, spans[-1].end, piece.span.start)):
                break
            spans.append(piece.span)
        return tuple(spans)

    def _before(self, number: int, found: Sequence[Tie]) -> tuple[Span, ...]:
        """What a mark on a line of its own is for: the sentences before it that have none, of one block."""
        marked = found[-1].mark.end if found else 0
        spans: list[Span] = []
        for place in range(number - 1, max(-1, number - 1 - _MOST), -1):
            piece = self.read[place]
            if piece.span.start < marked or piece.kind in (Kind.CODE, Kind.THOUGHT, Kind.SOURCES):
                break
            if spans and _LINES.search(self.answer, piece.span.end, spans[-1].start):
                break
            spans.append(piece.span)
        return tuple(reversed(spans))

    @cached_property
    def _counted(self) -> tuple[list[int], list[int]]:
        """Where words begin, and where characters of scripts without blanks are."""
        return [m.start() for m in _WORD.finditer(self.answer)], [
            m.start() for m in _EAST.finditer(self.answer)
        ]

    def _words(self, start: int, end: int) -> float:
        """How many words there are; of scripts without blanks two characters are one."""
        words, east = (bisect_left(own, end) - bisect_left(own, start) for own in self._counted)
        return max(0, words) + max(0, east) / 2

    def _trimmed(self, start: int, end: int) -> Span:
        while start < end and (self.answer[start].isspace() or self.answer[start] in ",;:，；、"):
            start += 1
        while start < end and (self.answer[end - 1].isspace() or self.answer[end - 1] in ".,;:(（，；、。"):
            end -= 1
        return Span(start=start, end=max(start, end))
