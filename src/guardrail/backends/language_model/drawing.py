"""How a token is drawn from a distribution by one uniform number: pure functions of arrays.

Tokens are ranked by falling probability, equal ones by their number, and the number picks the rank at which the
cumulative probability passes it. In this order the rounding errors of two ways to compute a distribution hardly ever
part them: an edge between two ranks is off by an error's share of what ranks below it, which soon is little. (In the order of
the vocabulary every one of its edges is off by as much.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["ranking", "ranks"]

Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.int64]

_SLACK = 1e-12
"""A cumulative probability that lacks so little to `top_p` has reached it."""


def ranking(probabilities: Floats, tokens: Numbers) -> tuple[Floats, Numbers]:
    """Probabilities and their tokens, the likeliest first; of equal ones the token with the smaller number.

    >>> ranking(np.array([0.2, 0.5, 0.2]), np.array([7, 1, 3]))[1].tolist()
    [1, 3, 7]
    """
    order = np.lexsort((tokens, -probabilities))
    return probabilities[order], tokens[order]


def ranks(
    falling: Floats, uniforms: Sequence[float] | Floats, *, top_p: float = 1.0, whole: bool = True
) -> Numbers:
    """The ranks that uniform numbers draw.

    Args:
        falling: probabilities in falling order, shape (n,); all there are, or the largest.
        uniforms: numbers in [0, 1), shape (k,).
        top_p: in (0, 1]; drawn is from the likeliest outcomes that together have this probability, the fewest such.
        whole: whether `falling` is all there are.

    Returns:
        Shape (k,). Of the largest alone, −1 where more of them are needed to tell, or the last's equals may be needed.

    >>> ranks(np.array([0.5, 0.3, 0.2]), [0.0, 0.49, 0.5, 0.79, 0.8, 0.99]).tolist()
    [0, 0, 1, 1, 2, 2]
    >>> ranks(np.array([0.5, 0.3, 0.2]), [0.0, 0.62, 0.63, 0.99], top_p=0.6).tolist()
    [0, 0, 1, 1]
    >>> ranks(np.array([0.5, 0.3]), [0.2, 0.6, 0.9], whole=False).tolist()
    [0, -1, -1]
    """
    reached = np.cumsum(falling)
    kept = float(reached[-1]) if whole else 1.0
    if top_p < 1.0:
        last = int(np.searchsorted(reached, top_p - _SLACK))
        if last == len(reached):
            if not whole:
                return np.full(len(uniforms), -1)
            last -= 1
        kept = float(reached[last])
    found: Numbers = np.searchsorted(reached, np.asarray(uniforms, dtype=np.float64) * kept, side="right")
    if whole:
        return np.minimum(found, int(np.flatnonzero(falling)[-1]))
    unknown = found >= np.searchsorted(-falling, -falling[-1])  # from the first of the last's equals on
    return np.where(unknown, -1, found)
