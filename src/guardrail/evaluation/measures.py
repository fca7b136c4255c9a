"""How good the scores of one detector are: pure functions of arrays.

Every figure is `{"value", "interval", "reason"}`: the value is `None` where it is undefined, and the reason says why. Made up
is the positive class. Intervals cover 95 % and take the source as the unit; rows of one source hang together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from guardrail.errors import MissingExtra
from guardrail.evaluation.table import FLAGGED, NOTHING, SOUND, UNVERIFIED, Units
from guardrail.statistics.calibration import fit_logistic
from guardrail.statistics.clusters import by_cluster, clustered
from guardrail.statistics.decisions import balanced_accuracy, balanced_influence, f1
from guardrail.statistics.ranking import auc, auc_influence, average_precision, trapezoid
from guardrail.statistics.reliability import ece, reliability

Array: TypeAlias = NDArray[Any]
Figure: TypeAlias = dict[str, Any]

FOLDS = 5
_POINTS = 60
_BINS = 25
_CURVE = 100


def figure(value: float | None, half: float | None = None, *, reason: str = "", least: float = 0.0) -> Figure:
    """A value with its interval, cut to [least, 1]."""
    ends = None
    if value is not None and half is not None:
        ends = [max(least, float(value - half)), min(1.0, float(value + half))]
    return {"value": None if value is None else float(value), "interval": ends, "reason": reason}


def measured(units: Units, scale: Mapping[str, Any]) -> dict[str, Any]:
    """All figures of one detector.

    Args:
        units: its findings or answers.
        scale: `least` and `most` of its scores, `None` = unbounded.
    """
    known, scored = units.label >= 0, ~np.isnan(units.score)
    both = units.only(known & scored)
    lacking = why_not(units)
    ranks = lacking or one_class(both.label)
    bounded = scale.get("least") == 0 and scale.get("most") == 1
    return {
        "rows": units.key.size,
        "sources": int(np.unique(units.source).size),
        "labelled": int(known.sum()),
        "scored": int(scored.sum()),
        "made_up": share(units.label[known] == 1, units.source[known], "no row is labelled"),
        "flagged": share(units.verdict == FLAGGED, units.source, "there are no rows"),
        "unverified": share(units.verdict == UNVERIFIED, units.source, "there are no rows"),
        "nothing": share(units.verdict == NOTHING, units.source, "there are no rows"),
        "auroc": _area(both, ranks),
        "average_precision": _guarded(lambda: average_precision(both.score, both.label == 1), ranks),
        "auc_pr": _guarded(lambda: trapezoid(both.score, both.label == 1), ranks),
        "shipped": decided(units.only(known), units.verdict[known] == FLAGGED),
        "best": best(both, ranks),
        "calibration": calibration(both, ranks, bounded=bounded),
        "risk_coverage": risk_coverage(both, lacking),
        "curves": [] if ranks else curve(both.score, both.label == 1),
        "histogram": histogram(units.only(scored), scale),
        "cost": cost(units),
    }


def why_not(units: Units) -> str:
    """Why nothing can be said of the scores; "" if something can."""
    if not units.key.size:
        return "there are no rows"
    if not (units.label >= 0).any():
        return "no row is labelled"
    if np.isnan(units.score[units.label >= 0]).all():
        return "no labelled row has a score"
    return ""


def one_class(label: Array) -> str:
    """Why nothing can be said of how scores rank."""
    if label.size and (label == label[0]).all():
        return "all scored rows are " + ("made up" if label[0] == 1 else "sound")
    return ""


def share(yes: Array, source: Array, reason: str) -> Figure:
    """A share of rows; its interval is Wilson's for as many independent rows as the sources amount to."""
    if not yes.size:
        return figure(None, reason=reason)
    found = clustered(np.bincount(source, weights=yes), np.bincount(source))
    if found is None:
        return figure(float(yes.mean()), reason="one source only: no interval")
    return {"value": found.value, "interval": list(found.interval), "reason": ""}


