"""Doors: how the kit reaches a guard, over HTTP or by a call in this process."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from guardrail.given.accepted import Json
from guardrail.testing.leaks.cases import Case, request
from guardrail.testing.leaks.replies import Reply


class NotOffered(Exception):  # a statement about a door, no error
    """The door does not have this: raised by a door, the case is counted as not offered. The message is the reason."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What a guard is to be opened with.

    Attributes:
        upstream: base URL of the stub, with `/v1`: where the guard gets its answers.
        policy: of `leaks.POLICIES`.
        breaks: the guard's own check must raise an error that quotes the answer, and the guard fail closed.
        forbidden: the texts that the guard must find.
        mark: what annotate puts by them.
    """

    upstream: str
    policy: str
    breaks: bool
    forbidden: tuple[str, ...]
    mark: str


Ask: TypeAlias = Callable[[Case], Reply]


@dataclass(frozen=True, slots=True)
class Opened:
    """A guard that is ready.

    Attributes:
        ask: sends a case's request through it. `over_http` and `called` make such functions.
        channels: what else it wrote, by name ("logs", "metrics", "spans"): functions that give all of it as text. They are read
            once, after the last case.
    """

    ask: Ask
    channels: Mapping[str, Callable[[], str]] = field(default_factory=dict)


Door: TypeAlias = Callable[[Setting], AbstractContextManager[Opened | str]]
"""Opens a guard with a setting: gives what is open, or the base URL where it listens. Raises `NotOffered` for what it has not."""


def over_http(
    base_url: str, *, headers: Mapping[str, str] | None = None, model: str = "stub", timeout: float = 30.0
) -> Ask:
    """Ask a server: with `/v1`, as clients write it.

    Args:
        base_url: of the guard.
        headers: to send, a key for example.
        model: the name in the requests.
        timeout: seconds.
    """
    place = urlsplit(base_url)
    sent = {
        "content-type": "application/json",
        "authorization": "Bearer none",
        "anthropic-version": "2023-06-01",
    }
    sent |= {name.lower(): value for name, value in (headers or {}).items()}

    def ask(case: Case) -> Reply:
        kind = http.client.HTTPSConnection if place.scheme == "https" else http.client.HTTPConnection
        connection = kind(place.netloc, timeout=timeout)
        try:
            path = f"{place.path.rstrip('/')}/{case.path}"
            connection.request("POST", path, json.dumps(request(case, model)), sent)
            response = connection.getresponse()
            body, ended = _read(response)
            return Reply(response.status, body.decode("utf-8", "replace"), response.getheaders(), ended=ended)
        except (OSError, http.client.HTTPException) as error:
            return Reply(0, f"{type(error).__name__}: {error}", ended=False)
        finally:
            connection.close()

    return ask


def _read(response: http.client.HTTPResponse) -> tuple[bytes, bool]:
    """All that comes, and whether it came to its end."""
    found = b""
    try:
        while piece := response.read1(65536):
            found += piece
    except (OSError, http.client.HTTPException) as error:
        return found + getattr(error, "partial", b""), False
    return found, not response.length


def called(send: Callable[[Case, Json], Any]) -> Ask:
    """Ask by a call in this process.

    Args:
        send: gets the case and the body of its request; gives the answer: text, a message, a dict, anything with `model_dump`, or
            an iterable of such for a stream. What it raises counts as an answer with status 500: errors quote answers too.
    """

    def ask(case: Case) -> Reply:
        items: list[Any] = []
        try:
            found = send(case, request(case))
            if case.streams and not isinstance(found, str | bytes | Mapping) and hasattr(found, "__iter__"):
                for one in found:
                    items.append(_plain(one))  # noqa: PERF401  # what came before an error counts
            else:
                items.append(_plain(found))
        except NotOffered:
            raise
        except Exception as error:  # noqa: BLE001  # whatever it is, the caller sees its text
            told = f"{type(error).__name__}: {error} {error!r} {getattr(error, 'body', '')}"
            return Reply(500, told, items=[*items, told], ended=False)
        return Reply(200, json.dumps(items, default=repr), items=items)

    return ask


def _plain(found: Any) -> Any:
    """As JSON: what is unknown as its `repr`, which a log would show."""
    for name in ("model_dump", "to_dict"):
        if callable(way := getattr(found, name, None)) and not isinstance(found, type):
            return _plain(way())
    if isinstance(found, str | int | float | bool | None):
        return found
    if isinstance(found, bytes):
        return found.decode("utf-8", "replace")
    if isinstance(found, Mapping):
        return {str(name): _plain(value) for name, value in found.items()}
    if isinstance(found, Sequence | set | frozenset):
        return [_plain(one) for one in found]
    return repr(found)
