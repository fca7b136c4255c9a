"""QA: would the sampled answers answer questions about the sentence as it does? The formulas of MQAG.

Kernels only, on answers that somebody else generated; there is no detector here.

Source: [manakul2023] §5.2, eqs. 5 and 6, and Appendix B, eqs. 16 to 19.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["BETA", "answers_score", "bayes_score", "score", "simple_score", "soft_counts"]

BETA = 0.8
"""β₁ and β₂ of the paper."""


def simple_score(matches: float, mismatches: float) -> float | None:
    """The share of samples whose answer differs: in [0, 1]; `None` without a sample.

    Example:
        >>> simple_score(3, 1), simple_score(0, 0)
        (0.25, None)
    """
    total = matches + mismatches
    return mismatches / total if total > 0 else None


def bayes_score(matches: float, mismatches: float, *, beta_1: float = BETA, beta_2: float = BETA) -> float:
    """P(non-factual | counts), eq. 19: in [0, 1], one half where nothing was counted.

    Args:
        matches: samples that answer as the answer does; a soft count may be a fraction.
        mismatches: those that answer otherwise.
        beta_1: P(an answer differs | the sentence is false), in (0, 1).
        beta_2: P(an answer matches | the sentence is true), in (0, 1).

    Example:
        >>> round(bayes_score(1, 0), 6), bayes_score(0, 0)
        (0.2, 0.5)
    """
    for name, beta in (("beta_1", beta_1), ("beta_2", beta_2)):
        if not 0 < beta < 1:
            raise ValueError(f"expected {name} between 0 and 1, got {beta!r}")
    # γ₂^n / (γ₁^m + γ₂^n) as a logistic of log-odds, which does not overflow for large counts
    odds = mismatches * math.log(beta_1 / (1 - beta_2)) - matches * math.log(beta_2 / (1 - beta_1))
    if odds >= 0:
        return 1 / (1 + math.exp(-odds))
    return math.exp(odds) / (1 + math.exp(odds))


def soft_counts(reference: int, answers: Sequence[int], answerable: Sequence[float]) -> tuple[float, float]:
    """Matches and mismatches, each sample weighing as much as the question is answerable from it.

    Args:
        reference: the option that the answer itself chooses.
        answers: per sample, the option it chooses.
        answerable: per sample, α in [0, 1].

    Example:
        >>> soft_counts(0, [0, 2, 0], [1.0, 0.5, 0.25])
        (1.25, 0.5)
    """
    pairs = list(zip(answers, answerable, strict=True))
    matches = math.fsum(alpha for answer, alpha in pairs if answer == reference)
    return matches, math.fsum(alpha for answer, alpha in pairs if answer != reference)


def answers_score(
    reference: int,
    answers: Sequence[int],
    answerable: Sequence[float],
    *,
    beta_1: float = BETA,
    beta_2: float = BETA,
) -> float:
    """The score of one question: Bayes with answerability, eq. 5."""
    matches, mismatches = soft_counts(reference, answers, answerable)
    return bayes_score(matches, mismatches, beta_1=beta_1, beta_2=beta_2)


def score(questions: Sequence[float | None]) -> float | None:
    """Eq. 6: the mean over the questions that have a score; `None` of none."""
    known = [value for value in questions if value is not None]
    return math.fsum(known) / len(known) if known else None
