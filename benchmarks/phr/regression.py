"""Bayesian linear regression as a backend: it answers what a language model answers, from a context that is text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.phr.conjugate import Posterior
from guardrail.engine.backend import Backend
from guardrail.engine.draws import generator
from guardrail.engine.flow import Answer, Failed, Reason, Reply, Request
from guardrail.errors import ConfigError
from guardrail.phr import Form
from guardrail.phr.pairs import END
from guardrail.report import Example
from guardrail.requests import LogProb, Sample

__all__ = ["RegressionModel"]


class RegressionModel(Backend[Request[Any]]):
    """Constant and slope N(0, 1), known noise; inputs and labels are numbers, written as text.

    Answers `Sample` (a pair, or a label behind a query) and `LogProb` (log-density of a label).

    Args:
        noise: σ of the labels.
        edge: imagined inputs are uniform between −edge and edge.
        seed: of all draws.
    """

    paid = False
    instant = True
    batch = 256

    def __init__(self, *, noise: float = 0.5, edge: float = 2.0, seed: int = 0) -> None:
        if not (noise > 0 and edge > 0):
            raise ConfigError(f"expected noise and edge above 0, got {noise!r}, {edge!r}")
        self.noise, self.edge, self.seed = noise, edge, seed
        self._form = Form()

    @property
    def fingerprint(self) -> str:
        """All parameters."""
        return f"regression:{(self.noise, self.edge, self.seed)!r}"

    def answer(self, requests: Sequence[Request[Any]]) -> list[Reply[Any]]:
        """One reply per request, in order."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request[Any]) -> Reply[Any]:
        if not isinstance(request, Sample | LogProb):
            return Failed(Reason.MISSING, "labels are continuous: there is no distribution over single ones")
        preamble, pairs, query = self._form.split(request.context)
        if preamble:
            return Failed(Reason.REFUSED, f"expected pairs and a query, got {preamble!r}")
        try:
            if isinstance(request, Sample):
                return Answer(self._drawn(pairs, query, request))
            mean, spread = self._normal(pairs, query or "")
            standard = (float(self._form.read_response(request.continuation)) - mean) / spread
        except ValueError as error:
            return Failed(Reason.REFUSED, f"expected pairs of numbers and a query: {error}")
        return Answer(-0.5 * standard * standard - math.log(spread * math.sqrt(2 * math.pi)))

    def _drawn(self, pairs: Sequence[Example], query: str | None, request: Sample) -> str:
        random = generator(request, self.seed)
        x = repr(random.uniform(-self.edge, self.edge)) if query is None else query
        text = self._form.response(repr(float(random.normal(*self._normal(pairs, x))))) + END
        if query is None:
            text = self._form.query(x) + text
        for stop in request.stop:
            text = "".join(text.partition(stop)[:2])
        return text

    def posterior(self, pairs: Sequence[Example]) -> Posterior:
        """Given so many pairs."""
        if not pairs:
            return Posterior.prior(2, deviation=1.0, noise=self.noise)
        x = np.array([[1.0, float(pair.input)] for pair in pairs])
        y = np.array([float(pair.label) for pair in pairs])
        covariance = np.linalg.inv(np.eye(2) + x.T @ x / self.noise**2)
        return Posterior(covariance @ (x.T @ y) / self.noise**2, covariance, self.noise)

    def _normal(self, pairs: Sequence[Example], query: str) -> tuple[float, float]:
        mean, variance = self.posterior(pairs).predict([1.0, float(query)])
        return float(mean), math.sqrt(float(variance) + self.noise**2)
