"""PHR, THR and mutual information of a trained process, for many functions at once.

Exact where the bar distribution allows it: given an imagined context, the quantile and the rate are sums over bins (no K);
THR given the mechanism is the mass of p(·|x, D_n) beyond μ(x) ± zσ. Only the contexts are sampled. The paper's
estimator with K draws is put beside it; see `Ranked.drawn`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks.phr.process.functions import NOISE

__all__ = ["DRAWS", "EPSILONS", "Measured", "Ranked", "measure", "true_rates"]

Floats: TypeAlias = NDArray[np.float64]

EPSILONS = (0.02, 0.05, 0.1, 0.2, 0.5)
MAIN = EPSILONS.index(0.05)
DRAWS = 50  # K, of the paper's estimator; it gives K = 50 for language models and none for regression


@dataclass(frozen=True, slots=True)
class Measured:
    """F functions, Q queries each, and E values of ε.

    Attributes:
        true: THR, shape (E, F, Q).
        rate: PHR, shape (E, F, Q).
        error: its standard error over the contexts, shape (E, F, Q).
        drawn: PHR at ε = .05 with K draws, shape (F, Q).
        information: MI in nats, shape (F, Q).
        excluded: mass outside of the likely set under its own context, ε = .05, mean over contexts: shape (F, Q). ε
            if bins were infinitely fine.
    """

    true: Floats
    rate: Floats
    error: Floats
    drawn: Floats
    information: Floats
    excluded: Floats

    @classmethod
    def together(cls, parts: Sequence[Measured]) -> Measured:
        """All functions of the parts."""
        fields = {name: [getattr(part, name) for part in parts] for name in cls.__slots__}
        return cls(**{name: np.concatenate(some, axis=-2) for name, some in fields.items()})

    def half(self, which: int) -> Measured:
        """Every second function, from 0 or 1 on."""
        return Measured(**{name: getattr(self, name)[..., which::2, :] for name in self.__slots__})


def measure(
    process: Any,
    mechanism: Any,
    x: Floats,
    y: Floats,
    queries: Floats,
    *,
    contexts: int,
    horizon: int,
    random: np.random.Generator,
) -> Measured:
    """Everything about some functions at one n.

    Args:
        process: a `NeuralProcess`.
        mechanism: μ, a function from (F, Q) to (F, Q).
        x: inputs of D_n, shape (F, n).
        y: labels of D_n, shape (F, n).
        queries: shape (F, Q).
        contexts: M.
        horizon: N − n.
        random: of the contexts, and of `Ranked.drawn`.
    """
    start = process.contexts(x, y, room=horizon)
    given = start.labels(queries).astype(np.float64)
    longer = start.repeat(contexts)
    longer.imagine(horizon, random)
    asked = np.repeat(queries, contexts, axis=0)
    under = longer.labels(asked).astype(np.float64).reshape(len(x), contexts, *given.shape[1:])
    ranked = Ranked(under, given[:, None])
    found = np.stack([ranked.rates(epsilon)[0] for epsilon in EPSILONS])
    return Measured(
        true=true_rates(process.bars, given, mechanism(queries), EPSILONS),
        rate=found.mean(axis=2),
        error=found.std(axis=2, ddof=1) / np.sqrt(contexts),
        drawn=ranked.drawn(EPSILONS[MAIN], DRAWS, random).mean(axis=1),
        information=_entropy(given) - _entropy(under).mean(axis=1),
        excluded=ranked.rates(EPSILONS[MAIN])[1].mean(axis=1),
    )


def true_rates(bars: Any, given: Floats, means: Floats, epsilons: Sequence[float]) -> Floats:
    """THR: P(|y − μ(x)| > zσ), y ~ p(·|x, D_n); shape (E, …) for means of shape (…)."""
    found = []
    for epsilon in epsilons:
        half = NormalDist().inv_cdf(1 - epsilon / 2) * NOISE
        inside = bars.cumulative(given, means + half) - bars.cumulative(given, means - half)
        found.append(1 - inside)
    return np.stack(found)


class Ranked:
    """Bins in the order of p(·|x, D), so that every ε and every quantile is a look-up.

    Args:
        under: p(·|x, D), shape (…, bins).
        given: p(·|x, D_n), of a shape that broadcasts.
    """

    def __init__(self, under: Floats, given: Floats) -> None:
        order = np.argsort(under, axis=-1)
        self.ranked = np.take_along_axis(under, order, axis=-1)
        self.own = _before(self.ranked)
        self.other = _before(np.take_along_axis(np.broadcast_to(given, under.shape), order, axis=-1))

    def rates(self, epsilon: float) -> tuple[Floats, Floats]:
        """As `accuracy.rate_exact`: mass of `given`, and of `under` itself, strictly below the ε-quantile; shapes (…)."""
        place = self._below(np.full(self.ranked.shape[:-1], epsilon))
        return tuple(np.take_along_axis(sums, place, axis=-1)[..., 0] for sums in (self.other, self.own))  # type: ignore[return-value]  # two of them

    def drawn(self, epsilon: float, draws: int, random: np.random.Generator) -> Floats:
        """The rate as Algorithm 2 finds it with K draws for the quantile and K for the share: shape (…).

        Nothing is drawn that need not be. The share of p(·|x, D) up to the j-th lowest of K log-likelihoods, j = ⌈εK⌉,
        is Beta(j, K + 1 − j); the number of K responses below that quantile is binomial.
        """
        rank = int(np.ceil(epsilon * draws - 1e-9))
        place = self._below(random.beta(rank, draws + 1 - rank, self.ranked.shape[:-1]))
        mass = np.take_along_axis(self.other, place, axis=-1)[..., 0] / self.other[..., -1]
        return random.binomial(draws, np.clip(mass, 0.0, 1.0)) / draws

    def _below(self, shares: Floats) -> NDArray[np.int64]:
        """How many bins rank strictly below the one in which a cumulative share is reached: shape (…, 1)."""
        wanted = shares[..., None] * self.own[..., -1:] - 1e-9
        first = (self.own[..., 1:] < wanted).sum(axis=-1, keepdims=True)
        limit = np.take_along_axis(self.ranked, first, axis=-1)
        below: NDArray[np.int64] = (self.ranked < limit).sum(axis=-1, keepdims=True)
        return below


def _before(masses: Floats) -> Floats:
    """The sum of the first i, for i from 0 on: one more than there are."""
    found = np.zeros((*masses.shape[:-1], masses.shape[-1] + 1))
    np.cumsum(masses, axis=-1, out=found[..., 1:])
    return found


def _entropy(masses: Floats) -> Floats:
    """Of the bins; a density's is this plus the logarithm of their width, which falls out of MI."""
    logs = np.log(np.where(masses > 0, masses, 1.0))
    found: Floats = -(masses * logs).sum(axis=-1)
    return found
