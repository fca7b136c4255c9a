"""An answer that is JSON: examined as its strings, edited string by string, and still what its schema wants."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from guardrail.adapting.changes import Change, Reading, bounds, joined
from guardrail.adapting.changes import Text as Part
from guardrail.adapting.strict_json import read_json
from guardrail.given.accepted import Json, JsonObject
from guardrail.requests import TokenLogprob
from guardrail.text.json_values import fenced, json_values

_NAME = re.compile(r"[\w.:+-]{1,40}")
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
    "boolean": (bool,),
    "number": (int, float),
    "integer": (int,),
}
_KNOWN = {
    *(
        "$defs",
        "$id",
        "$ref",
        "$schema",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "default",
        "definitions",
    ),
    *(
        "description",
        "enum",
        "examples",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "items",
        "maxItems",
    ),
    *(
        "maxLength",
        "maximum",
        "minItems",
        "minLength",
        "minimum",
        "multipleOf",
        "nullable",
        "pattern",
        "prefixItems",
    ),
    *("properties", "required", "strict", "title", "type", "oneOf"),
}
_BEFORE, _AFTER = (-1, 0), (-1, 1)  # places of the prose around, which no value has
_DEEPEST = 100
_MOST_STEPS = 100_000


def parsed(text: str) -> Any:
    """A text as JSON.

    Raises:
        ValueError: it is not JSON, or nested too deep.
    """
    return read_json(text, pairs=_once)


def _once(pairs: list[tuple[str, Any]]) -> Json:
    """An object; with a key twice it is none: one value would be examined, and both would be shown."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found


@dataclass(frozen=True)
class JsonText:
    """The strings in a JSON text; keys and single words that may be names are examined only as values.

    Attributes:
        value: what the text says.
        around: what is written around it: prose, an opening fence; a closing fence, prose. Prose is examined, too.
        text: what is examined: the strings, a blank line between two.

    Example:
        >>> print(JsonText({"kind": "Yes.", "n": [1, "No."]}).text)
        Yes.
        <BLANKLINE>
        No.
    """

    value: Any
    around: tuple[str, str, str, str] = ("", "", "", "")
    logprobs: tuple[TokenLogprob, ...] = ()
    parts: tuple[tuple[tuple[str | int, ...], str], ...] = field(init=False)
    text: str = field(init=False)

    def __post_init__(self) -> None:
        before, _, _, after = self.around
        first = [(_BEFORE, before)] if before.strip() else []
        last = [(_AFTER, after)] if after.strip() else []
        parts = (*first, *_strings(self.value, ()), *last)
        object.__setattr__(self, "parts", parts)
        object.__setattr__(self, "text", joined(self._readings(parts)))

    @classmethod
    def within(cls, text: str) -> JsonText | None:
        """The JSON that a text is, or has in a fence or among prose; `None` where there is none, or more than one."""
        with suppress(ValueError):
            return cls(parsed(text))
        roots = json_values(text)
        if len(roots) != 1:
            return None
        start, end = roots[0].start, roots[0].end
        first, last = fenced(text, start, end)
        with suppress(ValueError):
            return cls(
                parsed(text[start:end]), (text[:first], text[first:start], text[end:last], text[last:])
            )
        return None

    @staticmethod
    def _readings(parts: Sequence[tuple[Any, str]]) -> list[Reading]:
        return [Part(text) for _, text in parts]

    def changed(self, change: Change) -> str:
        """The JSON with its strings edited."""
        new = {}
        changes = change.split(bounds(self._readings(self.parts)))
        for (place, _), part in zip(self.parts, changes, strict=True):
            new[place] = part.after
        before, opening, closing, after = self.around
        told = json.dumps(_with(self.value, new, ()), ensure_ascii=False)
        return "".join([new.get(_BEFORE, before), opening, told, closing, new.get(_AFTER, after)])


