"""Whose are the answers that the upstream keeps: with the server's upstream key, all clients are one account there.

So a client could go on with another's stored response or conversation. Each id is bound to the client in whose answer it first
came. Files, vector stores and the like are not: a route to them is refused at the start, unless the operator says that clients share.
"""

from __future__ import annotations

import contextlib
import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any

from guardrail.adapting.strict_json import read_json
from guardrail.given.accepted import JsonObject
from guardrail.server.refusals import Refused

_ROOTS = "responses|conversations|containers|threads|batches|messages/batches|chat/completions"
_STORED = re.compile(rf"/v1/(?:{_ROOTS})(?:/(?P<id>[^/]+)(?:/.*)?)?")
_MAKES = frozenset(
    f"/v1/{name}" for name in ("conversations", "containers", "threads", "batches", "messages/batches")
)
_STATELESS = re.compile(
    r"POST /v1/(?:completions|rerank|score|audio/(?:speech|transcriptions|translations)|images/generations)"
)
"""Routes behind which nothing is kept."""
_COUNTS = frozenset({"/v1/responses/input_tokens", "/v1/messages/count_tokens"})
_REFERENCES = frozenset({"previous_response_id", "conversation", "container", "request_id"})
"""With vLLM and SGLang, a client chooses by `request_id` under which id its response is stored."""
_LONGEST = 200  # characters of an id
_CALLS = frozenset({"function_call", "custom_tool_call"})
_SEALED = frozenset({"reasoning", "compaction"})


class Stored:
    """Ids by the client they belong to; of each client the newest are known.

    Args:
        shared: whether several clients use one upstream key; otherwise everything is allowed.
        remembers: whether this process sees all answers, and not one of several workers.
        most: ids of one client.
    """

    def __init__(self, *, shared: bool, remembers: bool = True, most: int = 20_000) -> None:
        self._shared = shared
        self._remembers = remembers
        self._most = most
        self._ids: dict[str, OrderedDict[str, None]] = {}

    def note(self, owner: str, body: Any) -> None:
        """Bind what an answer created to the client who asked for it; what is another's stays so."""
        if not self._shared or not self._remembers or not isinstance(body, Mapping):
            return
        kept = self._ids.setdefault(owner, OrderedDict())
        others = [ids for other, ids in self._ids.items() if other != owner]
        for one in created(body):
            if any(one in ids for ids in others):
                continue
            kept[one] = None
            kept.move_to_end(one)
        while len(kept) > self._most:
            kept.popitem(last=False)

    def note_text(self, owner: str, text: bytes | None) -> None:
        """As `note`, of an answer that was passed on; what cannot be read creates nothing."""
        with contextlib.suppress(ValueError):
            self.note(owner, read_json(text or b"null"))

    def check(self, owner: str, path: str, request: JsonObject) -> None:
        """Let a request pass if all that it names is its client's.

        Raises:
            Refused: something is not, or nobody knows.
        """
        if not self._shared:
            return
        known = self._ids.get(owner, OrderedDict())
        for place, one in (*of_path(path), *named(request)):
            if one not in known:
                raise Refused(403, "not_yours", self._why(place))

    def _why(self, place: str) -> str:
        why = (
            "this key did not create it here, or too long ago"
            if self._remembers
            else "several workers do not know each other's answers"
        )
        return (
            f"{place} names something that is stored under an upstream key which several clients share, and {why}. "
            "Send the messages themselves; the operator can allow it for all clients by shared_state = true."
        )


def apart(route: str, *, known: bool) -> bool:
    """Whether clients of one upstream key cannot reach each other's data by a route that is passed on.

    Args:
        route: as it is written in `passthrough`.
        known: whether clients are known by their keys, so that ids can be bound to them.

    Example:
        >>> apart("GET /v1/responses/*", known=True), apart("GET /v1/files/*", known=True)
        (True, False)
    """
    if _STATELESS.fullmatch(route):
        return True
    return known and _STORED.fullmatch(route.partition(" ")[2]) is not None


