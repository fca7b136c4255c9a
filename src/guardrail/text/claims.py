r"""The reading of an answer: its pieces, each with its place, its kind and its plain text.

Every detector that judges sentences reads an answer by `pieces`. Nothing is skipped: what is no claim is a piece of
another kind, which says what it is.

- Blocks first: thoughts, code between fences, JSON, headings, list items, rows of tables (Markdown), elements of HTML.
  A fence around prose, a table or JSON is only a wrapping: what is inside is read. A fence around program code is code.
- Then sentences, in the text without markup and marks of citation (`plain`). A mark behind the full stop belongs to
  the sentence before it.
- A list of sources, a heading and the header of a table claim nothing; a heading that states something is a claim.
- What a sentence claims is decided by `kinds`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import zip_longest
from typing import Literal

from guardrail.report import Span
from guardrail.text.citation_marks import (
    attribution_length,
    citation_marks,
    is_source_heading,
    is_source_list,
)
from guardrail.text.json_values import Value, all_of_it, decoded, json_values
from guardrail.text.kinds import Kind, is_bare_answer, kind_of
from guardrail.text.layout import Layout, Region
from guardrail.text.plain import BORDER, GONE, Plain, overwritten, plain, plain_text
from guardrail.text.sentences import split_at
from guardrail.text.splicing import spliced
from guardrail.text.thoughts import thought_spans

HEADING, LABEL = 8, 5
"""Words of a bold line, and of a line that ends with a colon, which only name what comes."""

_SHORT = 4_000  # characters; of longer answers nothing is remembered
_DEEPEST = 3  # wrappings within wrappings
_FEW = 3  # words of which none may be a verb
_NAME = 3  # words of a heading that can state nothing
_BARE = 6  # words of an answer that may need its question
_PROSE = frozenset(
    ["", *"text txt plaintext plain markdown md html xml csv tsv table json jsonc yaml yml".split()]  # noqa: SIM905  # reads better than quoted words
)
_FENCE_LINE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*([\w+#.-]*)[^\n]*\n?")
_CODE_LINE = re.compile(
    r"\s*(?:[#$>]\s*!?/|\$ |>>> |(?:import|from|def|class|return|if|for|while|else|elif|try|except|function|const|let|var|public|private|static|void|int|"
    r"using|package|func|fn|use|SELECT|INSERT|UPDATE|CREATE|pip|npm|git|sudo|curl|docker|cd|echo|print)\b[^.!?]*$|.*[;{}]\s*$|\s*[\w.\[\]]+\s*[+*/-]?=[^=].*|\s*[\w.]+\(.*\)\s*$|\s*//|\s*<[/!?\w])"
)
_HEADING_MARK = re.compile(r" {0,3}#{1,6}[ \t]+")
_LINE_END = re.compile(r"[ \t*_]*(?:\n|$)")
_BOLD = re.compile(r"(\*\*|__)(?!\s)([^*_\n]+)(?<!\s)\1(:?)")
_STATES = re.compile(
    r"[.!?。！？](?:\s|$)|\b(?:is|are|was|were|has|had|have|did|does|will|can|cannot|not|no|ist|sind|war|waren|hat|hatte|wird|est|sont|était|es|son|fue|"
    r"era|è|sono|foi|são)\b|[是有为]",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?:[^\W\d_]{2,12}\s+)?(?:\d{1,3}|[IVX]{1,5})(?:\.\d{1,3}){0,3}[.):]?\s+")
_FIGURE = re.compile(r"\d")
_QUANTITY = re.compile(r"\d{4}|\d[.,]\d|\d\s?%|[$€£¥]\s?\d")
_DEFINITION = re.compile(r"[ \t>]*\[\^[\w-]{1,30}\]:")
_NUMBERED_SOURCE = re.compile(
    r"[ \t>]*(?:[-*+•]\s+)?(?:\[\^?\d{1,3}\]:?|\d{1,3}[.)]|【\d{1,3}】|[¹²³⁰⁴-⁹]{1,3})[ \t]+"
)
_WORD = re.compile(r"\w")
_WORDS = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_MARKER = re.compile(r"[ \t>#]*(?:(?:[-*+•·‣–]|\(?[\da-z]{1,3}[.)])[ \t]+)?[*_]*")
_RULE = re.compile(r"[\s|:=*_>#\x1e-]*")
_HEADER, _CELL = re.compile(r"<th\b", re.IGNORECASE), re.compile(r"<td\b", re.IGNORECASE)
_EDGE = re.compile(r"[ \t\r\n|>\u00a0\x1e]+|</?[A-Za-z][^<>]*>")
_EMPHASIS = re.compile(r"<[A-Za-z]")
_LAST_CELL = re.compile(r"\s*(?:</t[dhr]>|<br\s*/?>)\s*\Z", re.IGNORECASE)
_STOP = re.compile(r"[.!?][\"”’*_]{0,3}[ \t]+(?=[^\W\d_])")
_OPENING = 40  # characters before a mark that only introduce it
_COMMA = re.compile(r"\s?[,，、]\s?")
_SIGN = re.compile(r"[.,;:!?。，、]|\d")
_ONLY_LINKS = re.compile(
    r"(?:\s|[-*+•|,;:()<>]|\d{1,3}[.)]|!?\[[^\[\]\n]*\]\([^()\s]*\)|https?://[^\s<>()]+)*"
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of an answer.

    Attributes:
        span: where it is, marks of citation behind it included.
        kind: what it is; only a `Kind.CLAIM` is judged.
        text: its plain text, in one line: without markup and marks of citation.
        marks: where its marks of citation are in the answer, in order.
        form: a "sentence"; a "record", which is a value with its key or a row of a table; or a "short" answer, which says
            nothing without its question.
        question: of a short answer, what was asked.
    """

    span: Span
    kind: Kind
    text: str
    marks: tuple[Span, ...] = ()
    form: Literal["sentence", "record", "short"] = "sentence"
    question: str = ""


