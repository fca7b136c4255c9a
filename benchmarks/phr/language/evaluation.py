"""The grid: PHR, MHR, error rate, entropy and mutual information of every (task, n, set)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from benchmarks.phr.language.cells import Found, Point, Store, key
from benchmarks.phr.language.tasks import Cell, Rows, draw
from guardrail.engine.backend import Backend
from guardrail.engine.drivers import run_sync
from guardrail.engine.flow import Failed, Flow, one
from guardrail.engine.hub import Hub
from guardrail.engine.run import Run as Scheduled
from guardrail.errors import InputError
from guardrail.phr import Query, Settings, error_rates, model_hallucination_rates, survey
from guardrail.phr.flows import Measured, Survey
from guardrail.phr.pairs import Form
from guardrail.requests import Distribution

__all__ = ["EPSILONS", "Plan", "evaluate", "measure"]

EPSILONS = (0.05, 0.1, 0.25, 0.5, 0.75)
"""Of the likely set: .05 is that of MHR in the paper's figures, .75 that of the error rate."""

Tell = Callable[[int, str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured.

    Attributes:
        tasks: rows by task, without those that are too long.
        sizes: n.
        sets: training sets per task and n.
        tests: queries per training set.
        settings: M, N − n, the estimator, K; its ε is replaced by each of `epsilons`.
        epsilons: each.
    """

    tasks: Sequence[Rows]
    sizes: Sequence[int] = (2, 4, 8, 16, 32)
    sets: int = 50
    tests: int = 10
    settings: Settings = Settings(contexts=10, horizon=5, draws=50)
    epsilons: Sequence[float] = EPSILONS

    def cells(self) -> Iterator[Cell]:
        """Set by set, so that a grid that is not whole is even."""
        for seed in range(self.sets):
            for n in self.sizes:
                for rows in self.tasks:
                    yield draw(rows, n=n, seed=seed, horizon=self.settings.horizon, tests=self.tests)

    def keys(self, backend: Backend[Any]) -> Iterator[tuple[Cell, str]]:
        """The same with the names under which they are stored: of all that their numbers depend on."""
        how = {
            "revision": 1,
            "model": backend.fingerprint,
            "settings": asdict(self.settings),
            "epsilons": list(self.epsilons),
        }
        labels = self.labels()
        for cell in self.cells():
            yield cell, key(cell, {**how, "labels": sorted(labels[cell.task])})

    def labels(self) -> dict[str, frozenset[str]]:
        """By task."""
        return {rows.task: frozenset(row.label for row in rows.asked) for rows in self.tasks}


def evaluate(
    plan: Plan, backend: Backend[Any], store: Store, *, tell: Tell = lambda _done, _words: None
) -> list[Found]:
    """Every cell of the plan, in its order: those that are done from the store, the others measured and stored.

    Raises:
        InputError: a task has too few rows, or a cell failed as a whole.
    """
    labels = plan.labels()
    cells = list(plan.keys(backend))
    known = {name: found for _, name in cells if (found := store.get(name)) is not None}
    hub = Hub({"language_model": backend})
    for cell, name in cells:
        if name in known:
            continue
        found = measure(cell, plan, hub, labels=labels[cell.task])
        store.put(name, found)
        known[name] = found
        tell(len(known), f"{cell.task} n={cell.n}: {found.seconds:.1f} s")
    return [known[name] for _, name in cells]


def measure(cell: Cell, plan: Plan, hub: Hub, *, labels: frozenset[str]) -> Found:
    """One cell.

    Raises:
        InputError: it failed as a whole, as by a bug of the backend.
    """
    started = time.perf_counter()
    read = run_sync(Scheduled(_read(cell, plan, sorted(labels))), hub)
    if isinstance(read, Failed):
        raise InputError(f"{cell.task}, n = {cell.n}, set {cell.seed} could not be measured: {read}")
    contexts = read.survey.contexts
    pairs = [pair for context in contexts for pair in context.pairs]
    return Found(
        task=cell.task,
        n=cell.n,
        seed=cell.seed,
        labels=len(labels),
        points=tuple(_point(read, plan.epsilons, i) for i in range(len(cell.tests))),
        imagined=len(contexts),
        redrawn=read.survey.redrawn,
        given_up=read.survey.given_up,
        pairs=len(pairs),
        sound=sum(pair.label in labels for pair in pairs),
        faults=read.faults(),
        seconds=time.perf_counter() - started,
    )


@dataclass(frozen=True, slots=True)
class _Read:
    """What the imagined contexts say, and the real one; and the error rates."""

    survey: Survey
    real: tuple[Measured, ...]
    errors: list[float | str]

    def faults(self) -> tuple[str, ...]:
        """Each once."""
        texts = [context.fault for context in self.survey.contexts]
        texts += [one.fault for one in (*self.survey.measured, *self.real)]
        texts += [error for error in self.errors if isinstance(error, str)]
        return tuple(sorted({text for text in texts if text}))


def _read(cell: Cell, plan: Plan, labels: Sequence[str]) -> Flow[_Read]:
    """One run, so every distribution and draw is asked for once."""
    queries = [Query(test.input, test.label) for test in cell.tests]
    fault = yield from _alike(cell, plan, labels)
    if fault:
        nothing = tuple(Measured(fault=fault) for _ in queries)
        return _Read(Survey(nothing, (), plan.settings), nothing, [fault for _ in queries])
    settings, further = replace(plan.settings, epsilon=plan.epsilons[0]), plan.epsilons[1:]
    found = yield from survey(cell.train, queries, settings=settings, further=further)
    real = yield from model_hallucination_rates(
        cell.train, cell.evaluation, queries, settings=settings, further=further
    )
    errors = yield from error_rates(cell.train, queries, settings=settings)
    return _Read(found, real, errors)


def _alike(cell: Cell, plan: Plan, labels: Sequence[str]) -> Flow[str]:
    """Which labels the exact estimator cannot tell apart, in words; rates of nearly 0 would say nothing of the model."""
    if plan.settings.estimator != "exact":
        yield from ()
        return ""
    form = Form()
    reply = yield from one(
        Distribution(
            form.context(cell.train), form.query(cell.tests[0].input), tuple(map(form.response, labels))
        )
    )
    if isinstance(reply, Failed):
        return str(reply)
    first: dict[int, str] = {}
    for label, begun in zip(labels, reply.value.begun, strict=True):
        if begun is not None and first.setdefault(begun, label) != label:
            return f"the labels {first[begun]!r} and {label!r} begin with the same token of the model: take --estimator drawn"
    return ""


def _point(read: _Read, epsilons: Sequence[float], i: int) -> Point:
    measured = read.survey.measured[i]
    error = read.errors[i]
    return Point(
        phr=_rates(measured, epsilons),
        mhr=_rates(read.real[i], epsilons),
        error=None if isinstance(error, str) else error,
        entropy=measured.readings[0].total if measured.readings else None,
        information=None if measured.information is None else measured.information.value,
        contexts=len(measured.readings),
    )


def _rates(measured: Measured, epsilons: Sequence[float]) -> dict[str, float | None]:
    """By ε, as it is written in tables."""
    names = [f"{epsilon:g}" for epsilon in epsilons]
    if measured.rate is None:
        return dict.fromkeys(names)
    rates = (measured.rate, *measured.further)
    return {name: rate.value for name, rate in zip(names, rates, strict=True)}
