"""The tables of an index, and how a record becomes a row.

`works` has the records; `keys` maps 64-bit hashes of identifiers, titles and main titles to works; `titles` is a
contentless full-text index of normalised words; `words` is the vocabulary with frequencies; `bookmarks` say how far
a file has been imported; `retractions` says by DOI and PMID which works were retracted; `meta` has counts and
declarations.

Version 1 had no volume, issue, pages and retractions. It is read as it is, and brought up to date when it is opened for
adding records.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from guardrail.errors import IndexFault
from guardrail.references.bibliography.faults import remedy
from guardrail.references.bibliography.records import Record

APPLICATION = 0x47524249  # "GRBI", in the file's header: this file is ours
VERSION = 2
READABLE = (1, VERSION)
LONGEST_WORD = 40  # letters; longer ones are not in the vocabulary
FIRST_COLUMNS = (  # of version 1
    "title", "authors", "et_al", "year", "venue", "doi", "arxiv", "isbn", "pmid", "url", "source",
)  # fmt: skip
ADDED_COLUMNS = ("volume", "issue", "pages", "retracted")
RETRACTIONS = "CREATE TABLE retractions (hash INTEGER PRIMARY KEY, date TEXT NOT NULL, text TEXT NOT NULL)"

SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE works (
    id INTEGER PRIMARY KEY, identity INTEGER NOT NULL UNIQUE, title TEXT NOT NULL, authors TEXT, et_al INTEGER,
    year INTEGER, venue TEXT, doi TEXT, arxiv TEXT, isbn TEXT, pmid TEXT, url TEXT, source TEXT,
    volume TEXT, issue TEXT, pages TEXT, retracted TEXT
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
    for statement in (*SCHEMA.split(";\n"), RETRACTIONS):
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
    version = version_of(connection)
    if application != APPLICATION:
        raise IndexFault(
            f"expected a bibliography index at {str(path)!r}, found another kind of SQLite file "
            f"(application id {application!r}). {remedy(path)}"
        )
    if version not in READABLE:
        raise IndexFault(
            f"expected a bibliography index of version {' or '.join(map(str, READABLE))} at {str(path)!r}, found version "
            f"{version!r}. {remedy(path)}"
        )
    connection.execute("SELECT 1 FROM works, keys, words, bookmarks, titles LIMIT 0").fetchall()
    if connection.execute("SELECT count(*) FROM meta").fetchone()[0] < 3:
        raise IndexFault(f"the index {str(path)!r} is incomplete. {remedy(path)}")


def version_of(connection: sqlite3.Connection) -> int:
    """The version of the index, as its header has it."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def upgrade(connection: sqlite3.Connection) -> None:
    """Bring an index of version 1 up to date, in a transaction of the caller's."""
    if version_of(connection) == VERSION:
        return  # another process was faster
    for name in ADDED_COLUMNS:
        connection.execute(f"ALTER TABLE works ADD COLUMN {name} TEXT")
    connection.execute(RETRACTIONS)
    connection.execute(f"PRAGMA user_version = {VERSION}")


def columns(version: int) -> str:
    """What a query selects to make records of its rows."""
    added = ADDED_COLUMNS if version == VERSION else ["NULL"] * len(ADDED_COLUMNS)
    return ", ".join([*FIRST_COLUMNS, *added])


def to_row(record: Record) -> tuple[str | int | None, ...]:
    """The values of the columns."""
    texts = (getattr(record, name) or None for name in (*FIRST_COLUMNS[4:], *ADDED_COLUMNS))
    return (record.title, "\x1f".join(record.authors) or None, int(record.et_al), record.year, *texts)


def from_row(row: Sequence[str | int | None]) -> Record:
    """The record with these values of the columns."""
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
