"""Contexts that a network has read: they are asked for distributions, and extended by pairs that it imagines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchmarks.phr.process.model.network import Shape, attention, memory, tokens
from guardrail.errors import InputError

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Contexts"]

ASKED = 16
"""Queries that are asked at once: there always is room for so many."""

Floats: TypeAlias = NDArray[np.float64]
Masses: TypeAlias = NDArray[np.float32]


class Contexts:
    """A batch of contexts of n pairs each, with the keys and values of all that was read.

    Args:
        network: of `network.build`.
        shape: of it.
        x: inputs, shape (B, n); n may be 0.
        y: their labels, shape (B, n).
        room: pairs that may be added.

    Attributes:
        x: inputs so far, shape (B, n).
        y: labels so far, shape (B, n).

    Raises:
        InputError: shapes differ, or a number is not finite.
    """

    def __init__(self, network: Any, shape: Shape, x: ArrayLike, y: ArrayLike, *, room: int = 64) -> None:
        self.x, self.y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
        if self.x.ndim != 2 or self.x.shape != self.y.shape:
            raise InputError(
                f"expected x and y of one shape (B, n), got {self.x.shape!r} and {self.y.shape!r}"
            )
        if not (np.isfinite(self.x).all() and np.isfinite(self.y).all()):
            raise InputError("expected finite numbers, got others")
        self._network = network
        self._shape = shape
        self._bars = shape.bars
        self._room = 2 * self.x.shape[1] + 1 + 2 * room
        self._memory = memory(shape, rows=len(self.x), room=self._room + ASKED, like=self._like)
        self._last = self._read(tokens(*self._tensors(self.x, self.y)))

    @property
    def _like(self) -> Tensor:
        weight: Tensor = self._network["head"].weight
        return weight

    def _tensors(self, *arrays: Floats) -> list[Tensor]:
        import torch

        return [torch.as_tensor(one, dtype=self._like.dtype, device=self._like.device) for one in arrays]

    def _read(self, inputs: Tensor) -> Tensor:
        """Take tokens in; what the decoder says behind the last one, shape (B, width)."""
        import torch

        held, count = self._memory.length, inputs.shape[1]
        if held + count > self._room:
            raise InputError(f"expected at most {self._room} tokens, got {held + count}: make more room")
        late = torch.ones(count, held + count, dtype=torch.bool, device=inputs.device).triu(held + 1)
        mask = torch.zeros(late.shape, dtype=inputs.dtype, device=inputs.device).masked_fill(late, -torch.inf)
        with torch.inference_mode():
            found = attention(self._network, inputs, mask=mask[None, None], past=self._memory, at=held)
        self._memory.length = held + count
        return found[:, -1]

    def _masses(self, hidden: Tensor) -> Masses:
        import torch

        with torch.inference_mode():
            found: Masses = self._network["head"](hidden).float().softmax(dim=-1).cpu().numpy()
        return found

    def repeat(self, copies: int) -> Contexts:
        """Each context so many times, one after another; they go their own ways from here."""
        other = object.__new__(Contexts)
        other.__dict__.update(self.__dict__)
        other.x, other.y = (np.repeat(one, copies, axis=0) for one in (self.x, self.y))
        other._memory = self._memory.repeat(copies)
        other._last = self._last.repeat_interleave(copies, dim=0)
        return other

    def next_input(self) -> Masses:
        """P(x_n+1 | pairs) over the bins: shape (B, bins)."""
        return self._masses(self._last)

    def labels(self, queries: ArrayLike) -> Masses:
        """P(y | x, pairs) over the bins.

        Args:
            queries: shape (B, Q) or (Q,). Each is asked for itself, in the place of the next input.

        Returns:
            Shape (B, Q, bins).
        """
        import torch

        wanted = np.asarray(queries, dtype=np.float64)
        wanted = np.array(np.broadcast_to(wanted, (len(self.x), wanted.shape[-1])))
        held, found = self._memory.length, []
        for start in range(0, wanted.shape[1], ASKED):
            part = wanted[:, start : start + ASKED]
            (x,) = self._tensors(part)
            inputs = torch.stack([x, torch.zeros_like(x), torch.ones_like(x), torch.zeros_like(x)], dim=-1)
            apart = torch.full(
                (part.shape[1],) * 2, -torch.inf, dtype=x.dtype, device=x.device
            ).fill_diagonal_(0.0)
            mask = torch.nn.functional.pad(apart, (held, 0))[None, None]
            with torch.inference_mode():
                hidden = attention(
                    self._network, inputs, mask=mask, past=self._memory, at=held, steps=False
                )  # and forgotten again: the memory's length stays
            found.append(self._masses(hidden))
        return np.concatenate(found, axis=1)

    def add(self, x: ArrayLike, y: ArrayLike) -> None:
        """One more pair each: x and y of shape (B,)."""
        one, other = (np.asarray(values, dtype=np.float64)[:, None] for values in (x, y))
        self._last = self._read(tokens(*self._tensors(one, other), start=False))
        self.x, self.y = np.append(self.x, one, axis=1), np.append(self.y, other, axis=1)

    def imagine(self, pairs: int, random: np.random.Generator) -> None:
        """Extend every context by so many pairs, each drawn from p(x, y | all before); two uniforms per pair."""
        for _ in range(pairs):
            uniforms = random.random((2, len(self.x)))
            x = self._draw(self._last, uniforms[0])
            one = self._tensors(x[:, None], np.zeros((len(x), 1)))
            y = self._draw(self._read(tokens(*one, start=False)[:, :1]), uniforms[1])
            self._settle(x, y)

    def _draw(self, hidden: Tensor, uniforms: Floats) -> Floats:
        """As `Bars.draw`, on the network's device and threads: this is done with every number."""
        import torch

        with torch.inference_mode():
            mass = self._network["head"](hidden).float().softmax(dim=-1)
            below = mass.cumsum(dim=-1)
            wanted = torch.as_tensor(uniforms, dtype=below.dtype, device=below.device) * below[:, -1]
            number = torch.searchsorted(below, wanted[:, None], right=True).clamp(max=self._bars.count - 1)
            own, reached = mass.gather(1, number), below.gather(1, number)
            share = ((wanted[:, None] - reached + own) / own).clamp(0.0, 1.0 - 1e-6)
        return self._bars.place(number[:, 0].cpu().numpy(), share[:, 0].cpu().numpy())

    def _settle(self, x: Floats, y: Floats) -> None:
        """Take in the label behind the input that was just taken in."""
        one = self._tensors(x[:, None], y[:, None])
        self._last = self._read(tokens(*one, start=False)[:, 1:])
        self.x, self.y = np.append(self.x, x[:, None], axis=1), np.append(self.y, y[:, None], axis=1)
