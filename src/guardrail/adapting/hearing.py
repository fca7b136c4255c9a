"""Reasoning that a guard examines as a text of its own: which of several may be shown."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import PurePath

from guardrail._log import log
from guardrail.guard import Guard
from guardrail.report import Action, Case, Report


@dataclass(frozen=True)
class Heard:
    """What was examined.

    Attributes:
        calls: paid model calls of each examination, by the name of its text.
        passed: names of the texts that may be shown.
    """

    calls: Mapping[Hashable, float] = field(default_factory=dict)
    passed: frozenset[Hashable] = frozenset()


class Hearing:
    """Examines texts and says which of them the policy would show as they are.

    Args:
        guard: examines them.
        apart: entered while the guard works: what it asks is no part of the application's run.
    """

    def __init__(
        self, guard: Guard, *, apart: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> None:
        self._guard = guard
        self._apart = apart

    def heard(self, cases: Iterable[tuple[Hashable, Case]]) -> Heard:
        """Examine texts, each with a name; one that cannot be examined may not be shown."""
        reports: dict[Hashable, Report] = {}
        for name, case in cases:
            try:
                with self._apart():
                    reports[name] = self._guard.check(case)
            except Exception as error:  # noqa: BLE001  # reasoning that nobody could examine is not shown
                note_failure(error)
        return self._of(reports)

    async def aheard(self, cases: Iterable[tuple[Hashable, Case]]) -> Heard:
        """As `heard`."""
        reports: dict[Hashable, Report] = {}
        for name, case in cases:
            try:
                with self._apart():
                    reports[name] = await self._guard.acheck(case)
            except Exception as error:  # noqa: BLE001  # as above
                note_failure(error)
        return self._of(reports)

    def _of(self, reports: Mapping[Hashable, Report]) -> Heard:
        calls = {name: report.cost.detectors.calls for name, report in reports.items()}
        return Heard(calls, frozenset(name for name, report in reports.items() if self._passes(report)))

    def _passes(self, report: Report) -> bool:
        """Whether the policy would show a text as it is. Nobody is asked to think again: that would be another answer."""
        harmless = {Action.PASS} if self._guard.policy.asks_again else {Action.PASS, Action.FLAG}
        return (
            report.decision.action in harmless and not report.failures and report.answer == report.case.answer
        )


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
