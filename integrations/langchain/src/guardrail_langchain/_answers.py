"""Where the text stands in what LangChain returns, and how an edited text gets back to its place.

A `Reading` is one place of text; those of a list of content blocks, a dict or a pydantic model are parts of a
larger one, whose text is theirs joined. A `Change` is what the policy did, and can be split along the parts.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from langchain_core.documents import Document
from langchain_core.exceptions import OutputParserException
from langchain_core.messages import AIMessage, BaseMessage
from pydantic import BaseModel, ValidationError
from pydantic_core import to_json, to_jsonable_python

from guardrail.errors import Blocked, ConfigError
from guardrail.report import Edit, Report, Span
from guardrail.requests import TokenLogprob
from guardrail.text.edits import apply
from guardrail_langchain._messages import logprobs
from guardrail_langchain._residue import clean, clean_blocks

__all__ = ["Change", "Reading", "read", "restated", "structured_text"]

_JOINT = "\n\n"
_PARSED = {"raw", "parsed", "parsing_error"}


@dataclass(frozen=True)
class Change:
    """What becomes of a text.

    Attributes:
        before: the text that was examined.
        after: the text to show.
        edits: how one becomes the other; empty if it was replaced as a whole.
        report: what decided.
    """

    before: str
    after: str
    edits: tuple[Edit, ...]
    report: Report

    @classmethod
    def of(cls, text: str, report: Report) -> Change:
        """The change that a report decided on."""
        edits = report.decision.edits if apply(text, report.decision.edits) == report.answer else ()
        return cls(text, report.answer, edits, report)

    @property
    def changed(self) -> bool:
        """Whether there is anything to do."""
        return self.before != self.after

    @property
    def takes_away(self) -> bool:
        """Whether text went, so that it may not turn up elsewhere."""
        if not self.edits:
            return self.changed
        return any(edit.span.end > edit.span.start for edit in self.edits)

    @property
    def taken(self) -> list[str]:
        """Texts that may not turn up anywhere."""
        if not self.takes_away:
            return []
        spans = [edit.span.of(self.report.case.answer) for edit in self.report.decision.edits]
        return [
            text for text in [*spans, *(f.text for f in self.report.findings), self.before] if len(text) > 3
        ]

    @property
    def summary(self) -> dict[str, Any]:
        """What travels with the answer: no text of it."""
        found: dict[str, Any] = to_jsonable_python(self.report.summary())
        return found

    def split(self, bounds: Sequence[tuple[int, int]]) -> list[Change]:
        """The change of each part, given where the parts lie in the text; a new text goes to the first."""
        if not self.changed:
            return [self._part(a, b, ()) for a, b in bounds]
        if not self.edits:
            parts = [self._part(a, b, ()) for a, b in bounds]
            texts = [self.after, *[""] * (len(parts) - 1)]
            return [dataclasses.replace(p, after=text) for p, text in zip(parts, texts, strict=True)]
        local: list[list[Edit]] = [[] for _ in bounds]
        for edit in self.edits:
            start, end = edit.span.start, edit.span.end
            touched = [i for i, (a, b) in enumerate(bounds) if max(a, start) < min(b, end)]
            # What is inserted between two parts follows the text before it.
            home = (
                touched[0] if touched else max((i for i, (a, _) in enumerate(bounds) if a < start), default=0)
            )
            for i in touched or [home]:
                a, b = bounds[i]
                span = Span(start=min(max(start, a), b) - a, end=min(max(end, a), b) - a)
                local[i].append(
                    edit.model_copy(
                        update={"span": span, "replacement": edit.replacement if i == home else ""}
                    )
                )
        return [self._part(a, b, tuple(edits)) for (a, b), edits in zip(bounds, local, strict=True)]

    def _part(self, start: int, end: int, edits: tuple[Edit, ...]) -> Change:
        text = self.before[start:end]
        return Change(text, apply(text, edits), edits, self.report)


class Reading(Protocol):
    """One place of text in an output."""

    @property
    def text(self) -> str:
        """What is examined."""
        ...

    @property
    def logprobs(self) -> tuple[TokenLogprob, ...]:
        """Its tokens, where they are known."""
        ...

    def changed(self, change: Change) -> Any:
        """The output with the change made."""
        ...


def read(output: Any, key: str | None = None) -> Reading | None:
    """Find the text of an output; `None` if there is none.

    Args:
        output: a message, a string, or a structure of strings.
        key: the entry of a dict that holds the answer; by default all its strings are examined.

    Raises:
        ConfigError: there is no such entry, or the output is an agent's state.
    """
    if key is not None:
        if not isinstance(output, dict) or key not in output:
            raise ConfigError(f"expected a dict with the key {key!r}, got {_kind(output)}")
        inner = _part(output[key])
        return _Structure(output, [(key, inner)], named=True) if inner else None
    if isinstance(output, BaseMessage):
        return _OfMessage(output) if str(output.text) else None
    if isinstance(output, str):
        return _OfString(output) if output else None
    if isinstance(output, dict) and set(output) == _PARSED and isinstance(output["raw"], BaseMessage):
        return _Parsed.of(output)
    if isinstance(output, dict) and isinstance(output.get("messages"), list) and _message_in(output):
        raise ConfigError(
            "an agent keeps what was said before it could be checked: use GuardrailMiddleware inside the agent"
        )
    return _structure(output)


def structured_text(value: Any) -> str:
    """A structured answer as the JSON text that a model would have written."""
    return to_json(value, fallback=str).decode()


def _message_in(output: dict[str, Any]) -> bool:
    return any(isinstance(message, BaseMessage) for message in output["messages"])


def _kind(output: Any) -> str:
    return f"a dict with {sorted(map(str, output))}" if isinstance(output, dict) else type(output).__name__


@dataclass(frozen=True)
class _OfString:
    text: str
    logprobs: tuple[TokenLogprob, ...] = ()

    def changed(self, change: Change) -> str:
        return change.after


@dataclass(frozen=True)
class _OfMessage:
    message: BaseMessage

    @property
    def text(self) -> str:
        return str(self.message.text)

    @property
    def logprobs(self) -> tuple[TokenLogprob, ...]:
        return logprobs(self.message)

    def changed(self, change: Change) -> BaseMessage:
        message = self.message
        update: dict[str, Any] = {}
        metadata = message.response_metadata
        if change.changed:
            update["content"] = self._content(change)
            metadata = {name: value for name, value in metadata.items() if name != "logprobs"}
        if change.takes_away:
            metadata = clean(metadata, change.taken)
            update["additional_kwargs"] = clean(message.additional_kwargs, change.taken)
        update["response_metadata"] = {**metadata, "guardrail": change.summary}
        return message.model_copy(update=update)

    def _content(self, change: Change) -> Any:
        if isinstance(self.message.content, str):
            return change.after
        blocks = self.message.content
        places = [i for i, block in enumerate(blocks) if _block_text(block) is not None]
        bounds, position = [], 0
        for i in places:
            length = len(_block_text(blocks[i]) or "")
            bounds.append((position, position + length))
            position += length
        texts = dict(zip(places, change.split(bounds), strict=True))
        found: list[Any] = []
        for i, block in enumerate(blocks):
            part = texts.get(i)
            if part is None or not part.changed:
                found.append(block)
            elif part.after:
                found.append(part.after if isinstance(block, str) else _rewritten(block, part.after))
        return clean_blocks(found, change.taken) if change.takes_away else found


def _block_text(block: str | dict[Any, Any]) -> str | None:
    if isinstance(block, str):
        return block
    text = block.get("text")
    return text if block.get("type") == "text" and isinstance(text, str) else None


def _rewritten(block: dict[Any, Any], text: str) -> dict[Any, Any]:
    """The block with another text; citations point into the old one."""
    kept = {name: value for name, value in block.items() if name in {"type", "id", "index", "phase"}}
    return {**kept, "text": text}


@dataclass(frozen=True)
class _Structure:
    """The strings of a dict, list, pydantic model or dataclass, wherever they stand in it.

    `named`: the user said which entry is the answer, so that a refusal may stand there.
    """

    output: Any
    parts: Sequence[tuple[Any, Reading]]
    named: bool = False

    @property
    def text(self) -> str:
        return _JOINT.join(part.text for _, part in self.parts)

    @property
    def logprobs(self) -> tuple[TokenLogprob, ...]:
        return self.parts[0][1].logprobs if self.named else ()

    def changed(self, change: Change) -> Any:
        if change.report.blocked and not self.named:
            raise Blocked(change.after, report=change.report)
        bounds, position = [], 0
        for _, part in self.parts:
            bounds.append((position, position + len(part.text)))
            position = bounds[-1][1] + len(_JOINT)
        changes = zip(self.parts, change.split(bounds), strict=True)
        new = {place: part.changed(small) for (place, part), small in changes}
        if not change.changed and not any(isinstance(value, BaseMessage) for value in new.values()):
            return self.output
        return _assembled(self.output, new, change)


def _structure(value: Any) -> Reading | None:
    parts = [(place, part) for place, item in _items(value) if (part := _part(item)) is not None]
    return _Structure(value, parts) if parts else None


def _part(item: Any) -> Reading | None:
    if isinstance(item, enum.Enum | Document):
        return None
    return read(item) if isinstance(item, str | BaseMessage) else _structure(item)


def _items(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, dict):
        return list(value.items())
    if isinstance(value, list | tuple):
        return list(enumerate(value))
    if isinstance(value, BaseModel):
        return [(name, getattr(value, name)) for name in type(value).model_fields]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value) if field.init]
    return []


def _assembled(value: Any, new: dict[Any, Any], change: Change) -> Any:
    """The same structure with new values; what is not valid any more cannot be shown."""
    if isinstance(value, dict):
        return {**value, **new}
    if isinstance(value, list | tuple):
        items = [new.get(i, item) for i, item in enumerate(value)]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, BaseModel):
        found = value.model_copy(update=new)
        try:
            type(value).model_validate(found.model_dump(by_alias=True, warnings=False))
        except ValidationError:  # its message repeats the values
            raise Blocked(
                f"expected an edited {type(value).__name__} to be valid still, and it is not; "
                "use regenerate() | block() for structured answers",
                report=change.report,
            ) from None
        return found
    return dataclasses.replace(value, **new)


@dataclass(frozen=True)
class _Parsed:
    """What `with_structured_output(…, include_raw=True)` returns: the message, and what was read out of it."""

    output: dict[str, Any]
    inner: Reading

    @classmethod
    def of(cls, output: dict[str, Any]) -> _Parsed | None:
        parsed = output["parsed"]
        inner = read(output["raw"]) if parsed is None else _part(parsed)
        return cls(output, inner) if inner else None

    @property
    def text(self) -> str:
        return self.inner.text

    @property
    def logprobs(self) -> tuple[TokenLogprob, ...]:
        return self.inner.logprobs

    def changed(self, change: Change) -> dict[str, Any]:
        if change.report.blocked:
            raise Blocked(change.after, report=change.report)
        new = self.inner.changed(change)
        if self.output["parsed"] is None:
            error = self.output["parsing_error"]
            told = OutputParserException("the reply could not be parsed") if change.takes_away else error
            return {**self.output, "raw": new, "parsing_error": told}
        return {**self.output, "parsed": new, "raw": restated(self.output["raw"], new, change)}


def restated(message: AIMessage, structured: Any, change: Change) -> AIMessage:
    """A message whose tool call or text was read as a structure, after that has changed: it says the same."""
    if not change.changed:
        update = {"response_metadata": {**message.response_metadata, "guardrail": change.summary}}
        return message.model_copy(update=update)
    metadata = clean(message.response_metadata, change.taken)
    return AIMessage(
        content="" if message.tool_calls else structured_text(structured),
        id=message.id,
        name=message.name,
        usage_metadata=message.usage_metadata,
        response_metadata={**metadata, "guardrail": change.summary},
        tool_calls=[{**call, "args": to_jsonable_python(structured)} for call in message.tool_calls[:1]],
    )
