"""The server killed (-9) at work and started again: what its clients see, and that they can ask again."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from collections import Counter
from dataclasses import dataclass, field

from benchmarks._rows import Row
from benchmarks._table import Run
from benchmarks.performance.server import targets
from benchmarks.performance.server.guarded import FORBIDDEN
from benchmarks.performance.server.load import Connection, Reply, closed_loop, request
from benchmarks.performance.server.soak import end_of, question
from guardrail.testing.server import serve

__all__ = ["Seen", "rows"]

CLIENTS = 16
LATENCY = 0.05
PATIENCE = 400  # times that a client asks again, .05 s apart
PLACES = {"concurrency": 4 * CLIENTS}


@dataclass
class Seen:
    """What the clients saw.

    Attributes:
        ends: how many requests ended in which way, after they were asked again.
        many: set when a third of the requests has ended.
        broken: attempts that broke off, or found nobody.
        leaks: replies, whole or broken off, with words that must not be released.
    """

    ends: Counter[str] = field(default_factory=Counter)
    many: asyncio.Event = field(default_factory=asyncio.Event)
    broken: int = 0
    leaks: int = 0

    def note(self, reply: Reply) -> bool:
        """Whether a reply came whole."""
        self.leaks += any(word.encode() in reply.body for word in FORBIDDEN.split())
        self.broken += not reply.whole
        return reply.whole


def rows(run: Run) -> list[Row]:
    """Every row of this part."""
    count = 120 if run.fast else 1_000
    seen = Seen()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with serve(own_process=True, latency=LATENCY) as stub:
        asyncio.run(_killed(stub.base_url, port, count, seen))
    return [
        Row.shown("kill -9: requests", count),
        Row.at_least("kill -9: attempts that broke off or found nobody", seen.broken, 1, digits=0),
        Row.equal("kill -9: answered, some when asked again", seen.ends["answered"], count),
        Row.equal("kill -9: replies with words that may not be released", seen.leaks, 0),
    ]


async def _killed(base_url: str, port: int, count: int, seen: Seen) -> None:
    with contextlib.ExitStack() as stack:

        def start() -> targets.Target:
            return stack.enter_context(targets.guarded(base_url, "spotter", port=port, **PLACES))

        first = await asyncio.to_thread(start)
        asking = asyncio.ensure_future(_ask_all(first.url, count, seen))
        await seen.many.wait()
        assert first.process is not None  # noqa: S101  # ours has one
        os.kill(first.process.pid, signal.SIGKILL)
        await asyncio.to_thread(start)
        await asking


async def _ask_all(url: str, count: int, seen: Seen) -> None:
    async def ask(connection: Connection, number: int) -> None:
        content = question(number)
        body = {"model": "m", "stream": number % 2 == 1, "messages": [{"role": "user", "content": content}]}
        raw = request(url, "/v1/chat/completions", body)
        for _ in range(PATIENCE):
            try:
                reply = await connection.ask(raw)
            except OSError:  # nobody listens
                connection.close()
                reply = Reply(0, {}, b"", whole=False)
            if seen.note(reply):
                seen.ends[end_of(reply, number)] += 1
                if seen.ends.total() >= count // 3:
                    seen.many.set()
                return
            await asyncio.sleep(0.05)
        seen.ends["never answered"] += 1

    await closed_loop(url, range(count), CLIENTS, ask)
