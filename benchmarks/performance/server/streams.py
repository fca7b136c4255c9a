"""How many slow streams one process takes: memory with some, with twice as many, and what follows for 1 GiB."""

from __future__ import annotations

import asyncio
import contextlib
import re
from typing import TypeAlias
from urllib.request import urlopen

from benchmarks._rows import Row
from benchmarks._table import Run
from benchmarks.performance.server import targets
from benchmarks.performance.server.load import Connection, request
from guardrail.testing.server import serve

__all__ = ["memory_rows", "rows"]

Head: TypeAlias = tuple[int, dict[str, str]]
GIBIBYTE = 2**30
WORDS = 12
WORD = 100  # characters
_AT_ONCE = (
    50  # connections that are opened together: more would only fill the queue of those that are accepted
)


def rows(run: Run) -> list[Row]:
    """Every row of this part."""
    import resource  # not on every system

    count, pace = (100, 1.0) if run.fast else (1_000, 5.0)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # the servers inherit it
    with (
        serve(own_process=True, pace=pace) as stub,
        targets.guarded(stub.base_url, "nothing", concurrency=4 * count, keepalive_seconds=10.0) as target,
    ):
        run.say(f"streams: {count}, then {2 * count}")
        return asyncio.run(_held(target, count))


async def _held(target: targets.Target, count: int) -> list[Row]:
    assert target.process is not None  # noqa: S101  # ours has one
    memory, running, opened = list[int](), list[int](), list[Connection]()
    heads = list[Head]()
    with contextlib.ExitStack() as stack:
        for level in (1, 2):
            await _opened(target, range(len(opened), level * count), opened, heads, stack)
            memory.append(target.process.memory())
            running.append(_running(target))
        replies = await asyncio.gather(*(one.read(head) for one, head in zip(opened, heads, strict=True)))
    whole = sum(reply.whole and b"data: [DONE]" in reply.body for reply in replies)
    return [
        *memory_rows(running, memory),
        Row.equal("streams: ended as they should", whole, len(opened)),
    ]


async def _opened(
    target: targets.Target,
    numbers: range,
    opened: list[Connection],
    heads: list[Head],
    stack: contextlib.ExitStack,
) -> None:
    """Open streams, as far as their heads."""
    words = " ".join(["w" * WORD] * WORDS)
    for start in range(numbers.start, numbers.stop, _AT_ONCE):
        batch = range(start, min(start + _AT_ONCE, numbers.stop))
        made = [Connection(target.url) for _ in batch]
        opened += made
        for number, connection in zip(batch, made, strict=True):
            stack.callback(connection.close)
            body = {
                "model": "m",
                "stream": True,
                "messages": [{"role": "user", "content": f"{number} {words}"}],
            }
            await connection.send(request(target.url, "/v1/chat/completions", body))
        heads += await asyncio.gather(*(connection.head() for connection in made))


def _running(target: targets.Target) -> int:
    with urlopen(f"{target.url}/metrics", timeout=30) as response:  # noqa: S310  # our own
        found = re.search(r"^guardrail_running (\d+)", response.read().decode(), re.MULTILINE)
    return int(found[1]) - 1 if found else 0  # less the one that asks


def memory_rows(running: list[int], memory: list[int]) -> list[Row]:
    """Bytes of one more stream, and how many fit into 1 GiB if that goes on.

    Args:
        running: streams at the two readings.
        memory: bytes at the two readings.
    """
    each = (memory[1] - memory[0]) / (running[1] - running[0])
    room = GIBIBYTE - memory[1]
    return [
        *(
            Row.shown(
                f"streams: memory of the process with {streams:,} at once", size / 2**20, unit="MiB", digits=0
            )
            for streams, size in zip(running, memory, strict=True)
        ),
        Row.shown(
            f"streams: memory of one more, its {WORDS * WORD:,} characters included",
            each / 1024,
            unit="KiB",
            digits=1,
        ),
        Row.shown("streams: at once in 1 GiB, extrapolated", round(running[1] + room / each))
        if each > 0
        else Row.missing(
            "streams: at once in 1 GiB, extrapolated", "memory did not grow between the readings"
        ),
    ]
