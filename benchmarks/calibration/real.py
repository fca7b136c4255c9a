"""Rows about real sets as populations: sources drawn with replacement, the whole set as the truth."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks._rows import Row
from benchmarks._table import Run
from benchmarks.calibration.methods import METHODS, NAIVE, ROWS, SOURCES, Tally
from benchmarks.calibration.sets import populations
from benchmarks.calibration.synthetic import SEED
from guardrail.calibration import Promise, Risk, Rows
from guardrail.statistics.testing import losses

__all__ = ["real"]

NUMBER = 200
PROMISES = (Promise(Risk.FDR, 0.2), Promise(Risk.SOUND, 0.1), Promise(Risk.MISSED, 0.2))


class Truth:
    """The whole set: risk and gain at a threshold, each source counting once."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        order = np.argsort(rows.sources, kind="stable")
        names = rows.sources[order]
        self.starts = np.flatnonzero(np.append(True, names[1:] != names[:-1]))
        self.places = np.split(order, self.starts[1:])
        self._known: dict[tuple[Risk, float], tuple[float, float]] = {}

    def draw(self, rng: np.random.Generator, number: int) -> Rows:
        """So many sources with replacement; one drawn twice is two sources."""
        drawn = rng.integers(len(self.places), size=number)
        places = [self.places[one] for one in drawn]
        chosen = self.rows.where(np.concatenate(places))
        names = np.repeat(np.arange(number), [place.size for place in places])
        return Rows(chosen.scores, chosen.made_up, names, names)

    def at(self, risk: Risk, threshold: float) -> tuple[float, float]:
        """The risk, and the share flagged (of `missed`: the share of sound rows that pass)."""
        key = risk, threshold
        if key not in self._known:
            self._known[key] = self._at(risk, threshold)
        return self._known[key]

    def _at(self, risk: Risk, threshold: float) -> tuple[float, float]:
        rows = self.rows
        flagged = rows.scores >= threshold
        passed = rows.scores < threshold
        if risk is Risk.FDR:
            flags = float(losses(flagged, rows.sources).mean())
            wrong = float(losses(flagged & ~rows.made_up, rows.sources).mean())
            return (wrong / flags if flags else 0.0), flags
        of, other = (rows.made_up, ~rows.made_up) if risk is Risk.MISSED else (~rows.made_up, rows.made_up)
        marks = passed if risk is Risk.MISSED else flagged
        return (
            float(losses(marks[of], rows.sources[of]).mean()),
            float(losses(marks[other], rows.sources[other]).mean()),
        )

    def largest(self, promise: Promise) -> float:
        """The largest gain that the promise permits."""
        points = np.unique(self.rows.scores[np.isfinite(self.rows.scores)])
        points = points[:: max(1, points.size // 400)]
        found = [self.at(promise.risk, float(point)) for point in points]
        return max((gain for risk, gain in found if risk <= promise.bound), default=0.0)


def real(run: Run, runs: int) -> Iterator[Row]:
    """Broken promises, certificates and what they keep, set by set."""
    for name, rows in populations(run):
        truth = Truth(rows)
        run.say(name)
        yield Row.shown(f"{name}: sources", len(truth.places))
        yield Row.shown(f"{name}: rows made up", float(rows.made_up.mean()))
        for promise in PROMISES:
            yield from _cell(name, truth, promise, runs)


def _cell(name: str, truth: Truth, promise: Promise, runs: int) -> Iterator[Row]:
    methods = METHODS if promise.risk is Risk.FDR else {k: METHODS[k] for k in (SOURCES, ROWS)}
    tallies = {method: Tally() for method in methods}
    most = truth.largest(promise)
    for number in range(runs):
        rows = truth.draw(np.random.default_rng((SEED, 6, number)), NUMBER)
        for method, choose in methods.items():
            tallies[method].add(
                choose(rows, promise, number),
                promise,
                lambda point: truth.at(promise.risk, point)[0],
                lambda point: truth.at(promise.risk, point)[1],
            )
    ours = tallies[SOURCES]
    cell = f"{name}, {promise.risk} ≤ {promise.bound:g}"
    yield Row.at_most(f"{cell}: broken, {SOURCES}", ours.broken_share, ours.limit)
    yield Row.shown(f"{cell}: broken, {ROWS}", tallies[ROWS].broken_share)
    if NAIVE in tallies:
        yield Row.shown(f"{cell}: broken, {NAIVE}", tallies[NAIVE].broken_share)
    yield Row.shown(f"{cell}: no certificate, {SOURCES}", ours.none / runs)
    gained = float(np.sum(ours.kept)) / runs
    yield Row.shown(
        f"{cell}: share {'passed of the sound' if promise.risk is Risk.MISSED else 'flagged'}, mean of all runs",
        gained,
    )
    yield Row.shown(f"{cell}: the largest share permitted", most)
