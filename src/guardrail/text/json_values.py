"""JSON within a text: its objects, arrays and strings with their places, also where it breaks off.

The reader forgives what models write: a comma too many, a line end within a string, an end that is missing. It is linear in the
length of the text, does not recurse, and raises on no string.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

DEEPEST = 100
"""Brackets within so many others are not looked into."""

_OBJECT = r"\{\s*+(?=\}|\"(?:[^\"\\]|\\.){0,200}\"\s*+:)"
_START = re.compile(rf"{_OBJECT}|\[\s*+(?=[\[\"\]\-\dtfn]|{_OBJECT})", re.DOTALL)
_TOKEN = re.compile(
    r"\s*+(?:(?P<string>\"[^\"\\]*(?:\\.[^\"\\]*)*\")|(?P<other>[^\s\"\[\]{}:,`]++|\[\s*+\]|\{\s*+\})"
    r"|(?P<sign>[\[\]{}:,]))",
    re.DOTALL,
)
_SKIP = re.compile(r"\"[^\"\\]*(?:\\.[^\"\\]*)*\"|([\[{])|([\]}])|```", re.DOTALL)
_FENCE_BEFORE = re.compile(r"(?:```|~~~)[^\S\n]{0,4}[A-Za-z]{0,12}[^\S\n]{0,4}\r?\n\s{0,8}\Z")
_FENCE_AFTER = re.compile(r"\s{0,8}(?:```|~~~)[^\S\n]{0,4}(?:\r?\n)?")
_BLANK_END = re.compile(r"\s*+\Z")
_ESCAPE = re.compile(r"\\(?:u(?P<code>[0-9a-fA-F]{4})|(?P<sign>.))", re.DOTALL)
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


@dataclass(slots=True, eq=False)
class Value:
    """A value, at `text[start:end]`; what breaks off ends behind its last whole part.

    Attributes:
        kind: numbers, words and empty brackets ("scalar") are only kept where they have a key; what is written as it is, in tables or
            YAML, is a "word".
        key: its key in an object, decoded; `named` is where the key begins, -1 without one.
        inner: the values in an object or array, in order.
        closed: whether its closing bracket was read.
    """

    kind: Literal["object", "array", "string", "scalar", "word"]
    start: int
    end: int = -1
    key: str = ""
    named: int = -1
    parent: Value | None = None
    inner: list[Value] = field(default_factory=list)
    closed: bool = True

    @property
    def root(self) -> Value:
        """The outermost value that it is in."""
        value = self
        while value.parent is not None:
            value = value.parent
        return value

    def within(self) -> Iterator[Value]:
        """It and all values inside, in order."""
        left = [self]
        while left:
            value = left.pop()
            yield value
            left.extend(reversed(value.inner))


def json_values(text: str) -> list[Value]:
    """The outermost objects and arrays of a text, in order.

    Among other words, only what has an object with a key in it counts: "[1]" and "{x}" are no JSON there.

    Example:
        >>> text = 'Here: {"a": ["b", 1]}'
        >>> [(value.kind, text[value.start : value.end]) for root in json_values(text) for value in root.within()]
        [('object', '{"a": ["b", 1]}'), ('array', '["b", 1]'), ('string', '"b"')]
    """
    found: list[Value] = []
    doubtful = False
    at = 0
    while (start := _START.search(text, at)) is not None:
        root, at = _read(text, start.start())
        found.append(root)
        doubtful = doubtful or not _says_something(root)
    if not doubtful or (all_of_it(text, found) and all(root.inner for root in found)):
        return found
    return [root for root in found if _says_something(root)]


def all_of_it(text: str, roots: Sequence[Value]) -> bool:
    """Whether a text is nothing but these values, apart from blanks and one fence around them."""
    if not roots:
        return False
    start, end = fenced(text, roots[0].start, roots[-1].end)
    if text[:start].strip() or not _BLANK_END.match(text, end):
        return False
    return not any(text[a.end : b.start].strip() for a, b in pairwise(roots))


def fenced(text: str, start: int, end: int) -> tuple[int, int]:
    """A piece of text with the code fence around nothing else, if there is one."""
    before = _FENCE_BEFORE.search(text[max(0, start - 60) : start])
    if before is None:
        return start, end
    after = _FENCE_AFTER.match(text, end)
    if after is None and not _BLANK_END.match(text, end):
        return start, end
    return max(0, start - 60) + before.start(), after.end() if after else len(text)


def value_at(roots: Sequence[Value], start: int, end: int) -> Value | None:
    """The smallest value that contains `text[start:end]`; `None` if it is not inside one."""
    value = _holding(roots, start, end)
    while value is not None and (inner := _holding(value.inner, start, end)) is not None:
        value = inner
    return value


def _holding(values: Sequence[Value], start: int, end: int) -> Value | None:
    index = bisect_right(values, start, key=lambda value: value.start) - 1
    return values[index] if index >= 0 and end <= values[index].end else None


def _says_something(root: Value) -> bool:
    return any(value.kind == "object" and value.inner for value in root.within())


def _read(text: str, start: int) -> tuple[Value, int]:
    """The value whose bracket is at `start`, and where to read on."""
    root = here = Value("object" if text[start] == "{" else "array", start, start + 1, closed=False)
    tokens = _tokens(text, start + 1)
    depth = 1
    key, named = "", -1  # of the value that is to come
    ready = True  # whether a key or a value may come
    while (token := tokens.match()) is not None:
        kind = token.lastgroup
        place, at = token.span(kind)
        sign = text[place] if kind == "sign" else ""
        if sign and sign in "]},":
            if named >= 0 or sign == ("]" if here.kind == "object" else "}"):
                return _broken(root, here, place)
            if sign == ",":
                ready = True
                continue
            here.end, here.closed = at, True
            if here.parent is None:
                return root, at
            here, depth, ready = here.parent, depth - 1, False
            here.end = at
        elif not ready or sign == ":" or (here.kind == "object" and named < 0 and kind != "string"):
            return _broken(root, here, place)
        elif here.kind == "object" and named < 0:
            colon = tokens.match()
            if colon is None or colon["sign"] != ":":
                return _broken(root, here, place + 1)
            key = text[place + 1 : at - 1]
            key, named = decoded(text, place, at).text if "\\" in key else key, place
        else:
            if sign and depth == DEEPEST:
                at = _past(text, place)
                tokens = _tokens(text, at)
            value = _added(here, sign if depth < DEEPEST else "", kind, (place, at), (key, named))
            key, named, ready = "", -1, False
            if not value.closed:
                here, depth, ready = value, depth + 1, True
    return _broken(root, here, max(here.end, start + 1))


def _added(owner: Value, sign: str, kind: str | None, place: tuple[int, int], key: tuple[str, int]) -> Value:
    """A value, in the one that it is in: an opened bracket (`sign`), a string, or a scalar."""
    if sign:
        value = Value("object" if sign == "{" else "array", *place, *key, owner, closed=False)
    else:
        value = Value("string" if kind == "string" else "scalar", *place, *key, owner)
    if value.kind != "scalar" or value.named >= 0:
        owner.inner.append(value)
    owner.end = value.end
    return value


def _tokens(text: str, at: int) -> Any:
    """What gives one token after the other."""
    return _TOKEN.scanner(text, at)  # type: ignore[attr-defined]  # as `finditer`, of matches that touch


def _broken(root: Value, here: Value, at: int) -> tuple[Value, int]:
    """What was read up to where it breaks off."""
    while (parent := here.parent) is not None:
        parent.end, here = here.end, parent
    return root, at


def _past(text: str, start: int) -> int:
    """Where a bracket that is too deep is closed."""
    depth = 0
    for match in _SKIP.finditer(text, start):
        if match[1]:
            depth += 1
        elif match[2]:
            depth -= 1
        elif match[0] == "```":
            return match.start()
        if depth == 0:
            return match.end()
    return len(text)


@dataclass(frozen=True, slots=True)
class Decoded:
    """What a string says, and where each of its characters is written; `ends` is where the last one ends."""

    text: str
    places: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where `self.text[start:end]` is written."""
        return self.places[start], self.places[end] if end > start else self.places[start]

    def position(self, place: int) -> int:
        """Which character is written at a place, or the next one."""
        return bisect_right(self.places, place - 1)


