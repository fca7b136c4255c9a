"""The parts of an answer that an edit must respect: code, BibTeX, formulas, lists, links, sentences.

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

__all__ = ["Block", "Item", "ItemList", "Layout", "Region", "sentence_ends"]

_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_BIBTEX = re.compile(r"^[ \t]*@[A-Za-z]+\s*\{\s*([^\s,{}\"]{0,200})\s*,", re.MULTILINE)
_ITEM = re.compile(
    r"(?P<indent>[ \t]*)(?:(?P<dot>\d{1,9})(?P<style>[.)])|\[(?P<bracket>\d{1,9})\](?P<colon>:?)|[-*+•·‣])(?P<gap>[ \t]+)(?=\S)"
)
_ROW = re.compile(r"[ \t]*\|")
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
_TERMINATOR = re.compile(
    r"(?:[.!?…]{1,9}[\"'”’»)\]*_]{0,6}(?=\s|$)|[。！？]{1,9}[”’」』》）]{0,6})(?:[ \t]?\[\d[\d,;\s–—-]{0,40}\]){0,6}"
)


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that are not prose: `text[start:end]`, without the last line's end."""

    start: int
    end: int
    kind: Literal["code", "bibtex", "math"]
    indent: str = ""
    key: str = ""
    closing: str = ""  # the fence that would close a code block which the text leaves open


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
    """Items that belong together; `style` is ".", ")", "[]", "[]:" or "-"."""

    style: str
    nested: bool
    items: list[Item] = field(default_factory=list)


@dataclass(slots=True)
class Region:
    """A stretch of text that one rule of removal holds for."""

    start: int
    end: int
    kind: Literal["block", "item", "line", "prose"]
    item: Item | None = None


