"""Many requests with an upstream that fails now and then: how each ends, and memory and open files over time."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks._plots import panels_plot
from benchmarks._rows import Row
from benchmarks._table import Run
from benchmarks.performance.server import targets
from benchmarks.performance.server.guarded import FORBIDDEN
from benchmarks.performance.server.load import Connection, Reply, closed_loop, request
from benchmarks.performance.server.processes import Process
from guardrail.testing.server import FAULTS, serve

__all__ = ["GROUPS", "Reading", "Soaked", "end_of", "resource_rows", "rows"]

CLIENTS = 32
SHARE = 0.05
SETTLED = 2_000  # requests after which memory may not grow any more
MOST_GROWTH = 20.0  # MiB
DEADLINE = 5.0  # seconds: what a fault of kind "timeout" takes

UNREADABLE = "502, in an error event, or without choices"

GROUPS: Mapping[str, tuple[str, ...]] = {
    "429 with Retry-After": ("rate_limit",),
    "500 of the upstream": ("server_error",),
    "504": ("timeout",),
    UNREADABLE: ("cut", "malformed", "content_type", "empty"),
}
"""How a request ends → the faults for which that is right."""


@dataclass(frozen=True)
class Reading:
    """The server at one moment.

    Attributes:
        done: requests that have ended.
        memory: MiB.
        files: open file descriptors.
    """

    done: int
    memory: float
    files: int


@dataclass
class Soaked:
    """What a soak found.

    Attributes:
        ends: how many requests ended in which way.
        leaks: replies with words that must not be released.
        readings: in their order.
    """

    ends: Counter[str] = field(default_factory=Counter)
    leaks: int = 0
    readings: list[Reading] = field(default_factory=list)


def rows(run: Run) -> list[Row]:
    """Every row of this part; the picture goes to `--out`."""
    count = run.options.soak or (300 if run.fast else 10_000)
    rates = dict.fromkeys(FAULTS, SHARE / len(FAULTS))
    soaked = Soaked()
    with (
        serve(own_process=True, faults=rates, latency=0.02, retry_after="1", seed=7) as stub,
        targets.guarded(stub.base_url, "spotter", concurrency=2 * CLIENTS, deadline=DEADLINE) as target,
    ):
        assert target.process is not None  # noqa: S101  # ours has one
        soaked.readings.append(_reading(target.process, 0))
        asyncio.run(_soak(run, target, count, soaked))
        stats = stub.stats()
    if run.out is not None:
        draw(soaked.readings, run.out)
    run.parameters["soak"] = count
    return [
        Row.shown("soak: requests, half of them streams", count),
        *_end_rows(soaked, stats, count),
        *resource_rows(soaked.readings, min(SETTLED, count // 5)),
    ]


# -- the requests


async def _soak(run: Run, target: targets.Target, count: int, soaked: Soaked) -> None:
    assert target.process is not None  # noqa: S101  # as above

    async def ask(connection: Connection, number: int) -> None:
        content = question(number)
        body = {"model": "m", "stream": number % 2 == 1, "messages": [{"role": "user", "content": content}]}
        reply = await connection.ask(request(target.url, "/v1/chat/completions", body))
        soaked.ends[end_of(reply, number)] += 1
        soaked.leaks += any(word.encode() in reply.body for word in FORBIDDEN.split())

    async def watch(process: Process) -> None:
        while True:
            await asyncio.sleep(max(0.1, min(1.0, count / 10_000)))
            soaked.readings.append(_reading(process, soaked.ends.total()))
            run.say(f"soak: {soaked.readings[-1]}")

    watching = asyncio.ensure_future(watch(target.process))
    await closed_loop(target.url, range(count), CLIENTS, ask)
    watching.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await watching
    soaked.readings.append(_reading(target.process, soaked.ends.total()))


def question(number: int) -> str:
    """What is asked, and said again by the stub; in every third there are words that may not be released."""
    middle = f"See {FORBIDDEN} for more. " if number % 3 == 0 else ""
    return f"This is question {number}. {middle}It ends here."


def _reading(process: Process, done: int) -> Reading:
    return Reading(done, process.memory() / 2**20, process.files())


# -- how they end


def end_of(reply: Reply, number: int) -> str:
    """How a request ended: "answered", one of `GROUPS`, or what is wrong with it."""
    if not reply.whole:
        return "wrong: the connection broke off"
    try:
        if reply.status != 200:
            return _refusal(reply)
        said = _stream(reply) if number % 2 else json.loads(reply.body)
    except (ValueError, KeyError, TypeError, IndexError) as error:
        return f"wrong: not readable ({type(error).__name__})"
    if "error" in said or not said["choices"]:
        return UNREADABLE
    text, whole = said["choices"][0], f"This is question {number}."
    said_text = text["message"]["content"]
    return (
        "answered"
        if said_text.startswith(whole) and "It ends here." in said_text
        else "wrong: another answer"
    )


def _refusal(reply: Reply) -> str:
    error = json.loads(reply.body)["error"]
    if reply.status == 429 and error["code"] == "rate_limit_exceeded":
        return "429 with Retry-After" if "retry-after" in reply.headers else "wrong: 429 without Retry-After"
    if reply.status == 500 and error["message"] == "The server had an error":
        return "500 of the upstream"
    if reply.status == 504 and error["code"] in {"upstream_timeout", "deadline"}:
        return "504"
    if reply.status == 502 and error["code"].startswith("upstream_"):
        return UNREADABLE
    return f"wrong: {reply.status} {error.get('code')}"


def _stream(reply: Reply) -> dict[str, Any]:
    """A stream as one body.

    Raises:
        ValueError: it does not end as a stream ends.
    """
    told = [line[6:] for line in reply.body.decode().splitlines() if line.startswith("data: ")]
    if len(told) == 1 and told[0] != "[DONE]":
        return dict(json.loads(told[0]))
    if told[-1] != "[DONE]":
        raise ValueError("expected [DONE] at the end")
    chunks = [json.loads(one) for one in told[:-1]]
    choices = [choice for chunk in chunks for choice in chunk["choices"]]
    if not choices:
        return {"choices": []}
    if choices[-1]["finish_reason"] is None:
        raise ValueError("expected a finish_reason at the end")
    text = "".join(choice["delta"].get("content") or "" for choice in choices)
    return {"choices": [{"message": {"content": text}}]}


def _end_rows(soaked: Soaked, stats: Mapping[str, Any], count: int) -> list[Row]:
    faults, ends = Counter(stats["faults"]), soaked.ends
    wrong = {end: times for end, times in ends.items() if end.startswith("wrong")}
    found = [
        Row.equal("soak: answered", ends["answered"], count - faults.total()),
        *(
            Row.equal(f"soak: ended in {end}", ends[end], sum(faults[fault] for fault in of))
            for end, of in GROUPS.items()
        ),
        Row.equal("soak: ended otherwise", sum(wrong.values()), 0),
        Row.equal("soak: requests that the upstream saw", stats["requests"], count),
        Row.equal("soak: seen by it more than once", _doubled(stats["by_key"]), 0),
        Row.equal("soak: replies with words that may not be released", soaked.leaks, 0),
    ]
    return [*found, *(Row.shown(f"soak: {end}", times) for end, times in sorted(wrong.items()))]


def _doubled(by_key: Mapping[str, int]) -> int:
    return sum(times > 1 for times in by_key.values())


# -- memory and files


def resource_rows(readings: Sequence[Reading], settled: int) -> list[Row]:
    """Growth from the first reading with so many requests on, to the highest one."""
    later = [one for one in readings if one.done >= settled]
    first = later[0]
    growth = max(one.memory for one in later) - first.memory
    files = max(one.files for one in readings) - readings[0].files
    return [
        Row.shown("soak: memory before the first request", readings[0].memory, unit="MiB", digits=1),
        Row.shown(f"soak: memory at request {first.done:,}", first.memory, unit="MiB", digits=1),
        Row.at_most("soak: highest memory after that, more", growth, MOST_GROWTH, unit="MiB", digits=1),
        # a connection from each client and one to the upstream for each, both kept open
        Row.at_most("soak: open files at most, more than before", files, 2 * CLIENTS + 8, digits=0),
        Row.shown("soak: open files at that request", first.files),
        Row.shown("soak: open files at the end", readings[-1].files),
    ]


def draw(readings: Sequence[Reading], folder: Path) -> list[Path]:
    """Memory and open files over the requests, as SVG and PNG."""
    done = [one.done for one in readings]
    return panels_plot(
        {
            "memory [MiB]": (done, [one.memory for one in readings]),
            "open files": (done, [float(one.files) for one in readings]),
        },
        folder,
        "soak",
        title=f"{done[-1]:,} requests, 5 % upstream faults, {CLIENTS} clients",
        across="requests ended",
    )
