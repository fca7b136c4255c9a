"""The examination of one answer: all detectors side by side, and what they find checked."""

from __future__ import annotations

import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import GeneratorType
from typing import Any

from guardrail.detector import Detector
from guardrail.engine.budget import Budget, Ledger
from guardrail.engine.flow import Branch, Failed, Flow, gather
from guardrail.engine.run import Memo
from guardrail.policies import Review
from guardrail.report import Case, DetectorFailure, Finding

__all__ = ["Tally", "ahead", "examine", "sharing"]


def examine(detectors: Sequence[Detector], case: Case) -> Flow[Review]:
    """All detectors side by side; those that need samples wait only for who provides them."""
    watch = _Watch()
    giver, takers = sharing(detectors, case)
    others = [d for d in detectors if d not in takers]
    branches = [_branch(d, case, watch) for d in others]
    if giver is not None and takers:
        branches.append(Branch(_shared(giver, takers, case, watch)))
    results = yield from gather(branches)
    outcomes: list[tuple[str, Any]] = [(d.name, r) for d, r in zip(others, results, strict=False)]
    if takers:
        shared = results[-1]
        outcomes += [(d.name, shared) for d in takers] if isinstance(shared, Failed) else shared
    return _review(case, outcomes, watch.elapsed)


def ahead(detectors: Sequence[Detector], case: Case) -> Flow[None]:
    """What detectors ask before there is an answer; a failure is no finding: it will be asked again."""
    yield from gather(Branch(d.ahead(case), owner=d.name, seconds=d.deadline) for d in detectors)


@dataclass(slots=True)
class Tally:
    """What the examinations of one answer have in common that is examined while it is being written.

    Attributes:
        memo: replies; no request is paid for twice.
        ledger: the bill of all of them.
        left: of the budget; `None` before the first.
        seconds: spent examining.
    """

    memo: Memo = field(default_factory=dict)
    ledger: Ledger = field(default_factory=Ledger)
    left: Budget | None = None
    seconds: float = 0.0


class _Watch:
    """When each detector was done. They run beside each other, so their times do not add up."""

    def __init__(self) -> None:
        self.elapsed: dict[str, float] = {}
        self._began = time.perf_counter()

    def stop(self, detector: str) -> None:
        self.elapsed[detector] = time.perf_counter() - self._began


def sharing(detectors: Sequence[Detector], case: Case) -> tuple[Detector | None, list[Detector]]:
    """Who provides samples, and who takes them in place of its own; nobody where the case brings some."""
    giver = None if case.samples else next((d for d in detectors if d.provides), None)
    return giver, [d for d in detectors if giver is not None and d.needs & giver.provides]


def _shared(
    giver: Detector, takers: Sequence[Detector], case: Case, watch: _Watch
) -> Flow[list[tuple[str, Any]]]:
    """Those that need samples, once the one that provides them has; its failure is told, not theirs."""
    branch = Branch(_offered(giver, case), owner=giver.name, seconds=giver.deadline)
    (offered,) = yield from gather([branch])
    outcomes: list[tuple[str, Any]] = []
    if isinstance(offered, Failed):
        outcomes.append((giver.name, offered))
    elif offered:
        case = case.model_copy(update={"samples": offered})
    results = yield from gather(_branch(taker, case, watch) for taker in takers)
    return [*outcomes, *zip([d.name for d in takers], results, strict=True)]


def _branch(detector: Detector, case: Case, watch: _Watch) -> Branch[Any]:
    return Branch(_timed(detector, case, watch), owner=detector.name, seconds=detector.deadline)


def _timed(detector: Detector, case: Case, watch: _Watch) -> Flow[list[Finding]]:
    try:
        return (yield from _examined(detector, case))
    finally:
        watch.stop(detector.name)


def _examined(detector: Detector, case: Case) -> Flow[list[Finding]]:
    """A detector's findings, if they are what it promises."""
    flow = detector.examine(case)
    if not isinstance(flow, GeneratorType):
        raise TypeError(
            f"expected examine of {detector.name!r} to be a generator, got {type(flow).__name__}; "
            "without requests it still says `yield from ()`"
        )
    findings = yield from flow
    checked = []
    for finding in findings:
        span, scale = finding.span, detector.scale
        if span is not None and span.end > len(case.answer):
            raise ValueError(f"a span must lie in the answer of {len(case.answer)} characters, got {span!r}")
        if finding.score is not None and not (
            (scale.least is None or finding.score >= scale.least)
            and (scale.most is None or finding.score <= scale.most)
        ):
            raise ValueError(f"a score must lie in {scale.least}..{scale.most}, got {finding.score!r}")
        checked.append(
            finding if finding.detector else finding.model_copy(update={"detector": detector.name})
        )
    return checked


def _offered(giver: Detector, case: Case) -> Flow[tuple[str, ...]]:
    """A detector's samples, if they are what it promises."""
    samples: Any = yield from giver.offer(case)
    if isinstance(samples, str) or not all(isinstance(sample, str) for sample in samples):
        raise TypeError(f"a detector offers a tuple of texts, got {samples!r}")
    return tuple(samples)


def _review(case: Case, outcomes: Sequence[tuple[str, Any]], elapsed: dict[str, float]) -> Review:
    findings: list[Finding] = []
    failures: list[DetectorFailure] = []
    for name, outcome in outcomes:
        if isinstance(outcome, Failed):
            failures.append(_failed(name, outcome))
        else:
            findings += outcome
    findings.sort(key=lambda f: (f.span.start, f.span.end) if f.span else (len(case.answer) + 1, 0))
    return Review(case, tuple(findings), tuple(failures), elapsed)


def _failed(name: str, failed: Failed) -> DetectorFailure:
    trace = "" if failed.error is None else "".join(traceback.format_exception(failed.error))
    return DetectorFailure(detector=name, reason=failed.reason, detail=failed.detail, traceback=trace)
