"""The core under stress: what it promises under load, faults and interruption, each counted in one run.

Nothing here needs a model, data or a network: backends and detectors do one thing each (`parts.py`). Times are
shown, and judged only as ratios within one run.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks._table import Row, Run, bench
from benchmarks.performance.engine.parts import (
    AsyncChat,
    Broken,
    Chains,
    Chat,
    Entailer,
    LockStep,
    References,
    SelfCheck,
    StuckChat,
    question,
)
from guardrail import Cache, Case, Guard, Report, Verdict
from guardrail.chat import RecordedChat
from guardrail.engine.drivers import run_async, run_sync
from guardrail.engine.flow import Flow, each, one
from guardrail.engine.run import Run as Scheduled
from guardrail.requests import Ask

__all__ = ["compute", "main"]

HERE = Path(__file__).resolve().parent
CASE = Case.of(
    "One is said. Two is said. Three is said. Four is said. Five is said. Six is said. Seven is. Eight",
    prompt="What is said?",
)
SLOW_SHARE, QUICK, SLOW = 0.03, 0.02, 0.4
SEED = 11


def compute(run: Run) -> list[Row]:
    """Every row."""
    run.parameters["seed"] = SEED
    return [
        *sharing(),
        *inside_a_loop(),
        *cancelled(),
        *bug(),
        *hang(),
        *budget(),
        *replay(),
        *processes(),
        *branches(),
        *overhead(rounds=3 if run.fast else 7),
    ]


# -- many callers


def sharing() -> list[Row]:
    """Fifty callers on one loop, each with eight sentences and four samples of its own."""
    entailer = Entailer()
    guard = Guard([SelfCheck(samples=4)], chat=AsyncChat(), backends={"entailment": entailer})

    async def main() -> list[Report]:
        cases = [Case.of(CASE.answer, prompt=f"Caller {i}: what is said?") for i in range(50)]
        return await asyncio.gather(*(guard.acheck(case) for case in cases))

    reports = asyncio.run(main())
    pairs = sum(entailer.sizes)
    fewest = -(-pairs // entailer.batch)
    sizes = ", ".join(f"{n}×{entailer.sizes.count(n)}" for n in sorted(set(entailer.sizes), reverse=True))
    return [
        Row.equal("50 callers: findings", sum(len(report.findings) for report in reports), 400),
        Row.equal("50 callers: pairs scored", pairs, 1600),
        Row.shown("50 callers: sizes of the batches", sizes),
        Row.at_most("50 callers: batches / fewest possible", len(entailer.sizes) / fewest, 1.2, digits=2),
        Row.equal("50 callers: left in a queue", guard.hub.queued(), 0),
    ]


def inside_a_loop() -> list[Row]:
    """A notebook's cell: `check`, though a loop is running."""
    guard = Guard([Chains(chains=20, steps=3)], chat=AsyncChat())

    async def cell() -> Report:
        return guard.check(CASE)

    report = asyncio.run(cell())
    return [Row.equal("sync in a loop: calls answered, of 60", int(report.cost.total.calls), 60)]


def cancelled() -> list[Row]:
    """Fifty callers of six calls each, through a model that takes four at a time; half of them go."""
    chat = AsyncChat(lambda _: 0.002, concurrency=4)
    guard = Guard([SelfCheck(samples=6)], chat=chat, backends={"entailment": Entailer()})

    async def main() -> list[Any]:
        cases = [Case.of("One", prompt=f"Caller {i}") for i in range(50)]
        tasks = [asyncio.create_task(guard.acheck(case)) for case in cases]
        await asyncio.sleep(0.01)
        for task in tasks[::2]:
            task.cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    results = asyncio.run(main())
    whole = [r for r in results if isinstance(r, Report) and r.verdict is Verdict.SUPPORTED]
    gone = {f"Caller {i}" for i in range(0, 50, 2)}
    return [
        Row.equal("cancel 25 of 50: finished whole", len(whole), 25),
        Row.equal("cancel 25 of 50: left in a queue", guard.hub.queued(), 0),
        Row.shown(
            "cancel 25 of 50: calls made for those who left, of 150",
            sum(ask.messages[-1].text in gone for ask in chat.asked),
        ),
        Row.equal(
            "cancel 25 of 50: calls made and not booked", len(chat.asked) - int(guard.hub.spent.calls), 0
        ),
    ]


