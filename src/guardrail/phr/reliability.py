"""How far PHR can be relied on: a test of the model, and a correction by rates that were really observed.

PHR is the rate under the model's own beliefs. Two things can be wrong with those:

- They are not kept. A Bayesian predictive keeps its mean along the contexts that it imagines: averaged over what the
  model says comes next, p(y|x, D) is p(y|x, D_n). Where a language model's does not [falck2024], its imagined contexts
  say something else than the model does. `wealth` tests that. (Pairs drawn with top-p below 1 deviate too.)
- They are off. Then PHR falls below the true rate as n grows, the networks of [jesson2024] say. Given rates that were
  really observed (THR of known mechanisms, or error rates of labelled queries), `Correction` fits a curve to them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from guardrail.errors import InputError
from guardrail.statistics.calibration import expit, ridge_logistic

Floats: TypeAlias = NDArray[np.float64]

ALPHA = 0.1
"""How often a model that keeps its mean is warned of, at most; on models with a known posterior it is 3 % at the most."""

STAKE = 0.9
"""Of the largest stake that cannot ruin; half the wealth goes on a rise and half on a fall. With ten contexts only large
stakes find a drift: 0.4 on a mean of ½ nearly always, 0.2 in one case of seven."""

_CERTAIN = 1e-6  # means this near to 0 and 1 are moved away: nothing may be staked on what is certain
_EDGE = 1e-3  # rates are moved away from 0 and 1 by this, whose log-odds are infinite
_PENALTY = 1e-6


def wealth(values: ArrayLike, means: ArrayLike) -> float:
    """The largest wealth that the bets reach on the way: 1 or more, larger = rather a drift.

    A wealth of 1 is staked on each imagined context in turn, against the mean, at odds that are fair if the mean is
    kept [waudbysmith2024]. Then it reaches 1/α with a probability of at most α (Ville's inequality): for any number of
    contexts, any distribution of the predictions, and also if the contexts stop early. Student's t is no substitute:
    with p near 1 it takes ten slightly higher predictions, of which rarely one is much lower, for a drift.

    Args:
        values: shape (M,) or (M, J): J numbers in [0, 1] per context, in the order of the contexts: the probability
            of J outcomes that were chosen without looking at the imagined contexts, say.
        means: shape () or (J,): what each keeps as its mean, if any is kept.

    Returns:
        An e-value's running maximum; 1/wealth is a p-value.

    Raises:
        InputError: a number outside [0, 1].

    >>> wealth([0.5] * 10, 0.5), wealth([0.8] * 10, 0.5) > 1 / ALPHA
    (1.0, True)
    """
    found = np.asarray(values, dtype=np.float64)
    kept = np.asarray(means, dtype=np.float64)
    inside = [((one >= -_CERTAIN) & (one <= 1 + _CERTAIN)).all() for one in (found, kept)]
    if found.ndim not in {1, 2} or not all(inside):
        raise InputError(f"expected numbers in [0, 1], got {values!r} and {means!r}")
    columns = np.clip(found.reshape(len(found), -1) if len(found) else np.ones((1, 1)), 0.0, 1.0)
    if not len(found):
        return 1.0
    mean = np.clip(np.broadcast_to(kept, columns.shape[1:]), _CERTAIN, 1 - _CERTAIN)
    up = 1 + STAKE * (columns / mean - 1)
    down = 1 + STAKE * ((1 - columns) / (1 - mean) - 1)
    growth = np.cumsum(np.log(np.stack([up, down])), axis=1)
    course = np.exp(np.minimum(growth, 600.0)).mean(axis=(0, 2))
    return max(1.0, float(course.max()))


def drifts(reached: float) -> bool:
    """Whether the wealth is enough for a warning; false alarms at a rate of at most `ALPHA`."""
    return reached >= 1 / ALPHA


@dataclass(frozen=True, slots=True)
class Correction:
    """log-odds(true rate) = intercept + slope · log-odds(PHR); the identity is slope 1 and intercept 0.

    It is valid for the model, the task and the ε that it was fitted to.

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
        # rows of one estimate leave the slope where it was
        intercept, slope = ridge_logistic(
            _odds(x)[:, None], y, _PENALTY, on_bias=_PENALTY, towards=1.0
        ).tolist()
        return cls(slope, intercept)

    def __call__(self, estimate: float) -> float:
        """The corrected rate, in [0, 1]."""
        if not 0 <= estimate <= 1:
            raise InputError(f"expected a rate in [0, 1], got {estimate!r}")
        return float(expit(self.intercept + self.slope * _odds(estimate)))


def _odds(rates: ArrayLike) -> Floats:
    inside = np.clip(rates, _EDGE, 1 - _EDGE)
    found: Floats = np.log(inside) - np.log1p(-inside)
    return found
