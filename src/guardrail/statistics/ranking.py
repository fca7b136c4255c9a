"""How well scores rank what is true above what is not: pure functions of arrays.

Scores have shape (n,), are finite, and larger means *rather true*; labels have shape (n,) and are true or false. What is
undefined (no rows, one class only) is `None`, never NaN; NaN going in is refused.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from guardrail.errors import InputError, MissingExtra

Floats: TypeAlias = NDArray[np.float64]
_CURVES = "computes precision-recall curves"


def auc(scores: ArrayLike, labels: ArrayLike) -> float | None:
    """Area under the ROC curve: P(score of a true row > score of a false row), a tie counting one half.

    >>> auc([0.1, 0.4, 0.35, 0.8], [False, False, True, True])
    0.75
    >>> auc([0.1, 0.2], [True, True]) is None
    True
    """
    values, truth = scored_rows(scores, labels)
    true, false = int(truth.sum()), int((~truth).sum())
    if not true or not false:
        return None
    return float((midranks(values)[truth].sum() - true * (true + 1) / 2) / (true * false))


def auc_influence(scores: ArrayLike, labels: ArrayLike) -> Floats | None:
    """By how much each row moves the area under the ROC curve: mean 0, so that sums over clusters give its variance.

    A true row contributes its placement among the false ones less the area, over the share of true rows; a false row likewise.

    Source: [delong1988]'s components; summed by cluster they are Obuchowski's variance for clustered data (Biometrics 1997).
    `None` with one class only.

    >>> auc_influence([0.1, 0.4, 0.35, 0.8], [False, False, True, True]).tolist()
    [0.5, -0.5, -0.5, 0.5]
    """
    values, truth = scored_rows(scores, labels)
    true, false = int(truth.sum()), int((~truth).sum())
    if not true or not false:
        return None
    ranks = midranks(values)
    found: Floats = np.empty(values.size)
    found[truth] = (ranks[truth] - midranks(values[truth])) / false
    found[~truth] = 1 - (ranks[~truth] - midranks(values[~truth])) / true
    area = float(found[truth].mean())
    found -= area
    found[truth] *= values.size / true
    found[~truth] *= values.size / false
    return found


def trapezoid(scores: ArrayLike, labels: ArrayLike) -> float | None:
    """Area under the precision-recall curve by the trapezoid; with tied scores it is too good. `None` without both classes.

    Raises:
        MissingExtra: scikit-learn is not installed.

    >>> round(trapezoid([0.9, 0.8, 0.7, 0.1], [True, False, True, False]), 4)
    0.7917
    """
    values, truth = scored_rows(scores, labels)
    if truth.all() or not truth.any():
        return None
    precision, recall, _ = sklearn("metrics", _CURVES).precision_recall_curve(truth, values)
    return float(-np.trapezoid(precision, recall))


def average_precision(scores: ArrayLike, labels: ArrayLike) -> float | None:
    """Area under the precision-recall curve by steps: no gain from ties. `None` without both classes.

    Raises:
        MissingExtra: scikit-learn is not installed.
    """
    values, truth = scored_rows(scores, labels)
    if truth.all() or not truth.any():
        return None
    return float(sklearn("metrics", _CURVES).average_precision_score(truth, values))


def sklearn(module: str, what: str) -> Any:
    """A module of scikit-learn.

    Raises:
        MissingExtra: it is not installed; says what it is needed for.
    """
    try:
        return import_module(f"sklearn.{module}")
    except ImportError as error:
        raise MissingExtra(f"scikit-learn, which {what},", extra="evaluate") from error


def scored_rows(scores: ArrayLike, labels: ArrayLike) -> tuple[Floats, NDArray[np.bool_]]:
    """Both as arrays.

    Raises:
        InputError: lengths differ, a score is not finite, or a label is neither true nor false.
    """
    values = np.asarray(scores, dtype=np.float64)
    truth: NDArray[Any] = np.asarray(labels)
    if values.ndim != 1 or values.shape != truth.shape:
        raise InputError(
            f"expected scores and labels of one length, got {values.shape!r} and {truth.shape!r}."
        )
    finite(values)
    if truth.size and not np.isin(truth, (False, True)).all():
        raise InputError(
            f"expected labels of true and false, got {sorted(set(truth.tolist()), key=str)[:5]!r}."
        )
    return values, truth.astype(np.bool_)


def finite(scores: ArrayLike) -> Floats:
    """The scores as an array.

    Raises:
        InputError: one is not finite.
    """
    values = np.asarray(scores, dtype=np.float64)
    if not np.isfinite(values).all():
        raise InputError("expected finite scores, got NaN or infinity. Leave out what could not be scored.")
    return values


def midranks(values: Floats) -> Floats:
    """Ranks from 1, ties sharing their mean rank."""
    _, which, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    mean: Floats = last - (sizes - 1) / 2
    return mean[which]
