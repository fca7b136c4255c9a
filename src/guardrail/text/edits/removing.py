"""Removals: cuts that leave clean text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from guardrail.report import Edit, Span
from guardrail.text.edits.application import apply
from guardrail.text.edits.cuts import Cut, anything_left, inside, touched, united
from guardrail.text.edits.extents import extents, trim, whole_lines
from guardrail.text.edits.numbering import renumbered
from guardrail.text.edits.tidying import tidy
from guardrail.text.edits.wording import joined
from guardrail.text.layout import Layout

__all__ = ["EMPTY", "LIST_GONE", "removals"]

EMPTY = "Nothing of this answer could be confirmed, so nothing of it is shown."
"""What stands in for an answer of which nothing is left."""
LIST_GONE = "(The entries of this list could not be confirmed and were removed.)"
"""What stands in for a list of which nothing is left."""
SHORTEST_ECHO = 8
"""A removed text of at least so many characters is removed wherever it occurs again, word for word."""


def removals(text: str, spans: Sequence[tuple[Span, str]], *, empty: str = EMPTY) -> tuple[Edit, ...]:
    """Cut what each span stands for; each comes with its reason, which must not quote it.

    Args:
        text: the text.
        spans: what to cut, and why.
        empty: what to show where nothing is left.

    Returns:
        Cuts, new numbers of list items and of the markers that point to them, and a sentence in the place of
        a list that is gone. A span is cut wherever its text occurs again (from eight characters on; a
        quoted title in it from twelve); if it still survives where two cuts meet, the whole text is replaced.
    """
    layout = Layout(text)
    wanted = [(clipped, why) for span, why in spans if (clipped := trim(text, span)).end > clipped.start]
    if not wanted:
        return ()
    needles = _needles(text, [span for span, _ in wanted])
    known = united(Cut(span.start, span.end) for span, _ in wanted)
    wanted += [(s, "occurs again") for s in _echoes(text, needles) if not inside(known, s.start, s.end)]
    cuts = united(cut for span, why in wanted for cut in extents(layout, span, why))
    cuts = _emptied(layout, cuts)
    numbers, dropped = renumbered(layout, cuts)
    cuts = united(tidy(text, cut) for cut in united([*cuts, *dropped]))
    _say_what_lists_lost(layout, cuts)
    edits = [
        Edit(span=Span(start=c.start, end=c.end), replacement=c.replacement, why=joined(c.whys)) for c in cuts
    ]
    edits += [edit for edit in numbers if not inside(cuts, edit.span.start, edit.span.end)]
    edits.sort(key=lambda edit: edit.span.start)
    remaining = apply(text, edits)
    bare = remaining.replace(LIST_GONE, "")
    if not any(c.isalnum() for c in bare) or any(needle in remaining for needle in needles):
        why = joined(why for cut in cuts for why in cut.whys)
        return (Edit(span=Span(start=0, end=len(text)), replacement=empty, why=why),)
    return tuple(edits)


def _needles(text: str, spans: list[Span]) -> list[str]:
    found: dict[str, None] = {}
    for span in spans:
        piece = span.of(text)
        if len(piece) >= SHORTEST_ECHO:
            found[piece] = None
        for match in re.finditer(r"[\"“«《「*_]([^\"”»》」*_\n]{12,400})[\"”»》」*_]", piece):
            found[match.group(1).strip(" .,")] = None
    return [needle for needle in found if len(needle) >= SHORTEST_ECHO]


def _echoes(text: str, needles: list[str]) -> Iterator[Span]:
    for needle in needles:
        at = text.find(needle)
        while at >= 0:
            yield Span(start=at, end=at + len(needle))
            at = text.find(needle, at + len(needle))


def _emptied(layout: Layout, cuts: list[Cut]) -> list[Cut]:
    """Also cut the items and code blocks in which nothing is left."""
    text = layout.text
    more: list[Cut] = []
    for owner in layout.lists:
        more += [
            Cut(item.start, item.end)
            for item in owner.items
            if not anything_left(text, cuts, item.content, item.end)
            and not inside(cuts, item.start, item.end)
        ]
    for block in layout.blocks:
        first = text.find("\n", block.start, block.end)
        last = text.rfind("\n", block.start, block.end)
        if block.kind == "code" and first >= 0 and touched(cuts, block):
            body_end = block.end if block.closing or last <= first else last
            if not anything_left(text, cuts, first, body_end):
                more.append(Cut(*whole_lines(text, block.start, block.end)))
    return united([*cuts, *more]) if more else cuts


def _say_what_lists_lost(layout: Layout, cuts: list[Cut]) -> None:
    for owner in layout.lists:
        first, last = owner.items[0], owner.items[-1]
        if owner.nested or not all(inside(cuts, item.start, item.content) for item in owner.items):
            continue
        cut = cuts[bisect_right(cuts, first.start, key=lambda c: c.start) - 1]
        final = cuts[bisect_right(cuts, last.start, key=lambda c: c.start) - 1]
        before = "" if cut.start == 0 or layout.text[cut.start - 1] == "\n" else "\n\n"
        following = layout.text[final.end : final.end + 1]
        after = "\n\n" if following.strip() else "\n" if following else ""
        cut.replacement = before + LIST_GONE + after
