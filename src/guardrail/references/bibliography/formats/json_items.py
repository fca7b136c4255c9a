"""The items of a JSON file, one after another: one a line, in a list, or in the list of a dump or a reply."""

from __future__ import annotations

import codecs
import itertools
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from guardrail.errors import ParseError
from guardrail.references.bibliography.formats.lines import Piece, opened, pieces_of
from guardrail.references.bibliography.records import Record

LONGEST_ITEM = 1 << 26  # bytes; a work with ten thousand references has two million
CHUNK = 1 << 18
# Where the items begin in a dump of Crossref ({"items": […]}) or a reply ({"message": {…, "items": […]}}, {"results": […]}, {"data": […]}).
LIST = re.compile(r'"(?:items|results|data)"\s*:\s*\[')
BLANK = re.compile(r"[\s,\[]*")


def read_items(path: Path, position: int, record: Callable[[dict[str, Any]], Record]) -> Iterator[Piece]:
    """A piece for each item that a function makes a record of; the position counts items."""
    return pieces_of(path, position, lambda item: record(_object(item)), json_items(path, position))


def _object(item: Any) -> dict[str, Any]:
    if isinstance(item, ValueError):
        raise item
    if not isinstance(item, dict):
        raise ValueError(f"expected an object, got {str(item)[:80]!r}.")
    return item


def json_items(path: Path, skip: int = 0) -> Iterator[tuple[int, Any]]:
    """The items with their lines; a broken line of a file of lines is a `ValueError` in the place of an item.

    Args:
        path: the file.
        skip: items that need not be decoded.

    Raises:
        ParseError: the file is no JSON, or is cut short.
    """
    with opened(path) as stream:
        if _one_a_line(stream):
            yield from _lines(stream, skip)
        else:
            yield from _document(stream, path)


def _one_a_line(stream: IO[bytes]) -> bool:
    """Whether one of the first two lines that are not empty is an object by itself; the stream is rewound."""
    lines = (line for line in iter(lambda: stream.readline(LONGEST_ITEM), b"") if line.strip())
    whole = any(map(_is_item, itertools.islice(lines, 2)))
    stream.seek(0)
    return whole


def _is_item(line: bytes) -> bool:
    """Whether a line is an object, and no whole dump or reply."""
    try:
        item = json.loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return False
    if not isinstance(item, dict):
        return False
    return not any(
        isinstance(item.get(name), list | dict) for name in ("items", "results", "message", "data")
    )


def _lines(stream: IO[bytes], skip: int) -> Iterator[tuple[int, Any]]:
    count = 0
    for number in itertools.count(1):
        raw = stream.readline(LONGEST_ITEM)
        if not raw:
            return
        whole = len(raw) < LONGEST_ITEM or raw.endswith(b"\n")
        while not whole:
            rest = stream.readline(LONGEST_ITEM)
            whole = len(rest) < LONGEST_ITEM or rest.endswith(b"\n")
        if not raw.strip():
            continue
        count += 1
        yield number, None if count <= skip else _item(raw)


def _item(raw: bytes) -> Any:
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return ValueError(f"expected JSON in UTF-8, got {raw[:40]!r} ({error}).")


def _document(stream: IO[bytes], path: Path) -> Iterator[tuple[int, Any]]:
    """The items of a list, or one object; read in chunks, for a dump may be larger than memory."""
    text = _Text(stream, path)
    if text.next() == "{":
        text.enter(LIST)
    while text.next() not in ("", "]", "}"):
        yield text.line, text.item()


class _Text:
    """Text that is read as far as it is needed, and forgotten once it was used."""

    def __init__(self, stream: IO[bytes], path: Path) -> None:
        self.line = 1
        self._stream = stream
        self._path = path
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._json = json.JSONDecoder()
        self._ended = False
        self._text = ""
        self._at = 0

    def next(self) -> str:
        """The next character after blanks, commas and opening brackets, "" at the end."""
        while True:
            found = BLANK.match(self._text, self._at)
            self._skip(found.end() if found else self._at)
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def enter(self, beginning: re.Pattern[str]) -> None:
        """Go behind a beginning, if it is found nearby."""
        if found := beginning.search(self._text, self._at):
            self._skip(found.end())

    def item(self) -> Any:
        """The value that begins here."""
        while True:
            try:
                item, end = self._json.raw_decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                long = len(self._text) - self._at >= LONGEST_ITEM or isinstance(error, RecursionError)
                if not long and self._more():
                    continue
                place = error.lineno - 1 if isinstance(error, json.JSONDecodeError) else 0
                place -= self._text.count("\n", 0, self._at) if place else 0
                got = self._text[self._at : self._at + 40]
                raise ParseError(
                    f"expected JSON, got {got!r}.", source=str(self._path), line=self.line + place
                ) from error
            self._skip(end)
            return item

    def _skip(self, to: int) -> None:
        self.line += self._text.count("\n", self._at, to)
        self._at = to

    def _more(self) -> bool:
        """Read on; `False` at the end."""
        if self._ended:
            return False
        # As much again as there is, so that a long item is not decoded at every chunk.
        raw = self._stream.read(max(CHUNK, len(self._text) - self._at))
        self._ended = not raw
        try:
            self._text = self._text[self._at :] + self._decoder.decode(raw, final=self._ended)
        except UnicodeDecodeError as error:
            got = error.object[error.start : error.start + 8]
            raise ParseError(
                f"expected UTF-8 text, got the bytes {got!r}.", source=str(self._path), line=self.line
            ) from error
        self._at = 0
        return True


def as_text(value: Any) -> str:
    """A string; the first of a list, as Crossref gives titles; "" for what is neither."""
    if isinstance(value, list):
        value = value[0] if value else ""
    return "" if value is None or isinstance(value, dict | list) else str(value)


def as_list(value: Any) -> list[Any]:
    """A list; empty for anything else."""
    return value if isinstance(value, list) else []


def as_object(value: Any) -> dict[str, Any]:
    """An object; empty for anything else."""
    return value if isinstance(value, dict) else {}
