"""Candidates: the works of an index that a reference may mean.

Every value in SQL is a parameter; full-text queries are built from normalised words in double quotes.
"""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import extract

from guardrail.references.bibliography.abstracts import read
from guardrail.references.bibliography.claims import identifiers
from guardrail.references.bibliography.matching import as_quoted
from guardrail.references.bibliography.normalise import IDENTIFIERS, key, normalise
from guardrail.references.bibliography.records import Match, Record, Reference, Status
from guardrail.references.bibliography.retractions import mark
from guardrail.references.bibliography.schema import (
    LONGEST_WORD,
    VERSION,
    columns,
    from_row,
    length_mark,
    version_of,
)
from guardrail.references.bibliography.spelling import Vocabulary
from guardrail.references.bibliography.titles import FUNCTION_WORDS, Title, is_part

SLOTS = 6  # words of a title that the full-text query uses
MOST_WORDS = 60  # of a title that are read
CANDIDATES = 600
SIMILAR = 6  # works handed on to be judged
LEAST_SIMILARITY = 0.6
WITH_KEYS = "SELECT DISTINCT work FROM keys WHERE hash IN (SELECT value FROM json_each(?)) LIMIT 200"
ENOUGH = 0.8  # similarity from which no looser query is made


class Lookup:
    """The queries of one look-up, with what they learn about words on the way."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._vocabulary = Vocabulary(connection)
        self.frequency = self._vocabulary.frequency
        self._version = version_of(connection)

    def holdings(self) -> tuple[int, bool]:
        """How many works the index has, and whether it was declared to have every work."""
        meta = dict(self._connection.execute("SELECT name, value FROM meta"))
        return int(meta["records"]), bool(meta["complete"])

    def exact(self, reference: Reference, title: Title) -> list[Record]:
        """Works with one of the identifiers, the same title, or one that is the other without its subtitle."""
        return self._with_keys(exact_keys(reference, title))

    def titled(self, titles: Iterable[Title]) -> list[Record]:
        """Works with exactly one of these titles."""
        return self._with_keys([key("title", title.squeezed) for title in titles if title.squeezed])

    def _with_keys(self, hashes: list[int]) -> list[Record]:
        return self._records(WITH_KEYS, hashes)

    def abstracts(self, record: Record) -> list[Record]:
        """Works with an identifier or the title of a record that have an abstract, with it."""
        hashes = json.dumps(exact_keys(as_quoted(record), Title(record.title)))
        known = read(
            self._connection, [number for (number,) in self._connection.execute(WITH_KEYS, (hashes,))]
        )
        works = self._connection.execute(
            f"SELECT id, {columns(self._version)} FROM works WHERE id IN (SELECT value FROM json_each(?))",  # noqa: S608  # fixed names
            (json.dumps(list(known)),),
        )
        return [replace(from_row(row), abstract=known[number]) for number, *row in works]

    def similar(self, title: Title) -> list[Record]:
        """The works whose titles look most like this one, and those that it is a part of."""
        best: list[tuple[str, float, int]] = []
        for query in self._queries(title):
            best = most_alike(title, self._hits(query))
            if best and best[0][1] >= ENOUGH:
                break
        else:
            if len(title.words) > 1:  # a single word is a part of any number of titles
                every = " AND ".join(f'"{word}"' for word in dict.fromkeys(title.words[:MOST_WORDS]))
                best += [one for one in most_alike(title, self._hits(every)) if one not in best]
        return self._records("SELECT value FROM json_each(?)", [at for _, _, at in best])

    def _hits(self, query: str) -> dict[int, str]:
        """The titles that a full-text query finds, by the numbers of their works."""
        rows = self._connection.execute(
            "SELECT works.id, works.title FROM (SELECT rowid FROM titles WHERE titles MATCH ? LIMIT ?) AS hits "
            "JOIN works ON works.id = hits.rowid",
            (query, CANDIDATES),
        )
        return dict(rows.fetchall())

    def _records(self, which: str, numbers: list[int]) -> list[Record]:
        """The works whose numbers a query gives, marked where they were retracted."""
        rows = self._connection.execute(
            f"SELECT {columns(self._version)} FROM works WHERE id IN ({which})",  # noqa: S608  # the queries above
            (json.dumps(numbers),),
        )
        records = [from_row(row) for row in rows]
        return mark(self._connection, records) if self._version == VERSION else records

    def _queries(self, title: Title) -> Iterator[str]:
        """Full-text queries that the true title matches although some of the words are damaged.

        First nearly all of the rarest words are asked for, then two words less. Where so few are asked for
        that common words would give any number of titles, the length must be right as well.
        """
        groups = [_any_of(f'"{word}"' for word in slot) for slot in self._slots(title)]
        if not groups:
            return
        size, count = len(title.words), len(groups)
        lengths = _any_of(f'"{length_mark(words)}"' for words in range(max(size - 1, 1), size + 2))
        strict, loose = max(count - 1, min(count, 2)), max(count - 2, 1)
        for needed in sorted({strict, loose}, reverse=True):
            subsets = _any_of(
                f"({' AND '.join(subset)})" for subset in itertools.combinations(groups, needed)
            )
            yield f"{subsets} AND {lengths}" if needed <= 2 else subsets

    def _slots(self, title: Title) -> list[tuple[str, ...]]:
        """The rarest words of the title, each with the words that may have been meant."""
        words = [word for word in title.words[:MOST_WORDS] if len(word) <= LONGEST_WORD]
        content = [word for word in words if word not in FUNCTION_WORDS] or words
        slots = {
            word: [word, *(self._vocabulary.corrections(word) if self._doubtful(word, content) else ())]
            for word in content
        }
        for left, right in itertools.pairwise(words):  # a word that was broken in two
            if not (self.frequency(left) and self.frequency(right)):
                slots[left + right] = [left + right, *self._vocabulary.corrections(left + right)]
        known = {tuple(word for word in slot if self.frequency(word)) for slot in slots.values()}
        ranked = sorted((sum(map(self.frequency, slot)), slot) for slot in known if slot)
        return [slot for _, slot in ranked[:SLOTS]]

    def _doubtful(self, word: str, content: list[str]) -> bool:
        """Whether to look for the word that was meant: it is none, or rare in a title of few words."""
        return self.frequency(word) == 0 or (len(content) <= 4 and self.frequency(word) <= 5)


def exact_keys(reference: Reference, title: Title) -> list[int]:
    """The keys under which a work is found that has an identifier, the title or the main title of a reference."""
    hashes = [
        key(kind, value) for kind, read in IDENTIFIERS.items() if (value := read(getattr(reference, kind)))
    ]
    hashes += [key(said.kind, said.value) for said in identifiers(reference) if said.field != said.kind]
    if title.squeezed:
        for squeezed in (title.squeezed, *title.with_other_articles):
            hashes += [key("title", squeezed), key("main", squeezed)]
    mains = [part.squeezed for part in title.mains]
    return hashes + [key(kind, squeezed) for squeezed in mains for kind in ("title", "main")]


def has_its_title(match: Match) -> bool:
    """Whether the work was found, and under this title."""
    return match.status is Status.FOUND and all(different.field != "title" for different in match.differences)


def _any_of(terms: Iterable[str]) -> str:
    return f"({' OR '.join(terms)})"


def most_alike(title: Title, titles: Mapping[int, str]) -> list[tuple[str, float, int]]:
    """Normalised title, similarity and place of the titles most like one, best first, and then of those that it is a part of."""
    plain = {at: normalise(text) for at, text in titles.items()}
    alike = extract(
        title.normalised,
        plain,
        scorer=Levenshtein.normalized_similarity,
        processor=None,
        limit=SIMILAR,
        score_cutoff=LEAST_SIMILARITY,
    )
    wholes = sorted(
        (
            (text, LEAST_SIMILARITY, at)
            for at, text in plain.items()
            if len(text) > len(title.normalised)
            and title.normalised in text
            and is_part(title.words, text.split())
        ),
        key=lambda whole: len(whole[0]),
    )
    return [*alike, *(one for one in wholes[:SIMILAR] if one not in alike)]
