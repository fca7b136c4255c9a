"""Quantities of a text: a number with its magnitude, unit, currency and sign, read as values and not as strings.

What is ambiguous has several readings, and two quantities agree where one reading of each does: "1.200" is 1200 or 1.2, "5m" is
five metres or five millions. How quantities are compared with documents is in `guardrail.text.known_quantities`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from guardrail.text.moments import Moment, moments
from guardrail.text.numerals import Numeral, in_digits, in_words, language_of
from guardrail.text.units import Unit, currency_before, magnitude_at, quantity_table, unit_at

_SIGN = re.compile(r"(?<![\w)\]\"'%.,/-])(?:(?P<sign>[+-])|\b(?P<word>minus|menos|moins|meno|plus) )$")
_LINK = re.compile(r"[ -]?")
_OF = re.compile(r" (?:de |d'|di )?|-?")
_RANGE = re.compile(r" ?(?:-|to|and|or|bis|und|oder|à|et|ou|a|y|o|e|~|,) ?[$€£¥]?", re.IGNORECASE)
_AND = re.compile(r" ?(?:and|und|et|y|e|en|,)? ?")
_PER = re.compile(r" ?/ ?| per ")
_NEAR = 8  # characters before a number in which its sign is looked for
_CLAUSE = re.compile(r"[^.;:!?,\n]*$")
_WORDS = re.compile(r"[^\W\d_]+")
_REACH = 40  # characters in which a word of direction is looked for
_MOST = 12  # readings
_SIGNS = {"+": "up", "-": "down"}
_BETWEEN = 3  # words that may be between it and the number


@dataclass(frozen=True, slots=True)
class Reading:
    """One value that a quantity may have.

    Attributes:
        figure: the number without its magnitude.
        scale: the magnitude.
        unit: of it; `None` = none is said.
    """

    figure: float
    scale: float = 1.0
    unit: Unit | None = None

    @property
    def value(self) -> float:
        """The number with its magnitude, rounded so that equal values are equal."""
        return key(self.figure * self.scale)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity as it is written.

    Attributes:
        start: where it begins, with sign and currency.
        end: where it ends, with its unit.
        readings: what it may mean, at least one.
        sign: "+", "-", or "" where none is said; of "fell by 5 %" it is "-".
        signed: whether it is written with its sign, and not with such a word.
        listed: whether it is one of several numbers that "80,443" may be.
    """

    start: int
    end: int
    readings: tuple[Reading, ...]
    sign: str = ""
    signed: bool = False
    listed: bool = False

    @property
    def is_bare(self) -> bool:
        """Whether it is a number alone, in every reading."""
        return all(reading.unit is None and reading.scale == 1 for reading in self.readings)

    def of(self, text: str) -> str:
        """As it is written in the text it was found in."""
        return text[self.start : self.end].strip(" .")


def key(value: float) -> float:
    """A value rounded to what a spelling can say: nine digits."""
    return float(f"{value:.9g}")


def quantities(text: str) -> tuple[list[Quantity], list[Moment]]:
    """The quantities of a normalised text, and its dates and times of day; each in order.

    Args:
        text: as `guardrail.text.typography.normalised` gives it.

    Example:
        >>> found, _ = quantities("It lost $3.5 million, or -76 %, in 90 km/h winds.")
        >>> [(one.readings[0].value, one.readings[0].unit.name, one.sign) for one in found]
        [(3500000.0, 'dollar', ''), (76.0, 'percent', '-'), (90.0, 'kilometre per hour', '')]
    """
    language = language_of(text)
    when = moments(text)
    starts = [one.start for one in when]

    def free(one: Numeral) -> bool:
        before = bisect_right(starts, one.start) - 1
        return before < 0 or when[before].end <= one.start

    numerals = sorted(
        [*filter(free, in_digits(text, language=language)), *in_words(text, language=language)],
        key=lambda one: one.start,
    )
    found: list[Quantity] = []
    for numeral in numerals:
        if (
            not found or numeral.start >= found[-1].end
        ):  # the "thousand" of "3 thousand" is no number of its own
            found += _quantities(text, numeral, language)
    return _sums(text, _ranges(text, found)), when


def _quantities(text: str, numeral: Numeral, language: str) -> Iterator[Quantity]:
    """The quantity of a number; what it may be a list of are quantities without units."""
    for part in numeral.parts:
        yield Quantity(numeral.start, numeral.end, (Reading(key(part)),), listed=True)
    if not numeral.values:
        return
    money, start = currency_before(text, numeral.start)
    scales, at = _magnitudes(text, numeral, language, money=bool(money))
    units, end = (money, at) if money else _unit(text, at)
    figures = [value / numeral.scale for value in numeral.values]
    scales = [numeral.scale * scale for scale in scales]
    readings = [
        Reading(key(figure), scale, unit)
        for scale in scales
        for unit in units or (None,)
        for figure in figures
    ]
    letters = quantity_table()["magnitudes"]["letters"]
    if not money and at > numeral.end and len(scales) == 1 and text[numeral.end : at] in letters:
        plain, _ = _unit(text, numeral.end)  # 5m: millions or metres
        readings += [Reading(key(figure), 1.0, unit) for figure in figures for unit in plain or (None,)]
    sign = _SIGN.search(text, max(0, start - _NEAR), start)
    end = max(end, numeral.end)
    if sign:
        said, start = (sign["sign"] or ("+" if sign["word"] == "plus" else "-")), sign.start()
    else:
        said, start, end = _direction(text, start, end)
    yield Quantity(start, end, tuple(dict.fromkeys(readings)), said, signed=bool(sign))


