"""What guards let out that they should have kept back: the leak matrix on our doors, and on others.

Without --peers the others' lines are the recorded ones. With it they are measured: each is installed once, in a virtual
environment of its own, needs no key and asks nothing but the stub on this machine.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from benchmarks._data import cache_root
from benchmarks._table import Row, Run, bench, environment
from benchmarks.performance.environments import EnvironmentFailed, installed
from benchmarks.performance.leaks.lines import Line, filled, read, table, write
from benchmarks.performance.leaks.ours import DOORS
from benchmarks.performance.leaks.peers import MAIL, PACKAGES, SETTINGS, PeerFailed, Setup
from guardrail.errors import InputError
from guardrail.testing import leaks

__all__ = ["compute", "main"]

RECORDED = Path(__file__).parent / "recorded.json"


def compute(run: Run) -> list[Row]:
    """Our rows; prints the table of all guards."""
    lines: list[Line] = []
    rows: list[Row] = []
    axes = leaks.Axes(deliveries=["whole", "words", "halves"]) if run.fast else leaks.Axes()
    for name, door in DOORS.items():
        started = time.perf_counter()
        found = leaks.matrix(door, axes=axes)
        run.say(f"{name}: {len(found.run)} cases in {time.perf_counter() - started:.0f} s")
        for policy in leaks.POLICIES[:3]:
            some = leaks.Table(tuple(row for row in found.rows if row.case.policy == policy), found.most)
            lines.append(filled(Line(name, "", "", policy, "this run", {}), some))
        rows += _rows(name, found)
    lines += _peers(run)
    print(table(lines))  # the answer to the caller
    return rows


def _rows(name: str, found: leaks.Table) -> list[Row]:
    """Of one of our doors: all zero; of the control: everything."""
    if name.startswith("no guard"):
        said = [row for row in found.run if not row.case.fault and row.case.policy != "annotate"]
        share = sum(row.bytes for row in said) / (found.most * len(said))
        return [Row.at_least(f"{name}: share of the bytes that get out", share, 1.0)]
    return [
        Row.shown(f"{name}: cases", len(found.run)),
        Row.at_most(f"{name}: forbidden bytes released", found.bytes, 0),
        Row.at_most(f"{name}: marks missing", found.marks_missing, 0),
        Row.at_most(f"{name}: successes unchecked", found.unchecked, 0),
        Row.at_most(f"{name}: answers that did not come", found.unanswered, 0),
    ]


def _peers(run: Run) -> list[Line]:
    """The others: measured if they are asked for, else as recorded."""
    wanted = run.options.peers
    if wanted is None:
        return read(RECORDED)
    if unknown := next((one for one in wanted if one not in PACKAGES), None):
        raise InputError(f"no peer named {unknown!r}. Available: {', '.join(PACKAGES)}.")
    measured = []
    for one in SETTINGS:
        if not wanted or one.peer in wanted:
            measured.append(_measured(one, run.options.envs))
            write(RECORDED, measured[-1:], environment())  # at once: the whole takes minutes
    return measured


def _measured(setup: Setup, envs: Path) -> Line:
    package = PACKAGES[setup.peer]
    date = datetime.now(UTC).date().isoformat()
    named = Line(setup.peer, package.version, setup.name, setup.policy, setup.about, {}, date=date)
    started = time.perf_counter()
    try:
        python = installed(package, envs, say=_say)
        found = leaks.matrix(setup.door(python), axes=setup.axes, forbidden=[MAIL])
    except (EnvironmentFailed, PeerFailed) as error:
        return replace(named, failed=str(error))
    seconds = time.perf_counter() - started
    _say(f"{setup.peer}, {setup.name}, {setup.policy}: {len(found.run)} cases in {seconds:.0f} s")
    return filled(named, found)


def _say(text: str) -> None:
    sys.stderr.write(f"{text.removeprefix('speed: ')}\n")


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    return bench(
        "performance.leaks", compute, argv, folder=Path(__file__).parent, doc=__doc__ or "", add_options=_add_options,
        packages=("openai", "langchain_openai", "starlette", "uvicorn"),
    )  # fmt: skip


def _add_options(parser: argparse.ArgumentParser) -> None:
    names = ", ".join(PACKAGES)
    parser.add_argument(
        "--peers",
        nargs="*",
        metavar="NAME",
        help=f"measure the others anew and record it: {names}; all without a name",
    )
    parser.add_argument(
        "--envs",
        type=Path,
        default=cache_root().parent / "leaks",
        metavar="DIR",
        help="where the peers' environments are",
    )