# -- faults


def bug() -> list[Row]:
    """A detector that raises, beside one that does not."""
    report = Guard([Broken(), Chains(chains=5, steps=2)], chat=Chat()).check(CASE)
    return [
        Row.equal("bug: findings of the other detector", len(report.findings), 5),
        Row.equal(
            "bug: failures, with traceback", sum("in examine" in f.traceback for f in report.failures), 1
        ),
        Row.equal("bug: the answer is kept", report.answer == CASE.answer, expected=True),
    ]


def hang() -> list[Row]:
    """One call of ten never returns: the lane's limit, and a deadline where the backend has none."""
    rows = []
    for what, timeout, deadline in (
        ("limit of the backend", 0.1, None),
        ("deadline of the guard", None, 0.1),
    ):
        chat = StuckChat(concurrency=2, timeout=timeout)
        guard = Guard([_Questions([f"q {i}" for i in range(9)] + ["hang"])], chat=chat, deadline=deadline)
        started = time.perf_counter()
        report = asyncio.run(guard.acheck(CASE))
        seconds = time.perf_counter() - started
        chat.let_go.set()
        answered = sum(f.verdict is Verdict.SUPPORTED for f in report.findings)
        rows += [
            Row.equal(f"hang: answered of 10, {what} .1 s", answered, 9),
            Row.shown(f"hang: asyncio.run returned after, {what} .1 s", seconds, unit="s"),
        ]
    return rows


class _Questions(Chains):
    """One finding for each of some questions."""

    name = "questions"

    def __init__(self, texts: Sequence[str]) -> None:
        super().__init__(chains=len(texts), steps=1)
        self.texts = texts

    def _chain(self, i: int) -> Flow[Any]:
        return self.judged([(yield from one(question(self.texts[i])))])


def budget() -> list[Row]:
    """Thirty calls for eight references of ten questions each."""
    rows = []
    for way, reserve, expected in (("with reservations", True, 3), ("breadth-first", False, 0)):
        chat = Chat()
        report = Guard([References(reserve=reserve)], chat=chat, budget=30).check(CASE)
        done = len(report.with_verdict(Verdict.SUPPORTED))
        rows += [
            Row.equal(f"budget: references finished of 8, {way}", done, expected),
            Row.equal(f"budget: calls, {way}", len(chat.asked), 30),
        ]
    return rows


# -- again, for nothing


