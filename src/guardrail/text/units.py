"""Units and magnitudes by the names that people write: `quantities.toml` read once, and what of it begins at a place.

A table and not a units library: a library takes .4 s to load and reads "a", "in" and "pm" as units.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from guardrail._toml import packaged

_PIECE = r"(?:[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_\u3040-\u30ff\u3400-\u9fff]+(?:\^?[23](?!\d))?\.?|[%‰°$€£¥₹₩₽₺₪₿])"
_NAME = re.compile(rf"{_PIECE}(?:[ /\-'$]?{_PIECE}){{0,4}}")
_CUT = re.compile(rf"{_PIECE}")
_BEFORE = re.compile(
    r"(?:[^\W\d_.]{1,3}\.?[^\W\d_]?\.?)?[$€£¥₹₩₽₺₪₿] ?$|(?<![^\W\d_])[A-Z][A-Za-z]{1,2}\.? ?$"
)
_SYMBOL = 3  # letters of a name that is read with its case
_NEAR = 8  # characters before a number in which its currency is looked for


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit.

    Attributes:
        name: in English.
        dimension: what it measures: "length", "money", …
        factor: of how many units of the dimension one is; 0 = nothing is converted (currencies).
        offset: added to a value before it is multiplied (degrees Fahrenheit).
    """

    name: str
    dimension: str
    factor: float = 0.0
    offset: float = 0.0

    def per(self, other: Unit) -> Unit:
        """So much of it for each of the other: milligrams per litre."""
        factor = self.factor / other.factor if other.factor else 0.0
        return Unit(f"{self.name} per {other.name}", f"{self.dimension} per {other.dimension}", factor)

    def base(self, value: float) -> float | None:
        """A value in the unit of the dimension; `None` where nothing is converted."""
        return (value + self.offset) * self.factor if self.factor else None


@cache
def quantity_table() -> Mapping[str, Any]:
    """The whole table as it is written."""
    return packaged("guardrail.text", "quantities.toml")


def unit_at(text: str, at: int) -> tuple[tuple[Unit, ...], int]:
    """The units that the longest name at this place may mean, and where the name ends; none: `((), at)`.

    Example:
        >>> [unit.name for unit in unit_at("5 km/h or so", 2)[0]], unit_at("5 km/h or so", 2)[1]
        (['kilometre per hour'], 6)
    """
    return _longest(text, at, _units())


def magnitude_at(text: str, at: int, language: str = "") -> tuple[tuple[float, ...], int]:
    """What the longest word of magnitude at this place may mean, and where it ends; none: `((), at)`."""
    return _longest(text, at, _magnitudes(long=language not in ("", "en")))


def currency_before(text: str, at: int) -> tuple[tuple[Unit, ...], int]:
    """The currency right before a number, and where it begins; none: `((), at)`."""
    match = _BEFORE.search(text, max(0, at - _NEAR), at)
    if match:
        for start in range(match.start(), match.end()):
            found = [one for one in _units().get(text[start:at].strip(), ()) if one.dimension == "money"]
            if found and not text[start - 1 : start].isalpha():
                return tuple(found), start
    return (), at


def _longest(text: str, at: int, names: Mapping[str, tuple[Any, ...]]) -> tuple[tuple[Any, ...], int]:
    match = _NAME.match(text, at, at + 40)
    ends = [one.end() for one in _CUT.finditer(text, at, match.end())] if match else []
    for end in reversed(ends):
        written = text[at:end]
        for name in (written, written.rstrip(".")):
            found = names.get(name) or (names.get(name.casefold()) if len(name) > _SYMBOL else None)
            if found:
                return found, at + len(name)
    return (), at


@cache
def _units() -> Mapping[str, tuple[Unit, ...]]:
    found: dict[str, dict[Unit, None]] = {}
    for dimension, units in quantity_table()["units"].items():
        for name, entry in units.items():
            for prefix, scale, names in _forms(entry):
                unit = Unit(
                    (prefix + name).replace("_", " "),
                    dimension,
                    entry.get("factor", 0.0) * scale,
                    entry.get("offset", 0.0),
                )
                for one in names:
                    found.setdefault(one, {})[unit] = None
    return {name: tuple(units) for name, units in found.items()}


def _forms(entry: Mapping[str, Any]) -> Iterator[tuple[str, float, list[str]]]:
    symbols, words = entry.get("symbols", []), entry.get("words", [])
    short = [word.capitalize() for word in words if len(word) <= _SYMBOL]
    yield "", 1.0, [*symbols, *words, *short]
    if entry.get("prefixes"):
        for prefix, (scale, letter) in quantity_table()["prefixes"].items():
            yield (
                prefix,
                scale,
                [f"{letter}{one}" for one in symbols] + [f"{prefix}{one}" for one in words if one.isalpha()],
            )


@cache
def _magnitudes(*, long: bool) -> Mapping[str, tuple[float, ...]]:
    table = quantity_table()["magnitudes"]
    words = {**table["words"], **table["long" if long else "short"]}
    short = {name.capitalize(): scale for name, scale in words.items() if len(name) <= _SYMBOL}
    return {name: (scale,) for name, scale in {**words, **short}.items()}
