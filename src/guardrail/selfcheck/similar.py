"""Which sentences of a passage are about the same thing: by shared words, without a model."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from guardrail.report import Passage
from guardrail.selfcheck.tokens import words
from guardrail.text.sentences import split_sentences

MOST_QUOTED = 3
"""How many passages speak against a sentence at most."""

_QUOTED = 500  # characters of a sample's sentence that evidence quotes
_SHORT = 500  # characters; of longer texts nothing is remembered, so that little memory is held


def nearest(sentence: str, passage: str, most: int) -> list[tuple[str, float]]:
    """The sentences of a passage most like `sentence`, with their similarity, the most similar first."""
    return most_like(sentence, _sentences(passage), most)


def quoted(sentence: str, samples: Sequence[str]) -> list[Passage]:
    """What samples say in the place of a sentence: the nearest sentence of each, of the three nearest samples."""
    near = [
        (like, Passage(source=f"sample {number}", text=text[:_QUOTED], score=like))
        for number, sample in enumerate(samples, 1)
        for text, like in nearest(sentence, sample, 1)
    ]
    return [passage for _, passage in sorted(near, key=lambda one: -one[0])[:MOST_QUOTED]]


def most_like(sentence: str, texts: Sequence[str], most: int) -> list[tuple[str, float]]:
    """Those of some texts that are most like `sentence`, the most similar first, each with the cosine of the word counts.

    The cosine is in [0, 1], 0 where one has no word.

    Example:
        >>> most_like("He was born in Paris.", ["a", "born in paris"], 2)
        [('born in paris', 0.7745966692414834), ('a', 0.0)]
    """
    target = _counts(sentence)
    found = [(text, _cosine(target, _counts(text)), i) for i, text in enumerate(texts)]
    return [(text, value) for text, value, _ in sorted(found, key=lambda one: (-one[1], one[2]))[:most]]


@lru_cache(maxsize=32)  # texts of a case, which may be long
def _sentences(passage: str) -> tuple[str, ...]:
    return tuple(split_sentences(passage))


class _Counts(NamedTuple):
    """How often each word of a text occurs, and the sum of the squares."""

    words: dict[str, int]
    squares: int


def _counts(text: str) -> _Counts:
    return _counted(text) if len(text) <= _SHORT else _counted.__wrapped__(text)


@lru_cache(maxsize=8_192)
def _counted(text: str) -> _Counts:
    found = dict(Counter(words(text)))
    return _Counts(found, sum(count * count for count in found.values()))


def _cosine(first: _Counts, second: _Counts) -> float:
    mine, theirs = first.words, second.words
    shared = sum([mine[word] * theirs[word] for word in mine.keys() & theirs.keys()])
    return min(1.0, shared / math.sqrt(first.squares * second.squares)) if shared else 0.0
