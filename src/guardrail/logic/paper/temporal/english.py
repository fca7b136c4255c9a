"""Formulas at a year in English: questions and statements that read right however they are nested.

What the published templates ([li2025] Table III) leave open is closed here:

- an inner clause speaks of the year that the outer one introduces, never of the outer year again: "there was a
  year Y from 5 to 8 years after 1900 such that … after year Y";
- parts that keep more than one event apart are numbered "(1) …; (2) …", inside them "(1.1) …", so that no
  "and", "or" or "not" has two readings; "or" is "at least one of";
- a quantifier never comes after what it does not cover: "in every year … that at least one of …", and "not" is
  never in front of "every";
- names are in double quotes with JSON's escapes, so they may contain anything.

The sentences are exact: `english_parse.read` gives the formula and the year back. "Was going on in" a year means: in at
least a part of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

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

NAMES_OF_YEARS = ("Y", "Z", "X", "W", "V")


def question(formula: Formula, year: int, *, today: int | None = None) -> str:
    """The question whether a formula is true in a year; its answer is Yes or No.

    Args:
        formula: what is asked.
        year: the year it is asked of.
        today: this year, which decides on the tense; the past throughout if not given.

    Example:
        >>> from guardrail.logic.temporal.notation import parse
        >>> print(question(parse('F[0,40] "Victorian era"'), 1800))
        Was "Victorian era" going on in some year from 0 to 40 years after 1800?
        >>> print(question(parse('"Victorian era"'), 2060, today=2026))
        Will "Victorian era" be going on in 2060?
    """
    return _Writer(tense_of(year, today)).clause(formula, _At(the_year(year))).asked()


def statement(formula: Formula, year: int, *, today: int | None = None) -> str:
    """The sentence that says a formula is true in a year.

    Args:
        formula: what is claimed.
        year: the year it is claimed of.
        today: as for `question`.

    Example:
        >>> from guardrail.logic.temporal.notation import parse
        >>> print(statement(parse('dickens U[10,20] "Victorian era"'), 1800))  # doctest: +NORMALIZE_WHITESPACE
        "dickens" was going on in every year after 1800 until there came, from 10 to 20 years after 1800, a year in
        which "Victorian era" was going on.
    """
    said = _Writer(tense_of(year, today)).said(formula, _At(the_year(year)))
    return f"{said[0].upper()}{said[1:]}."


class Tense(StrEnum):
    """When the year that a sentence is about lies, seen from today."""

    PAST = "past"
    PRESENT = "present"
    FUTURE = "future"

    def singular(self) -> str:
        """The form of "be" for one."""
        return {"past": "was", "present": "is", "future": "will"}[self]

    def plural(self) -> str:
        """The form of "be" for several."""
        return {"past": "were", "present": "are", "future": "will"}[self]

    @property
    def be(self) -> str:
        """What the future puts behind its subject: "will … be"."""
        return "be " if self is Tense.FUTURE else ""

    @property
    def came(self) -> str:
        """The verb of "until there came a year"."""
        return "came" if self is Tense.PAST else "comes"


@dataclass(frozen=True, slots=True)
class Clause:
    """A main clause cut so that it can be said and asked: "it" "was" "going on in 1900"."""

    subject: str
    verb: str
    rest: str

    def said(self) -> str:
        """As a statement, without capital and period."""
        return f"{self.subject} {self.verb} {self.rest}"

    def asked(self) -> str:
        """As a question: the verb first."""
        verb = self.verb[0].upper() + self.verb[1:]
        return f"{verb} {self.subject} {self.rest}?"


@dataclass(frozen=True, slots=True)
class _At:
    """Where in a sentence a clause stands: the year it speaks of, years named so far, its number."""

    year: str
    named: int = 0
    number: str = ""

    def next(self) -> _At:
        return replace(self, year=f"the year after {self.year}")

    def inside(self) -> _At:
        """For a clause about a year that is introduced here, and its name."""
        return replace(self, year=f"year {name_of_year(self.named)}", named=self.named + 1)

    def part(self, number: int) -> _At:
        return replace(self, number=self.label(number))

    def label(self, number: int) -> str:
        return f"{self.number}.{number}" if self.number else str(number)


class _Writer:
    """One sentence in one tense. Each `_…` below writes one kind of clause."""

    def __init__(self, tense: Tense) -> None:
        self.one = tense.singular()
        self.many = tense.plural()
        self.be = tense.be
        self.came = tense.came

    def clause(self, formula: Formula, at: _At) -> Clause:
        """The formula, true in the year `at.year`."""
        state = self.state(formula)
        if state is not None:
            return replace(state, rest=f"{state.rest} in {at.year}")
        match formula:
            case Next(arg) if _moves(arg):
                return self.clause(arg, at.next())
            case Next(arg):
                inside = at.inside()
                such = f"a {inside.year} such that {self.said(arg, inside)}"
                return Clause(f"the year after {at.year}", self.one, f"{self.be}{such}")
            case Finally(arg, least, most):
                return self._some(arg, bounds(least, most, at.year), at, negative=False)
            case Not(Finally(arg, least, most)):
                return self._some(arg, bounds(least, most, at.year), at, negative=True)
            case Globally(Atom(name), least, most):
                return self.event(name, f"in every year {bounds(least, most, at.year)}")
            case Globally(arg, least, most):
                return self._every(arg, bounds(least, most, at.year), at)
            case Until():
                return self._until(formula, at)
        return self._connected(formula, at)

    def _connected(self, formula: Formula, at: _At) -> Clause:
        """Not, and, or, if: of the year that the whole speaks of."""
        match formula:
            case Not(arg):
                return Clause("it", self.one, f"{self.be}false that {self.said(arg, at)}")
            case And(left, right):
                return Clause("both of these", self.many, f"{self.be}true: {self._two(left, right, at)}")
            case Or(left, right):
                said = self._two(left, right, at)
                return Clause("at least one of these", self.one, f"{self.be}true: {said}")
            case Implies():
                return Clause("it", self.one, f"{self.be}true that {self._if(formula, at)}")
        raise AssertionError(formula)  # an event alone is a state

    def said(self, formula: Formula, at: _At) -> str:
        if isinstance(formula, Implies):
            return self._if(formula, at)
        return self.clause(formula, at).said()

    def event(self, name: str, when: str) -> Clause:
        return Clause(quoted(name), self.one, f"{self.be}going on {when}")

    def state(self, formula: Formula) -> Clause | None:
        """What is said of a year without speaking of another one, in one breath; `None` if that cannot be."""
        match formula:
            case Atom(name):
                return Clause(quoted(name), self.one, f"{self.be}going on")
            case Not(Atom(name)):
                return Clause(quoted(name), self.one, f"not {self.be}going on")
            case And(Atom(a), Atom(b)):
                return Clause(f"both {quoted(a)} and {quoted(b)}", self.many, f"{self.be}going on")
            case Or(Atom(a), Atom(b)):
                return Clause(f"at least one of {quoted(a)} and {quoted(b)}", self.one, f"{self.be}going on")
            case And(Not(Atom(a)), Not(Atom(b))):
                return Clause(f"neither {quoted(a)} nor {quoted(b)}", self.one, f"{self.be}going on")
            case And(Atom(a), Not(Atom(b))):
                return Clause(f"{quoted(a)} but not {quoted(b)}", self.one, f"{self.be}going on")
            case Not(And(Atom(a), Atom(b))):
                return Clause(f"{quoted(a)} and {quoted(b)}", self.many, f"not both {self.be}going on")
        return None

    def _some(self, arg: Formula, years: str, at: _At, *, negative: bool) -> Clause:
        if isinstance(arg, Atom):
            return self.event(arg.name, f"in {'no' if negative else 'some'} year {years}")
        article = "no" if negative else "a"
        return Clause("there", self.one, f"{self.be}{article} year {self._such(arg, years, at, bare=True)}")

    def _every(self, arg: Formula, years: str, at: _At) -> Clause:
        state = self.state(arg)
        if state is not None:
            return Clause("it", self.one, f"{self.be}true in every year {years} that {state.said()}")
        inside = at.inside()
        rest = f"true for every {inside.year} {years} that {self.said(arg, inside)}"
        return Clause("it", self.one, f"{self.be}{rest}")

    def _such(self, arg: Formula, years: str, at: _At, *, bare: bool = False, label: str = "") -> str:
        """What is true of a year behind "a year": where it lies, and a clause about it."""
        state = self.state(arg)
        gap = f"{years} " if bare else ""
        if state is not None:
            return f"{gap}in which {label}{state.said()}"
        inside = at.inside()
        return f"{inside.year.removeprefix('year ')} {gap}such that {label}{self.said(arg, inside)}"

    def _until(self, formula: Until, at: _At) -> Clause:
        """Left until right; numbered where one of the two is more than a state."""
        left, right = formula.left, formula.right
        years = bounds(formula.least, formula.most, at.year)
        state = self.state(left)
        first = second = ""
        ends = at
        if state is None or self.state(right) is None:
            first, second = (f"({at.label(number)}) " for number in (1, 2))
            ends = replace(at.part(2), named=at.named + (state is None))  # the first year's name is taken
        such = self._such(right, years, ends, label=second)
        waiting = f"until there {self.came}, {years}, a year {such}"
        if isinstance(left, Atom) and not first:
            return self.event(left.name, f"in every year after {at.year} {waiting}")
        if state is not None:
            rest = f"true in every year after {at.year} that {first}{state.said()}, {waiting}"
        else:
            inside = at.part(1).inside()
            rest = f"true for every {inside.year} after {at.year} that {first}{self.said(left, inside)}, {waiting}"
        return Clause("it", self.one, f"{self.be}{rest}")

    def _if(self, formula: Implies, at: _At) -> str:
        return f"if {self._two(formula.left, formula.right, at, between=', then ')}"

    def _two(self, left: Formula, right: Formula, at: _At, *, between: str = "; ") -> str:
        one, two = self.said(left, at.part(1)), self.said(right, at.part(2))
        return f"({at.label(1)}) {one}{between}({at.label(2)}) {two}"


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
    return _Writer(Tense.PAST).state(formula) is not None


def tense_of(year: int, today: int | None) -> Tense:
    """The tense for a year; past throughout where today's year is not given."""
    if today is None or year < today:
        return Tense.PAST
    return Tense.PRESENT if year == today else Tense.FUTURE


def the_year(year: int) -> str:
    """A year as a reader takes it for one: "1837", but "the year 79" and "the year -43"."""
    return str(year) if 1000 <= year <= 2999 else f"the year {year}"


def name_of_year(number: int) -> str:
    """The name of the n-th year that a sentence introduces, counted from 0."""
    return NAMES_OF_YEARS[number] if number < len(NAMES_OF_YEARS) else f"Y{number}"


def bounds(least: int, most: int, after: str) -> str:
    """The years from `least` to `most` years after a year.

    Example:
        >>> bounds(0, 40, "1800"), bounds(1, 1, "1800")
        ('from 0 to 40 years after 1800', 'exactly 1 year after 1800')
    """
    if least == most:
        return f"exactly {least} year{'' if least == 1 else 's'} after {after}"
    return f"from {least} to {most} year{'' if most == 1 else 's'} after {after}"
