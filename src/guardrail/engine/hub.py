"""The hub: which backend answers what, its lanes, and the memory that outlasts a call."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from guardrail._log import log
from guardrail.engine.backend import Backend
from guardrail.engine.flow import FREE, Answer, Cost, Failed, Keep, Reason, Reply, Request, describe
from guardrail.engine.jobs import Retry
from guardrail.engine.lanes import Lane, LoopLane, ThreadLane
from guardrail.engine.watchdog import Watchdog
from guardrail.errors import ConfigError
from guardrail.options import number


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


class _Computer(Backend[Any]):
    """Runs `Compute` requests."""

    concurrency = max(1, os.cpu_count() or 1)
    paid = False

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

    Raises:
        ConfigError: one of them is something else.
    """

    def __init__(
        self, backends: Mapping[str, Backend[Any]], *, store: Store | None = None, retry: Retry | None = None
    ) -> None:
        if not isinstance(backends, Mapping):
            raise ConfigError(
                f"a Hub takes models by lane, got {type(backends).__name__}: write Hub({{'chat': model}})"
            )
        if retry is not None and not isinstance(retry, Retry):
            raise ConfigError(f"retry= takes a Retry, got {retry!r:.80}: write retry=Retry(attempts=3)")
        if store is not None and not hasattr(store, "samples"):
            raise ConfigError(f"store= takes a Cache, got {store!r:.80}: write store=Cache('replies.sqlite')")
        self.backends: dict[str, Backend[Any]] = {"compute": _Computer()}
        for lane, backend in backends.items():
            self.add(lane, backend)
        self.store = store
        self.retry = retry or Retry()
        self.watchdog = Watchdog()
        self.spent = Cost()
        self.shares_samples = store is not None and store.samples
        self._warned = False
        self._acquainted: set[int] = set()  # by identity: backends are never taken away
        self._lock = threading.Lock()
        self._threads: dict[int, ThreadLane] = {}
        self._loops: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, dict[int, LoopLane]]
        self._loops = weakref.WeakKeyDictionary()
        _hubs.add(self)

    def add(self, lane: str, backend: Backend[Any]) -> None:
        """Have a backend answer a lane that nobody answers yet, or only one whose replies are the same.

        Raises:
            ConfigError: another backend does, or this is no backend or can never be called.
        """
        given: object = backend
        fingerprinted = hasattr(type(given), "fingerprint") or "fingerprint" in getattr(given, "__dict__", {})
        if not (isinstance(given, Backend) and fingerprinted):
            raise ConfigError(
                f"expected for {lane!r} a backend with a fingerprint, got {type(backend).__name__}: inherit "
                "guardrail.detector.Backend, and say in `fingerprint` what the replies depend on"
            )
        for name in ("batch", "concurrency"):
            number(f"{lane!r}: {name} of {type(backend).__name__}", getattr(backend, name), least=1)
        known = self.backends.setdefault(lane, backend)
        if known is not backend and known.fingerprint != backend.fingerprint:
            raise ConfigError(
                f"two different backends for {lane!r}: {known.fingerprint!r} and "
                f"{backend.fingerprint!r}. Give the guard one (`backends={{…}}`), or each guard a hub of its own."
            )

    def backend(self, request: Request[Any]) -> Backend[Any] | None:
        """Who answers a request: the backend of its route, else of its lane."""
        return self.backends.get(request.route, self.backends.get(request.lane))

    def is_paid(self, route: str) -> bool | None:
        """Whether the calls of a route are paid for; `None` where nobody answers it."""
        backend = self.backends.get(route, self.backends.get(route.partition(":")[0]))
        return None if backend is None else backend.paid

    def thread_lane(self, backend: Backend[Any]) -> ThreadLane:
        """The one lane of a backend that serves all threads and loops."""
        lane = self._threads.get(id(backend))
        if lane is None:
            with self._lock:
                lane = self._threads.setdefault(id(backend), ThreadLane(backend, self))
        return lane

    def loop_lane(self, backend: Backend[Any]) -> LoopLane:
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

    def is_strange(self, request: Request[Any], backend: Backend[Any]) -> bool:
        """Whether `recall` may take seconds, for nobody has read the backend's fingerprint yet: it may hash weights."""
        return (
            self.store is not None and request.keep is not Keep.NEVER and id(backend) not in self._acquainted
        )

    def acquaint(self, backend: Backend[Any]) -> None:
        """Read a backend's fingerprint, so that `recall` does not wait for it."""
        with contextlib.suppress(Exception):  # `recall` tells of it, and the backend's own replies do
            _ = backend.fingerprint
        self._acquainted.add(id(backend))

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
        if cost is not FREE and (cost.calls or cost.seconds or cost.tokens):
            with self._lock:
                self.spent += cost

    def queued(self) -> int:
        """Requests in flight or waiting in any lane: 0 when everything is at rest."""
        with self._lock:
            lanes: list[Lane[Any]] = list(self._threads.values())
            for loop_lanes in self._loops.values():
                lanes += loop_lanes.values()
        return sum(lane.open for lane in lanes)

    def close(self) -> None:
        """End the threads that wait for work; whoever asks again begins new ones. Backends and store stay open."""
        for lane in list(self._threads.values()):
            lane.rest()

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
