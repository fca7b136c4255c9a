"""A bibliography in one SQLite file: exact look-up by identifier and title, fuzzy look-up by words.

Four tables. `works` holds the records; `keys` maps 64-bit hashes of identifiers, titles and main titles to works;
`titles` is a contentless full-text index of normalised words; `words` is the vocabulary with frequencies, which
tells rare words from common ones and a typing error from a word. Words that are not in the vocabulary are
corrected through its two ordered columns (a slip leaves the first or the last half of a word whole), which takes
a fiftieth of the space of a trigram index over titles.

Every value in SQL is a parameter; full-text queries are built from normalised words in double quotes.
"""

from __future__ import annotations

import itertools
import json
import os
import secrets
import shlex
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from rapidfuzz.distance import OSA, Levenshtein
from rapidfuzz.process import extract

from guardrail.bibliography.matching import FUNCTION_WORDS, Title, fold, judge
from guardrail.bibliography.normalise import IDENTIFIERS, key, normalise, squeeze
from guardrail.bibliography.records import Match, Record, Reference, Status
from guardrail.errors import IndexFault, InputError

__all__ = ["Index", "Progress", "Stats"]

Progress = Callable[[int, int], None]
"""Called now and then with the numbers of records read and records added so far."""

APPLICATION = 0x47524249  # "GRBI", in the file's header: this file is ours
VERSION = 1
BATCH = 5000  # records of one transaction
BUSY = 30.0  # seconds to wait for another writer
SLOTS = 6  # words of a title that the full-text query uses
CANDIDATES = 600
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


@dataclass(frozen=True, slots=True)
class Stats:
    """What an index holds.

    Attributes:
        path: the file.
        records: how many works.
        words: how many distinct words in their titles.
        size: of the file, in bytes.
        complete: whether it was declared to hold every work of its kind.
    """

    path: Path
    records: int
    words: int
    size: int
    complete: bool


@dataclass(frozen=True, slots=True)
class Bookmark:
    """How far a file, known by the hash of its content, has been imported."""

    content: str
    position: int
    done: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class _Owned:
    """A connection, and the thread and process that use it."""

    process: int
    thread: threading.Thread
    connection: sqlite3.Connection


