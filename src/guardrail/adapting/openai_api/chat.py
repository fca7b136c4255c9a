"""Chat completions: `/chat/completions`."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from guardrail.adapting.changes import JOINT, Change
from guardrail.adapting.codec import (
    Choice,
    Codec,
    NotReadable,
    Piecewise,
    items,
    messages,
    object_of,
)
from guardrail.adapting.openai_api.chat_fields import kind_of_text, stripped_body, stripped_choice
from guardrail.adapting.openai_api.deltas import GrowingObject, one_by_one
from guardrail.adapting.provider_citations import of_text
from guardrail.adapting.reasoning import kind_of, silent, thoughts
from guardrail.adapting.residue import is_wordless, sentences_of, unspoken
from guardrail.adapting.sse import DONE, Event, may_say
from guardrail.given.accepted import Json, JsonObject
from guardrail.given.content import tokens_of
from guardrail.requests import Message

_TEXTS = {"text", "output_text"}
_THOUGHTS = {"thinking", "redacted_thinking", "reasoning", "reference", "image_url", "tool_use"}
_HEAD = ("id", "created", "model", "system_fingerprint", "service_tier")
_NOT_TEXT = ("tool_calls", "function_call", "refusal", "audio")
_MOST_CHOICES = 128


class ChatCompletions(Codec):
    """The codec of chat completions."""

    name = "chat completions"
    one_report = True
    counted = ("prompt_tokens", "completion_tokens")

    def messages(self, request: JsonObject) -> tuple[Message, ...]:
        """What was asked."""
        return messages(request.get("messages"))

    def refusal(self, request: JsonObject) -> str:
        """Why answers to a request cannot be guarded; "" if they can."""
        wanted = request.get("modalities")
        if any(
            str(one).casefold() == "audio" for one in ([wanted] if isinstance(wanted, str) else items(wanted))
        ):
            return "speech cannot be examined: leave `modalities` out"
        return ""

    def form(self, request: JsonObject) -> Any:
        """The JSON Schema that answers must have; `True` for any JSON, `None` for text."""
        wanted = request.get("response_format")
        if not isinstance(wanted, Mapping) or wanted.get("type") in (None, "text"):  # a list is in no set
            return None
        told = wanted.get("json_schema")
        return (told.get("schema") if isinstance(told, Mapping) else None) or True

    def again(self, request: JsonObject, feedback: str) -> Json:
        """The request that asks for one other answer, not streamed."""
        kept = {
            name: value for name, value in request.items() if name not in {"stream", "stream_options", "n"}
        }
        return {**kept, "messages": [*request.get("messages", ()), {"role": "user", "content": feedback}]}

    def choices(self, body: JsonObject) -> list[Choice]:
        """The answers in a body."""
        listed = body.get("choices")
        if not isinstance(listed, list) or not all(
            isinstance(one, Mapping) and isinstance(one.get("message"), Mapping) for one in listed
        ):
            raise NotReadable("expected a chat completion with choices, got a body without")
        if len(listed) > _MOST_CHOICES:  # as many as OpenAI gives: each is put together from all
            raise NotReadable(f"expected at most {_MOST_CHOICES} choices, got {len(listed):,}")
        return [_choice(one, i) for i, one in enumerate(listed)]

    def edited(
        self, body: JsonObject, index: int, parts: Sequence[Change], taken: Sequence[str] | None
    ) -> Json:
        """A body with other texts in one choice."""
        choice = body["choices"][index]
        message = dict(choice["message"])
        texts = [part.after for part in parts]
        if message.get("refusal"):
            *texts, message["refusal"] = texts
        message["content"] = _rewritten(message.get("content"), texts, taken)
        message.pop("parsed", None)
        alone = isinstance(message["content"], str) and len(parts) == 1
        noted = of_text(message.pop("annotations", None), parts[0], taken) if alone else []
        new = {**choice, "message": message}
        if "logprobs" in choice:
            new["logprobs"] = None
        if taken is not None:
            new = stripped_choice(new, taken)
            body = stripped_body(body, taken)
        if "annotations" in choice["message"]:
            new["message"] = {**new["message"], "annotations": noted}
        return _with_choice(body, index, new)

    def blocked(self, body: JsonObject, index: int, message: str) -> Json:
        """A body in which one choice is nothing but a message."""
        choice = {
            "index": _number(body, index),
            "finish_reason": "content_filter",
            "logprobs": None,
            "message": {"role": "assistant", "content": message, "refusal": None},
        }
        return _with_choice(self._without(body, index), index, choice)

    def thoughts(self, body: JsonObject) -> list[str]:
        """In fields with the names of `NAMES`, and in content blocks."""
        return [JOINT.join(dict.fromkeys(thoughts(choice))) for choice in body["choices"]]

    def silent(self, body: JsonObject, heard: Collection[int] = ()) -> Json:
        """A body without readable reasoning: of its fields and blocks remains what is signed or encrypted."""
        choices = [one if index in heard else silent(one) for index, one in enumerate(body["choices"])]
        return {**body, "choices": choices}

    def substituted(self, body: JsonObject, index: int, other: JsonObject) -> Json:
        """A body in which one choice is the first one of another body."""
        number = _number(body, index)
        return _with_choice(self._without(body, index), index, {**other["choices"][0], "index": number})

    def _without(self, body: JsonObject, index: int) -> Json:
        """A body in whose own fields nothing of one choice is repeated."""
        return stripped_body(body, sentences_of(self.choices(body)[index].text))

    def alone(self, body: JsonObject) -> JsonObject:
        """Without the fields in which legacy completions and chunks of a stream have their text."""
        choices = [
            {name: value for name, value in choice.items() if name not in {"text", "delta"}}
            for choice in body["choices"]
        ]
        return {**body, "choices": choices}

    def whole(self, events: Sequence[Event]) -> Json:
        """The body that a stream would have been."""
        body: Json = {}
        choices: dict[int, GrowingObject] = {}
        for event in events:
            if event.data.startswith(DONE):
                break
            chunk = self.told(event)
            listed = chunk.pop("choices", None) or []
            body.update(
                {name: value for name, value in chunk.items() if value is not None or name not in body}
            )
            for one in listed:
                index = one.get("index") or 0
                if not isinstance(index, int):
                    raise NotReadable("expected choices with a number as index, got something else")
                choices.setdefault(index, GrowingObject()).add(one)
        whole = {index: one.value() for index, one in choices.items()}
        if not whole or not all(one.get("finish_reason") for one in whole.values()):
            raise NotReadable("expected a stream with whole choices, got one that broke off")
        body["object"] = "chat.completion"
        body["choices"] = [_assembled(whole[index], index) for index in sorted(whole)]
        return body

    def events(self, body: JsonObject, request: JsonObject) -> list[Event]:
        """A whole body as a stream; the report is in the first chunk, and in the last one with a `finish_reason`."""
        with_usage = _wants_usage(request)
        head = {name: value for name, value in body.items() if name not in {"choices", "usage", "guardrail"}}
        head["object"] = "chat.completion.chunk"
        chunks = [[one] for choice in body["choices"] for one in _deltas(choice)]
        found = [{**head, "choices": one} for one in chunks]
        if with_usage:
            found = [{**chunk, "usage": None} for chunk in found]
        # the first: OpenAI's client for Python puts the completion of `stream()` together with the fields of that chunk
        for place in (0, -1) if found and "guardrail" in body else ():
            found[place] = {**found[place], "guardrail": body["guardrail"]}
        if with_usage:
            found.append({**head, "choices": [], "usage": body.get("usage")})
        return [*(Event(json.dumps(chunk, ensure_ascii=True)) for chunk in found), Event(DONE)]

    def why_whole(self, request: JsonObject) -> str:
        """Several choices, log-probabilities and structured outputs are released as a whole."""
        if (request.get("n") or 1) != 1:
            return "several choices were asked for"
        if request.get("logprobs") or request.get("top_logprobs"):
            return "log-probabilities were asked for"
        return super().why_whole(request)

    def piecewise(self, request: JsonObject, *, silent: bool = False) -> Piecewise:
        """The content of the one choice is released by chunks; reasoning comes after it, if at all."""
        del silent
        return _Chunks(self, request)

    def found(self, event: Event) -> Json | None:
        """The pages that a service names beside its answer."""
        pages = self.peeked(event).get("search_results") if may_say(event, "search_results") else None
        return {"search_results": pages} if isinstance(pages, list) else None

    def ends(self, event: Event) -> bool:
        """Whether the stream is over."""
        return event.data.startswith(DONE)

    def is_last(self, event: Event) -> bool:
        """Whether an event ends a choice or the stream, or cannot be read."""
        told = self.peeked(event)
        return not told.get("choices") or self.place_of_report(told) is not None

    def place_of_report(self, told: Json) -> Json | None:
        """The chunk, if a choice ends in it."""
        return told if any(one.get("finish_reason") for one in told.get("choices") or ()) else None

    def told(self, event: Event) -> Json:
        """A chunk."""
        chunk = object_of(event)
        if chunk.get("error"):
            raise NotReadable("the stream ended in an error", error=chunk["error"])
        listed = chunk.get("choices") or []
        if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
            raise NotReadable("expected chunks with choices, got something else")
        return chunk


class _Chunks(Piecewise):
    """One stream of chunks with one choice."""

    def __init__(self, codec: ChatCompletions, request: JsonObject) -> None:
        self._codec = codec
        self._request = request
        self._head: Json | None = None

    def said(self, event: Event) -> str | None:
        """The content of the one choice."""
        if event.data.startswith(DONE):
            return ""
        chunk = self._codec.told(event)
        listed = chunk.get("choices") or []
        if not listed:
            return ""
        if self._head is None:
            head = {name: value for name, value in chunk.items() if name in _HEAD}
            self._head = unspoken(head, self._request)
        return _said(listed)

    def begin(self) -> list[Event]:
        """The role."""
        return [self._piece({"role": "assistant", "content": ""})]

    def saying(self, text: str) -> list[Event]:
        """A chunk."""
        return [self._piece({"content": text})]

    def continued(self, body: JsonObject, released: str, rest: str | None) -> list[Event]:
        """All chunks but the first, which has the role."""
        del released
        choice = body["choices"][0]
        left = {**choice, "message": {**choice["message"], "content": rest or None}}
        return self._codec.events(_with_choice(body, 0, left), self._request)[1:]

    def _piece(self, delta: Json) -> Event:
        """A chunk with the head of the upstream's."""
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}
        usage = {"usage": None} if _wants_usage(self._request) else {}
        chunk = {**(self._head or {}), "object": "chat.completion.chunk", "choices": [choice], **usage}
        return Event(json.dumps(chunk, ensure_ascii=True))


