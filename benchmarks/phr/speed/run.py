"""What shared beginnings save: PHR of a language model beside the published algorithm.

It is the part "speed" of `benchmarks.phr`, with the options of that.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from benchmarks.phr import run

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run this part alone from a command line; gives the exit code."""
    return run.main(["--only", "speed", *(sys.argv[1:] if argv is None else argv)])
