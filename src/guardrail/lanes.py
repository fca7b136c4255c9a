"""Lanes: a queue in front of every backend, shared by all guard calls.

A lane joins equal requests in flight, batches what is queued, bounds concurrency, retries, and remembers in the
lasting store. There are two kinds. A `ThreadLane` calls `answer` in daemon threads of its own and serves every
pump, on any loop or none. A `LoopLane` calls `aanswer` on one event loop and belongs to it: work in flight
cannot be shared between loops, because it would hang when one of them closes.

Whatever a backend does (raises, hangs, answers too little or nonsense) becomes a `Failed` for those who wait.
"""

from __future__ import annotations

import asyncio
import math
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Generic, Protocol, TypeAlias, TypeVar, cast

import tenacity

from guardrail._log import log
from guardrail._options import number
from guardrail._watchdog import Alarm, Watchdog
from guardrail.backends import AsyncBackend, Backend
from guardrail.errors import BackendError, ConfigError
from guardrail.flow import Answer, Cost, Failed, Keep, Reason, Reply, Request, describe

__all__ = ["Hub", "Job", "Lane", "Listener", "LoopLane", "Retry", "Store", "ThreadLane", "checked", "failure"]

Listener: TypeAlias = Callable[[Request[Any], Reply[Any]], None]
Told: TypeAlias = tuple[Listener, Request[Any], Reply[Any]]
B = TypeVar("B", bound=Backend[Any])

_FREE = Cost()
_WINDOW = 16  # batches' worth of queued jobs among which those of like weight are looked for
_IDLE_SECONDS = 5.0  # after which a thread without work ends
_STINT = 64  # batches that a task of a loop lane takes before it gives way


class Store(Protocol):
    """Replies remembered beyond one guard call, by request and fingerprint of the backend."""

    @property
    def samples(self) -> bool:
        """Whether random draws are shared between guard calls."""
        ...

    def get(self, request: Request[Any], fingerprint: str) -> Answer[Any] | None:
        """The remembered reply, at no cost."""
        ...

    def put(self, request: Request[Any], fingerprint: str, answer: Answer[Any]) -> None:
        """Remember; committed when this returns."""
        ...


@dataclass(frozen=True, slots=True)
class Retry:
    """How failures that may pass are asked again.

    A call that used up its backend's `timeout` is not repeated: it has had its time.

    Attributes:
        attempts: how often a request is sent at most, the first time included.
        base: seconds; the wait before the n-th repetition is random in [0, base · 2ⁿ⁻¹], unless the service
            named a time.
        longest: bound on one wait; a service that asks for more is not waited for.
    """

    attempts: int = 5
    base: float = 0.5
    longest: float = 30.0

    def __post_init__(self) -> None:
        number("attempts", self.attempts, least=1, whole=True)
        number("base", self.base, least=0)
        number("longest", self.longest, least=0)


def failure(error: BaseException) -> Failed:
    """An exception that left a backend, as a value."""
    if isinstance(error, BackendError):
        return Failed(
            Reason.BACKEND, str(error), retryable=error.retryable, retry_after=error.retry_after, error=error
        )
    if isinstance(error, TimeoutError):
        return Failed(Reason.TIMEOUT, str(error) or "no reply in time", retryable=True, error=error)
    return Failed(Reason.BACKEND, describe(error), error=error)


def checked(replies: Any, count: int) -> list[Reply[Any]]:
    """The replies of a backend, if they are as many as were asked for and of the right kind."""
    found = list(replies)
    if len(found) != count:
        raise ValueError(f"the backend answered {count} requests with {len(found)} replies")
    for reply in found:
        if not isinstance(reply, Answer | Failed):
            raise TypeError(f"the backend gave {reply!r}, expected an Answer or a Failed")
        if reply.cost is not _FREE and not _billable(reply.cost):
            raise TypeError(
                f"the backend gave the cost {reply.cost!r}, expected a Cost, finite and not negative"
            )
    return found


