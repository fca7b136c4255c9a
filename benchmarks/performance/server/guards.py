"""Our server with guards that do something: requests a second, and delay."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks._rows import Row
from benchmarks._table import Run
from benchmarks.performance.server import targets
from benchmarks.performance.server.guarded import AUTHOR, TITLES
from benchmarks.performance.server.load import Connection, Reply, closed_loop, percentile, request
from guardrail.testing.server import serve

__all__ = ["rows"]

CLIENTS = 8
_RHINE = (
    "The Rhine rises in Switzerland and flows north for 1,230 kilometres. It passes Basel, Cologne and Rotterdam. "
    "It ends in the North Sea. About fifty million people live in its basin, and ships use it from Basel on."
)
_ELBE = (
    "The Elbe rises in the Giant Mountains of Czechia and is 1,094 kilometres long. It passes Dresden, Magdeburg "
    "and Hamburg. Its estuary is open to the tides as far as the weir of Geesthacht."
)


@dataclass(frozen=True)
class _Kind:
    """A guard, a request to it, and how its reply shows that the answer was examined.

    Attributes:
        name: of the guard.
        what: for rows.
        path: of the request.
        body: of the request, by its number.
        examined: whether the reply shows an examination.
    """

    name: str
    what: str
    path: str
    body: Callable[[int], dict[str, object]]
    examined: Callable[[Reply], bool]


def _chat(content: str) -> dict[str, object]:
    return {"model": "m", "messages": [{"role": "user", "content": content}]}


def _references(number: int) -> str:
    """Two works that the bibliography has, and one that it has not."""
    known = [TITLES[(number * 7 + i * 31) % len(TITLES)] for i in range(2)]
    made_up = f"Imaginary teapots of the {number}th kind: an atlas of nowhere"
    return "\n".join(
        ["Three works on this:", ""]
        + [f"{i + 1}. **{title}** – {AUTHOR} (1999)" for i, title in enumerate([*known, made_up])]
    )


def _verdict(reply: Reply) -> str:
    return str((json.loads(reply.body).get("guardrail") or {}).get("verdict"))


KINDS = (
    _Kind(
        "look-up",
        "look-up of three references among 9,984 works",
        "/v1/chat/completions",
        lambda number: _chat(_references(number)),
        lambda reply: _verdict(reply) == "unsupported" and b"teapots" not in reply.body,
    ),
    _Kind(
        "n-gram",
        "n-gram on three samples, each asked of the stub",
        "/v1/chat/completions",
        lambda number: _chat(f"Number {number} is even. Rivers flow downhill. Most of them end in a sea."),
        lambda reply: _verdict(reply) in {"supported", "unsupported"},
    ),
    _Kind(
        "entailment",
        "entailment of three sentences by two documents (/v1/guardrail/check)",
        "/v1/guardrail/check",
        lambda number: {
            "answer": f"The Rhine passes Basel. The Elbe is {1000 + number} kilometres long. It passes Hamburg.",
            "context": [_RHINE, _ELBE],
        },
        lambda reply: json.loads(reply.body)["verdict"] in {"supported", "unsupported"},
    ),
)


def rows(run: Run) -> list[Row]:
    """Every row of this part."""
    found = []
    for kind in KINDS:
        run.say(f"guards: {kind.name}")
        with (
            serve(own_process=True) as stub,
            targets.guarded(stub.base_url, kind.name, concurrency=4 * CLIENTS) as target,
        ):
            found += _measured(kind, target, 40 if run.fast else 400)
    return found


def _measured(kind: _Kind, target: targets.Target, count: int) -> list[Row]:
    unexamined = 0

    async def ask(connection: Connection, number: int) -> None:
        nonlocal unexamined
        reply = await connection.ask(request(target.url, kind.path, kind.body(number)))
        unexamined += not (reply.whole and reply.status == 200 and kind.examined(reply))

    asyncio.run(closed_loop(target.url, range(count, count + CLIENTS), CLIENTS, ask))  # loads what is lazy
    before, began = target.seconds(), time.perf_counter()
    taken = asyncio.run(closed_loop(target.url, range(count), CLIENTS, ask))
    seconds, spent = time.perf_counter() - began, target.seconds() - before
    name = kind.name
    return [
        Row.shown(f"{name}: {kind.what}, {CLIENTS} clients", count / seconds, unit="requests/s", digits=1),
        Row.shown(f"{name}: p50", 1000 * percentile(taken, 0.5), unit="ms", digits=1),
        Row.shown(f"{name}: p99", 1000 * percentile(taken, 0.99), unit="ms", digits=1),
        Row.shown(f"{name}: processor time a request", 1000 * spent / count, unit="ms", digits=1),
        Row.equal(f"{name}: answers that were not examined as they should be", unexamined, 0),
    ]
