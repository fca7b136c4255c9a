"""Which options of `SelfCheck("nli")` are best on WikiBio's rows 0-118; with a second model, too, whether choosing helps it."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks._table import Row
from benchmarks.entailment.measuring.choices import CHOICES, LONE, SHIPPED, Choice, cheapest
from benchmarks.entailment.measuring.rows import JUDGED, Asked, figure, halves, line, summed
from benchmarks.entailment.setting import Setting
from benchmarks.selfcheck.metrics import measure
from benchmarks.selfcheck.passages import Passage

__all__ = ["rows"]


def rows(setting: Setting) -> list[Row]:
    """Every choice, the one that is taken, and what choosing sentences gains."""
    if setting.run.fast:
        return [Row.missing("grid: all rows", "--fast leaves them out")]
    first, _ = halves(setting)
    asked = Asked.of(setting, "mini", first)
    found, chosen = _grid(setting, asked, first)
    found.append(Row.equal("WikiBio: the options chosen on rows 0-118", str(chosen), str(LONE)))
    return found + _second(setting, asked, first, chosen)


def _grid(setting: Setting, asked: Asked, first: Sequence[Passage]) -> tuple[list[Row], Choice]:
    found, figures = [], []
    for choice in CHOICES:
        setting.run.say(f"WikiBio, rows 0-118, {choice}")
        measured = measure(first, asked.by(choice))
        figures.append((choice, summed(measured)))
        found.append(Row.shown(f"WikiBio, rows 0-118, {choice}: {' / '.join(JUDGED)}", line(measured)))
    return found, cheapest(figures)


def _second(setting: Setting, asked: Asked, first: Sequence[Passage], chosen: Choice) -> list[Row]:
    """What choosing sentences does, with another model too: on rows 0-118, which chose it for the packaged one."""
    name = f"WikiBio, rows 0-118, {SHIPPED.measure}, top {{}} against whole: gain in {{}}"
    models = {"packaged model": asked}
    title = "second model"
    if setting.models["quick"] is not None:
        models[title] = Asked.of(setting, "quick", first)
    found = []
    for which, one in models.items():
        parts = Choice(SHIPPED.measure, "top", chosen.top, chosen.similarity)
        some, all_of_it = (
            measure(first, one.by(choice)) for choice in (parts, Choice(SHIPPED.measure, "whole"))
        )
        for column in JUDGED:
            a, b = figure(some, column), figure(all_of_it, column)
            gain = None if a is None or b is None else a - b
            found.append(Row.shown(f"{name.format(parts.top, column)}, {which}", gain, digits=2))
    if title not in models:
        found.append(Row.missing(f"{name.format(chosen.top, 'all columns')}, {title}", "not trained"))
    return found
