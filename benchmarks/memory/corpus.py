"""The simulated corpus of the external test, measured, and the fits of normal summaries that are made of it.

`python -m benchmarks.memory.corpus FOLDER` writes every packaged fit anew: those of summaries by the simulated subject on
news, those of answers by `rag`. Only fitted numbers go into the files, no text.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from benchmarks._data import data_dir
from benchmarks.memory.comparing import NEEDS, SETTINGS, Compare, Setting, comparer, fingerprint
from benchmarks.memory.rag import fit_answers, true_rephrasings
from benchmarks.memory.subject import Document, Item, Subject, documents
from guardrail.backends.packaged import encoder_installed
from guardrail.errors import InputError
from guardrail.memory.external import ExternalFit, Measured, learn, measure
from guardrail.memory.external.fits import PACKAGED

__all__ = ["Corpus", "Half", "corpus", "fit_of", "halves", "measured", "read_news", "simulate"]

RATE = 0.3
"""h of the corpus: the share of responses that are invented."""

RELEVANT = 3
"""LCSTS' people gave a summary 1 to 5; those of at least this are true summaries."""


@dataclass(frozen=True, slots=True)
class Half:
    """Measured responses of half of the documents.

    Attributes:
        measured: of each.
        invented: whether r_1 is.
        settled: whether the document was misread as a whole.
    """

    measured: tuple[Measured, ...]
    invented: NDArray[np.bool_]
    settled: NDArray[np.bool_]

    @property
    def points(self) -> NDArray[np.float64]:
        """Shape (n, 2): consistency, relevance."""
        return np.array([one.point() for one in self.measured], dtype=np.float64)

    @property
    def normal(self) -> list[Measured]:
        """Those that are not invented."""
        return [one for one, bad in zip(self.measured, self.invented, strict=True) if not bad]


@dataclass(frozen=True, slots=True)
class Corpus:
    """One language by one encoder: the half that fits are made of, and the other."""

    fitted: Half
    scored: Half


def read_news(folder: Path, language: str) -> list[dict[str, Any]]:
    """The rows with true summaries: BBC, and LCSTS of a relevance of 3 or more."""
    path = folder / "news.jsonl"
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise InputError(f"expected news as JSON lines in {path.name!r}, got {error}") from error
    return [
        row
        for row in rows
        if row["lang"] == language and (language == "en" or (row.get("relevance") or 0) >= RELEVANT)
    ]


def halves(
    folder: Path, language: Literal["en", "zh"], *, seed: int, most: int | None
) -> list[list[Document]]:
    """The documents, shuffled and parted: the first to fit, the second to score."""
    found = documents(read_news(folder, language), language)
    random.Random(seed).shuffle(found)
    found = found[:most]
    return [found[: len(found) // 2], found[len(found) // 2 :]]


def simulate(
    part: Sequence[Document], language: Literal["en", "zh"], *, rate: float = RATE, seed: int = 0
) -> list[Item]:
    """What the subject says about every document of a part; inventions come from the same part."""
    rng = random.Random(seed)
    subject = Subject(language, rate)
    return [subject.item(one, [*part[:i], *part[i + 1 :]], rng) for i, one in enumerate(part)]


def measured(items: Sequence[Item], compare: Compare) -> Half:
    """The items by numbers."""
    pairs = [
        [*((one.responses[0], other) for other in one.responses[1:]), *combinations(one.responses[1:], 2)]
        for one in items
    ]
    values = iter(compare([pair for some in pairs for pair in some]))
    found = []
    for one, some in zip(items, pairs, strict=True):
        likeness = [next(values) for _ in some]
        others = len(one.responses) - 1
        found.append(measure(one.texts, one.responses, likeness[:others], likeness[others:]))
    return Half(
        tuple(found),
        np.array([one.invented[0] for one in items]),
        np.array([one.settled for one in items]),
    )


def corpus(
    folder: Path, setting: Setting, *, seed: int = 0, most: int | None = None, rate: float = RATE
) -> Corpus:
    """Simulate and measure both halves."""
    language, encoder = setting
    compare = comparer(encoder)
    first, second = halves(folder, language, seed=seed, most=most)
    return Corpus(
        measured(simulate(first, language, rate=rate, seed=seed + 1), compare),
        measured(simulate(second, language, rate=rate, seed=seed + 2), compare),
    )


def fit_of(half: Half, setting: Setting, rephrasings: Sequence[float], **options: Any) -> ExternalFit:
    """Fit the normal summaries of a half; `rephrasings` are similarities of true ones."""
    language, encoder = setting
    texts = "BBC News Summary" if language == "en" else f"LCSTS part III, relevance ≥ {RELEVANT}"
    return learn(
        half.normal,
        task="summary",
        language=language,
        encoder=encoder,
        compared_by=fingerprint(encoder),
        rephrasings=rephrasings,
        provenance={
            "corpus": f"{texts}: one half, rephrased and summarised by a simulated subject, h = {RATE}",
            "rephrasings of": "labelled/rag.jsonl, half 'tuning'",
            "licence": "the corpus is for research use only; this file holds fitted numbers and no text",
            "labels": "known, since simulated",
            "command": "python -m benchmarks.memory.corpus",
        },
        **options,
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Write the packaged fits into a folder; returns the exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    if len(arguments) != 1 or not encoder_installed():
        sys.stderr.write(f"expected the folder to write to, got {arguments!r}; {NEEDS}\n")
        return 2
    target = Path(arguments[0])
    for setting in SETTINGS.values():
        compare = comparer(setting[1])
        summaries = fit_of(
            corpus(data_dir("memory"), setting).fitted, setting, true_rephrasings(setting[0], compare)
        )
        for task, fit in (("summary", summaries), ("answer", fit_answers(setting, compare))):
            name = PACKAGED[task, *setting]
            fit.save(target / f"{name}.json")
            sys.stdout.write(f"{name} {fit.fingerprint} {fit.rows} rows\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
