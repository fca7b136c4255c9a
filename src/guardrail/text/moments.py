"""Dates and times of day in any of the spellings people use, compared by value: "March 5, 2024" and "2024-03-05"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from guardrail.text.units import quantity_table

Date: TypeAlias = tuple[int | None, int, int | None]
"""Year, month, day."""

_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|o|\.)?"
_YEAR = r"(?P<year>[12]\d{3})"
_TIMES = re.compile(
    r"(?<![\w.,:/])(?P<hour>\d{1,2})"
    r"(?:[:.](?P<minute>\d{1,2})(?::\d\d(?:\.\d+)?)?)?"
    r"(?P<mark> ?(?:[ap]m\b|[ap]\.m\b\.?|uhr\b(?: (?P<after>\d\d)\b)?|o'clock\b|heures\b)|h(?P<behind>\d\d)\b| ?[点點時时](?:(?P<past>\d{1,2})分)?)?",
    re.IGNORECASE,
)
_HALF_DAY, _HOURS, _MINUTES = 12, 24, 60


@dataclass(frozen=True, slots=True)
class Moment:
    """A date or a time of day.

    Attributes:
        start: where it begins.
        end: where it ends.
        dates: what the date may be ("5/3/2024" is one of two).
        times: minutes after midnight that the time may be: "6:30" without a mark is one of two.
        marked: whether it says which half of the day it is in.
    """

    start: int
    end: int
    dates: tuple[Date, ...] = ()
    times: tuple[int, ...] = ()
    marked: bool = False


def moments(text: str) -> list[Moment]:
    """The dates and times of day of a normalised text, in order, none within another.

    Example:
        >>> [(one.dates, one.times) for one in moments("On 5. März 2024 at 6:30 pm; 2024-03-05, 18:30")]
        [(((2024, 3, 5),), ()), ((), (1110,)), (((2024, 3, 5),), ()), ((), (1110,))]
    """
    if not any(map(str.isdecimal, text)):
        return []
    found = [*_dates(text), *_times(text)]
    kept: list[Moment] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _dates(text: str) -> Iterator[Moment]:
    for pattern in _patterns():
        for match in pattern.finditer(text):
            dates = tuple(_read(match.groupdict()))
            if dates:
                yield Moment(*match.span(), dates=dates)


def _read(groups: dict[str, str | None]) -> Iterator[Date]:
    year = int(groups.get("year") or 0) or None
    if groups.get("name"):
        day = int(groups["day"] or 0) if "day" in groups else None
        month = _months()[str(groups["name"]).casefold()]
        if day is None or 1 <= day <= 31:
            yield year, month, day
        return
    first, second = int(groups["one"] or 0), int(groups["other"] or 0)
    for month, day in dict.fromkeys(
        ((first, second),) if groups.get("iso") else ((first, second), (second, first))
    ):
        if 1 <= month <= 12 and 1 <= day <= 31:
            yield year, month, day


def _times(text: str) -> Iterator[Moment]:
    for match in _TIMES.finditer(text):
        mark = (match["mark"] or "").strip().casefold()
        if match["minute"] is None and not mark:
            continue
        separated = match["minute"] is not None and text[match.end("hour")] == ":"
        if not mark and not separated:
            continue
        hour = int(match["hour"])
        minute = int(match["minute"] or match["after"] or match["behind"] or match["past"] or 0)
        if hour > _HOURS or minute >= _MINUTES:
            continue
        half = mark[:1] if mark[:1] in ("a", "p") else ""
        yield Moment(
            *match.span(), times=tuple(_minutes(hour, minute, half)), marked=bool(half) or hour > _HALF_DAY
        )


def _minutes(hour: int, minute: int, half: str) -> Iterator[int]:
    if half:
        yield (hour % _HALF_DAY + (_HALF_DAY if half == "p" else 0)) * _MINUTES + minute
        return
    yield hour % _HOURS * _MINUTES + minute
    if hour <= _HALF_DAY:
        yield (hour + _HALF_DAY) % _HOURS * _MINUTES + minute


@cache
def calendar_names() -> dict[str, str]:
    """By the name of a weekday or month, in small letters and in any language, which it is: "d0" is Monday, "m0" January."""
    return {
        name: f"{kind}{number}"
        for kind, table in (("d", "weekdays"), ("m", "months"))
        for number, names in enumerate(quantity_table()[table]["names"])
        for name in names
    }


@cache
def _months() -> dict[str, int]:
    return {
        name: number for number, names in enumerate(quantity_table()["months"]["names"], 1) for name in names
    }


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    name = rf"(?P<name>{'|'.join(sorted(_months(), key=len, reverse=True))})\b\.?"
    number = r"(?P<one>\d{1,2})"
    return tuple(
        re.compile(one, re.IGNORECASE)
        for one in (
            rf"(?<!\w){_DAY} (?:of |de )?{name}(?:,? (?:de |del )?{_YEAR}\b)?",
            rf"\b{name} {_DAY}\b(?:,? {_YEAR}\b)?",
            rf"\b{name},? (?:of |de |del )?{_YEAR}\b",
            rf"(?<![\w./-]){_YEAR}(?P<iso>[-/.]){number}(?P=iso)(?P<other>\d{{1,2}})(?![\w/-])",
            rf"(?<![\w./-]){number}(?P<sign>[-/.])(?P<other>\d{{1,2}})(?P=sign){_YEAR}(?![\w/-])",
            rf"(?<!\w){_YEAR}(?P<iso> ?年 ?){number} ?月 ?(?P<other>\d{{1,2}}) ?[日号]",
            rf"(?<!\w){number}(?P<iso> ?月 ?)(?P<other>\d{{1,2}}) ?[日号]",
        )
    )
