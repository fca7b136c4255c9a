"""Plots: the error against M, the rate against the horizon, the bias against K."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks._plots import STYLE, save
from benchmarks.phr.accuracy import Curves
from guardrail.errors import MissingExtra

__all__ = ["draw"]

COLOURS = ("#0072B2", "#D55E00")
MARKERS = ("o", "s")


def draw(curves: Curves, folder: Path) -> None:
    """Three figures."""
    figure, axes = _figure(
        "imagined contexts M", "root mean square error of PHR", "The error falls like 1/√M"
    )
    for i, (title, points) in enumerate(curves.errors.items()):
        axes.loglog(list(points), list(points.values()), marker=MARKERS[i], color=COLOURS[i], label=title)
        first = next(iter(points))
        axes.loglog(
            list(points), [points[first] * (first / size) ** 0.5 for size in points], color="0.6", linewidth=1
        )
    axes.legend(loc="upper right")
    save(figure, folder, "phr-error-by-contexts")

    figure, axes = _figure("imagined pairs N − n", "PHR", "PHR_N tends to the closed form")
    for i, (title, points) in enumerate(curves.horizons.items()):
        axes.semilogx(list(points), list(points.values()), marker=MARKERS[i], color=COLOURS[i], label=title)
        axes.axhline(curves.limits[title], color=COLOURS[i], linestyle="--", linewidth=1)
    axes.legend(loc="center right")
    save(figure, folder, "phr-by-horizon")

    figure, axes = _figure("draws K", "bias of the drawn estimator", "What a quantile of K draws adds")
    for i, (title, points) in enumerate(curves.biases.items()):
        axes.semilogx(list(points), list(points.values()), marker=MARKERS[i], color=COLOURS[i], label=title)
    axes.axhline(0, color="0.6", linewidth=1)
    axes.legend(loc="upper right")
    save(figure, folder, "phr-bias-by-draws")


def _figure(across: str, up: str, title: str) -> tuple[Any, Any]:
    try:
        import matplotlib as mpl
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("matplotlib, which draws the plots,", extra="bench") from error
    settings: dict[Any, Any] = {**STYLE}
    with mpl.rc_context(settings):
        figure = Figure(figsize=(4.8, 4.2), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        axes.set(xlabel=across, ylabel=up, title=title)
    return figure, axes
