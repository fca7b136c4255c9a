"""Synthetic populations whose risk is known at every threshold, however rows of a source hang together.

A source has an effect on the labels of its rows and another on their scores, each with the correlation `rho` (a Gaussian copula).
Scores are uniform on [0, 1] over the population, each source counting once, so a risk as a function of the threshold is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from guardrail.calibration import Risk, Rows

__all__ = ["SHAPES", "Population", "Shape", "TwoKinds", "steps"]

EVEN, SMALL, LARGE = 8, 2, 14


@dataclass(frozen=True)
class Shape:
    """How likely a row is sound, given its score.

    Attributes:
        sound: P(sound | score), of an array of scores.
        rate: E[sound | score ≥ threshold], of one threshold: the false discovery rate.
    """

    sound: Callable[[NDArray[Any]], NDArray[Any]]
    rate: Callable[[float], float]


def steps(*parts: tuple[float, float]) -> Shape:
    """P(sound) by steps of the score, from the highest down: (where the step ends, P)."""
    ends = np.array([end for end, _ in parts])
    levels = np.array([level for _, level in parts])

    def sound(scores: NDArray[Any]) -> NDArray[Any]:
        found: NDArray[Any] = levels[np.minimum((scores[..., None] < ends).sum(axis=-1), levels.size - 1)]
        return found

    def rate(threshold: float) -> float:
        total, high = 0.0, 1.0
        for end, level in parts:
            low = max(end, threshold)
            total += max(0.0, high - low) * level
            high = end
        return total / (1 - threshold) if threshold < 1 else parts[0][1]

    return Shape(sound, rate)


SHAPES: dict[str, Callable[[float], Shape]] = {
    "at the bound": lambda bound: steps((0.0, bound + 0.005)),
    "not monotone": lambda bound: steps((0.9, 1.25 * bound), (0.5, 0.1 * bound), (0.0, 0.6)),
    "separated": lambda bound: steps((0.6, 0.3 * bound), (0.0, 0.7)),
}
"""By name, from the permitted false discovery rate."""


@dataclass(frozen=True)
class Population:
    """Sources to draw.

    Attributes:
        shape: labels given scores.
        rho: correlation within a source, of labels and of scores.
        uneven: sources of 2 or 14 rows; the large ones have fewer sound rows and lower scores. Else all have 8.
        rows: rows of every source where sizes are even.
    """

    shape: Shape
    rho: float
    uneven: bool = False
    rows: int = EVEN

    def draw(self, rng: np.random.Generator, sources: int) -> Rows:
        """So many sources."""
        effect = rng.standard_normal((2, sources))
        sizes = np.where(effect[0] > 0, LARGE, SMALL) if self.uneven else np.full(sources, self.rows)
        names = np.repeat(np.arange(sources), sizes)
        if self.uneven:
            effect[1] = -0.5 * effect[0] + math.sqrt(0.75) * effect[1]  # still standard normal
        own = rng.standard_normal((2, names.size))
        mixed = math.sqrt(self.rho) * effect[:, names] + math.sqrt(1 - self.rho) * own
        uniform = ndtr(mixed)
        scores = uniform[1]
        return Rows(scores, uniform[0] >= self.shape.sound(scores), names, names)

    def draw_of_class(self, rng: np.random.Generator, sources: int, *, made_up: bool) -> Rows:
        """The same, with labels that do not depend on scores: sound and made-up scores are both uniform."""
        found = self.draw(rng, sources)
        labels = np.full(len(found), made_up)
        return Rows(found.scores, labels, found.sources, found.answers)

    def risk(self, risk: Risk, threshold: float) -> float:
        """The true risk at a threshold."""
        if risk is Risk.FDR:
            return self.shape.rate(threshold)
        return threshold if risk is Risk.MISSED else 1 - threshold


@dataclass(frozen=True)
class TwoKinds:
    """Sources whose sound rows score u⁸ and whose made-up rows u^(1/8), u even on [0, 1], whatever the share of each.

    Attributes:
        rho: correlation within a source, of labels and of scores.
    """

    rho: float

    def draw(self, rng: np.random.Generator, sources: int, share: float) -> Rows:
        """So many sources of 8 rows, of which this share is made up."""
        names = np.repeat(np.arange(sources), EVEN)
        effect, own = rng.standard_normal((2, sources)), rng.standard_normal((2, names.size))
        uniform = ndtr(math.sqrt(self.rho) * effect[:, names] + math.sqrt(1 - self.rho) * own)
        made_up = uniform[0] < share
        return Rows(np.where(made_up, uniform[1] ** (1 / 8), uniform[1] ** 8), made_up, names, names)

    def rate(self, threshold: float, share: float) -> float:
        """The false discovery rate at a threshold, where this share is made up."""
        wrong, right = (1 - share) * (1 - threshold ** (1 / 8)), share * (1 - threshold**8)
        return wrong / (wrong + right) if wrong + right else 0.0
