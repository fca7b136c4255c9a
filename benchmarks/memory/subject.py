"""The simulated subject of the external test: it summarises by extracting, and invents with a known probability.

Its rephrasings change the order of neighbouring units and lose a few words. Its summary joins the units that share most
with the human summary, with noise, and loses some words. With probability h a response is made from another document in
the same way: half of that by misreading the document as a whole (every response is then about the same other document),
half response by response (each slip is about another one).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from guardrail.memory.external.segmentation import Language, split_sentences, words

__all__ = ["Document", "Item", "Subject", "documents"]

REPHRASED_LOSS = 0.06  # words that a rephrasing loses
SUMMARY_LOSS = (0.05, 0.3)  # words that a summary loses, at least and at most
NOISE = 0.1  # of the share of a unit's words that stand in the human summary
JOINED = {"en": 1, "zh": 2}  # units of a summary
LONGEST = 8  # units of a document that are read

_CLAUSE = re.compile(r"[^，；。！？,;!?\n]+[，；。！？,;!?\n]*[”’」』》）\"']*")


@dataclass(frozen=True, slots=True)
class Document:
    """A news text.

    Attributes:
        id: of the row.
        units: its sentences, in Chinese its clauses.
        salience: of each unit, the share of its words that stand in the human summary.
    """

    id: str
    units: tuple[str, ...]
    salience: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """What the subject said about one document.

    Attributes:
        texts: q_0 and its rephrasings.
        responses: r_1, to q_0, and one per rephrasing.
        invented: of each response.
        settled: whether the document was misread as a whole.
    """

    texts: tuple[str, ...]
    responses: tuple[str, ...]
    invented: tuple[bool, ...]
    settled: bool


def documents(rows: Sequence[Mapping[str, str]], language: Language) -> list[Document]:
    """The texts that have units enough to choose from."""
    found = []
    for row in rows:
        units = _units(row["document"], language)[:LONGEST]
        if len(units) <= JOINED[language]:
            continue
        said = set(words(row["summary"], language=language))
        cut = [words(unit, language=language) for unit in units]
        salience = tuple(sum(word in said for word in one) / max(1, len(one)) for one in cut)
        found.append(Document(row["id"], tuple(units), salience))
    return found


@dataclass(frozen=True, slots=True)
class Subject:
    """A model whose behaviour is known.

    Attributes:
        language: of its documents.
        h: the probability that a response is invented, in [0, 1).
        rephrasings: per document.
    """

    language: Language
    h: float
    rephrasings: int = 4

    def item(self, document: Document, others: Sequence[Document], rng: random.Random) -> Item:
        """Rephrase a document, and answer about it and each rephrasing.

        Args:
            document: q_0.
            others: where inventions come from.
            rng: of all choices.
        """
        texts = [self._join(document.units)]
        texts += [self._rephrased(document, rng) for _ in range(self.rephrasings)]
        settled = rng.random() < self.h / 2
        slip = self.h / 2 / (1 - self.h / 2)
        misread = rng.choice(others)
        responses, invented = [], []
        for _ in texts:
            made_up = settled or rng.random() < slip
            source = document if not made_up else misread if settled else rng.choice(others)
            responses.append(self._summary(source, rng))
            invented.append(made_up)
        return Item(tuple(texts), tuple(responses), tuple(invented), settled)

    def _rephrased(self, document: Document, rng: random.Random) -> str:
        units = list(document.units)
        for i in range(len(units) - 1):
            if rng.random() < 0.3:
                units[i], units[i + 1] = units[i + 1], units[i]
        return self._join([self._thinned(unit, REPHRASED_LOSS, rng) for unit in units])

    def _summary(self, document: Document, rng: random.Random) -> str:
        noisy = [s - 0.02 * i + rng.gauss(0, NOISE) for i, s in enumerate(document.salience)]
        best = sorted(range(len(noisy)), key=lambda i: -noisy[i])[: JOINED[self.language]]
        loss = rng.uniform(*SUMMARY_LOSS)
        return self._join([self._thinned(document.units[i], loss, rng) for i in sorted(best)])

    def _thinned(self, unit: str, loss: float, rng: random.Random) -> str:
        parts = _parts(self.language)(unit)
        kept = [part for part in parts if rng.random() >= loss]
        return ("" if self.language == "zh" else " ").join(kept or parts)

    def _join(self, units: Sequence[str]) -> str:
        return ("" if self.language == "zh" else " ").join(units)


def _units(text: str, language: Language) -> list[str]:
    if language != "zh":
        return split_sentences(text, language=language)
    found = [match[0].strip() for match in _CLAUSE.finditer(text)]
    return [one for one in found if len(words(one, language=language)) >= 2]


def _parts(language: Language) -> Callable[[str], list[str]]:
    """What may be lost of a unit: words, in Chinese as jieba cuts them, marks and all."""
    if language != "zh":
        return str.split
    return lambda unit: words(unit, language=language)
