"""Both ways in turn, on the same random numbers: tokens, time, memory, and whether they agree."""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._table import Row, Run
from benchmarks.phr.speed.models import LARGE, LLAMA, TINY, make, tasks
from benchmarks.phr.speed.published import Loose, Published, Ran
from benchmarks.phr.tasks import Cell, Rows, draw
from guardrail.backends.language_model import CausalModel
from guardrail.engine.drivers import run_sync
from guardrail.engine.flow import Failed
from guardrail.engine.hub import Hub
from guardrail.engine.run import Run as Scheduled
from guardrail.errors import InputError, MissingExtra
from guardrail.phr import Form, Query, Settings, survey
from guardrail.phr.flows import Survey
from guardrail.requests import Distribution, Sample

__all__ = ["Pace", "Setting", "add_options", "agreement", "chosen", "large_rows", "ours", "rows", "small"]

SEED = 0
TASK = "sst2"
PAIRS = 8  # n
FORM = Loose()
SETTINGS = Settings(
    contexts=10, horizon=5, epsilon=0.75, estimator="drawn", draws=50, retries=0, response_tokens=1
)
ROUNDS = 3
TOKENS, SECONDS, EQUAL = 1 / 5, 1 / 3, 1e-4
NEEDS_GPU = "needs a GPU with 40 GB: --speed-device cuda"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Of this part."""
    parser.add_argument(
        "--speed-device",
        choices=("cpu", "cuda"),
        default="cpu",
        help="cuda: besides, a model of the shape of Llama-2-7B",
    )


@dataclass(frozen=True, slots=True)
class Setting:
    """What is asked of both.

    Attributes:
        cell: D_n and queries.
        settings: of PHR, with the length of an imagined pair.
        folder: of the model.
        device: "cpu" or "cuda".
        precision: "fp32" or "bf16".
    """

    cell: Cell
    settings: Settings
    folder: Path
    device: str = "cpu"
    precision: str = "fp32"

    @property
    def queries(self) -> list[str]:
        """As texts."""
        return [test.input for test in self.cell.tests]

    def published(self) -> Published:
        """The baseline."""
        kind = {"fp32": "float32", "bf16": "bfloat16"}[self.precision]
        return Published(self.folder, device=self.device, kind=kind, seed=SEED)

    def ours(self) -> CausalModel:
        """The backend."""
        precision: Any = self.precision
        model = CausalModel(self.folder, device=self.device, precision=precision, seed=SEED)
        model.answer([Distribution("", "Input:"), Sample("Input:", max_tokens=2)])  # loads and tries it
        return model


@dataclass(slots=True)
class Pace:
    """What several runs of one way took.

    Attributes:
        seconds: of each.
        tokens: that the model computed, in each.
        operations: of each; empty where they are not counted.
        memory: bytes at the most, in each; `None` where this system does not tell.
    """

    seconds: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    operations: list[int] = field(default_factory=list)
    memory: list[float | None] = field(default_factory=list)

    @contextmanager
    def timed(self) -> Iterator[None]:
        """One run."""
        _forget_peak()
        started = time.perf_counter()
        yield
        self.seconds.append(time.perf_counter() - started)
        self.memory.append(_peak())

    @property
    def median(self) -> float:
        """Seconds."""
        return statistics.median(self.seconds)


def rows(run: Run) -> list[Row]:
    """Every row of this part."""
    for library in ("torch", "transformers", "tokenizers"):
        if find_spec(library) is None:
            raise MissingExtra(library, extra="local")
    data = tasks(run.data("icl"))
    run.parameters["speed"] = {"task": TASK, "n": PAIRS, "seed": SEED}
    with tempfile.TemporaryDirectory() as folder:
        size = make(Path(folder), TINY if run.fast else LARGE, data, seed=SEED)
        setting = small(data, Path(folder)) if run.fast else chosen(data, SETTINGS, Path(folder), tests=10)
        found = _compared(setting, rounds=1 if run.fast else ROUNDS, fast=run.fast)
    found.insert(0, Row.shown("speed: parameters", size / 1e6, unit="millions", digits=1))
    return found + _large(run, data)


def small(data: Sequence[Rows], folder: Path) -> Setting:
    """What `--fast` runs."""
    return chosen(data, replace(SETTINGS, contexts=4, draws=20), folder, tests=3)


def chosen(data: Sequence[Rows], settings: Settings, folder: Path, *, tests: int, **more: str) -> Setting:
    """A cell, and imagined pairs as long as its own are on average."""
    from tokenizers import Tokenizer

    [task] = [one for one in data if one.task == TASK]
    cell = draw(task, n=PAIRS, seed=SEED, tests=tests)
    reader = Tokenizer.from_file(str(folder / "tokenizer.json"))
    sizes = [len(reader.encode(Form().pair(pair)).ids) for pair in cell.train]
    settings = replace(settings, max_tokens=round(statistics.fmean(sizes)))
    return Setting(cell, settings, folder, **more)


def ours(setting: Setting, model: CausalModel, pace: Pace, *, estimator: str = "drawn") -> Survey:
    """One run through lanes and flows, from nothing known."""
    model.release()
    hub = Hub({"language_model": model})
    work = model.work
    before = work.tokens, work.operations
    how: Any = estimator
    settings = replace(setting.settings, estimator=how)
    asked = [Query(query) for query in setting.queries]
    with pace.timed():
        found = run_sync(
            Scheduled(survey(setting.cell.train, asked, settings=settings, form=FORM)),
            hub,
        )
    if isinstance(found, Failed):
        raise InputError(f"PHR could not be measured: {found}")
    pace.tokens.append(work.tokens - before[0])
    pace.operations.append(work.operations - before[1])
    return found


def _theirs(setting: Setting, published: Published, pace: Pace) -> Ran:
    before = published.tokens
    with pace.timed():
        found = published.run(setting.cell.train, setting.queries, setting.settings, FORM)
    pace.tokens.append(published.tokens - before)
    return found


def _compared(setting: Setting, *, rounds: int, fast: bool) -> list[Row]:
    model, published = setting.ours(), setting.published()
    drawn, exact, theirs = Pace(), Pace(), Pace()
    for _ in range(rounds):
        mine = ours(setting, model, drawn)
        ran = _theirs(setting, published, theirs)
        sums = ours(setting, model, exact, estimator="exact")
    found = [
        Row.shown("speed: tokens of an imagined pair", setting.settings.max_tokens),
        Row.at_most(
            "speed: drawn, tokens computed, share of the published", _share(drawn, theirs), TOKENS, digits=4
        ),
        Row.shown("speed: published, tokens computed", theirs.tokens[0]),
        Row.shown("speed: drawn, tokens computed", drawn.tokens[0]),
        Row.shown("speed: exact, tokens computed, share of the published", _share(exact, theirs), digits=4),
        *agreement(model, mine, ran),
        Row.shown("speed: exact, mean difference of PHR from drawn (K is finite)", _gap(sums, ran)),
    ]
    if not fast:  # of a tiny model, time says nothing
        found += _times(drawn, exact, theirs)
    return found


def _share(some: Pace, of: Pace) -> float:
    return statistics.median(some.tokens) / statistics.median(of.tokens)


def _times(drawn: Pace, exact: Pace, theirs: Pace) -> list[Row]:
    floor = statistics.median(drawn.operations) / _arithmetic()
    found = [
        Row.at_most(
            "speed: drawn, time, share of the published", drawn.median / theirs.median, SECONDS, digits=4
        ),
        Row.shown("speed: exact, time, share of the published", exact.median / theirs.median, digits=4),
        Row.shown("speed: drawn, times the time that its matrix products take", drawn.median / floor),
    ]
    for name, pace in (("published", theirs), ("drawn", drawn), ("exact", exact)):
        ends = (min(pace.seconds), max(pace.seconds))
        found.append(Row.shown(f"speed: {name}", pace.median, interval=ends, unit="s", digits=2))
        memory = [one for one in pace.memory if one is not None]
        title = f"speed: {name}, peak memory of the process, both models in it"
        found.append(
            Row.shown(title, max(memory) / 2**20, unit="MiB", digits=0)
            if memory
            else Row.missing(title, "this system does not tell it")
        )
    return found


def agreement(model: CausalModel, mine: Survey, ran: Ran) -> list[Row]:
    """Whether both imagine the same pairs, and say the same of them."""
    pairs = [pair for context in ran.pairs for pair in context]
    same = sum(
        one == other
        for context, other_context in zip(mine.contexts, ran.pairs, strict=True)
        for one, other in zip(context.pairs, other_context, strict=True)
    )
    gaps = [
        abs(one.rate.value - other) if one.rate is not None else 1.0
        for one, other in zip(mine.measured, ran.rates, strict=True)
    ]
    asked = list(ran.shares)
    replies = model.answer([Distribution(context, query) for context, query in asked])
    apart = 0.0
    for place, reply in zip(asked, replies, strict=True):
        if isinstance(reply, Failed):
            raise InputError(f"a distribution could not be told: {reply}")
        apart = max(apart, float(np.abs(np.array(reply.value.probabilities) - ran.shares[place]).max()))
    return [
        Row.equal("speed: imagined pairs that are the published way's", same, len(pairs)),
        Row.at_most("speed: largest difference of PHR, equal random numbers", max(gaps), EQUAL, digits=6),
        Row.at_most("speed: largest difference of p(y|x, D)", apart, EQUAL, digits=8),
    ]


def _gap(sums: Survey, ran: Ran) -> float | None:
    values = [one.rate.value for one in sums.measured if one.rate is not None]
    return float(np.mean(np.array(values) - ran.rates)) if len(values) == len(ran.rates) else None


def _arithmetic() -> float:
    """Operations per second of a matrix product of the model's own shape, by torch."""
    import torch

    left, right = torch.randn(256, LARGE.width), torch.randn(LARGE.width, LARGE.inner)
    seconds = _fastest(lambda: [left @ right for _ in range(20)])
    operations: float = 20 * 2 * left.shape[0] * right.shape[0] * right.shape[1]
    return operations / seconds


