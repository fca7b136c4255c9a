"""Fits over several sets, each set left out once; and the two that ship, learnt from all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.grounding.measuring import Measured, Sentence
from benchmarks.grounding.sets import RAGTRUTH
from guardrail.selfcheck.grounding.features import ENTAILMENT, LEXICAL
from guardrail.selfcheck.grounding.fit import PRIOR, Fit, answer_probability, learn
from guardrail.statistics.decisions import balanced_accuracy

__all__ = ["FEATURES", "THRESHOLDS", "flagged", "learnt", "left_out", "score"]

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
) -> Fit:
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
    fit = learn(
        name, features, labels, [weight for _, weight in rows], backend=backend, provenance=provenance
    )
    return max((replace(fit, threshold=one) for one in THRESHOLDS), key=lambda one: _accuracy(one, sets))


def _accuracy(fit: Fit, sets: Mapping[str, Sequence[Measured]]) -> float:
    """Balanced accuracy of verdicts on answers, in the mean of the sets."""
    found = [
        balanced_accuracy([flagged(fit, one) for one in own], [one.example.unsupported for one in own])
        for own in sets.values()
    ]
    return float(np.mean([one for one in found if one is not None] or [0.0]))


def left_out(name: str, sets: Mapping[str, Sequence[Measured]]) -> dict[str, Fit]:
    """For each set the fit to the others; the tasks of RAGTruth are left out together."""
    fits: dict[str, Fit] = {}
    for one in sets:
        kin = RAGTRUTH if one in RAGTRUTH else (one,)
        known = next((fits[other] for other in kin if other in fits), None)
        fits[one] = known or learnt(name, {key: rows for key, rows in sets.items() if key not in kin})
    return fits


def score(fit: Fit, found: Measured) -> float:
    """P(some claim of an answer is not supported), by which answers are ranked; the prior of an answer that claims nothing."""
    value = answer_probability([fit.log_odds(sentence.features) for sentence in found.sentences])
    return PRIOR if value is None else value


def flagged(fit: Fit, found: Measured) -> bool:
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
