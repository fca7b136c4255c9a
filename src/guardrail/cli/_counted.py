"""A backend that tells how far it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["Counted"]


class Counted:
    """Answers as what it wraps, and tells how much of the work that was.

    Args:
        inner: the backend.
        done: is told how many pieces of work are done; from any thread.
        worth: how many a request and its reply are; by default every one is one.
    """

    aanswer = None  # the command line waits for its answer, without a loop

    def __init__(
        self, inner: Any, done: Callable[[int], None], worth: Callable[[Any, Any], int] | None = None
    ) -> None:
        self._inner = inner
        self._done = done
        self._worth = worth

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    @property
    def fingerprint(self) -> str:
        """Of what is wrapped."""
        return str(self._inner.fingerprint)

    def answer(self, requests: Sequence[Any]) -> Any:
        """As what is wrapped."""
        replies = self._inner.answer(requests)
        if self._worth is None:
            self._done(len(requests))
        else:
            self._done(sum(map(self._worth, requests, replies)))
        return replies

    def group(self, request: Any) -> Any:
        """As what is wrapped."""
        return self._inner.group(request)

    def weight(self, request: Any) -> int:
        """As what is wrapped."""
        return int(self._inner.weight(request))
