"""A whole response as the events of a stream: every event that repeats a text is made of the same body."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from guardrail.adapting.sse import Event

__all__ = ["response_events"]

_LASTS = {"completed": "response.completed", "failed": "response.failed"}


def response_events(body: Mapping[str, Any]) -> list[Event]:
    """The events: created, each item with its parts, and how it ended."""
    empty = {name: value for name, value in body.items() if name not in {"guardrail", "usage", "output_text"}}
    begun = {**empty, "status": "in_progress", "output": [], "incomplete_details": None, "error": None}
    told: list[dict[str, Any]] = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
    ]
    for place, item in enumerate(body["output"]):
        told += _item(item, place)
    told.append({"type": _LASTS.get(str(body.get("status")), "response.incomplete"), "response": dict(body)})
    return [Event(json.dumps({**one, "sequence_number": i}), one["type"]) for i, one in enumerate(told)]


def _item(item: Mapping[str, Any], place: int) -> Iterator[dict[str, Any]]:
    at = {"output_index": place, "item_id": item.get("id", "")}
    begun = {**item, "status": "in_progress"}
    for name, nothing in (("content", []), ("arguments", ""), ("input", ""), ("summary", [])):
        if name in begun:
            begun[name] = nothing
    yield {"type": "response.output_item.added", "output_index": place, "item": begun}
    if item.get("type") == "message":
        for number, block in enumerate(item.get("content") or ()):
            yield from _block(block, {**at, "content_index": number})
    elif item.get("type") == "function_call":
        arguments = item.get("arguments", "")
        yield {"type": "response.function_call_arguments.delta", **at, "delta": arguments}
        done = {"type": "response.function_call_arguments.done", **at, "arguments": arguments}
        yield {**done, "name": item.get("name", "")}
    yield {"type": "response.output_item.done", "output_index": place, "item": dict(item)}


def _block(block: Mapping[str, Any], at: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    if block.get("type") == "refusal":
        said = block.get("refusal", "")
        empty = {**block, "refusal": ""}
        kind, done = "refusal", {"refusal": said}
        told: dict[str, Any] = {}
    else:
        said = block.get("text", "")
        empty = {**block, "text": "", "annotations": []}
        empty.pop("logprobs", None)
        told = {"logprobs": block.get("logprobs") or []}
        kind, done = "output_text", {"text": said, **told}
    yield {"type": "response.content_part.added", **at, "part": empty}
    if said:
        yield {"type": f"response.{kind}.delta", **at, "delta": said, **told}
    for number, annotation in enumerate(block.get("annotations") or ()):
        yield {
            "type": "response.output_text.annotation.added",
            **at,
            "annotation_index": number,
            "annotation": annotation,
        }
    yield {"type": f"response.{kind}.done", **at, **done}
    yield {"type": "response.content_part.done", **at, "part": dict(block)}
