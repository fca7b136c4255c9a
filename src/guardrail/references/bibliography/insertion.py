"""Writing records into the tables of an index."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from guardrail.errors import InputError
from guardrail.references.bibliography.normalise import IDENTIFIERS, key, normalise, squeeze
from guardrail.references.bibliography.records import Record
from guardrail.references.bibliography.schema import LONGEST_WORD, length_mark, to_row
from guardrail.references.bibliography.titles import Title

__all__ = ["cleaned", "insert"]

# DBLP numbers people of one name, "Wei Wang 0001"; nobody quotes them so.
HOMONYM = re.compile(r"(?<=[^\W\d_]|\.) \d{4}$")


def cleaned(record: Record) -> Record:
    """With identifiers in their one form, authors without DBLP's numbers, and text that any encoding can hold."""
    clean = replace(
        record,
        title=_text(record.title, 2000),
        authors=tuple(HOMONYM.sub("", _text(name, 200)) for name in record.authors[:500] if name.strip()),
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


class _New(NamedTuple):
    """A record that is not there yet, with the number and the identity it will have."""

    number: int
    identity: int
    record: Record
    title: Title


def insert(connection: sqlite3.Connection, records: Iterable[Record]) -> int:
    """Add those cleaned records that are not there yet; returns how many they were."""
    new = _new(connection, records)
    if not new:
        return 0
    connection.executemany(
        "INSERT INTO works VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ((number, identity, *to_row(record)) for number, identity, record, _ in new),
    )
    hashes = sorted({(hashed, number) for number, _, record, title in new for hashed in _keys(record, title)})
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
    _count(connection, new)
    return len(new)


def _new(connection: sqlite3.Connection, records: Iterable[Record]) -> list[_New]:
    """The records that are not there yet, each once."""
    titled = ((record, Title(record.title)) for record in records)
    new = {_identity(record, title.normalised): (record, title) for record, title in titled}
    known = connection.execute(
        "SELECT identity FROM works WHERE identity IN (SELECT value FROM json_each(?))",
        (json.dumps(list(new)),),
    )
    for (identity,) in known.fetchall():
        del new[identity]
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM works").fetchone()
    return [_New(last + place, identity, *item) for place, (identity, item) in enumerate(new.items(), 1)]


def _count(connection: sqlite3.Connection, new: Sequence[_New]) -> None:
    """Enter the number of records, and what they are whatever their order: the sum of their identities."""
    (content,) = connection.execute("SELECT value FROM meta WHERE name = 'content'").fetchone()
    total = (int(content, 16) + sum(item.identity for item in new)) % 2**64
    connection.execute("UPDATE meta SET value = ? WHERE name = 'content'", (f"{total:x}",))
    connection.execute("UPDATE meta SET value = value + ? WHERE name = 'records'", (len(new),))
