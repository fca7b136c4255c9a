"""Reading exact sentences about years, as `guardrail.logic.paper.temporal.english` writes them: the formula and its year.

A parser of its own for the same sentences, with no memory of what was written: the test that the English says
what the formula says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from guardrail.errors import InputError
from guardrail.logic.temporal.formula import (
    MOST_DEPTH,
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
from guardrail.logic.temporal.notation import read_bound, read_name

_NAME = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_VERB = re.compile(r"(?:was|were) ")
_ASKED = re.compile(r"(?:Was|Were) ")
_GOING_ON = re.compile(r"(not both |not |)going on")
_YEARS = re.compile(r"(?:from (\d+) to (\d+)|exactly (\d+)) years? after ")
_YEAR = re.compile(r"year ([A-Z]\d*)\b|(?:the year )?(-?\d+)\b")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a sentence says.

    Attributes:
        formula: the formula.
        year: the year it is claimed or asked of.
        asked: whether the sentence is a question.
    """

    formula: Formula
    year: int
    asked: bool


def read(sentence: str) -> Reading:
    """Read a question or a statement of the exact form.

    Raises:
        InputError: the sentence is of another form; the message says where.

    Example:
        >>> reading = read('Was "Victorian era" going on in some year from 0 to 40 years after 1800?')
        >>> print(reading.formula, reading.year)
        F[0,40] "Victorian era" 1800
    """
    text = sentence.strip()
    asked = text.endswith("?")
    if not asked and not text.endswith("."):
        raise InputError(f"expected a sentence that ends in '?' or '.', got {sentence!r:.200}")
    reader = _Reader(text[:-1])
    scope = _Scope()
    if asked and not reader.match(_ASKED):
        raise reader.fault("a question that begins with a form of 'be'")
    formula = reader.clause(scope, asked=asked)
    if reader.at != len(reader.text):
        raise reader.fault("the end of the sentence")
    if scope.year is None:
        raise InputError(f"expected a sentence about a year, got {sentence!r:.200}")
    return Reading(formula, year_in_digits(scope.year), asked)


def year_in_digits(digits: str) -> int:
    """A year of at most nine digits.

    Raises:
        InputError: it has more.
    """
    if len(digits) > 10:
        raise InputError(f"expected a year, got {digits!r:.100}")
    return int(digits)


@dataclass(slots=True)
class _Scope:
    """The year that clauses speak of: a name, or the digits of the sentence's own year once they were read.

    Attributes:
        number: the number of the part of the sentence, "2.1".
        outer: the scope around, where the year is that one's.
    """

    year: str | None = None
    number: str = ""
    outer: _Scope | None = None

    def part(self, number: int) -> _Scope:
        label = f"{self.number}.{number}" if self.number else str(number)
        return _Scope(None, label, self)

    def named(self, name: str) -> _Scope:
        return _Scope(name, self.number)

    def speaks_of(self, year: str) -> bool:
        scope = self
        while scope.outer is not None:
            scope = scope.outer
        scope.year = scope.year or year
        return scope.year == year


