"""Which of a training's weights are kept: those that classify most of some held-out pairs rightly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.entailment.pairs import Pair

__all__ = ["Judge"]

_BATCH, _LONGEST = 64, 256


class Judge:
    """Asks a network about pairs, in batches of like length, in bfloat16.

    Args:
        pairs: three-way ones.
    """

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self._pairs = sorted(pairs, key=lambda pair: len(pair.premise) + len(pair.hypothesis))

    def __call__(self, network: Any, reader: Any) -> float:
        """The share that is right, in [0, 1].

        Args:
            network: with three outputs, in the order of `LABELS`; in the state in which it answers.
            reader: its tokenizer.
        """
        import torch

        right = 0
        device = network.device
        with torch.inference_mode(), torch.autocast(device.type, dtype=torch.bfloat16):
            for start in range(0, len(self._pairs), _BATCH):
                some = self._pairs[start : start + _BATCH]
                texts = [pair.premise for pair in some], [pair.hypothesis for pair in some]
                inputs = reader(
                    *texts, truncation=True, max_length=_LONGEST, padding=True, return_tensors="pt"
                )
                labels = torch.tensor([pair.label for pair in some], device=device)
                right += int((network(**inputs.to(device)).logits.argmax(1) == labels).sum())
        return right / len(self._pairs)
