"""What a door released for one request, and all the texts in it: field by field, and put together over a stream."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Path: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for one request.

    Attributes:
        status: of HTTP; of a call in this process 200, or 500 where it raised.
        body: as it came; of a stream all of it, also where it broke off.
        headers: names and values.
        items: the body as JSON: one item, or one for each event of a stream, in order. Read from `body` by default.
        ended: whether the response came to its own end, and was not cut.
    """

    status: int
    body: str
    headers: Sequence[tuple[str, str]] = ()
    items: Sequence[Any] = field(default=())
    ended: bool = True

    def read(self) -> list[Any]:
        """The items: given ones, the events of a stream, or the body's JSON; empty where nothing can be read."""
        if self.items:
            return list(self.items)
        stripped = self.body.lstrip()
        if stripped.startswith(("data:", "event:", ":", "id:", "retry:")):
            found = (_parsed(line[5:]) for line in self.body.splitlines() if line.startswith("data:"))
            return [item for item in found if item is not None]
        whole = _parsed(self.body)
        return [] if whole is None else [whole]


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def leaves(item: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """The texts in JSON with the names that lead to them; a list adds nothing but the `index` of its objects.

    A text that is JSON itself is given, and so are the texts in it. A list of numbers that are bytes is a text.
    """
    if isinstance(item, str):
        yield path, item
        if item.lstrip()[:1] in {"{", "["} and (inner := _parsed(item)) is not None:
            yield from leaves(inner, (*path, "json"))
    elif isinstance(item, Mapping):
        number = [
            f"{name}={item[name]}" for name in ("index", "output_index", "content_index") if name in item
        ]
        for name, value in item.items():
            yield from leaves(value, (*path, *number, str(name)))
            yield (*path, "names"), str(name)
    elif isinstance(item, list | tuple):
        if item and all(isinstance(one, int) and 0 <= one < 256 for one in item):
            yield path, bytes(item).decode("utf-8", "replace")
        else:
            for one in item:
                yield from leaves(one, path)


def channel_of(path: Path) -> str:
    """Where a text was: in log-probabilities, reasoning, the guard's report, or elsewhere in the body."""
    names = " ".join(path).lower()
    for channel, marks in (
        ("log-probabilities", ("logprob",)),
        ("report", ("guardrail",)),
        ("reasoning", ("reasoning", "thinking", "summary", "annotation", "citation")),
    ):
        if any(mark in names for mark in marks):
            return channel
    return "body"


def texts_by_channel(reply: Reply) -> Iterator[tuple[str, str]]:
    """Every text to search, with its channel: headers, fields, and fields put together over all items."""
    for name, value in reply.headers:
        yield ("report" if "guardrail" in name.lower() else "headers"), f"{name}: {value}"
    joined: dict[Path, list[str]] = defaultdict(list)
    for item in reply.read():
        for path, text in leaves(item):
            joined[path].append(text)
    for path, parts in joined.items():
        whole = "".join(parts)
        yield channel_of(path), whole
        if len(parts) > 1:  # arguments of a tool come in parts of JSON
            for inner_path, inner in leaves(_parsed(whole), path):
                yield channel_of(inner_path), inner


def shown(items: Sequence[Any]) -> Iterator[str]:
    """The answer's texts as a reader sees them grow: after each item, every text field so far.

    Log-probabilities, reasoning and reports are left out.
    """
    joined: dict[Path, str] = {}
    for item in items:
        for path, text in leaves(item):
            if channel_of(path) == "body" and path[-1:] != ("names",):
                joined[path] = joined.get(path, "") + text
                yield joined[path]
