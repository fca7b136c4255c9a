"""Counters of several worker processes: each writes its own file, and whoever is asked adds them up.

A worker that died leaves its counts: the supervisor adds them to one file, so that no counter ever falls.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

__all__ = ["Counts", "Shared"]

Counts: TypeAlias = "Counter[tuple[str, tuple[tuple[str, str], ...]]]"
_GONE = "gone.json"


class Shared:
    """Files in a folder that only this user can read.

    Args:
        folder: of the supervisor.
        worker: the number of this process; `None` for the supervisor.
    """

    def __init__(self, folder: Path, worker: int | None = None) -> None:
        self._folder = folder
        self._own = None if worker is None else _name(worker)

    def write(self, counts: Counts, running: int) -> None:
        """Say what this process counted so far, and how many requests it is working on."""
        if self._own is not None:
            self._put(self._own, counts, running)

    def others(self) -> tuple[Counts, int]:
        """What all other processes counted, and what they are working on."""
        counts: Counts = Counter()
        running = 0
        with self._locked(alone=False):
            for file in self._folder.glob("*.json"):
                if file.name != self._own:
                    found, more = _read(file)
                    counts.update(found)
                    running += more
        return counts, running

    def bury(self, worker: int) -> None:
        """Keep the counts of a process that has ended; it works on nothing any more."""
        with self._locked(alone=True):
            dead = self._folder / _name(worker)
            counts = _read(self._folder / _GONE)[0]
            counts.update(_read(dead)[0])
            self._put(_GONE, counts, 0)
            dead.unlink(missing_ok=True)

    def _put(self, name: str, counts: Counts, running: int) -> None:
        rows = [[counter, labels, amount] for (counter, labels), amount in counts.items()]
        beside = self._folder / f"{name}.new"
        beside.write_text(json.dumps({"running": running, "rows": rows}), encoding="utf-8")
        beside.replace(self._folder / name)  # a reader sees the old file or the new one

    @contextlib.contextmanager
    def _locked(self, *, alone: bool) -> Iterator[None]:
        import fcntl  # there are no workers where it is not

        handle = os.open(self._folder / "lock", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
            yield
        finally:
            os.close(handle)


def _name(worker: int) -> str:
    return f"worker-{worker}.json"


def _read(file: Path) -> tuple[Counts, int]:
    """The counts of a file; none of one that is not there."""
    try:
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Counter(), 0
    rows = {
        (name, tuple((key, value) for key, value in labels)): amount for name, labels, amount in found["rows"]
    }
    return Counter(rows), found["running"]
