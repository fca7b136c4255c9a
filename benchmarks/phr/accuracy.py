"""The estimators against finite-horizon forms and integrals: errors, how they fall, and where they come from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchmarks._table import Row
from benchmarks.phr.conjugate import BetaBernoulli, Gaussian
from benchmarks.phr.simulation import Coins, chi_square, coins, direct, line, standardised
from guardrail.phr.estimators import entropy, entropy_of_draws, estimate, quantile, rate
from guardrail.statistics.intervals import student_quantile

__all__ = [
    "Curves",
    "agreement_rows",
    "bias_rows",
    "coin_rows",
    "form_rows",
    "horizon_rows",
    "information_rows",
    "interval_rows",
    "line_rows",
    "quantile_rows",
    "rate_exact",
    "scaling_rows",
]

Floats: TypeAlias = NDArray[np.float64]

LEVEL = 0.01
PAIRS, STEPS, NOISES = (2, 10, 50), (5, 20, 100), (0.1, 1.0)
EPSILONS = (0.05, 0.2, 0.5, 0.75)
DRAWS = 50
COUNTS = ((1.0, 1.0), (4.0, 2.0), (1.0, 9.0), (12.0, 11.0))
COIN_STEPS = (3, 10, 40)
AWAY = (0.0731, 0.2317, 0.7273)  # ε that no cumulative mass of these coins equals
HORIZONS = (5, 20, 80, 320)
SIZES = (5, 10, 20, 40, 80, 160)
QUANTILES: tuple[tuple[tuple[float, ...], tuple[float, ...] | None, float, float], ...] = (
    # values, weights, ε, Q by hand from eq. 14
    ((-3.0, -2.0, -1.0), None, 0.0, -math.inf),
    ((-3.0, -2.0, -1.0), None, 1e-6, -3.0),
    ((-3.0, -2.0, -1.0), None, 1 / 3, -3.0),
    ((-3.0, -2.0, -1.0), None, 0.34, -2.0),
    ((-3.0, -2.0, -1.0), None, 1.0, -1.0),
    ((-2.0, -2.0, -2.0, -1.0), None, 0.75, -2.0),
    ((-2.0, -2.0, -2.0, -1.0), None, 0.76, -1.0),
    ((-1.0,), None, 0.5, -1.0),
    ((-1.2, -0.4), (0.3, 0.7), 0.3, -1.2),
    ((-1.2, -0.4), (0.3, 0.7), 0.31, -0.4),
    ((-0.4, -1.2, -1.2), (0.5, 0.25, 0.25), 0.5, -1.2),
    ((-0.4, -1.2, -9.0), (0.8, 0.2, 0.0), 1e-6, -1.2),
    ((-9.0, -3.0, -2.0, -1.0), (0.1, 0.7, 0.1, 0.1), 0.8, -3.0),
    ((-math.inf, -0.1), (0.1, 0.9), 0.05, -math.inf),
)


@dataclass(slots=True)
class Curves:
    """What the plots show."""

    errors: dict[str, dict[int, float]] = field(default_factory=dict)
    horizons: dict[str, dict[int, float]] = field(default_factory=dict)
    limits: dict[str, float] = field(default_factory=dict)
    biases: dict[str, dict[int, float]] = field(default_factory=dict)


def rate_exact(probabilities: ArrayLike, responses: ArrayLike, epsilon: float) -> Floats:
    """THR from whole distributions over finitely many responses: no draws, no variance.

    What `rate` tends to with K, J → ∞, except where ε equals a cumulative mass of p(·|x, D). There the paper's
    quantile falls on either side of the jump about equally often, however large K is, and this one takes the lower value.

    Args:
        probabilities: shape (…, V): p(y|x, D) of every response.
        responses: shape (…, V): p(y|x, D_n) of the same.
        epsilon: in [0, 1].

    Returns:
        Shape (…), in [0, 1].

    >>> float(rate_exact([0.9, 0.1], [0.6, 0.4], epsilon=0.75))
    0.4
    """
    p = np.asarray(probabilities, dtype=np.float64)
    limit = quantile(p, epsilon, weights=p)  # by p or by log p: the order is the same
    shares: Floats = (np.asarray(responses, dtype=np.float64) * (p < limit[..., None])).sum(axis=-1)
    return np.clip(shares, 0.0, 1.0)


def _judged(title: str, errors: Sequence[float]) -> list[Row]:
    """A joint test of standardised errors."""
    ratio, p = chi_square(list(errors))
    return [
        Row.shown(f"{title}: cells", len(errors)),
        Row.shown(f"{title}: χ² / cells", ratio),
        Row.at_least(f"{title}: p of the joint χ² test", p, LEVEL),
    ]


def form_rows(random: np.random.Generator, *, size: int) -> list[Row]:
    """The closed forms against their definitions: mechanism and response drawn from the posterior."""
    forms: list[Gaussian | BetaBernoulli] = [
        Gaussian(variance, 1.0, epsilon) for variance in (0.05, 0.5, 4.0) for epsilon in EPSILONS
    ]
    forms += [BetaBernoulli(*counts, epsilon) for counts in COUNTS for epsilon in AWAY]
    errors = []
    for form in forms:
        found, expected = direct(random, form, size), form.rate()
        errors.append((found.mean() - expected) / math.sqrt(max(1e-12, expected * (1 - expected) / size)))
    distances = 3 * random.standard_normal(12)
    for distance, variance, epsilon in zip(distances, (0.05, 0.5, 4.0) * 4, EPSILONS * 3, strict=True):
        form = Gaussian(variance, 1.0, epsilon)
        y = math.sqrt(variance + 1) * random.standard_normal(size)
        share, expected = float((abs(y - distance) > form.z).mean()), float(form.true_rate(distance))
        errors.append((share - expected) / math.sqrt(max(1e-12, expected * (1 - expected) / size)))
    return _judged("Closed forms of PHR and THR, by definition", errors)


def line_rows(random: np.random.Generator, *, contexts: int) -> list[Row]:
    """Linear regression: THR of every context exactly, and by the paper's draws."""
    exact, drawn, wrong, biased = [], [], [], []
    for pairs, steps, noise, epsilon in product(PAIRS, STEPS, NOISES, EPSILONS):
        found = line(random, pairs=pairs, steps=steps, noise=noise, contexts=contexts)
        form = found.form(epsilon)
        rates = found.rates(epsilon)
        exact.append(standardised(rates - form.horizon_rate(found.variances)))
        if steps == STEPS[0]:
            wrong.append(standardised(rates - form.rate()))
        if steps < STEPS[-1]:
            likely, responses, _ = found.draws(random, DRAWS)
            rates = rate(likely, responses, epsilon)
            drawn.append(standardised(rates - form.drawn_rate(found.variances, DRAWS)))
            biased.append(standardised(rates - form.horizon_rate(found.variances)))
    return [
        *_judged("Linear regression, exact, against PHR_N", exact),
        *_judged(f"Linear regression, drawn (K = {DRAWS}), against its own mean", drawn),
        Row.at_most(
            f"Linear regression, exact, N − n = {STEPS[0]}, against the limit: p (the test sees the difference)",
            chi_square(wrong)[1],
            1e-6,
        ),
        Row.at_most(
            f"Linear regression, drawn (K = {DRAWS}), against PHR_N: p (the test sees the bias of K)",
            chi_square(biased)[1],
            1e-6,
        ),
    ]


