"""Candidates: the works of an index that a reference may mean.

Every value in SQL is a parameter; full-text queries are built from normalised words in double quotes.
"""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Iterable, Iterator

from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import extract

from guardrail.references.bibliography.claims import identifiers
from guardrail.references.bibliography.normalise import IDENTIFIERS, key, normalise
from guardrail.references.bibliography.records import Record, Reference
from guardrail.references.bibliography.schema import COLUMNS, LONGEST_WORD, from_row, length_mark
from guardrail.references.bibliography.spelling import Vocabulary
from guardrail.references.bibliography.titles import FUNCTION_WORDS, Title

__all__ = ["Lookup"]

SLOTS = 6  # words of a title that the full-text query uses
MOST_WORDS = 60  # of a title that are read
CANDIDATES = 600
SIMILAR = 6  # works handed on to be judged
LEAST_SIMILARITY = 0.6
RETRACTED = ("retracted", "retractedarticle", "withdrawn")  # in front of the title of a record
ENOUGH = 0.8  # similarity from which no looser query is made


class Lookup:
    """The queries of one look-up, with what they learn about words on the way."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._vocabulary = Vocabulary(connection)
        self.frequency = self._vocabulary.frequency

    def complete(self) -> bool:
        """Whether the index was declared to hold every work."""
        row = self._connection.execute("SELECT value FROM meta WHERE name = 'complete'").fetchone()
        return bool(row and row[0])

    def exact(self, reference: Reference, title: Title) -> list[Record]:
        """Works with one of the identifiers, the same title, or one that is the other without its subtitle."""
        hashes = [
            key(kind, value)
            for kind, read in IDENTIFIERS.items()
            if (value := read(getattr(reference, kind)))
        ]
        hashes += [key(said.kind, said.value) for said in identifiers(reference) if said.field != said.kind]
        if title.squeezed:
            hashes += [key("title", title.squeezed), key("main", title.squeezed)]
            hashes += [key("title", mark + title.squeezed) for mark in RETRACTED]
        hashes += [key("title", part.squeezed) for part in title.mains]
        return self._with_keys(hashes)

    def titled(self, titles: Iterable[Title]) -> list[Record]:
        """Works with exactly one of these titles."""
        return self._with_keys([key("title", title.squeezed) for title in titles if title.squeezed])

    def _with_keys(self, hashes: list[int]) -> list[Record]:
        rows = self._connection.execute(
            f"SELECT {COLUMNS} FROM works WHERE id IN (SELECT work FROM keys WHERE hash IN "  # noqa: S608
            "(SELECT value FROM json_each(?))) LIMIT 200",
            (json.dumps(hashes),),
        )
        return [from_row(row) for row in rows]

    def similar(self, title: Title) -> list[Record]:
        """The works whose titles look most like this one."""
        best: list[tuple[str, float, int]] = []
        for query in self._queries(title):
            rows = self._connection.execute(
                "SELECT works.id, works.title FROM (SELECT rowid FROM titles WHERE titles MATCH ? LIMIT ?) AS hits "
                "JOIN works ON works.id = hits.rowid",
                (query, CANDIDATES),
            )
            best = _most_alike(title, rows)
            if best and best[0][1] >= ENOUGH:
                break
        found = self._connection.execute(
            f"SELECT {COLUMNS} FROM works WHERE id IN (SELECT value FROM json_each(?))",  # noqa: S608
            (json.dumps([at for _, _, at in best]),),
        )
        return [from_row(row) for row in found]

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


def _any_of(terms: Iterable[str]) -> str:
    return f"({' OR '.join(terms)})"


def _most_alike(title: Title, rows: Iterable[tuple[int, str]]) -> list[tuple[str, float, int]]:
    """Normalised title, similarity and number of the works most like a title, best first."""
    return extract(
        title.normalised,
        {at: normalise(text) for at, text in rows},
        scorer=Levenshtein.normalized_similarity,
        processor=None,
        limit=SIMILAR,
        score_cutoff=LEAST_SIMILARITY,
    )
