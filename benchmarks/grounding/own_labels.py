"""Rows about fifty labels of one's own: slope and intercept of a detector's scores, as `guardrail calibrate --probabilities` learns them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks._rows import Row
from benchmarks._stats import brier, ece
from guardrail.calibration import Rows
from guardrail.calibration.probabilities import DetectorCurve

__all__ = ["LABELS", "Recalibrated", "own_rows", "recalibrated"]

LABELS, TIMES = 50, 50
LARGEST = 0.08


@dataclass(frozen=True)
class Recalibrated:
    """Means over draws of labels, judged on the answers of all other sources.

    Attributes:
        before: calibration error of the scores as they are.
        after: the same of the probabilities.
        brier: of the probabilities.
        constant: of the share of made-up ones among the labels, said of every answer.
    """

    before: float
    after: float
    brier: float
    constant: float


def recalibrated(
    scores: Sequence[float],
    truth: Sequence[bool],
    sources: Sequence[str],
    *,
    labels: int = LABELS,
    times: int = TIMES,
) -> Recalibrated | None:
    """Label so many answers, whole sources at a time, and judge the others; `None` where a set is too small for it."""
    rows = Rows.of(list(scores), list(truth), sources=list(sources))
    found = [
        figures
        for number in range(times)
        if (figures := _once(rows, np.random.default_rng((labels, number)), labels)) is not None
    ]
    return Recalibrated(*np.mean(found, axis=0).tolist()) if found else None


def _once(rows: Rows, rng: np.random.Generator, labels: int) -> list[float] | None:
    known = _labelled(rows, rng, labels)
    own, rest = rows.where(known), rows.where(~known)
    if not len(rest) or own.made_up.all() or not own.made_up.any():
        return None
    curve = DetectorCurve.learn(own)
    probabilities = [curve.probability(place) for place in rest.scores.tolist()]
    constant = np.full(len(rest), own.made_up.mean())
    truth = rest.made_up
    found = (
        ece(rest.scores, truth),
        ece(probabilities, truth),
        brier(probabilities, truth),
        brier(constant, truth),
    )
    return [one for one in found if one is not None]


def _labelled(rows: Rows, rng: np.random.Generator, labels: int) -> NDArray[np.bool_]:
    """Rows of sources drawn at random, until there are enough; of the last source only as many as are wanted."""
    place = np.empty(rows.names.size, dtype=int)
    place[rng.permutation(rows.names.size)] = np.arange(rows.names.size)
    order = np.argsort(place[np.searchsorted(rows.names, rows.sources)], kind="stable")
    known = np.zeros(len(rows), dtype=bool)
    known[order[:labels]] = True
    return known


def own_rows(
    said: str,
    scores: Mapping[str, Sequence[float]],
    truths: Mapping[str, Sequence[bool]],
    sources: Mapping[str, Sequence[str]],
) -> Iterator[Row]:
    """Per set and in the mean: calibration error and Brier score after fifty labels."""
    named = f"after {LABELS} labels, {said}"
    found = {}
    for name in scores:
        one = recalibrated(scores[name], truths[name], sources[name])
        if one is None:
            yield Row.missing(f"{name}: ECE {named}", f"fewer than {LABELS} answers, or all of one kind")
            continue
        found[name] = one
        yield Row.shown(f"{name}: ECE as it is, {said}", one.before)
        yield Row.shown(f"{name}: ECE {named}", one.after)
        yield Row.shown(f"{name}: Brier score {named}", one.brier)
        yield Row.shown(f"{name}: Brier score of the share among {LABELS} labels, {said}", one.constant)
    if not found:
        return
    after = float(np.mean([one.after for one in found.values()]))
    score = float(np.mean([one.brier for one in found.values()]))
    share = float(np.mean([one.constant for one in found.values()]))
    better = sum(one.brier < one.constant for one in found.values())
    yield Row.at_most(f"mean of the sets: ECE {named}", after, LARGEST)
    yield Row.at_most(f"mean of the sets: Brier score {named}", score, share)
    yield Row.shown(f"sets of {len(found)} with a lower Brier score than the share, {named}", better)
