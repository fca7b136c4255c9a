"""Memory consistency [memory]: the instruments, on a simulated subject and on any live model.

The simulated subject's behaviour is known, so its rows check the instruments; they measure no real model.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks._table import Row, Run, bench
from benchmarks.memory import internal

__all__ = ["compute", "main"]

PARTS: Mapping[str, Callable[[Run], list[Row]]] = {"internal": internal.rows}


def compute(run: Run) -> list[Row]:
    """Every row, or those of the parts that were named."""
    found: list[Row] = []
    for name in run.options.only or PARTS:
        run.say(name)
        found += PARTS[name](run)
    return found


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--only", nargs="+", choices=list(PARTS), metavar="PART", help=f"some of: {', '.join(PARTS)}"
    )
    parser.add_argument("--model", metavar="NAME", help="ask this chat model too")
    parser.add_argument(
        "--base-url", metavar="URL", help="where it is; OPENAI_BASE_URL or OpenAI's own by default"
    )
    parser.add_argument("--cache", type=Path, metavar="FILE", help="keep its replies there, to go on later")
    internal.add_options(parser)


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    return bench(
        "memory", compute, argv, folder=Path(__file__).parent, doc=__doc__ or "", add_options=_add_options
    )
