"""Scores through a guard, as users get them; a model is asked about no pair twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from guardrail import Case, Detector, Guard
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Reply, Request
from guardrail.errors import InputError

__all__ = ["Remembered", "scores"]


class Remembered(Backend[Any]):
    """A backend that answers again what it has answered before.

    Args:
        model: asked about what is new.
    """

    paid = False

    def __init__(self, model: Backend[Any]) -> None:
        self._model = model
        self._said: dict[Request[Any], Reply[Any]] = {}
        self.batch, self.capacity = model.batch, model.capacity

    @property
    def fingerprint(self) -> str:
        """The model's."""
        return self._model.fingerprint

    def weight(self, request: Request[Any]) -> int:
        """As the model says."""
        return self._model.weight(request)

    def answer(self, requests: Sequence[Request[Any]]) -> list[Reply[Any]]:
        """One reply per request, in order."""
        new = [one for one in dict.fromkeys(requests) if one not in self._said]
        if new:
            self._said.update(zip(new, self._model.answer(new), strict=True))
        return [self._said[one] for one in requests]


def scores(
    detector: Detector, cases: Sequence[Case], backends: Mapping[str, Backend[Any]] | None = None
) -> list[list[float]]:
    """One score per sentence of each answer.

    Raises:
        InputError: a sentence has none.
    """
    guard = Guard([detector], backends=backends)
    found = []
    for case in cases:
        report = guard.check(case)
        scores = [finding.score if finding.verdict else 0.0 for finding in report.findings]
        own = [score for score in scores if score is not None]  # what claims nothing is not unsupported
        if report.failures or len(own) != len(report.findings) or not own:
            why = report.failures or [finding.reason for finding in report.findings]
            raise InputError(f"expected a score of every sentence of {case.answer[:60]!r}, got {why!r}")
        found.append(own)
    return found
