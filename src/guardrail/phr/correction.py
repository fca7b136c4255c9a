"""The known bias of PHR, and a fitted correction of it.

PHR is the rate under the model's own beliefs. Where they are off, the paper's networks say, it falls below the true rate
as n grows. Given rates that were really observed (THR of known mechanisms, or error rates of labelled queries), a curve
from PHR to them can be fitted and applied. It holds for the model, the task and the ε that it was fitted to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from guardrail.errors import InputError

__all__ = ["Correction"]

Floats: TypeAlias = NDArray[np.float64]

_EDGE = 1e-3  # rates are moved away from 0 and 1 by this, whose log-odds are infinite
_PENALTY = 1e-6
_STEPS = 100


@dataclass(frozen=True, slots=True)
class Correction:
    """log-odds(true rate) = intercept + slope · log-odds(PHR); the identity is slope 1 and intercept 0.

    >>> round(Correction(1.0, 0.0)(0.3), 12)
    0.3
    """

    slope: float
    intercept: float

    def __post_init__(self) -> None:
        if not np.isfinite([self.slope, self.intercept]).all():
            raise InputError(f"expected finite numbers, got {self.slope!r} and {self.intercept!r}")

    @classmethod
    def fit(cls, estimates: ArrayLike, observed: ArrayLike) -> Correction:
        """Fit by the cross-entropy of the observed rates.

        Args:
            estimates: shape (n,): PHR, in [0, 1].
            observed: shape (n,): the rate that was observed for the same query and context, in [0, 1].

        Raises:
            InputError: lengths differ, fewer than two rows, or a number outside [0, 1].
        """
        x, y = np.asarray(estimates, dtype=np.float64), np.asarray(observed, dtype=np.float64)
        if x.ndim != 1 or x.shape != y.shape or len(x) < 2:
            raise InputError(f"expected two or more rows of both, got shapes {x.shape!r} and {y.shape!r}")
        if not all(((one >= 0) & (one <= 1)).all() for one in (x, y)):
            raise InputError("expected rates in [0, 1], got others")
        design = np.column_stack([_odds(x), np.ones(len(x))])
        weights = np.array([1.0, 0.0])
        pull = _PENALTY * np.array([1.0, 0.0])  # rows of one estimate leave the slope where it was
        for _ in range(_STEPS):
            p = _rate(design @ weights)
            gradient = design.T @ (y - p) - _PENALTY * weights + pull
            curvature = design.T @ (design * (p * (1 - p))[:, None]) + _PENALTY * np.eye(2)
            step = np.linalg.solve(curvature, gradient)
            weights += step * min(1.0, 2.0 / max(1e-12, float(np.abs(step).max())))
            if float(np.abs(step).max()) < 1e-10:
                break
        return cls(float(weights[0]), float(weights[1]))

    def __call__(self, estimate: float) -> float:
        """The corrected rate, in [0, 1]."""
        if not 0 <= estimate <= 1:
            raise InputError(f"expected a rate in [0, 1], got {estimate!r}")
        return float(_rate(self.intercept + self.slope * _odds(np.array([estimate])))[0])


def _odds(rates: Floats) -> Floats:
    inside = np.clip(rates, _EDGE, 1 - _EDGE)
    found: Floats = np.log(inside) - np.log1p(-inside)
    return found


def _rate(odds: Floats) -> Floats:
    found: Floats = 0.5 * (1.0 + np.tanh(0.5 * odds))
    return found
