"""Posterior hallucination rate: estimators on models whose rate is known, a neural process, speed.

With `train` as its first word the command trains the neural process that the part `process` measures; its options are
in its own `--help`.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks._table import Row, Run, bench
from benchmarks.phr import train
from guardrail.errors import MissingExtra

__all__ = ["PARTS", "compute", "main"]

PARTS = ("convergence", "process", "language", "speed")
"""Each is a module of this package with `rows(run)`, and `add_options(parser)` if it has options of its own."""


def compute(run: Run) -> list[Row]:
    """The rows of the parts that are asked for; one that lacks something says what, and how to get it."""
    wanted = getattr(run.options, "only", None) or list(PARTS)
    run.parameters["parts"] = sorted(wanted)
    required: list[str] = []
    found: list[Row] = []
    for part in PARTS:
        if part not in wanted:
            continue
        try:
            rows = _module(part).rows(run)
        except MissingExtra as error:
            found.append(Row.missing(f"{part}: all rows", str(error)))
            continue
        found += rows
        if any(row.ok is not None for row in rows):
            required += run.expected.values.get("required", {}).get(part, ())
    run.expected = replace(run.expected, required=required)
    return found


def _module(part: str) -> Any:
    return importlib.import_module(f"{__package__}.{part}")


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--only", action="append", choices=PARTS, help="one part; may be given again (default: all parts)"
    )
    for part in PARTS:
        add = getattr(_module(part), "add_options", None)
        if add is not None:
            add(parser)


def main(argv: Sequence[str] | None = None) -> int:
    """Run it; the exit code says whether every row meets its bar."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["train"]:
        return train.main(words[1:])
    return bench(
        "phr",
        compute,
        words,
        folder=Path(__file__).parent,
        doc=__doc__ or "",
        revision="2",
        add_options=_options,
        packages=("torch", "transformers"),
    )