class _Reader:
    """Recursive descent over the text; `at` is the place read up to, `depth` counts the clauses around it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0

    # --- the smallest steps ---

    def fault(self, wanted: str) -> InputError:
        rest = self.text[self.at : self.at + 40] or "the end"
        return InputError(f"expected {wanted} at character {self.at + 1} of the sentence, got {rest!r}")

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def eat(self, words: str) -> bool:
        found = self.text.startswith(words, self.at)
        if found:
            self.at += len(words)
        return found

    def need(self, *words: str) -> str:
        """One of these; a first letter may be a capital at the very beginning."""
        for one in words:
            if self.eat(one) or (self.at == 0 and self.eat(one[:1].upper() + one[1:])):
                return one
        raise self.fault(" or ".join(map(repr, words)))

    def atom(self) -> Formula:
        found = self.match(_NAME)
        if found is None:
            raise self.fault("a name in double quotes")
        return Atom(read_name(found[0]))

    def verb(self, *, asked: bool) -> None:
        if not asked and not self.match(_VERB):
            raise self.fault("a form of 'be'")

    def years(self) -> tuple[int, int]:
        found = self.match(_YEARS)
        if found is None:
            raise self.fault("'from … to … years after' or 'exactly … years after'")
        least, most, exactly = found.groups()
        return read_bound(exactly or least), read_bound(exactly or most)

    def year(self, scope: _Scope) -> int:
        """A year by which the scope's year is meant, or one after it: how many years after."""
        later = 0
        while self.eat("the year after "):
            later += 1
        start = self.at
        found = self.match(_YEAR)
        if found is None:
            raise self.fault("a year")
        if not scope.speaks_of(found[1] or found[2]):
            self.at = start
            raise self.fault("the year that the clause is about")
        return later

    def new_year(self) -> str:
        found = self.match(re.compile(r"[A-Z]\d*\b"))
        if found is None:
            raise self.fault("the name of a year")
        return found[0]

    # --- clauses ---

    def clause(self, scope: _Scope, *, asked: bool = False) -> Formula:
        """A main clause; in a question its verb stands before it and has been read."""
        if self.depth > MOST_DEPTH:
            raise self.fault(f"at most {MOST_DEPTH} clauses in one another")
        self.depth += 1
        found = self.main_clause(scope, asked=asked)
        self.depth -= 1
        return found

    def main_clause(self, scope: _Scope, *, asked: bool) -> Formula:
        if self.begins("there "):
            return self.there(scope, asked=asked)
        if self.begins("it "):
            return self.it(scope, asked=asked)
        if self.begins("if "):
            return self.implication(scope)
        if self.begins("the year after "):
            return self.next_year(scope, asked=asked)
        if self.begins("both of these "):
            self.verb(asked=asked)
            return And(*self.two(scope, "true: ", "; "))
        if self.begins("at least one of these "):
            self.verb(asked=asked)
            return Or(*self.two(scope, "true: ", "; "))
        return self.events(scope, asked=asked)

    def begins(self, words: str) -> bool:
        return self.eat(words) or (self.at == 0 and self.eat(words[0].upper() + words[1:]))

    def two(self, scope: _Scope, before: str, between: str) -> tuple[Formula, Formula]:
        self.need(before)
        one, two = scope.part(1), scope.part(2)
        self.need(f"({one.number}) ")
        left = self.clause(one)
        self.need(f"{between}({two.number}) ")
        return left, self.clause(two)

    def implication(self, scope: _Scope) -> Formula:
        return Implies(*self.two(scope, "", ", then "))

    def next_year(self, scope: _Scope, *, asked: bool) -> Formula:
        later = self.year(scope)
        if later:
            raise self.fault("one year after another to have a name")
        self.need(" ")
        self.verb(asked=asked)
        self.need("a year ")
        inside = scope.named(self.new_year())
        self.need(" such that ")
        return Next(self.clause(inside))

    def there(self, scope: _Scope, *, asked: bool) -> Formula:
        self.verb(asked=asked)
        negative = self.need("a year ", "no year ") == "no year "
        name = None if self.text.startswith(("from ", "exactly "), self.at) else self.new_year()
        if name is not None:
            self.need(" ")
        bounds = self.years()
        later = self.year(scope)
        self.need(" ")
        arg = self.such(scope, name, label="")
        found: Formula = Finally(arg, *bounds)
        return _later(Not(found) if negative else found, later)

    def such(self, scope: _Scope, name: str | None, *, label: str) -> Formula:
        """What is true of a year just introduced."""
        if name is None:
            self.need(f"in which {label}")
            return self.state()
        self.need(f"such that {label}")
        return self.clause(scope.named(name))

    def it(self, scope: _Scope, *, asked: bool) -> Formula:
        self.verb(asked=asked)
        kind = self.need("false that ", "true that if ", "true in every year ", "true for every year ")
        if kind == "false that ":
            return Not(self.clause(scope))
        if kind == "true that if ":
            return self.implication(scope)
        name = None
        if kind == "true for every year ":
            name = self.new_year()
            self.need(" ")
        if self.eat("after "):
            return self.waiting(scope, name)
        bounds = self.years()
        later = self.year(scope)
        self.need(" that ")
        arg = self.state() if name is None else self.clause(scope.named(name))
        return _later(Globally(arg, *bounds), later)

    def waiting(self, scope: _Scope, name: str | None) -> Formula:
        """Until, where the left formula is said in a clause of its own."""
        later = self.year(scope)
        self.need(" that ")
        first, second = scope.part(1), scope.part(2)
        numbered = self.eat(f"({first.number}) ")
        left = self.state() if name is None else self.clause(first.named(name))
        self.need(",")
        return self.until(left, scope, second if numbered else None, later)

    def until(self, left: Formula, scope: _Scope, second: _Scope | None, later: int) -> Formula:
        self.need(" until there came, ")
        bounds = self.years()
        if self.year(scope) != later:
            raise self.fault("bounds after the same year")
        self.need(", a year ")
        name = None if self.text.startswith("in which ", self.at) else self.new_year()
        if name is not None:
            self.need(" ")
        right = self.such(second or scope, name, label=f"({second.number}) " if second else "")
        return _later(Until(left, right, *bounds), later)

    # --- events ---

    def events(self, scope: _Scope, *, asked: bool) -> Formula:
        state = self.state(asked=asked)
        if not self.eat(" in "):
            raise self.fault("' in' a year")
        if isinstance(state, Atom) and (found := self.quantified(state, scope)):
            return found
        return _later(state, self.year(scope))

    def quantified(self, event: Formula, scope: _Scope) -> Formula | None:
        if self.eat("every year after "):
            later = self.year(scope)
            return self.until(event, scope, None, later)
        for words in ("some year ", "no year ", "every year "):
            if self.eat(words):
                bounds = self.years()
                later = self.year(scope)
                if words == "every year ":
                    return _later(Globally(event, *bounds), later)
                found: Formula = Finally(event, *bounds)
                return _later(Not(found) if words == "no year " else found, later)
        return None

    def state(self, *, asked: bool = False) -> Formula:
        """Events in one year, up to "going on"."""
        formula, may_be_negative, may_be_both = self.subject()
        if not self.eat(" "):
            raise self.fault("a blank")
        self.verb(asked=asked)
        found = self.match(_GOING_ON)
        if found is None:
            raise self.fault("'going on'")
        if may_be_both != (found[1] == "not both ") or (found[1] == "not " and not may_be_negative):
            self.at = found.start()
            raise self.fault("'not' where one event is spoken of, 'not both' of two")
        return Not(formula) if found[1] else formula

    def subject(self) -> tuple[Formula, bool, bool]:
        """Events, whether "not" may follow, and whether "not both" has to."""
        if self.begins("both "):
            return And(*self.pair(" and ")), False, False
        if self.begins("at least one of "):
            return Or(*self.pair(" and ")), False, False
        if self.begins("neither "):
            left, right = self.pair(" nor ")
            return And(Not(left), Not(right)), False, False
        left = self.atom()
        if self.eat(" but not "):
            return And(left, Not(self.atom())), False, False
        if self.eat(" and "):
            return And(left, self.atom()), False, True
        return left, True, False

    def pair(self, between: str) -> tuple[Formula, Formula]:
        left = self.atom()
        self.need(between)
        return left, self.atom()


def _later(formula: Formula, years: int) -> Formula:
    for _ in range(years):
        formula = Next(formula)
    return formula
