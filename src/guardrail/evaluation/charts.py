"""Drawings of the page as numbers: where lines and marks of an SVG go. The template writes them down."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 320, 220, 42, 34, 10, 18


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
class CurveChart:
    """A drawing on two axes.

    Attributes:
        line: points of a line, as SVG has them.
        marks: points on it.
        ticks: on the axes: whether on the horizontal one, where, and what is written.
        x: name of the horizontal axis.
        y: of the other.
        diagonal: whether the line of equal values is drawn.
        summary: the drawing in one sentence.
        areas: filled shapes below the line, as a kind ("sound", "made_up", "unlabelled") and points.
        rule: where a vertical line is, and what is written at it.
    """

    line: str
    marks: tuple[Mark, ...]
    ticks: tuple[tuple[bool, float, str], ...]
    x: str
    y: str
    diagonal: bool = False
    summary: str = ""
    areas: tuple[tuple[str, str], ...] = ()
    rule: tuple[float, str] | None = None


def score_chart(histogram: Mapping[str, Any]) -> CurveChart | None:
    """How scores are spread: of sound and of made-up rows, each as a share of its own, or of all where no row is labelled."""
    edges = histogram["edges"]
    if not edges:
        return None
    kinds = [kind for kind in ("sound", "made_up") if sum(histogram[kind])] or ["unlabelled"]
    shares = {kind: [count / sum(histogram[kind]) for count in histogram[kind]] for kind in kinds}
    most = max(max(one) for one in shares.values())
    across = edges[-1] - edges[0]

    def steps(values: Sequence[float]) -> str:
        pairs = [(0.0, 0.0)]
        for i, value in enumerate(values):
            pairs += [(i / len(values), value / most), ((i + 1) / len(values), value / most)]
        return _points([*pairs, (1.0, 0.0)])

    at = histogram["flagged_from"]
    inside = at is not None and edges[0] < at < edges[-1]
    return CurveChart(
        "",
        (),
        (
            *((True, _x(one), f"{edges[0] + one * across:.3f}") for one in (0.0, 0.5, 1.0)),
            *((False, _y(one), f"{one * most:.3f}" if one else "0") for one in (0.0, 1.0)),
        ),
        "score: higher = more likely made up",
        "share of rows",
        summary=" against ".join(f"{sum(histogram[kind]):,} {_KINDS[kind]}" for kind in kinds)
        + (", each a share of its own kind." if len(kinds) > 1 else "."),
        areas=tuple((kind, steps(shares[kind])) for kind in kinds),
        rule=(_x((at - edges[0]) / across), "flagged →") if inside else None,
    )


_KINDS = {"sound": "sound rows", "made_up": "made-up rows", "unlabelled": "rows without a label"}


def calibration_curve(bins: Sequence[Mapping[str, float]], what: str) -> CurveChart | None:
    """The share of made-up rows by score, or by fitted probability."""
    if not bins:
        return None
    most = max(one["rows"] for one in bins)
    marks = tuple(
        Mark(
            _x(one["mean"]),
            _y(one["share"]),
            2 + 4 * math.sqrt(one["rows"] / most),
            f"{one['rows']:,.0f} rows: mean {one['mean']:.3f}, made up {one['share']:.3f}",
        )
        for one in bins
    )
    return CurveChart(
        _points([(one["mean"], one["share"]) for one in bins]),
        marks,
        _UNIT,
        what,
        "share made up",
        diagonal=True,
        summary="Share of made-up rows in each tenth; on the diagonal the score is a probability.",
    )


def risk_curve(points: Sequence[Mapping[str, float]]) -> CurveChart | None:
    """The share of made-up rows among those let through."""
    if not points:
        return None
    line = _points([(one["coverage"], one["risk"]) for one in points])
    return CurveChart(
        line,
        (),
        _UNIT,
        "share let through, lowest scores first",
        "made up among them",
        summary=f"Letting everything through, {points[-1]['risk']:.3f} is made up.",
    )


def roc_curve(points: Sequence[Mapping[str, float]]) -> CurveChart | None:
    """The share of made-up rows that is flagged, by the share of sound ones that is."""
    if not points:
        return None
    return CurveChart(
        _points([(one["false_alarms"], one["recall"]) for one in points]),
        (),
        _UNIT,
        "sound rows flagged",
        "made-up rows flagged (recall)",
        diagonal=True,
        summary="Each point is a threshold; on the diagonal are random scores. The area below is the AUROC.",
    )


def precision_recall_curve(points: Sequence[Mapping[str, float]]) -> CurveChart | None:
    """The share of flags that are right, by the share of made-up rows that is flagged; in steps, as average precision has it."""
    if not points:
        return None
    steps, before = list[tuple[float, float]](), 0.0
    for one in points[1:]:  # at the first nothing is flagged
        steps += [(before, one["precision"]), (one["recall"], one["precision"])]
        before = one["recall"]
    return CurveChart(
        _points(steps),
        (),
        _UNIT,
        "made-up rows flagged (recall)",
        "flags that are right (precision)",
        summary=f"The area below is about the average precision; random scores have {points[-1]['precision']:.3f}.",
    )


def cost_chart(detectors: Mapping[str, tuple[float | None, float | None]], unit: str) -> CurveChart | None:
    """Cost against quality, both by name, `None` = unknown; those that none beats in both are marked."""
    known = [
        (name, cost, quality)
        for name, (cost, quality) in detectors.items()
        if cost is not None and quality is not None
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
        *((True, _x(share), f"{share * most:.2g}") for share in (0.0, 0.5, 1.0)),
        *(one for one in _UNIT if not one[0]),
    )
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in front)
    best = ", ".join(mark.label for mark in marks if mark.best)
    return CurveChart(
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