def _area(both: Units, reason: str) -> Figure:
    if reason:
        return figure(None, reason=reason)
    moved = auc_influence(both.score, both.label == 1)
    half = None if moved is None else by_cluster(moved, both.source)
    return figure(
        auc(both.score, both.label == 1),
        half,
        reason="" if half is not None else "one source only: no interval",
    )


def _guarded(compute: Callable[[], float | None], reason: str) -> Figure:
    if reason:
        return figure(None, reason=reason)
    try:
        return figure(compute())
    except MissingExtra as error:
        return figure(None, reason=str(error))


def decided(units: Units, flagged: Array) -> dict[str, Figure]:
    """How well rows are decided: what is flagged against the labels; what is unverified is not flagged.

    Where every row is unverified nothing was decided, and every figure is `None`.
    """
    if units.verdict.size and not np.isin(units.verdict, (FLAGGED, SOUND)).any():
        names = ("balanced_accuracy", "f1", "precision", "recall", "false_alarms")
        return {name: figure(None, reason="no labelled row could be verified") for name in names}
    truth = units.label == 1
    caught, alarms = int((flagged & truth).sum()), int((flagged & ~truth).sum())
    made_up, sound = int(truth.sum()), int((~truth).sum())
    reason = "no row is labelled" if not truth.size else one_class(units.label).replace("scored", "labelled")
    nothing = "nothing is made up and nothing is flagged"
    balanced = figure(None, reason=reason)
    if not reason:
        moved = balanced_influence(flagged, truth)
        half = None if moved is None else by_cluster(moved, units.source)
        balanced = figure(balanced_accuracy(flagged, truth), half)
    return {
        "balanced_accuracy": balanced,
        "f1": figure(f1(flagged, truth), reason="" if caught + alarms + made_up else nothing),
        "precision": _ratio(caught, caught + alarms, "nothing is flagged"),
        "recall": _ratio(caught, made_up, "nothing is made up"),
        "false_alarms": _ratio(alarms, sound, "nothing is sound"),
    }


def _ratio(top: float, bottom: float, reason: str) -> Figure:
    return figure(top / bottom if bottom else None, reason="" if bottom else reason)


def folds(source: Array) -> Array:
    """The fold of each row, from 0: whole sources, spread evenly in an order that the data do not choose."""
    count = int(source.max()) + 1 if source.size else 0
    order = np.random.default_rng(0).permutation(count)
    return (order % min(FOLDS, max(count, 1)))[source] if count else source


def best(both: Units, reason: str) -> dict[str, Any]:
    """The best thresholds, each chosen on four fifths of the sources and used on the fifth that it has not seen."""
    rule = {"balanced_accuracy": _by_balance, "f1": _by_f1}
    if not reason and np.unique(both.source).size < 2:
        reason = "one source only: no threshold can be tried on another"
    found: dict[str, Any] = {"threshold": {}}
    truth, fold = both.label == 1, folds(both.source)
    for name, gain in rule.items():
        if reason:
            found[name] = figure(None, reason=reason)
            found["threshold"][name] = None
            continue
        flagged = np.zeros(truth.size, dtype=bool)
        for k in range(int(fold.max()) + 1):
            threshold = _threshold(both.score[fold != k], truth[fold != k], gain)
            flagged[fold == k] = both.score[fold == k] >= threshold
        found[name] = decided(both, flagged)[name]
        whole = _threshold(both.score, truth, gain)
        found["threshold"][name] = whole if np.isfinite(whole) else None
    return found


def _threshold(score: Array, truth: Array, gain: Callable[[Array, Array, int, int], Array]) -> float:
    """The score from which on rows are flagged; infinite = none is."""
    values, ends, caught, alarms = _thresholds(score, truth)
    at = int(np.argmax(gain(caught, alarms, int(truth.sum()), int((~truth).sum()))))
    if at == 0:
        return float("inf")
    below = float(values[ends[at - 1] + 1]) if ends[at - 1] + 1 < values.size else float(values[-1])
    return (float(values[ends[at - 1]]) + below) / 2  # half way to the next score


