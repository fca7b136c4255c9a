"""Figures 5 to 8 and 10 of the paper, from what has data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import precision_recall_curve

from benchmarks._plots import STYLE, save
from benchmarks.selfcheck.metrics import Measured, tasks
from benchmarks.selfcheck.passages import Passage
from guardrail.errors import MissingExtra

__all__ = ["precision_recall", "sample_plots", "scatter"]

MARKERS = ("o", "s", "^", "D", "v")
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")


def sample_plots(curves: Mapping[str, Mapping[int, Measured]], folder: Path) -> None:
    """Figures 7 and 8: Spearman and NonFact against the number of samples."""
    for column, name in (("Spearman", "figure-7-spearman"), ("NonFact", "figure-8-nonfact")):
        figure, axes = _figure("number of samples", f"{column}, %", f"{column} by number of samples")
        for i, (title, points) in enumerate(curves.items()):
            axes.plot(
                list(points),
                [point.columns[column] for point in points.values()],
                color=COLOURS[i % 5],
                marker=MARKERS[i % 5],
                markersize=3,
                label=title,
            )
        axes.legend(loc="lower right")
        save(figure, folder, name)


def precision_recall(
    passages: Sequence[Passage], scores: Mapping[str, Sequence[Sequence[float]]], folder: Path
) -> None:
    """Figure 5: precision against recall of each task."""
    for task, (counted, positive, sign) in tasks(passages).items():
        figure, axes = _figure("recall", "precision", task)
        for i, (title, values) in enumerate(scores.items()):
            flat = np.concatenate([np.asarray(one, dtype=np.float64) for one in values])
            precision, recall, _ = precision_recall_curve(positive[counted], sign * flat[counted])
            axes.plot(recall, precision, color=COLOURS[i % 5], label=title)
        axes.axhline(float(positive[counted].mean()), color="0.6", linewidth=1)
        axes.legend(loc="lower left")
        save(figure, folder, f"figure-5-{task.lower().replace('*', '-star')}")


def scatter(
    passages: Sequence[Passage], scores: Mapping[str, Sequence[Sequence[float]]], folder: Path
) -> None:
    """Figures 6 and 10: passages' scores against the mean labels."""
    for title, values in scores.items():
        figure, axes = _figure("mean human label", f"mean score, {title}", title)
        axes.scatter(
            [p.human for p in passages], [float(np.mean(one)) for one in values], s=8, color=COLOURS[0]
        )
        save(figure, folder, f"figure-6-{title.lower().replace(' ', '-')}")


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
