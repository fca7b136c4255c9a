"""From novelty and entailment to the probability that a sentence is not supported. Pure functions, and the fits that ship as data.

Every feature grows with doubt. The probability is one at a stated prior: in the fit every set counts the same, and in a set its
supported sentences together as much as its unsupported ones. So 0.5 is the prior, and it says nothing of how common inventions
are elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from guardrail.errors import InputError
from guardrail.requests import Entailment
from guardrail.selfcheck.grounding.novelty import Novelty
from guardrail.selfcheck.grounding.premises import Premise
from guardrail.statistics.fit_files import fingerprint_of, must_be_columns, read

LEXICAL = ("words", "altered", "numbers", "names")
"""Features that need no model."""

ENTAILMENT = ("best", "alone", "contradicted")
"""Features of an entailment model."""

PRIOR = 0.5
"""The share of unsupported sentences at which a fit's probabilities are stated."""

_NEAREST = 0.01  # a model's probabilities nearer to 0 and 1 than this count alike
_EDGE = 1e-6  # how near 0 and 1 a probability comes
_MANY = 2.0  # numbers or names that no document has: from so many on, more add nothing
_COPY = 0.1  # share of new triples from which a sentence is no copy


@dataclass(frozen=True)
class Curve:
    """A logistic curve over features, whose weights are all 0 or more: more doubt never lowers the probability.

    Attributes:
        features: in order.
        center: of the features.
        spread: standard deviations, above 0.
        weights: of the standardised features, in log-odds, 0 or more.
        bias: log-odds of an average sentence.
        threshold: a probability of at least this is unsupported.
        backends: the origin of the entailment model, by lane; empty = none is needed.
        provenance: data, rows, figures; for people.

    Raises:
        InputError: lengths differ, a number is not finite, a spread is 0, or a weight is below 0.
    """

    features: tuple[str, ...]
    center: tuple[float, ...]
    spread: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float
    threshold: float = PRIOR
    backends: Mapping[str, str] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        must_be_columns(self.center, self.spread, self.weights, self.bias, size=len(self.features))
        if min(self.weights) < 0 or not 0 <= self.threshold <= 1:
            raise InputError(f"expected weights of at least 0 and a threshold in [0, 1], got {self!r}")

    @property
    def fingerprint(self) -> str:
        """A hash of all that scores depend on, provenance left out."""
        return fingerprint_of(self)

    def probability(self, features: Mapping[str, float], prior: float = PRIOR) -> float:
        """P(not supported) of a sentence, in (0, 1), where this share of sentences is not supported.

        Raises:
            KeyError: a feature is absent.
        """
        return probability(self.log_odds(features), prior)

    def log_odds(self, features: Mapping[str, float]) -> float:
        """Log-odds that a sentence is not supported, by itself, at the prior of the fit.

        Raises:
            KeyError: a feature is absent.
        """
        columns = zip(self.features, self.center, self.spread, self.weights, strict=True)
        return self.bias + math.fsum(
            weight * (features[name] - center) / spread for name, center, spread, weight in columns
        )


@cache
def packaged_curve(name: str) -> Curve:
    """A fit that comes with the package: "entailment" or "words"."""
    file = f"{name}.json"
    return read(Curve, (files(__package__) / file).read_text(encoding="utf-8"), file)


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
        "best": -_clipped_logit(max(every)),
        "alone": -_clipped_logit(max(alone or every)),
        "contradicted": _clipped_logit(math.fsum(found.contradiction for _, found in read) / len(read)),
    }


def probability(log_odds: float, prior: float = PRIOR) -> float:
    """Log-odds at the prior of a fit as a probability at any other, in (0, 1).

    Example:
        >>> probability(0.0), round(probability(0.0, prior=0.1), 3)
        (0.5, 0.1)
    """
    return _expit(log_odds + _logit(prior) - _logit(PRIOR))


def answer_probability(log_odds: Sequence[float], prior: float = PRIOR) -> float | None:
    """P(some sentence is not supported), in (0, 1), where this share of *answers* is not; `None` without sentences.

    1 − ∏ (1 − P(sentence)), each at the prior 1 − (1 − prior)^(1/n): so an answer is not suspect for being long. It ranks
    answers better than their worst sentence does.

    Args:
        log_odds: of each sentence by itself, at the prior of the fit.
        prior: the share of answers that is expected, in (0, 1).

    Example:
        >>> round(answer_probability([0.0]), 3), round(answer_probability([0.0, 0.0, 0.0]), 3)
        (0.5, 0.5)
        >>> round(answer_probability([3.0, -3.0, -3.0]), 3)
        0.843
    """
    if not log_odds:
        return None
    own = 1 - (1 - prior) ** (1 / len(log_odds))
    supported = math.prod(1 - _expit(one + _logit(own) - _logit(PRIOR)) for one in log_odds)
    return min(1 - _EDGE, max(_EDGE, 1 - supported))


def _clipped_logit(probability: float) -> float:
    return _logit(min(1.0 - _NEAREST, max(_NEAREST, probability)))


def _logit(probability: float) -> float:
    return math.log(probability / (1 - probability))


def _expit(odds: float) -> float:
    return min(1 - _EDGE, max(_EDGE, 0.5 * (1 + math.tanh(odds / 2))))
