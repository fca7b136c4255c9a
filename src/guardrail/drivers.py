"""The two pumps: they carry the requests of a run to the lanes and the replies back.

Both do the same: hand out what the run wants, wait until something comes or a deadline is due, deliver. On any
way out, cancellation and Ctrl-C included, what is still queued is withdrawn, so nothing more is paid for.
"""

from __future__ import annotations

import asyncio
import inspect
import queue
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, TypeAlias, TypeVar

from guardrail.backends import Backend, has_async_form
from guardrail.flow import Cost, Failed, Reason, Reply, Request
from guardrail.lanes import Hub, Lane, Listener, LoopLane, ThreadLane, failure
from guardrail.run import Run

__all__ = ["AsyncHandler", "Handler", "run_async", "run_sync"]

T = TypeVar("T")
Item: TypeAlias = tuple[Request[Any], Reply[Any]]
Handler: TypeAlias = Callable[[Any], Reply[Any]]
AsyncHandler: TypeAlias = Callable[[Any], Awaitable[Reply[Any]]]


def run_sync(run: Run[T], hub: Hub, *, handlers: Mapping[str, Handler] | None = None) -> T | Failed:
    """Drive a run from this thread.

    Args:
        run: not yet started.
        hub: the backends.
        handlers: functions that answer a lane for this run alone, called in this thread ("generate": the
            framework's own model).
    """
    inbox: queue.SimpleQueue[Item] = queue.SimpleQueue()
    post = _Post(hub, lambda request, reply: inbox.put((request, reply)))
    try:
        outgoing = run.start(time.monotonic())
        while True:
            known = post.send(outgoing, handlers or {})
            for request in run.take_abandoned():
                run.withdrawn(request, post.withdraw(request))
            if run.done:
                return run.result  # type: ignore[return-value]  # done: there is a result
            if not known:
                try:
                    known.append(inbox.get(timeout=_wait(run)))
                except queue.Empty:
                    outgoing = run.expire(time.monotonic())
                    continue
            while not inbox.empty():
                known.append(inbox.get())
            outgoing = run.deliver(known, time.monotonic())
    finally:
        for request in run.close():
            run.withdrawn(request, post.withdraw(request))


async def run_async(
    run: Run[T], hub: Hub, *, handlers: Mapping[str, Handler | AsyncHandler] | None = None
) -> T | Failed:
    """Drive a run on the running event loop; see `run_sync`."""
    loop = asyncio.get_running_loop()
    inbox: deque[Item] = deque()
    arrived = asyncio.Event()

    def hand_in(request: Request[Any], reply: Reply[Any]) -> None:
        inbox.append((request, reply))
        arrived.set()

    def from_thread(request: Request[Any], reply: Reply[Any]) -> None:
        try:
            loop.call_soon_threadsafe(hand_in, request, reply)
        except RuntimeError:  # the loop has closed: nobody waits there any more
            return

    post = _AsyncPost(hub, hand_in, from_thread)
    try:
        outgoing = run.start(time.monotonic())
        while True:
            known = post.send(outgoing, handlers or {})
            for request in run.take_abandoned():
                run.withdrawn(request, post.withdraw(request))
            if run.done:
                return run.result  # type: ignore[return-value]  # done: there is a result
            if not known and not inbox:
                arrived.clear()
                try:
                    async with asyncio.timeout(_wait(run)):
                        await arrived.wait()
                except TimeoutError:
                    outgoing = run.expire(time.monotonic())
                    continue
            known += inbox
            inbox.clear()
            outgoing = run.deliver(known, time.monotonic())
    finally:
        for request in run.close():
            run.withdrawn(request, post.withdraw(request))
        post.close()


def _wait(run: Run[Any]) -> float | None:
    due = run.next_due()
    return None if due is None else max(0.0, due - time.monotonic())


