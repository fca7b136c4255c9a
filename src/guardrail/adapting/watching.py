"""A stream that passes on as it comes, with the report at its end."""

from __future__ import annotations

from guardrail.adapting.codec import Codec, Incoming, NotReadable
from guardrail.adapting.exchange import Exchange
from guardrail.adapting.sse import Event, written
from guardrail.given.accepted import Json


class Watch:
    """A stream that passes on as it comes, and what of it waits for the report.

    Attributes:
        summary: the report, once the stream has ended and could be read.
        body: the whole answer, likewise.
    """

    def __init__(self, codec: Codec, exchange: Exchange) -> None:
        self.summary: Json | None = None
        self.body: Json | None = None
        self._codec = codec
        self._exchange = exchange
        self._incoming = Incoming(codec)
        self._seen: list[Event] = []
        self._held: list[Event] = []

    @property
    def is_over(self) -> bool:
        """Whether the last event came."""
        return self._incoming.ended

    @property
    def broke_off(self) -> bool:
        """Whether the stream, which is over, could not be read because its end is not there."""
        return self.summary is None and (self._incoming.unfinished or not self._held)

    def passed(self, piece: bytes) -> bytes:
        """What of a piece is handed on at once."""
        events = []
        for event in self._incoming.feed(piece):
            self._seen.append(event)
            if self._held or self._codec.is_last(event):
                self._held.append(event)
            else:
                events.append(event)
        return written(events)

    def ended(self) -> bytes:
        """The last events, with the report; as they are where nothing could be read."""
        try:
            self.body = self._codec.whole(self._seen)
            self.summary = self._exchange.observe(self.body)
        except NotReadable:
            return written(self._held)
        return written(self._codec.reporting(self._held, self.summary))

    async def aended(self) -> bytes:
        """As `ended`."""
        try:
            self.body = self._codec.whole(self._seen)
            self.summary = await self._exchange.aobserve(self.body)
        except NotReadable:
            return written(self._held)
        return written(self._codec.reporting(self._held, self.summary))
