"""One process that serves: until SIGTERM or Ctrl-C, then what runs is finished."""

from __future__ import annotations

import contextlib
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import uvicorn

from guardrail.guard import Guard
from guardrail.server.application import Application
from guardrail.server.connections import patient
from guardrail.server.settings import Settings


@contextlib.contextmanager
def handled(handle: Callable[..., Any]) -> Iterator[None]:
    """SIGTERM and Ctrl-C are handled so within the block."""
    before = {one: signal.signal(one, handle) for one in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


class _Server(uvicorn.Server):
    """Ends by itself after a signal; uvicorn would raise it again, so that a drained server looked killed."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], Any]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Say when it serves."""
        await super().startup(sockets)
        if not self.should_exit:
            self._ready()

    def capture_signals(self) -> contextlib.AbstractContextManager[None]:  # type: ignore[override]  # as its parent's
        """A first signal drains, a second one ends at once."""
        return handled(self.handle_exit)


async def serving(
    settings: Settings,
    guard: Guard,
    listener: socket.socket,
    folder: Path | None,
    ready: Callable[[], Any],
) -> None:
    """Serve in this process until a signal comes, then close the guard.

    Args:
        settings: of the server.
        guard: examines the answers.
        listener: where connections come in.
        folder: where all workers keep their counts, if there are several.
        ready: called when requests are answered.
    """
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)  # a cut answer is no fault to print
    config = uvicorn.Config(
        Application(settings, guard, folder),
        lifespan="on",
        ws="none",
        http=patient(settings.body_seconds),  # h11, the stricter one, whatever else is installed
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=max(1, round(settings.drain)),
    )
    async with guard:
        await _Server(config, ready).serve(sockets=[listener])
