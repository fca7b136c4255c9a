"""The premise of a sentence: a whole text, its sentences most like the sentence, or parts that a model can read at once.

Pure functions over texts; nothing here asks a model. Sentences are chosen by BM25 over words, or by vectors that
somebody else has made. What is chosen keeps the text's order.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from guardrail.report import Span
from guardrail.requests import Vector
from guardrail.selfcheck.tokens import words
from guardrail.text.bm25 import RankingIndex
from guardrail.text.sentences import sentences

_REMEMBERED = 16_384  # characters; what is longer is split anew, so that little memory is held
_AT_ONCE = 256  # sentences whose cosines with all of a text are held at once
_FINEST = 4  # a sentence that is too long is cut into pieces of at most this share of a part


@dataclass(frozen=True, slots=True)
class Premise:
    """What a sentence is judged by.

    Attributes:
        text: handed to the model as it is.
        spans: where it is in the text that it was taken from; empty = it is that text, as a whole.
        alike: whether any of it is like the sentence; if not, it is only the text's beginning.
    """

    text: str
    spans: tuple[Span, ...] = ()
    alike: bool = True


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a text, from one border of sentences to another where that can be.

    Attributes:
        start: its first character's place.
        end: where it ends, exclusive.
        broken: whether it begins or ends within a sentence.
    """

    start: int
    end: int
    broken: bool = False


class Passages:
    """The sentences of a text, split and counted once, to choose from for any number of others.

    Args:
        text: any text; sentences that occur again count once.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        first: dict[str, Span] = {}
        for span in sentences(text):
            first.setdefault(span.of(text), span)
        self.spans = tuple(first.values())
        self.sentences = tuple(first)
        self._index = RankingIndex(words(sentence) for sentence in self.sentences)

    def by_words(self, sentence: str, most: int = 3) -> Premise:
        """The sentences that share most with `sentence`, in the text's order: by BM25, rarities counted within this text.

        Words are lower-cased; Chinese and Japanese characters are words of their own. Languages that write no blanks and no such
        characters (Thai, say) are hardly distinguished: choose by vectors there. Sentences that share no word with it are
        left out; if none does, the text's first ones are taken.

        Example:
            >>> text = Passages("He was born in Rome. He liked cheese. Nobody knows why. He died in Rome in 1900.")
            >>> text.by_words("He died in Rome.", 2).text
            'He was born in Rome. He died in Rome in 1900.'
            >>> text.by_words("Sie lachte.", 1)
            Premise(text='He was born in Rome.', spans=(Span(start=0, end=20),), alike=False)
        """
        return self._of([i for i, _ in self._index.best(words(sentence), most)], most)

    def by_vectors(
        self, wanted: Sequence[Vector], own: Sequence[Vector | None], most: int = 3
    ) -> list[Premise]:
        """The sentences whose vectors are nearest to each of those wanted, by the cosine.

        Args:
            wanted: a vector per sentence that is judged.
            own: of this text's `sentences`, in their order; one without any is not chosen.
            most: how many sentences make a premise.
        """
        known = [i for i, one in enumerate(own) if one is not None]
        if not known or not wanted:
            return [self._of([], most)] * len(wanted)
        matrix = _unit([own[i] for i in known])
        found = []
        for start in range(0, len(wanted), _AT_ONCE):
            for cosines in _unit(wanted[start : start + _AT_ONCE]) @ matrix.T:
                best = np.argsort(-cosines, kind="stable")[:most]
                found.append(self._of([known[int(i)] for i in best], most))
        return found

    def _of(self, best: Sequence[int], most: int) -> Premise:
        if not self.spans:  # nothing but code or headings, say
            return Premise(self.text, alike=False)
        taken = sorted(best) or range(min(most, len(self.spans)))
        spans = tuple(self.spans[i] for i in taken)
        return Premise(" ".join(span.of(self.text) for span in spans), spans, alike=bool(best))


def _unit(vectors: Sequence[Vector | None]) -> NDArray[np.float64]:
    """Vectors of length 1; one without length or with numbers that are none is 0 throughout."""
    matrix = np.array(vectors, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    matrix[~np.isfinite(matrix).all(axis=1)] = 0.0
    return matrix


def passages(text: str) -> Passages:
    """The sentences of a text to choose from; those of short texts are remembered."""
    return _remembered(text) if len(text) <= _REMEMBERED else Passages(text)


_remembered = lru_cache(maxsize=64)(Passages)


def parts(text: str, size: int) -> list[Part]:
    """Overlapping parts that cover a text, each of at most `size` characters, cut between sentences.

    Two neighbouring sentences that fit into one part are in one part together. A sentence that is longer than a
    part is cut at blanks, or where there is none at any character; its pieces overlap.

    Args:
        text: any text; a part also contains what is no sentence (headings, code).
        size: characters, 1 or more.

    Example:
        >>> [(one.start, one.end) for one in parts("One is here. Two is here. Three is here.", 27)]
        [(0, 26), (13, 40)]
    """
    cuts = _cuts(text, size)
    found: list[Part] = []
    first = 0
    while first < len(cuts) - 1:
        last = first + 1
        while last < len(cuts) - 1 and cuts[last + 1][0] - cuts[first][0] <= size:
            last += 1
        (start, opens), (end, closes) = cuts[first], cuts[last]
        if not text[start:end].isspace():
            found.append(Part(start, end, broken=not (opens and closes)))
        if last == len(cuts) - 1:
            break
        shared = last - 1 > first and cuts[last + 1][0] - cuts[last - 1][0] <= size
        first = last - 1 if shared else last
    return found


def nearest_parts(sentences: Sequence[str], text: str, candidates: Sequence[Part]) -> list[list[int]]:
    """The numbers of all candidates for each sentence, those most like it first, by BM25 over words.

    Those that share no word with it come last, in their order.
    """
    index = RankingIndex(words(text[one.start : one.end]) for one in candidates)
    found = []
    for sentence in sentences:
        scores = index.scores(words(sentence))
        found.append([int(i) for i in np.argsort(-scores, kind="stable")])
    return found


def _cuts(text: str, size: int) -> list[tuple[int, bool]]:
    """Where a text may be cut, and whether a sentence begins there; never further apart than `size`."""
    if len(text) <= size:
        return [(0, True), (len(text), True)] if text else []
    borders = sorted({0, *(span.start for span in sentences(text)), len(text)})
    found = [(0, True)]
    for start, end in itertools.pairwise(borders):
        if end - start > size:
            found += ((place, False) for place in _within(text, start, end, max(1, size // _FINEST)))
        found.append((end, True))
    return found


def _within(text: str, start: int, end: int, size: int) -> Iterator[int]:
    """Places between two borders at most `size` apart, behind blanks where there are any."""
    while end - start > size:
        blank = next((i for i in range(start + size, start, -1) if text[i - 1].isspace()), start + size)
        yield blank
        start = blank
