"""Histories: which events were going on in which years."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from guardrail.errors import InputError
from guardrail.logic.temporal.intervals import End, IntervalSet, Span

History: TypeAlias = Mapping[str, IntervalSet]

_DATE = re.compile(r"([+-]?\d{1,9})(?:-\d{1,2}){0,2}(?:T.*)?")


def history(spans: Iterable[tuple[str, End, End]]) -> dict[str, IntervalSet]:
    """A history from (name, first year, last year), an event as often as it has spans.

    Raises:
        InputError: a span is not valid; the message names the event.

    Example:
        >>> history([("world war", 1914, 1918), ("world war", 1939, 1945)])["world war"]
        IntervalSet([(1914, 1918), (1939, 1945)])
    """
    found: dict[str, list[Span]] = {}
    for name, first, last in spans:
        found.setdefault(name, []).append((first, last))
    made = {}
    for name, several in found.items():
        try:
            made[name] = IntervalSet(several)
        except InputError as error:
            raise InputError(f"event {name!r}: {error}") from error
    return made


def year_of(date: str) -> int:
    """The year of an ISO date; years before 1 are 0 and negative, as in ISO 8601.

    Raises:
        InputError: the text is no such date.

    Example:
        >>> year_of("1837-06-20"), year_of("-0043-03-15")
        (1837, -43)
    """
    match = _DATE.fullmatch(date.strip())
    if match is None:
        raise InputError(f"expected an ISO date such as '1837-06-20' or '1837', got {date!r:.100}")
    return int(match[1])
