"""Cuts as a set of intervals: joined, and asked what they cover."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field

ALNUM = re.compile(r"[^\W_]")


@dataclass(slots=True)
class Cut:
    """A stretch of text to cut, the reasons (each once, in order), and what takes its place."""

    start: int
    end: int
    whys: dict[str, None] = field(default_factory=dict)
    replacement: str = ""


def past(text: str, start: int, end: int, blanks: str | None = None) -> int:
    """Where `text[start:end]` begins without the blanks, or other characters, that it begins with."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip(blanks))


def united(cuts: Iterable[Cut]) -> list[Cut]:
    """Cuts in order, those that overlap or touch as one."""
    found: list[Cut] = []
    for cut in sorted(cuts, key=lambda cut: (cut.start, cut.end)):
        if found and cut.start <= found[-1].end:
            found[-1].end = max(found[-1].end, cut.end)
            found[-1].whys |= cut.whys
        else:
            found.append(Cut(cut.start, cut.end, dict(cut.whys)))
    return found


def inside(cuts: list[Cut], start: int, end: int) -> bool:
    """Whether one of the cuts covers `text[start:end]`."""
    index = bisect_right(cuts, start, key=lambda cut: cut.start) - 1
    return index >= 0 and end <= cuts[index].end


def anything_left(text: str, cuts: list[Cut], start: int, end: int) -> bool:
    """Whether a letter or digit of `text[start:end]` is left."""
    index = max(bisect_right(cuts, start, key=lambda cut: cut.start) - 1, 0)
    position = start
    while position < end:
        stop = end
        if index < len(cuts):
            stop = min(end, max(cuts[index].start, position))
        if ALNUM.search(text, position, stop):
            return True
        if index >= len(cuts):
            return False
        position = max(stop, cuts[index].end)
        index += 1
    return False


def overlapped(cuts: list[Cut], start: int, end: int) -> bool:
    """Whether one of the cuts takes something of `text[start:end]`."""
    index = bisect_left(cuts, end, key=lambda cut: cut.start) - 1
    return index >= 0 and cuts[index].end > start
