"""The events of Anthropic's streams: read, and written from a whole message."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from guardrail.adapting.codec import NotReadable, object_of
from guardrail.adapting.residue import Field, is_wordless, one_of, unrepeated, whole, word
from guardrail.adapting.sse import Event
from guardrail.given.accepted import Json, JsonObject

MESSAGE: Mapping[str, Field] = {
    "id": word,
    "type": one_of("message"),
    "role": one_of("assistant"),
    "model": unrepeated,
    "content": whole,
    "stop_reason": one_of("end_turn"),
    "stop_sequence": lambda sequence, taken: sequence if is_wordless(sequence, taken) else None,
    "usage": word,
}
"""The known fields of a message, and what becomes of them once text was taken out."""


THOUGHTS = frozenset({"thinking", "redacted_thinking"})
"""Types of content blocks that are thinking."""


def told_of(event: Event) -> Json:
    """What an event says.

    Raises:
        NotReadable: it is malformed, or says that something failed.
    """
    told = object_of(event)
    if told.get("type") == "error":
        raise NotReadable("the stream ended in an error", error=told.get("error"))
    return told


def index_of(told: JsonObject) -> int:
    """The number of the content block that an event is about.

    Raises:
        NotReadable: it has none.
    """
    index = told.get("index")
    if not isinstance(index, int):
        raise NotReadable("expected content blocks with an index, got one without")
    return index


def written(told: JsonObject) -> Event:
    """An event."""
    return Event(json.dumps(told), told["type"])


def start(head: JsonObject) -> Json:
    """How a message begins."""
    begun = {
        "type": "message",
        "role": "assistant",
        **head,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }
    return {"type": "message_start", "message": begun}


def ending(body: JsonObject) -> list[Json]:
    """How a message ended."""
    how = {name: body.get(name) for name in ("stop_reason", "stop_sequence")}
    report = {"guardrail": body["guardrail"]} if "guardrail" in body else {}
    ended = {"type": "message_delta", "delta": how, "usage": body.get("usage") or {}, **report}
    return [ended, {"type": "message_stop"}]


def block_events(block: JsonObject, index: int, *, rest: str | None = None) -> Iterator[Json]:
    """A content block; `rest`: its text has begun already, and so much of it is still to be said."""
    blank, deltas = _pieces(block if rest is None else {**block, "text": rest})
    if rest is None:
        yield {"type": "content_block_start", "index": index, "content_block": blank}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _pieces(block: JsonObject) -> tuple[Json, list[Json]]:
    """A block without its content, and the deltas that bring it."""
    match block.get("type"):
        case "text":
            cited = [{"type": "citations_delta", "citation": one} for one in block.get("citations") or ()]
            said = [{"type": "text_delta", "text": block["text"]}] if block["text"] else []
            return {**block, "text": "", **({"citations": []} if cited else {})}, [*said, *cited]
        case "thinking":
            names = (("thinking_delta", "thinking"), ("signature_delta", "signature"))
            deltas = [{"type": kind, name: block[name]} for kind, name in names if block.get(name)]
            return {**block, "thinking": "", "signature": ""}, deltas
        case "tool_use" | "server_tool_use":
            arguments = json.dumps(block.get("input") or {})
            return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": arguments}]
    return dict(block), []
