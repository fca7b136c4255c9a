"""A load generator that costs little: HTTP/1.1 over bare sockets, as many connections as clients.

It must leave the processors to the servers, so it parses what it needs and nothing else.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeAlias
from urllib.parse import urlsplit

__all__ = ["Connection", "Reply", "at_rate", "closed_loop", "percentile", "request"]

Asking: TypeAlias = "Callable[[Connection, int], Awaitable[Any]]"


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back.

    Attributes:
        status: of HTTP; 0 where the connection ended before a head came.
        headers: lower-case names.
        body: what came of it.
        whole: whether all of it came.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    whole: bool


def request(url: str, path: str, body: Mapping[str, Any], **headers: str) -> bytes:
    """A POST as it goes over the wire."""
    content = json.dumps(body).encode()
    lines = [
        f"POST {path} HTTP/1.1",
        f"host: {urlsplit(url).netloc}",
        "content-type: application/json",
        f"content-length: {len(content)}",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + content


class Connection:
    """One client's connection, opened again after it was closed."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._host, self._port = str(parts.hostname), int(parts.port or 80)
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close it; the next request opens another."""
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None

    async def send(self, raw: bytes) -> None:
        """Send a request and read nothing yet."""
        if self._writer is None or self._writer.is_closing() or (self._reader and self._reader.at_eof()):
            self._reader, self._writer = await asyncio.open_connection(self._host, self._port, limit=2**20)
        self._writer.write(raw)

    async def ask(self, raw: bytes) -> Reply:
        """Send a request and read its answer."""
        await self.send(raw)
        return await self.read()

    async def head(self) -> tuple[int, dict[str, str]]:
        """Status and headers of the answer."""
        assert self._reader is not None  # noqa: S101  # after `send`
        first, *lines = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in lines if line)
        return int(first.split(" ")[1]), {name.lower(): value.strip() for name, _, value in pairs}

    async def read(
        self, head: tuple[int, Mapping[str, str]] | None = None, heard: Callable[[bytes], None] | None = None
    ) -> Reply:
        """The whole answer, or what came of it; `head` is what was read before, `heard` gets each piece of the body as it comes."""
        status, headers = head or (0, {})
        body = bytearray()
        try:
            if head is None:
                status, headers = await self.head()
            async for piece in self._pieces(headers):
                body += piece
                if heard is not None:
                    heard(piece)
        except (asyncio.IncompleteReadError, OSError):
            self.close()
            return Reply(status, headers, bytes(body), whole=False)
        if headers.get("connection", "").lower() == "close":
            self.close()
        return Reply(status, headers, bytes(body), whole=True)

    async def _pieces(self, headers: Mapping[str, str]) -> AsyncIterator[bytes]:
        assert self._reader is not None  # noqa: S101  # after `head`
        if "chunked" not in headers.get("transfer-encoding", ""):
            yield await self._reader.readexactly(int(headers.get("content-length", 0)))
            return
        while size := int(await self._reader.readuntil(b"\r\n"), 16):
            yield (await self._reader.readexactly(size + 2))[:-2]
        await self._reader.readuntil(b"\r\n")


async def closed_loop(url: str, numbers: Iterable[int], clients: int, ask: Asking) -> list[float]:
    """Every client asks again as soon as it was answered.

    Args:
        url: of the server.
        numbers: of the requests, each asked once.
        clients: how many at once.
        ask: does one request over a connection.

    Returns:
        Seconds of each request, in the order of their ends.
    """
    queue, taken = iter(numbers), list[float]()

    async def client() -> None:
        async with Connection(url) as connection:
            for number in queue:
                began = time.perf_counter()
                await ask(connection, number)
                taken.append(time.perf_counter() - began)

    await asyncio.gather(*(client() for _ in range(clients)))
    return taken


async def at_rate(url: str, count: int, rate: float, ask: Asking) -> list[float]:
    """Requests that come at their times, however long the earlier ones take.

    Returns:
        Seconds of each, from the time at which it was due.
    """
    free, taken = list[Connection](), list[float]()
    begin = time.perf_counter() + 0.05

    async def one(number: int) -> None:
        due = begin + number / rate
        await asyncio.sleep(due - time.perf_counter())
        connection = free.pop() if free else Connection(url)
        await ask(connection, number)
        taken.append(time.perf_counter() - due)
        free.append(connection)

    await asyncio.gather(*(one(number) for number in range(count)))
    for connection in free:
        connection.close()
    return taken


def percentile(values: Iterable[float], share: float) -> float:
    """The smallest value that at least this share of all does not exceed."""
    ranked = sorted(values)
    return ranked[max(0, -(-int(len(ranked) * share * 1000) // 1000) - 1)]
