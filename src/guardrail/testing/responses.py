"""The Responses API of the test service."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from guardrail.given.accepted import Json, JsonObject
from guardrail.requests import Completion
from guardrail.testing.completions import Cut, words

_BLANK: JsonObject = {"text": "", "annotations": [], "logprobs": []}


def asked(body: JsonObject) -> Json:
    """A request of the Responses API as one of chat completions; the marker `responses` says what it was."""
    given = body["input"]
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    first = [{"role": "system", "content": body["instructions"]}] if body.get("instructions") else []
    messages = [{"role": item["role"], "content": item["content"]} for item in items if "role" in item]
    return {**body, "messages": [*first, *messages], "n": 1, "responses": True}


def response(
    head: JsonObject,
    said: Completion,
    message: JsonObject,
    usage: Mapping[str, int],
    body: JsonObject,
) -> Json:
    """The body of a response.

    Args:
        head: id, time and model.
        said: the text.
        message: an assistant message as chat completions write it; its tool calls and refusal become items.
        usage: as chat completions count it.
        body: of the request.
    """
    output: list[Json] = []
    if message.get("reasoning_content"):
        summary = [{"type": "summary_text", "text": message["reasoning_content"]}]
        output.append({"type": "reasoning", "id": "rs_1", "summary": summary})
    blocks: list[Json] = []
    if said.text:
        tokens = [
            {"token": word, "logprob": -0.125, "bytes": [], "top_logprobs": []} for word in words(said.text)
        ]
        wanted = "message.output_text.logprobs" in (body.get("include") or ())
        blocks.append(
            {
                "type": "output_text",
                "text": said.text,
                "annotations": [
                    {"type": one["type"], **one[one["type"]]} for one in message.get("annotations") or ()
                ],
                "logprobs": tokens if wanted else [],
            }
        )
    if message.get("refusal"):
        blocks.append({"type": "refusal", "refusal": message["refusal"]})
    if blocks:
        output.append(
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": blocks}
        )
    for call in message.get("tool_calls") or ():
        output.append(
            {"type": "function_call", "id": f"fc_{call['id']}", "call_id": call["id"], "status": "completed"}
        )
        output[-1] |= call["function"]
    counted = {"input_tokens": usage["prompt_tokens"], "output_tokens": usage["completion_tokens"]}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    return {
        "id": str(head["id"]).replace("chatcmpl", "resp"),
        "object": "response",
        "created_at": head["created"],
        "model": head["model"],
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": body.get("instructions"),
        "metadata": {},
        "output": output,
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": body.get("tools") or [],
        "top_p": 1.0,
        "text": body.get("text") or {"format": {"type": "text"}},
        "usage": {**counted, **details, "total_tokens": usage["total_tokens"]},
    }


def response_stream(whole: JsonObject, cut: Cut = words) -> Iterator[bytes]:
    """Its events; `cut` cuts texts into pieces. The last ones repeat the whole text, as the service's do."""
    number = 0

    def event(kind: str, **more: Any) -> bytes:
        nonlocal number
        told = json.dumps({"type": kind, "sequence_number": number, **more})
        number += 1
        return f"event: {kind}\ndata: {told}\n\n".encode()

    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    yield event("response.created", response=begun)
    yield event("response.in_progress", response=begun)
    for place, item in enumerate(whole["output"]):
        yield event(
            "response.output_item.added",
            output_index=place,
            item={**item, "content": [], "status": "in_progress"},
        )
        for index, block in enumerate(item.get("content") or ()):
            at = {"item_id": item["id"], "output_index": place, "content_index": index}
            if block["type"] != "output_text":
                continue
            yield event("response.content_part.added", **at, part={**block, **_BLANK})
            for piece in cut(block["text"]):
                told = [{"token": piece, "logprob": -0.125}] if block.get("logprobs") else []
                yield event("response.output_text.delta", **at, delta=piece, logprobs=told)
            for which, one in enumerate(block.get("annotations") or ()):
                told_of = {"annotation_index": which, "annotation": one}
                yield event("response.output_text.annotation.added", **at, **told_of)
            yield event(
                "response.output_text.done", **at, text=block["text"], logprobs=block.get("logprobs") or []
            )
            yield event("response.content_part.done", **at, part=block)
        yield event("response.output_item.done", output_index=place, item=item)
    yield event("response.completed", response=dict(whole))
