"""Rows about synthetic populations: promises kept, and power."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import stats

from benchmarks._rows import Row
from benchmarks._table import Run
from benchmarks.calibration.methods import ERROR, METHODS, SOURCES, Tally, certified, of_run, row_wise
from benchmarks.calibration.populations import SHAPES, Population, Shape, TwoKinds, steps
from guardrail.calibration import Promise, Risk, Rows, learn
from guardrail.statistics.testing import binomial_p_value

__all__ = ["power", "promises", "shares", "single"]

RHOS = (0.0, 0.3, 0.6)
NUMBER, MORE = 200, 280
SEED = 20261125


def single(run: Run, runs: int) -> Iterator[Row]:
    """One threshold that flags everything, at the bound: how often each test is wrong (100 sources of 8 rows)."""
    promise = Promise(Risk.FDR, 0.1)
    for rho in RHOS:
        population = Population(SHAPES["at the bound"](0.095), rho)
        by_source = by_row = 0
        for number in range(runs):
            rows = population.draw(np.random.default_rng((SEED, number)), 100)
            by_source += any(learn(rows, promise, error=ERROR, grid=np.array([0.0])).passed)
            by_row += binomial_p_value(int((~rows.made_up).sum()), len(rows), 0.1) <= ERROR
        run.say(f"one threshold, correlation {rho}")
        name = f"one threshold at the bound, correlation {rho:g}: falsely certified"
        yield Row.at_most(f"{name}, {SOURCES}", by_source / runs, Tally(runs).limit)
        yield Row.shown(f"{name}, row by row", by_row / runs)


def promises(run: Run, runs: int) -> Iterator[Row]:
    """Broken promises over grids of thresholds, by kind of population and method."""
    for name, promise, shape in (
        ("fdr ≤ 0.2, at the bound", Promise(Risk.FDR, 0.2), "at the bound"),
        ("fdr ≤ 0.2, not monotone", Promise(Risk.FDR, 0.2), "not monotone"),
        ("sound flagged ≤ 0.1", Promise(Risk.SOUND, 0.1), "separated"),
        ("missed ≤ 0.2", Promise(Risk.MISSED, 0.2), "separated"),
    ):
        for population, about in _populations(SHAPES[shape](promise.bound)):
            tallies = _tallied(population, promise, runs)
            run.say(f"{name}, {about}")
            cell = f"{name}, {about}"
            ours = tallies[SOURCES]
            yield Row.at_most(f"{cell}: broken, {SOURCES}", ours.broken_share, ours.limit)
            yield Row.shown(f"{cell}: no certificate, {SOURCES}", ours.none / runs)
            for other in tallies.keys() - {SOURCES}:
                yield Row.shown(f"{cell}: broken, {other}", tallies[other].broken_share)


def _populations(shape: Shape) -> Iterator[tuple[Population, str]]:
    for rho in RHOS:
        for uneven in (False, True):
            yield (
                Population(shape, rho, uneven),
                f"correlation {rho:g}{', uneven sizes' if uneven else ''}",
            )
    yield Population(shape, 0.0, rows=1), "one row a source"


def _tallied(population: Population, promise: Promise, runs: int) -> dict[str, Tally]:
    methods = METHODS if promise.risk is Risk.FDR else {SOURCES: METHODS[SOURCES], "row by row": row_wise}
    if population.rows == 1:
        methods = {name: method for name, method in methods.items() if method is not row_wise}  # the same
    tallies = {method: Tally() for method in methods}
    for number in range(runs):
        rng = np.random.default_rng((SEED, number))
        rows = _drawn(population, promise, rng)
        for method, choose in of_run(methods, number).items():
            tallies[method].add(
                choose(rows, promise, number), promise, lambda point: population.risk(promise.risk, point)
            )
    return tallies


def _drawn(population: Population, promise: Promise, rng: np.random.Generator) -> Rows:
    if promise.risk is Risk.FDR:
        return population.draw(rng, NUMBER)
    return population.draw_of_class(rng, NUMBER, made_up=promise.risk is Risk.MISSED)


POWER = (
    (0.1, 0.85, 8, True),
    (0.2, 0.5, 8, True),
    (0.1, 0.5, 8, False),
    (0.1, 0.85, 1, False),
    (0.2, 0.5, 1, False),
)
"""Permitted rate, share of rows with half of it (the others are sound in .6), rows of a source, whether there is a bar."""


def power(run: Run, runs: int) -> Iterator[Row]:
    """How often 200 sources give a certificate where half of the permitted rate is used."""
    for bound, good, size, barred in POWER:
        for rho in RHOS[:2] if size > 1 else RHOS[:1]:
            population = Population(steps((1 - good, bound / 2), (0.0, 0.6)), rho, rows=size)
            promise = Promise(Risk.FDR, bound)
            points = np.linspace(0, 1, 1001)[:-1]
            most = 1 - min(point for point in points if population.risk(Risk.FDR, point) <= bound)
            tally, known = Tally(), 0
            for number in range(runs):
                rows = population.draw(np.random.default_rng((SEED, 1, number)), NUMBER)
                known += any(learn(rows, promise, error=ERROR, grid=np.array([1 - good])).passed)
                tally.add(
                    METHODS[SOURCES](rows, promise, number),
                    promise,
                    lambda point, population=population: population.risk(Risk.FDR, point),  # type: ignore[misc]
                    lambda point, most=most: (1 - point) / most,  # type: ignore[misc]
                )
            run.say(f"power at {bound}")
            cell = f"power: fdr ≤ {bound:g}, half of it in {good:.0%} of rows, {size} a source, correlation {rho:g}"
            found = 1 - tally.none / runs
            yield Row.at_least(cell, found, 0.8) if barred else Row.shown(cell, found)
            yield Row.shown(f"{cell}: if only the best threshold were tested, known beforehand", known / runs)
            if size == 1:
                most_of_all = _most_powerful(bound, good)
                yield Row.shown(f"{cell}: at most, by any valid test of 200 sources", most_of_all)
            if not barred:
                yield Row.shown(f"{cell}: with {MORE} sources", _certified(population, promise, runs))
            if tally.kept:
                yield Row.shown(f"{cell}: flagged, of what is permitted", float(np.mean(tally.kept)))


def _most_powerful(bound: float, good: float) -> float:
    """P(certificate) of the most powerful randomised test of single rows whose rate is half of the bound against the bound itself.

    All other rows are the same under both, so the counts of flagged rows and of sound ones among them say everything
    (Neyman-Pearson). Where the rate is the bound there, it is the bound or more at every threshold.
    """
    flagged, sound = np.meshgrid(np.arange(NUMBER + 1), np.arange(NUMBER + 1), indexing="ij")
    here = stats.binom.pmf(flagged, NUMBER, good)
    half = (here * stats.binom.pmf(sound, flagged, bound / 2)).ravel()
    whole = (here * stats.binom.pmf(sound, flagged, bound)).ravel()
    half, whole = half[whole > 0], whole[whole > 0]
    order = np.argsort(-half / whole)
    found: float = np.interp(ERROR, np.cumsum(whole[order]), np.cumsum(half[order]))
    return float(found)


def _certified(population: Population, promise: Promise, runs: int) -> float:
    """The share of runs with a certificate, with more sources."""
    drawn = (population.draw(np.random.default_rng((SEED, 2, number)), MORE) for number in range(runs))
    return sum(bool(certified(rows, promise, number)) for number, rows in enumerate(drawn)) / runs


HERE, THERE, MANY = 0.5, 0.25, 600


def shares(run: Run, runs: int) -> Iterator[Row]:
    """The false discovery rate where half as many rows are made up as in the calibration, promised for that share or not."""
    for rho in RHOS:
        population = TwoKinds(rho)
        for promise in (Promise(Risk.FDR, 0.2, share=THERE), Promise(Risk.FDR, 0.2)):
            tally = Tally()
            for number in range(runs):
                rows = population.draw(np.random.default_rng((SEED, 9, number)), MANY, HERE)
                tally.add(
                    certified(rows, promise, number),
                    promise,
                    lambda point, population=population: population.rate(point, THERE),  # type: ignore[misc]
                )
            run.say(f"share {promise.share}, correlation {rho}")
            stated = "not stated" if promise.share is None else "stated"
            cell = f"fdr ≤ 0.2 at a share of {THERE:g}, calibrated at {HERE:g}, correlation {rho:g}, share {stated}"
            broken, share = f"{cell}: broken", tally.broken_share
            yield (
                Row.shown(broken, share) if promise.share is None else Row.at_most(broken, share, tally.limit)
            )
            yield Row.shown(f"{cell}: no certificate", tally.none / runs)
