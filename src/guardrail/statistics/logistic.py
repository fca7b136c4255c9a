"""Logistic regression with a ridge penalty: what the fits of detectors are made with."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["ridge_logistic"]

Floats: TypeAlias = NDArray[np.float64]
_STEPS = 100


def ridge_logistic(
    features: Floats,
    target: Floats,
    penalty: float,
    *,
    shares: ArrayLike = 1.0,
    on_bias: float = 1e-6,
) -> Floats:
    """The weights that maximise Σ share · (log-likelihood) − ½ penalty · Σ weight², by Newton's method.

    Args:
        features: shape (n, k), finite, without a column for the bias.
        target: shape (n,), in [0, 1].
        penalty: ridge on the weights, above 0 where features may separate the labels.
        shares: what each row counts, shape (n,) or one number.
        on_bias: ridge on the bias: so small that it only keeps the bias finite where all labels are equal.

    Returns:
        Shape (k + 1,): the bias, then a weight per feature.
    """
    full = np.hstack([np.ones((len(features), 1)), features])
    ridge = np.full(full.shape[1], penalty)
    ridge[0] = on_bias
    counted: NDArray[Any] = np.broadcast_to(np.asarray(shares, dtype=np.float64), target.shape)
    weights: Floats = np.zeros(full.shape[1])
    for _ in range(_STEPS):
        p = 0.5 * (1.0 + np.tanh(0.5 * (full @ weights)))
        gradient = full.T @ (counted * (target - p)) - ridge * weights
        curvature = (full * (counted * p * (1 - p))[:, None]).T @ full + np.diag(ridge)
        step = np.linalg.solve(curvature, gradient)
        weights = weights + step
        if float(np.abs(step).max()) < 1e-10:
            break
    return weights
