"""What coarser arithmetic costs: scores in bf16 and 8 bits beside those in fp32."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from benchmarks._table import Row
from benchmarks.entailment.pairs import LABELS, Pair
from benchmarks.entailment.setting import Floats, Setting, shares
from guardrail.backends.entailment import EntailmentModel

__all__ = ["rows"]

MEAN_ERROR, LARGEST_ERROR = 0.005, 0.05
"""Bars of the difference of bf16's scores from fp32's. 8 bits miss them, so they are shown without."""

_ROUGH: Sequence[Literal["bf16", "int8"]] = ("bf16", "int8")
_COMPARED = 600  # pairs per set
_ENTAILMENT, _CONTRADICTION = LABELS.index("entailment"), LABELS.index("contradiction")


def rows(setting: Setting) -> list[Row]:
    """How far P(contradiction) without the neutral class is from fp32, where numbers are less exact."""
    which = "mini" if setting.models["mini"] is not None else "quick"
    folder = setting.folder(which)
    pairs = [pair for name in setting.sets() for pair in setting.pairs(name)[:_COMPARED]]
    exact = EntailmentModel(folder, device="cpu")
    expected = _contradictions(shares(exact, pairs))
    fp32_seconds = exact.work.seconds
    found = [
        Row.shown("precision: of the model", "packaged" if which == "mini" else "quickly trained"),
        Row.at_most("fp32: largest change by neighbours", _dependence(exact, pairs), 1e-4, digits=6),
    ]
    for precision in _ROUGH:
        found += _rough_rows(folder, pairs, precision, expected, fp32_seconds)
    return found


def _rough_rows(
    folder: Path,
    pairs: Sequence[Pair],
    precision: Literal["bf16", "int8"],
    expected: Floats,
    fp32_seconds: float,
) -> list[Row]:
    model = EntailmentModel(folder, device="cpu", precision=precision)
    gap = np.abs(_contradictions(shares(model, pairs)) - expected)
    faster = fp32_seconds / model.work.seconds
    mean, largest = f"{precision}: mean difference of scores", f"{precision}: largest difference of scores"
    if precision == "bf16":
        found = [
            Row.at_most(mean, float(gap.mean()), MEAN_ERROR, digits=4),
            Row.at_most(largest, float(gap.max()), LARGEST_ERROR, digits=4),
        ]
    else:
        found = [Row.shown(mean, gap.mean(), digits=4), Row.shown(largest, gap.max(), digits=4)]
    return [
        *found,
        Row.shown(f"{precision}: largest change by neighbours", _dependence(model, pairs), digits=6),
        Row.shown(f"{precision}: times as fast as fp32", faster, digits=2),
    ]


def _dependence(model: EntailmentModel, pairs: Sequence[Pair]) -> float:
    """The largest difference of a probability between a pair in a batch and the pair alone."""
    some = pairs[:: max(1, len(pairs) // 100)]
    together = shares(model, some)
    alone = np.concatenate([shares(model, [pair]) for pair in some])
    return float(np.abs(together - alone).max())


def _contradictions(said: Floats) -> Floats:
    found: Floats = said[:, _CONTRADICTION] / (said[:, _CONTRADICTION] + said[:, _ENTAILMENT])
    return found
