"""New numbers for what is left of a list, and for the markers that point to it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guardrail.report import Edit, Span
from guardrail.text.edits.cuts import Cut, inside
from guardrail.text.layout import ItemList, Layout

__all__ = ["renumbered"]

_MARKER = re.compile(r"\[[ \t]*\d{1,4}(?:[ \t]*[,;–—-][ \t]*\d{1,4})*[ \t]*\](?:\([^()\s]*\))?")
_PART = re.compile(r"(\d+)(?:[ \t]*([–—-])[ \t]*(\d+))?")


def renumbered(layout: Layout, cuts: list[Cut]) -> tuple[list[Edit], list[Cut]]:
    """New numbers for the items that are left, and for the markers that point to them."""
    edits: list[Edit] = []
    pointed = _pointed(layout)
    dropped: list[Cut] = []
    for owner in layout.lists:
        numbers = _numbers(owner, cuts)
        if numbers is None:
            continue
        for item in owner.items:
            new = numbers.get(item.number or 0)
            if new is not None and new != item.number:
                edits.append(_number(item.digits, str(new)))
        if owner is pointed:
            known: dict[str, str | None] = {}
            for match in _markers(layout):
                if match.group() not in known:
                    known[match.group()] = _remapped(match.group(), numbers)
                text = known[match.group()]
                if text is None:
                    dropped.append(Cut(match.start(), match.end()))
                elif text != match.group():
                    edits.append(_number(match.span(), text))
    return edits, dropped


def _number(where: tuple[int, int], text: str) -> Edit:
    return Edit(span=Span(start=where[0], end=where[1]), replacement=text, why="numbered again")


def _numbers(owner: ItemList, cuts: list[Cut]) -> dict[int, int | None] | None:
    """Old number → new number (`None`: gone), or `None` where nothing changes or numbers repeat."""
    old = [item.number for item in owner.items]
    gone = [inside(cuts, item.start, item.content) for item in owner.items]
    if None in old or len(set(old)) < len(old) or not any(gone):
        return None
    numbers: dict[int, int | None] = {}
    following = old[0] or 0
    for number, is_gone in zip(old, gone, strict=True):
        numbers[number or 0] = None if is_gone else following
        following += not is_gone
    return numbers


def _pointed(layout: Layout) -> ItemList | None:
    """The list that markers like [3] point to: the last of the form "[3] …", else the last numbered one."""
    numbered = [owner for owner in layout.lists if owner.items[0].number is not None and not owner.nested]
    bracketed = [owner for owner in numbered if owner.style.startswith("[]")]
    found = bracketed or numbered
    return found[-1] if found else None


def _markers(layout: Layout) -> Iterator[re.Match[str]]:
    starts = {
        item.digits[0] - 1 for owner in layout.lists for item in owner.items if item.style.startswith("[]")
    }
    for match in _MARKER.finditer(layout.text):
        block = layout.block_at(match.start() + 1)
        if match.start() not in starts and (block is None or block.kind == "math"):
            yield match


def _remapped(marker: str, numbers: dict[int, int | None]) -> str | None:
    """The marker after renumbering; `None` if all that it points to is gone.

    Example:
        >>> _remapped("[1, 3]", {1: 1, 2: None, 3: 2})
        '[1, 2]'
    """
    inner, bracket, link = marker[1:].partition("]")
    kept: list[int] = []
    ranged = ""
    for match in _PART.finditer(inner):
        low, high = int(match.group(1)), int(match.group(3) or match.group(1))
        if low not in numbers or high not in numbers:
            return marker
        ranged = ranged or match.group(2) or ""
        found = [numbers.get(old) for old in range(low, min(high, low + 1000) + 1)]
        kept += [new for new in found if new is not None]
    if not kept:
        return None
    joint = ", " if re.search(r"[,;]\s", inner) or ranged else ","
    return "[" + joint.join(_runs(kept, ranged)) + bracket + link


def _runs(numbers: list[int], dash: str) -> Iterator[str]:
    index = 0
    while index < len(numbers):
        stop = index
        while dash and stop + 1 < len(numbers) and numbers[stop + 1] == numbers[stop] + 1:
            stop += 1
        if stop - index >= 2 or (dash and stop - index == 1 and len(numbers) == 2):
            yield f"{numbers[index]}{dash}{numbers[stop]}"
            index = stop + 1
        else:
            yield str(numbers[index])
            index += 1
