"""The words of all titles of an index: how often each occurs, and which one was meant.

A word that no title has is corrected through the two ordered columns of the table `words`: one letter wrong,
missing or added in a word of four letters or more leaves its first or its last half whole. So does a swap of
neighbours, but for the two in the middle; that one is not corrected.
"""

from __future__ import annotations

import sqlite3

from rapidfuzz.distance import OSA

from guardrail.references.bibliography.schema import LONGEST_WORD
from guardrail.references.bibliography.titles import fold

SHORTEST_CORRECTED = 3
CORRECTIONS = 5
NEIGHBOURS = 4000  # words with the same half that are compared


class Vocabulary:
    """The words of one connection's index; remembers what it was asked."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._times: dict[str, int] = {}

    def frequency(self, word: str) -> int:
        """In how many titles a word occurs."""
        found = self._times.get(word)
        if found is None:
            row = self._connection.execute("SELECT times FROM words WHERE word = ?", (word,)).fetchone()
            found = self._times[word] = row[0] if row else 0
        return found

    def corrections(self, word: str) -> list[str]:
        """Known words one slip or scanning error away, most frequent first."""
        if not SHORTEST_CORRECTED <= len(word) <= LONGEST_WORD:
            return []
        neighbours: dict[str, int] = {}
        for spelling in _spellings(word):
            neighbours.update(self._same_half(spelling))
        near = [
            (times, other) for other, times in neighbours.items() if other != word and _one_slip(word, other)
        ]
        chosen = sorted(near, reverse=True)[:CORRECTIONS]
        self._times.update((other, times) for times, other in chosen)
        return [other for _, other in chosen]

    def _same_half(self, word: str) -> dict[str, int]:
        """Known words that begin or end as this one does, with their frequencies."""
        half = max(len(word) // 2, 2)
        found: dict[str, int] = {}
        for column, text in (("word", word), ("reversed", word[::-1])):
            prefix = text[:half]
            found.update(
                self._connection.execute(
                    f"SELECT word, times FROM words WHERE {column} >= ? AND {column} < ? LIMIT {NEIGHBOURS}",  # noqa: S608
                    (prefix, prefix + "\U0010ffff"),
                )
            )
        return found


def _spellings(word: str) -> set[str]:
    """The word, and what a scanner may have read it from."""
    folded = fold(word)
    return {word, folded, folded.replace("m", "rn"), folded.replace("d", "cl")}


def _one_slip(word: str, other: str) -> bool:
    """Whether two words differ by one slip at most, once what scanners confuse is read as one letter or not."""
    if abs(len(other) - len(word)) > 2:
        return False
    return (
        OSA.distance(word, other, score_cutoff=1) <= 1
        or OSA.distance(fold(word), fold(other), score_cutoff=1) <= 1
    )