def pieces(answer: str, *, question: str = "") -> tuple[Piece, ...]:
    r"""All pieces of an answer, in order, disjoint. Linear in the text.

    Args:
        answer: any string.
        question: what was asked; a bare "Yes." is judged with it.

    Example:
        >>> text = "# Life\n\nShe was born in Rome [1]. Do you want more?\n\n- left in **1950**.[2]\n"
        >>> [(piece.kind.value, piece.text) for piece in pieces(text)]
        [('heading', 'Life'), ('claim', 'She was born in Rome.'), ('question', 'Do you want more?'), ('claim', 'left in 1950.')]
        >>> pieces(text)[1].span.of(text)
        'She was born in Rome [1].'
    """
    found = _read(answer) if len(answer) <= _SHORT else _read.__wrapped__(answer)
    claimed = [n for n, piece in enumerate(found) if piece.kind is Kind.CLAIM]
    asked = " ".join(question.split())[-300:]
    for n in claimed:
        one = found[n]
        short = is_bare_answer(one.text) or (asked and len(claimed) == 1 and _is_short(one.text))
        if short and one.form == "sentence":
            found = (*found[:n], replace(one, form="short", question=asked), *found[n + 1 :])
    return found


def spoken(text: str) -> str:
    """A whole answer as plain text, without thoughts, marks of citation and markup.

    Example:
        >>> spoken("<think>1905?</think>**Built** in 1904 [1].")
        'Built in 1904.'
    """
    return plain_text(spliced(text, ((one.start, one.end, "") for one in thought_spans(text))))


def claims(text: str) -> list[Span]:
    """Where the claims of a text are, in order."""
    return [piece.span for piece in pieces(text) if piece.kind is Kind.CLAIM]


@lru_cache(maxsize=256)  # several detectors read one answer
def _read(answer: str) -> tuple[Piece, ...]:
    return tuple(_Reader(answer).read())


