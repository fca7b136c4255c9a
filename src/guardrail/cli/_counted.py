"""A backend that reports its progress."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from guardrail.engine.backend import Backend


class Counted(Backend[Any]):
    """Answers as the backend it wraps, and reports how much of the work that was.

    It has no asynchronous form: the command line waits for its answer, without a loop.

    Args:
        inner: the backend.
        done: called with how many requests are answered; from any thread.
    """

    def __init__(self, inner: Backend[Any], done: Callable[[int], None]) -> None:
        self._inner = inner
        self._done = done
        self.batch, self.capacity, self.concurrency = inner.batch, inner.capacity, inner.concurrency
        self.timeout, self.instant, self.paid = inner.timeout, inner.instant, inner.paid

    @property
    def fingerprint(self) -> str:
        """Of what is wrapped."""
        return self._inner.fingerprint

    @property
    def origin(self) -> str:
        """Of what is wrapped."""
        return self._inner.origin

    def answer(self, requests: Sequence[Any]) -> Any:
        """As what is wrapped."""
        replies = self._inner.answer(requests)
        self._done(len(requests))
        return replies

    def group(self, request: Any) -> Hashable:
        """As what is wrapped."""
        return self._inner.group(request)

    def weight(self, request: Any) -> int:
        """As what is wrapped."""
        return self._inner.weight(request)
