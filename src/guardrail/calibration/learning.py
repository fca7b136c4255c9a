"""One promise, one group: which thresholds keep it (learn then test, with the source as the unit)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from guardrail.calibration.promises import Promise, Risk
from guardrail.calibration.rows import Rows
from guardrail.calibration.shares import PART, bound_here, largest_share, share_of
from guardrail.statistics.testing import (
    FIRST,
    betting_p_values,
    binomial_p_value,
    discovery_losses,
    fallback,
    grid_of,
    losses,
    one_row_each,
    sources_needed,
)

__all__ = ["Learned", "learn", "placing", "risk_at"]

Test: TypeAlias = Literal["betting", "binomial"]

FEWEST, MOST = 12, 16
"""Sources that place the grid: one in ten between these, one in twenty where that is more."""
STARTS = (1.1, 1.7, 2.7)
"""Where testing of a false discovery rate begins, in shares of flagged rows that are just enough if all flags are right."""
LARGEST = 0.9


@dataclass(frozen=True, slots=True)
class Learned:
    """What testing found.

    Attributes:
        grid: the thresholds, descending.
        passed: of each, whether it keeps the promise.
        p_values: of each, of the hypothesis that it does not.
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
    """Rows whose scores place the grid (their labels choose no threshold), and rows to test: disjoint sources.

    A grid placed by the tested rows would choose its own questions.
    """
    names = rows.names
    tenth, twentieth = math.ceil(names.size / 10), math.ceil(names.size / 20)
    few = min(names.size, max(FEWEST, min(MOST, tenth), twentieth))
    taken = np.random.default_rng(seed).permutation(names.size)[:few]
    placed = np.isin(rows.sources, names[taken])
    return rows.where(placed), rows.where(~placed)


# Of the sources that the growth seen asks for, and of those that were there. Drawn four ways with 20, 40 and 80 sources, as many
# as are named then suffice in .67 to .86 of the runs; with 1.5 in .13 to .59, with 1 in 0 to .20: the best of many thresholds
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
        seed: of the draw of sources that place the grid.
        test: "betting" on the means of sources; "binomial" on one random row per source. Default: binomial where every source
            has one row, else betting.
        grid: descending thresholds fixed beforehand; all sources are then tested.

    A false discovery rate for smaller shares of made-up rows (`promise.share`) is tested as a smaller rate among these rows. That
    rate depends on an upper limit of their share, to which a fifth of `error` goes.

    Source: [angelopoulos2021]; differs: the unit is the source, its test is a betting test [waudbysmith2024], and several
    starts share the error by the fallback procedure [wiens2003].
    """
    placed, tested = placing(rows, seed=seed) if grid is None else (rows, rows)
    points = grid_of(placed.scores) if grid is None else np.asarray(grid, dtype=float)
    planned = _planned(promise, placed)
    made_up: float | None = None
    if promise.share is not None:
        made_up = largest_share(tested, error=PART * error, seed=seed)
        promise = replace(promise, bound=bound_here(promise.bound, promise.share, made_up))
        error *= 1 - PART
    if promise.risk is Risk.ANSWERS:
        tested = tested.by_answer()
    counted = tested.where(_counted(tested, promise.risk))
    names = counted.names
    single = names.size == len(counted)
    chosen: Test = test or ("binomial" if single else "betting")
    if chosen == "binomial" and not single:
        counted = counted.where(one_row_each(counted.sources, seed=seed))
    flagged = counted.scores[None, :] >= points[:, None]  # NaN is not flagged
    values = _values(flagged, counted, promise)
    values = values[:, np.random.default_rng(seed).permutation(values.shape[1])]
    if chosen == "betting":
        p_values = betting_p_values(values, promise.bound)
    else:
        p_values = np.array(
            [_exact(flags, value, counted, promise) for flags, value in zip(flagged, values, strict=True)]
        )
    starts = [0]
    if promise.risk is Risk.FDR and grid is None:
        starts = _starts(points, placed.scores, planned, error, names.size)
    passed = _passed(p_values, promise, error, starts)
    lacking = None if any(passed) else sources_needed(values, promise.bound, error)
    if lacking is not None:
        lacking = math.ceil(max(_MARGIN * lacking, _MORE * names.size))
    extra = placed.names.size if grid is None and lacking is not None else 0
    return Learned(
        tuple(points.tolist()),
        tuple(passed),
        tuple(np.asarray(p_values, dtype=float).tolist()),
        int(names.size),
        len(counted),
        chosen,
        None if lacking is None else lacking + extra,
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


def _planned(promise: Promise, placed: Rows) -> float:
    """The bound that starts are planned for. The tested rows' share has no part in it, or starts would depend on their labels."""
    made_up = share_of(placed)
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


def _exact(flags: NDArray[Any], values: NDArray[Any], rows: Rows, promise: Promise) -> float:
    """The exact test for one row per source; of the false discovery rate, given how many are flagged."""
    if promise.risk is Risk.FDR:
        return binomial_p_value(int((flags & ~rows.made_up).sum()), int(flags.sum()), promise.bound)
    return binomial_p_value(round(float(values.sum())), int(values.size), promise.bound)


def _passed(p_values: NDArray[Any], promise: Promise, error: float, starts: list[int]) -> list[bool]:
    """Which thresholds pass, tested from the safest on."""
    if promise.risk is Risk.MISSED:
        return fallback(p_values[::-1], error)[::-1]
    return fallback(p_values, error, starts=starts)


def _starts(
    points: NDArray[Any], scores: NDArray[Any], bound: float, error: float, sources: int
) -> list[int]:
    """Where testing of a false discovery rate begins: very few flags prove nothing, however right they are.

    The first start is where just enough is flagged if all flags are right, the last where more than enough is if half of the
    bound is used, by the scores that placed the grid. Nothing of the tested rows is looked at.
    """
    if not points.size or not sources:
        return [0]
    enough = -math.log(FIRST * error / len(STARTS)) / (sources * -math.log1p(-bound))
    wanted = [enough * times for times in STARTS if enough * times <= LARGEST] or [LARGEST]
    shares = (scores[None, :] >= points[:, None]).mean(axis=1)
    return [min(points.size - 1, int((shares < share).sum())) for share in wanted]
