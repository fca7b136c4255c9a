"""Pieces of a choice put together, in time that grows with their number and not with its square."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from guardrail.given.accepted import Json, JsonObject

_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_ONCE = {"id", "type", "role", "name", "index", "finish_reason", "object"}
_WHOLE = {"annotations", "citation"}
"""Fields whose items come whole: an `index` in them is a place in the text. LiteLLM sends one `citation` in each piece."""


class GrowingObject:
    """What was received of an object so far: texts and lists grow, the rest is as it came last.

    Items of a list that have an `index` (tool calls) are put together by it.

    Example:
        >>> growing = GrowingObject()
        >>> for word in ("a", "b"):
        ...     growing.add({"delta": {"content": word}, "index": 0})
        >>> growing.value()
        {'delta': {'content': 'ab'}, 'index': 0}
    """

    def __init__(self) -> None:
        self._fields: Json = {}

    def add(self, piece: JsonObject) -> None:
        """One more piece, which is not changed."""
        for name, value in piece.items():
            known = self._fields.get(name)
            if value is None:
                self._fields.setdefault(name, None)
            elif name in _WHOLE and isinstance(value, list | Mapping):
                more = value if isinstance(value, list) else [value]
                if isinstance(known, list):
                    known.extend(more)
                else:
                    self._fields[name] = list(more)
            elif known is None or name in _ONCE:
                if value != "" or not known:
                    self._fields[name] = _begun(value)
            elif isinstance(value, str) and isinstance(known, _Text):
                known.parts.append(value)
            elif isinstance(value, Mapping) and isinstance(known, GrowingObject):
                known.add(value)
            elif isinstance(value, list) and isinstance(known, _Items):
                known.extend(value)
            else:
                self._fields[name] = _begun(value)

    def value(self) -> Json:
        """The object."""
        return {name: _ended(value) for name, value in self._fields.items()}


class _Text:
    """A text that grows."""

    def __init__(self, text: str) -> None:
        self.parts = [text]


class _Items:
    """A list that grows."""

    def __init__(self, items: Iterable[Any]) -> None:
        self.items: list[Any] = []
        self._places: dict[int | str, GrowingObject] = {}
        self.extend(items)

    def extend(self, more: Iterable[Any]) -> None:
        for item in more:
            index = item.get("index") if isinstance(item, Mapping) else None
            if not isinstance(index, int | str):
                self.items.append(item)
                continue
            if index not in self._places:
                self._places[index] = GrowingObject()
                self.items.append(self._places[index])
            self._places[index].add(item)


def one_by_one(rest: JsonObject) -> list[Json]:
    """The deltas of a message's further fields: of LiteLLM's citations each has one.

    Example:
        >>> one_by_one({"provider_specific_fields": {"citation": [{"url": "a"}, {"url": "b"}]}})[2]
        {'provider_specific_fields': {'citation': {'url': 'b'}}}
    """
    name, citation = "provider_specific_fields", "citation"
    fields = rest.get(name)
    cited = fields.get(citation) if isinstance(fields, Mapping) else None
    if not isinstance(fields, Mapping) or not isinstance(cited, list):
        return [dict(rest)]
    others = {key: value for key, value in fields.items() if key != citation}
    return [{**rest, name: others}, *({name: {citation: one}} for one in cited)]


def _paired(text: str) -> str:
    """A text in which two halves of a character are one: a service that counts in UTF-16 may cut between them."""
    if text.isascii() or not _HALVES.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _begun(value: Any) -> Any:
    if isinstance(value, str):
        return _Text(value)
    if isinstance(value, list):
        return _Items(value)
    if isinstance(value, Mapping):
        begun = GrowingObject()
        begun.add(value)
        return begun
    return value


def _ended(value: Any) -> Any:
    if isinstance(value, _Text):
        return _paired("".join(value.parts))
    if isinstance(value, _Items):
        return [_ended(item) for item in value.items]
    return value.value() if isinstance(value, GrowingObject) else value
