"""The Responses API: `/responses`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from guardrail.adapting.changes import JOINT
from guardrail.adapting.openai_api.choices import (
    Choice,
    Codec,
    Json,
    NotReadable,
    count,
    items,
    logprobs,
    messages,
)
from guardrail.adapting.openai_api.response_events import response_events
from guardrail.adapting.residue import clean
from guardrail.adapting.sse import DONE, Event, as_json
from guardrail.errors import InputError
from guardrail.requests import Message, system

__all__ = ["Responses"]

_ENDS = {"response.completed", "response.incomplete", "response.failed"}
_TEXTS = {"output_text", "text"}
_OWN_TOOLS = {
    "function",
    "custom",
    "local_shell",
    "apply_patch",
    "computer",
    "computer_use_preview",
}  # the client runs them
_HOSTED = (
    "apply_patch",
    "code_interpreter",
    "computer",
    "custom_tool",
    "file_search",
    "function",
    "image_generation",
    "local_shell",
    "mcp",
    "shell",
    "tool_search",
    "web_search",
)
# Kinds by name, none by their endings: an item of a kind that is not known may be speech.
_CALLS = (
    {f"{name}_call" for name in _HOSTED}
    | {f"{name}_call_output" for name in _HOSTED}
    | {"tool_search_output"}
)
_FOR_CLIENT = {
    *(
        "function_call",
        "custom_tool_call",
        "computer_call",
        "local_shell_call",
        "shell_call",
        "apply_patch_call",
    ),
    "mcp_approval_request",
}
_BODY = {
    *(
        "id",
        "object",
        "created_at",
        "completed_at",
        "status",
        "error",
        "incomplete_details",
        "instructions",
        "model",
    ),
    *(
        "max_output_tokens",
        "max_tool_calls",
        "output",
        "parallel_tool_calls",
        "previous_response_id",
        "reasoning",
    ),
    *(
        "store",
        "temperature",
        "text",
        "tool_choice",
        "tools",
        "top_p",
        "top_logprobs",
        "truncation",
        "usage",
        "user",
    ),
    *(
        "metadata",
        "service_tier",
        "background",
        "conversation",
        "prompt",
        "safety_identifier",
        "prompt_cache_key",
    ),
}


class Responses(Codec):
    """The codec of the Responses API; a body is one choice, whose text blocks may be in several messages."""

    name = "responses"

    def messages(self, request: Mapping[str, Any]) -> tuple[Message, ...]:
        """What was asked; of earlier turns that the service keeps nothing is known."""
        told = request.get("instructions")
        first = (system(told),) if isinstance(told, str) and told else ()
        return (*first, *messages(request.get("input")))

    def refusal(self, request: Mapping[str, Any]) -> str:
        """Why answers to a request cannot be guarded; "" if they can."""
        if request.get("background"):
            return "an answer in the background is fetched later, unguarded: leave background=True out"
        return ""

    def form(self, request: Mapping[str, Any]) -> Any:
        """The JSON Schema that answers must have; `True` for any JSON, `None` for text."""
        told = request.get("text")
        wanted = told.get("format") if isinstance(told, Mapping) else None
        if not isinstance(wanted, Mapping) or wanted.get("type") in (None, "text"):  # a list is in no set
            return None
        return wanted.get("schema") or True

    def again(self, request: Mapping[str, Any], feedback: str) -> Json:
        """The request that asks for one other answer, not streamed.

        Raises:
            InputError: the service keeps the conversation, or runs tools itself.
        """
        for name in ("conversation", "previous_response_id"):
            if request.get(name):
                raise InputError(
                    f"a response with {name} is not asked for again: the service keeps each answer"
                )
        for tool in items(request.get("tools")):
            if isinstance(tool, Mapping) and tool.get("type") not in _OWN_TOOLS:
                raise InputError(
                    f"a response with {tool.get('type')!r} is not asked for again: the tool would run twice"
                )
        given = request.get("input")
        asked = [{"role": "user", "content": given}] if isinstance(given, str) else items(given)
        kept = {name: value for name, value in request.items() if name not in {"stream", "stream_options"}}
        return {**kept, "input": [*asked, {"role": "user", "content": feedback}]}

    def choices(self, body: Mapping[str, Any]) -> list[Choice]:
        """The answer in a body."""
        output = body.get("output")
        if not isinstance(output, list) or not all(isinstance(item, Mapping) for item in output):
            raise NotReadable("expected a response with output, got a body without")
        if str(body.get("status")) in {"queued", "in_progress"}:
            raise NotReadable("expected a response that has ended, got one that is still being made")
        texts, places, unread, refused = "", [], "", False
        for item in output:
            unread = unread or _unread_item(item)
            if not _speaks(item):
                continue
            joint = JOINT if texts else ""
            for block in _blocks(item):
                if _is_text(block):
                    texts += joint
                    places.append((len(texts), len(texts) + len(block["text"])))
                    texts, joint = texts + block["text"], ""
                if isinstance(block, Mapping) and block.get("type") == "refusal":
                    refused = True
                elif not _is_text(block) or str(block.get("type")) not in _TEXTS:
                    unread = "a content block that is no text"
        blocks = [block for item in output if _speaks(item) for block in _blocks(item)]
        told = [block.get("logprobs") for block in blocks if _is_text(block)]
        tokens = logprobs(told[0]) if len(told) == 1 else ()
        calls = any(str(item.get("type")).endswith("_call") for item in output)
        return [Choice(0, texts, tuple(places), tokens, calls=calls, refused=refused, unread=unread)]

    def tokens(self, body: Mapping[str, Any]) -> tuple[int, int]:
        """Tokens of the prompt and of the answer."""
        usage = body.get("usage")
        return count(usage, "input_tokens"), count(usage, "output_tokens")

    def edited(
        self, body: Mapping[str, Any], index: int, texts: Sequence[str], taken: Sequence[str] | None
    ) -> Json:
        """A body with other texts."""
        del index
        left = iter(texts)
        output = []
        for item in body["output"]:
            if _speaks(item):
                blocks = [
                    {"type": block.get("type", "output_text"), "text": next(left), "annotations": []}
                    if _is_text(block)
                    else block
                    for block in _blocks(item)
                    if taken is None or _is_text(block)
                ]
                output.append({**item, "content": blocks})
            elif taken is None:
                output.append(item)
            else:
                output.append(_silenced(item, taken))
        found = _known(body, taken) if taken is not None else dict(body)
        found.pop("output_text", None)
        return {**found, "output": output}

    def blocked(self, body: Mapping[str, Any], index: int, message: str) -> Json:
        """A body with nothing but a message."""
        del index
        said = {"type": "output_text", "text": message, "annotations": []}
        item = {
            "type": "message",
            "id": next(
                (one["id"] for one in body["output"] if one.get("type") == "message" and "id" in one), "msg_0"
            ),
            "role": "assistant",
            "status": "incomplete",
            "content": [said],
        }
        ended = {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}, "error": None}
        return {**_known(body, ()), **ended, "output": [item] if message else []}

    def substituted(self, body: Mapping[str, Any], index: int, other: Mapping[str, Any]) -> Json:
        """The other body: there is but one choice."""
        del body, index
        return dict(other)

    def alone(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """With the texts of its messages in `output_text`, where it has one."""
        if "output_text" not in body:
            return body
        messages = (item for item in body["output"] if _speaks(item))
        said = "".join(block["text"] for item in messages for block in _blocks(item) if _is_text(block))
        return {**body, "output_text": said}

    def whole(self, events: Sequence[Event]) -> Json:
        """The body in the last event of a stream."""
        done: dict[int, Any] = {}
        for event in events:
            if event.data.startswith(DONE):
                break
            told = _event(event)
            if told["type"] == "response.output_item.done":
                done[told.get("output_index", len(done))] = told.get("item")
            if told["type"] in _ENDS and isinstance(told.get("response"), dict):
                body = dict(told["response"])
                if not body.get("output"):  # a service that says its items only on the way
                    body["output"] = [done[place] for place in sorted(done)]
                return body
        raise NotReadable("expected a stream that ends in response.completed, got one that broke off")

    def events(self, body: Mapping[str, Any], request: Mapping[str, Any]) -> list[Event]:
        """A whole body as a stream; the report is on the last event."""
        del request
        return response_events(body)

    def is_last(self, event: Event) -> bool:
        """Whether an event ends the stream, or cannot be read."""
        try:
            return event.data.startswith(DONE) or _event(event)["type"] in _ENDS
        except NotReadable:
            return True

    def reporting(self, events: Sequence[Event], summary: Mapping[str, Any]) -> list[Event]:
        """The last events of a stream that passes as it is, with the report."""
        found = list(events)
        for place, event in enumerate(found):
            try:
                told = json.loads(event.data)
            except ValueError:
                continue
            if isinstance(told, dict) and isinstance(told.get("response"), dict):
                told["response"]["guardrail"] = dict(summary)
                found[place] = Event(json.dumps(told), event.name)
        return found


def _event(event: Event) -> Json:
    try:
        told = as_json(event)
    except ValueError:
        raise NotReadable("expected events of JSON, got a stream that broke off or is malformed") from None
    if not isinstance(told, dict):
        raise NotReadable("expected events that are objects, got something else")
    told.setdefault("type", event.name)
    if told["type"] == "error" or (told.get("error") and "response" not in told):
        raise NotReadable("the stream ended in an error", error=told.get("error") or told)
    return told


def _blocks(item: Mapping[str, Any]) -> list[Any]:
    content = item.get("content")
    listed = content if isinstance(content, list) else [] if content is None else [content]
    return [{"type": "output_text", "text": block} if isinstance(block, str) else block for block in listed]


def _is_text(block: Any) -> bool:
    """Whether a block has a text that may be shown; that of a kind that nobody knows may be."""
    return (
        isinstance(block, Mapping) and isinstance(block.get("text"), str) and block.get("type") != "refusal"
    )


def _is_known(item: Mapping[str, Any]) -> bool:
    kind = str(item.get("type"))
    return kind in {"reasoning", "compaction", "mcp_list_tools", "mcp_approval_request"} or kind in _CALLS


def _speaks(item: Mapping[str, Any]) -> bool:
    """Whether an item may be shown as what the model said: a message, or one of a kind that nobody knows with texts in it."""
    return item.get("type") == "message" or (not _is_known(item) and any(map(_is_text, _blocks(item))))


def _unread_item(item: Mapping[str, Any]) -> str:
    return "" if item.get("type") == "message" or _is_known(item) else "an output item that is no message"


def _silenced(item: Mapping[str, Any], taken: Sequence[str]) -> Any:
    """An item that is no message without what may repeat the text; calls that the client runs stay whole."""
    kind = item.get("type")
    if str(kind) in _FOR_CLIENT:
        return item
    kept = clean(item, taken)
    if kind == "reasoning":  # a service that keeps no state wants it back, and nobody else can read it
        kept = {name: item[name] for name in ("type", "id", "status", "encrypted_content") if name in item}
        kept["summary"] = []
    return kept


def _known(body: Mapping[str, Any], taken: Sequence[str]) -> Json:
    rest = clean({name: value for name, value in body.items() if name not in _BODY}, taken)
    return {
        name: value if name in _BODY else rest[name]
        for name, value in body.items()
        if name in _BODY or name in rest
    }
