"""A chat service on this machine that speaks OpenAI's protocol, for tests, demos and benchmarks.

It has what real ones lack together: several choices, log-probabilities, streams, latency, and faults by a
seeded rate. Replies come from a recording, a function or an echo.

Example:
    >>> import httpx
    >>> with serve(lambda call: "Paris.") as server:
    ...     reply = httpx.post(f"{server.base_url}/chat/completions", json={"messages": []}).json()
    >>> reply["choices"][0]["message"]["content"]
    'Paris.'

From a shell: `python -m guardrail.testing.server --latency 0.05 --fault rate_limit=0.02 --port 8000`.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from guardrail.engine.flow import Answer
from guardrail.errors import ConfigError
from guardrail.given.accepted import Json, JsonObject
from guardrail.requests import Completion
from guardrail.testing.http import HttpProtocol
from guardrail.testing.service import (
    IGNORABLE,
    REFUSABLE,
    Behaviour,
    ChatService,
    Replies,
    ScriptedChoice,
    echo,
)
from guardrail.testing.writing import FAULTS

__all__ = ["FAULTS", "Behaviour", "Replies", "ScriptedChoice", "Served", "recorded", "serve"]


def recorded(source: str | Path) -> Replies:
    """Replies from a recording of `guardrail.chat.RecordedChat`, found by the messages' text.

    Draws of one prompt are given in the order of their numbers, from the start again when they are used up.

    Raises:
        ParseError: the file is no recording.
    """
    from guardrail.chat import read_recording

    found: dict[tuple[tuple[str, str], ...], dict[int, Completion]] = {}
    for entry in read_recording(source):
        if entry.request is not None and isinstance(entry.reply, Answer):
            messages = tuple((message.role, message.text) for message in entry.request.messages)
            found.setdefault(messages, {})[entry.request.draw] = entry.reply.value
    takes = {messages: [said for _, said in sorted(draws.items())] for messages, draws in found.items()}

    def reply(call: ScriptedChoice) -> Completion:
        said = takes[call.messages]
        return said[call.draw % len(said)]

    return reply


class Served:
    """A running service.

    Attributes:
        base_url: for a client, with `/v1`.
        service: its counters, where it runs in this process; else `None`.
    """

    def __init__(self, port: int, service: ChatService | None = None) -> None:
        self.base_url = f"http://127.0.0.1:{port}/v1"
        self.service = service

    def stats(self) -> Json:
        """Requests by key, choices, faults sent, and how many ran at once."""
        if self.service is not None:
            return self.service.stats()
        with urlopen(self.base_url.removesuffix("/v1") + "/__stats", timeout=10) as response:  # noqa: S310
            return dict(json.load(response))


@contextlib.contextmanager
def serve(
    replies: Replies | str | Path = echo, *, port: int = 0, own_process: bool = False, **behaviour: Any
) -> Iterator[Served]:
    """Run the service while the block runs, in a thread or in a process of its own.

    Args:
        replies: a function of a `Call`, or the path of a recording.
        port: 0 takes a free one.
        own_process: keeps its work off this interpreter; then `replies` is a path or the echo.
        **behaviour: further fields of `Behaviour`.

    Raises:
        ConfigError: a function cannot go to another process; an unknown fault.
    """
    if own_process:
        with _process(replies, port, behaviour) as served:
            yield served
        return
    said = recorded(replies) if isinstance(replies, str | Path) else replies
    service = ChatService(Behaviour(said, **behaviour))
    loop = asyncio.new_event_loop()
    ports: list[int] = []
    started = threading.Event()
    stop = asyncio.Event()

    def ready(found: int) -> None:
        ports.append(found)
        started.set()

    def main() -> None:
        try:
            loop.run_until_complete(_listen(service, port, stop, ready))
        except OSError:
            pass  # said below, where somebody reads it
        finally:
            loop.close()
            started.set()

    thread = threading.Thread(target=main, name="guardrail-test-server", daemon=True)
    thread.start()
    started.wait()
    if not ports:
        thread.join()
        raise ConfigError(f"port {port} cannot be listened on. Use port=0 for a free one.")
    try:
        yield Served(ports[0], service)
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(timeout=10)


async def _listen(
    service: ChatService, port: int, stop: asyncio.Event, ready: Callable[[int], object]
) -> None:
    connections: set[HttpProtocol] = set()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: HttpProtocol(service, connections), "127.0.0.1", port, backlog=1024
    )
    ready(server.sockets[0].getsockname()[1])
    try:
        await stop.wait()
    finally:
        server.close()
        for connection in list(connections):
            connection.abort()
        await asyncio.sleep(0)
        await server.wait_closed()


@contextlib.contextmanager
def _process(replies: Replies | str | Path, port: int, behaviour: JsonObject) -> Iterator[Served]:
    command = [sys.executable, "-m", "guardrail.testing.server", "--port", str(port)]
    if isinstance(replies, str | Path):
        command += ["--recording", str(replies)]
    elif replies is not echo or behaviour.get("model") is not None:
        given = behaviour.get("model") or replies
        raise ConfigError(f"a service in its own process replies from a recording or by echo, got {given!r}")
    if only_here := {"cut", "size", "damage"} & set(behaviour):
        raise ConfigError(
            f"a service in its own process does not take {min(only_here)}=. Serve in this process."
        )
    Behaviour(**behaviour)  # a wrong option is refused here, where it was written
    for name, value in behaviour.items():
        option = f"--{name.replace('_', '-')}"
        if name == "faults":
            command += [f"--fault={kind}={rate}" for kind, rate in value.items()]
        elif name in {"refuses", "ignores"}:
            command += [f"{option.removesuffix('s')}={parameter}" for parameter in value]
        elif value is True:
            command.append(option)
        elif value is not None and value is not False:
            command.append(f"{option}={value}")
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)  # noqa: S603
    with child:
        try:
            line = child.stdout.readline() if child.stdout else ""
            if not line.startswith("http"):
                raise ConfigError(f"the test server did not start, it said {line!r}")
            yield Served(int(line.split(":")[2].partition("/")[0]))
        finally:
            child.terminate()


def _main() -> None:
    """`python -m guardrail.testing.server`: prints its base URL and serves until it is stopped."""
    parser = argparse.ArgumentParser(
        prog="python -m guardrail.testing.server", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--recording", type=Path, help="JSON lines of RecordedChat; default: echo")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each reply")
    parser.add_argument("--pace", type=float, default=0.0, help="seconds between the words of a stream")
    several: dict[str, Any] = {"action": "append", "default": []}
    parser.add_argument("--fault", dest="faults", metavar="KIND=RATE", help=", ".join(FAULTS), **several)
    parser.add_argument("--seed", type=int, default=0, help="of the faults")
    parser.add_argument("--retry-after", default="1", help="what a 429 says")
    parser.add_argument("--refuse", dest="refuses", choices=REFUSABLE, help="answered by 400", **several)
    parser.add_argument("--ignore", dest="ignores", choices=IGNORABLE, help="has no effect", **several)
    parser.add_argument("--most-choices", type=int, default=128)
    parser.add_argument("--most-logprobs", type=int, help="of /completions; more are answered by 400")
    parser.add_argument("--chat-only", action="store_true", help="no /completions")
    parser.add_argument("--key", help="the credential it wants; default: any")
    options = vars(parser.parse_args())
    port, recording = options.pop("port"), options.pop("recording")
    pairs = [fault.partition("=") for fault in options["faults"]]
    options["faults"] = {kind: float(rate or 0.01) for kind, _, rate in pairs}
    behaviour = Behaviour(recorded(recording) if recording else echo, **options)

    def ready(taken: int) -> None:
        print(f"http://127.0.0.1:{taken}/v1", flush=True)  # the answer to the caller

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_listen(ChatService(behaviour), port, asyncio.Event(), ready))


if __name__ == "__main__":
    _main()
