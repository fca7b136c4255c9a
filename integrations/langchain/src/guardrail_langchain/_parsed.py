"""A message and the structure that was read out of it: whatever is done to one, the other says the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

from langchain_core.exceptions import OutputParserException
from langchain_core.messages import AIMessage, BaseMessage
from pydantic_core import to_json, to_jsonable_python

from guardrail.adapting import Change, Reading, bounds, clean, joined
from guardrail.report import Blocked
from guardrail.requests import TokenLogprob

PARSED = {"raw", "parsed", "parsing_error"}


@dataclass(frozen=True)
class Told:
    """A message and what was made of it; `changed` gives both.

    Attributes:
        message: as the model wrote it.
        structured: what was made of it; `None` if that failed.
        spoken: the text next to the structure: before a tool call, or around the JSON.
        structure: the strings in the structure.
        unused: strings of the tool calls or of the JSON that did not get into the structure.
        call: the id of the tool call with the structure, else of the first tool call.
    """

    message: BaseMessage
    structured: Any
    _: KW_ONLY
    spoken: Reading | None
    structure: Reading | None
    unused: Reading | None
    call: str | None = None

    @staticmethod
    def calls(message: BaseMessage) -> list[Any]:
        """Its tool calls, those that are broken last."""
        return [*getattr(message, "tool_calls", ()), *getattr(message, "invalid_tool_calls", ())]

    @staticmethod
    def said(message: BaseMessage) -> Any:
        """The structure as the model wrote it; `None` if its text is not simply that."""
        if calls := Told.calls(message):
            return [call["args"] for call in calls]
        try:
            return json.loads(str(message.text))
        except ValueError:
            return None

    @property
    def parts(self) -> list[Reading]:
        """Those that there are."""
        return [part for part in (self.spoken, self.structure, self.unused) if part]

    @property
    def text(self) -> str:
        """What is examined."""
        return joined(self.parts)

    @property
    def logprobs(self) -> tuple[TokenLogprob, ...]:
        """Only where the text is the message's own."""
        return self.spoken.logprobs if self.spoken and self.parts == [self.spoken] else ()

    def changed(self, change: Change) -> tuple[BaseMessage, Any]:
        """The message and the structure, which say the same.

        Raises:
            Blocked: the answer is blocked, or the structure would not be valid any more.
        """
        if change.report.blocked:
            raise Blocked(change.refusal, report=change.report)
        if not change.changed and not change.takes_away:
            metadata = {**self.message.response_metadata, "guardrail": change.summary}
            return self.message.model_copy(update={"response_metadata": metadata}), self.structured
        changes = dict(zip(map(id, self.parts), change.split(bounds(self.parts)), strict=True))
        calls = list(getattr(self.message, "tool_calls", ()))
        if self.structured is None and self.spoken and not calls:
            return self.spoken.changed(change), None
        structured = self.structured
        if self.structure:
            structured = self.structure.changed(changes[id(self.structure)])
        spoken = changes[id(self.spoken)].after if self.spoken else ""
        content = spoken if calls or structured is None else to_json(structured, fallback=str).decode()
        return self._saying(content, change, self._calls(calls, structured)), structured

    def refused(self, change: Change) -> AIMessage:
        """The policy's message in the place of both."""
        return self._saying(change.refusal, change, [])

    def _saying(self, content: str, change: Change, calls: list[Any]) -> AIMessage:
        """The message with another content, and nothing beside it that could repeat what was taken out."""
        metadata = clean(self.message.response_metadata, change.taken)
        return AIMessage(
            content=content,
            id=self.message.id,
            name=self.message.name,
            usage_metadata=getattr(self.message, "usage_metadata", None),
            response_metadata={**metadata, "guardrail": change.summary},
            tool_calls=calls,
        )

    def _calls(self, calls: list[Any], structured: Any) -> list[Any]:
        """The one call that the structure was read from."""
        if structured is None:
            return []
        arguments = to_jsonable_python(structured, fallback=str)
        if not isinstance(arguments, dict):  # several calls were read as one list
            return []
        chosen = [call for call in calls if call["id"] == self.call] or calls[:1]
        return [{**call, "args": arguments} for call in chosen]


@dataclass(frozen=True)
class Parsed:
    """What `with_structured_output(…, include_raw=True)` returns: a message, what was read out of it, and more."""

    output: Mapping[Any, Any]
    told: Told | None
    more: Reading | None

    @property
    def parts(self) -> list[Reading]:
        """Those that there are."""
        return [part for part in (self.told, self.more) if part]

    @property
    def text(self) -> str:
        """What is examined."""
        return joined(self.parts)

    @property
    def logprobs(self) -> tuple[TokenLogprob, ...]:
        """Only where the text is the message's own."""
        return self.told.logprobs if self.told and not self.more else ()

    def changed(self, change: Change) -> dict[Any, Any]:
        """A dict with the same keys.

        Raises:
            Blocked: there is no place for a refusal in it.
        """
        if change.report.blocked:
            raise Blocked(change.refusal, report=change.report)
        changes = dict(zip(map(id, self.parts), change.split(bounds(self.parts)), strict=True))
        new = dict(self.output)
        if self.more:
            new |= self.more.changed(changes[id(self.more)])
        if self.told:
            new["raw"], new["parsed"] = self.told.changed(changes[id(self.told)])
        if new["parsing_error"] is not None and change.takes_away:  # its message repeats the text
            new["parsing_error"] = OutputParserException("the reply could not be parsed")
        return new