def coin_rows(random: np.random.Generator, *, contexts: int) -> list[Row]:
    """Beta–Bernoulli: exact rates against the sum at this horizon."""
    errors = []
    for counts, queries, steps, epsilon in product(COUNTS, (1, 3), COIN_STEPS, AWAY):
        found = coins(random, counts=counts, queries=queries, steps=steps, epsilon=epsilon, contexts=contexts)
        rates = _coin_rates(found)
        expected = found.form.horizon_rate(steps)
        spread = float(rates.std(ddof=1))
        if spread > 1e-9:  # else all contexts give one rate, up to rounding
            errors.append((float(rates.mean()) - expected) / (spread / math.sqrt(contexts)))
        elif abs(float(rates.mean()) - expected) > 5 / contexts:
            errors.append(math.inf if expected > rates.mean() else -math.inf)
    rows = _judged(
        "Beta–Bernoulli, exact, against the sum over contexts", [max(-99.0, min(99.0, e)) for e in errors]
    )
    gaps = [
        abs(form.horizon_rate(300) - form.rate())
        for form in (BetaBernoulli(*counts, epsilon) for counts in COUNTS for epsilon in AWAY)
    ]
    return [
        *rows,
        Row.at_most("Beta–Bernoulli: largest gap of the sum at N − n = 300 to the integral", max(gaps), 0.02),
    ]


def _coin_rates(found: Coins) -> Floats:
    p, q = found.distributions()
    return rate_exact(p, q, found.form.epsilon)


