"""The bar distribution: a density that is constant on equal bins, with half-normal tails beyond the ends.

Also called the Riemann distribution; [jesson2024] (Appendix E.1) takes it from [muller2022]. Equal widths are ours:
then the order of the bins' masses is the order of their densities, and likely sets are sums over bins.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from guardrail.errors import ConfigError, InputError

__all__ = ["Bars"]

Floats: TypeAlias = NDArray[np.float64]
Whole: TypeAlias = NDArray[np.int64]

_ROOT = math.sqrt(2 / math.pi)
_erf = np.frompyfunc(math.erf, 1, 1)


@dataclass(frozen=True)
class Bars:
    """Where the bins are: `count` of equal width from −edge to edge; the first and the last also hold what lies beyond.

    A tail begins at the inner end of its bin and is half a normal density of standard deviation edge / 8.

    Attributes:
        count: of bins, 3 or more.
        edge: above 0.

    Raises:
        ConfigError: there are no such bins.
    """

    count: int = 800
    edge: float = 4.0

    def __post_init__(self) -> None:
        if self.count < 3 or not 0 < self.edge < math.inf:
            raise ConfigError(
                f"expected 3 bins or more and an edge above 0, got {self.count!r} and {self.edge!r}"
            )

    @property
    def width(self) -> float:
        """Of a bin."""
        return 2 * self.edge / self.count

    @property
    def scale(self) -> float:
        """Of the tails."""
        return self.edge / 8

    @cached_property
    def middles(self) -> Floats:
        """Of the bins, shape (count,)."""
        numbers = np.arange(self.count, dtype=np.float64)
        found: Floats = (numbers + 0.5) * self.width - self.edge
        return found

    def bin(self, values: ArrayLike) -> Whole:
        """The number of the bin of each value."""
        found = np.floor((np.asarray(values, dtype=np.float64) + self.edge) / self.width)
        if np.isnan(found).any():
            raise InputError("expected numbers, got NaN")
        return np.clip(found, 0, self.count - 1).astype(np.int64)

    def offset(self, values: ArrayLike) -> Floats:
        """What log density adds to the log mass of a value's bin, elementwise."""
        found = np.asarray(values, dtype=np.float64)
        inner = self.edge - self.width
        beyond = np.maximum(np.abs(found) - inner, 0.0) / self.scale
        tail = math.log(_ROOT / self.scale) - 0.5 * beyond**2  # twice a normal density
        offsets: Floats = np.where(np.abs(found) > inner, tail, -math.log(self.width))
        return offsets

    def log_density(self, masses: ArrayLike, values: ArrayLike) -> Floats:
        """Log p(value).

        Args:
            masses: log mass of the bins, shape (…, count).
            values: shape (…).

        >>> float(Bars(4, 2.0).log_density(np.log([0.25, 0.25, 0.4, 0.1]), -0.5)) == math.log(0.25)
        True
        """
        logs = np.asarray(masses, dtype=np.float64)
        at = np.take_along_axis(logs, self.bin(values)[..., None], axis=-1)[..., 0]
        found: Floats = at + self.offset(values)
        return found

    def cumulative(self, masses: ArrayLike, values: ArrayLike) -> Floats:
        """P(Y ≤ value).

        Args:
            masses: mass of the bins, shape (…, count); their sum is the whole.
            values: shape (…).

        >>> float(Bars(4, 2.0).cumulative([0.25, 0.25, 0.5, 0.0], 0.5))
        0.75
        """
        mass = np.asarray(masses, dtype=np.float64)
        found = np.asarray(values, dtype=np.float64)
        number = self.bin(found)[..., None]
        below = np.cumsum(mass, axis=-1)
        own = np.take_along_axis(mass, number, axis=-1)[..., 0]
        before = np.take_along_axis(below, number, axis=-1)[..., 0] - own
        share = (found + self.edge) / self.width - number[..., 0]
        inner = self.edge - self.width
        reach = np.asarray(_erf((np.abs(found) - inner) / (self.scale * math.sqrt(2))), dtype=np.float64)
        share = np.where(np.abs(found) <= inner, share, np.where(found > 0, reach, 1 - reach))
        return (before + own * share) / below[..., -1]

    def draw(self, masses: ArrayLike, uniforms: ArrayLike, within: ArrayLike | None = None) -> Floats:
        """The value at which the cumulative probability is a given one: a draw, if that is uniform.

        Args:
            masses: mass of the bins, shape (…, count); their sum is the whole.
            uniforms: in [0, 1), shape (…): which bin, and by default also where in it.
            within: in [0, 1), shape (…): where in it. Then the last bits of the masses do not show in the value.

        >>> Bars(4, 2.0).draw([[0.25, 0.25, 0.5, 0.0]], [0.75]).tolist()
        [0.5]
        """
        mass = np.asarray(masses, dtype=np.float64)
        below = np.cumsum(mass, axis=-1)
        wanted = np.asarray(uniforms, dtype=np.float64) * below[..., -1]
        number = np.minimum((below <= wanted[..., None]).sum(axis=-1), self.count - 1)
        if within is None:
            own = np.take_along_axis(mass, number[..., None], axis=-1)[..., 0]
            before = np.take_along_axis(below, number[..., None], axis=-1)[..., 0] - own
            share = np.clip((wanted - before) / own, 0.0, 1.0 - 1e-12)
        else:
            share = np.asarray(within, dtype=np.float64)
        return self.place(number, share)

    def place(self, numbers: ArrayLike, shares: ArrayLike) -> Floats:
        """The value below which a share of a bin's mass lies.

        Args:
            numbers: of the bins, shape (…).
            shares: in [0, 1), shape (…).
        """
        number, share = np.asarray(numbers), np.asarray(shares, dtype=np.float64)
        found: Floats = -self.edge + self.width * (number + share)
        ends = (number == 0) | (number == self.count - 1)
        if ends.any():
            found[ends] = [
                self._tail(*one) for one in zip(number[ends].tolist(), share[ends].tolist(), strict=True)
            ]
        return found

    def _tail(self, number: int, share: float) -> float:
        from statistics import NormalDist

        lower = number == 0
        reach = self.scale * NormalDist().inv_cdf(0.5 + 0.5 * (1 - share if lower else share) * (1 - 1e-12))
        return -(self.edge - self.width) - reach if lower else self.edge - self.width + reach
