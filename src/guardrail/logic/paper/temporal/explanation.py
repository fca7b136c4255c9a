"""Why a formula is true or false in a year, in words: a proof that a reader can follow line by line."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from guardrail.logic.paper.temporal.english import statement
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
from guardrail.logic.temporal.intervals import IntervalSet, in_words, plus
from guardrail.logic.temporal.semantics import History, value


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a proof and the lines that it rests on.

    Attributes:
        formula: what the line is about.
        year: and in which year.
        holds: true if the claim is true then.
        because: the reason in one sentence.
        rests_on: the steps for the parts, in the years that decide.
    """

    formula: Formula
    year: int
    holds: bool
    because: str
    rests_on: tuple[Step, ...] = ()

    def lines(self, indent: int = 0) -> Iterator[str]:
        """This line and those it rests on, further in."""
        said = statement(self.formula, self.year)
        yield f"{'  ' * indent}{'True' if self.holds else 'False'}: {said} {self.because}"
        for step in self.rests_on:
            yield from step.lines(indent + 1)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a formula is true or false in a year.

    Attributes:
        step: the proof.
        values: the years in which the formula and each of its parts are true, the formula first.
    """

    step: Step
    values: Mapping[Formula, IntervalSet]

    @property
    def holds(self) -> bool:
        """Whether the formula is true in the year."""
        return self.step.holds

    def __str__(self) -> str:
        sets = (f"{formula}: {in_words(found)}" for formula, found in self.values.items())
        return "\n".join([*self.step.lines(), "Years:", *(f"  {line}" for line in sets)])


def explain(formula: Formula, year: int, history: History) -> Explanation:
    """Prove or refute a formula in a year.

    Raises:
        InputError: as `semantics.value`.

    Example:
        >>> print(explain(Finally(Atom("era"), 0, 40), 1800, {"era": IntervalSet([(1837, 1901)])}))
        True: "era" was going on in some year from 0 to 40 years after 1800. So it was in 1837.
          True: "era" was going on in 1837. It was from 1837 to 1901.
        Years:
          F[0,40] era: 1797-1901
          era: 1837-1901
    """
    values = {part: value(part, history) for part in dict.fromkeys(formula.walk())}
    return Explanation(_Prover(values).step(formula, year), values)


class _Prover:
    """Steps from the values of all parts: each picks the year that decides."""

    def __init__(self, values: Mapping[Formula, IntervalSet]) -> None:
        self.values = values

    def true(self, formula: Formula, year: int) -> bool:
        return year in self.values[formula]

    def step(self, formula: Formula, t: int) -> Step:
        holds = self.true(formula, t)
        because, years = self._reason(formula, t, holds=holds)
        return Step(formula, t, holds, because, tuple(self.step(part, year) for part, year in years))

    def _reason(self, formula: Formula, t: int, *, holds: bool) -> tuple[str, list[tuple[Formula, int]]]:
        """Why, and which parts in which years that rests on."""
        match formula:
            case Atom():
                return self._event(formula, t), []
            case Not(arg):
                return f"The opposite is {'false' if holds else 'true'}.", [(arg, t)]
            case Next(arg):
                return f"The year after {t} is {t + 1}.", [(arg, t + 1)]
            case And(left, right):
                parts = [(part, t) for part in (left, right) if holds or not self.true(part, t)]
                fails = "Neither part is true." if len(parts) == 2 else "One part is false."
                return ("Both parts are true." if holds else fails), parts
            case Or(left, right):
                parts = [(part, t) for part in (left, right) if not holds or self.true(part, t)]
                return ("One part is enough." if holds else "Neither part is true."), parts
            case Implies(left, right):
                return self._implication(left, right, t, holds=holds)
            case Finally(arg, least, most):
                return self._some(arg, t + least, t + most)
            case Globally(arg, least, most):
                return self._every(arg, t + least, t + most)
            case Until():
                return self._until(formula, t)

    def _event(self, formula: Atom, t: int) -> str:
        years = self.values[formula]
        span = years.around(t)
        if span is None:
            return f"Its years: {in_words(years)}."
        first, last = span
        if first == last:
            return f"It was in {first} only." if len(years) == 1 else f"It was in {first}."
        since = f"from {first} " if first != -math.inf else ""
        return f"It was {since}to {last}." if last != math.inf else f"It was {since or 'always '}on."

    def _implication(
        self, left: Formula, right: Formula, t: int, *, holds: bool
    ) -> tuple[str, list[tuple[Formula, int]]]:
        if not self.true(left, t):
            return "The condition is false, so nothing is asked.", [(left, t)]
        if holds:
            return "What follows is true.", [(right, t)]
        return "The condition is true and what should follow is not.", [(left, t), (right, t)]

    def _some(self, arg: Formula, first: int, last: int) -> tuple[str, list[tuple[Formula, int]]]:
        witness = self.values[arg].first_from(first)
        if witness is not None and witness <= last:
            return f"So it was in {witness}.", [(arg, witness)]
        return self._none(arg, first, last), []

    def _none(self, arg: Formula, first: int, last: int) -> str:
        return f"No year of {_range(first, last)} is among those of {arg}: {in_words(self.values[arg])}."

    def _every(self, arg: Formula, first: int, last: int) -> tuple[str, list[tuple[Formula, int]]]:
        exception = self._first_without(arg, first)
        if exception is not None and exception <= last:
            return f"Not so in {exception}.", [(arg, exception)]
        return f"All of {_range(first, last)} is among the years of {arg}: {in_words(self.values[arg])}.", []

    def _first_without(self, arg: Formula, year: int) -> int | None:
        """The first year from `year` on in which the formula is false."""
        span = self.values[arg].around(year)
        if span is None:
            return year
        end = plus(span[1], 1)
        return end if isinstance(end, int) else None

    def _until(self, formula: Until, t: int) -> tuple[str, list[tuple[Formula, int]]]:
        """The first year that could end the waiting decides: where it is out of reach, all later ones are."""
        left, right = formula.left, formula.right
        end = self.values[right].first_from(t + formula.least)
        if end is None or end > t + formula.most:
            return f"Nothing ended it. {self._none(right, t + formula.least, t + formula.most)}", []
        gap = self._first_without(left, t + 1)
        if gap is not None and gap < end:
            return f"Interrupted in {gap}, before {end}, the first year that could end it.", [(left, gap)]
        if end - t < 2:
            return f"It ended in {end}, and no year lies between.", [(right, end)]
        kept = f"All of {_range(t + 1, end - 1)} is among the years of {left}: {in_words(self.values[left])}."
        return f"It ended in {end}. {kept}", [(right, end)]


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first} to {last}"