def scaling_rows(random: np.random.Generator, *, contexts: int, curves: Curves) -> list[Row]:
    """How the error falls with M: its slope on logarithmic axes."""
    rows = []
    for epsilon in (0.05, 0.5):
        found = line(random, pairs=10, steps=20, noise=1.0, contexts=contexts)
        errors = found.rates(epsilon) - found.form(epsilon).horizon_rate(found.variances)
        roots = {}
        for size in SIZES:
            means = errors[: contexts // size * size].reshape(-1, size).mean(axis=1)
            roots[size] = float(np.sqrt((means**2).mean()))
        curves.errors[f"ε = {epsilon:g}"] = roots
        slope = float(np.polyfit(np.log(list(roots)), np.log(list(roots.values())), 1)[0])
        rows.append(
            Row.between(
                f"Linear regression, ε = {epsilon:g}: slope of log error over log M", slope, (-0.55, -0.45)
            )
        )
    return rows


def horizon_rows(random: np.random.Generator, *, contexts: int, curves: Curves) -> list[Row]:
    """PHR_N tends to PHR."""
    rows = []
    for epsilon in (0.05, 0.5):
        world = int(random.integers(2**31))
        rates, gaps = {}, []
        for steps in HORIZONS:
            # the same D_n at every horizon
            found = line(np.random.default_rng(world), pairs=5, steps=steps, noise=1.0, contexts=contexts)
            form = found.form(epsilon)
            rates[steps] = float(found.rates(epsilon).mean())
            gaps.append(float(np.mean(form.rate() - form.horizon_rate(found.variances))))
        curves.horizons[f"ε = {epsilon:g}"], curves.limits[f"ε = {epsilon:g}"] = rates, form.rate()
        title = f"Linear regression, ε = {epsilon:g}: PHR − PHR_N"
        rows += [
            Row.shown(f"{title}, N − n = {HORIZONS[0]}", gaps[0], digits=4),
            Row.equal(f"{title} falls at every step", all(a > b > 0 for a, b in pairwise(gaps)), True),
            Row.at_most(f"{title}, N − n = {HORIZONS[-1]}", gaps[-1], 0.005, digits=4),
        ]
    return rows


def bias_rows(random: np.random.Generator, *, contexts: int, curves: Curves) -> list[Row]:
    """What a quantile of K draws adds to the paper's estimator."""
    rows = []
    for epsilon in (0.05, 0.5):
        found = line(random, pairs=10, steps=20, noise=1.0, contexts=contexts)
        form = found.form(epsilon)
        truth = form.horizon_rate(found.variances)
        bias = {
            size: float(np.mean(form.drawn_rate(found.variances, size) - truth))
            for size in (10, 20, 50, 100, 200, 500, 1000)
        }
        curves.biases[f"ε = {epsilon:g}"] = bias
        share = f", of a rate of {float(truth.mean()):.3f}"
        rows += [
            Row.shown(f"Bias of K = {size} draws, ε = {epsilon:g}{share}", bias[size], digits=4)
            for size in (10, 50, 1000)
        ]
        rows.append(
            Row.at_most(
                f"Bias of K = 1000 draws, ε = {epsilon:g}, absolute", abs(bias[1000]), 0.002, digits=4
            )
        )
    return rows


def agreement_rows(random: np.random.Generator, *, contexts: int, draws: int) -> list[Row]:
    """The drawn estimator tends to the exact one with K, except where ε is a cumulative mass."""
    found = line(random, pairs=10, steps=20, noise=1.0, contexts=contexts)
    likely, responses, _ = found.draws(random, draws)
    worst = max(
        float(np.abs(rate(likely, responses, epsilon) - found.rates(epsilon)).mean()) for epsilon in EPSILONS
    )
    rows = [
        Row.at_most(f"Linear regression: drawn − exact, K = {draws}, mean absolute", worst, 0.01, digits=4)
    ]
    far = []
    for counts, epsilon in product(COUNTS, AWAY):
        flips = coins(random, counts=counts, queries=1, steps=10, epsilon=epsilon, contexts=contexts)
        far.append(float(np.abs(rate(*flips.draws(random, draws), epsilon) - _coin_rates(flips)).mean()))
    rows.append(
        Row.at_most(f"Beta–Bernoulli: drawn − exact, K = {draws}, mean absolute", max(far), 0.01, digits=4)
    )
    tied = Coins(BetaBernoulli(1.0, 3.0, 0.25), np.full(contexts, 0.25))
    drawn = rate(*tied.draws(random, draws), 0.25)
    rows.append(Row.equal("At ε = a cumulative mass (¼): exact rate", float(_coin_rates(tied).max()), 0.0))
    return [
        *rows,
        Row.shown("The same, drawn: share of contexts with a rate above 0", float((drawn > 0).mean())),
    ]


def information_rows(random: np.random.Generator, *, contexts: int) -> list[Row]:
    """Mutual information: Algorithm 3 and the exact form, at this horizon and in the limit."""
    drawn, exact, gaps = [], [], []
    for pairs, steps, noise in product(PAIRS, STEPS[:2], NOISES):
        found = line(random, pairs=pairs, steps=steps, noise=noise, contexts=contexts)
        likely, _, given = found.draws(random, DRAWS)
        form = found.form(0.05)
        drawn.append(
            standardised(
                entropy_of_draws(given) - entropy_of_draws(likely) - form.information(found.variances)
            )
        )
    for counts, queries, steps in product(COUNTS, (1, 3), COIN_STEPS):
        flips = coins(random, counts=counts, queries=queries, steps=steps, epsilon=0.5, contexts=contexts)
        p, q = flips.distributions()
        exact.append(standardised(entropy(q) - entropy(p) - flips.form.horizon_information(steps)))
        gaps.append(abs(BetaBernoulli(*counts, 0.5).horizon_information(300) - flips.form.information()))
    far = line(random, pairs=5, steps=HORIZONS[-1], noise=1.0, contexts=contexts // 10)
    limit = float(far.form(0.05).information())
    reached = float(np.mean(far.form(0.05).information(far.variances)))
    return [
        *_judged("Mutual information, Algorithm 3, linear regression", drawn),
        *_judged("Mutual information, exact, Beta–Bernoulli", exact),
        Row.at_most(
            f"Mutual information: N − n = {HORIZONS[-1]} against ½ log(1 + s²/σ²)",
            abs(limit - reached),
            0.005,
            digits=4,
        ),
        Row.at_most(
            "Mutual information, Beta–Bernoulli: N − n = 300 against the integral", max(gaps), 0.005, digits=4
        ),
    ]


def quantile_rows() -> list[Row]:
    """Eq. 14 at ties and ends."""
    right = sum(float(quantile(v, e, weights=w)) == q for v, w, e, q in QUANTILES)
    return [Row.equal("Quantiles at ties and ends, as worked out by hand", right, len(QUANTILES))]


def interval_rows(
    random: np.random.Generator, *, replicates: int, sizes: Sequence[int] = (10, 40)
) -> list[Row]:
    """How often the 95 % interval over the contexts holds PHR_N, and how often Student's own would."""
    rows = []
    for size in sizes:
        ours, students = [], []
        for rates, truth in _worlds(random, replicates * size):
            parts = rates.reshape(-1, size)
            found = [estimate(part) for part in parts]
            ours.append(sum(low <= truth <= high for low, high in (one.interval for one in found)))
            reach = student_quantile(0.975, size - 1)
            students.append(sum(abs(one.value - truth) <= reach * (one.error or 0.0) for one in found))
        rows += [
            Row.at_least(
                f"Coverage of the 95 % interval, M = {size}: least of {len(ours)} worlds",
                min(ours) / replicates,
                0.93,
            ),
            Row.shown(f"Coverage of the 95 % interval, M = {size}: largest", max(ours) / replicates),
            Row.shown(f"Coverage of Student's own, M = {size}: least", min(students) / replicates),
        ]
    return rows


def _worlds(random: np.random.Generator, contexts: int) -> Iterator[tuple[Floats, float]]:
    """Rates of contexts, and their mean."""
    for pairs, epsilon in ((2, 0.5), (2, 0.05), (50, 0.05)):
        found = line(random, pairs=pairs, steps=STEPS[1], noise=1.0, contexts=contexts)
        yield found.rates(epsilon), float(found.form(epsilon).horizon_rate(found.variances).mean())
    for counts, epsilon in (((4.0, 2.0), AWAY[2]), ((1.0, 9.0), AWAY[1]), ((12.0, 11.0), AWAY[2])):
        flips = coins(random, counts=counts, queries=1, steps=STEPS[0], epsilon=epsilon, contexts=contexts)
        yield _coin_rates(flips), flips.form.horizon_rate(STEPS[0])
