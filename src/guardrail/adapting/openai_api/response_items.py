"""The items and fields of a response: what is text, what is not, and what may repeat a text that was taken out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from guardrail.adapting.changes import Change
from guardrail.adapting.provider_citations import of_text
from guardrail.adapting.residue import GONE, Field, one_of, stripped, unrepeated, whole, word
from guardrail.given.accepted import Json, JsonObject

_HOSTED = (
    "apply_patch",
    "code_interpreter",
    "computer",
    "custom_tool",
    "file_search",
    "function",
    "image_generation",
    "local_shell",
    "mcp",
    "shell",
    "tool_search",
    "web_search",
)
# Kinds by name, none by their endings: an item of a kind that is not known may be speech.
_CALLS = (
    {f"{name}_call" for name in _HOSTED}
    | {f"{name}_call_output" for name in _HOSTED}
    | {"tool_search_output"}
)
TEXTS = {"output_text", "text"}
_SILENT = {"reasoning", "compaction", "mcp_list_tools", "mcp_approval_request"}
FOR_CLIENT = {
    *(
        "function_call",
        "custom_tool_call",
        "computer_call",
        "local_shell_call",
        "shell_call",
        "apply_patch_call",
    ),
    "mcp_approval_request",
}
_ENUMERATED = {
    "object": "response",
    "status": "completed",
    "truncation": "disabled",
    "service_tier": "default",
}
_WORDS = (
    *("id", "created_at", "completed_at", "previous_response_id", "max_output_tokens", "max_tool_calls"),
    *("parallel_tool_calls", "store", "usage", "temperature", "top_p", "top_logprobs", "background"),
)
_MAY_SAY = (
    *(
        "error",
        "incomplete_details",
        "instructions",
        "model",
        "reasoning",
        "text",
        "tool_choice",
        "tools",
    ),
    *("user", "metadata", "conversation", "prompt", "safety_identifier", "prompt_cache_key"),
)
BODY: Mapping[str, Field] = {
    **{name: one_of(otherwise) for name, otherwise in _ENUMERATED.items()},
    **dict.fromkeys(_WORDS, word),
    **dict.fromkeys(_MAY_SAY, unrepeated),
    "output": whole,
}
"""The known fields of a response, and what becomes of them once text was taken out."""
ITEM: Mapping[str, Field] = {
    "type": one_of(GONE),
    "id": word,
    "role": one_of("assistant"),
    "status": one_of("completed"),
}
"""Those of an item that is no call of the client."""
MESSAGE: Mapping[str, Field] = {**ITEM, "type": one_of("message")}
_REASONING: Mapping[str, Field] = {**ITEM, "encrypted_content": word}


def blocks_of(item: JsonObject) -> list[Any]:
    """The content parts of a message."""
    content = item.get("content")
    if content is None and not _is_known(item):
        content = item.get("text")  # of a kind that nobody knows
    listed = content if isinstance(content, list) else [] if content is None else [content]
    return [{"type": "output_text", "text": block} if isinstance(block, str) else block for block in listed]


def is_text(block: Any) -> bool:
    """Whether a content part has a text that may be shown; that of a kind that nobody knows may be."""
    return (
        isinstance(block, Mapping) and isinstance(block.get("text"), str) and block.get("type") != "refusal"
    )


def said_in(block: Any) -> str | None:
    """The text that a content part says to a reader: a refusal, too."""
    if (
        isinstance(block, Mapping)
        and block.get("type") == "refusal"
        and isinstance(block.get("refusal"), str)
    ):
        return str(block["refusal"])
    return str(block["text"]) if is_text(block) else None


def saying(block: JsonObject, part: Change, kind: Any, taken: Sequence[str] | None) -> Json:
    """A content part after a change, with the annotations that are left."""
    if is_text(block):
        noted = of_text(block.get("annotations"), part, taken)
        return {"type": kind, "text": part.after, "annotations": noted}
    return {"type": "refusal", "refusal": part.after}


def _is_known(item: JsonObject) -> bool:
    kind = str(item.get("type"))
    if kind not in _SILENT and kind not in _CALLS:
        return False
    content = item.get("content")
    listed = content if isinstance(content, list) else [content]
    return not any(isinstance(block, Mapping) and block.get("type") == "output_text" for block in listed)


def speaks(item: JsonObject) -> bool:
    """Whether an item may be shown as what the model said: a message, or one of a kind that nobody knows with texts in it."""
    return item.get("type") == "message" or (
        not _is_known(item) and any(is_text(block) for block in blocks_of(item))
    )


def is_reasoning(item: JsonObject) -> bool:
    """Whether an item is what the model thinks, and says nothing as an answer."""
    return item.get("type") == "reasoning" and not speaks(item)


def unread_item(item: JsonObject) -> str:
    """What an item is that is no message, if nobody can examine it; "" if it is no answer."""
    return "" if item.get("type") == "message" or _is_known(item) else "an output item that is no message"


def silenced(item: JsonObject, taken: Sequence[str]) -> Any:
    """An item that is no message without what may repeat the text; calls that the client runs stay whole."""
    kind = item.get("type")
    if str(kind) in FOR_CLIENT:
        return item
    if kind == "reasoning":  # a service that keeps no state wants it back, and nobody else can read it
        kept = {name: item[name] for name in ("type", "id", "status", "encrypted_content") if name in item}
        return {**stripped(kept, _REASONING, taken), "summary": []}
    return stripped(item, ITEM, taken)
