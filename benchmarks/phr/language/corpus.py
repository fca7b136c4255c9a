"""What the toy is trained on: its tokenizer, and few-shot prompts as sequences of tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks.phr.language.tasks import Rows
from guardrail.phr.pairs import Form
from guardrail.report import Example

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["BEGIN", "END", "Sequences", "tokenizer"]

Tokens: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float32]

BEGIN, END = "<s>", "</s>"
FORM = Form()


def tokenizer(tasks: Sequence[Rows], *, vocabulary: int) -> Tokenizer:
    """Byte-level pairs, learnt from what may be learnt.

    Every line feed is a token of its own: else the empty line at the end of a context would be another token than
    the one between two pairs, which the model has seen.
    """
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

    found = Tokenizer(models.BPE())
    found.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex("\n"), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    found.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[BEGIN, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    found.train_from_iterator((FORM.pair(row) for one in tasks for row in one.learnt), trainer)
    return found


class Sequences:
    """Few-shot prompts, each of one task; every sequence is known from its number and the seed alone.

    All tasks come equally often, however many rows they have. A sequence holds random rows of its task, each at most
    once, balanced in nothing; the last pair is cut where the sequence ends.

    Args:
        tasks: with what may be learnt.
        reader: as `tokenizer` makes it.
        seed: of tasks and rows.
        label_weight: of the loss of a label's first token; all others weigh 1.
    """

    def __init__(self, tasks: Sequence[Rows], reader: Any, *, seed: int, label_weight: float) -> None:
        self._begin = reader.token_to_id(BEGIN)
        self._seed = seed
        self._tasks = [
            [_pair(reader, row, label_weight) for row in one.learnt] for one in tasks if one.learnt
        ]

    def batch(self, number: int, *, size: int, length: int) -> tuple[Tokens, Floats]:
        """Tokens and the weights of their losses, both of shape (size, length + 1)."""
        random = np.random.default_rng([self._seed, number])
        rows = [self._one(random, length + 1) for _ in range(size)]
        return np.stack([ids for ids, _ in rows]), np.stack([weights for _, weights in rows])

    def _one(self, random: np.random.Generator, length: int) -> tuple[Tokens, Floats]:
        ids: list[int] = [self._begin]
        weights: list[float] = [0.0]
        pairs = self._tasks[int(random.integers(len(self._tasks)))]
        for place in _endless(random, len(pairs)):
            more, heavy = pairs[place]
            ids += more
            weights += heavy
            if len(ids) >= length:
                break
        return np.array(ids[:length], dtype=np.int64), np.array(weights[:length], dtype=np.float32)


def _endless(random: np.random.Generator, size: int) -> Iterator[int]:
    """Permutations one after another."""
    while True:
        yield from random.permutation(size).tolist()


def _pair(reader: Any, row: Example, label_weight: float) -> tuple[list[int], list[float]]:
    query = reader.encode(FORM.query(row.input)).ids
    rest = reader.encode(FORM.pair(row)[len(FORM.query(row.input)) :]).ids
    return [*query, *rest], [1.0] * len(query) + [label_weight] + [1.0] * (len(rest) - 1)


def label_tokens(reader: Any, labels: Sequence[str]) -> Mapping[str, str]:
    """The token that each label begins with, as the vocabulary spells it."""
    return {label: reader.encode(FORM.response(label)).tokens[0] for label in labels}
