"""A bibliography in one SQLite file: exact look-up by identifier and title, fuzzy look-up by words.

What the file contains is in `schema`, how a look-up finds candidates in `lookup`, how it chooses among them in
`matching`.
"""

from __future__ import annotations

import itertools
import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, Self

from guardrail.errors import ConfigError, IndexFault, InputError
from guardrail.given.recognition import shown
from guardrail.references.bibliography.connections import Connections
from guardrail.references.bibliography.faults import faults, is_source, remedy
from guardrail.references.bibliography.insertion import cleaned, insert
from guardrail.references.bibliography.lookup import Lookup, has_its_title
from guardrail.references.bibliography.matching import as_quoted, is_same, judge
from guardrail.references.bibliography.normalise import IDENTIFIERS
from guardrail.references.bibliography.readings import judge_readings, readings
from guardrail.references.bibliography.records import Match, Record, Reference, Status
from guardrail.references.bibliography.retractions import Retraction, without_mark
from guardrail.references.bibliography.schema import VERSION, check, install, upgrade, version_of
from guardrail.references.bibliography.titles import Title

Progress = Callable[[int, int], None]
"""Called now and then with the numbers of records read and records added so far."""

BATCH = 5000  # records of one transaction


@dataclass(frozen=True, slots=True)
class Stats:
    """What an index contains.

    Attributes:
        path: the file.
        records: how many works.
        words: how many distinct words in their titles.
        size: of the file, in bytes.
        complete: whether it was declared to have every work of its kind.
        retractions: how many identifiers of retracted works it knows.
        unfinished: how many files were not imported to their end; adding them again goes on where it stopped.
        abstracts: of how many works it has the abstract.
    """

    path: Path
    records: int
    words: int
    size: int
    complete: bool
    retractions: int = 0
    unfinished: int = 0
    abstracts: int = 0


@dataclass(frozen=True, slots=True)
class Bookmark:
    """How far a file, known by the hash of its content, has been imported."""

    content: str
    position: int
    done: bool = False


class Added(NamedTuple):
    """How much of a batch was new."""

    works: int
    retractions: int


