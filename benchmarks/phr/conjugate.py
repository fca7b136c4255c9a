"""Two models whose posterior is known: linear regression and Beta–Bernoulli, with PHR in closed form.

They are the oracle of the estimators. All is vectorised over contexts.

Derivations and how each form was checked: `docs/design/phr.md`. Notation: the posterior of f·x given D_n is N(m, s²),
that after N pairs N(m_N, s_N²); σ is the noise; z = Φ⁻¹(1 − ε/2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import digamma, ndtr

from guardrail.errors import InputError
from guardrail.phr.estimators import SLACK, check_epsilon
from guardrail.statistics.intervals import beta_cdf, normal_quantile

__all__ = ["BetaBernoulli", "Gaussian", "Posterior"]

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Posterior:
    """N(mean, covariance) over the coefficients of a linear regression with known noise, for any number of contexts.

    Attributes:
        mean: shape (…, p).
        covariance: shape (…, p, p).
        noise: σ, above 0.
    """

    mean: Floats
    covariance: Floats
    noise: float

    @classmethod
    def prior(cls, size: int, *, deviation: float, noise: float, shape: tuple[int, ...] = ()) -> Posterior:
        """Independent coefficients N(0, deviation²)."""
        if size < 1 or not deviation > 0 or not noise > 0:
            raise InputError(
                f"expected coefficients, a deviation and a noise above 0, got {size!r}, {deviation!r}, {noise!r}"
            )
        covariance = np.broadcast_to(deviation**2 * np.eye(size), (*shape, size, size))
        return cls(np.zeros((*shape, size)), covariance, noise)

    def observe(self, features: ArrayLike, labels: ArrayLike) -> Posterior:
        """After one more pair per context: features of shape (…, p), labels of shape (…)."""
        x = np.asarray(features, dtype=np.float64)
        mean, variance = self.predict(x)
        along = np.einsum("...ij,...j->...i", self.covariance, x)
        gain = along / (variance + self.noise**2)[..., None]
        return Posterior(
            self.mean + gain * (np.asarray(labels, dtype=np.float64) - mean)[..., None],
            self.covariance - gain[..., :, None] * along[..., None, :],
            self.noise,
        )

    def predict(self, features: ArrayLike) -> tuple[Floats, Floats]:
        """The m and s² of f·x at features of shape (…, p); a label there is N(m, s² + σ²)."""
        x = np.asarray(features, dtype=np.float64)
        mean: Floats = np.einsum("...i,...i->...", self.mean, x)
        variance: Floats = np.einsum("...i,...ij,...j->...", x, self.covariance, x)
        return mean, np.maximum(variance, 0.0)


@dataclass(frozen=True, slots=True)
class Gaussian:
    """Rates of a response N(m, s² + σ²) at one query of a linear regression; arrays are taken elementwise.

    Attributes:
        variance: s², 0 or more.
        noise: σ, above 0.
        epsilon: in [0, 1].
    """

    variance: float
    noise: float
    epsilon: float

    def __post_init__(self) -> None:
        check_epsilon(self.epsilon)
        if not self.variance >= 0 or not self.noise > 0:
            raise InputError(
                f"expected a variance of 0 or more and noise above 0, got {self.variance!r}, {self.noise!r}"
            )

    @property
    def z(self) -> float:
        """Half the width of the likely set, in standard deviations."""
        return normal_quantile(1 - self.epsilon / 2) if self.epsilon else math.inf

    def true_rate(self, distance: ArrayLike) -> Floats:
        """THR of a mechanism with f*·x − m = distance: P(|y − f*·x| > zσ), y ~ N(m, s² + σ²)."""
        return self._outside(distance, self.noise**2)

    def context_rate(self, distance: ArrayLike, variance: ArrayLike) -> Floats:
        """THR of a longer context (eq. 7), whose mean lies `distance` from m, with s_N² = `variance`."""
        return self._outside(distance, np.asarray(variance, dtype=np.float64) + self.noise**2)

    def _outside(self, distance: ArrayLike, spread: ArrayLike) -> Floats:
        if not self.epsilon:
            return np.zeros(np.broadcast_shapes(np.shape(distance), np.shape(spread)))
        d = np.asarray(distance, dtype=np.float64)
        half = self.z * np.sqrt(np.asarray(spread, dtype=np.float64))
        own = math.sqrt(self.variance + self.noise**2)
        found: Floats = ndtr((d - half) / own) + ndtr((-d - half) / own)
        return found

    def rate(self) -> float:
        """PHR: 2Φ(−zσ / √(σ² + 2s²))."""
        return float(self.horizon_rate(0.0))

    def horizon_rate(self, variance: ArrayLike) -> Floats:
        """PHR_N for imagined inputs that leave s_N² = `variance`: 2Φ(−z √((s_N² + σ²) / (2s² − s_N² + σ²)))."""
        return self._tail(self.epsilon, variance)

    def drawn_rate(self, variance: ArrayLike, draws: int) -> Floats:
        """What the paper's estimator has as its mean, with a quantile from so many draws.

        The share of p(·|x, D) below the j-th lowest of K draws, j = ⌈εK⌉, is Beta(j, K + 1 − j); the rate is that of
        PHR_N at that share in place of ε, integrated over it. It tends to PHR_N with K → ∞.
        """
        if not self.epsilon:
            return np.zeros(np.shape(variance))
        rank = max(1, math.ceil(self.epsilon * draws - SLACK))
        nodes, weights = np.polynomial.legendre.leggauss(200)
        shares = (nodes + 1) / 2
        a, b = rank, draws + 1 - rank
        front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
        density = np.exp(front + (a - 1) * np.log(shares) + (b - 1) * np.log1p(-shares))
        parts = [
            weight / 2 * height * self._tail(share, variance)
            for share, height, weight in zip(shares.tolist(), density.tolist(), weights.tolist(), strict=True)
        ]
        return np.asarray(sum(parts))

    def _tail(self, share: float, variance: ArrayLike) -> Floats:
        """P(|y − m_N| > z(share) √(s_N² + σ²)): y − m_N has variance (s² + σ²) + (s² − s_N²)."""
        later = np.asarray(variance, dtype=np.float64)
        if not share:
            return np.zeros(later.shape)
        z = normal_quantile(1 - share / 2)
        own = self.noise**2
        found: Floats = 2 * ndtr(-z * np.sqrt((later + own) / (2 * self.variance - later + own)))
        return found

    def information(self, variance: ArrayLike = 0.0) -> Floats:
        """MI: ½ log((s² + σ²) / (s_N² + σ²)) at a finite horizon, ½ log(1 + s²/σ²) for s_N² = 0."""
        own = self.noise**2
        found: Floats = 0.5 * np.log((self.variance + own) / (np.asarray(variance, dtype=np.float64) + own))
        return found


@dataclass(frozen=True, slots=True)
class BetaBernoulli:
    """Rates of a response 0 or 1 whose probability of 1 is Beta(a, b) given D_n.

    Attributes:
        a: above 0.
        b: above 0.
        epsilon: in [0, 1].
        visit: the probability that an imagined pair is one of this query, in [0, 1].
    """

    a: float
    b: float
    epsilon: float
    visit: float = 1.0

    def __post_init__(self) -> None:
        check_epsilon(self.epsilon)
        if not (self.a > 0 and self.b > 0 and 0 <= self.visit <= 1):
            raise InputError(f"expected a, b above 0 and visit in [0, 1], got {self!r}")

    @property
    def mean(self) -> float:
        """p(1|x, D_n)."""
        return self.a / (self.a + self.b)

    def unlikely(self) -> tuple[float, float]:
        """How probable is it that 0, and that 1, is a hallucination?

        It is one under θ if its probability is below ε and below that of the other: P(1 − θ < min(ε, ½)) for 0.
        """
        edge = min(self.epsilon, 0.5)
        return beta_cdf(edge, self.b, self.a), beta_cdf(edge, self.a, self.b)

    def horizon_unlikely(self, steps: int) -> tuple[float, float]:
        """The same after so many imagined pairs: a sum over how many are of this query, and how many of them 1."""
        p, weight = self._predictions(steps)
        low = np.minimum(p, 1 - p) < self.epsilon - SLACK
        apart = np.abs(p - 0.5) > SLACK / 2
        zero = math.fsum(weight[low & apart & (p > 0.5)].tolist())
        one = math.fsum(weight[low & apart & (p < 0.5)].tolist())
        return min(1.0, zero), min(1.0, one)

    def rate(self) -> float:
        """PHR."""
        return self._mixed(self.unlikely())

    def horizon_rate(self, steps: int) -> float:
        """PHR_N with N − n = `steps`."""
        return self._mixed(self.horizon_unlikely(steps))

    def _mixed(self, unlikely: tuple[float, float]) -> float:
        return (1 - self.mean) * unlikely[0] + self.mean * unlikely[1]

    def information(self) -> float:
        """MI: h(E θ) − E h(θ), h the entropy of a coin; by digamma functions."""
        total = self.a + self.b
        parts = [c / total * (digamma(c + 1) - digamma(total + 1)) for c in (self.a, self.b)]
        return float(_coin(np.array(self.mean))) + math.fsum(parts)

    def horizon_information(self, steps: int) -> float:
        """MI with imagined contexts of finite length."""
        p, weight = self._predictions(steps)
        return float(_coin(np.array(self.mean))) - math.fsum((weight * _coin(p)).tolist())

    def _predictions(self, steps: int) -> tuple[Floats, Floats]:
        """p(1|x, D) after the steps, and how probable each is."""
        if steps < 0:
            raise InputError(f"expected 0 steps or more, got {steps!r}")
        values, weights = [], []
        for seen in range(steps + 1):
            reached = math.comb(steps, seen) * self.visit**seen * (1 - self.visit) ** (steps - seen)
            for ones in range(seen + 1):
                values.append((self.a + ones) / (self.a + self.b + seen))
                weights.append(reached * self._urn(seen, ones))
        return np.array(values), np.array(weights)

    def _urn(self, seen: int, ones: int) -> float:
        """Beta-binomial."""
        found = math.lgamma(seen + 1) - math.lgamma(ones + 1) - math.lgamma(seen - ones + 1)
        found += math.lgamma(self.a + ones) + math.lgamma(self.b + seen - ones)
        found -= math.lgamma(self.a + self.b + seen)
        found += math.lgamma(self.a + self.b) - math.lgamma(self.a) - math.lgamma(self.b)
        return math.exp(found)


def _coin(p: Floats) -> Floats:
    """The entropy of a coin, in nats."""
    parts = [-q * np.log(np.where(q > 0, q, 1.0)) for q in (p, 1 - p)]
    found: Floats = parts[0] + parts[1]
    return found
