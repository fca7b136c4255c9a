"""How often a model makes things up: the share of flagged answers, and what that says about the true share.

Source: [memory] figure 5 for the share; [rogan1978] for the correction, [lang2014] for its interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from guardrail.errors import InputError
from guardrail.statistics.intervals import wilson

__all__ = ["Known", "Share", "corrected_share", "flagged_share"]

_Z = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its 95 % interval, all in [0, 1]; `value` is `None` where it is not defined."""

    value: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Known:
    """How a detector did on labelled answers.

    Attributes:
        invented: answers that were made up.
        caught: those of them that it flagged.
        normal: answers that were not.
        passed: those of them that it did not flag.

    Raises:
        InputError: a count is negative, or a part exceeds its whole.
    """

    invented: int
    caught: int
    normal: int
    passed: int

    def __post_init__(self) -> None:
        if not (0 <= self.caught <= self.invented and 0 <= self.passed <= self.normal):
            raise InputError(f"expected counts, the parts no larger than their wholes, got {self!r}")


def flagged_share(flagged: int, answers: int) -> Share:
    """The share of flagged answers, with Wilson's interval; undefined without answers.

    Example:
        >>> flagged_share(12, 60).value
        0.2
    """
    if not 0 <= flagged <= answers:
        raise InputError(f"expected 0 ≤ flagged ≤ answers, got {flagged!r} of {answers!r}")
    return Share(flagged / answers, wilson(flagged, answers)) if answers else Share(None, None)


def corrected_share(flagged: int, answers: int, known: Known) -> Share:
    """The share of answers that are made up, given how often the detector errs.

    Flagged = share · sensitivity + (1 − share) · (1 − specificity), solved for the share and cut to [0, 1]. The
    interval counts what is not known of sensitivity and specificity too; they must be right for these answers as well. Where
    fewer are flagged than false alarms explain, or more than all would be, it reaches as far as if there were no errors
    of that kind: the share is at most flagged ÷ sensitivity, and what is left at most passed ÷ specificity.

    Returns:
        Undefined where there are no answers, no labelled ones of either kind, or a detector that is no better than chance.

    Example:
        >>> found = corrected_share(30, 100, Known(invented=100, caught=80, normal=100, passed=95))
        >>> round(found.value, 4), [round(end, 3) for end in found.interval]
        (0.3333, [0.207, 0.472])
    """
    raw = flagged_share(flagged, answers)
    if raw.value is None or not known.invented or not known.normal:
        return Share(None, None)
    sensitivity, specificity = known.caught / known.invented, known.passed / known.normal
    gain = sensitivity + specificity - 1
    # added counts: z²/2 of each kind to the answers, one of each to the labelled
    n, p = answers + _Z**2, (flagged + _Z**2 / 2) / (answers + _Z**2)
    n_se, se = known.invented + 2, (known.caught + 1) / (known.invented + 2)
    n_sp, sp = known.normal + 2, (known.passed + 1) / (known.normal + 2)
    slope = se + sp - 1
    if gain <= 0 or slope <= 0:
        return Share(None, None)
    middle = (p + sp - 1) / slope
    of_se, of_sp = se * (1 - se) / n_se, sp * (1 - sp) / n_sp
    shift = 2 * _Z**2 * (middle * of_se - (1 - middle) * of_sp)
    width = _Z * math.sqrt(p * (1 - p) / n + middle**2 * of_se + (1 - middle) ** 2 * of_sp) / slope
    uncut = (raw.value + specificity - 1) / gain
    low, high = middle + shift - width, middle + shift + width
    assert raw.interval is not None  # noqa: S101  # there are answers
    if uncut < 0:
        high = max(high, raw.interval[1] / se)
    if uncut > 1:
        low = min(low, 1 - (1 - raw.interval[0]) / sp)
    value, low, high = (min(1.0, max(0.0, one)) for one in (uncut, low, high))
    return Share(value, (min(value, low), max(value, high)))