def _billable(cost: Any) -> bool:
    if not isinstance(cost, Cost):
        return False
    parts: list[Any] = [cost.calls, cost.prompt_tokens, cost.completion_tokens, cost.seconds]
    return all(isinstance(part, int | float) and math.isfinite(part) and part >= 0 for part in parts)


@dataclass(slots=True, eq=False)
class Job:
    """One request in a lane and everyone who waits for it; the first of them pays."""

    request: Request[Any]
    shared: bool
    listeners: list[Listener]
    weight: int = 1
    group: Hashable = None
    batch: _Batch | None = None
    sent: int = 0
    spent: Cost = _FREE
    last: Failed | None = None
    told: Cost = _FREE  # booked already by one who does not wait any more
    late: Listener | None = None  # and who is told what it came to in the end

    def call(self) -> Cost:
        """What sending it once costs at least."""
        return Cost(calls=1) if self.request.paid else _FREE


@dataclass(slots=True, eq=False)
class _Batch:
    """Jobs that a worker took together; `again` are those still without a final reply."""

    jobs: list[Job]
    again: list[Job] = field(default_factory=list)
    attempt: int = 0
    calling: bool = False
    lost: bool = False  # hung: its thread is written off
    dropped: threading.Event | None = None  # set where nobody waits any more for what is to be repeated
    task: asyncio.Task[None] | None = None

    @property
    def unwanted(self) -> bool:
        return not any(job.listeners for job in self.again or self.jobs)

    def asked_to_wait(self) -> float | None:
        waits = [j.last.retry_after for j in self.again if j.last and j.last.retry_after is not None]
        return max(0.0, *waits) if waits else None

    def nap(self, seconds: float) -> None:
        if self.dropped is not None:
            self.dropped.wait(seconds)


