"""The Responses API: `/responses`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from guardrail.adapting.changes import JOINT, Change
from guardrail.adapting.codec import (
    Choice,
    Codec,
    NotReadable,
    Piecewise,
    items,
    messages,
)
from guardrail.adapting.openai_api.response_events import ENDS, item_events, last, numbered, opening, told_of
from guardrail.adapting.openai_api.response_items import (
    BODY,
    MESSAGE,
    TEXTS,
    blocks_of,
    is_reasoning,
    is_text,
    said_in,
    saying,
    silenced,
    speaks,
    unread_item,
)
from guardrail.adapting.openai_api.response_pieces import ResponsePieces
from guardrail.adapting.reasoning import readable
from guardrail.adapting.residue import one_of, sentences_of, stripped, word
from guardrail.adapting.sse import DONE, Event, may_say
from guardrail.errors import InputError
from guardrail.given.accepted import Json, JsonObject
from guardrail.given.content import tokens_of
from guardrail.requests import Message, system

_OWN_TOOLS = {
    "function",
    "custom",
    "local_shell",
    "apply_patch",
    "computer",
    "computer_use_preview",
}  # the client runs them
_KIND = one_of("output_text")


class Responses(Codec):
    """The codec of the Responses API; a body is one choice, whose text blocks may be in several messages."""

    name = "responses"

    def messages(self, request: JsonObject) -> tuple[Message, ...]:
        """What was asked; of earlier turns that the service keeps nothing is known."""
        told = request.get("instructions")
        first = (system(told),) if isinstance(told, str) and told else ()
        return (*first, *messages(request.get("input")))

    def refusal(self, request: JsonObject) -> str:
        """Why answers to a request cannot be guarded; "" if they can."""
        if request.get("background"):
            return "an answer in the background is fetched later, unguarded: leave `background` out"
        return ""

    def form(self, request: JsonObject) -> Any:
        """The JSON Schema that answers must have; `True` for any JSON, `None` for text."""
        told = request.get("text")
        wanted = told.get("format") if isinstance(told, Mapping) else None
        if not isinstance(wanted, Mapping) or wanted.get("type") in (None, "text"):  # a list is in no set
            return None
        return wanted.get("schema") or True

    def again(self, request: JsonObject, feedback: str) -> Json:
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

    def choices(self, body: JsonObject) -> list[Choice]:
        """The answer in a body."""
        output = body.get("output")
        if not isinstance(output, list) or not all(isinstance(item, Mapping) for item in output):
            raise NotReadable("expected a response with output, got a body without")
        if str(body.get("status")) in {"queued", "in_progress"}:
            raise NotReadable("expected a response that has ended, got one that is still being made")
        texts, places, unread, refused = "", [], "", False
        for item in output:
            unread = unread or unread_item(item)
            if not speaks(item):
                continue
            joint = JOINT if texts else ""
            for block in blocks_of(item):
                if isinstance(block, Mapping) and "text" in block and not isinstance(block["text"], str):
                    raise NotReadable("expected texts that are strings, got something else")
                if (said := said_in(block)) is not None:
                    texts += joint
                    places.append((len(texts), len(texts) + len(said)))
                    texts, joint = texts + said, ""
                if said is not None and block.get("type") == "refusal":
                    refused = True
                elif said is None or str(block.get("type")) not in TEXTS:
                    unread = "a content block that is no text"
        blocks = [block for item in output if speaks(item) for block in blocks_of(item)]
        told = [block.get("logprobs") for block in blocks if is_text(block)]
        tokens = tokens_of(told[0]) if len(told) == len(places) == 1 else ()
        calls = any(str(item.get("type")).endswith("_call") for item in output)
        return [Choice(0, texts, tuple(places), tokens, calls=calls, refused=refused, unread=unread)]

    def edited(
        self, body: JsonObject, index: int, parts: Sequence[Change], taken: Sequence[str] | None
    ) -> Json:
        """A body with other texts."""
        del index
        left = iter(parts)
        output = []
        for item in body["output"]:
            if speaks(item):
                blocks = [
                    saying(block, next(left), _kind(block, taken), taken)
                    if said_in(block) is not None
                    else block
                    for block in blocks_of(item)
                    if taken is None or said_in(block) is not None
                ]
                kept = {name: value for name, value in item.items() if name not in {"text", "content"}}
                kept = kept if taken is None else stripped(kept, MESSAGE, taken)
                output.append({**kept, "content": blocks})
            elif taken is None:
                output.append(item)
            else:
                output.append(silenced(item, taken))
        found = dict(body) if taken is None else stripped(body, BODY, taken)
        found.pop("output_text", None)
        return {**found, "output": output}

    def blocked(self, body: JsonObject, index: int, message: str) -> Json:
        """A body with nothing but a message."""
        taken = sentences_of(self.choices(body)[index].text)
        said = {"type": "output_text", "text": message, "annotations": []}
        names = (word(one.get("id"), ()) for one in body["output"] if one.get("type") == "message")
        item = {
            "type": "message",
            "id": next((name for name in names if isinstance(name, str)), "msg_0"),
            "role": "assistant",
            "status": "incomplete",
            "content": [said],
        }
        ended = {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}, "error": None}
        return {**stripped(body, BODY, taken), **ended, "output": [item] if message else []}

    def thoughts(self, body: JsonObject) -> list[str]:
        """In the summaries and contents of reasoning items."""
        return [JOINT.join(readable([item for item in body["output"] if is_reasoning(item)]))]

    def silent(self, body: JsonObject, heard: Collection[int] = ()) -> Json:
        """A body whose reasoning items have their ids, and what is encrypted."""
        if 0 in heard:
            return dict(body)
        output = [silenced(item, ()) if is_reasoning(item) else item for item in body["output"]]
        return {**body, "output": output}

    def substituted(self, body: JsonObject, index: int, other: JsonObject) -> Json:
        """The other body: there is but one choice."""
        del body, index
        return dict(other)

    def alone(self, body: JsonObject) -> JsonObject:
        """With the texts of its messages in `output_text`, where it has one."""
        if "output_text" not in body:
            return body
        messages = (item for item in body["output"] if speaks(item))
        said = "".join(block["text"] for item in messages for block in blocks_of(item) if is_text(block))
        return {**body, "output_text": said}

    def whole(self, events: Sequence[Event]) -> Json:
        """The body in the last event of a stream."""
        done: dict[int, Any] = {}
        for event in events:
            if event.data.startswith(DONE):
                break
            told = told_of(event)
            if told["type"] == "response.output_item.done":
                place = told.get("output_index", len(done))
                if not isinstance(place, int):
                    raise NotReadable("expected items with a number as index, got something else")
                done[place] = told.get("item")
            if str(told["type"]) in ENDS and isinstance(told.get("response"), dict):
                body = dict(told["response"])
                if not body.get("output"):  # a service that says its items only on the way
                    body["output"] = [done[place] for place in sorted(done)]
                return body
        raise NotReadable("expected a stream that ends in response.completed, got one that broke off")

    def events(self, body: JsonObject, request: JsonObject) -> list[Event]:
        """A whole body as a stream: created, each item with its parts, and how it ended, with the report."""
        del request
        told = opening(body)
        for place, item in enumerate(body["output"]):
            told += item_events(item, place)
        return numbered([*told, last(body)])

    def why_whole(self, request: JsonObject) -> str:
        """Log-probabilities and structured outputs are released as a whole."""
        if request.get("top_logprobs") or "message.output_text.logprobs" in items(request.get("include")):
            return "log-probabilities were asked for"
        return super().why_whole(request)

    def piecewise(self, request: JsonObject, *, silent: bool = False) -> Piecewise:
        """The text of the first message is released by deltas; reasoning before it is opened, and finished at the end."""
        del silent
        return ResponsePieces(request)

    def found(self, event: Event) -> Json | None:
        """The item of a hosted tool, once it is done."""
        item = self.peeked(event).get("item") if may_say(event, "response.output_item.done") else None
        return {"output": [item]} if isinstance(item, dict) and not speaks(item) else None

    def ends(self, event: Event) -> bool:
        """Whether the response is over."""
        if event.data.startswith(DONE):
            return True
        return may_say(event, *ENDS) and str(self.peeked(event).get("type")) in ENDS

    def is_last(self, event: Event) -> bool:
        """Whether an event ends the stream, or cannot be read."""
        told = self.peeked(event)
        return not told or str(told["type"]) in ENDS

    def place_of_report(self, told: Json) -> Json | None:
        """The response."""
        response = told.get("response")
        return response if isinstance(response, dict) else None

    def told(self, event: Event) -> Json:
        """As `told_of`."""
        return told_of(event)


def _kind(block: JsonObject, taken: Sequence[str] | None) -> Any:
    """The type of a text block; of a kind that nobody knows only what is no prose, once text has gone."""
    kind = block.get("type", "output_text")
    return kind if taken is None else _KIND(kind, taken)
