"""Listening until SIGTERM or Ctrl-C; then nothing new is taken, and what runs is finished."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

from guardrail.errors import ConfigError
from guardrail.guard import Guard
from guardrail.server.advice import advice
from guardrail.server.rules import Rules
from guardrail.server.serving import serving
from guardrail.server.settings import Settings
from guardrail.server.workers import Supervisor


def run(
    settings: Settings,
    make: Callable[[], Guard],
    *,
    listening: Callable[[str], Any] = lambda _: None,
    say: Callable[[str], Any] = lambda _: None,
) -> None:
    """Serve until a signal comes; then the guard is closed.

    Args:
        settings: of the server.
        make: makes the guard that examines the answers; with several workers in each of them, so that it must be picklable.
        listening: called with the address once it is answered there.
        say: called with a line about a worker that ended, or a detector that can verify nothing.

    Raises:
        ConfigError: the address cannot be listened on, or a worker cannot start.
    """
    with _socket(settings) as listener:
        host, port = listener.getsockname()[:2]
        url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        if settings.workers > 1:
            Supervisor(settings, make, listener, say).run(lambda: listening(url))
        else:
            guard = make()

            def ready() -> None:
                listening(url)
                for line in advice(Rules(settings, guard).guards):
                    say(line)

            asyncio.run(serving(settings, guard, listener, None, ready))


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
