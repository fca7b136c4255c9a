"""Errors of a service: handed on as they came, but for what a model wrote, which nobody examined."""

from __future__ import annotations

from collections.abc import Mapping
from operator import is_
from typing import Any

from guardrail.adapting.codec import Codec, NotReadable
from guardrail.adapting.strict_json import TooDeep, read_json

_WRITTEN = frozenset({"failed_generation"})
"""Fields with the model's words: Groq shows there the tool call or the JSON that it could not use."""


def has_answer(codec: Codec, body: bytes, *, kind: str) -> bool:
    """Whether the body of an error is an answer.

    Args:
        codec: of the protocol.
        body: as it came.
        kind: its media type.
    """
    try:
        found = read_json(body)
        return isinstance(found, dict) and any(
            choice.text or choice.unread for choice in codec.choices(found)
        )
    except TooDeep:
        return True  # for all that anybody can see
    except (ValueError, NotReadable):
        return kind.lower().startswith("text/event-stream") or body.lstrip().startswith((b"data:", b"event:"))


def without_text(error: Any) -> Any:
    """An error without the fields that a model wrote; the same object if it has none.

    Example:
        >>> without_text({"error": {"code": "tool_use_failed", "failed_generation": "It lies in Peru."}})
        {'error': {'code': 'tool_use_failed'}}
    """
    if isinstance(error, list):
        parts = [without_text(one) for one in error]
        return error if all(map(is_, parts, error)) else parts
    if not isinstance(error, Mapping):
        return error
    kept = {name: without_text(value) for name, value in error.items() if name not in _WRITTEN}
    same = len(kept) == len(error) and all(kept[name] is value for name, value in error.items())
    return error if same else kept
