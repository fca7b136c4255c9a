"""Training of the model that splits reference strings into fields: `python -m benchmarks.references.reading train`."""

from __future__ import annotations

import csv
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.references.reading._strings import Example, labels_of
from guardrail.errors import MissingExtra
from guardrail.references.bibliography.normalise import normalise, squeeze
from guardrail.references.bibliography.records import Record
from guardrail.references.citations.segmentation.features import features
from guardrail.references.citations.segmentation.model import to_bytes

__all__ = ["OPTIONS", "TEMPERATURE", "crfsuite", "lexicon_of", "train"]

OPTIONS: Mapping[str, Any] = {
    "c1": 0.1,
    "c2": 0.01,
    "max_iterations": 100,
    "feature.possible_transitions": True,
}
"""Of L-BFGS in CRFsuite: penalties of the sum of absolute weights and of squares, and when to stop."""

TEMPERATURE = 1.4
"""By which all weights are divided in the end, for a model is surer than right of strings that it has not seen.

Chosen in cross-validation, so that 97 of 100 titles with a mass of .9 or more are right; see docs/design/references.md."""


_WORD = re.compile(r"[^\W\d_][\w'’]*")
_LEAST = 4  # records that a word must be in
_NAMES = (("A", 0.9), ("B", 0.6), ("C", 0.2), ("D", 0.02), ("E", -1.0))
_JOURNALS = (("j", 0.7), ("k", 0.3), ("l", -1.0))


def lexicon_of(records: Iterable[Record], venues: Sequence[Path], without: Iterable[str]) -> dict[str, str]:
    """What each word mostly is: part of a name, of the name of a journal, or of titles (see `Model.lexicon`).

    Args:
        records: of a bibliography.
        venues: tables whose first two columns are a journal's name and its abbreviation.
        without: titles whose records are left out, so that no tested string tells of itself.
    """
    left_out = {squeeze(normalise(title)) for title in without}
    titles: Counter[str] = Counter()
    names: Counter[str] = Counter()
    journals: Counter[str] = Counter()
    for record in records:
        if squeeze(normalise(record.title)) not in left_out:
            titles.update(set(_WORD.findall(record.title.lower())))
            names.update(word for name in record.authors for word in _WORD.findall(name.lower()))
    for path in venues:
        with path.open(encoding="utf-8", newline="") as stream:
            for row in csv.reader(stream):
                journals.update(set(_WORD.findall(" ".join(row[:2]).lower())))
    found = {}
    for word in sorted({*titles, *names, *journals}):
        title, name, journal = titles[word], names[word], journals[word]
        if len(word) > 1 and title + name + journal >= _LEAST:
            named = name / (name + title) if name + title else 0.0
            listed = journal / (journal + title * 0.1 + 1)
            found[word] = next(code for code, least in _NAMES if named > least)
            found[word] += next(code for code, least in _JOURNALS if listed > least)
    return found


def crfsuite() -> Any:
    """The library that trains.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        import pycrfsuite
    except ImportError as error:
        raise MissingExtra("python-crfsuite", extra="bench") from error
    return pycrfsuite


def train(examples: Iterable[Example], lexicon: Mapping[str, str], about: Mapping[str, Any]) -> bytes:
    """The file of a model trained on these examples; equal arguments give equal bytes.

    Raises:
        MissingExtra: python-crfsuite is not installed.
    """
    pycrfsuite = crfsuite()
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    for example in examples:
        tokens, labels = labels_of(example)
        trainer.append(features(tokens, lexicon), [str(label) for label in labels])
    trainer.set_params(OPTIONS)
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "trained"
        trainer.train(str(path))
        tagger = pycrfsuite.Tagger()
        tagger.open(str(path))
        weights = tagger.info()
        tagger.close()
    states = {
        (name, int(label)): weight / TEMPERATURE for (name, label), weight in weights.state_features.items()
    }
    between = {
        (int(one), int(other)): weight / TEMPERATURE for (one, other), weight in weights.transitions.items()
    }
    return to_bytes(states, between, lexicon, about)
