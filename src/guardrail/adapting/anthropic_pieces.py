"""A message's stream whose text is released in pieces.

The first content block goes out as it is examined, if it is a text. A message that begins with anything else (thinking, a
search) waits for its end: blocks come in order, and thinking may say what the answer then leaves out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from guardrail.adapting.anthropic_events import (
    MESSAGE,
    Json,
    block_events,
    ending,
    start,
    told_of,
    written,
)
from guardrail.adapting.openai_api import NotReadable, Piecewise
from guardrail.adapting.residue import unspoken
from guardrail.adapting.sse import Event

__all__ = ["MessagePieces"]

_KNOWN = {"text_delta", "citations_delta", "thinking_delta", "signature_delta", "input_json_delta"}


class MessagePieces(Piecewise):
    """One stream of a message.

    Args:
        request: the body that the application sent.
    """

    def __init__(self, request: Mapping[str, Any]) -> None:
        self._request = request
        self._head: Json | None = None
        self._blank: Json | None = None

    def said(self, event: Event) -> str | None:
        """The text of all text blocks, of which only the first one is released in pieces."""
        try:
            told = told_of(event)
        except NotReadable:
            return None
        kind = told.get("type")
        if kind == "message_start":
            return self._opened(told.get("message"))
        if kind == "content_block_start":
            return self._block(told.get("content_block"), told.get("index"))
        if kind == "content_block_delta":
            return _delta(told.get("delta"))
        return ""  # of what is not known, clients take no notice

    def _opened(self, message: Any) -> str | None:
        if not isinstance(message, Mapping) or message.get("content"):
            return None
        known = {name: value for name, value in message.items() if name in MESSAGE}
        self._head = unspoken(known, self._request)
        return ""

    def _block(self, block: Any, index: Any) -> str | None:
        if not isinstance(block, Mapping) or self._head is None:
            return None
        is_text = block.get("type") == "text"
        if self._blank is not None:
            return None if is_text else ""
        self._blank = {name: block[name] for name in ("type", "text", "citations") if name in block}
        is_blank = block.get("text") == "" and not block.get("citations")
        return "" if is_text and index == 0 and is_blank else None

    def begin(self) -> list[Event]:
        """The message and its text block, both still empty."""
        opened = {"type": "content_block_start", "index": 0, "content_block": self._blank}
        return [written(start(self._head or {})), written(opened)]

    def saying(self, text: str) -> list[Event]:
        """A delta."""
        delta = {"type": "text_delta", "text": text}
        return [written({"type": "content_block_delta", "index": 0, "delta": delta})]

    def continued(self, body: Mapping[str, Any], released: str, rest: str | None) -> list[Event]:
        """What is left of the text, the other blocks, and how it ended.

        Raises:
            NotReadable: the message begins with another block than its stream.
        """
        content: Sequence[Any] = body["content"]
        if rest is None:
            content, rest = [{"type": "text", "text": released}], ""
        if content[0].get("type") != "text" or content[0].get("text") != released + rest:
            raise NotReadable("expected a message with the blocks of its stream, got other ones")
        told = [one for i, block in enumerate(content[1:], 1) for one in block_events(block, i)]
        return [written(one) for one in (*block_events(content[0], 0, rest=rest), *told, *ending(body))]


def _delta(delta: Any) -> str | None:
    if not isinstance(delta, Mapping) or str(delta.get("type")) not in _KNOWN:
        return None
    if delta["type"] != "text_delta":
        return ""
    text = delta.get("text")
    return text if isinstance(text, str) else None
