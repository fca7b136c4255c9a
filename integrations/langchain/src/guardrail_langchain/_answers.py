"""The text of messages, and how an edited text gets back into one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage

from guardrail.adapting import Change, clean
from guardrail.requests import TokenLogprob
from guardrail_langchain._messages import logprobs
from guardrail_langchain._residue import TEXT_FIELDS, clean_blocks, clean_fields

__all__ = ["Spoken"]


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
        if change.changed or change.takes_away:
            update["content"] = self._content(change)
            metadata = {name: value for name, value in metadata.items() if name != "logprobs"}
        if change.takes_away:
            metadata = clean(metadata, change.taken)
            update["additional_kwargs"] = clean_fields(message.additional_kwargs, change.taken)
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
    kept = {name: value for name, value in block.items() if name in TEXT_FIELDS}
    return {**kept, "text": text}
