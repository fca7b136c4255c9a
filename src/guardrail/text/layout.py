"""The parts of an answer that an edit must respect: blocks, lists, tables, links, words, sentences.

A deliberately small reading of Markdown, made for text that a model wrote and nobody validated. Every function
is linear in the length of the text, and none raises on any string.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from guardrail.text.blocks import VerbatimBlock, code_blocks, entries, formulas, outermost, overlaps
from guardrail.text.elements import Elements

_ITEM = re.compile(
    r"(?P<indent>[ \t]*)(?:(?P<dot>\d{1,9})(?P<style>[.)])"
    r"|\[(?P<note>\^?)(?P<bracket>\d{1,9})\](?:(?P<colon>:)|(?![ \t]+(?:and|or|also|[a-z]{1,15}(?:s|ed))[ \t]))"  # not "[2] shows"
    r"|[-*+•·‣])(?P<gap>[ \t]+)(?=\S)"
)
_ROW = re.compile(r"[ \t]*\|")
_RULE = re.compile(r"[ \t]*\|[ \t|:-]*-[ \t|:-]*$")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_INLINE = re.compile(
    r"!?\[[^\[\]\n]*\](?:\([^()\s]*(?:\([^()\s]*\)[^()\s]*)?(?:[ \t]+\"[^\"\n]*\")?\)|\[[^\[\]\n]*\])"  # link
    r"|`[^`\n]+`"
    r"|<[^<>\n]+>"
    r"|https?://[^\s<>\"”]+"
    r"|\$(?=\S)[^$\n]+(?<=\S)\$(?!\d)"
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[“\"'])(?:[^\W\d_]|al|e\.g|i\.e|cf|vs|dr|prof|fig|figs|eq|no|nos|vol|pp|p|ed|eds|mr|mrs|ms|st|jr|sr|ch|sec"
    r"|proc|conf|univ|inc|approx|ca|resp|trans|int|rev|dept)\.$",
    re.IGNORECASE,
)
_ENUMERATOR = re.compile(r"[\s*_>(]{0,9}\d{1,3}\.")  # "**1. Title**" at the start of a paragraph
_ROUND = re.compile(r"[()（）]")
_WORD = re.compile(  # below U+0600: most alphabets beyond are cursive or write no spaces
    r"(?:(?![\u0600-\U0010ffff])[^\W_]"
    r"|[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7])+"
)
_TERMINATOR = re.compile(
    r"(?:[.!?…]{1,9}[\"'”’»)\]*_]{0,6}(?=\s|$)|[。！？]{1,9}[”’」』》）]{0,6})(?:(?:[ \t]?\[\^?\d[\d,;\s–—-]{0,40}\]){1,6}(?![ \t]*[a-z,]))?"
)


@dataclass(slots=True)
class Item:
    """A list item; `start` is its line's start, `content` where its text begins, `end` after its last line."""

    start: int
    content: int
    end: int
    indent: int
    style: str
    number: int | None = None
    digits: tuple[int, int] = (0, 0)
    own_end: int = 0


@dataclass(slots=True)
class ItemList:
    """Items that belong together; `style` is ".", ")", "[]", "[]:", "[^]:" or "-"."""

    style: str
    nested: bool
    items: list[Item] = field(default_factory=list)


@dataclass(slots=True)
class Region:
    """A stretch of text with one rule of removal."""

    start: int
    end: int
    kind: Literal["block", "item", "line", "prose"]
    item: Item | None = None


