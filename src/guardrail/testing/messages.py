"""Anthropic's Messages API of the test service."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from guardrail.given.accepted import Json, JsonObject
from guardrail.requests import Completion
from guardrail.testing.completions import Cut, words


def asked_message(body: JsonObject) -> Json:
    """A request of the Messages API as one of chat completions; the marker `anthropic` says what it was."""
    first = [{"role": "system", "content": body["system"]}] if body.get("system") else []
    return {**body, "messages": [*first, *body["messages"]], "n": 1, "anthropic": True}


def anthropic_message(
    head: JsonObject, said: Completion, given: JsonObject, usage: Mapping[str, int]
) -> Json:
    """The body of a message.

    Args:
        head: id, time and model.
        said: the text.
        given: an assistant message as chat completions write it; its reasoning and tool calls become blocks.
        usage: as chat completions count it.
    """
    blocks: list[Json] = []
    if given.get("reasoning_content"):
        blocks.append(
            {"type": "thinking", "thinking": given["reasoning_content"], "signature": "c2lnbmF0dXJl"}
        )
    if said.text:
        blocks.append({"type": "text", "text": said.text})
        if given.get("annotations"):
            cited = [one["url_citation"]["title"] for one in given["annotations"]]
            blocks[-1]["citations"] = [
                {"type": "char_location", "cited_text": text, "document_index": 0} for text in cited
            ]
    for call in given.get("tool_calls") or ():
        function = call["function"]
        arguments = json.loads(function["arguments"])
        blocks.append({"type": "tool_use", "id": call["id"], "name": function["name"], "input": arguments})
    return {
        "id": str(head["id"]).replace("chatcmpl", "msg"),
        "type": "message",
        "role": "assistant",
        "model": head["model"],
        "content": blocks,
        "stop_reason": "tool_use" if given.get("tool_calls") else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": usage["prompt_tokens"], "output_tokens": usage["completion_tokens"]},
    }


def message_stream(whole: JsonObject, cut: Cut = words) -> Iterator[bytes]:
    """Its events; `cut` cuts texts into pieces."""

    def event(kind: str, **more: Any) -> bytes:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **more})}\n\n".encode()

    begun = {**whole, "content": [], "stop_reason": None}
    yield event("message_start", message=begun)
    for index, block in enumerate(whole["content"]):
        blank, deltas = _pieces(block, cut)
        yield event("content_block_start", index=index, content_block=blank)
        for delta in deltas:
            yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    ending = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield event("message_delta", delta=ending, usage={"output_tokens": whole["usage"]["output_tokens"]})
    yield event("message_stop")


def _pieces(block: JsonObject, cut: Cut) -> tuple[Json, list[Json]]:
    """A block without its content, and the deltas that bring it."""
    if block["type"] == "tool_use":
        written = json.dumps(block["input"])
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": written}]
    if block["type"] == "thinking":
        deltas = [{"type": "thinking_delta", "thinking": piece} for piece in cut(block["thinking"])]
        signed = {"type": "signature_delta", "signature": block["signature"]}
        return {"type": "thinking", "thinking": "", "signature": ""}, [*deltas, signed]
    said: list[Json] = [{"type": "text_delta", "text": piece} for piece in cut(block["text"])]
    cited = [{"type": "citations_delta", "citation": one} for one in block.get("citations") or ()]
    return {"type": "text", "text": "", **({"citations": []} if cited else {})}, [*said, *cited]
