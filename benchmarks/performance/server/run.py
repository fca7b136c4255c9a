"""What `guardrail serve` and the OpenAI wrapper cost, what they survive, and how many streams one process takes.

Everything runs on this machine against the project's stub of a model, in processes of their own; times are compared in one
run, in turn. Processor time and memory are read from /proc, so it needs Linux.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks._data import cache_root
from benchmarks._rows import Row
from benchmarks._table import Run, bench
from benchmarks.performance.server import guards, killed, overhead, soak, streams, wrapper
from benchmarks.performance.server.processes import PROC
from guardrail.errors import InputError

__all__ = ["PARTS", "compute", "main"]

PARTS: dict[str, Callable[[Run], list[Row]]] = {
    "overhead": overhead.rows,
    "guards": guards.rows,
    "soak": soak.rows,
    "kill": killed.rows,
    "streams": streams.rows,
    "wrapper": wrapper.rows,
}


def compute(run: Run) -> list[Row]:
    """Every row of the parts that are wanted.

    Raises:
        InputError: the system has no /proc, or an option is out of range.
    """
    if not (PROC / "self" / "stat").exists():
        raise InputError("expected a system with /proc, which says what processes cost, got none: use Linux")
    if run.options.soak is not None and run.options.soak < 1:
        raise InputError(f"--soak: expected a number of requests, got {run.options.soak}")
    run.options.envs = run.options.envs or cache_root().parent / "clients"
    parts = run.options.only or (["soak"] if run.options.soak else list(PARTS))
    run.parameters["parts"] = ",".join(parts)
    return [row for part in PARTS if part in parts for row in PARTS[part](run)]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark from the command line."""
    return bench(
        "performance.server",
        compute,
        argv,
        folder=Path(__file__).parent,
        doc=__doc__ or "",
        add_options=_add_options,
        packages=("starlette", "uvicorn", "prometheus_client", "httpx", "openai"),
    )


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", action="append", choices=list(PARTS), help="one part; may be repeated")
    parser.add_argument(
        "--soak",
        type=int,
        metavar="N",
        help="only the soak, with so many requests (default 10,000; with --fast 300)",
    )
    parser.add_argument(
        "--litellm",
        action="store_true",
        help="also measure LiteLLM's proxy, which is installed in an environment of its own",
    )
    parser.add_argument(
        "--envs", type=Path, metavar="DIR", help="where such environments are (default: the user's cache)"
    )
