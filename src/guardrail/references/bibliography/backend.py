"""The bibliography as a backend of the guard."""

from __future__ import annotations

from collections.abc import Sequence

from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer, Reply
from guardrail.references.bibliography.records import Bibliography, Find, Match

__all__ = ["BibliographyBackend"]


class BibliographyBackend(Backend[Find]):
    """Answers `Find` requests from any `Bibliography`; look-ups of several references share a batch."""

    paid = False
    batch = 64
    concurrency = 2

    def __init__(self, bibliography: Bibliography) -> None:
        self._bibliography = bibliography

    @property
    def fingerprint(self) -> str:
        """The bibliography's."""
        return self._bibliography.fingerprint

    def answer(self, requests: Sequence[Find]) -> Sequence[Reply[Match]]:
        """One match per request, at no cost."""
        matches = self._bibliography.find_all([request.reference for request in requests])
        return [Answer(match) for match in matches]

    def close(self) -> None:
        """Close the bibliography, if it can be closed."""
        close = getattr(self._bibliography, "close", None)
        if close is not None:
            close()
