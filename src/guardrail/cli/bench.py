"""`guardrail bench`: run the benchmarks of a checkout."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Annotated

import typer

from guardrail.cli._errors import Usage


def bench(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="The benchmark; without it, those there are are listed."),
    ] = None,
) -> None:
    """Run a benchmark: published numbers next to ours.

    Everything after NAME goes to the benchmark: --fast, --json PATH, --out DIR, --data DIR, and its own
    options (`guardrail bench NAME --help`).

    Examples:
      guardrail bench
      guardrail bench references --fast
      guardrail bench references --json result.json --out plots

    Exit codes:
      0    every row meets its bar
      1    a row misses it
      2    the benchmark could not run
    """
    root = _checkout()
    if root is None:
        raise Usage(
            "benchmarks are in the source, not in the installed package: run this in a checkout of guardrail, "
            "after `pip install -e '.[bench]'` there"
        )
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    import benchmarks

    if name is None:
        for each in benchmarks.names():
            typer.echo(f"{each:<14} {_about(root.joinpath('benchmarks', *each.split('.')))}".rstrip())
        return
    raise typer.Exit(benchmarks.load(name)(list(context.args)))


def _checkout() -> Path | None:
    """The checkout that this package runs from, or the one that the current folder lies in."""
    here = Path.cwd()
    for root in (Path(__file__).parents[3], here, *here.parents):
        try:
            if (root / "benchmarks" / "_table.py").is_file() and "guardrail-sdk" in (
                root / "pyproject.toml"
            ).read_text(encoding="utf-8", errors="replace"):
                return root
        except OSError:
            continue
    return None


def _about(folder: Path) -> str:
    """The first line of the benchmark's own words, without importing it."""
    try:
        told = ast.get_docstring(ast.parse((folder / "run.py").read_text(encoding="utf-8")))
    except (OSError, SyntaxError, ValueError):
        return ""
    return (told or "").partition("\n")[0].rstrip(".")
