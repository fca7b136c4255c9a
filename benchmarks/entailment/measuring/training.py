"""What the trainings took, by the notes that they left beside their weights."""

from __future__ import annotations

from benchmarks._table import Row
from benchmarks.entailment.making.loop import trained
from benchmarks.entailment.setting import HOW, Setting

__all__ = ["rows"]

MOST_MINUTES = 2 * 15.0
"""Of processor time, for the quick course: a quarter of an hour on two cores, whatever else they have to do."""


def rows(setting: Setting) -> list[Row]:
    """Of the full course and of the quick one."""
    found = []
    for which in ("full", "quick"):
        folder = setting.models[which]
        done = None if folder is None else trained(folder)
        if done is None:
            found.append(Row.missing(f"training, {which}: all rows", HOW[which]))
            continue
        minutes = done.processor_seconds / 60
        name = f"training, {which}: time, cores summed"
        found += [
            Row.shown(f"training, {which}: pairs, each as often as seen", done.pairs),
            Row.shown(f"training, {which}: steps", done.steps),
            Row.shown(f"training, {which}: time by the clock", done.seconds / 60, unit="min", digits=1),
            Row.at_most(name, minutes, MOST_MINUTES, unit="min", digits=1)
            if which == "quick"
            else Row.shown(name, minutes, unit="min", digits=1),
            Row.shown(f"training, {which}: loss, mean of the last 100 steps", done.loss),
            Row.shown(f"training, {which}: step whose weights are kept", done.best),
        ]
    return found
