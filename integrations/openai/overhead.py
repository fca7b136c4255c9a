"""What the wrapper costs, with a detector that does nothing: `python integrations/openai/overhead.py`.

Turns of the bare client and of the same client wrapped alternate, so that both meet the same machine; the stub is a process
of its own. Prints one line of JSON: for "sync" and "async", milliseconds of this process's processor time a call, turn by turn.
`python -m benchmarks.performance.server --only wrapper` judges them.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Mapping
from typing import Any, ClassVar

from openai import AsyncOpenAI, OpenAI

from guardrail import Detector, Finding, Guard
from guardrail.detector import Calls, Case, Flow
from guardrail.testing.server import serve
from guardrail_openai import guard_openai

ASKED: Any = {
    "model": "m",
    "messages": [{"role": "user", "content": "Which rivers flow north, and where do they end?"}],
}


class Idle(Detector):
    """Finds nothing."""

    name: ClassVar[str] = "idle"

    def cost(self, case: Case) -> Mapping[str, Calls]:
        """No calls."""
        del case
        return {}

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """No findings."""
        del case
        yield from ()
        return []


def sync(base_url: str, rounds: int, count: int) -> dict[str, list[float]]:
    """Of the synchronous client; the first turn of each warms up."""
    with OpenAI(base_url=base_url, api_key="none", max_retries=0) as client:
        both = {"bare": client, "wrapped": guard_openai(client, Guard([Idle()]))}
        spent: dict[str, list[float]] = {name: [] for name in both}
        for _ in range(rounds + 1):
            for name, one in both.items():
                began = time.process_time()
                for _ in range(count):
                    one.chat.completions.create(**ASKED)
                spent[name].append(1000 * (time.process_time() - began) / count)
    return {name: costs[1:] for name, costs in spent.items()}


async def asynchronous(base_url: str, rounds: int, count: int) -> dict[str, list[float]]:
    """Of the asynchronous client."""
    async with AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0) as client:
        both = {"bare": client, "wrapped": guard_openai(client, Guard([Idle()]))}
        spent: dict[str, list[float]] = {name: [] for name in both}
        for _ in range(rounds + 1):
            for name, one in both.items():
                began = time.process_time()
                for _ in range(count):
                    await one.chat.completions.create(**ASKED)
                spent[name].append(1000 * (time.process_time() - began) / count)
    return {name: costs[1:] for name, costs in spent.items()}


def main(rounds: int = 40, count: int = 50) -> None:
    """Measure and print."""
    with serve(own_process=True) as stub:
        found = {
            "sync": sync(stub.base_url, rounds, count),
            "async": asyncio.run(asynchronous(stub.base_url, rounds, count)),
        }
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