class _Reader:
    """Reads one answer."""

    def __init__(self, text: str, *, depth: int = 0) -> None:
        self.text = text
        self.depth = depth  # wrappings around it
        self.over = overwritten(text)
        self.marks = list(citation_marks(text))
        self.layout = Layout(text)
        self.headers = [rows[0] for rows in self.layout.tables] if "|" in text else []

    def read(self) -> Iterator[Piece]:
        at = 0
        found = thought_spans(self.text)
        for thought in found:
            yield from self._between(at, thought.start)
            yield self._piece(thought.start, thought.end, Kind.THOUGHT)
            at = thought.end
        yield from self._between(at, len(self.text)) if found else self.read_spoken()

    # -- blocks

    def _between(self, start: int, end: int) -> Iterator[Piece]:
        """What is said beside thoughts: read apart, so that a thought is never part of a paragraph."""
        yield from _moved(_Reader(self.text[start:end], depth=self.depth).read_spoken(), start)

    def read_spoken(self) -> Iterator[Piece]:
        """What is said, without thoughts."""
        roots = json_values(self.text) if "{" in self.text or "[" in self.text else []
        if roots and all_of_it(self.text, roots):
            yield from self._json(roots)
            return
        sources = False
        found: list[Piece] = []
        for region in self.layout.regions:
            line = self.text[region.start : region.end]
            heading = self._is_heading(region)
            if heading or region.kind != "block":
                sources = (sources and not heading) or is_source_heading(_first_line(self.over, region))
            if region.kind == "block":
                found += self._block(region)
            elif (
                sources
                or _DEFINITION.match(line)
                or _ONLY_LINKS.fullmatch(line)
                or self._is_source(region)
                or is_source_list(line)
            ):
                found += self._whole(region.start, region.end, Kind.SOURCES)
            elif heading:
                found += self._heading(region)
            else:
                found += self._sentences(region)
        if found and all(
            piece.kind is Kind.HEADING for piece in found
        ):  # there is nothing that they are headings of
            found = [replace(one, kind=Kind.CLAIM) if _size(one.text) > _NAME else one for one in found]
        yield from self._settled(found)

    def _block(self, region: Region) -> Iterator[Piece]:
        """A fence: code is one piece; of a wrapping what is inside."""
        text = self.text[region.start : region.end]
        opened = _FENCE_LINE.match(text)
        if opened is None:  # BibTeX
            yield from self._whole(region.start, region.end, Kind.SOURCES)
            return
        inner = text[opened.end() :]
        last = inner.rstrip().rfind("\n") + 1
        if _FENCE_LINE.fullmatch(inner[last:].strip() + "\n"):
            inner = inner[:last]
        if self.depth >= _DEEPEST or opened[1].lower() not in _PROSE or (not opened[1] and _is_code(inner)):
            yield from self._whole(region.start, region.end, Kind.CODE)
            return
        wrapped = _Reader(inner, depth=self.depth + 1)
        yield from _moved(
            wrapped.read() if _is_prose(inner) or wrapped.headers else wrapped.lines(),
            region.start + opened.end(),
        )

    def lines(self) -> Iterator[Piece]:
        """Line by line, as records are written."""
        for start, end in self.layout.lines:
            for piece in self._whole(start, end, Kind.CLAIM):
                yield replace(piece, form="record")

    def _json(self, roots: Sequence[Value]) -> Iterator[Piece]:
        """The values of JSON: each text sentence by sentence, each number with its key."""
        for root in roots:
            for value in root.within():
                if value.kind in {"object", "array"}:
                    continue
                said = (
                    decoded(self.text, value.start, value.end).text
                    if value.kind == "string"
                    else self.text[value.start : value.end]
                )
                key = value.key or next((up.key for up in _above(value) if up.key), "")
                long = value.kind == "string" and self.depth < _DEEPEST and len(said.split()) > _BARE
                inner = tuple(_Reader(said, depth=self.depth + 1).read()) if long else ()
                if len(inner) > 1 and "\\" not in self.text[value.start : value.end]:
                    yield from _moved(inner, value.start + 1)
                elif said.strip() and _WORD.search(said):
                    kind = inner[0].kind if inner else Kind.CLAIM
                    start, end = (
                        (value.start + 1, value.end - 1)
                        if value.kind == "string"
                        else (value.start, value.end)
                    )
                    span = Span(start=start, end=end)
                    if inner:
                        yield Piece(span, kind, inner[0].text)
                    else:
                        yield Piece(
                            span, kind, f"{key.replace('_', ' ')}: {said}" if key else said, form="record"
                        )

    def _is_heading(self, region: Region) -> bool:
        return region.kind == "line" and _HEADING_MARK.match(self.text, region.start, region.end) is not None

    def _is_source(self, region: Region) -> bool:
        """Whether an item is an entry of a list of sources: its number is a mark of the text before, and a link or file is in it."""
        line = self.text[region.start : region.end]
        match = _NUMBERED_SOURCE.match(line)
        if match is None or not line[match.start() : match.end()].strip().startswith(
            ("[", "【", "¹", "²", "³")
        ):
            return False
        number = re.sub(r"\D", "", match[0])
        before = bisect_right(self.marks, (region.start, 0))
        return any(
            number in re.findall(r"\d+", self.text[a:b]) for a, b in self.marks[max(0, before - 40) : before]
        )

    def _heading(self, region: Region) -> Iterator[Piece]:
        mark = _HEADING_MARK.match(self.text, region.start, region.end)
        for piece in self._whole(mark.end() if mark else region.start, region.end, Kind.HEADING):
            bare = _NUMBERED.sub("", piece.text, count=1) if _NUMBERED.match(piece.text) else piece.text
            says = _STATES.search(bare) or _QUANTITY.search(bare)
            states = len(bare.split()) > _NAME and says is not None and not bare.endswith(("?", "？"))
            yield Piece(piece.span, Kind.CLAIM, bare, piece.marks) if states else piece

    # -- sentences

    def _sentences(self, region: Region) -> Iterator[Piece]:
        start = region.item.content if region.kind == "item" and region.item is not None else region.start
        header = _in(self.headers, region.start)
        if region.kind == "line":
            for piece in self._whole(start, region.end, Kind.HEADING if header else Kind.CLAIM):
                yield replace(piece, form="record")
            return
        for first, last in self._elements(start, region.end):
            yield from self._split(first, last)

    def _elements(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Ranges between the borders of HTML blocks."""
        at = start
        while (border := self.over.find(BORDER, at, end)) >= 0:
            yield at, border
            at = border
            while at < end and self.over[at] in (BORDER, GONE) and not self._opens(at):
                at += 1
        yield at, end

    def _opens(self, place: int) -> bool:
        """Whether a tag of emphasis begins here: it belongs to the sentence that it is in."""
        return self.over[place] == GONE and _EMPHASIS.match(self.text, place) is not None

    def _split(self, start: int, end: int) -> Iterator[Piece]:
        said = plain(self.over, start, end)
        if not _WORD.search(said.text):
            if _WORD.search(self.text, start, end) and not _over_tags(self.text[start:end]):
                yield from self._whole(start, end, Kind.SOURCES)
            elif not _RULE.fullmatch(said.text):  # an emoji, say
                yield self._piece(start, end, Kind.NOTHING)
            return
        at, first = start, 0
        for stop in sorted({*split_at(said.text), *self._behind_marks(said, start, end)}):
            limit = said.places[stop] if stop < len(said.places) else end
            last = first + len(said.text[first:stop].rstrip()) - 1
            close, first = self._behind(said.places[max(last, 0)] + 1, limit), stop
            cells = _CELL.search(self.text, at, close) is not None
            header = not cells and _HEADER.search(self.text, at, close) is not None
            for piece in self._whole(at, close, Kind.HEADING if header else Kind.CLAIM):
                yield replace(piece, form="record") if cells else piece
            at = close

    def _behind_marks(self, said: Plain, start: int, end: int) -> Iterator[int]:
        """Where in a plain text a sentence ends, whatever its last word: at a mark with a full stop, or behind an address."""
        index = bisect_right(self.marks, (start, 0))
        while index < len(self.marks) and self.marks[index][0] < end:
            first, last = self.marks[index]
            if self.text[first] in " \t" and "://" in self.text[first:last]:
                at = bisect_right(said.places, first)
                if 0 < at < len(said.places):
                    yield at
            stop = _STOP.match(self.text, last, end)
            if stop is not None and self.text[stop.end()].isupper():
                at = bisect_left(said.places, stop.end())
                if 0 < at < len(said.places):
                    yield at
            index += 1

    def _behind(self, place: int, limit: int) -> int:
        """Where a sentence ends that has a last character before `place`: behind marks and markup that follow it directly."""
        while place < limit:
            index = bisect_right(self.marks, (place, len(self.text))) - 1
            if index >= 0 and self.marks[index][0] <= place < self.marks[index][1]:
                place = min(limit, self.marks[index][1])
            elif self.over[place] == GONE or (
                self.text[place] in " \t"
                and index + 1 < len(self.marks)
                and self.marks[index + 1][0] == place + 1 < limit
            ):
                place += 1
            else:
                break
        return place

    def _whole(self, start: int, end: int, kind: Kind) -> Iterator[Piece]:
        """One piece for a range, without blanks around it; none for a range without words."""
        piece = self._piece(start, end, kind)
        if piece.span.end > piece.span.start and (
            _WORD.search(piece.text) or (kind is not Kind.CLAIM and _WORD.search(piece.span.of(self.text)))
        ):
            yield piece

    def _piece(self, start: int, end: int, kind: Kind) -> Piece:
        stop = start + len(
            self.text[start:end].rstrip(" \t\r\n|\v\f\x1c\x1d\x1e\x85\u2028\u2029\u00a0").rstrip()
        )
        while (edge := _EDGE.match(self.text, start, stop)) is not None:
            if self.text[start] == "<" and self.over[start] in {
                "<",
                GONE,
            }:  # a sign, or emphasis that belongs to the text
                break
            start = edge.end()
        while (tag := _LAST_CELL.search(self.text, max(start, stop - 12), stop)) is not None:
            stop = tag.start()
        index = bisect_right(self.marks, (start, 0))
        marks: list[Span] = []
        while index < len(self.marks) and self.marks[index][0] < stop:
            marks.append(Span(start=self.marks[index][0], end=self.marks[index][1]))
            index += 1
        text = " ".join(plain(self.over, start, stop).text.replace("|", " | ").split())
        return Piece(Span(start=start, end=max(start, stop)), kind, text, tuple(marks))

    # -- kinds

    def _settled(self, found: Sequence[Piece]) -> Iterator[Piece]:
        """The pieces with their kinds; what announces others does so only where some follow."""
        for piece, following in zip_longest(found, found[1:]):
            if piece.kind is not Kind.CLAIM:
                yield piece
                continue
            named = piece.marks and ":" in piece.text and _size(piece.text) <= 1  # "Sources: [1], [2]."
            if named or _ONLY_LINKS.fullmatch(piece.span.of(self.text)):
                yield replace(piece, kind=Kind.SOURCES)
                continue
            if piece.form == "record":  # a cell may have any words
                yield piece
                continue
            said = self._said(piece)
            kind = Kind.HEADING if following is not None and self._names(piece, following) else kind_of(said)
            yield replace(piece, kind=kind, text=said)

    def _said(self, piece: Piece) -> str:
        """The text of a claim without an opening that only names its source: "As stated in [3], …"."""
        first = piece.marks[0] if piece.marks else None
        if (
            first is not None
            and first.start - piece.span.start <= _OPENING
            and (comma := _COMMA.match(self.text, first.end))
        ):
            before = self.text[piece.span.start : first.start]
            if _WORD.search(before) and not _SIGN.search(before) and comma.end() < piece.span.end:
                return " ".join(plain(self.over, comma.end(), piece.span.end).text.split())
        return piece.text[attribution_length(piece.text) :]

    def _names(self, piece: Piece, following: Piece) -> bool:
        """Whether a line only names what comes: a few words with a colon, or bold ones with text below."""
        if _LINE_END.match(self.text, piece.span.end) is None or not self._begins_line(piece.span.start):
            return False
        if _FIGURE.search(piece.text) or _STATES.search(piece.text) or "," in piece.text:
            return False
        if piece.text.endswith((":", "：")):
            return _size(piece.text) <= LABEL
        if _BOLD.fullmatch(piece.span.of(self.text)) is None or _size(piece.text) > HEADING:
            return False
        if self._is_item(piece.span.start):  # several in a row are a list, not headings
            return self._indent(following.span.start) > self._indent(piece.span.start)
        return _BOLD.fullmatch(following.span.of(self.text)) is None

    def _begins_line(self, place: int) -> bool:
        return _MARKER.fullmatch(self.text, self._line(place), place) is not None

    def _is_item(self, place: int) -> bool:
        return bool(self.text[self._line(place) : place].strip(" \t>"))

    def _indent(self, place: int) -> int:
        line = self.text[self._line(place) : place].expandtabs(4)
        return len(line) - len(line.lstrip(" "))

    def _line(self, place: int) -> int:
        return self.text.rfind("\n", 0, place) + 1


def _size(text: str) -> float:
    """Words; of scripts without blanks two characters are one."""
    return len(_WORDS.findall(text)) + len(_IDEOGRAPHS.findall(text)) / 2


def _is_short(text: str) -> bool:
    """Whether a claim is no sentence by itself: "Yes.", "1904.", "In March, by the council"."""
    if is_bare_answer(text) or _size(text) <= _FEW:
        return is_bare_answer(text) or _STATES.search(text.rstrip(".!。")) is None
    broken = not text.endswith((".", "。")) or "," in text
    return broken and _size(text) <= _BARE and _STATES.search(text.rstrip(".!。")) is None


def _moved(found: Iterator[Piece] | Sequence[Piece], by: int) -> Iterator[Piece]:
    for one in found:
        marks = tuple(Span(start=mark.start + by, end=mark.end + by) for mark in one.marks)
        yield replace(one, span=Span(start=one.span.start + by, end=one.span.end + by), marks=marks)


def _above(value: Value) -> Iterator[Value]:
    while value.parent is not None:
        value = value.parent
        yield value


def _in(regions: Sequence[Region], place: int) -> bool:
    """Whether a place is in one of the regions, which are in order."""
    index = bisect_right(regions, place, key=lambda region: region.start) - 1
    return index >= 0 and place < regions[index].end


def _first_line(over: str, region: Region) -> str:
    """The first line of a region, in words."""
    end = over.find("\n", region.start, region.end)
    return plain(over, region.start, region.end if end < 0 else end).text.lstrip("# \t")


def _is_code(text: str) -> bool:
    """Whether at least a third of the lines that are not blank look like a program's."""
    lines = [line for line in text.splitlines() if line.strip()]
    return sum(_CODE_LINE.match(line[:300]) is not None for line in lines) * 3 >= max(1, len(lines))


def _is_prose(text: str) -> bool:
    """Whether some line ends as a sentence does; a record has none that does."""
    return any(line.rstrip().endswith((".", "!", "?", "。", ":", "}", "]")) for line in text.splitlines())


def _over_tags(text: str) -> bool:
    """Whether there is nothing but tags of HTML."""
    return not _WORD.search(re.sub(r"<[^<>]*>", "", text))