def _said(listed: Sequence[Json]) -> str | None:
    delta = listed[0].get("delta") or {}
    if len(listed) > 1 or listed[0].get("index") or not isinstance(delta, Mapping):
        return None
    if listed[0].get("logprobs") or any(delta.get(name) for name in _NOT_TEXT):
        return None
    content = delta.get("content")
    return content if isinstance(content, str) else "" if content is None else None


def _wants_usage(request: JsonObject) -> bool:
    options = request.get("stream_options")
    return isinstance(options, Mapping) and bool(options.get("include_usage"))


def _choice(given: JsonObject, index: int) -> Choice:
    message = given["message"]
    texts, unread = _texts(message.get("content"))
    if message.get("audio"):
        unread = "speech"
    refusal = message.get("refusal")
    if refusal and not isinstance(refusal, str):
        raise NotReadable("expected a refusal that is a text, got something else")
    said, places = "", []
    for number, text in enumerate([*texts, refusal] if refusal else texts):
        said += JOINT if 0 < number == len(texts) else ""
        places.append((len(said), len(said) + len(text)))
        said += text
    return Choice(
        index,
        said,
        tuple(places),
        tokens_of(given.get("logprobs")),
        calls=bool(message.get("tool_calls") or message.get("function_call")),
        refused=bool(refusal),
        unread=unread,
    )


