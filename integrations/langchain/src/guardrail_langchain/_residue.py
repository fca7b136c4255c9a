"""What of a message is no answer, and what of its content blocks may repeat a text that was taken out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage

from guardrail.adapting import clean, is_wordless

__all__ = ["clean_blocks", "unreadable"]

_CALLS = ("tool_use", "tool_call", "tool_call_chunk", "function_call", "server_tool_call", "server_tool_use")
_MEDIA = ("file", "image", "image_url", "video")
_REASONING = ("reasoning", "reasoning_content", "redacted_thinking", "thinking")
# What is not the model's answer to the user: its drafts, its refusals, media, and traffic with tools.
_NO_ANSWER = re.compile(
    rf"{'|'.join((*_REASONING, *_MEDIA, *_CALLS))}|refusal|text|executable_code|input_json_delta|mcp_\w+"
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
    """The content blocks without reasoning and the like; texts have been edited already.

    Where reasoning goes, the ids of the texts go with it: a provider that knows a text by its id wants to see the
    reasoning that led to it.
    """
    kept: list[Any] = []
    if any(isinstance(block, dict) and block.get("type") in _REASONING for block in blocks):
        blocks = [_anonymous(block) for block in blocks]
    for block in blocks:
        kind = "text" if isinstance(block, str) else block.get("type")
        if kind == "text" or kind in _CALLS:
            kept.append(block)
        elif kind in _MEDIA:
            kept.append(clean(block, taken))
    return kept


def _anonymous(block: Any) -> Any:
    if not isinstance(block, dict) or block.get("type") != "text":
        return block
    return {name: value for name, value in block.items() if name != "id"}
