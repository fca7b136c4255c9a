"""Where the testing of a false discovery rate begins: very few flags prove nothing, and too many have a rate above the bound.

Nothing here looks at labels that the test counts afterwards (docs/design/calibration.md has the argument).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from guardrail.calibration.rows import Rows
from guardrail.statistics.testing import STAKES, losses

SPREAD = (1.1, 1.7, 2.7)
"""In shares of flagged rows that are just enough if all flags are right: the last is more than enough if half of the bound is used."""
LARGEST = 0.9
GUIDED = {1.0: 0.3, 1.5: 0.3}
"""The bound that placing sources are looked at with, as a multiple of the bound, and what of the error goes to the threshold that
serves them best then; the rest of the error is spread."""

FALL = 9
"""The search ends when revealed rows would have helped, had they been flagged, by so many times the bound: nine made-up rows in
turn are enough, and (1 − bound) / bound more make up for each sound one."""
_STEP = 1e-4


def planned_starts(
    points: NDArray[np.float64], placed: Rows, bound: float, *, error: float, sources: int
) -> dict[int, float]:
    """Places in the grid, and the share of the error for each, from the sources that placed the grid.

    Most of the error goes to the thresholds at which the placing sources gain most, that is, at which flagged · (sound − bound) is
    the lowest. Few sources may mislead, so the rest is spread over shares of flagged rows that could be enough.

    Args:
        points: the grid, descending.
        placed: the sources that placed it. They are not tested, so their labels may be used.
        bound: the permitted rate.
        error: of the promise, in (0, 1).
        sources: how many are tested.
    """
    if not points.size or not sources:
        return {0: 1.0}
    flagged = placed.scores[None, :] >= points[:, None]
    starts: dict[int, float] = {}
    for times, part in GUIDED.items():
        lost = losses(flagged * (~placed.made_up - bound * times), placed.sources).mean(axis=1)
        _add(starts, int(lost.argmin()), part)
    spread = 1 - sum(GUIDED.values())
    enough = -math.log(max(STAKES.values()) * error * spread / len(SPREAD)) / (sources * -math.log1p(-bound))
    wanted = [enough * times for times in SPREAD if enough * times <= LARGEST] or [LARGEST]
    shares = flagged.mean(axis=1)
    for share in wanted:
        place = min(points.size - 1, int((shares < share).sum()))
        _add(starts, place, spread / len(wanted))
    return starts


def _add(starts: dict[int, float], place: int, part: float) -> None:
    starts[place] = starts.get(place, 0.0) + part


def revealed_start(rows: Rows, bound: float) -> float | None:
    """A threshold to test where every source has one row, from the labels of the rows below it.

    Labels are revealed from the lowest score on. While the rows revealed are sound more often than the bound permits, flagging
    them would do harm, and the sum of (sound − bound) rises; it falls where flagging them would help. The search ends when the sum
    has fallen by `FALL` · bound from its highest. Given what is revealed, rows at or above the threshold are
    independent draws from those above it, so an exact test of theirs is right although the threshold was found with labels.

    Args:
        rows: one of each source.
        bound: the permitted rate; it must not depend on labels of these rows.

    Returns:
        The threshold: a place just above the last score revealed (more than any of them, at most .0001 and half of the smallest
        distance between them), which depends on nothing above it. `None` where the sum never falls so far.
    """
    known = np.isfinite(rows.scores)
    order = np.argsort(rows.scores[known], kind="stable")
    scores, sound = rows.scores[known][order], ~rows.made_up[known][order]
    last = np.append(scores[1:] != scores[:-1], True) if scores.size else np.array([], dtype=bool)
    harm = np.cumsum(sound - bound)[last]  # rows of one score are revealed together
    highest = np.maximum.accumulate(np.maximum(harm, 0.0))
    fallen = np.flatnonzero(highest - harm >= FALL * bound - 1e-9)
    if not fallen.size:
        return None
    seen = scores[last][: fallen[0] + 1]
    apart = float(np.diff(seen).min(initial=math.inf)) / 2
    top = float(seen[-1])
    return max(top + min(apart, _STEP), float(np.nextafter(top, math.inf)))
