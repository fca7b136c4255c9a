"""The certificate: what was promised, on which data, for which scoring, and the thresholds that keep it."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from guardrail.calibration.promises import Risk
from guardrail.calibration.scoring import Scoring, score_at
from guardrail.calibration.stored import Model, StoredModel
from guardrail.report import Scale
from guardrail.statistics.testing import fewest_sources


class Outcome(Model):
    """What came of one promise in one group.

    Attributes:
        risk: which error.
        meaning: what is counted, in words.
        unit: "finding" or "answer".
        weighting: how means are taken.
        bound: the largest mean permitted.
        error: the share of 1 − confidence that this test may use.
        threshold: the one that keeps the promise and flags (or passes) most; `None` = none does.
        p_value: at it; `None` without one.
        sources: tested for it, each counting once.
        rows: of these sources.
        test: "betting" on means of sources, or "binomial" where every source has one row.
        needed: about how many sources to label in all where none qualifies, for two chances in three; `None` = these do not say.
        share: `fdr` is also promised where fewer rows are made up, down to this share; `None` = only for the calibration's share.
        tested: the bound among the calibration's rows; smaller than `bound` for a smaller share. `None` = `bound`.
        made_up: an upper limit of the calibration's share made up, from which `tested` comes; `None` without `share`.
        measured: the risk on the labelled rows themselves, at the thresholds of the group; `None` = nothing is flagged (or passes), or
            there is no row that it is a share of. An estimate, not what is promised.
    """

    risk: Risk
    meaning: str
    unit: str
    weighting: str = "each source counts once"
    bound: float
    error: float
    threshold: float | None
    p_value: float | None
    sources: int
    rows: int
    test: Literal["betting", "binomial"]
    needed: int | None = None
    share: float | None = None
    tested: float | None = None
    made_up: float | None = None
    measured: float | None = None

    def line(self) -> str:
        """One line for a person."""
        head = f"{self.risk} ≤ {self.bound:g}"
        if self.share is not None and self.tested is not None:
            head += f" where {self.share:.0%} or more are made up (here ≤ {self.tested:.3g})"
        if self.threshold is not None:
            seen = "" if self.measured is None else f"measured {self.measured:.3g}, "
            rows = f"{self.sources} sources, {self.rows} {self.unit}s"
            return f"{head}: kept at {self.threshold:.4f} ({seen}p = {self.p_value:.2g}, {rows})"
        if self.needed is None:
            fewest = fewest_sources(
                self.bound if self.tested is None else self.tested, self.error, test=self.test
            )
            if self.sources < fewest:
                return f"{head}: not shown: even without a single error {fewest} tested sources or more are needed, and there are {self.sources}"
            return f"{head}: not shown: at no threshold is the risk of the {self.sources} tested sources far enough below the bound for more like these to show it"
        return f"{head}: not shown with {self.sources} tested sources; about {self.needed} in all would be needed"


class GroupThresholds(Model):
    """The thresholds of one group, as positions in [0, 1] of the detectors' scales.

    Attributes:
        name: of the group; "" = all answers.
        upper: flagged from this position on; `None` = nothing is flagged.
        lower: passes below this position; `None` = nothing passes.
        sources: in the group.
        rows: in the group.
        outcomes: of each promise.
        flagged: share of the labelled rows that these thresholds flag.
        passed: share of them that pass; the others are unverified.
        reference: what live scores of this group are compared with, as in `ReferenceScores`; empty without groups.
    """

    name: str = ""
    upper: float | None
    lower: float | None
    sources: int
    rows: int
    outcomes: tuple[Outcome, ...]
    flagged: float | None = None
    passed: float | None = None
    reference: tuple[float, ...] = ()

    def shares(self, unit: str) -> str:
        """What becomes of the labelled rows, for a person."""
        if self.flagged is None or self.passed is None:
            return ""
        left = max(0.0, 1 - self.flagged - self.passed)
        return f"of these {unit}s {self.flagged:.0%} are flagged, {self.passed:.0%} pass, {left:.0%} are unverified"


class ReferenceScores(Model):
    """What live scores are compared with.

    Attributes:
        scores: the worst position of one answer per source; -1 = nothing could be scored.
        error: the chance of a false alarm, ever.
    """

    scores: tuple[float, ...] = ()
    error: float = Field(default=0.05, gt=0, lt=1)


class Certificate(StoredModel):
    """Thresholds with a promise, for one way of scoring.

    The promise: for new sources drawn like those calibrated on, all risks are within their bounds, with probability `confidence`
    over the calibration's sources. It covers the guard's flag (the worst of its detectors) on first answers: not what
    regenerate kept, not another model, policy or number of samples.

    Attributes:
        confidence: that all promises of all groups are kept.
        by: what groups are made of, as columns of the labelled data.
        unknown: what becomes of an answer of no known group: "unverified", or judged by the "strictest" thresholds.
        groups: with their thresholds.
        small: groups with too few sources for thresholds of their own, by their number of sources.
        sources: in all.
        rows: in all.
        unit: what a row is.
        unscored: share of rows without a score. They count as abstained: neither flagged nor passed.
        labelled: digest of the labelled data.
        made: the date, ISO 8601.
        scoring: what it is for.
        scales: of the detectors.
        reference: what live scores are compared with, where there are no groups.
        form: version of this form.
    """

    KIND: ClassVar = "a certificate"
    COMMAND: ClassVar = "guardrail calibrate RUN --target fdr=0.1 --out FILE"

    confidence: float = Field(gt=0, lt=1)
    by: tuple[str, ...] = ()
    unknown: Literal["unverified", "strictest"] = "unverified"
    groups: tuple[GroupThresholds, ...]
    small: dict[str, int] = Field(default_factory=dict)
    sources: int
    rows: int
    unit: Literal["finding", "answer"] = "finding"
    unscored: float
    labelled: str
    made: str
    scoring: Scoring
    scales: dict[str, Scale] = Field(default_factory=dict)
    reference: ReferenceScores = ReferenceScores()
    form: Literal[1] = 1

    def group(self, name: str) -> GroupThresholds | None:
        """The thresholds of a group, or `None`."""
        return next((group for group in self.groups if group.name == name), None)

    @property
    def strictest(self) -> GroupThresholds | None:
        """The lowest thresholds of all groups: what flags most and passes least; `None` without groups."""
        if not self.groups:
            return None
        uppers = [group.upper for group in self.groups if group.upper is not None]
        lowers = [group.lower for group in self.groups]
        return GroupThresholds(
            name="strictest",
            upper=min(uppers, default=None),
            lower=None if None in lowers else min(lower for lower in lowers if lower is not None),
            sources=self.sources,
            rows=self.rows,
            outcomes=(),
        )

    def text(self) -> str:
        """For a person: every promise, group by group."""
        head = f"{self.sources} sources, {self.rows} {self.unit}s; confidence {self.confidence:g} for all promises together"
        lines = [head, f"{self.unscored:.1%} of the {self.unit}s have no score and count as unverified"]
        for group in self.groups:
            flags = (
                "nothing is flagged" if group.upper is None else f"flagged from {self._point(group.upper)} on"
            )
            passes = "nothing passes" if group.lower is None else f"passes below {self._point(group.lower)}"
            lines.append(f"{group.name or 'all answers'}: {flags}, {passes}")
            if shares := group.shares(self.unit):
                lines.append(f"  {shares}")
            lines += [f"  {outcome.line()}" for outcome in group.outcomes]
        lines += [
            f"{name}: only {count} sources, no thresholds"
            if name
            else f"{count} sources in no group: no thresholds"
            for name, count in self.small.items()
        ]
        return "\n".join(lines)

    def _point(self, place: float) -> str:
        """A position, and the score of each detector there."""
        scores = [
            f"{name} {score_at(place, scale):.4g}" for name, scale in self.scales.items() if 0 < place < 1
        ]
        return f"{place:.4f} ({', '.join(scores)})" if scores else f"{place:.4f}"
