"""Anthropic's protocol: `/messages`, as pure functions on dicts and events."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from guardrail.adapting.anthropic_api.events import (
    MESSAGE,
    THOUGHTS,
    block_events,
    ending,
    index_of,
    start,
    told_of,
    written,
)
from guardrail.adapting.anthropic_api.pieces import MessagePieces
from guardrail.adapting.changes import JOINT, Change
from guardrail.adapting.codec import Choice, Codec, NotReadable, Piecewise, items
from guardrail.adapting.provider_citations import of_block
from guardrail.adapting.reasoning import kind_of, readable, sealed
from guardrail.adapting.residue import GONE, sentences_of, stripped
from guardrail.adapting.sse import Event, may_say
from guardrail.adapting.strict_json import read_json
from guardrail.errors import InputError
from guardrail.given.accepted import Json, JsonObject
from guardrail.requests import Message, Untrusted, assistant, system, user

_CALLS = {"tool_use"}
_OF_CALL = {"type", "id", "name", "input"}
_SERVERS = {
    "server_tool_use",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "code_execution_tool_result",
    "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result",
    "tool_search_tool_result",
    "mcp_tool_use",
    "mcp_tool_result",
    "container_upload",
}
_SILENT = THOUGHTS | _CALLS | _SERVERS  # blocks that say nothing to a reader
_GROWING = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
    "input_json_delta": "partial_json",
}
_END = "message_stop"
_LAST = {"message_delta", _END, "error"}


class Messages(Codec):
    """The codec of Anthropic's Messages API; a response has one choice."""

    name = "messages"

    def messages(self, request: JsonObject) -> tuple[Message, ...]:
        """What was asked; results of tools are untrusted text of the assistant."""
        found = [system(text)] if (text := _text(request.get("system"))) else []
        for one in items(request.get("messages")):
            if not isinstance(one, Mapping):
                continue
            content = one.get("content")
            found += [assistant(Untrusted(text)) for text in _results(content)]
            if said := _text(content):
                found.append(assistant(said) if one.get("role") == "assistant" else user(said))
        return tuple(found)

    def form(self, request: JsonObject) -> Any:
        """The JSON Schema that answers must have; `None` for text."""
        holder = request.get("output_config")
        wanted = holder.get("format") if isinstance(holder, Mapping) else request.get("output_format")
        if not isinstance(wanted, Mapping) or wanted.get("type") != "json_schema":
            return None
        return wanted.get("schema") or True

    def again(self, request: JsonObject, feedback: str) -> Json:
        """The request that asks for one other answer, not streamed.

        Raises:
            InputError: the answer continues a text that the caller began.
        """
        listed = list(request.get("messages") or ())
        if listed and isinstance(listed[-1], Mapping) and listed[-1].get("role") == "assistant":
            raise InputError("expected messages that end with the user's, got the beginning of an answer")
        kept = {name: value for name, value in request.items() if name != "stream"}
        return {**kept, "messages": [*listed, {"role": "user", "content": feedback}]}

    def choices(self, body: JsonObject) -> list[Choice]:
        """The answer in a body.

        Raises:
            NotReadable: it is no message.
        """
        content = body.get("content")
        if not isinstance(content, list) or not all(isinstance(block, Mapping) for block in content):
            raise NotReadable("expected a message with content blocks, got a body without")
        text, places, unread = "", [], ""
        for block in content:
            if "text" in block and not (_is_text(block) or block["text"] is None):
                raise NotReadable("expected texts that are strings, in blocks of text, got something else")
            if _is_text(block):
                places.append((len(text), len(text) + len(block["text"])))
                text += block["text"]
            if str(block.get("type")) not in _SILENT and (block.get("type") != "text" or not _is_text(block)):
                unread = "a content block that is no text"
        calls = any(str(block.get("type")) in _CALLS for block in content)
        refused = body.get("stop_reason") == "refusal"
        return [Choice(0, text, tuple(places), calls=calls, refused=refused, unread=unread)]

    def edited(
        self, body: JsonObject, index: int, parts: Sequence[Change], taken: Sequence[str] | None
    ) -> Json:
        """A body with other texts; where text went, what servers' tools found goes too, and what of thoughts can be read."""
        del index
        new, left = [], iter(parts)
        for block in body["content"]:
            if _is_text(block):
                part = next(left)
                if part.after:
                    cited = of_block(block.get("citations"), part, taken)
                    told = {"citations": cited} if block.get("citations") else {}
                    new.append({"type": "text", "text": part.after, **told})
            elif taken is None:
                new.append(block)
            elif _is_thought(block):
                new += _sealed(block, taken)
            elif str(block.get("type")) in _CALLS:
                new.append({name: value for name, value in block.items() if name in _OF_CALL})
        shown = {**body, "content": new or [{"type": "text", "text": ""}]}
        return shown if taken is None else stripped(shown, MESSAGE, taken)

    def blocked(self, body: JsonObject, index: int, message: str) -> Json:
        """A refusal with nothing but a message."""
        content = [{"type": "text", "text": message}]
        return {
            **self._without(body, index),
            "content": content,
            "stop_reason": "refusal",
            "stop_sequence": None,
        }

    def thoughts(self, body: JsonObject) -> list[str]:
        """In blocks of thinking."""
        return [JOINT.join(readable([block for block in body["content"] if _is_thought(block)]))]

    def silent(self, body: JsonObject, heard: Collection[int] = ()) -> Json:
        """A body whose blocks of thinking are signed and empty, as the API writes them with `display: "omitted"`."""
        if 0 in heard:
            return dict(body)
        blocks = (_sealed(block) if _is_thought(block) else [block] for block in body["content"])
        return {**body, "content": [block for some in blocks for block in some]}

    def substituted(self, body: JsonObject, index: int, other: JsonObject) -> Json:
        """A body with the content of another."""
        taken_over = {name: other.get(name) for name in ("content", "stop_reason", "stop_sequence")}
        return {**self._without(body, index), **taken_over}

    def _without(self, body: JsonObject, index: int) -> Json:
        """A body in whose own fields nothing of its text is repeated."""
        return stripped(body, MESSAGE, sentences_of(self.choices(body)[index].text))

    def whole(self, events: Sequence[Event]) -> Json:
        """The body that a stream would have been.

        Raises:
            NotReadable: the stream broke off, or says that something failed.
        """
        body: Json = {}
        blocks: dict[int, Json] = {}
        ended = False
        for event in events:
            told = told_of(event)
            kind = told.get("type")
            if kind == "message_start" and isinstance(told.get("message"), dict):
                body = dict(told["message"])
            elif kind == "content_block_start" and isinstance(told.get("content_block"), dict):
                blocks[index_of(told)] = dict(told["content_block"])
            elif kind == "content_block_delta":
                _grow(blocks.setdefault(index_of(told), {"type": "text", "text": ""}), _object(told, "delta"))
            elif kind == "message_delta":
                usage = {**_object(body, "usage"), **_object(told, "usage")}
                body = {**body, **_object(told, "delta"), "usage": usage}
            elif kind == _END:
                ended = True
                break
        if not ended or not body:
            raise NotReadable("expected a stream with a whole message, got one that broke off")
        body["content"] = [_closed(blocks[index]) for index in sorted(blocks)]
        return body

    def events(self, body: JsonObject, request: JsonObject) -> list[Event]:
        """A whole body as a stream; the report is on `message_delta`."""
        del request
        head = {name: value for name, value in body.items() if name != "guardrail"}
        blocks = [told for index, block in enumerate(body["content"]) for told in block_events(block, index)]
        return [written(told) for told in (start(head), *blocks, *ending(body))]

    def piecewise(self, request: JsonObject, *, silent: bool = False) -> Piecewise:
        """The first text block is released by deltas; silent thinking goes out before it."""
        return MessagePieces(request, silent=silent)

    def found(self, event: Event) -> Json | None:
        """The result of a tool that the server ran, which comes whole."""
        block = self.peeked(event).get("content_block") if may_say(event, "tool_result") else None
        return {"content": [block]} if isinstance(block, dict) and not _is_text(block) else None

    def ends(self, event: Event) -> bool:
        """Whether the message is over."""
        return may_say(event, _END) and self.peeked(event).get("type") == _END

    def is_last(self, event: Event) -> bool:
        """Whether an event ends the message, or comes after its end."""
        return event.name in _LAST

    def place_of_report(self, told: Json) -> Json | None:
        """The event itself."""
        return told if told.get("type") == "message_delta" else None

    def told(self, event: Event) -> Json:
        """As `told_of`."""
        return told_of(event)


