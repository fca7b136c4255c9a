"""A larger model's probabilities for pairs that a smaller one then learns from; kept, so a kill costs a minute.

What a teacher said in the recipe's own training comes with it (`SHIPPED`): a megabyte that costs an hour and a quarter.

Source: Hinton et al., Distilling the knowledge in a neural network, 2015.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._training import write_tensors
from benchmarks.entailment.pairs import LABELS, Pair
from guardrail.backends.entailment import EntailmentModel
from guardrail.engine.flow import Answer
from guardrail.errors import InputError
from guardrail.requests import Entail

__all__ = ["SAID", "SHIPPED", "Teacher", "seconds", "ship"]

SAID = "said"
"""Folder of what a model's teacher said, beside the model's weights; the note of the teacher's training lies in it, alone where
what it said lies beside another course's."""

SHIPPED = Path(__file__).parent / SAID
"""The same of the recipe's own training."""

_TIME = "seconds"
_BATCH, _LONGEST, _PAUSE = 512, 128, 60.0


def seconds(kept: Path) -> float | None:
    """How long a teacher has taken for all that is kept, by the clock; `None` where nothing is."""
    found = [_read(path)[1] for path in sorted(kept.glob("*.safetensors"))]
    return sum(found) if found else None


def ship(model: Path) -> None:
    """Let what a model's teacher said come with the recipe, in place of what does.

    Args:
        model: folder of the full-precision one; nothing is changed where it has had no teacher.
    """
    if (model / SAID).is_dir():
        shutil.rmtree(SHIPPED, ignore_errors=True)
        shutil.copytree(model / SAID, SHIPPED)


class Teacher:
    """Adds a trained classifier's probabilities to pairs; it computes in 8 bits.

    Args:
        kept: folder of what it has said; what is there of the same pairs in the same order is not asked again.
            Probabilities are kept in float16, whose error of .0003 at most is less than that of 8 bits.
        folder: of the classifier, of three outputs with the meanings in `LABELS`; `None` where there is none but
            what it has said.
        say: gets a line of progress now and then.
    """

    def __init__(
        self, kept: Path, folder: Path | None, *, say: Callable[[str], None] = lambda _line: None
    ) -> None:
        self._kept, self._folder, self._say = kept, folder, say
        self._model: EntailmentModel | None = None

    def __call__(self, pairs: Sequence[Pair]) -> list[Pair]:
        """The pairs, each with its probabilities.

        Raises:
            InputError: nothing can be said of a pair, which has a text without words; or there is nobody to say it.
        """
        import torch

        name = blake2b(digest_size=16)
        for pair in pairs:
            name.update(f"{pair.premise}\0{pair.hypothesis}\0".encode())
        path = self._kept / f"{name.hexdigest()}.safetensors"
        shares, before = torch.full((len(pairs), len(LABELS)), torch.nan, dtype=torch.float16), 0.0
        if path.is_file():
            shares, before = _read(path)
        left = shares.isnan().any(1).nonzero().flatten().tolist()
        begun = saved = time.monotonic()
        # Pairs of like length together, so that little is padding; the longest first, for what cannot be held fails soon.
        left.sort(key=lambda i: -len(pairs[i].premise) - len(pairs[i].hypothesis))
        for start in range(0, len(left), _BATCH):
            some = left[start : start + _BATCH]
            shares[some] = torch.tensor(self._asked([pairs[i] for i in some]), dtype=torch.float16)
            if start + _BATCH >= len(left) or time.monotonic() - saved > _PAUSE:
                saved = time.monotonic()
                write_tensors(path, {"shares": shares}, (_TIME, str(before + saved - begun)))
                self._say(f"pair {len(pairs) - len(left) + start + len(some)} of {len(pairs)}")
        rows = np.asarray(shares, dtype=np.float64).tolist()
        return [replace(pair, taught=(e, n, c)) for pair, (e, n, c) in zip(pairs, rows, strict=True)]

    def _asked(self, pairs: Sequence[Pair]) -> list[tuple[float, float, float]]:
        if self._folder is None:
            raise InputError(
                f"expected the pairs of the recipe's own training, got {pairs[0]!r}, of which its teacher has said "
                "nothing: train and ask a teacher of your own (--own-teacher)"
            )
        if self._model is None:
            self._model = EntailmentModel(self._folder, device="cpu", precision="int8", longest=_LONGEST)
        found = []
        replies = self._model.answer([Entail(pair.premise, pair.hypothesis) for pair in pairs])
        for pair, reply in zip(pairs, replies, strict=True):
            if not isinstance(reply, Answer) or reply.value.neutral is None:
                raise InputError(
                    f"expected a teacher's probabilities of three labels, got {reply!r} of {pair!r}"
                )
            found.append((reply.value.entailment, reply.value.neutral, reply.value.contradiction))
        return found


def _read(path: Path) -> tuple[Any, float]:
    """The shares, and the seconds that they took."""
    from safetensors import safe_open

    with safe_open(path, framework="pt") as file:
        return file.get_tensor("shares"), float(file.metadata()[_TIME])
