"""Answers as people get them: marks, what claims nothing, quantities, languages, and where documents come from."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks._rows import Row
from benchmarks._table import Run, bench
from benchmarks.answers.attribution import attribution_rows
from benchmarks.answers.kinds import kind_rows
from benchmarks.answers.languages import language_rows
from benchmarks.answers.sentences import sentence_rows

__all__ = ["PARTS", "main"]

HERE = Path(__file__).resolve().parent


def door_rows(run: Run) -> list[Row]:
    """How many of the places of documents are read once, by entry point."""
    from benchmarks.answers import doors

    del run
    by_door: dict[str, list[bool]] = {}
    for cell in doors.rows():
        if cell.times is not None:
            by_door.setdefault(cell.door, []).append(cell.right)
    return [
        Row.equal(f"documents read once: {door}", sum(right), len(right)) for door, right in by_door.items()
    ]


PARTS: dict[str, Callable[[Run], list[Row]]] = {
    "kinds": kind_rows,
    "sentences": sentence_rows,
    "doors": door_rows,
    "attribution": attribution_rows,
    "languages": language_rows,
}
"""Makes the rows of a part, by its name."""


def compute(run: Run) -> list[Row]:
    """All rows of the table, or those of some parts."""
    parts = run.options.only or list(PARTS)
    run.parameters["parts"] = parts
    if run.options.only:
        run.expected = replace(run.expected, required=())  # rows of the other parts
    return [row for part in parts for row in PARTS[part](run)]


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", nargs="+", choices=tuple(PARTS), help="these parts of the table")
    parser.add_argument(
        "--rows",
        type=int,
        metavar="N",
        help="at most so many statements of each set, or pairs of each language; all statements, 200 pairs by default",
    )
    parser.add_argument("--wrong", action="store_true", help="also say which cases are wrong, and why")


def main(argv: Sequence[str] | None = None) -> int:
    """Run it from a command line."""
    return bench("answers", compute, argv, folder=HERE, doc=__doc__ or "", add_options=_add_options)
