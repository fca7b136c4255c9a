"""Claims that people judged beside their sources, as far as they may be learnt from; each source is in one of two folds.

A fold's training leaves the other half of the sources for judging, so nothing is judged by a source that it learnt.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.answers import statements

__all__ = ["FOLDS", "LEARNT", "Labelled", "fold_of", "labelled"]

FOLDS = 2

LEARNT = ("check_covid", "citation_integrity", "wikipedia_citations", "summedits")
"""The sets of `data/attribution` whose licences admit it, but ExpertQA: its real answers judge."""

Share = tuple[float, float, float]
_SUPPORTED: Share = (0.93, 0.06, 0.01)
_NOT: Mapping[str, Share] = {
    "check_covid": (0.03, 0.2, 0.77),
    "citation_integrity": (0.08, 0.7, 0.22),
    "wikipedia_citations": (0.08, 0.76, 0.16),
    "summedits": (0.03, 0.37, 0.6),
}
"""What is not supported is seldom contradicted, but where people changed a claim on purpose."""


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


def labelled(attribution: Path, *, fold: int | None = None) -> list[Labelled]:
    """The claims that are learnt from.

    Args:
        attribution: folder of those sets.
        fold: leave out the sources of the other fold; `None` = all are learnt from.
    """
    found = _statements(attribution)
    return [one for one in found if fold is None or fold_of(one.source) == fold]


def _statements(folder: Path) -> Iterator[Labelled]:
    for name in LEARNT:
        for one in statements.read(folder, name):
            if one.unsupported is not None:
                share = _NOT[name] if one.unsupported else _SUPPORTED
                yield Labelled(one.source, one.documents, one.bare, share)
