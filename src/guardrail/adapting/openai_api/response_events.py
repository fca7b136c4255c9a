"""The events of a response's stream: read, and written so that every event that repeats a text is made of the same body."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from guardrail.adapting.codec import NotReadable, items, object_of
from guardrail.adapting.openai_api.response_items import blocks_of
from guardrail.adapting.sse import Event
from guardrail.given.accepted import Json, JsonObject

ENDS = {"response.completed", "response.incomplete", "response.failed"}
_LASTS = {"completed": "response.completed", "failed": "response.failed"}


def told_of(event: Event) -> Json:
    """What an event says.

    Raises:
        NotReadable: it is malformed, or says that something failed.
    """
    told = object_of(event)
    told.setdefault("type", event.name)
    if told["type"] == "error" or (told.get("error") and "response" not in told):
        raise NotReadable("the stream ended in an error", error=told.get("error") or told)
    return told


def numbered(told: Iterable[JsonObject], start: int = 0) -> list[Event]:
    """Events with their numbers in the stream."""
    return [
        Event(json.dumps({**one, "sequence_number": i}), one["type"]) for i, one in enumerate(told, start)
    ]


def opening(body: JsonObject) -> list[Json]:
    """How a response begins."""
    empty = {name: value for name, value in body.items() if name not in {"guardrail", "usage", "output_text"}}
    begun = {**empty, "status": "in_progress", "output": [], "incomplete_details": None, "error": None}
    return [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
    ]


def last(body: JsonObject) -> Json:
    """How a response ended, with all of it."""
    return {"type": _LASTS.get(str(body.get("status")), "response.incomplete"), "response": dict(body)}


def item_events(item: JsonObject, place: int, *, rest: str | None = None) -> Iterator[Json]:
    """An item with its parts.

    Args:
        item: of the output.
        place: its number there.
        rest: of a message whose first text has begun already: what is still to be said of it.
    """
    at = {"output_index": place, "item_id": item.get("id", "")}
    begun = {**item, "status": "in_progress"}
    for name, nothing in (("content", []), ("arguments", ""), ("input", ""), ("summary", [])):
        if name in begun:
            begun[name] = nothing
    if rest is None:
        yield {"type": "response.output_item.added", "output_index": place, "item": begun}
    if item.get("type") == "message":
        for number, block in enumerate(blocks_of(item)):
            yield from block_events(block, {**at, "content_index": number}, None if number else rest)
    elif item.get("type") == "function_call":
        arguments = item.get("arguments", "")
        yield {"type": "response.function_call_arguments.delta", **at, "delta": arguments}
        done = {"type": "response.function_call_arguments.done", **at, "arguments": arguments}
        yield {**done, "name": item.get("name", "")}
    yield {"type": "response.output_item.done", "output_index": place, "item": dict(item)}


def block_events(block: JsonObject, at: JsonObject, rest: str | None = None) -> Iterator[Json]:
    """A content part; `rest` as of an item: the part has begun already.

    Raises:
        NotReadable: it is none.
    """
    if not isinstance(block, Mapping):
        raise NotReadable("expected content parts that are objects, got something else")
    if block.get("type") == "refusal":
        said = block.get("refusal", "")
        empty = {**block, "refusal": ""}
        kind, done = "refusal", {"refusal": said}
        told: Json = {}
    else:
        said = block.get("text", "")
        empty = {**block, "text": "", "annotations": []}
        empty.pop("logprobs", None)
        told = {"logprobs": block.get("logprobs") or []}
        kind, done = "output_text", {"text": said, **told}
    if rest is None:
        yield {"type": "response.content_part.added", **at, "part": empty}
    if left := said if rest is None else rest:
        yield {"type": f"response.{kind}.delta", **at, "delta": left, **told}
    for number, annotation in enumerate(items(block.get("annotations"))):
        yield {
            "type": "response.output_text.annotation.added",
            **at,
            "annotation_index": number,
            "annotation": annotation,
        }
    yield {"type": f"response.{kind}.done", **at, **done}
    yield {"type": "response.content_part.done", **at, "part": dict(block)}