def _texts(content: Any) -> tuple[list[str], str]:
    """The texts of a message's content, and what in it cannot be read."""
    if content is None or isinstance(content, str):
        return ([content] if content else []), ""
    if isinstance(content, Mapping):
        return _texts([content])
    if not isinstance(content, list):
        return [], f"content of type {type(content).__name__}"
    texts, unread = [], ""
    for block in content:
        text = _block_text(block)
        if text is None and (not isinstance(block, Mapping) or kind_of(block) in _TEXTS):
            raise NotReadable("expected texts that are strings, got something else")
        texts += [] if text is None else [text]
        if (
            not isinstance(block, str)
            and kind_of(block) not in _THOUGHTS
            and (text is None or kind_of(block) not in _TEXTS)
        ):
            unread = "a content block that is no text"
    return texts, unread


def _block_text(block: Any) -> str | None:
    """A block's text; that of a kind that nobody knows may be shown like any other."""
    if isinstance(block, str):
        return block
    text = block.get("text") if isinstance(block, Mapping) and kind_of(block) not in _THOUGHTS else None
    return text if isinstance(text, str) else None


def _rewritten(content: Any, texts: Sequence[str], taken: Sequence[str] | None) -> Any:
    if not isinstance(content, list):
        return texts[0] if texts else content
    new, left = [], iter(texts)
    for block in content:
        if _block_text(block) is None:
            new += [block] if taken is None or is_wordless(block, taken) else []
        else:
            text = next(left)
            kind = "" if isinstance(block, str) else block.get("type", "text")
            kind = kind if taken is None else kind_of_text(kind, taken)
            new.append(text if isinstance(block, str) else {"type": kind, "text": text})
    return new


