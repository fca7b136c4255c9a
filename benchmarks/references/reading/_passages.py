"""Training of the model that reads passages of answers: `python -m benchmarks.references.reading train --passages`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.references.answers.labels import Answer, works
from benchmarks.references.answers.labels import answers as labelled_answers
from benchmarks.references.reading._adapting import adapted
from benchmarks.references.reading._labelled import kinds, labelled
from benchmarks.references.reading._prose import answers
from benchmarks.references.reading._strings import Example, labels_of
from benchmarks.references.reading._training import PASSAGES, train
from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.records import Record
from guardrail.references.citations.segmentation.features import features
from guardrail.references.citations.segmentation.model import Model, packaged, read_model, to_bytes

__all__ = ["ADAPTING", "COUNT", "adapted_to", "sentences", "train_passages"]

COUNT = 4800
"""Pieces of answers in the training."""

REPEATED = 500
"""Rendered pieces that the adaptation to labelled answers sees once more."""

ADAPTING: Mapping[str, Any] = {"strength": 0.1, "least": 3, "steps": 80, "smallest": 0.03}
"""Of the adaptation (see `adapted`); the labelled passages are in it twice."""


def sentences(path: Path) -> list[str]:
    """Premises of a set of pairs, neither short nor long, in the order of the alphabet."""
    with path.open(encoding="utf-8") as stream:
        found = {str(json.loads(line)["premise"]) for line in stream}
    return [one for one in sorted(found) if 40 < len(one) < 180]


def train_passages(
    records: Sequence[Record],
    told: Sequence[str],
    count: int = COUNT,
    *,
    learnt: Sequence[Answer] | None = None,
) -> bytes:
    """The file of the model; equal arguments give equal bytes (on one machine).

    A first model learns from rendered pieces alone. Records of works that the half "seen" of the labelled answers cites are left out of
    these; those of the other half are not looked at. Then it is adapted to the labelled answers.

    Args:
        records: of a bibliography.
        told: sentences that name no work.
        count: rendered pieces.
        learnt: labelled answers; those of the half "seen" by default.

    Raises:
        MissingExtra: python-crfsuite is not installed.
    """
    cited = {normalise(work.title) for work in works("seen").values()}
    kept = [record for record in records if normalise(record.title) not in cited]
    pieces = answers(kept, told, count, half=0)
    first = read_model(train(pieces, packaged().lexicon, {}, settings=PASSAGES), "rendered")
    return adapted_to(first, labelled_answers("seen") if learnt is None else learnt, pieces)


def adapted_to(first: Model, learnt: Sequence[Answer], pieces: Sequence[Example]) -> bytes:
    """The file of a model of rendered pieces after labelled answers.

    Args:
        first: trained on rendered pieces.
        learnt: the labelled answers.
        pieces: rendered, of which some are repeated, so that what they teach is kept.
    """
    lexicon = packaged().lexicon
    own = labelled(learnt, kinds("seen"), model=first, lexicon=lexicon)
    told = [_encoded(one, lexicon) for one in [*own, *own, *pieces[:REPEATED]]]
    after = adapted(first, told, **ADAPTING)
    about = {
        "trained on": [
            f"{len(pieces)} pieces of answers rendered from public bibliographies (bibliographic facts) and word lists, with sentences of MultiNLI (OANC) in between",
            f"{len(own)} passages of {len(learnt)} labelled answers (benchmarks/references/answers/seen.jsonl)",
        ],
        "command": "python -m benchmarks.references.reading train --passages",
        "options": {**PASSAGES.options, **ADAPTING},
    }
    return to_bytes(after.states, after.transitions, {}, about)


def _encoded(example: Example, lexicon: Mapping[str, str]) -> tuple[list[list[str]], list[int]]:
    tokens, labels = labels_of(example, breaks=True)
    return features(tokens, lexicon), labels
