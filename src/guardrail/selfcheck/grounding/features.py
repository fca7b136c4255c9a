"""From novelty and entailment to numbers per sentence: every feature grows with doubt. Pure functions."""

from __future__ import annotations

import math
from collections.abc import Sequence

from guardrail.requests import Entailment
from guardrail.selfcheck.grounding.novelty import Novelty
from guardrail.selfcheck.grounding.premises import Premise

__all__ = ["ENTAILMENT", "LEXICAL", "entailment_features", "lexical_features"]

LEXICAL = ("words", "altered", "numbers", "names")
"""Features that need no model."""

ENTAILMENT = ("best", "alone", "contradicted")
"""Features of an entailment model."""

_EDGE = 0.01  # probabilities nearer to 0 and 1 than this count alike
_MANY = 2.0  # numbers or names that no document has: from so many on, more add nothing
_COPY = 0.1  # share of new triples from which a sentence is no copy


def lexical_features(found: Novelty) -> dict[str, float]:
    """`LEXICAL` of a sentence: each in [0, 1], larger = less likely supported.

    `words`: the share of new ones; `altered`: 0 for a copy, 1 from a tenth of new triples on;
    `numbers`, `names`: those that no document has, of which two count as many. The length is no feature: what is long in
    one set is short in another.
    """
    return {
        "words": found.words,
        "altered": min(1.0, found.triples / _COPY),
        "numbers": min(1.0, len(found.numbers) / _MANY),
        "names": min(1.0, len(found.names) / _MANY),
    }


def entailment_features(read: Sequence[tuple[Premise, Entailment]]) -> dict[str, float]:
    """`ENTAILMENT` of a sentence: log-odds against entailment and of contradiction, each within ± 4.6.

    `best`: by the place that entails it most; `alone`: by the single sentence that does; `contradicted`: by the mean
    probability of contradiction over all places.

    Args:
        read: premises with what the model said, at least one; without single sentences `alone` is `best`.
    """
    every = [found.entailment for _, found in read]
    alone = [found.entailment for premise, found in read if premise.kind == "single"]
    return {
        "best": -_logit(max(every)),
        "alone": -_logit(max(alone or every)),
        "contradicted": _logit(math.fsum(found.contradiction for _, found in read) / len(read)),
    }


def _logit(probability: float) -> float:
    value = min(1.0 - _EDGE, max(_EDGE, probability))
    return math.log(value / (1.0 - value))
