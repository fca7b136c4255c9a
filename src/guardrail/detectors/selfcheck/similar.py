"""Which sentences of a passage are about the same thing: by shared words, without a model."""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache

from guardrail.detectors.selfcheck.tokens import words
from guardrail.text.sentences import split_sentences

__all__ = ["nearest", "similarity"]


def similarity(first: str, second: str) -> float:
    """The cosine of two texts' word counts: in [0, 1], 0 where one has no word.

    Example:
        >>> similarity("He was born in Paris.", "born in paris"), similarity("a", "b")
        (0.7745966692414834, 0.0)
    """
    return _cosine(_counts(first), _counts(second))


def nearest(sentence: str, passage: str, most: int, *, in_order: bool = False) -> list[tuple[str, float]]:
    """The sentences of a passage most like `sentence`, with their similarity.

    Args:
        sentence: what they are to be like.
        passage: where they come from.
        most: how many.
        in_order: as they stand in the passage, instead of the most similar first.
    """
    target = _counts(sentence)
    found = [(text, _cosine(target, _counts(text)), i) for i, text in enumerate(_sentences(passage))]
    best = sorted(found, key=lambda one: (-one[1], one[2]))[:most]
    if in_order:
        best.sort(key=lambda one: one[2])
    return [(text, value) for text, value, _ in best]


@lru_cache(maxsize=512)
def _sentences(passage: str) -> tuple[str, ...]:
    return tuple(split_sentences(passage))


@lru_cache(maxsize=8_192)
def _counts(text: str) -> Counter[str]:
    return Counter(words(text))


def _cosine(first: Counter[str], second: Counter[str]) -> float:
    shared = sum(count * second[word] for word, count in first.items())
    if not shared:
        return 0.0
    size = sum(c * c for c in first.values()) * sum(c * c for c in second.values())
    return min(1.0, shared / math.sqrt(size))
