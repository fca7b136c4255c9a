"""One promise, one group: which thresholds keep it (learn then test, with the source as the unit)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from guardrail.calibration.promises import Promise, Risk
from guardrail.calibration.rows import Rows
from guardrail.calibration.shares import PART, bound_here, largest_share, made_up_share
from guardrail.calibration.starts import planned_starts, revealed_start
from guardrail.statistics.testing import (
    betting_p_values_together,
    binomial_p_value,
    discovery_losses,
    fallback,
    grid_of,
    losses,
    one_row_each,
    sources_needed,
)

Test: TypeAlias = Literal["betting", "binomial"]
Floats: TypeAlias = NDArray[np.float64]
Marks: TypeAlias = NDArray[np.bool_]
Points: TypeAlias = tuple[Floats, Floats, Marks]

FEWEST, MOST = 12, 16
"""Sources that place the grid: one in ten between these, one in twenty where that is more."""
REVEALED = 0.75
"""What of the error of a false discovery rate goes to the threshold found by revealing labels, where sources have one row."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What testing found.

    Attributes:
        grid: the thresholds, descending.
        passed: of each, whether it keeps the promise.
        p_values: of each, of the hypothesis that it does not; of the betting test, adjusted for the other thresholds.
        sources: how many were tested.
        rows: how many of their rows count for the promise.
        test: which one.
        needed: about how many sources to label in all where nothing passed, for two chances in three; `None` = something passed, or no number would.
        bound: what was tested; below the promise's where fewer rows may be made up than here.
        made_up: the upper limit of the share made up that `bound` comes from; `None` = the promise names no share.
    """

    grid: tuple[float, ...]
    passed: tuple[bool, ...]
    p_values: tuple[float, ...]
    sources: int
    rows: int
    test: Test
    needed: int | None
    bound: float
    made_up: float | None = None


def placing(rows: Rows, *, seed: int = 0) -> tuple[Rows, Rows]:
    """Rows that place the grid and say where testing begins, and rows to test: disjoint sources.

    A grid placed by the tested rows would choose its own questions.
    """
    names = rows.names
    tenth, twentieth = math.ceil(names.size / 10), math.ceil(names.size / 20)
    few = min(names.size, max(FEWEST, min(MOST, tenth), twentieth))
    taken = np.random.default_rng(seed).permutation(names.size)[:few]
    placed = np.isin(rows.sources, names[taken])
    return rows.where(placed), rows.where(~placed)


# Of the sources that the growth seen asks for, and of those that were there. Drawn four ways with 20, 40 and 80 sources, as many
# as are named then suffice in .63 to 1 of the runs; with 1.5 in .10 to .90, with 1 in 0 to .62: the best of many thresholds
# looks better than it is.
_MARGIN, _MORE = 2.0, 1.25


def learn(
    rows: Rows,
    promise: Promise,
    *,
    error: float,
    seed: int = 0,
    test: Test | None = None,
    grid: NDArray[Any] | None = None,
) -> Learned:
    """The thresholds of a fixed grid that keep a promise, with P(any of them breaks it) ≤ `error`.

    Args:
        rows: labelled, independent by source; not used for fitting anything.
        promise: what is bounded.
        error: in (0, 1).
        seed: of draws, with the rows themselves (`Rows.seed`).
        test: "betting" on the means of sources; "binomial" on one random row per source. Default: binomial where every source
            has one row, else betting.
        grid: descending thresholds fixed beforehand; all sources are then tested.

    A false discovery rate for smaller shares of made-up rows (`promise.share`) is tested as a smaller rate among these rows. That
    rate depends on an upper limit of their share, to which a fifth of `error` goes.

    Source: [angelopoulos2021]; differs: the unit is the source, its test is a betting test [waudbysmith2024], several starts of a
    false discovery rate share the error (by averages of e-values [vovkwang2021], exact tests by the fallback procedure
    [wiens2003]), and where sources have one row most of it goes to a threshold found by revealing labels from below.
    """
    seed = rows.seed(seed)
    placed, tested = placing(rows, seed=seed) if grid is None else (rows, rows)
    points = grid_of(placed.scores) if grid is None else np.asarray(grid, dtype=float)
    planned = _planned(promise, placed)
    made_up: float | None = None
    revealable = rows
    if promise.share is not None:
        made_up = largest_share(tested, error=PART * error, seed=seed)
        promise = replace(promise, bound=bound_here(promise.bound, promise.share, made_up))
        error *= 1 - PART
        revealable = tested  # the plan has used labels of the others
    if promise.risk is Risk.ANSWERS:
        tested = tested.by_answer()
    counted = tested.where(_counted(tested, promise.risk))
    names = counted.names
    single = tested.names.size == len(tested)  # of all rows: which ones count depends on their labels
    chosen: Test = test or ("binomial" if single else "betting")
    if chosen == "binomial" and not single:
        counted = counted.where(one_row_each(counted.sources, seed=seed))
    if promise.risk is not Risk.FDR or grid is not None:
        found = _tested(points, counted, promise, test=chosen, error=error, starts={0: 1.0}, seed=seed)
        used = counted
    else:
        starts = planned_starts(points, placed, planned, error=error, sources=names.size)
        part = 1.0 if chosen == "betting" else 1 - REVEALED
        found = _tested(points, counted, promise, test=chosen, error=part * error, starts=starts, seed=seed)
        used = counted
        if chosen == "binomial":
            used = revealable.where(one_row_each(revealable.sources, seed=seed))
            found = _merged(found, _revealed(used, promise.bound, planned, REVEALED * error))
    thresholds, p_values, passed = found
    extra = placed.names.size if grid is None else 0
    return Learned(
        tuple(thresholds.tolist()),
        tuple(passed.tolist()),
        tuple(p_values.tolist()),
        int(used.names.size),
        len(used),
        chosen,
        None if passed.any() else _needed(points, counted, promise, error, extra),
        promise.bound,
        made_up,
    )


def risk_at(rows: Rows, risk: Risk, threshold: float) -> float | None:
    """A risk among labelled rows at a threshold, in [0, 1], each source counting once.

    `None`: there are no rows that it is a share of (of `fdr`: nothing is flagged). Rows without a score are neither flagged nor passed.
    """
    if risk is Risk.ANSWERS:
        rows = rows.by_answer()
    if risk is Risk.FDR:
        flagged = rows.scores >= threshold
        wrong, flags = (losses(marks, rows.sources).sum() for marks in (flagged & ~rows.made_up, flagged))
        return float(wrong / flags) if flags else None
    of = rows.where(_counted(rows, risk))
    marks = of.scores < threshold if risk is Risk.MISSED else of.scores >= threshold
    return float(losses(marks, of.sources).mean()) if len(of) else None


def _needed(points: Floats, counted: Rows, promise: Promise, error: float, extra: int) -> int | None:
    """How many sources to label in all, those that place the grid among them."""
    values = _values(counted.scores[None, :] >= points[:, None], counted, promise)
    lacking = sources_needed(values, promise.bound, error)
    return None if lacking is None else math.ceil(max(_MARGIN * lacking, _MORE * counted.names.size)) + extra


def _planned(promise: Promise, placed: Rows) -> float:
    """The bound that starts are planned for. The tested rows' share has no part in it, or starts would depend on their labels."""
    made_up = made_up_share(placed)
    if promise.share is None or made_up is None:
        return promise.bound
    return bound_here(promise.bound, promise.share, made_up)


