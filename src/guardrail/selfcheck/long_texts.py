"""Work on long texts beside the event loop; on short ones where it stands, for a thread would cost more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from guardrail.engine.flow import Flow, compute

__all__ = ["aside", "size_of"]

T = TypeVar("T")
_MUCH = 5_000  # characters and pairs: some milliseconds


def aside(size: int, function: Callable[..., T], *arguments: Any) -> Flow[T]:
    """What takes long leaves the event loop alone.

    Args:
        size: how much there is to be done: characters that are split, and pairs.
        function: a pure one.
        arguments: its.
    """
    if size > _MUCH:
        return (yield from compute(function, *arguments))
    return function(*arguments)


def size_of(sentences: Sequence[str], texts: Sequence[str]) -> int:
    """For `aside`: of sentences that are each compared with all texts."""
    return sum(map(len, texts)) + len(sentences) * len(texts)
