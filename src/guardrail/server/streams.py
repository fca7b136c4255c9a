"""A stream that is held back until what is in it was examined: as a whole, or piece by piece."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from guardrail._log import log
from guardrail.server.headers import as_bytes
from guardrail.server.refusals import Refused


class HeldBack(Response):
    """Headers at once, then each piece as soon as it may be shown, and signs of life while nothing may.

    Args:
        headers: of the upstream's answer.
        work: gives the pieces that may be shown.
        path: whose API's form an error has.
        keepalive: seconds between signs of life.
        sign: such a sign; b"" sends none.
        until: when it must be over, by the event loop's clock.
        close: closes what the work reads, also if it never began.
    """

    def __init__(
        self,
        headers: Iterable[tuple[str, str]],
        work: AsyncGenerator[bytes],
        *,
        path: str,
        keepalive: float,
        sign: bytes,
        until: float,
        close: Callable[[], Awaitable[None]],
    ) -> None:
        super().__init__()
        self.raw_headers = as_bytes(headers)
        self._work = work
        self._task: asyncio.Future[bytes | None] | None = None
        self._ended = False
        self._path = path
        self._sent = 0  # events
        self._keepalive = keepalive if sign else None
        self._sign = sign
        self._until = until
        self._close = close

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it; whatever fails ends in an error event, never in a normal end."""
        del scope, receive
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            while (piece := await self._next(send)) is not None:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
                self._sent += piece.count(b"\n\n")
            await send({"type": "http.response.body", "body": b""})
        finally:
            if self._task is not None:
                self._task.cancel()
                await asyncio.gather(self._task, return_exceptions=True)
            await self._work.aclose()
            await self._close()

    async def _next(self, send: Send) -> bytes | None:
        """The next piece; `None` after the last one, which an error is."""
        if self._ended:
            return None
        loop = asyncio.get_running_loop()
        task = self._task = asyncio.ensure_future(anext(self._work, None))
        while not task.done():
            left = self._until - loop.time()
            if left <= 0:
                return self._failed(
                    Refused(504, "deadline", "not answered in time; nothing more is released")
                )
            await asyncio.wait({task}, timeout=min(left, self._keepalive or left))
            if self._sign and not task.done():
                await send({"type": "http.response.body", "body": self._sign, "more_body": True})
        try:
            return task.result()
        except Refused as refused:
            return self._failed(refused)
        except Exception as error:  # noqa: BLE001  # said to the client, and named in the log
            log.error(
                "request_failed", route=self._path, error=type(error).__name__
            )  # its words may quote the answer
            return self._failed(Refused(500, "server_error", "a fault in guardrail itself; the log names it"))

    def _failed(self, refused: Refused) -> bytes:
        """The event with which the stream ends."""
        self._ended = True
        refused.log(self._path)
        told = dict(refused.body(self._path))
        name = b"event: error\n" if self._path != "/v1/chat/completions" else b""
        if self._path == "/v1/responses":  # its events are numbered from 0; OpenAI's clients look for `error`
            said = {"code": refused.code, "message": str(refused), "param": None}
            told = {"type": "error", **said, "sequence_number": self._sent, **told}
        return name + b"data: " + json.dumps(told).encode() + b"\n\n"
