"""How a token is drawn from a distribution: pure functions of arrays.

Every token runs a race: its time is exponential with its probability as the rate, and the first wins. That is a draw from the
distribution, and one that two ways to compute it hardly ever disagree on: the winner changes only where the first two
times are as near as the rounding errors are large. (The usual draw, one uniform number and the cumulative probability in
some order, has an edge per token that may be on its other side.)
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

_SLACK = 1e-12  # a sum of probabilities that lacks so little to `top_p` has reached it
_FIRST = 256  # tokens that are ranked at first
_LEAST = np.finfo(np.float64).tiny  # of a time


def nucleus(probabilities: Floats, top_p: float) -> Floats:
    """The likeliest outcomes that together have probability `top_p`, the fewest such; the others have 0.

    Of equal ones those with the smaller number count first. Not renormalised.

    Args:
        probabilities: shape (n,).
        top_p: in (0, 1].

    >>> nucleus(np.array([0.1, 0.5, 0.2, 0.2]), 0.7).tolist()
    [0.0, 0.5, 0.2, 0.0]
    >>> nucleus(np.array([0.1, 0.5, 0.2, 0.2]), 1.0).tolist()
    [0.1, 0.5, 0.2, 0.2]
    """
    if top_p >= 1:
        return probabilities
    size, total = _FIRST, len(probabilities)
    while size < total:  # the likeliest alone, as long as these do
        least = np.partition(probabilities, total - size)[total - size]
        if probabilities[probabilities > least].sum() >= top_p:
            break
        size *= 8
    else:
        least = -1.0
    chosen = np.flatnonzero(probabilities > least)
    order = chosen[np.argsort(-probabilities[chosen], kind="stable")]
    reached = np.cumsum(probabilities[order])
    kept = order[: int(np.searchsorted(reached, top_p - _SLACK)) + 1]
    found = np.zeros_like(probabilities)
    found[kept] = probabilities[kept]
    return found


def draw_outcome(probabilities: Floats, random: np.random.Generator) -> int:
    """An outcome, with odds as the probabilities, which need not sum to 1.

    Args:
        probabilities: shape (n,).
        random: gives n numbers.

    >>> draw_outcome(np.array([0.0, 1.0, 0.0]), np.random.default_rng(0))
    1
    """
    times = random.standard_exponential(len(probabilities))
    return int(np.argmax(probabilities / np.maximum(times, _LEAST)))
