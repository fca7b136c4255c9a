"""Workers forked from a process that has imported everything: with `--fast` most of the time would be imports.

A forked worker has what a fresh one has after its imports, and an own peak of memory. Nothing was computed before the
fork, so no thread is lost by it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

__all__ = ["AVAILABLE", "Child", "Nursery"]

AVAILABLE = hasattr(os, "fork") and hasattr(socket, "send_fds")
_STARTED = 120.0  # seconds that imports may take


class Child:
    """A forked worker, as far as `Worker` needs a process."""

    def __init__(self, pid: int, stdin: IO[str], stdout: IO[str]) -> None:
        self.pid, self.stdin, self.stdout = pid, stdin, stdout
        self.returncode: int | None = None

    def wait(self, timeout: float | None = None) -> None:
        """Until it is gone.

        Raises:
            subprocess.TimeoutExpired: it is still there.
        """
        until = time.monotonic() + (60.0 if timeout is None else timeout)
        while self._there():
            if time.monotonic() > until:
                raise subprocess.TimeoutExpired("worker", timeout or 60.0)
            time.sleep(0.01)

    def kill(self) -> None:
        """End it."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def _there(self) -> bool:
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        return True


class Nursery:
    """A process that imports what its workers need, and forks one at each request.

    Args:
        command: starts it; it is given the number of a socket as its last argument.
        environment: all of it, also that of the workers.
        folder: its working folder.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], folder: Path) -> None:
        self._socket, theirs = socket.socketpair()
        self._socket.settimeout(_STARTED)
        self._process = subprocess.Popen(  # noqa: S603  # ourselves, or what the benchmark installed
            [*command, str(theirs.fileno())],
            env=dict(environment),
            cwd=folder,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        theirs.close()

    def fork(self, said: IO[bytes], folder: Path) -> Child:
        """A new worker, whose standard error goes to `said`.

        Raises:
            OSError: the nursery is gone, or its imports take too long.
        """
        (theirs_in, ours_in), (ours_out, theirs_out) = os.pipe(), os.pipe()
        stdin, stdout = os.fdopen(ours_in, "w", encoding="utf-8"), os.fdopen(ours_out, encoding="utf-8")
        try:
            socket.send_fds(self._socket, [os.fsencode(folder)], [theirs_in, theirs_out, said.fileno()])
            return Child(int(self._socket.recv(32)), stdin, stdout)
        except (OSError, ValueError) as error:
            stdin.close()
            stdout.close()
            raise OSError(f"the process that forks workers has ended: {error!r}") from error
        finally:
            os.close(theirs_in)
            os.close(theirs_out)

    def close(self) -> None:
        """End it; workers that are left end by themselves."""
        self._socket.close()
        self._process.kill()
        self._process.wait()