class Index:
    """A bibliography in one file; implements `Bibliography`.

    Lookups may come from any thread and, after a fork, from any process; several processes may read while one
    writes. Use as a context manager, or call `close`.
    """

    def __init__(self, path: Path, *, readonly: bool = True) -> None:
        """Prefer `Index.open` and `Index.create`, which check the file."""
        self.path = path
        self.readonly = readonly
        self._local = threading.local()
        self._lock = threading.Lock()
        self._connections: list[_Owned] = []

    def __reduce__(self) -> tuple[Callable[[Path, bool], Index], tuple[Path, bool]]:
        return _reopened, (self.path.absolute(), self.readonly)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, readonly: bool = True) -> Index:
        """Open an index that exists.

        Args:
            path: the file.
            readonly: `False` to add records.

        Raises:
            IndexFault: there is none, it is corrupt, of another version, or another kind of file.
        """
        index = cls(Path(path), readonly=readonly)
        if not index.path.is_file():
            raise IndexFault(f"expected a bibliography index at {str(path)!r}, found none. {_remedy(path)}")
        with _faults(index.path):
            index._check(index._connection())
        return index

    @classmethod
    def create(cls, path: str | os.PathLike[str], *, complete: bool = False, exist_ok: bool = True) -> Index:
        """Make a new index, or open the one that is there, for adding records.

        Args:
            path: the file; its folder is made if need be.
            complete: declare that the index will hold every work that exists for its user's purposes, so that
                an absent work is a fabricated one. Once declared, it stays.
            exist_ok: whether a file that is there may be continued.

        Raises:
            IndexFault: a file is there and is not an index, or `exist_ok` is false; or the place is not writable.
        """
        target = Path(path)
        if target.exists() and target.stat().st_size:
            if not exist_ok:
                raise IndexFault(f"expected no file at {str(path)!r}, found one. Open it, or name another.")
            index = cls.open(target, readonly=False)
        else:
            index = cls(target, readonly=False)
            with _faults(target):
                target.parent.mkdir(parents=True, exist_ok=True)
                index._install()
        if complete:
            with index._writing() as connection:
                connection.execute("UPDATE meta SET value = 1 WHERE name = 'complete'")
        return index

    # --- looking up ----------------------------------------------------------------------------------------

    @property
    def fingerprint(self) -> str:
        """Which records the index holds: equal for equal sets of records, whatever the order or machine."""
        try:
            meta = dict(self._connection().execute("SELECT name, value FROM meta"))
            records, content, complete = meta["records"], meta["content"], meta["complete"]
        except (sqlite3.Error, OSError, KeyError):
            return "index:unreadable"
        return f"index:v{VERSION}:{records}:{int(content, 16):016x}:{'complete' if complete else 'open'}"

    def find(self, reference: Reference) -> Match:
        """Look one reference up.

        By identifier, then by title: exact after normalisation, by main title, then through similar titles.

        Returns:
            `FOUND` with the fields that are quoted wrongly; `ABSENT`, perhaps with a near miss; `UNREACHABLE`
            if the index could not be read or the reference has neither title nor identifier.
        """
        source = f"index {self.path.name}"
        title = Title(reference.title)
        if not title.normal and not any(read(getattr(reference, kind)) for kind, read in IDENTIFIERS.items()):
            return Match(
                Status.UNREACHABLE, sources=(source,), detail="neither a title nor an identifier was given"
            )
        try:
            lookup = _Lookup(self._connection())
            works = lookup.exact(reference, title)
            match = judge(reference, works, lookup.frequency)
            if match.status is not Status.FOUND and title.normal:
                near = [work for work in lookup.similar(title) if work not in works]
                match = judge(reference, [*works, *near], lookup.frequency)
            complete = lookup.complete()
        except (sqlite3.Error, OSError) as error:
            detail = f"the index {str(self.path)!r} cannot be read ({error}). {_remedy(self.path)}"
            return Match(Status.UNREACHABLE, sources=(source,), detail=detail)
        return replace(match, sources=(source,), complete=complete)

    def find_all(self, references: Sequence[Reference]) -> list[Match]:
        """Look several references up, in order."""
        return [self.find(reference) for reference in references]

    def stats(self) -> Stats:
        """What the index holds.

        Raises:
            IndexFault: it cannot be read.
        """
        with _faults(self.path):
            connection = self._connection()
            meta = dict(connection.execute("SELECT name, value FROM meta"))
            (words,) = connection.execute("SELECT count(*) FROM words").fetchone()
            return Stats(self.path, meta["records"], words, self.path.stat().st_size, bool(meta["complete"]))

    def __len__(self) -> int:
        return self.stats().records

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
            added += self.add_batch(batch)
            if progress is not None:
                progress(read, added)
        self.optimise()
        return added

    def add_batch(self, records: Sequence[Record], *, bookmark: Bookmark | None = None) -> int:
        """Add some records and a bookmark in one transaction; returns how many were new."""
        with self._writing() as connection:
            added = _insert(connection, [_cleaned(record) for record in records])
            if bookmark is not None:
                connection.execute(
                    "INSERT OR REPLACE INTO bookmarks VALUES (?, ?, ?)",
                    (bookmark.content, bookmark.position, bookmark.done),
                )
        return added

    def bookmark(self, content: str) -> Bookmark | None:
        """How far the file with this hash was imported; `None` if it never was."""
        with _faults(self.path):
            row = (
                self._connection()
                .execute("SELECT content, position, done FROM bookmarks WHERE content = ?", (content,))
                .fetchone()
            )
        return None if row is None else Bookmark(row[0], row[1], bool(row[2]))

    def optimise(self) -> None:
        """Fold the write-ahead log back into the one file; call after the last batch."""
        if self.readonly:
            return
        with _faults(self.path):
            connection = self._connection()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    # --- connections ---------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close this process's connections; the index can be used again and then reconnects."""
        with self._lock:
            mine = [owned.connection for owned in self._connections if owned.process == os.getpid()]
            self._connections = [owned for owned in self._connections if owned.process != os.getpid()]
        self._local = threading.local()
        for connection in mine:
            if not self.readonly:
                _single_file(connection)
            connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _connection(self) -> sqlite3.Connection:
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
            over = [o for o in self._connections if o.process == found.process and not o.thread.is_alive()]
            self._connections = [*(o for o in self._connections if o not in over), found]
        for owned in over:
            owned.connection.close()
        return found.connection

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

    def _install(self) -> None:
        connection = self._connection()
        connection.execute("PRAGMA page_size = 8192")
        connection.execute("PRAGMA journal_mode = WAL")
        with self._writing() as connection:
            if connection.execute("SELECT 1 FROM sqlite_master").fetchone():
                return  # another process was faster
            for statement in SCHEMA.split(";\n"):
                connection.execute(statement)
            connection.executemany(
                "INSERT INTO meta VALUES (?, ?)",
                [("records", 0), ("content", "0"), ("complete", 0), ("serial", secrets.token_hex(8))],
            )
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {VERSION}")

    def _check(self, connection: sqlite3.Connection) -> None:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION:
            raise IndexFault(
                f"expected a bibliography index at {str(self.path)!r}, found another kind of SQLite file "
                f"(application id {application!r}). {_remedy(self.path)}"
            )
        if version != VERSION:
            raise IndexFault(
                f"expected a bibliography index of version {VERSION} at {str(self.path)!r}, found version "
                f"{version!r}. {_remedy(self.path)}"
            )
        connection.execute("SELECT 1 FROM works, keys, words, bookmarks, titles LIMIT 0").fetchall()
        if connection.execute("SELECT count(*) FROM meta").fetchone()[0] < 3:
            raise IndexFault(f"the index {str(self.path)!r} is incomplete. {_remedy(self.path)}")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        if self.readonly:
            raise IndexFault(
                f"the index {str(self.path)!r} was opened for reading. Open it with readonly=False."
            )
        with _faults(self.path):
            connection = self._connection()
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