def _strings(value: Any, place: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if isinstance(value, str):
        if value:
            yield place, value
    elif isinstance(value, list | dict):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            if isinstance(key, str) and not _NAME.fullmatch(key):
                yield (*place, key, -1), key  # a place that no value has
            yield from _strings(inner, (*place, key))


def _with(value: Any, new: Mapping[tuple[str | int, ...], str], place: tuple[str | int, ...]) -> Any:
    if isinstance(value, str):
        return new.get(place, value)
    if isinstance(value, list):
        return [_with(inner, new, (*place, i)) for i, inner in enumerate(value)]
    if isinstance(value, dict):
        entries = {
            new.get((*place, key, -1), key): _with(inner, new, (*place, key)) for key, inner in value.items()
        }
        return {key: inner for key, inner in entries.items() if key or "" in value}
    return value


def is_valid(value: Any, schema: Any, *, before: Any = None) -> bool:
    """Whether a value is what a JSON Schema wants, of the part of the language that structured outputs use.

    What cannot be decided (a keyword that is not known here, a form such as "email", a pattern, more than 100,000 steps) is valid only if it was so before:
    strings of `before` pass.

    Args:
        value: of JSON.
        schema: of JSON.
        before: the value as the model wrote it.

    Example:
        >>> is_valid({"kind": "c"}, {"properties": {"kind": {"enum": ["a", "b"]}}})
        False
    """
    known = {text for _, text in _strings(before, ())}
    try:
        return _valid(value, schema, _Checked(schema, known), 0)
    except (re.error, TypeError, AttributeError, LookupError, RecursionError):
        return False


@dataclass
class _Checked:
    """What one check of a value knows, and how much it may still do: a schema is its client's, and may branch without end."""

    root: Any
    known: set[str]
    left: int = _MOST_STEPS


def _valid(value: Any, schema: Any, checked: _Checked, depth: int) -> bool:
    checked.left -= 1
    if isinstance(schema, bool):
        return schema
    if checked.left < 0 or depth > _DEEPEST or not set(schema) <= _KNOWN:
        return False
    if "$ref" in schema and not _valid(value, _referred(schema["$ref"], checked.root), checked, depth + 1):
        return False
    if "const" in schema and value != schema["const"]:
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if "type" in schema and not _is_of(value, schema["type"]):
        return bool(schema.get("nullable")) and value is None
    branches = [_valid(value, one, checked, depth + 1) for one in schema.get("allOf", ())]
    if not all(branches):
        return False
    for word in ("anyOf", "oneOf"):
        if word in schema and not any(_valid(value, one, checked, depth + 1) for one in schema[word]):
            return False
    if isinstance(value, str):
        return _valid_text(value, schema, checked.known)
    if isinstance(value, list):
        return _valid_list(value, schema, checked, depth)
    return not isinstance(value, dict) or _valid_object(value, schema, checked, depth)


def _referred(name: str, root: Any) -> Any:
    found = root
    for part in name.removeprefix("#").split("/"):
        found = found[part.replace("~1", "/").replace("~0", "~")] if part else found
    return found


def _is_of(value: Any, kinds: str | Sequence[str]) -> bool:
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        if isinstance(value, bool) and kind != "boolean":
            continue
        if isinstance(value, _TYPES[kind]) or (
            kind == "integer" and isinstance(value, float) and value.is_integer()
        ):
            return True
    return False


def _valid_text(value: str, schema: JsonObject, known: set[str]) -> bool:
    if not schema.keys().isdisjoint({"format", "pattern"}) and value not in known:
        return False  # a pattern is its client's: matching it could take forever
    return bool(schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)))


def _valid_list(value: list[Any], schema: JsonObject, checked: _Checked, depth: int) -> bool:
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        return False
    first = schema.get("prefixItems", [])
    rules = [*first, *[schema.get("items", True)] * max(0, len(value) - len(first))]
    return all(_valid(one, rule, checked, depth + 1) for one, rule in zip(value, rules, strict=False))


def _valid_object(value: Json, schema: JsonObject, checked: _Checked, depth: int) -> bool:
    if not set(schema.get("required", ())) <= set(value):
        return False
    properties, rest = schema.get("properties", {}), schema.get("additionalProperties", True)
    return all(_valid(one, properties.get(key, rest), checked, depth + 1) for key, one in value.items())