class _Post:
    """Hands requests to whoever answers them; replies known at once come back."""

    def __init__(self, hub: Hub, listener: Listener) -> None:
        self._hub = hub
        self._listener = listener
        self._sent: dict[Request[Any], Callable[[], Cost]] = {}

    def send(self, requests: Iterable[Request[Any]], handlers: Mapping[str, Any]) -> list[Item]:
        known: list[Item] = []
        lanes: dict[int, Lane] = {}
        instant: dict[int, tuple[Backend[Any], list[Request[Any]]]] = {}
        for request in requests:
            if (handler := handlers.get(request.lane)) is not None:
                self._handle(handler, request, known)
                continue
            backend = self._hub.backend(request)
            if backend is None:
                known.append((request, _missing(request)))
            elif backend.instant or self._inline(request):
                instant.setdefault(id(backend), (backend, []))[1].append(request)
            elif (stored := self._hub.recall(request, backend)) is not None:
                known.append((request, stored))
            else:
                lane = self._submit(backend, request)
                lanes[id(lane)] = lane
        for lane in lanes.values():  # after all are queued, so that they are batched together
            lane.start()
        for backend, group in instant.values():
            known += zip(group, _at_once(backend, group), strict=True)
        return known

    def withdraw(self, request: Request[Any]) -> Cost:
        withdraw = self._sent.pop(request, None)
        return Cost() if withdraw is None else withdraw()

    def _inline(self, request: Request[Any]) -> bool:
        return request.lane == "compute"

    def _submit(self, backend: Backend[Any], request: Request[Any]) -> Lane:
        return self._queue(self._hub.thread_lane(backend), request, self._listener)

    def _queue(self, lane: ThreadLane | LoopLane, request: Request[Any], listener: Listener) -> Lane:
        lane.submit(request, listener)
        self._sent[request] = lambda: lane.withdraw(request, listener)
        return lane

    def _handle(self, handler: Any, request: Request[Any], known: list[Item]) -> None:
        try:
            reply = handler(request)
        except Exception as error:  # noqa: BLE001  # a framework may raise anything; the flow decides
            reply = failure(error)
        known.append((request, reply))


class _AsyncPost(_Post):
    """The same on a loop: coroutine handlers run as tasks, blocking work goes to threads."""

    def __init__(self, hub: Hub, listener: Listener, from_thread: Listener) -> None:
        super().__init__(hub, listener)
        self._from_thread = from_thread
        self._tasks: set[asyncio.Task[None]] = set()

    def close(self) -> None:
        for task in self._tasks:
            task.cancel()

    def _inline(self, request: Request[Any]) -> bool:
        del request
        return False

    def _submit(self, backend: Backend[Any], request: Request[Any]) -> Lane:
        if has_async_form(backend):
            return self._queue(self._hub.loop_lane(backend), request, self._listener)
        return self._queue(self._hub.thread_lane(backend), request, self._from_thread)

    def _handle(self, handler: Any, request: Request[Any], known: list[Item]) -> None:
        if not inspect.iscoroutinefunction(handler):
            super()._handle(handler, request, known)
            return

        async def handle() -> None:
            replies: list[Reply[Any]] = []
            try:
                replies.append(await handler(request))
            except Exception as error:  # noqa: BLE001  # as above
                replies.append(failure(error))
            self._listener(request, replies[0])

        task = asyncio.get_running_loop().create_task(handle())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

        def withdraw() -> Cost:
            task.cancel()
            return Cost(calls=1)

        self._sent[request] = withdraw


def _at_once(backend: Backend[Any], requests: list[Request[Any]]) -> list[Reply[Any]]:
    replies: list[Reply[Any]] = []
    try:
        replies += backend.answer(requests)
    except Exception as error:  # noqa: BLE001  # whatever a backend raises becomes a value
        replies = [failure(error)] * len(requests)
    return replies


def _missing(request: Request[Any]) -> Failed:
    return Failed(
        Reason.MISSING, f"no backend for {request.lane!r}: give the Guard one (`chat=…` or `backends=…`)"
    )
