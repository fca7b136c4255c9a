"""One house style for the plots: readable, safe for colour-blind readers, the same bytes on every run.

Each function draws one figure and writes it as SVG and PNG. Curves differ in colour, dash and marker, so they can
be told apart in grey too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks._stats import Band, Reliability
from guardrail.errors import InputError, MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["STYLE", "calibration_plot", "fdr_plot", "panels_plot", "roc_plot", "save"]

# Okabe and Ito's colours, without the yellow that fades on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#000000", "#56B4E9")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), "-", "--")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")

STYLE: Mapping[str, Any] = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.dpi": 150,
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 9,
    "grid.alpha": 0.3,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "svg.fonttype": "path",
    "svg.hashsalt": "guardrail",
}


def roc_plot(bands: Mapping[str, Band], folder: Path, name: str, *, title: str = "") -> list[Path]:
    """ROC curves with their bands; keys are the legend's lines ("IQ, AUC .878")."""
    return _draw(
        bands,
        folder,
        name,
        title=title,
        labels=("accuracy on hallucinated (1 − false positive rate)", "accuracy on grounded"),
        mirror=True,
    )


def fdr_plot(bands: Mapping[str, Band], folder: Path, name: str, *, title: str = "") -> list[Path]:
    """False discovery rate against the fraction preserved, with bands."""
    return _draw(
        bands,
        folder,
        name,
        title=title,
        labels=("fraction of references preserved", "false discovery rate"),
        mirror=False,
    )


def calibration_plot(
    points: Mapping[str, Reliability], folder: Path, name: str, *, title: str = ""
) -> list[Path]:
    """Share of true labels against the mean probability of each bin; a marker's area follows its rows."""
    figure, axes = _figure(title, "predicted probability", "observed share")
    with _style():
        axes.plot([0, 1], [0, 1], color="0.6", linewidth=1, zorder=1)
        for i, (label, point) in enumerate(points.items()):
            colour, dash, marker = _look(i)
            axes.plot(point.mean, point.share, color=colour, linestyle=dash, label=label)
            area = 12 + 160 * point.rows / max(1, int(point.rows.sum()))
            axes.scatter(point.mean, point.share, s=area, color=colour, marker=marker, zorder=3)
        axes.legend(loc="upper left")
    return save(figure, folder, name)


def panels_plot(
    lines: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    folder: Path,
    name: str,
    *,
    across: str,
    title: str = "",
) -> list[Path]:
    """Lines over one axis, each in a panel of its own from nought on; keys label the panels ("memory [MiB]")."""
    figure, first = _figure(title, across, "")
    with _style():
        first.remove()
        panels = figure.subplots(len(lines), 1, sharex=True, squeeze=False)[:, 0]
        for i, (axes, (label, (x, y))) in enumerate(zip(panels, lines.items(), strict=True)):
            axes.plot(x, y, color=_look(i)[0])
            axes.set(ylabel=label, ylim=(0, 1.1 * max(y) or 1))
        panels[0].set_title(title)
        panels[-1].set_xlabel(across)
    return save(figure, folder, name)


def save(figure: Any, folder: Path, name: str) -> list[Path]:
    """Write a matplotlib figure as `name.svg` and `name.png`, without a date or a version in them."""
    if not name or Path(name).name != name:
        raise InputError(f"expected a plain file name without a suffix, got {name!r}.")
    folder.mkdir(parents=True, exist_ok=True)
    written = [folder / f"{name}.svg", folder / f"{name}.png"]
    with _style():
        figure.savefig(written[0], format="svg", metadata={"Date": None, "Creator": None})
        figure.savefig(written[1], format="png", metadata={"Software": None})
    return written


def _draw(
    bands: Mapping[str, Band],
    folder: Path,
    name: str,
    *,
    title: str,
    labels: tuple[str, str],
    mirror: bool,
) -> list[Path]:
    figure, axes = _figure(title, *labels)
    with _style():
        for i, (label, band) in enumerate(bands.items()):
            colour, dash, marker = _look(i)
            x = 1 - band.x if mirror else band.x
            axes.fill_between(x, band.low, band.high, color=colour, alpha=0.12, linewidth=0)
            every = max(1, len(x) // 8)
            shifted = (
                i * every // max(1, len(bands)),
                every,
            )  # markers of crossing curves do not hide each other
            axes.plot(
                x,
                band.y,
                color=colour,
                linestyle=dash,
                marker=marker,
                markevery=shifted,
                markersize=4,
                label=label,
            )
        axes.legend(loc="best")
    return save(figure, folder, name)


def _figure(title: str, across: str, up: str) -> tuple[Any, Axes]:
    """A figure on the Agg canvas: no display, no pyplot, nothing kept between calls."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("matplotlib, which draws the plots,", extra="bench") from error
    with _style():
        figure = Figure(figsize=(4.8, 4.2), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        axes.set(xlabel=across, ylabel=up, title=title, xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
    return figure, axes


def _style() -> Any:
    import matplotlib as mpl

    settings: dict[Any, Any] = {**mpl.rcParamsDefault, **STYLE, "backend": "agg"}  # not the user's own
    return mpl.rc_context(settings)


def _look(i: int) -> tuple[Any, Any, str]:
    return COLOURS[i % len(COLOURS)], DASHES[i % len(DASHES)], MARKERS[i % len(MARKERS)]
