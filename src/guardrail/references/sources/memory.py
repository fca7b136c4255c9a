"""Replies that are kept, so that nothing is asked twice.

hishel keeps successful replies for a month. A reply that did not settle the reference, and a "not found", are kept for a day
only: works are added to catalogues. Keys are added behind this cache (`client`), so that none is ever written to the disk.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx

from guardrail._sqlite import Connection
from guardrail.errors import MissingExtra
from guardrail.references.sources.pace import Clock

DAY = 86_400.0
KEPT = 30 * DAY  # a reply that settled a reference
UNSETTLED = DAY  # one that did not, and "not found"
LARGEST = 500_000_000  # bytes on the disk


class Memory:
    """The replies kept in one folder; any thread may use it."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        """Open or make it.

        Raises:
            MissingExtra: hishel is not installed.
            OSError: the folder cannot be written.
        """
        try:
            import hishel
            import hishel.httpx
        except ImportError as error:
            raise MissingExtra("hishel, which keeps replies of public catalogues,", extra="online") from error
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._folder = folder
        self._clock = clock
        self._transport = hishel.httpx.CacheTransport
        self._storage_of = hishel.SqliteStorage
        self._open()

    def _open(self) -> None:
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._storage = self._storage_of(
            database_path=self._folder / "replies.sqlite", default_ttl=KEPT, max_size=LARGEST
        )
        self._notes = sqlite3.connect(
            self._folder / "notes.sqlite",
            check_same_thread=False,
            isolation_level=None,
            timeout=30,
            factory=Connection,
        )
        self._notes.execute("PRAGMA journal_mode = WAL")
        self._notes.execute(
            "CREATE TABLE IF NOT EXISTS notes (key TEXT PRIMARY KEY, until REAL NOT NULL, missing INTEGER NOT NULL)"
        )

    @contextmanager
    def _noting(self) -> Iterator[sqlite3.Connection]:
        """The notes, one thread at a time; a disk that fails costs requests, not answers."""
        self._here()
        with self._lock, suppress(sqlite3.Error):
            yield self._notes

    def _here(self) -> None:
        """After a fork: connections of the parent are of no use, and are not closed for its sake."""
        if self._process != os.getpid():
            self._open()

    def transport(self, beneath: httpx.BaseTransport) -> httpx.BaseTransport:
        """A transport that answers from here, else through the one beneath."""
        # Not a CacheClient: that one is silently no cache if it is given a transport, and ours adds the keys.
        self._here()
        wrapped: httpx.BaseTransport = self._transport(
            next_transport=beneath, storage=self._storage, rfc=False
        )
        return _KeptOpen(wrapped)

    def is_missing(self, key: str) -> bool:
        """Whether this was asked lately and the source has nothing; what is out of date is forgotten."""
        row = None
        with self._noting() as notes:
            row = notes.execute("SELECT until, missing FROM notes WHERE key = ?", (key,)).fetchone()
        if row is None:
            return False
        until, missing = row
        if until <= self._clock.time():
            self.forget(key)
            return False
        return bool(missing)

    def note(self, keys: Iterable[str], *, missing: bool = False) -> None:
        """These replies are kept for a day only; what is noted already is not prolonged."""
        until = self._clock.time() + UNSETTLED
        with self._noting() as notes:
            notes.executemany(
                "INSERT OR IGNORE INTO notes VALUES (?, ?, ?)", [(key, until, missing) for key in keys]
            )

    def forget(self, key: str) -> None:
        """Drop a reply and what is noted about it."""
        self._here()
        for entry in self._storage.get_entries(key):
            self._storage.remove_entry(entry.id)
        with self._noting() as notes:
            notes.execute("DELETE FROM notes WHERE key = ?", (key,))

    def close(self) -> None:
        """Close both files."""
        if self._process == os.getpid():
            self._storage.close()
            with self._lock:
                self._notes.close()


class _KeptOpen(httpx.BaseTransport):
    """A transport of one source that leaves the storage open, which all sources share."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response: httpx.Response = self._inner.handle_request(request)
        return response

    def close(self) -> None:
        self._inner.next_transport.close()