class Lane(Generic[B]):
    """What both kinds of lane share: the queue, joining, batching, and settling of jobs."""

    def __init__(self, backend: B, hub: Hub) -> None:
        self.backend = backend
        self._hub = hub
        self._queue: deque[Job] = deque()
        self._shared: dict[Request[Any], Job] = {}
        self._open: set[Job] = set()

    @property
    def open(self) -> int:
        """Jobs that somebody waits for."""
        return len(self._open)

    def submit(self, request: Request[Any], listener: Listener) -> Job:
        """Join a request in flight or queue it; `start` sets the workers going.

        Random draws of two guard calls are two draws, unless the store shares them.
        """
        keep = request.keep
        shared = keep is Keep.ALWAYS or (keep is Keep.SAMPLED and self._hub.shares_samples)
        if shared and (known := self._shared.get(request)) is not None:
            known.listeners.append(listener)
            return known
        job = Job(request, shared, [listener])
        if self.backend.batch > 1:
            job.weight, job.group = self.backend.weight(request), self.backend.group(request)
        if shared:
            self._shared[request] = job
        self._open.add(job)
        self._queue.append(job)
        return job

    def start(self) -> None:
        """Have free workers take what is queued."""
        raise NotImplementedError

    def withdraw(self, job: Job, listener: Listener) -> Cost:
        """Nobody waits for this any more; what it has cost already."""
        raise NotImplementedError

    def _forget(self, job: Job, listener: Listener) -> tuple[Cost, _Batch | None]:
        """Remove a listener; the cost so far, and the batch to stop if nobody wants it any more."""
        if listener not in job.listeners:
            return _FREE, None
        job.listeners.remove(listener)
        if job.listeners:
            return _FREE, None
        self._leave(job)
        batch = job.batch
        if batch is None:  # still queued: passed over when its turn comes
            return _FREE, None
        if job in batch.again:  # between two attempts: it is left out of the next
            job.told, job.batch = job.spent, None
        else:
            job.told, job.late = job.spent + job.call(), listener
        self._hub.spend(job.told)
        return job.told, batch if batch.unwanted else None

    def _leave(self, job: Job) -> None:
        self._open.discard(job)
        if job.shared and self._shared.get(job.request) is job:
            del self._shared[job.request]

    def _take(self) -> _Batch | None:
        """The oldest job and those that may share its batch, of like weight first."""
        while self._queue:
            first = self._queue.popleft()
            if first.listeners:
                break
        else:
            return None
        jobs = [first]
        if self.backend.batch > 1 and self._queue:
            jobs += self._companions(first)
        batch = _Batch(jobs)
        for job in jobs:
            job.batch = batch
        return batch

    def _companions(self, first: Job) -> list[Job]:
        """Jobs of the same group, as near in weight as there are, within the batch's bounds."""
        window = [job for job in islice(self._queue, _WINDOW * self.backend.batch) if job.listeners]
        rest = [job for job in window if job.group == first.group]
        rest.sort(key=lambda job: abs(job.weight - first.weight))
        heaviest, capacity, chosen = first.weight, self.backend.capacity, list[Job]()
        for job in rest[: self.backend.batch - 1]:
            heaviest = max(heaviest, job.weight)
            if capacity is not None and heaviest * (len(chosen) + 2) > capacity:
                break
            chosen.append(job)
        taken = set(chosen)
        passed = [self._queue.popleft() for _ in range(min(len(self._queue), _WINDOW * self.backend.batch))]
        self._queue.extendleft(job for job in reversed(passed) if job.listeners and job not in taken)
        return chosen

    def _sort(self, jobs: Sequence[Job], replies: Sequence[Reply[Any]]) -> list[tuple[Job, Reply[Any]]]:
        """Which replies are final; jobs to be asked again keep their failure in `last`."""
        final: list[tuple[Job, Reply[Any]]] = []
        for job, reply in zip(jobs, replies, strict=True):
            job.sent += 1
            if reply.cost is not _FREE:
                job.spent = reply.cost if job.spent is _FREE else job.spent + reply.cost
            if isinstance(reply, Failed):
                job.last = reply
                if self._may_repeat(job, reply):
                    continue
                detail = reply.detail if job.sent == 1 else f"{reply.detail} (asked {job.sent} times)"
                reply = replace(reply, detail=detail, cost=job.spent)  # noqa: PLW2901  # its final form
            elif job.sent > 1:
                reply = Answer(reply.value, job.spent)  # noqa: PLW2901
            final.append((job, reply))
        return final

    def _may_repeat(self, job: Job, failed: Failed) -> bool:
        retry = self._hub.retry
        patient = failed.retry_after is None or failed.retry_after <= retry.longest
        return failed.retryable and patient and job.sent < retry.attempts and bool(job.listeners)

    def _conclude(self, final: Iterable[tuple[Job, Reply[Any]]]) -> list[Told]:
        """Take jobs out of the lane; who must be told what. A joined reply costs nothing."""
        told: list[Told] = []
        spent = _FREE
        for job, reply in final:
            self._leave(job)
            job.batch = None
            listeners, job.listeners = job.listeners, []
            cost = reply.cost if job.told is _FREE else _rest(reply.cost, job.told)
            if listeners:
                told.append((listeners[0], job.request, reply))
                if len(listeners) > 1:
                    free = replace(reply, cost=_FREE)
                    told += [(listener, job.request, free) for listener in listeners[1:]]
            elif job.late is not None:
                told.append((job.late, job.request, replace(reply, cost=cost)))
            if cost is not _FREE:
                spent = cost if spent is _FREE else spent + cost
        self._hub.spend(spent)
        return told

    def _failures(self, jobs: Sequence[Job], error: BaseException) -> list[Reply[Any]]:
        """One failure for all of a batch; an exception hides what was spent, so one call is counted."""
        failed = failure(error)
        return [replace(failed, cost=job.call()) for job in jobs]

    def _overtime(self, jobs: Sequence[Job], error: BaseException | None = None) -> list[Reply[Any]]:
        detail = f"no reply in {self.backend.timeout:g} s"
        return [
            Failed(Reason.TIMEOUT, detail, retryable=True, cost=job.spent + job.call(), error=error)
            for job in jobs
        ]

    def _pause(self, batch: _Batch) -> Callable[[tenacity.RetryCallState], float]:
        """How long to wait before the next attempt."""
        backoff = tenacity.wait_random_exponential(
            multiplier=self._hub.retry.base, max=self._hub.retry.longest
        )

        def wait(state: tenacity.RetryCallState) -> float:
            asked = batch.asked_to_wait()
            return backoff(state) if asked is None else asked

        return wait