class Layout:
    """What `text` consists of; parts are computed when first asked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._ends: dict[tuple[int, int], list[int]] = {}
        self.lines: list[tuple[int, int]] = list(_lines(text))

    @cached_property
    def blocks(self) -> list[Block]:
        """Outermost code blocks, BibTeX entries and displayed formulas, in order."""
        code = list(self._code())
        found = code + [b for b in self.entries if not _within(b, code)]
        found.sort(key=lambda block: block.start)
        math = [b for b in _math(self.text) if not any(b.start < o.end and o.start < b.end for o in found)]
        return sorted(found + math, key=lambda block: block.start)

    @cached_property
    def entries(self) -> list[Block]:
        """BibTeX entries, also those inside code blocks."""
        return list(_entries(self.text))

    @cached_property
    def inline(self) -> list[tuple[int, int]]:
        """Links, code, tags, addresses and formulas within a line, in order, disjoint."""
        return [match.span() for match in _INLINE.finditer(self.text)]

    def block_at(self, position: int) -> Block | None:
        """The block in or at whose end the position lies."""
        index = bisect_right(self.blocks, position - 1, key=lambda block: block.start) - 1
        if index < 0:
            return None
        block = self.blocks[index]
        return block if block.start < position <= block.end else None

    def entries_in(self, start: int, end: int) -> list[Block]:
        """The BibTeX entries that share a character with `text[start:end]`."""
        first = bisect_right(self.entries, start, key=lambda entry: entry.start) - 1
        last = bisect_left(self.entries, end, key=lambda entry: entry.start)
        return [entry for entry in self.entries[max(first, 0) : last] if entry.end > start]

    def inline_at(self, position: int) -> tuple[int, int] | None:
        """The inline construct that the position would cut in two."""
        index = bisect_right(self.inline, position - 1, key=lambda part: part[0]) - 1
        if index < 0:
            return None
        start, end = self.inline[index]
        return (start, end) if start < position < end else None

    @cached_property
    def regions(self) -> list[Region]:
        """Disjoint regions in order; blank lines between them belong to none."""
        return self._parsed[0]

    @cached_property
    def lists(self) -> list[ItemList]:
        """All lists, in the order of their first items."""
        return self._parsed[1]

    @cached_property
    def _parsed(self) -> tuple[list[Region], list[ItemList]]:
        reader = _Reader(self)
        for start, end in self.lines:
            reader.read(start, end)
        return reader.regions, reader.lists

    def sentence_ends(self, start: int, end: int) -> list[int]:
        """As the function of that name, remembered."""
        if (start, end) not in self._ends:
            self._ends[start, end] = sentence_ends(self.text, start, end)
        return self._ends[start, end]

    def _code(self) -> Iterator[Block]:
        opened: tuple[int, str, str] | None = None
        for start, end in self.lines:
            match = _FENCE.match(self.text, start, end)
            if match is None:
                continue
            fence = match.group(1)
            if opened is None:
                opened = (start, fence, self.text[start : match.start(1)])
            elif (
                fence[0] == opened[1][0]
                and len(fence) >= len(opened[1])
                and not self.text[match.end() : end].strip()
            ):
                yield Block(opened[0], match.end(), "code", opened[2])
                opened = None
        if opened is not None:
            yield Block(opened[0], len(self.text), "code", opened[2], closing=opened[1])


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
            self._close()
            self.latest.clear()
            self.regions.append(Region(start, end, "line"))
        else:
            self._plain(start, end)
        self.blank = False

    def _block_line(self, start: int, end: int) -> None:
        if self.open and _indent(self.text, start, end) > self.open[-1][0].indent:
            self._extend(end)
        else:
            self._close()
        last = self.regions[-1] if self.regions else None
        if last is not None and last.kind == "block" and last.end == start and not self.blank:
            last.end = end
        else:
            self.regions.append(Region(start, end, "block"))

    def _item(self, match: re.Match[str], end: int) -> None:
        text = match.group("dot") or match.group("bracket")
        style = match.group("style") or ("[]" + match.group("colon") if match.group("bracket") else "-")
        digits = match.span("dot" if match.group("dot") else "bracket") if text else (0, 0)
        indent = _width(match.group("indent"))
        item = Item(
            match.start(), match.end(), end, indent, style, int(text) if text else None, digits, own_end=end
        )
        sibling: ItemList | None = None
        while self.open and self.open[-1][0].indent >= indent:
            popped, owner = self.open.pop()
            if popped.indent == indent and popped.style == style:
                sibling = owner
        earlier = self.latest.get((indent, style))
        if sibling is None and earlier is not None and item.number is not None and not self.open:
            before = earlier.items[-1].number
            sibling = earlier if before is not None and item.number == before + 1 else None
        if sibling is None:
            sibling = ItemList(style, nested=bool(self.open))
            self.lists.append(sibling)
        sibling.items.append(item)
        self.latest[(indent, style)] = sibling
        self.open.append((item, sibling))
        self._extend(end)
        self.regions.append(Region(item.start, end, "item", item))

    def _plain(self, start: int, end: int) -> None:
        indented = bool(self.open) and _indent(self.text, start, end) > self.open[-1][0].indent
        if self.open and (indented or not self.blank):
            self._extend(end)
            last = self.regions[-1]
            if last.kind == "item" and last.item is not None:
                last.end = last.item.own_end = end
            else:
                self.regions.append(Region(start, end, "prose"))
            return
        self._close()
        last_region = self.regions[-1] if self.regions else None
        if last_region is not None and last_region.kind == "prose" and not self.blank:
            last_region.end = end
        else:
            self.regions.append(Region(start, end, "prose"))

    def _extend(self, end: int) -> None:
        for item, _ in self.open:
            item.end = end

    def _close(self) -> None:
        self.open.clear()


def sentence_ends(text: str, start: int, end: int) -> list[int]:
    """Positions after each sentence of `text[start:end]`, the last one included.

    Example:
        >>> sentence_ends("See Smith et al. (2020). It works.", 0, 34)
        [24, 34]
    """
    ends = []
    for match in _TERMINATOR.finditer(text, start, end):
        before = text[max(start, match.start() - 12) : match.start() + 1]
        if text[match.start()] == "." and _ABBREVIATION.search(before):
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


def _entries(text: str) -> Iterator[Block]:
    matches = list(_BIBTEX.finditer(text))
    for i, match in enumerate(matches):
        limit = matches[i + 1].start() if i + 1 < len(matches) else len(text)
        start = text.index("@", match.start())
        end = _balanced(text, text.index("{", start), limit)
        yield Block(start, end, "bibtex", text[match.start() : start], match.group(1))


def _balanced(text: str, start: int, limit: int) -> int:
    depth = 0
    for i in range(start, limit):
        if text[i] == "{":
            depth += 1
        elif text[i] == "}":
            depth -= 1
            if depth == 0:
                return i + 1
    blank = text.find("\n\n", start, limit)
    fence = text.find("\n```", start, limit)
    stops = [stop for stop in (blank, fence) if stop >= 0]
    return min(stops) if stops else start + len(text[start:limit].rstrip())


def _math(text: str) -> Iterator[Block]:
    for opening, closing in (("$$", "$$"), ("\\[", "\\]")):
        start = text.find(opening)
        while start >= 0:
            end = text.find(closing, start + 2)
            if end < 0:
                break
            yield Block(start, end + 2, "math")
            start = text.find(opening, end + 2)


def _within(block: Block, others: list[Block]) -> bool:
    index = bisect_right(others, block.start, key=lambda other: other.start) - 1
    return index >= 0 and block.start < others[index].end


def _width(indent: str) -> int:
    return len(indent.expandtabs(4))


def _indent(text: str, start: int, end: int) -> int:
    line = text[start:end]
    return _width(line[: len(line) - len(line.lstrip(" \t"))])
