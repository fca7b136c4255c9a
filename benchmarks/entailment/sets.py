"""The sets that models are judged by, and those that their temperature is fitted on."""

from __future__ import annotations

import json
import random
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchmarks.entailment.pairs import HELD_OUT, LABELS, Pair, read, training
from guardrail.errors import InputError

__all__ = ["NOT_ENTAILED", "evaluation", "held_back", "right"]

NOT_ENTAILED = len(LABELS)
"""The label of a pair of which a set only says that the premise does not entail the hypothesis."""

_ENTAILMENT = LABELS.index("entailment")


def evaluation(folder: Path, name: str, *, most: int | None = None, seed: int = 0) -> list[Pair]:
    """The pairs of a held-out set, those labelled "not_entailment" among them.

    Args:
        folder: of the sets.
        name: of the set.
        most: draw so many at random; `None` = all.
        seed: of the draw.
    """
    path = folder / name / "pairs.jsonl"
    pairs = [*read(path), *_two_way(path)]
    return pairs if most is None or len(pairs) <= most else random.Random(seed).sample(pairs, most)


def held_back(
    folder: Path, sets: Sequence[str], *, without: Collection[str] = (), most: int = 1_000, seed: int = 0
) -> list[Pair]:
    """Pairs of the sets that a model learns from which it does not learn: their parts for development and test.

    What stands in any set's training part, or in a set that models are judged by, is left out.

    Args:
        folder: of the sets.
        sets: that are learnt from.
        without: those of them that give no pairs.
        most: of each set, so that no large one decides alone.
        seed: of the draw.
    """
    seen = {pair.key for own in training(folder, sets).values() for pair in own}
    seen |= {pair.key for name in HELD_OUT for pair in read(folder / name / "pairs.jsonl")}
    source, found = random.Random(seed), list[Pair]()
    for name in (one for one in sets if one not in without):
        own = {pair.key: pair for pair in read(folder / name / "pairs.jsonl") if pair.key not in seen}
        seen |= own.keys()
        found += source.sample(list(own.values()), min(most, len(own)))
    return found


def right(labels: Sequence[int], shares: ArrayLike) -> NDArray[np.bool_]:
    """Which pairs are classified rightly.

    The likeliest label counts, among those that the set has: where a set knows no neutral pairs, neutral is no
    choice. Of a pair that is only known not to be entailed, any other answer than entailment is right.

    Args:
        labels: of each pair, an index of `LABELS` or `NOT_ENTAILED`.
        shares: probabilities, shape (pairs, 3).

    Example:
        >>> right([0, 2, NOT_ENTAILED], [[0.4, 0.5, 0.1], [0.4, 0.5, 0.1], [0.4, 0.5, 0.1]]).tolist()
        [True, False, True]
    """
    truth, values = np.asarray(labels), np.asarray(shares, dtype=np.float64)
    choices = [label for label in range(len(LABELS)) if (truth == label).any()]
    of_three = values.argmax(axis=1)
    best = np.asarray(choices)[values[:, choices].argmax(axis=1)] if choices else of_three
    found: NDArray[np.bool_] = np.where(truth == NOT_ENTAILED, of_three != _ENTAILMENT, best == truth)
    return found


def _two_way(path: Path) -> list[Pair]:
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return [
            Pair(row["premise"], row["hypothesis"], NOT_ENTAILED)
            for row in rows
            if row["label"] == "not_entailment"
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"expected one labelled pair a line, got {error!r} from {str(path)!r}") from error
