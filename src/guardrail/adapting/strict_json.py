"""JSON that others wrote, read within limits: so that what is done with it afterwards cannot fail on its depth."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

DEEPEST = 100
"""Levels of lists and objects. A request with many tools has some twenty; what walks through a value takes a few calls for each level."""


class TooDeep(ValueError):
    """JSON with more levels than anybody needs."""


def read_json(text: str | bytes, *, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """What a text says.

    Args:
        text: of JSON.
        pairs: makes the objects, as `object_pairs_hook` of `json.loads`.

    Raises:
        TooDeep: lists and objects are nested too deep.
        ValueError: it is not JSON.

    Example:
        >>> read_json('{"a": [1]}')
        {'a': [1]}
    """
    try:
        found = json.loads(text, object_pairs_hook=pairs)
    except RecursionError:
        raise _too_deep() from None
    if _opened(text) > DEEPEST and _is_deep(found):
        raise _too_deep()
    return found


def _opened(text: str | bytes) -> int:
    """How many brackets are opened, also in texts: no value is deeper, and most have fewer than the limit."""
    if isinstance(text, str):
        return text.count("[") + text.count("{")
    return text.count(b"[") + text.count(b"{")


def _is_deep(value: Any) -> bool:
    """Whether a value has too many levels; found without calling itself."""
    level = [value]
    for _ in range(DEEPEST):
        inner = (one.values() if isinstance(one, dict) else one for one in level)
        level = [item for items in inner for item in items if isinstance(item, dict | list)]
        if not level:
            return False
    return True


def _too_deep() -> TooDeep:
    return TooDeep(f"expected JSON of at most {DEEPEST} levels, got more")
