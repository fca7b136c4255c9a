"""Figures 4 to 6 and 17 to 19: curves over n, one panel per task (and ε). Bands are 95 %, over training sets."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from benchmarks._plots import STYLE, save
from benchmarks.phr.language.cells import Found, Point
from benchmarks.phr.language.tables import EPSILON, fit, mean
from benchmarks.phr.language.tasks import TASKS
from guardrail.errors import MissingExtra

__all__ = ["Curve", "curve", "draw"]

Value: TypeAlias = "Callable[[Point], float | None]"

PREDICTED, TARGET, GREY = "#0072B2", "#D55E00", "0.5"
_WIDE = 3  # panels in a row


@dataclass(frozen=True, slots=True)
class Curve:
    """Means by n.

    Attributes:
        sizes: n.
        means: over all queries.
        halves: of the 95 % interval, over the means of training sets; 0 of a single set.
    """

    sizes: tuple[int, ...]
    means: tuple[float, ...]
    halves: tuple[float, ...]


def curve(cells: Sequence[Found], value: Value) -> Curve:
    """One curve; an n without any value is left out.

    The queries of a training set share its contexts, so the sets are what varies independently.
    """
    rows = []
    for n in sorted({cell.n for cell in cells}):
        found = [mean(map(value, cell.points)) for cell in cells if cell.n == n]
        sets = [one for one in found if one is not None]
        middle = mean(value(point) for cell in cells if cell.n == n for point in cell.points)
        if middle is not None:
            half = 1.96 * float(np.std(sets, ddof=1)) / math.sqrt(len(sets)) if len(sets) > 1 else 0.0
            rows.append((n, middle, half))
    sizes, means, halves = zip(*rows, strict=True) if rows else ((), (), ())
    return Curve(tuple(sizes), tuple(means), tuple(halves))


def draw(cells: Sequence[Found], folder: Path, *, model: str, epsilons: Sequence[float]) -> list[Path]:
    """All figures.

    Args:
        cells: of the grid.
        folder: gets each as SVG and PNG.
        model: stands in every title: whose numbers these are.
        epsilons: those of Figures 17 and 18.
    """
    tasks = [task for task in TASKS if any(cell.task == task for cell in cells)]
    own = {task: [cell for cell in cells if cell.task == task] for task in tasks}
    names = [f"{epsilon:g}" for epsilon in epsilons]
    return [
        *_errors(own, folder, model),
        *_pairs(
            own, folder, model, figure=5, title="MHR and PHR", other=("MHR", mhr), epsilon=EPSILON["mhr"]
        ),
        *_pairs(
            own,
            folder,
            model,
            figure=6,
            title="Error rate and PHR",
            other=("error rate", error),
            epsilon=EPSILON["error"],
        ),
        *_ablation(own, folder, model, figure=17, other=("MHR", mhr), names=names),
        *_ablation(own, folder, model, figure=18, other=("error rate", error), names=names),
        *_information(own, folder, model, letter="a", label="error rate", value=error(EPSILON["error"])),
        *_information(own, folder, model, letter="b", label="MHR", value=mhr(EPSILON["mhr"])),
        *_information(own, folder, model, letter="c", label="PHR", value=phr(EPSILON["mhr"])),
    ]


def phr(epsilon: str) -> Value:
    """PHR of a query."""
    return lambda point: point.phr.get(epsilon)


def mhr(epsilon: str) -> Value:
    """MHR of a query."""
    return lambda point: point.mhr.get(epsilon)


def error(_epsilon: str) -> Value:
    """Error rate of a query: it has no ε."""
    return lambda point: point.error


def information(point: Point) -> float | None:
    """Mutual information of a query's response and the task."""
    return point.information


def _errors(own: dict[str, list[Found]], folder: Path, model: str) -> list[Path]:
    with _panels(len(own), f"Figure 4: error rate and response entropy, {model}") as (figure, axes):
        for panel, (task, cells) in zip(axes, own.items(), strict=True):
            labels = cells[0].labels
            _plot(panel, curve(cells, lambda point: point.error), TARGET, "o", "error rate")
            _plot(panel, curve(cells, lambda point: point.entropy), PREDICTED, "s", "response entropy [nats]")
            for level, label in ((1 - 1 / labels, "guessing at random"), (math.log(labels), None)):
                panel.axhline(level, color=GREY, linestyle="--", linewidth=1, label=label)
            panel.set_title(TASKS[task])
            _from_zero(panel)
        _finish(figure, axes)
        return save(figure, folder, "phr-language-figure-4")


