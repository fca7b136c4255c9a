"""Quantiles, hallucination rates and mutual information from log-likelihoods: pure functions of arrays, for any model.

THR, PHR and MHR are one rate under different contexts: the share of responses drawn with D_n alone that fall out of
the (1 − ε)-likely set of a longer context D. For PHR, D is imagined by the model; for MHR, D has the real pairs of
the evaluation too. The mutual information of response and mechanism, in nats, is how much of the uncertainty about a
response would go away if the task were known: I = H(Y|x, D_n) − E[H(Y|x, D)].

Source: [jesson2024] eqs. 6 to 8 and 14, Algorithms 1 and 2; eqs. 31 to 36 (Appendix D) and Algorithm 3 for the
information. The exact forms, the interval and the early stop are ours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from guardrail.errors import InputError
from guardrail.requests import Outcomes
from guardrail.statistics.intervals import normal_quantile, student_quantile, wilson

Floats: TypeAlias = NDArray[np.float64]

SLACK = 1e-9
"""A cumulative mass that lacks no more than this to ε has reached it: .7 + .1 is .8, whatever its last bit says."""


def check_epsilon(epsilon: float) -> None:
    """Refuse what is not in [0, 1].

    Raises:
        InputError: with what came.
    """
    if isinstance(epsilon, bool) or not 0 <= epsilon <= 1:
        raise InputError(f"expected epsilon in [0, 1], got {epsilon!r}")


def quantile(values: ArrayLike, epsilon: float, *, weights: ArrayLike | None = None) -> Floats:
    """Q_ε of weighted atoms, or of samples that weigh the same: inf{q : P(log p(Y) ≤ q) ≥ ε}, eq. 14.

    It never interpolates: Q_ε is one of the values, so ties are equal to it. A response is a hallucination if its
    log-likelihood is strictly below Q_ε; the likely set has probability at least 1 − ε.

    Args:
        values: shape (…, K), K ≥ 1; −∞ is allowed, NaN is not.
        epsilon: in [0, 1]. Where it equals a cumulative mass, Q_ε is the value at which that mass is reached:
            with two values of mass ½ and ε = ½ the lower one.
        weights: shape (…, K), 0 or more; `None` = 1/K each. Their sum is the whole mass, so rounding in it does
            not matter. Values of weight 0 are never Q_ε.

    Returns:
        Shape (…): the smallest value whose cumulative mass is at least ε; −∞ for ε = 0.

    Raises:
        InputError: no values, NaN, or weights that are negative or all 0.

    >>> float(quantile([-3.0, -1.0, -2.0, -1.0], 0.5)), float(quantile([-3.0, -1.0, -2.0, -1.0], 0.51))
    (-2.0, -1.0)
    >>> float(quantile([-1.6, -0.2], 0.2, weights=[0.2, 0.8])), float(quantile([-1.6, -0.2], 0.0))
    (-1.6, -inf)
    """
    check_epsilon(epsilon)
    found = np.asarray(values, dtype=np.float64)
    if found.ndim < 1 or found.shape[-1] < 1 or np.isnan(found).any():
        raise InputError(f"expected at least one value and no NaN, got shape {found.shape!r}")
    if epsilon == 0:
        return np.full(found.shape[:-1], -math.inf)
    if weights is None:
        size = found.shape[-1]
        rank = max(1, math.ceil(epsilon * size - SLACK))
        return np.partition(found, rank - 1, axis=-1)[..., rank - 1]
    mass = np.broadcast_to(np.asarray(weights, dtype=np.float64), found.shape)
    if not (mass >= 0).all() or not (mass.sum(axis=-1) > 0).all():
        raise InputError("expected weights of 0 or more that are not all 0, got others")
    order = np.argsort(found, axis=-1, kind="stable")
    reached = np.cumsum(np.take_along_axis(mass, order, axis=-1), axis=-1)
    enough = (reached >= epsilon * reached[..., -1:] - SLACK) & (reached > 0)
    first = np.argmax(enough, axis=-1)[..., None]
    return np.take_along_axis(np.take_along_axis(found, order, axis=-1), first, axis=-1)[..., 0]


def rate(likelihoods: ArrayLike, responses: ArrayLike, epsilon: float) -> Floats:
    """The paper's estimator (Algorithm 2): both the quantile and the rate from draws.

    Args:
        likelihoods: shape (…, K): log p(y|x, D) of draws y ~ p(·|x, D).
        responses: shape (…, J): log p(y|x, D) of draws y ~ p(·|x, D_n). −∞ is allowed.
        epsilon: in [0, 1].

    Returns:
        Shape (…), in [0, 1], larger = more hallucinations. THR of each context; its mean over imagined contexts is
        PHR, and MHR is the rate of one context of real pairs.

    Raises:
        InputError: no draws, NaN, or ε out of range.

    >>> float(rate([-1.0, -2.0, -3.0, -4.0], [-0.5, -3.5, -9.0, -1.0], epsilon=0.5))  # Q = −3
    0.5
    """
    limit = quantile(likelihoods, epsilon)
    found = np.asarray(responses, dtype=np.float64)
    if found.shape[-1] < 1 or np.isnan(found).any():
        raise InputError(f"expected at least one response and no NaN, got shape {found.shape!r}")
    shares: Floats = (found < limit[..., None]).mean(axis=-1)
    return shares


def aligned(under: Outcomes, given: Outcomes) -> tuple[Floats, Floats, Floats]:
    """The outcomes of two distributions, side by side.

    Args:
        under: p(·|x, D).
        given: p(·|x, D_n), of the same model.

    Returns:
        Three arrays of shape (V + 1,): what ranks the outcomes under D, their probabilities under D, and those
        given D_n. The last outcome represents all that `under` does not list: a model lists its likeliest, so they
        rank below all others (−1), and none of them is a hallucination unless the quantile lies above them all.

    Raises:
        InputError: names and probabilities differ in number, a name is there twice, or a number is no probability.

    >>> rank, p, q = aligned(Outcomes(("a", "b"), (0.6, 0.3)), Outcomes(("b", "c"), (0.5, 0.2)))
    >>> rank.tolist(), p.round(3).tolist(), q.round(3).tolist()
    ([0.6, 0.3, -1.0], [0.6, 0.3, 0.1], [0.0, 0.5, 0.5])
    """
    p, q = _probabilities(under), _probabilities(given)
    if under.names is not given.names and under.names != given.names:
        place = {name: i for i, name in enumerate(given.names)}
        q = np.append(q, 0.0)[[place.get(name, len(q)) for name in under.names]]
    rest = max(0.0, 1.0 - math.fsum(q.tolist()))
    # what a model that tells everything lacks to 1 is rounding, not an outcome
    told = under.other == 0.0 and rest <= 1e-6
    ends = (0.0, 0.0) if told else (under.other, rest)
    return np.append(p, -1.0), np.append(p, ends[0]), np.append(q, ends[1])


def _probabilities(outcomes: Outcomes) -> Floats:
    found = np.asarray(outcomes.probabilities, dtype=np.float64)
    if found.ndim != 1 or len(found) != len(outcomes.names) or not len(found):
        raise InputError(
            f"expected a probability per outcome, got {len(outcomes.names)} names and {found.size} numbers"
        )
    if len(set(outcomes.names)) < len(outcomes.names):
        raise InputError(
            "expected each outcome once, got one twice: name tokens as the vocabulary spells them"
        )
    total = float(found.sum())
    if not ((found >= 0) & (found <= 1 + 1e-6)).all() or not 0 < total <= 1 + 1e-3:
        raise InputError(f"expected probabilities that add up to at most 1, got a sum of {total!r}")
    return found


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over imagined contexts.

    Attributes:
        value: the mean.
        error: its standard error; `None` of one context.
        interval: see `estimate`.
        contexts: how many there were.
    """

    value: float
    error: float | None
    interval: tuple[float, float]
    contexts: int

    @property
    def precision(self) -> float:
        """The standard error that belongs to the interval, half its width / 1.96: what an early stop looks at."""
        return (self.interval[1] - self.interval[0]) / 2 / normal_quantile(0.975)


