"""The conjugate models as backends: they answer what a language model answers, from a context that is text.

For tests, for benchmarks, and to see a detector at work without weights.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from guardrail.engine.backend import Backend
from guardrail.engine.draws import generator
from guardrail.engine.flow import Answer, Failed, Reason, Reply, Request
from guardrail.errors import ConfigError
from guardrail.phr.conjugate import Posterior
from guardrail.phr.pairs import END, Form
from guardrail.report import Example
from guardrail.requests import Distribution, LogProb, Outcomes, Sample

__all__ = ["BernoulliModel", "RegressionModel"]


class _Model(Backend[Request[Any]]):
    """Reads the context, asks the model, cuts what it draws at the first stop."""

    paid = False
    instant = True
    batch = 256

    def __init__(self, *, seed: int, form: Form | None) -> None:
        self.seed = seed
        self.form = form or Form()

    def answer(self, requests: Sequence[Request[Any]]) -> list[Reply[Any]]:
        """One reply per request, in order."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request[Any]) -> Reply[Any]:
        if not isinstance(request, Sample | LogProb | Distribution):
            return Failed(Reason.MISSING, f"{type(self).__name__} answers no {type(request).__name__}")
        text = request.context + (request.query if isinstance(request, Distribution) else "")
        preamble, pairs, query = self.form.split(text)
        if preamble:
            return Failed(Reason.REFUSED, f"expected a context of pairs and a query, got {text[-80:]!r}")
        try:
            return self._reply(request, pairs, query)
        except ValueError as error:
            return Failed(Reason.REFUSED, f"the context does not suit {type(self).__name__}: {error}")

    def _reply(
        self, request: Sample | LogProb | Distribution, pairs: Sequence[Example], query: str | None
    ) -> Reply[Any]:
        if isinstance(request, Sample):
            random = generator(request, self.seed)
            if query is None:
                found = self._imagine(pairs, random)
                return Answer(_stopped(self.form.pair(found), request.stop))
            return Answer(
                _stopped(self.form.response(self._respond(pairs, query, random)) + END, request.stop)
            )
        if query is None:
            return Failed(Reason.REFUSED, "expected a context that ends with a query")
        if isinstance(request, LogProb):
            return self._score(pairs, query, self.form.read_response(request.continuation))
        return self._spread(pairs, query, request.labels)

    def _imagine(self, pairs: Sequence[Example], random: np.random.Generator) -> Example:
        raise NotImplementedError

    def _respond(self, pairs: Sequence[Example], query: str, random: np.random.Generator) -> str:
        raise NotImplementedError

    def _score(self, pairs: Sequence[Example], query: str, label: str) -> Reply[float]:
        raise NotImplementedError

    def _spread(self, pairs: Sequence[Example], query: str, labels: Sequence[str]) -> Reply[Outcomes]:
        raise NotImplementedError


def _stopped(text: str, stops: Sequence[str]) -> str:
    ends = [found + len(stop) for stop in stops if stop and (found := text.find(stop)) >= 0]
    return text[: min(ends)] if ends else text


