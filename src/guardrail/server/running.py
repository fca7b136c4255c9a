"""Listening until SIGTERM or Ctrl-C; then nothing new is taken, and what runs is finished."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn

from guardrail.errors import ConfigError
from guardrail.guard import Guard
from guardrail.server.application import Application
from guardrail.server.settings import Settings

__all__ = ["run"]

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class _Server(uvicorn.Server):
    """Ends by itself after a signal; uvicorn would raise it again, so that a drained server looked killed."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """A first signal drains, a second one ends at once."""
        before = {one: signal.signal(one, self.handle_exit) for one in _SIGNALS}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)


def run(settings: Settings, guard: Guard, *, listening: Callable[[str], Any] = lambda _: None) -> None:
    """Serve until a signal comes; then the guard is closed.

    Args:
        settings: what the server was told.
        guard: examines the answers.
        listening: called with the address once it is listened on.

    Raises:
        ConfigError: the address cannot be listened on.
    """
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)  # a cut answer is no fault to print
    with _socket(settings) as listener:
        host, port = listener.getsockname()[:2]
        config = uvicorn.Config(
            Application(settings, guard),
            lifespan="on",
            ws="none",
            http="h11",  # the stricter one, whatever else is installed
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=max(1, round(settings.drain)),
        )
        listening(f"http://{f'[{host}]' if ':' in host else host}:{port}")
        asyncio.run(_serve(_Server(config), guard, listener))


async def _serve(server: _Server, guard: Guard, listener: socket.socket) -> None:
    async with guard:
        await server.serve(sockets=[listener])


def _socket(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # asyncio sends at once (TCP_NODELAY) only where the protocol is named
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((settings.host, settings.port))
        made.listen(1024)
    except OSError as error:
        made.close()
        raise ConfigError(
            f"cannot listen on {settings.host}:{settings.port}: {error.strerror or error}. Choose another --port"
        ) from error
    return made
