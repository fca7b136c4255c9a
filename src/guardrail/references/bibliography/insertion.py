"""Writing records into the tables of an index."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from guardrail.errors import InputError
from guardrail.references.bibliography import abstracts
from guardrail.references.bibliography.normalise import IDENTIFIERS, key, normalise, squeeze
from guardrail.references.bibliography.records import Record
from guardrail.references.bibliography.retractions import (
    Retraction,
    retraction_keys,
    retractions_of,
    store,
    without_mark,
)
from guardrail.references.bibliography.schema import LONGEST_WORD, length_mark, to_row
from guardrail.references.bibliography.titles import Title

LONGEST = {  # characters of a field that are kept
    "title": 2000, "retracted": 500, "volume": 100, "issue": 100, "pages": 100, "venue": 500, "url": 2000, "source": 500,
}  # fmt: skip
SAID = "marked as retracted in its title"
# DBLP numbers people of one name, "Wei Wang 0001"; nobody quotes them so.
HOMONYM = re.compile(r"(?<=[^\W\d_]|\.) \d{4}$")


def cleaned(record: Record) -> Record:
    """With identifiers in their one form, authors without DBLP's numbers, and text that any encoding can represent.

    What a publisher put before the title of a retracted work becomes what it means.
    """
    said: dict[str, Any] = {name: _text(getattr(record, name), longest) for name, longest in LONGEST.items()}
    title = without_mark(said["title"])
    if title != said["title"]:
        said |= {"title": title, "retracted": said["retracted"] or SAID}
    said |= {kind: read(getattr(record, kind)) for kind, read in IDENTIFIERS.items()}
    clean = replace(
        record,
        **said,
        authors=tuple(HOMONYM.sub("", _text(name, 200)) for name in record.authors[:500] if name.strip()),
        abstract=abstracts.bounded(record.abstract),
    )
    if not normalise(clean.title) and not any(getattr(clean, kind) for kind in IDENTIFIERS):
        raise InputError(f"expected a record with a title or an identifier, got {record!r}.")
    return clean


def _text(value: str, longest: int) -> str:
    if not value.isprintable():
        value = "".join(letter if letter.isprintable() else " " for letter in value)
    return value[:longest]


def identity_of(record: Record, title: str) -> int:
    """A number that stands for a record: equal for equal fields; the title as `normalise` gives it."""
    year = "" if record.year is None else str(record.year)
    identifiers = (record.doi, record.arxiv, record.isbn, record.pmid)
    parts = [squeeze(title), *record.authors, str(int(record.et_al)), year, record.venue, *identifiers]
    # Where an identifier says which work it is, whether it was retracted is kept by that, and may change.
    retracted = "" if record.doi or record.pmid else record.retracted
    added = (record.volume, record.issue, record.pages, retracted)
    parts += added if any(added) else ()  # equal to version 1 where nothing was added
    return key("work", "\x1f".join(parts))


def keys_of(record: Record, title: Title) -> Iterator[int]:
    """The keys under which a record is found."""
    if title.squeezed:
        yield key("title", title.squeezed)
    for part in (*title.mains, *title.left_out):
        yield key("main", part.squeezed)
    for kind in IDENTIFIERS:
        if value := getattr(record, kind):
            yield key(kind, value)


class _New(NamedTuple):
    """A record that is not there yet, with the number and the identity it will have."""

    number: int
    identity: int
    record: Record
    title: Title


def insert(
    connection: sqlite3.Connection, records: Sequence[Record], retractions: Sequence[Retraction] = ()
) -> tuple[int, int]:
    """Add those cleaned records that are not there yet, and what is new about retractions; returns how many of each.

    A retraction's own work is added where no work has its identifiers.
    """
    added = _insert(connection, records)
    works = [cleaned(retraction.work) for retraction in retractions if retraction.work]
    added += _insert(connection, _lacking(connection, works))
    marked, change = store(connection, [*retractions, *retractions_of(records)])
    _count(connection, 0, change)
    return added, marked


def _lacking(connection: sqlite3.Connection, works: Sequence[Record]) -> list[Record]:
    """Those works whose DOI and PMID no work has, each once."""
    hashes = {hashed for work in works for hashed in retraction_keys(work)}
    rows = connection.execute(
        "SELECT DISTINCT hash FROM keys WHERE hash IN (SELECT value FROM json_each(?))",
        (json.dumps(list(hashes)),),
    )
    return unknown_works(works, {hashed for (hashed,) in rows})


def unknown_works(works: Iterable[Record], known: set[int]) -> list[Record]:
    """Those works of whose DOI and PMID neither is among the known keys or another work's before."""
    lacking = []
    for work in works:
        keys = retraction_keys(work)
        if known.isdisjoint(keys):
            lacking.append(work)
        known.update(keys)
    return lacking


