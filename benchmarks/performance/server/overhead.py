"""What passing through costs: processor time, requests a second, and delay at a fixed rate; interleaved, in one run."""

from __future__ import annotations

import asyncio
import contextlib
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks._rows import Row
from benchmarks._table import Run
from benchmarks.performance.server import targets
from benchmarks.performance.server.load import Connection, at_rate, closed_loop, percentile
from benchmarks.performance.server.targets import Target
from guardrail.testing.server import serve

__all__ = ["Measured", "delay_rows", "load_rows", "rows", "together"]

CLIENTS = 50
MOST_OF_BARE, MOST_OF_LITELLM = 1.4, 0.5
MOST_P50, MOST_P99 = 10.0, 3.0  # ms; times the bare proxy's
SLICE = 250  # requests to one target before the next one's turn
SLOW = 0.5  # seconds that the stub takes in the part on delay
LITELLM_FEWER = 2  # it is that much slower, and a round should last as long
PLACES = 1024  # requests at once that ours admits here; the default of 64 is a limit, not a cost


@dataclass(frozen=True)
class Measured:
    """One target in one round.

    Attributes:
        rate: requests a second.
        cost: processor time a request, in milliseconds.
        failed: requests without their own answer.
    """

    rate: float
    cost: float
    failed: int


def rows(run: Run) -> list[Row]:
    """Every row of this part."""
    rounds, count = (3, 300) if run.fast else (5, 1_000)
    environments = run.options.envs if run.options.litellm else None
    found = _throughput(run, environments, rounds, count)
    slower = min(
        statistics.median(one.rate for one in found[name]) for name in ("bare proxy", "guardrail serve")
    )
    return [
        *load_rows(found),
        *_streams(run, 2 if run.fast else 5, 60 if run.fast else 500),
        *_delays(run, "half of what the slower of the two can", slower / 2),
        *_delays(run, f"as many at once as clients above ({CLIENTS})", min(slower / 2, CLIENTS / SLOW)),
    ]


def _throughput(run: Run, environments: Path | None, rounds: int, count: int) -> dict[str, list[Measured]]:
    found: dict[str, list[Measured]] = {}
    with contextlib.ExitStack() as stack:
        base_url = stack.enter_context(serve(own_process=True)).base_url
        measured = [
            targets.stub(base_url),
            stack.enter_context(targets.bare(base_url)),
            stack.enter_context(targets.guarded(base_url, "nothing", concurrency=PLACES)),
        ]
        if environments is not None:
            measured.append(stack.enter_context(targets.litellm(base_url, environments)))
        for target in measured:
            loaded(target, CLIENTS * 2)  # connections and first uses
        for i in range(rounds):
            run.say(f"overhead: round {i + 1} of {rounds}")
            for name, one in _round(measured, count).items():
                found.setdefault(name, []).append(one)
    return found