def makes(method: str, path: str) -> bool:
    """Whether a request that is passed on creates something under an id of its own."""
    return method == "POST" and path in _MAKES


def of_path(path: str) -> Iterator[tuple[str, str]]:
    """Where a path names something that is stored, and its id; a list of all that is stored has the id ""."""
    found = None if path in _COUNTS else _STORED.fullmatch(path)
    if found is not None:
        yield "the path", found["id"] or ""


def names(path: str) -> bool:
    """Whether the body of a request that is passed on may name something that is stored."""
    return path in _COUNTS or _STORED.fullmatch(path) is not None


def named(request: JsonObject) -> Iterator[tuple[str, str]]:
    """Places in a request that name something stored, and its id."""
    for raw, value in request.items():
        name = raw.casefold()  # some services read names in any case
        if name in _REFERENCES:
            yield from _reference(raw, value)
        elif name == "tools":
            for tool in _objects(value):
                yield from _in_containers("a tool", tool)
        elif name in {"input", "items", "messages"}:
            for item in _objects(value):
                yield from _in_item(item, chat=name == "messages")
        elif name == "requests":  # a batch
            for one in _objects(value):
                for inner, params in one.items():
                    if inner.casefold() == "params" and isinstance(params, Mapping):
                        yield from named(params)


def _objects(value: Any) -> list[JsonObject]:
    """The objects of a list; an object alone is one, too."""
    listed = value if isinstance(value, list) else [value]
    return [one for one in listed if isinstance(one, Mapping)]


def _reference(place: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        found = [one for name, one in value.items() if name.casefold() == "id" and one is not None]
        yield from ((place, str(one)) for one in found)
    elif value is not None:
        yield place, str(value)


def _in_containers(place: str, holder: JsonObject) -> Iterator[tuple[str, str]]:
    """The container in which a tool or a call runs."""
    for raw, value in holder.items():
        name = raw.casefold()
        if name in {"container", "container_id"}:
            yield from _reference(f"{place}'s container", value)
        elif name == "environment" and isinstance(value, Mapping):
            yield from _in_containers(place, value)


def _in_item(item: JsonObject, *, chat: bool) -> Iterator[tuple[str, str]]:
    low = {name.casefold(): value for name, value in item.items()}
    kind = str(low.get("type") or "")
    place = f"an input item of type {kind!r:.40}"
    twice = len(low) < len(item)  # of two spellings a service may read either
    if twice or not _says_all(low, kind, chat=chat):
        for name, value in item.items():
            if name.casefold() == "id" and value is not None:
                yield place, str(value)
    yield from _in_containers(place, item)
    for name, value in item.items():
        if name.casefold() == "audio" and isinstance(value, Mapping):
            yield from _reference("a message's audio", value)


def _says_all(low: JsonObject, kind: str, *, chat: bool) -> bool:
    """Whether an item says all that it means, whatever its id. Without a type and content it is a reference, as OpenAI reads it."""
    if kind in {"", "message"}:
        return low.get("content") is not None or (chat and not kind)
    return (
        kind in _CALLS or kind.endswith("_output") or (kind in _SEALED and bool(low.get("encrypted_content")))
    )


def created(body: JsonObject) -> Iterator[str]:
    """Ids in an answer that a later request may name."""
    found = [body.get("id"), _id(body.get("conversation")), _id(body.get("container"))]
    output = body.get("output")
    for item in output if isinstance(output, list) else ():
        if isinstance(item, Mapping):
            found += [item.get("id"), item.get("container_id")]
            place = item.get("environment")
            found.append(place.get("container_id") if isinstance(place, Mapping) else None)
    yield from (one for one in found if isinstance(one, str) and 0 < len(one) <= _LONGEST)


def _id(value: Any) -> Any:
    return value.get("id") if isinstance(value, Mapping) else value
