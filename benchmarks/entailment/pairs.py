"""The labelled pairs: which are held out, and what is read of a set without them."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from guardrail.errors import InputError

__all__ = ["HELD_OUT", "LABELS", "UNLABELLED", "Pair", "held_out", "in_batches", "read", "training"]

LABELS = ("entailment", "neutral", "contradiction")

UNLABELLED = -1
"""The label of a pair of which only a teacher says what holds."""

HELD_OUT = ("mnli_dev", "snli_dev", "breaking_nli", "negation_nli", "fever_symmetric", "anli_dev")
"""Sets that nothing is learnt from, nor from a pair of the same words in another set."""

_WINDOW = 50  # batches' worth of shuffled pairs among which those of like length are put together


@dataclass(frozen=True, slots=True)
class Pair:
    """A premise, a hypothesis, which of `LABELS` holds or `UNLABELLED`; a teacher's probabilities, if one was asked."""

    premise: str
    hypothesis: str
    label: int
    taught: tuple[float, float, float] | None = None

    @property
    def key(self) -> tuple[str, str]:
        """The words alone: by these, pairs are told apart."""
        return _words(self.premise), _words(self.hypothesis)


def read(path: Path, *, split: str | None = None) -> Iterator[Pair]:
    """The pairs of a file that have one of `LABELS`; of one part, where it is named.

    Raises:
        InputError: the file is absent or not in the expected format.
    """
    try:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                if row["label"] in LABELS and split in (None, row["split"]):
                    yield Pair(row["premise"], row["hypothesis"], LABELS.index(row["label"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"expected one labelled pair a line, got {error!r} from {str(path)!r}") from error


def training(folder: Path, sets: Sequence[str]) -> dict[str, list[Pair]]:
    """What may be learnt from each set's part "train": each pair once in all of them, and none that is held out."""
    seen = {pair.key for name in HELD_OUT for pair in read(folder / name / "pairs.jsonl")}
    found: dict[str, list[Pair]] = {}
    for name in sets:
        own = found[name] = []
        for pair in read(folder / name / "pairs.jsonl", split="train"):
            if pair.key not in seen:
                seen.add(pair.key)
                own.append(pair)
    return found


def held_out(folder: Path, name: str, *, most: int, seed: int) -> list[Pair]:
    """At most so many pairs of a held-out set, drawn at random."""
    pairs = list(read(folder / name / "pairs.jsonl"))
    return pairs if len(pairs) <= most else random.Random(seed).sample(pairs, most)


def in_batches(lengths: Sequence[int], *, size: int, seed: int) -> list[list[int]]:
    """Every position once, in random batches of texts of like length."""
    source = random.Random(seed)
    order = list(range(len(lengths)))
    source.shuffle(order)
    found = []
    for window in _cut(order, size * _WINDOW):
        found += list(_cut(sorted(window, key=lambda i: lengths[i]), size))
    source.shuffle(found)
    return found


def _cut(values: Sequence[int], size: int) -> Iterable[list[int]]:
    return (list(values[start : start + size]) for start in range(0, len(values), size))


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
