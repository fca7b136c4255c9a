"""Intervals and the quantiles that they need, without scipy: pure functions of numbers, for every method."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from guardrail.errors import InputError

Floats: TypeAlias = NDArray[np.float64]

_STEPS = 500
_TINY = 1e-300
_NORMAL = NormalDist()


def wilson(
    successes: float, trials: float, *, confidence: float = 0.95, quantile: float | None = None
) -> tuple[float, float]:
    """Wilson's interval of a proportion [wilson1927].

    Args:
        successes: 0 to `trials`; need not be a whole number.
        trials: independent ones, more than none; need not be a whole number where it is an effective number.
        confidence: that the interval contains the proportion.
        quantile: in place of the normal one for that confidence (Student's, say).

    Returns:
        Its ends, in [0, 1]; the observed proportion lies between them.

    Raises:
        InputError: no trials, more successes than trials or fewer than none, a confidence of 1 or more.

    Example:
        >>> [round(end, 3) for end in wilson(468, 1000)]
        [0.437, 0.499]
    """
    if not (trials > 0 and 0 <= successes <= trials):
        raise InputError(f"expected trials, and 0 ≤ successes ≤ trials, got {successes!r} of {trials!r}")
    z = normal_quantile((1 + confidence) / 2) if quantile is None else quantile
    if not 0 <= z < math.inf:
        raise InputError(f"expected a confidence from 0 to below 1, got {confidence!r} (quantile {z!r})")
    share = successes / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials**2))
    return max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half))


def normal_quantile(p: float) -> float:
    """The x with P(Z ≤ x) = p; infinite for 0 and 1."""
    if 0 < p < 1:
        return _NORMAL.inv_cdf(p)
    return math.copysign(math.inf, p - 0.5)


def beta_cdf(x: float, a: float, b: float) -> float:
    """P(B ≤ x) of B ~ Beta(a, b): the regularised incomplete beta function, to about 1e-13.

    Args:
        x: any number; what lies outside [0, 1] has probability 0 or 1.
        a: above 0.
        b: above 0.

    Source: the continued fraction DLMF 8.17.22, by Lentz's method.

    >>> round(beta_cdf(0.25, 2, 3), 12)  # 1 − P(Binomial(4, ¼) ≤ 1)
    0.26171875
    """
    if not (a > 0 and b > 0):
        raise InputError(f"expected a and b above 0, got {a!r} and {b!r}")
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # where the fraction converges slowly
        return 1.0 - beta_cdf(1.0 - x, b, a)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    c, d = 1.0, 1.0 / _away(1.0 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for step in (even, odd):
            d = 1.0 / _away(1.0 + step * d)
            c = _away(1.0 + step / c)
            value *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return front * value / a


def _away(x: float) -> float:
    """The same, never 0."""
    return x if abs(x) > _TINY else _TINY


@lru_cache(maxsize=256)
def student_quantile(p: float, degrees: int) -> float:
    """The t with P(T ≤ t) = p, p in [½, 1), of Student's distribution with that many degrees of freedom.

    >>> round(student_quantile(0.975, 9), 4)
    2.2622
    """
    if not 0.5 <= p < 1 or degrees < 1:
        raise InputError(f"expected p in [0.5, 1) and 1 degree or more, got {p!r} and {degrees!r}")
    low, high = 0.0, 1.0
    while _student_tail(high, degrees) > 1 - p:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if _student_tail(middle, degrees) > 1 - p else (low, middle)
    return (low + high) / 2


def _student_tail(t: float, degrees: int) -> float:
    return 0.5 * beta_cdf(degrees / (degrees + t * t), degrees / 2, 0.5)
