"""The paper's threshold, and its estimate of how often a reply below it is indeed wrong.

[li2025] §4.1: of 270 sampled replies all below θ were wrong, so by Laplace's rule of succession the next one is with
probability 271/272 = 99.6 %.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from guardrail.errors import InputError

__all__ = ["Estimate", "best", "estimate", "laplace"]

CANDIDATES = tuple(number / 20 for number in range(1, 21))


@dataclass(frozen=True, slots=True)
class Estimate:
    """How good a threshold is on sampled replies.

    Attributes:
        threshold: similarity below which a reply is called wrong in its knowledge.
        below: how many replies are.
        wrong: how many of them are indeed.
        precision: by Laplace's rule, the probability that the next one below is wrong, in (0, 1).
        accuracy: share of replies on whose side of the threshold they should be, in [0, 1].
    """

    threshold: float
    below: int
    wrong: int
    precision: float
    accuracy: float


def laplace(successes: int, trials: int) -> float:
    """Probability of success in the next trial, by Laplace's rule of succession.

    Raises:
        InputError: more successes than trials, or fewer than none.

    Example:
        >>> round(laplace(270, 270), 3)
        0.996
    """
    if not 0 <= successes <= trials:
        raise InputError(f"expected 0 ≤ successes ≤ trials, got {successes!r} of {trials!r}.")
    return (successes + 1) / (trials + 2)


def estimate(replies: Iterable[tuple[float, bool]], threshold: float) -> Estimate:
    """How good a threshold is.

    Args:
        replies: similarity to the truth in [0, 1], and whether the reply states what is false.
        threshold: in [0, 1].

    Raises:
        InputError: there is no reply.
    """
    given = list(replies)
    if not given:
        raise InputError("expected at least one reply to estimate a threshold from, got none.")
    below = [wrong for similarity, wrong in given if similarity < threshold]
    right = sum((similarity < threshold) == wrong for similarity, wrong in given)
    return Estimate(threshold, len(below), sum(below), laplace(sum(below), len(below)), right / len(given))


def best(
    replies: Iterable[tuple[float, bool]], *, candidates: Sequence[float] = CANDIDATES, near: float = 0.8
) -> Estimate:
    """The threshold that puts most replies on the right side; of several, the one nearest to the paper's.

    Raises:
        InputError: there is no reply or no candidate.
    """
    given = list(replies)
    if not candidates:
        raise InputError("expected at least one candidate for a threshold, got none.")
    return max(
        (estimate(given, one) for one in candidates), key=lambda e: (e.accuracy, -abs(e.threshold - near))
    )
