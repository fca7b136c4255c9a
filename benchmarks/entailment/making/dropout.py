"""Dropout whose draws cost little on a processor, and are the same in a run that was stopped and goes on.

torch draws a float per number, on one core: a tenth to a fifth of a step of a small model. A byte each is enough.

Source: Srivastava et al., Dropout: A simple way to prevent neural networks from overfitting, 2014.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["Drawn", "left_out"]


class Drawn:
    """What is left out, step by step.

    Args:
        share: of the numbers, in [0, 1), rounded to 256ths.
        seed: of all draws.

    Attributes:
        step: the draws depend on it, on the seed and on their order within the step.
    """

    def __init__(self, share: float, seed: int) -> None:
        self._cut, self._seed = round(256 * share), seed
        self.step = 0  # makes the source

    @property
    def step(self) -> int:
        """Of the training, counted from 0."""
        return self._step

    @step.setter
    def step(self, step: int) -> None:
        self._step = step
        self._source = np.random.Generator(np.random.SFC64((self._seed, step)))

    def __call__(self, values: Any) -> Any:
        """The values, some of them 0, the others as much larger as keeps the mean."""
        import torch

        bytes_ = np.frombuffer(bytearray(self._source.bytes(values.numel())), dtype=np.uint8)
        kept = torch.from_numpy(bytes_).view(values.shape) >= self._cut
        return values * kept.to(values).mul_(256 / (256 - self._cut))


def left_out(network: Any, share: float, *, seed: int) -> Drawn:
    """Let a network's dropout layers leave out this share while it is trained, drawn by bytes.

    Args:
        network: of torch; its layers are changed in place. Dropout that it does without calling a layer, as the
            attention of transformers does, ends.
        share: in [0, 1); 0 leaves nothing out.
        seed: of the draws.

    Returns:
        What draws; set its `step` before each step.
    """
    import torch

    drawn = Drawn(share, seed)

    def hook(layer: Any, given: tuple[Any], same: Any) -> Any:
        return drawn(*given) if layer.training else same

    for layer in network.modules():
        if share and isinstance(layer, torch.nn.Dropout):
            layer.p = 0.0
            layer.register_forward_hook(hook)
    return drawn
