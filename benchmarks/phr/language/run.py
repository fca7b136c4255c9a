"""PHR of a causal language model on tasks with labels: how well it predicts MHR and the error rate.

Without --model it measures a toy that `python -m benchmarks.phr train-language` has trained. Published figures are of
Llama-2-7B; those of another model have no bar.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks._progress import progress
from benchmarks._table import Row, Run, bench
from benchmarks.phr.language import cells as finished
from benchmarks.phr.language import figures, tables
from benchmarks.phr.language.cells import Found, Store
from benchmarks.phr.language.evaluation import Plan, evaluate
from benchmarks.phr.language.tasks import TASKS, read
from benchmarks.phr.language.train import home, trained
from guardrail.errors import MissingExtra
from guardrail.phr import Settings

__all__ = ["add_options", "main", "rows"]

SIZES = (2, 4, 8, 16, 32)
SETS = 50
"""Training sets per task and n, as in the paper."""

TOY_SETS = 2
"""The same where nothing else is asked for and the model is the toy: about a quarter of an hour on two cores."""

FAST_TASKS, FAST_SIZES, FAST_SETS = ("sst2", "agnews", "mqp"), (2, 8), 1


@dataclass(frozen=True, slots=True)
class _Model:
    """What is measured.

    Attributes:
        folder: of the model.
        toy: whether it was trained here.
        parameters: how many.
    """

    folder: Path
    toy: bool
    parameters: int

    @property
    def words(self) -> str:
        """For titles and tables."""
        size = self.size
        return f"a toy trained here ({size})" if self.toy else f"{self.folder.name} ({size})"

    @property
    def size(self) -> str:
        """For the column of parameters."""
        large = self.parameters >= 5e8
        return f"{self.parameters / 1e9:.1f}B" if large else f"{self.parameters / 1e6:.1f}M"


def rows(run: Run) -> list[Row]:
    """Every row; figures and the tables in the paper's columns go to `run.out`.

    Raises:
        MissingExtra: a library is not installed.
    """
    for library in ("torch", "transformers", "safetensors", "tokenizers"):
        if importlib.util.find_spec(library) is None:
            raise MissingExtra(library, extra="local")
    options = run.options
    given = getattr(options, "model", None)
    folder: Path = given or home()
    if given is None and trained(folder) is None:
        return [Row.missing("language: all rows", "not trained yet: python -m benchmarks.phr train-language")]
    model = _Model(folder, trained(folder) is not None, _parameters(folder))
    plan = _plan(run, model)
    run.parameters |= {
        "language.model": model.words,
        "language.sets": plan.sets,
        "language.estimator": plan.settings.estimator,
    }
    found = _evaluated(run, model, plan)
    if run.out is not None:
        words = {
            "horizon": plan.settings.horizon,
            "contexts": plan.settings.contexts,
            "draws": plan.settings.draws if plan.settings.estimator == "drawn" else "exact",
            "parameters": model.size,
        }
        text = tables.document(found, model=model.words, settings=words)
        (run.out / "phr-language.md").write_text(text, encoding="utf-8")
        figures.draw(found, run.out, model=model.words, epsilons=plan.epsilons)
    return tables.table_rows(found, model=model.words)


def _plan(run: Run, model: _Model) -> Plan:
    from tokenizers import Tokenizer

    options, fast = run.options, run.fast
    reader = Tokenizer.from_file(str(model.folder / "tokenizer.json"))
    data = run.data("icl")
    usual = FAST_SETS if fast else TOY_SETS if model.toy else SETS
    names = getattr(options, "tasks", None) or (FAST_TASKS if fast else tuple(TASKS))
    return Plan(
        tasks=[
            read(data, task).short(lambda text: len(reader.encode(text, add_special_tokens=False).ids))
            for task in names
        ],
        sizes=getattr(options, "n", None) or (FAST_SIZES if fast else SIZES),
        sets=getattr(options, "sets", None) or usual,
        settings=Settings(
            contexts=10, horizon=5, draws=50, estimator=getattr(options, "estimator", None) or "exact"
        ),
    )


def _evaluated(run: Run, model: _Model, plan: Plan) -> list[Found]:
    from guardrail.backends.language_model import CausalModel

    backend = CausalModel(model.folder, device=getattr(run.options, "device", None) or "auto")
    store = Store(getattr(run.options, "cells", None) or finished.home())
    try:
        done = sum(store.get(name) is not None for _, name in plan.keys(backend))
        total = sum(1 for _ in plan.cells())
        with progress(f"PHR of {model.words}", total, done=done) as tell:
            return evaluate(plan, backend, store, tell=tell)
    finally:
        store.close()


def _parameters(folder: Path) -> int:
    """How many, by the headers of the weights' files; weights that are shared are counted as they are stored."""
    from safetensors import safe_open

    total = 0
    for path in sorted(folder.glob("*.safetensors")):
        with safe_open(path, framework="np") as file:
            total += sum(math.prod(file.get_slice(name).get_shape()) for name in file.keys())  # noqa: SIM118
    return total


def add_options(parser: argparse.ArgumentParser) -> None:
    """Options of this part."""
    group = parser.add_argument_group("language models")
    group.add_argument(
        "--model", type=Path, metavar="DIR", help="any causal model's folder (default: the toy)"
    )
    group.add_argument("--tasks", nargs="+", choices=sorted(TASKS), metavar="TASK", help=", ".join(TASKS))
    group.add_argument(
        "--n", nargs="+", type=_count, metavar="N", help="sizes of training sets (2 4 8 16 32)"
    )
    group.add_argument(
        "--sets", type=_count, help=f"training sets per task and n ({SETS}; of the toy {TOY_SETS})"
    )
    group.add_argument("--estimator", choices=("exact", "drawn"), help="drawn: the paper's, by 50 responses")
    group.add_argument("--device", help="cpu, cuda, … (default: a GPU if there is one)")
    group.add_argument("--cells", type=Path, metavar="FILE", help="where finished cells are kept")


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected 1 or more, got {number}")
    return number


def _alone(run: Run) -> Sequence[Row]:
    try:
        return rows(run)
    except MissingExtra as error:
        return [Row.missing("language: all rows", str(error))]


def main(argv: Sequence[str] | None = None) -> int:
    """Run this part alone from a command line; gives the exit code."""
    return bench(
        "phr.language",
        _alone,
        argv,
        folder=Path(__file__).parent,
        doc=__doc__ or "",
        add_options=add_options,
        packages=("torch", "transformers", "safetensors"),
    )
