"""The ε-quantile of log-likelihoods, by one convention.

[jesson2024] eq. 14: Q_ε = inf{q : P(log p(Y) ≤ q) ≥ ε}, and Q_0 = −∞. It never interpolates: Q_ε is one of the
values, so ties are equal to it. A response is a hallucination if its log-likelihood is strictly below Q_ε; the likely
set has probability at least 1 − ε.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from guardrail.errors import InputError

__all__ = ["SLACK", "check_epsilon", "quantile"]

Floats: TypeAlias = NDArray[np.float64]

SLACK = 1e-9
"""A cumulative mass that lacks no more than this to ε has reached it: .7 + .1 is .8, whatever its last bit says."""


def check_epsilon(epsilon: float) -> None:
    """Refuse what is not in [0, 1].

    Raises:
        InputError: with what came.
    """
    if isinstance(epsilon, bool) or not 0 <= epsilon <= 1:
        raise InputError(f"expected epsilon in [0, 1], got {epsilon!r}")


def quantile(values: ArrayLike, epsilon: float, *, weights: ArrayLike | None = None) -> Floats:
    """Q_ε of weighted atoms, or of samples that weigh the same.

    Args:
        values: shape (…, K), K ≥ 1; −∞ is allowed, NaN is not.
        epsilon: in [0, 1]. Where it equals a cumulative mass, Q_ε is the value at which that mass is reached:
            with two values of mass ½ and ε = ½ the lower one.
        weights: shape (…, K), 0 or more; `None` = 1/K each. Their sum is the whole mass, so rounding in it does
            not matter. Values of weight 0 are never Q_ε.

    Returns:
        Shape (…): the smallest value whose cumulative mass is at least ε; −∞ for ε = 0.

    Raises:
        InputError: no values, NaN, or weights that are negative or all 0.

    >>> float(quantile([-3.0, -1.0, -2.0, -1.0], 0.5)), float(quantile([-3.0, -1.0, -2.0, -1.0], 0.51))
    (-2.0, -1.0)
    >>> float(quantile([-1.6, -0.2], 0.2, weights=[0.2, 0.8])), float(quantile([-1.6, -0.2], 0.0))
    (-1.6, -inf)
    """
    check_epsilon(epsilon)
    found = np.asarray(values, dtype=np.float64)
    if found.ndim < 1 or found.shape[-1] < 1 or np.isnan(found).any():
        raise InputError(f"expected at least one value and no NaN, got shape {found.shape!r}")
    if epsilon == 0:
        return np.full(found.shape[:-1], -math.inf)
    if weights is None:
        size = found.shape[-1]
        rank = max(1, math.ceil(epsilon * size - SLACK))
        ranked: Floats = np.partition(found, rank - 1, axis=-1)[..., rank - 1]
        return ranked
    mass = np.broadcast_to(np.asarray(weights, dtype=np.float64), found.shape)
    if not (mass >= 0).all() or not (mass.sum(axis=-1) > 0).all():
        raise InputError("expected weights of 0 or more that are not all 0, got others")
    order = np.argsort(found, axis=-1, kind="stable")
    reached = np.cumsum(np.take_along_axis(mass, order, axis=-1), axis=-1)
    enough = (reached >= epsilon * reached[..., -1:] - SLACK) & (reached > 0)
    first = np.argmax(enough, axis=-1)[..., None]
    atoms: Floats = np.take_along_axis(np.take_along_axis(found, order, axis=-1), first, axis=-1)[..., 0]
    return atoms
