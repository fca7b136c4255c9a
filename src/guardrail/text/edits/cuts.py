"""Cuts as a set of intervals: joined, and asked what they cover."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field

from guardrail.text.layout import Block

__all__ = ["Cut", "anything_left", "inside", "touched", "united"]


@dataclass(slots=True)
class Cut:
    """A stretch of text to cut, the reasons, and what takes its place."""

    start: int
    end: int
    whys: list[str] = field(default_factory=list)
    replacement: str = ""


def united(cuts: Iterable[Cut]) -> list[Cut]:
    """Cuts in order, those that overlap or touch as one."""
    united: list[Cut] = []
    for cut in sorted(cuts, key=lambda cut: (cut.start, cut.end)):
        if united and cut.start <= united[-1].end:
            united[-1].end = max(united[-1].end, cut.end)
            united[-1].whys += cut.whys
        else:
            united.append(Cut(cut.start, cut.end, list(cut.whys)))
    return united


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
        if any(c.isalnum() for c in text[position:stop]):
            return True
        if index >= len(cuts):
            return False
        position = max(stop, cuts[index].end)
        index += 1
    return False


def touched(cuts: list[Cut], block: Block) -> bool:
    """Whether one of the cuts takes something of the block."""
    index = bisect_left(cuts, block.end, key=lambda cut: cut.start) - 1
    return index >= 0 and cuts[index].end > block.start
