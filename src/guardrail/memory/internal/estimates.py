"""P(hallucination) with its interval: pure functions of counts and arrays.

Questions about different combinations are independent: Wilson's interval. The orders of one combination are not, so there
the combinations are the units: their spread gives the effective number of independent questions, and Wilson's interval is
taken for that number with Student's quantile. `bootstrap` is the plain percentile bootstrap over combinations, for
comparison: with few combinations its interval is too short (`docs/design/memory.md`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from guardrail.errors import InputError
from guardrail.statistics.clusters import Estimate, Interval, clustered, counted
from guardrail.statistics.intervals import wilson

__all__ = ["Estimate", "Interval", "bootstrap", "clustered", "single"]


def single(wrong: int, read: int, *, confidence: float = 0.95) -> Estimate | None:
    """P of independent questions: wrong ones of those read, with Wilson's interval; `None` of none.

    Raises:
        InputError: more are wrong than were read.

    Example:
        >>> found = single(29, 100)
        >>> found.value, [round(end, 3) for end in found.interval]
        (0.29, [0.21, 0.385])
    """
    if not 0 <= wrong <= read:
        raise InputError(f"expected 0 ≤ wrong ≤ read, got {wrong!r} of {read!r}")
    if not read:
        return None
    return Estimate(wrong / read, wilson(wrong, read, confidence=confidence), read)


def bootstrap(
    wrong: ArrayLike, read: ArrayLike, *, replicates: int = 2_000, seed: int = 0, confidence: float = 0.95
) -> Interval | None:
    """The percentile interval of P over combinations drawn with replacement; `None` with fewer than two.

    Args:
        wrong: shape (combinations,).
        read: shape (combinations,).
        replicates: drawn in one array of shape (replicates, combinations).
        seed: of the draws.
        confidence: that the interval contains P.

    Raises:
        InputError: as `clustered`, or no replicates.
    """
    errors, sizes = counted(wrong, read)
    if replicates < 1:
        raise InputError(f"expected at least one replicate, got {replicates!r}")
    if errors.size < 2:
        return None
    drawn = np.random.default_rng(seed).integers(0, errors.size, (replicates, errors.size))
    shares = errors[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.quantile(shares, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist()
    return float(low), float(high)
