"""Statistics of the benchmarks: pure functions of arrays.

Everywhere: scores have shape (n,), are finite, and larger means *rather true*; labels have shape (n,) and are true
or false. What is undefined (no rows, one class only) is `None`, never NaN; NaN going in is refused. Intervals are
two-sided and cover 95 % unless told otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from guardrail.errors import InputError
from guardrail.statistics.intervals import wilson
from guardrail.statistics.ranking import auc, auc_influence, scored_rows
from guardrail.statistics.reliability import Reliability, checked_probabilities, ece, reliability

__all__ = [
    "Band",
    "Estimate",
    "Interval",
    "Reliability",
    "auc",
    "brier",
    "cohen_kappa",
    "delong_interval",
    "ece",
    "fdr_band",
    "fdr_curve",
    "reliability",
    "resampled",
    "roc_band",
    "roc_curve",
    "wilson_interval",
]

Floats: TypeAlias = NDArray[np.float64]


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


class Estimate(NamedTuple):
    """A figure with its confidence interval."""

    value: float
    interval: Interval


class Band(NamedTuple):
    """A curve with its pointwise confidence band, all of one shape."""

    x: Floats
    y: Floats
    low: Floats
    high: Floats


def delong_interval(scores: ArrayLike, labels: ArrayLike, *, confidence: float = 0.95) -> Interval | None:
    """Interval of the AUC by DeLong's variance, cut to [0, 1]; `None` with fewer than two rows of a class.

    Where the classes are separated the variance, and so the width, is 0.

    Source: [delong1988]; the midrank form, O(n log n), is Sun and Xu's (IEEE Signal Processing Letters 2014).

    >>> [round(end, 3) for end in delong_interval([1, 2, 3, 4, 5, 6], [False, True, False, False, True, True])]
    [0.291, 1.0]
    """
    values, truth = scored_rows(scores, labels)
    true, false = int(truth.sum()), int((~truth).sum())
    area, moved = auc(values, truth), auc_influence(values, truth)
    if true < 2 or false < 2 or area is None or moved is None:
        return None
    # the influence of a row is its centred placement over the share of its class
    of_true, of_false = moved[truth] * true / truth.size, moved[~truth] * false / truth.size
    variance = of_true.var(ddof=1) / true + of_false.var(ddof=1) / false
    return _wald(area, math.sqrt(max(0.0, float(variance))), confidence, (0.0, 1.0))


def roc_curve(scores: ArrayLike, labels: ArrayLike) -> tuple[Floats, Floats] | None:
    """False and true positive rates, a point a distinct score, from (0, 0) to (1, 1).

    >>> false_rate, true_rate = roc_curve([0.1, 0.4, 0.4, 0.8], [False, False, True, True])
    >>> false_rate.tolist(), true_rate.tolist()
    ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0])
    """
    values, truth = scored_rows(scores, labels)
    if truth.all() or not truth.any():
        return None
    order, ends = _descending(values)
    true = np.concatenate(([0.0], np.cumsum(truth[order])[ends]))
    false = np.concatenate(([0.0], np.cumsum(~truth[order])[ends]))
    return false / false[-1], true / true[-1]


def roc_band(
    scores: ArrayLike,
    labels: ArrayLike,
    *,
    replicates: int = 100,
    seed: int = 0,
    points: int = 101,
) -> Band | None:
    """True positive rate over an even grid of false positive rates, with a bootstrap band.

    Rows are drawn with replacement within each class, so no replicate lacks one. The band is the replicates'
    mean ± 1.96 times their standard deviation, cut to [0, 1]; at least two replicates.
    """
    values, truth = scored_rows(scores, labels)
    if truth.all() or not truth.any():
        return None
    order, ends = _descending(values)
    truth = truth[order]
    rng = np.random.default_rng(seed)
    weights = np.empty((_replicates(replicates) + 1, truth.size))
    weights[0] = 1
    for of_class in (truth, ~truth):
        size = int(of_class.sum())
        weights[1:, of_class] = rng.multinomial(size, np.full(size, 1 / size), size=replicates)
    true = _from_zero(np.cumsum(weights * truth, axis=1)[:, ends])
    false = _from_zero(np.cumsum(weights * ~truth, axis=1)[:, ends])
    true, false = true / true[:, -1:], false / false[:, -1:]
    grid = np.linspace(0, 1, points)
    curves = np.stack([np.interp(grid, x, y) for x, y in zip(false, true, strict=True)])
    return _band(grid, curves)


def fdr_curve(scores: ArrayLike, labels: ArrayLike, fractions: ArrayLike) -> Floats | None:
    """False discovery rate when a given fraction of the rows, the best scored, is kept.

    A fraction that no threshold reaches takes a uniform subsample of the rows tied at the threshold, and the
    rate is the expected one. Below the smallest reachable fraction that means: a uniform subsample of the rows
    of maximal score, so the rate stays level [agrawal2024], Figure 10; differs: between two reachable fractions
    the paper joins the points of its figure by straight lines.

    Args:
        scores: larger = kept first.
        labels: true = a right discovery.
        fractions: shape (k,), in (0, 1].

    Returns:
        Shape (k,), or `None` without rows.

    >>> fdr_curve([0.9, 0.9, 0.5, 0.1], [True, False, True, False], [0.25, 0.5, 0.75, 1.0]).tolist()
    [0.5, 0.5, 0.3333333333333333, 0.5]
    """
    values, truth = scored_rows(scores, labels)
    grid = _fractions(fractions)
    if not truth.size:
        return None
    order, ends = _descending(values)
    rates: Floats = _fdr(np.ones((1, truth.size)), truth[order], ends, grid)[0]
    return rates


def fdr_band(
    scores: ArrayLike,
    labels: ArrayLike,
    fractions: ArrayLike,
    *,
    replicates: int = 100,
    seed: int = 0,
) -> Band | None:
    """`fdr_curve` with its band: bootstrap mean ± 1.96 times the bootstrap standard error, cut to [0, 1].

    Rows are drawn with replacement, both classes together, because the rate depends on how common each is.
    """
    values, truth = scored_rows(scores, labels)
    grid = _fractions(fractions)
    if not truth.size:
        return None
    order, ends = _descending(values)
    rng = np.random.default_rng(seed)
    weights = np.ones((_replicates(replicates) + 1, truth.size))
    weights[1:] = rng.multinomial(truth.size, np.full(truth.size, 1 / truth.size), size=replicates)
    return _band(grid, _fdr(weights, truth[order], ends, grid))


def cohen_kappa(
    first: Sequence[Hashable], second: Sequence[Hashable], *, confidence: float = 0.95
) -> Estimate | None:
    """Cohen's κ of two raters, with the large-sample interval of Fleiss, Cohen and Everitt (1969).

    `None` without rows, and where both raters gave everything the one same label (chance agreement is 1).
    Perfect agreement has an interval of width 0: the large-sample variance vanishes there.

    >>> kappa = cohen_kappa("GGGHHHGH", "GGHHHHGG")
    >>> round(kappa.value, 3), [round(end, 3) for end in kappa.interval]
    (0.5, [-0.1, 1.0])
    """
    if len(first) != len(second):
        raise InputError(f"expected two ratings of every row, got {len(first)} and {len(second)}.")
    if any(isinstance(label, float) and math.isnan(label) for label in (*first, *second)):
        raise InputError("expected labels, got NaN. Leave out rows that one rater did not label.")
    number = {label: i for i, label in enumerate(dict.fromkeys((*first, *second)))}
    table = np.zeros((len(number), len(number)))
    np.add.at(table, ([number[label] for label in first], [number[label] for label in second]), 1)
    rows = table.sum()
    if not rows:
        return None
    table /= rows
    left, right = table.sum(axis=1), table.sum(axis=0)
    observed, chance = float(np.trace(table)), float(left @ right)
    if chance >= 1 - 1e-12:
        return None
    kappa = (observed - chance) / (1 - chance)
    agree = np.diag(table) * ((1 - chance) - (left + right) * (1 - observed)) ** 2
    differ = (1 - observed) ** 2 * (table - np.diag(np.diag(table))) * (right[:, None] + left[None, :]) ** 2
    rest = (observed * chance - 2 * chance + observed) ** 2
    variance = float(agree.sum() + differ.sum() - rest) / (rows * (1 - chance) ** 4)
    error = math.sqrt(variance) if variance > 1e-14 else 0.0  # rounding alone may leave ± 1e-17
    return Estimate(kappa, _wald(kappa, error, confidence, (-1.0, 1.0)))


def wilson_interval(successes: int, trials: int, *, confidence: float = 0.95) -> Interval | None:
    """Wilson's interval of a proportion; `None` without trials.

    >>> [round(end, 3) for end in wilson_interval(468, 1000)]
    [0.437, 0.499]
    """
    if not 0 <= successes <= trials:
        raise InputError(f"expected 0 ≤ successes ≤ trials, got {successes!r} of {trials!r}.")
    if not trials:
        return None
    return Interval(*wilson(successes, trials, confidence=confidence))


def brier(probabilities: ArrayLike, labels: ArrayLike) -> float | None:
    """Mean squared difference of probability and label: 0 best, 0.25 for saying one half always.

    >>> brier([0.5, 1.0], [True, False])
    0.625
    """
    values, truth = checked_probabilities(probabilities, labels)
    return float(np.mean((values - truth) ** 2)) if truth.size else None


def resampled(
    groups: Sequence[Hashable] | NDArray[Any],
    statistic: Callable[[NDArray[np.intp]], float | None],
    *,
    replicates: int,
    seed: int = 0,
    fewest: int = 1,
) -> Interval | None:
    """The middle 95 % of a statistic over draws of whole groups, with replacement.

    Args:
        groups: one per row.
        statistic: of the positions of the rows that were drawn.
        replicates: how many draws.
        seed: of the draws.
        fewest: draws for which it must be defined; with fewer the interval is `None`.
    """
    rows: dict[Hashable, list[int]] = {}
    for i, group in enumerate(groups):
        rows.setdefault(group, []).append(i)
    members = [np.array(one, dtype=np.intp) for one in rows.values()]
    drawn, found = np.random.default_rng(seed), []
    for _ in range(replicates):
        chosen = drawn.integers(len(members), size=len(members))
        value = statistic(np.concatenate([members[i] for i in chosen]))
        if value is not None:
            found.append(value)
    if len(found) < fewest:
        return None
    low, high = np.quantile(found, [0.025, 0.975])
    return Interval(float(low), float(high))


def _fractions(fractions: ArrayLike) -> Floats:
    grid = np.asarray(fractions, dtype=np.float64)
    if grid.ndim != 1 or not ((grid > 0) & (grid <= 1)).all():
        raise InputError("expected fractions above 0 and up to 1: nothing kept has no false discovery rate.")
    return grid


def _replicates(replicates: int) -> int:
    if replicates < 2:
        raise InputError(f"expected at least two bootstrap replicates, got {replicates!r}.")
    return replicates


def _descending(values: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The order from the best score on, and the positions in it where a run of equal scores ends."""
    order = np.argsort(-values, kind="stable")
    ordered = values[order]
    return order, np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))


