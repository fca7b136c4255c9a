"""PHR as a linear predictor of MHR and of the error rate: Table 1 and Section 3.2, ours beside the published."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from benchmarks._rows import Expected
from benchmarks._table import Row
from benchmarks.phr.language.cells import Found, Point
from benchmarks.phr.language.tasks import TASKS
from guardrail.errors import InputError

__all__ = [
    "EPSILON",
    "Fit",
    "Target",
    "document",
    "faults",
    "fit",
    "mean",
    "points",
    "published",
    "table_rows",
]

Target: TypeAlias = Literal["mhr", "error"]

EPSILON: Mapping[Target, str] = {"mhr": "0.05", "error": "0.75"}
"""Of PHR for each target: those of the paper's Figures 5 and 6. Its Table 1 does not say."""

_TITLES: Mapping[Target, str] = {"mhr": "MHR", "error": "error rate"}
_FEWEST = 3


@dataclass(frozen=True, slots=True)
class Fit:
    """A least-squares line.

    Attributes:
        size: points.
        slope: β.
        intercept: of the line.
        p: of β = 0, Student's, two-sided. Points of one training set are not independent, so it is too small.
        r2: share of the variance that the line explains.
        mae: mean absolute difference from the line.
        mse: mean squared difference from the line.
        gap: mean absolute difference from PHR itself, no line.
    """

    size: int
    slope: float
    intercept: float
    p: float
    r2: float
    mae: float
    mse: float
    gap: float


def fit(x: ArrayLike, y: ArrayLike) -> Fit | None:
    """The line that predicts y from x; `None` of fewer than three points, or where x or y does not vary.

    Raises:
        InputError: x and y are not two rows of finite numbers of one length.

    >>> found = fit([0.0, 0.5, 1.0, 0.5], [0.1, 0.3, 0.7, 0.5])
    >>> round(found.slope, 3), round(found.r2, 3), round(found.mae, 3)
    (0.6, 0.9, 0.05)
    """
    from scipy import stats

    one, other = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if one.ndim != 1 or one.shape != other.shape or not np.isfinite([one, other]).all():
        raise InputError(f"expected two rows of finite numbers, got shapes {one.shape!r} and {other.shape!r}")
    if len(one) < _FEWEST or np.ptp(one) < 1e-12 or np.ptp(other) < 1e-12:
        return None
    line = stats.linregress(one, other)
    rest = other - (line.intercept + line.slope * one)
    return Fit(
        size=len(one),
        slope=float(line.slope),
        intercept=float(line.intercept),
        p=float(line.pvalue),
        r2=float(line.rvalue) ** 2,
        mae=float(np.abs(rest).mean()),
        mse=float((rest**2).mean()),
        gap=float(np.abs(other - one).mean()),
    )


def points(
    cells: Iterable[Found], target: Target, *, epsilon: str | None = None
) -> tuple[list[float], list[float]]:
    """PHR and what it is to predict, of all queries that have both; `epsilon` is the target's own by default."""
    pairs = [_pair(point, target, epsilon or EPSILON[target]) for cell in cells for point in cell.points]
    found = [(x, y) for x, y in pairs if x is not None and y is not None]
    return [x for x, _ in found], [y for _, y in found]


def _pair(point: Point, target: Target, epsilon: str) -> tuple[float | None, float | None]:
    return point.phr.get(epsilon), point.error if target == "error" else point.mhr.get(epsilon)


def published() -> Mapping[str, Any]:
    """What the paper prints."""
    return Expected.read(Path(__file__).parent).values


def table_rows(cells: Sequence[Found], *, model: str) -> list[Row]:
    """Per task over all n, the paper's columns; published figures, of another model, stand beside without a bar."""
    rows = [Row.shown("language: model", model), Row.shown("language: cells", len(cells))]
    for task in dict.fromkeys(cell.task for cell in cells):
        own = [cell for cell in cells if cell.task == task]
        for target in EPSILON:
            rows += _fit_rows(task, target, own)
        rows += _count_rows(task, own)
    return rows


def _fit_rows(task: str, target: Target, cells: Sequence[Found]) -> list[Row]:
    title = f"language: {TASKS[task]}, PHR (ε = {EPSILON[target]}) and {_TITLES[target]}"
    printed = published()["default"][target] if task == "sst2" else {}
    found = fit(*points(cells, target))
    if found is None:
        return [
            Row.missing(f"{title}: MAE, R²", "; ".join(["too few numbers, or all alike", *faults(cells)[:1]]))
        ]
    note = " (published: Llama-2-7B)" if printed else ""
    return [
        Row.shown(f"{title}: MAE{note}", found.mae, published=printed.get("mae"), digits=4),
        Row.shown(f"{title}: R²{note}", found.r2, published=printed.get("r2")),
        Row.shown(f"{title}: MSE", found.mse, digits=4),
        Row.shown(f"{title}: β", found.slope),
        Row.shown(f"{title}: p", found.p),
        Row.shown(f"{title}: mean difference without a line", found.gap, digits=4),
    ]


