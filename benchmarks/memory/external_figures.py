"""Figures 3 to 5 in form: points with ellipses, ROC curves, P by subject."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks._plots import STYLE, save
from benchmarks._stats import auc, roc_curve
from benchmarks.memory.corpus import Half
from guardrail.errors import MissingExtra
from guardrail.memory.external import ExternalFit, Normal
from guardrail.memory.external.formulas import Point

__all__ = ["by_model", "roc", "scatter"]

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
DASHES = ("-", "--", "-.", ":")
WARNING = "simulated subjects: no model was asked"
SHARES = (0.5, 0.9, 0.99)


def scatter(half: Half, fit: ExternalFit, folder: Path, name: str, *, title: str) -> list[Path]:
    """Figure 3: the scored half in the plane, with ellipses that hold shares of the normal responses."""
    figure, axes, context = _figure()
    from matplotlib.patches import Ellipse

    with context():
        axes.set(xlabel="consistency", ylabel="relevance")
        axes.set_title(f"Responses and the fitted Gaussian\n({title}; {WARNING})", fontsize=9)
        points = half.points
        for i, (label, chosen) in enumerate((("normal", ~half.invented), ("invented", half.invented))):
            axes.scatter(
                *points[chosen].T, s=12, color=COLOURS[i], marker="os"[i], alpha=0.6, linewidth=0, label=label
            )
        for share, dash in zip(SHARES, DASHES, strict=False):
            center, longer, shorter, angle = ellipse(fit.normal, share)
            axes.add_patch(
                Ellipse(
                    center,
                    2 * longer,
                    2 * shorter,
                    angle=angle,
                    fill=False,
                    linestyle=dash,
                    color="0.3",
                    label=f"{share:.0%} of normal",
                )
            )
        figure.legend(loc="outside lower center", ncols=3)
    return save(figure, folder, name)


def ellipse(normal: Normal, share: float) -> tuple[Point, float, float, float]:
    """The ellipse that contains a share of a distribution: centre, semi-axes, and degrees from the first coordinate."""
    values, vectors = np.linalg.eigh(np.array(normal.covariance))
    radius = math.sqrt(-2 * math.log1p(-share))
    longer = vectors[:, 1] if vectors[0, 1] >= 0 else -vectors[:, 1]
    angle = math.degrees(math.atan2(longer[1], longer[0]))
    return normal.mean, radius * math.sqrt(values[1]), radius * math.sqrt(values[0]), angle


def roc(
    scores: Mapping[str, NDArray[np.float64]],
    labels: NDArray[np.bool_],
    folder: Path,
    name: str,
    *,
    title: str,
) -> list[Path]:
    """Figure 4: the density against each metric alone."""
    figure, axes, context = _figure()
    with context():
        axes.set(xlabel="false positive rate", ylabel="true positive rate")
        axes.set_title(f"Telling invented responses\n({title}; {WARNING})", fontsize=9)
        for i, (what, values) in enumerate(scores.items()):
            curve, area = roc_curve(values, labels), auc(values, labels)
            if curve is not None and area is not None:
                axes.plot(*curve, color=COLOURS[i], linestyle=DASHES[i], label=f"{what}, AUROC {area:.3f}")
        axes.plot([0, 1], [0, 1], color="0.6", linewidth=1)
        axes.legend(loc="lower right")
    return save(figure, folder, name)


def by_model(
    shares: Mapping[str, tuple[float, tuple[float, float]]], folder: Path, name: str, *, title: str
) -> list[Path]:
    """Figure 5: the share of flagged documents by subject, with Wilson's intervals."""
    figure, axes, context = _figure()
    with context():
        axes.set(ylabel="P(hallucination), flagged", ylim=(0, 1.02))
        axes.set_title(f"Flagged documents by subject\n({title}; {WARNING})", fontsize=9)
        values = [value for value, _ in shares.values()]
        ends = [
            [value - low for value, (low, _) in shares.values()],
            [high - value for value, (_, high) in shares.values()],
        ]
        axes.bar(list(shares), values, yerr=ends, width=0.5, color=COLOURS[0], capsize=4)
    return save(figure, folder, name)


def _figure() -> tuple[Any, Any, Any]:
    try:
        import matplotlib as mpl
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("matplotlib, which draws the plots,", extra="bench") from error
    settings: dict[Any, Any] = {**STYLE}

    def context() -> Any:
        return mpl.rc_context(settings)

    with context():
        figure = Figure(figsize=(4.8, 4.2), layout="constrained")
        FigureCanvasAgg(figure)
        return figure, figure.add_subplot(), context
