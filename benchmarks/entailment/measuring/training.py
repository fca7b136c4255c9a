"""What the trainings took, by the notes that they left beside their weights."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks._table import Row
from benchmarks.entailment.making.loop import Trained, least_seconds, trained
from benchmarks.entailment.making.teacher import SAID, seconds
from benchmarks.entailment.making.train import BEGUN
from benchmarks.entailment.setting import HOW, Setting

__all__ = ["rows"]

MOST_MINUTES = 2 * 15.0
"""Of processor time, for the quick course: a quarter of an hour on two cores, whatever else they have to do."""

MOST_HOURS = 3.0
"""By the clock, on two cores, for all steps of the recipe."""


def rows(setting: Setting) -> list[Row]:
    """Of the trainings of the recipe, of what the teacher said, and of the quick course."""
    full = setting.models.get("full")
    folders = {
        "teacher": None if full is None else full / SAID,
        "first": None if full is None else full / BEGUN / "first",
        "full": full,
        "quick": setting.models.get("quick"),
    }
    notes = {which: None if folder is None else trained(folder) for which, folder in folders.items()}
    found = [row for which in folders for row in _training(which, folders[which], notes[which])]
    said = None if full is None else seconds(full / SAID)
    if said is not None:
        found.append(Row.shown("training, teacher: time for what it says", said / 60, unit="min", digits=1))
    steps = [None if note is None else note.seconds for which, note in notes.items() if which != "quick"]
    known = [one for one in [*steps, said] if one is not None]
    name = "training: all steps of the recipe, by the clock"
    if len(known) == len(steps) + 1:
        return [*found, Row.at_most(name, sum(known) / 3600, MOST_HOURS, unit="h")]
    return [*found, Row.missing(name, HOW["full"], bar=f"≤ {MOST_HOURS:.2f}")]


def _training(which: str, folder: Path | None, done: Trained | None) -> Iterator[Row]:
    if done is None or folder is None:
        yield Row.missing(f"training, {which}: all rows", HOW["quick" if which == "quick" else "full"])
        return
    minutes, name = done.processor_seconds / 60, f"training, {which}: time, cores summed"
    yield Row.shown(f"training, {which}: pairs, each as often as seen", done.pairs)
    yield Row.shown(f"training, {which}: steps", done.steps)
    yield Row.shown(f"training, {which}: time by the clock", done.seconds / 60, unit="min", digits=1)
    if (least := least_seconds(folder, done)) is not None:
        yield Row.shown(
            f"training, {which}: at the pace of its fastest steps, at least", least / 60, unit="min", digits=1
        )
    if which == "quick":
        yield Row.at_most(name, minutes, MOST_MINUTES, unit="min", digits=1)
    else:
        yield Row.shown(name, minutes, unit="min", digits=1)
    yield Row.shown(f"training, {which}: loss, mean of the last 100 steps", done.loss)
    yield Row.shown(f"training, {which}: step whose weights are kept", done.best)
