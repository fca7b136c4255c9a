"""Many clients at once, with an upstream that fails now and then."""

import asyncio
import json
from pathlib import Path

import httpx
import pytest
from tests.unit.server.conftest import FORBIDDEN, SECRET

from guardrail.testing.server import FAULTS

REQUESTS, CLIENTS = 400, 32


def _open_files():
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


async def ask(client, number):
    """One request; how it ended, and its bytes."""
    stream = number % 2 == 1
    content = (
        f"This is question {number}. " + (f"See {SECRET}. " if number % 3 == 0 else "") + "It ends here."
    )
    asked = {"model": "m", "stream": stream, "messages": [{"role": "user", "content": content}]}
    found = await client.post("/v1/chat/completions", json=asked)
    if found.status_code != 200:
        assert "error" in found.json()
        return "refused", found.content
    if not stream:
        choices = found.json()["choices"]
        if not choices:
            return "empty", found.content
        said = choices[0]["message"]["content"]
    else:
        told = [line[6:] for line in found.text.splitlines() if line.startswith("data: ")]
        if "error" in json.loads(told[0] if told[0] != "[DONE]" else "{}"):
            return "broken", found.content
        assert told[-1] == "[DONE]"
        chunks = [json.loads(one) for one in told[:-1]]
        said = "".join(c["delta"].get("content") or "" for one in chunks for c in one["choices"])
    assert f"question {number}." in said  # its own answer, and no other
    return "answered", found.content


async def soak(url):
    """All requests, so many at a time."""
    places = asyncio.Semaphore(CLIENTS)
    async with httpx.AsyncClient(base_url=url, timeout=30, trust_env=False) as client:

        async def one(number):
            async with places:
                return await ask(client, number)

        return await asyncio.gather(*(one(number) for number in range(REQUESTS)))


class TestSoak:
    @pytest.mark.slow
    def test_every_request_ends_in_what_it_should(self, guarded):
        """None is lost, doubled or half released; files are closed again."""
        rates = {fault: 0.05 / len(FAULTS) for fault in FAULTS if fault != "timeout"}
        served = guarded(service={"faults": rates}, concurrency=2 * CLIENTS)
        served.client.get("/healthz")
        before = _open_files()
        ended = asyncio.run(soak(served.url))
        kinds = [kind for kind, _ in ended]
        faults = served.service.stats()["faults"]
        assert kinds.count("answered") == REQUESTS - sum(faults.values())
        assert [word for word in FORBIDDEN for _, content in ended if word in content] == []
        assert served.is_idle()
        kept = (
            2 * 2 * CLIENTS
        )  # connections kept for the next request: as many as places, and both ends are here
        assert _open_files() <= before + kept < before + REQUESTS
