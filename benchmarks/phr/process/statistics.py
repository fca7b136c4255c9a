"""How well one quantity tells another, with intervals that resample functions: the queries of one function are alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Figure", "calibration", "calibration_error", "correlation", "difference", "interval", "mean"]

Floats: TypeAlias = NDArray[np.float64]
Figure: TypeAlias = Callable[[Floats, Floats], Floats]

BINS = 10
REPLICATES = 400


def correlation(estimate: Floats, truth: Floats) -> Floats:
    """Pearson's, over the last axis."""
    one = estimate - estimate.mean(axis=-1, keepdims=True)
    other = truth - truth.mean(axis=-1, keepdims=True)
    spread = np.sqrt((one**2).sum(axis=-1) * (other**2).sum(axis=-1))
    found: Floats = (one * other).sum(axis=-1) / np.where(spread > 0, spread, np.nan)
    return found


def difference(estimate: Floats, truth: Floats) -> Floats:
    """The mean of estimate − truth over the last axis: below 0 = the estimate is too low."""
    found: Floats = (estimate - truth).mean(axis=-1)
    return found


def mean(estimate: Floats, truth: Floats) -> Floats:
    """Of the estimate alone, over the last axis."""
    del truth
    found: Floats = estimate.mean(axis=-1)
    return found


def calibration(estimate: Floats, truth: Floats) -> tuple[Floats, Floats]:
    """Mean estimate and mean truth in ten bins of equally many points, by the estimate: shapes (…, 10)."""
    order = np.argsort(estimate, axis=-1, kind="stable")
    parts = [
        np.array_split(np.take_along_axis(values, order, axis=-1), BINS, axis=-1)
        for values in (estimate, truth)
    ]
    one, other = (np.stack([part.mean(axis=-1) for part in some], axis=-1) for some in parts)
    return one, other


def calibration_error(estimate: Floats, truth: Floats) -> Floats:
    """The mean distance of estimate and truth over the bins of `calibration`: 0 = calibrated."""
    one, other = calibration(estimate, truth)
    found: Floats = np.abs(one - other).mean(axis=-1)
    return found


def interval(figure: Figure, estimate: Floats, truth: Floats, *, seed: int = 0) -> tuple[float, float] | None:
    """95 %, by the percentiles of resampled functions; `None` if there is but one.

    Args:
        figure: of arrays whose last axis holds the points.
        estimate: shape (F, Q).
        truth: shape (F, Q).
        seed: of the resampling.
    """
    count = len(estimate)
    if count < 2:
        return None
    rows = np.random.default_rng(seed).integers(count, size=(REPLICATES, count))
    found = figure(estimate[rows].reshape(REPLICATES, -1), truth[rows].reshape(REPLICATES, -1))
    low, high = np.nanquantile(found, [0.025, 0.975]).tolist()
    return low, high
