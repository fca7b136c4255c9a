"""Intervals where rows hang together: sentences of one answer, answers about one source. The source is the unit."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from guardrail.errors import InputError
from guardrail.statistics.intervals import student_quantile, wilson

Interval = tuple[float, float]
Counts = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A probability, with its two-sided interval; both in [0, 1].

    Attributes:
        value: the share.
        interval: 95 % unless asked for otherwise.
        size: how many independent questions (or rows) it equals.
    """

    value: float
    interval: Interval
    size: float


def clustered(wrong: ArrayLike, read: ArrayLike) -> Estimate | None:
    """P and its 95 % interval where questions come in combinations: all wrong ones of all read, whose errors go by combination.

    The variance is that of a ratio of sums over combinations; the bootstrap over combinations tends to (C − 1)/C of
    it. Effective size: p(1 − p) ÷ variance, and at least the number of combinations, which is what it comes to where the orders
    of a combination all go one way.

    Args:
        wrong: shape (combinations,).
        read: shape (combinations,); combinations of which none was read are left out.

    Returns:
        `None` with fewer than two combinations.

    Raises:
        InputError: the two differ in shape, or more are wrong than were read.

    Example:
        >>> found = clustered([2, 0, 1, 0, 2], [2, 2, 2, 2, 2])
        >>> found.value, [round(end, 2) for end in found.interval], round(found.size, 1)
        (0.5, [0.11, 0.89], 5.0)
    """
    errors, sizes = counts_of(wrong, read)
    units = errors.size
    if units < 2:
        return None
    share = float(errors.sum() / sizes.sum())
    residuals = errors - share * sizes
    variance = float(units / (units - 1) * (residuals**2).sum() / sizes.sum() ** 2)
    spread = share * (1 - share)
    size = max(float(units), spread / variance) if variance > 1e-15 else float(units)
    # where all combinations agree there is no spread to go by: each counts once, and nothing was estimated from it
    quantile = student_quantile(0.975, units - 1) if variance > 1e-15 else None
    return Estimate(share, wilson(share * size, size, quantile=quantile), size)


def by_cluster(influence: ArrayLike, clusters: ArrayLike) -> float | None:
    """Half the width of a 95 % interval of an average whose rows hang together by cluster.

    The statistic is linearised: each row says by how much it moves it (its influence, mean 0 over all rows), and the sums
    over clusters are independent. Student's quantile, as many degrees as clusters less one.

    Args:
        influence: shape (n,), finite.
        clusters: shape (n,), whole numbers from 0: the cluster of each row.

    Returns:
        The half width, in the unit of the statistic; `None` with fewer than two clusters.

    Example:
        >>> round(by_cluster([0.5, 0.5, -0.5, -0.5], [0, 1, 2, 3]), 3)  # the mean of four independent rows
        0.919
    """
    values, which = np.asarray(influence, dtype=np.float64), np.asarray(clusters)
    sums = np.bincount(which, weights=values) if values.size else np.zeros(0)
    present = int(np.count_nonzero(np.bincount(which))) if values.size else 0
    if present < 2:
        return None
    variance = present / (present - 1) * float((sums**2).sum()) / values.size**2
    return student_quantile(0.975, present - 1) * math.sqrt(variance)


def counts_of(wrong: ArrayLike, read: ArrayLike) -> tuple[Counts, Counts]:
    """Both as arrays, without clusters that have no rows; refuses what is no pair of counts."""
    errors, sizes = np.asarray(wrong, dtype=np.float64), np.asarray(read, dtype=np.float64)
    if errors.shape != sizes.shape or errors.ndim != 1:
        raise InputError(f"expected two rows of counts of one length, got {errors.shape} and {sizes.shape}")
    if not ((errors >= 0) & (errors <= sizes)).all():
        raise InputError("expected 0 ≤ wrong ≤ read in every combination")
    return errors[sizes > 0], sizes[sizes > 0]
