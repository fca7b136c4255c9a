"""Relevance: does a response speak of what the text speaks of? BM25 of the response as a query against the text.

The variant is Lucene's: rarity ln(1 + (N − n + ½) / (n + ½)), never negative, and no constant factor k1 + 1.

Source: [memory] eq. 8; [robertson2009] for BM25; differs: divided by what a response could reach at most, so that long
and short ones compare; the paper does not say which collection its rarities come from.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from guardrail.errors import InputError

__all__ = ["K1", "B", "Collection", "bm25", "relevance"]

K1 = 1.5
"""How fast repeated words saturate."""

B = 0.75
"""How much a text's length counts, in [0, 1]."""


@dataclass(frozen=True, slots=True)
class Collection:
    """What BM25 has to know of the texts around: how many hold a word, and how long they are.

    Attributes:
        size: how many texts.
        counts: by word, the texts that hold it.
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
            raise InputError("expected texts with words, got none. Leave out what holds no word.")
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(set(text))
        return cls(len(texts), MappingProxyType(counts), length / len(texts))

    def rarity(self, word: str) -> float:
        """Above 0, in nats; largest for a word that no text holds."""
        held = self.counts.get(word, 0)
        return math.log1p((self.size - held + 0.5) / (held + 0.5))


def bm25(
    query: Sequence[str],
    document: Sequence[str],
    collection: Collection,
    *,
    mean_length: float | None = None,
    k1: float = K1,
    b: float = B,
) -> float:
    """BM25 of a query against a document, both as words; repeated words of the query count each time.

    Args:
        query: any number of words.
        document: any number of words.
        collection: gives the rarities.
        mean_length: of documents, in words; by default that of the collection's texts. Where the collection is of
            sentences, give that of whole documents.
        k1: 0 or more.
        b: in [0, 1].

    Returns:
        0 or more, in nats, larger = more relevant; below the sum of the query's rarities.

    Example:
        >>> texts = [["a", "cat", "sat"], ["a", "dog", "ran", "off"]]
        >>> round(bm25(["cat", "cow"], texts[0], Collection.of(texts)), 6)
        0.296307
    """
    counts = Counter(document)
    norm = k1 * (1 - b + b * len(document) / (mean_length or collection.mean_length or 1.0))
    return math.fsum(
        collection.rarity(word) * counts[word] / (counts[word] + norm) for word in query if word in counts
    )


def relevance(
    responses: Sequence[Sequence[str]],
    documents: Sequence[Sequence[str]],
    collection: Collection,
    *,
    normalised: bool = True,
) -> float | None:
    """Eq. 8: the mean over p of BM25(q̂_p, r_p).

    Args:
        responses: r_p, as words.
        documents: q̂_p, as words, as many.
        collection: gives the rarities: the sentences of all q̂, say. Lengths are set against the mean of `documents`.
        normalised: divide each by the sum of its words' rarities, which no document could exceed; a response of words
            that stand in no document then has 0, whatever its length. `False` is the paper's sum.

    Returns:
        In [0, 1) where normalised, else in nats, 0 or more; larger = more relevant. Responses without words are left
        out; `None` if none is left.

    Raises:
        InputError: there are not as many documents as responses.

    Example:
        >>> texts = [["the", "cat", "sat"], ["the", "dog", "ran"]]
        >>> found = relevance([["cat"], ["cow"]], texts, Collection.of(texts))
        >>> round(found, 4)
        0.2
    """
    if len(responses) != len(documents):
        raise InputError(f"expected a document per response, got {len(documents)} for {len(responses)}")
    mean_length = sum(map(len, documents)) / len(documents) if documents else 0.0
    found = []
    for response, document in zip(responses, documents, strict=True):
        if not response:
            continue
        value = bm25(response, document, collection, mean_length=mean_length)
        most = math.fsum(map(collection.rarity, response)) if normalised else 1.0
        found.append(value / most)
    return math.fsum(found) / len(found) if found else None
