"""A text with other words in some of its places."""

from __future__ import annotations

from collections.abc import Iterable


def spliced(text: str, places: Iterable[tuple[int, int, str]]) -> str:
    """The text with something else at each `text[start:end]`; the places are in order and disjoint.

    >>> spliced("one two three", [(0, 4, ""), (8, 13, "3")])
    'two 3'
    """
    parts: list[str] = []
    at = 0
    for start, end, instead in places:
        parts += [text[at:start], instead]
        at = end
    return "".join([*parts, text[at:]])
