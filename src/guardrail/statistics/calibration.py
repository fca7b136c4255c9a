"""From scores to probabilities, by labelled rows that the detector was not tuned on: pure functions of arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from guardrail.errors import InputError
from guardrail.statistics.ranking import finite, scored_rows

Floats: TypeAlias = NDArray[np.float64]

_STEPS = 100
_NO_RIDGE = 1e-12  # only keeps the equations of a step solvable


@dataclass(frozen=True, slots=True)
class LogisticCalibration:
    """P(label is true | score) = 1 / (1 + exp(−(slope · score + intercept))).

    A negative slope means that a larger score speaks against the label.

    >>> calibration = LogisticCalibration(slope=4.0, intercept=-2.0)
    >>> calibration.probability(0.5)
    0.5
    """

    slope: float
    intercept: float

    def probability(self, score: float) -> float:
        """The probability, in [0, 1], of one finite score."""
        return float(self.probabilities(score))

    def probabilities(self, scores: ArrayLike) -> Floats:
        """The same for an array, of the same shape."""
        return expit(self.slope * finite(scores) + self.intercept)


def expit(log_odds: ArrayLike) -> Floats:
    """1 / (1 + e^-x), in [0, 1], without overflow."""
    odds = np.asarray(log_odds, dtype=np.float64)
    decay = np.exp(-np.abs(odds))
    return np.where(odds >= 0, 1.0, decay) / (1.0 + decay)


def fit_logistic(scores: ArrayLike, labels: ArrayLike) -> LogisticCalibration:
    """Fit a logistic curve (Platt scaling).

    It is fitted to (positives + 1) / (positives + 2) and 1 / (negatives + 2) instead of 1 and 0, as Platt does: it then exists
    even where a threshold separates the classes.

    Args:
        scores: shape (n,), finite.
        labels: shape (n,), true or false; both must occur.

    Returns:
        The curve. All scores alike give slope 0.

    Raises:
        InputError: lengths differ, a score is not finite, or one class is absent.

    Source: J. Platt, Probabilistic outputs for support vector machines, 1999; Lin, Lin and Weng, A note on
    Platt's probabilistic outputs, 2007.

    >>> curve = fit_logistic([0.1, 0.4, 0.35, 0.8], [False, False, True, True])
    >>> round(curve.probability(0.1), 2), round(curve.probability(0.8), 2)
    (0.3, 0.75)
    """
    x, truth = scored_rows(scores, labels)
    positives = int(truth.sum())
    negatives = truth.size - positives
    if not positives or not negatives:
        raise InputError(f"expected rows of both classes, got {positives} true and {negatives} false.")
    target = np.where(truth, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    centre, spread = float(x.mean()), float(x.std())
    if spread <= 1e-12 * max(1.0, abs(centre)):
        mean = float(target.mean())
        return LogisticCalibration(0.0, math.log(mean / (1 - mean)))
    intercept, slope = ridge_logistic(
        (x[:, None] - centre) / spread, target, _NO_RIDGE, on_bias=_NO_RIDGE
    ).tolist()
    return LogisticCalibration(slope / spread, intercept - slope * centre / spread)


def ridge_logistic(
    features: Floats,
    target: Floats,
    penalty: float,
    *,
    shares: ArrayLike = 1.0,
    on_bias: float = 1e-6,
    towards: float = 0.0,
) -> Floats:
    """The weights that maximise Σ share · (log-likelihood) − ½ penalty · Σ (weight − towards)², by Newton's method.

    Args:
        features: shape (n, k), finite, without a column for the bias.
        target: shape (n,), in [0, 1].
        penalty: ridge on the weights, above 0 where features may separate the labels.
        shares: what each row counts, shape (n,) or one number.
        on_bias: ridge on the bias: so small that it only keeps the bias finite where all labels are equal.
        towards: what the ridge draws weights to; the bias is drawn to 0.

    Returns:
        Shape (k + 1,): the bias, then a weight per feature.
    """
    full = np.hstack([np.ones((len(features), 1)), features])
    ridge = np.full(full.shape[1], penalty)
    ridge[0] = on_bias
    counted: NDArray[Any] = np.broadcast_to(np.asarray(shares, dtype=np.float64), target.shape)
    middle = np.full(full.shape[1], towards)
    middle[0] = 0.0
    weights: Floats = middle

    def loss(at: Floats) -> float:
        logits = full @ at
        return float(counted @ (np.logaddexp(0.0, logits) - target * logits) + ridge @ (at - middle) ** 2 / 2)

    current = loss(weights)
    for _ in range(_STEPS):
        p = expit(full @ weights)
        gradient = full.T @ (counted * (target - p)) - ridge * (weights - middle)
        curvature = (full * (counted * p * (1 - p))[:, None]).T @ full + np.diag(ridge)
        step = np.linalg.solve(curvature, gradient)
        while (found := loss(weights + step)) > current + 1e-12 * abs(current):
            step /= 2  # Newton may overshoot far from the optimum
        weights, current = weights + step, found
        if float(np.abs(step).max()) < 1e-10:
            break
    return weights
