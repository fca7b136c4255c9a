"""What may be meant by words about time: each claim in its weakest and in its strongest sense.

"The war happened during the crisis" is true at least if some year belongs to both, and surely if every year of the
war belongs to the crisis. A claim that is false in its weakest sense is false; one that is true in its strongest sense
is true; between them it depends on what was meant. Years are the finest unit here, so of two things in one year
neither is known to be the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from guardrail.logic.temporal.formula import And, Atom, Finally, Formula, Globally, Implies, Next, Not, Until

Aspect: TypeAlias = Literal["whole", "begin", "end"]

FIRST, LAST = -10_000, 10_000  # years of all that is spoken of; bounds this wide cost nothing
WIDTH = LAST - FIRST


@dataclass(frozen=True, slots=True)
class Claim:
    """What a sentence says.

    Attributes:
        formula: true exactly if the sentence is, in its weakest sense, in
        year: this year.
        strict: the claim in its strongest sense, where that is another.
    """

    formula: Formula
    year: int
    strict: Claim | None = None

    @property
    def strongest(self) -> Claim:
        """The claim in its strongest sense; itself where it has one sense only."""
        return self.strict or self

    def denied(self) -> Claim:
        """Its negation: what was strongest is weakest."""
        strongest = Claim(Not(self.formula), self.year)
        if self.strict is None:
            return strongest
        return Claim(Not(self.strict.formula), self.strict.year, strongest)


@dataclass(frozen=True, slots=True)
class Term:
    """An event, or the year in which it begins or ends.

    Attributes:
        event: its name.
        aspect: all its years, or those in which one of its spans begins or ends.
        elliptic: whether a second event named without more words is meant by the same aspect ("born before Bach").
        at_once: whether it is described as one happening, so that what is said of when may be meant of all of it.
        bounded: whether it is described from beginning to end ("lasted"), so that years given with it are its first and last.
    """

    event: str
    aspect: Aspect = "whole"
    elliptic: bool = False
    at_once: bool = False
    bounded: bool = False

    @property
    def lag(self) -> int:
        """How many years before the one that is meant the formula is true: N looks ahead, and nothing back."""
        return 1 if self.aspect == "begin" else 0

    @property
    def formula(self) -> Formula:
        """True in the years that are meant, moved back by `lag`."""
        atom = Atom(self.event)
        match self.aspect:
            case "begin":
                return And(Not(atom), Next(atom))
            case "end":
                return And(atom, Not(Next(atom)))
            case _:
                return atom

    def of(self, aspect: Aspect) -> Term:
        """The same event by another aspect, if all of it is meant so far."""
        return Term(self.event, aspect) if self.aspect == "whole" else self

    def moved(self, lag: int) -> Formula:
        """The formula moved back by `lag` years."""
        return self.formula if lag == self.lag else Next(self.formula)


# --- one event and years ---


def between(x: Term, first: int, last: int, *, inside: bool = False) -> Claim | None:
    """In some year of a range; strictly, where `inside` is asked for, in no other year."""
    if first > last:
        return None
    formula = x.formula if first == last else Finally(x.formula, 0, last - first)
    within = _inside(x, first, last) if inside and x.aspect == "whole" else None
    return Claim(formula, first - x.lag, within)


def throughout(x: Term, first: int, last: int) -> Claim | None:
    """In every year of a range."""
    if first > last or x.aspect != "whole":
        return None
    return Claim(Globally(x.formula, 0, last - first), first)


def exactly(x: Term, first: int, last: int) -> Claim | None:
    """From one year to another, and neither before nor after."""
    if first > last or x.aspect != "whole":
        return None
    atom, length = x.formula, last - first
    ended = Finally(Not(atom), length + 2, length + 2)
    return Claim(And(And(Not(atom), Globally(atom, 1, length + 1)), ended), first - 1)


def before(x: Term, year: int) -> Claim | None:
    """In some year before one; strictly, all of it."""
    if year <= FIRST:
        return None
    strict = between(x.of("end"), FIRST, year - 1)
    return _both(between(x, FIRST, year - 1), strict, x)


def after(x: Term, year: int) -> Claim | None:
    """In some year after one; strictly, all of it."""
    if year >= LAST:
        return None
    strict = between(x.of("begin"), year + 1, LAST)
    return _both(between(x, year + 1, LAST), strict, x)


def _both(weak: Claim | None, strict: Claim | None, x: Term) -> Claim | None:
    if weak is None or x.aspect != "whole":
        return weak
    return Claim(weak.formula, weak.year, strict)


def lasting(x: Term, years: int, *, least: bool = False, most: bool = False) -> Claim | None:
    """So many years from beginning to end, or at least or at most so many.

    A year more or less as people count; strictly neither.
    """
    if x.aspect != "whole" or years < 1:
        return None
    weak = _offset(x.of("begin"), x.of("end"), 0 if most else years - 1, WIDTH if least else years + 1)
    strict = _offset(
        x.of("begin"), x.of("end"), 0 if most else years + least, WIDTH if least else years - most
    )
    return Claim(weak.formula, weak.year, strict)


def aged(x: Term, years: int) -> Claim | None:
    """Ended at that age. Years alone leave two ages open, so there is no sense in which they prove it."""
    if x.aspect != "end":
        return None
    whole = Term(x.event)
    weak = _offset(whole.of("begin"), x, years, years + 1)
    return Claim(weak.formula, weak.year, Claim(And(whole.formula, Not(whole.formula)), FIRST))


def _inside(x: Term, first: int, last: int) -> Claim | None:
    """In some year of a range and in none outside; `None` if the range reaches beyond what is spoken of."""
    if first < FIRST or last > LAST:
        return None
    formula: Formula = Finally(x.formula, first - FIRST, last - FIRST)
    if first > FIRST:
        formula = And(formula, Not(Finally(x.formula, 0, first - 1 - FIRST)))
    if last < LAST:
        formula = And(formula, Not(Finally(x.formula, last + 1 - FIRST, WIDTH)))
    return Claim(formula, FIRST)


# --- two events ---


def together(x: Term, y: Term, *, inside: bool = False) -> Claim:
    """In a common year; strictly, where `inside` is asked for, x in no year without y."""
    weak = _offset(x, y, 0, 0)
    if not inside or x.aspect != "whole" or y.aspect != "whole":
        return weak
    always = Globally(Implies(x.formula, y.formula), 0, WIDTH)
    return Claim(weak.formula, weak.year, Claim(And(weak.formula, always), weak.year))


def all_through(x: Term, y: Term) -> Claim | None:
    """In every year of y."""
    if x.aspect != "whole":
        return None
    some, every = (
        Finally(y.formula, 0, WIDTH),
        Globally(Implies(y.formula, x.formula), 0, WIDTH),
    )
    return Claim(And(some, every), FIRST)


def first_of(x: Term, y: Term) -> Claim:
    """One before the other: x in some year, y in that or a later one; strictly, all of x before all of y.

    Something of several years may end in the year in which the other begins.
    """
    weak = _offset(x, y, 0, WIDTH)
    points = x.aspect != "whole" and y.aspect != "whole"
    strict = _offset(x.of("end"), y.of("begin"), int(points), WIDTH)
    if not points:
        apart = _offset(x.of("begin"), y.of("end"), 1, WIDTH)
        strict = Claim(And(strict.formula, apart.formula), strict.year)
    return Claim(weak.formula, weak.year, strict)


def outlasting(x: Term, y: Term) -> Claim | None:
    """The end of x after the end of y."""
    if x.aspect != "whole" or y.aspect != "whole":
        return None
    return first_of(y.of("end"), x.of("end"))


def within(x: Term, y: Term, years: int, *, after: bool) -> Claim:
    """At most so many years after (before) y; strictly, counted from its end (beginning)."""
    if after:
        weak = _offset(y, x, 0, years)
        strict = _offset(y.of("end"), x.of("begin"), 0, years)
    else:
        weak = _offset(x, y, 0, years)
        strict = _offset(x.of("end"), y.of("begin"), 0, years)
    return weak if strict == weak else Claim(weak.formula, weak.year, strict)


def apart(x: Term, y: Term, years: int, *, after: bool) -> Claim:
    """So many years after (before) y; a year more or less as people count, strictly neither."""
    one, two = (y, x) if after else (x, y)
    weak = _offset(one, two, max(0, years - 1), years + 1)
    strict = _offset(one.of("end"), two.of("begin"), years, years)
    return Claim(weak.formula, weak.year, strict)


def lasting_until(x: Term, y: Term, *, since: int | None = None) -> Claim | None:
    """Until y; strictly, x ends when y begins."""
    if x.aspect != "whole":
        return None
    stop: Formula = Atom(y.event) if y.aspect == "begin" else y.formula
    formula = And(x.formula, Until(x.formula, stop, 0, WIDTH))
    if since is not None:
        return Claim(formula, since)
    strict = _offset(x.of("end"), y.of("begin"), 0, 0)
    return Claim(Finally(formula, 0, WIDTH), FIRST, strict)


def _offset(x: Term, y: Term, least: int, most: int) -> Claim:
    """The one in some year and y from `least` to `most` years later."""
    lag = max(x.lag, y.lag)
    one, two = x.moved(lag), y.moved(lag)
    later = two if (least, most) == (0, 0) else Finally(two, least, most)
    return Claim(Finally(And(one, later), 0, WIDTH), FIRST)
