"""Lanes: a queue in front of every backend, shared by all guard calls.

A lane joins equal requests in flight, batches what is queued, bounds concurrency, retries, and remembers in the
lasting store. There are two kinds. A `ThreadLane` calls `answer` in daemon threads of its own and serves every
pump, on any loop or none. A `LoopLane` calls `aanswer` on one event loop and belongs to it: work in flight
cannot be shared between loops, because it would hang when one of them closes.

Whatever a backend does (raises, hangs, answers too little or nonsense) becomes a `Failed` for those who wait.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Generic, TypeVar, cast

import tenacity

from guardrail._log import log
from guardrail.engine.backend import Backend
from guardrail.engine.breaker import Breaker, NextStep, unreachable
from guardrail.engine.flow import FREE, Answer, Cost, Failed, Keep, Reason, Reply, Request
from guardrail.engine.jobs import Batch, Job, Listener, Owner, Told, checked, failure, remaining_cost
from guardrail.engine.watchdog import Alarm
from guardrail.errors import BackendError

B = TypeVar("B", bound=Backend[Any])

_WINDOW = 16  # batches' worth of queued jobs among which those of like weight are looked for
_IDLE_SECONDS = 5.0  # after which a thread without work ends
_STINT = 64  # batches that a task of a loop lane takes before it gives way


class Lane(Generic[B]):
    """What both kinds of lane share: the queue, joining, batching, and settling of jobs."""

    def __init__(self, backend: B, hub: Owner) -> None:
        self.backend = backend
        self._hub = hub
        self._queue: deque[Job] = deque()
        self._shared: dict[Request[Any], Job] = {}
        self._open: set[Job] = set()
        self._breaker = Breaker()

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
        job = Job(request, shared, [listener], self.backend.paid and not request.free)
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

    def _forget(self, job: Job, listener: Listener) -> tuple[Cost, Batch | None]:
        """Remove a listener; the cost so far, and the batch to stop if nobody wants it any more."""
        if listener not in job.listeners:
            return FREE, None
        job.listeners.remove(listener)
        if job.listeners:
            return FREE, None
        self._leave(job)
        batch = job.batch
        if batch is None:  # still queued: passed over when its turn comes
            job.told = job.spent
        elif job in batch.again:  # between two attempts: it is left out of the next
            job.told, job.batch = job.spent, None
        else:
            job.told, job.late = job.spent + job.call(), listener
        self._hub.spend(job.told)
        return job.told, batch if batch is not None and batch.unwanted else None

    def _leave(self, job: Job) -> None:
        self._open.discard(job)
        if job.shared and self._shared.get(job.request) is job:
            del self._shared[job.request]

    def _wanted(self) -> bool:
        """Whether something may be taken; what nobody waits for any more is dropped from the queue's head."""
        while self._queue and not self._queue[0].listeners:
            self._queue.popleft()
        return bool(self._queue) and not self._breaker.holds

    def _take(self) -> Batch | None:
        """The oldest job and those that may share its batch, of like weight first."""
        if not self._wanted():
            return None
        first = self._queue.popleft()
        jobs = [first]
        if self.backend.batch > 1 and self._queue:
            jobs += self._companions(first)
        batch = Batch(jobs)
        for job in jobs:
            job.batch = batch
        self._breaker.took(batch)
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

    def _called(
        self, batch: Batch, jobs: Sequence[Job], replies: Sequence[Reply[Any]]
    ) -> list[tuple[Job, Reply[Any]]]:
        """Which replies are final after a call; what is to be repeated is in `batch.again`, or queued again."""
        final = self._sort(jobs, replies)
        settled = {job for job, _ in final}
        batch.again = [job for job in jobs if job not in settled] if len(final) < len(jobs) else []
        coming = self._breaker.heard(batch, replies)
        if coming is NextStep.WAIT:
            for job in batch.again:
                job.batch = None
            self._queue.extendleft(reversed(batch.again))
            batch.again = []
        elif coming is NextStep.GIVE_UP:
            final += [(job, self._given_up(job, replies[-1])) for job in self._queue]
            self._queue.clear()
        return final

    def _given_up(self, job: Job, reply: Reply[Any]) -> Failed:
        """What a request that waited is told: what the last one met with, and that it was spared that."""
        failed = cast("Failed", reply)
        detail = f"{failed.detail} (given up: nobody was there in {self._breaker.silent} calls)"
        return replace(failed, detail=detail, cost=job.spent)

    def _sort(self, jobs: Sequence[Job], replies: Sequence[Reply[Any]]) -> list[tuple[Job, Reply[Any]]]:
        """Which replies are final; jobs to be asked again keep their failure in `last`."""
        final: list[tuple[Job, Reply[Any]]] = []
        for job, reply in zip(jobs, replies, strict=True):
            job.sent += 1
            if reply.cost is not FREE:
                job.spent = reply.cost if job.spent is FREE else job.spent + reply.cost
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
        if self._breaker.given_up and unreachable(failed):
            return False
        return failed.retryable and patient and job.sent < retry.attempts and bool(job.listeners)

    def _conclude(self, final: Iterable[tuple[Job, Reply[Any]]]) -> Told:
        """Take jobs out of the lane; who must be told what. A joined reply costs nothing."""
        told: Told = {}
        spent = FREE
        for job, reply in final:
            self._leave(job)
            job.batch = None
            listeners, job.listeners = job.listeners, []
            cost = reply.cost if job.told is FREE else remaining_cost(reply.cost, job.told)
            if listeners:
                told.setdefault(listeners[0], []).append((job.request, reply))
                for listener in listeners[1:]:
                    told.setdefault(listener, []).append((job.request, replace(reply, cost=FREE)))
            elif job.late is not None:
                told.setdefault(job.late, []).append((job.request, replace(reply, cost=cost)))
            if cost is not FREE:
                spent = cost if spent is FREE else spent + cost
        self._hub.spend(spent)
        return told

    def _failures(self, jobs: Sequence[Job], error: BaseException) -> list[Reply[Any]]:
        """One failure for all of a batch; an exception hides what was spent, so one call is counted."""
        failed = failure(error)
        return [replace(failed, cost=job.call()) for job in jobs]

    def _overtime(
        self, batch: Batch, jobs: Sequence[Job], error: BaseException | None = None
    ) -> list[tuple[Job, Reply[Any]]]:
        """What jobs are told whose call took too long: it is not repeated, and somebody was there."""
        batch.again = []
        self._breaker.reset()
        detail = f"no reply in {self.backend.timeout:g} s"
        return [
            (
                job,
                Failed(Reason.TIMEOUT, detail, retryable=True, cost=job.spent + job.call(), error=error),
            )
            for job in jobs
        ]

    def _pause(self, batch: Batch) -> Callable[[tenacity.RetryCallState], float]:
        """How long to wait before the next attempt."""
        backoff = tenacity.wait_random_exponential(
            multiplier=self._hub.retry.base, max=self._hub.retry.longest
        )

        def wait(state: tenacity.RetryCallState) -> float:
            asked = batch.asked_to_wait()
            return backoff(state) if asked is None else asked

        return wait