class LoopLane(Lane[AsyncBackend[Any]]):
    """A lane on one event loop, for backends with an asynchronous form."""

    def __init__(self, backend: AsyncBackend[Any], hub: Hub) -> None:
        super().__init__(backend, hub)
        self._tasks: set[asyncio.Task[None]] = set()
        self._fresh: set[asyncio.Task[None]] = set()  # those that have not taken anything yet

    def start(self) -> None:
        """Begin as many batches as may run at once."""
        wanted = -(-len(self._queue) // max(1, self.backend.batch)) - len(self._fresh)
        for _ in range(min(wanted, self.backend.concurrency - len(self._tasks))):
            task = asyncio.get_running_loop().create_task(self._worker())
            self._tasks.add(task)
            self._fresh.add(task)
            task.add_done_callback(self._finished)

    def withdraw(self, job: Job, listener: Listener) -> Cost:
        """Nobody waits for this any more; what it has cost already. A call under way is cancelled."""
        cost, batch = self._forget(job, listener)
        if batch is not None and batch.task is not None and not batch.task.get_loop().is_closed():
            batch.task.cancel()
        return cost

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._fresh.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("lane_broke", error=repr(error))
        if self._queue and not task.get_loop().is_closed():
            self.start()

    async def _worker(self) -> None:
        task = cast("asyncio.Task[None]", asyncio.current_task())
        self._fresh.discard(task)
        for _ in range(_STINT):
            batch = self._take()
            if batch is None:
                return
            batch.task = task
            try:
                await self._attempt(batch, batch.jobs)
                if batch.again:
                    await self._repeat(batch)
            finally:  # cancelled by somebody else (a closing loop, the backend): nobody may wait for ever
                if left := [job for job in batch.jobs if job.batch is batch and job.listeners]:
                    self._tell(list(zip(left, self._failures(left, _Cancelled()), strict=True)))

    async def _attempt(self, batch: _Batch, jobs: list[Job]) -> None:
        scope: asyncio.Timeout | None = None
        try:
            if self.backend.timeout is None:
                replies = checked(await self.backend.aanswer([job.request for job in jobs]), len(jobs))
            else:
                async with asyncio.timeout(self.backend.timeout) as scope:
                    replies = checked(await self.backend.aanswer([job.request for job in jobs]), len(jobs))
        except Exception as error:  # noqa: BLE001  # whatever a backend raises becomes a value
            if scope is not None and scope.expired():
                batch.again = []
                self._tell(list(zip(jobs, self._overtime(jobs, error), strict=True)))
                return
            replies = self._failures(jobs, error)
        final = self._sort(jobs, replies)
        settled = {job for job, _ in final}
        batch.again = [job for job in jobs if job not in settled] if len(final) < len(jobs) else []
        for job, reply in final:
            self._hub.remember(job.request, self.backend, reply)
        self._tell(final)

    def _tell(self, final: Iterable[tuple[Job, Reply[Any]]]) -> None:
        for listener, request, reply in self._conclude(final):
            listener(request, reply)

    async def _repeat(self, batch: _Batch) -> None:
        first = True

        async def again() -> bool:
            nonlocal first
            if not first:
                jobs, batch.again = [job for job in batch.again if job.listeners], []
                await self._attempt(batch, jobs)
            first = False  # the attempt that failed already: tenacity waits after it
            return bool(batch.again)

        await tenacity.AsyncRetrying(
            wait=self._pause(batch),
            retry=tenacity.retry_if_result(bool),
            stop=tenacity.stop_never,
            sleep=_sleep,
        )(again)


class ThreadLane(Lane[Backend[Any]]):
    """A lane with daemon threads of its own, for backends that block or compute."""

    def __init__(self, backend: Backend[Any], hub: Hub) -> None:
        super().__init__(backend, hub)
        self.reset()

    def reset(self) -> None:
        """Begin anew; after a fork the child has none of the threads."""
        # Entered as the bare lock: an interrupt cannot come between its acquisition and the block.
        self._mutex = threading.Lock()
        self._wake = threading.Condition(self._mutex)
        self._queue.clear()
        self._shared.clear()
        self._open.clear()
        self._workers = self._idle = 0

    def submit(self, request: Request[Any], listener: Listener) -> Job:
        """As in `Lane`, from any thread."""
        with self._mutex:
            return super().submit(request, listener)

    def start(self) -> None:
        """Wake idle workers, and begin new ones as far as may run at once."""
        with self._mutex:
            groups = -(-len(self._queue) // max(1, self.backend.batch))
            for _ in range(min(groups - self._idle, self.backend.concurrency - self._workers)):
                try:
                    threading.Thread(target=self._worker, name="guardrail-lane", daemon=True).start()
                except RuntimeError:  # the system gives no more threads: those there are go on
                    if not self._workers:
                        raise
                    break
                self._workers += 1
            self._wake.notify(groups)

    def withdraw(self, job: Job, listener: Listener) -> Cost:
        """Nobody waits for this any more; what it has cost already. A call under way cannot be stopped."""
        with self._mutex:
            cost, batch = self._forget(job, listener)
            if batch is not None and batch.dropped is not None:
                batch.dropped.set()
        return cost

    def _worker(self) -> None:
        while (batch := self._next()) is not None:
            try:
                self._attempt(batch, batch.jobs)
                if batch.again and not batch.lost:
                    self._repeat(batch)
            except BaseException as error:  # noqa: BLE001  # our own fault; nobody may wait for ever
                log.error("lane_broke", error=repr(error))
                left = [job for job in batch.jobs if job.batch is batch]
                self._settle(list(zip(left, self._failures(left, error), strict=True)))
            if batch.lost:  # another worker has taken this one's place
                return

    def _next(self) -> _Batch | None:
        with self._mutex:
            while True:
                batch = self._take()
                if batch is not None:
                    return batch
                self._idle += 1
                woken = self._wake.wait(timeout=_IDLE_SECONDS)
                self._idle -= 1
                if not woken and not self._queue:
                    self._workers -= 1
                    return None

    def _attempt(self, batch: _Batch, jobs: list[Job]) -> None:
        alarm = self._watch(batch)
        try:
            replies = checked(self.backend.answer([job.request for job in jobs]), len(jobs))
        except BaseException as error:  # noqa: BLE001  # whatever a backend raises, SystemExit too, is a value
            replies = self._failures(jobs, error)
        if alarm is not None:
            alarm.cancel()
        with self._mutex:
            batch.calling = False
            lost = batch.lost
            if not lost:
                final = self._sort(jobs, replies)
                settled = {job for job, _ in final}
                batch.again = [job for job in jobs if job not in settled] if len(final) < len(jobs) else []
        if lost:
            self._too_late(jobs, replies)
        else:
            self._settle(final)

    def _watch(self, batch: _Batch) -> Alarm | None:
        batch.attempt += 1
        batch.calling = True
        attempt = batch.attempt
        if self.backend.timeout is None:
            return None
        return self._hub.watchdog.watch(self.backend.timeout, lambda: self._hung(batch, attempt))

    def _hung(self, batch: _Batch, attempt: int) -> None:
        """A call hangs: its jobs fail, its thread is written off, and another takes its place."""
        with self._mutex:
            if batch.attempt != attempt or not batch.calling:
                return
            batch.lost = True
            self._workers -= 1
            hung = [job for job in batch.jobs if job.batch is batch]
            final = list(zip(hung, self._overtime(hung), strict=True))
            for job in hung:
                if job.listeners:
                    job.late, job.told = job.listeners[0], _FREE
            told = self._conclude(final)
            for job, reply in final:
                job.told = reply.cost
        for listener, request, reply in told:
            listener(request, reply)
        self.start()

    def _too_late(self, jobs: Sequence[Job], replies: Sequence[Reply[Any]]) -> None:
        """A call that was given up has ended after all: remembered, and booked as far as it was not yet."""
        for job, reply in zip(jobs, replies, strict=True):
            self._hub.remember(job.request, self.backend, reply)
            cost = _rest(job.spent + reply.cost, job.told)
            self._hub.spend(cost)
            if job.late is not None:
                job.late(job.request, replace(reply, cost=cost))

    def _settle(self, final: list[tuple[Job, Reply[Any]]]) -> None:
        for job, reply in final:
            self._hub.remember(job.request, self.backend, reply)
        with self._mutex:
            told = self._conclude(final)
        for listener, request, reply in told:
            listener(request, reply)

    def _repeat(self, batch: _Batch) -> None:
        with self._mutex:
            batch.dropped = threading.Event()
        first = True

        def again() -> bool:
            nonlocal first
            if not first:
                with self._mutex:
                    jobs, batch.again = [job for job in batch.again if job.listeners], []
                if jobs:
                    self._attempt(batch, jobs)
            first = False
            return bool(batch.again)

        tenacity.Retrying(
            wait=self._pause(batch),
            retry=tenacity.retry_if_result(bool),
            stop=lambda _state: batch.lost or batch.unwanted,
            sleep=batch.nap,
            retry_error_callback=lambda _state: False,
        )(again)


class _Cancelled(BackendError):
    """What those who wait are told if somebody else cancels their call."""

    def __init__(self) -> None:
        super().__init__("the call was cancelled from outside", retryable=True)


async def _sleep(seconds: float) -> None:
    await asyncio.sleep(seconds)


def _rest(cost: Cost, told: Cost) -> Cost:
    """What is left of a cost after a part of it was booked."""
    return Cost(
        max(0, cost.calls - told.calls),
        max(0, cost.prompt_tokens - told.prompt_tokens),
        max(0, cost.completion_tokens - told.completion_tokens),
        max(0.0, cost.seconds - told.seconds),
    )


class _Computer(Backend[Any]):
    """Runs `Compute` requests."""

    concurrency = max(1, os.cpu_count() or 1)

    @property
    def fingerprint(self) -> str:
        return "compute"

    def answer(self, requests: Sequence[Any]) -> Sequence[Reply[Any]]:
        replies: list[Reply[Any]] = []
        for request in requests:
            try:
                replies.append(Answer(request.function(*request.arguments)))
            except Exception as error:  # noqa: BLE001  # raised again where the flow waits
                replies.append(Failed(Reason.BUG, describe(error), error=error))
        return replies


class Hub:
    """The backends of a guard with their lanes; may be shared by several guards.

    Args:
        backends: by lane ("chat", "entailment", …) or by lane and role ("chat:judge"), which comes first.
        store: the lasting memory.
        retry: how passing failures are asked again.
    """

    def __init__(
        self, backends: Mapping[str, Backend[Any]], *, store: Store | None = None, retry: Retry | None = None
    ) -> None:
        self.backends: dict[str, Backend[Any]] = {"compute": _Computer()}
        for lane, backend in backends.items():
            self.add(lane, backend)
        self.store = store
        self.retry = retry or Retry()
        self.watchdog = Watchdog()
        self.spent = Cost()
        self.shares_samples = store is not None and store.samples
        self._warned = False
        self._lock = threading.Lock()
        self._threads: dict[int, ThreadLane] = {}
        self._loops: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, dict[int, LoopLane]]
        self._loops = weakref.WeakKeyDictionary()
        _hubs.add(self)

    def add(self, lane: str, backend: Backend[Any]) -> None:
        """Have a backend answer a lane that nobody answers yet.

        Raises:
            ConfigError: another backend does, or this one never calls anybody.
        """
        for name in ("batch", "concurrency"):
            number(f"{lane!r}: {name} of {type(backend).__name__}", getattr(backend, name, 1), least=1)
        if self.backends.setdefault(lane, backend) is not backend:
            raise ConfigError(
                f"two different backends for {lane!r}: {self.backends[lane].fingerprint!r} and "
                f"{backend.fingerprint!r}. Give the guard one (`backends={{…}}`), or each guard a hub of its own."
            )

    def backend(self, request: Request[Any]) -> Backend[Any] | None:
        """Who answers a request: the backend of its route, else of its lane."""
        return self.backends.get(request.route) or self.backends.get(request.lane)

    def thread_lane(self, backend: Backend[Any]) -> ThreadLane:
        """The one lane of a backend that serves all threads and loops."""
        lane = self._threads.get(id(backend))
        if lane is None:
            with self._lock:
                lane = self._threads.setdefault(id(backend), ThreadLane(backend, self))
        return lane

    def loop_lane(self, backend: AsyncBackend[Any]) -> LoopLane:
        """The lane of a backend on the running loop."""
        loop = asyncio.get_running_loop()
        lanes = self._loops.get(loop)
        if lanes is None:
            with self._lock:
                for other in [other for other in self._loops if other.is_closed()]:
                    del self._loops[other]
                lanes = self._loops[loop] = {}
        lane = lanes.get(id(backend))
        if lane is None:
            lane = lanes[id(backend)] = LoopLane(backend, self)
        return lane

    def recall(self, request: Request[Any], backend: Backend[Any]) -> Answer[Any] | None:
        """The stored reply, if there is one."""
        if self.store is None or request.keep is Keep.NEVER:
            return None
        try:
            return self.store.get(request, backend.fingerprint)
        except Exception as error:  # noqa: BLE001  # a memory that fails costs money, not answers
            self._warn(error)
            return None

    def remember(self, request: Request[Any], backend: Backend[Any], reply: Reply[Any]) -> None:
        """Store an answer, before anybody acts on it."""
        if self.store is None or not isinstance(reply, Answer) or request.keep is Keep.NEVER:
            return
        try:
            self.store.put(request, backend.fingerprint, reply)
        except Exception as error:  # noqa: BLE001  # as above
            self._warn(error)

    def spend(self, cost: Cost) -> None:
        """Add to what this hub has spent over its life, abandoned calls included."""
        if cost is not _FREE and (cost.calls or cost.seconds or cost.tokens):
            with self._lock:
                self.spent += cost

    def queued(self) -> int:
        """Requests in flight or waiting in any lane: 0 when everything is at rest."""
        with self._lock:
            lanes: list[Lane[Any]] = list(self._threads.values())
            for loop_lanes in self._loops.values():
                lanes += loop_lanes.values()
        return sum(lane.open for lane in lanes)

    def reset(self) -> None:
        """After a fork: no thread, lock or loop of the parent is of use."""
        self._lock = threading.Lock()
        self.watchdog = Watchdog()
        self._loops = weakref.WeakKeyDictionary()
        for lane in self._threads.values():
            lane.reset()

    def _warn(self, error: Exception) -> None:
        if not self._warned:
            self._warned = True
            log.warning("store_failed", error=repr(error))


_hubs: weakref.WeakSet[Hub] = weakref.WeakSet()


def _after_fork() -> None:
    for hub in list(_hubs):
        hub.reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
