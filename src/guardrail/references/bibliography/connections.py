"""Connections to an index: one for each thread of each process."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from guardrail._sqlite import Connection
from guardrail.errors import IndexFault
from guardrail.references.bibliography.faults import faults

BUSY = 30.0  # seconds to wait for another writer
CACHE = 65536  # KiB for each connection


@dataclass(frozen=True, slots=True, eq=False)
class _Owned:
    """A connection, and the thread and process that use it."""

    process: int
    thread: threading.Thread
    connection: sqlite3.Connection


class Connections:
    """The connections to one file, made when they are first needed."""

    def __init__(self, path: Path, *, readonly: bool) -> None:
        self.path = path
        self.readonly = readonly
        self._local = threading.local()
        self._lock = threading.Lock()
        self._owned: list[_Owned] = []

    def __len__(self) -> int:
        return len(self._owned)

    def get(self) -> sqlite3.Connection:
        """This thread's connection in this process.

        A connection that came over from a parent process is kept, unused: to close it in the child could harm
        the parent's.
        """
        found: _Owned | None = getattr(self._local, "found", None)
        if found is not None and found.process == os.getpid():
            return found.connection
        found = _Owned(os.getpid(), threading.current_thread(), self._connect())
        self._local.found = found
        with self._lock:
            over = [o for o in self._owned if o.process == found.process and not o.thread.is_alive()]
            self._owned = [*(o for o in self._owned if o not in over), found]
        for owned in over:
            owned.connection.close()
        return found.connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that is undone by any exception.

        Raises:
            IndexFault: opened for reading; or the file is not writable, full, corrupt, or locked.
        """
        if self.readonly:
            raise IndexFault(
                f"the index {str(self.path)!r} was opened for reading. Open it with readonly=False."
            )
        with faults(self.path):
            connection = self.get()
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def close(self) -> None:
        """Close this process's connections; the next `get` makes a new one."""
        with self._lock:
            mine = [owned.connection for owned in self._owned if owned.process == os.getpid()]
            self._owned = [owned for owned in self._owned if owned.process != os.getpid()]
        self._local = threading.local()
        for connection in mine:
            if not self.readonly:
                _single_file(connection)
            connection.close()

    def _connect(self) -> sqlite3.Connection:
        uri = self.path.absolute().as_uri()
        if not self.readonly:
            return _connected(f"{uri}?mode=rwc")
        connection = _connected(f"{uri}?mode=ro")
        try:
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            connection.close()
            if os.access(self.path.parent, os.W_OK):
                raise
            # An index that was left with a log, in a folder where no lock file can be made: nobody writes there.
            connection = _connected(f"{uri}?mode=ro&immutable=1")
        return connection


def _connected(uri: str) -> sqlite3.Connection:
    # check_same_thread: `close` and the pruning of ended threads reach over to other threads' connections.
    connection = sqlite3.connect(
        uri, uri=True, timeout=BUSY, isolation_level=None, check_same_thread=False, factory=Connection
    )
    connection.execute(f"PRAGMA cache_size = -{CACHE}")
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _single_file(connection: sqlite3.Connection) -> None:
    """Leave no log file beside the index, unless others still read it."""
    try:
        connection.execute("PRAGMA busy_timeout = 200")
        connection.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error:
        return
