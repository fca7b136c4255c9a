"""Server processes of a benchmark: started, found ready, their processor time, memory and open files, ended."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

import httpx

from benchmarks.performance.speed.workers import CHECKOUT, without_paths
from guardrail.errors import GuardrailError

__all__ = ["NotStarted", "Process", "announce", "module", "started"]

_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
PROC = Path("/proc")


class NotStarted(GuardrailError):
    """A server did not start; the message quotes its last words."""


class Process:
    """A running server and its children.

    Attributes:
        url: for a client, without `/v1`.
        pid: of the first process.
    """

    def __init__(self, url: str, pid: int) -> None:
        self.url = url
        self.pid = pid

    def family(self) -> list[int]:
        """Its process and all that came from it."""
        parents = {int(path.name): _parent(path) for path in PROC.iterdir() if path.name.isdigit()}
        found = [self.pid]
        for one in found:  # grows while it is read
            found += [pid for pid, parent in parents.items() if parent == one]
        return found

    def seconds(self) -> float:
        """Processor time of all of them so far."""
        return sum(_ticks(PROC / str(pid)) for pid in self.family()) / _TICKS

    def memory(self) -> int:
        """Resident bytes of all of them."""
        return sum(_resident(PROC / str(pid)) for pid in self.family())

    def files(self) -> int:
        """Open file descriptors of the first one."""
        return sum(1 for _ in (PROC / str(self.pid) / "fd").iterdir())


def _fields(path: Path) -> list[str]:
    """Fields of `stat` after the name, which may have blanks and brackets in it."""
    try:
        return (path / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:  # it has ended
        return []


def _parent(path: Path) -> int:
    fields = _fields(path)
    return int(fields[1]) if fields else -1


def _ticks(path: Path) -> int:
    fields = _fields(path)
    return int(fields[11]) + int(fields[12]) if fields else 0


def _resident(path: Path) -> int:
    fields = _fields(path)
    return int(fields[21]) * _PAGE if fields else 0


@contextlib.contextmanager
def announce() -> Iterator[socket.socket]:
    """In a server: listen on a free port and print its address for `started`."""
    # asyncio sends at once (TCP_NODELAY) only where the protocol is named
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1024)
        print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)  # the caller reads it
        yield listener


def module(name: str, *arguments: str) -> list[str]:
    """The command of a module of this benchmark."""
    return [sys.executable, "-m", f"benchmarks.performance.server.{name}", *arguments]


@contextlib.contextmanager
def started(
    command: Sequence[str],
    *,
    ready: str,
    url: str | None = None,
    environment: Mapping[str, str] | None = None,
    seconds: float = 120.0,
) -> Iterator[Process]:
    """A server while the block runs.

    Args:
        command: starts it; without `url` it prints its address as its first line.
        ready: path that answers 200, or at least not 5xx, once it serves.
        url: its address.
        environment: added to this process's.
        seconds: that starting may take.

    Raises:
        NotStarted: it ended, or took too long.
    """
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(  # noqa: S603  # ourselves, or what the benchmark installed
            command,
            stdout=subprocess.PIPE if url is None else said,
            stderr=said,
            stdin=subprocess.DEVNULL,
            cwd=CHECKOUT,
            env={**os.environ, **(environment or {})},
            text=True,
        )
        try:
            found = url or (child.stdout.readline().strip() if child.stdout else "")
            _wait(child, f"{found}{ready}", said, seconds)
            yield Process(found, child.pid)
        finally:
            _end(child)


def _wait(child: subprocess.Popen[str], url: str, said: IO[bytes], seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until and child.poll() is None:
        with contextlib.suppress(httpx.HTTPError, httpx.InvalidURL):
            if httpx.get(url, timeout=5, trust_env=False).status_code < 500:
                return
        time.sleep(0.1)
    child.kill()
    child.wait()
    said.seek(0)
    words = without_paths(said.read().decode("utf-8", "replace"))[-500:]
    raise NotStarted(f"a server did not start within {seconds:g} s; it said: {words or 'nothing'}")


def _end(child: subprocess.Popen[str]) -> None:
    child.terminate()
    try:
        child.wait(timeout=20)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    if child.stdout is not None:
        child.stdout.close()
