"""Rows about real sets as populations: sources drawn with replacement, the whole set as the truth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from benchmarks._rows import Row
from benchmarks._table import Run
from benchmarks.calibration.methods import METHODS, NAIVE, ROWS, SOURCES, Tally, certified, of_run
from benchmarks.calibration.sets import populations
from benchmarks.calibration.synthetic import SEED
from guardrail.calibration import Promise, Risk, Rows
from guardrail.calibration.learning import risk_at
from guardrail.calibration.shares import made_up_share
from guardrail.statistics.testing import losses

__all__ = ["real"]

NUMBER = 200
PROMISES = (Promise(Risk.FDR, 0.2), Promise(Risk.SOUND, 0.1), Promise(Risk.MISSED, 0.2))


class Truth:
    """The whole set: risk and gain at a threshold, each source counting once."""

    def __init__(self, rows: Rows) -> None:
        names = np.unique(rows.sources, return_inverse=True)[1]
        order = np.argsort(names, kind="stable")
        names = names[order]
        self.rows = Rows(rows.scores[order], rows.made_up[order], names, names)
        self.places = np.split(np.arange(names.size), np.flatnonzero(np.diff(names)) + 1)
        self._known: dict[tuple[Risk, float], tuple[float, float]] = {}

    def draw(self, rng: np.random.Generator, number: int) -> Rows:
        """So many sources with replacement; one drawn twice is two sources."""
        drawn = rng.integers(len(self.places), size=number)
        places = [self.places[one] for one in drawn]
        chosen = self.rows.where(np.concatenate(places))
        names = np.repeat(np.arange(number), [place.size for place in places])
        return Rows(chosen.scores, chosen.made_up, names, names)

    def halves(self, rng: np.random.Generator) -> tuple[Rows, Truth]:
        """Half of the sources to calibrate on, and the others as the truth."""
        first = (rng.permutation(len(self.places)) < len(self.places) // 2)[self.rows.sources]
        return self.rows.where(first), Truth(self.rows.where(~first))

    def thinned(self, rng: np.random.Generator, kept: float) -> Truth:
        """The set with only so many of its made-up rows."""
        return Truth(self.rows.where(~self.rows.made_up | (rng.random(len(self.rows)) < kept)))

    def at(self, risk: Risk, threshold: float) -> tuple[float, float]:
        """The risk, and the share flagged (of `missed`: the share of sound rows that pass)."""
        key = risk, threshold
        if key not in self._known:
            self._known[key] = self._at(risk, threshold)
        return self._known[key]

    def _at(self, risk: Risk, threshold: float) -> tuple[float, float]:
        rows, found = self.rows, risk_at(self.rows, risk, threshold) or 0.0
        if risk is Risk.FDR:
            return found, float(losses(rows.scores >= threshold, rows.sources).mean())
        missed = risk is Risk.MISSED
        other = rows.where(~rows.made_up if missed else rows.made_up)
        marks = other.scores < threshold if missed else other.scores >= threshold
        return found, float(losses(marks, other.sources).mean())

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
            yield _halves(name, truth, promise, max(1, runs // 20))
        yield from _fewer(name, truth, runs)


def _cell(name: str, truth: Truth, promise: Promise, runs: int) -> Iterator[Row]:
    methods = METHODS if promise.risk is Risk.FDR else {k: METHODS[k] for k in (SOURCES, ROWS)}
    tallies = {method: Tally() for method in methods}
    most = truth.largest(promise)
    for number in range(runs):
        rows = truth.draw(np.random.default_rng((SEED, 6, number)), NUMBER)
        for method, choose in of_run(methods, number).items():
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


def _halves(name: str, truth: Truth, promise: Promise, runs: int) -> Row:
    """Half-splits: they overlap, and a noisy half is above a bound that the truth keeps. So there is no bar."""
    above = 0
    for number in range(runs):
        rows, rest = truth.halves(np.random.default_rng((SEED, 7, number)))
        points = certified(rows, promise, number)
        above += any(rest.at(promise.risk, point)[0] > promise.bound for point in points)
    return Row.shown(
        f"{name}, {promise.risk} ≤ {promise.bound:g}: other half above the bound, of {runs} half-splits",
        above / runs,
    )


def _fewer(name: str, truth: Truth, runs: int) -> Iterator[Row]:
    """What becomes of promises where half of the made-up rows are gone; the rate once more with that share stated.

    No bar: rows that vanish also change how much the others of their source count, which the promise does not cover.
    """
    thinned = truth.thinned(np.random.default_rng((SEED, 8)), 0.5)
    fewer = made_up_share(thinned.rows) or 0.0
    yield Row.shown(f"{name}: share made up with half of them gone, each source once", fewer)
    for promise in (*PROMISES, replace(PROMISES[0], share=fewer)):
        tally = Tally()
        for number in range(max(1, runs // 5)):
            rows = truth.draw(np.random.default_rng((SEED, 6, number)), NUMBER)
            tally.add(
                certified(rows, promise, number),
                promise,
                lambda point, promise=promise: thinned.at(promise.risk, point)[0],  # type: ignore[misc]
            )
        stated = "" if promise.share is None else ", share stated"
        cell = f"{name}, {promise.risk} ≤ {promise.bound:g}{stated}, half of the made-up rows gone"
        yield Row.shown(f"{cell}: broken", tally.broken_share)
        if promise.share is not None:
            yield Row.shown(f"{cell}: no certificate", tally.none / tally.runs)
