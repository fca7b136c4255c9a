"""From novelty and entailment to numbers per sentence: every feature grows with doubt. Pure functions."""

from __future__ import annotations

import math
from collections.abc import Sequence

from guardrail.requests import Entailment
from guardrail.selfcheck.grounding.novelty import Novelty
from guardrail.selfcheck.grounding.premises import Premise

__all__ = ["ENTAILMENT", "LEXICAL", "entailment_features", "lexical_features"]

LEXICAL = ("words", "pairs", "triples", "order", "numbers", "names", "length")
"""Features that need no model."""

ENTAILMENT = ("alone", "wide", "together", "mean", "contradicted")
"""Features of an entailment model."""

_EDGE = 0.01  # probabilities nearer to 0 and 1 than this count alike
_MANY = 2.0  # numbers or names that no document has: from so many on, more add nothing
_LONG = 50.0  # words: likewise


def lexical_features(found: Novelty) -> dict[str, float]:
    """`LEXICAL` of a sentence: each in [0, 1], larger = less likely supported.

    Shares of words, pairs and triples are as they are; of unknown numbers and names two count as many; the length grows
    with the logarithm of the words.
    """
    return {
        "words": found.words,
        "pairs": found.pairs,
        "triples": found.triples,
        "order": found.order,
        "numbers": min(1.0, len(found.numbers) / _MANY),
        "names": min(1.0, len(found.names) / _MANY),
        "length": min(1.0, math.log1p(found.length) / math.log1p(_LONG)),
    }


def entailment_features(read: Sequence[tuple[Premise, Entailment]]) -> dict[str, float]:
    """`ENTAILMENT` of a sentence: log-odds against entailment and of contradiction, each within ± 4.6.

    `alone`: by the single sentence that entails it most; `wide`: by the window of neighbours that does; `together`: by the
    best sentences in one text; `mean`: by the mean over all; `contradicted`: by the mean probability of contradiction.

    Args:
        read: premises with what the model said, at least one; a kind that is absent counts as all of them.
    """
    by_kind = {
        name: [found.entailment for premise, found in read if premise.kind in kinds]
        for name, kinds in (("alone", {"single"}), ("wide", {"three", "five"}), ("together", {"together"}))
    }
    every = [found.entailment for _, found in read]
    features: dict[str, float] = {name: -_logit(max(own or every)) for name, own in by_kind.items()}
    features["mean"] = -_logit(math.fsum(every) / len(every))
    features["contradicted"] = _logit(math.fsum(found.contradiction for _, found in read) / len(read))
    return features


def _logit(probability: float) -> float:
    value = min(1.0 - _EDGE, max(_EDGE, probability))
    return math.log(value / (1.0 - value))
