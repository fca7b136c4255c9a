"""BM25: how much a text speaks of what a query speaks of, by the words that both have.

The variant is Lucene's: rarity ln(1 + (N − n + ½) / (n + ½)), never negative, and no constant factor k1 + 1. `bm25` is
for one text; `RankingIndex` ranks many, and is built once for any number of queries.

Source: [robertson2009].
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from guardrail.errors import InputError

K1 = 1.5
"""How fast repeated words saturate."""

B = 0.75
"""How much a text's length counts, in [0, 1]."""


@dataclass(frozen=True, slots=True)
class Collection:
    """What BM25 has to know of the texts around: how many contain a word, and how long they are.

    Attributes:
        size: how many texts.
        counts: by word, the texts that contain it.
        mean_length: words per text.
    """

    size: int = 0
    counts: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    mean_length: float = 0.0

    @classmethod
    def of(cls, texts: Sequence[Sequence[str]]) -> Collection:
        """Count texts, given as their words.

        Raises:
            InputError: there is no word.
        """
        length = sum(map(len, texts))
        if not length:
            raise InputError("expected texts with words, got none. Leave out what has no word.")
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(set(text))
        return cls(len(texts), MappingProxyType(counts), length / len(texts))

    def rarity(self, word: str) -> float:
        """Above 0, in nats; largest for a word that is in no text."""
        held = self.counts.get(word, 0)
        return math.log1p((self.size - held + 0.5) / (held + 0.5))


def bm25(
    query: Sequence[str],
    document: Sequence[str],
    collection: Collection,
    *,
    mean_length: float | None = None,
) -> float:
    """BM25 of a query against a document, both as words; repeated words of the query count each time.

    Args:
        query: any number of words.
        document: any number of words.
        collection: gives the rarities.
        mean_length: of documents, in words; by default that of the collection's texts. Where the collection is of
            sentences, give that of whole documents.

    Returns:
        0 or more, in nats, larger = more relevant; below the sum of the query's rarities.

    Example:
        >>> texts = [["a", "cat", "sat"], ["a", "dog", "ran", "off"]]
        >>> round(bm25(["cat", "cow"], texts[0], Collection.of(texts)), 6)
        0.296307
    """
    counts = Counter(document)
    norm = K1 * (1 - B + B * len(document) / (mean_length or collection.mean_length or 1.0))
    return math.fsum(
        collection.rarity(word) * counts[word] / (counts[word] + norm) for word in query if word in counts
    )


class RankingIndex:
    """Texts that queries are ranked against: per word, the texts that contain it and its weight in each.

    A query takes time linear in the texts that share a word with it; the index takes 12 bytes per distinct word of each
    text, and the words themselves.

    Args:
        texts: each as its words; any may be empty.

    Example:
        >>> index = RankingIndex([["a", "cat", "sat"], ["a", "dog", "ran", "off"], []])
        >>> [(i, round(value, 3)) for i, value in index.best(["a", "dog"], 2)]
        [(1, 0.439), (0, 0.167)]
    """

    def __init__(self, texts: Iterable[Sequence[str]]) -> None:
        counts = [Counter(words) for words in texts]
        lengths = np.array([counted.total() for counted in counts], dtype=np.float64)
        norms = K1 * (1 - B + B * lengths / (lengths.mean() if lengths.any() else 1.0))
        self.size = len(counts)
        held: dict[str, list[tuple[int, int]]] = {}
        for i, counted in enumerate(counts):
            for word, times in counted.items():
                held.setdefault(word, []).append((i, times))
        collection = Collection(self.size, {word: len(places) for word, places in held.items()})
        self._rows = {word: row for row, word in enumerate(held)}
        self._starts = np.cumsum([0, *(len(places) for places in held.values())])
        self._texts = np.array([i for places in held.values() for i, _ in places], dtype=np.int32)
        often = np.array([n for places in held.values() for _, n in places], dtype=np.float64)
        rarities = np.repeat([collection.rarity(word) for word in held], np.diff(self._starts))
        self._worth: NDArray[np.float64] = rarities * often / (often + norms[self._texts])

    def scores(self, query: Iterable[str]) -> NDArray[np.float64]:
        """BM25 of the query against each text: 0 or more, in nats; 0 where they share no word."""
        found = np.zeros(self.size)
        for word, times in Counter(query).items():
            row = self._rows.get(word)
            if row is not None:
                place = slice(self._starts[row], self._starts[row + 1])
                found[self._texts[place]] += times * self._worth[place]
        return found

    def best(self, query: Iterable[str], most: int) -> list[tuple[int, float]]:
        """The texts that share a word with the query, best first, at most so many; of equal ones the first comes first.

        Returns:
            Pairs of a text's number and its score, which is above 0.
        """
        scores = self.scores(query)
        found = np.flatnonzero(scores)
        if len(found) > most > 0:
            least = np.partition(scores[found], -most)[-most]
            found = found[scores[found] >= least]
        ranked = found[np.argsort(-scores[found], kind="stable")][: max(0, most)]
        return [(int(i), float(scores[i])) for i in ranked]
