"""Which pairs a question shows, and the order of their second halves.

An order is a tuple: the i-th left is shown with the right of pair `order[i]` ([memory] eq. 1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import permutations
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from guardrail.errors import ConfigError

__all__ = ["Order", "Shuffle", "chosen", "orders", "shuffled", "stream"]

Order: TypeAlias = tuple[int, ...]
Shuffle: TypeAlias = Literal["uniform", "moved"]

MOST_ORDERS = 5_040  # 7!: more of one combination are asked for on purpose only


def stream(seed: int, k: int, number: int) -> np.random.Generator:
    """Random numbers of one combination: the same for the same three numbers."""
    return np.random.default_rng((seed, k, number))


def chosen(rng: np.random.Generator, known: NDArray[np.bool_], k: int) -> tuple[int, ...]:
    """Draw k different pairs out of those known, uniformly.

    All are put in a random order and the first known ones taken. So one more known pair changes only the questions it
    gets into: a run that goes on after a failure asks nearly all of what it asked before.

    Args:
        rng: advanced by one permutation of all pairs.
        known: shape (pairs,).
        k: how many.

    Raises:
        ConfigError: fewer are known.
    """
    everyone = rng.permutation(known.size)
    found = everyone[known[everyone]][:k]
    if found.size < k:
        raise ConfigError(f"expected at least {k} known pairs for questions of {k}, got {found.size}")
    return tuple(found.tolist())


def shuffled(rng: np.random.Generator, k: int, how: Shuffle = "uniform") -> Order:
    """A random order.

    "uniform" draws from all k!, the right one among them, as eq. 1 and the second strategy of Table I do: both
    strategies then estimate one probability. "moved" draws from those in which no right one is in its place.

    Example:
        >>> shuffled(np.random.default_rng(0), 2, "moved")
        (1, 0)
    """
    while True:
        order: Order = tuple(rng.permutation(k).tolist())
        if how == "uniform" or all(place != i for i, place in enumerate(order)):
            return order


def orders(k: int, *, most: int | None = None, rng: np.random.Generator | None = None) -> Sequence[Order]:
    """All k! orders, or `most` different ones drawn uniformly where there are more.

    Raises:
        ConfigError: there are more than 5,040 and `most` is not given, or no `rng` to draw them with.

    Example:
        >>> orders(2)
        [(0, 1), (1, 0)]
    """
    every = math.factorial(k)
    if most is None and every > MOST_ORDERS:
        raise ConfigError(f"{k} pairs have {every:,} orders: say how many of them to ask (orders)")
    if most is None or every <= most:
        return list(permutations(range(k)))
    if rng is None:
        raise ConfigError(f"expected random numbers to draw {most} of {every:,} orders with, got None")
    found: dict[Order, None] = {}
    while len(found) < most:
        found[shuffled(rng, k)] = None
    return list(found)
