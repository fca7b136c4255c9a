"""How the test service misbehaves."""

from __future__ import annotations

from guardrail.testing.http import HttpExchange

__all__ = ["FAULTS", "misbehave"]

FAULTS = ("rate_limit", "server_error", "timeout", "cut", "malformed", "empty", "content_type")
"""429 with Retry-After, 500, no reply at all, a body cut in half, broken JSON, no choices, a web page."""

_HALF = b'{"id": "chatcmpl-1", "object": "chat.completion", "choices": [{"index": 0, "mess'
_EMPTY = b'{"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m", "choices": []}'
_FIRST = (
    b'data: {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", '
    b'"choices": [{"index": 0, "delta": {"role": "assistant", "content": "Well"}, "finish_reason": null}]}\n\n'
)


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
