"""Several processes behind one port: each has its own guard and models; one that dies is started again."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

from prometheus_client.multiprocess import mark_process_dead

from guardrail.errors import ConfigError, GuardrailError
from guardrail.guard import Guard
from guardrail.server.advice import advice, of_workers
from guardrail.server.metrics import share
from guardrail.server.rules import Rules
from guardrail.server.serving import handled, serving
from guardrail.server.settings import Settings

_SPAWN = multiprocessing.get_context("spawn")  # a fork would copy locks of threads that are not there
_SOON = 5.0  # seconds: a worker that dies sooner is not started again at once
_LONGEST_PAUSE = 30.0  # seconds
_GRACE = 10.0  # seconds beyond `drain` before a worker is killed
_READY = b"\0ready\n"  # then lines of advice


@dataclass
class _Worker:
    """A process.

    Attributes:
        number: its place among the workers; the one that replaces it goes on with its counts.
        process: runs the server.
        line: what it says "ready" over; its closing tells it that the supervisor is gone.
        started: by the monotonic clock.
        ready: whether it serves.
        fault: why it cannot serve, in its words.
        silent: whether it will say nothing more.
    """

    number: int
    process: SpawnProcess
    line: Connection
    started: float
    ready: bool = False
    fault: str = ""
    silent: bool = False


class Supervisor:
    """Starts workers, starts those anew that die, and drains all on SIGTERM or SIGINT.

    Args:
        settings: of the server, with the number of workers.
        make: makes the guard of a process; it and its arguments are sent there.
        listener: the socket that all take connections from.
        say: called with a line when a worker ended, or a detector can verify nothing.
    """

    def __init__(
        self,
        settings: Settings,
        make: Callable[[], Guard],
        listener: socket.socket,
        say: Callable[[str], Any],
    ) -> None:
        self._say = say
        self._settings = settings
        self._make = make
        self._listener = listener
        self._workers: list[_Worker] = []
        self._due: list[tuple[float, int]] = []  # when to start those that died soon, and their numbers
        self._advice: list[str] = []
        self._pause = 1.0
        self._stopping = False

    def run(self, ready: Callable[[], Any]) -> None:
        """Serve until a signal comes.

        Args:
            ready: called once, when all workers serve.

        Raises:
            ConfigError: a worker could not start.
        """
        with tempfile.TemporaryDirectory(prefix="guardrail-") as folder, self._signals() as woken:
            self._folder = Path(folder)
            try:
                for number in range(self._settings.workers):
                    self._start(number)
                self._watch(ready, woken)
            finally:
                self._end()

    def _watch(self, ready: Callable[[], Any], woken: socket.socket) -> None:
        told = False
        while not self._is_stopping():
            lines = {one.line: one for one in self._workers if not (one.ready or one.silent)}
            sentinels = {one.process.sentinel: one for one in self._workers}
            pause = max(0.0, self._due[0][0] - time.monotonic()) if self._due else None
            found = wait([*lines, *sentinels, woken], pause)
            for line in lines.keys() & set(found):
                self._hear(lines[line])
            for sentinel in sentinels.keys() & set(found):
                self._lost(sentinels[sentinel], first=not told)
            if self._is_stopping():
                return
            while self._due and self._due[0][0] <= time.monotonic():
                self._start(self._due.pop(0)[1])
            if (
                not told
                and len(self._workers) == self._settings.workers
                and all(w.ready for w in self._workers)
            ):
                told = True
                ready()
                for advised in self._advice:
                    self._say(advised)

    def _is_stopping(self) -> bool:
        return self._stopping  # set by a signal

    def _start(self, number: int) -> None:
        here, there = _SPAWN.Pipe()
        job = _Job(self._settings, self._make, self._listener, there, self._folder, number)
        process = _SPAWN.Process(target=_work, args=(job,), name=f"guardrail-worker-{number}")
        process.start()
        there.close()
        self._workers.append(_Worker(number, process, here, time.monotonic()))

    def _hear(self, worker: _Worker) -> None:
        try:
            said = worker.line.recv_bytes()
        except (EOFError, OSError):
            worker.silent = True  # it died; its sentinel says so too
            return
        worker.ready = said.startswith(_READY)
        if worker.ready:
            self._advice = said.removeprefix(_READY).decode().splitlines()  # of all the same
        worker.fault = "" if worker.ready else said.decode(errors="replace")

    def _lost(self, worker: _Worker, *, first: bool) -> None:
        """Start another worker, which works on nothing yet and goes on with what was counted.

        Raises:
            ConfigError: it never served, nor did all others yet: the next one would end the same way.
        """
        worker.process.join()
        while not worker.silent and worker.line.poll():
            self._hear(worker)
        worker.line.close()
        self._workers.remove(worker)
        mark_process_dead(worker.number, self._folder)
        code = worker.process.exitcode
        if first and not worker.ready:
            raise ConfigError(worker.fault or f"a worker ended before it served (exit code {code})")
        soon = time.monotonic() - worker.started < _SOON
        self._pause = min(2 * self._pause, _LONGEST_PAUSE) if soon else 1.0
        pause = self._pause if soon else 0.0
        self._say(
            f"a worker ended (exit code {code}) and is started again" + (f" in {pause:g} s" if pause else "")
        )
        self._due.append((time.monotonic() + pause, worker.number))
        self._due.sort()

    def _end(self) -> None:
        """Drain all; kill what takes longer."""
        self._listener.close()
        for one in self._workers:
            if one.process.is_alive():
                one.process.terminate()
        until = time.monotonic() + self._settings.drain + _GRACE
        for one in self._workers:
            one.process.join(max(0.0, until - time.monotonic()))
            if one.process.is_alive():
                one.process.kill()
                one.process.join()
            one.line.close()

    @contextmanager
    def _signals(self) -> Iterator[socket.socket]:
        """A socket that becomes readable at a signal."""
        here, there = socket.socketpair()
        there.setblocking(False)

        def handle(*_: object) -> None:
            self._stopping = True
            there.send(b"x")

        with here, there, handled(handle):
            yield here


@dataclass(frozen=True)
class _Job:
    """What a worker is started with; see `Supervisor`."""

    settings: Settings
    make: Callable[[], Guard]
    listener: socket.socket
    line: Connection
    folder: Path
    number: int


def _work(job: _Job) -> None:
    """What a worker does, from its start to its end."""
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # until the server listens to signals; the supervisor sends SIGTERM
    threading.Thread(target=_leave_with, args=(job.line,), daemon=True).start()
    try:
        guard = job.make()
        lines = [*of_workers(job.settings), *advice(Rules(job.settings, guard).guards)]
    except GuardrailError as error:
        job.line.send_bytes(str(error).encode())
        return
    share(job.folder, job.number)
    ready = _READY + "\n".join(lines).encode()
    asyncio.run(serving(job.settings, guard, job.listener, job.folder, lambda: job.line.send_bytes(ready)))


def _leave_with(line: Connection) -> None:
    """Drain when the supervisor is gone: nobody would send the signal."""
    try:
        line.recv_bytes()
    except (EOFError, OSError):
        os.kill(os.getpid(), signal.SIGTERM)