def _reopened(path: Path, readonly: bool) -> Index:
    return Index(path, readonly=readonly)


def _connected(uri: str) -> sqlite3.Connection:
    # check_same_thread: `close` and the pruning of ended threads reach over to other threads' connections.
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA cache_size = -65536")
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


# --- writing -----------------------------------------------------------------------------------------------


def _cleaned(record: Record) -> Record:
    """With identifiers in their one form and text that any encoding can hold."""
    clean = replace(
        record,
        title=_text(record.title, 2000),
        authors=tuple(_text(name, 200) for name in record.authors[:500] if name.strip()),
        venue=_text(record.venue, 500),
        url=_text(record.url, 2000),
        source=_text(record.source, 500),
        doi=IDENTIFIERS["doi"](record.doi),
        arxiv=IDENTIFIERS["arxiv"](record.arxiv),
        isbn=IDENTIFIERS["isbn"](record.isbn),
        pmid=IDENTIFIERS["pmid"](record.pmid),
    )
    if not normalise(clean.title) and not any(getattr(clean, kind) for kind in IDENTIFIERS):
        raise InputError(f"expected a record with a title or an identifier, got {record!r}.")
    return clean


def _text(value: str, longest: int) -> str:
    if not value.isprintable():
        value = "".join(letter if letter.isprintable() else " " for letter in value)
    return value[:longest]


def _identity(record: Record, title: str) -> int:
    year = "" if record.year is None else str(record.year)
    identifiers = (record.doi, record.arxiv, record.isbn, record.pmid)
    parts = (squeeze(title), *record.authors, str(int(record.et_al)), year, record.venue, *identifiers)
    return key("work", "\x1f".join(parts))


def _keys(record: Record, title: Title) -> Iterator[int]:
    if title.squeezed:
        yield key("title", title.squeezed)
    for part in title.mains:
        yield key("main", part.squeezed)
    for kind in IDENTIFIERS:
        if value := getattr(record, kind):
            yield key(kind, value)


