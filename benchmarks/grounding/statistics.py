"""Figures of a set, with intervals by source: larger scores mean less likely supported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchmarks._stats import auc

__all__ = ["at_threshold", "balanced_accuracy", "best_f1", "by_source", "f1"]

Floats: TypeAlias = NDArray[np.float64]
Truth: TypeAlias = NDArray[np.bool_]
_REPLICATES, _SEED = 200, 0


def at_threshold(flagged: ArrayLike, labels: ArrayLike) -> tuple[float, float] | None:
    """True and false positive rate of what is flagged; `None` if one kind of label does not occur.

    >>> at_threshold([True, False, True], [True, True, False])
    (0.5, 1.0)
    """
    said, truth = np.asarray(flagged, dtype=bool), np.asarray(labels, dtype=bool)
    if truth.all() or not truth.any():
        return None
    return float(said[truth].mean()), float(said[~truth].mean())


def balanced_accuracy(flagged: ArrayLike, labels: ArrayLike) -> float | None:
    """The mean of the shares that are right among both kinds.

    >>> balanced_accuracy([True, False, True], [True, True, False])
    0.25
    """
    rates = at_threshold(flagged, labels)
    return None if rates is None else (rates[0] + 1 - rates[1]) / 2


def f1(flagged: ArrayLike, labels: ArrayLike) -> float | None:
    """F1 of "not supported"; `None` where nothing is flagged and nothing is to be flagged.

    >>> f1([True, False, True], [True, True, False])
    0.5
    """
    said, truth = np.asarray(flagged, dtype=bool), np.asarray(labels, dtype=bool)
    total = int(said.sum() + truth.sum())
    return 2 * int((said & truth).sum()) / total if total else None


def best_f1(scores: ArrayLike, labels: ArrayLike) -> float | None:
    """F1 at the threshold that is best in hindsight.

    >>> best_f1([0.9, 0.4, 0.1], [True, True, False])
    1.0
    """
    values = np.asarray(scores, dtype=np.float64)
    found = [f1(values >= limit, labels) for limit in np.unique(values)]
    return max((one for one in found if one is not None), default=None)


def by_source(
    scores: ArrayLike,
    labels: ArrayLike,
    sources: Sequence[str],
    figure: Callable[[Floats, Truth], float | None] = auc,
) -> tuple[float, float] | None:
    """The 95 % bootstrap interval of a figure, whole sources drawn with replacement; `None` where it is undefined."""
    values, truth = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=bool)
    rows: dict[str, list[int]] = {}
    for i, source in enumerate(sources):
        rows.setdefault(source, []).append(i)
    groups = [np.array(one) for one in rows.values()]
    rng = np.random.default_rng(_SEED)
    found = []
    for _ in range(_REPLICATES):
        drawn = np.concatenate([groups[i] for i in rng.integers(len(groups), size=len(groups))])
        value = figure(values[drawn], truth[drawn])
        if value is not None:
            found.append(value)
    if len(found) < _REPLICATES // 2:
        return None
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)
