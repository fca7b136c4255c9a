"""Memory consistency [memory]: the instruments, on a simulated subject and on any live model.

The simulated subjects' behaviour is known, so their rows check the instruments; they measure no real model.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks._table import Row, Run, bench
from guardrail.errors import MissingExtra

__all__ = ["PARTS", "compute", "main"]

PARTS = tuple(
    part for part in ("internal", "external", "kernels", "rag") if find_spec(f"benchmarks.memory.{part}")
)
"""Each is a module of this package with `rows(run)`, and `add_options(parser)` if it has options of its own."""


def compute(run: Run) -> list[Row]:
    """The rows of the parts that are asked for; one that lacks something says what, and how to get it."""
    wanted = run.options.only or PARTS
    run.parameters["parts"] = sorted(wanted)
    required: list[str] = []
    found: list[Row] = []
    for part in PARTS:
        if part not in wanted:
            continue
        run.say(part)
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
    return importlib.import_module(f"benchmarks.memory.{part}")


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--only", nargs="+", choices=PARTS, metavar="PART", help=f"some of: {', '.join(PARTS)} (default: all)"
    )
    parser.add_argument("--model", metavar="NAME", help="ask this chat model too")
    parser.add_argument(
        "--base-url", metavar="URL", help="where it is; OPENAI_BASE_URL or OpenAI's own by default"
    )
    parser.add_argument("--cache", type=Path, metavar="FILE", help="keep its replies there, to go on later")
    for part in PARTS:
        add = getattr(_module(part), "add_options", None)
        if add is not None:
            add(parser)


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    return bench(
        "memory",
        compute,
        argv,
        folder=Path(__file__).parent,
        doc=__doc__ or "",
        add_options=_add_options,
        packages=("opencc", "jieba", "sacrebleu"),
    )