def _pairs(
    own: dict[str, list[Found]],
    folder: Path,
    model: str,
    *,
    figure: int,
    title: str,
    other: tuple[str, Callable[[str], Value]],
    epsilon: str,
) -> list[Path]:
    label, value = other
    with _panels(len(own), f"Figure {figure}: {title}, ε = {epsilon}, {model}") as (drawn, axes):
        for panel, (task, cells) in zip(axes, own.items(), strict=True):
            _plot(panel, curve(cells, value(epsilon)), TARGET, "o", label)
            _plot(panel, curve(cells, phr(epsilon)), PREDICTED, "s", "PHR")
            panel.set_title(f"{TASKS[task]}{_fitted(cells, phr(epsilon), value(epsilon))}")
            _from_zero(panel)
        _finish(drawn, axes)
        return save(drawn, folder, f"phr-language-figure-{figure}")


def _ablation(
    own: dict[str, list[Found]],
    folder: Path,
    model: str,
    *,
    figure: int,
    other: tuple[str, Callable[[str], Value]],
    names: Sequence[str],
) -> list[Path]:
    label, value = other
    title = f"Figure {figure}: PHR and {label} by ε, {model}"
    with _panels(len(own) * len(names), title, wide=len(names)) as (drawn, axes):
        panels = iter(axes)
        for task, cells in own.items():
            for epsilon in names:
                panel = next(panels)
                _plot(panel, curve(cells, value(epsilon)), TARGET, "o", label)
                _plot(panel, curve(cells, phr(epsilon)), PREDICTED, "s", "PHR")
                panel.set(title=f"{TASKS[task]}, ε = {epsilon}", ylim=(-0.02, 1.02))
        _finish(drawn, axes)
        return save(drawn, folder, f"phr-language-figure-{figure}")


def _information(
    own: dict[str, list[Found]], folder: Path, model: str, *, letter: str, label: str, value: Value
) -> list[Path]:
    title = f"Figure 19{letter}: mutual information and {label}, {model}"
    with _panels(len(own), title) as (drawn, axes):
        for panel, (task, cells) in zip(axes, own.items(), strict=True):
            _plot(panel, curve(cells, value), TARGET, "o", label)
            _plot(panel, curve(cells, information), PREDICTED, "s", "mutual information [nats]")
            fitted = _fitted(cells, information, value)
            panel.set_title(f"{TASKS[task]}{fitted}")
        _finish(drawn, axes)
        return save(drawn, folder, f"phr-language-figure-19{letter}")


def _fitted(cells: Sequence[Found], x: Value, y: Value) -> str:
    """R² of the line over all queries, if there is one."""
    pairs = [(x(point), y(point)) for cell in cells for point in cell.points]
    known = [(a, b) for a, b in pairs if a is not None and b is not None]
    found = fit([a for a, _ in known], [b for _, b in known])
    return "" if found is None else f", R² {found.r2:.2f}"


def _plot(panel: Any, found: Curve, colour: str, marker: str, label: str) -> None:
    low, high = ([m + sign * h for m, h in zip(found.means, found.halves, strict=True)] for sign in (-1, 1))
    panel.fill_between(found.sizes, low, high, color=colour, alpha=0.15, linewidth=0)
    # the broader one is drawn first, and still seen where both are equal
    width, size = (3.5, 7) if colour == TARGET else (1.4, 4)
    panel.plot(
        found.sizes, found.means, color=colour, marker=marker, linewidth=width, markersize=size, label=label
    )


def _from_zero(panel: Any) -> None:
    panel.autoscale_view()
    panel.set_ylim(0, 1.08 * panel.get_ylim()[1])


def _finish(figure: Any, axes: Sequence[Any]) -> None:
    sizes = sorted({int(x) for panel in axes for line in panel.lines[:2] for x in line.get_xdata()})
    for panel in axes:
        panel.set_xscale("log", base=2)
        panel.set_xticks(sizes, [str(n) for n in sizes])
        panel.minorticks_off()
        panel.set_xlabel("examples n")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))


@contextmanager
def _panels(count: int, title: str, *, wide: int = _WIDE) -> Iterator[tuple[Any, list[Any]]]:
    """A figure with so many panels, on a canvas without a display."""
    try:
        import matplotlib as mpl
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise MissingExtra("matplotlib, which draws the plots,", extra="bench") from missing
    settings: dict[Any, Any] = {**mpl.rcParamsDefault, **STYLE, "backend": "agg", "axes.titlesize": 9}
    wide = min(wide, count)
    high = math.ceil(count / wide)
    with mpl.rc_context(settings):
        figure = Figure(figsize=(2.6 * wide + 0.6, 2.1 * high + 0.9), layout="constrained")
        FigureCanvasAgg(figure)
        grid = figure.subplots(high, wide, squeeze=False).flatten()
        for panel in grid[count:]:
            panel.set_visible(False)
        figure.suptitle(title, fontsize=10)
        yield figure, list(grid[:count])
