"""What the parts of the benchmark share: the workers, the texts, the bars, and rows about times."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks._rows import Row
from benchmarks.performance.speed.models import SIZES, Size
from benchmarks.performance.speed.timing import Ratio, Timed, ratio
from benchmarks.performance.speed.workers import (
    OWN,
    Absent,
    Anyone,
    Worker,
    WorkerFailed,
    settings,
    without_paths,
)
from benchmarks.selfcheck.passages import Passage
from guardrail.errors import InputError

__all__ = [
    "Setting",
    "Texts",
    "gap_row",
    "loaded",
    "ratio_row",
    "texts_of",
    "time_rows",
]


class Texts(NamedTuple):
    """One answer: its sentences, and the samples they are compared with."""

    sentences: list[str]
    samples: list[str]


@dataclass(slots=True)
class Setting:
    """How this run is done.

    Attributes:
        size: shapes of the timed models.
        rounds: how often each contender is timed.
        device: "cpu" or "cuda".
        threads: of each process.
        texts: one answer more than rounds: the last one is for warming up.
        bars: by name; from expected.json.
        models: folder of made models.
        nli_model: folder of a trained entailment model, or `None`.
        real_model: folder of a real classifier to time, or `None`.
        say: takes a line of progress.
        fast: what waits for a service and is only shown is timed once.
    """

    size: str
    rounds: int
    device: str
    threads: int
    texts: list[Texts]
    bars: Mapping[str, float]
    models: Path
    nli_model: Path | None = None
    real_model: Path | None = None
    say: Callable[[str], object] = str.strip  # says nothing
    fast: bool = False
    _opened: list[Anyone] = field(default_factory=list)

    @property
    def shapes(self) -> Size:
        """Of the timed models."""
        return SIZES[self.size]

    @property
    def timed(self) -> list[Texts]:
        """One answer per round: nobody meets a text twice, so nobody gains from a memory."""
        return self.texts[: self.rounds]

    @property
    def warm(self) -> Texts:
        """A little of an answer that is not timed."""
        sentences, samples = self.texts[-1]
        return Texts(sentences[:2], samples[:2])

    def own(self) -> Anyone:
        """A new worker."""
        try:
            worker = Worker("ours", OWN, environment=settings(self.threads, self.device))
        except OSError as error:
            return Absent("ours", f"ours: no process: {without_paths(repr(error))}")
        self._opened.append(worker)
        return worker

    def close(self) -> None:
        """End the workers that were opened since the last time."""
        for worker in self._opened:
            worker.close()
        self._opened.clear()


def loaded(worker: Anyone, operation: str, **arguments: Any) -> Anyone:
    """The worker after it has loaded something, or what stands for it if it could not."""
    try:
        worker.ask(operation, **arguments)
    except WorkerFailed as error:
        worker.close()
        return Absent(worker.name, str(error))
    return worker


def texts_of(passages: Sequence[Passage], *, answers: int, sentences: int, samples: int) -> list[Texts]:
    """So many answers with that many sentences and samples each.

    Raises:
        InputError: there are not so many.
    """
    found = [
        Texts(list(passage.sentences[:sentences]), list(passage.samples[:samples]))
        for passage in passages
        if len(passage.sentences) >= sentences and len(passage.samples) >= samples
    ]
    if len(found) < answers:
        raise InputError(
            f"expected {answers} passages of {sentences} sentences and {samples} samples, got {len(found)}"
        )
    return found[:answers]


def ratio_row(quantity: str, theirs: Timed, ours: Timed, bar: float | None = None) -> Row:
    """How many times as fast ours is; the interval is that of the rounds, least to most."""
    failed = theirs.failed or ours.failed
    if failed:
        words = None if bar is None else f"≥ {bar:.2f}"
        return Row.missing(quantity, failed, bar=words)
    found: Ratio = ratio(theirs.seconds, ours.seconds)
    interval = (found.low, found.high)
    if bar is None:
        return Row.shown(quantity, found.median, interval=interval, digits=2)
    return Row.at_least(quantity, found.median, bar, interval=interval, digits=2)


def gap_row(quantity: str, gap: float | None, bar: float, failed: str = "") -> Row:
    """The largest |Δ| of two programs' scores."""
    if gap is None:
        return Row.missing(quantity, failed or "no figures to compare", bar=f"≤ {bar:.6f}")
    return Row.at_most(quantity, gap, bar, digits=7)


def time_rows(part: str, found: Mapping[str, Timed]) -> list[Row]:
    """Seconds of a round, and the most memory, of everybody."""
    rows = []
    for name, timed in found.items():
        if timed.failed:
            rows.append(Row.missing(f"{part}: {name}, median of a round", timed.failed, unit="s"))
            continue
        spread = (min(timed.seconds), max(timed.seconds))
        rows.append(
            Row.shown(f"{part}: {name}, median of a round", timed.median, interval=spread, unit="s", digits=3)
        )
        rows.append(Row.shown(f"{part}: {name}, peak memory", timed.peak / 2**20, unit="MiB", digits=0))
    return rows


def complain(text: str) -> None:
    """Progress that a user should see even where standard error is a file."""
    sys.stderr.write(f"{text}\n")
