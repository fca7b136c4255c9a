"""Which curve makes probabilities of scores: logistic or isotonic, chosen by log loss on sources that it has not seen.

scikit-learn fits the isotonic curve, makes the folds and computes the losses; a curve that was fitted needs it no more.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from guardrail.errors import InputError
from guardrail.statistics.calibration import LogisticCalibration, fit_logistic
from guardrail.statistics.ranking import finite, scored_rows, sklearn

Floats: TypeAlias = NDArray[np.float64]

FEWEST = 200
"""Labels from which an isotonic curve is tried: with fewer it follows the noise."""
FOLDS = 10
_FITS = "fits probabilities"


@dataclass(frozen=True, slots=True)
class IsotonicCalibration:
    """P(label is true | score), rising, straight between the points and level outside them.

    Attributes:
        scores: of the points, ascending.
        values: P at them, in (0, 1), never falling.

    Raises:
        InputError: the points are not of this form.

    >>> IsotonicCalibration((0.0, 1.0), (0.25, 0.75)).probability(0.5)
    0.5
    """

    scores: tuple[float, ...]
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        x, y = np.array(self.scores), np.array(self.values)
        whole = x.size > 0 and x.size == y.size and bool(np.isfinite(x).all())
        if not whole or (np.diff(x) <= 0).any() or (np.diff(y) < 0).any() or y.min() <= 0 or y.max() >= 1:
            raise InputError(
                f"expected points with ascending scores and values in (0, 1), got {self.scores!r:.80} and {self.values!r:.80}"
            )

    def probability(self, score: float) -> float:
        """The probability of one finite score."""
        return float(self.probabilities([score])[0])

    def probabilities(self, scores: ArrayLike) -> Floats:
        """The same for an array, of the same shape.

        Raises:
            InputError: a score is not finite.
        """
        return np.asarray(np.interp(finite(scores), self.scores, self.values), dtype=np.float64)


Curve: TypeAlias = LogisticCalibration | IsotonicCalibration


@dataclass(frozen=True, slots=True)
class FittedCurve:
    """The curve with the smallest loss, fitted to all rows.

    Attributes:
        kind: which one.
        curve: itself.
        losses: log loss per row on held-out sources, by kind; "constant" is the share of true labels. Smaller is better.
    """

    kind: Literal["logistic", "isotonic"]
    curve: Curve
    losses: Mapping[str, float]


def fit_rising(scores: ArrayLike, labels: ArrayLike) -> LogisticCalibration:
    """A logistic curve that never falls: where larger scores speak against the label, it is the share of true labels.

    >>> fit_rising([0, 1, 2, 3], [True, True, False, False]).slope
    0.0
    """
    x, truth = scored_rows(scores, labels)
    if not truth.all() and truth.any():
        curve = fit_logistic(x, truth)
        if curve.slope >= 0:
            return curve
    share = (float(truth.sum()) + 1) / (truth.size + 2)
    return LogisticCalibration(0.0, math.log(share / (1 - share)))


def fit_isotonic(scores: ArrayLike, labels: ArrayLike) -> IsotonicCalibration:
    """The rising curve of least squares; its ends are kept off 0 and 1 by one row that says the opposite.

    Raises:
        MissingExtra: scikit-learn is not installed.
    """
    x, truth = scored_rows(scores, labels)
    if not x.size:
        raise InputError("expected scores with labels, got none")
    edge = 1 / (x.size + 2)
    fitted = sklearn("isotonic", _FITS).IsotonicRegression(y_min=edge, y_max=1 - edge).fit(x, truth)
    return IsotonicCalibration(tuple(fitted.X_thresholds_.tolist()), tuple(fitted.y_thresholds_.tolist()))


def choose_curve(scores: ArrayLike, labels: ArrayLike, sources: ArrayLike) -> FittedCurve:
    """The logistic or the isotonic curve, whichever has the smaller log loss on sources that it was not fitted to.

    Args:
        scores: shape (n,), finite, larger = rather true.
        labels: shape (n,); both kinds must occur.
        sources: shape (n,), what each row belongs to: rows of one source are left out together.

    Raises:
        InputError: lengths differ, one kind of label is absent, or there is only one source.
        MissingExtra: scikit-learn is not installed.
    """
    x, truth = scored_rows(scores, labels)
    names = np.asarray(sources)
    count = np.unique(names).size
    if names.shape != x.shape or count < 2 or truth.all() or not truth.any():
        raise InputError(
            f"expected labels of both kinds from two sources or more, got {int(truth.sum())} true and "
            f"{int((~truth).sum())} false from {count}: label more"
        )
    fits: dict[str, Any] = {"constant": _constant, "logistic": fit_rising}
    if x.size >= FEWEST:
        fits["isotonic"] = fit_isotonic
    found: dict[str, Floats] = {kind: np.empty(x.size) for kind in fits}
    folds = sklearn("model_selection", _FITS).GroupKFold(n_splits=min(FOLDS, count))
    for rest, held in folds.split(x, truth, names):
        for name, fit in fits.items():
            found[name][held] = fit(x[rest], truth[rest]).probabilities(x[held])
    loss = sklearn("metrics", _FITS).log_loss
    losses = {name: float(loss(truth, values, labels=[False, True])) for name, values in found.items()}
    kind: Literal["logistic", "isotonic"] = "logistic"
    if losses.get("isotonic", math.inf) < losses["logistic"]:
        kind = "isotonic"
    return FittedCurve(kind, fits[kind](x, truth), losses)


def _constant(scores: Floats, labels: NDArray[np.bool_]) -> LogisticCalibration:
    return fit_rising(np.zeros(scores.size), labels)
