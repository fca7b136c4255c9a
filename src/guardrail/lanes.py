"""Lanes: a queue in front of every backend, shared by all guard calls.

A lane joins equal requests in flight, batches what is queued, bounds concurrency, retries, and remembers in the
lasting store. There are two kinds. A `ThreadLane` calls `answer` in daemon threads of its own and serves every
pump, on any loop or none. A `LoopLane` calls `aanswer` on one event loop and belongs to it: work in flight
cannot be shared between loops, because it would hang when one of them closes.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import tenacity

from guardrail._log import log
from guardrail.backends import AsyncBackend, Backend
from guardrail.errors import BackendError
from guardrail.flow import Answer, Cost, Failed, Keep, Reason, Reply, Request

__all__ = ["Hub", "Lane", "Listener", "LoopLane", "Retry", "Store", "ThreadLane"]

Listener: TypeAlias = Callable[[Request[Any], Reply[Any]], None]


class Store(Protocol):
    """Replies remembered beyond one guard call, by request and fingerprint of the backend."""

    def get(self, request: Request[Any], fingerprint: str) -> Answer[Any] | None:
        """The remembered reply, at no cost."""
        ...

    def put(self, request: Request[Any], fingerprint: str, answer: Answer[Any]) -> None:
        """Remember; committed when this returns."""
        ...


@dataclass(frozen=True, slots=True)
class Retry:
    """How failures that may pass are asked again.

    Attributes:
        attempts: how often a request is sent at most, the first time included.
        base: seconds; the n-th wait is random in [0, base · 2ⁿ], unless the service named a time.
        longest: bound on one wait; a service that asks for more is not waited for.
    """

    attempts: int = 5
    base: float = 0.5
    longest: float = 30.0


def failure(error: BaseException) -> Failed:
    """An exception that left a backend, as a value."""
    if isinstance(error, BackendError):
        return Failed(
            Reason.BACKEND, str(error), retryable=error.retryable, retry_after=error.retry_after, error=error
        )
    if isinstance(error, TimeoutError):
        return Failed(Reason.TIMEOUT, str(error) or "no reply in time", retryable=True, error=error)
    return Failed(Reason.BACKEND, f"{type(error).__name__}: {error}", error=error)


@dataclass(slots=True, eq=False)
class _Job:
    """One request in a lane and everyone who waits for it."""

    request: Request[Any]
    listeners: list[Listener]
    sent: int = 0
    spent: Cost = Cost()
    last: Failed | None = None


@dataclass(slots=True, eq=False)
class _Batch:
    """Jobs that a worker took together; `again` are those still without a final reply."""

    jobs: list[_Job]
    again: list[_Job] = field(default_factory=list)
    dropped: threading.Event = field(default_factory=threading.Event)
    lost: bool = False
    task: asyncio.Task[None] | None = None

    @property
    def unwanted(self) -> bool:
        return not any(job.listeners for job in self.again or self.jobs)

    def asked_to_wait(self) -> float | None:
        waits = [j.last.retry_after for j in self.again if j.last and j.last.retry_after is not None]
        return max(waits, default=None)


class Lane:
    """What both kinds of lane share: the queue, joining, batching, and settling of jobs."""

    def __init__(self, backend: Backend[Any], hub: Hub) -> None:
        self.backend = backend
        self._hub = hub
        self._queue: deque[_Job] = deque()
        self._jobs: dict[Request[Any], _Job] = {}
        self._running: dict[_Job, _Batch] = {}

    def submit(self, request: Request[Any], listener: Listener) -> None:
        """Join a request in flight or queue it; `start` sets the workers going."""
        job = self._jobs.get(request)
        if job is not None:
            job.listeners.append(listener)
            return
        job = self._jobs[request] = _Job(request, [listener])
        self._queue.append(job)

    def start(self) -> None:
        """Have free workers take what is queued."""
        raise NotImplementedError

    def _forget(self, request: Request[Any], listener: Listener) -> tuple[Cost, _Batch | None]:
        """Remove a listener; the cost so far, and the batch to stop if nobody wants it any more."""
        job = self._jobs.get(request)
        if job is None or listener not in job.listeners:
            return Cost(), None
        job.listeners.remove(listener)
        if job.listeners:
            return Cost(), None
        batch = self._running.get(job)
        del self._jobs[request]
        if batch is None:
            self._queue.remove(job)
            return Cost(), None
        cost = job.spent if job.last is not None and job in batch.again else job.spent + Cost(calls=1)
        return cost, batch if batch.unwanted else None

    def _take(self) -> _Batch:
        """The oldest job and those that may share its batch, of like weight first."""
        first = self._queue.popleft()
        jobs = [first]
        if self.backend.batch > 1 and self._queue:
            jobs += self._companions(first)
        batch = _Batch(jobs)
        for job in jobs:
            self._running[job] = batch
        return batch

    def _companions(self, first: _Job) -> list[_Job]:
        group, anchor = self.backend.group(first.request), self.backend.weight(first.request)
        rest = [(self.backend.weight(job.request), job) for job in self._queue]
        rest = [pair for pair in rest if self.backend.group(pair[1].request) == group]
        rest.sort(key=lambda pair: abs(pair[0] - anchor))
        heaviest, chosen = anchor, list[_Job]()
        for weight, job in rest:
            heaviest = max(heaviest, weight)
            padded = heaviest * (len(chosen) + 2)
            if len(chosen) + 1 == self.backend.batch or (
                self.backend.capacity is not None and padded > self.backend.capacity
            ):
                break
            chosen.append(job)
        if chosen:
            taken = set(map(id, chosen))
            self._queue = deque(job for job in self._queue if id(job) not in taken)
        return chosen

    def _sort(self, jobs: Sequence[_Job], replies: Sequence[Reply[Any]]) -> list[tuple[_Job, Reply[Any]]]:
        """Which replies are final; jobs to be asked again keep their failure in `last`."""
        if len(replies) != len(jobs):
            detail = f"the backend answered {len(jobs)} requests with {len(replies)} replies"
            replies = [Failed(Reason.BACKEND, detail)] * len(jobs)
        final: list[tuple[_Job, Reply[Any]]] = []
        for job, reply in zip(jobs, replies, strict=True):
            job.sent += 1
            job.spent += reply.cost
            if isinstance(reply, Failed):
                job.last = reply
                patient = reply.retry_after is None or reply.retry_after <= self._hub.retry.longest
                if reply.retryable and patient and job.sent < self._hub.retry.attempts and job.listeners:
                    continue
                detail = reply.detail if job.sent == 1 else f"{reply.detail} (asked {job.sent} times)"
                reply = Failed(  # noqa: PLW2901  # the final form of the same reply
                    reply.reason, detail, reply.retryable, reply.retry_after, job.spent, reply.error
                )
            elif job.sent > 1:
                reply = Answer(reply.value, job.spent)  # noqa: PLW2901
            final.append((job, reply))
        return final

    def _conclude(self, job: _Job, reply: Reply[Any]) -> list[Listener]:
        """Take a job out of the lane; who must be told."""
        if self._jobs.get(job.request) is job:
            del self._jobs[job.request]
        self._running.pop(job, None)
        listeners, job.listeners = job.listeners, []
        self._hub.spend(reply.cost)
        return listeners

    def _pause(self, batch: _Batch) -> Callable[[tenacity.RetryCallState], float]:
        """How long to wait before the next attempt."""
        backoff = tenacity.wait_random_exponential(
            multiplier=self._hub.retry.base, max=self._hub.retry.longest
        )

        def wait(state: tenacity.RetryCallState) -> float:
            asked = batch.asked_to_wait()
            return backoff(state) if asked is None else asked

        return wait


class LoopLane(Lane):
    """A lane on one event loop, for backends with an asynchronous form."""

    backend: AsyncBackend[Any]

    def __init__(self, backend: AsyncBackend[Any], hub: Hub) -> None:
        super().__init__(backend, hub)
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Begin as many batches as may run at once."""
        while self._queue and len(self._tasks) < self.backend.concurrency:
            batch = self._take()
            batch.task = asyncio.get_running_loop().create_task(self._work(batch))
            self._tasks.add(batch.task)
            batch.task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("lane_broke", error=repr(error))
        if self._queue and not task.get_loop().is_closed():
            self.start()

    def withdraw(self, request: Request[Any], listener: Listener) -> Cost:
        """Nobody waits for this any more; what it has cost already."""
        cost, batch = self._forget(request, listener)
        if batch is not None and batch.task is not None:
            batch.task.cancel()
        self._hub.spend(cost)
        return cost

    async def _work(self, batch: _Batch) -> None:
        try:
            await self._attempt(batch, batch.jobs)
            if batch.again:
                await self._repeat(batch)
        finally:
            for job in batch.jobs:
                self._running.pop(job, None)

    async def _attempt(self, batch: _Batch, jobs: list[_Job]) -> None:
        requests = [job.request for job in jobs]
        try:
            async with asyncio.timeout(self.backend.timeout):
                replies = await self.backend.aanswer(requests)
        except TimeoutError as error:
            replies = [_overdue(self.backend.timeout, error)] * len(jobs)
        except Exception as error:  # noqa: BLE001  # whatever a backend raises becomes a value
            replies = [failure(error)] * len(jobs)
        final = self._sort(jobs, replies)
        settled = {id(job) for job, _ in final}
        batch.again = [job for job in jobs if id(job) not in settled]
        for job, reply in final:
            self._hub.remember(job.request, self.backend, reply)
            for listener in self._conclude(job, reply):
                listener(job.request, reply)

    async def _repeat(self, batch: _Batch) -> None:
        first = True

        async def again() -> bool:
            nonlocal first
            if not first:
                await self._attempt(batch, [job for job in batch.again if job.listeners])
            first = False  # the attempt that failed already: tenacity waits after it
            return bool(batch.again)

        await tenacity.AsyncRetrying(
            wait=self._pause(batch), retry=tenacity.retry_if_result(bool), stop=tenacity.stop_never
        )(again)


