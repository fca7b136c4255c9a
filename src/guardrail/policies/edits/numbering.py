"""New numbers for what is left of a list, and for the markers that point to it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from guardrail.policies.edits.application import replacement
from guardrail.policies.edits.cuts import Cut, inside, overlapped
from guardrail.report import Edit
from guardrail.text.layout import ItemList, Layout

NUMBERED_AGAIN = "numbered again"
"""The reason of an edit that gives a list item or a marker its new number, and takes nothing away."""

MARKER = r"\[\^?[ \t]*\d{1,4}(?:[ \t]*[,;–—-][ \t]*\d{1,4}){0,40}[ \t]*\](?:\([^()\s]*\))?"
CITE = r"\\cite[a-z]{0,9}\*?(?:\[[^\[\]\n]{0,80}\]){0,2}\{[^{}\n]{1,300}\}"
_MARKER = re.compile(MARKER)
_CITE = re.compile(CITE)
_POINTER = re.compile(
    r"(?:(?<![\w&/])#|\b(?:numbers?|no\.|nr\.|papers?|items?|entry|entries|references?)[ \t]+#?)(\d{1,4})\b(?!\.\d)",
    re.IGNORECASE,
)
_PART = re.compile(r"(\d+)(?:[ \t]*([–—-])[ \t]*(\d+))?")


@dataclass(frozen=True, slots=True)
class _Numbers:
    """Of a list whose numbers ascend: all old numbers, those that are left, and the first new one.

    `gaps`: what is left keeps its old number, since the text points to it in words.
    """

    known: frozenset[int]
    kept: list[int]
    first: int
    gaps: bool = False

    def between(self, low: int, high: int) -> Sequence[int]:
        """The new numbers of what is left from old number `low` to `high`."""
        begin, end = bisect_left(self.kept, low), bisect_right(self.kept, high)
        return self.kept[begin:end] if self.gaps else range(self.first + begin, self.first + end)


def renumbering(layout: Layout, cuts: list[Cut]) -> tuple[list[Edit], list[Cut]]:
    """New numbers for the items that are left, and for the markers that point to them.

    Returns:
        The edits, and the markers of which nothing is left.
    """
    edits: list[Edit] = []
    dropped: list[Cut] = []
    pointers = _pointers(layout, cuts)
    pointed = [_pointed(layout, note=False), _pointed(layout, note=True)]
    for owner in layout.lists:
        numbers = _numbers(owner, cuts, pointers)
        if numbers is None:
            continue
        for item in owner.items:
            new = numbers.between(item.number or 0, item.number or 0)
            if new and new[0] != item.number:
                edits.append(replacement(*item.digits, str(new[0]), NUMBERED_AGAIN))
        if owner in pointed:
            known: dict[str, str | None] = {}
            for match in _markers(layout, note=owner.style.startswith("[^")):
                if match.group() not in known:
                    known[match.group()] = _remapped(match.group(), numbers)
                text = known[match.group()]
                if text is None:
                    dropped.append(Cut(match.start(), match.end()))
                elif text != match.group():
                    edits.append(replacement(*match.span(), text, NUMBERED_AGAIN))
    return edits, dropped


def uncited(layout: Layout, cuts: list[Cut]) -> tuple[list[Edit], list[Cut]]:
    r"""As `renumbering`, for `\cite{key}` and the BibTeX entries that it names."""
    gone = {entry.key for entry in layout.entries if inside(cuts, entry.start, entry.end)}
    edits: list[Edit] = []
    dropped: list[Cut] = []
    for match in _CITE.finditer(layout.text) if gone else ():
        keys = match.group().rpartition("{")[2][:-1].split(",")
        kept = [key for key in keys if key.strip() not in gone]
        if not kept:
            dropped.append(Cut(match.start(), match.end()))
        elif len(kept) < len(keys):
            text = match.group().rpartition("{")[0] + "{" + ",".join(kept).strip() + "}"
            edits.append(replacement(*match.span(), text, NUMBERED_AGAIN))
    return edits, dropped


def _numbers(owner: ItemList, cuts: list[Cut], pointers: list[int]) -> _Numbers | None:
    """`None` where nothing changes, and where the numbers do not ascend: there, nobody counts."""
    old = [item.number for item in owner.items if item.number is not None]
    kept = [
        item.number
        for item in owner.items
        if item.number is not None and not inside(cuts, item.start, item.content)
    ]
    if len(kept) == len(old) or any(a >= b for a, b in pairwise(old)):
        return None
    moved = bisect_left(pointers, min(set(old) - set(kept)))
    return _Numbers(frozenset(old), kept, old[0], gaps=moved < len(pointers) and pointers[moved] <= old[-1])


def _pointers(layout: Layout, cuts: list[Cut]) -> list[int]:
    """The numbers in what is left like "#2" and "paper 2", in order; in an item, "no. 2" is a journal's issue."""
    return sorted(
        int(match.group(1))
        for match in _POINTER.finditer(layout.text)
        if not overlapped(cuts, match.start(), match.end())
        and ((region := layout.region_at(match.start())) is None or region.item is None)
    )


def _pointed(layout: Layout, *, note: bool) -> ItemList | None:
    """The list that markers like [3] point to: the last of the form "[3] …", else the last numbered one.

    Notes like [^3] point to the last list of the form "[^3]: …".
    """
    numbered = [owner for owner in layout.lists if owner.items[0].number is not None and not owner.nested]
    bracketed = [owner for owner in numbered if owner.style.startswith("[^" if note else "[]")]
    found = bracketed or [owner for owner in numbered if not note and not owner.style.startswith("[^")]
    return found[-1] if found else None


def _markers(layout: Layout, *, note: bool) -> Iterator[re.Match[str]]:
    """The markers in prose; those that stand at the start of an item are its number."""
    starts = {item.digits[0] for owner in layout.lists for item in owner.items}
    for match in _MARKER.finditer(layout.text):
        is_note = match.group().startswith("[^")
        block = layout.block_at(match.start() + 1)
        if (
            is_note == note
            and match.start() + 1 + is_note not in starts
            and (block is None or block.kind == "math")
        ):
            yield match


def _remapped(marker: str, numbers: _Numbers) -> str | None:
    """The marker after renumbering; `None` if all that it points to is gone.

    Example:
        >>> _remapped("[1, 3-5]", _Numbers(frozenset({1, 2, 3, 4, 5}), [1, 3, 5], 1))
        '[1, 2, 3]'
    """
    inner, bracket, link = marker[1:].partition("]")
    parts: list[str] = []
    changed = False
    for match in _PART.finditer(inner):
        low, high = int(match.group(1)), int(match.group(3) or match.group(1))
        if low not in numbers.known or high not in numbers.known or low > high:
            return marker
        new = numbers.between(low, high)
        changed = changed or len(new) <= high - low or new[0] != low
        if match.group(2) and len(new) > 2 and new[-1] - new[0] == len(new) - 1:
            parts.append(f"{new[0]}{match.group(2)}{new[-1]}")
        else:
            parts += map(str, new)
    if not changed:
        return marker
    joint = re.search(r"[,;]\s?", inner)
    note = "^" if inner.startswith("^") else ""
    return f"[{note}{(joint.group() if joint else ', ').join(parts)}{bracket}{link}" if parts else None
