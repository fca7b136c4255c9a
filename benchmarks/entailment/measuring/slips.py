"""What a contradiction weighs beside silence where NLI judges by itself: found on WikiBio's rows 0-118."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from benchmarks._table import Row
from benchmarks.entailment.measuring.fusing import fused
from benchmarks.entailment.measuring.rows import JUDGED, Scores, figure, line, summed
from benchmarks.selfcheck.embedded import POOLING
from benchmarks.selfcheck.metrics import Measured, measure
from benchmarks.selfcheck.passages import Passage

__all__ = ["CHOSEN", "WEIGHTS", "margin", "scored", "slips"]

WEIGHTS = (1.0, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6)
"""Of P(contradiction), where P(neutral) weighs 1."""

CHOSEN = "WikiBio: the weight of P(contradiction) chosen on rows 0-118"
"""The row that tells the best one."""

DRAWS = 300

_COARSE = (1.0, 0.9)  # those that there were before
_Option: TypeAlias = tuple[float, float]  # a weight and a share of pooling
_Halves: TypeAlias = Mapping[_Option, tuple[Measured, Measured]]  # the one that chooses, and the other
_Rule: TypeAlias = Callable[[Measured], float]


def slips(
    first: Sequence[Passage], by_weight: Mapping[float, Scores], bars: Mapping[str, float]
) -> tuple[list[Row], float]:
    """Every weight, with pooling and without, and whether so many are worth having.

    Args:
        first: the passages that choose.
        by_weight: of each weight, a score of each sentence of these.
        bars: of the columns, for a rule that goes by them; it is shown beside the one by the mean, which decides.

    Returns:
        The rows, and the best weight.
    """
    found, compared = [], {}
    for weight, share in _options(by_weight):
        measured = measure(first, fused({"NLI": by_weight[weight]}, first, len(first), share))
        compared[weight, share] = summed(measured)
        pooled = f", pooled by {share:g}" if share else ""
        title = f"WikiBio, rows 0-118, P(neutral) + {weight:g} P(contradiction){pooled}"
        found.append(Row.shown(f"{title}: {' / '.join(JUDGED)}", line(measured)))
        found.append(Row.shown(f"{title}: their mean", compared[weight, share], digits=2))
    best, _ = max(compared, key=lambda option: compared[option])
    return found + _held_out(first, by_weight, bars), best


def margin(measured: Measured, bars: Mapping[str, float]) -> float:
    """By how much the column that is nearest to its bar is above it, or furthest below; in points."""
    return min((figure(measured, column) or 0.0) - bar for column, bar in bars.items())


def scored(halves: _Halves, weights: Sequence[float], rule: _Rule) -> Measured:
    """The second half by the option that is best on the first one, of those with such weights."""
    best = max(
        (option for option in halves if option[0] in weights), key=lambda option: rule(halves[option][0])
    )
    return halves[best][1]


def _options(by_weight: Mapping[float, Scores]) -> list[_Option]:
    return [(weight, share) for weight in by_weight for share in (0.0, POOLING)]


def _held_out(
    first: Sequence[Passage], by_weight: Mapping[float, Scores], bars: Mapping[str, float]
) -> list[Row]:
    """One half of the passages chooses, the other is scored, as often as `DRAWS`."""

    def least(measured: Measured) -> float:
        return margin(measured, bars)

    ways: dict[str, tuple[tuple[float, ...], _Rule]] = {
        "among weights of 1 and .9": (_COARSE, summed),
        "among all weights": (WEIGHTS, summed),
        "among weights of 1 and .9 by the least margin over the bars": (_COARSE, least),
        "among all weights by the least margin over the bars": (WEIGHTS, least),
    }
    reached: dict[str, list[Measured]] = {way: [] for way in ways}
    source = np.random.default_rng(0)
    for _ in range(DRAWS):
        order = source.permutation(len(first)).tolist()
        passages, edge = [first[place] for place in order], len(first) // 2
        halves: dict[_Option, tuple[Measured, Measured]] = {}
        for weight, share in _options(by_weight):
            values = fused({"NLI": [by_weight[weight][place] for place in order]}, passages, edge, share)
            halves[weight, share] = (
                measure(passages[:edge], values[:edge]),
                measure(passages[edge:], values[edge:]),
            )
        for way, (weights, rule) in ways.items():
            reached[way].append(scored(halves, weights, rule))
    found = []
    for way, measured in reached.items():
        title = f"WikiBio, rows 0-118, half of them chooses {way}, the other half"
        found.append(
            Row.shown(
                f"{title}: mean of the four columns", float(np.mean([*map(summed, measured)])), digits=2
            )
        )
        found.append(
            Row.shown(
                f"{title}: share that holds all bars", float(np.mean([least(one) >= 0 for one in measured]))
            )
        )
    return found