def estimate(values: ArrayLike) -> Estimate:
    """The mean of one rate per context, with its 95 % interval over the contexts.

    Args:
        values: shape (M,), each in [0, 1].

    Returns:
        The interval is Student's, cut to [0, 1], with a variance to which one more context contributes that disagrees as
        much as contexts can: of ten contexts the one in twenty that says otherwise may be missing. It is cautious:
        Student's own covers the rate in 85 to 90 % of cases for regression at M = 10, and in as few as 24 % for labels.
        Where all values are equal, and for one context, it is Wilson's with M trials.

    Raises:
        InputError: no values, or one outside [0, 1].

    >>> estimate([0.1, 0.3]).value, estimate([0.0] * 10).interval[1] > 0.2
    (0.2, True)
    """
    found = np.asarray(values, dtype=np.float64)
    if found.ndim != 1 or not len(found) or not ((found >= 0) & (found <= 1)).all():
        raise InputError(f"expected at least one number, all in [0, 1], got {values!r}")
    size = len(found)
    mean = min(1.0, max(0.0, math.fsum(found.tolist()) / size))
    if size == 1:
        return Estimate(mean, None, wilson(mean, 1), 1)
    error = float(found.std(ddof=1)) / math.sqrt(size)
    if error < 1e-12:
        return Estimate(mean, 0.0, wilson(mean * size, size), size)
    likely = (size * mean + 1) / (size + 2)
    wider = math.sqrt(((size - 1) * error**2 + likely * (1 - likely) / size) / size)
    half = student_quantile(0.975, size - 1) * wider
    return Estimate(mean, error, (max(0.0, mean - half), min(1.0, mean + half)), size)


