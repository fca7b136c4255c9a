"""A false discovery rate where fewer rows are made up than in the calibration.

Assumption (label shift): sound rows score as they did, and so do made-up ones; only how many there are of each changes. The rate
at a share m of made-up rows is (1 − m) F / ((1 − m) F + m T), with F and T the shares of sound and of made-up rows that are
flagged. It falls as m grows. So "at most α for every share ≥ m" is a bound α′ ≤ α in the calibration, where
α′ / (1 − α′) = α / (1 − α) · m / (1 − m) · (1 − π) / π, and π is the calibration's own share. α′ falls as π grows, so an upper
limit of π is on the safe side.
"""

from __future__ import annotations

import numpy as np

from guardrail.calibration.rows import Rows
from guardrail.statistics.testing import betting_p_values, losses

PART = 0.2
"""What of a promise's error goes to the upper limit of the share; the rest goes to the thresholds."""
_STEPS = 40
_LEAST = 1e-12


def made_up_share(rows: Rows) -> float | None:
    """The share of made-up rows, each source counting once; `None` without rows."""
    return float(losses(rows.made_up, rows.sources).mean()) if len(rows) else None


def largest_share(rows: Rows, *, error: float, seed: int = 0) -> float:
    """An upper limit of the share of made-up rows among new sources, each source counting once: wrong with P ≤ `error`.

    Source: the test of `betting_p_values`, turned into a limit; its p-value falls as the share asked about grows.

    >>> rows = Rows.of([0.5] * 200, [False, True] * 100, sources=range(200))
    >>> 0.5 < largest_share(rows, error=0.01) < 0.65
    True
    """
    if not len(rows):
        return 1.0
    values = losses(rows.made_up, rows.sources)
    values = values[np.random.default_rng(seed).permutation(values.size)]
    low, high = float(values.mean()), 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if 0 < middle < 1 and betting_p_values(values, middle) <= error:
            high = middle
        else:
            low = middle
    return high


def bound_here(bound: float, least: float, made_up: float) -> float:
    """The false discovery rate permitted in the calibration, so that it is at most `bound` where `least` of the rows are made up.

    Args:
        bound: α, in (0, 1).
        least: m, the smallest share for which it is promised, in (0, 1).
        made_up: π, the calibration's share, in [0, 1].

    Returns:
        α′, in (0, bound]: never looser than `bound`, so the calibration's own share is covered too.

    >>> round(bound_here(0.2, 0.1, 0.5), 4), bound_here(0.2, 0.5, 0.5)
    (0.027, 0.2)
    """
    odds = bound / (1 - bound) * least / (1 - least) * (1 - made_up) / max(made_up, _LEAST)
    return max(min(bound, odds / (1 + odds)), _LEAST)
