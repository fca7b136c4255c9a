"""Where the text is in what a chain returns: strings and messages, and the structures that contain them."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import ipaddress
import re
import uuid
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from numbers import Number
from pathlib import PurePath
from typing import Any

from langchain_core.documents import Document
from langchain_core.messages import BaseMessage
from pydantic import AnyUrl, BaseModel
from pydantic_core import Url

from guardrail.adapting import Change, Reading, Text, bounds, citations, joined
from guardrail.errors import ConfigError
from guardrail.report import Blocked
from guardrail.requests import Cited, TokenLogprob
from guardrail_langchain._answers import Spoken
from guardrail_langchain._composition import refuse_a_conversation, refuse_a_prompt
from guardrail_langchain._parsed import PARSED, Parsed, Told
from guardrail_langchain._records import records
from guardrail_langchain._residue import unreadable
from guardrail_langchain._validity import fields_of, made, ordered, with_fields, with_values

# No prose in any of them: numbers, moments, addresses, what a class lists, and a chain's sources.
_WORDLESS = (
    type(None),
    Number,
    enum.Enum,
    Document,
    dt.date,
    dt.time,
    dt.timedelta,
    dt.tzinfo,
    uuid.UUID,
    ipaddress.IPv4Address,
    ipaddress.IPv6Address,
)
_PLAIN = {int, float, bool, type(None)}  # of these there are long lists
_DEEPEST = 90
_NAME = re.compile(r"[\w.:+-]{1,40}")  # a field's name or a code, which is no claim


def read(output: Any, key: str | None = None, *, whole: bool = False) -> Reading | None:
    """Find the text of an output; `None` if there is none.

    Args:
        output: a message, a string, or a structure of such. Of a dict's keys those are read that are no names.
        key: the entry of a dict that has the answer; by default all its strings are examined.
        whole: refuse an output of which a part cannot be read.

    Raises:
        ConfigError: there is no such entry, the output is an agent's state or a prompt, contains itself, or a part cannot be read.
    """
    refuse_a_prompt(output)
    refuse_a_conversation(output, key)
    try:
        return _read(output, key, whole=whole)
    except RecursionError:
        raise ConfigError(
            f"expected an output with an end, got {_kind(output)} that is nested too deep or contains itself: name the entry "
            "with the answer by key=, or guard the part of the chain that has the model"
        ) from None


def _read(output: Any, key: str | None, *, whole: bool) -> Reading | None:
    if key is not None:
        if not isinstance(output, Mapping) or key not in output:
            raise ConfigError(f"expected a dict with the key {key!r}, got {_kind(output)}")
        inner = _part(output[key], f"output[{key!r}]", whole=whole)
        return _Structure(output, [((_VALUE, key), inner)], named=True) if inner else None
    return _part(output, "output", whole=whole)


def told(
    message: BaseMessage, structured: Any, *, call: str | None = None, whole: bool = False
) -> Told | None:
    """The reading of a message and of the structure that was made of it; `None` if there is no text.

    Args:
        message: what the model said: a tool call with the structure's values, or their JSON text.
        structured: what was made of it; `None` if that failed.
        call: the id of the tool call; by default it is the first.
        whole: as in `read`.
    """
    structure = _part(structured, "output", whole=whole)
    spoken = _part(message, "output['raw']", whole=whole)
    said = Told.said(message)
    if spoken and said is not None and not Told.calls(message):
        if structured is None:
            said = None  # it is edited as a text
        else:
            spoken = None  # the text is the structure's JSON, and nothing beside it
    known = set(_strings(structured))
    others = [text for text in _strings(said) if text not in known and not _NAME.fullmatch(text)]
    unused = _part(others, "output['raw']", whole=whole)
    if not (spoken or structure or unused):
        return None
    return Told(message, structured, spoken=spoken, structure=structure, unused=unused, call=call)


def _kind(output: Any) -> str:
    return f"a dict with {sorted(map(str, output))}" if isinstance(output, dict) else type(output).__name__


def _part(item: Any, where: str, *, whole: bool, as_strings: bool = False) -> Reading | None:
    """The reading of one thing; `as_strings`: it is known not to hold references."""
    if isinstance(item, _WORDLESS) or _is_numeric(item):
        return None
    if isinstance(item, str):
        return Text(item) if item else None
    if isinstance(item, BaseMessage):
        if whole and (what := unreadable(item)):
            raise _cannot_read(what, where)
        return Spoken(item) if str(item.text) else None
    if isinstance(item, AnyUrl | Url | PurePath):
        return _Printed(item, str(item))
    if isinstance(item, bytes | bytearray):
        try:
            return _Encoded(item, item.decode()) if item else None
        except UnicodeDecodeError:
            places = None
    elif isinstance(item, Mapping) and set(item) >= PARSED and isinstance(item["raw"], BaseMessage):
        return _parsed(item, where, whole=whole)
    else:
        places = _places(item)
    if places is None:
        if whole:
            raise _cannot_read(f"a value of type {type(item).__name__!r}", where)
        return None
    return _structure(item, places, where, whole=whole, as_strings=as_strings)


def _structure(item: Any, places: list[Any], where: str, *, whole: bool, as_strings: bool) -> Reading | None:
    """The reading of what has parts: of references as JSON, of anything else as strings."""
    if not as_strings:
        with suppress(ValueError):  # there is something in it that is no JSON: perhaps in a part of it
            plain = _plain(item)
            if (found := records(item, plain)) is not None:
                return found
            as_strings = True
    parts = [
        (place, part)
        for place, inner in places
        if type(inner) not in _PLAIN
        and (part := _part(inner, _at(where, place), whole=whole, as_strings=as_strings))
    ]
    return _Structure(item, parts) if parts else None


def _plain(item: Any, depth: int = 0) -> Any:
    """A structure in lists, dicts, texts and numbers; what is no answer (a chain's sources) is left out.

    Raises:
        ValueError: something in it has no place in JSON, such as a message.
    """
    if depth > _DEEPEST:
        raise ValueError("too deep")
    if isinstance(item, enum.Enum):
        return _plain(item.value, depth + 1)
    if isinstance(item, str | bool | int | type(None)):
        return item
    if isinstance(item, dt.date | Decimal | AnyUrl | Url | PurePath):
        return str(item)
    if isinstance(item, _WORDLESS) or _is_numeric(item):
        return item if isinstance(item, float) and isfinite(item) else None
    if isinstance(item, bytes | bytearray):
        return item.decode()
    places = None if isinstance(item, BaseMessage) else _places(item)
    if places is None:
        raise ValueError(f"no JSON: {type(item).__name__}")
    if isinstance(item, Sequence | AbstractSet) or type(item).__name__ == "deque":
        return [_plain(inner, depth + 1) for _, inner in places]
    if isinstance(item, Mapping):
        places = [(key, inner) for key, inner in item.items()]
    found = {str(name): _plain(inner, depth + 1) for name, inner in places}
    if len(found) != len(places):
        raise ValueError("two keys that are written alike")
    return found


def _cannot_read(what: str, where: str) -> ConfigError:
    return ConfigError(
        "expected an output that can be examined (strings, messages, and dicts, lists, sets, pydantic models or "
        f"dataclasses of them), got {what} at {where}, and the policy may not let pass what nobody has read. "
        "Turn it into one of these before the guard, name the entry that is the answer (key=…), guard the part "
        "of the chain that makes the text, or only watch it: policy=flag()."
    )


def _is_numeric(item: Any) -> bool:
    """An array of numbers, of whatever library."""
    return getattr(getattr(item, "dtype", None), "kind", "") in {"b", "i", "u", "f", "c", "m", "M"}


# -- what is in a structure

_KEY, _VALUE = "key", "value"


def _places(value: Any) -> list[tuple[Any, Any]] | None:
    """What is inside, each with its place; `None` if this is nothing that could be looked into."""
    if isinstance(value, Mapping):
        keys = [((_KEY, key), key) for key in value if not isinstance(key, str) or not _NAME.fullmatch(key)]
        return [*keys, *(((_VALUE, key), item) for key, item in value.items())]
    if isinstance(value, memoryview):
        return None
    if isinstance(value, AbstractSet):
        return list(enumerate(ordered(value)))
    if isinstance(value, Sequence) or type(value).__name__ == "deque":
        return list(enumerate(value))
    fields = fields_of(value)
    return None if fields is None else list(fields.items())


def _at(where: str, place: Any) -> str:
    if isinstance(place, tuple):
        return f"a key of {where}" if place[0] == _KEY else f"{where}[{place[1]!r}]"
    return f"{where}[{place}]" if isinstance(place, int) else f"{where}.{place}"


def _strings(value: Any) -> list[str]:
    """All texts in a structure, as they are."""
    part = _part(value, "", whole=False, as_strings=True)
    return _inner_strings(part) if part else []


def _inner_strings(part: Reading) -> list[str]:
    if isinstance(part, _Structure):
        return [text for _, inner in part.parts for text in _inner_strings(inner)]
    return [part.text]


@dataclass(frozen=True)
class _Structure:
    """The strings of a dict, list, set, pydantic model or dataclass, wherever they stand in it.

    `named`: the user said which entry is the answer, so that a refusal may stand there.
    """

    output: Any
    parts: Sequence[tuple[Any, Reading]]
    named: bool = False

    @property
    def text(self) -> str:
        return joined([part for _, part in self.parts])

    @property
    def logprobs(self) -> tuple[TokenLogprob, ...]:
        return self.parts[0][1].logprobs if self.named else ()

    @property
    def citations(self) -> tuple[Cited, ...]:
        return citations(*(part for _, part in self.parts))

    def changed(self, change: Change) -> Any:
        if change.report.blocked and not self.named:
            raise Blocked(change.refusal, report=change.report)
        changes = zip(self.parts, change.split(bounds([part for _, part in self.parts])), strict=True)
        new = {place: part.changed(small) for (place, part), small in changes}
        if not change.changed and not any(isinstance(value, BaseMessage) for value in new.values()):
            # A message further down may have lost what repeats a text that was taken out elsewhere.
            inner = [(part, new[place]) for place, part in self.parts if change.takes_away]
            if all(value is getattr(part, "output", value) for part, value in inner):
                return self.output
        return _assembled(self.output, new, change)


@dataclass(frozen=True)
class _Encoded:
    """Bytes that are a text."""

    value: bytes | bytearray
    text: str
    logprobs: tuple[TokenLogprob, ...] = ()

    def changed(self, change: Change) -> bytes | bytearray:
        return type(self.value)(change.after.encode()) if change.changed else self.value


@dataclass(frozen=True)
class _Printed:
    """A URL or a path: a text that must stay valid."""

    value: Any
    text: str
    logprobs: tuple[TokenLogprob, ...] = ()

    def changed(self, change: Change) -> Any:
        if not change.changed:
            return self.value
        return made(self.value, change.after, change)


def _assembled(value: Any, new: Mapping[Any, Any], change: Change) -> Any:
    """The same structure with new values; what is not valid any more cannot be shown."""
    if isinstance(value, Mapping):
        entries = _entries(value, new)
        return entries if isinstance(value, dict) else made(value, entries, change)
    if isinstance(value, AbstractSet):
        items = [new.get(i, item) for i, item in enumerate(ordered(value))]
        return made(value, [item for item in items if item not in ("", b"")], change)
    if isinstance(value, BaseModel) or dataclasses.is_dataclass(value):
        return with_fields(value, new, {}, change)
    return with_values(value, [new.get(i, item) for i, item in enumerate(value)], change)


def _entries(value: Mapping[Any, Any], new: Mapping[Any, Any]) -> dict[Any, Any]:
    """The entries of a dict; one whose key is gone, or has become another's, goes with it."""
    entries: dict[Any, Any] = {}
    for key, item in value.items():
        name = new.get((_KEY, key), key)
        if name == key or (name and name not in value):
            entries[name] = new.get((_VALUE, key), item)
    return entries


def _parsed(output: Mapping[Any, Any], where: str, *, whole: bool) -> Reading | None:
    """What `with_structured_output(…, include_raw=True)` returns, and what a chain may have added to it."""
    told_of = told(output["raw"], output["parsed"], whole=whole)
    rest = {name: item for name, item in output.items() if name not in PARSED}
    more = _part(rest, where, whole=whole) if rest else None
    return Parsed(output, told_of, more) if told_of or more else None
