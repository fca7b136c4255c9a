"""When a formula is true: its value as a set of years.

Every value is exact, over all years without bounds, and takes time linear in the spans of its parts, however
long the spans and however wide the bounds are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias, assert_never

from guardrail.errors import InputError
from guardrail.logic.temporal.formula import (
    And,
    Atom,
    Finally,
    Formula,
    Globally,
    Implies,
    Next,
    Not,
    Or,
    Until,
)
from guardrail.logic.temporal.intervals import End, IntervalSet, Span, plus

History: TypeAlias = Mapping[str, IntervalSet]  # which events were going on in which years


def value(formula: Formula, history: History) -> IntervalSet:
    """The years in which a formula is true.

    [li2025] Definition 1; the paper's rules (Fig. 11) differ: see `docs/design/logic.md`.

    Raises:
        InputError: the formula names an event that the history does not have. Where an event is to count as
            never going on, give it no span: `{"name": IntervalSet()}`.

    Example:
        >>> from guardrail.logic.temporal.notation import parse
        >>> victorian = {"victorian_era": IntervalSet([(1837, 1901)])}
        >>> value(parse("F[0,40] victorian_era"), victorian)
        IntervalSet([(1797, 1901)])
        >>> value(parse("!N victorian_era"), victorian)
        IntervalSet([(-inf, 1835), (1901, inf)])
    """
    match formula:
        case Atom(name):
            if name not in history:
                raise InputError(
                    f"expected an event of the history ({len(history)} events), got {name!r:.200}: "
                    "what is unknown is not false; add it, with no span if it never happened"
                )
            return history[name]
        case Not(arg):
            return ~value(arg, history)
        case Next(arg):
            return value(arg, history).shift(-1)
        case Finally(arg, least, most):
            return value(arg, history).dilate(least, most)
        case Globally(arg, least, most):
            return value(arg, history).erode(least, most)
        case And(left, right):
            return value(left, history) & value(right, history)
        case Or(left, right):
            return value(left, history) | value(right, history)
        case Implies(left, right):
            return ~value(left, history) | value(right, history)
        case Until(left, right, least, most):
            return until(value(left, history), value(right, history), least=least, most=most)
        case other:
            assert_never(other)


def holds(formula: Formula, year: int, history: History) -> bool:
    """Whether a formula is true in a year.

    Raises:
        InputError: as `value`.
    """
    return year in value(formula, history)


def until(left: IntervalSet, right: IntervalSet, *, least: int, most: int) -> IntervalSet:
    """The years t with t + d in `right` for some d, least ≤ d ≤ most, and all k, t < k < t + d, in `left`.

    Proof sketch. Write w = t + d for the year that ends the waiting.

    *d ≤ 1*: no k lies between, so the years are those of `right`, dilated by [least, min(most, 1)].

    *d ≥ 2*: the years t+1 … w-1 are at least one, without gap, so they are in `left` exactly if they are in one
    of its maximal spans [s, e]: s - 1 ≤ t and w ≤ e + 1. With a = max(least, 2), t is a solution for this span
    exactly if some w of `right` has w ≤ e + 1, t ≥ s - 1 and a ≤ w - t ≤ most. As w ≥ t + 2, such a w is ≥ s + 1:
    only the part of `right` in the window [s + 1, e + 1] counts. A span [p, q] of that part gives, over all its w
    at once, t from p - most to q - a (each such t has a w, because p … q has no gap), cut at s - 1:
    [max(p - most, s - 1), q - a], nothing if empty.

    *Linear*: maximal spans leave a year between them, so windows are disjoint and not adjacent, intersecting them
    with `right` is one merge, and each piece lies in exactly one window. Pieces come in order, and so do the
    first years of their results. No step looks at single values of d.

    Example:
        >>> dickens, victorian = IntervalSet([(1812, 1870)]), IntervalSet([(1837, 1901)])
        >>> until(dickens, victorian, least=10, most=20)
        IntervalSet([(1817, 1861)])
        >>> until(dickens, victorian, least=0, most=10**6)  # until 1901 the era itself is there at once
        IntervalSet([(1811, 1901)])
    """
    at_once = right.dilate(least, min(most, 1)) if least <= 1 else IntervalSet()
    if most < 2:
        return at_once
    return at_once | IntervalSet(_after_waiting(left, right, max(least, 2), most))


def _after_waiting(left: IntervalSet, right: IntervalSet, least: int, most: int) -> Iterator[Span]:
    windows = IntervalSet((plus(first, 1), plus(last, 1)) for first, last in left)
    starts = iter(left)
    start: End = 0
    window_end: End | None = None
    for p, q in windows & right:
        while window_end is None or p > window_end:
            start, last = next(starts)
            window_end = plus(last, 1)
        first, last = max(plus(p, -most), plus(start, -1)), plus(q, -least)
        if first <= last:
            yield first, last
