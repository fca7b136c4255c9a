"""The table of the regression experiment."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks._table import Row
from benchmarks.phr.process.measure import DRAWS, EPSILONS, MAIN, Measured
from benchmarks.phr.process.statistics import (
    Figure,
    calibration_error,
    correlation,
    difference,
    interval,
    mean,
)
from benchmarks.phr.process.survey import Survey
from guardrail.phr import Correction

__all__ = ["corrected", "rows"]

Floats: TypeAlias = NDArray[np.float64]


def rows(found: Survey) -> list[Row]:
    """Everything, in the order of the figures."""
    return [
        *_by_size(found),
        *_bias(found),
        *_drawn(found),
        *_epsilons(found),
        *_misspecified(found),
        *_information(found),
        *_outside(found),
        *_corrections(found),
    ]


def _shown(quantity: str, figure: Figure, estimate: Floats, truth: Floats, *, unit: str = "") -> Row:
    value = float(figure(estimate.reshape(-1), truth.reshape(-1)))
    if not np.isfinite(value):
        return Row.missing(quantity, "one of the two does not vary")
    return Row.shown(quantity, value, interval=interval(figure, estimate, truth), unit=unit)


def _by_size(found: Survey) -> list[Row]:
    """Figure 3."""
    table = []
    for size, one in found.inside.items():
        true, rate = one.true[MAIN], one.rate[MAIN]
        table += [
            _shown(f"process: n = {size}: THR", mean, true, rate),
            _shown(f"process: n = {size}: PHR", mean, rate, true),
            _shown(f"process: n = {size}: PHR − THR", difference, rate, true),
            _shown(f"process: n = {size}: correlation of PHR and THR", correlation, rate, true),
            _shown(f"process: n = {size}: calibration error of PHR", calibration_error, rate, true),
        ]
    rate, true = (
        np.concatenate([getattr(m, name)[MAIN] for m in found.inside.values()], axis=1)
        for name in ("rate", "true")
    )
    least = 0.8
    whole = float(correlation(rate.reshape(-1), true.reshape(-1)))
    table.append(
        Row.at_least(
            "process: all n: correlation of PHR and THR",
            whole,
            least,
            interval=interval(correlation, rate, true),
        )
    )
    return table


def _bias(found: Survey) -> list[Row]:
    """The paper: PHR underestimates THR, the more so the larger n is."""
    gaps, relative, ends = [], [], []
    for one in found.inside.values():
        rate, true = one.rate[MAIN], one.true[MAIN]
        gaps.append(float(difference(rate.reshape(-1), true.reshape(-1))))
        relative.append(float(rate.mean() / true.mean()))
        ends.append(interval(difference, rate, true) or (gaps[-1], gaps[-1]))
    sizes = list(found.inside)
    last = "below" if ends[-1][1] < 0 else "above" if ends[-1][0] > 0 else "neither"
    below = [size for size, (_, high) in zip(sizes, ends, strict=True) if high < 0]
    above = [size for size, (low, _) in zip(sizes, ends, strict=True) if low > 0]
    return [
        Row.shown(f"process: PHR lies … THR at n = {sizes[-1]} (by the interval)", last, published="below"),
        Row.shown(
            "process: n at which PHR lies below THR (by the interval)",
            _listed(below),
            published="all, rather large n",
        ),
        Row.shown(
            "process: n at which PHR lies above THR (by the interval)", _listed(above), published="none"
        ),
        Row.shown(f"process: PHR / THR at n = {sizes[0]}", relative[0]),
        Row.shown(f"process: PHR / THR at n = {sizes[-1]}", relative[-1]),
        Row.shown(
            f"process: the difference is larger at n = {sizes[-1]} than at n = {sizes[0]}",
            abs(gaps[-1]) > abs(gaps[0]),
            published="yes",
        ),
        Row.shown(
            "process: mass outside of likely sets at ε = .05 (they are made of whole bins)",
            float(np.mean([one.excluded.mean() for one in found.inside.values()])),
            digits=4,
        ),
        Row.shown(
            "process: standard error of one PHR over its contexts, mean",
            float(np.mean([one.error[MAIN].mean() for one in found.inside.values()])),
            digits=4,
        ),
    ]


def _listed(sizes: list[int]) -> str:
    return ", ".join(map(str, sizes)) or "none"


def _drawn(found: Survey) -> list[Row]:
    """The paper's estimator beside the exact one."""
    table = []
    for size in (min(found.inside), max(found.inside)):
        one = found.inside[size]
        title = f"process: n = {size}: K = {DRAWS} draws"
        table += [
            _shown(f"{title}: PHR − exact PHR", difference, one.drawn, one.rate[MAIN]),
            _shown(f"{title}: correlation with THR", correlation, one.drawn, one.true[MAIN]),
        ]
    return table


