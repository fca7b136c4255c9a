"""The formulas of the QA variant (MQAG), on answers that somebody else generated.

Scores are in [0, 1], larger = more likely made up; ½ says neither. An *answer* is the number of the option that a
text chooses, and its α, in [0, 1], says how far the question can be answered from that text.

Source: [manakul2023] §5.2, eqs. 5 and 6, and Appendix B, eqs. 16 to 21. `question_score` gives what the paper's own
package (selfcheckgpt 0.1.7) gives, to 1e-9.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, TypeAlias

from guardrail.statistics.calibration import expit

Scoring: TypeAlias = Literal["bayes_with_alpha", "bayes", "counting"]

OPTIONS = 4
"""How many answers a question offers, the right one included."""

BETA = 0.8
"""β₁ and β₂ of the paper."""


def options(answer: str, distractors: Sequence[str]) -> tuple[str, ...] | None:
    """The `OPTIONS` answers that a question offers, the right one first; `None` without a wrong one.

    As in the paper's package, the last one is repeated where there are too few. Differs: there, blank
    distractors count, and more than three are an error; here the blank ones and those behind the third are
    left out.

    Example:
        >>> options("1815", ["1816", " ", "1852"])
        ('1815', '1816', '1852', '1852')
        >>> options("1815", [""]) is None
        True
    """
    wrong = [text.strip() for text in distractors if text.strip()][: OPTIONS - 1]
    if not wrong:
        return None
    return (answer, *wrong, *[wrong[-1]] * (OPTIONS - 1 - len(wrong)))


def chosen(probabilities: Sequence[float]) -> int | None:
    """The most probable option, eqs. 3 and 4; of equal ones the first. `None` if one is no finite number.

    Example:
        >>> chosen([0.25, 0.5, 0.25]), chosen([0.5, 0.5]), chosen([]), chosen([math.nan, 1.0])
        (1, 0, None, None)
    """
    if not probabilities or not all(math.isfinite(p) for p in probabilities):
        return None
    return max(range(len(probabilities)), key=lambda i: (probabilities[i], -i))


def simple_score(matches: float, mismatches: float) -> float | None:
    """The share of samples whose answer differs: in [0, 1]; `None` without a sample.

    Example:
        >>> simple_score(3, 1), simple_score(0, 0)
        (0.25, None)
    """
    total = matches + mismatches
    return mismatches / total if total > 0 else None


def bayes_score(matches: float, mismatches: float, *, beta_1: float = BETA, beta_2: float = BETA) -> float:
    """P(the sentence is false | matches, mismatches), eqs. 5 and 19: in (0, 1), ½ for no answer.

    Args:
        matches: how many samples answer as the answer itself does; fractions where answerability weighs.
        mismatches: those that answer otherwise.
        beta_1: P(an answer differs | the sentence is false), in (0, 1).
        beta_2: P(an answer matches | the sentence is true), in (0, 1).

    Raises:
        ValueError: a β is not between 0 and 1.

    Example:
        >>> round(bayes_score(1, 0), 6), bayes_score(0, 0)
        (0.2, 0.5)
    """
    for name, beta in (("beta_1", beta_1), ("beta_2", beta_2)):
        if not 0 < beta < 1:
            raise ValueError(f"expected {name} between 0 and 1, got {beta!r}")
    # γ₂^n / (γ₁^m + γ₂^n) as a logistic of log-odds, which does not overflow for large counts
    return float(
        expit(mismatches * math.log(beta_1 / (1 - beta_2)) - matches * math.log(beta_2 / (1 - beta_1)))
    )


def counts(reference: int, answers: Sequence[int], weights: Sequence[float]) -> tuple[float, float]:
    """Matches and mismatches, each sample with a weight: as the question is answerable from it in eq. 20.

    Args:
        reference: the option that the answer itself chooses.
        answers: per sample, the option it chooses.
        weights: per sample, in [0, 1].

    Example:
        >>> counts(0, [0, 2, 0], [1.0, 0.5, 0.25])
        (1.25, 0.5)
    """
    pairs = list(zip(answers, weights, strict=True))
    matches = math.fsum(weight for answer, weight in pairs if answer == reference)
    return matches, math.fsum(weight for answer, weight in pairs if answer != reference)


def question_score(
    scoring: Scoring,
    reference: int,
    answers: Sequence[int],
    answerable: Sequence[float],
    *,
    own: float = 1.0,
    bound: float = 0.5,
    beta_1: float = BETA,
    beta_2: float = BETA,
) -> float:
    """The score of one question, by one of the three ways of the paper's Table 5.

    Args:
        scoring: "counting" (the share that differs), "bayes" (eq. 19), or "bayes_with_alpha" (eq. 21).
        reference: the option that the answer itself chooses.
        answers: per sample, the option it chooses.
        answerable: per sample, α.
        own: α of the answer itself. Below `bound` it is a bad question: ½. Not read by "bayes_with_alpha".
        bound: samples with a smaller α do not count. Not read by "bayes_with_alpha".
        beta_1: see `bayes_score`; not read by "counting".
        beta_2: likewise.

    Returns:
        In [0, 1]; ½ where nothing is known, as in the package (`QACheck` asks whether anything is).

    Example:
        >>> question_score("counting", 0, [0, 1, 1, 2], [0.9, 0.8, 0.1, 0.7])
        0.6666666666666666
        >>> round(question_score("bayes", 0, [0, 0, 1], [0.9, 0.8, 0.7]), 6)
        0.2
    """
    weights = answerable
    if scoring != "bayes_with_alpha":
        if own < bound:
            return 0.5
        # the paper's footnote 7 says "greater than"; its package, and this, count the bound itself too
        weights = [alpha >= bound for alpha in answerable]
    matches, mismatches = counts(reference, answers, weights)
    if scoring == "counting":
        share = simple_score(matches, mismatches)
        return 0.5 if share is None else share
    return bayes_score(matches, mismatches, beta_1=beta_1, beta_2=beta_2)
