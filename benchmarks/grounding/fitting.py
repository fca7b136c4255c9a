"""Fits over several sets, each set left out once; and the two that ship, learnt from all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchmarks.grounding.measuring import Measured, Sentence
from benchmarks.grounding.sets import RAGTRUTH
from guardrail.backends import EntailPackaged
from guardrail.errors import InputError
from guardrail.selfcheck.grounding.fit import ENTAILMENT, LEXICAL, PRIOR, Curve, answer_probability
from guardrail.statistics.calibration import ridge_logistic
from guardrail.statistics.decisions import balanced_accuracy

__all__ = ["FEATURES", "PENALTY", "THRESHOLDS", "flagged", "learn", "learnt", "left_out", "score"]

PENALTY = 0.003
"""Ridge on the weights of the standardised features, per unit of weight of the rows."""

FEATURES: Mapping[str, tuple[str, ...]] = {"entailment": (*ENTAILMENT, *LEXICAL), "words": LEXICAL}
"""What each fit sees: with an entailment model and without one."""

THRESHOLDS = tuple(round(0.3 + 0.05 * step, 2) for step in range(11))
"""Of a sentence. One is taken by the same sets as the weights: it is where verdicts on their answers are right most often."""


def learnt(
    name: str,
    sets: Mapping[str, Sequence[Measured]],
    *,
    backend: str = "",
    provenance: Mapping[str, Any] | None = None,
) -> Curve:
    """A fit to sentences, and its threshold: every set counts the same, and in a set the supported as much as the unsupported.

    Args:
        name: of `FEATURES`.
        sets: answers by set.
        backend: the origin of the entailment model.
        provenance: what the file says of its data.
    """
    rows = [row for found in sets.values() for row in _weighted(found)]
    features = {one: [sentence.features[one] for sentence, _ in rows] for one in FEATURES[name]}
    labels = [sentence.unsupported for sentence, _ in rows]
    backends = {EntailPackaged.lane: backend} if backend else {}
    fit = learn(features, labels, [weight for _, weight in rows], backends=backends, provenance=provenance)
    return max((replace(fit, threshold=one) for one in THRESHOLDS), key=lambda one: _accuracy(one, sets))


def learn(
    features: Mapping[str, ArrayLike],
    labels: ArrayLike,
    weights: ArrayLike,
    *,
    penalty: float = PENALTY,
    backends: Mapping[str, str] | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> Curve:
    """Fit the curve to labelled sentences.

    Features whose weight would fall below 0 are left out one after another, the most negative first: what raises
    doubt must not lower the probability.

    Args:
        features: per name one finite number per sentence.
        labels: true = not supported; both must occur.
        weights: of the sentences, above 0.
        penalty: ridge.
        backends: the origin of the entailment model by lane, if its features are among them.
        provenance: for people.

    Raises:
        InputError: lengths differ, or a number is not finite.
    """
    names = list(features)
    table = np.array([features[one] for one in names], dtype=np.float64).T
    target, shares = np.asarray(labels, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    if target.ndim != 1 or table.shape != (len(target), len(names)) or shares.shape != target.shape:
        raise InputError(f"expected a label and a weight per sentence, got {table.shape!r}, {target.shape!r}")
    if not np.isfinite(table).all() or target.min() == target.max():
        raise InputError("expected finite features and labels of both kinds, got something else")
    shares = shares / shares.sum()
    center = shares @ table
    spread = np.sqrt(shares @ (table - center) ** 2)
    spread[spread < 1e-9] = 1.0
    standard = (table - center) / spread
    kept = list(range(len(names)))
    while True:
        found = ridge_logistic(standard[:, kept], target, penalty, shares=shares, on_bias=1e-9)
        lowest = int(np.argmin(found[1:])) if kept else 0
        if not kept or found[1 + lowest] >= 0:
            break
        del kept[lowest]
    full = np.zeros(len(names))
    full[kept] = found[1:]
    return Curve(
        features=tuple(names),
        center=_rounded(center),
        spread=_rounded(spread),
        weights=_rounded(full),
        bias=round(float(found[0]), 6),
        backends=backends or {},
        provenance=provenance or {},
    )


def _accuracy(fit: Curve, sets: Mapping[str, Sequence[Measured]]) -> float:
    """Balanced accuracy of verdicts on answers, in the mean of the sets."""
    found = [
        balanced_accuracy([flagged(fit, one) for one in own], [one.example.unsupported for one in own])
        for own in sets.values()
    ]
    return float(np.mean([one for one in found if one is not None] or [0.0]))


def left_out(name: str, sets: Mapping[str, Sequence[Measured]]) -> dict[str, Curve]:
    """For each set the fit to the others; the tasks of RAGTruth are left out together."""
    fits: dict[str, Curve] = {}
    for one in sets:
        kin = RAGTRUTH if one in RAGTRUTH else (one,)
        known = next((fits[other] for other in kin if other in fits), None)
        fits[one] = known or learnt(name, {key: rows for key, rows in sets.items() if key not in kin})
    return fits


def score(fit: Curve, found: Measured) -> float:
    """P(some claim of an answer is not supported), by which answers are ranked; the prior of an answer that claims nothing."""
    value = answer_probability([fit.log_odds(sentence.features) for sentence in found.sentences])
    return PRIOR if value is None else value


def flagged(fit: Curve, found: Measured) -> bool:
    """Whether the detector's report says "unsupported": it does of one claim at least."""
    return max((fit.probability(one.features) for one in found.sentences), default=0.0) >= fit.threshold


def _weighted(found: Sequence[Measured]) -> Iterator[tuple[Sentence, float]]:
    """Sentences with their weights, which are 1 for all of a set together.

    Of an unsupported answer whose spans are not labelled, the sentences share the weight of one.
    """
    rows = [
        (sentence, 1.0 if one.example.spans is not None else 1.0 / max(1, len(one.sentences)))
        for one in found
        for sentence in one.sentences
    ]
    totals = {
        label: sum(weight for sentence, weight in rows if sentence.unsupported is label)
        for label in (True, False)
    }
    for sentence, weight in rows:
        yield sentence, 0.5 * weight / totals[sentence.unsupported]


def _rounded(column: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(round(float(number), 6) for number in column)
