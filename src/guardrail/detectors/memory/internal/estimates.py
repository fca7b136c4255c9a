"""P(hallucination) with its interval: pure functions of counts and arrays.

Questions about different combinations are independent: Wilson's interval. The orders of one combination are not, so there
the combinations are the units: their spread gives the effective number of independent questions, and Wilson's interval is
taken for that number with Student's quantile. `bootstrap` is the plain percentile bootstrap over combinations, for
comparison: with few combinations its interval is too short (`docs/design/memory.md`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from guardrail.errors import InputError

__all__ = ["Estimate", "Interval", "bootstrap", "clustered", "single", "student", "wilson"]

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
    share = wrong / read
    return Estimate(share, wilson(share, read, _normal(confidence)), read)


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
    quantile = student(units - 1, confidence) if variance > 1e-15 else _normal(confidence)
    return Estimate(share, wilson(share, size, quantile), size)


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


def wilson(share: float, size: float, quantile: float) -> Interval:
    """Wilson's interval of a share of `size` trials, which need not be a whole number; cut to [0, 1]."""
    square = quantile * quantile / size
    centre = (share + square / 2) / (1 + square)
    half = quantile / (1 + square) * math.sqrt(share * (1 - share) / size + square / (4 * size))
    low = 0.0 if share <= 0 else max(0.0, centre - half)  # rounding would leave 1e-17
    return low, 1.0 if share >= 1 else min(1.0, centre + half)


def student(freedom: int, confidence: float = 0.95) -> float:
    """The two-sided quantile of Student's t; off by less than 0.2 % from 3 degrees of freedom on, exact for 1 and 2.

    Source: [abramowitz1964] 26.7.5.

    Example:
        >>> round(student(9), 2), round(student(2), 3)
        (2.26, 4.303)
    """
    if freedom < 1:
        raise InputError(f"expected at least one degree of freedom, got {freedom!r}")
    if freedom == 1:
        return math.tan(math.pi * confidence / 2)
    if freedom == 2:
        return confidence * math.sqrt(2 / (1 - confidence**2))
    z = _normal(confidence)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92_160,
    )
    return z + math.fsum(term / freedom ** (i + 1) for i, term in enumerate(terms))


def _normal(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise InputError(f"expected a confidence between 0 and 1, got {confidence!r}")
    return NormalDist().inv_cdf((1 + confidence) / 2)


def _counts(wrong: ArrayLike, read: ArrayLike) -> tuple[Counts, Counts]:
    errors, sizes = np.asarray(wrong, dtype=np.float64), np.asarray(read, dtype=np.float64)
    if errors.shape != sizes.shape or errors.ndim != 1:
        raise InputError(f"expected two rows of counts of one length, got {errors.shape} and {sizes.shape}")
    if not ((errors >= 0) & (errors <= sizes)).all():
        raise InputError("expected 0 ≤ wrong ≤ read in every combination")
    return errors[sizes > 0], sizes[sizes > 0]
