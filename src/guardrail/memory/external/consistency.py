"""Consistency: is the response to the source like those to its rephrasings?

Source: [memory] eq. 7; differs: the paper's sum includes the response's similarity to itself. The relative form is ours:
where answers are short and worded freely, how alike the others are among themselves says how alike one may expect to be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["consistency", "relative_consistency"]


def consistency(similarities: Sequence[float], *, paper: bool = False) -> float | None:
    """Eq. 7: the mean similarity of r_1 with the other responses.

    Args:
        similarities: of r_1 with r_2 … r_n, each at most 1 (BERTScore F1, say).
        paper: count r_1's similarity with itself, which is 1, as the paper's sum does; n is then one more.

    Returns:
        At most 1, larger = more consistent. What is not finite is left out; `None` if nothing is left.

    Example:
        >>> consistency([0.25, 0.75]), consistency([0.25, 0.75], paper=True)
        (0.5, 0.6666666666666666)
    """
    known = [value for value in similarities if math.isfinite(value)]
    if not known:
        return None
    return math.fsum([*known, 1.0] if paper else known) / (len(known) + paper)


def relative_consistency(similarities: Sequence[float], among: Sequence[float]) -> float | None:
    """How much more, or less, r_1 is like the other responses than they are like each other.

    Args:
        similarities: of r_1 with r_2 … r_n.
        among: of each two of r_2 … r_n.

    Returns:
        In [−2, 2], larger = more consistent, 0 = as one of them. `None` where either mean is undefined, so with fewer
        than two others.

    Example:
        >>> relative_consistency([0.5, 0.25], [0.75]), relative_consistency([0.5], [])
        (-0.375, None)
    """
    own, others = consistency(similarities), consistency(among)
    return None if own is None or others is None else own - others