def _number(body: JsonObject, index: int) -> int:
    """How a choice is numbered."""
    number = body["choices"][index].get("index")
    return number if isinstance(number, int) else index


def _with_choice(body: JsonObject, index: int, choice: Json) -> Json:
    return {**body, "choices": [choice if i == index else one for i, one in enumerate(body["choices"])]}


def _assembled(choice: Json, index: int) -> Json:
    """A choice whose deltas were put together."""
    delta = choice.get("delta")
    message = {"role": "assistant", "content": None, **(delta if isinstance(delta, Mapping) else {})}
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
        raise NotReadable("expected tool calls that are objects, got something else")
    for call in calls:
        call.pop("index", None)
    rest = {name: value for name, value in choice.items() if name != "delta"}
    return {"logprobs": None, **rest, "index": index, "message": message}


def _deltas(choice: JsonObject) -> Iterator[Json]:
    """The chunks of one choice: its role, its text, all else, and how it ended."""
    index, message = choice.get("index", 0), dict(choice["message"])
    blank = {"index": index, "finish_reason": None, "logprobs": None}
    yield {**blank, "delta": {"role": message.pop("role", "assistant"), "content": ""}}
    text, calls = message.pop("content", None), message.pop("tool_calls", None)
    rest = {name: value for name, value in message.items() if value not in (None, [], "")}
    if rest:
        yield from ({**blank, "delta": delta} for delta in one_by_one(rest))
    if text or choice.get("logprobs"):
        yield {**blank, "delta": {"content": text} if text else {}, "logprobs": choice.get("logprobs")}
    if calls:
        yield {**blank, "delta": {"tool_calls": [{**call, "index": i} for i, call in enumerate(calls)]}}
    others = {k: v for k, v in choice.items() if k not in {"index", "message", "logprobs", "finish_reason"}}
    yield {**blank, **others, "delta": {}, "finish_reason": choice.get("finish_reason") or "stop"}