def _round(measured: Sequence[Target], count: int, *, stream: bool = False) -> dict[str, Measured]:
    """All targets in turn, in slices, so that what else the machine does falls on all of them."""
    slices: dict[str, list[Measured]] = {target.name: [] for target in measured}
    for _ in range(max(1, count // SLICE)):
        for target in measured:
            fewer = LITELLM_FEWER if target.name == "LiteLLM proxy" else 1
            slices[target.name].append(loaded(target, min(count, SLICE) // fewer, stream=stream))
    return {name: together(parts) for name, parts in slices.items()}


def together(parts: Sequence[Measured]) -> Measured:
    """Slices of the same size as one round."""
    rate = len(parts) / sum(1 / one.rate for one in parts)
    return Measured(rate, statistics.mean(one.cost for one in parts), sum(one.failed for one in parts))


def loaded(target: Target, count: int, *, stream: bool = False, clients: int = CLIENTS) -> Measured:
    """So many requests by the clients, each of which asks as soon as it was answered."""
    failed = 0

    async def ask(connection: Connection, number: int) -> None:
        nonlocal failed
        reply = await connection.ask(target.request(number, stream=stream))
        failed += not (
            reply.whole and reply.status == 200 and (stream or f'"{number}. '.encode() in reply.body)
        )

    before, began = target.seconds(), time.perf_counter()
    asyncio.run(closed_loop(target.url, range(count), clients, ask))
    spent, seconds = target.seconds() - before, time.perf_counter() - began
    return Measured(count / seconds, 1000 * spent / count, failed)


def load_rows(found: Mapping[str, Sequence[Measured]]) -> list[Row]:
    """Rates, processor times, and their ratios, round by round."""
    table = []
    for name, rounds in found.items():
        rates = [one.rate for one in rounds]
        table.append(_spread(f"{name}: rate at {CLIENTS} clients", rates, unit="requests/s", digits=0))
        if name != "stub":
            costs = [one.cost for one in rounds]
            table.append(_spread(f"{name}: processor time a request", costs, unit="ms", digits=2))
    ours = found["guardrail serve"]
    table.append(
        _ratio("processor time, ours / bare proxy", ours, found["bare proxy"], MOST_OF_BARE),
    )
    quantity = "processor time, ours / LiteLLM proxy"
    if "LiteLLM proxy" in found:
        table.append(_ratio(quantity, ours, found["LiteLLM proxy"], MOST_OF_LITELLM))
    else:
        table.append(Row.missing(quantity, "LiteLLM was not asked for: --litellm", bar="≤ 0.500"))
    failed = sum(one.failed for rounds in found.values() for one in rounds)
    return [*table, Row.equal("requests without their own answer", failed, 0)]


def _spread(quantity: str, values: Sequence[float], *, unit: str, digits: int) -> Row:
    interval = (min(values), max(values))
    return Row.shown(quantity, statistics.median(values), unit=unit, digits=digits, interval=interval)


def _ratio(quantity: str, ours: Sequence[Measured], theirs: Sequence[Measured], most: float) -> Row:
    per_round = [a.cost / b.cost for a, b in zip(ours, theirs, strict=True)]
    interval = (min(per_round), max(per_round))
    return Row.at_most(quantity, statistics.median(per_round), most, interval=interval, digits=2)


# -- streams


def _streams(run: Run, rounds: int, count: int) -> list[Row]:
    """The same with streams of some 20 chunks, which ours reads, holds back and writes anew."""
    found: dict[str, list[Measured]] = {}
    with contextlib.ExitStack() as stack:
        base_url = stack.enter_context(serve(own_process=True)).base_url
        measured = [
            stack.enter_context(targets.bare(base_url)),
            stack.enter_context(targets.guarded(base_url, "nothing", concurrency=PLACES)),
        ]
        for target in measured:
            loaded(target, CLIENTS, stream=True)
        for i in range(rounds):
            run.say(f"overhead of streams: round {i + 1} of {rounds}")
            for name, one in _round(measured, count, stream=True).items():
                found.setdefault(name, []).append(one)
    per_round = [a.cost / b.cost for a, b in zip(found["guardrail serve"], found["bare proxy"], strict=True)]
    return [
        _spread("streams: processor time, ours / bare proxy", per_round, unit="", digits=2),
        Row.equal(
            "streams: without an answer", sum(one.failed for all_ in found.values() for one in all_), 0
        ),
    ]


# -- delay


def _delays(run: Run, what: str, rate: float) -> list[Row]:
    """At half of what 50 clients get, several times as many requests are under way at once, and the bare proxy's one pool may be overloaded."""
    rounds, count = (2, 60) if run.fast else (5, 300)
    found: dict[str, list[list[float]]] = {}
    with contextlib.ExitStack() as stack:
        base_url = stack.enter_context(serve(own_process=True, latency=SLOW)).base_url
        measured = [
            targets.stub(base_url),
            stack.enter_context(targets.bare(base_url)),
            stack.enter_context(targets.guarded(base_url, "nothing", concurrency=PLACES)),
        ]
        for i in range(-1, rounds):
            run.say(f"delay at {rate:.0f} requests/s: round {i + 1} of {rounds}")
            for target in measured:
                taken = _delayed(target, count if i >= 0 else CLIENTS, rate)
                if i >= 0:  # the first one opens connections
                    found.setdefault(target.name, []).append(taken)
    return delay_rows(found, what, rate)


def _delayed(target: Target, count: int, rate: float) -> list[float]:
    async def ask(connection: Connection, number: int) -> None:
        await connection.ask(target.request(number))

    return asyncio.run(at_rate(target.url, count, rate, ask))


def delay_rows(found: Mapping[str, Sequence[Sequence[float]]], what: str, rate: float) -> list[Row]:
    """Medians over the rounds of what each adds to the stub's own delay; the bars are on ours."""

    def added(name: str, share: float) -> float:
        pairs = zip(found[name], found["stub"], strict=True)
        return 1000 * statistics.median(percentile(a, share) - percentile(b, share) for a, b in pairs)

    ours, theirs = added("guardrail serve", 0.99), added("bare proxy", 0.99)
    at = f"delay, {what}"
    return [
        Row.shown(f"{at}: fixed rate", rate, unit="requests/s", digits=0),
        Row.shown(f"{at}: bare proxy, added p50", added("bare proxy", 0.5), unit="ms", digits=2),
        Row.at_most(f"{at}: ours, added p50", added("guardrail serve", 0.5), MOST_P50, unit="ms", digits=2),
        Row.shown(f"{at}: bare proxy, added p99", theirs, unit="ms", digits=2),
        Row.at_most(f"{at}: ours, added p99", ours, MOST_P99 * theirs, unit="ms", digits=2),
    ]
