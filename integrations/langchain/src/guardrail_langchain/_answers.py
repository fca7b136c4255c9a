"""The text of messages, and how an edited text gets back into one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage

from guardrail.adapting import Change, clean
from guardrail.adapting.provider_citations import of_text
from guardrail.given.citations import citations_of
from guardrail.requests import Cited, TokenLogprob
from guardrail_langchain._messages import logprobs
from guardrail_langchain._residue import CITATIONS, TEXT_FIELDS, clean_blocks, clean_fields


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

    @property
    def citations(self) -> tuple[Cited, ...]:
        """Those that the model's service gave."""
        return citations_of(self.message, self.text)

    def changed(self, change: Change) -> BaseMessage:
        """The message with the new text, and without what could repeat the old one."""
        message = self.message
        update: dict[str, Any] = {}
        metadata = message.response_metadata
        taken = change.taken if change.takes_away else None
        if change.changed or taken is not None:
            update["content"] = self._content(change, taken)
            update["additional_kwargs"] = _fields(message.additional_kwargs, change, taken)
            metadata = {name: value for name, value in metadata.items() if name != "logprobs"}
        if taken is not None:
            metadata = clean(metadata, taken)
        update["response_metadata"] = {**metadata, "guardrail": change.summary}
        return message.model_copy(update=update)

    def _content(self, change: Change, taken: Sequence[str] | None) -> Any:
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
            if part is None or (taken is None and not part.changed):
                found.append(block)
            elif part.after or not part.changed:
                found.append(part.after if isinstance(block, str) else _rewritten(block, part, taken))
        return found if taken is None else clean_blocks(found, taken)


def _fields(fields: dict[str, Any], change: Change, taken: Sequence[str] | None) -> dict[str, Any]:
    """`additional_kwargs` after a change, where services have the annotations of a text that is a string."""
    kept = fields if taken is None else clean_fields(fields, taken)
    noted = fields.get("annotations")
    return kept if noted is None else {**kept, "annotations": of_text(noted, change, taken)}


def _block_text(block: str | dict[Any, Any]) -> str | None:
    if isinstance(block, str):
        return block
    text = block.get("text")
    return text if block.get("type") == "text" and isinstance(text, str) else None


def _rewritten(block: dict[Any, Any], part: Change, taken: Sequence[str] | None) -> dict[Any, Any]:
    """The block with another text, and with the citations that are left."""
    kept = {name: value for name, value in block.items() if name in TEXT_FIELDS or not part.changed}
    cited = {name: rule(block[name], part, taken) for name, rule in CITATIONS.items() if name in block}
    return {**kept, "text": part.after, **cited}
