"""Figures of a set, with intervals by source: larger scores mean less likely supported."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from benchmarks._stats import auc, resampled
from guardrail.statistics.decisions import f1

__all__ = ["area_by_source", "best_f1"]

_REPLICATES = 200


def best_f1(scores: ArrayLike, labels: ArrayLike) -> float | None:
    """F1 at the threshold that is best in hindsight.

    >>> best_f1([0.9, 0.4, 0.1], [True, True, False])
    1.0
    """
    values = np.asarray(scores, dtype=np.float64)
    found = [f1(values >= limit, labels) for limit in np.unique(values)]
    return max((one for one in found if one is not None), default=None)


def area_by_source(
    scores: ArrayLike, labels: ArrayLike, sources: Sequence[str]
) -> tuple[float, float] | None:
    """The AUROC's 95 % interval, whole sources drawn with replacement; `None` where it is undefined for most draws."""
    values, truth = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=bool)
    return resampled(
        sources,
        lambda rows: auc(values[rows], truth[rows]),
        replicates=_REPLICATES,
        fewest=_REPLICATES // 2,
    )
