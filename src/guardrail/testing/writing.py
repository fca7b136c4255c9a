"""How the test service puts its answers on the wire: in pieces of a network, at a pace, and damaged on the way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from guardrail.testing.http import Exchange

__all__ = ["DAMAGES", "stream", "whole"]

DAMAGES = ("cut", "malformed")
"""Real answers that break off after three quarters: the connection is closed there, or the response ends there as if whole."""


def whole(exchange: Exchange, body: bytes, *, size: int | None, damage: str | None) -> None:
    """A body of JSON.

    Args:
        exchange: the request.
        body: as bytes.
        size: bytes in each piece; `None` sends it at once, with its length.
        damage: of `DAMAGES`; `None` sends all of it.
    """
    sent = body if damage is None else _most(body)
    if size is None and damage != "cut":
        exchange.send(sent)
        return
    if size is None:
        exchange.send(sent, promised=len(body))
    else:
        exchange.start("application/json")
        _split(exchange, sent, size)
    _finish(exchange, damage)


def stream(
    exchange: Exchange, events: Iterator[bytes], *, pace: float, size: int | None, damage: str | None
) -> None:
    """Server-sent events; `pace` is the seconds between them, the others as of `whole`."""
    if damage is not None:
        events = iter([_most(b"".join(events))])
    exchange.start("text/event-stream")

    def following() -> None:
        for event in events:
            _split(exchange, event, size)
            if pace > 0:
                exchange.later(pace, following)
                return
        _finish(exchange, damage)

    following()


def _most(sent: bytes) -> bytes:
    return sent[: len(sent) * 3 // 4]


def _split(exchange: Exchange, sent: bytes, size: int | None) -> None:
    step: Any = size or len(sent)
    for start in range(0, len(sent), step):
        exchange.chunk(sent[start : start + step])


def _finish(exchange: Exchange, damage: str | None) -> None:
    if damage == "cut":
        exchange.cut()
    else:
        exchange.end()
