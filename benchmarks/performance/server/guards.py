"""Our server with guards that do something: requests a second, delay, and when a stream shows its first sentence."""

from __future__ import annotations

import asyncio
import json
import re
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
_PACE = 0.02  # seconds a word
_SENTENCES = 8
_EIGHT = " ".join(
    f"It passes the town of {town} on its way."
    for town in ("Aldham", "Borley", "Catton", "Denby", "Elston", "Fenby", "Garton")
)
_DELTA = re.compile(rb'"content": ?"([^"]*)"')
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
    return [*found, *_first_sentence(run, 8 if run.fast else 40)]


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


def _first_sentence(run: Run, count: int) -> list[Row]:
    """When a client has the first sentence of a streamed answer, and its last: entailment by three samples, 8 sentences word by word."""
    run.say("guards: first sentence")
    found = []
    with serve(own_process=True, pace=_PACE) as stub:
        found += _arrivals("upstream by itself", targets.stub(stub.base_url), count)
        for mode, what in (("sentence", "by sentence"), ("buffer", "after the verdict")):
            with targets.guarded(stub.base_url, "samples", stream=mode, concurrency=4 * CLIENTS) as target:
                found += _arrivals(what, target, count)
    return found


def _arrivals(what: str, target: targets.Target, count: int) -> list[Row]:
    firsts, wholes, short = list[float](), list[float](), 0

    async def ask(connection: Connection, number: int) -> None:
        nonlocal short
        text, first, began = bytearray(), list[float](), time.perf_counter()

        def heard(piece: bytes) -> None:
            text.extend(b"".join(_DELTA.findall(piece)))
            if not first and b"." in text:
                first.append(time.perf_counter() - began)

        body = {**_chat(f"River {number} flows north. " + _EIGHT), "stream": True}
        await connection.send(request(target.url, "/v1/chat/completions", body))
        reply = await connection.read(heard=heard)
        short += not (reply.whole and text.count(b".") >= _SENTENCES and first)
        firsts.extend(first)
        wholes.append(time.perf_counter() - began)

    asyncio.run(closed_loop(target.url, range(count), CLIENTS, ask))
    name = f"stream, {what}"
    return [
        Row.shown(f"{name}: first sentence, p50", 1000 * percentile(firsts, 0.5), unit="ms", digits=0),
        Row.shown(f"{name}: last sentence, p50", 1000 * percentile(wholes, 0.5), unit="ms", digits=0),
        Row.equal(f"{name}: answers that were not whole", short, 0),
    ]
