"""SelfCheck as it ships on the WikiBio passages: constants from rows 0-118, scored on rows 119-237."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks._table import Row
from benchmarks.entailment.measuring.checked import scores
from benchmarks.entailment.measuring.choices import LONE, SHIPPED, Choice
from benchmarks.entailment.measuring.fusing import AMONG, fused, lone
from benchmarks.entailment.measuring.rows import (
    JUDGED,
    Asked,
    Scores,
    cases,
    figure,
    halves,
    line,
    summed,
)
from benchmarks.entailment.measuring.slips import CHOSEN, WEIGHTS, slips
from benchmarks.entailment.setting import Setting
from benchmarks.selfcheck.embedded import POOLING
from benchmarks.selfcheck.metrics import COLUMNS, SENTENCE_COLUMNS, measure
from benchmarks.selfcheck.passages import Passage
from guardrail.selfcheck import BertScoreCheck, NgramCheck
from guardrail.selfcheck.nli.check import SLIP

__all__ = ["rows"]

ALONE = dict(zip(JUDGED, (88.0, 51.0, 60.0, 69.0), strict=True))
TOGETHER = dict(zip(JUDGED, (89.0, 52.0, 63.0, 73.0), strict=True))
"""Least figures on the rows that gave no constants: average precision, and the correlation of passages."""

FUSIONS = (("NLI", "n-gram"), ("NLI", "n-gram", "BERTScore"))
SHARES = (0.0, 0.1, 0.2, 0.3, 0.5)


def rows(setting: Setting) -> list[Row]:
    """NLI alone and with others, by halves."""
    if setting.run.fast:
        return [Row.missing("wikibio: all rows", "--fast leaves them out")]
    first, second = halves(setting)
    both = first + second
    asked = Asked.of(setting, "mini", both)
    weighed = {weight: Choice("unmentioned", slip=weight) for weight in WEIGHTS}
    by_weight, choosing = {}, asked.on(first)
    for weight, choice in weighed.items():
        setting.run.say(f"WikiBio, rows 0-118, {choice}")
        by_weight[weight] = choosing.by(choice)
    setting.run.say("WikiBio, halves of rows 0-118")
    weights, best = slips(first, by_weight, ALONE)
    setting.run.say("WikiBio, both halves")
    # What ships, and beside it, where another weight is better for the model that is measured, that one.
    choices = dict.fromkeys((SHIPPED, LONE, *([weighed[best]] if best < 1 else [])))
    alone = {f"NLI alone, {choice.measured}": asked.by(choice) for choice in choices}
    members = {
        "NLI": asked.by(SHIPPED),
        "n-gram": scores(NgramCheck(splitter=asked.splitter), cases(both)),
    }
    setting.run.say("WikiBio, BERTScore")
    encoder = BertScoreCheck(encoder="packaged", splitter=asked.splitter)
    members["BERTScore"] = scores(encoder, cases(both))
    found, best_alone = _judged(first, second, alone, [(name,) for name in alone], ALONE)
    for name in ("n-gram", "BERTScore"):
        found += _by_halves(f"{name} alone", first, second, members[name], None)
    together, best_together = _judged(first, second, members, FUSIONS, TOGETHER)
    found += together
    for fusion, share in ((best_alone[0], 0.0), best_alone):
        own = {name: alone[name][: len(first)] for name in fusion}
        found += _price(_title(fusion, share), own, first, share)
    own = {name: values[: len(first)] for name, values in members.items()}
    for share in SHARES:
        quantity = f"WikiBio, rows 0-118, {_title(FUSIONS[-1], share)}: {' / '.join(JUDGED)}"
        found.append(Row.shown(quantity, line(measure(first, fused(own, first, len(first), share)))))
        found += _price(_title(FUSIONS[-1], share), own, first, share)
    found += weights
    found.append(
        Row.equal(CHOSEN, best, SLIP, digits=2) if setting.packaged else Row.shown(CHOSEN, best, digits=2)
    )
    found.append(Row.shown("WikiBio: NLI alone as chosen on rows 0-118", _title(*best_alone)))
    found.append(Row.shown("WikiBio: the fusion chosen on rows 0-118", _title(*best_together)))
    return found


def _judged(
    first: Sequence[Passage],
    second: Sequence[Passage],
    members: Mapping[str, Scores],
    fusions: Sequence[tuple[str, ...]],
    bars: Mapping[str, float],
) -> tuple[list[Row], tuple[tuple[str, ...], float]]:
    """Fusions with pooling and without; the one that is best on the first half is judged on the second."""
    both = [*first, *second]
    found = {
        (fusion, share): fused({name: members[name] for name in fusion}, both, len(first), share)
        for fusion in fusions
        for share in (0.0, POOLING)
    }
    best = max(found, key=lambda key: summed(measure(first, found[key][: len(first)])))
    return [
        row
        for key, values in found.items()
        for row in _by_halves(_title(*key), first, second, values, bars if key == best else None)
    ], best


def _title(fusion: Sequence[str], share: float) -> str:
    return " + ".join(fusion) + (f", pooled by {share:g}" if share else "")


def _price(title: str, members: Mapping[str, Scores], first: Sequence[Passage], share: float) -> list[Row]:
    flagged, falsely = lone(members, first, share)
    about = f"WikiBio, rows 0-118, {title}: one made-up sentence among {AMONG} accurate ones"
    return [
        Row.shown(f"{about}, flagged", flagged),
        Row.shown(f"{about}, accurate ones flagged", falsely),
    ]


def _by_halves(
    title: str,
    first: Sequence[Passage],
    second: Sequence[Passage],
    values: Scores,
    bars: Mapping[str, float] | None,
) -> list[Row]:
    """Every column of the half that gave no constants, judged where there are bars, of the other, and of all rows."""
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
                found.append(Row.at_least(quantity, figure(measured, column), bars[column], digits=2))
            else:
                found.append(Row.shown(quantity, figure(measured, column), digits=2))
        if bars:
            found += [
                Row.shown(
                    f"WikiBio, {title}, {name}: {column}, trapezoid", measured.columns[column], digits=2
                )
                for column in SENTENCE_COLUMNS
            ]
    return found
