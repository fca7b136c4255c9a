"""All that the figures need, part by part; each finished part is kept, so a killed run goes on."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks.phr.process.functions import EDGE, Functions, Waves, pairs
from benchmarks.phr.process.measure import Measured, measure

__all__ = ["CONTEXTS", "HORIZON", "Line", "Plan", "Survey", "survey"]

Floats: TypeAlias = NDArray[np.float64]
Kind: TypeAlias = Literal["inside", "outside"]

SEED = 1  # the training set's streams begin with 0
CONTEXTS, HORIZON = 40, 100  # M and N − n, the paper's
GROUP = 20  # functions of a part
QUERIES = 5  # of each function
GRID = 61  # queries of a line


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured.

    Attributes:
        sizes: n.
        groups: of 20 test functions.
        contexts: M.
        horizon: N − n.
    """

    sizes: tuple[int, ...] = (2, 5, 10, 30, 100)
    groups: int = 10
    contexts: int = CONTEXTS
    horizon: int = HORIZON

    @classmethod
    def fast(cls) -> Plan:
        """One group, two n."""
        return cls(sizes=(2, 100), groups=1)


@dataclass(frozen=True, slots=True)
class Line:
    """One function over the whole range, at one n.

    Attributes:
        x: inputs of D_n, shape (n,).
        y: labels of D_n, shape (n,).
        grid: queries, shape (Q,).
        mean: μ there, shape (Q,).
        low: lower end of the model's 95 % likely set there, shape (Q,).
        high: its upper end, shape (Q,).
        measured: of one function.
    """

    x: Floats
    y: Floats
    grid: Floats
    mean: Floats
    low: Floats
    high: Floats
    measured: Measured


@dataclass(frozen=True, slots=True)
class Survey:
    """Everything, by n.

    Attributes:
        inside: test functions like those of the training set.
        outside: others, at the largest n.
        lines: one function of each kind.
    """

    inside: dict[int, Measured]
    outside: Measured
    lines: dict[Kind, dict[int, Line]]


@dataclass(frozen=True, slots=True)
class _Part:
    kind: Kind
    group: int  # −1 = the line
    size: int

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.group}-{self.size}.npz"


def survey(process: Any, plan: Plan, folder: Path, told: Callable[[int, str], None]) -> Survey:
    """Measure all parts, or read those that the folder has; it is removed in the end.

    Args:
        process: a `NeuralProcess`.
        plan: how much.
        folder: for finished parts, of this process and plan alone.
        told: gets the number of finished parts, and which was the last.
    """
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[_Part, dict[str, Floats]] = {}
    for number, part in enumerate(_parts(plan), start=1):
        path = folder / part.name
        if not path.is_file():
            _keep(path, _compute(process, plan, part))
        with np.load(path) as stored:
            found[part] = dict(stored)
        told(number, f"n = {part.size}")
    result = Survey(
        {size: _all(found, "inside", size) for size in plan.sizes},
        _all(found, "outside", max(plan.sizes)),
        {
            kind: {
                part.size: _line(arrays)
                for part, arrays in found.items()
                if part.kind == kind and part.group < 0
            }
            for kind in ("inside", "outside")
        },
    )
    shutil.rmtree(folder)
    return result


def count(plan: Plan) -> int:
    """How many parts there are."""
    return len(list(_parts(plan)))


def _parts(plan: Plan) -> Iterator[_Part]:
    for size in plan.sizes:
        yield _Part("inside", -1, size)
        yield _Part("outside", -1, size)
        for group in range(plan.groups):
            yield _Part("inside", group, size)
    yield _Part("outside", 0, max(plan.sizes))


def _compute(process: Any, plan: Plan, part: _Part) -> dict[str, Floats]:
    """The functions, their pairs and queries are those of the group: D_2 is the beginning of D_100."""
    random = np.random.default_rng([SEED, part.kind == "inside", part.group + 1])
    alone = part.group < 0
    kind = Functions if part.kind == "inside" else Waves
    functions = kind.random(random, 1 if alone else GROUP)
    x, y = (values[:, : part.size] for values in pairs(random, functions, max(plan.sizes)))
    grid = np.linspace(-EDGE, EDGE, GRID)[None]
    queries = grid if alone else random.uniform(-EDGE, EDGE, (GROUP, QUERIES))
    measured = measure(
        process,
        functions,
        x,
        y,
        queries,
        contexts=plan.contexts,
        horizon=plan.horizon,
        random=np.random.default_rng([SEED, part.kind == "inside", part.group + 1, part.size]),
    )
    arrays = {one.name: getattr(measured, one.name) for one in fields(Measured)}
    if alone:
        low, high = _likely(process, x, y, grid)
        arrays |= {
            "x": x[0],
            "y": y[0],
            "grid": grid[0],
            "mean": functions(grid)[0],
            "low": low,
            "high": high,
        }
    return arrays


def _likely(process: Any, x: Floats, y: Floats, grid: Floats) -> tuple[Floats, Floats]:
    """The ends of the 95 % likely set of p(·|x, D_n): the fewest bins that have so much mass."""
    mass = process.contexts(x, y).labels(grid)[0]
    order = np.argsort(-mass, axis=-1)
    before = np.cumsum(np.take_along_axis(mass, order, axis=-1), axis=-1)
    inside = np.zeros(mass.shape, dtype=bool)
    np.put_along_axis(inside, order, np.pad(before, ((0, 0), (1, 0)))[:, :-1] < 0.95, axis=-1)
    middles = process.bars.middles
    low = np.where(inside, middles, np.inf).min(axis=-1) - process.bars.width / 2
    high = np.where(inside, middles, -np.inf).max(axis=-1) + process.bars.width / 2
    return low, high


def _keep(path: Path, arrays: dict[str, Floats]) -> None:
    content = io.BytesIO()
    np.savez(content, **arrays)  # type: ignore[arg-type]  # numpy's stub takes a later keyword for one of ours
    part = path.with_name(path.name + ".part")
    part.write_bytes(content.getvalue())
    part.replace(path)


def _measured(arrays: dict[str, Floats]) -> Measured:
    return Measured(**{one.name: arrays[one.name] for one in fields(Measured)})


def _all(found: dict[_Part, dict[str, Floats]], kind: Kind, size: int) -> Measured:
    return Measured.together(
        [
            _measured(a)
            for part, a in found.items()
            if (part.kind, part.size) == (kind, size) and part.group >= 0
        ]
    )


def _line(arrays: dict[str, Floats]) -> Line:
    rest = {one.name: arrays[one.name] for one in fields(Line) if one.name != "measured"}
    return Line(**rest, measured=_measured(arrays))
