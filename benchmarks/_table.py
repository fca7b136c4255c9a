"""One table for every benchmark: what was published, what we get, and whether that is good enough.

A benchmark writes a function from a `Run` to rows and hands it to `bench`; options, table, JSON, checks and
exit code are the same everywhere (see README.md).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks._data import data_dir, dataset, differing
from benchmarks._rows import Expected, Row, Value, as_number, as_text
from guardrail import __version__
from guardrail.errors import GuardrailError, InputError

__all__ = ["Compute", "Expected", "Result", "Row", "Run", "Value", "bench", "environment", "print_table"]

Compute: TypeAlias = "Callable[[Run], Sequence[Row]]"

PACKAGES = (
    "guardrail-sdk",
    "numpy",
    "scipy",
    "scikit-learn",
    "matplotlib",
    "tokenizers",
    "rapidfuzz",
    "nameparser",
)


@dataclass(frozen=True, slots=True)
class Result:
    """What one run of a benchmark found.

    Attributes:
        benchmark: its name.
        rows: every quantity.
        faults: what is wrong with the run as a whole.
        environment: interpreter, machine and package versions; no host name, no paths.
        signature: one line that says how to get these figures again.
        seconds: time by the clock.
    """

    benchmark: str
    rows: tuple[Row, ...]
    faults: tuple[str, ...]
    environment: Mapping[str, Any]
    signature: str
    seconds: float

    @property
    def ok(self) -> bool:
        """Every row meets its bar, and no figure is missing that must be there."""
        return not self.faults and all(row.ok is not False for row in self.rows)

    def to_json(self) -> str:
        """The JSON that README.md describes."""
        content = {
            "benchmark": self.benchmark,
            "rows": [row.to_dict() for row in self.rows],
            "ok": self.ok,
            "environment": dict(self.environment),
            "signature": self.signature,
            "seconds": round(self.seconds, 3),
        }
        return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


@dataclass(slots=True)
class Run:
    """What a benchmark's function gets: the options, and where things are.

    Attributes:
        name: the benchmark's.
        fast: do less, in under a minute where possible.
        out: folder for plots (made already), or `None`: draw none.
        expected: the benchmark's expected.json.
        options: every parsed option, also those that the benchmark added.
        parameters: what belongs in the signature; a benchmark adds its seed, models and the like.
    """

    name: str
    fast: bool = False
    data_folder: Path | None = None
    out: Path | None = None
    expected: Expected = field(default_factory=Expected)
    options: argparse.Namespace = field(default_factory=argparse.Namespace)
    parameters: dict[str, Any] = field(default_factory=dict)

    def data(self, name: str | None = None) -> Path:
        """The folder of a data set (the benchmark's own by default): `--data` if given, else `data_dir`.

        The signature tells whether its files are the expected ones.
        """
        name = name or self.name
        if self.data_folder is None:
            folder = data_dir(name)
        else:
            nested = self.data_folder / name
            folder = nested if nested.is_dir() else self.data_folder
            if not folder.is_dir():
                raise InputError(
                    f"--data: expected a folder, got {str(folder)!r}. Give one in the format of {name!r}."
                )
        changed = differing(name, folder)
        total = len(dataset(name).sha256)
        self.parameters[f"data.{name}"] = (
            "as published" if not changed else f"{len(changed)} of {total} files differ"
        )
        return folder

    def say(self, message: str) -> None:
        """A line of progress, on a terminal only."""
        if sys.stderr.isatty():
            sys.stderr.write(f"{message}\n")


def environment(packages: Sequence[str] = ()) -> dict[str, Any]:
    """Interpreter, machine and package versions: enough to explain a difference, not whose machine."""
    versions: dict[str, str | None] = {}
    for package in (*PACKAGES, *packages):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = None
    affinity = getattr(os, "sched_getaffinity", None)
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "platform": f"{platform.system()} {platform.machine()}",
        "cpus": len(affinity(0)) if affinity else os.cpu_count(),
        "packages": versions,
    }


def print_table(result: Result, *, width: int | None = None) -> None:
    """Print the table; readable at 100 columns, plain text without colour when piped."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure:
        reconfigure(errors="replace")
    console = Console(width=width or (None if sys.stdout.isatty() else 100), highlight=False)
    table = Table(title=f"{result.benchmark}: {'ok' if result.ok else 'NOT OK'}", title_justify="left")
    table.add_column("quantity", overflow="fold", ratio=1)
    for heading in ("published", "ours"):
        table.add_column(heading, justify="right", overflow="fold", max_width=14)
    for heading in ("interval", "tolerance", "ok"):
        table.add_column(heading, justify="right", no_wrap=True)
    marks = {True: "[green]ok[/]", False: "[bold red]MISS[/]", None: "[yellow]–[/]"}
    for row in result.rows:
        quantity = escape(f"{row.quantity}, {row.unit}" if row.unit else row.quantity)
        table.add_row(
            quantity if row.reason is None else f"{quantity}\n  [dim]{escape(row.reason)}[/]",
            escape(as_text(row.published, row.digits)),
            escape(as_text(row.ours, row.digits)),
            "" if row.interval is None else " … ".join(as_number(end, row.digits) for end in row.interval),
            escape(row.bar or ""),
            marks[row.ok] if row.bar or row.ok is None else "",
        )
    console.print(table)
    for fault in result.faults:
        console.print(f"[bold red]fault[/] {escape(fault)}")
    console.print(f"[dim]{escape(result.signature)}  ({result.seconds:.1f} s)[/]", soft_wrap=True)


def bench(
    name: str,
    compute: Compute,
    argv: Sequence[str] | None = None,
    *,
    folder: Path,
    doc: str = "",
    revision: str = "1",
    add_options: Callable[[argparse.ArgumentParser], None] | None = None,
    packages: Sequence[str] = (),
) -> int:
    """Run a benchmark from its command line.

    Args:
        name: the benchmark's.
        compute: makes the rows.
        argv: the command line without the program; `sys.argv[1:]` by default.
        folder: the benchmark's, which holds expected.json.
        doc: for `--help`.
        revision: of the benchmark; raised when its figures change on purpose.
        add_options: adds options of its own.
        packages: more packages whose versions belong into the environment.

    Returns:
        The exit code: 0 good; 1 a row missed its bar or has no figure where one must be; 2 it could not run.
    """
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=doc or None)
    parser.add_argument("--fast", action="store_true", help="do less; every row that remains keeps its bar")
    parser.add_argument(
        "--data", type=Path, metavar="DIR", help="the same run on another folder of the same format"
    )
    parser.add_argument("--json", type=Path, metavar="PATH", help="write the result there as JSON")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write plots there, as SVG and PNG")
    if add_options is not None:
        add_options(parser)
    options = parser.parse_args(argv)
    start = time.perf_counter()
    try:
        run = Run(name, options.fast, options.data, options.out, Expected.read(folder), options)
        if run.out is not None:
            run.out.mkdir(parents=True, exist_ok=True)
        rows = tuple(compute(run))
    except GuardrailError as error:
        sys.stderr.write(f"{name}: {error}\n")
        return 2
    result = Result(
        benchmark=name,
        rows=rows,
        faults=tuple(run.expected.faults(rows)),
        environment=environment(packages),
        signature=_signature(run, revision),
        seconds=time.perf_counter() - start,
    )
    print_table(result)
    if options.json is not None:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(result.to_json(), encoding="utf-8")
    return 0 if result.ok else 1


def _signature(run: Run, revision: str) -> str:
    parameters = {"fast": run.fast, **run.parameters}
    middle = "|".join(
        f"{key}:{json.dumps(value, ensure_ascii=False)}" for key, value in sorted(parameters.items())
    )
    return f"benchmarks.{run.name}|revision:{revision}|{middle}|guardrail:{__version__}"
