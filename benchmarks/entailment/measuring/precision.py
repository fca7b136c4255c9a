"""What coarser arithmetic costs: scores in bf16 and 8 bits beside those in fp32."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks._recording import agreement_row, same_arithmetic
from benchmarks._table import Row
from benchmarks.entailment.pairs import LABELS, Pair
from benchmarks.entailment.setting import KEEP, Floats, Setting, shares
from guardrail.backends import Precision
from guardrail.backends.entailment import EntailmentModel

__all__ = ["compared", "rows", "scores"]

MEAN_ERROR, LARGEST_ERROR = 0.005, 0.05
"""Bars of the difference of bf16's scores from fp32's. 8 bits miss them, so they are shown without."""

_PRECISIONS: Sequence[Precision] = ("fp32", "bf16", "int8")
_COMPARED = 600  # pairs per set
_CHECKED = 12  # where scores are recorded, one pair in so many is scored anew
_ENTAILMENT, _CONTRADICTION = LABELS.index("entailment"), LABELS.index("contradiction")


def rows(setting: Setting) -> list[Row]:
    """How far P(contradiction) without the neutral class is from fp32, where numbers are less exact."""
    which = "mini" if setting.models["mini"] is not None else "quick"
    folder = setting.folder(which)
    if setting.run.fast and (outdated := setting.outdated("precision")):
        return outdated
    pairs = compared(setting)
    models = [EntailmentModel(folder, device="cpu", precision=one) for one in _PRECISIONS]
    said = [_said(setting, model, pairs) for model in models]
    agreed = [row for _, rows in said for row in rows]
    if any(row.ok is None for row in agreed):
        return agreed
    (expected, _), *rough = said
    seconds = [model.work.seconds for model in models]
    found = [
        Row.shown("precision: of the model", "packaged" if which == "mini" else "quickly trained"),
        Row.at_most("fp32: largest change by neighbours", _dependence(models[0], pairs), 1e-4, digits=6),
    ]
    for model, (values, _), own in zip(models[1:], rough, seconds[1:], strict=True):
        found += _rough_rows(model, pairs, np.abs(values - expected), seconds[0] / own)
    return found + agreed


def compared(setting: Setting) -> list[Pair]:
    """The first pairs of every set."""
    return [pair for name in setting.sets() for pair in setting.pairs(name)[:_COMPARED]]


def scores(setting: Setting) -> dict[str, Floats]:
    """What is recorded of this part: P(contradiction) without the neutral class, by precision."""
    pairs, folder = compared(setting), setting.folder("mini")
    models = [EntailmentModel(folder, device="cpu", precision=one) for one in _PRECISIONS]
    return {f"precision, {model.precision}": _said(setting, model, pairs)[0] for model in models}


def _said(setting: Setting, model: EntailmentModel, pairs: Sequence[Pair]) -> tuple[Floats, list[Row]]:
    """Of all pairs. Where that is recorded, the model is asked about a few, and a row says whether they agree."""
    kept = setting.kept(f"precision, {model.precision}")
    if kept is None or setting.recording is None:
        return _contradictions(shares(model, pairs)), []
    row = agreement_row(
        f"{model.precision}: recorded scores, largest |Δ| to those computed now",
        kept[::_CHECKED],
        _contradictions(shares(model, pairs[::_CHECKED])),
        exact=same_arithmetic(setting.recording.made.get("fp32", ""), model.fingerprint),
        command=KEEP,
    )
    return kept, [row]


def _rough_rows(model: EntailmentModel, pairs: Sequence[Pair], gap: Floats, faster: float) -> list[Row]:
    precision = model.precision
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
