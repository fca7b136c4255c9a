"""Logic [li2025]: knowledge base, metric temporal logic, cases, recorded replies, oracles, FactCheck.

With `--model` a live model is asked too.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks._table import Row, Run, bench
from benchmarks.logic import factcheck, generation, live, oracles, recorded, scale, simulated, temporal

__all__ = ["compute", "main"]

FORMULAS_FAST = 10_000


def compute(run: Run) -> list[Row]:
    """Every row."""
    folder = run.data("drowzee")
    run.parameters["seed"] = generation.SEED
    run.say("metric temporal logic")
    found = temporal.differential_rows(count=FORMULAS_FAST if run.fast else temporal.FORMULAS)
    found += [*temporal.scale_rows(), *temporal.example_rows(folder), *temporal.published_rows(folder)]
    found += temporal.generation_rows(folder)
    run.say("knowledge base")
    found += scale.knowledge_rows(fast=run.fast)
    run.say("cases")
    found += generation.rows(run)
    run.say("recorded replies")
    found += recorded.rows(run)
    run.say("simulated subject")
    found += simulated.rows(run)
    run.say("oracles")
    found += oracles.rows(run)
    run.say("fact check")
    found += factcheck.rows(run)
    return [*found, *live.rows(run)]


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    return bench(
        "logic",
        compute,
        argv,
        folder=Path(__file__).parent,
        doc=__doc__ or "",
        add_options=live.add_options,
        packages=("pyswip",),
    )
