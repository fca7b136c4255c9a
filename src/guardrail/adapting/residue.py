"""What else of a message may repeat a text that was taken out of it.

Log-probabilities spell the answer out token by token, reasoning drafts it, search metadata quotes it. Once text
has been removed, of a message's side data only that remains which cannot be prose: numbers, and single words
such as ids, model names and finish reasons. Tool calls stay: they are no answer, and the agent needs them whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["clean", "is_wordless"]

_CALL_FIELDS = {"tool_calls", "function_call"}
_ECHOES = {
    "annotations",
    "audio",
    "citations",
    "grounding_metadata",
    "logprobs",
    "parsed",
    "reasoning",
    "reasoning_content",
    "refusal",
    "search_results",
    "thinking",
    "thoughts",
}


def clean(found: Mapping[str, Any], taken: Sequence[str]) -> dict[str, Any]:
    """The entries that cannot repeat the text."""
    kept: dict[str, Any] = {}
    for name, value in found.items():
        if not is_wordless(name, taken):
            continue
        if name in _CALL_FIELDS:
            kept[name] = value
        elif name in _ECHOES:
            continue
        elif isinstance(value, Mapping):
            kept[name] = clean(value, taken)
        elif is_wordless(value, taken):
            kept[name] = value
    return kept


def is_wordless(value: Any, taken: Sequence[str]) -> bool:
    """Whether a value cannot be prose: a number, a flag, or one ASCII word without a text that was taken out."""
    if value is None or isinstance(value, bool | int | float):
        return True
    if isinstance(value, str):
        prose = not value.isascii() or any(character.isspace() for character in value)
        return not prose and not any(text in value for text in taken)
    if isinstance(value, Mapping):
        return all(is_wordless(item, taken) for pair in value.items() for item in pair)
    return isinstance(value, list | tuple) and all(isinstance(item, int | float) for item in value)