def _text(content: Any) -> str:
    """The texts in a content."""
    if isinstance(content, str):
        return content
    listed = content if isinstance(content, list) else ()
    texts = (one.get("text") for one in listed if kind_of(one) == "text")
    return "".join(text for text in texts if isinstance(text, str))


def _is_text(block: JsonObject) -> bool:
    """Whether a block has a text that may be shown; that of a kind that nobody knows may be."""
    return str(block.get("type")) not in _SILENT and isinstance(block.get("text"), str)


def _is_thought(block: JsonObject) -> bool:
    return str(block.get("type")) in THOUGHTS


def _sealed(block: JsonObject, taken: Sequence[str] = ()) -> list[Json]:
    """A block of thinking that says nothing, or none."""
    kept = sealed(block, taken)
    return [] if kept is GONE else [kept]


def _results(content: Any) -> list[str]:
    """What tools answered, in a content."""
    listed = content if isinstance(content, list) else ()
    return [_text(one.get("content")) for one in listed if kind_of(one) == "tool_result"]


def _grow(block: Json, delta: JsonObject) -> None:
    kind = str(delta.get("type"))
    name = _GROWING.get(kind)
    if name is not None and isinstance(delta.get(name), str):
        parts = block.get(name)
        if not isinstance(parts, list):
            parts = block[name] = [parts or ""]
        parts.append(
            delta[name]
        )  # joined at the end: adding to a text each time takes the square of the time
    elif kind == "citations_delta":
        if not isinstance(block.get("citations"), list):
            block["citations"] = []
        block["citations"].append(delta.get("citation"))
    else:
        raise NotReadable("expected a delta of a known type, got another")


def _object(told: JsonObject, name: str) -> JsonObject:
    """A field that is an object; of anything else nothing."""
    value = told.get(name)
    return value if isinstance(value, Mapping) else {}


def _closed(block: Json) -> Json:
    """A block whose pieces were put together: a call's arguments as an object."""
    for name in _GROWING.values():
        if isinstance(block.get(name), list):
            block[name] = "".join(str(part) for part in block[name])
    written = block.pop("partial_json", None)
    if written:
        try:
            block["input"] = read_json(written)
        except ValueError:
            raise NotReadable("expected a tool's arguments as JSON, got something else") from None
    return block
