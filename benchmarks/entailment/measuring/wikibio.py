"""SelfCheck on the WikiBio passages: options chosen on rows 0-118, scored once on rows 119-237."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from benchmarks._table import Row
from benchmarks.entailment.measuring.checked import Remembered, scores
from benchmarks.entailment.measuring.choices import CHOICES, SHIPPED, Choice, cheapest
from benchmarks.entailment.setting import Absent, Setting
from benchmarks.selfcheck.metrics import COLUMNS, SENTENCE_COLUMNS, Measured, measure
from benchmarks.selfcheck.passages import Passage, read_passages
from guardrail import Case
from guardrail.backends.embedding import Embedder
from guardrail.detectors.selfcheck import BertScoreCheck, NgramCheck

__all__ = ["FITTED", "fused", "rows", "summed"]

FITTED = 119
"""Rows before this one made the choices and constants."""

JUDGED = ("NonFact", "NonFact*", "Factual", "Pearson")
ALONE = dict(zip(JUDGED, (88.0, 51.0, 60.0, 69.0), strict=True))
TOGETHER = dict(zip(JUDGED, (89.0, 52.0, 63.0, 73.0), strict=True))
"""Least figures on the rows that chose nothing: average precision, and the correlation of passages."""

FUSIONS: tuple[tuple[str, ...], ...] = (("NLI", "n-gram"), ("NLI", "n-gram", "BERTScore"))

Scores: TypeAlias = list[list[float]]


def rows(setting: Setting) -> list[Row]:
    """The choices on rows 0-118, then NLI alone and with others, by halves."""
    if setting.run.fast:
        return [Row.missing("wikibio: all rows", "--fast leaves them out")]
    passages = read_passages(setting.run.data("wikibio_gpt3"))
    first = [passage for passage in passages if passage.number < FITTED]
    second = [passage for passage in passages if passage.number >= FITTED]
    if not first or not second:
        raise Absent(f"this data lacks the rows before {FITTED} or those after")
    asked = _Asked(setting, "mini", passages)
    found, chosen = _grid(asked, first)
    found.append(Row.equal("WikiBio: the options chosen on rows 0-118", str(chosen), str(SHIPPED)))
    setting.run.say(f"WikiBio, rows 119-237, {chosen}")
    members = {
        "NLI": asked.by(chosen, first) + asked.by(chosen, second),
        "n-gram": scores(NgramCheck(splitter=asked.splitter), _cases(first + second)),
    }
    setting.run.say("WikiBio, BERTScore")
    encoder = BertScoreCheck(encoder="packaged", splitter=asked.splitter)
    members["BERTScore"] = scores(encoder, _cases(first + second))
    found += _by_halves("NLI alone", first, second, members["NLI"], ALONE)
    for name in ("n-gram", "BERTScore"):
        found += _by_halves(f"{name} alone", first, second, members[name], None)
    together = {fusion: fused({name: members[name] for name in fusion}, len(first)) for fusion in FUSIONS}
    best = max(FUSIONS, key=lambda fusion: summed(measure(first, together[fusion][: len(first)])))
    for fusion, values in together.items():
        title = " + ".join(fusion)
        found += _by_halves(title, first, second, values, TOGETHER if fusion == best else None)
    found.append(Row.shown("WikiBio: the fusion chosen on rows 0-118", " + ".join(best)))
    return found + _second(setting, asked, first, chosen)


class _Asked:
    """A model, and the scores it gives passages by some choice."""

    def __init__(self, setting: Setting, which: str, passages: Sequence[Passage]) -> None:
        spans = {passage.text: passage.spans() for passage in passages}
        self.splitter = spans.__getitem__
        self._backends = {
            "entailment": Remembered(setting.model(which, precision="auto")),
            "embedding": Remembered(Embedder(device="cpu")),
        }
        self._known: dict[tuple[Choice, int], Scores] = {}

    def by(self, choice: Choice, passages: Sequence[Passage]) -> Scores:
        """Per passage, one score per sentence."""
        key = choice, passages[0].number
        if key not in self._known:
            self._known[key] = scores(choice.detector(self.splitter), _cases(passages), self._backends)
        return self._known[key]


def _cases(passages: Sequence[Passage]) -> list[Case]:
    return [Case(answer=passage.text, samples=passage.samples) for passage in passages]


def _grid(asked: _Asked, first: Sequence[Passage]) -> tuple[list[Row], Choice]:
    found, figures = [], []
    for choice in CHOICES:
        measured = measure(first, asked.by(choice, first))
        figures.append((choice, summed(measured)))
        found.append(Row.shown(f"WikiBio, rows 0-118, {choice}: {' / '.join(JUDGED)}", _line(measured)))
    return found, cheapest(figures)


def _second(setting: Setting, asked: _Asked, first: Sequence[Passage], chosen: Choice) -> list[Row]:
    """What choosing sentences does, with another model too: on rows 0-118, which chose it for the packaged one."""
    name = "WikiBio, rows 0-118, top {} against whole: gain in {}"
    models = {"packaged model": asked}
    title = "second model"
    if setting.models["quick"] is not None:
        models[title] = _Asked(setting, "quick", first)
    found = []
    for which, one in models.items():
        parts = Choice(chosen.measure, "top", chosen.top, chosen.similarity)
        some, all_of_it = (
            measure(first, one.by(choice, first)) for choice in (parts, Choice(chosen.measure, "whole"))
        )
        for column in JUDGED:
            a, b = _figure(some, column), _figure(all_of_it, column)
            gain = None if a is None or b is None else a - b
            found.append(Row.shown(f"{name.format(parts.top, column)}, {which}", gain, digits=2))
    if title not in models:
        found.append(Row.missing(f"{name.format(chosen.top, 'all columns')}, {title}", "not trained"))
    return found


def _by_halves(
    title: str,
    first: Sequence[Passage],
    second: Sequence[Passage],
    values: Scores,
    bars: Mapping[str, float] | None,
) -> list[Row]:
    """Every column of the half that chose nothing, judged where there are bars, of the other, and of all rows."""
    edge = len(first)
    halves = {
        "rows 119-237": (second, values[edge:]),
        "rows 0-118, chosen there": (first, values[:edge]),
        "all rows": ([*first, *second], values),
    }
    found = []
    for name, (passages, some) in halves.items():
        measured = measure(passages, some)
        for column in COLUMNS:
            suffix = ", average precision" if column in SENTENCE_COLUMNS else ""
            quantity = f"WikiBio, {title}, {name}: {column}{suffix}"
            if bars and passages is second and column in bars:
                found.append(Row.at_least(quantity, _figure(measured, column), bars[column], digits=2))
            else:
                found.append(Row.shown(quantity, _figure(measured, column), digits=2))
        if bars:
            found += [
                Row.shown(
                    f"WikiBio, {title}, {name}: {column}, trapezoid", measured.columns[column], digits=2
                )
                for column in SENTENCE_COLUMNS
            ]
    return found


def fused(members: Mapping[str, Scores], fitted: int) -> Scores:
    """The mean of the members' z-scores; mean and deviation are those of the first passages' sentences.

    Args:
        members: by name, one score per sentence of each passage.
        fitted: how many passages, from the first, give the constants.
    """
    columns = []
    for values in members.values():
        own = np.concatenate(values[:fitted])
        columns.append((np.concatenate(values) - own.mean()) / own.std())
    mean = np.mean(columns, axis=0)
    edges = np.cumsum([0, *(len(one) for one in next(iter(members.values())))]).tolist()
    return [mean[a:b].tolist() for a, b in pairwise(edges)]


def summed(measured: Measured) -> float:
    """What choices are compared by: the mean of the four columns that are judged."""
    return float(np.mean([_figure(measured, column) or 0.0 for column in JUDGED]))


def _figure(measured: Measured, column: str) -> float | None:
    return measured.stepwise[column] if column in SENTENCE_COLUMNS else measured.columns[column]


def _line(measured: Measured) -> str:
    values = [_figure(measured, column) for column in JUDGED]
    return " / ".join("–" if value is None else f"{value:.1f}" for value in values)
