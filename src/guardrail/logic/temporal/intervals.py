"""Sets of whole years as closed intervals: sorted, disjoint, not adjacent, ends possibly infinite."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from guardrail.errors import InputError

MOST_SPANS = 6  # that `in_words` names; a set of hundreds of spans stays readable

End: TypeAlias = int | float  # an int, or -inf, or +inf
Span: TypeAlias = tuple[End, End]


class IntervalSet:
    """An immutable set of whole years.

    There is one way to write each set: `spans` are its maximal intervals in order, with at least one absent
    year between any two. So sets are equal exactly when their spans are. All operations take time linear in the
    number of spans of their operands, and none depends on how long a span is.

    Args:
        spans: closed intervals (first, last) in any order, overlapping or not; an end is an `int`, or the first
            `-math.inf`, or the last `math.inf`.

    Raises:
        InputError: a span ends before it starts, or an end is no whole year.

    Example:
        >>> IntervalSet([(1914, 1918), (1939, 1945), (1919, 1920)])
        IntervalSet([(1914, 1920), (1939, 1945)])
    """

    __slots__ = ("spans",)
    spans: tuple[Span, ...]

    def __init__(self, spans: Iterable[Span] = ()) -> None:
        given = [(first, last) for first, last in spans]
        for first, last in given:
            _check(first, last)
        object.__setattr__(self, "spans", _merged(sorted(given)))

    @classmethod
    def _of(cls, spans: Iterable[Span]) -> IntervalSet:
        """From spans sorted by their first years; they may touch or overlap."""
        made = cls.__new__(cls)
        object.__setattr__(made, "spans", _merged(spans))
        return made

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an IntervalSet does not change: make another one in place of setting {name!r}")

    def __reduce__(self) -> tuple[type[IntervalSet], tuple[list[Span]]]:
        return IntervalSet, (list(self.spans),)

    def __repr__(self) -> str:
        return f"IntervalSet({list(self.spans)!r})"

    def __eq__(self, other: object) -> bool:
        return self.spans == other.spans if isinstance(other, IntervalSet) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.spans)

    def __iter__(self) -> Iterator[Span]:
        return iter(self.spans)

    def __len__(self) -> int:
        """The number of maximal intervals."""
        return len(self.spans)

    def __bool__(self) -> bool:
        return bool(self.spans)

    def __contains__(self, year: object) -> bool:
        return isinstance(year, int) and self.around(year) is not None

    def around(self, year: int) -> Span | None:
        """The maximal interval that contains a year, `None` if the year is not in the set."""
        number = bisect_right(self.spans, (year, math.inf)) - 1
        return self.spans[number] if number >= 0 and year <= self.spans[number][1] else None

    def first_from(self, year: int) -> int | None:
        """The first year of the set that is `year` or later, `None` if there is none."""
        if year in self:
            return year
        number = bisect_right(self.spans, (year, math.inf))
        return int(self.spans[number][0]) if number < len(self.spans) else None

    def __or__(self, other: IntervalSet) -> IntervalSet:
        """Years in either set."""
        # Sorting two sorted runs is one merge in Python's sort, so linear.
        return self._of(sorted(self.spans + other.spans))

    def __and__(self, other: IntervalSet) -> IntervalSet:
        """Years in both sets."""
        return self._of(_overlaps(self.spans, other.spans))

    def __invert__(self) -> IntervalSet:
        """All other years, without any bound on time."""
        gaps: list[Span] = []
        start: End = -math.inf
        for first, last in self.spans:
            if start < first:
                gaps.append((start, plus(first, -1)))
            start = plus(last, 1)
        if start < math.inf:
            gaps.append((start, math.inf))
        return self._of(gaps)

    def shift(self, years: int) -> IntervalSet:
        """The set moved by so many years, later where positive."""
        return self._of((plus(first, years), plus(last, years)) for first, last in self.spans)

    def dilate(self, least: int, most: int) -> IntervalSet:
        """The years t with t + d in the set for *some* d from `least` to `most`: [s - most, e - least] for each span.

        Example:
            >>> IntervalSet([(1837, 1901)]).dilate(0, 40)
            IntervalSet([(1797, 1901)])
        """
        return self._of((plus(first, -most), plus(last, -least)) for first, last in self.spans)

    def erode(self, least: int, most: int) -> IntervalSet:
        """The years t with t + d in the set for *every* d from `least` to `most`: [s - least, e - most] if not empty.

        Right because spans are maximal: the years from t + least to t + most have no gap, so they lie in the
        set exactly if they lie in one span.

        Example:
            >>> IntervalSet([(1837, 1901)]).erode(30, 50)
            IntervalSet([(1807, 1851)])
        """
        moved = ((plus(first, -least), plus(last, -most)) for first, last in self.spans)
        return self._of((first, last) for first, last in moved if first <= last)


def in_words(years: IntervalSet) -> str:
    """A set of years for a reader.

    Example:
        >>> in_words(IntervalSet([(-math.inf, 1836), (1850, 1850), (1902, math.inf)]))
        'until 1836, 1850, from 1902 on'
    """
    if not years:
        return "never"
    said = [_span_in_words(first, last) for first, last in years.spans[:MOST_SPANS]]
    more = len(years) - MOST_SPANS
    return ", ".join([*said, f"and {more} more spans"] if more > 0 else said)


def _span_in_words(first: float, last: float) -> str:
    if first == -math.inf:
        return "always" if last == math.inf else f"until {last}"
    if last == math.inf:
        return f"from {first} on"
    if first == last:
        return str(first)
    return f"{first}-{last}" if first >= 0 else f"{first} to {last}"


def plus(end: End, years: int) -> End:
    """An end moved; infinity stays, also where the years are too many for a `float`."""
    return end + years if isinstance(end, int) else end


def _check(first: End, last: End) -> None:
    if not (_is_year(first) or first == -math.inf) or not (_is_year(last) or last == math.inf):
        raise InputError(
            f"expected a span of whole years, or -inf for the first, inf for the last, got ({first!r}, {last!r})"
        )
    if first > last:
        raise InputError(f"expected a span that ends where it starts or later, got ({first}, {last})")


def _is_year(end: object) -> bool:
    return isinstance(end, int) and not isinstance(end, bool)


def _merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    found: list[Span] = []
    for first, last in spans:
        if found and first <= plus(found[-1][1], 1):
            if last > found[-1][1]:
                found[-1] = (found[-1][0], last)
        else:
            found.append((first, last))
    return tuple(found)


def _overlaps(a: tuple[Span, ...], b: tuple[Span, ...]) -> Iterator[Span]:
    i = j = 0
    while i < len(a) and j < len(b):
        first, last = max(a[i][0], b[j][0]), min(a[i][1], b[j][1])
        if first <= last:
            yield first, last
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1
