"""Test cases: random formulas over events that overlap, in years close to where their truth changes.

Every answer is proved twice: by `semantics` and, independently, by `points`.
"""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

from guardrail.errors import ConfigError, InputError
from guardrail.logic.paper.questions.reproof import Disagreement
from guardrail.logic.paper.temporal.english import question
from guardrail.logic.paper.temporal.explanation import explain
from guardrail.logic.paper.temporal.points import Points
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
from guardrail.logic.temporal.intervals import IntervalSet
from guardrail.logic.temporal.semantics import History, value

Operator: TypeAlias = type[Not | Next | Finally | Globally | And | Or | Implies | Until]

OPERATORS: Sequence[Operator] = (Not, Next, Finally, Globally, And, Or, Implies, Until)
DEPTHS = (1, 2, 3)  # of formulas
MOST_WAITING = 20  # years before a window opens
MOST_WIDTH = 30  # years from its opening to its end
NEAR = 3  # years between the year asked of and the nearest change, at most, where the spans are that long
NEIGHBOURS = 40  # years around an event, within which others are drawn to it
ATTEMPTS = 200  # per case: formulas and years drawn before a cell counts as used up


@dataclass(frozen=True, slots=True)
class Case:
    """A question with its answer and the reason.

    Attributes:
        formula: what is asked.
        year: the year it is asked of.
        question: in English.
        answer: whether the formula is true in the year.
        value: all years in which it is true.
        explanation: why it is true or false, several lines.
        spans: the events of the formula with their years: name, first year, last year; one event may have several.
    """

    formula: Formula
    year: int
    question: str
    answer: bool
    value: IntervalSet
    explanation: str
    spans: tuple[tuple[str, int, int], ...]

    def to_json(self) -> dict[str, Any]:
        """The case as JSON objects; an infinite end of a span is `None`."""
        spans = [[end if isinstance(end, int) else None for end in span] for span in self.value]
        return {
            "formula": str(self.formula),
            "ast": self.formula.to_json(),
            "outer": self.formula.op,
            "depth": self.formula.depth,
            "year": self.year,
            "question": self.question,
            "answer": self.answer,
            "intervals": spans,
            "explanation": self.explanation,
            "spans": [list(span) for span in self.spans],
        }


def generate(
    history: History,
    *,
    count: int = 2000,
    seed: int = 0,
) -> list[Case]:
    """Cases over the events of a history, the same for the same arguments.

    They take turns: each operator at each depth as outermost one, and events alone, with Yes and No in alternation
    within each. No formula is asked twice of one year, neither a formula nor any part of it is always or never true, and
    every answer is proved again year by year.

    Args:
        history: the events; those without a year, or going on forever, are left out.
        count: how many cases.
        seed: of the random numbers.

    Raises:
        ConfigError: the count is below 1.
        InputError: the history has no two events, or too few for so many cases.
        Disagreement: the two proofs of an answer differ.
    """
    if count < 1:
        raise ConfigError(f"expected count ≥ 1, got {count!r}")
    source = _Source(history, random.Random(seed))  # noqa: S311  # nothing secret is drawn
    found = list(islice(_cases(source), count))
    if len(found) < count:
        raise InputError(
            f"expected events for {count} cases, got {len(source.names)} events, enough for {len(found)}: "
            "ask for fewer, or give more events"
        )
    return found


def _cases(source: _Source) -> Iterator[Case]:
    cells: list[tuple[Operator | None, int]] = [(None, 0)]
    cells += [(operator, depth) for depth in DEPTHS for operator in OPERATORS]
    wanted = dict.fromkeys(cells, True)
    seen: set[tuple[Formula, int]] = set()
    while wanted:
        for cell in list(wanted):
            drawn = source.draw(cell, seen, answer=wanted[cell])
            if drawn is None:
                del wanted[cell]
                continue
            wanted[cell] = not wanted[cell]
            seen.add(drawn)
            yield _case(*drawn, source.history)


