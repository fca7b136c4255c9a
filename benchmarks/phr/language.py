"""PHR of a real language model behind `/completions`, with the rate that real examples give, the error rate, and entropy.

The tasks of the paper's Table 1 at the size that two cores allow. Recorded points are read by default; `--model NAME --base-url URL
--points FILE` measures another model, and goes on where an interrupted run ended.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._stats import resampled
from benchmarks._table import Row, Run
from benchmarks.phr.process.statistics import correlation
from benchmarks.phr.tasks import Cell, draw, read
from guardrail.chat import CompletionsModel
from guardrail.engine.drivers import run_sync
from guardrail.engine.flow import Answer, Failed, Flow, each
from guardrail.engine.hub import Hub
from guardrail.engine.run import Run as Scheduled
from guardrail.errors import InputError
from guardrail.phr.flows import survey
from guardrail.phr.pairs import Form
from guardrail.phr.readings import Query, Reading, Settings, Whole
from guardrail.requests import Distribution

__all__ = ["Point", "add_options", "rows"]

RECORDED = Path(__file__).resolve().parent / "language.jsonl"
TASKS = ("sst2", "subj")
SIZES = (2, 4, 8)
SEEDS = 2
QUERIES = 8
SETTINGS = Settings(contexts=5, horizon=3, epsilon=0.75, max_tokens=60)
REPLICATES = 1_000
TIMEOUT = 900.0


@dataclass(frozen=True, slots=True)
class Point:
    """One query behind one training set.

    Attributes:
        task: its file's name.
        n: size of the training set.
        seed: its number.
        query: the query's number.
        phr: the rate under imagined contexts.
        two: the same by the first two of them.
        mhr: the rate under the training set and as many real pairs as were imagined.
        error: the probability of all but the true label, given the training set.
        entropy: of the response given the training set, in nats.
    """

    task: str
    n: int
    seed: int
    query: int
    phr: float
    two: float
    mhr: float
    error: float
    entropy: float


def rows(run: Run) -> list[Row]:
    """What PHR says of the other rates; by task, and for all sizes together."""
    options = run.options
    path = options.points or RECORDED
    if options.model is not None:
        if options.points is None:
            raise InputError(
                "expected --points FILE with --model: each point costs time, and FILE keeps them"
            )
        _measure(run, path)
    if not path.is_file():
        return [
            Row.missing("language: all rows", "needs recorded points, or --model, --base-url and --points")
        ]
    points = [
        Point(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()
    ]
    run.parameters["language"] = {
        "contexts": SETTINGS.contexts,
        "horizon": SETTINGS.horizon,
        "epsilon": SETTINGS.epsilon,
    }
    found = [Row.shown("language: points", len(points))]
    for task in (*sorted({one.task for one in points}), "all"):
        own = [one for one in points if task in (one.task, "all")]
        found += list(_rows(task, own))
    return found


def _rows(task: str, points: Sequence[Point]) -> Iterator[Row]:
    groups = [(one.task, one.n, one.seed) for one in points]
    columns = {
        name: np.array([getattr(one, name) for one in points])
        for name in ("phr", "two", "mhr", "error", "entropy")
    }
    yield Row.shown(f"language, {task}: error rate", float(columns["error"].mean()))
    for target, called in (("error", "error rate"), ("mhr", "rate by real examples")):
        for name, title in (("phr", "PHR"), ("two", "PHR by two contexts"), ("entropy", "entropy")):
            x, y = columns[name], columns[target]

            def of(chosen: Any, x: Any = x, y: Any = y) -> float | None:
                return _correlation(x[chosen], y[chosen])

            yield Row.shown(
                f"language, {task}: correlation of {title} with the {called}",
                of(np.arange(len(points))),
                interval=resampled(groups, of, replicates=REPLICATES),
            )


def _correlation(x: Any, y: Any) -> float | None:
    if x.std() == 0 or y.std() == 0:
        return None
    return float(correlation(x, y))


# -- measuring


def _measure(run: Run, path: Path) -> None:
    model = CompletionsModel(run.options.model, base_url=run.options.base_url, timeout=TIMEOUT, concurrency=4)
    hub = Hub({"language_model": model})
    done = (
        {
            (row["task"], row["n"], row["seed"])
            for row in map(json.loads, path.read_text("utf-8").splitlines())
        }
        if path.is_file()
        else set()
    )
    folder = run.data("icl")
    for seed in range(SEEDS):
        for n in SIZES:
            for task in TASKS:
                if (task, n, seed) in done:
                    continue
                cell = draw(read(folder, task), n=n, seed=seed, horizon=SETTINGS.horizon, tests=QUERIES)
                points = run_sync(Scheduled(_points(cell)), hub)
                if isinstance(points, Failed):
                    raise InputError(f"the model could not be asked: {points}")
                with path.open("a", encoding="utf-8") as stream:
                    stream.writelines(f"{json.dumps(asdict(one))}\n" for one in points)
                run.say(f"language: {task}, n = {n}, seed {seed}: {len(points)} points")


def _points(cell: Cell) -> Flow[list[Point]]:
    form = Form()
    queries = [Query(one.input, one.label) for one in cell.tests]
    labels = sorted({one.label for one in (*cell.train, *cell.evaluation)})
    base = form.context(cell.train)
    asked = [Distribution(base, form.query(one.input), (form.response(one.label),)) for one in cell.tests]
    given = yield from each(asked)
    imagined = yield from survey(cell.train, queries, settings=SETTINGS, form=form, labels=labels)
    reader = Whole(SETTINGS, form, base, tuple(labels))
    yield from reader.begin(queries)
    real = yield from reader.read(form.context([*cell.train, *cell.evaluation]), 0, queries)
    found = []
    for number, (reply, measured, under) in enumerate(zip(given, imagined.measured, real, strict=True)):
        rates: list[float] = [one.rate for one in measured.readings]
        if (
            isinstance(reply, Answer)
            and len(rates) >= 2
            and isinstance(under, Reading)
            and under.total is not None
        ):
            begun = reply.value.begun[0]
            right = 0.0 if begun is None else reply.value.probabilities[begun]
            found.append(
                Point(
                    cell.task,
                    cell.n,
                    cell.seed,
                    number,
                    sum(rates) / len(rates),
                    sum(rates[:2]) / 2,
                    under.rate,
                    1 - right,
                    under.total,
                )
            )
    return found


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of a live run."""
    parser.add_argument("--model", metavar="NAME", help="measure this language model too (part `language`)")
    parser.add_argument("--base-url", metavar="URL", help="where its /completions are (OpenAI's protocol)")
    parser.add_argument(
        "--points", type=Path, metavar="FILE", help="keep its points there; the recorded ones by default"
    )
