"""The lasting memory: replies in one SQLite file, shared by processes, whole after a kill."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from guardrail._log import log
from guardrail._sqlite import Connection
from guardrail.engine import codec
from guardrail.engine.flow import Answer, Keep, Request
from guardrail.errors import ConfigError, InputError
from guardrail.options import number

__all__ = ["Cache"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY, kind TEXT NOT NULL, reply TEXT NOT NULL, at REAL NOT NULL
) WITHOUT ROWID
"""
_BUSY_SECONDS = 10.0


class Cache:
    """Replies by request and backend fingerprint.

    An answer is committed before anybody acts on it, so a killed process finds it again; failures are never
    kept. Random draws are kept only with `samples=True`: with it an interrupted run resumes for nothing, without
    it a regenerated answer can never be an old one.

    Args:
        path: the file; its folder is made.
        samples: whether draws at a temperature above 0 are shared between calls.
        max_age: seconds after which a reply counts as unknown; `None` = never.

    Raises:
        ConfigError: the file is no cache, or cannot be written.
    """

    def __init__(self, path: str | Path, *, samples: bool = False, max_age: float | None = None) -> None:
        if not isinstance(path, str | os.PathLike):
            raise ConfigError(
                f"expected the path of a cache file, got {path!r:.80}: write Cache('replies.sqlite')"
            )
        if max_age is not None:
            number("max_age", max_age)
        self.path = Path(path).expanduser()
        if self.path.is_dir():
            raise ConfigError(
                f"expected a cache file, got the folder {str(path)!r}: write {str(self.path / 'replies.sqlite')!r}"
            )
        self.samples = samples
        self.max_age = max_age
        self._mutex = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._warned = False
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            _refuse_another(self.path)
            self._execute(_SCHEMA)
            self._execute("SELECT key, kind, reply, at FROM replies LIMIT 0")
        except (sqlite3.Error, OSError) as error:
            self.close()
            raise ConfigError(
                f"expected a cache file that can be written, got {str(self.path)!r}: {error}. "
                "Delete it or name another."
            ) from error
        _caches.add(self)

    def get(self, request: Request[Any], fingerprint: str) -> Answer[Any] | None:
        """The remembered reply at no cost, or `None`."""
        if not self._keeps(request):
            return None
        try:
            rows = self._execute(
                "SELECT reply, at FROM replies WHERE key = ?", (codec.key(request, fingerprint),)
            )
            if not rows or (self.max_age is not None and time.time() - rows[0][1] > self.max_age):
                return None
            reply = codec.decode_reply(request, rows[0][0])
        except (sqlite3.Error, InputError) as error:
            self._warn(error)
            return None
        return Answer(reply.value) if isinstance(reply, Answer) else None

    def put(self, request: Request[Any], fingerprint: str, answer: Answer[Any]) -> None:
        """Remember; committed when this returns."""
        if not self._keeps(request):
            return
        try:
            row = (
                codec.key(request, fingerprint),
                type(request).__name__,
                codec.encode_reply(request, answer),
                time.time(),
            )
            self._execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?)", row)
        except (sqlite3.Error, InputError) as error:
            self._warn(error)

    def __len__(self) -> int:
        return int(self._execute("SELECT count(*) FROM replies")[0][0])

    def close(self) -> None:
        """Close the connection; the next use opens one again."""
        with self._mutex:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def _keeps(self, request: Request[Any]) -> bool:
        keep = request.keep
        return keep is Keep.ALWAYS or (keep is Keep.SAMPLED and self.samples)

    def _execute(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """By the one connection of this process, under a lock: a look-up takes less than a thread switch."""
        with self._mutex:
            if self._connection is None:
                self._connection = _connect(self.path)
            return self._connection.execute(statement, values).fetchall()

    def _warn(self, error: Exception) -> None:
        """A cache that fails costs money, not answers: say it once and go on."""
        if not self._warned:
            self._warned = True
            log.warning("cache_failed", path=str(self.path), error=str(error))


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, isolation_level=None, timeout=_BUSY_SECONDS, check_same_thread=False, factory=Connection
    )
    try:
        _use_log(connection)
        # NORMAL with a write-ahead log: a commit outlives the process, if not a power cut.
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


def _use_log(connection: sqlite3.Connection) -> None:
    """Switch to a write-ahead log. The busy timeout does not cover this: two first users meet here."""
    until = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return


# A connection must not cross a fork: SQLite counts its locks per process, and the child would believe that it
# holds its parent's. So it is closed before, and both open their own.

_caches: weakref.WeakSet[Cache] = weakref.WeakSet()
_held: list[Cache] = []


def _before_fork() -> None:
    for cache in list(_caches):
        cache._mutex.acquire()  # noqa: SLF001  # this module's own
        _held.append(cache)
        cache.close()


def _after_fork() -> None:
    while _held:
        _held.pop()._mutex.release()  # noqa: SLF001


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


def _refuse_another(path: Path) -> None:
    """Look at what is there, without touching it, before anything is written."""
    if not path.is_file() or path.stat().st_size == 0:
        return
    looking = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    try:
        rows = looking.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    finally:
        looking.close()
    tables = {str(name) for (name,) in rows}
    if tables and "replies" not in tables:
        raise ConfigError(
            f"expected a cache file, got {str(path)!r}, which is another database (with tables like {min(tables)!r}): "
            "name another file"
        )
