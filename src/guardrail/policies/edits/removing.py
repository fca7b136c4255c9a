"""Removals: cuts that leave clean text."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from guardrail.policies.edits.application import apply, replacement
from guardrail.policies.edits.counting import counted_again
from guardrail.policies.edits.cuts import ALNUM, Cut, anything_left, inside, overlapped, united
from guardrail.policies.edits.extents import extents, trim, whole_lines
from guardrail.policies.edits.narrowing import between, without
from guardrail.policies.edits.numbering import renumbering, uncited
from guardrail.policies.edits.pairs import REACH
from guardrail.policies.edits.rows import Row, Rows
from guardrail.policies.edits.tidying import tidy
from guardrail.policies.edits.wording import joined_once
from guardrail.report import Edit, Span
from guardrail.text.elements import TAG
from guardrail.text.layout import Item, Layout

SHORTEST_ECHO = 8
"""A removed text of at least so many characters is removed wherever it occurs again, word for word."""

_ROUNDS = 3
_SHORTEST_TITLE = 12
_TITLE = re.compile(r"[\"“«《「*_]([^\"”»》」*_\n]{12,400})[\"”»》」*_]")
_INTRODUCES = re.compile(r":[\s*_]*\Z")


@dataclass(frozen=True)
class Cutting:
    """How something is cut out of a text.

    Attributes:
        empty: what to show where nothing is left.
        list_gone: what to show in the place of a list of which nothing is left.
        language: that the text is in, where it is known: a count above a list may be a word of it.
        titles: names of what is cut; a long one is cut wherever it occurs, in any case of letters.
        kept: what must stay, if it is not to be cut itself: what else was found, and found to be right. Of it,
            only markers go, whose list item is gone.
    """

    empty: str
    list_gone: str
    language: str = ""
    titles: Sequence[str] = ()
    kept: Sequence[Span] = ()


def prose_removals(text: str, spans: Sequence[tuple[Span, str]], how: Cutting) -> tuple[Edit, ...]:
    """The edits that cut what each span stands for. A reason comes with each span, and must not quote it.

    Args:
        text: the text.
        spans: what to cut, and why.
        how: it is cut.

    Returns:
        Cuts, new numbers of list items and of the markers that point to them, and a sentence in the place of
        a list that is gone. A span is cut wherever its text occurs again (from eight characters on; a
        quoted title in it from twelve), outside of what is kept; if it still survives where two cuts meet, the whole text is replaced.
    """
    layout = Layout(text)
    wanted = united(
        Cut(piece.start, piece.end, {why: None})
        for span, why in spans
        if (piece := trim(text, span)).end > piece.start
    )
    if not wanted:
        return ()
    needles = _needles(text, [span.of(text).strip() for span, _ in spans], wanted)
    staying = _staying(text, how.kept, wanted)
    again = [
        cut
        for cut in (*_echoes(text, needles), *_named(text, how.titles, how.kept))
        if not inside(wanted, cut.start, cut.end) and not overlapped(staying, cut.start, cut.end)
    ]
    cuts, edits = _settled(layout, united([*wanted, *again]), staying)
    for _ in range(2):
        cuts = united(_tidied(layout, cut, staying) for cut in cuts)
    _say_what_lists_lost(layout, cuts, staying, how.list_gone)
    edits += counted_again(layout, cuts, how.language)
    edits = [edit for edit in edits if not overlapped(cuts, edit.span.start, edit.span.end)]
    edits += [replacement(c.start, c.end, c.replacement, joined_once(c.whys)) for c in cuts]
    edits.sort(key=lambda edit: edit.span.start)
    remaining = apply(text, edits)
    bare = remaining.replace(how.list_gone, "")
    bare = bare if layout.html is None else TAG.sub("", bare)
    if not any(c.isalnum() for c in bare) or _survives(edits, remaining, needles, staying):
        why = joined_once(why for cut in cuts for why in cut.whys)
        return (replacement(0, len(text), how.empty, why),)
    return tuple(edits)


def _staying(text: str, kept: Sequence[Span], wanted: list[Cut]) -> list[Cut]:
    """What must stay: what says something, and is not to be cut itself."""
    pieces = (trim(text, span) for span in kept)
    return united(
        Cut(piece.start, piece.end)
        for piece in pieces
        if ALNUM.search(text, piece.start, piece.end) and not overlapped(wanted, piece.start, piece.end)
    )


def _tidied(layout: Layout, cut: Cut, staying: list[Cut]) -> Cut:
    """As `tidy`, without a bracket or comma of what stays."""
    tidied = tidy(layout, cut)
    low, high = between(staying, cut.start, cut.end)
    start = max(tidied.start, low)
    return Cut(start, tidied.end if high is None else min(tidied.end, high), tidied.whys)


def _survives(edits: list[Edit], remaining: str, needles: list[str], staying: list[Cut]) -> bool:
    """Whether a needle is left outside of what stays."""
    left = [needle for needle in needles if needle in remaining]
    if not left or not staying:
        return bool(left)
    ends = [edit.span.end for edit in edits]
    shifts = [0, *accumulate(len(edit.replacement) - edit.span.end + edit.span.start for edit in edits)]
    moved = [
        Cut(
            cut.start + shifts[bisect_right(ends, cut.start)],
            cut.end + shifts[bisect_right(ends, cut.end)],
        )
        for cut in staying
    ]
    return any(not overlapped(moved, echo.start, echo.end) for echo in _echoes(remaining, left))


def _settled(layout: Layout, wanted: list[Cut], staying: list[Cut]) -> tuple[list[Cut], list[Edit]]:
    """What to cut for what is wanted, and what changes with it: numbers, markers, the "and" of a row.

    A marker without its entry may take its sentence along, and a sentence its list item, whose number other
    markers point to; that goes round until nothing more is lost, or `_ROUNDS` times.
    """
    rows = Rows(layout)
    cuts = united(
        cut
        for piece in wanted
        for cut in extents(
            layout, Span(start=piece.start, end=piece.end), piece.whys, rows=rows, staying=staying
        )
    )
    edits: list[Edit] = []
    for _ in range(_ROUNDS):
        cuts = _emptied(layout, cuts, staying)
        numbers, pointless = renumbering(layout, cuts)
        cites, undefined = uncited(layout, cuts)
        grown = united([*cuts, *pointless, *undefined])
        gone = [cut for row in rows.gone(grown) for cut in _whole(layout, rows, row, staying)]
        grown = united([*grown, *(part for cut in gone for part in without(cut, staying))])
        shortened, joints = rows.shortened(grown)
        grown = united([*grown, *(part for cut in shortened for part in without(cut, staying))])
        joints = [edit for edit in joints if not overlapped(staying, edit.span.start, edit.span.end)]
        edits = [*numbers, *cites, *joints]
        if [(c.start, c.end) for c in grown] == [(c.start, c.end) for c in cuts]:
            break
        cuts = grown
    return cuts, edits


def _whole(layout: Layout, rows: Rows, row: Row, staying: list[Cut]) -> Iterator[Cut]:
    """What to cut for a row that is gone: markers alone where the sentence can do without, else what it is in."""
    if row.markers and not rows.is_governed(row):
        yield Cut(row.start, row.end)
    else:
        yield from extents(layout, Span(start=row.start, end=row.end), {}, rows=None, staying=staying)


def _needles(text: str, pieces: list[str], cuts: list[Cut]) -> list[str]:
    """What must not occur again: the pieces, and titles quoted in them."""
    titles = (
        match.group(1).strip(" .,") for cut in cuts for match in _TITLE.finditer(text, cut.start, cut.end)
    )
    return [needle for needle in dict.fromkeys([*pieces, *titles]) if len(needle) >= SHORTEST_ECHO]


def _echoes(text: str, needles: list[str]) -> Iterator[Cut]:
    for needle in needles:
        at = text.find(needle)
        while at >= 0:
            yield Cut(at, at + len(needle), {"occurs again": None})
            at = text.find(needle, at + len(needle))


def _named(text: str, titles: Sequence[str], kept: Sequence[Span]) -> Iterator[Cut]:
    """Where the names of what is cut occur again, outside of what is kept."""
    staying = united(Cut(span.start, span.end) for span in kept)
    for pattern in named(titles):
        for match in re.finditer(pattern, text, re.IGNORECASE):
            if not overlapped(staying, match.start(), match.end()):
                yield Cut(match.start(), match.end(), {"occurs again": None})


def named(titles: Sequence[str]) -> Iterator[str]:
    """Patterns of the titles that are long enough to be known again; a word or two say too little."""
    for title in dict.fromkeys(titles):
        words = title.split()
        if len(title) >= _SHORTEST_TITLE and len(words) > 1:
            yield r"\s+".join(map(re.escape, words))


def _emptied(layout: Layout, cuts: list[Cut], staying: list[Cut]) -> list[Cut]:
    """Also cut the items, tables and code blocks in which nothing is left."""
    text = layout.text
    more = [
        Cut(item.start, item.end)
        for owner in layout.lists
        for item in owner.items
        if overlapped(cuts, item.start, item.end)  # an item of marks alone had nothing to lose
        and not _item_left(text, cuts, item)
        and not inside(cuts, item.start, item.end)
    ]
    more += [
        Cut(rows[0].start, rows[-1].end)
        for rows in layout.tables
        if all(inside(cuts, row.start, row.end) for row in rows[2:])
    ]
    for block in layout.blocks:
        first = text.find("\n", block.start, block.end)
        last = text.rfind("\n", block.start, block.end)
        if block.kind == "code" and first >= 0 and overlapped(cuts, block.start, block.end):
            body_end = block.end if block.closing or last <= first else last
            if not anything_left(text, cuts, first, body_end):
                more.append(Cut(*whole_lines(text, block.start, block.end)))
    more += _emptied_elements(layout, cuts)
    more = [cut for cut in more if not overlapped(staying, cut.start, cut.end)]
    return united([*cuts, *more]) if more else cuts


def _emptied_elements(layout: Layout, cuts: list[Cut]) -> Iterator[Cut]:
    """The elements of HTML that lost something, and have no words any more outside of tags; a table's headings are none."""
    if layout.html is None:
        return
    words = [
        start
        for start, end, _ in layout.html.segments(0, len(layout.text))
        if anything_left(layout.text, cuts, start, end)
    ]
    heads = united(Cut(one.start, one.end) for one in layout.html.all if one.name in {"th", "caption"})
    cells = [start for start in words if not inside(heads, start, start + 1)]
    for one in layout.html.all:
        found = cells if one.name == "table" else words
        index = bisect_left(found, one.start)
        left = index < len(found) and found[index] < one.end
        if not left and overlapped(cuts, one.start, one.end):
            yield Cut(one.start, one.end)


