"""Rows about drift: how soon a shift is noticed, and how often there is an alarm for nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.stats import ks_2samp

from benchmarks._rows import Row
from benchmarks._table import Run
from benchmarks.calibration.methods import ERROR, Tally
from benchmarks.calibration.synthetic import SEED
from guardrail.calibration import DriftMonitor
from guardrail.statistics.intervals import normal_quantile

__all__ = ["alarms"]

KNOWN, LIVE, HORIZON = 400, 200, 1000
AREAS = (0.55, 0.6, 0.65, 0.7)
TALK = 5  # answers of one conversation


def alarms(run: Run, runs: int) -> Iterator[Row]:
    """Scores are normal; a shift of the mean gives an AUC of live against calibration scores."""
    for area in AREAS:
        shift = math.sqrt(2) * normal_quantile(area)
        for begin, when in ((0, "at once"), (300, "after 300 answers")):
            found = _share(run, runs, shift, begin)
            name = f"drift: alarm within {LIVE} answers, AUC {area:g}, {when}"
            yield Row.at_least(name, found, 0.95) if area >= 0.65 and not begin else Row.shown(name, found)
        yield Row.shown(
            f"drift: two-sample KS test at {LIVE} answers, AUC {area:g}", _kolmogorov(runs, shift)
        )
    limit = Tally(runs).limit
    yield Row.at_most(f"drift: false alarms within {HORIZON} answers", _false(runs, 1, every=True), limit)
    yield Row.at_most(
        f"drift: false alarms, conversations of {TALK} alike answers, one watched",
        _false(runs, TALK, every=False),
        limit,
    )
    yield Row.shown(
        f"drift: false alarms, conversations of {TALK} alike answers, all watched (why one)",
        _false(runs, TALK, every=True),
    )
    yield Row.shown("drift: false alarms of a KS test after every 50 answers", _repeated(runs))


def _share(run: Run, runs: int, shift: float, begin: int) -> float:
    """Alarms within the live answers after the change; an alarm before it does not count as found."""
    found = 0
    for number in range(runs):
        rng = np.random.default_rng((SEED, 2, number))
        monitor = DriftMonitor(rng.standard_normal(KNOWN), error=ERROR, seed=number)
        before, after = rng.standard_normal(begin), rng.standard_normal(LIVE) + shift
        found += not _ever(monitor, before) and _ever(monitor, after)
    run.say(f"drift by {shift:.2f}")
    return found / runs


def _ever(monitor: DriftMonitor, scores: NDArray[np.float64]) -> bool:
    return any(monitor.observe(float(score)) for score in scores)


def _false(runs: int, talk: int, *, every: bool) -> float:
    """Alarms without a change; answers of one conversation have a correlation of .6."""
    found = 0
    for number in range(runs):
        rng = np.random.default_rng((SEED, 3, number))
        monitor = DriftMonitor(rng.standard_normal(KNOWN), error=ERROR, seed=number)
        about = np.repeat(rng.standard_normal(HORIZON // talk), talk)
        scores = math.sqrt(0.6) * about + math.sqrt(0.4) * rng.standard_normal(about.size)
        found += _ever(monitor, scores if every else scores[::talk])
    return found / runs


def _kolmogorov(runs: int, shift: float) -> float:
    found = 0
    for number in range(runs):
        rng = np.random.default_rng((SEED, 4, number))
        known, live = rng.standard_normal(KNOWN), rng.standard_normal(LIVE) + shift
        found += ks_2samp(known, live, method="asymp").pvalue <= ERROR
    return found / runs


def _repeated(runs: int) -> float:
    """A test that is right once is wrong when it is repeated until it alarms."""
    found = 0
    for number in range(runs):
        rng = np.random.default_rng((SEED, 5, number))
        known, live = rng.standard_normal(KNOWN), rng.standard_normal(HORIZON)
        found += any(
            ks_2samp(known, live[:end], method="asymp").pvalue <= ERROR for end in range(50, HORIZON + 1, 50)
        )
    return found / runs
