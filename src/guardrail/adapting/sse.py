"""Server-sent events: a reader that takes bytes in any pieces, and a writer.

Both follow the WHATWG specification of event streams (section 9.2.6): lines end with CR, LF or CR LF, a line that
begins with a colon is a comment, and an event within which the stream breaks off does not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

DONE = "[DONE]"
"""The data of the event that ends a stream of chat completions."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event.

    Attributes:
        data: its data lines, joined by line feeds.
        name: its type; "" where it has none.
    """

    data: str
    name: str = ""


class Reader:
    r"""Reads events from bytes in any pieces.

    Example:
        >>> reader = Reader()
        >>> [event for piece in (b"data: a\r", b"\ndata:b\n", b"\ndata: c") for event in reader.feed(piece)]
        [Event(data='a\nb', name='')]
    """

    def __init__(self) -> None:
        self._left = bytearray()
        self._begun = False
        self._after_cr = False
        self._name = ""
        self._data: list[str] = []

    @property
    def unfinished(self) -> bool:
        """Whether the stream broke off within an event."""
        return bool(self._left or self._data or self._name)

    def feed(self, piece: bytes) -> Iterator[Event]:
        """The events that end in this piece."""
        if self._after_cr and piece:
            piece = piece.removeprefix(b"\n")  # the second half of a CR LF
            self._after_cr = False
        self._after_cr = self._after_cr or piece.endswith(b"\r")
        lines = piece.splitlines(keepends=True) if piece else []
        for line in lines:
            self._left += line
            if line.endswith((b"\r", b"\n")):
                text = bytes(self._left).rstrip(b"\r\n").decode("utf-8", "replace")
                self._left.clear()
                yield from self._line(text)

    def _line(self, line: str) -> Iterator[Event]:
        if not self._begun:
            self._begun = True
            line = line.removeprefix("\ufeff")
        if not line:
            if self._data:
                yield Event("\n".join(self._data), self._name)
            self._name, self._data = "", []
            return
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._name = value


def may_say(event: Event, *words: str) -> bool:
    r"""Whether one of some words may be in an event, so that it has to be read; most events need not be.

    Example:
        >>> may_say(Event('{"type": "ping"}'), "stop"), may_say(Event(r'{"type": "st\u006fp"}'), "stop")
        (False, True)
    """
    return "\\u" in event.data or any(word in event.data or word in event.name for word in words)


def written(events: Iterable[Event]) -> bytes:
    r"""Events as bytes.

    Example:
        >>> written([Event("a\nb", "said")])
        b'event: said\ndata: a\ndata: b\n\n'
    """
    found = []
    for event in events:
        if event.name:
            found.append(f"event: {event.name}\n")
        found += [f"data: {line}\n" for line in event.data.split("\n")]
        found.append("\n")
    return "".join(found).encode("utf-8", "replace")
