"""Drawings of the page as numbers: where lines and marks of an SVG go. The template writes them down."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Cost", "Curve", "Mark", "calibration_curve", "cost_chart", "risk_curve"]

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 320, 220, 42, 34, 10, 10


@dataclass(frozen=True, slots=True)
class Mark:
    """A point with what it says."""

    x: float
    y: float
    size: float
    title: str
    label: str = ""
    best: bool = False


@dataclass(frozen=True, slots=True)
class Curve:
    """A drawing on two axes.

    Attributes:
        line: points of a line, as SVG has them.
        marks: points on it.
        ticks: on the axes: whether on the horizontal one, where, and what is written.
        x: name of the horizontal axis.
        y: of the other.
        diagonal: whether the line of equal values is drawn.
        summary: the drawing in one sentence.
    """

    line: str
    marks: tuple[Mark, ...]
    ticks: tuple[tuple[bool, float, str], ...]
    x: str
    y: str
    diagonal: bool = False
    summary: str = ""


def calibration_curve(bins: Sequence[Mapping[str, float]], what: str) -> Curve | None:
    """The share of made-up rows by score, or by fitted probability."""
    if not bins:
        return None
    most = max(one["rows"] for one in bins)
    marks = tuple(
        Mark(
            _x(one["mean"]),
            _y(one["share"]),
            2 + 4 * math.sqrt(one["rows"] / most),
            f"{one['rows']:,.0f} rows: mean {one['mean']:.2f}, made up {one['share']:.2f}",
        )
        for one in bins
    )
    return Curve(
        _points([(one["mean"], one["share"]) for one in bins]),
        marks,
        _UNIT,
        what,
        "share made up",
        diagonal=True,
        summary="Share of made-up rows in each tenth; on the diagonal the score is a probability.",
    )


def risk_curve(points: Sequence[Mapping[str, float]]) -> Curve | None:
    """The share of made-up rows among those let through."""
    if not points:
        return None
    line = _points([(one["coverage"], one["risk"]) for one in points])
    return Curve(
        line,
        (),
        _UNIT,
        "share let through, lowest scores first",
        "made up among them",
        summary=f"Letting everything through, {points[-1]['risk']:.3f} is made up.",
    )


@dataclass(frozen=True, slots=True)
class Cost:
    """What a detector costs and how good it is; `None` = unknown."""

    name: str
    cost: float | None
    quality: float | None


def cost_chart(listed: Sequence[Cost], unit: str) -> Curve | None:
    """Cost against quality; those that none beats in both are marked."""
    known = [
        (one.name, one.cost, one.quality)
        for one in listed
        if one.cost is not None and one.quality is not None
    ]
    if len(known) < 2:
        return None
    most = max(cost for _, cost, _ in known) or 1.0
    marks = []
    for name, cost, quality in known:
        beaten = any(
            c <= cost and q >= quality and (c < cost or q > quality) for other, c, q in known if other != name
        )
        marks.append(
            Mark(
                _x(cost / most),
                _y(quality),
                5,
                f"{name}: {cost:.3g} {unit}, AUROC {quality:.3f}",
                name,
                not beaten,
            )
        )
    front = sorted((mark.x, mark.y) for mark in marks if mark.best)
    ticks = (
        *((True, _x(share), f"{share * most:.3g}") for share in (0.0, 0.5, 1.0)),
        *(one for one in _UNIT if not one[0]),
    )
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in front)
    best = ", ".join(mark.label for mark in marks if mark.best)
    return Curve(
        line, tuple(marks), ticks, f"{unit} an answer", "AUROC", summary=f"Not beaten in both: {best}."
    )


def _x(value: float) -> float:
    return LEFT + value * (WIDTH - LEFT - RIGHT)


def _y(value: float) -> float:
    return HEIGHT - BOTTOM - value * (HEIGHT - BOTTOM - TOP)


def _points(pairs: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{_x(x):.1f},{_y(y):.1f}" for x, y in pairs)


_UNIT = (
    *((True, _x(one), f"{one:g}") for one in (0.0, 0.5, 1.0)),
    *((False, _y(one), f"{one:g}") for one in (0.0, 0.5, 1.0)),
)


def edges() -> dict[str, Any]:
    """The frame of a drawing."""
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "left": LEFT,
        "top": TOP,
        "right": WIDTH - RIGHT,
        "bottom": HEIGHT - BOTTOM,
    }
