"""Plots: a training's loss and what its judge said; whether probabilities mean what they say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks._plots import COLOURS, MARKERS, STYLE, calibration_plot, save
from benchmarks._stats import reliability
from benchmarks.entailment.setting import Floats
from guardrail.errors import MissingExtra

__all__ = ["calibration", "curve"]


def curve(rows: Sequence[Mapping[str, float]], folder: Path) -> list[Path]:
    """The loss by steps, and where somebody judged, the share of pairs that was right.

    Args:
        rows: the lines of the curve: step, loss, rate, and some of them right.
        folder: gets curve.svg and curve.png.
    """
    try:
        import matplotlib as mpl
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("matplotlib, which draws the plots,", extra="bench") from error
    settings: dict[Any, Any] = {**mpl.rcParamsDefault, **STYLE, "backend": "agg"}  # not the user's own
    judged = [row for row in rows if "right" in row]
    with mpl.rc_context(settings):
        figure = Figure(figsize=(4.8, 4.2), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        axes.plot(
            [row["step"] for row in rows], [row["loss"] for row in rows], color=COLOURS[0], label="loss"
        )
        axes.set(xlabel="step", ylabel="cross entropy [nats], mean of 100 steps", title="Training")
        if judged:
            other = axes.twinx()
            other.plot(
                [row["step"] for row in judged],
                [row["right"] for row in judged],
                color=COLOURS[1],
                linestyle="--",
                marker=MARKERS[1],
            )
            axes.plot([], [], color=COLOURS[1], linestyle="--", marker=MARKERS[1], label="right (right axis)")
            other.set(ylabel="share of held-out pairs that is right")
            other.grid(visible=False)
        axes.legend(loc="best")
        return save(figure, folder, "curve")


def calibration(said: Mapping[str, tuple[Floats, Sequence[int]]], folder: Path) -> list[Path]:
    """Observed shares against the probability of the likeliest label, by set.

    Args:
        said: per set, probabilities (pairs x 3) and labels.
        folder: gets entailment-calibration.svg and .png.
    """
    points = {}
    for name, (shares, labels) in said.items():
        right = [int(best) == label for best, label in zip(shares.argmax(axis=1), labels, strict=True)]
        one = reliability(shares.max(axis=1), right, bins=15)
        if one is not None:
            points[name] = one
    return calibration_plot(points, folder, "entailment-calibration", title="The likeliest label")
