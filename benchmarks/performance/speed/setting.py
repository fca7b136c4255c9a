"""What the parts of the benchmark share: the workers, the texts, the bars, and rows about times."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from benchmarks._rows import Row
from benchmarks.performance.speed import environments
from benchmarks.performance.speed.models import SIZES, Size
from benchmarks.performance.speed.nursery import AVAILABLE, Nursery
from benchmarks.performance.speed.timing import Ratio, Timed, ratio
from benchmarks.performance.speed.workers import (
    CHECKOUT,
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
    "Imports",
    "Setting",
    "Texts",
    "gap_row",
    "loaded",
    "ratio_row",
    "texts_of",
    "time_rows",
]

Imports: TypeAlias = Literal["models", "chat", "text"]
"""Of our workers: torch and transformers; the client of a chat service; neither."""

PEER = Path(__file__).with_name("peer.py")


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
        envs: folder of the peers' environments.
        models: folder of made models.
        corpus: a text file to learn pieces from.
        torch: requirement for torch in the peers' environments.
        nli_model: folder of a trained entailment model, or `None`.
        real_model: folder of a real classifier to time, or `None`.
        say: takes a line of progress.
        fast: workers are forked from a process that has imported everything, one of ours and one of each peer; what
            waits for a service is timed less often.
    """

    size: str
    rounds: int
    device: str
    threads: int
    texts: list[Texts]
    bars: Mapping[str, float]
    envs: Path
    models: Path
    corpus: Path
    torch: str = environments.TORCH
    nli_model: Path | None = None
    real_model: Path | None = None
    say: Callable[[str], object] = str.strip  # says nothing
    fast: bool = False
    _opened: list[Anyone] = field(default_factory=list)
    _nurseries: dict[tuple[str, ...], Nursery] = field(default_factory=dict)

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

    def own(self, imports: Imports = "models") -> Anyone:
        """A worker of ours. With `fast` it has imported what it will need, and no more: its memory is measured."""
        return self._open("ours", (*OWN, imports), CHECKOUT)

    def peer(self, name: str, folder: Path | None = None) -> Anyone:
        """A worker of a peer, in its own environment, which is made if need be."""
        try:
            command = self._peer(name)
        except environments.EnvironmentFailed as error:
            return Absent(name, str(error))
        return self._open(name, command, folder or self.envs)

    def libraries(self) -> Anyone:
        """A worker of the libraries that run classifiers, in an environment of theirs."""
        name = environments.LIBRARIES.name
        try:
            interpreter = environments.installed(environments.LIBRARIES, self.envs, torch=self.torch)
            worker = Worker(
                name,
                (str(interpreter), "-P", str(PEER.with_name("libraries.py"))),
                environment=settings(self.threads, self.device),
                folder=self.envs,
            )
        except (environments.EnvironmentFailed, OSError) as error:
            return Absent(name, without_paths(str(error)))
        self._opened.append(worker)
        return worker

    def _peer(self, name: str) -> tuple[str, ...]:
        interpreter = environments.installed(environments.PEERS[name], self.envs, torch=self.torch)
        return str(interpreter), "-P", str(PEER), name

    def maker(self) -> Anyone:
        """Who makes and changes models: the peer's environment has all that it takes."""
        return self.peer("selfcheckgpt")

    def close(self) -> None:
        """End the workers that were opened since the last time."""
        for worker in self._opened:
            worker.close()
        self._opened.clear()

    def begin(self) -> None:
        """With `fast`, let the imports of all begin at once; what cannot be installed is said by its rows."""
        if not self.fast:
            return
        self._nursery((*OWN, "models"))
        for name in environments.PEERS:
            with contextlib.suppress(environments.EnvironmentFailed):
                self._nursery(self._peer(name))

    def end(self) -> None:
        """End the processes that workers are forked from."""
        for nursery in self._nurseries.values():
            nursery.close()
        self._nurseries.clear()

    def _open(self, name: str, command: Sequence[str], folder: Path) -> Anyone:
        environment = settings(self.threads, self.device)
        nursery = self._nursery(command)
        try:
            worker = Worker(name, command, environment=environment, folder=folder, nursery=nursery)
        except OSError as error:
            return Absent(name, f"{name}: no process: {without_paths(repr(error))}")
        self._opened.append(worker)
        if name == "ours":
            return worker
        try:
            facts = worker.ask("facts").value
        except WorkerFailed as error:
            worker.close()
            return Absent(worker.name, str(error))
        if self.device != "cpu" and not facts["cuda"]:
            worker.close()
            return Absent(
                worker.name,
                f"{worker.name}: torch {facts['torch']} finds no GPU: give --torch a build with CUDA",
            )
        return worker

    def _nursery(self, command: Sequence[str]) -> Nursery | None:
        if not (self.fast and AVAILABLE):
            return None
        key = tuple(command)
        if key not in self._nurseries:
            self._nurseries[key] = Nursery(command, settings(self.threads, self.device), CHECKOUT)
        return self._nurseries[key]


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


def write_corpus(passages: Sequence[Passage], path: Path) -> Path:
    """The samples' text, one a line, to learn pieces from."""
    lines = [" ".join(text.split()) for passage in passages for text in passage.samples]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


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
