"""Three ways to choose a threshold: certified by source, tested row by row, and the best F1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from guardrail.calibration import Promise, Risk, Rows, learn

__all__ = ["ROWS", "SOURCES", "Tally", "best_f1", "certified", "of_run", "row_wise"]

ERROR = 0.05
SOURCES, ROWS, NAIVE = "by source", "row by row", "best F1"

Chosen = list[float]
Method = Callable[[Rows, Promise, int], Chosen]


def certified(rows: Rows, promise: Promise, seed: int) -> Chosen:
    """All thresholds that pass the project's test."""
    found = learn(rows, promise, error=ERROR, seed=seed)
    return [point for point, passed in zip(found.grid, found.passed, strict=True) if passed]


def row_wise(rows: Rows, promise: Promise, seed: int) -> Chosen:
    """The same grid and chains, with every row taken for a source of its own: the exact binomial test."""
    names = np.arange(len(rows))
    return certified(Rows(rows.scores, rows.made_up, names, names), promise, seed)


def best_f1(rows: Rows, promise: Promise, seed: int) -> Chosen:
    """The threshold of the best F1 on the calibration rows; it looks at no promise."""
    del promise, seed
    order = np.argsort(-rows.scores, kind="stable")
    scores, made_up = rows.scores[order], rows.made_up[order]
    true = np.cumsum(made_up)
    f1 = 2 * true / (np.arange(1, scores.size + 1) + max(1, int(made_up.sum())))
    last = np.append(scores[1:] != scores[:-1], True)
    return [float(scores[np.argmax(np.where(last, f1, -1))])]


METHODS: dict[str, Method] = {SOURCES: certified, ROWS: row_wise, NAIVE: best_f1}
FEWER = 5
"""Row by row is there to compare, has no bar and takes most of the time: one in so many runs."""


def of_run(methods: dict[str, Method], number: int) -> dict[str, Method]:
    """The methods of one run."""
    return {name: choose for name, choose in methods.items() if name != ROWS or number % FEWER == 0}


@dataclass
class Tally:
    """What came of many runs of one method.

    Attributes:
        runs: how many.
        broken: runs in which some threshold that passed breaks the promise in truth.
        none: runs in which none passed.
        kept: of the runs with one, the share flagged (or passed) as a share of the largest that the promise permits.
    """

    runs: int = 0
    broken: int = 0
    none: int = 0
    kept: list[float] = field(default_factory=list)

    def add(
        self,
        chosen: Chosen,
        promise: Promise,
        risk: Callable[[float], float],
        share: Callable[[float], float] | None = None,
    ) -> None:
        """One run: the thresholds chosen, the true risk at a threshold, and the share gained at one."""
        self.runs += 1
        self.none += not chosen
        self.broken += any(risk(point) > promise.bound + 1e-9 for point in chosen)
        if chosen and share is not None:
            used = max(chosen) if promise.risk is Risk.MISSED else min(chosen)
            self.kept.append(share(used))

    @property
    def broken_share(self) -> float:
        """Of all runs."""
        return self.broken / self.runs

    @property
    def limit(self) -> float:
        """The permitted share and two standard errors."""
        return float(ERROR + 2 * np.sqrt(ERROR * (1 - ERROR) / self.runs))
