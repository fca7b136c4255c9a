"""Relevance: does a response speak of what the text speaks of? BM25 of the response as a query against the text.

The variant is Lucene's: rarity ln(1 + (N − n + ½) / (n + ½)), never negative, and no constant factor k1 + 1.

Source: [memory] eq. 8; [robertson2009] for BM25; differs: divided by what a response could reach at most, so that long
and short ones compare; the paper does not say which collection its rarities come from.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from guardrail.errors import InputError
from guardrail.text.bm25 import K1, B, Collection, bm25

__all__ = ["K1", "B", "Collection", "bm25", "relevance"]


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