def _insert(connection: sqlite3.Connection, records: list[Record]) -> int:
    titles = [Title(record.title) for record in records]
    new = {_identity(r, t.normal): (r, t) for r, t in zip(records, titles, strict=True)}
    known = connection.execute(
        "SELECT identity FROM works WHERE identity IN (SELECT value FROM json_each(?))",
        (json.dumps(list(new)),),
    )
    for (identity,) in known.fetchall():
        del new[identity]
    if not new:
        return 0
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM works").fetchone()
    rows = [(last + place, identity, *item) for place, (identity, item) in enumerate(new.items(), 1)]
    connection.executemany(
        "INSERT INTO works VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ((at, identity, *_fields(record)) for at, identity, record, _ in rows),
    )
    hashes = sorted({(hashed, at) for at, _, record, title in rows for hashed in _keys(record, title)})
    connection.executemany("INSERT INTO keys VALUES (?, ?)", hashes)
    connection.executemany(
        "INSERT INTO titles (rowid, words) VALUES (?, ?)",
        ((at, f"{title.normal} {_length_mark(len(title.words))}") for at, _, _, title in rows),
    )
    times = Counter(word for *_, title in rows for word in set(title.words) if len(word) <= 40)
    connection.executemany(
        "INSERT INTO words VALUES (?, ?, ?) ON CONFLICT (word) DO UPDATE SET times = times + excluded.times",
        ((word, word[::-1], count) for word, count in sorted(times.items())),
    )
    (content,) = connection.execute("SELECT value FROM meta WHERE name = 'content'").fetchone()
    total = (int(content, 16) + sum(identity for _, identity, *_ in rows)) % 2**64
    connection.execute("UPDATE meta SET value = ? WHERE name = 'content'", (f"{total:x}",))
    connection.execute("UPDATE meta SET value = value + ? WHERE name = 'records'", (len(rows),))
    return len(rows)


def _fields(record: Record) -> tuple[str | int | None, ...]:
    return (
        record.title, "\x1f".join(record.authors) or None, int(record.et_al), record.year, record.venue or None,
        record.doi or None, record.arxiv or None, record.isbn or None, record.pmid or None, record.url or None,
        record.source or None,
    )  # fmt: skip


def _record(row: Sequence[str | int | None]) -> Record:
    title, authors, et_al, year, *rest = row
    return Record(
        str(title),
        tuple(str(authors).split("\x1f")) if authors else (),
        bool(et_al),
        int(year) if year is not None else None,
        *(str(value or "") for value in rest),
    )


def _length_mark(words: int) -> str:
    """A token that no title holds: how many words it has. Keeps candidates of short titles few."""
    return f"§{min(words, 8)}"


# --- reading -----------------------------------------------------------------------------------------------


