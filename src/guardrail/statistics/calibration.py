"""From scores to probabilities, and from a target error rate to a threshold.

Both need labelled rows that the detector was not tuned on. Everything here is a pure function of arrays; numpy is
imported inside the functions, so importing this module costs nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from guardrail.errors import InputError
from guardrail.statistics.testing import betting_p_values, binomial_p_value, discovery_losses

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["LogisticCalibration", "Threshold", "fit_logistic", "threshold_for_fdr"]


@dataclass(frozen=True, slots=True)
class LogisticCalibration:
    """P(label is true | score) = 1 / (1 + exp(−(slope · score + intercept))).

    A negative slope means that a larger score speaks against the label.

    >>> calibration = LogisticCalibration(slope=4.0, intercept=-2.0)
    >>> calibration.probability(0.5)
    0.5
    """

    slope: float
    intercept: float

    def probability(self, score: float) -> float:
        """The probability, in [0, 1], of one finite score."""
        if not math.isfinite(score):
            raise InputError(f"expected a finite score, got {score!r}. Leave out what could not be scored.")
        value = self.slope * score + self.intercept
        if value >= 0:
            return 1.0 / (1.0 + math.exp(-value))
        return math.exp(value) / (1.0 + math.exp(value))

    def probabilities(self, scores: ArrayLike) -> NDArray[Any]:
        """The same for an array, of the same shape."""
        import numpy as np

        values = np.asarray(scores, dtype=float)
        if not np.isfinite(values).all():
            raise InputError(
                "expected finite scores, got NaN or infinity. Leave out what could not be scored."
            )
        logits = self.slope * values + self.intercept
        decay = np.exp(-np.abs(logits))
        return np.where(logits >= 0, 1.0, decay) / (1.0 + decay)


def fit_logistic(scores: ArrayLike, labels: ArrayLike, *, smooth: bool = True) -> LogisticCalibration:
    """Fit a logistic curve by Newton's method (Platt scaling).

    Args:
        scores: shape (n,), finite.
        labels: shape (n,), true or false; both must occur.
        smooth: fit to (positives + 1) / (positives + 2) and 1 / (negatives + 2) instead of 1 and 0, as Platt
            does: the fit then exists even where a threshold separates the classes. `False` is plain maximum
            likelihood, and refuses such rows.

    Returns:
        The curve. All scores alike give slope 0.

    Raises:
        InputError: lengths differ, a score is not finite, one class is absent, or (without `smooth`) the classes
            are separable.

    Source: J. Platt, Probabilistic outputs for support vector machines, 1999; Lin, Lin and Weng, A note on
    Platt's probabilistic outputs, 2007.

    >>> curve = fit_logistic([0.1, 0.4, 0.35, 0.8], [False, False, True, True])
    >>> round(curve.probability(0.1), 2), round(curve.probability(0.8), 2)
    (0.3, 0.75)
    """
    import numpy as np

    from guardrail.statistics.ranking import scored_rows

    x, truth = scored_rows(scores, labels)
    positives = int(truth.sum())
    negatives = truth.size - positives
    if not positives or not negatives:
        raise InputError(f"expected rows of both classes, got {positives} true and {negatives} false.")
    if smooth:
        target = np.where(truth, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    else:
        _refuse_separable(x, truth)
        target = truth.astype(float)
    centre, spread = float(x.mean()), float(x.std())
    if spread <= 1e-12 * max(1.0, abs(centre)):
        mean = float(target.mean())
        return LogisticCalibration(0.0, math.log(mean / (1 - mean)))
    slope, intercept = _newton((x - centre) / spread, target)
    return LogisticCalibration(slope / spread, intercept - slope * centre / spread)


@dataclass(frozen=True, slots=True)
class Threshold:
    """A threshold with a guarantee.

    Attributes:
        value: keep what scores `value` or more.
        kept: rows of the fit that it keeps.
        false: those of them whose label is false.
        p_value: of the hypothesis that the false discovery rate at `value` is above `max_fdr`.
        max_fdr: the bound asked for.
        confidence: that it is true.
    """

    value: float
    kept: int
    false: int
    p_value: float
    max_fdr: float
    confidence: float


def threshold_for_fdr(
    scores: ArrayLike,
    labels: ArrayLike,
    *,
    sources: ArrayLike | None,
    max_fdr: float = 0.1,
    confidence: float = 0.95,
) -> Threshold | None:
    """The lowest threshold that keeps the false discovery rate below a bound (learn then test).

    "Keep" whatever scores at least the threshold; the false discovery rate is the probability that something
    kept has a false label. With probability `confidence` over the rows given here, the rate at the returned
    threshold is at most `max_fdr` on new rows of the same kind. For a detector whose larger scores mean *more
    likely made up*, pass the negated scores and labels that are true for what is sound: the result is then the
    highest score to let through, negated.

    Sources must be independent draws and must not have been used to make the scores. Rows of one source (sentences of one
    answer, answers about one document) hang together: the test is then a betting test on the means of sources, and the rate is
    the one in which each source counts once. Where every source has one row, it is the exact binomial test. Thresholds are
    tested in chains from strict to lenient, each chain until its first failure (fixed-sequence testing). Chains start where m,
    4m, 16m, … rows are kept, m being the fewest with which a chain could pass, and share 1 − confidence equally: a short run
    of bad luck among the very best rows then does not end the search. Where the chains start depends on the scores alone.

    `guardrail.calibration` makes certificates: several promises, groups, a grid that tested rows have no part in.

    Args:
        scores: shape (n,), finite, larger = rather kept.
        labels: shape (n,), true = a right discovery.
        sources: shape (n,), what each row belongs to; `None` says that every row is a source of its own.
        max_fdr: in (0, 1).
        confidence: in (0, 1).

    Returns:
        The threshold, or `None` where none qualifies (too few rows, or too many false ones everywhere).

    Raises:
        InputError: lengths differ, a score is not finite, or a bound is outside (0, 1).

    Source: learn then test [angelopoulos2021, §2.3]; differs: the starts are counts of rows instead of a grid of thresholds, and
    the p-value is the exact binomial one or that of a betting test [waudbysmith2024] instead of Hoeffding–Bentkus.

    >>> rows = [1.0] * 60 + [0.5] * 60 + [0.0] * 60
    >>> found = threshold_for_fdr(rows, [True] * 120 + [False] * 60, sources=None)
    >>> found.value, found.kept, found.false
    (0.5, 120, 0)
    >>> threshold_for_fdr(rows, [False] * 180, sources=None) is None
    True
    """
    import numpy as np

    from guardrail.statistics.ranking import scored_rows

    for name, bound in (("max_fdr", max_fdr), ("confidence", confidence)):
        if not 0 < bound < 1:
            raise InputError(f"expected {name} between 0 and 1, got {bound!r}.")
    values, truth = scored_rows(scores, labels)
    names = np.arange(values.size) if sources is None else np.asarray(sources)
    if names.shape != values.shape:
        raise InputError(f"expected a source for each score, got {names.shape!r} and {values.shape!r}.")
    order = np.argsort(-values, kind="stable")
    values, sound, names = values[order], truth[order], names[order]
    false = np.cumsum(~sound)
    each = values.size / max(1, np.unique(names).size)
    changes = np.append(values[1:] != values[:-1], True) if values.size else np.array([], dtype=bool)
    ends = np.flatnonzero(changes)

    def p_value(end: int) -> float:
        if each == 1:
            return binomial_p_value(int(false[end]), end + 1, max_fdr)
        kept = np.arange(values.size) <= end
        return float(betting_p_values(discovery_losses(kept, ~sound, names, max_fdr), max_fdr))

    starts = _starts(values.size, max_fdr, 1 - confidence, each)
    best: tuple[int, float] | None = None
    for start in starts:
        chain = ends[ends + 1 >= start]
        most = MOST_TESTS if each == 1 else MOST_BETS
        for end in map(
            int, chain[:: max(1, chain.size // most)]
        ):  # fewer of a long chain: still a fixed sequence
            p = p_value(end)
            if p > (1 - confidence) / len(starts):
                break
            if best is None or end > best[0]:
                best = end, p
    if best is None:
        return None
    end, p = best
    return Threshold(float(values[end]), end + 1, int(false[end]), p, max_fdr, confidence)


MOST_TESTS = 500
MOST_BETS = 60
MOST_CHAINS = 5


def _starts(rows: int, max_fdr: float, error: float, each: float) -> list[int]:
    """With `each` rows of a source: how many rows each chain keeps at its first test; with c chains, the fewest that could pass at error / c."""
    for chains in range(MOST_CHAINS, 0, -1):
        fewest = math.ceil(math.log(error / chains) / math.log1p(-max_fdr) * each)
        starts = [fewest * 4**i for i in range(chains)]
        if starts[-1] <= rows:
            return starts
    return []


def _refuse_separable(x: NDArray[Any], truth: NDArray[Any]) -> None:
    true, false = x[truth], x[~truth]
    if x.min() < x.max() and (true.min() >= false.max() or true.max() <= false.min()):
        raise InputError("a threshold separates the classes, so no finite curve fits best. Use smooth=True.")


def _newton(x: NDArray[Any], target: NDArray[Any]) -> tuple[float, float]:
    """Minimise the cross-entropy of targets in [0, 1]; x has mean 0 and deviation 1."""
    import numpy as np

    design = np.column_stack([x, np.ones_like(x)])
    mean = float(target.mean())
    weights = np.array([0.0, math.log(mean / (1 - mean))])

    def loss(at: NDArray[Any]) -> float:
        logits = design @ at
        return float(np.sum(np.logaddexp(0.0, logits) - target * logits))

    current = loss(weights)
    for _ in range(100):
        fitted = 1.0 / (1.0 + np.exp(-np.clip(design @ weights, -500, 500)))
        gradient = design.T @ (fitted - target)
        if float(np.abs(gradient).max()) <= 1e-10 * x.size:
            break
        curvature = design.T @ (design * (fitted * (1 - fitted))[:, None]) + 1e-12 * np.eye(2)
        step, length = np.linalg.solve(curvature, gradient), 1.0
        if float(gradient @ step) <= 1e-12 * abs(
            current
        ):  # rounding hides what is left: one whole step ends it
            weights = weights - step
            break
        while length > 1e-10 and loss(weights - length * step) > current:
            length /= 2  # Newton may overshoot far from the optimum
        weights = weights - length * step
        current = loss(weights)
    return float(weights[0]), float(weights[1])
