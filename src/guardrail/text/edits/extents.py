"""What a span stands for: the item, entry, parenthesis, series or sentence that is cut with it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from guardrail.report import Span
from guardrail.text.edits.cuts import Cut
from guardrail.text.edits.pairs import NESTED, REACH, matches
from guardrail.text.layout import Item, Layout, Region

__all__ = ["extents", "trim", "whole_lines"]

_PARENTHESES = {"(": ")", "（": "）"}
_LISTED = re.compile(r"[\s,;，、]*(?:\band\b|\bor\b|&)?[\s]*")


def extents(layout: Layout, span: Span, why: str) -> Iterator[Cut]:
    """What to cut for a span: one cut for each region of the text that it touches."""
    regions = layout.regions
    index = max(bisect_right(regions, span.start, key=lambda region: region.start) - 1, 0)
    while index < len(regions) and regions[index].start < span.end:
        region = regions[index]
        index += 1
        piece = trim(
            layout.text,
            Span(start=max(span.start, region.start), end=max(region.start, min(span.end, region.end))),
        )
        if piece.end > piece.start and region.start <= piece.start:
            start, end = _extent(layout, region, piece)
            yield Cut(start, end, [why])


def _extent(layout: Layout, region: Region, piece: Span) -> tuple[int, int]:
    if region.kind == "line":
        return region.start, region.end
    if region.kind == "block":
        return _block_extent(layout, piece)
    if region.item is not None and _covers(layout.text, region.item, piece):
        return region.item.start, region.item.end
    start = region.item.content if region.item is not None else region.start
    return _prose_extent(layout, Span(start=min(start, piece.start), end=region.end), piece)


def _block_extent(layout: Layout, piece: Span) -> tuple[int, int]:
    entries = layout.entries_in(piece.start, piece.end)
    start = min([piece.start, *(entry.start for entry in entries)])
    end = max([piece.end, *(entry.end for entry in entries)])
    return whole_lines(layout.text, start, end)


def whole_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """From the start of the first line to the start of the line after the last."""
    stop = text.find("\n", max(end - 1, start))
    return text.rfind("\n", 0, start) + 1, len(text) if stop < 0 else stop + 1


def _covers(text: str, item: Item, piece: Span) -> bool:
    """Whether an item is about the piece: begins with it, or is half of it."""
    lead = text[item.content : min(piece.start, item.content + REACH)]
    if not any(c.isalnum() for c in lead):
        return True
    own = _letters(
        text[item.content : min(item.own_end, item.content + 8 * (piece.end - piece.start) + REACH)]
    )
    return 2 * _letters(piece.of(text)) >= own


def _letters(text: str) -> int:
    return sum(not c.isspace() for c in text)


def _prose_extent(layout: Layout, region: Span, piece: Span) -> tuple[int, int]:
    text = layout.text
    start, end = _unwrapped(layout, region, piece.start, piece.end)
    if (found := _parenthesis(text, region, start, end)) is not None:
        return found
    if re.fullmatch(r"\[\d[\d,;\s–—-]*\]", text[start:end]):
        return start, end
    if (found := _series(text, region, start, end)) is not None:
        return found
    ends = layout.sentence_ends(region.start, region.end)
    index = bisect_right(ends, start)
    first = ends[index - 1] if index else region.start
    last = ends[min(bisect_left(ends, end), len(ends) - 1)]
    while first < start and text[first].isspace():
        first += 1
    return min(first, start), max(last, end)


def _unwrapped(layout: Layout, region: Span, start: int, end: int) -> tuple[int, int]:
    """With the links that it cuts in two and the quotes and emphasis around it."""
    text = layout.text
    for place in (start + 1, end):
        if (part := layout.inline_at(place)) is not None:
            start, end = min(start, part[0]), max(end, part[1])
    for _ in range(NESTED):
        if start <= region.start or end >= region.end:
            break
        opener, closer = text[start - 1], text[end]
        if (
            closer in ".,"
            and end + 1 < region.end
            and matches(opener, text[end + 1])
            and opener not in "([（"
        ):
            start, end = start - 1, end + 2
        elif matches(opener, closer) and opener not in "([（":
            start, end = start - 1, end + 1
        else:
            break
    return start, end


def _parenthesis(text: str, region: Span, start: int, end: int) -> tuple[int, int] | None:
    """The parenthesis around the piece, or its part between semicolons, if it is there for the piece."""
    left = _opening(text, max(region.start, start - REACH), start)
    if left is None:
        return (
            (start, end) if text[start] in _PARENTHESES and text[end - 1] in _PARENTHESES.values() else None
        )
    right = _closing(text, end, min(region.end, end + REACH))
    if right is None:
        return None
    before, after = text[left + 1 : start], text[end:right]
    head, semicolon, _ = before.rpartition(";")
    tail_semicolon = after.find(";")
    lead = before[len(head) + 1 :] if semicolon else before
    rest = after if tail_semicolon < 0 else after[:tail_semicolon]
    around = len(re.findall(r"[^\W\d_]", lead + rest))
    if around > max(12, end - start):
        return None
    if semicolon:
        return left + 1 + len(head), right if tail_semicolon < 0 else end + tail_semicolon
    if tail_semicolon >= 0:
        stop = end + tail_semicolon + 1
        while stop < right and text[stop].isspace():
            stop += 1
        return left + 1, stop
    return left, right + 1


def _opening(text: str, start: int, end: int) -> int | None:
    depth = 0
    for i in range(end - 1, start - 1, -1):
        if text[i] in _PARENTHESES.values():
            depth += 1
        elif text[i] in _PARENTHESES:
            if depth == 0:
                return i
            depth -= 1
    return None


def _closing(text: str, start: int, end: int) -> int | None:
    depth = 0
    for i in range(start, end):
        if text[i] in _PARENTHESES:
            depth += 1
        elif text[i] in _PARENTHESES.values():
            if depth == 0:
                return i
            depth -= 1
    return None


def _series(text: str, region: Span, start: int, end: int) -> tuple[int, int] | None:
    """One of several quoted titles in a row, with the comma or "and" that joins it to its neighbour."""
    quotes = '"”»》」』’'
    if text[end - 1] not in quotes or text[start] not in '"“«《「『‘':
        return None
    following = _LISTED.match(text, end, region.end)
    if following and following.end() > end and text[following.end() : following.end() + 1] == text[start]:
        return start, following.end()
    before = text[max(region.start, start - 12) : start]
    joined = re.search(r"[\s,;，、]*(?:\band\b|\bor\b|&)?\s*$", before)
    if joined and joined.group() and before[: joined.start()][-1:] == text[end - 1]:
        return start - len(joined.group()), end
    return None


def trim(text: str, span: Span) -> Span:
    """The span within the text, without white space at its ends."""
    start, end = min(span.start, len(text)), min(span.end, len(text))
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start=start, end=end)
