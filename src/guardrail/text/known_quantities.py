"""Quantities of documents, and what a sentence says of them: the same in another spelling, or with another unit, magnitude or sign.

An accusation must be sure. So a number that the documents have without a unit agrees with any unit, values that are near
each other after conversion agree, and a number that the documents lack altogether is nobody's other unit.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from guardrail.text.moments import Date, Moment, calendar_names
from guardrail.text.quantities import Quantity, Reading, quantities
from guardrail.text.splicing import spliced
from guardrail.text.units import quantity_table

_NEAR = 0.1  # values so near to each other are one value, rounded or converted
_SHARED = 2  # words of the sentence that must be near the other quantity
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_\u3040-\u30ff\u3400-\u9fff]{3,}")
_MOST = 30  # places of one quantity that are remembered
_CLOSE = 60  # characters on each side of a quantity that say what it is of
_NONE = re.compile(  # what is written where there are nought of something
    r"\b(?:no|none|nil|without|kein\w*|ohne|aucune?|sans|ning[uú]n\w*|sin|nessun\w*|nenhum\w*|geen)\b|没有|無|无|なし|ない",
    re.IGNORECASE,
)
_DAY = re.compile(r"\b[A-ZÀ-Þ]\w{1,11}\b")
_LARGE = 1_000  # a magnitude from which on a number is rounded
_AROUND = 160  # characters of a document on each side that evidence quotes


@dataclass(frozen=True, slots=True)
class Fault:
    """A quantity that the documents have otherwise.

    Attributes:
        kind: "unit", "currency", "magnitude", "sign" or "time".
        said: as the sentence has it.
        known: as a document has it.
        document: which, counted from 1.
        passage: the text around it.
    """

    kind: str
    said: str
    known: str
    document: int
    passage: str


@dataclass(frozen=True, slots=True)
class _Place:
    document: int
    quantity: Quantity


@dataclass(slots=True)
class KnownQuantities:
    """The quantities of documents, read once for any number of sentences.

    Attributes:
        texts: the documents, normalised.
        values: every number that is written in them, by value and by figure.
    """

    texts: Sequence[str]
    values: set[float] = field(init=False, default_factory=set)
    _figures: dict[float, list[_Place]] = field(init=False, default_factory=dict)
    _bases: dict[str, list[float]] = field(init=False, default_factory=dict)
    _dates: set[Date] = field(init=False, default_factory=set)
    _times: dict[int, list[tuple[int, Moment]]] = field(init=False, default_factory=dict)
    _alike: Counter[tuple[tuple[Reading, ...], str]] = field(init=False, default_factory=Counter)
    _headed: bool = field(init=False, default=False)
    _valued: dict[tuple[str, float], _Place] = field(init=False, default_factory=dict)
    _moments: dict[Date | int, tuple[int, Moment]] = field(init=False, default_factory=dict)
    _ordered: list[float] = field(init=False, default_factory=list)
    _days: dict[str, str] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        heads = re.compile(quantity_table()["magnitudes"]["heads"], re.IGNORECASE)
        for number, text in enumerate(self.texts, 1):
            self._headed = self._headed or heads.search(text) is not None
            found, when = quantities(text)
            for one in found:
                self._add(_Place(number, one))
            for moment in when:
                self._remember(number, moment)
            if _NONE.search(text):
                self.values.add(0.0)
            for match in _DAY.finditer(text):
                day = calendar_names().get(match[0].casefold(), "")
                if day.startswith("d") and len(match[0]) > len(self._days.get(day, "")):
                    self._days[day] = match[0]  # in full, where it is anywhere
        for values in self._bases.values():
            values.sort()
        self._ordered = sorted(self.values)

    def _add(self, place: _Place) -> None:
        for reading in place.quantity.readings:
            self.values |= {reading.value, reading.figure}
            for measured in (("", reading.value), _base(reading)):
                self._valued.setdefault(measured, place)
            if place.quantity.listed:
                continue
            dimension, base = _base(reading)
            self._bases.setdefault(dimension, []).append(base)
        alike = place.quantity.readings, place.quantity.sign
        self._alike[alike] += 1
        if place.quantity.listed or self._alike[alike] > _MOST:
            return
        for figure in {reading.figure for reading in place.quantity.readings}:
            self._figures.setdefault(figure, []).append(place)

    def _remember(self, number: int, moment: Moment) -> None:
        whens: list[Date | int] = [*moment.dates, *moment.times]
        for when in whens:
            self._moments.setdefault(when, (number, moment))
        for year, month, day in moment.dates:
            self._dates |= {(year, month, day), (None, month, day), (year, month, None), (None, month, None)}
            self.values |= {float(one) for one in (year, month, day) if one is not None}
        for minutes in moment.times:
            self._times.setdefault(minutes, []).append((number, moment))
            self.values |= {float(minutes // 60), float(minutes % 60)}

    def has(self, quantity: Quantity) -> bool:
        """Whether the number is in the documents, in whatever spelling, or as "1.2 million" for 1,204,500; units are not compared."""
        return any(
            reading.value in self.values
            or reading.figure in self.values
            or (reading.unit is not None and _base(reading) in self._valued)
            or self._is_rounded(reading)
            for reading in quantity.readings
        )

    def _is_rounded(self, reading: Reading) -> bool:
        digits = len(f"{reading.figure:.9g}".partition(".")[2])
        near = reading.scale / 2 / 10**digits
        at = bisect_left(self._ordered, reading.value - near)
        found = self._ordered[at : at + 1]
        return reading.scale >= _LARGE and bool(found) and found[0] <= reading.value + near

    def has_moment(self, moment: Moment) -> bool:
        """Whether the date, or the time of day, is in the documents, in whatever spelling."""
        return any(one in self._dates for one in moment.dates) or any(
            one in self._times for one in moment.times
        )

    def respelt(self, text: str) -> str:
        """A normalised sentence with its quantities, dates and times spelt as the documents spell the same ones.

        Example:
            >>> KnownQuantities(["It raised 3.5 million euros by 18:00."]).respelt("It raised 3,500,000 euros by 6 pm.")
            'It raised 3.5 million euros by 18:00.'
        """
        found, when = quantities(text)
        written = [
            *((one.start, one.end, self._spelling(one)) for one in found if not one.listed),
            *((one.start, one.end, self._spelling_of_moment(one)) for one in when),
            *((match.start(), match.end(), self._short_day(match[0])) for match in _DAY.finditer(text)),
        ]
        kept: list[tuple[int, int, str]] = []
        for start, end, spelling in sorted(written):
            said = text[start:end]
            free = not kept or start >= kept[-1][1]
            if free and spelling and not self._has_written(said.strip()):
                kept.append((start, end, spelling + said[len(said.rstrip()) :]))
        return spliced(text, kept)

    def _has_written(self, said: str) -> bool:
        """Whether a document has these very characters, and not as part of a longer word."""
        return any(
            not known[max(0, at - 1) : at].isalnum()
            and not known[at + len(said) : at + len(said) + 1].isalnum()
            for known in self.texts
            if (at := known.find(said)) >= 0
        )

    def _short_day(self, name: str) -> str:
        """How the documents abbreviate a weekday; "" if they do not."""
        known = self._days.get(calendar_names().get(name.casefold(), ""), "")
        return known if len(known) < len(name) else ""

    def _spelling(self, one: Quantity) -> str:
        """How a document writes the same quantity; "" if none has it."""
        measured = [*map(_base, one.readings), *(("", reading.value) for reading in one.readings)]
        place = next((self._valued[key] for key in measured if key in self._valued), None)
        if place is None or place.quantity.listed or one.sign != place.quantity.sign:
            return ""
        if not any(_is_same(r, s) for r in one.readings for s in place.quantity.readings):
            return ""
        return place.quantity.of(self.texts[place.document - 1])

    def _spelling_of_moment(self, one: Moment) -> str:
        """How a document writes the same date or time; "" if none has it."""
        known = next(
            (self._moments[when] for when in (*one.dates, *one.times) if when in self._moments), None
        )
        return self.texts[known[0] - 1][known[1].start : known[1].end].strip() if known else ""

    def faults(self, text: str) -> Iterator[Fault]:
        """What a normalised sentence says with another unit, magnitude, currency or sign than every place with its number.

        Example:
            >>> known = KnownQuantities(["It made $3.5 million at up to 90 km/h (56 mph)."])
            >>> [(one.kind, one.said, one.known) for one in known.faults("It made $3.5 billion at 90 mph or 56 mph.")]
            [('magnitude', '$3.5 billion', '$3.5 million'), ('unit', '90 mph', '90 km/h')]
        """
        found, when = quantities(text)
        for one in found:
            fault = self._fault(text, one)
            if fault is not None:
                yield fault
        for moment in when:
            if moment.marked and not any(minutes in self._times for minutes in moment.times):
                other = [
                    place for minutes in moment.times for place in self._times.get((minutes + 720) % 1440, ())
                ]
                if other and all(place.marked for _, place in other):
                    number, place = other[0]
                    yield self._said("time", text[moment.start : moment.end], number, place.start, place.end)

    def _fault(self, text: str, one: Quantity) -> Fault | None:
        if self._headed or (one.is_bare and not one.sign):
            return None
        figures = dict.fromkeys(reading.figure for reading in one.readings)
        same = [place for figure in figures for place in self._figures.get(figure, ())]
        differ = [(place, kind) for place in same if (kind := _difference(one, place.quantity)) is not None]
        if any(kind == "" and not place.quantity.is_bare for place, kind in differ):
            return None
        likely = one.readings[0].figure
        differ = [row for row in differ if row[0].quantity.readings[0].figure == likely]
        if not any(kind for _, kind in differ):
            return None
        if any(self._is_near(r) for r in one.readings if r.figure == likely) and not any(
            kind == "sign" for _, kind in differ
        ):
            return None
        words = _content(text[: one.start] + text[one.end :])
        ranked = [(self._shared(words, place), kind == "", place, kind) for place, kind in differ]
        shared, agrees, place, kind = max(ranked, key=lambda row: row[:2])
        if agrees or shared < min(_SHARED, len(words) or 1, 1 if kind == "sign" else _SHARED):
            return None
        return self._said(kind, one.of(text), place.document, place.quantity.start, place.quantity.end)

    def _shared(self, words: set[str], place: _Place) -> int:
        """How many of the words are near a place."""
        text, one = self.texts[place.document - 1], place.quantity
        return len(words & _content(text[max(0, one.start - _CLOSE) : one.end + _CLOSE]))

    def _said(self, kind: str, said: str, number: int, start: int, end: int) -> Fault:
        text = self.texts[number - 1]
        around = text[max(0, start - _AROUND) : end + _AROUND]
        return Fault(kind, said, text[start:end].strip(" ."), number, around.strip())

    def _is_near(self, reading: Reading) -> bool:
        """Whether a value near this one is in the documents: rounded, converted or written out."""
        dimension, base = _base(reading)
        return any(self._has_near(one, base) for one in {dimension, ""})

    def _has_near(self, dimension: str, base: float) -> bool:
        known = self._bases.get(dimension, [])
        at = bisect_left(known, base - abs(base) * _NEAR)
        return at < len(known) and known[at] <= base + abs(base) * _NEAR


def _content(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _base(reading: Reading) -> tuple[str, float]:
    """What is measured, and the value in its first unit; each currency is something of its own, and so is a number alone."""
    if reading.unit is None:
        return "", reading.value
    base = reading.unit.base(reading.value)
    return (reading.unit.name, reading.value) if base is None else (reading.unit.dimension, base)


def _difference(one: Quantity, known: Quantity) -> str | None:
    """How a quantity differs from a known one of the same figure: "" = they agree, `None` = they have nothing to do with each other."""
    pairs = [(r, s) for r in one.readings for s in known.readings]
    if known.is_bare or any(_is_same(r, s) for r, s in pairs):
        signs = {one.sign, known.sign}
        frost = any(r.unit and r.unit.dimension == "temperature" for r, _ in pairs)
        lost = frost and signs == {"", "-"} and (one.signed or known.signed)
        return "sign" if signs == {"+", "-"} or lost else ""
    return next(filter(None, (_kind(r, s) for r, s in pairs if r.figure == s.figure)), None)


def _is_same(one: Reading, other: Reading) -> bool:
    """Whether values agree, in the same or a convertible unit, or where one has no unit."""
    names = [reading.unit.name if reading.unit else "" for reading in (one, other)]
    if "" in names or any(a == b or a.startswith(f"{b} per ") for a, b in (names, names[::-1])):
        return one.value == other.value
    (dimension, base), (known, value) = _base(one), _base(other)
    return dimension == known != "" and abs(base - value) <= _NEAR * max(abs(base), abs(value))


def _kind(one: Reading, known: Reading) -> str | None:
    """What differs between two readings of the same figure."""
    units = {unit for unit in (one.unit, known.unit) if unit}
    if one.scale != known.scale:
        both = one.scale > 1 < known.scale or one.unit == known.unit is not None
        return "magnitude" if both and len(units) < 2 else None
    if one.unit and known.unit and one.unit.dimension == known.unit.dimension:
        return "currency" if one.unit.dimension == "money" else "unit"
    return "other" if one.unit and known.unit else None