class ThreadLane(Lane):
    """A lane with daemon threads of its own, for backends that block or compute."""

    def __init__(self, backend: Backend[Any], hub: Hub) -> None:
        super().__init__(backend, hub)
        self._lock = threading.Condition()
        self._workers = 0
        self._idle = 0

    def submit(self, request: Request[Any], listener: Listener) -> None:
        """As in `Lane`, from any thread."""
        with self._lock:
            super().submit(request, listener)

    def start(self) -> None:
        """Wake idle workers, and begin new ones as far as may run at once."""
        with self._lock:
            groups = -(-len(self._queue) // max(1, self.backend.batch))
            for _ in range(min(groups - self._idle, self.backend.concurrency - self._workers)):
                self._workers += 1
                threading.Thread(target=self._worker, name="guardrail-lane", daemon=True).start()
            self._lock.notify(groups)

    def withdraw(self, request: Request[Any], listener: Listener) -> Cost:
        """Nobody waits for this any more; what it has cost already. A call under way cannot be stopped."""
        with self._lock:
            cost, batch = self._forget(request, listener)
        if batch is not None:
            batch.dropped.set()
        self._hub.spend(cost)
        return cost

    def reset(self) -> None:
        """After a fork the child has none of the threads: begin anew."""
        self._lock = threading.Condition()
        self._queue.clear()
        self._jobs.clear()
        self._running.clear()
        self._workers = self._idle = 0

    def _worker(self) -> None:
        while (batch := self._next()) is not None:
            self._watch(batch)
            self._attempt(batch, batch.jobs)
            if batch.again and not batch.lost:
                self._repeat(batch)
            if batch.lost:  # another worker has taken this one's place
                return

    def _next(self) -> _Batch | None:
        with self._lock:
            while not self._queue:
                self._idle += 1
                woken = self._lock.wait(timeout=5.0)
                self._idle -= 1
                if not woken and not self._queue:
                    self._workers -= 1
                    return None
            return self._take()

    def _watch(self, batch: _Batch) -> None:
        if self.backend.timeout is not None:
            self._hub.watchdog.watch(self.backend.timeout, lambda: self._overdue(batch))

    def _overdue(self, batch: _Batch) -> None:
        """A call hangs: its jobs fail, its thread is written off, and another takes its place."""
        with self._lock:
            hung = [job for job in batch.jobs if self._running.get(job) is batch]
            if not hung or batch.again:  # done, or waiting between two attempts
                return
            batch.lost = True
            self._workers -= 1
        reply = _overdue(self.backend.timeout, None)
        self._settle([(job, reply) for job in hung])
        self.start()

    def _attempt(self, batch: _Batch, jobs: list[_Job]) -> None:
        try:
            replies = self.backend.answer([job.request for job in jobs])
        except Exception as error:  # noqa: BLE001  # whatever a backend raises becomes a value
            replies = [failure(error)] * len(jobs)
        with self._lock:
            if batch.lost:
                return
            final = self._sort(jobs, replies)
            settled = {id(job) for job, _ in final}
            batch.again = [job for job in jobs if id(job) not in settled]
        self._settle(final)

    def _settle(self, final: list[tuple[_Job, Reply[Any]]]) -> None:
        for job, reply in final:
            self._hub.remember(job.request, self.backend, reply)
            with self._lock:
                listeners = self._conclude(job, reply)
            for listener in listeners:
                listener(job.request, reply)

    def _repeat(self, batch: _Batch) -> None:
        first = True

        def again() -> bool:
            nonlocal first
            if not first:
                with self._lock:
                    jobs, batch.again = [job for job in batch.again if job.listeners], []
                self._watch(batch)
                if jobs:
                    self._attempt(batch, jobs)
            first = False
            return bool(batch.again)

        tenacity.Retrying(
            wait=self._pause(batch),
            retry=tenacity.retry_if_result(bool),
            stop=lambda _state: batch.lost or batch.unwanted,
            sleep=tenacity.sleep_using_event(batch.dropped),
            retry_error_callback=lambda _state: False,
        )(again)
        with self._lock:
            for job in batch.jobs:
                self._running.pop(job, None)


def _overdue(limit: float | None, error: BaseException | None) -> Failed:
    return Failed(
        Reason.TIMEOUT, f"no reply in {limit:g} s" if limit else str(error), retryable=True, error=error
    )


class Watchdog:
    """One daemon thread that calls functions when their time has come."""

    def __init__(self) -> None:
        self._lock = threading.Condition()
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._count = itertools.count()
        self._alive = False

    def watch(self, seconds: float, act: Callable[[], None]) -> None:
        """Call `act` in so many seconds."""
        with self._lock:
            heapq.heappush(self._due, (time.monotonic() + seconds, next(self._count), act))
            if not self._alive:
                self._alive = True
                threading.Thread(target=self._guard, name="guardrail-watchdog", daemon=True).start()
            elif self._due[0][2] is act:
                self._lock.notify()

    def _guard(self) -> None:
        while True:
            with self._lock:
                if not self._due:
                    self._alive = False
                    return
                wait = self._due[0][0] - time.monotonic()
                if wait > 0:
                    self._lock.wait(wait)
                    continue
                _, _, act = heapq.heappop(self._due)
            act()

    def reset(self) -> None:
        """After a fork."""
        self.__init__()  # type: ignore[misc]  # a new object in place of the old


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
                replies.append(Failed(Reason.BUG, f"{type(error).__name__}: {error}", error=error))
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
        self.backends: dict[str, Backend[Any]] = {"compute": _Computer(), **backends}
        self.store = store
        self.retry = retry or Retry()
        self.watchdog = Watchdog()
        self.spent = Cost()
        self._lock = threading.Lock()
        self._threads: dict[int, ThreadLane] = {}
        self._loops: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, dict[int, LoopLane]]
        self._loops = weakref.WeakKeyDictionary()
        _hubs.add(self)

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
            lanes = self._loops[loop] = {}
        lane = lanes.get(id(backend))
        if lane is None:
            lane = lanes[id(backend)] = LoopLane(backend, self)
        return lane

    def recall(self, request: Request[Any], backend: Backend[Any]) -> Answer[Any] | None:
        """The stored reply, if there is one."""
        if self.store is None or request.keep is Keep.NEVER:
            return None
        return self.store.get(request, backend.fingerprint)

    def remember(self, request: Request[Any], backend: Backend[Any], reply: Reply[Any]) -> None:
        """Store an answer, before anybody acts on it."""
        if self.store is not None and isinstance(reply, Answer) and request.keep is not Keep.NEVER:
            self.store.put(request, backend.fingerprint, reply)

    def spend(self, cost: Cost) -> None:
        """Add to what this hub has spent over its life, abandoned calls included."""
        if cost.calls or cost.seconds:
            with self._lock:
                self.spent += cost

    def queued(self) -> int:
        """Requests in flight or waiting in any lane: 0 when everything is at rest."""
        lanes: list[Lane] = list(self._threads.values())
        for loop_lanes in list(self._loops.values()):
            lanes += loop_lanes.values()
        return sum(len(lane._jobs) for lane in lanes)  # noqa: SLF001  # lanes are this module's own

    def reset(self) -> None:
        """After a fork: no thread, lock or loop of the parent is of use."""
        self._lock = threading.Lock()
        self.watchdog.reset()
        self._loops.clear()
        for lane in self._threads.values():
            lane.reset()


_hubs: weakref.WeakSet[Hub] = weakref.WeakSet()


def _after_fork() -> None:
    for hub in _hubs:
        hub.reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
