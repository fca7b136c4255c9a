"""A larger model's probabilities for pairs that a smaller one then learns from; kept, so a kill costs a minute.

Source: Hinton et al., Distilling the knowledge in a neural network, 2015.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._training import write_tensors
from benchmarks.entailment.pairs import LABELS, Pair
from guardrail.backends.weights import digest

__all__ = ["Teacher", "seconds"]

_SAID = "said"
_TIME = "seconds"

_BATCH, _LONGEST, _PAUSE = 64, 128, 60.0


def seconds(folder: Path) -> float | None:
    """How long a teacher has taken for all that is kept of it, by the clock; `None` if that is not known.

    Args:
        folder: of the teacher.
    """
    from safetensors import safe_open

    found = []
    for path in sorted((folder / _SAID).glob("*.safetensors")):
        with safe_open(path, framework="pt") as file:
            found.append(float((file.metadata() or {}).get(_TIME, "nan")))
    return None if not found or math.isnan(sum(found)) else sum(found)


class Teacher:
    """Adds a trained classifier's probabilities to pairs.

    Args:
        folder: of the classifier, with three outputs in the order of `LABELS`.
        kept: folder for what it has said, by default its own; what is there of the same weights and pairs is not asked
            again.
        say: gets a line of progress now and then.
    """

    def __init__(
        self, folder: Path, kept: Path | None = None, *, say: Callable[[str], None] = lambda _line: None
    ) -> None:
        self._folder, self._kept, self._say = folder, kept or folder / _SAID, say
        self._weights = digest(folder)
        self._network: Any = None
        self._reader: Any = None

    def __call__(self, pairs: Sequence[Pair]) -> list[Pair]:
        """The pairs, each with its probabilities."""
        import torch

        name = blake2b(self._weights.encode(), digest_size=16)
        for pair in pairs:
            name.update(f"{pair.premise}\0{pair.hypothesis}\0".encode())
        path = self._kept / f"{name.hexdigest()}.safetensors"
        shares, before = torch.full((len(pairs), len(LABELS)), torch.nan), 0.0
        if path.is_file():
            shares, before = _kept(path)
        left = shares.isnan().any(1).nonzero().flatten().tolist()
        begun = saved = time.monotonic()
        read = self._read([pairs[i] for i in left]) if left else []
        # Pairs of like length together, so that little is padding; the longest first, for what cannot be held fails soon.
        order = sorted(range(len(left)), key=lambda i: -len(read[i]["input_ids"]))
        for start in range(0, len(order), _BATCH):
            some = order[start : start + _BATCH]
            shares[[left[i] for i in some]] = self._shares([read[i] for i in some])
            if start + _BATCH >= len(order) or time.monotonic() - saved > _PAUSE:
                saved = time.monotonic()
                write_tensors(path, {"shares": shares}, (_TIME, str(before + saved - begun)))
                done = len(pairs) - len(left) + start + len(some)
                self._say(f"pair {done} of {len(pairs)}")
        rows = np.asarray(shares, dtype=np.float64).tolist()
        return [replace(pair, taught=(e, n, c)) for pair, (e, n, c) in zip(pairs, rows, strict=True)]

    def _read(self, pairs: Sequence[Pair]) -> list[dict[str, list[int]]]:
        """What the network takes of each pair, not padded."""
        if self._network is None:
            self._open()
        texts = [pair.premise for pair in pairs], [pair.hypothesis for pair in pairs]
        encoded = self._reader(*texts, truncation=True, max_length=_LONGEST)
        return [{name: rows[i] for name, rows in encoded.items()} for i in range(len(pairs))]

    def _shares(self, read: Sequence[dict[str, list[int]]]) -> Any:
        import torch

        inputs = self._reader.pad(list(read), return_tensors="pt")
        with torch.inference_mode():
            return self._network(**inputs).logits.float().softmax(1)

    def _open(self) -> None:
        import torch
        import transformers

        self._reader = transformers.AutoTokenizer.from_pretrained(str(self._folder), local_files_only=True)
        self._network = transformers.AutoModelForSequenceClassification.from_pretrained(
            str(self._folder), local_files_only=True, use_safetensors=True, dtype=torch.bfloat16
        ).eval()


def _kept(path: Path) -> tuple[Any, float]:
    """The shares, and the seconds that they took."""
    from safetensors import safe_open

    with safe_open(path, framework="pt") as file:
        return file.get_tensor("shares"), float((file.metadata() or {}).get(_TIME, "nan"))