def replay() -> list[Row]:
    """A recording and a lasting memory: the same report without the model."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "recording.jsonl"
        first = Guard(
            [SelfCheck(samples=4)], chat=RecordedChat(record, record_from=Chat()), backends=_entailment()
        ).check(CASE)
        again = Guard([SelfCheck(samples=4)], chat=RecordedChat(record), backends=_entailment()).check(CASE)
        rows += [
            Row.equal("replay: calls recorded", int(first.cost.total.calls), 4),
            Row.equal("replay: findings and decision are the same", _same(first, again), expected=True),
            Row.equal("replay: calls of the second run", int(again.cost.total.calls), 0),
        ]
        memory, chat = Path(folder) / "cache.sqlite", Chat()
        for name, calls in (("first", 4), ("second", 0)):
            guard = Guard(
                [SelfCheck(samples=4)], chat=chat, backends=_entailment(), cache=Cache(memory, samples=True)
            )
            report = guard.check(CASE)
            rows.append(Row.equal(f"cache: calls of the {name} run", int(report.cost.total.calls), calls))
            rows.append(
                Row.equal(
                    f"cache: findings of the {name} run are the recorded ones",
                    report.findings == first.findings,
                    expected=True,
                )
            )
        rows.append(Row.equal("cache: calls that the model saw", len(chat.asked), 4))
    return rows


def _entailment() -> dict[str, Any]:
    return {"entailment": Entailer(0)}


def _same(a: Report, b: Report) -> bool:
    return (a.findings, a.decision) == (b.findings, b.decision)


# -- processes


def processes() -> list[Row]:
    """A fork in the middle of a check, and Ctrl-C."""
    if not hasattr(os, "fork"):
        return [
            Row.missing("fork: the child's check is good", "this system has no fork"),
            Row.missing("Ctrl-C: paid calls after it", "this system has no POSIX signals"),
        ]
    forked, interrupted = _child("fork"), _child("interrupt")
    return [
        Row.equal("fork: the child's check is good", forked["child"], expected=True),
        Row.equal("fork: the parent's next check is good", forked["parent"], expected=True),
        Row.equal("fork: calls of the parent's next check, of 18 (15 remembered)", int(forked["calls"]), 3),
        Row.shown("fork: the child took", forked["seconds"], unit="s"),
        Row.equal("Ctrl-C: calls under way", interrupted["before"], 2),
        Row.equal("Ctrl-C: paid calls after it, of 98", interrupted["after"], 0),
        Row.equal("Ctrl-C: left in a queue", interrupted["queued"], 0),
    ]


def _child(what: str) -> dict[str, Any]:
    done = subprocess.run(  # noqa: S603  # our own module
        [sys.executable, "-m", "benchmarks.performance.engine.child", what],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        cwd=HERE.parents[2],
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


# -- speed


def branches() -> list[Row]:
    """Thirty chains of four calls, three of a hundred calls slowed: each chain by itself, or all in step."""
    dice = random.Random(SEED)
    slowed = {f"{i} {k}" for i in range(30) for k in range(4) if dice.random() < SLOW_SHARE}

    def seconds(ask: Ask) -> float:
        return SLOW if ask.messages[-1].text in slowed else QUICK

    took = {}
    for detector in (LockStep(chains=30, steps=4), Chains(chains=30, steps=4)):
        guard = Guard([detector], chat=AsyncChat(seconds, concurrency=64))
        started = time.perf_counter()
        asyncio.run(guard.acheck(CASE))
        took[detector.name] = time.perf_counter() - started
    rounds = len({text.split()[1] for text in slowed})
    return [
        Row.shown("branches: calls slowed, of 120", len(slowed)),
        Row.shown("branches: rounds with a slow call, of 4", rounds),
        Row.shown("branches: lock-step", took["lock-step"], unit="s"),
        Row.shown("branches: each chain at its own speed", took["chains"], unit="s"),
        Row.at_least("branches: lock-step / own speed", took["lock-step"] / took["chains"], 1.3, digits=2),
    ]


def overhead(rounds: int) -> list[Row]:
    """Processor time per request of backends that answer at once: the best of some rounds."""
    count = 1_000
    asks = [question(str(i)) for i in range(count)]
    plain = Guard([]).check
    ways: dict[str, tuple[Callable[[], Any], int]] = {
        "instant, together": (lambda: _sync(each(asks), Chat(instant=True)), count),
        "instant, one by one": (lambda: _sync(_in_turn(asks), Chat(instant=True)), count),
        "thread lane, together": (lambda: _sync(each(asks), Chat()), count),
        "thread lane, one by one": (lambda: _sync(_in_turn(asks), Chat()), count),
        "thread lane from a loop, together": (lambda: _async(each(asks), Chat()), count),
        "loop lane, together": (lambda: _async(each(asks), AsyncChat()), count),
        "loop lane, one by one": (lambda: _async(_in_turn(asks), AsyncChat()), count),
        "empty guard call": (lambda: [plain(CASE) for _ in range(200)], 200),
    }
    rows = []
    for name, (work, times) in ways.items():
        rows.append(Row.shown(f"overhead: {name}", _best(work, rounds) / times * 1e6, unit="µs", digits=1))
    with tempfile.TemporaryDirectory() as folder:
        memory = Cache(Path(folder) / "cache.sqlite", samples=True)
        for name in ("written", "read"):
            started = time.process_time()
            run_sync(Scheduled(each(asks)), Guard([], chat=Chat(), cache=memory).hub)
            spent = (time.process_time() - started) / count * 1e6
            rows.append(Row.shown(f"overhead: lasting memory, {name}", spent, unit="µs", digits=1))
    return rows


def _in_turn(asks: Sequence[Ask]) -> Flow[None]:
    for ask in asks:
        yield from one(ask)


def _sync(flow: Flow[Any], chat: Chat) -> None:
    run_sync(Scheduled(flow), Guard([], chat=chat).hub)


def _async(flow: Flow[Any], chat: Chat) -> None:
    asyncio.run(run_async(Scheduled(flow), Guard([], chat=chat).hub))


def _best(work: Callable[[], Any], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    return bench("performance.engine", compute, argv, folder=HERE, doc=__doc__ or "")
