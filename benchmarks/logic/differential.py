"""Sets of years against Definition 1, on random formulas over random histories."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass

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
from guardrail.logic.temporal.intervals import IntervalSet, Span
from guardrail.logic.temporal.semantics import value

__all__ = ["DEPTH", "WINDOW", "Differential", "Disagreement", "compare", "differential", "random_case"]

DEPTH = 4
NAMES = ("a", "b", "c")
LEAST = (
    0,
    0,
    1,
    2,
    3,
)  # first bounds drawn from, and what is added for the second: a = 0 and a = b are frequent
WIDER = (0, 0, 1, 2, 4)
LONGER = (0, 0, 0, 1, 2, 5)  # years from the first to the last of a span: single years are frequent
EARLIEST, LATEST = 0, 21  # years in which an event starts or ends
REACH = DEPTH * (max(LEAST) + max(WIDER))  # how far ahead a formula looks
# Before and after these years every event goes on as it does at their ends, and so does every formula: agreement
# within them, and no change outside, is agreement in all years.
WINDOW = range(EARLIEST - REACH - 2, LATEST + 3)

Spans = Mapping[str, list[Span]]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A formula that two evaluators see differently.

    Attributes:
        formula: the formula.
        spans: the history.
        years: of the window in which they differ; empty where the set changes outside of it.
    """

    formula: Formula
    spans: Spans
    years: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Differential:
    """What a comparison found.

    Attributes:
        formulas: how many were compared, each in every year of `WINDOW`.
        operators: how often each operator was in them.
        sometimes: how many formulas were true in some years and false in others.
        found: the disagreements.
        seconds: by the clock.
    """

    formulas: int
    operators: Mapping[str, int]
    sometimes: int
    found: tuple[Disagreement, ...]
    seconds: float


def differential(count: int, seed: int) -> Differential:
    """Compare `count` random formulas, each over a history of its own, in every year that can matter."""
    rng = random.Random(seed)
    operators: dict[str, int] = {}
    found: list[Disagreement] = []
    sometimes = 0
    started = time.perf_counter()
    for number in range(count):
        formula, spans = random_case(rng, depth=number % (DEPTH + 1))
        for node in formula.walk():
            operators[node.op] = operators.get(node.op, 0) + 1
        disagreement, changes = compare(formula, spans)
        sometimes += changes
        if disagreement is not None:
            found.append(disagreement)
    return Differential(count, operators, sometimes, tuple(found), time.perf_counter() - started)


def compare(formula: Formula, spans: Spans) -> tuple[Disagreement | None, bool]:
    """Both evaluators in every year of the window; whether the formula changes at all."""
    points = Points(formula, spans)
    by_sets = value(formula, {name: IntervalSet(several) for name, several in spans.items()})
    years = tuple(year for year in WINDOW if points.at(year) != (year in by_sets))
    ends = [end for span in by_sets for end in span if isinstance(end, int)]
    outside = any(not WINDOW[0] < end < WINDOW[-1] for end in ends)
    return (Disagreement(formula, spans, years) if years or outside else None), bool(ends)


def random_case(rng: random.Random, *, depth: int) -> tuple[Formula, Spans]:
    """A formula of just this depth, and spans of its events: apart, adjacent, overlapping, without end."""
    return _formula(rng, depth), {name: _spans(rng) for name in NAMES}


def _formula(rng: random.Random, depth: int) -> Formula:
    if depth == 0:
        return Atom(rng.choice(NAMES))
    least = rng.choice(LEAST)
    most = least + rng.choice(WIDER)
    one, other = depth - 1, rng.randint(0, depth - 1)
    if rng.random() < 0.5:
        one, other = other, one
    match rng.choice("!NFGU&|>"):
        case "!":
            return Not(_formula(rng, depth - 1))
        case "N":
            return Next(_formula(rng, depth - 1))
        case "F":
            return Finally(_formula(rng, depth - 1), least, most)
        case "G":
            return Globally(_formula(rng, depth - 1), least, most)
        case "U":
            return Until(_formula(rng, one), _formula(rng, other), least, most)
        case "&":
            return And(_formula(rng, one), _formula(rng, other))
        case "|":
            return Or(_formula(rng, one), _formula(rng, other))
        case _:
            return Implies(_formula(rng, one), _formula(rng, other))


def _spans(rng: random.Random) -> list[Span]:
    spans: list[Span] = []
    for _ in range(rng.choice((0, 1, 1, 2, 3, 4))):
        first = rng.randint(EARLIEST, LATEST - max(LONGER))
        spans.append((first, first + rng.choice(LONGER)))
    if spans and rng.random() < 0.2:
        last = spans[-1][1]
        spans.append(
            (last + 1, last + 1 + rng.choice((0, 1))) if last < LATEST - 1 else (last, last)
        )  # adjacent
    if rng.random() < 0.1:
        spans.append((-math.inf, rng.randint(EARLIEST, 4)))
    if rng.random() < 0.1:
        spans.append((rng.randint(10, LATEST), math.inf))
    rng.shuffle(spans)
    return spans