class LoopLane(Lane[Backend[Any]]):
    """A lane on one event loop, for backends with an asynchronous form."""

    def __init__(self, backend: Backend[Any], hub: Owner) -> None:
        super().__init__(backend, hub)
        assert backend.aanswer is not None  # noqa: S101  # who makes this lane looked
        self._ask = backend.aanswer
        self._tasks: set[asyncio.Task[None]] = set()
        self._fresh: set[asyncio.Task[None]] = set()  # those that are about to take something
        self._turns: deque[asyncio.Future[None]] = deque()  # of those that wait to take it

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
        if self._wanted() and not task.get_loop().is_closed():
            self.start()

    async def _worker(self) -> None:
        task = cast("asyncio.Task[None]", asyncio.current_task())
        for _ in range(_STINT):
            if not self._wanted():
                return
            self._fresh.add(task)
            await self._in_turn()
            self._fresh.discard(task)
            batch = self._take()
            if batch is None:
                return
            batch.task = task
            try:
                await self._attempt(batch, batch.jobs)
                if batch.again:
                    await self._repeat(batch)
            finally:  # cancelled by somebody else (a closing loop, the backend): nobody may wait for ever
                if self._breaker.left(batch) and self._wanted():
                    self.start()
                if left := [job for job in batch.jobs if job.batch is batch and job.listeners]:
                    self._tell(list(zip(left, self._failures(left, _Cancelled()), strict=True)))

    async def _in_turn(self) -> None:
        """Let the loop go round between two calls that begin.

        An HTTP client prepares a request at once and puts it on the wire when the loop comes round. If 16 began in the
        same round, each would be sent after the last was prepared, their replies would come together, and so would
        the next 16: the service waits while the processor works, and the processor while the service does. One a
        round, a request is out before the next is prepared, and they stay apart.
        """
        if len(self._tasks) > 1:
            loop = asyncio.get_running_loop()
            turn = loop.create_future()
            self._turns.append(turn)
            if len(self._turns) == 1:
                loop.call_soon(self._next_turn, loop)
            await turn

    def _next_turn(self, loop: asyncio.AbstractEventLoop) -> None:
        while self._turns:
            turn = self._turns.popleft()
            if not turn.done():  # not cancelled
                turn.set_result(None)
                break
        if self._turns:
            loop.call_soon(self._next_turn, loop)

    async def _attempt(self, batch: Batch, jobs: list[Job]) -> None:
        scope: asyncio.Timeout | None = None
        late: Exception | None = None
        try:
            if self.backend.timeout is None:
                replies = checked(await self._ask([job.request for job in jobs]), len(jobs))
            else:
                async with asyncio.timeout(self.backend.timeout) as scope:
                    replies = checked(await self._ask([job.request for job in jobs]), len(jobs))
        except Exception as error:  # noqa: BLE001  # whatever a backend raises becomes a value
            late = error if scope is not None and scope.expired() else None
            replies = self._failures(jobs, error)
        held = self._breaker.holds
        final = self._called(batch, jobs, replies) if late is None else self._overtime(batch, jobs, late)
        for job, reply in final:
            self._hub.remember(job.request, self.backend, reply)
        self._tell(final)
        if held and self._wanted():
            self.start()

    def _tell(self, final: Iterable[tuple[Job, Reply[Any]]]) -> None:
        for listener, items in self._conclude(final).items():
            listener(items)

    async def _repeat(self, batch: Batch) -> None:
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

    def __init__(self, backend: Backend[Any], hub: Owner) -> None:
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
        self._breaker = Breaker()
        self._workers = self._idle = 0
        self._resting = False  # whether threads without work end at once

    def rest(self) -> None:
        """End the threads that have nothing to do."""
        with self._mutex:
            self._resting = True
            self._wake.notify_all()

    def submit(self, request: Request[Any], listener: Listener) -> Job:
        """As in `Lane`, from any thread."""
        with self._mutex:
            return super().submit(request, listener)

    def start(self) -> None:
        """Wake idle workers, and begin new ones as far as may run at once."""
        with self._mutex:
            self._resting = False
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
            if self._breaker.holds:  # else it is no probe, and nobody waits for it
                with self._mutex:
                    probed = self._breaker.left(batch)
                if probed:
                    self.start()

    def _next(self) -> Batch | None:
        with self._mutex:
            while True:
                batch = self._take()
                if batch is not None:
                    return batch
                waits = bool(self._queue) or not self._resting
                self._idle += 1
                woken = waits and self._wake.wait(timeout=_IDLE_SECONDS)
                self._idle -= 1
                if not woken and not self._queue:
                    self._workers -= 1
                    return None

    def _attempt(self, batch: Batch, jobs: list[Job]) -> None:
        alarm = self._watch(batch)
        try:
            replies = checked(self.backend.answer([job.request for job in jobs]), len(jobs))
        except BaseException as error:  # noqa: BLE001  # whatever a backend raises, SystemExit too, is a value
            replies = self._failures(jobs, error)
        if alarm is not None:
            alarm.cancel()
        with self._mutex:
            batch.calling = False
            lost, held = batch.lost, self._breaker.holds
            if not lost:
                final = self._called(batch, jobs, replies)
        if lost:
            self._too_late(jobs, replies)
            return
        self._settle(final)
        if held:
            self.start()

    def _watch(self, batch: Batch) -> Alarm | None:
        batch.attempt += 1
        batch.calling = True
        attempt = batch.attempt
        if self.backend.timeout is None:
            return None
        return self._hub.watchdog.watch(self.backend.timeout, lambda: self._hung(batch, attempt))

    def _hung(self, batch: Batch, attempt: int) -> None:
        """A call hangs: its jobs fail, its thread is written off, and another takes its place."""
        with self._mutex:
            if batch.attempt != attempt or not batch.calling:
                return
            batch.lost = True
            self._workers -= 1
            hung = [job for job in batch.jobs if job.batch is batch]
            final = self._overtime(batch, hung)
            for job in hung:
                if job.listeners:
                    job.late, job.told = job.listeners[0], FREE
            told = self._conclude(final)
            for job, reply in final:
                job.told = reply.cost
        for listener, items in told.items():
            listener(items)
        self.start()

    def _too_late(self, jobs: Sequence[Job], replies: Sequence[Reply[Any]]) -> None:
        """A call that was given up has ended after all: remembered, and booked as far as it was not yet."""
        for job, reply in zip(jobs, replies, strict=True):
            self._hub.remember(job.request, self.backend, reply)
            cost = remaining_cost(job.spent + reply.cost, job.told)
            self._hub.spend(cost)
            if job.late is not None:
                job.late([(job.request, replace(reply, cost=cost))])

    def _settle(self, final: list[tuple[Job, Reply[Any]]]) -> None:
        for job, reply in final:
            self._hub.remember(job.request, self.backend, reply)
        with self._mutex:
            told = self._conclude(final)
        for listener, items in told.items():
            listener(items)

    def _repeat(self, batch: Batch) -> None:
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
