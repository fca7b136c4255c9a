"""P(hallucination) with its interval: pure functions of counts and arrays.

Questions about different combinations are independent: Wilson's interval. The orders of one combination are not, so there
the combinations are the units: their spread gives the effective number of independent questions, and Wilson's interval is
taken for that number with Student's quantile. `bootstrap` is the plain percentile bootstrap over combinations, for
comparison: with few combinations its interval is too short (`docs/design/memory.md`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from guardrail.errors import InputError
from guardrail.statistics.intervals import student_quantile, wilson

__all__ = ["Estimate", "Interval", "bootstrap", "clustered", "single"]

Interval = tuple[float, float]
Counts = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A probability, with its two-sided interval; both in [0, 1].

    Attributes:
        value: the share.
        interval: 95 % unless asked for otherwise.
        size: how many independent questions it is worth.
    """

    value: float
    interval: Interval
    size: float


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


def clustered(wrong: ArrayLike, read: ArrayLike, *, confidence: float = 0.95) -> Estimate | None:
    """P where questions come in combinations: all wrong ones of all read, whose errors go by combination.

    The variance is that of a ratio of sums over combinations; the bootstrap over combinations tends to (C − 1)/C of
    it. Effective size: p(1 − p) ÷ variance, and at least the number of combinations, which is what it comes to where the orders
    of a combination all go one way.

    Args:
        wrong: shape (combinations,).
        read: shape (combinations,); combinations of which none was read are left out.
        confidence: that the interval holds P.

    Returns:
        `None` with fewer than two combinations.

    Raises:
        InputError: the two differ in shape, or more are wrong than were read.

    Example:
        >>> found = clustered([2, 0, 1, 0, 2], [2, 2, 2, 2, 2])
        >>> found.value, [round(end, 2) for end in found.interval], round(found.size, 1)
        (0.5, [0.11, 0.89], 5.0)
    """
    errors, sizes = _counts(wrong, read)
    units = errors.size
    if units < 2:
        return None
    share = float(errors.sum() / sizes.sum())
    residuals = errors - share * sizes
    variance = float(units / (units - 1) * (residuals**2).sum() / sizes.sum() ** 2)
    spread = share * (1 - share)
    size = max(float(units), spread / variance) if variance > 1e-15 else float(units)
    # where all combinations agree there is no spread to go by: each counts once, and nothing was estimated from it
    quantile = student_quantile((1 + confidence) / 2, units - 1) if variance > 1e-15 else None
    return Estimate(share, wilson(share * size, size, confidence=confidence, quantile=quantile), size)


def bootstrap(
    wrong: ArrayLike, read: ArrayLike, *, replicates: int = 2_000, seed: int = 0, confidence: float = 0.95
) -> Interval | None:
    """The percentile interval of P over combinations drawn with replacement; `None` with fewer than two.

    Args:
        wrong: shape (combinations,).
        read: shape (combinations,).
        replicates: drawn in one array of shape (replicates, combinations).
        seed: of the draws.
        confidence: that the interval holds P.

    Raises:
        InputError: as `clustered`, or no replicates.
    """
    errors, sizes = _counts(wrong, read)
    if replicates < 1:
        raise InputError(f"expected at least one replicate, got {replicates!r}")
    if errors.size < 2:
        return None
    drawn = np.random.default_rng(seed).integers(0, errors.size, (replicates, errors.size))
    shares = errors[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.quantile(shares, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist()
    return float(low), float(high)


def _counts(wrong: ArrayLike, read: ArrayLike) -> tuple[Counts, Counts]:
    errors, sizes = np.asarray(wrong, dtype=np.float64), np.asarray(read, dtype=np.float64)
    if errors.shape != sizes.shape or errors.ndim != 1:
        raise InputError(f"expected two rows of counts of one length, got {errors.shape} and {sizes.shape}")
    if not ((errors >= 0) & (errors <= sizes)).all():
        raise InputError("expected 0 ≤ wrong ≤ read in every combination")
    return errors[sizes > 0], sizes[sizes > 0]
