"""What a contradiction weighs beside silence where NLI judges by itself: found on WikiBio's rows 0-118."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from benchmarks._table import Row
from benchmarks.entailment.measuring.fusing import fused
from benchmarks.entailment.measuring.rows import JUDGED, Scores, line, summed
from benchmarks.selfcheck.embedded import POOLING
from benchmarks.selfcheck.metrics import Measured, measure
from benchmarks.selfcheck.passages import Passage
from guardrail.detectors.selfcheck.nli import SLIP

__all__ = ["WEIGHTS", "heavier", "slips"]

WEIGHTS = (1.0, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6)
"""Of P(contradiction), where P(neutral) weighs 1."""

COARSE = (1.0, 0.9)
"""Those that there were before; what more of them are worth is shown against these."""

DRAWS = 300

_Option: TypeAlias = tuple[float, float]  # a weight and a share of pooling


def slips(
    first: Sequence[Passage], full: Scores, light: Scores, *, packaged: bool = False
) -> tuple[list[Row], float]:
    """Every weight, and whether so many are worth having; then the one that is best for this model.

    Args:
        first: the passages that choose.
        full: of each sentence, by "not_entailed".
        light: by "unmentioned".
        packaged: whether they are of the model that `SLIP` is for; it must be the best for that one.
    """
    by_weight = {weight: heavier(full, light, weight) for weight in WEIGHTS}
    options = [(weight, share) for weight in WEIGHTS for share in (0.0, POOLING)]
    found, compared = [], {}
    for weight, share in options:
        measured = measure(first, fused({"NLI": by_weight[weight]}, first, len(first), share))
        compared[weight, share] = summed(measured)
        pooled = f", pooled by {share:g}" if share else ""
        title = f"WikiBio, rows 0-118, P(neutral) + {weight:g} P(contradiction){pooled}"
        found.append(Row.shown(f"{title}: {' / '.join(JUDGED)}", line(measured)))
        found.append(Row.shown(f"{title}: their mean", compared[weight, share], digits=2))
    best, _ = max(compared, key=lambda option: compared[option])
    title = "WikiBio: the weight of P(contradiction) chosen on rows 0-118"
    found.append(Row.equal(title, best, SLIP, digits=2) if packaged else Row.shown(title, best, digits=2))
    return found + _held_out(first, by_weight, options), best


def heavier(full: Scores, light: Scores, weight: float) -> Scores:
    """Scores by another weight than `SLIP`, which they are linear in as long as no sample is read in parts.

    Example:
        >>> round(heavier([[1.0]], [[SLIP]], 0.6)[0][0], 9)  # a contradiction, sure of itself
        0.6
    """
    ratio = (1.0 - weight) / (1.0 - SLIP)
    return [
        [a - ratio * (a - b) for a, b in zip(one, other, strict=True)]
        for one, other in zip(full, light, strict=True)
    ]


def _held_out(
    first: Sequence[Passage], by_weight: dict[float, Scores], options: Sequence[_Option]
) -> list[Row]:
    """One half of the passages chooses, the other is scored, as often as `DRAWS`: the mean of the four columns."""
    source = np.random.default_rng(0)
    sets = {"weights of 1 and .9": COARSE, "all weights": WEIGHTS}
    reached: dict[str, list[float]] = {title: [] for title in sets}
    for _ in range(DRAWS):
        order = source.permutation(len(first)).tolist()
        passages, edge = [first[place] for place in order], len(first) // 2
        halves: dict[_Option, tuple[Measured, Measured]] = {}
        for weight, share in options:
            values = fused({"NLI": [by_weight[weight][place] for place in order]}, passages, edge, share)
            halves[weight, share] = (
                measure(passages[:edge], values[:edge]),
                measure(passages[edge:], values[edge:]),
            )
        for title, weights in sets.items():
            best = max(
                (option for option in options if option[0] in weights),
                key=lambda option: summed(halves[option][0]),
            )
            reached[title].append(summed(halves[best][1]))
    return [
        Row.shown(
            f"WikiBio, rows 0-118, half of them chooses among {title}, mean of the four columns of the other half",
            float(np.mean(values)),
            digits=2,
        )
        for title, values in reached.items()
    ]
