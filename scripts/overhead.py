"""What a guard call and a request cost in two checkouts, measured in turns in one run.

    python scripts/overhead.py OLD [NEW] [--rounds 7] [--name OLD=benchmarks.core]

Each round runs the engine's benchmark once in each checkout, the two in alternating order, with this Python; the table has the
median of each row of microseconds, and the ratio. NEW is this checkout unless another is named. `--name` says which module is
the benchmark in OLD, where it had another name. Measure with nothing else running: two cores are soon busy.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parent.parent


def measured(root: Path, module: str) -> dict[str, float]:
    """The rows of microseconds of one run, by quantity."""
    paths = [root, root / "src", *(root / "integrations").glob("*/src")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.json"
        command = [sys.executable, "-m", module, "--fast", "--json", str(file)]
        subprocess.run(command, cwd=root, env=environment, capture_output=True, check=False)  # noqa: S603
        rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    return {row["quantity"]: row["ours"] for row in rows if "[µs]" in row["quantity"]}


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("old", type=Path, help="a checkout")
    parser.add_argument("new", type=Path, nargs="?", default=HERE, help="another; default: this one")
    parser.add_argument("--rounds", type=int, default=7, help="runs of each")
    parser.add_argument("--name", default="benchmarks.performance.engine", help="the benchmark in OLD")
    asked = parser.parse_args()
    sides = [(asked.old.resolve(), asked.name), (asked.new.resolve(), "benchmarks.performance.engine")]
    found: list[dict[str, list[float]]] = [defaultdict(list), defaultdict(list)]
    for number in range(asked.rounds):
        for side in (0, 1) if number % 2 == 0 else (1, 0):
            for quantity, value in measured(*sides[side]).items():
                found[side][quantity].append(value)
        print(f"round {number + 1} of {asked.rounds}", file=sys.stderr)
    print(f"{'median of ' + str(asked.rounds):46} {'old':>8} {'new':>8} {'new / old':>10}")
    for quantity, values in found[0].items():
        if quantity in found[1]:
            old, new = statistics.median(values), statistics.median(found[1][quantity])
            print(f"{quantity:46} {old:8.1f} {new:8.1f} {new / old:10.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
