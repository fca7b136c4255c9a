"""Formulas at a year in English: questions and statements that read right however they are nested.

What the published templates ([li2025] Table III) leave open is closed here:

- an inner clause speaks of the year that the outer one introduces, never of the outer year again: "there was a
  year Y from 5 to 8 years after 1900 such that … after year Y";
- parts that keep more than one event apart are numbered "(1) …; (2) …", inside them "(1.1) …", so that no
  "and", "or" or "not" has two readings; "or" is "at least one of";
- a quantifier never comes after what it does not cover: "in every year … that at least one of …", and "not" is
  never in front of "every";
- names are in double quotes with JSON's escapes, so they may contain anything.

The sentences are exact: `benchmarks.logic.english` reads the formula and the year back. "Was going on in" a year means: in at
least a part of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

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
from guardrail.logic.temporal.notation import quoted

_NAMES_OF_YEARS = ("Y", "Z", "X", "W", "V")


def question(formula: Formula, year: int) -> str:
    """The question whether a formula is true in a year; its answer is Yes or No.

    Example:
        >>> from guardrail.logic.temporal.notation import parse
        >>> print(question(parse('F[0,40] "Victorian era"'), 1800))
        Was "Victorian era" going on in some year from 0 to 40 years after 1800?
    """
    clause = _clause(formula, _At(_the_year(year)))
    return f"{clause.verb.capitalize()} {clause.subject} {clause.rest}?"


def statement(formula: Formula, year: int) -> str:
    """The sentence that says a formula is true in a year.

    Example:
        >>> from guardrail.logic.temporal.notation import parse
        >>> print(statement(parse('dickens U[10,20] "Victorian era"'), 1800))  # doctest: +NORMALIZE_WHITESPACE
        "dickens" was going on in every year after 1800 until there came, from 10 to 20 years after 1800, a year in
        which "Victorian era" was going on.
    """
    said = _said(formula, _At(_the_year(year)))
    return f"{said[0].upper()}{said[1:]}."


@dataclass(frozen=True, slots=True)
class _Clause:
    """A main clause cut so that it can be said and asked: "it" "was" "going on in 1900"."""

    subject: str
    rest: str
    verb: str = "was"

    def __str__(self) -> str:
        """As a statement, without capital and period."""
        return f"{self.subject} {self.verb} {self.rest}"


@dataclass(frozen=True, slots=True)
class _At:
    """Where in a sentence a clause stands: the year it speaks of, years named so far, its number."""

    year: str
    named: int = 0
    number: str = ""

    def inside(self) -> _At:
        """For a clause about a year that is introduced here, and its name."""
        name = _NAMES_OF_YEARS[self.named] if self.named < len(_NAMES_OF_YEARS) else f"Y{self.named}"
        return replace(self, year=f"year {name}", named=self.named + 1)

    def part(self, number: int) -> _At:
        return replace(self, number=f"{self.number}.{number}" if self.number else str(number))


def _clause(formula: Formula, at: _At) -> _Clause:
    """The formula, true in the year `at.year`."""
    state = _state(formula)
    if state is not None:
        return replace(state, rest=f"{state.rest} in {at.year}")
    match formula:
        case Next(arg) if _moves(arg):
            return _clause(arg, replace(at, year=f"the year after {at.year}"))
        case Next(arg):
            inside = at.inside()
            return _Clause(f"the year after {at.year}", f"a {inside.year} such that {_said(arg, inside)}")
        case Finally(arg, least, most):
            return _some(arg, _bounds(least, most, at.year), at, negative=False)
        case Not(Finally(arg, least, most)):
            return _some(arg, _bounds(least, most, at.year), at, negative=True)
        case Globally(Atom(name), least, most):
            return _event(name, f"in every year {_bounds(least, most, at.year)}")
        case Globally(arg, least, most):
            return _every(arg, _bounds(least, most, at.year), at)
        case Until():
            return _until(formula, at)
    return _connected(formula, at)


def _connected(formula: Formula, at: _At) -> _Clause:
    """Not, and, or, if: of the year that the whole speaks of."""
    match formula:
        case Not(arg):
            return _Clause("it", f"false that {_said(arg, at)}")
        case And(left, right):
            return _Clause("both of these", f"true: {_two(left, right, at)}", "were")
        case Or(left, right):
            return _Clause("at least one of these", f"true: {_two(left, right, at)}")
        case Implies():
            return _Clause("it", f"true that {_said(formula, at)}")
    raise AssertionError(formula)  # an event alone is a state


def _said(formula: Formula, at: _At) -> str:
    if isinstance(formula, Implies):
        return f"if {_two(formula.left, formula.right, at, between=', then ')}"
    return str(_clause(formula, at))


def _event(name: str, when: str) -> _Clause:
    return _Clause(quoted(name), f"going on {when}")


def _state(formula: Formula) -> _Clause | None:
    """What is said of a year without speaking of another one, in one breath; `None` if that cannot be."""
    match formula:
        case Atom(name):
            return _Clause(quoted(name), "going on")
        case Not(Atom(name)):
            return _Clause(quoted(name), "not going on")
        case And(Atom(a), Atom(b)):
            return _Clause(f"both {quoted(a)} and {quoted(b)}", "going on", "were")
        case Or(Atom(a), Atom(b)):
            return _Clause(f"at least one of {quoted(a)} and {quoted(b)}", "going on")
        case And(Not(Atom(a)), Not(Atom(b))):
            return _Clause(f"neither {quoted(a)} nor {quoted(b)}", "going on")
        case And(Atom(a), Not(Atom(b))):
            return _Clause(f"{quoted(a)} but not {quoted(b)}", "going on")
        case Not(And(Atom(a), Atom(b))):
            return _Clause(f"{quoted(a)} and {quoted(b)}", "not both going on", "were")
    return None


def _some(arg: Formula, years: str, at: _At, *, negative: bool) -> _Clause:
    if isinstance(arg, Atom):
        return _event(arg.name, f"in {'no' if negative else 'some'} year {years}")
    return _Clause("there", f"{'no' if negative else 'a'} year {_such(arg, at, f'{years} ')}")


def _every(arg: Formula, years: str, at: _At) -> _Clause:
    state = _state(arg)
    if state is not None:
        return _Clause("it", f"true in every year {years} that {state}")
    inside = at.inside()
    return _Clause("it", f"true for every {inside.year} {years} that {_said(arg, inside)}")


def _such(arg: Formula, at: _At, years: str = "", label: str = "") -> str:
    """What is true of a year behind "a year": where it lies, and a clause about it."""
    state = _state(arg)
    if state is not None:
        return f"{years}in which {label}{state}"
    inside = at.inside()
    return f"{inside.year.removeprefix('year ')} {years}such that {label}{_said(arg, inside)}"


def _until(formula: Until, at: _At) -> _Clause:
    """Left until right; numbered where one of the two is more than a state."""
    left, right = formula.left, formula.right
    state = _state(left)
    first = second = ""
    ends = at
    if state is None or _state(right) is None:
        first, second = (f"({at.part(number).number}) " for number in (1, 2))
        ends = replace(at.part(2), named=at.named + (state is None))  # the first year's name is taken
    years = _bounds(formula.least, formula.most, at.year)
    waiting = f"until there came, {years}, a year {_such(right, ends, label=second)}"
    if isinstance(left, Atom) and not first:
        return _event(left.name, f"in every year after {at.year} {waiting}")
    if state is not None:
        return _Clause("it", f"true in every year after {at.year} that {first}{state}, {waiting}")
    inside = at.part(1).inside()
    said = f"{first}{_said(left, inside)}"
    return _Clause("it", f"true for every {inside.year} after {at.year} that {said}, {waiting}")


def _two(left: Formula, right: Formula, at: _At, *, between: str = "; ") -> str:
    one, two = at.part(1), at.part(2)
    return f"({one.number}) {_said(left, one)}{between}({two.number}) {_said(right, two)}"


def _moves(formula: Formula) -> bool:
    """Whether "in the next year" can be said of it by speaking of the year after.

    So it is where the clause speaks of its year in one way only; of "(1) …; (2) …" it would have to be said twice,
    which is how another formula reads.
    """
    match formula:
        case Finally() | Globally() | Until() | Not(Finally()):
            return True
        case Next(arg):
            return _moves(arg)
    return _state(formula) is not None


def _the_year(year: int) -> str:
    """A year as a reader takes it for one: "1837", but "the year 79" and "the year -43"."""
    return str(year) if 1000 <= year <= 2999 else f"the year {year}"


def _bounds(least: int, most: int, after: str) -> str:
    """The years from `least` to `most` years after a year.

    Example:
        >>> _bounds(0, 40, "1800"), _bounds(1, 1, "1800")
        ('from 0 to 40 years after 1800', 'exactly 1 year after 1800')
    """
    span = f"exactly {least}" if least == most else f"from {least} to {most}"
    return f"{span} year{'' if most == 1 else 's'} after {after}"
