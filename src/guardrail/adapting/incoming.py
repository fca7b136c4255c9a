"""The events of an upstream's stream, up to its end."""

from __future__ import annotations

from collections.abc import Iterator

from guardrail.adapting.codec import Codec, NotReadable
from guardrail.adapting.sse import Event, Reader


class Incoming:
    """Reads the events of one answer. What comes after its end is nobody's answer, and is dropped.

    Args:
        codec: of the protocol; it knows which event is the last one.

    Attributes:
        ended: whether the last event came.
    """

    def __init__(self, codec: Codec) -> None:
        self.ended = False
        self._codec = codec
        self._reader = Reader()

    @property
    def unfinished(self) -> bool:
        """Whether the stream broke off within an event."""
        return not self.ended and self._reader.unfinished

    def feed(self, piece: bytes) -> Iterator[Event]:
        """The events that end in this piece."""
        if self.ended:
            return
        for event in self._reader.feed(piece):
            self.ended = self._codec.ends(event)
            yield event
            if self.ended:
                return


def read_stream(codec: Codec, body: bytes) -> list[Event]:
    """The events of a stream that is there as a whole.

    Raises:
        NotReadable: it broke off within an event.
    """
    incoming = Incoming(codec)
    events = list(incoming.feed(body))
    if incoming.unfinished:
        raise NotReadable("expected a whole stream, got one that broke off")
    return events
