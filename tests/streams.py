"""Streams of events, read as a whole."""

from collections.abc import Iterable

from guardrail.adapting.sse import Event, Reader


def read_all(pieces: Iterable[bytes]) -> tuple[list[Event], bool]:
    """All events of a body, and whether it broke off within one."""
    reader = Reader()
    events = [event for piece in pieces for event in reader.feed(piece)]
    return events, reader.unfinished
