"""Compare benchmark results of old code, run twice, with those of new code.

    python scripts/compare_benchmarks.py OLD1 OLD2 NEW [old.name=new.name …] [--quantity OLD=NEW …]

Each folder holds what `python -m benchmarks.NAME --json FOLDER/NAME.json` wrote. `old=new` names a benchmark that has
moved; `--quantity "core: =engine: "` a beginning of quantities that is said otherwise now.

A row that was the same in both old runs has to be the same now. Any other (a time, a draw) keeps its quantity, its bar
and whether it has a figure. Nothing may vanish; new rows are only listed. Exit code: 0 kept; 1 some row is not; 2 a
folder or an argument is not as said above.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Rows = dict[str, dict[str, Any]]


def read(folder: Path) -> dict[str, Rows]:
    """The rows of every result in a folder, by benchmark and quantity."""
    return {
        path.stem: {row["quantity"]: row for row in json.loads(path.read_text(encoding="utf-8"))["rows"]}
        for path in sorted(folder.glob("*.json"))
    }


def renamed(rows: Rows, quantities: Mapping[str, str]) -> Rows:
    """The same rows by the quantities that the new code says."""
    found = {}
    for quantity, row in rows.items():
        old = next((beginning for beginning in quantities if quantity.startswith(beginning)), None)
        name = quantity if old is None else quantities[old] + quantity.removeprefix(old)
        found[name] = {**row, "quantity": name}
    return found


def frame(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a row keeps whose figure is never twice the same."""
    return row["bar"], row["ours"] is None


def compare(first: Rows, second: Rows, new: Rows) -> dict[str, list[str]]:
    """Quantities by what became of them; all but "equal", "free" and "appeared" are violations."""
    found: dict[str, list[str]] = {
        name: [] for name in ("equal", "free", "differs", "changed in kind", "vanished", "appeared")
    }
    for quantity in {**first, **second}:
        old = first.get(quantity, second.get(quantity, {}))
        settled = first.get(quantity) == second.get(quantity)
        now = new.get(quantity)
        if now is None:
            kind = "vanished" if quantity in first and quantity in second else "free"
        elif settled:
            kind = "equal" if now == old else "differs"
        else:
            kind = "free" if frame(now) == frame(old) else "changed in kind"
        found[kind].append(quantity)
    found["appeared"] = [quantity for quantity in new if quantity not in first and quantity not in second]
    return found


def show(name: str, found: Mapping[str, list[str]], old: Rows, new: Rows) -> int:
    """Print what became of a benchmark's rows; gives how many violations there are."""
    counts = ", ".join(f"{len(rows)} {kind}" for kind, rows in found.items() if rows or kind == "equal")
    print(f"{name}: {counts}")
    for kind in ("differs", "changed in kind", "vanished", "appeared"):
        for quantity in found[kind]:
            sides = [_said(rows[quantity]) for rows in (old, new) if quantity in rows]
            print(f"  {kind}: {quantity}: {' -> '.join(sides)}")
    return sum(len(found[kind]) for kind in ("differs", "changed in kind", "vanished"))


def _said(row: Mapping[str, Any]) -> str:
    return f"{row['ours']!r} (bar {row['bar']})"


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("first", "second", "new"):
        parser.add_argument(name, type=Path)
    parser.add_argument("moved", nargs="*", type=_pair, metavar="OLD=NEW")
    parser.add_argument("--quantity", action="append", type=_pair, default=[], metavar="OLD=NEW")
    options = parser.parse_args(argv)
    first, second, new = (read(folder) for folder in (options.first, options.second, options.new))
    if not first or first.keys() != second.keys():
        parser.error(f"expected the same benchmarks in both old folders, got {[*first]} and {[*second]}")
    names, quantities = dict(options.moved), dict(options.quantity)
    wrong = 0
    for old, rows in first.items():
        name = names.get(old, old)
        before, again = renamed(rows, quantities), renamed(second[old], quantities)
        wrong += show(name, compare(before, again, new.get(name, {})), before | again, new.get(name, {}))
    for name in sorted(new.keys() - {names.get(old, old) for old in first}):
        print(f"{name}: new benchmark")
    return 1 if wrong else 0


def _pair(text: str) -> tuple[str, str]:
    old, mark, new = text.partition("=")
    if not mark:
        raise argparse.ArgumentTypeError(f"expected OLD=NEW, got {text!r}")
    return old, new


if __name__ == "__main__":
    sys.exit(main())
