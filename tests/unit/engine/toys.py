"""Backends, requests and detectors that do one thing each, for the tests of the core."""

import asyncio
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from guardrail import Detector, Finding, Verdict
from guardrail.engine.backend import Backend
from guardrail.engine.drivers import run_async, run_sync
from guardrail.engine.flow import Answer, Cost, Failed, Flow, Keep, Request, each, one, why
from guardrail.engine.hub import Hub
from guardrail.engine.jobs import Retry
from guardrail.engine.run import Run
from guardrail.requests import Ask, Completion, user

PATIENT = 30  # seconds after which a test that waits for an event has failed


@dataclass(frozen=True, slots=True)
class Look(Request[str]):
    """Free, and the same for ever."""

    lane: ClassVar[str] = "look"
    reply_type: ClassVar[Any] = str

    key: Any = 0
    size: int = 1
    kind: str = ""

    @property
    def free(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Buy(Request[str]):
    """Paid, and the same for ever."""

    lane: ClassVar[str] = "buy"
    reply_type: ClassVar[Any] = str

    key: Any = 0


@dataclass(frozen=True, slots=True)
class Roll(Request[str]):
    """Paid, and another each time."""

    lane: ClassVar[str] = "buy"
    reply_type: ClassVar[Any] = str

    key: Any = 0
    draw: int = 0

    @property
    def keep(self) -> Keep:
        return Keep.SAMPLED


def ask(text: str, draw: int = 0, **options: Any) -> Ask:
    """A chat question."""
    return Ask((user(text),), draw=draw, **options)


class Echo(Backend[Any]):
    """Answers through `reply`, and remembers what it was asked, batch by batch."""

    fingerprint = "echo"

    def __init__(self, reply=None, **options):
        self._reply = reply or (lambda request: Answer(f"re {getattr(request, 'key', '')}", price(request)))
        self.batches: list[list[Any]] = []
        self.threads: set[str] = set()
        self._lock = threading.Lock()
        self.concurrency = 4
        for name, value in options.items():
            setattr(self, name, value)

    def answer(self, requests: Sequence[Any]) -> Any:
        with self._lock:
            self.batches.append(list(requests))
            self.threads.add(threading.current_thread().name)
        return [self._reply(request) for request in requests]

    @property
    def asked(self) -> list[Any]:
        """All requests, in the order they came."""
        return [request for batch in self.batches for request in batch]

    def weight(self, request):
        return getattr(request, "size", 1)

    def group(self, request):
        return getattr(request, "kind", None)


class AsyncEcho(Echo):
    """The same on the caller's loop; it gives way once, as I/O does."""

    async def aanswer(self, requests: Sequence[Any]) -> Any:
        await asyncio.sleep(0)
        self.batches.append(list(requests))
        return [self._reply(request) for request in requests]


class Stuck(Echo):
    """Hangs until `let_go`; `hangs` says for which requests."""

    def __init__(self, hangs=lambda _: True, **options):
        super().__init__(**options)
        self.hangs = hangs
        self.let_go = threading.Event()
        self.reached = threading.Event()

    def answer(self, requests):
        replies = super().answer(requests)
        if any(map(self.hangs, requests)):
            self.reached.set()
            self.let_go.wait(PATIENT)
        return replies


class AsyncStuck(Stuck):
    """Hangs on the loop until it is cancelled."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.cancelled = 0

    async def aanswer(self, requests):
        self.batches.append(list(requests))
        if any(map(self.hangs, requests)):
            self.reached.set()
            try:
                await asyncio.sleep(PATIENT)
            except asyncio.CancelledError:
                self.cancelled += 1
                raise
        return [self._reply(request) for request in requests]


def price(request) -> Cost:
    """One call if it is paid for."""
    return Cost(calls=1) if not request.free else Cost()


def chat(reply="yes") -> Echo:
    """A chat model that is called in threads."""
    said = reply if callable(reply) else lambda _: reply
    return Echo(lambda request: Answer(Completion(said(request)), Cost(1, 10, 5)))


def hub(backend: Backend[Any], **options: Any) -> Hub:
    """One backend for every lane of the toys; repeated failures do not wait."""
    options.setdefault("retry", Retry(base=0))
    return Hub(dict.fromkeys(("look", "buy", "chat"), backend), **options)


def drive(pump: str, flow: Flow[Any], backends: Hub, **options: Any) -> Any:
    """Run a flow by the synchronous or the asynchronous pump."""
    handlers = options.pop("handlers", None)
    run = Run(flow, **options)
    if pump == "sync":
        return run_sync(run, backends, handlers=handlers)
    return asyncio.run(run_async(run, backends, handlers=handlers))


def wait_until(condition, seconds=PATIENT) -> bool:
    """Whether it came true in time."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.002)
    return True


class Asks(Detector):
    """Asks some questions; one finding, unverified if any of them failed."""

    name = "asks"

    def __init__(self, *requests, name="asks", deadline=None):
        self.requests = requests
        self.name = name
        self.deadline = deadline
        self.replies: list[Any] = []

    def cost(self, case):
        return {"buy": (0, len(self.requests))}

    def examine(self, case):
        self.replies = yield from each(self.requests)
        if any(isinstance(reply, Failed) for reply in self.replies):
            return [unverified(self.name, why(self.replies))]
        return [supported(self.name)]


class Raises(Detector):
    """Has a bug, before or after it has asked."""

    name = "raises"

    def __init__(self, *, after=None):
        self.after = after

    def cost(self, case):
        return {}

    def examine(self, case):
        if self.after is not None:
            yield from one(self.after)
        yield from ()
        raise ZeroDivisionError("a bug in the detector")


class Says(Detector):
    """Gives the findings that it is told to."""

    name = "says"

    def __init__(self, *findings, name="says"):
        self.findings = list(findings)
        self.name = name

    def cost(self, case):
        return {}

    def examine(self, case):
        yield from ()
        return self.findings


def supported(detector="says", **fields) -> Finding:
    return Finding(detector=detector, verdict=Verdict.SUPPORTED, **{"reason": "so it says", **fields})


def unsupported(detector="says", **fields) -> Finding:
    return Finding(detector=detector, verdict=Verdict.UNSUPPORTED, **{"reason": "so it says", **fields})


def unverified(detector="says", reason="why not", **fields) -> Finding:
    return Finding(detector=detector, verdict=Verdict.UNVERIFIED, reason=reason, **fields)
