"""Questions over bare sockets: the least that any client takes with this service, on this machine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

__all__ = ["ask"]


async def ask(base_url: str, questions: Sequence[str], concurrency: int) -> int:
    """Ask them all, so many at a time, each connection again and again.

    Args:
        base_url: of the service, with `/v1`.
        questions: the texts; what is replied is read and thrown away.
        concurrency: connections.

    Returns:
        How many replies were good.

    Raises:
        RuntimeError: a reply has no length, or the connection broke.
    """
    place = urlsplit(base_url)
    left = iter([_request(f"{place.path}/chat/completions", place.netloc, text) for text in questions])
    workers = [_connection(place.hostname or "", place.port or 80, left) for _ in range(concurrency)]
    return sum(await asyncio.gather(*workers))


def _request(path: str, host: str, text: str) -> bytes:
    body = json.dumps({"model": "test", "messages": [{"role": "user", "content": text}]}).encode()
    lines = (
        f"POST {path} HTTP/1.1",
        f"Host: {host}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    )
    return "\r\n".join([*lines, "", ""]).encode() + body


async def _connection(host: str, port: int, left: Iterator[bytes]) -> int:
    reader, writer = await asyncio.open_connection(host, port)
    good = 0
    try:
        for request in left:
            writer.write(request)
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = next((line for line in head.split(b"\r\n") if line.startswith(b"content-length:")), None)
            if length is None:
                raise RuntimeError(f"expected a reply with a length, got {head!r}")
            await reader.readexactly(int(length.partition(b":")[2]))
            good += head.split(maxsplit=2)[1] == b"200"
    except (OSError, asyncio.IncompleteReadError) as error:
        raise RuntimeError(f"a reply was cut off: {error!r}") from error
    finally:
        writer.close()
    return good