def _from_zero(counts: Floats) -> Floats:
    return np.concatenate([np.zeros((len(counts), 1)), counts], axis=1)


def _fdr(weights: Floats, truth: NDArray[np.bool_], ends: NDArray[np.intp], grid: Floats) -> Floats:
    """A row of rates for each row of weights; `truth` is ordered from the best score on."""
    kept = _from_zero(np.cumsum(weights, axis=1)[:, ends])
    false = _from_zero(np.cumsum(weights * ~truth, axis=1)[:, ends])
    wanted = grid * truth.size
    # The number of false rows among a uniform subsample of ties grows linearly in the subsample's size.
    return np.stack([np.interp(wanted, k, f) / wanted for k, f in zip(kept, false, strict=True)])


def _band(grid: Floats, curves: Floats) -> Band:
    """The first curve is the data's own, the others are its replicates."""
    mean, spread = curves[1:].mean(axis=0), 1.96 * curves[1:].std(axis=0, ddof=1)
    return Band(grid, curves[0], np.clip(mean - spread, 0, 1), np.clip(mean + spread, 0, 1))


def _quantile(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise InputError(f"expected a confidence between 0 and 1, got {confidence!r}.")
    return NormalDist().inv_cdf((1 + confidence) / 2)


def _wald(value: float, error: float, confidence: float, limits: tuple[float, float]) -> Interval:
    half = _quantile(confidence) * error
    return Interval(max(limits[0], value - half), min(limits[1], value + half))
