"""The formula of the ensemble: from the scores of several variants to P(made up).

Each member gives two features per sentence: its score, and the mean of its scores over the passage, since a sentence
among made-up ones is more likely made up too. A logistic curve with a ridge penalty is fitted to labels in [0, 1]
(`Stack.fit`). `Stack.fit_mean` fits a curve over the plain mean of the members' z-scores instead: every member counts
the same, and neighbours little or not at all.

Scores spread differently with 3 samples than with 20. So there is one stack for each of several numbers of samples
(`Knot`), and `probabilities` interpolates between them.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from guardrail.errors import InputError
from guardrail.options import number
from guardrail.statistics.calibration import expit, ridge_logistic

Floats: TypeAlias = NDArray[np.float64]
PENALTY = 10.0
FLOOR = -2.0
"""Deviations: no sentence counts as less in a pooled mean. One in twenty of WikiBio's sentences lies below it."""

_EDGE = 1e-9  # how near 0 and 1 a probability comes: log-odds stay finite


@dataclass(frozen=True, slots=True)
class Stack:
    """A fitted stack; plain numbers, so `dataclasses.asdict` and `Stack(**…)` carry it as JSON.

    Attributes:
        members: names of the variants, in order.
        center: of the features: the members' scores, then their passage means.
        spread: standard deviations of the same.
        weights: of the standardised features, in log-odds.
        bias: log-odds of an average sentence.
        least: per member, what a sentence counts at least in the mean over its passage; empty = as it is.
    """

    members: tuple[str, ...]
    center: tuple[float, ...]
    spread: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float
    least: tuple[float, ...] = ()

    @classmethod
    def fit(
        cls,
        scores: Mapping[str, ArrayLike],
        labels: ArrayLike,
        passages: Sequence[Hashable],
        *,
        penalty: float = PENALTY,
    ) -> Stack:
        """Fit to labelled sentences.

        Args:
            scores: per member, one finite score per sentence, larger = more likely made up.
            labels: in [0, 1], 1 = made up; something in between counts as so much of both.
            passages: which passage each sentence belongs to.
            penalty: ridge on the weights of the standardised features.

        Raises:
            InputError: lengths differ, a number is not finite, or a label is outside [0, 1].
        """
        members = tuple(scores)
        features, target, center, spread = _standardised(members, scores, labels, passages)
        weights = ridge_logistic(features, target, penalty)
        return cls(
            members,
            tuple(center.tolist()),
            tuple(spread.tolist()),
            tuple(weights[1:].tolist()),
            float(weights[0]),
        )

    @classmethod
    def fit_mean(
        cls,
        scores: Mapping[str, ArrayLike],
        labels: ArrayLike,
        passages: Sequence[Hashable],
        *,
        pooling: float = 0.0,
        penalty: float = PENALTY,
    ) -> Stack:
        """A curve over the plain mean of the members' z-scores, pooled in part: (1 - pooling) own + pooling passage mean.

        Within a passage sentences are ordered as by that mean (but for a pooling of 1, which leaves no order). In the
        passage's mean no sentence counts as less than `FLOOR`: however many true sentences surround an invention, and
        however well they are supported, they pull it down by a bounded amount.

        Args:
            scores: as for `fit`, as are the rest.
            labels: in [0, 1].
            passages: which passage each sentence belongs to.
            pooling: in [0, 1]; with 0 what is said of a sentence does not depend on its neighbours.
            penalty: ridge on the weight of the mean.

        Raises:
            InputError: as for `fit`.
            ConfigError: the pooling is out of range.

        Source: [efron1975]; differs: a fixed share, where they estimate it, and the floor.
        """
        number("pooling", pooling, least=0, most=1)
        members = tuple(scores)
        size = len(members)
        own = _features(members, scores, passages)[:, :size]
        least = own.mean(axis=0) + FLOOR * own.std(axis=0) if pooling else np.empty(0)
        features, target, center, spread = _standardised(members, scores, labels, passages, least)
        # A passage's mean, in deviations of sentences: its own deviation is smaller.
        narrow = spread[size:] / spread[:size]
        pooled = (1 - pooling) * features[:, :size] + pooling * features[:, size:] * narrow
        bias, weight = ridge_logistic(pooled.mean(axis=1, keepdims=True), target, penalty).tolist()
        each = weight / size
        return cls(
            members,
            tuple(center.tolist()),
            tuple(spread.tolist()),
            (each * (1 - pooling),) * size + tuple((each * pooling * narrow).tolist()),
            bias,
            tuple(least.tolist()),
        )

    def predict(self, scores: Mapping[str, ArrayLike], passages: Sequence[Hashable]) -> Floats:
        """P(made up) per sentence, in (0, 1).

        Raises:
            InputError: a member has no scores, lengths differ, or a number is not finite.
        """
        return expit(self.log_odds(scores, passages))

    def log_odds(self, scores: Mapping[str, ArrayLike], passages: Sequence[Hashable]) -> Floats:
        """The log-odds of the same: any finite number, above 0 = rather made up than not."""
        features = _features(self.members, scores, passages, np.array(self.least))
        standard = (features - np.array(self.center)) / np.array(self.spread)
        found: Floats = self.bias + standard @ np.array(self.weights)
        return found


