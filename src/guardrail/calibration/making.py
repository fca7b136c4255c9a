"""A certificate from labelled rows: every promise in every group, the error shared by all of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Literal

import numpy as np

from guardrail.calibration.certificate import Certificate, GroupThresholds, Outcome, ReferenceScores
from guardrail.calibration.drift import UNSCORED
from guardrail.calibration.learning import Learned, learn, risk_at
from guardrail.calibration.promises import Promise, Risk, Target
from guardrail.calibration.rows import Rows
from guardrail.calibration.scoring import Scoring
from guardrail.errors import InputError
from guardrail.report import Scale

FEWEST_SOURCES = 60
"""Of a group with thresholds of its own."""
MOST_REFERENCE = 2_000


def certify(
    rows: Rows,
    target: Target,
    scoring: Scoring,
    *,
    scales: Mapping[str, Scale] | None = None,
    unit: Literal["finding", "answer"] = "finding",
    by: tuple[str, ...] = (),
    unknown: Literal["unverified", "strictest"] = "unverified",
    refused: Sequence[Rows] = (),
    made: str | None = None,
    seed: int = 0,
) -> Certificate:
    """Thresholds that keep the promises, for new sources drawn like these.

    Args:
        rows: labelled; scores are positions in [0, 1] (`scoring.position`), the worst of the detectors.
        target: what is to be promised.
        scoring: where the scores come from.
        scales: of the detectors.
        unit: what a row is.
        by: names of what `rows.groups` is made of.
        unknown: what becomes of answers of no known group.
        refused: data that something was fitted to (an ensemble, a threshold chosen by eye); none of its answers may be in
            `rows`.
        made: the date; default: today.
        seed: of draws.

    Raises:
        InputError: no rows, or data that something was fitted to.
    """
    if not len(rows):
        raise InputError("expected labelled rows, got none: calibrate on answers with labels")
    for other in refused:
        if shared := rows.marks() & other.marks():
            raise InputError(
                f"expected answers that nothing was fitted to, got {len(shared)} of {len(rows.marks())} sources that are in "
                "the refused data too: no promise can rest on them. Calibrate on other sources"
            )
    sizes = {str(name): rows.where(rows.groups == name).names.size for name in np.unique(rows.groups)}
    large = [name for name, size in sizes.items() if not by or (name and size >= FEWEST_SOURCES)]
    error = (1 - target.confidence) / max(1, len(target.promises) * len(large))
    return Certificate(
        confidence=target.confidence,
        by=by,
        unknown=unknown,
        groups=tuple(
            _group(name, rows.where(rows.groups == name), target, unit, error=error, seed=seed)
            for name in large
        ),
        small={name: size for name, size in sizes.items() if name not in large},
        sources=int(rows.names.size),
        rows=len(rows),
        unit=unit,
        unscored=rows.unscored or 0.0,
        labelled=rows.digest(),
        made=made or date.today().isoformat(),  # noqa: DTZ011  # the user's day
        scoring=scoring,
        scales=dict(scales or {}),
        reference=ReferenceScores(scores=() if by else _reference(rows, seed), error=1 - target.confidence),
    )


def _group(name: str, rows: Rows, target: Target, unit: str, *, error: float, seed: int) -> GroupThresholds:
    learned = {promise: learn(rows, promise, error=error, seed=seed) for promise in target.promises}
    flags = {promise: found for promise, found in learned.items() if promise.risk.bounds_flags}
    upper = _lowest_of_all(flags)
    lower = next(
        (
            max(_kept(found), default=None)
            for promise, found in learned.items()
            if promise.risk is Risk.MISSED
        ),
        upper,
    )
    if not flags:
        upper = lower
    if upper is not None and lower is not None:
        lower = min(lower, upper)  # what is flagged does not pass
    return GroupThresholds(
        name=name,
        upper=upper,
        lower=lower,
        sources=int(rows.names.size),
        rows=len(rows),
        reference=_reference(rows, seed) if name else (),
        outcomes=tuple(
            _outcome(promise, found, unit, error, None if at is None else risk_at(rows, promise.risk, at))
            for promise, found in learned.items()
            for at in (upper if promise.risk.bounds_flags else lower,)
        ),
        flagged=0.0 if upper is None else float((rows.scores >= upper).mean()),
        passed=0.0 if lower is None else float((rows.scores < lower).mean()),
    )


def _lowest_of_all(learned: Mapping[Promise, Learned]) -> float | None:
    """The lowest threshold at which all promises about flags are kept.

    Sound rows and answers are flagged less often by a higher threshold, so their promises are kept from their lowest on; a false
    discovery rate is kept only at thresholds that passed.
    """
    floor, rates = -math.inf, []
    for promise, found in learned.items():
        kept = _kept(found)
        if not kept:
            return None
        if promise.risk is Risk.FDR:
            rates.append(kept)
        else:
            floor = max(floor, min(kept))
    if not rates:
        return floor if learned else None
    return min((point for point in rates[0] if point >= floor), default=None)


def _kept(learned: Learned) -> list[float]:
    return [point for point, passed in zip(learned.grid, learned.passed, strict=True) if passed]


def _outcome(promise: Promise, learned: Learned, unit: str, error: float, measured: float | None) -> Outcome:
    kept = [place for place, passed in enumerate(learned.passed) if passed]
    place = None if not kept else kept[-1] if promise.risk.bounds_flags else kept[0]
    return Outcome(
        risk=promise.risk,
        meaning=promise.risk.meaning(unit),
        unit="answer" if promise.risk is Risk.ANSWERS else unit,
        bound=promise.bound,
        share=promise.share,
        tested=learned.bound,
        made_up=learned.made_up,
        error=error,
        threshold=None if place is None else learned.grid[place],
        p_value=None if place is None else learned.p_values[place],
        sources=learned.sources,
        rows=learned.rows,
        test=learned.test,
        needed=learned.needed,
        measured=measured,
    )


def _reference(rows: Rows, seed: int) -> tuple[float, ...]:
    """The score of one random answer of each source, as a guard sees it: the worst of all its findings."""
    answers = rows.by_answer()
    mixed = np.random.default_rng(rows.seed(seed)).permutation(len(answers))
    _, first = np.unique(answers.sources[mixed], return_index=True)
    chosen = answers.worst[mixed[np.sort(first)][:MOST_REFERENCE]]
    scores = np.where(np.isnan(chosen), UNSCORED, np.round(chosen, 6))
    return tuple(scores.tolist())
