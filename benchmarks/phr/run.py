"""Posterior hallucination rate: the estimators against models whose rate is known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks._table import Row, Run, bench
from benchmarks.phr import convergence

__all__ = ["compute", "main"]


def compute(run: Run) -> list[Row]:
    """Every row."""
    return convergence.rows(run)


def main(argv: Sequence[str] | None = None) -> int:
    """Run it; the exit code says whether every row meets its bar."""
    return bench("phr", compute, argv, folder=Path(__file__).parent, doc=__doc__ or "")
