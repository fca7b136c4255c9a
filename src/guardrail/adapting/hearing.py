"""Several texts that a guard examines, each for itself; and which of them may be shown, as of reasoning."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Generic, TypeAlias, TypeVar

from guardrail._log import log
from guardrail.guard import Guard
from guardrail.report import Action, Case, Report

Name = TypeVar("Name", bound=Hashable)
Reports: TypeAlias = dict[Name, Report | Exception]
"""The report on each of some texts, or why it could not be examined."""


@dataclass(frozen=True)
class Heard(Generic[Name]):
    """What was examined.

    Attributes:
        calls: paid model calls of each examination, by the name of its text.
        passed: names of the texts that may be shown.
    """

    calls: Mapping[Name, float] = field(default_factory=dict)
    passed: frozenset[Name] = frozenset()

    @classmethod
    def of(cls, guard: Guard, reports: Reports[Name]) -> Heard[Name]:
        """Which texts the guard's policy would show as they are. Nobody is asked to think again: that would be another answer."""
        harmless = {Action.PASS} if guard.policy.asks_again else {Action.PASS, Action.FLAG}
        calls, passed = {}, set()
        for name, report in reports.items():
            if isinstance(report, Exception):
                note_failure(report)
                continue
            calls[name] = report.cost.detectors.calls
            shown = report.decision.action in harmless and report.answer == report.case.answer
            if shown and not report.failures:
                passed.add(name)
        return cls(calls, frozenset(passed))


def checked(
    guard: Guard,
    cases: Iterable[tuple[Name, Case]],
    apart: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Reports[Name]:
    """Examine texts, each with a name.

    Args:
        guard: examines them.
        cases: the texts.
        apart: entered while the guard works: what it asks is no part of the application's run.
    """
    found: Reports[Name] = {}
    for name, case in cases:
        try:
            with apart():
                found[name] = guard.check(case)
        except Exception as error:  # noqa: BLE001  # whoever asked says what becomes of the text
            found[name] = error
    return found


async def achecked(
    guard: Guard,
    cases: Iterable[tuple[Name, Case]],
    apart: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Reports[Name]:
    """As `checked`."""
    found: Reports[Name] = {}
    for name, case in cases:
        try:
            with apart():
                found[name] = await guard.acheck(case)
        except Exception as error:  # noqa: BLE001  # as above
            found[name] = error
    return found


def note_failure(error: Exception | None, what: str = "") -> str:
    """Log that a text could not be examined, and nothing of the text.

    Returns:
        The name of the error, or what was there instead of a text.
    """
    name = type(error).__name__ if error else f"expected text, got {what}"
    frames = traceback.extract_tb(error.__traceback__) if error else []
    where = f"{PurePath(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    log.error("guard_failed", error=name, where=where)
    return name