def _fastest(work: Callable[[], object], times: int = 7) -> float:
    found = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        found.append(time.perf_counter() - started)
    return min(found)


# -- a GPU


def _large(run: Run, data: Sequence[Rows]) -> list[Row]:
    if getattr(run.options, "speed_device", "cpu") != "cuda":
        return [Row.missing("speed: Llama-2-7B's shape, all rows", f"not measured: {NEEDS_GPU}")]
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder), LLAMA, data, seed=SEED, kind="bfloat16", device="cuda")
        setting = chosen(data, SETTINGS, Path(folder), tests=1, device="cuda", precision="bf16")
        return large_rows(setting)


def large_rows(setting: Setting) -> list[Row]:
    """Seconds per PHR of one query, both ways; memory; and how near drawing comes to the memory's bandwidth."""
    title = "speed: Llama-2-7B's shape, random weights, bf16"
    drawn, theirs = Pace(), Pace()
    model = setting.ours()
    for _ in range(2):  # the first one warms the libraries up
        ours(setting, model, drawn)
    context = FORM.context(setting.cell.train)
    wanted = [
        Sample(context, draw, max_tokens=setting.settings.max_tokens)
        for draw in range(setting.settings.contexts)
    ]
    before = model.work.tokens
    started = time.perf_counter()
    model.answer(wanted)
    pace = (model.work.tokens - before) / (time.perf_counter() - started)
    weights, bandwidth = _weights(setting.folder), _bandwidth(setting.device)
    limit = setting.settings.contexts * bandwidth / weights
    memory = _device_peak(setting.device)
    del model
    published = setting.published()
    _theirs(setting, published, theirs)
    found = [
        Row.shown(f"{title}: seconds per PHR, published", theirs.seconds[-1], unit="s", digits=2),
        Row.shown(f"{title}: seconds per PHR, drawn", drawn.seconds[-1], unit="s", digits=2),
        Row.shown(f"{title}: tokens computed, share of the published", _share(drawn, theirs), digits=4),
        Row.shown(f"{title}: tokens drawn per second", pace, digits=0),
        Row.shown(f"{title}: the same if only weights were read, at the measured bandwidth", limit, digits=0),
    ]
    if memory is not None:
        found.append(Row.shown(f"{title}: peak memory, drawn", memory / 2**30, unit="GiB", digits=1))
    return found


def _weights(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("*.safetensors"))


def _bandwidth(device: str) -> float:
    """Bytes per second that are read and written by a copy."""
    import torch

    size = 2**30 if device == "cuda" else 2**27
    one = torch.zeros(size, dtype=torch.uint8, device=device)
    other = torch.empty_like(one)

    def copy() -> None:
        other.copy_(one)
        if device == "cuda":
            torch.cuda.synchronize()

    copy()
    return 2 * size / _fastest(copy)


def _device_peak(device: str) -> float | None:
    import torch

    return float(torch.cuda.max_memory_allocated()) if device == "cuda" else None


def _forget_peak() -> None:
    """Linux: the peak counts from here."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return


def _peak() -> float | None:
    """Linux: bytes of this process at the most."""
    try:
        lines: Iterable[str] = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next((1024.0 * int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), None)
