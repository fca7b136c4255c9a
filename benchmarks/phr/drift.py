"""The martingale's bets: false alarms, what they find, and why Student's t would not do; and the same through requests."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from scipy import stats

from benchmarks._table import Row
from benchmarks.phr.accuracy import LEVEL
from benchmarks.phr.conjugate import BetaBernoulli, Gaussian
from benchmarks.phr.regression import RegressionModel
from benchmarks.phr.simulation import chi_square, coins
from guardrail.phr import BernoulliModel, Query, Settings, survey
from guardrail.phr.flows import Measured
from guardrail.phr.reliability import ALPHA, drifts, wealth
from guardrail.report import Example
from guardrail.testing import play

__all__ = ["alarm_rows", "port_rows"]

COUNTS = ((2.0, 2.0), (9.0, 1.0), (49.0, 1.0))
STEPS = 5


def alarm_rows(random: np.random.Generator, *, replicates: int) -> list[Row]:
    """Alarms of models that keep their mean, and of models that do not."""
    bets, students = [], []
    for counts, size in product(COUNTS, (10, 40)):
        alarms, tails = _alarms(random, counts, size, replicates, 0.0)
        bets.append(alarms)
        students.append(tails)
    rows = [
        Row.at_most("Martingale bets: largest rate of false alarms", max(bets), ALPHA),
        Row.shown(f"The same by Student's t at {ALPHA:.0%}", max(students)),
    ]
    for drift, size in product((0.2, 0.4), (10, 40)):
        alarms, _ = _alarms(random, (2.0, 2.0), size, replicates, drift)
        rows.append(
            Row.shown(
                f"Martingale bets: alarms where imagined labels are {drift:g} too often 1, M = {size}", alarms
            )
        )
    return rows


def _alarms(
    random: np.random.Generator, counts: tuple[float, float], size: int, replicates: int, drift: float
) -> tuple[float, float]:
    found = coins(
        random, counts=counts, queries=1, steps=STEPS, epsilon=0.5, contexts=size * replicates, drift=drift
    )
    mean = found.form.mean
    parts = found.chances.reshape(replicates, size)
    alarms = sum(drifts(wealth(np.stack([1 - part, part], axis=1), [1 - mean, mean])) for part in parts)
    spread = np.maximum(parts.std(axis=1, ddof=1), 1e-12) / math.sqrt(size)
    t = np.abs(parts.mean(axis=1) - mean) / spread
    return alarms / replicates, float((t > stats.t.ppf(1 - ALPHA / 2, size - 1)).mean())


def port_rows(*, contexts: int, seed: int) -> list[Row]:
    """The flows, request by request, against the closed forms; every figure from contexts of its own."""
    errors = [*_coin_errors(contexts, seed), *_line_errors(contexts, seed + 100)]
    ratio, p = chi_square(errors)
    return [
        Row.shown("Through requests: figures (rate, answer, information)", len(errors)),
        Row.shown("Through requests: χ² / figures", ratio),
        Row.at_least("Through requests: p of the joint χ² test", p, LEVEL),
    ]


def _coin_errors(contexts: int, seed: int) -> list[float]:
    errors = []
    pairs = [Example(input="a", label=label) for label in ("yes", "yes", "yes", "no")]
    for steps, epsilon in ((3, 0.5731), (6, 0.2317)):
        form = BetaBernoulli(4, 2, epsilon, 0.5)
        settings = Settings(contexts=contexts, horizon=steps, epsilon=epsilon)
        wanted = (
            form.horizon_rate(steps),
            form.horizon_unlikely(steps)[0],
            form.horizon_information(steps),
        )
        for i, expected in enumerate(wanted):
            model = BernoulliModel(["a", "b"], seed=seed)
            seed += 1
            errors.append(_error(_asked(model, pairs, Query("a", "no"), settings), i, expected))
    return errors


def _line_errors(contexts: int, seed: int) -> list[float]:
    """Inputs that hardly differ, so that s_N² is nearly the same in all contexts."""
    pairs = [Example(input="0.0", label="0.4"), Example(input="0.0", label="-0.2")]
    settings = Settings(contexts=contexts // 5, horizon=4, epsilon=0.2, estimator="drawn", draws=20)
    mean, before = (float(one) for one in RegressionModel(noise=1.0).posterior(pairs).predict([1.0, 0.0]))
    later = 1 / (1 + len(pairs) + settings.horizon)
    form = Gaussian(before, 1.0, settings.epsilon)
    wanted = (
        float(form.drawn_rate(later, settings.draws)),
        _beyond(2.5 - mean, before - later, later + 1.0, settings),
        float(form.information(later)),
    )
    return [
        _error(
            _asked(
                RegressionModel(noise=1.0, edge=1e-6, seed=seed + i), pairs, Query("0.0", "2.5"), settings
            ),
            i,
            expected,
        )
        for i, expected in enumerate(wanted)
    ]


def _beyond(distance: float, moved: float, spread: float, settings: Settings) -> float:
    """P(the answer lies below the quantile of K draws): over m_N ~ N(m, moved) and the Beta share of the quantile."""
    rank = math.ceil(settings.epsilon * settings.draws)
    nodes = stats.beta.ppf((np.arange(2000) + 0.5) / 2000, rank, settings.draws + 1 - rank)
    half = stats.norm.isf(nodes / 2) * math.sqrt(spread)
    root = math.sqrt(moved)
    outside = stats.norm.cdf((distance - half) / root) + stats.norm.cdf((-distance - half) / root)
    return float(outside.mean())


def _asked(
    model: BernoulliModel | RegressionModel, pairs: list[Example], query: Query, settings: Settings
) -> Measured:
    found = play(survey(pairs, [query], settings=settings), lambda request: model.answer([request])[0])
    return found.measured[0]


def _error(measured: Measured, figure: int, expected: float) -> float:
    """The standardised error of the rate (0), of the answer's probability (1) or of the information (2)."""
    rate, unlikely, known = measured.rate, measured.unlikely, measured.information
    if rate is None or unlikely is None or known is None:
        return math.inf  # a conjugate model leaves no context out
    if figure == 0:
        return (rate.value - expected) / (rate.error or math.inf)
    if figure == 1:
        return (unlikely.value - expected) / math.sqrt(expected * (1 - expected) / unlikely.contexts)
    return (known.value - expected) / (known.error or math.inf)
