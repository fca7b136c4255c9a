"""Worker processes, one for each thing that is measured. They are asked in turn, never two at once."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NoReturn, Self, TypeAlias

from guardrail.errors import GuardrailError

__all__ = [
    "CHECKOUT",
    "OWN",
    "Absent",
    "Anyone",
    "Reply",
    "Worker",
    "WorkerFailed",
    "settings",
    "without_paths",
]

OWN = (sys.executable, "-m", "benchmarks.performance.speed.own")
CHECKOUT = Path(__file__).resolve().parents[3]
_PATH = re.compile(r"(?:/[\w.+@-]+){2,}/?|[A-Za-z]:\\[^\s'\"]+")
_LAST_WORDS = 300  # characters of what a worker said before it died


class WorkerFailed(GuardrailError):
    """A worker could not do what it was asked, died, or took too long; the message says which."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a worker found.

    Attributes:
        value: as JSON gives it.
        seconds: that the operation took, measured in the worker.
        peak: bytes, the most memory the process has held so far.
    """

    value: Any
    seconds: float
    peak: int


def settings(threads: int, device: str, environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of every worker: as many threads for all, no network but this machine's."""
    found = dict(os.environ if environment is None else environment)
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        found[name] = str(threads)
    found |= {
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "NO_PROXY": "127.0.0.1",
        "PYTHONWARNINGS": "ignore",
    }
    if device == "cpu":
        found["CUDA_VISIBLE_DEVICES"] = ""
    return found


def without_paths(text: str) -> str:
    """A message without the paths of this machine."""
    return _PATH.sub("…", " ".join(text.split()))


class Worker:
    """A process that answers requests, one JSON object a line.

    Args:
        name: for messages.
        command: starts it.
        environment: all of it.
        timeout: seconds for one request.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        environment: Mapping[str, str],
        timeout: float = 1_800.0,
    ) -> None:
        self.name = name
        self.timeout = timeout
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # closed by `close`
        self._process = subprocess.Popen(  # noqa: S603  # ourselves
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            env=dict(environment),
            cwd=CHECKOUT,
            text=True,
            encoding="utf-8",
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, name=f"speed-{name}", daemon=True)
        self._reader.start()

    def ask(self, operation: str, **arguments: Any) -> Reply:
        """Send one request and wait for its reply.

        Raises:
            WorkerFailed: with the worker's own words, without paths.
        """
        try:
            assert self._process.stdin is not None  # noqa: S101  # it was asked for
            self._process.stdin.write(json.dumps({"op": operation, **arguments}) + "\n")
            self._process.stdin.flush()
            line = self._lines.get(timeout=self.timeout)
        except queue.Empty:
            self._process.kill()
            raise WorkerFailed(
                f"{self.name}: {operation!r} took more than {self.timeout:.0f} s and was stopped. "
                "Try a smaller --size."
            ) from None
        except OSError:  # the pipe is closed
            line = ""
        if not line:
            raise WorkerFailed(f"{self.name}: the process ended at {operation!r}: {self._last_words()}")
        return self._reply(operation, line)

    def _reply(self, operation: str, line: str) -> Reply:
        try:
            found = json.loads(line)
            if found["ok"]:
                return Reply(found["value"], float(found["seconds"]), int(found["peak"]))
            error = str(found["error"])
        except (ValueError, TypeError, KeyError) as problem:
            raise WorkerFailed(
                f"{self.name}: expected a reply to {operation!r}, got {without_paths(line[:200])!r}"
            ) from problem
        raise WorkerFailed(f"{self.name}: {operation!r} failed: {without_paths(error)[:_LAST_WORDS]}")

    def _read(self) -> None:
        assert self._process.stdout is not None  # noqa: S101  # it was asked for
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def _last_words(self) -> str:
        self._process.wait(timeout=10)
        self._said.seek(0)
        words = without_paths(self._said.read().decode("utf-8", "replace"))
        return words[-_LAST_WORDS:] or f"exit code {self._process.returncode}"

    def close(self) -> None:
        """End the process."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):  # it is gone
                self._process.stdin.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(timeout=5)
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._said.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Absent:
    """Stands for a worker that could not be started: whoever asks it is told why."""

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason

    def ask(self, operation: str, **arguments: Any) -> NoReturn:
        """Say why."""
        del operation, arguments
        raise WorkerFailed(self.reason)

    def close(self) -> None:
        """Nothing to end."""


Anyone: TypeAlias = Worker | Absent
