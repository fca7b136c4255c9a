"""Several small pools of connections in place of a large one.

httpx's pool looks at all its connections each time that a request comes or a response ends. With fifty of them that was two
fifths of the server's processor time; with a thousand streams it would be nearly all. A pool here serves a few requests at
once, and the first one that has room is taken, so that a quiet server keeps using the same connections.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import httpx

AT_ONCE = 8
"""Requests at once in one pool."""


class _Counted(httpx.AsyncByteStream):
    """The body of a response; its pool has room again once it is closed."""

    def __init__(self, body: httpx.AsyncByteStream, done: Callable[[], None]) -> None:
        self._body = body
        self._done = done

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._body:
            yield part

    async def aclose(self) -> None:
        try:
            await self._body.aclose()
        finally:
            self._done()


class Pools:
    """Clients with a pool each, made when they are needed and kept.

    Args:
        make: makes a client; all must be alike.
    """

    def __init__(self, make: Callable[[], httpx.AsyncClient]) -> None:
        self._make = make
        self._clients: list[httpx.AsyncClient] = []
        self._running: list[int] = []

    def __len__(self) -> int:
        return len(self._clients)

    def _take(self) -> int:
        """The number of the first client that has room, which then has less."""
        for i, running in enumerate(self._running):
            if running < AT_ONCE:
                self._running[i] += 1
                return i
        self._clients.append(self._make())
        self._running.append(1)
        return len(self._running) - 1

    async def send(
        self, method: str, url: httpx.URL, *, headers: list[tuple[bytes, bytes]], content: bytes
    ) -> httpx.Response:
        """The head of the answer; the response must be closed.

        Raises:
            httpx.HTTPError: as the client.
        """
        i = self._take()

        def done() -> None:
            self._running[i] -= 1

        client = self._clients[i]
        try:
            made = client.build_request(method, url, headers=headers, content=content)
            found = await client.send(made, stream=True)
        except BaseException:
            done()
            raise
        assert isinstance(found.stream, httpx.AsyncByteStream)  # noqa: S101  # an async client's is
        found.stream = _Counted(found.stream, done)
        return found

    async def aclose(self) -> None:
        """Close them all."""
        for client in self._clients:
            await client.aclose()