def _magnitudes(text: str, numeral: Numeral, language: str, *, money: bool) -> tuple[list[float], int]:
    """By what a number is to be multiplied, and where that ends; a letter counts right behind digits, or with a currency."""
    letters = quantity_table()["magnitudes"]["letters"]
    scale, at = 1.0, numeral.end
    match = _LINK.match(text, at)
    while found := magnitude_at(text, match.end() if match else at, language)[0]:
        scale *= found[0]
        at = magnitude_at(text, match.end() if match else at, language)[1]
        at += text[at : at + 1] == "."
        match = _LINK.match(text, at)
    if at == numeral.end:
        behind = at + (money and text[at : at + 1] == " ")
        word = _WORDS.match(text, behind)
        if word and word[0] in letters:
            return [letters[word[0]]], word.end()
    return [scale], at


def _unit(text: str, at: int) -> tuple[tuple[Unit, ...], int]:
    match = _OF.match(text, at)
    for place in dict.fromkeys(
        (at, *((at + 1,) if text[at : at + 1] in (" ", "-") else ()), match.end() if match else at)
    ):
        units, end = unit_at(text, place)
        if units and not text[end : end + 1].isdigit():  # "two $500 prizes"
            per = _PER.match(text, end)
            under, after = unit_at(text, per.end()) if per else ((), end)
            return (tuple(one.per(under[0]) for one in units), after) if under else (units, end)
    return (), at


def _ranges(text: str, found: Sequence[Quantity]) -> list[Quantity]:
    """Of "3 to 5 million" and "$3-4 billion" the first may have the second's magnitude and unit."""
    out = list(found)
    for i in range(len(out) - 2, -1, -1):
        one, following = out[i], out[i + 1]
        gap = text[one.end : following.start] if one.end <= following.start <= one.end + 8 else ";"
        if gap != ";" and any(r.scale == 1 for r in one.readings) and _RANGE.fullmatch(gap.strip() or ";"):
            more = [
                Reading(r.figure, other.scale, r.unit or other.unit)
                for r in one.readings
                for other in following.readings
                if r.scale == 1
            ]
            out[i] = replace(one, readings=tuple(dict.fromkeys((*one.readings, *more)))[:_MOST])
    return out


def _sums(text: str, found: Sequence[Quantity]) -> list[Quantity]:
    """Neighbours as one quantity in the smaller unit: "1 hour and 15 minutes", "5 feet 11 inches"."""
    out: list[Quantity] = []
    for one in found:
        before, unit = out[-1] if out else None, one.readings[0].unit
        larger = before.readings[0].unit if before else None
        gap = text[before.end : one.start] if before else ";"
        if before and unit and larger and unit.dimension == larger.dimension and _AND.fullmatch(gap):
            whole, part = larger.base(before.readings[0].value), unit.base(one.readings[0].value)
            if whole and part and 0 < unit.factor < larger.factor and part < larger.factor:
                value = key((whole + part) / unit.factor)
                out[-1] = Quantity(before.start, one.end, (Reading(value, 1.0, unit),), before.sign)
                continue
        out.append(one)
    return out


def _direction(text: str, start: int, end: int) -> tuple[str, int, int]:
    """The sign by a word near the number, and where number and word begin and end: "fell by 5 %", "a rise of 5 %", "5 % higher"."""
    clause = _CLAUSE.search(text, max(0, start - _REACH), start)
    before = list(_WORDS.finditer(text, clause.start(), start))[-_BETWEEN - 1 :] if clause else []
    while before and before[-1][0].casefold() in quantity_table()["directions"]["between"]:
        before.pop()
    behind = _WORDS.match(text, end + (text[end : end + 1] == " "))
    near = [match for match in (*before[-1:], behind) if match]
    found = [(sign, match) for match in near for sign in _SIGNS if match[0].casefold() in _directions()[sign]]
    if len({sign for sign, _ in found}) != 1:
        return "", start, end
    return found[0][0], min(start, *(m.start() for _, m in found)), max(end, *(m.end() for _, m in found))


@cache
def _directions() -> dict[str, frozenset[str]]:
    return {sign: frozenset(quantity_table()["directions"][name]) for sign, name in _SIGNS.items()}
