"""A guard over many answers: several at once through the same hub, each written down once."""

from __future__ import annotations

import copy
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from guardrail.engine.backend import Backend
from guardrail.engine.budget import Budget
from guardrail.engine.flow import Cost
from guardrail.errors import InputError
from guardrail.evaluation.folder import AnswerPart, Folder, RunCosts
from guardrail.evaluation.inputs import Labelled, Mapped, labelled
from guardrail.evaluation.rows import ResultRow, RunInfo
from guardrail.guard import Guard
from guardrail.report import Finding, Measurement, Report

PARALLEL = 32
"""Answers in flight at once where a model is asked."""


@dataclass(frozen=True, slots=True)
class Job:
    """An answer to examine, and the calls that were set aside for it."""

    item: Labelled
    reserved: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended.

    Attributes:
        examined: answers examined by this process.
        stopped: why it ended early; "" if all is done.
        calls: spent by the run so far.
        tokens: the same.
    """

    examined: int
    stopped: str = ""
    calls: float = 0.0
    tokens: float = 0.0


def is_instant(guard: Guard) -> bool:
    """Whether nothing that can answer takes time: no model, no service."""
    return all(backend.instant for backend in _asked(guard))


def _asked(guard: Guard) -> list[Backend[Any]]:
    return [backend for lane, backend in guard.hub.backends.items() if lane != "compute"]


def run(
    folder: Folder,
    info: RunInfo,
    guard: Guard,
    paths: Sequence[Path],
    *,
    budget: Budget | None = None,
    parallel: int | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> Outcome:
    """Examine what is missing in a folder.

    Args:
        folder: of the run; `info` is its manifest.
        info: what the run is.
        guard: its detectors examine; its policy does nothing.
        paths: of the files in `info.files`.
        budget: of the whole run, what earlier processes spent included.
        parallel: answers in flight at once; default 1 where nothing takes time, else `PARALLEL`.
        progress: called with how many more answers are done.

    Raises:
        KeyboardInterrupt: what was done until then is in the folder.
    """
    instant = is_instant(guard)
    bound = budget or Budget()
    ledger = RunCosts(folder.ledger, calls=bound.calls, tokens=bound.tokens)
    journal = any(backend.paid or not backend.instant for backend in _asked(guard))
    session = _Session(folder, info, guard, ledger, progress, journal=journal)
    try:
        many = parallel or (1 if instant else PARALLEL)
        for one in examined(session.jobs(paths), guard, parallel=many):
            session.done(one)
    finally:
        ledger.close()
    return Outcome(session.count, session.stopped, ledger.calls, ledger.tokens)


class _Session:
    """The parts that are being filled."""

    def __init__(
        self,
        folder: Folder,
        info: RunInfo,
        guard: Guard,
        ledger: RunCosts,
        progress: Callable[[int], None],
        *,
        journal: bool,
    ) -> None:
        self._folder, self._info, self._guard, self._ledger = folder, info, guard, ledger
        self._progress, self._journal = progress, journal
        self._names = [detector.name for detector in guard.detectors]
        self._parts: dict[tuple[str, int], AnswerPart] = {}
        self._rows: dict[str, dict[int, list[ResultRow]]] = {}
        self._whole: set[str] = set()
        self.count = 0
        self.stopped = ""

    def jobs(self, paths: Sequence[Path]) -> Iterator[Job | None]:
        """What is missing, in order; `None` = wait for one in flight, for it may give calls back."""
        mapped = Mapped(self._info.mapping, self._info.groups, self._info.labels)
        missing = self._folder.missing(self._info)
        for path, file in zip(paths, self._info.files, strict=True):
            parts = {part.rows.start: part for part in missing if part.file == file}
            for item in labelled(path, file, mapped, [part.rows for part in parts.values()]):
                part = self._part(item, parts)
                if part.name in self._whole or item.row in self._rows[part.name]:
                    continue
                most = self._guard.estimate(item.case).most if self._ledger.bounded else 0
                while not self._ledger.reserve(most):
                    self.stopped = f"the next answer may need {most:,} calls, and the budget has less"
                    yield None
                self.stopped = ""
                yield Job(item, most)

    def _part(self, item: Labelled, parts: Mapping[int, AnswerPart]) -> AnswerPart:
        """The part of an answer; the first time with what was written down of it."""
        first = item.row - item.row % self._info.part_rows
        part = self._parts.get((item.file, first))
        if part is None:
            part = self._parts[item.file, first] = parts[first]
            self._rows[part.name] = noted = self._folder.noted(part) if self._journal else {}
            self._progress(len(noted))
            self._write_if_whole(part)
        return part

    def done(self, one: Examined) -> None:
        """Write an answer down, and its part if that was the last."""
        job, report = one.job, one.report
        cost = report.cost.total
        self._ledger.settle(job.reserved, cost.calls, cost.tokens)
        item = job.item
        part = self._parts[item.file, item.row - item.row % self._info.part_rows]
        rows = rows_of(item, report, self._names, seconds=one.seconds)
        if self._journal:
            self._folder.note(part, item.row, rows)
        self._rows[part.name][item.row] = rows
        self.count += 1
        self._progress(1)
        self._write_if_whole(part)

    def _write_if_whole(self, part: AnswerPart) -> None:
        held = self._rows[part.name]
        if len(held) == len(part.rows):
            self._folder.write(part, [one for row in sorted(held) for one in held[row]], self._info)
            self._whole.add(part.name)
            del self._rows[part.name]


@dataclass(frozen=True, slots=True)
class Examined:
    """An answer that was examined.

    Attributes:
        job: the answer.
        report: what was found.
        seconds: its share of the time by the clock, which is divided evenly between the answers in flight: the shares of a run
            add up to the time that the run takes.
    """

    job: Job
    report: Report
    seconds: float


def examined(jobs: Iterable[Job | None], guard: Guard, *, parallel: int) -> Iterator[Examined]:
    """Reports as they come, with at most so many answers in flight. `None` among the jobs waits for one of them.

    Raises:
        Exception: what a check raised.
    """
    if parallel == 1:
        for job in jobs:
            if job is None:
                return
            report = _checked(guard, job)
            yield Examined(job, report, report.cost.wall_seconds)
        return
    crew = _Crew(guard, parallel)
    try:
        for job in jobs:
            if job is None:
                if not crew.busy:
                    return
                yield crew.next()
                continue
            while crew.busy >= parallel:
                yield crew.next()
            crew.put(job)
        while crew.busy:
            yield crew.next()
    finally:
        crew.close()


class _Crew:
    """Threads that examine; daemons, so that one that hangs holds up no exit."""

    def __init__(self, guard: Guard, size: int) -> None:
        self._guard, self._size = guard, size
        self._threads: list[threading.Thread] = []
        self._inbox: queue.SimpleQueue[tuple[Job, float] | None] = queue.SimpleQueue()
        self._outbox: queue.SimpleQueue[tuple[Job, float, Report | BaseException]] = queue.SimpleQueue()
        self.busy = 0
        self._share, self._looked = 0.0, time.perf_counter()

    def put(self, job: Job) -> None:
        """Have an answer examined."""
        begun = self._shared()
        self.busy += 1
        if len(self._threads) < min(self.busy, self._size):
            thread = threading.Thread(target=self._work, name="guardrail-evaluate", daemon=True)
            self._threads.append(thread)
            thread.start()
        self._inbox.put((job, begun))

    def next(self) -> Examined:
        """The next that is done."""
        job, begun, found = self._outbox.get()
        share = self._shared() - begun
        self.busy -= 1
        if isinstance(found, BaseException):
            raise found
        return Examined(job, found, share)

    def _shared(self) -> float:
        """The seconds that one answer would have been given, had it been in flight from the start."""
        now = time.perf_counter()
        if self.busy:
            self._share += (now - self._looked) / self.busy
        self._looked = now
        return self._share

    def close(self) -> None:
        """Send everybody home."""
        for _ in self._threads:
            self._inbox.put(None)

    def _work(self) -> None:
        while (given := self._inbox.get()) is not None:
            job, begun = given
            try:
                found: Report | BaseException = _checked(self._guard, job)
            except Exception as error:  # noqa: BLE001  # raised where it is waited for
                found = error
            self._outbox.put((job, begun, found))


def _checked(guard: Guard, job: Job) -> Report:
    if job.reserved:  # the guard itself, but for what this answer may spend
        own, guard = guard.budget, copy.copy(guard)
        calls = job.reserved if own is None or own.calls is None else min(job.reserved, own.calls)
        guard.budget = replace(own or Budget(), calls=calls)
    try:
        return guard.check(job.item.case)
    except InputError as error:
        error.add_note(f"answer {job.item.row + 1}")
        raise


def rows_of(item: Labelled, report: Report, names: Sequence[str], *, seconds: float) -> list[ResultRow]:
    """The rows of one answer: by detector, in the order of the guard; see `Examined.seconds`."""
    by_detector: dict[str, list[Finding]] = {name: [] for name in names}
    for finding in report.findings:
        by_detector.setdefault(finding.detector, []).append(finding)
    failures = {failure.detector: failure for failure in report.failures}
    notes = set(map(id, report.notes))
    found: list[ResultRow] = []
    for name, findings in by_detector.items():
        nothing = ResultRow(
            file=item.file,
            row=item.row,
            source=item.source,
            detector=name,
            finding=-1,
            start=None,
            end=None,
            text="",
            score=None,
            verdict=None,
            word="",
            reason="nothing in this answer to examine",
            label=None,
            answer_label=item.labels.whole,
            groups=item.groups,
        )
        said = [finding for finding in findings if id(finding) not in notes]
        rows = [_row(nothing, item, number, finding) for number, finding in enumerate(said)]
        if failure := failures.get(name):
            reason = f"the detector could not finish: {failure.reason} {failure.detail}".rstrip()
            rows.append(replace(nothing, verdict="unverified", reason=reason))
        first, *rest = rows or [nothing]
        cost = report.cost.alone.get(name, Cost())
        figures = {
            f"{one.name} ({one.note})" if one.note else one.name: one.value
            for finding in report.notes
            for one in finding.evidence
            if finding.detector == name and isinstance(one, Measurement) and one.value is not None
        }
        first = replace(first, figures=figures, calls=cost.calls, tokens=float(cost.tokens), seconds=seconds)
        found += [first, *rest]
    return found


def _row(nothing: ResultRow, item: Labelled, number: int, finding: Finding) -> ResultRow:
    start, end = (None, None) if finding.span is None else (finding.span.start, finding.span.end)
    return replace(
        nothing,
        finding=number,
        start=start,
        end=end,
        text=finding.text if start is None else item.case.answer[start:end],
        score=finding.score,
        verdict=None if finding.verdict is None else finding.verdict.value,
        word=finding.label,
        reason=finding.reason,
        label=item.labels.of(start, end),
    )
