"""Requests and replies as JSON, and the lasting key of a request.

A key is the blake2b of canonical JSON: the request's type, its version, a fingerprint and its fields. Fields
that have their default are left out, so a key survives a new optional field; raise `version` when a field
changes its meaning. Keys and lines are the same on every machine: untrusted text is keyed and stored as it
is, never by its fence.

Replies are read back through pydantic, by the request's `reply_type`: no pickle, and what does not fit is
refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from functools import cache
from hashlib import blake2b
from operator import attrgetter
from typing import Any, cast

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_json, to_jsonable_python

from guardrail.engine.flow import FREE, Answer, Cost, Failed, Reason, Reply, Request
from guardrail.errors import InputError

_REASONS = {reason.value: reason for reason in Reason}


def key(request: Request[Any], fingerprint: str = "") -> str:
    """The lasting name of a request as one backend answers it: 40 hexadecimal digits.

    Equal requests have equal keys, in every process; with the default fingerprint the key is the same for
    every backend, which is what a recording wants and a cache must not do.

    Example:
        >>> from guardrail.requests import Ask, user
        >>> key(Ask((user("Hi"),), temperature=1)) == key(Ask((user("Hi"),), temperature=1.0))
        True
        >>> key(Ask((user("Hi"),))) == key(Ask((user("Hi"),)), "another model")
        False
    """
    kind: Any = type(request)
    text = _canonical([_name(kind), kind.version, fingerprint, _fields(request)])
    return blake2b(text.encode(), digest_size=20).hexdigest()


def encode_request(request: Request[Any]) -> str:
    """One line of JSON: the fields that differ from their defaults."""
    return _json(_fields(request))


def encode_reply(request: Request[Any], reply: Reply[Any]) -> str:
    """One line of JSON: `{"value", "cost"}` or `{"reason", "detail", …}`; a zero cost is left out.

    Raises:
        InputError: the value has no JSON form.
    """
    if isinstance(reply, Failed):
        found: dict[str, Any] = {"reason": reply.reason.value, "detail": reply.detail}
        if reply.retryable:
            found["retryable"] = True
        if reply.retry_after is not None:
            found["retry_after"] = reply.retry_after
    else:
        found = {"value": reply.value}
    if reply.cost != FREE:
        found["cost"] = reply.cost
    try:
        return _json(found)
    except (ValueError, InputError) as error:
        raise InputError(
            f"expected a reply to a {type(request).__name__} that has a JSON form, got {reply!r}: {error}"
        ) from error


def decode_reply(request: Request[Any], data: str | bytes) -> Reply[Any]:
    """The reply that `encode_reply` wrote; an `Answer`, unless a `Failed` was written.

    Raises:
        InputError: the data is no reply to this kind of request.
    """
    kind: Any = type(request)
    try:
        if data[:10] in {'{"reason":', b'{"reason":'}:
            return _failed(json.loads(data))
        return cast("Answer[Any]", _read(_answers(kind), data))
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"expected a reply to a {kind.__name__} as JSON, got {_shown(data)}: {_first(error)}. "
            "It was written by another version or by hand: record it again."
        ) from error


def _json(value: Any) -> str:
    try:
        return to_json(value, inf_nan_mode="constants", fallback=_plain).decode()
    except PydanticSerializationError:  # half a surrogate pair, which hostile text may hold, has no UTF-8
        return json.dumps(to_jsonable_python(value, inf_nan_mode="constants", fallback=_plain))


def _read(adapter: TypeAdapter[Any], data: str | bytes) -> Any:
    try:
        return adapter.validate_json(data)
    except ValidationError as error:
        if error.errors(include_url=False)[0]["type"] != "json_invalid":
            raise
    return adapter.validate_python(json.loads(data))  # the same half pairs


def _failed(found: Mapping[str, Any]) -> Failed:
    cost = found.get("cost") or {}
    return Failed(
        _REASONS[found["reason"]],
        str(found.get("detail", "")),
        retryable=bool(found.get("retryable", False)),
        retry_after=found.get("retry_after"),
        cost=Cost(**cost),
    )


def _fields(value: Any) -> dict[str, Any]:
    """A dataclass's fields that differ from their defaults, whole floats as integers (1.0 == 1)."""
    found = {}
    names, defaults, read = _plan(cast("Any", type(value)))
    for name, default, field in zip(names, defaults, read(value), strict=True):
        if field is not default and field != default:
            found[name] = int(field) if type(field) is float and field.is_integer() else field
    return found


@cache
def _plan(kind: Any) -> tuple[tuple[str, ...], tuple[Any, ...], Callable[[Any], tuple[Any, ...]]]:
    found = [(field.name, field.default) for field in fields(kind) if field.compare]
    names = tuple(name for name, _ in found)
    many = attrgetter(*names, "__class__")  # of one name it would give no tuple
    return names, tuple(default for _, default in found), lambda value: many(value)[:-1]


@cache
def _name(kind: Any) -> str:
    """Names the kind across versions and moves of a module, and apart from a plug-in's of the same name."""
    return f"{kind.__module__.partition('.')[0]}.{kind.lane}.{kind.__qualname__}"


def _plain(value: Any) -> Any:
    """What JSON has no word for; nested dataclasses carry their name, for fields that hold several kinds."""
    if is_dataclass(value):
        return {type(value).__name__: _fields(value)}
    if isinstance(value, BaseModel):
        return {type(value).__name__: value.model_dump(mode="json")}
    if isinstance(value, Mapping):
        return dict(sorted(value.items()))
    if isinstance(value, AbstractSet):
        return sorted(value, key=repr)
    raise InputError(f"expected plain values and dataclasses, got {value!r}")


# Not sorted: fields stand in their order, and a hashable request holds no dict.
_canonical = json.JSONEncoder(default=_plain, separators=(",", ":")).encode


@cache
def _answers(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(Answer[kind.reply_type])


def _shown(data: str | bytes) -> str:
    return repr(data if len(data) <= 80 else data[:80])


def _first(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return repr(error)
    found = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, found['loc']))}: {found['msg']}"