def _thresholds(score: Array, truth: Array) -> tuple[Array, Array, Array, Array]:
    """Scores, highest first; the last row of each value; how many rows are caught, and how many are false alarms.

    The last two have one more: 0, for a threshold above all scores.
    """
    order = np.argsort(-score, kind="stable")
    values = score[order]
    ends = _ends(values)
    caught = np.append(0, np.cumsum(truth[order])[ends])
    alarms = np.append(0, np.cumsum(~truth[order])[ends])
    return values, ends, caught, alarms


def _ends(values: Array) -> Array:
    """Where the last of each run of equal values is."""
    return np.flatnonzero(np.append(values[1:] != values[:-1], True)[: values.size])


def curve(score: Array, truth: Array) -> list[dict[str, float | None]]:
    """What each threshold catches, from the highest: at most a hundred of them, evenly spread along the ROC curve.

    The precision is `None` where nothing is flagged.
    """
    _, _, caught, alarms = _thresholds(score, truth)
    recall, false = caught / caught[-1], alarms / alarms[-1]
    along = recall + false
    at = np.unique(np.searchsorted(along, np.linspace(0, along[-1], _CURVE)))
    return [
        {
            "false_alarms": float(false[i]),
            "recall": float(recall[i]),
            "precision": float(caught[i] / (caught[i] + alarms[i])) if i else None,
        }
        for i in at
    ]


def _by_balance(caught: Array, alarms: Array, made_up: int, sound: int) -> Array:
    found: Array = caught / max(made_up, 1) - alarms / max(sound, 1)
    return found


def _by_f1(caught: Array, alarms: Array, made_up: int, _: int) -> Array:
    found: Array = 2 * caught / np.maximum(caught + alarms + made_up, 1)
    return found


def calibration(both: Units, reason: str, *, bounded: bool) -> dict[str, Any]:
    """Scores as probabilities: as they are, if they lie in [0, 1], and after a logistic fit on other sources."""
    truth = both.label == 1
    raw = reason or ("" if bounded else "the scores do not lie between 0 and 1")
    found: dict[str, Any] = {
        "ece": figure(None if raw else ece(both.score, truth), reason=raw),
        "bins": [] if raw else _bins(both.score, truth),
        "fitted_ece": figure(None, reason=reason),
        "fitted_bins": [],
    }
    if reason:
        return found
    probabilities, fold = np.full(truth.size, np.nan), folds(both.source)
    for k in range(int(fold.max()) + 1):
        rest = truth[fold != k]
        if not rest.size or rest.all() or not rest.any():
            found["fitted_ece"] = figure(None, reason="the sources without one fifth are of one class")
            return found
        curve = fit_logistic(both.score[fold != k], rest)
        probabilities[fold == k] = curve.probabilities(both.score[fold == k])
    return {
        **found,
        "fitted_ece": figure(ece(probabilities, truth)),
        "fitted_bins": _bins(probabilities, truth),
    }


def _bins(probabilities: Array, truth: Array) -> list[dict[str, float]]:
    points = reliability(probabilities, truth)
    if points is None:
        return []
    listed = zip(points.mean.tolist(), points.share.tolist(), points.rows.tolist(), strict=True)
    return [{"mean": mean, "share": part, "rows": rows} for mean, part, rows in listed]


