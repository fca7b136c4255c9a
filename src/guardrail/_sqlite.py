"""Connections to SQLite that end with their owner."""

from __future__ import annotations

import sqlite3
from contextlib import suppress


class Connection(sqlite3.Connection):
    """Closes itself when nobody uses it any more: a guard may be dropped without `close()`, and since Python 3.13 an open connection would warn then."""

    def __del__(self) -> None:
        with suppress(sqlite3.ProgrammingError):  # it could not be opened
            self.close()
