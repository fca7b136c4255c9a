"""Whether probabilities mean what they say: shares of true labels by bin."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from guardrail.errors import InputError
from guardrail.statistics.ranking import scored_rows

Floats: TypeAlias = NDArray[np.float64]


class Reliability(NamedTuple):
    """Per bin that has rows: the mean probability, the share of true labels, the number of rows."""

    mean: Floats
    share: Floats
    rows: NDArray[np.int64]


def reliability(probabilities: ArrayLike, labels: ArrayLike, *, bins: int = 10) -> Reliability | None:
    """The points of a calibration plot: bins of equal width over [0, 1]; empty bins are left out.

    >>> points = reliability([0.05, 0.95, 0.98, 1.0], [False, True, True, False], bins=10)
    >>> points.share.round(2).tolist(), points.rows.tolist()
    ([0.0, 0.67], [1, 3])
    """
    if bins < 1:
        raise InputError(f"expected at least one bin, got {bins!r}.")
    values, truth = checked_probabilities(probabilities, labels)
    if not truth.size:
        return None
    which = np.minimum((values * bins).astype(int), bins - 1)
    rows = np.bincount(which, minlength=bins)
    used = rows > 0
    mean = np.bincount(which, weights=values, minlength=bins)[used] / rows[used]
    share = np.bincount(which, weights=truth, minlength=bins)[used] / rows[used]
    return Reliability(mean, share, rows[used].astype(np.int64))


def ece(probabilities: ArrayLike, labels: ArrayLike, *, bins: int = 10) -> float | None:
    """Expected calibration error: the mean gap of probability and share over bins of equal width, by rows.

    >>> round(ece([0.05, 0.95, 0.98, 1.0], [False, True, True, False]), 4)
    0.245
    """
    points = reliability(probabilities, labels, bins=bins)
    return (
        None if points is None else float(np.average(np.abs(points.mean - points.share), weights=points.rows))
    )


def checked_probabilities(values: ArrayLike, labels: ArrayLike) -> tuple[Floats, NDArray[np.bool_]]:
    """Both as arrays.

    Raises:
        InputError: as `scored_rows`, or a probability is outside [0, 1].
    """
    checked, truth = scored_rows(values, labels)
    if checked.size and (checked.min() < 0 or checked.max() > 1):
        raise InputError(f"expected probabilities, got {float(checked.min())!r} … {float(checked.max())!r}.")
    return checked, truth
