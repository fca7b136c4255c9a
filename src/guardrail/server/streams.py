"""A stream that is held back until the verdict."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from guardrail._log import log
from guardrail.server.refusals import Refused


class HeldBack(Response):
    """Headers at once, then signs of life, then everything that may be shown, in one piece after the other.

    Args:
        headers: of the upstream's answer.
        work: gives the events that may be shown.
        path: whose API's form an error has.
        keepalive: seconds between signs of life.
        sign: such a sign; b"" sends none.
        until: when it must be over, by the event loop's clock.
        close: closes what the work reads, also if it never began.
    """

    def __init__(
        self,
        headers: Iterable[tuple[str, str]],
        work: Coroutine[Any, Any, Iterable[bytes]],
        *,
        path: str,
        keepalive: float,
        sign: bytes,
        until: float,
        close: Callable[[], Awaitable[None]],
    ) -> None:
        super().__init__()
        self.raw_headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        self._work = work
        self._path = path
        self._keepalive = keepalive if sign else None
        self._sign = sign
        self._until = until
        self._close = close

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it; whatever fails ends in an error event, never in a normal end."""
        del scope, receive
        task = asyncio.ensure_future(self._work)
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            for event in await self._events(task, send):
                await send({"type": "http.response.body", "body": event, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await self._close()

    async def _events(self, task: asyncio.Future[Iterable[bytes]], send: Send) -> Iterable[bytes]:
        loop = asyncio.get_running_loop()
        while not task.done():
            left = self._until - loop.time()
            if left <= 0:
                return [self._error(Refused(504, "deadline", "not answered in time; nothing was released"))]
            await asyncio.wait({task}, timeout=min(left, self._keepalive or left))
            if self._sign and not task.done():
                await send({"type": "http.response.body", "body": self._sign, "more_body": True})
        try:
            return task.result()
        except Refused as refused:
            return [self._error(refused)]
        except Exception as error:  # noqa: BLE001  # said to the client, and named in the log
            log.error(
                "request_failed", route=self._path, error=type(error).__name__
            )  # its words may quote the answer
            return [
                self._error(Refused(500, "server_error", "a fault in guardrail itself; the log names it"))
            ]

    def _error(self, refused: Refused) -> bytes:
        name = b"event: error\n" if self._path != "/v1/chat/completions" else b""
        return name + b"data: " + json.dumps(refused.body(self._path)).encode() + b"\n\n"
