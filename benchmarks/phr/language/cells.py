"""Cells that are done: one SQLite file, each cell whole or absent, whatever kills the process."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from benchmarks._data import cache_root
from benchmarks.phr.language.tasks import Cell
from guardrail.errors import InputError

__all__ = ["Found", "Point", "Store", "home", "key"]

_SCHEMA = "CREATE TABLE IF NOT EXISTS cells (key TEXT PRIMARY KEY, cell TEXT NOT NULL, found TEXT NOT NULL)"


@dataclass(frozen=True, slots=True)
class Point:
    """One query; a number is `None` where the model gave none.

    Attributes:
        phr: by ε.
        mhr: by ε.
        error: error rate, in [0, 1].
        entropy: H(Y|x, D_n), in nats.
        information: mutual information, in nats.
        contexts: how many imagined contexts were read.
    """

    phr: Mapping[str, float | None]
    mhr: Mapping[str, float | None]
    error: float | None
    entropy: float | None
    information: float | None
    contexts: int


@dataclass(frozen=True, slots=True)
class Found:
    """What one cell gave.

    Attributes:
        task: its file's name.
        n: size of the training set.
        seed: number of the set.
        labels: how many the task has.
        points: one per query.
        imagined: contexts that were begun.
        redrawn: imagined pairs that could not be read and were drawn again.
        given_up: contexts that were not finished.
        pairs: imagined pairs that were read.
        sound: those of them whose label is one of the task's.
        faults: in words, each once.
        seconds: it took.
    """

    task: str
    n: int
    seed: int
    labels: int
    points: tuple[Point, ...]
    imagined: int
    redrawn: int
    given_up: int
    pairs: int
    sound: int
    faults: tuple[str, ...]
    seconds: float

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Found:
        """As it was written."""
        points = tuple(Point(**point) for point in row["points"])
        return cls(**{**row, "points": points, "faults": tuple(row["faults"])})


def home() -> Path:
    """The file in the user's cache."""
    return cache_root().parent / "phr" / "cells.sqlite"


def key(cell: Cell, how: Mapping[str, Any]) -> str:
    """Of all that a cell's numbers depend on: its pairs, the model, the settings."""
    whole = json.dumps([asdict(cell), dict(how)], sort_keys=True, default=str, ensure_ascii=False)
    return blake2b(whole.encode(), digest_size=16).hexdigest()


class Store:
    """Finished cells by key. A cell is committed before the next one begins."""

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=30)
            with self._connection:
                self._connection.execute(_SCHEMA)
        except (sqlite3.Error, OSError) as error:
            raise InputError(
                f"expected a file of finished cells that can be written, got {path.name!r}: {error}"
            ) from error

    def get(self, name: str) -> Found | None:
        """A cell that is done."""
        row = self._connection.execute("SELECT found FROM cells WHERE key = ?", (name,)).fetchone()
        return None if row is None else Found.of(json.loads(row[0]))

    def put(self, name: str, found: Found) -> None:
        """Write a cell; it is on the disk when this returns."""
        title = f"{found.task} n={found.n} seed={found.seed}"
        text = json.dumps(asdict(found), ensure_ascii=False)
        with self._connection:
            self._connection.execute("INSERT OR REPLACE INTO cells VALUES (?, ?, ?)", (name, title, text))

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()