def _counted(rows: Rows, risk: Risk) -> NDArray[np.bool_]:
    """The rows that a risk is a share of."""
    if risk is Risk.FDR:
        return np.ones(len(rows), dtype=bool)
    return rows.made_up if risk is Risk.MISSED else ~rows.made_up


def _values(flagged: NDArray[Any], rows: Rows, promise: Promise) -> NDArray[Any]:
    """Per threshold and source a loss in [0, 1] whose mean keeps the bound exactly where the risk does."""
    if promise.risk is Risk.FDR:
        return discovery_losses(flagged, ~rows.made_up, rows.sources, promise.bound)
    if promise.risk is Risk.MISSED:
        return losses(~flagged & np.isfinite(rows.scores), rows.sources)  # what has no score does not pass
    return losses(flagged, rows.sources)


def _tested(
    points: Floats,
    rows: Rows,
    promise: Promise,
    *,
    test: Test,
    error: float,
    starts: Mapping[int, float],
    seed: int,
) -> Points:
    """P-values of thresholds, and which pass, tested from the safest on."""
    flagged = rows.scores[None, :] >= points[:, None]  # NaN is not flagged
    step = -1 if promise.risk is Risk.MISSED else 1
    if test == "binomial":
        exact = np.array([_exact(flags, rows, promise) for flags in flagged], dtype=float)
        return points, exact, np.array(fallback(exact[::step], error, starts=starts)[::step], dtype=bool)
    values = _values(flagged, rows, promise)
    values = values[::step, np.random.default_rng(seed).permutation(values.shape[1])]
    p_values = betting_p_values_together(values, promise.bound, starts=starts)[::step]
    return points, p_values, p_values <= error


def _exact(flags: NDArray[Any], rows: Rows, promise: Promise) -> float:
    """The exact test of one threshold; of the false discovery rate, given how many are flagged."""
    if promise.risk is Risk.FDR:
        return binomial_p_value(int((flags & ~rows.made_up).sum()), int(flags.sum()), promise.bound)
    wrong = ~flags & np.isfinite(rows.scores) if promise.risk is Risk.MISSED else flags
    return binomial_p_value(int(wrong.sum()), len(rows), promise.bound)


def _revealed(rows: Rows, bound: float, planned: float, error: float) -> Points:
    """The threshold that labels below it suggest, if any, and its exact test by the rows above; one row per source."""
    point = revealed_start(rows, planned)
    points = np.array([] if point is None else [point])
    p_values = np.array(
        [_exact(rows.scores >= point, rows, Promise(Risk.FDR, bound)) for point in points], dtype=float
    )
    return points, p_values, p_values <= error


def _merged(one: Points, other: Points) -> Points:
    """Thresholds of both, descending."""
    points, p_values, passed = (np.concatenate(pair) for pair in zip(one, other, strict=True))
    order = np.argsort(-points, kind="stable")
    return points[order], p_values[order], passed[order]
