"""A model whose posterior is known, as a backend: it answers what a language model answers, from a context that is text.

For tests, and to see a detector at work without weights.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from guardrail.engine.backend import Backend
from guardrail.engine.draws import generator
from guardrail.engine.flow import Answer, Failed, Reason, Reply, Request
from guardrail.errors import ConfigError
from guardrail.phr.pairs import END, Form
from guardrail.report import Example
from guardrail.requests import Distribution, LogProb, Outcomes, Sample


class BernoulliModel(Backend[Request[Any]]):
    """One coin per query, with a Beta prior; queries come from a finite set, uniformly.

    Args:
        queries: the inputs there are, each in one line.
        labels: the two labels.
        prior: a and b of the probability of the second label.
        seed: of all draws.
        form: how pairs are written.

    Raises:
        ConfigError: no queries, one of them twice, labels that are equal, or a prior that is not above 0.
    """

    paid = False
    instant = True
    batch = 256

    def __init__(
        self,
        queries: Sequence[str],
        *,
        labels: tuple[str, str] = ("no", "yes"),
        prior: tuple[float, float] = (1.0, 1.0),
        seed: int = 0,
        form: Form | None = None,
    ) -> None:
        if not queries or len(set(queries)) < len(queries) or len(set(labels)) != 2 or min(prior) <= 0:
            raise ConfigError(
                f"expected distinct queries, two labels and a prior above 0, got {queries!r}, {labels!r}, {prior!r}"
            )
        self.queries = tuple(queries)
        self.labels = labels
        self.prior = prior
        self.seed = seed
        self.form = form or Form()

    @property
    def fingerprint(self) -> str:
        """All parameters."""
        return f"beta-bernoulli:{(self.queries, self.labels, self.prior, self.seed, self.form)!r}"

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
        if query is None and not isinstance(request, Sample):
            return Failed(Reason.REFUSED, "expected a context that ends with a query")
        try:
            if isinstance(request, Sample):
                return Answer(self._drawn(pairs, query, request))
            a, b = self.counts(pairs, query or "")
        except ValueError as error:
            return Failed(Reason.REFUSED, f"the context does not suit {type(self).__name__}: {error}")
        p = a / (a + b)
        if isinstance(request, LogProb):
            label = self.form.read_response(request.continuation)
            if label not in self.labels:
                return Failed(Reason.REFUSED, f"expected one of {self.labels!r}, got {label!r}")
            return Answer(math.log(p if label == self.labels[1] else 1 - p))
        read = [self.form.read_response(label) for label in request.labels]
        begun = tuple(self.labels.index(label) if label in self.labels else None for label in read)
        return Answer(Outcomes(tuple(map(self.form.response, self.labels)), (1 - p, p), begun))

    def counts(self, pairs: Sequence[Example], query: str) -> tuple[float, float]:
        """The a and b of the query's coin, given the pairs."""
        if query not in self.queries:
            raise ValueError(f"expected one of the {len(self.queries)} queries, got {query!r}")
        seen = [self.labels.index(pair.label) for pair in pairs if pair.input == query]
        return self.prior[0] + sum(seen), self.prior[1] + len(seen) - sum(seen)

    def _drawn(self, pairs: Sequence[Example], query: str | None, request: Sample) -> str:
        """A pair, or a label where the context ends with a query; up to the first stop, which is kept."""
        random = generator(request, self.seed)
        asked = self.queries[int(random.integers(len(self.queries)))] if query is None else query
        a, b = self.counts(pairs, asked)
        label = self.labels[int(random.random() < a / (a + b))]
        text = self.form.response(label) + END
        if query is None:
            text = self.form.query(asked) + text
        for stop in filter(None, request.stop):
            text = "".join(text.partition(stop)[:2])
        return text
