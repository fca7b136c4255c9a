"""Which works were retracted: known by DOI and PMID, so that works added before and after are marked alike."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from guardrail.references.authors.lists import compare_authors
from guardrail.references.bibliography.normalise import key, normalise, squeeze
from guardrail.references.bibliography.records import Record

# How publishers rename a retracted work. A notice is called "Retraction: …" or "Retraction note: …" and is left as it is.
MARKED = re.compile(
    r"\s*(?:RETRACTED(?: (?:ARTICLE|PAPER|CHAPTER))?|Retracted(?: (?:[Aa]rticle|[Pp]aper|[Cc]hapter))?|WITHDRAWN):\s+(?=\S)"
)
DATE = re.compile(r"\d{4}(?:-\d{2}){0,2}")


@dataclass(frozen=True, slots=True)
class Retraction:
    """That a work was retracted, or that its retraction was taken back. Of several about one work, the latest counts.

    Attributes:
        doi, pmid: of the work.
        date: when, as YYYY-MM-DD; "" if not known, which counts as earliest.
        text: the date and the notice's DOI; "" if the retraction was taken back.
        work: the work itself, where the source describes it; it is added to an index that lacks it.
    """

    doi: str = ""
    pmid: str = ""
    date: str = ""
    text: str = ""
    work: Record | None = None


def without_mark(title: str) -> str:
    """A title without the publisher's "RETRACTED: ".

    Example:
        >>> without_mark("RETRACTED ARTICLE: On teapots"), without_mark("Retraction: On teapots")
        ('On teapots', 'Retraction: On teapots')
    """
    found = MARKED.match(title)
    return title[found.end() :] if found else title


def retractions_of(records: Iterable[Record]) -> Iterator[Retraction]:
    """What records say of their own retraction, where they have an identifier to know the work by."""
    for record in records:
        if record.retracted and (record.doi or record.pmid):
            date = DATE.match(record.retracted)
            yield Retraction(record.doi, record.pmid, date.group() if date else "", record.retracted)


def retraction_keys(work: Record | Retraction) -> list[int]:
    """The keys that say whether a work was retracted."""
    return [key(kind, value) for kind, value in (("doi", work.doi), ("pmid", work.pmid)) if value]


def store(connection: sqlite3.Connection, retractions: Sequence[Retraction]) -> tuple[int, int]:
    """Enter what is newer than what is there; returns how many said something new, and the change of the index's content."""
    given: dict[int, tuple[str, str]] = {}
    for retraction in retractions:
        entry = retraction.date, retraction.text
        for hashed in retraction_keys(retraction):
            given[hashed] = max(given.get(hashed, entry), entry, key=_rank)
    known = _known(connection, given)
    newer = {
        hashed: entry
        for hashed, entry in given.items()
        if hashed not in known or _rank(entry) > _rank(known[hashed])
    }
    connection.executemany(
        "INSERT OR REPLACE INTO retractions VALUES (?, ?, ?)",
        ((hashed, date, text) for hashed, (date, text) in sorted(newer.items())),
    )
    change = sum(_content(hashed, entry) for hashed, entry in newer.items())
    change -= sum(_content(hashed, known[hashed]) for hashed in newer if hashed in known)
    return sum(not newer.keys().isdisjoint(retraction_keys(one)) for one in retractions if one.text), change


def mark(connection: sqlite3.Connection, records: Sequence[Record]) -> list[Record]:
    """The records, each with what is known of its retraction: by its identifiers, or from a full record of the same work."""
    hashes = {hashed for record in records for hashed in retraction_keys(record)}
    known = {hashed: [entry] for hashed, entry in _known(connection, hashes).items()} if hashes else {}
    return spread([latest(record, known) for record in records])


def spread(records: Sequence[Record]) -> list[Record]:
    """Works without identifiers that are described as a retracted one is are marked as that one."""
    retracted = [record for record in records if record.retracted]
    return [
        next(
            (replace(record, retracted=other.retracted) for other in retracted if _same(record, other)),
            record,
        )
        for record in records
    ]


def _same(record: Record, other: Record) -> bool:
    if record.retracted or record.doi or record.pmid or record.arxiv:
        return False
    if record.year and other.year and abs(record.year - other.year) > 1:
        return False
    if squeeze(normalise(record.title)) != squeeze(normalise(other.title)):
        return False
    compared = compare_authors(
        record.authors, other.authors, found_is_cut=other.et_al, claimed_is_cut=record.et_al
    )
    return compared.agree is True


def latest(record: Record, known: Mapping[int, Sequence[tuple[str, str]]]) -> Record:
    """A record with the latest of what was said, as date and text, under its keys."""
    entries = [entry for hashed in retraction_keys(record) for entry in known.get(hashed, ())]
    return replace(record, retracted=max(entries, key=_rank)[1]) if entries else record


def _known(connection: sqlite3.Connection, hashes: Iterable[int]) -> dict[int, tuple[str, str]]:
    rows = connection.execute(
        "SELECT hash, date, text FROM retractions WHERE hash IN (SELECT value FROM json_each(?))",
        (json.dumps(list(hashes)),),
    )
    return {hashed: (date, text) for hashed, date, text in rows}


def _rank(entry: tuple[str, str]) -> tuple[str, bool, str]:
    """The order of what is said about one work: by date, on one day taken back after retracted."""
    date, text = entry
    return date, not text, text


def _content(hashed: int, entry: tuple[str, str]) -> int:
    return key("retraction", f"{hashed}:{entry[0]}:{entry[1]}")
