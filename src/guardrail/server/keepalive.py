"""Signs of life in a stream that is held back: without one, proxies and clients take it for dead."""

from __future__ import annotations

import json
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["comment", "chunk", "off"]
_COMMENT = (
    b": keep-alive\n"  # one newline: a blank line after an `id:` makes OpenAI's client read an empty event
)
_PING = b'event: ping\ndata: {"type": "ping"}\n\n'
_CHUNK = {
    "id": "chatcmpl-keepalive",
    "object": "chat.completion.chunk",
    "created": 0,
    "model": "",
    "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": None}],
}


def sign(kind: Kind, path: str) -> bytes:
    """What is sent now and then, b"" for nothing.

    Anthropic's protocol has an event for it. The Responses API has none that may come before `response.created`, so there a
    comment is sent for a chunk.
    """
    if kind == "off":
        return b""
    if path.startswith("/v1/messages"):
        return _PING
    if kind == "chunk" and path == "/v1/chat/completions":
        return b"data: " + json.dumps(_CHUNK).encode() + b"\n\n"
    return _COMMENT
