"""How the test service puts its answers on the wire: in pieces of a network, at a pace, damaged on the way, or a fault in their place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from guardrail.testing.http import HttpExchange

DAMAGES = ("cut", "malformed")
"""Real answers that break off after three quarters: the connection is closed there, or the response ends there as if whole."""
FAULTS = ("rate_limit", "server_error", "timeout", "cut", "malformed", "empty", "content_type")
"""429 with Retry-After, 500, no reply at all, a body cut in half, broken JSON, no choices, a web page."""

_HALF = b'{"id": "chatcmpl-1", "object": "chat.completion", "choices": [{"index": 0, "mess'
_EMPTY = b'{"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m", "choices": []}'
_FIRST = (
    b'data: {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", '
    b'"choices": [{"index": 0, "delta": {"role": "assistant", "content": "Well"}, "finish_reason": null}]}\n\n'
)


def write_whole(exchange: HttpExchange, body: bytes, *, size: int | None, damage: str | None) -> None:
    """A body of JSON.

    Args:
        exchange: the request.
        body: as bytes.
        size: bytes in each piece, and characters beyond ASCII are not escaped, so that they lie across pieces; `None` sends it at
            once, with its length.
        damage: of `DAMAGES`; `None` sends all of it.
    """
    body = body if size is None else _unescaped(body)
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


def write_stream(
    exchange: HttpExchange, events: Iterator[bytes], *, pace: float, size: int | None, damage: str | None
) -> None:
    """Server-sent events; `pace` is the seconds between them, the others as of `write_whole`."""
    if size is not None:
        events = map(_unescaped, events)
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


def _unescaped(sent: bytes) -> bytes:
    """A body or an event with its characters as they are."""
    mark = b"data: {"
    place = sent.find(mark) + len(mark) - 1 if mark in sent else 0
    if sent[place : place + 1] != b"{":
        return sent
    return sent[:place] + json.dumps(json.loads(sent[place:]), ensure_ascii=False).encode() + b"\n\n"


def _most(sent: bytes) -> bytes:
    return sent[: len(sent) * 3 // 4]


def _split(exchange: HttpExchange, sent: bytes, size: int | None) -> None:
    step: Any = size or len(sent)
    for start in range(0, len(sent), step):
        exchange.chunk(sent[start : start + step])


def _finish(exchange: HttpExchange, damage: str | None) -> None:
    if damage == "cut":
        exchange.cut()
    else:
        exchange.end()


def misbehave(exchange: HttpExchange, fault: str, retry_after: str, *, stream: bool) -> None:
    """Answer with a fault of `FAULTS`."""
    if fault == "rate_limit":
        error = (
            b'{"error": {"message": "Rate limit reached", "type": "requests", "code": "rate_limit_exceeded"}}'
        )
        exchange.send(error, status=429, headers=(("retry-after", retry_after),))
    elif fault == "server_error":
        exchange.send(
            b'{"error": {"message": "The server had an error", "type": "server_error"}}', status=500
        )
    elif fault == "timeout":
        pass  # the client waits until it has enough of it
    elif fault == "content_type":
        exchange.send(b"<html><body>502 but nobody said so</body></html>", content_type="text/html")
    elif stream:
        _break_off(exchange, fault)
    elif fault == "cut":
        exchange.send(_HALF, promised=4 * len(_HALF))
        exchange.cut()
    else:
        exchange.send(_HALF if fault == "malformed" else _EMPTY)


def _break_off(exchange: HttpExchange, fault: str) -> None:
    """A stream that is cut, breaks, or never holds a choice."""
    exchange.start("text/event-stream")
    if fault == "cut":
        exchange.chunk(_FIRST)
        exchange.cut()
        return
    exchange.chunk(_FIRST + b"data: " + _HALF if fault == "malformed" else b"data: " + _EMPTY)
    exchange.chunk(b"\n\ndata: [DONE]\n\n")
    exchange.end()
