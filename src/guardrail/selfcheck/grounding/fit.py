"""A calibrated curve over the features of a sentence, as data: a small JSON file.

The probability is one at a stated prior: in the fit every set counts the same, and in a set its supported sentences
together as much as its unsupported ones. So 0.5 is the prior, and it says nothing of how common inventions are elsewhere.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from guardrail.errors import InputError
from guardrail.statistics.calibration import ridge_logistic

__all__ = ["PRIOR", "Fit", "answer_probability", "learn", "packaged_fit", "probability"]

PRIOR = 0.5
"""The share of unsupported sentences at which a fit's probabilities are stated."""

PENALTY = 0.003
"""Ridge on the weights of the standardised features, per unit of weight of the rows."""

_FORMAT = 1
_EDGE = 1e-6


@dataclass(frozen=True)
class Fit:
    """A logistic curve whose weights are all 0 or more: more doubt never lowers the probability.

    Attributes:
        name: of the packaged file.
        features: in order.
        center: of the features.
        spread: standard deviations, above 0.
        weights: of the standardised features, in log-odds, 0 or more.
        bias: log-odds of an average sentence.
        threshold: a probability of at least this is unsupported.
        backend: the origin of the entailment model; "" = none is needed.
        provenance: data, rows, figures; for people.

    Raises:
        InputError: lengths differ, a number is not finite, a spread is 0, or a weight is below 0.
    """

    name: str
    features: tuple[str, ...]
    center: tuple[float, ...]
    spread: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float
    threshold: float = PRIOR
    backend: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        columns = (self.center, self.spread, self.weights)
        numbers = [self.bias, self.threshold, *(number for column in columns for number in column)]
        if {len(column) for column in columns} != {len(self.features)} or not all(
            map(math.isfinite, numbers)
        ):
            raise InputError(f"expected one finite number per feature in each column, got {self!r}")
        if min(self.spread) <= 0 or min(self.weights) < 0:
            raise InputError(f"expected spreads above 0 and weights of at least 0, got {self!r}")

    @property
    def fingerprint(self) -> str:
        """A hash of all that scores depend on, provenance left out."""
        content = {key: value for key, value in asdict(self).items() if key != "provenance"}
        return blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=8).hexdigest()

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

    def to_json(self) -> str:
        """The file's text."""
        content = {"format": _FORMAT, **asdict(self)}
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Fit:
        """Read what `to_json` wrote.

        Raises:
            InputError: it is of another form.
        """
        try:
            content = json.loads(text)
            if content.pop("format") != _FORMAT:
                raise InputError(f"expected format {_FORMAT} of a grounding fit: update guardrail-sdk")
            lists = {name: tuple(content[name]) for name in ("features", "center", "spread", "weights")}
            return cls(**{**content, **lists})
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"expected a grounding fit, got {type(error).__name__}: {error}") from error


def learn(
    name: str,
    features: Mapping[str, ArrayLike],
    labels: ArrayLike,
    weights: ArrayLike,
    *,
    penalty: float = PENALTY,
    backend: str = "",
    provenance: Mapping[str, Any] | None = None,
) -> Fit:
    """Fit the curve to labelled sentences.

    Features whose weight would fall below 0 are left out one after another, the most negative first: what raises
    doubt must not lower the probability.

    Args:
        name: of the fit.
        features: per name one finite number per sentence.
        labels: true = not supported; both must occur.
        weights: of the sentences, above 0.
        penalty: ridge.
        backend: the origin of the entailment model, if its features are among them.
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
    return Fit(
        name=name,
        features=tuple(names),
        center=_rounded(center),
        spread=_rounded(spread),
        weights=_rounded(full),
        bias=round(float(found[0]), 6),
        backend=backend,
        provenance=provenance or {},
    )


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


@cache
def packaged_fit(name: str) -> Fit:
    """A fit that comes with the package: "entailment" or "words"."""
    return Fit.from_json((files(__package__) / f"{name}.json").read_text(encoding="utf-8"))


def _logit(probability: float) -> float:
    return math.log(probability / (1 - probability))


def _expit(odds: float) -> float:
    return min(1 - _EDGE, max(_EDGE, 0.5 * (1 + math.tanh(odds / 2))))


def _rounded(column: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(round(float(number), 6) for number in column)
