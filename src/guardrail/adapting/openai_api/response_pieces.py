"""A response's stream whose text is released in pieces.

Text of the first message goes out as it is examined. An item before it (reasoning, a search) is opened at its place without
its content, which may say what the answer then leaves out, and is finished at the end. What a client has to run waits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from guardrail.adapting.changes import JOINT
from guardrail.adapting.codec import NotReadable, Piecewise
from guardrail.adapting.openai_api.response_events import (
    ENDS,
    block_events,
    item_events,
    last,
    numbered,
    opening,
    told_of,
)
from guardrail.adapting.openai_api.response_items import BODY, is_text, unread_item
from guardrail.adapting.residue import is_wordless, unspoken
from guardrail.adapting.sse import DONE, Event
from guardrail.given.accepted import Json, JsonObject

_BEGINS = {"response.created", "response.in_progress", "response.queued"}
_OPENED = {"reasoning", "web_search_call", "file_search_call", "code_interpreter_call"}
_OF_ITEM = ("type", "id", "role", "phase", "status")  # they go out before anything was examined
_REPEATS = {
    "response.output_text.done",
    "response.output_text.annotation.added",
    "response.content_part.done",
    "response.output_item.done",
}
_BESIDES = (  # of items that are no message
    "response.reasoning_",
    "response.function_call_arguments.",
    "response.custom_tool_call_input.",
    "response.web_search_call.",
    "response.file_search_call.",
    "response.code_interpreter_call",
    "response.image_generation_call.",
    "response.mcp_",
)


class ResponsePieces(Piecewise):
    """One stream of a response.

    Args:
        request: the body that the application sent.
    """

    def __init__(self, request: JsonObject) -> None:
        self._request = request
        self._head: Json | None = None
        self._before: list[Json] = []
        self._message: Json | None = None
        self._begun = False  # its first text
        self._joint = ""
        self._number = 0

    # -- reading

    def said(self, event: Event) -> str | None:
        """The text of the first message, and with what joins them that of others."""
        if event.data.startswith(DONE):
            return ""
        told = told_of(event)
        kind = str(told["type"])
        if kind in _BEGINS:
            return self._opened(told.get("response"))
        if kind == "response.output_item.added":
            return self._item(told.get("item"), told.get("output_index"))
        if kind == "response.content_part.added":
            return self._part(told)
        if kind == "response.output_text.delta":
            return self._delta(told)
        return "" if kind in ENDS | _REPEATS or kind.startswith(_BESIDES) else None

    def _opened(self, head: Any) -> str | None:
        if not isinstance(head, Mapping):
            return None
        known = {name: value for name, value in head.items() if name in BODY}
        self._head = unspoken(known, self._request)
        return ""

    def _item(self, item: Any, place: Any) -> str | None:
        if not isinstance(item, Mapping):
            return None
        kind = str(item.get("type"))
        if self._message is not None:
            if kind == "message":
                self._joint = JOINT
            return None if kind == "message" or unread_item(item) else ""
        if place != len(self._before) or not is_wordless({name: item.get(name) for name in _OF_ITEM}, ()):
            return None
        if kind == "message":
            kept = {name: item[name] for name in _OF_ITEM if isinstance(item.get(name), str)}
            self._message = {**kept, "status": "in_progress", "content": []}
            return None if item.get("content") else ""
        self._before.append(_blank(item))
        return "" if kind in _OPENED else None

    def _part(self, told: JsonObject) -> str | None:
        part = told.get("part")
        kind = part.get("type") if isinstance(part, Mapping) else None
        if kind == "reasoning_text":
            return ""
        place = told.get("output_index"), told.get("content_index")
        is_first = not self._begun and self._message is not None and place == (len(self._before), 0)
        self._begun = self._begun or kind == "output_text"
        is_plain = isinstance(part, Mapping) and kind == "output_text" and part.get("text") == ""
        return "" if is_first and is_plain and self._head is not None else None

    def _delta(self, told: JsonObject) -> str | None:
        delta = told.get("delta")
        if not self._begun or not isinstance(delta, str) or told.get("logprobs"):
            return None
        joint, self._joint = self._joint, ""
        return joint + delta

    # -- writing

    def begin(self) -> list[Event]:
        """The response, the items before the message, the message and its text, all still empty."""
        told = opening(self._head or {})
        for place, item in enumerate([*self._before, self._message]):
            told.append({"type": "response.output_item.added", "output_index": place, "item": item})
        told += list(block_events({"type": "output_text", "text": "", "annotations": []}, self._at))[:1]
        return self._numbered(told)

    def saying(self, text: str) -> list[Event]:
        """A delta."""
        said = {"type": "response.output_text.delta", **self._at, "delta": text, "logprobs": []}
        return self._numbered([said])

    def continued(self, body: JsonObject, released: str, rest: str | None) -> list[Event]:
        """What is left of the text, and all events that repeat it; then all other items.

        Raises:
            NotReadable: the response has other items than its stream had.
        """
        if rest is None:
            body, rest = self._withheld(body, released), ""
        if not self._is_of(body["output"], released + rest):
            raise NotReadable("expected a response with the items of its stream, got other ones")
        told: list[Json] = []
        for place, item in enumerate(body["output"]):
            if place < len(self._before):
                told.append({"type": "response.output_item.done", "output_index": place, "item": dict(item)})
            else:
                told += item_events(item, place, rest=rest if place == len(self._before) else None)
        return self._numbered([*told, last(body)])

    @property
    def _at(self) -> Json:
        """Where the text is."""
        name = (self._message or {}).get("id", "")
        return {"output_index": len(self._before), "item_id": name, "content_index": 0}

    def _numbered(self, told: Iterable[JsonObject]) -> list[Event]:
        events = numbered(told, self._number)
        self._number += len(events)
        return events

    def _is_of(self, output: Sequence[JsonObject], text: str) -> bool:
        """Whether the items are those that were begun."""
        begun = [*self._before, self._message or {}]
        names = [(one.get("type"), one.get("id")) for one in output[: len(begun)]]
        if names != [(one.get("type"), one.get("id")) for one in begun]:
            return False
        content = output[len(self._before)].get("content")
        return (
            isinstance(content, list) and bool(content) and is_text(content[0]) and content[0]["text"] == text
        )

    def _withheld(self, body: JsonObject, released: str) -> Json:
        """A body of which nothing more is shown than what was released."""
        said = {"type": "output_text", "text": released, "annotations": []}
        message = {**(self._message or {}), "status": "incomplete", "content": [said]}
        return {**body, "output": [*self._before, message]}


def _blank(item: JsonObject) -> Json:
    """An item that has begun: nothing in it could be prose."""
    kept = {name: item[name] for name in ("type", "id", "status") if name in item}
    return {**kept, **{name: [] for name in ("summary", "queries") if name in item}}
