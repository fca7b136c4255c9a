"""What 8-bit weights cost: every figure of the packaged model beside the one it was made of."""

from __future__ import annotations

from benchmarks._table import Row
from benchmarks.entailment.making.form import WEIGHTS
from benchmarks.entailment.measuring.accuracy import figures
from benchmarks.entailment.setting import Setting

__all__ = ["MOST", "rows"]

MOST = 0.3
"""Points by which a figure may differ."""

LARGEST = 25.0
"""Megabytes of the packaged weights."""


def rows(setting: Setting) -> list[Row]:
    """Differences in points, and the sizes."""
    mini = setting.folder("mini")
    found = [
        Row.at_most("packaged weights", (mini / WEIGHTS).stat().st_size / 1e6, LARGEST, unit="MB", digits=2),
        Row.shown(
            "packaged folder",
            sum(path.stat().st_size for path in mini.iterdir() if path.is_file()) / 1e6,
            unit="MB",
            digits=2,
        ),
    ]
    if setting.run.fast:
        return [*found, Row.missing("quantised: differences", "--fast leaves them out")]
    full, own = figures(setting, "full"), figures(setting, "mini")
    for quantity, exact in full.items():
        found += [
            Row.shown(f"full precision: {quantity}", exact, unit="points", digits=2),
            Row.at_most(
                f"quantised: {quantity}, difference",
                abs(own[quantity] - exact),
                MOST,
                unit="points",
                digits=2,
            ),
        ]
    return found