def share(hits: Sequence[bool]) -> Estimate:
    """The share of contexts in which something is true, with Wilson's interval.

    >>> share([True, False, False, False]).value
    0.25
    """
    found = estimate([float(hit) for hit in hits])
    return replace(found, interval=wilson(sum(hits), len(hits)))


def entropy(probabilities: ArrayLike) -> Floats:
    """H of distributions over finitely many outcomes.

    Args:
        probabilities: shape (…, V); p log p is 0 where p is.

    Returns:
        Shape (…), 0 or more. An outcome that lumps several counts as one, so H is then a lower bound.

    >>> round(float(entropy([0.5, 0.5, 0.0])), 6)
    0.693147
    """
    p = np.asarray(probabilities, dtype=np.float64)
    if not (p >= 0).all():
        raise InputError("expected probabilities of 0 or more, got others")
    logs = np.log(np.where(p > 0, p, 1.0))
    found: Floats = np.maximum(0.0, -(p * logs).sum(axis=-1))
    return found


def entropy_of_draws(logs: ArrayLike) -> Floats:
    """H by Monte Carlo: the mean of −log p(y) of draws y ~ p.

    Args:
        logs: shape (…, K), finite. Of responses of several tokens these are means per token, and so is H.

    Returns:
        Shape (…); of a density it may be negative.
    """
    found = np.asarray(logs, dtype=np.float64)
    if found.ndim < 1 or found.shape[-1] < 1 or not np.isfinite(found).all():
        raise InputError(f"expected finite log-probabilities of at least one draw, got shape {found.shape!r}")
    mean: Floats = -found.mean(axis=-1)
    return mean


@dataclass(frozen=True, slots=True)
class Information:
    """A mutual information.

    Attributes:
        value: in nats. An estimate may fall below 0, the quantity does not.
        error: standard error over the contexts; `None` of one context.
        interval: 95 %, Student's; equal ends where all contexts agree, `None` of one context.
    """

    value: float
    error: float | None
    interval: tuple[float, float] | None


def information(total: ArrayLike, known: ArrayLike) -> Information:
    """Ĥ(Y|x, D_n) − mean of Ĥ(Y|x, D) over M imagined contexts.

    Args:
        total: shape () for an exact entropy, or (M,) for one estimate of it per context.
        known: shape (M,): the entropy under each imagined context.

    Raises:
        InputError: no context, or a number that is not finite.

    >>> information(0.69, [0.69, 0.69]).value
    0.0
    """
    differences = np.asarray(total, dtype=np.float64) - np.asarray(known, dtype=np.float64)
    if differences.ndim != 1 or not len(differences) or not np.isfinite(differences).all():
        raise InputError(f"expected finite entropies of at least one context, got {known!r}")
    size = len(differences)
    mean = math.fsum(differences.tolist()) / size
    if size == 1:
        return Information(mean, None, None)
    error = float(differences.std(ddof=1)) / math.sqrt(size)
    half = student_quantile(0.975, size - 1) * error
    return Information(mean, error, (mean - half, mean + half))
