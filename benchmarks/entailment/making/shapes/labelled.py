"""Claims that people judged beside their sources, as far as they may be learnt from; each source is in one of two folds.

A fold's training leaves the other half of the sources for judging, so nothing is judged by a source that it learnt.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.answers import statements
from benchmarks.grounding import sets
from guardrail.text.sentences import split_sentences

__all__ = ["FOLDS", "LEARNT", "Labelled", "fold_of", "labelled"]

FOLDS = 2

LEARNT = ("expertqa_support", "check_covid", "citation_integrity", "wikipedia_citations", "summedits")
"""The sets of `data/attribution` whose licences admit it."""

Share = tuple[float, float, float]
_SUPPORTED: Share = (0.93, 0.06, 0.01)
_NOT: Mapping[str, Share] = {
    "expertqa_support": (0.08, 0.8, 0.12),
    "check_covid": (0.03, 0.2, 0.77),
    "citation_integrity": (0.08, 0.7, 0.22),
    "wikipedia_citations": (0.08, 0.76, 0.16),
    "summedits": (0.03, 0.37, 0.6),
    "ragtruth": (0.04, 0.58, 0.38),
}
"""What is not supported is seldom contradicted, but where people changed a claim on purpose."""

_FEWEST = 4  # words of an answer's sentence


@dataclass(frozen=True, slots=True)
class Labelled:
    """A claim and how likely its documents (entail, leave open, contradict) it.

    Attributes:
        source: rows of one source belong to one fold.
        documents: beside which it was judged.
        claim: without marks of citation.
        share: sums to 1.
    """

    source: str
    documents: tuple[str, ...]
    claim: str
    share: Share


def fold_of(source: str) -> int:
    """In which fold a source is: 0 or 1."""
    return hashlib.blake2b(source.encode()).digest()[0] % FOLDS


def labelled(attribution: Path, grounding: Path, *, fold: int | None = None) -> list[Labelled]:
    """The claims that are learnt from.

    Args:
        attribution: folder of those sets.
        grounding: folder of those sets; of RAGTruth each sentence is a claim.
        fold: leave out the sources of the other fold; `None` = all are learnt from.
    """
    found = [*_statements(attribution), *_answers(grounding)]
    return [one for one in found if fold is None or fold_of(one.source) == fold]


def _statements(folder: Path) -> Iterator[Labelled]:
    for name in LEARNT:
        for one in statements.read(folder, name):
            if one.unsupported is not None:
                share = _NOT[name] if one.unsupported else _SUPPORTED
                yield Labelled(one.source, one.documents, one.bare, share)


def _answers(folder: Path) -> Iterator[Labelled]:
    for name in sets.RAGTRUTH:
        for one in sets.read(folder, name):
            start = 0
            for sentence in split_sentences(one.answer):
                start = one.answer.index(sentence, start)
                end = start + len(sentence)
                wrong = any(a < end and start < b for a, b in one.spans or ())
                start = end
                if len(sentence.split()) >= _FEWEST:
                    share = _NOT["ragtruth"] if wrong else _SUPPORTED
                    yield Labelled(one.source, one.documents, sentence, share)
