"""Thresholds that keep promises: broken promises where the truth is known, power, another share, drift, another model."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks._rows import Row
from benchmarks._table import Run, bench
from benchmarks.calibration.drifting import alarms
from benchmarks.calibration.models import another_model
from benchmarks.calibration.real import real
from benchmarks.calibration.synthetic import SEED, power, promises, shares, single

__all__ = ["PARTS", "main"]

PARTS: Mapping[str, Callable[[Run, int], Iterator[Row]]] = {
    "single": single,
    "promises": promises,
    "power": power,
    "shares": shares,
    "models": another_model,
    "drift": alarms,
    "real": real,
}


def compute(run: Run) -> list[Row]:
    """The rows of all parts, or of those asked for."""
    run.parameters["seed"] = SEED
    runs = 100 if run.fast else 1000
    run.parameters["runs"] = runs
    wanted = run.options.only or [*PARTS]
    if len(wanted) < len(PARTS):
        run.parameters["only"] = ",".join(wanted)
        run.expected = replace(run.expected, required=())  # of the whole table
    return [row for name in PARTS if name in wanted for row in PARTS[name](run, runs)]


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--only", action="append", choices=[*PARTS], help="one part of the table; may be given again"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """The command."""
    return bench(
        "calibration",
        compute,
        argv,
        folder=Path(__file__).parent,
        doc=__doc__ or "",
        add_options=_add_options,
    )
