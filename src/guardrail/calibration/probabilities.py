"""A detector's scores as probabilities on your own answers: a curve per detector, learnt from your labels, as a JSON file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from guardrail.calibration.rows import Rows
from guardrail.calibration.scoring import Scoring, position
from guardrail.calibration.stored import Model, StoredModel
from guardrail.errors import InputError
from guardrail.report import Finding, Measurement, Scale
from guardrail.statistics.calibration import LogisticCalibration
from guardrail.statistics.curves import Curve, IsotonicCalibration, choose_curve

NAME = "P(made up), by your labels"
"""The measurement that a guard adds to findings."""
FEWEST = 20
EDGE = 1e-4


class DetectorCurve(Model):
    """The curve of one detector. Its input is the log-odds of a score's position in the detector's scale.

    Attributes:
        kind: "logistic" (slope and intercept) or "isotonic" (points).
        slope: of the log-odds, 0 or more; of a logistic curve.
        intercept: in log-odds; of a logistic curve.
        scores: of the points, ascending; of an isotonic curve.
        values: P at the points.
        losses: log loss per row on held-out sources, by kind of curve; "constant" is the share of made-up rows.
        unit: what the probability is about: a finding, or an answer by the worst of its findings.
        sources: with labels.
        rows: with labels and scores.
        share: of the rows made up.
    """

    kind: Literal["logistic", "isotonic"]
    slope: float = Field(default=0.0, ge=0)
    intercept: float = 0.0
    scores: tuple[float, ...] = ()
    values: tuple[float, ...] = ()
    losses: dict[str, float] = Field(default_factory=dict)
    unit: Literal["finding", "answer"] = "finding"
    sources: int
    rows: int
    share: float

    @classmethod
    def learn(cls, rows: Rows, *, unit: Literal["finding", "answer"] = "finding") -> DetectorCurve:
        """From the labelled rows of one detector; `rows.scores` are positions in [0, 1].

        Raises:
            InputError: fewer than 20 rows have a score, or one kind of label is absent.
            MissingExtra: scikit-learn is not installed.
        """
        known = rows.where(np.isfinite(rows.scores))
        if len(known) < FEWEST:
            raise InputError(
                f"expected {FEWEST} labelled scores or more, got {len(known)}: label more answers"
            )
        odds = [_log_odds(place) for place in known.scores.tolist()]
        chosen = choose_curve(odds, known.made_up, known.sources)
        shape = {
            name: value
            for name in ("slope", "intercept", "scores", "values")
            if (value := getattr(chosen.curve, name, None)) is not None
        }
        return cls(
            kind=chosen.kind,
            losses=dict(chosen.losses),
            unit=unit,
            sources=int(known.names.size),
            rows=len(known),
            share=float(known.made_up.mean()),
            **shape,
        )

    @property
    def curve(self) -> Curve:
        """As a function of log-odds."""
        if self.kind == "isotonic":
            return IsotonicCalibration(self.scores, self.values)
        return LogisticCalibration(self.slope, self.intercept)

    def probability(self, place: float) -> float:
        """P(made up), in (0, 1), of a position in [0, 1]."""
        return self.curve.probability(_log_odds(place))

    def line(self) -> str:
        """One line for a person."""
        kind = (
            f"slope {self.slope:.3g}, intercept {self.intercept:.3g}"
            if self.kind == "logistic"
            else f"isotonic, {len(self.scores)} points"
        )
        better = self.losses["constant"] - self.losses[self.kind] if "constant" in self.losses else 0.0
        value = "better than" if better > 0 else "no better than"
        return (
            f"{kind}; {self.rows} {self.unit}s of {self.sources} sources, {self.share:.0%} made up; log loss on other sources "
            f"{self.losses.get(self.kind, math.nan):.3f}, {value} the share alone ({self.losses.get('constant', math.nan):.3f})"
        )


class Probabilities(StoredModel):
    """Curves for one way of scoring: a guard that scores otherwise refuses them.

    Attributes:
        curves: by detector.
        scales: of the detectors.
        scoring: what the scores come from.
        made: the date, ISO 8601.
        form: version of this form.
    """

    KIND: ClassVar = "a file of probabilities"
    COMMAND: ClassVar = "guardrail calibrate RUN --probabilities FILE"

    curves: dict[str, DetectorCurve]
    scales: dict[str, Scale]
    scoring: Scoring
    made: str
    form: Literal[1] = 1

    def of(self, detector: str, score: float) -> float | None:
        """P(made up) of a score of a detector; `None` = there is no curve for it."""
        curve = self.curves.get(detector)
        return None if curve is None else curve.probability(position(score, self.scales[detector]))

    def added(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """The findings with their probability as a measurement. Scores and verdicts stay as they are."""
        worst: dict[str, float] = {}
        for one in findings:
            if one.score is not None:
                worst[one.detector] = max(one.score, worst.get(one.detector, -math.inf))
        return tuple(self._added(one, worst) for one in findings)

    def _added(self, finding: Finding, worst: Mapping[str, float]) -> Finding:
        curve = self.curves.get(finding.detector)
        if curve is None or finding.score is None:
            return finding
        whole = curve.unit == "answer"
        if whole and finding.score < worst[finding.detector]:
            return finding
        value = curve.probability(position(finding.score, self.scales[finding.detector]))
        note = "that something in the answer is made up" if whole else "of this finding"
        measured = Measurement(name=NAME, value=value, note=note)
        return finding.model_copy(update={"evidence": (*finding.evidence, measured)})

    def only(self, detectors: Sequence[str]) -> Probabilities:
        """The curves of some detectors, for a guard that has no others."""
        kept = {name: line for name, line in self.scoring.detectors.items() if name in detectors}
        return self.model_copy(
            update={
                "curves": {name: curve for name, curve in self.curves.items() if name in detectors},
                "scoring": self.scoring.model_copy(update={"detectors": kept}),
            }
        )

    def text(self) -> str:
        """For a person: a line per detector."""
        return "\n".join(f"{name}: {curve.line()}" for name, curve in self.curves.items())


def learn_probabilities(
    rows: Mapping[str, tuple[Rows, Literal["finding", "answer"]]],
    scoring: Scoring,
    *,
    scales: Mapping[str, Scale],
) -> Probabilities:
    """A curve for each detector.

    Args:
        rows: by detector its labelled rows, scores as positions in [0, 1], and what a row is.
        scoring: where the scores come from.
        scales: of the detectors.

    Raises:
        InputError: a detector has too few labels.
        MissingExtra: scikit-learn is not installed.
    """
    curves = {}
    for name, (found, unit) in rows.items():
        try:
            curves[name] = DetectorCurve.learn(found, unit=unit)
        except InputError as error:
            raise InputError(f"{name}: {error}") from error
    return Probabilities(
        curves=curves,
        scales=dict(scales),
        scoring=scoring,
        made=date.today().isoformat(),  # noqa: DTZ011  # the user's day
    )


def _log_odds(place: float) -> float:
    inner = min(1 - EDGE, max(EDGE, place))
    return math.log(inner / (1 - inner))