class Index:
    """A bibliography in one file; implements `Bibliography`.

    Lookups may come from any thread and, after a fork, from any process; several processes may read while one
    writes. Use as a context manager, or call `close`.
    """

    def __init__(self, path: str | os.PathLike[str], *, readonly: bool = True, called: str = "") -> None:
        """Prefer `Index.open`, which also looks into the file, and `Index.create`, which makes it.

        Args:
            path: the file.
            readonly: `False` to add records.
            called: what a match names as its source; "index" and the file's name by default.

        Raises:
            ConfigError: it is no path.
            IndexFault: there is no such file.
        """
        _must_be_path(path)
        self.path = Path(path).absolute()  # it may be opened again when the working directory is another
        self.readonly = readonly
        self.called = called or f"index {self.path.name}"
        if is_source(self.path) and not self.path.exists():
            raise IndexFault(
                f"expected a bibliography at {str(path)!r}, found no such file: write the path of one, such as 'refs.bib'"
            )
        if not self.path.is_file():
            raise IndexFault(f"expected a bibliography index at {str(path)!r}, found none. {remedy(path)}")
        self._connections = Connections(self.path, readonly=readonly)

    def __reduce__(self) -> tuple[Callable[[Path, bool, str], Index], tuple[Path, bool, str]]:
        return _reopened, (self.path, self.readonly, self.called)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, readonly: bool = True, called: str = "") -> Index:
        """Open an index that exists.

        Args:
            path: the file.
            readonly: `False` to add records.
            called: what a match names as its source, such as the file that the index was made of.

        Raises:
            IndexFault: there is none, it is empty, corrupt, of another version, or another kind of file.
        """
        index = cls(path, readonly=readonly, called=called)
        with faults(index.path):
            connection = index._connections.get()
            check(connection, index.path)
            if readonly and not len(index):
                raise IndexFault(
                    f"expected works in the index {str(path)!r}, found none: its import failed or was stopped. "
                    f"{remedy(path)}"
                )
            if not readonly and version_of(connection) != VERSION:
                with index._connections.writing() as writer:
                    upgrade(writer)
        return index

    @classmethod
    def create(cls, path: str | os.PathLike[str], *, complete: bool = False, exist_ok: bool = True) -> Index:
        """Make a new index, or open the one that is there, for adding records.

        Args:
            path: the file; its folder is made if need be.
            complete: declare that the index will have every work that exists for its user's purposes, so that
                an absent work is a fabricated one. Once declared, it stays, unless an import loses an entry.
            exist_ok: whether a file that is there may be continued.

        Raises:
            ConfigError: it is no path.
            IndexFault: a file is there and is not an index, or `exist_ok` is false; or the place is not writable.
        """
        _must_be_path(path)
        target = Path(path)
        if target.exists() and target.stat().st_size:
            if not exist_ok:
                raise IndexFault(f"expected no file at {str(path)!r}, found one. Open it, or name another.")
            index = cls.open(target, readonly=False)
        else:
            with faults(target):
                target.parent.mkdir(parents=True, exist_ok=True)
                target.touch()
            index = cls(target, readonly=False)
            with faults(target):
                index._install()
        if complete:
            index.declare_complete()
        return index

    # --- looking up ----------------------------------------------------------------------------------------

    @property
    def fingerprint(self) -> str:
        """Which records the index has, and how many abstracts: equal for equal sets of records, whatever the order or machine."""
        try:
            meta = dict(self._connections.get().execute("SELECT name, value FROM meta"))
            records, content, complete = meta["records"], meta["content"], meta["complete"]
        except (sqlite3.Error, OSError, KeyError):
            return "index:unreadable"
        known = f":{meta['abstracts']} abstracts" if meta.get("abstracts") else ""
        return (
            f"index:v{VERSION}:{records}:{int(content, 16):016x}:{'complete' if complete else 'open'}{known}"
        )

    def find(self, reference: Reference) -> Match:
        """Look one reference up.

        By identifier, then by title: exact after normalisation, by main title, then through similar titles, then
        by parts of the title, in case it was cut out of its text wrongly (see `readings`).

        Raises:
            InputError: it is no reference.

        Returns:
            `FOUND` with the fields that are quoted wrongly; `ABSENT`, perhaps with a near miss; `UNREACHABLE`
            if the index could not be read or is empty, or the reference has neither title nor identifier.
        """
        if not isinstance(reference, Reference):
            raise InputError(
                f"find takes a Reference, got {shown(reference)}: write find(Reference(title='…'))"
            )
        reference = replace(reference, title=without_mark(reference.title))
        title = Title(reference.title)
        if not title.normalised and not any(
            read(getattr(reference, kind)) for kind, read in IDENTIFIERS.items()
        ):
            return self._silent("neither a title nor an identifier was given")
        try:
            lookup = Lookup(self._connections.get())
            held, complete = lookup.holdings()
            if not held:
                return self._silent(f"the index {str(self.path)!r} is empty. {remedy(self.path)}")
            works = lookup.exact(reference, title)
            match = judge(reference, works, lookup.frequency)
            if match.status is not Status.FOUND and title.normalised:
                near = [work for work in lookup.similar(title) if work not in works]
                match = judge(reference, [*works, *near], lookup.frequency)
            if not has_its_title(match):
                again = _read_again(lookup, reference)
                if again and (match.status is not Status.FOUND or has_its_title(again)):
                    match = again
        except (sqlite3.Error, OSError, KeyError) as error:
            return self._silent(f"the index {str(self.path)!r} cannot be read ({error}). {remedy(self.path)}")
        return replace(match, sources=(self.called,), complete=complete)

    def _silent(self, why: str) -> Match:
        return Match(Status.UNREACHABLE, sources=(self.called,), detail=why)

    def find_all(self, references: Sequence[Reference]) -> list[Match]:
        """Look several references up, in order."""
        return [self.find(reference) for reference in references]

    def abstracts(self, records: Sequence[Record]) -> list[str]:
        """The abstracts of works that a look-up found, in order; "" where the index has none, or cannot be read.

        Where a work is there several times, with and without its abstract, any of these that is the same work counts.
        """
        try:
            lookup = Lookup(self._connections.get())
            return [record.abstract or _abstract_of(record, lookup.abstracts(record)) for record in records]
        except (sqlite3.Error, OSError):
            return [record.abstract for record in records]

    def stats(self) -> Stats:
        """What the index contains.

        Raises:
            IndexFault: it cannot be read.
        """
        with faults(self.path):
            connection = self._connections.get()
            meta = dict(connection.execute("SELECT name, value FROM meta"))

            def count(what: str) -> int:
                return int(connection.execute(f"SELECT count(*) FROM {what}").fetchone()[0])  # noqa: S608

            return Stats(
                self.path,
                meta["records"],
                count("words"),
                self.path.stat().st_size,
                bool(meta["complete"]),
                count("retractions WHERE text <> ''") if version_of(connection) == VERSION else 0,
                count("bookmarks WHERE NOT done"),
                meta.get("abstracts", 0),
            )

    @property
    def complete(self) -> bool:
        """Whether it was declared to have every work; see `create`.

        Raises:
            IndexFault: it cannot be read.
        """
        return bool(self._declared("complete"))

    def __len__(self) -> int:
        return self._declared("records")

    def _declared(self, name: str) -> int:
        with faults(self.path):
            rows = self._connections.get().execute("SELECT value FROM meta WHERE name = ?", (name,))
            return int(rows.fetchone()[0])

    # --- adding --------------------------------------------------------------------------------------------

    def add(self, records: Iterable[Record], *, progress: Progress | None = None) -> int:
        """Add records; those that are there already, with equal fields, are left out.

        Committed every few thousand records, so that what was added before an interruption stays.

        Args:
            records: with a title; one without title and identifiers is refused.
            progress: called after each commit.

        Returns:
            How many were new.

        Raises:
            IndexFault: the file is not writable, full, corrupt, or locked by another writer.
            InputError: a record has nothing to find it by.
        """
        read = added = 0
        stream = iter(records)
        while batch := list(itertools.islice(stream, BATCH)):
            read += len(batch)
            added += self.add_batch(batch).works
            if progress is not None:
                progress(read, added)
        self.optimise()
        return added

    def declare_complete(self, complete: bool = True, /) -> None:
        """Declare that every work which may be cited is in here; see `create`. It stays, unless an import loses an entry."""
        with self._connections.writing() as connection:
            connection.execute("UPDATE meta SET value = ? WHERE name = 'complete'", (int(complete),))

    def add_batch(
        self,
        records: Sequence[Record],
        *,
        retractions: Sequence[Retraction] = (),
        bookmark: Bookmark | None = None,
    ) -> Added:
        """Add some records, retractions and a bookmark in one transaction; returns how many were new."""
        clean = [cleaned(record) for record in records]
        with self._connections.writing() as connection:
            added = Added(*insert(connection, clean, retractions))
            if bookmark is not None:
                connection.execute(
                    "INSERT OR REPLACE INTO bookmarks VALUES (?, ?, ?)",
                    (bookmark.content, bookmark.position, bookmark.done),
                )
        return added

    def bookmark(self, content: str) -> Bookmark | None:
        """How far the file with this hash was imported; `None` if it never was."""
        with faults(self.path):
            row = (
                self._connections.get()
                .execute("SELECT content, position, done FROM bookmarks WHERE content = ?", (content,))
                .fetchone()
            )
        return None if row is None else Bookmark(row[0], row[1], bool(row[2]))

    def optimise(self) -> None:
        """Fold the write-ahead log back into the one file; call after the last batch."""
        if self.readonly:
            return
        with faults(self.path):
            connection = self._connections.get()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    # --- connections ---------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close this process's connections; the index can be used again and then reconnects."""
        self._connections.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _install(self) -> None:
        connection = self._connections.get()
        connection.execute("PRAGMA page_size = 8192")
        connection.execute("PRAGMA journal_mode = WAL")
        with self._connections.writing() as connection:
            if connection.execute("SELECT 1 FROM sqlite_master").fetchone():
                return  # another process was faster
            install(connection)


def _abstract_of(record: Record, works: Sequence[Record]) -> str:
    """The abstract of the one of some works that is a record's: of itself, else of another record of the same work."""
    said = as_quoted(record)
    own = (one for one in works if replace(one, abstract="", retracted=record.retracted) == record)
    same = (one for one in works if is_same(judge(said, [one])))
    return next((one.abstract for one in itertools.chain(own, same)), "")


def _read_again(lookup: Lookup, reference: Reference) -> Match | None:
    parts = readings(reference.title)
    works = lookup.titled(part.title for part in parts) if parts else []
    return judge_readings(reference, parts, works, lookup.frequency) if works else None


def _reopened(path: Path, readonly: bool, called: str) -> Index:
    return Index(path, readonly=readonly, called=called)


def _must_be_path(given: object) -> None:
    if not isinstance(given, str | os.PathLike):
        raise ConfigError(
            f"an index is opened by its path, got {shown(given)}: write Index.open('refs.sqlite')"
        )
