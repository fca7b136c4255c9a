"""The OpenAI wrapper: processor time of a call, wrapped and bare, in turn, with the same stub."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Sequence

from benchmarks._rows import Row
from benchmarks._table import Run
from benchmarks.performance.speed.workers import CHECKOUT, without_paths
from guardrail.errors import GuardrailError

__all__ = ["difference_row", "rows"]

MOST = 0.5  # ms
SCRIPT = CHECKOUT / "integrations" / "openai" / "overhead.py"


def rows(run: Run) -> list[Row]:
    """Every row of this part.

    Raises:
        GuardrailError: the adapter's own script failed.
    """
    turns = ("10", "20") if run.fast else ("40", "50")  # short ones: what else runs falls on both
    run.say("wrapper: sync, async")
    done = subprocess.run(  # noqa: S603  # our own
        [sys.executable, str(SCRIPT), *turns], capture_output=True, text=True, cwd=CHECKOUT, check=False
    )
    if done.returncode:
        raise GuardrailError(f"the wrapper could not be measured: {without_paths(done.stderr)[-300:]}")
    found = json.loads(done.stdout.splitlines()[-1])
    return [row for kind in ("sync", "async") for row in difference_row(kind, **found[kind])]


def difference_row(kind: str, bare: Sequence[float], wrapped: Sequence[float]) -> list[Row]:
    """What a call costs bare, and what the wrapper adds, in milliseconds."""
    added = [a - b for a, b in zip(wrapped, bare, strict=True)]
    interval = (min(added), max(added))
    return [
        Row.shown(f"OpenAI client, {kind}: processor time a call", statistics.median(bare), unit="ms"),
        Row.at_most(
            f"OpenAI wrapper, {kind}: added", statistics.median(added), MOST, unit="ms", interval=interval
        ),
    ]
