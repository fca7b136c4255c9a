"""Training of the model that reads passages of answers: `python -m benchmarks.references.reading train --passages`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.references.answers.labels import works
from benchmarks.references.reading._prose import answers
from benchmarks.references.reading._training import PASSAGES, train
from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.records import Record
from guardrail.references.citations.segmentation.model import packaged

__all__ = ["COUNT", "sentences", "train_passages"]

COUNT = 4800
"""Pieces of answers in the training."""


def sentences(path: Path) -> list[str]:
    """Premises of a set of pairs, neither short nor long, in the order of the alphabet."""
    with path.open(encoding="utf-8") as stream:
        found = {str(json.loads(line)["premise"]) for line in stream}
    return [one for one in sorted(found) if 40 < len(one) < 180]


def train_passages(records: Sequence[Record], told: Sequence[str], count: int = COUNT) -> bytes:
    """The file of the model; equal arguments give equal bytes.

    Records of works that the half "seen" of the labelled answers cites are left out; those of the other half are not looked at.

    Raises:
        MissingExtra: python-crfsuite is not installed.
    """
    cited = {normalise(work.title) for work in works("seen").values()}
    kept = [record for record in records if normalise(record.title) not in cited]
    pieces = answers(kept, told, count, half=0)
    about = {
        "trained on": [
            f"{len(pieces)} pieces of answers rendered from public bibliographies (bibliographic facts) and word lists, with sentences of MultiNLI (OANC) in between"
        ],
        "command": "python -m benchmarks.references.reading train --passages",
        "options": {**PASSAGES.options, "temperature": PASSAGES.temperature},
    }
    return train(pieces, packaged().lexicon, about, settings=PASSAGES)
