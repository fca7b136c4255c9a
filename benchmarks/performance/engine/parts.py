"""Backends and detectors that do one thing each, made of public names only."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from guardrail import Case, Detector, Failed, Finding, Flow, Verdict
from guardrail.detector import option
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer, Branch, Calls, Cost, Reply, draws, each, gather, one, values, why
from guardrail.requests import Ask, Completion, Entail, Entailment, user

__all__ = [
    "AsyncChat",
    "Broken",
    "Chains",
    "Chat",
    "Entailer",
    "LockStep",
    "References",
    "SelfCheck",
    "StuckChat",
    "question",
]


def question(text: str, draw: int = 0) -> Ask:
    """A chat question."""
    return Ask((user(text),), draw=draw)


class Chat(Backend[Ask]):
    """A chat model that is called in threads; `seconds` of a request before the reply."""

    fingerprint = "toy chat"

    def __init__(
        self, seconds: Callable[[Ask], float] = lambda _: 0.0, *, concurrency: int = 8, instant: bool = False
    ) -> None:
        self.seconds = seconds
        self.concurrency = concurrency
        self.is_instant = instant
        self.asked: list[Ask] = []

    @property
    def instant(self) -> bool:  # type: ignore[override]  # of this instance
        """Called where it stands."""
        return self.is_instant

    def answer(self, requests: Sequence[Ask]) -> Sequence[Reply[Completion]]:
        """Echoes the question."""
        self.asked += requests
        if wait := max(map(self.seconds, requests)):
            time.sleep(wait)
        return [self.reply(request) for request in requests]

    def reply(self, request: Ask) -> Reply[Completion]:
        """At the price of one call."""
        return Answer(Completion(f"{request.messages[-1].text}, take {request.draw}"), Cost(1, 20, 5))


class AsyncChat(Chat):
    """The same on the caller's loop."""

    async def aanswer(self, requests: Sequence[Ask]) -> Sequence[Reply[Completion]]:
        """Echoes the question."""
        self.asked += requests
        await asyncio.sleep(max(map(self.seconds, requests)))
        return [self.reply(request) for request in requests]


class StuckChat(Chat):
    """Hangs on every question that holds "hang", until the event is set."""

    def __init__(self, *, concurrency: int = 8, timeout: float | None = None) -> None:
        super().__init__(concurrency=concurrency)
        self.timeout = timeout
        self.reached = threading.Event()
        self.let_go = threading.Event()

    def answer(self, requests: Sequence[Ask]) -> Sequence[Reply[Completion]]:
        """After it was let go, if at all."""
        replies = super().answer(requests)
        if any("hang" in request.messages[-1].text for request in requests):
            self.reached.set()
            self.let_go.wait(30)
        return replies


class Entailer(Backend[Entail]):
    """A local entailment model: one batch at a time, each of some milliseconds."""

    fingerprint = "toy entailment"
    batch = 32
    concurrency = 1

    def __init__(self, seconds: float = 0.002) -> None:
        self.seconds = seconds
        self.sizes: list[int] = []

    def answer(self, requests: Sequence[Entail]) -> Sequence[Reply[Entailment]]:
        """Entailed if it stands in the premise."""
        self.sizes.append(len(requests))
        time.sleep(self.seconds)
        return [Answer(Entailment(float(request.hypothesis in request.premise), 0.0)) for request in requests]


class _Parts(Detector):
    """What the detectors here have in common."""

    name: ClassVar[str] = "parts"

    def cost(self, case: Case) -> Calls:
        """Nobody asks."""
        del case
        return {}

    def judged(self, replies: Sequence[Reply[Any]], text: str = "") -> Finding:
        """Supported if all is answered."""
        if len(values(replies)) == len(replies):
            return Finding(detector=self.name, text=text, score=0.0, verdict=Verdict.SUPPORTED)
        return Finding(detector=self.name, text=text, verdict=Verdict.UNVERIFIED, reason=why(replies))


class SelfCheck(_Parts):
    """Samples, then one entailment pair for each sentence and sample."""

    name: ClassVar[str] = "selfcheck"

    samples: int = option(default=4, help="how many are drawn")

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """One finding for each sentence."""
        replies = yield from each(draws(question(case.question), self.samples))
        texts = [completion.text for completion in values(replies)]
        return list((yield from gather(self._score(s, texts) for s in case.answer.split(". "))))  # type: ignore[arg-type]

    def _score(self, sentence: str, texts: Sequence[str]) -> Flow[Finding]:
        pairs = yield from each([Entail(text, sentence) for text in texts])
        return self.judged(pairs, sentence)


class References(_Parts):
    """Eight references of ten calls each, one after another; with a reservation or without."""

    name: ClassVar[str] = "references"

    reserve: bool = option(help="whether each has its calls set aside before it starts")
    references: int = option(default=8, help="how many there are")
    calls: int = option(default=10, help="questions about each")

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """One finding for each reference."""
        del case
        reserved = {"chat:subject": (self.calls, self.calls)} if self.reserve else None
        results = yield from gather(Branch(self._check(i), calls=reserved) for i in range(self.references))
        return [self.judged([r], str(i)) if isinstance(r, Failed) else r for i, r in enumerate(results)]

    def _check(self, i: int) -> Flow[Finding]:
        replies: list[Reply[Completion]] = []
        for k in range(self.calls):
            replies.append((yield from one(question(f"reference {i}, question {k}"))))  # noqa: PERF401  # in turn
        return self.judged(replies, str(i))


class Chains(_Parts):
    """Chains of questions, each at its own speed."""

    name: ClassVar[str] = "chains"

    chains: int = option(help="how many run beside each other")
    steps: int = option(help="questions of each")

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """One finding for each chain."""
        del case
        results = yield from gather(self._chain(i) for i in range(self.chains))
        return [self.judged([r]) if isinstance(r, Failed) else r for r in results]

    def _chain(self, i: int) -> Flow[Finding]:
        replies: list[Reply[Completion]] = []
        for k in range(self.steps):
            replies.append((yield from one(question(f"{i} {k}"))))  # noqa: PERF401  # in turn
        return self.judged(replies)


class LockStep(Chains):
    """The same questions, all chains waiting for the slowest of each round."""

    name: ClassVar[str] = "lock-step"

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """One finding for each chain."""
        del case
        rounds = []
        for k in range(self.steps):
            rounds.append((yield from each([question(f"{i} {k}") for i in range(self.chains)])))  # noqa: PERF401
        return [self.judged(replies) for replies in zip(*rounds, strict=True)]


class Broken(_Parts):
    """Has a bug."""

    name: ClassVar[str] = "broken"

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """Raises after its first question."""
        yield from one(question(case.question))
        raise ZeroDivisionError("a bug in a detector")
