"""The count that announces a list, put right after something of the list was cut: "Here are four works:" above two."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from guardrail.policies.edits.application import replacement
from guardrail.policies.edits.cuts import Cut, inside, overlapped
from guardrail.policies.edits.numbering import NUMBERED_AGAIN
from guardrail.report import Edit
from guardrail.text.announced import Announced, announced, announces
from guardrail.text.layout import Layout

_FOLLOWED = re.compile(r"[ \t]+(?!(?:of|von|der|de|des|del|di|dei|van|do|da)\b)([^\W\d_])", re.IGNORECASE)


def counted_again(layout: Layout, cuts: list[Cut], language: str) -> Iterator[Edit]:
    """The new counts of lists and tables of which something is left, where the line before one has its old count once.

    Args:
        layout: the text.
        cuts: in order, disjoint.
        language: that the text is in, where it is known.
    """
    for start, before, left in _shortened(layout, cuts):
        line = _line_before(layout, start)
        if line is None or overlapped(cuts, *line):
            continue
        numbers = [one for one in announced(layout.text, *line) if one.value == before]
        if len(numbers) == 1 and (edit := _edit(layout.text, numbers[0], left, language)) is not None:
            yield edit


def _shortened(layout: Layout, cuts: list[Cut]) -> Iterator[tuple[int, int, int]]:
    """Where a list or table begins, how many entries it had, and how many are left; of those that lost some, not all."""
    lists = [
        [(item.start, item.content) for item in owner.items] for owner in layout.lists if not owner.nested
    ]
    found = [(spans[0][0], spans) for spans in lists]
    found += [(rows[0].start, [(row.start, row.end) for row in rows[2:]]) for rows in layout.tables]
    for one in layout.html.all if layout.html is not None else ():
        if one.name in {"ul", "ol"} and (one.parent is None or one.parent.within("li") is None):
            found.append((one.start, [(item.start, item.end) for item in one.inner]))
    for start, spans in found:
        left = sum(not inside(cuts, *span) for span in spans)
        if 0 < left < len(spans):
            yield start, len(spans), left


def _line_before(layout: Layout, start: int) -> tuple[int, int] | None:
    """The last line with words before a place, if it announces what comes."""
    if layout.html is not None:
        words = layout.html.before(start)
        if words is None:
            return None
        first, last = words[0], words[0] + len(layout.text[slice(*words)].rstrip())
        first = max(first, layout.text.rfind("\n", first, last) + 1)
    else:
        index = bisect_left(layout.lines, (start, 0)) - 1
        while index >= 0 and not layout.text[slice(*layout.lines[index])].strip():
            index -= 1
        if index < 0:
            return None
        first, last = layout.lines[index]
    return (first, last) if announces(layout.text[first:last].rstrip()) else None


def _edit(text: str, number: Announced, left: int, language: str) -> Edit | None:
    word = number.instead(left, language)
    start, end = number.start, number.end
    if word is None:
        return None
    capital = text[start:end] != text[start:end].lower()
    if not word:
        following = _FOLLOWED.match(text, end)
        if following is None:
            return None
        end, word = following.end(), following[1]
    if capital:
        word = word[0].upper() + word[1:]
    return replacement(start, end, word, NUMBERED_AGAIN)