def _case(formula: Formula, year: int, history: Mapping[str, IntervalSet]) -> Case:
    explanation = explain(formula, year, history)
    answer = explanation.holds
    years = {name: history[name].spans for name in sorted(formula.atoms())}
    if Points(formula, years).at(year) != answer:
        raise Disagreement(f"{formula} in {year}: {answer} by sets of years, {not answer} year by year")
    spans = tuple((name, int(first), int(last)) for name, several in years.items() for first, last in several)
    return Case(
        formula, year, question(formula, year), answer, explanation.values[formula], str(explanation), spans
    )


class _Source:
    """Draws formulas and years."""

    def __init__(self, history: History, rng: random.Random) -> None:
        finite = {name: years for name, years in history.items() if years and _is_finite(years)}
        if len(finite) < 2:
            raise InputError(f"expected at least two events with years, got {len(finite)}")
        self.history = finite
        self.rng = rng
        self.names = sorted(finite, key=lambda name: (finite[name].spans[0], name))
        self.starts = [int(finite[name].spans[0][0]) for name in self.names]

    def draw(
        self, cell: tuple[Operator | None, int], seen: set[tuple[Formula, int]], *, answer: bool
    ) -> tuple[Formula, int] | None:
        """A formula of the cell and a year in which it has this answer; `None` if none was found."""
        operator, depth = cell
        for _ in range(ATTEMPTS):
            names = self._neighbours()
            formula = Atom(names[0]) if operator is None else self._grow(operator, depth, iter(names), names)
            if any(
                not years or not ~years for years in (value(part, self.history) for part in formula.walk())
            ):
                continue  # a part that is always true, or never, asks nothing
            year = self._year(value(formula, self.history), answer=answer)
            if year is not None and (formula, year) not in seen:
                return formula, year
        return None

    def _neighbours(self) -> list[str]:
        """Events in random order, the first drawn from all, the others from those of about that time."""
        first = self.rng.choice(self.names)
        spans = self.history[first].spans
        start, end = int(spans[0][0]) - NEIGHBOURS, int(spans[-1][1]) + NEIGHBOURS
        low, high = bisect_left(self.starts, start), bisect_right(self.starts, end)
        near = {self.names[self.rng.randrange(low, high)] for _ in range(12)} - {first}
        return [first, *self.rng.sample(sorted(near), len(near))]

    def _grow(self, operator: Operator, depth: int, pool: Iterator[str], names: list[str]) -> Formula:
        """A formula of just this depth; each event is used once while there are others in the pool."""
        if issubclass(operator, Not | Next | Finally | Globally):
            arg = self._part(depth - 1, pool, names, outer=operator)
            return (
                operator(arg, *self._bounds()) if issubclass(operator, Finally | Globally) else operator(arg)
            )
        deep, shallow = depth - 1, self.rng.randint(0, depth - 1)
        left, right = (deep, shallow) if self.rng.random() < 0.5 else (shallow, deep)
        a, b = self._part(left, pool, names, outer=operator), self._part(right, pool, names, outer=operator)
        return operator(a, b, *self._bounds()) if issubclass(operator, Until) else operator(a, b)

    def _part(self, depth: int, pool: Iterator[str], names: list[str], *, outer: Operator) -> Formula:
        if depth == 0:
            return Atom(next(pool, None) or self.rng.choice(names))
        others = [one for one in OPERATORS if not (one is outer and one in {Not, Next})]
        return self._grow(self.rng.choice(others), depth, pool, names)

    def _bounds(self) -> tuple[int, int]:
        least = self.rng.choice((0, 0, self.rng.randint(1, 5), self.rng.randint(1, MOST_WAITING)))
        return least, least + self.rng.randint(1, MOST_WIDTH)

    def _year(self, years: IntervalSet, *, answer: bool) -> int | None:
        """A year with this answer close to where the answer changes; `None` if it never does."""
        edges: list[tuple[int, int]] = []  # the first year with the answer, and the way from the edge
        for first, last in years if answer else ~years:
            if isinstance(first, int):
                edges.append((first, 1))
            if isinstance(last, int):
                edges.append((last, -1))
        if not edges:
            return None
        edge, way = self.rng.choice(edges)
        inside = [edge + way * step for step in range(NEAR + 1)]
        return self.rng.choice([year for year in inside if (year in years) == answer])


def _is_finite(years: IntervalSet) -> bool:
    return all(isinstance(end, int) for span in years for end in span)