def risk_coverage(both: Units, reason: str) -> dict[str, Any]:
    """The share of made-up rows among those let through, by how many are: the lowest scores first.

    Ties at the threshold are let through in part, which takes their average. The area is the mean risk over coverage.
    """
    if reason:
        return {"area": figure(None, reason=reason), "points": []}
    order = np.argsort(both.score, kind="stable")
    values, truth = both.score[order], (both.label[order] == 1).astype(float)
    ends = _ends(values)
    kept = np.append(0, ends + 1).astype(float)
    wrong = np.append(0.0, np.cumsum(truth)[ends])
    every = np.arange(1, truth.size + 1)
    risk = np.interp(every, kept, wrong) / every
    at = np.unique(np.linspace(0, truth.size - 1, min(_POINTS, truth.size)).astype(int))
    points = [{"coverage": float((i + 1) / truth.size), "risk": float(risk[i])} for i in at]
    return {"area": figure(float(risk.mean())), "points": points}


def histogram(scored: Units, scale: Mapping[str, Any]) -> dict[str, Any]:
    """How many rows have which score, by label: over the whole scale, or the middle 98 % of the rows where it is unbounded.

    Rows outside the edges count in the first and last bin. `flagged_from` is the lowest score that is flagged, where all below pass.
    """
    if not scored.key.size:
        return {"edges": [], "sound": [], "made_up": [], "unlabelled": [], "flagged_from": None}
    score = scored.score
    least, most = scale.get("least"), scale.get("most")
    if least is None or most is None:
        least, most = np.quantile(score, (0.01, 0.99))
    low, high = float(least), float(most)
    edges = np.linspace(low, high if high > low else low + 1.0, _BINS + 1)
    at = np.clip(np.searchsorted(edges, score, side="right") - 1, 0, _BINS - 1)
    counts = {
        name: np.bincount(at[scored.label == label], minlength=_BINS).tolist()
        for name, label in (("sound", 0), ("made_up", 1), ("unlabelled", -1))
    }
    return {"edges": edges.tolist(), **counts, "flagged_from": _flagged_from(scored)}


def _flagged_from(scored: Units) -> float | None:
    flagged, passed = scored.score[scored.verdict == FLAGGED], scored.score[scored.verdict == SOUND]
    if not flagged.size or not passed.size or passed.max() > flagged.min():
        return None
    return float(flagged.min())


def cost(units: Units) -> dict[str, float | None]:
    """Per unit: paid calls, tokens, and its share of the seconds by the clock (`ResultRow.seconds`)."""
    if not units.key.size:
        return {"calls": None, "tokens": None, "seconds": None}
    calls, tokens, seconds = units.cost.mean(axis=0, dtype=np.float64).tolist()
    return {"calls": calls, "tokens": tokens, "seconds": seconds}


def influences(units: Units) -> dict[str, tuple[float, Array] | None]:
    """By name of a figure, its value and by how much each row moves it; for differences between runs of the same rows.

    Rows that are not labelled move nothing of a figure that needs labels; without a score they rank below all others.
    """
    flagged = units.verdict == FLAGGED
    found: dict[str, tuple[float, Array] | None] = {"flagged": None, "auroc": None, "balanced_accuracy": None}
    size = units.key.size
    if not size:
        return found
    found["flagged"] = float(flagged.mean()), flagged - flagged.mean()
    known = units.label >= 0
    truth = units.label[known] == 1
    if not truth.size or truth.all() or not truth.any():
        return found
    if not np.isin(units.verdict[known], (FLAGGED, SOUND)).any():
        return found
    value, moved = balanced_accuracy(flagged[known], truth), balanced_influence(flagged[known], truth)
    if value is not None and moved is not None:
        found["balanced_accuracy"] = value, _spread(moved, known)
    score = units.score[known]
    if not np.isnan(score).all():
        filled = np.where(np.isnan(score), np.nanmin(score) - 1.0, score)
        area, moved_area = auc(filled, truth), auc_influence(filled, truth)
        if area is not None and moved_area is not None:
            found["auroc"] = area, _spread(moved_area, known)
    return found


def _spread(moved: Array, known: Array) -> Array:
    """Influences of some rows as influences of all."""
    whole = np.zeros(known.size)
    whole[known] = moved * (known.size / known.sum())
    return whole
