"""The rows of a benchmark's table, and what its expected.json asks of them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeAlias, TypedDict, Unpack

from guardrail.errors import InputError

__all__ = ["Bare", "Details", "Expected", "Row", "Shape", "Value", "as_number", "as_text"]

Value: TypeAlias = float | int | str | bool | None

SLACK = 1e-9  # so that .917 and .918 differ by no more than .001
UNDEFINED = "undefined on these rows"


class Bare(TypedDict, total=False):
    """What any row may add: see `Row`."""

    interval: tuple[float, float] | None
    unit: str


class Shape(Bare, total=False):
    """The same, and how many digits the table prints."""

    digits: int


class Details(Shape, total=False):
    """The same, and what was published."""

    published: Value


@dataclass(frozen=True, slots=True)
class Row:
    """One quantity: published beside ours. The class methods make the usual kinds.

    Attributes:
        quantity: what is measured, unique within a benchmark ("gpt-4 AUC IQ+DQ").
        published: the paper's figure, `None` where it has none.
        ours: our figure; `None` where it could not be computed.
        interval: of ours, 95 % unless the quantity says otherwise.
        bar: the bar in words ("± .001", "≥ .915"); `None` where the row is only shown.
        ok: whether ours meets the bar; `True` in a row without a bar; `None` where it could not be computed.
        reason: why it could not be computed; given exactly where `ok` is `None`.
        unit: of published and ours ("tokens", "%"), empty for pure numbers.
        digits: digits after the point in the printed table; the JSON holds full precision.
    """

    quantity: str
    published: Value = None
    ours: Value = None
    interval: tuple[float, float] | None = None
    bar: str | None = None
    ok: bool | None = True
    reason: str | None = None
    unit: str = ""
    digits: int = 3

    def __post_init__(self) -> None:
        for name in (
            "published",
            "ours",
            "ok",
        ):  # numpy's scalars become Python's: JSON and `is False` need it
            value = getattr(self, name)
            object.__setattr__(self, name, value.item() if hasattr(value, "item") else value)
        for number in (self.published, self.ours, *(self.interval or ())):
            if isinstance(number, float) and not math.isfinite(number):
                raise InputError(
                    f"{self.quantity!r}: expected finite numbers, got {number!r}. "
                    "Use Row.missing(...) with a reason for what is undefined."
                )
        if (self.ok is None) != bool(self.reason):
            raise InputError(f"{self.quantity!r}: a reason goes with ok=None and only with it, got {self!r}.")

    @classmethod
    def within(
        cls, quantity: str, published: float, ours: float | None, *, tolerance: float, **shape: Unpack[Shape]
    ) -> Row:
        """Ours may differ from the published figure by at most `tolerance`."""
        details: Details = {**shape, "published": published}
        bar = f"± {as_number(tolerance, shape.get('digits', 3))}"
        return cls._judged(quantity, ours, bar, (published - tolerance, published + tolerance), details)

    @classmethod
    def rounded(
        cls, quantity: str, published: float, ours: float | None, *, digits: int, **bare: Unpack[Bare]
    ) -> Row:
        """Ours, rounded to the `digits` that were printed, must be the published figure."""
        details: Details = {**bare, "published": published, "digits": digits}
        half = 0.5 * 10.0**-digits
        return cls._judged(quantity, ours, "as printed", (published - half, published + half), details)

    @classmethod
    def at_least(cls, quantity: str, ours: float | None, bar: float, **details: Unpack[Details]) -> Row:
        """Ours must be `bar` or more."""
        words = f"≥ {as_number(bar, details.get('digits', 3))}"
        return cls._judged(quantity, ours, words, (bar, math.inf), details)

    @classmethod
    def at_most(cls, quantity: str, ours: float | None, bar: float, **details: Unpack[Details]) -> Row:
        """Ours must be `bar` or less."""
        words = f"≤ {as_number(bar, details.get('digits', 3))}"
        return cls._judged(quantity, ours, words, (-math.inf, bar), details)

    @classmethod
    def between(
        cls, quantity: str, ours: float | None, limits: tuple[float, float], **details: Unpack[Details]
    ) -> Row:
        """Ours must lie within the limits, as a coverage does."""
        digits = details.get("digits", 3)
        words = f"{as_number(limits[0], digits)} … {as_number(limits[1], digits)}"
        return cls._judged(quantity, ours, words, limits, details)

    @classmethod
    def equal(cls, quantity: str, ours: Value, expected: Value, **details: Unpack[Details]) -> Row:
        """Ours must be exactly `expected` (a count, a word, yes or no)."""
        bar = f"= {as_text(expected, details.get('digits', 3))}"
        return cls(quantity, ours=ours, bar=bar, ok=ours == expected, **details)

    @classmethod
    def shown(cls, quantity: str, ours: Value, **details: Unpack[Details]) -> Row:
        """A row without a bar, for the reader."""
        if ours is None:
            return cls.missing(quantity, UNDEFINED, **details)
        return cls(quantity, ours=ours, **details)

    @classmethod
    def missing(
        cls, quantity: str, reason: str, *, bar: str | None = None, **details: Unpack[Details]
    ) -> Row:
        """What could not be run, and why. The reason must hold no path of this machine."""
        return cls(quantity, bar=bar, ok=None, reason=reason, **details)

    @classmethod
    def _judged(
        cls, quantity: str, ours: float | None, bar: str, limits: tuple[float, float], details: Details
    ) -> Row:
        if ours is None:
            return cls.missing(quantity, UNDEFINED, bar=bar, **details)
        ok = limits[0] - SLACK <= ours <= limits[1] + SLACK
        return cls(quantity, ours=float(ours), bar=bar, ok=ok, **details)

    def to_dict(self) -> dict[str, Any]:
        """The row of the JSON; a unit stands in brackets behind the quantity."""
        row: dict[str, Any] = {
            "quantity": f"{self.quantity} [{self.unit}]" if self.unit else self.quantity,
            "published": self.published,
            "ours": self.ours,
            "interval": None if self.interval is None else [float(end) for end in self.interval],
            "bar": self.bar,
            "ok": self.ok,
        }
        return row if self.ok is not None else {**row, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Expected:
    """A benchmark's expected.json, as far as the harness reads it.

    Attributes:
        may_be_null: quantities (or shell patterns of them) that may have no figure, each with what they need.
        required: quantities or patterns of which at least one row must be there.
        values: anything else that the benchmark wants to keep there.
    """

    may_be_null: Mapping[str, str] = field(default_factory=dict)
    required: Sequence[str] = ()
    values: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> Expected:
        """Read `folder/expected.json`; a benchmark without one allows no null."""
        path = folder / "expected.json"
        if not path.is_file():
            return cls()
        found = json.loads(path.read_text(encoding="utf-8"))
        unknown = set(found) - {"may_be_null", "required", "values"}
        if unknown:
            raise InputError(f"expected.json has unknown keys {sorted(unknown)!r}; see benchmarks/README.md.")
        return cls(found.get("may_be_null", {}), found.get("required", ()), found.get("values", {}))

    def faults(self, rows: Sequence[Row]) -> list[str]:
        """What is wrong with the rows as a whole: a forbidden null, a row that is gone or there twice."""
        quantities = [row.quantity for row in rows]
        faults = [
            f"{row.quantity}: has no figure ({row.reason}), and expected.json does not allow that"
            for row in rows
            if row.ok is None and not any(_matches(row.quantity, pattern) for pattern in self.may_be_null)
        ]
        faults += [
            f"{pattern}: no such row, and expected.json requires one"
            for pattern in self.required
            if not any(_matches(quantity, pattern) for quantity in quantities)
        ]
        faults += [
            f"{one}: there twice" for one in sorted({q for q in quantities if quantities.count(q) > 1})
        ]
        if not rows:
            faults.append("the benchmark has no rows")
        return faults


def _matches(quantity: str, pattern: str) -> bool:
    return quantity == pattern or fnmatchcase(quantity, pattern)


def as_number(value: float, digits: int) -> str:
    """A number with so many digits after the point."""
    return f"{value:.{digits}f}"


def as_text(value: Value, digits: int) -> str:
    """Any value of a row as the table prints it."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return as_number(value, digits) if isinstance(value, float) else str(value)
