"""Posterior hallucination rate: estimators on models whose rate is known, a neural process, speed, language models.

With `train` or `train-language` as its first word the command trains the small model that the part `process` or
`language` measures; options of those stand in their own `--help`.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks._table import Row, Run, bench
from guardrail.errors import MissingExtra

__all__ = ["PARTS", "compute", "main"]

PARTS = ("convergence", "process", "speed", "language")
"""Each is a module of this package with `rows(run)`, and `add_options(parser)` if it has options of its own."""

TRAINERS = {"train": "benchmarks.phr.train", "train-language": "benchmarks.phr.language.train"}


def compute(run: Run) -> list[Row]:
    """The rows of the parts that are asked for; one that lacks something says what, and how to get it."""
    wanted = getattr(run.options, "only", None) or list(PARTS)
    run.parameters["parts"] = sorted(wanted)
    required: list[str] = []
    found: list[Row] = []
    for part in PARTS:
        if part not in wanted:
            continue
        module = _module(part)
        if module is None:
            found.append(Row.missing(f"{part}: all rows", f"benchmarks.phr.{part} is not in this checkout"))
            continue
        try:
            rows = module.rows(run)
        except MissingExtra as error:
            found.append(Row.missing(f"{part}: all rows", str(error)))
            continue
        found += rows
        if any(row.ok is not None for row in rows):
            required += run.expected.values.get("required", {}).get(part, ())
    run.expected = replace(run.expected, required=required)
    return found


def _module(part: str) -> Any:
    name = f"{__package__}.{part}"
    return importlib.import_module(name) if find_spec(name) else None


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
    if words and words[0] in TRAINERS:
        return int(importlib.import_module(TRAINERS[words[0]]).main(words[1:]))
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