class Layout:
    """What `text` consists of; parts are computed when first asked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._sentences: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self.lines: list[tuple[int, int]] = list(_lines(text))

    @cached_property
    def blocks(self) -> list[VerbatimBlock]:
        """Outermost code blocks, BibTeX entries and displayed formulas, in order."""
        code = list(code_blocks(self.text, self.lines))
        found = outermost([*code, *(entry for entry in self.entries if not overlaps(entry, code))])
        formal = [block for block in formulas(self.text) if not overlaps(block, found)]
        return sorted([*found, *formal], key=lambda block: block.start)

    @cached_property
    def entries(self) -> list[VerbatimBlock]:
        """BibTeX entries, also those inside code blocks."""
        return list(entries(self.text))

    @cached_property
    def inline(self) -> list[tuple[int, int]]:
        """Links, code, tags, addresses and formulas within a line, in order, disjoint."""
        return [match.span() for match in _INLINE.finditer(self.text)]

    def block_at(self, position: int) -> VerbatimBlock | None:
        """The block in or at whose end the position lies."""
        index = bisect_right(self.blocks, position - 1, key=lambda block: block.start) - 1
        if index < 0:
            return None
        block = self.blocks[index]
        return block if block.start < position <= block.end else None

    def entries_in(self, start: int, end: int) -> list[VerbatimBlock]:
        """The BibTeX entries that share a character with `text[start:end]`."""
        first = bisect_right(self.entries, start, key=lambda entry: entry.start) - 1
        last = bisect_left(self.entries, end, key=lambda entry: entry.start)
        return [entry for entry in self.entries[max(first, 0) : last] if entry.end > start]

    def inline_at(self, position: int) -> tuple[int, int] | None:
        """The inline construct that the position would cut in two."""
        return _around(self.inline, position)

    def word_at(self, position: int) -> tuple[int, int] | None:
        """The word that the position would cut in two."""
        return _around(self.words, position)

    def parenthesis_around(self, start: int, end: int, reach: int) -> tuple[int, int] | None:
        """The brackets of the innermost parenthesis around `text[start:end]` that opens within `reach`."""
        index = bisect_left(self.parentheses, (start, 0)) - 1
        while index >= 0 and start - self.parentheses[index][0] <= reach:
            if self.parentheses[index][1] >= end:
                return self.parentheses[index]
            index -= 1
        return None

    @cached_property
    def html(self) -> Elements | None:
        """The elements of HTML; `None` where there are none."""
        found = Elements(self.text) if "<" in self.text else None
        return found if found is not None and found.parts else None

    @cached_property
    def headings(self) -> list[Region]:
        """Headings, in order."""
        return [r for r in self.regions if r.kind == "line" and _HEADING.match(self.text, r.start, r.end)]

    @cached_property
    def tables(self) -> list[list[Region]]:
        """The rows of each table that has a line below its header, those two not included."""
        found: list[list[Region]] = []
        previous = 0
        for region in self.regions:
            if region.kind == "line" and _ROW.match(self.text, region.start, region.end):
                if not found or previous != region.start:
                    found.append([])
                found[-1].append(region)
                previous = region.end
        return [
            rows for rows in found if len(rows) > 2 and _RULE.match(self.text[rows[1].start : rows[1].end])
        ]

    @cached_property
    def regions(self) -> list[Region]:
        """Disjoint regions in order; blank lines between them belong to none."""
        return self._parsed[0]

    def region_at(self, position: int) -> Region | None:
        """The region that the position lies in."""
        index = bisect_right(self.regions, position, key=lambda region: region.start) - 1
        return self.regions[index] if index >= 0 and position < self.regions[index].end else None

    @cached_property
    def lists(self) -> list[ItemList]:
        """All lists, in the order of their first items."""
        return self._parsed[1]

    @cached_property
    def _parsed(self) -> tuple[list[Region], list[ItemList]]:
        reader = _Reader(self)
        for start, end in self.lines:
            reader.read(start, end)
        reader.close()
        return reader.regions, reader.lists

    @cached_property
    def words(self) -> list[tuple[int, int]]:
        """Runs of letters and digits in alphabets that put spaces between words, with their accents."""
        return [match.span() for match in _WORD.finditer(self.text)]

    @cached_property
    def parentheses(self) -> list[tuple[int, int]]:
        """Round brackets that close, in order, each within one region."""
        return sorted(pair for region in self.regions for pair in _parentheses(self.text, region))

    def sentences(self, start: int, end: int) -> list[tuple[int, int]]:
        """The sentences of `text[start:end]` without the blanks before them; remembered."""
        if (start, end) not in self._sentences:
            ends = sentence_ends(self.text, start, end)
            starts = [start, *ends[:-1]]
            self._sentences[start, end] = [
                (stop - len(self.text[first:stop].lstrip()), stop)
                for first, stop in zip(starts, ends, strict=True)
            ]
        return self._sentences[start, end]


class _Reader:
    """Reads lines one by one into regions and lists."""

    def __init__(self, layout: Layout) -> None:
        self.text = layout.text
        self.blocks = [block for block in layout.blocks if block.kind != "math"]
        self.regions: list[Region] = []
        self.lists: list[ItemList] = []
        self.block = 0
        self.open: list[tuple[Item, ItemList]] = []
        self.latest: dict[tuple[int, str], ItemList] = {}
        self.reached = 0  # where the last line of the open items ends
        self.blank = True

    def read(self, start: int, end: int) -> None:
        while self.block < len(self.blocks) and self.blocks[self.block].end <= start:
            self.block += 1
        if self.block < len(self.blocks) and self.blocks[self.block].start < end:
            self._block_line(start, end)
        elif not self.text[start:end].strip():
            self.blank = True
            return
        elif match := _ITEM.match(self.text, start, end):
            self._item(match, end)
        elif _ROW.match(self.text, start, end) or _HEADING.match(self.text, start, end):
            self.close()
            self.latest.clear()
            self.regions.append(Region(start, end, "line"))
        else:
            self._plain(start, end)
        self.blank = False

    def _block_line(self, start: int, end: int) -> None:
        if self.open and _indent(self.text, start, end) > self.open[-1][0].indent:
            self.reached = end
        else:
            self.close()
        last = self.regions[-1] if self.regions else None
        if last is not None and last.kind == "block" and last.end == start and not self.blank:
            last.end = end
        else:
            self.regions.append(Region(start, end, "block"))

    def _item(self, match: re.Match[str], end: int) -> None:
        text = match.group("dot") or match.group("bracket")
        style = match.group("style") or (
            f"[{match.group('note')}]{match.group('colon') or ''}" if match.group("bracket") else "-"
        )
        digits = match.span("dot" if match.group("dot") else "bracket") if text else (0, 0)
        indent = _width(match.group("indent"))
        item = Item(
            match.start(), match.end(), end, indent, style, int(text) if text else None, digits, own_end=end
        )
        sibling: ItemList | None = None
        while self.open and self.open[-1][0].indent >= indent:
            popped, owner = self._pop()
            if popped.indent == indent and popped.style == style:
                sibling = owner
        earlier = self.latest.get((indent, style))
        if sibling is None and earlier is not None and item.number is not None and not self.open:
            before = earlier.items[-1].number
            sibling = earlier if before is not None and item.number == before + 1 else None
        if (
            sibling is not None
            and style.startswith("[")
            and (item.number or 0) <= (sibling.items[-1].number or 0)
        ):
            sibling = None  # a paragraph that begins with a marker, and then the list
        if sibling is None:
            sibling = ItemList(style, nested=bool(self.open))
            self.lists.append(sibling)
        sibling.items.append(item)
        self.latest[(indent, style)] = sibling
        self.open.append((item, sibling))
        self.reached = end
        self.regions.append(Region(item.start, end, "item", item))

    def _plain(self, start: int, end: int) -> None:
        indented = bool(self.open) and _indent(self.text, start, end) > self.open[-1][0].indent
        if self.open and (indented or not self.blank):
            self.reached = end
            last = self.regions[-1]
            if last.kind == "item" and last.item is not None:
                last.end = last.item.own_end = end
            else:
                self.regions.append(Region(start, end, "prose"))
            return
        self.close()
        last_region = self.regions[-1] if self.regions else None
        if last_region is not None and last_region.kind == "prose" and not self.blank:
            last_region.end = end
        else:
            self.regions.append(Region(start, end, "prose"))

    def close(self) -> None:
        """No line that follows belongs to the open items."""
        while self.open:
            self._pop()

    def _pop(self) -> tuple[Item, ItemList]:
        item, owner = self.open.pop()
        item.end = self.reached
        return item, owner


def sentence_ends(text: str, start: int, end: int) -> list[int]:
    """Positions after each sentence of `text[start:end]`, the last one included.

    Example:
        >>> sentence_ends("See Smith et al. (2020). It works.", 0, 34)
        [24, 34]
    """
    ends = []
    for match in _TERMINATOR.finditer(text, start, end):
        before = text[max(start, match.start() - 12) : match.start() + 1]
        if text[match.start()] == "." and (
            _ABBREVIATION.search(before) or _ENUMERATOR.fullmatch(text, start, match.start() + 1)
        ):
            continue
        ends.append(match.end())
    last = start + len(text[start:end].rstrip())
    if not ends or ends[-1] < last:
        ends.append(last)
    return ends


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(text):
        found = text.find("\n", start)
        end = len(text) if found < 0 else found + 1
        yield start, end
        start = end


def _width(indent: str) -> int:
    return len(indent.expandtabs(4))


def _indent(text: str, start: int, end: int) -> int:
    line = text[start:end]
    return _width(line[: len(line) - len(line.lstrip(" \t"))])


def _around(parts: list[tuple[int, int]], position: int) -> tuple[int, int] | None:
    index = bisect_left(parts, (position, 0)) - 1
    return parts[index] if index >= 0 and position < parts[index][1] else None


def _parentheses(text: str, region: Region) -> Iterator[tuple[int, int]]:
    opened: list[int] = []
    for match in _ROUND.finditer(text, region.start, region.end):
        if match.group() in "(（":
            opened.append(match.start())
        elif opened:
            yield opened.pop(), match.start()
