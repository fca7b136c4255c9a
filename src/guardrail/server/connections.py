"""A connection whose client must send the head of a request, and read its answer, in time: otherwise a few bytes would keep it open for ever."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

_MOST_AHEAD = 64 * 1024  # bytes of further requests


class Connection(H11Protocol):
    """Closed if a head takes longer than so many seconds, or nothing can be sent for as long. A body has a limit of its own."""

    seconds: float = 30.0
    _late: asyncio.TimerHandle | None = None
    _stuck: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as its parent
        """The first head begins."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """A head may end here, or the next one begin."""
        super().data_received(data)
        self._watch()
        if not self._is_idle() and self.conn.their_state is h11.DONE:
            self._ahead(len(self.conn.trailing_data[0]))

    def _ahead(self, count: int) -> None:
        """Go on reading behind a request that is being answered, though uvicorn stops: else nobody sees its client leave."""
        if count > _MOST_AHEAD:
            self.transport.abort()
        else:
            self.flow.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._forget()
        self._flows()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client does not read; closing would wait for it, too."""
        super().pause_writing()
        if self._stuck is None:
            self._stuck = self.loop.call_later(self.seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """It reads again."""
        self._flows()
        super().resume_writing()

    def _flows(self) -> None:
        if self._stuck is not None:
            self._stuck.cancel()
            self._stuck = None

    def _watch(self) -> None:
        if not self._is_idle():
            self._forget()
        elif self._late is None and not self.transport.is_closing():
            self._late = self.loop.call_later(self.seconds, self._close)

    def _forget(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _close(self) -> None:
        self._late = None
        if self._is_idle():
            self.transport.close()

    def _is_idle(self) -> bool:
        """Whether no request is being answered."""
        cycle: Any = self.cycle  # nothing before the first request, whatever its type says
        return cycle is None or bool(cycle.response_complete)


def patient(seconds: float) -> type[Connection]:
    """Connections that wait so long for a head, or a reader."""
    return type("Connection", (Connection,), {"seconds": seconds})
