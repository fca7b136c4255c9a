"""Special functions that the closed forms need, without scipy."""

from __future__ import annotations

import math

from guardrail.errors import InputError

__all__ = ["digamma"]


def digamma(x: float) -> float:
    """The logarithmic derivative of the gamma function for x above 0, to about 1e-13.

    >>> round(digamma(1.0), 10)
    -0.5772156649
    """
    if not x > 0:
        raise InputError(f"expected a number above 0, got {x!r}")
    shift = 0.0
    while x < 12:
        shift -= 1 / x
        x += 1
    y = 1 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y * (1 / 132 - y * 691 / 32760)))))
    return shift + math.log(x) - 0.5 / x - series
