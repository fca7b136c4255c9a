"""Train an entailment model on public data, where it stopped if it was stopped.

The same command goes on from what was saved last, also after a kill. The course "full" makes the weights that the
packaged model is made of; "quick" takes a quarter of an hour on two cores.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from benchmarks._data import data_dir
from benchmarks.entailment.judge import Judge
from benchmarks.entailment.lessons import COURSES, lessons
from benchmarks.entailment.pairs import read
from benchmarks.entailment.setting import FULL, QUICK
from benchmarks.entailment.train import CURVE, Recipe, Trained, train, trained
from benchmarks.phr.process.progress import progress
from guardrail.backends.weights import places
from guardrail.errors import GuardrailError, MissingExtra

__all__ = ["JUDGED_BY", "RECIPES", "home", "main"]

RECIPES: Mapping[str, Recipe] = {"full": Recipe(rate=2e-4, looks=6), "quick": Recipe()}
"""By course; a recipe with looks has a judge."""

JUDGED_BY = "mnli_dev"
"""The set that chooses among the weights of a full training: a little of its accuracy there is owed to that."""

_NAMES = {"full": FULL, "quick": QUICK}
_STEP = re.compile(r"\bstep (\d+) of \d+")


def home(course: str) -> Path:
    """Where a course's model is put, and looked for."""
    return next(places(_NAMES[course]))


def main(argv: Sequence[str] | None = None) -> int:
    """Train; 0 if it is done, 2 if it could not run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.entailment train", description=__doc__)
    parser.add_argument("--course", choices=[*COURSES], default="full", help="what is learnt (full)")
    parser.add_argument("--seed", type=int, default=0, help="of the head, the pairs made and their order")
    parser.add_argument("--again", action="store_true", help="train though there is a trained model")
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder of the labelled pairs")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="default: $GUARDRAIL_MODELS, or the user's cache"
    )
    options = parser.parse_args(argv)
    folder = options.out or home(options.course)
    try:
        for library in ("torch", "transformers", "safetensors"):
            if importlib.util.find_spec(library) is None:
                raise MissingExtra(library, extra="local")
        done = trained(folder)
        if done is None or options.again:
            done = _train(options.data or data_dir("nli"), folder, options.course, options.seed)
        _plot(folder)
    except GuardrailError as error:
        sys.stderr.write(f"train: {error}\n")
        return 2
    judged = f", {done.judged:.2%} of {JUDGED_BY} right" if done.judged else ""
    sys.stdout.write(
        f"{folder}\n{done.steps} steps, {done.seconds / 60:.1f} min, loss {done.loss:.3f}{judged}\n"
    )
    return 0


def _train(data: Path, folder: Path, course: str, seed: int) -> Trained:
    recipe = replace(RECIPES[course], seed=seed)
    passes = lessons(data, COURSES[course], seed=seed)
    judge = Judge(list(read(data / JUDGED_BY / "pairs.jsonl"))) if recipe.looks else None
    steps = sum(-(-len(lesson) // recipe.batch) for lesson in passes)
    with _told(steps) as say:
        return train(passes, folder, recipe=recipe, judge=judge, say=say)


@contextmanager
def _told(steps: int) -> Iterator[Callable[[str], None]]:
    """A bar on a terminal, lines elsewhere."""
    if not sys.stderr.isatty():
        yield lambda line: print(line, file=sys.stderr, flush=True)
        return
    with progress("steps", steps) as bar:

        def say(line: str) -> None:
            place = _STEP.search(line)
            bar(int(place[1]) if place else 0, line)

        yield say


def _plot(folder: Path) -> None:
    """The curve, where there is one and matplotlib is there to draw it."""
    path = folder / CURVE
    if importlib.util.find_spec("matplotlib") is None or not path.is_file():
        return
    from benchmarks.entailment.figures import curve

    curve([json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()], folder)
