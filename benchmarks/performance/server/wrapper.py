"""The OpenAI wrapper: processor time of a call, wrapped and bare, in turn, with the same stub."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Sequence

from benchmarks._rows import Row
from benchmarks._table import Run
from benchmarks.performance.server.guarded import Nothing
from guardrail import Guard
from guardrail.testing.server import serve

__all__ = ["difference_row", "rows"]

MOST = 0.5  # ms
MESSAGES = [{"role": "user", "content": "Which rivers flow north, how long are they, and where do they end?"}]


def rows(run: Run) -> list[Row]:
    """Every row of this part."""
    rounds, count = (10, 20) if run.fast else (40, 50)  # short turns: what else runs falls on both
    with serve(own_process=True) as stub:
        run.say("wrapper: sync, async")
        return [
            *_sync(stub.base_url, rounds, count),
            *asyncio.run(_async(stub.base_url, rounds, count)),
        ]


def _sync(base_url: str, rounds: int, count: int) -> list[Row]:
    from openai import OpenAI

    from guardrail_openai import guard_openai

    with OpenAI(base_url=base_url, api_key="none", max_retries=0) as client:
        both = (client, guard_openai(client, Guard([Nothing()])))
        spent: tuple[list[float], list[float]] = ([], [])
        for i in range(-1, rounds):
            for one, costs in zip(both, spent, strict=True):
                began = time.process_time()
                for _ in range(count):
                    one.chat.completions.create(model="m", messages=MESSAGES)  # type: ignore[arg-type]  # dicts
                if i >= 0:
                    costs.append(1000 * (time.process_time() - began) / count)
    return difference_row("sync", *spent)


async def _async(base_url: str, rounds: int, count: int) -> list[Row]:
    from openai import AsyncOpenAI

    from guardrail_openai import guard_openai

    async with AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0) as client:
        both = (client, guard_openai(client, Guard([Nothing()])))
        spent: tuple[list[float], list[float]] = ([], [])
        for i in range(-1, rounds):
            for one, costs in zip(both, spent, strict=True):
                began = time.process_time()
                for _ in range(count):
                    await one.chat.completions.create(model="m", messages=MESSAGES)  # type: ignore[arg-type]  # dicts
                if i >= 0:
                    costs.append(1000 * (time.process_time() - began) / count)
    return difference_row("async", *spent)


def difference_row(kind: str, bare: Sequence[float], wrapped: Sequence[float]) -> list[Row]:
    """What a call costs bare, and what the wrapper adds, in milliseconds."""
    added = [a - b for a, b in zip(wrapped, bare, strict=True)]
    interval = (min(added), max(added))
    return [
        Row.shown(f"OpenAI client, {kind}: processor time a call", statistics.median(bare), unit="ms"),
        Row.at_most(
            f"OpenAI wrapper, {kind}: added", statistics.median(added), MOST, unit="ms", interval=interval
        ),
    ]
