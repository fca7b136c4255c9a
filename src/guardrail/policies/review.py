"""One examined answer before anything is decided, and which of several is best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from statistics import fmean

from guardrail.report import Case, DetectorFailure, Finding, Verdict, worst
from guardrail.text.language import language


@dataclass(frozen=True)
class Review:
    """One examined answer, before anything is decided.

    Attributes:
        case: what was examined.
        findings: in the order of the answer.
        failures: detectors that could not finish.
        elapsed: per detector, seconds from the start of the examination until it was done.
        said_in: the language that the answer is known to be in, as a code of ISO 639-1; `None` = not looked at yet.
    """

    case: Case
    findings: tuple[Finding, ...] = ()
    failures: tuple[DetectorFailure, ...] = ()
    elapsed: Mapping[str, float] = field(default_factory=dict)
    said_in: str | None = None

    @cached_property
    def language(self) -> str:
        """The language of the answer; of a short one, that of the question."""
        if self.said_in is not None:
            return self.said_in
        return language(self.case.answer, hint=language(self.case.question))

    @property
    def verdict(self) -> Verdict | None:
        """The worst over findings and failures; `None` if there was nothing to examine."""
        found = [finding.verdict for finding in self.findings]
        return worst([*found, Verdict.UNVERIFIED] if self.failures else found)

    @cached_property
    def counts(self) -> Counter[Verdict | None]:
        """How many findings have each verdict; a failed detector counts as one that is unverified."""
        counts = Counter(finding.verdict for finding in self.findings)
        counts[Verdict.UNVERIFIED] += len(self.failures)
        return counts


def rank(review: Review) -> tuple[int, int, bool, float]:
    """A key for the best of several attempts; smaller is better, and of equals the earlier one is kept.

    Fewest findings that are not supported: one that could not be checked (the budget or the time was up) weighs
    as much as one found wrong, or an attempt that nobody examined would win. Of those, fewest unsupported; then
    the lowest mean score (an attempt in which nothing could be scored comes after those with a score).
    """
    scores = [finding.score for finding in review.findings if finding.score is not None]
    mean = fmean(scores) if scores else 0.0
    counts = review.counts
    wrong = counts[Verdict.UNSUPPORTED]
    return wrong + counts[Verdict.UNVERIFIED], wrong, not scores, mean


def better(a: Review, b: Review) -> bool:
    """Whether attempt `a` is better than `b`; `False` for equals."""
    return rank(a) < rank(b)
