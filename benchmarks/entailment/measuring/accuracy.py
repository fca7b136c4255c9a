"""How often a model is right on pairs that it has not seen, and whether its probabilities mean what they say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks._recording import agreement_row, same_arithmetic
from benchmarks._stats import wilson_interval
from benchmarks._table import Row
from benchmarks.entailment.calibration import (
    expected_calibration_error,
    folds,
    logits,
    temperature,
    tempered,
)
from benchmarks.entailment.pairs import Pair
from benchmarks.entailment.sets import NOT_ENTAILED, right
from benchmarks.entailment.setting import HELD_BACK, KEEP, Floats, Setting, shares

__all__ = ["CALIBRATED", "figures", "fitted", "rows", "scores"]

BARS = {"mnli_dev": 0.77, "snli_dev": 0.83}
MOST_ERROR = 0.05
CHECKED = 90  # where scores are recorded, one pair in so many is scored anew
CALIBRATED = "mnli_dev"
"""The set whose calibration is judged."""


def rows(setting: Setting) -> list[Row]:
    """Accuracies with Wilson's intervals, then calibration."""
    agreed = _agreement(setting)
    if setting.run.fast and any(row.ok is None for row in agreed):
        return agreed
    found: list[Row] = []
    for name in setting.sets():
        pairs = setting.pairs(name)
        good = right([pair.label for pair in pairs], setting.said("mini", name))
        for quantity, chosen in parts(name, pairs).items():
            successes, trials = int(good[chosen].sum()), len(chosen)
            interval = wilson_interval(successes, trials)
            if quantity == f"{name} accuracy" and name in BARS:
                found.append(Row.at_least(quantity, successes / trials, BARS[name], interval=interval))
            else:
                found.append(Row.shown(quantity, successes / trials, interval=interval))
    return found + _calibration(setting) + agreed


def scores(setting: Setting) -> dict[str, Floats]:
    """What is recorded of this part: what the model says of every pair."""
    return {f"accuracy, {name}": setting.said("mini", name) for name in setting.sets()}


def _agreement(setting: Setting) -> list[Row]:
    """Whether what is recorded is what the model says now: of a few pairs with --fast, else of all that are recorded."""
    if setting.recording is None or (found := setting.outdated("accuracy")):
        return [] if setting.recording is None else found
    kept = np.concatenate([setting.recording.scores[f"accuracy, {name}"] for name in setting.sets()])
    pairs = [pair for name in setting.sets() for pair in setting.fast_pairs(name)]
    model = setting.model("mini")
    if setting.run.fast:
        kept, now = kept[::CHECKED], shares(model, pairs[::CHECKED])
    else:
        known = {
            pair: said
            for name in setting.sets()
            for pair, said in zip(setting.pairs(name), setting.said("mini", name), strict=True)
        }
        now = np.array([known[pair] for pair in pairs])
    return [
        agreement_row(
            "accuracy: recorded probabilities, largest |Δ| to those computed now",
            kept,
            now,
            exact=same_arithmetic(setting.recording.made.get("fp32", ""), model.fingerprint),
            command=KEEP,
        )
    ]


def parts(name: str, pairs: Sequence[Pair]) -> dict[str, list[int]]:
    """The positions of a set's pairs by quantity; a set with pairs of two ways is shown in parts, too."""
    found = {f"{name} accuracy": list(range(len(pairs)))}
    two_way = [i for i, pair in enumerate(pairs) if pair.label == NOT_ENTAILED]
    if two_way:
        found[f"{name} accuracy, three-way"] = sorted({*range(len(pairs))} - {*two_way})
        found[f"{name} accuracy, entailed or not"] = two_way
    return found


def figures(setting: Setting, which: str) -> dict[str, float]:
    """Accuracies by set and the calibration error, for one model; in points.

    The full-precision model is given the temperature that the packaged one has in its head.
    """
    found = {
        f"{name} accuracy": 100.0
        * float(right([p.label for p in setting.pairs(name)], setting.said(which, name)).mean())
        for name in setting.sets()
    }
    said = setting.said(which, CALIBRATED)
    if which == "full":
        said = tempered(said, fitted(setting, which))
    found[f"{CALIBRATED} calibration error"] = 100.0 * _error(setting, said)
    return found


def fitted(setting: Setting, which: str) -> float:
    """The temperature of a model, by pairs that it was not trained on, nor is judged by."""
    labels = [pair.label for pair in setting.pairs(HELD_BACK)]
    return temperature(logits(setting.said(which, HELD_BACK)), np.array(labels))


def _calibration(setting: Setting) -> list[Row]:
    said = setting.said("mini", CALIBRATED)
    found = [
        Row.at_most(f"{CALIBRATED} calibration error", _error(setting, said), MOST_ERROR, digits=4),
        Row.shown(
            "snli_dev calibration error",
            _error(setting, setting.said("mini", "snli_dev"), "snli_dev"),
            digits=4,
        ),
    ]
    if setting.run.fast:
        return found
    labels = [pair.label for pair in setting.pairs(CALIBRATED)]
    found += [
        Row.shown(f"temperature that {HELD_BACK} would still change", fitted(setting, "mini")),
        Row.shown(
            f"{CALIBRATED} calibration error, each half by the other's temperature",
            _error(setting, folds(said, labels)),
            digits=4,
        ),
    ]
    if setting.models["full"] is None:
        return found
    raw, degrees = setting.said("full", CALIBRATED), fitted(setting, "full")
    return [
        *found,
        Row.shown(f"full precision: temperature by {HELD_BACK}", degrees),
        Row.shown(
            f"full precision: {CALIBRATED} calibration error as trained", _error(setting, raw), digits=4
        ),
        Row.shown(
            f"full precision: {CALIBRATED} calibration error with that temperature",
            _error(setting, tempered(raw, degrees)),
            digits=4,
        ),
    ]


def _error(setting: Setting, shares: Floats, name: str = CALIBRATED) -> float:
    return expected_calibration_error(shares, np.array([pair.label for pair in setting.pairs(name)]))
