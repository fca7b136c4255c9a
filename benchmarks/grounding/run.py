"""Do the documents bear the answer out? Nine labelled sets, the packaged detector beside counting words."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks._rows import Row
from benchmarks._stats import auc, brier, ece
from benchmarks._table import Run, bench
from benchmarks.grounding.fitting import FEATURES, flagged, learnt, left_out, score
from benchmarks.grounding.latency import latency_rows
from benchmarks.grounding.measuring import Measured, measure
from benchmarks.grounding.own_labels import own_rows
from benchmarks.grounding.scoring import Scores, cache_file
from benchmarks.grounding.sets import RAGTRUTH, SETS, read, sample
from benchmarks.grounding.statistics import area_by_source, best_f1
from guardrail.selfcheck.grounding.fit import PRIOR, Curve, packaged_curve
from guardrail.statistics.decisions import balanced_accuracy, f1, rates
from guardrail.statistics.fit_files import write_fit

__all__ = ["main"]

HERE = Path(__file__).resolve().parent
FITS = HERE.parent.parent / "src" / "guardrail" / "selfcheck" / "grounding"
_FEW = 20  # rows of a set with --fast
_COUNTING = ("novelty of words", "novelty of pairs", "novelty of triples", "1 − ROUGE-L precision", "length")
_DECIDING = ("entailment as before, largest", "entailment by better premises, largest")
_LIMIT = 0.5  # of 1 − P(entailment): what shipped so far
# Balanced accuracy on the test half of WiCE and answer-level F1 on the test half of RAGTruth: other rows than these.
PUBLISHED = {
    "wice_dev": {"SummaC-ZS": 0.628, "HHEM-2.1-open": 0.759, "FactCG-DeBERTa": 0.742, "MiniCheck-FT5": 0.722},
    "RAGTruth": {"GPT-4": 0.634, "Luna": 0.654, "TinyLettuce-17M": 0.685, "TinyLettuce-32M": 0.722},
}

Sets = Mapping[str, Sequence[Measured]]


def compute(run: Run) -> list[Row]:
    """All rows of the table."""
    if run.options.latency:
        run.expected = replace(run.expected, required=())  # of the other table
        return latency_rows(run)
    sets = measured(run)
    rows = [Row.shown(f"{name}: rows", len(found)) for name, found in sets.items()]
    for name, found in sets.items():
        rows += list(baseline_rows(name, found))
    for fit in FEATURES:
        if run.parameters["data.grounding"] == "as published":
            rows += fit_rows(fit, sets, left_out(fit, sets), f"fit {fit!r}, set left out")
        else:  # sets that no fit has seen
            rows += fit_rows(fit, sets, dict.fromkeys(sets, packaged_curve(fit)), f"packaged fit {fit!r}")
    if run.options.learn:
        write_fits(run, sets)
    return rows


def measured(run: Run) -> dict[str, list[Measured]]:
    """The sets that the folder has, with their numbers."""
    folder = run.data("grounding")
    most = _FEW if run.fast else run.options.rows
    run.parameters["rows"] = most or "all"
    scores = Scores(cache_file(), run.say, model=run.options.model)
    run.parameters["entailment"] = scores.backend
    found = {}
    ours = run.parameters["data.grounding"] == "as published"
    for name in SETS if ours else sorted(path.stem for path in folder.glob("*.jsonl")):
        run.say(name)
        found[name] = measure(sample(read(folder, name), most), scores)
    return found


def baseline_rows(name: str, found: Sequence[Measured]) -> Iterator[Row]:
    """What costs nothing, and what shipped before: without a fit."""
    truth = [one.example.unsupported for one in found]
    sources = [one.example.source for one in found]
    yield Row.shown(f"{name}: share not supported", float(np.mean(truth)))
    for baseline in found[0].baselines:
        values = [one.baselines[baseline] for one in found]
        yield Row.shown(
            f"{name}: AUROC, {baseline}", auc(values, truth), interval=area_by_source(values, truth, sources)
        )
    yield Row.shown(f"{name}: F1, everything flagged", f1([True] * len(truth), truth))
    for baseline in (*_COUNTING, *_DECIDING):
        values = [one.baselines[baseline] for one in found]
        yield Row.shown(f"{name}: F1 at its best threshold, {baseline}", best_f1(values, truth))
    for baseline in _DECIDING:
        flagged = [one.baselines[baseline] >= _LIMIT for one in found]
        yield Row.shown(f"{name}: balanced accuracy at .5, {baseline}", balanced_accuracy(flagged, truth))
        yield Row.shown(f"{name}: F1 at .5, {baseline}", f1(flagged, truth))


def fit_rows(fit: str, sets: Sets, fits: Mapping[str, Curve], said: str) -> list[Row]:
    """By set a fit that never saw it: figures per set and in all."""
    scores = {name: [score(fits[name], one) for one in found] for name, found in sets.items()}
    verdicts = {name: [flagged(fits[name], one) for one in found] for name, found in sets.items()}
    truths = {name: [one.example.unsupported for one in found] for name, found in sets.items()}
    rows = []
    for name, found in sets.items():
        rows += list(_set_rows(name, said, found, scores[name], verdicts[name]))
    areas = [auc(scores[name], truths[name]) for name in sets]
    accuracies = [balanced_accuracy(verdicts[name], truths[name]) for name in sets]
    rows += [
        Row.shown(f"mean of the sets: AUROC, {said}", _mean(areas)),
        Row.shown(f"mean of the sets: balanced accuracy, {said}", _mean(accuracies)),
        Row.shown(
            f"worst set: balanced accuracy, {said}",
            min((one for one in accuracies if one is not None), default=None),
        ),
        *_calibration_rows(said, scores, truths),
        *own_rows(
            said,
            scores,
            truths,
            {name: [one.example.source for one in found] for name, found in sets.items()},
        ),
    ]
    tasks = [name for name in RAGTRUTH if name in sets]
    if tasks:
        together = [said_so for name in tasks for said_so in verdicts[name]]
        truth = [label for name in tasks for label in truths[name]]
        published = PUBLISHED["RAGTruth"]["Luna"]
        rows += [
            Row.shown(f"RAGTruth, all tasks: F1, {said}", f1(together, truth), published=published),
            Row.shown(
                f"RAGTruth, all tasks: F1, everything flagged ({fit!r})", f1([True] * len(truth), truth)
            ),
        ]
    return rows


def _set_rows(
    name: str, said: str, found: Sequence[Measured], values: Sequence[float], verdicts: Sequence[bool]
) -> Iterator[Row]:
    truth = [one.example.unsupported for one in found]
    found_rates = rates(verdicts, truth)
    interval = area_by_source(values, truth, [one.example.source for one in found])
    yield Row.shown(f"{name}: AUROC, {said}", auc(values, truth), interval=interval)
    published = PUBLISHED["wice_dev"]["MiniCheck-FT5"] if name == "wice_dev" else None
    accuracy = balanced_accuracy(verdicts, truth)
    yield Row.shown(f"{name}: balanced accuracy, {said}", accuracy, published=published)
    yield Row.shown(f"{name}: true positive rate, {said}", None if found_rates is None else found_rates[0])
    yield Row.shown(f"{name}: false positive rate, {said}", None if found_rates is None else found_rates[1])
    yield Row.shown(f"{name}: F1, {said}", f1(verdicts, truth))
    yield Row.shown(f"{name}: F1 at its best threshold, {said}", best_f1(values, truth))
    if name == "factcheck_bench":
        kept = [i for i, one in enumerate(found) if one.example.kind != "irrelevant"]
        area = auc([values[i] for i in kept], [truth[i] for i in kept])
        yield Row.shown(f"{name}, without irrelevant evidence: AUROC, {said}", area)


def _calibration_rows(
    said: str, scores: Mapping[str, Sequence[float]], truths: Mapping[str, Sequence[bool]]
) -> list[Row]:
    """Calibration at the prior: in each set both kinds are drawn to count the same, and sets count the same."""
    rng = np.random.default_rng(0)
    values, labels = [], []
    for name, truth in truths.items():
        for wanted in (True, False):
            own = [value for value, label in zip(scores[name], truth, strict=True) if label is wanted]
            if own:
                values += rng.choice(own, 500).tolist()
                labels += [wanted] * 500
    skill = brier(values, labels)
    return [
        Row.shown(f"all sets, prior {PRIOR}: ECE, {said}", ece(values, labels)),
        Row.shown(
            f"all sets, prior {PRIOR}: Brier skill over a constant, {said}",
            None if skill is None else 1.0 - skill / 0.25,
        ),
    ]


def write_fits(run: Run, sets: Sets) -> None:
    """Learn the two fits from all sets and write them where the package keeps them."""
    provenance = {
        "sets": {name: len(found) for name, found in sets.items()},
        "command": "python -m benchmarks.grounding --learn",
        "labels": "a sentence is not supported, or only in part",
    }
    for name in FEATURES:
        backend = run.parameters["entailment"] if name == "entailment" else ""
        made = learnt(name, sets, backend=backend, provenance=provenance)
        write_fit(made, FITS / f"{name}.json")
        sys.stderr.write(f"{name}: {dict(zip(made.features, made.weights, strict=True))}\n")


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rows", type=int, metavar="N", help="at most so many rows of each set; all by default"
    )
    parser.add_argument(
        "--model", type=Path, metavar="DIR", help="another entailment model; default: the packaged one"
    )
    parser.add_argument(
        "--latency", action="store_true", help="only how long an answer takes, and how much memory"
    )
    parser.add_argument(
        "--learn",
        action="store_true",
        help="also learn the packaged fits anew, and write them into the package",
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run it from a command line."""
    return bench(
        "grounding",
        compute,
        argv,
        folder=HERE,
        doc=__doc__ or "",
        add_options=_add_options,
        packages=("torch",),
    )
