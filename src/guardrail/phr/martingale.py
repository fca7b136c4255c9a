"""Does a model's prediction keep its mean along the contexts that it imagines?

A Bayesian predictive does: averaged over what the model says comes next, p(y|x, D) is p(y|x, D_n). Where a language
model's does not [falck2024], its imagined contexts say something else than the model does, and PHR should not be
trusted. (Pairs drawn with top-p below 1 are such a deviation too.)

The test bets against that mean, as in [waudbysmith2024]: a wealth of 1 is staked on each imagined context in turn, at odds
that are fair if the mean is kept. Then the wealth reaches 1/α with a probability of at most α (Ville's inequality):
for any number of contexts, any distribution of the predictions, and also if the contexts stop early. Student's t is no
substitute: with p near 1 it takes ten slightly higher predictions, of which rarely one is much lower, for a drift.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from guardrail.errors import InputError

__all__ = ["ALPHA", "STAKE", "drifts", "wealth"]

Floats: TypeAlias = NDArray[np.float64]

ALPHA = 0.1
"""How often a model that keeps its mean is warned of, at most; on the conjugate models it is 3 % at the most."""

STAKE = 0.9
"""Of the largest stake that cannot ruin; half the wealth goes on a rise and half on a fall. With ten contexts only large
stakes find a drift: 0.4 on a mean of ½ nearly always, 0.2 in one case of seven."""

_EDGE = 1e-6  # means this near to 0 and 1 are moved away: nothing may be staked on what is certain


def wealth(values: ArrayLike, means: ArrayLike) -> float:
    """The largest wealth that the bets reach on the way: 1 or more, larger = rather a drift.

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
    inside = [((one >= -_EDGE) & (one <= 1 + _EDGE)).all() for one in (found, kept)]
    if found.ndim not in {1, 2} or not all(inside):
        raise InputError(f"expected numbers in [0, 1], got {values!r} and {means!r}")
    columns = np.clip(found.reshape(len(found), -1) if len(found) else np.ones((1, 1)), 0.0, 1.0)
    if not len(found):
        return 1.0
    mean = np.clip(np.broadcast_to(kept, columns.shape[1:]), _EDGE, 1 - _EDGE)
    up = 1 + STAKE * (columns / mean - 1)
    down = 1 + STAKE * ((1 - columns) / (1 - mean) - 1)
    growth = np.cumsum(np.log(np.stack([up, down])), axis=1)
    course = np.exp(np.minimum(growth, 600.0)).mean(axis=(0, 2))
    return max(1.0, float(course.max()))


def drifts(reached: float, *, alpha: float = ALPHA) -> bool:
    """Whether the wealth is enough for a warning; false alarms at a rate of at most `alpha`."""
    return reached >= 1 / alpha
