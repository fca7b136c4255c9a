"""The data of the regression experiment: random ReLU networks on [−2, 2], with noise.

[jesson2024] (Appendix F.1) fixes x ~ U[−2, 2], y ~ N(μ(x), .1²) and μ a random ReLU network that is re-initialised per
sequence. Its size and initialisation are not given. Ours: two hidden layers of 32; the first one's weights are
N(0, 1) and its bends uniform on [−2, 2], so that no part of the range is simpler than another; the second one's weights
are N(0, 2 / 32) with biases N(0, 1); the last one's N(0, .4 / 32).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["EDGE", "NOISE", "Functions", "Waves", "pairs"]

Floats: TypeAlias = NDArray[np.float64]

EDGE = 2.0
NOISE = 0.1
WIDTH = 32


@dataclass(frozen=True, slots=True)
class Functions:
    """Some μ, evaluated together.

    Attributes:
        weights: of the three layers: shapes (F, 1, H), (F, H, H), (F, H, 1).
        biases: of the three layers: shapes (F, 1, H), (F, 1, H), (F, 1, 1).
    """

    weights: tuple[Floats, Floats, Floats]
    biases: tuple[Floats, Floats, Floats]

    @classmethod
    def random(cls, random: np.random.Generator, count: int) -> Functions:
        """So many, independent."""
        first = random.standard_normal((count, 1, WIDTH))
        bends = random.uniform(-EDGE, EDGE, (count, 1, WIDTH))
        second = math.sqrt(2 / WIDTH) * random.standard_normal((count, WIDTH, WIDTH))
        last = math.sqrt(0.4 / WIDTH) * random.standard_normal((count, WIDTH, 1))
        return cls(
            (first, second, last),
            (-first * bends, random.standard_normal((count, 1, WIDTH)), np.zeros((count, 1, 1))),
        )

    def __call__(self, x: ArrayLike) -> Floats:
        """μ at x of shape (F, n) or (n,): shape (F, n)."""
        first, second, last = self.weights
        values = np.asarray(x, dtype=np.float64)
        values = np.broadcast_to(values, (len(first), values.shape[-1]))[..., None] * first
        values += self.biases[0]
        values = np.maximum(values, 0, out=values) @ second
        values += self.biases[1]
        np.maximum(values, 0, out=values)
        found: Floats = (values @ last + self.biases[2])[..., 0]
        return found

    def __len__(self) -> int:
        """F."""
        return len(self.weights[0])

    @classmethod
    def together(cls, parts: Sequence[Functions]) -> Functions:
        """All functions of the parts."""
        weights = [np.concatenate(some) for some in zip(*(one.weights for one in parts), strict=True)]
        biases = [np.concatenate(some) for some in zip(*(one.biases for one in parts), strict=True)]
        return cls((weights[0], weights[1], weights[2]), (biases[0], biases[1], biases[2]))


@dataclass(frozen=True, slots=True)
class Waves:
    """Functions that no training sequence is like: sines with three to four waves over the range.

    Attributes:
        height: shape (F, 1), .5 to 1.5.
        speed: shape (F, 1), radians per unit of x.
        phase: shape (F, 1).
    """

    height: Floats
    speed: Floats
    phase: Floats

    @classmethod
    def random(cls, random: np.random.Generator, count: int) -> Waves:
        """So many, independent."""
        limits = ((0.5, 1.5), (1.5 * math.pi, 2 * math.pi), (0.0, 2 * math.pi))
        one, two, three = (random.uniform(low, high, (count, 1)) for low, high in limits)
        return cls(one, two, three)

    def __call__(self, x: ArrayLike) -> Floats:
        """μ at x of shape (F, n) or (n,): shape (F, n)."""
        found: Floats = self.height * np.sin(self.speed * np.asarray(x, dtype=np.float64) + self.phase)
        return found

    def __len__(self) -> int:
        """F."""
        return len(self.height)


def pairs(random: np.random.Generator, functions: Functions | Waves, count: int) -> tuple[Floats, Floats]:
    """So many (x, y) of each function: two arrays of shape (F, count)."""
    x = random.uniform(-EDGE, EDGE, (len(functions), count))
    mean = functions(x)
    return x, mean + NOISE * random.standard_normal(mean.shape)
