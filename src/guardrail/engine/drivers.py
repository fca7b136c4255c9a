"""The two pumps: they carry the requests of a run to the lanes and the replies back.

Both do the same: hand out what the run wants, wait until something comes or a deadline is due, deliver. On any
way out, cancellation and Ctrl-C included, what is still queued is withdrawn, so nothing more is paid for.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import queue
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from guardrail.engine.backend import Backend
from guardrail.engine.flow import FREE, Cost, Failed, NoBackend, Reason, Reply, Request
from guardrail.engine.hub import Hub
from guardrail.engine.jobs import Item, Job, Listener, checked, failure
from guardrail.engine.lanes import LoopLane, ThreadLane
from guardrail.engine.run import Run

T = TypeVar("T")
Handler: TypeAlias = Callable[[Any], Reply[Any]]
AsyncHandler: TypeAlias = Callable[[Any], Awaitable[Reply[Any]]]

_HOG_SECONDS = 0.005  # a pump on a loop lets others run after so long


def run_sync(run: Run[T], hub: Hub, *, handlers: Mapping[str, Handler] | None = None) -> T | Failed:
    """Drive a run from this thread.

    Args:
        run: not yet started.
        hub: the backends.
        handlers: functions that answer a lane for this run alone, called in this thread ("generate": the
            framework's own model).
    """
    inbox: queue.SimpleQueue[Sequence[Item]] = queue.SimpleQueue()
    post = _Post(hub, inbox.put, handlers or {})
    try:
        outgoing = run.start(time.monotonic())
        while True:
            post.withdraw_from(run)
            if run.done:
                return run.result  # type: ignore[return-value]  # done: there is a result
            known = post.send(outgoing)
            if not known:
                try:
                    known += inbox.get(timeout=_wait(run))
                except queue.Empty:
                    outgoing = run.expire(time.monotonic())
                    continue
            while not inbox.empty():
                known += inbox.get()
            outgoing = run.deliver(known, time.monotonic())
    finally:
        post.close(run)


async def run_async(
    run: Run[T], hub: Hub, *, handlers: Mapping[str, Handler | AsyncHandler] | None = None
) -> T | Failed:
    """Drive a run on the running event loop; see `run_sync`."""
    inbox = _Inbox(asyncio.get_running_loop())
    post = _AsyncPost(hub, inbox, handlers or {})
    try:
        rested = time.monotonic()
        outgoing = run.start(rested)
        while True:
            post.withdraw_from(run)
            if run.done:
                return run.result  # type: ignore[return-value]  # done: there is a result
            known = post.send(outgoing)
            if not known and not inbox.items:
                await inbox.wait(_wait(run))
                rested = time.monotonic()
            elif time.monotonic() - rested > _HOG_SECONDS:  # everything was known at once, again and again
                await asyncio.sleep(0)
                rested = time.monotonic()
            known += inbox.take()
            now = time.monotonic()
            outgoing = run.deliver(known, now) if known else run.expire(now)
    finally:
        post.close(run)


def _wait(run: Run[Any]) -> float | None:
    due = run.next_due()
    return None if due is None else max(0.0, due - time.monotonic())


class _Inbox:
    """Replies for a pump on a loop, from its own thread or any other."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.items: deque[Item] = deque()
        self._loop = loop
        self._waiter: asyncio.Future[None] | None = None
        self._called = False

    def put(self, items: Sequence[Item]) -> None:
        """From the loop's own thread."""
        self.items += items
        self._rouse()

    def put_from_thread(self, items: Sequence[Item]) -> None:
        """From any thread; the loop is called once for all that come before it looks."""
        self.items += items
        if self._called:
            return
        self._called = True
        try:
            self._loop.call_soon_threadsafe(self._look)
        except RuntimeError:  # the loop has closed: nobody waits there any more
            return

    def take(self) -> list[Item]:
        """All that has come."""
        found = []
        while self.items:
            found.append(self.items.popleft())
        return found

    async def wait(self, seconds: float | None) -> None:
        """Until something has come, or so long."""
        self._waiter = self._loop.create_future()
        timer = None if seconds is None else self._loop.call_later(seconds, self._rouse)
        try:
            await self._waiter
        finally:
            self._waiter = None
            if timer is not None:
                timer.cancel()

    def _look(self) -> None:
        self._called = False  # first: what is put after this calls again
        self._rouse()

    def _rouse(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class _Post:
    """Hands requests to whoever answers them; replies known at once come back."""

    def __init__(self, hub: Hub, listener: Listener, handlers: Mapping[str, Any]) -> None:
        self._hub = hub
        self._listener = listener
        self._handlers = handlers
        self._sent: dict[int, Callable[[], Cost]] = {}  # by identity: the run keeps its requests alive

    def send(self, requests: Iterable[Request[Any]]) -> list[Item]:
        known: list[Item] = []
        lanes: dict[int, ThreadLane | LoopLane] = {}
        instant: dict[int, tuple[Backend[Any], list[Request[Any]]]] = {}
        handled: list[tuple[Any, Request[Any]]] = []
        for request in requests:
            if self._handlers and (handler := self._handlers.get(request.lane)) is not None:
                handled.append((handler, request))
                continue
            try:
                backend = self._hub.backend(request)
                if backend is None:
                    known.append((request, _missing(request)))
                elif backend.instant or self._inline(request):
                    instant.setdefault(id(backend), (backend, []))[1].append(request)
                elif self._waits(backend, request):
                    continue
                elif (stored := self._hub.recall(request, backend)) is not None:
                    known.append((request, stored))
                else:
                    lane = self._submit(backend, request)
                    lanes[id(lane)] = lane
            except Exception as error:  # noqa: BLE001  # a plug-in's request or backend may raise anywhere
                known.append((request, failure(error)))
        for lane in lanes.values():  # after all are queued, so that they are batched together
            lane.start()
        for backend, group in instant.values():
            known += zip(group, self._at_once(backend, group), strict=True)
        for handler, request in handled:  # last: they may take long
            self._handle(handler, request, known)
        return known

    def withdraw_from(self, run: Run[Any]) -> None:
        """Take back what nobody in the run waits for any more."""
        for request in run.take_abandoned():
            run.withdrawn(request, self._withdraw(request))

    def close(self, run: Run[Any]) -> None:
        """Stop the run and take back everything that is still out."""
        for request in run.close():
            run.withdrawn(request, self._withdraw(request))

    def _withdraw(self, request: Request[Any]) -> Cost:
        withdraw = self._sent.pop(id(request), None)
        return FREE if withdraw is None else withdraw()

    def _inline(self, request: Request[Any]) -> bool:
        return request.lane == "compute"

    def _waits(self, backend: Backend[Any], request: Request[Any]) -> bool:
        """Whether the request is sent later, because it cannot be looked up without holding others up."""
        del backend, request
        return False

    def _submit(self, backend: Backend[Any], request: Request[Any]) -> ThreadLane | LoopLane:
        return self._queue(self._hub.thread_lane(backend), request, self._listener)

    def _queue(
        self, lane: ThreadLane | LoopLane, request: Request[Any], listener: Listener
    ) -> ThreadLane | LoopLane:
        job: Job = lane.submit(request, listener)
        self._sent[id(request)] = lambda: lane.withdraw(job, listener)
        return lane

    def _at_once(self, backend: Backend[Any], requests: Sequence[Request[Any]]) -> list[Reply[Any]]:
        replies: list[Reply[Any]] = []
        step = max(1, backend.batch)
        for i in range(0, len(requests), step):
            part = requests[i : i + step]
            try:
                replies += checked(backend.answer(part), len(part))
            except Exception as error:  # noqa: BLE001  # whatever a backend raises becomes a value
                replies += [failure(error)] * len(part)
        self._hub.spend(sum((reply.cost for reply in replies if reply.cost is not FREE), FREE))
        return replies

    def _handle(self, handler: Any, request: Request[Any], known: list[Item]) -> None:
        try:
            reply = checked([handler(request)], 1)[0]
        except Exception as error:  # noqa: BLE001  # a framework may raise anything; the flow decides
            reply = failure(error)
        known.append((request, reply))


class _AsyncPost(_Post):
    """The same on a loop: coroutine handlers run as tasks, blocking work goes to threads."""

    def __init__(self, hub: Hub, inbox: _Inbox, handlers: Mapping[str, Any]) -> None:
        super().__init__(hub, inbox.put, handlers)
        self._from_thread = inbox.put_from_thread
        self._tasks: set[asyncio.Task[Reply[Any]]] = set()
        # By backend, what waits until its fingerprint is read.
        self._strangers: dict[int, dict[int, Request[Any]]] = {}

    def close(self, run: Run[Any]) -> None:
        super().close(run)
        for task in self._tasks:
            if not task.get_loop().is_closed():
                task.cancel()

    def _inline(self, request: Request[Any]) -> bool:
        del request
        return False

    def _waits(self, backend: Backend[Any], request: Request[Any]) -> bool:
        waiting = self._strangers.get(id(backend))
        if waiting is None:
            if backend.aanswer is not None or not self._hub.is_strange(request, backend):
                return False
            arguments = backend, asyncio.get_running_loop()
            threading.Thread(
                target=self._acquaint, args=arguments, name="guardrail-fingerprint", daemon=True
            ).start()
            waiting = self._strangers[id(backend)] = {}
        waiting[id(request)] = request

        def withdraw() -> Cost:
            waiting.pop(id(request), None)
            return FREE

        self._sent[id(request)] = withdraw
        return True

    def _acquaint(self, backend: Backend[Any], loop: asyncio.AbstractEventLoop) -> None:
        """Read a fingerprint, in a thread; then the loop sends what waits for it."""
        self._hub.acquaint(backend)
        with contextlib.suppress(RuntimeError):  # the loop has closed: nobody waits there any more
            loop.call_soon_threadsafe(self._send_waiting, backend)

    def _send_waiting(self, backend: Backend[Any]) -> None:
        """Together, so that they are batched; nothing is left of a run that has been closed."""
        if known := self.send(self._strangers.pop(id(backend)).values()):
            self._listener(known)

    def _submit(self, backend: Backend[Any], request: Request[Any]) -> ThreadLane | LoopLane:
        if backend.aanswer is not None:
            return self._queue(self._hub.loop_lane(backend), request, self._listener)
        return self._queue(self._hub.thread_lane(backend), request, self._from_thread)

    def _handle(self, handler: Any, request: Request[Any], known: list[Item]) -> None:
        try:
            coming = handler(request)
        except Exception as error:  # noqa: BLE001  # as above
            known.append((request, failure(error)))
            return
        if not inspect.isawaitable(coming):
            super()._handle(lambda _request: coming, request, known)
            return

        async def handle() -> Reply[Any]:
            return checked([await coming], 1)[0]

        def ended(task: asyncio.Task[Reply[Any]]) -> None:
            self._tasks.discard(task)
            if task.cancelled():  # by the framework itself, or by us when nobody waits any more
                error: BaseException | None = asyncio.CancelledError()
            else:
                error = task.exception()
            self._listener([(request, task.result() if error is None else failure(error))])

        task = asyncio.get_running_loop().create_task(handle())
        self._tasks.add(task)
        task.add_done_callback(ended)
        if inspect.iscoroutine(coming):  # of a task that was cancelled before it began, nobody awaited it
            task.add_done_callback(lambda _task: coming.close())

        def withdraw() -> Cost:
            task.remove_done_callback(ended)
            task.add_done_callback(self._tasks.discard)
            if not task.get_loop().is_closed():
                task.cancel()
            return FREE

        self._sent[id(request)] = withdraw


def _missing(request: Request[Any]) -> NoBackend:
    given = "chat=…" if request.lane == "chat" else f"backends={{{request.lane!r}: …}}"
    return NoBackend(Reason.MISSING, f"no backend for {request.lane!r}: give the guard {given}")