def _epsilons(found: Survey) -> list[Row]:
    """Figures 12 and 13."""
    table = []
    for i, epsilon in enumerate(EPSILONS):
        rate = np.concatenate([one.rate[i] for one in found.inside.values()], axis=1)
        true = np.concatenate([one.true[i] for one in found.inside.values()], axis=1)
        title = f"process: ε = {epsilon:g}, all n"
        table += [
            _shown(f"{title}: correlation of PHR and THR, all points", correlation, rate, true),
            _shown(f"{title}: PHR − THR", difference, rate, true),
        ]
    return table


def _misspecified(found: Survey) -> list[Row]:
    """Figure 14: which ε in PHR is nearest to THR at ε = .05?"""
    table = []
    for size in (min(found.inside), max(found.inside)):
        one = found.inside[size]
        errors = [float(calibration_error(rate.reshape(-1), one.true[MAIN].reshape(-1))) for rate in one.rate]
        best = int(np.argmin(errors))
        table += [
            Row.shown(
                f"process: n = {size}: ε of PHR whose calibration error to THR at .05 is least",
                EPSILONS[best],
                digits=2,
                published=0.1 if size == max(found.inside) else None,
            ),
            Row.shown(f"process: n = {size}: that calibration error", errors[best]),
        ]
    return table


def _information(found: Survey) -> list[Row]:
    """Figures 15 and 16."""
    every = list(found.inside.values())
    known = np.concatenate([one.information for one in every], axis=1)
    rate, true = (
        np.concatenate([getattr(one, name)[MAIN] for one in every], axis=1) for name in ("rate", "true")
    )
    table = [
        _shown(f"process: n = {size}: mutual information", mean, one.information, one.true[MAIN], unit="nats")
        for size, one in found.inside.items()
    ]
    return [
        *table,
        _shown("process: all n: correlation of MI and THR", correlation, known, true),
        _shown("process: all n: correlation of MI and PHR", correlation, known, rate),
    ]


def _outside(found: Survey) -> list[Row]:
    """Figure 8: functions that no training sequence is like."""
    size = max(found.inside)
    true, rate = found.outside.true[MAIN], found.outside.rate[MAIN]
    return [
        _shown(f"process: out of distribution, n = {size}: THR", mean, true, rate),
        _shown(f"process: out of distribution, n = {size}: PHR", mean, rate, true),
        _shown(f"process: out of distribution, n = {size}: PHR − THR", difference, rate, true),
    ]


def corrected(one: Measured) -> tuple[Correction, Floats, Floats]:
    """A `Correction` of every other function, and what it makes of the rest: corrected PHR and THR, shapes (F/2, Q)."""
    seen, held_out = one.half(0), one.half(1)
    fitted = Correction.fit(seen.rate[MAIN].reshape(-1), seen.true[MAIN].reshape(-1))
    rate = np.vectorize(fitted)(held_out.rate[MAIN])
    return fitted, rate, held_out.true[MAIN]


def _corrections(found: Survey) -> list[Row]:
    table = []
    for size, one in found.inside.items():
        fitted, rate, true = corrected(one)
        before = one.half(1).rate[MAIN]
        title = f"process: n = {size}: held-out functions, calibration error"
        table += [
            _shown(f"{title}, PHR as it is", calibration_error, before, true),
            _shown(f"{title}, corrected", calibration_error, rate, true),
            Row.shown(f"process: n = {size}: slope of the correction", fitted.slope),
        ]
    return table
