"""How a fit is made: measured normal responses, and rephrasings that are known to mean the same."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from statistics import NormalDist, fmean, stdev
from typing import Any

from guardrail.errors import InputError
from guardrail.memory.external.fits import ExternalFit, Task
from guardrail.memory.external.gaussian import Normal, Sides, threshold
from guardrail.memory.external.measuring import Form, Measured
from guardrail.memory.external.segmentation import Language
from guardrail.options import number

__all__ = ["FALSE_ALARMS", "KEPT", "learn", "same_meaning"]

KEPT = 0.999
"""The share of true rephrasings that T_cq lets pass, whatever the encoder: one source is rephrased more freely than another."""

FALSE_ALARMS = 0.05
"""The share of normal responses that T_cs flags at most."""


def same_meaning(similarities: Sequence[float], *, kept: float = KEPT) -> float:
    """T_cq: the similarity that a share of true rephrasings is above.

    The threshold of one encoder means nothing to another; a share does. The paper's .73 is that of its own encoder.

    Args:
        similarities: of rephrasings that mean the same with their sources; two or more.
        kept: the share that is to pass, in (0, 1).

    Returns:
        The mean less as many standard deviations as leave out 1 − kept of a normal distribution: shares near 1 cannot be
        counted.

    Raises:
        InputError: fewer than two, one that is not finite, or a share that is none.

    Example:
        >>> round(same_meaning([0.5, 0.6, 0.7], kept=0.975), 3)
        0.404
    """
    if len(similarities) < 2 or not all(map(math.isfinite, similarities)) or not 0 < kept < 1:
        raise InputError(
            f"expected two finite similarities or more and a share in (0, 1), got {similarities!r}, {kept!r}"
        )
    return fmean(similarities) + NormalDist().inv_cdf(1 - kept) * stdev(similarities)


def learn(
    responses: Sequence[Measured],
    *,
    task: Task,
    language: Language,
    encoder: str,
    compared_by: str,
    rephrasings: Sequence[float],
    false_alarms: float = FALSE_ALARMS,
    kept: float = KEPT,
    form: Form = "plain",
    relevance: bool = True,
    sides: Sides = "below",
    robust: bool = False,
    provenance: Mapping[str, Any] | None = None,
) -> ExternalFit:
    """Fit normal responses, and set the thresholds.

    Args:
        responses: normal ones, measured; five or more, better a hundred. What lacks a number is left out.
        task: what was asked.
        language: of the texts.
        encoder: what measured the consistency.
        compared_by: that encoder's fingerprint.
        rephrasings: similarities of true rephrasings with their sources, by the same encoder.
        false_alarms: the share of normal responses that may be flagged.
        kept: the share of true rephrasings that may pass.
        form: which consistency counts.
        relevance: whether relevance counts too.
        sides: see `Normal.squared_distance`.
        robust: see `Normal.fit`.
        provenance: what the file is to say besides.

    Raises:
        InputError: too few points, or points on a line.
        ConfigError: a share is out of range.
    """
    number("false_alarms", false_alarms, least=1e-6, most=1 - 1e-6)
    points = [point for one in responses if (point := one.point(form)) is not None]
    normal = Normal.fit(points, robust=robust)
    alone = [normal.consistency_score(x, sides=sides) for x, _ in points]
    scores = [normal.score(point, sides=sides) for point in points] if relevance else alone
    about = {
        "date": date.today().isoformat(),  # noqa: DTZ011  # a day, for people
        "robust": robust,
        "rephrasings kept": kept,
        "rephrasings": len(rephrasings),
    }
    return ExternalFit(
        task=task,
        language=language,
        encoder=encoder,
        compared_by=compared_by,
        same_meaning=same_meaning(rephrasings, kept=kept),
        normal=normal,
        threshold=threshold(scores, false_alarms),
        consistency_threshold=threshold(alone, false_alarms),
        false_alarms=false_alarms,
        rows=len(points),
        form=form,
        relevance=relevance,
        sides=sides,
        provenance={**about, **(provenance or {})},
    )
