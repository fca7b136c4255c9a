"""A small HTTP/1.1 server on asyncio streams' lower half, for tests and benchmarks on the local machine.

Written out, because a test server must also misbehave: hang, cut a body in half, lie about its type. It serves
thousands of requests per second on one core. Never put it on a network.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import TypeAlias, cast

_LIMIT = 64 * 1024 * 1024


class HttpExchange:
    """One request and the ways to answer it; every method may be called once the client has gone.

    Attributes:
        method: upper case.
        path: without the query.
        headers: lower-case names.
        body: all of it.
    """

    __slots__ = ("_protocol", "_timer", "body", "headers", "method", "path")

    def __init__(
        self, protocol: HttpProtocol, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> None:
        self._protocol = protocol
        self._timer: asyncio.TimerHandle | None = None
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body

    def later(self, seconds: float, action: Callable[[], None]) -> None:
        """Do something after a while, unless the client goes away first."""
        if seconds > 0:
            self._timer = asyncio.get_running_loop().call_later(seconds, action)
        else:
            action()

    def send(
        self,
        body: bytes,
        *,
        status: int = 200,
        content_type: str = "application/json",
        headers: tuple[tuple[str, str], ...] = (),
        promised: int | None = None,
    ) -> None:
        """The whole response; `promised` is the length it claims to have, if that is a lie."""
        lines = [
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
            f"content-type: {content_type}",
            f"content-length: {len(body) if promised is None else promised}",
            *(f"{name}: {value}" for name, value in headers),
        ]
        self._protocol.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body)
        if promised is None:
            self._protocol.done()

    def start(self, content_type: str) -> None:
        """The head of a response in chunks."""
        head = f"HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ntransfer-encoding: chunked\r\n\r\n"
        self._protocol.write(head.encode())

    def chunk(self, data: bytes) -> None:
        """A piece of it."""
        self._protocol.write(b"%x\r\n%b\r\n" % (len(data), data))

    def end(self) -> None:
        """The last piece."""
        self._protocol.write(b"0\r\n\r\n")
        self._protocol.done()

    def cut(self) -> None:
        """Close the connection, whatever was sent."""
        self._protocol.abort()

    def cancel(self) -> None:
        """The client has gone."""
        if self._timer is not None:
            self._timer.cancel()


Handler: TypeAlias = Callable[[HttpExchange], None]


class HttpProtocol(asyncio.Protocol):
    """One connection; requests are handled one after another, pipelined ones wait."""

    def __init__(self, handler: Handler, open_connections: set[HttpProtocol]) -> None:
        self._handler = handler
        self._open = open_connections
        self._buffer = bytearray()
        self._transport: asyncio.Transport | None = None
        self._current: HttpExchange | None = None
        self._busy = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The client is there."""
        self._transport = cast("asyncio.Transport", transport)
        self._open.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone: what was planned for it is cancelled."""
        del exc
        self._open.discard(self)
        self._transport = None
        if self._current is not None:
            self._current.cancel()

    def data_received(self, data: bytes) -> None:
        """Bytes came in."""
        self._buffer += data
        if not self._busy:
            self._next()

    def write(self, data: bytes) -> None:
        """Send, if anybody is there."""
        if self._transport is not None:
            self._transport.write(data)

    def done(self) -> None:
        """The response is out; the next request may be read."""
        self._current = None
        if self._busy:
            self._busy = False
            if self._buffer:
                asyncio.get_running_loop().call_soon(self._next)

    def abort(self) -> None:
        """Close after what was written, without ending it properly."""
        if self._transport is not None:
            self._transport.close()

    def _next(self) -> None:
        if self._busy or self._transport is None:
            return
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > _LIMIT:
                self.abort()
            return
        first, *lines = self._buffer[:end].decode("latin-1").split("\r\n")
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        length = headers.get("content-length", "0")
        if "transfer-encoding" in headers or not length.isdigit() or int(length) > _LIMIT:
            self.write(b"HTTP/1.1 411 Length Required\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            self.abort()
            return
        start, stop = end + 4, end + 4 + int(length)
        if len(self._buffer) < stop:
            return
        body = bytes(self._buffer[start:stop])
        del self._buffer[:stop]
        method, _, rest = first.partition(" ")
        path = rest.rpartition(" ")[0].partition("?")[0]
        self._busy = True
        self._current = HttpExchange(self, method, path, headers, body)
        try:
            self._handler(self._current)
        except Exception as error:  # noqa: BLE001  # a script that raises is shown to the client
            self._current.send(f'{{"error": {{"message": "{type(error).__name__}"}}}}'.encode(), status=500)
