"""Thresholds that keep promises: broken promises where the truth is known, power, and drift."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks._rows import Row
from benchmarks._table import Run, bench
from benchmarks.calibration.drifting import alarms
from benchmarks.calibration.real import real
from benchmarks.calibration.synthetic import SEED, power, promises, single

__all__ = ["main"]


def compute(run: Run) -> list[Row]:
    """All rows of the table."""
    run.parameters["seed"] = SEED
    runs = 100 if run.fast else 1000
    run.parameters["runs"] = runs
    return [
        *single(run, runs),
        *promises(run, runs),
        *power(run, runs),
        *real(run, runs),
        *alarms(run, runs),
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """The command."""
    return bench("calibration", compute, argv, folder=Path(__file__).parent, doc=__doc__ or "")