def _insert(connection: sqlite3.Connection, records: Sequence[Record]) -> int:
    titled = [(record, Title(record.title)) for record in records]
    known = [(identity_of(record, title.normalised), record, title) for record, title in titled]
    new = _new(connection, known) if known else []
    if new:
        _insert_new(connection, new)
    _insert_abstracts(connection, known)
    return len(new)


def _insert_abstracts(connection: sqlite3.Connection, known: Sequence[tuple[int, Record, Title]]) -> None:
    """Enter the abstracts of records, also of those that were there before without one."""
    said = {identity: record.abstract for identity, record, _ in reversed(known) if record.abstract}
    if new := abstracts.store_abstracts(connection, said):
        connection.execute("INSERT OR IGNORE INTO meta VALUES ('abstracts', 0)")
        connection.execute("UPDATE meta SET value = value + ? WHERE name = 'abstracts'", (new,))


def _insert_new(connection: sqlite3.Connection, new: Sequence[_New]) -> None:
    connection.executemany(
        "INSERT INTO works VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ((number, identity, *to_row(record)) for number, identity, record, _ in new),
    )
    hashes = sorted(
        {(hashed, number) for number, _, record, title in new for hashed in keys_of(record, title)}
    )
    connection.executemany("INSERT INTO keys VALUES (?, ?)", hashes)
    connection.executemany(
        "INSERT INTO titles (rowid, words) VALUES (?, ?)",
        ((number, f"{title.normalised} {length_mark(len(title.words))}") for number, _, _, title in new),
    )
    times = Counter(word for *_, title in new for word in set(title.words) if len(word) <= LONGEST_WORD)
    connection.executemany(
        "INSERT INTO words VALUES (?, ?, ?) ON CONFLICT (word) DO UPDATE SET times = times + excluded.times",
        ((word, word[::-1], count) for word, count in sorted(times.items())),
    )
    _count(connection, len(new), sum(item.identity for item in new))


def _new(connection: sqlite3.Connection, records: Iterable[tuple[int, Record, Title]]) -> list[_New]:
    """The records that are not there yet, each once."""
    new = {identity: (record, title) for identity, record, title in records}
    known = connection.execute(
        "SELECT identity FROM works WHERE identity IN (SELECT value FROM json_each(?))",
        (json.dumps(list(new)),),
    )
    for (identity,) in known.fetchall():
        del new[identity]
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM works").fetchone()
    return [_New(last + place, identity, *item) for place, (identity, item) in enumerate(new.items(), 1)]


def _count(connection: sqlite3.Connection, records: int, change: int) -> None:
    """Enter the number of records, and what they are whatever their order: the sum of their identities."""
    if not records and not change:
        return
    (content,) = connection.execute("SELECT value FROM meta WHERE name = 'content'").fetchone()
    total = (int(content, 16) + change) % 2**64
    connection.execute("UPDATE meta SET value = ? WHERE name = 'content'", (f"{total:x}",))
    connection.execute("UPDATE meta SET value = value + ? WHERE name = 'records'", (records,))
