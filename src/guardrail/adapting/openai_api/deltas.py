"""Pieces of a choice put together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["merged"]

_ONCE = {"id", "type", "role", "name", "index", "finish_reason", "object"}


def merged(before: Mapping[str, Any], piece: Mapping[str, Any]) -> dict[str, Any]:
    """What was received of an object, and one more piece of it: texts and lists grow, the rest is as it came last.

    Items of a list that have an `index` (tool calls) are put together by it.

    Example:
        >>> merged({"delta": {"content": "a"}}, {"delta": {"content": "b"}})
        {'delta': {'content': 'ab'}}
    """
    found = dict(before)
    for name, value in piece.items():
        known = found.get(name)
        if value is None:
            found.setdefault(name, None)
        elif known is None or name in _ONCE:
            found[name] = _listed([], value) if isinstance(value, list) else value
            if name in _ONCE and value == "" and known:
                found[name] = known
        elif isinstance(value, str) and isinstance(known, str):
            found[name] = known + value
        elif isinstance(value, Mapping) and isinstance(known, Mapping):
            found[name] = merged(known, value)
        elif isinstance(value, list) and isinstance(known, list):
            found[name] = _listed(known, value)
        else:
            found[name] = value
    return found


def _listed(known: list[Any], more: list[Any]) -> list[Any]:
    found = [*known]
    for item in more:
        index = item.get("index") if isinstance(item, Mapping) else None
        place = next(
            (i for i, one in enumerate(found) if index is not None and one.get("index") == index), None
        )
        if place is None:
            found.append(item)
        else:
            found[place] = merged(found[place], item)
    return found
