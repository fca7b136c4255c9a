"""How well rows are decided: what is flagged against the labels.

Flags and labels have shape (n,); a label is true for what should be flagged. What is undefined is `None`.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
Truth: TypeAlias = NDArray[np.bool_]


def rates(flagged: ArrayLike, labels: ArrayLike) -> tuple[float, float] | None:
    """True and false positive rate; `None` if one kind of label does not occur.

    >>> rates([True, False, True], [True, True, False])
    (0.5, 1.0)
    """
    said, truth = _pair(flagged, labels)
    if truth.all() or not truth.any():
        return None
    return float(said[truth].mean()), float(said[~truth].mean())


def balanced_accuracy(flagged: ArrayLike, labels: ArrayLike) -> float | None:
    """The mean of the shares that are right among both kinds, in [0, 1]; one half says nothing.

    >>> balanced_accuracy([True, False, True], [True, True, False])
    0.25
    """
    found = rates(flagged, labels)
    return None if found is None else (found[0] + 1 - found[1]) / 2


def balanced_influence(flagged: ArrayLike, labels: ArrayLike) -> Floats | None:
    """By how much each row moves the balanced accuracy: mean 0, so that sums over clusters give its variance.

    >>> balanced_influence([True, False, True], [True, True, False]).tolist()
    [0.375, -0.375, 0.0]
    """
    found = rates(flagged, labels)
    if found is None:
        return None
    said, truth = _pair(flagged, labels)
    of_true = (said - found[0]) / (2 * truth.mean())
    of_false = (~said - (1 - found[1])) / (2 * (~truth).mean())
    influence: Floats = np.where(truth, of_true, of_false)
    return influence


def f1(flagged: ArrayLike, labels: ArrayLike) -> float | None:
    """Harmonic mean of precision and recall; `None` where nothing is flagged and nothing should be.

    >>> f1([True, False, True], [True, True, False])
    0.5
    """
    said, truth = _pair(flagged, labels)
    total = int(said.sum() + truth.sum())
    return 2 * int((said & truth).sum()) / total if total else None


def _pair(flagged: ArrayLike, labels: ArrayLike) -> tuple[Truth, Truth]:
    return np.asarray(flagged, dtype=bool), np.asarray(labels, dtype=bool)
