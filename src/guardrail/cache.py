"""The lasting memory: replies in one SQLite file, shared by processes, whole after a kill."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

from guardrail import codec
from guardrail._log import log
from guardrail.errors import ConfigError
from guardrail.flow import Answer, Keep, Request

__all__ = ["Cache"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY, kind TEXT NOT NULL, reply TEXT NOT NULL, at REAL NOT NULL
) WITHOUT ROWID
"""


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
        self.path = Path(path).expanduser()
        self.samples = samples
        self.max_age = max_age
        self._local = threading.local()
        self._warned = False
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection().execute(_SCHEMA)
        except (sqlite3.Error, OSError) as error:
            raise ConfigError(
                f"expected a cache file that can be written, got {str(self.path)!r}: {error}. "
                "Delete it or name another."
            ) from error

    def get(self, request: Request[Any], fingerprint: str) -> Answer[Any] | None:
        """The remembered reply at no cost, or `None`."""
        if request.keep is Keep.SAMPLED and not self.samples:
            return None
        key = codec.key(request, fingerprint)
        try:
            row = self._connection().execute("SELECT reply, at FROM replies WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            self._warn(error)
            return None
        if row is None or (self.max_age is not None and time.time() - row[1] > self.max_age):
            return None
        reply = codec.decode_reply(request, row[0])
        return Answer(reply.value) if isinstance(reply, Answer) else None

    def put(self, request: Request[Any], fingerprint: str, answer: Answer[Any]) -> None:
        """Remember; committed when this returns."""
        if request.keep is Keep.SAMPLED and not self.samples:
            return
        row = (
            codec.key(request, fingerprint),
            type(request).__name__,
            codec.encode_reply(request, answer),
            time.time(),
        )
        try:
            self._connection().execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?)", row)
        except sqlite3.Error as error:
            self._warn(error)

    def __len__(self) -> int:
        return int(self._connection().execute("SELECT count(*) FROM replies").fetchone()[0])

    def close(self) -> None:
        """Close this thread's connection."""
        held = getattr(self._local, "held", None)
        if held is not None and held[0] == os.getpid():
            held[1].close()
        self._local.held = None

    def _connection(self) -> sqlite3.Connection:
        """One per thread and process: a connection must not cross a fork."""
        held: tuple[int, sqlite3.Connection] | None = getattr(self._local, "held", None)
        if held is None or held[0] != os.getpid():
            connection = sqlite3.connect(self.path, isolation_level=None, timeout=10)
            # NORMAL with a write-ahead log: a commit outlives the process, if not a power cut.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            held = self._local.held = (os.getpid(), connection)
        return held[1]

    def _warn(self, error: sqlite3.Error) -> None:
        """A cache that fails costs money, not answers: say it once and go on."""
        if not self._warned:
            self._warned = True
            log.warning("cache_failed", path=str(self.path), error=str(error))
