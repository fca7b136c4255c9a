"""What 8-bit weights cost: every figure of the packaged model beside the one it was made of."""

from __future__ import annotations

from benchmarks._table import Row
from benchmarks.entailment.making.form import WEIGHTS, made_of
from benchmarks.entailment.measuring.accuracy import figures
from benchmarks.entailment.setting import Setting

__all__ = ["MOST", "rows"]

MOST = 0.3
"""Points by which a figure may differ."""

LARGEST = 25.0
"""Megabytes of the packaged weights."""

OTHERS = (
    "the full-precision weights here are not those that were packed: name theirs (--full DIR), or what these are in 8 bits "
    "(python -m benchmarks.entailment pack --out DIR, then --model DIR)"
)
"""Why nothing is compared where the two models are of different trainings."""


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
    if not made_of(mini, setting.folder("full")):
        return [*found, Row.missing("quantised: differences", OTHERS)]
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