def faults(cells: Sequence[Found]) -> list[str]:
    """What went wrong, in words and with the number of cells; the most frequent first."""
    counts = Counter(fault for cell in cells for fault in cell.faults)
    return [f"{fault} ({count} of {len(cells)} cells)" for fault, count in counts.most_common()]


def _count_rows(task: str, cells: Sequence[Found]) -> list[Row]:
    title = f"language: {TASKS[task]}"
    every = [point for cell in cells for point in cell.points]
    drawn = sum(cell.pairs + cell.redrawn for cell in cells)
    begun, given_up = sum(cell.imagined for cell in cells), sum(cell.given_up for cell in cells)
    pairs, sound = sum(cell.pairs for cell in cells), sum(cell.sound for cell in cells)
    return [
        Row.shown(f"{title}: queries with PHR", sum(point.contexts > 0 for point in every)),
        Row.shown(f"{title}: error rate", mean(point.error for point in every)),
        Row.shown(f"{title}: imagined pairs that could not be read", 1 - pairs / drawn if drawn else None),
        Row.shown(f"{title}: imagined contexts given up", given_up / begun if begun else None),
        Row.shown(f"{title}: imagined labels that are the task's", sound / pairs if pairs else None),
    ]


def mean(values: Iterable[float | None]) -> float | None:
    """Of those there are; `None` of none."""
    found = [value for value in values if value is not None]
    return math.fsum(found) / len(found) if found else None


def document(cells: Sequence[Found], *, model: str, settings: Mapping[str, Any]) -> str:
    """Both tables in the paper's columns, as Markdown.

    Args:
        cells: of the grid.
        model: in words.
        settings: "horizon", "contexts", "draws" and "parameters" of ours.
    """
    return "\n".join(
        [
            "# Posterior hallucination rate of a language model",
            "",
            f"Ours: {model}. Published: Llama-2 of 7 and 13 billion parameters. These are different models, so no",
            "figure of ours has to equal a published one.",
            "",
            "## Table 1: PHR as a linear predictor, all n together",
            "",
            "| task | MHR MAE | MHR R² | error MAE | error R² | N − n | M | K | parameters |",
            "| --- | --: | --: | --: | --: | --: | --: | --: | --: |",
            *_first_table(cells, settings),
            "",
            "## Section 3.2: by task and n",
            "",
            f"PHR with ε = {EPSILON['mhr']} for MHR and {EPSILON['error']} for the error rate. p counts the queries of",
            "one training set as independent, as the paper does.",
            "",
            "| task | n | queries | MHR MSE | β | p | R² | error MSE | β | p | R² | error rate | redrawn | given up |",
            "| --- | --: " + "| --: " * 12 + "|",
            *_second_table(cells),
            "",
            *([f"- {fault}" for fault in faults(cells)] or ["Nothing failed."]),
            "",
        ]
    )


def _first_table(cells: Sequence[Found], settings: Mapping[str, Any]) -> list[str]:
    columns = ("horizon", "contexts", "draws", "parameters")
    lines = []
    for row in published()["table_1"]:
        numbers = [f"{value:.3f}" for value in (*row["mhr"], *row["error"])]
        lines.append(_line("SST2, published", *numbers, *(row[name] for name in columns)))
    for task, own in _by(cells, lambda cell: cell.task).items():
        fits = [fit(*points(own, target)) for target in EPSILON]
        numbers = [_number(one, name) for one in fits for name in ("mae", "r2")]
        lines.append(_line(f"{TASKS[task]}, ours", *numbers, *(settings[name] for name in columns)))
    return lines


def _second_table(cells: Sequence[Found]) -> list[str]:
    lines = []
    for (task, n), own in _by(cells, lambda cell: (cell.task, cell.n)).items():
        fits = [fit(*points(own, target)) for target in EPSILON]
        numbers = [_number(one, name) for one in fits for name in ("mse", "slope", "p", "r2")]
        every = [point for cell in own for point in cell.points]
        error = mean(point.error for point in every)
        counts = (sum(cell.redrawn for cell in own), sum(cell.given_up for cell in own))
        lines.append(
            _line(TASKS[task], n, len(every), *numbers, "–" if error is None else f"{error:.3f}", *counts)
        )
    return lines


def _line(*columns: object) -> str:
    return f"| {' | '.join(map(str, columns))} |"


def _by(cells: Sequence[Found], name: Any) -> dict[Any, list[Found]]:
    """In the order of the tasks, then of n."""
    order = list(TASKS)
    found: dict[Any, list[Found]] = {}
    for cell in sorted(cells, key=lambda cell: (order.index(cell.task), cell.n)):
        found.setdefault(name(cell), []).append(cell)
    return found


def _number(found: Fit | None, name: str) -> str:
    if found is None:
        return "–"
    value = float(getattr(found, name))
    if name == "p" and value < 0.001:
        return f"{value:.0e}"
    return f"{value:.{4 if name == 'mse' else 3}f}"
