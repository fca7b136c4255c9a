"""The text of strings and messages, and how an edited text gets back to its place.

A `Reading` is one place of text; those of a list of content blocks, a dict or a pydantic model are parts of a
larger one, whose text is theirs joined. A `Change` is what the policy did, and can be split along the parts.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from langchain_core.messages import BaseMessage
from pydantic_core import to_jsonable_python

from guardrail.policies.edits import KEY, apply
from guardrail.report import Edit, Report, Span
from guardrail.requests import TokenLogprob
from guardrail_langchain._messages import logprobs
from guardrail_langchain._residue import clean, clean_blocks

__all__ = ["JOINT", "Change", "Reading", "Spoken", "Text", "bounds", "joined"]

JOINT = "\n\n"  # between parts of one text


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
    def refusal(self) -> str:
        """The message of a policy that blocks; where JSON was examined, it stands in an object."""
        try:
            return str(json.loads(self.after)[KEY])
        except (ValueError, TypeError, LookupError):
            return self.after

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


@dataclass(frozen=True)
class Text:
    """A string."""

    text: str
    logprobs: tuple[TokenLogprob, ...] = ()

    def changed(self, change: Change) -> str:
        """The new text."""
        return change.after


@dataclass(frozen=True)
class Spoken:
    """The text of a message: of its content blocks only those of text."""

    message: BaseMessage

    @property
    def text(self) -> str:
        """What is examined."""
        return str(self.message.text)

    @property
    def logprobs(self) -> tuple[TokenLogprob, ...]:
        """Its tokens, where they are known."""
        return logprobs(self.message)

    def changed(self, change: Change) -> BaseMessage:
        """The message with the new text, and without what could repeat the old one."""
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
        spans, position = [], 0
        for i in places:
            length = len(_block_text(blocks[i]) or "")
            spans.append((position, position + length))
            position += length
        texts = dict(zip(places, change.split(spans), strict=True))
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


def joined(parts: Sequence[Reading]) -> str:
    """The texts of parts as one."""
    return JOINT.join(part.text for part in parts)


def bounds(parts: Sequence[Reading]) -> list[tuple[int, int]]:
    """Where each part lies in the joined text."""
    found, position = [], 0
    for part in parts:
        found.append((position, position + len(part.text)))
        position = found[-1][1] + len(JOINT)
    return found
