"""Trains the packaged network: `python -m benchmarks.references.reading.train`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.references.reading._tagger import PACKAGE, train_packaged_tagger

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.references.reading.train",
        description="Train the network that tags references.",
    )
    parser.add_argument(
        "--later", action="store_true", help="the packaged network goes on with the answers it does not know"
    )
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu", help="where it learns (cpu)")
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", default=PACKAGE, help="another folder than the packaged one"
    )
    options = parser.parse_args(argv)
    sys.stdout.write(f"{train_packaged_tagger(options.out, options.device, later=options.later)}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
