"""Plain data of a knowledge base: triples, entities with aliases, dated events; checked when they are made.

A label is any text that is not empty: quotes, parentheses, line breaks, NUL, other scripts. It comes back from
every file and every query exactly as it went in. Only what cannot be written as UTF-8 is refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from guardrail.errors import InputError
from guardrail.logic.temporal.intervals import IntervalSet

Years: TypeAlias = tuple[int, int]
"""First and last year of a span, both included; 1 BC is 0 and 2 BC is -1, as in ISO 8601."""


def label(text: object, *, what: str = "label") -> str:
    """The text, if it can name something.

    Raises:
        InputError: it is no text, empty, or has half of a surrogate pair.
    """
    if not isinstance(text, str) or not text:
        raise InputError(f"expected a {what}: text that is not empty, got {text!r}.")
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise InputError(
                f"expected a {what} that can be written as UTF-8, got {text!r}: half of a surrogate pair at "
                f"character {error.start}. Decode the source again, with its own encoding."
            ) from error
    return text


@dataclass(frozen=True, slots=True, order=True)
class Triple:
    """A fact `relation(subject, object)`; ordered by relation, then subject, then object."""

    relation: str
    subject: str
    object: str

    def __init__(self, subject: str, relation: str, object: str) -> None:  # noqa: A002  # the term's name
        object_ = label(object, what="label of an object")
        _set(self, "subject", label(subject, what="label of a subject"))
        _set(self, "relation", label(relation, what="name of a relation"))
        _set(self, "object", object_)

    def __repr__(self) -> str:
        return f"Triple({self.subject!r}, {self.relation!r}, {self.object!r})"

    def __reduce__(self) -> tuple[type[Triple], tuple[str, str, str]]:
        return Triple, (self.subject, self.relation, self.object)


_set = object.__setattr__


def triple_json(triple: Triple) -> list[str]:
    """Subject, relation and object, as JSON has them."""
    return [triple.subject, triple.relation, triple.object]


@dataclass(frozen=True, slots=True)
class Entity:
    """What triples are about.

    Attributes:
        label: the name that triples use; unique in a knowledge base.
        aliases: other names; one alias may belong to several entities.
        identifier: in the source (a Wikidata id), empty if it has none.
    """

    label: str
    aliases: tuple[str, ...] = ()
    identifier: str = ""

    def __post_init__(self) -> None:
        label(self.label)
        for alias in self.aliases:
            label(alias, what="alias")


@dataclass(frozen=True, slots=True)
class DatedEvent:
    """Something that was the case in certain years, perhaps in several spans.

    Attributes:
        name: its label.
        spans: first and last year of each, merged and in order.
    """

    name: str
    spans: tuple[Years, ...]

    def __init__(self, name: str, spans: Iterable[Years]) -> None:
        _set(self, "name", label(name, what="name of an event"))
        found = merged(spans)
        if not found:
            raise InputError(f"expected at least one span of years for the event {name!r}, got none.")
        _set(self, "spans", found)

    def __reduce__(self) -> tuple[type[DatedEvent], tuple[str, tuple[Years, ...]]]:
        return DatedEvent, (self.name, self.spans)


def merged(spans: Iterable[Years]) -> tuple[Years, ...]:
    """The spans in order; those that overlap or follow each other without a gap become one.

    Raises:
        InputError: a span ends before it begins, or its ends are no whole years.

    Example:
        >>> merged([(1990, 1995), (1914, 1918), (1996, 1999)])
        ((1914, 1918), (1990, 1999))
    """
    found: list[Years] = []
    for begin, end in IntervalSet(spans):
        if not (isinstance(begin, int) and isinstance(end, int)):
            raise InputError(f"expected spans that begin and end, got {begin} to {end}.")
        found.append((begin, end))
    return tuple(found)
