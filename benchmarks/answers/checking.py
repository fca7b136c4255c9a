"""Answers checked by the detector as a user gets it; what its model said of a pair once is read from a file after that."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks._data import cache_root
from guardrail import Cache, Case, Guard, Report, Verdict
from guardrail.detectors import SelfCheck
from guardrail.report import Measurement
from guardrail.selfcheck.grounding.check import ANSWER

__all__ = ["Found", "cache_file", "check", "found", "opened"]

_AT_ONCE = 32  # answers: their pairs share the model's batches


@dataclass(frozen=True, slots=True)
class Found:
    """What a check said of an answer.

    Attributes:
        verdict: of the report; `None` = there is nothing to check.
        score: P(not supported) of the whole; `None` = it has none.
    """

    verdict: Verdict | None
    score: float | None


def cache_file() -> Path:
    """Where replies are kept: `$GUARDRAIL_ANSWERS_REPLIES`, or in the user's cache."""
    given = os.environ.get("GUARDRAIL_ANSWERS_REPLIES")
    return Path(given) if given else cache_root().parent / "answers" / "replies.sqlite"


def opened(cache: Cache | None = None, *, fit: str = "auto") -> Guard:
    """A guard with the packaged detector, by one of its fits."""
    return Guard([SelfCheck("grounding", fit=fit)], cache=cache)


def check(
    guard: Guard, cases: Sequence[Case], say: Callable[[str], None] = lambda _: None
) -> Iterator[Report]:
    """The reports of cases, in order."""
    with asyncio.Runner() as runner:
        for start in range(0, len(cases), _AT_ONCE):
            part = cases[start : start + _AT_ONCE]
            yield from runner.run(_together(guard, part))
            say(f"{start + len(part)} of {len(cases)} answers checked")


async def _together(guard: Guard, cases: Sequence[Case]) -> list[Report]:
    return await asyncio.gather(*map(guard.acheck, cases))


def found(report: Report) -> Found:
    """The verdict, and the score by which answers are ranked."""
    evidence = (one for finding in report.findings for one in finding.evidence)
    whole = [one.value for one in evidence if isinstance(one, Measurement) and one.name == ANSWER]
    scores = [one for one in (whole or [one.score for one in report.findings]) if one is not None]
    return Found(report.verdict, max(scores, default=None))
