"""What a span stands for: the item, entry, parenthesis, series or sentence that is cut with it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import replace

from guardrail.policies.edits.cuts import ALNUM, Cut, overlapped, past
from guardrail.policies.edits.narrowing import between, narrowed
from guardrail.policies.edits.pairs import NESTED, REACH, matches
from guardrail.policies.edits.rows import Rows
from guardrail.report import Span
from guardrail.text.elements import Element
from guardrail.text.layout import Item, Layout, Region

_LETTER = re.compile(r"[^\W\d_]")
_ASIDE = 12  # letters of "see for instance", which may stand beside what a parenthesis is there for


def extents(
    layout: Layout, span: Span, whys: dict[str, None], *, rows: Rows | None, staying: list[Cut]
) -> Iterator[Cut]:
    """What to cut for a span: one cut for each region of the text that it touches.

    Args:
        layout: the text.
        span: what to cut.
        whys: the reasons.
        rows: where a span may be one title or marker of several; `None` takes the whole sentence.
        staying: what must stay; where the cut would take it along, the cut is narrower.
    """
    regions = layout.regions
    index = max(bisect_right(regions, span.start, key=lambda region: region.start) - 1, 0)
    while index < len(regions) and regions[index].start < span.end:
        for region in _parted(layout, regions[index], span):
            piece = trim(
                layout.text,
                Span(start=max(span.start, region.start), end=max(region.start, min(span.end, region.end))),
            )
            if piece.end > piece.start and region.start <= piece.start:
                start, end = _extent(layout, region, piece, rows)
                if overlapped(staying, start, end):
                    start, end = _beside(layout, region, piece, rows, staying)
                yield Cut(start, end, whys)
        index += 1


def _parted(layout: Layout, region: Region, span: Span) -> Iterator[Region]:
    """A region, or those parts of it by HTML that a span touches: rows of tables, items, and other words between tags."""
    if layout.html is None or region.kind in {"block", "line"}:
        yield region
        return
    row: Element | None = None
    first, last = max(region.start, span.start), min(region.end, span.end)
    for begin, stop, element in layout.html.segments(first, last):
        start, end = max(begin, region.start), min(stop, region.end)
        inside_row = element.within("tr") if element is not None else None
        if inside_row is not None:
            if inside_row is not row:
                yield Region(inside_row.start, inside_row.end, "line")
            row = inside_row
            continue
        if not layout.text[start:end].strip():
            continue
        if element is not None and element.name == "li" and element.content == start:
            item = Item(element.start, start, element.end, 0, "-", own_end=end)
            yield Region(start, end, "item", item)
        elif start == region.start:
            yield replace(region, end=end)
        else:
            yield Region(start, end, "prose")


def _extent(layout: Layout, region: Region, piece: Span, rows: Rows | None) -> tuple[int, int]:
    if region.kind == "line":
        return _line_extent(layout, region, piece)
    if region.kind == "block":
        return _block_extent(layout, piece)
    item = region.item
    if item is not None and _covers(layout.text, item.content, item.own_end, piece):
        return item.start, item.end
    start = item.content if item is not None else region.start
    return _prose_extent(layout, Span(start=min(start, piece.start), end=region.end), piece, rows)


def _beside(
    layout: Layout, region: Region, piece: Span, rows: Rows | None, staying: list[Cut]
) -> tuple[int, int]:
    """The widest cut for the piece that leaves what stays."""
    text = layout.text
    if overlapped(staying, piece.start, piece.end):  # what is cut holds it: only a marker, or a joint
        return piece.start, piece.end
    item = region.item
    if region.kind == "line":
        candidates = [(region.start, region.end)]
    elif region.kind == "block":
        entries = layout.entries_in(piece.start, piece.end)
        candidates = [(entries[0].start, entries[-1].end)] if entries else []
    elif item is not None and _covers(text, item.content, item.own_end, piece):
        candidates = [(item.start, item.own_end)]
    else:
        candidates = []
    begin = item.content if item is not None else region.start
    around = Span(start=min(begin, piece.start), end=region.end)
    if region.kind not in {"line", "block"}:
        candidates.append(_prose_extent(layout, around, piece, rows))
    for start, end in candidates:
        if start <= piece.start and end >= piece.end and not overlapped(staying, start, end):
            return start, end
    if region.kind == "block":
        return piece.start, piece.end
    low, high = between(staying, piece.start, piece.end)
    room = Span(start=max(low, around.start), end=around.end if high is None else min(high, around.end))
    start, end = _unwrapped(layout, room, piece.start, piece.end)
    if overlapped(staying, start, end):
        start, end = piece.start, piece.end
    if region.kind == "line":
        return start, end
    first, last = _sentence(layout, around, start, end)
    sentence = Span(start=min(first, start), end=max(last, end))
    return narrowed(text, sentence, Span(start=start, end=end), staying)


def _line_extent(layout: Layout, region: Region, piece: Span) -> tuple[int, int]:
    """The row or heading; with what stands below a heading, up to the next one, if it is about the piece."""
    index = bisect_right(layout.headings, region.start, key=lambda heading: heading.start) - 1
    if index < 0 or layout.headings[index] is not region:
        return region.start, region.end
    content = past(layout.text, region.start, region.end, " \t#")
    if not _covers(layout.text, content, region.end, piece):
        return region.start, region.end
    following = layout.headings[index + 1 : index + 2]
    return region.start, following[0].start if following else len(layout.text)


def _block_extent(layout: Layout, piece: Span) -> tuple[int, int]:
    entries = layout.entries_in(piece.start, piece.end)
    start = min([piece.start, *(entry.start for entry in entries)])
    end = max([piece.end, *(entry.end for entry in entries)])
    return whole_lines(layout.text, start, end)


def whole_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """From the start of the first line to the start of the line after the last."""
    stop = text.find("\n", max(end - 1, start))
    return text.rfind("\n", 0, start) + 1, len(text) if stop < 0 else stop + 1


def _covers(text: str, content: int, end: int, piece: Span) -> bool:
    """Whether an item or heading is about the piece: begins with it, or is half of it."""
    if not ALNUM.search(text, content, min(piece.start, content + REACH)):
        return True
    own = _letters(text[content : min(end, content + 8 * (piece.end - piece.start) + REACH)])
    return 2 * _letters(piece.of(text)) >= own


def _letters(text: str) -> int:
    return sum(map(len, text.split()))


def _prose_extent(layout: Layout, region: Span, piece: Span, rows: Rows | None) -> tuple[int, int]:
    text = layout.text
    start, end = _unwrapped(layout, region, piece.start, piece.end)
    if rows is not None and (member := rows.member_around(start, end)) is not None:
        return member
    if (found := _parenthesis(layout, start, end)) is not None:
        return found
    first, last = _sentence(layout, region, start, end)
    return _without_half_emphasis(text, min(first, start), max(last, end))


def _sentence(layout: Layout, region: Span, start: int, end: int) -> tuple[int, int]:
    sentences = layout.sentences(region.start, region.end)
    first = sentences[max(bisect_right(sentences, start, key=lambda sentence: sentence[0]) - 1, 0)][0]
    last = sentences[min(bisect_left(sentences, end, key=lambda s: s[1]), len(sentences) - 1)][1]
    return first, last


def _without_half_emphasis(text: str, start: int, end: int) -> tuple[int, int]:
    """Leaves a `**` whose partner stands outside, with the blank beside it cut instead."""
    if text.count("**", start, end) % 2 == 0:
        return start, end
    if text.startswith("**", start):
        return start + 2, past(text, end, end + REACH, " ")
    if text.endswith("**", start, end):
        return max(start - REACH, 0) + len(text[max(start - REACH, 0) : start].rstrip(" ")), end - 2
    return start, end


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


def _parenthesis(layout: Layout, start: int, end: int) -> tuple[int, int] | None:
    """The parenthesis around the piece, or its part between semicolons, if it is there for the piece."""
    text = layout.text
    if text[start] in "(（" and text[end - 1] in ")）":
        return start, end
    brackets = layout.parenthesis_around(start, end, REACH)
    if brackets is None or brackets[1] > end + REACH:
        return None
    left, right = brackets
    before, after = text[left + 1 : start], text[end:right]
    head, semicolon_before, lead = before.rpartition(";")
    rest, semicolon_after, _ = after.partition(";")
    if len(_LETTER.findall(lead + rest)) > max(_ASIDE, end - start):
        return None
    if semicolon_before:
        return left + 1 + len(head), end + len(rest)
    if semicolon_after:
        stop = end + len(rest) + 1
        return left + 1, past(text, stop, right)
    return left, right + 1


def trim(text: str, span: Span) -> Span:
    """The span within the text, without white space at its ends."""
    piece = span.of(text)
    start = min(span.start + len(piece) - len(piece.lstrip()), len(text))
    return Span(start=start, end=start + len(piece.strip()))
