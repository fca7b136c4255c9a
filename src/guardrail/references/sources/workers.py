"""Threads that ask one source: as many at once as it allows, and none that keeps the interpreter from ending."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")

GRACE = 1.0  # seconds that a request under way has to end
_Job = tuple["Future[Any]", Callable[[], Any]]


class Workers:
    """Runs functions in at most `size` daemon threads, which begin when there is something to do."""

    def __init__(self, size: int, name: str) -> None:
        self._size = size
        self._name = name
        self._threads: list[threading.Thread] = []
        self._reset()

    def submit(self, function: Callable[[], T]) -> Future[T]:
        """Run it when its turn comes; a cancelled one that waits is passed over."""
        if self._process != os.getpid():  # the parent's threads are not here
            self._reset()
        future: Future[T] = Future()
        self._jobs.put((future, function))
        with self._lock:
            self._waiting += 1
            if len(self._threads) < min(self._size, self._waiting):
                thread = threading.Thread(target=self._work, args=(self._jobs,), name=self._name, daemon=True)
                self._threads.append(thread)
                thread.start()
        return future

    def close(self) -> None:
        """Drop what waits, and end the threads when they have finished what they do."""
        while True:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                break
            if job is not None:
                job[0].cancel()
        with self._lock:
            threads = self._threads
            self._threads = []
            self._waiting = 0
        for _ in threads:
            self._jobs.put(None)
        for thread in threads if self._process == os.getpid() else ():
            thread.join(GRACE)

    def _work(self, jobs: queue.SimpleQueue[_Job | None]) -> None:
        while (job := jobs.get()) is not None:
            future, function = job
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(function())
                except BaseException as error:  # noqa: BLE001  # whoever waits for it gets it
                    future.set_exception(error)
            with self._lock:
                self._waiting = max(0, self._waiting - 1)
            del job, future, function

    def _reset(self) -> None:
        self._process = os.getpid()
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._threads = []
        self._waiting = 0