class RegressionModel(_Model):
    """Bayesian linear regression with known noise; inputs and labels are numbers, written as text.

    Answers `Sample` (a pair, or a label behind a query) and `LogProb` (log-density of a label); a distribution over
    single labels it does not have.

    Args:
        noise: σ of the labels.
        deviation: prior standard deviation of each coefficient.
        inputs: how many numbers an input has; they are separated by blanks.
        intercept: whether there is a constant besides.
        edge: imagined inputs are uniform between −edge and edge.
        seed: of all draws.
        form: how pairs are written.
    """

    def __init__(
        self,
        *,
        noise: float = 0.5,
        deviation: float = 1.0,
        inputs: int = 1,
        intercept: bool = True,
        edge: float = 2.0,
        seed: int = 0,
        form: Form | None = None,
    ) -> None:
        super().__init__(seed=seed, form=form)
        if not (noise > 0 and deviation > 0 and edge > 0 and inputs >= 1):
            raise ConfigError(
                f"expected noise, deviation, edge above 0 and 1 input or more, got {noise!r}, {deviation!r}, "
                f"{edge!r}, {inputs!r}"
            )
        self.noise = noise
        self.deviation = deviation
        self.inputs = inputs
        self.intercept = intercept
        self.edge = edge

    @property
    def fingerprint(self) -> str:
        """All parameters."""
        parts = (self.noise, self.deviation, self.inputs, self.intercept, self.edge, self.seed, self.form)
        return f"regression:{parts!r}"

    def features(self, text: str) -> list[float]:
        """The numbers of an input, with the constant before them."""
        found = [float(word) for word in text.split()]
        if len(found) != self.inputs or not all(map(math.isfinite, found)):
            raise ValueError(f"expected {self.inputs} finite numbers, got {text!r}")
        return [1.0, *found] if self.intercept else found

    def posterior(self, pairs: Sequence[Example]) -> Posterior:
        """Given so many pairs."""
        size = self.inputs + self.intercept
        found = Posterior.prior(size, deviation=self.deviation, noise=self.noise)
        if not pairs:
            return found
        x = np.array([self.features(pair.input) for pair in pairs])
        y = np.array([float(pair.label) for pair in pairs])
        covariance = np.linalg.inv(np.eye(size) / self.deviation**2 + x.T @ x / self.noise**2)
        return Posterior(covariance @ (x.T @ y) / self.noise**2, covariance, self.noise)

    def _normal(self, pairs: Sequence[Example], query: str) -> tuple[float, float]:
        mean, variance = self.posterior(pairs).predict(self.features(query))
        return float(mean), math.sqrt(float(variance) + self.noise**2)

    def _imagine(self, pairs: Sequence[Example], random: np.random.Generator) -> Example:
        text = " ".join(repr(x) for x in random.uniform(-self.edge, self.edge, self.inputs).tolist())
        return Example(input=text, label=self._respond(pairs, text, random))

    def _respond(self, pairs: Sequence[Example], query: str, random: np.random.Generator) -> str:
        return repr(float(random.normal(*self._normal(pairs, query))))

    def _score(self, pairs: Sequence[Example], query: str, label: str) -> Reply[float]:
        mean, spread = self._normal(pairs, query)
        standard = (float(label) - mean) / spread
        return Answer(-0.5 * standard * standard - math.log(spread * math.sqrt(2 * math.pi)))

    def _spread(self, pairs: Sequence[Example], query: str, labels: Sequence[str]) -> Reply[Outcomes]:
        del pairs, query, labels
        return Failed(Reason.REFUSED, "labels are continuous: there is no distribution over single ones")


class BernoulliModel(_Model):
    """One coin per query, with a Beta prior; queries come from a finite set, uniformly.

    Args:
        queries: the inputs there are, each in one line.
        labels: the two labels.
        prior: a and b of the probability of the second label.
        seed: of all draws.
        form: how pairs are written.
    """

    def __init__(
        self,
        queries: Sequence[str],
        *,
        labels: tuple[str, str] = ("no", "yes"),
        prior: tuple[float, float] = (1.0, 1.0),
        seed: int = 0,
        form: Form | None = None,
    ) -> None:
        super().__init__(seed=seed, form=form)
        if not queries or len(set(queries)) < len(queries) or len(set(labels)) != 2 or min(prior) <= 0:
            raise ConfigError(
                f"expected distinct queries, two labels and a prior above 0, got {queries!r}, {labels!r}, {prior!r}"
            )
        self.queries = tuple(queries)
        self.labels = labels
        self.prior = prior

    @property
    def fingerprint(self) -> str:
        """All parameters."""
        return f"beta-bernoulli:{(self.queries, self.labels, self.prior, self.seed, self.form)!r}"

    def counts(self, pairs: Sequence[Example], query: str) -> tuple[float, float]:
        """The a and b of the query's coin, given the pairs."""
        if query not in self.queries:
            raise ValueError(f"expected one of the {len(self.queries)} queries, got {query!r}")
        seen = [self.labels.index(pair.label) for pair in pairs if pair.input == query]
        return self.prior[0] + sum(seen), self.prior[1] + len(seen) - sum(seen)

    def _chance(self, pairs: Sequence[Example], query: str) -> float:
        a, b = self.counts(pairs, query)
        return a / (a + b)

    def _imagine(self, pairs: Sequence[Example], random: np.random.Generator) -> Example:
        query = self.queries[int(random.integers(len(self.queries)))]
        return Example(input=query, label=self._respond(pairs, query, random))

    def _respond(self, pairs: Sequence[Example], query: str, random: np.random.Generator) -> str:
        return self.labels[int(random.random() < self._chance(pairs, query))]

    def _score(self, pairs: Sequence[Example], query: str, label: str) -> Reply[float]:
        if label not in self.labels:
            return Failed(Reason.REFUSED, f"expected one of {self.labels!r}, got {label!r}")
        p = self._chance(pairs, query)
        return Answer(math.log(p if label == self.labels[1] else 1 - p))

    def _spread(self, pairs: Sequence[Example], query: str, labels: Sequence[str]) -> Reply[Outcomes]:
        p = self._chance(pairs, query)
        read = [self.form.read_response(label) for label in labels]
        begun = tuple(self.labels.index(label) if label in self.labels else None for label in read)
        return Answer(Outcomes(tuple(map(self.form.response, self.labels)), (1 - p, p), begun))
