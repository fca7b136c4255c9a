"""Figure 2 and Table II in form. Their words are English: the style's font has no Chinese characters."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks._plots import STYLE, save
from benchmarks.memory.survey import Setting, Strategy
from guardrail.errors import MissingExtra

__all__ = ["by_size", "by_strategy"]

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")
MARKERS = ("o", "s", "^", "D", "v")
WARNING = "simulated subjects: no model was asked"


def by_size(curves: Mapping[str, Mapping[int, Setting]], folder: Path, *, note: str = WARNING) -> list[Path]:
    """P against k, a line a subject, with 95 % intervals."""
    figure, axes, context = _figure((4.8, 4.2))
    with context():
        axes.set(xlabel="pairs per question, k", ylabel="P(hallucination)", ylim=(-0.02, 1.02))
        axes.set_title(f"Lists of known pairs that come back wrong\n({note})", fontsize=9)
        for i, (name, points) in enumerate(curves.items()):
            known = {k: one.estimate for k, one in points.items() if one.estimate is not None}
            shifted = [k + 0.08 * (i - (len(curves) - 1) / 2) for k in known]
            ends = [
                [one.value - one.interval[0] for one in known.values()],
                [one.interval[1] - one.value for one in known.values()],
            ]
            axes.errorbar(
                shifted,
                [one.value for one in known.values()],
                yerr=ends,
                color=COLOURS[i % len(COLOURS)],
                marker=MARKERS[i % len(MARKERS)],
                markersize=5,
                capsize=3,
                label=name,
            )
        axes.set_xticks(sorted({k for points in curves.values() for k in points}))
        axes.legend(loc="lower right")
    return save(figure, folder, "figure-2-by-k")


def by_strategy(
    table: Mapping[int, Mapping[Strategy, Setting]], folder: Path, *, note: str = WARNING
) -> list[Path]:
    """The table of both strategies, with intervals."""
    figure, axes, context = _figure((4.8, 1.9))
    with context():
        axes.axis("off")
        axes.set_title(f"P(hallucination) by question generating strategy\n({note})", fontsize=9)
        drawn = axes.table(
            cellText=[[str(k), *(_cell(one) for one in found.values())] for k, found in table.items()],
            colLabels=["k", "one shuffle", "all orders"],
            loc="center",
            cellLoc="center",
            edges="horizontal",
        )
        drawn.auto_set_font_size(False)
        drawn.set_fontsize(9)
        drawn.scale(1, 1.4)
    return save(figure, folder, "table-2-by-strategy")


def _cell(one: Setting) -> str:
    if one.estimate is None:
        return "–"
    return "{:.2f}  ({:.2f} to {:.2f})".format(one.estimate.value, *one.estimate.interval)


def _figure(size: tuple[float, float]) -> tuple[Any, Any, Any]:
    try:
        import matplotlib as mpl
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("matplotlib, which draws the plots,", extra="bench") from error
    settings: dict[Any, Any] = {**mpl.rcParamsDefault, **STYLE, "backend": "agg"}

    def context() -> Any:
        return mpl.rc_context(settings)

    with context():
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
    return figure, axes, context
