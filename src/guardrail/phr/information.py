"""Entropies and the mutual information of response and mechanism, in nats.

How much of the uncertainty about a response would go away if the task were known: I = H(Y|x, D_n) − E[H(Y|x, D)],
D an imagined context.

Source: [jesson2024] Appendix D, eqs. 31 to 36 and Algorithm 3; the exact form is ours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from guardrail.errors import InputError
from guardrail.statistics.intervals import student_quantile

__all__ = ["Information", "entropy", "entropy_of_draws", "information"]

Floats: TypeAlias = NDArray[np.float64]


def entropy(probabilities: ArrayLike) -> Floats:
    """H of distributions over finitely many outcomes.

    Args:
        probabilities: shape (…, V); p log p is 0 where p is.

    Returns:
        Shape (…), 0 or more. An outcome that lumps several counts as one, so H is then a lower bound.

    >>> round(float(entropy([0.5, 0.5, 0.0])), 6)
    0.693147
    """
    p = np.asarray(probabilities, dtype=np.float64)
    if not (p >= 0).all():
        raise InputError("expected probabilities of 0 or more, got others")
    logs = np.log(np.where(p > 0, p, 1.0))
    found: Floats = np.maximum(0.0, -(p * logs).sum(axis=-1))
    return found


def entropy_of_draws(logs: ArrayLike) -> Floats:
    """H by Monte Carlo: the mean of −log p(y) of draws y ~ p.

    Args:
        logs: shape (…, K), finite. Of responses of several tokens these are means per token, and so is H.

    Returns:
        Shape (…); of a density it may be negative.
    """
    found = np.asarray(logs, dtype=np.float64)
    if found.ndim < 1 or found.shape[-1] < 1 or not np.isfinite(found).all():
        raise InputError(f"expected finite log-probabilities of at least one draw, got shape {found.shape!r}")
    means: Floats = -found.mean(axis=-1)
    return means


@dataclass(frozen=True, slots=True)
class Information:
    """A mutual information.

    Attributes:
        value: in nats. An estimate may fall below 0, the quantity does not.
        error: standard error over the contexts; `None` of one context.
        interval: 95 %, Student's; equal ends where all contexts agree, `None` of one context.
    """

    value: float
    error: float | None
    interval: tuple[float, float] | None


def information(total: ArrayLike, known: ArrayLike) -> Information:
    """Ĥ(Y|x, D_n) − mean of Ĥ(Y|x, D) over M imagined contexts.

    Args:
        total: shape () for an exact entropy, or (M,) for one estimate of it per context.
        known: shape (M,): the entropy under each imagined context.

    Raises:
        InputError: no context, or a number that is not finite.

    >>> information(0.69, [0.69, 0.69]).value
    0.0
    """
    differences = np.asarray(total, dtype=np.float64) - np.asarray(known, dtype=np.float64)
    if differences.ndim != 1 or not len(differences) or not np.isfinite(differences).all():
        raise InputError(f"expected finite entropies of at least one context, got {known!r}")
    size = len(differences)
    mean = math.fsum(differences.tolist()) / size
    if size == 1:
        return Information(mean, None, None)
    error = float(differences.std(ddof=1)) / math.sqrt(size)
    half = student_quantile(0.975, size - 1) * error
    return Information(mean, error, (mean - half, mean + half))
