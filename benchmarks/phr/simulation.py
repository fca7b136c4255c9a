"""Imagined contexts of the conjugate models, many at once: each pair is drawn from the predictive given all before it.

Nothing here draws from a posterior over mechanisms but `direct`, which is the check of the closed forms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from benchmarks.phr.conjugate import BetaBernoulli, Gaussian, Posterior

__all__ = ["Coins", "Line", "chi_square", "coins", "direct", "line", "standardised"]

Floats: TypeAlias = NDArray[np.float64]

EDGE = 2.0  # inputs are uniform on [−2, 2], as in the paper
DEVIATION = 1.0  # prior, of constant and slope


@dataclass(frozen=True, slots=True)
class Line:
    """One query of one linear regression, and the contexts imagined for it.

    Attributes:
        mean: m, of f·x given D_n.
        variance: s².
        noise: σ.
        means: m_N, shape (contexts,).
        variances: s_N², shape (contexts,).
    """

    mean: float
    variance: float
    noise: float
    means: Floats
    variances: Floats

    def rates(self, epsilon: float) -> Floats:
        """THR of each context, exactly."""
        return self.form(epsilon).context_rate(self.means - self.mean, self.variances)

    def form(self, epsilon: float) -> Gaussian:
        """The closed forms."""
        return Gaussian(self.variance, self.noise, epsilon)

    def draws(self, random: np.random.Generator, size: int) -> tuple[Floats, Floats, Floats]:
        """Log p(·|x, D) of K draws under D, and log p(·|x, D) and log p(·|x, D_n) of K draws under D_n."""
        spread = np.sqrt(self.variances + self.noise**2)
        own = math.sqrt(self.variance + self.noise**2)
        shape = (len(self.means), size)
        likely = random.standard_normal(shape)
        y = self.mean + own * random.standard_normal(shape)
        standard = (y - self.means[:, None]) / spread[:, None]
        return (
            _density(likely, spread[:, None]),
            _density(standard, spread[:, None]),
            _density((y - self.mean) / own, np.array(own)),
        )


def _density(standard: Floats, spread: Floats) -> Floats:
    found: Floats = -0.5 * standard**2 - np.log(spread * math.sqrt(2 * math.pi))
    return found


def line(
    random: np.random.Generator, *, pairs: int, steps: int, noise: float, contexts: int, query: float = 0.7
) -> Line:
    """A mechanism from the prior, n pairs of it, and contexts of n + steps pairs."""
    posterior = Posterior.prior(2, deviation=DEVIATION, noise=noise)
    truth = DEVIATION * random.standard_normal(2)
    for x in random.uniform(-EDGE, EDGE, pairs).tolist():
        features = np.array([1.0, x])
        posterior = posterior.observe(features, features @ truth + noise * random.standard_normal())
    at = np.array([1.0, query])
    mean, variance = posterior.predict(at)
    many = Posterior(
        np.broadcast_to(posterior.mean, (contexts, 2)),
        np.broadcast_to(posterior.covariance, (contexts, 2, 2)),
        noise,
    )
    for _ in range(steps):
        features = np.stack([np.ones(contexts), random.uniform(-EDGE, EDGE, contexts)], axis=1)
        middle, spread = many.predict(features)
        many = many.observe(features, middle + np.sqrt(spread + noise**2) * random.standard_normal(contexts))
    means, variances = many.predict(at)
    return Line(float(mean), float(variance), noise, means, variances)


@dataclass(frozen=True, slots=True)
class Coins:
    """One query of a Beta–Bernoulli model, and the contexts imagined for it.

    Attributes:
        form: the closed forms.
        chances: p(1|x, D) of each context, shape (contexts,).
    """

    form: BetaBernoulli
    chances: Floats

    def distributions(self) -> tuple[Floats, Floats]:
        """p(·|x, D), shape (contexts, 2), and p(·|x, D_n), shape (2,)."""
        mean = self.form.mean
        return np.stack([1 - self.chances, self.chances], axis=1), np.array([1 - mean, mean])

    def draws(self, random: np.random.Generator, size: int) -> tuple[Floats, Floats]:
        """Log p(·|x, D) of K draws under D and of K draws under D_n."""
        p, q = self.distributions()
        logs = np.log(p)
        likely = random.random((len(p), size)) < p[:, 1:]
        given = random.random((len(p), size)) < q[1]
        return (
            np.where(likely, logs[:, 1:], logs[:, :1]),
            np.where(given, logs[:, 1:], logs[:, :1]),
        )


def coins(
    random: np.random.Generator,
    *,
    counts: tuple[float, float],
    queries: int,
    steps: int,
    epsilon: float,
    contexts: int,
    drift: float = 0.0,
) -> Coins:
    """Contexts of a query whose coin has seen `counts` (prior included); pairs are of any query alike.

    Args:
        random: where random numbers come from.
        counts: a and b.
        queries: how many there are; others than this one do not matter to it.
        steps: N − n.
        epsilon: of the closed forms.
        contexts: how many.
        drift: added to the probability of 1 when a pair is imagined, and not when it is predicted: no martingale.
    """
    a, b = np.full(contexts, counts[0]), np.full(contexts, counts[1])
    for _ in range(steps):
        seen = random.random(contexts) < 1 / queries
        ones = random.random(contexts) < np.clip(a / (a + b) + drift, 0, 1)
        a, b = a + (seen & ones), b + (seen & ~ones)
    return Coins(BetaBernoulli(*counts, epsilon, 1 / queries), a / (a + b))


def direct(random: np.random.Generator, form: Gaussian | BetaBernoulli, size: int) -> Floats:
    """Whether y is a hallucination under f, both drawn from what D_n says: their mean is PHR by its definition."""
    if isinstance(form, Gaussian):
        truth = math.sqrt(form.variance) * random.standard_normal(size)
        y = math.sqrt(form.variance + form.noise**2) * random.standard_normal(size)
        density = np.exp(-0.5 * ((y - truth) / form.noise) ** 2)
        limit = math.exp(-0.5 * stats.chi2.isf(form.epsilon, 1))  # log p(Y|f) is −½ χ²₁, but for a constant
        return (density < limit).astype(np.float64)
    chance = random.beta(form.a, form.b, size)
    one = random.random(size) < form.mean
    own, rival = np.where(one, chance, 1 - chance), np.where(one, 1 - chance, chance)
    return ((own < rival) & (own < form.epsilon)).astype(np.float64)


def standardised(differences: Floats) -> float:
    """The mean in standard errors."""
    return float(differences.mean() / (differences.std(ddof=1) / math.sqrt(len(differences))))


def chi_square(errors: list[float]) -> tuple[float, float]:
    """The sum of squared standardised errors over their number, and the probability of a larger one."""
    total = math.fsum(z * z for z in errors)
    return total / len(errors), float(stats.chi2.sf(total, len(errors)))