class _Lookup:
    """The queries of one look-up, with what they learn about words on the way."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.times: dict[str, int] = {}

    def complete(self) -> bool:
        row = self.connection.execute("SELECT value FROM meta WHERE name = 'complete'").fetchone()
        return bool(row and row[0])

    def exact(self, reference: Reference, title: Title) -> list[Record]:
        """Works with one of the identifiers, the same title, or one that is the other without its subtitle."""
        hashes = [
            key(kind, value)
            for kind, read in IDENTIFIERS.items()
            if (value := read(getattr(reference, kind)))
        ]
        if title.squeezed:
            hashes += [key("title", title.squeezed), key("main", title.squeezed)]
        hashes += [key("title", part.squeezed) for part in title.mains]
        rows = self.connection.execute(
            f"SELECT {COLUMNS} FROM works WHERE id IN (SELECT work FROM keys WHERE hash IN "  # noqa: S608
            "(SELECT value FROM json_each(?))) LIMIT 200",
            (json.dumps(hashes),),
        )
        return [_record(row) for row in rows]

    def frequency(self, word: str) -> int:
        """In how many titles a word occurs."""
        found = self.times.get(word)
        if found is None:
            row = self.connection.execute("SELECT times FROM words WHERE word = ?", (word,)).fetchone()
            found = self.times[word] = row[0] if row else 0
        return found

    def similar(self, title: Title) -> list[Record]:
        """The works whose titles look most like this one."""
        best: list[tuple[str, float, int]] = []
        for query in self._queries(title):
            rows = self.connection.execute(
                "SELECT works.id, works.title FROM (SELECT rowid FROM titles WHERE titles MATCH ? LIMIT ?) AS hits "
                "JOIN works ON works.id = hits.rowid",
                (query, CANDIDATES),
            ).fetchall()
            normal = {at: normalise(text) for at, text in rows}
            best = extract(
                title.normal,
                normal,
                scorer=Levenshtein.normalized_similarity,
                processor=None,
                limit=6,
                score_cutoff=0.6,
            )
            if best and best[0][1] >= 0.8:
                break
        chosen = json.dumps([at for _, _, at in best])
        found = self.connection.execute(
            f"SELECT {COLUMNS} FROM works WHERE id IN (SELECT value FROM json_each(?))",  # noqa: S608
            (chosen,),
        )
        return [_record(row) for row in found]

    def _queries(self, title: Title) -> Iterator[str]:
        """Full-text queries that the true title matches although some of the words are damaged.

        First nearly all of the rarest words are asked for, then two words less. Where so few are asked for
        that common words would give any number of titles, the length must be right as well.
        """
        slots = self._slots(title)
        groups = ["(" + " OR ".join(f'"{word}"' for word in slot) + ")" for slot in slots]
        size = len(title.words)
        lengths = " OR ".join(f'"{_length_mark(n)}"' for n in range(max(size - 1, 1), size + 2))
        count = len(groups)
        for needed in sorted(
            {max(count - 1, min(count, 2)), max(count - 2, 1)} if groups else (), reverse=True
        ):
            subsets = (" AND ".join(subset) for subset in itertools.combinations(groups, needed))
            loose = " OR ".join(f"({subset})" for subset in subsets)
            yield f"({loose}) AND ({lengths})" if needed <= 2 else loose

    def _slots(self, title: Title) -> list[tuple[str, ...]]:
        """The rarest words of the title, each with the words that may have been meant."""
        words = [word for word in title.words[:60] if len(word) <= 40]
        content = [word for word in words if word not in FUNCTION_WORDS] or words
        slots = {
            word: [word, *(self._corrections(word) if self._doubtful(word, content) else ())]
            for word in content
        }
        for left, right in itertools.pairwise(words):  # a word that was broken in two
            if not (self.frequency(left) and self.frequency(right)):
                slots[left + right] = [left + right, *self._corrections(left + right)]
        known = [tuple(word for word in slot if self.frequency(word)) for slot in slots.values()]
        ranked = sorted(
            (slot for slot in set(known) if slot), key=lambda slot: (sum(map(self.frequency, slot)), slot)
        )
        return ranked[:SLOTS]

    def _doubtful(self, word: str, content: list[str]) -> bool:
        """Whether to look for the word that was meant: it is none, or rare in a title of few words."""
        return self.frequency(word) == 0 or (len(content) <= 4 and self.frequency(word) <= 5)

    def _corrections(self, word: str) -> list[str]:
        """Known words one slip or scanning error away, most frequent first."""
        folded = fold(word)
        spellings = (
            {word, folded, folded.replace("m", "rn"), folded.replace("d", "cl")}
            if 3 <= len(word) <= 40
            else set()
        )
        found: dict[str, int] = {}
        for spelling in spellings:
            half = max(len(spelling) // 2, 2)
            for column, text in (("word", spelling), ("reversed", spelling[::-1])):
                prefix = text[:half]
                rows = self.connection.execute(
                    f"SELECT word, times FROM words WHERE {column} >= ? AND {column} < ? LIMIT 4000",  # noqa: S608
                    (prefix, prefix + "\U0010ffff"),
                )
                found.update(rows)
        near = [
            (times, other)
            for other, times in found.items()
            if abs(len(other) - len(word)) <= 2
            and min(
                OSA.distance(word, other, score_cutoff=1), OSA.distance(folded, fold(other), score_cutoff=1)
            )
            <= 1
            and other != word
        ]
        chosen = sorted(near, reverse=True)[:5]
        self.times.update((other, times) for times, other in chosen)
        return [other for _, other in chosen]


# --- faults ------------------------------------------------------------------------------------------------


def _remedy(path: str | os.PathLike[str]) -> str:
    command = shlex.join(["guardrail", "index", "add", os.fspath(path)])
    return f"Build it (a broken file moved away first) with: {command} FILES..."


@contextmanager
def _faults(path: Path) -> Iterator[None]:
    """Turn what SQLite and the file system raise into one error with the path and what to do."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise IndexFault(
                f"the index {str(path)!r} is locked by another writer. Wait until it has finished, then try again."
            ) from error
        raise IndexFault(f"the index {str(path)!r} cannot be used: {error}. {_remedy(path)}") from error
    except sqlite3.Error as error:
        raise IndexFault(
            f"expected a bibliography index at {str(path)!r}, could not read it: {error}. {_remedy(path)}"
        ) from error
    except OSError as error:
        raise IndexFault(f"the index {str(path)!r} cannot be used: {error}.") from error


def _single_file(connection: sqlite3.Connection) -> None:
    """Leave no log file beside the index, unless others still read it."""
    try:
        connection.execute("PRAGMA busy_timeout = 200")
        connection.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error:
        return
