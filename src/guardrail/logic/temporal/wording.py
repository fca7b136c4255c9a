"""The small words of English sentences about years: names, years, tenses, and who is asked about what."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["NAMES_OF_YEARS", "Clause", "Tense", "bounds", "name_of_year", "quoted", "tense_of", "the_year"]

NAMES_OF_YEARS: Sequence[str] = ("Y", "Z", "X", "W", "V")


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


def tense_of(year: int, today: int | None) -> Tense:
    """The tense for a year; past throughout where today's year is not given."""
    if today is None or year < today:
        return Tense.PAST
    return Tense.PRESENT if year == today else Tense.FUTURE


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


def quoted(name: str) -> str:
    r"""A name between double quotes, with JSON's escapes, so that nothing in it can end it.

    Example:
        >>> print(quoted('The "Blitz", and until 1941'))
        "The \"Blitz\", and until 1941"
    """
    return json.dumps(name, ensure_ascii=False)


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