def _item_left(text: str, cuts: list[Cut], item: Item) -> bool:
    """Whether something of an item is left; an item like "Books:" is nothing without what it introduces."""
    if not anything_left(text, cuts, item.content, item.end):
        return False
    if anything_left(text, cuts, item.own_end, item.end):
        return True
    introduces = item.end > item.own_end and _INTRODUCES.search(text, item.content, item.own_end)
    return not introduces


def _is_introduced(text: str, start: int) -> bool:
    """Whether the text before it ends like "Here is the entry:"."""
    return text[max(start - REACH, 0) : start].rstrip().endswith((":", "："))


def _say_what_lists_lost(layout: Layout, cuts: list[Cut], staying: list[Cut], list_gone: str) -> None:
    """A sentence in the place of each list and table that is gone, and of a block that was announced."""
    tables = [
        (rows[0].start, rows[-1].start)
        for rows in layout.tables
        if inside(cuts, rows[0].start, rows[-1].start)
    ]
    lists = [
        (owner.items[0].start, owner.items[-1].start)
        for owner in layout.lists
        if not owner.nested
        and not overlapped(staying, owner.items[0].start, owner.items[-1].end)
        and all(inside(cuts, item.start, item.content) for item in owner.items)
    ]
    blocks = [
        (block.start, block.start)
        for block in layout.blocks
        if inside(cuts, block.start, block.end) and _is_introduced(layout.text, block.start)
    ]
    of_html = [
        (one.start, one.start)
        for one in (layout.html.all if layout.html is not None else ())
        if one.name in {"ul", "ol", "table"}
        and inside(cuts, one.start, one.end)
        and (one.parent is None or not inside(cuts, one.parent.start, one.parent.end))
    ]
    for first, last in [*tables, *lists, *blocks, *of_html]:
        cut = cuts[bisect_right(cuts, first, key=lambda c: c.start) - 1]
        final = cuts[bisect_right(cuts, last, key=lambda c: c.start) - 1]
        if ALNUM.search(layout.text, cut.start, first):
            continue  # what stood around it is gone too
        before = "" if cut.start == 0 or layout.text[cut.start - 1] == "\n" else "\n\n"
        following = layout.text[final.end : final.end + 1]
        after = "\n\n" if following.strip() else "\n" if following else ""
        cut.replacement = before + list_gone + after
