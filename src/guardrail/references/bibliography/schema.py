"""The tables of an index, and how a record becomes a row.

`works` holds the records; `keys` maps 64-bit hashes of identifiers, titles and main titles to works; `titles` is a
contentless full-text index of normalised words; `words` is the vocabulary with frequencies; `bookmarks` say how far
a file has been imported; `meta` holds counts and declarations.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from guardrail.errors import IndexFault
from guardrail.references.bibliography.faults import remedy
from guardrail.references.bibliography.records import Record

__all__ = ["COLUMNS", "LONGEST_WORD", "VERSION", "check", "from_row", "install", "length_mark", "to_row"]

APPLICATION = 0x47524249  # "GRBI", in the file's header: this file is ours
VERSION = 1
LONGEST_WORD = 40  # letters; longer ones are not in the vocabulary
COLUMNS = "title, authors, et_al, year, venue, doi, arxiv, isbn, pmid, url, source"

SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE works (
    id INTEGER PRIMARY KEY, identity INTEGER NOT NULL UNIQUE, title TEXT NOT NULL, authors TEXT, et_al INTEGER,
    year INTEGER, venue TEXT, doi TEXT, arxiv TEXT, isbn TEXT, pmid TEXT, url TEXT, source TEXT
);
CREATE TABLE keys (hash INTEGER, work INTEGER, PRIMARY KEY (hash, work)) WITHOUT ROWID;
CREATE TABLE words (word TEXT PRIMARY KEY, reversed TEXT NOT NULL, times INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX words_reversed ON words (reversed);
CREATE TABLE bookmarks (content TEXT PRIMARY KEY, position INTEGER NOT NULL, done INTEGER NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE titles
    USING fts5 (words, content = '', columnsize = 0, detail = none, tokenize = 'ascii');
"""


def install(connection: sqlite3.Connection) -> None:
    """Make the tables, in a transaction of the caller's."""
    for statement in SCHEMA.split(";\n"):
        connection.execute(statement)
    connection.executemany(
        "INSERT INTO meta VALUES (?, ?)",
        [("records", 0), ("content", "0"), ("complete", 0), ("serial", secrets.token_hex(8))],
    )
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")


def check(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse another kind of file, another version and an incomplete index."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION:
        raise IndexFault(
            f"expected a bibliography index at {str(path)!r}, found another kind of SQLite file "
            f"(application id {application!r}). {remedy(path)}"
        )
    if version != VERSION:
        raise IndexFault(
            f"expected a bibliography index of version {VERSION} at {str(path)!r}, found version "
            f"{version!r}. {remedy(path)}"
        )
    connection.execute("SELECT 1 FROM works, keys, words, bookmarks, titles LIMIT 0").fetchall()
    if connection.execute("SELECT count(*) FROM meta").fetchone()[0] < 3:
        raise IndexFault(f"the index {str(path)!r} is incomplete. {remedy(path)}")


def to_row(record: Record) -> tuple[str | int | None, ...]:
    """The values of `COLUMNS`."""
    return (
        record.title, "\x1f".join(record.authors) or None, int(record.et_al), record.year, record.venue or None,
        record.doi or None, record.arxiv or None, record.isbn or None, record.pmid or None, record.url or None,
        record.source or None,
    )  # fmt: skip


def from_row(row: Sequence[str | int | None]) -> Record:
    """The record with these values of `COLUMNS`."""
    title, authors, et_al, year, *rest = row
    return Record(
        str(title),
        tuple(str(authors).split("\x1f")) if authors else (),
        bool(et_al),
        int(year) if year is not None else None,
        *(str(value or "") for value in rest),
    )


def length_mark(words: int) -> str:
    """A token that no title holds: how many words it has. Keeps candidates of short titles few."""
    return f"§{min(words, 8)}"
