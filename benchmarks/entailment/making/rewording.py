"""Pairs that nobody has labelled: known ones with other words in the hypothesis, for a teacher to say what follows.

Near words are synonyms, opposites and words of the same kind ("red": "blue", "reddish"; "never": "always", "rarely"), so
what follows from the premise often changes with them, and a classifier that learns by words alone is shown that it does.

Source: the data augmentation of Jiao et al., TinyBERT: Distilling BERT for natural language understanding, 2020; with
neighbours by the encoder's own word vectors, and words of the premise.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.entailment.pairs import UNLABELLED, Pair
from guardrail.backends.weights import files
from guardrail.errors import ConfigError

__all__ = ["Rewording"]

_WORD = re.compile(r"(?<![\w'’-])[A-Za-z]{2,}(?![\w'’-])")  # nothing of "don't", "café" or "well-known"
_VECTORS = "word_embeddings.weight"
_NEAREST, _SHARE, _OF_PREMISE = 12, 0.15, 0.2
_AT_ONCE = 2_000


class Rewording:
    """Puts other words into hypotheses.

    Args:
        base: folder of an encoder in safetensors, by whose word vectors words are near.
    """

    def __init__(self, base: Path) -> None:
        self._near = _neighbours(base)

    def __call__(self, pairs: Iterable[Pair], source: random.Random) -> Iterator[Pair]:
        """Of each pair whose hypothesis has a known word an unlabelled one, with 15 % of these words exchanged.

        Args:
            pairs: of English texts.
            source: of what is drawn.
        """
        for pair in pairs:
            hypothesis = self._reworded(pair, source)
            if hypothesis != pair.hypothesis:
                yield replace(pair, hypothesis=hypothesis, label=UNLABELLED, taught=None)

    def _reworded(self, pair: Pair, source: random.Random) -> str:
        places = [place for place in _WORD.finditer(pair.hypothesis) if place[0].lower() in self._near]
        if not places:
            return pair.hypothesis
        chosen = [place for place in places if source.random() < _SHARE] or [source.choice(places)]
        others = _WORD.findall(pair.premise)
        text = pair.hypothesis
        for place in reversed(chosen):
            near = self._near[place[0].lower()]
            new = source.choice(others if others and source.random() < _OF_PREMISE else near)
            text = text[: place.start()] + new + text[place.end() :]
        return text


def _neighbours(base: Path) -> dict[str, list[str]]:
    """Of each whole word of an encoder's vocabulary those with the nearest vectors, by cosine about their mean."""
    import torch
    from safetensors import safe_open

    vocabulary = json.loads((base / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    words = {word: row for word, row in vocabulary.items() if _WORD.fullmatch(word)}
    for path in files(base):
        with safe_open(path, framework="pt") as file:
            name = next((key for key in file.keys() if key.endswith(_VECTORS)), None)  # noqa: SIM118 (no mapping)
            if name is not None:
                # In double, so that another processor's rounding does not put other words in: what a teacher said
                # is kept by the pairs.
                vectors = file.get_tensor(name).double()[list(words.values())]
                break
    else:
        raise ConfigError(f"expected word vectors ({_VECTORS!r}) in the weights of {str(base)!r}")
    vectors = torch.nn.functional.normalize(vectors - vectors.mean(0))
    known, count = list(words), min(_NEAREST + 1, len(words))
    found = {}
    for start in range(0, len(known), _AT_ONCE):
        best = (vectors[start : start + _AT_ONCE] @ vectors.T).topk(count).indices.tolist()
        for word, row in zip(known[start : start + _AT_ONCE], best, strict=True):
            found[word] = [known[i] for i in row if known[i] != word][:_NEAREST]
    return {word: near for word, near in found.items() if near}
