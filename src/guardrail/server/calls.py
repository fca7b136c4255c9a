"""One request: its head, its body within limits, and the work for it, which ends when its client goes away."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from starlette.types import Message, Receive, Scope, Send

from guardrail.given.accepted import Json
from guardrail.server.bodies import request_object
from guardrail.server.refusals import Refused
from guardrail.server.routes import Kind, Through, kind_of, plain


@dataclass
class Call:
    """A request.

    Attributes:
        method: upper case.
        path: plain segments; "" where it came otherwise.
        query: behind the question mark, as it came.
        pairs: headers in their order, names in lower case.
        until: when the whole request must be over, by the event loop's clock.
        owner: hash of the client's key, or "".
        body: empty until it was read.
    """

    method: str
    path: str
    query: bytes
    pairs: tuple[tuple[str, str], ...]
    until: float
    owner: str = ""
    body: bytes = b""
    _object: Json | None = None

    @classmethod
    def of(cls, scope: Scope, seconds: float) -> Call:
        """From what the server read of the head."""
        path = plain(scope.get("raw_path") or scope["path"].encode())
        return cls(
            method=scope["method"],
            path=path or "",
            query=scope.get("query_string", b""),
            pairs=tuple(
                (name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]
            ),
            until=asyncio.get_running_loop().time() + seconds,
        )

    @cached_property
    def headers(self) -> dict[str, str]:
        """By lower-case name; of repeated ones the first."""
        return dict(reversed(self.pairs))

    def kind(self, through: tuple[Through, ...]) -> Kind:
        """What is done with it.

        Raises:
            Refused: its path is not plain segments.
        """
        if not self.path:
            raise Refused(
                400,
                "bad_path",
                "expected a path of plain segments: no '..', no escapes, no empty segment, no URL",
            )
        return kind_of(self.method, self.path, through)

    def json(self) -> Json:
        """The body as an object; nobody may change it.

        Raises:
            Refused: it is not an object, or readers understand it differently.
        """
        if self._object is None:
            self._object = request_object(self.body)
        return self._object

    def saying(self, request: Json) -> Call:
        """The same call with another body."""
        return replace(self, body=json.dumps(request).encode(), _object=request)


class Held:
    """Bytes of requests that are being worked on, all together."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.now = 0

    def take(self, count: int) -> None:
        """Make room.

        Raises:
            Refused: there is none.
        """
        if self.now + count > self.limit:
            raise Refused(
                429, "too_much_at_once", "too many bytes are being worked on; try again", retry_after="1"
            )
        self.now += count


async def read_body(call: Call, receive: Receive, held: Held, *, limit: int, seconds: float) -> bytes:
    """The whole body; what was taken of `held` is the length of what is returned.

    Raises:
        Refused: it is compressed, too long, too slow, or its client went away.
    """
    if call.headers.get("content-encoding", "identity").lower() != "identity":
        raise Refused(
            415, "content_encoding", "a request's body may not be compressed: leave Content-Encoding out"
        )
    announced = call.headers.get("content-length", "0")
    if not announced.isdigit() or int(announced) > limit:
        raise _too_long(limit)
    read = bytearray()
    try:
        async with asyncio.timeout(seconds):
            while True:
                message = await receive()
                part = _part(message, limit, len(read))
                held.take(len(part))
                read += part
                if not message.get("more_body"):
                    return bytes(read)
    except BaseException as error:
        held.now -= len(read)
        if isinstance(error, TimeoutError):
            raise Refused(
                408, "body_too_slow", f"the request's body took longer than {seconds:g} s"
            ) from None
        raise


def _part(message: Message, limit: int, read: int) -> bytes:
    """What a message brings of a body of which so many bytes are there.

    Raises:
        Refused: too much, or the client went away.
    """
    if message["type"] == "http.disconnect":
        raise Refused(499, "client_gone", "the client went away")
    part: bytes = message.get("body", b"")
    if read + len(part) > limit:
        raise _too_long(limit)
    return part


def _too_long(limit: int) -> Refused:
    return Refused(413, "body_too_long", f"a request's body may have {limit:,} bytes")


async def attended(work: Coroutine[Any, Any, None], receive: Receive) -> bool:
    """Do the work unless the client goes away; then it is cancelled.

    Returns:
        Whether it was done.
    """
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_gone(receive))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            task.result()
            return True
        return False
    finally:
        for one in (task, gone):
            one.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class Sending:
    """What was sent so far: wraps the server's `send`."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0

    @property
    def started(self) -> bool:
        """Whether the client has a status."""
        return self.status > 0

    async def __call__(self, message: Message) -> None:
        """Send on."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
        await self._send(message)
