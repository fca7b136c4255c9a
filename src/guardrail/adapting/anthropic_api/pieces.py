"""A message's stream whose text is released in pieces.

The first text goes out as it is examined. Blocks come in order, so a message that begins with anything else (a search, a
tool) waits for its end. So does thinking, unless nothing of it is shown but its signature.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from guardrail.adapting.anthropic_api.events import (
    MESSAGE,
    THOUGHTS,
    block_events,
    ending,
    start,
    told_of,
    written,
)
from guardrail.adapting.codec import NotReadable, Piecewise
from guardrail.adapting.reasoning import sealed
from guardrail.adapting.residue import GONE, unspoken
from guardrail.adapting.sse import Event
from guardrail.given.accepted import Json, JsonObject

_KNOWN = {"text_delta", "citations_delta", "thinking_delta", "signature_delta", "input_json_delta"}


class MessagePieces(Piecewise):
    """One stream of a message.

    Args:
        request: the body that the application sent.
        silent: whether thinking is shown without its words.
    """

    def __init__(self, request: JsonObject, *, silent: bool = False) -> None:
        self._request = request
        self._silent = silent
        self._head: Json | None = None
        self._before: list[Json] = []  # thinking, as it came
        self._blank: Json | None = None

    def said(self, event: Event) -> str | None:
        """The text of all text blocks, of which only the first one is released in pieces."""
        told = told_of(event)
        kind = told.get("type")
        if kind == "message_start":
            return self._opened(told.get("message"))
        if kind == "content_block_start":
            return self._block(told.get("content_block"), told.get("index"))
        if kind == "content_block_delta":
            if self._blank is None and self._before:
                return self._thinks(told.get("delta"))
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
        if self._silent and block.get("type") in THOUGHTS and index == len(self._before):
            self._before.append(dict(block))
            return ""
        self._blank = {name: block[name] for name in ("type", "text", "citations") if name in block}
        is_blank = block.get("text") == "" and not block.get("citations")
        return "" if is_text and index == len(self._before) and is_blank else None

    def _thinks(self, delta: Any) -> str | None:
        """What of thinking is shown: its signature."""
        if not isinstance(delta, Mapping) or delta.get("type") not in {"thinking_delta", "signature_delta"}:
            return None
        block = self._before[-1]
        block.setdefault("thinking", "")
        if isinstance(signature := delta.get("signature"), str):
            block["signature"] = str(block.get("signature") or "") + signature
        return ""

    @property
    def _silences(self) -> list[Json]:
        """Thinking as it is shown."""
        return [kept for block in self._before if (kept := sealed(block)) is not GONE]

    def begin(self) -> list[Event]:
        """The message, thinking without its words, and the text block, still empty."""
        thoughts = [one for i, block in enumerate(self._silences) for one in block_events(block, i)]
        opened = {"type": "content_block_start", "index": len(self._silences), "content_block": self._blank}
        return [written(one) for one in (start(self._head or {}), *thoughts, opened)]

    def saying(self, text: str) -> list[Event]:
        """A delta."""
        delta = {"type": "text_delta", "text": text}
        return [written({"type": "content_block_delta", "index": len(self._silences), "delta": delta})]

    def continued(self, body: JsonObject, released: str, rest: str | None) -> list[Event]:
        """What is left of the text, the other blocks, and how it ended.

        Raises:
            NotReadable: the message begins with another block than its stream.
        """
        content: Sequence[Any] = body["content"]
        before, at = self._silences, len(self._silences)
        if rest is None:
            content, rest = [*before, {"type": "text", "text": released}], ""
        text = content[at] if len(content) > at else {}
        if content[:at] != before or text.get("type") != "text" or text.get("text") != released + rest:
            raise NotReadable("expected a message with the blocks of its stream, got other ones")
        told = [one for i, block in enumerate(content[at + 1 :], at + 1) for one in block_events(block, i)]
        return [written(one) for one in (*block_events(text, at, rest=rest), *told, *ending(body))]


def _delta(delta: Any) -> str | None:
    if not isinstance(delta, Mapping) or str(delta.get("type")) not in _KNOWN:
        return None
    if delta["type"] != "text_delta":
        return ""
    text = delta.get("text")
    return text if isinstance(text, str) else None
