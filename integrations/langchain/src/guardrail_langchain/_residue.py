"""What of a message is no answer, and what of its content blocks may repeat a text that was taken out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.messages import BaseMessage

from guardrail.adapting import Change, clean, is_wordless
from guardrail.adapting.provider_citations import of_block, of_text
from guardrail.adapting.reasoning import NAMES, sealed, sealed_list
from guardrail.adapting.residue import GONE, present
from guardrail_langchain._reasoning import KINDS, is_reasoning, kept_of

TEXT_FIELDS = frozenset(["type", "text", "id", "index", "phase"])
"""What of a block of text is never a quotation."""
CITATIONS: Mapping[str, Callable[[Any, Change, Sequence[str] | None], list[dict[str, Any]]]] = {
    "annotations": of_text,
    "citations": of_block,
}
"""Those of a block of text, each with what becomes of it when the text changes."""

_CALLS = ("tool_use", "tool_call", "tool_call_chunk", "function_call", "server_tool_call", "server_tool_use")
_MEDIA = ("file", "image", "image_url", "video")
# What is not the model's answer to the user: its drafts, its refusals, media, and traffic with tools.
_NO_ANSWER = re.compile(
    rf"{'|'.join((*sorted(KINDS), *_MEDIA, *_CALLS))}|refusal|text|executable_code|input_json_delta|mcp_\w+"
    r"|\w+_(call|call_chunk|call_output|result|tool_use|use)"
)


def unreadable(message: BaseMessage) -> str | None:
    """What of a message is an answer and no text, so that nobody can examine it: speech, and unknown blocks."""
    if message.additional_kwargs.get("audio"):
        return "speech (additional_kwargs['audio'])"
    for block in message.content if isinstance(message.content, list) else ():
        if isinstance(block, dict):
            inner = block.get("value") if block.get("type") == "non_standard" else block
            kind = inner.get("type") if isinstance(inner, dict) else "non_standard"
            if not _NO_ANSWER.fullmatch(str(kind)) and (kind == "audio" or not is_wordless(inner, ())):
                return f"a content block of type {kind!r}" if kind else _untyped(inner)
    return None


def _untyped(block: Any) -> str:
    """A block that does not say what it is: LangChain shows no text of it."""
    names = ", ".join(repr(name) for name in block if name != "type")
    return f"a content block without a 'type' (it has {names})"


def clean_blocks(blocks: Sequence[Any], taken: Sequence[str]) -> list[Any]:
    """The content blocks without what can be read of reasoning and the like; texts and their citations have been edited already.

    Where a block of reasoning goes, the ids of the texts go with it: a provider that knows a text by its id wants to see the
    reasoning that led to it.
    """
    kept: list[Any] = []
    thoughts = {i: kept_of(block, taken) for i, block in enumerate(blocks) if is_reasoning(block)}
    if GONE in thoughts.values():
        blocks = [_anonymous(block) for block in blocks]
    for i, block in enumerate(blocks):
        if i in thoughts:
            kept += [thoughts[i]] if thoughts[i] is not GONE else []
            continue
        kind = "text" if isinstance(block, str) else block.get("type")
        if kind == "text":
            kept.append(_bare(block, taken))
        elif kind in _CALLS:
            kept.append(block)
        elif kind in _MEDIA:
            kept.append(clean(block, taken))
    return kept


def clean_fields(fields: Mapping[str, Any], taken: Sequence[str]) -> dict[str, Any]:
    """`additional_kwargs` that cannot repeat the text, and what of reasoning a service needs back."""
    thoughts = {
        name: sealed_list(value, taken) if isinstance(value, list) else sealed(value, taken, ids=True)
        for name, value in fields.items()
        if name in NAMES
    }
    return {**clean(fields, taken), **present(thoughts)}


def _bare(block: Any, taken: Sequence[str]) -> Any:
    """A block of text with nothing beside the text that could be prose."""
    if isinstance(block, str):
        return block
    edited = TEXT_FIELDS | CITATIONS.keys() if isinstance(block.get("text"), str) else TEXT_FIELDS
    kept = {name: value for name, value in block.items() if name in edited}
    rest = clean({name: value for name, value in block.items() if name not in edited}, taken)
    return {name: {**kept, **rest}[name] for name in block if name in kept or name in rest}


def _anonymous(block: Any) -> Any:
    if not isinstance(block, dict) or block.get("type") != "text":
        return block
    return {name: value for name, value in block.items() if name != "id"}