def decoded(text: str, start: int, end: int) -> Decoded:
    r"""The string that is written at `text[start:end]`, with its quotes.

    Half of a surrogate pair becomes U+FFFD; a backslash before anything unknown is left out.

    Example:
        >>> decoded('["a\\u00e9b"]', 1, 11).text, decoded('["a\\u00e9b"]', 1, 11).span(1, 2)
        ('aéb', (3, 9))
    """
    start, end = start + 1, end - 1
    if text.find("\\", start, end) < 0:
        return Decoded(text[start:end], range(start, end + 1))
    parts: list[str] = []
    places: list[int] = []
    at, high = start, ""
    for match in _ESCAPE.finditer(text, start, end):
        char = _SHORT.get(match["sign"], match["sign"]) if match["sign"] else chr(int(match["code"], 16))
        if match.start() > at or not "\udc00" <= char <= "\udfff":
            high = ""
        parts.append(text[at : match.start()])
        places.extend(range(at, match.start()))
        if high:  # the second half of a pair: one character, written where the first half is
            parts[-2] = (high + char).encode("utf-16", "surrogatepass").decode("utf-16")
            high = ""
        else:
            high = char if "\ud800" <= char <= "\udbff" else ""
            parts.append("\ufffd" if "\ud800" <= char <= "\udfff" else char)
            places.append(match.start())
        at = match.end()
    parts.append(text[at:end])
    places.extend(range(at, end + 1))
    return Decoded("".join(parts), places)


def written(text: str) -> str:
    """A text as it is written within a string's quotes."""
    return json.dumps(text, ensure_ascii=False)[1:-1]