@dataclass(frozen=True, slots=True)
class Range:
    """The thresholds of a member on the answers of a fit: the least, the mean and the most.

    Where a scale has no upper end, scores grow with how much text was sampled, and so do the thresholds.
    """

    least: float
    usual: float
    most: float

    def factor(self, threshold: float) -> float:
        """What to multiply a score with whose threshold is this: 1 within the range.

        Of less text than any answer of the fit had (or of more), a score is brought to what it would be of a usual
        one, at once enough to be continuous at the edge: the edge is passed as far inwards as it was missed.

        Example:
            >>> Range(4.0, 6.0, 7.0).factor(5.0), Range(4.0, 6.0, 7.0).factor(2.0)
            (1.0, 3.0)
        """
        if self.least <= threshold <= self.most or threshold <= 0:
            return 1.0
        if threshold < self.least:
            return min(self.usual, 2 * self.least - threshold) / threshold
        return max(self.usual, 2 * self.most - threshold) / threshold


@dataclass(frozen=True, slots=True)
class Knot:
    """A stack, and the number of samples it was fitted with. It may have fewer members than the ensemble.

    Attributes:
        samples: per answer.
        stack: what was fitted.
        ranges: per member, the default thresholds of the answers that it was fitted to.
    """

    samples: int
    stack: Stack
    ranges: Mapping[str, Range] = field(default_factory=dict)

    def log_odds(self, scores: Mapping[str, ArrayLike], thresholds: Mapping[str, float]) -> Floats:
        """Log-odds of the sentences of one answer, its scores brought into the ranges where they lie outside."""
        scaled = {}
        for name in self.stack.members:
            scaled[name] = np.asarray(scores[name], dtype=np.float64)
            if name in self.ranges and name in thresholds:
                scaled[name] = scaled[name] * self.ranges[name].factor(thresholds[name])
        return self.stack.log_odds(scaled, [0] * len(scaled[self.stack.members[0]]))


def probabilities(
    knots: Sequence[Knot],
    scores: Mapping[str, ArrayLike],
    samples: int,
    thresholds: Mapping[str, float],
) -> list[float]:
    """P(made up) of the sentences of one answer, in (0, 1), by stacks of the same members.

    Between two numbers of samples the log-odds are interpolated in the log of the number; outside, the nearest one counts.

    Args:
        knots: at least one.
        scores: per member, one finite score per sentence.
        samples: how many texts the scores rest on, at least 1.
        thresholds: per member, its default threshold for this answer; one without it counts as usual.

    Raises:
        InputError: lengths differ, or a score is not finite.
    """
    knots = sorted(knots, key=lambda knot: knot.samples)
    below = max((k for k in knots if k.samples <= samples), key=lambda k: k.samples, default=knots[0])
    above = min((k for k in knots if k.samples >= samples), key=lambda k: k.samples, default=knots[-1])
    odds = below.log_odds(scores, thresholds)
    if below is not above:
        share = math.log(samples / below.samples) / math.log(above.samples / below.samples)
        odds = odds + share * (above.log_odds(scores, thresholds) - odds)
    found: list[float] = expit(odds).clip(_EDGE, 1 - _EDGE).tolist()
    return found


def _standardised(
    members: Sequence[str],
    scores: Mapping[str, ArrayLike],
    labels: ArrayLike,
    passages: Sequence[Hashable],
    least: Floats | None = None,
) -> tuple[Floats, Floats, Floats, Floats]:
    """Features of mean 0 and standard deviation 1, labels, and what the features were: their means and deviations."""
    features = _features(members, scores, passages, least)
    target = _vector("labels", labels, len(features))
    if len(target) == 0 or target.min() < 0 or target.max() > 1:
        raise InputError("labels: expected numbers in [0, 1], at least one, got something else")
    center, spread = features.mean(axis=0), features.std(axis=0)
    spread[spread == 0] = 1.0
    return (features - center) / spread, target, center, spread


def _features(
    members: Sequence[str],
    scores: Mapping[str, ArrayLike],
    passages: Sequence[Hashable],
    least: Floats | None = None,
) -> Floats:
    """The members' scores, then their means over each passage, in which no score counts as less than `least`."""
    if lacking := [name for name in members if name not in scores]:
        raise InputError(f"expected scores of every member, got none of {lacking!r}")
    if not members:
        raise InputError("expected scores of at least one member, got none")
    numbers = {passage: i for i, passage in enumerate(dict.fromkeys(passages))}
    of = np.array([numbers[passage] for passage in passages], dtype=np.intp)
    own = np.stack([_vector(name, scores[name], len(of)) for name in members], axis=1)
    sizes = np.bincount(of, minlength=len(numbers))
    counted = own if least is None or not least.size else np.maximum(own, least)
    means = np.stack([np.bincount(of, column, len(numbers)) / sizes for column in counted.T], axis=1)
    return np.hstack([own, means[of]])


def _vector(name: str, values: ArrayLike, size: int) -> Floats:
    found = np.asarray(values, dtype=np.float64)
    if found.shape != (size,) or not np.isfinite(found).all():
        raise InputError(f"{name}: expected {size} finite numbers, got shape {found.shape!r} or NaN")
    return found
