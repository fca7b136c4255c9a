"""Definition 1 of [li2025] read year by year: slow, obvious, and independent of the sets of `semantics`.

It proves the answers of generated cases again, and the tests compare `semantics` with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

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

Spans: TypeAlias = Mapping[str, Iterable[tuple[float, float]]]


class Points:
    """A formula, asked year by year; what was found for a part and a year is kept.

    The time grows with the bounds: for wide ones use `semantics`.

    Args:
        formula: what is asked.
        spans: closed intervals of years by event, in any order, overlapping or not.

    Raises:
        InputError: the formula names an event without an entry.

    Example:
        >>> points = Points(Finally(Atom("era"), 0, 40), {"era": [(1837, 1901)]})
        >>> points.at(1797), points.at(1796)
        (True, False)
    """

    def __init__(self, formula: Formula, spans: Spans) -> None:
        for name in formula.atoms():
            if name not in spans:
                raise InputError(
                    f"expected an event with spans, got {name!r:.200}: give it an empty list for never"
                )
        self.formula = formula
        self.spans = spans
        self.known: dict[tuple[int, int], bool] = {}  # by id of the part, which the formula keeps alive

    def at(self, year: int) -> bool:
        """Whether the formula is true in the year."""
        return self._true(self.formula, year)

    def _true(self, part: Formula, t: int) -> bool:
        key = id(part), t
        if key not in self.known:
            self.known[key] = self._read(part, t)
        return self.known[key]

    def _read(self, part: Formula, t: int) -> bool:
        true = self._true
        match part:
            case Atom(name):
                return any(first <= t <= last for first, last in self.spans[name])
            case Not(phi):
                return not true(phi, t)
            case And(phi, psi):
                return true(phi, t) and true(psi, t)
            case Or(phi, psi):
                return true(phi, t) or true(psi, t)
            case Implies(phi, psi):
                return true(psi, t) if true(phi, t) else True
            case Next(phi):
                return true(phi, t + 1)
            case Finally(phi, a, b):
                return any(true(phi, t + d) for d in range(a, b + 1))
            case Globally(phi, a, b):
                return all(true(phi, t + d) for d in range(a, b + 1))
            case Until(phi, psi, a, b):
                return any(
                    true(psi, t + d) and all(true(phi, k) for k in range(t + 1, t + d))
                    for d in range(a, b + 1)
                )
