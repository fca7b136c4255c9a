"""Whether a classifier's probabilities mean what they say, and the one number that mends them best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchmarks._stats import ece
from guardrail.errors import InputError

__all__ = ["expected_calibration_error", "folds", "logits", "temperature", "tempered"]

_LEAST = 1e-12


def temperature(logits: ArrayLike, labels: ArrayLike) -> float:
    """What all logits are to be divided by, so that the labels are as likely as they can be.

    The negative log-likelihood is convex in 1/T, so there is one such number where there is any. It changes no order:
    the likeliest label stays the likeliest.

    Args:
        logits: shape (pairs, labels), finite.
        labels: shape (pairs,), of each pair the column that is right.

    Raises:
        InputError: shapes or labels are not as expected; every pair is right, so that T = 0 would be best; or the
            logits are no better than none, so that there is no best T.

    Source: Guo et al., On calibration of modern neural networks, 2017, section 4.2; here by the root of the derivative.

    >>> round(temperature([[2.0, 0.0]] * 4, [0, 0, 0, 1]), 4)  # 3 of 4 are right: 2 / ln 3
    1.8205
    """
    from scipy.optimize import brentq

    values, truth = _rows(logits, labels)
    own = values[np.arange(len(values)), truth]

    def slope(inverse: float) -> float:
        """Of the mean negative log-likelihood, by 1/T."""
        scaled = inverse * values
        powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
        expected = (powers * values).sum(axis=1) / powers.sum(axis=1)
        return float(np.mean(expected - own))

    if np.all(own == values.max(axis=1)):
        raise InputError(f"expected pairs that are wrong too, got {len(values)} that are right")
    if slope(0.0) >= 0:
        raise InputError(
            "expected logits that are better than none: the right label's are no larger on average"
        )
    most = 1.0
    while slope(most) <= 0:
        most *= 2
    return float(1.0 / brentq(slope, 0.0, most, xtol=1e-12))


def tempered(shares: NDArray[np.float64], degrees: float) -> NDArray[np.float64]:
    """Probabilities after the logits are divided by a temperature; shape as given.

    Example:
        >>> tempered(np.array([[0.9, 0.1]]), 2.0).round(3).tolist()
        [[0.75, 0.25]]
    """
    cooled = logits(shares) / degrees
    powers = np.exp(cooled - cooled.max(axis=1, keepdims=True))
    found: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
    return found


def folds(shares: NDArray[np.float64], labels: Sequence[int]) -> NDArray[np.float64]:
    """Probabilities where each half of the pairs, every other one, has the temperature of the other half."""
    truth, found = np.asarray(labels), np.empty_like(shares)
    for half in (0, 1):
        own, other = slice(half, None, 2), slice(1 - half, None, 2)
        found[own] = tempered(shares[own], temperature(logits(shares[other]), truth[other]))
    return found


def logits(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of probabilities, up to a constant per pair, which soft-max does not see; of 0 it is finite, too."""
    found: NDArray[np.float64] = np.log(np.clip(shares, _LEAST, None))
    return found


def expected_calibration_error(probabilities: ArrayLike, labels: ArrayLike, *, bins: int = 15) -> float:
    """The mean gap of how sure the likeliest label was and how often it was right, in [0, 1]; 0 best.

    Args:
        probabilities: shape (pairs, labels).
        labels: shape (pairs,), of each pair the column that is right.
        bins: of equal width over [0, 1]; each weighs as many pairs as it holds.

    Raises:
        InputError: shapes or labels are not as expected.

    Source: Guo et al., 2017, eq. 3.

    >>> round(expected_calibration_error([[0.8, 0.2], [0.3, 0.7]], [0, 0]), 2)  # |0.8 - 1| and |0.7 - 0|, halved
    0.45
    """
    shares, truth = _rows(probabilities, labels)
    found = ece(shares.max(axis=1), shares.argmax(axis=1) == truth, bins=bins)
    if found is None:
        raise InputError("expected pairs, got none")
    return found


def _rows(values: ArrayLike, labels: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rows, truth = np.asarray(values, dtype=np.float64), np.asarray(labels)
    if rows.ndim != 2 or not rows.size or truth.shape != rows.shape[:1]:
        raise InputError(
            f"expected a row of numbers and a label for each pair, got shapes {rows.shape} and {truth.shape}"
        )
    if not np.isfinite(rows).all():
        raise InputError("expected finite numbers, got NaN or infinity")
    if truth.dtype.kind not in "iu" or truth.min() < 0 or truth.max() >= rows.shape[1]:
        raise InputError(f"expected labels from 0 to {rows.shape[1] - 1}, got {np.unique(truth)!r}")
    return rows, truth.astype(np.int64)
