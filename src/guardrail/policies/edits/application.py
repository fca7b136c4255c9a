"""Edits of one text: applied, and put together."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from guardrail.policies.edits.wording import joined_once
from guardrail.report import Edit, Span


def replacement(start: int, end: int, words: str, why: str) -> Edit:
    """Words in the place of `text[start:end]`."""
    return Edit(span=Span(start=start, end=end), replacement=words, why=why)


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text after the edits. An edit that overlaps an earlier one is left out."""
    pieces, position = [], 0
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end)):
        if edit.span.start < position or edit.span.end > len(text):
            continue
        pieces += [text[position : edit.span.start], edit.replacement]
        position = edit.span.end
    return "".join([*pieces, text[position:]])


def merge(first: Sequence[Edit], second: Sequence[Edit]) -> tuple[Edit, ...]:
    """Edits of one text together: an insertion into what is cut moves to where the cut begins.

    Of two replacements that overlap, the first stays, but for a later one around it; insertions at one place are joined.
    """
    taken = sorted((edit for edit in first if edit.span.end > edit.span.start), key=lambda e: e.span.start)
    starts = [edit.span.start for edit in taken]
    fresh: list[Edit] = []
    wider = [edit for edit in second if edit.span.end > edit.span.start and _is_around(edit, taken, starts)]
    if wider:
        taken = [one for one in taken if not any(_contains(edit, one) for edit in wider)]
        starts = [edit.span.start for edit in taken]
    for edit in second:
        index = bisect_left(starts, edit.span.end) - 1
        if edit.span.end > edit.span.start and (index < 0 or taken[index].span.end <= edit.span.start):
            fresh.append(edit)
    taken += fresh
    taken.sort(key=lambda edit: edit.span.start)
    starts = [edit.span.start for edit in taken]
    inserted: dict[int, Edit] = {}
    for edit in (*first, *second):
        if edit.span.end > edit.span.start:
            continue
        place = edit.span.start
        index = bisect_left(starts, place) - 1
        if index >= 0 and place < taken[index].span.end:
            place = taken[index].span.start
        other = inserted.get(place)
        if other is None:
            inserted[place] = edit.model_copy(update={"span": Span(start=place, end=place)})
        elif edit.replacement not in other.replacement:
            inserted[place] = Edit(
                span=other.span,
                replacement=other.replacement + edit.replacement,
                why=joined_once([other.why, edit.why]),
            )
    return tuple(sorted((*taken, *inserted.values()), key=lambda edit: (edit.span.start, edit.span.end)))


def _contains(outer: Edit, inner: Edit) -> bool:
    """Whether an edit is around another one and wider."""
    a, b = outer.span, inner.span
    return a.start <= b.start and b.end <= a.end and a != b


def _is_around(edit: Edit, taken: Sequence[Edit], starts: Sequence[int]) -> bool:
    """Whether an edit is around every one of those in order that it overlaps."""
    near = range(max(0, bisect_left(starts, edit.span.start) - 1), bisect_left(starts, edit.span.end))
    overlapping = [taken[i] for i in near if taken[i].span.overlaps(edit.span)]
    return bool(overlapping) and all(_contains(edit, one) for one in overlapping)
