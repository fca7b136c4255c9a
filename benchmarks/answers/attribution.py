"""Statements beside the source that they cite: ranked and flagged with their marks of citation and without, ours and words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks._rows import Row
from benchmarks._stats import auc, resampled
from benchmarks._table import Run
from benchmarks.answers.checking import Found, cache_file, check, found, opened
from benchmarks.answers.statements import SETS, Statement, read, sample
from guardrail import Cache, Case, Verdict
from guardrail.selfcheck.grounding.fit import PRIOR
from guardrail.selfcheck.grounding.novelty import DocumentWords, novelty
from guardrail.selfcheck.grounding.premises import readable

__all__ = ["Judged", "attribution_rows", "judge", "set_rows"]

FEW = 60  # statements of a set with --fast
APART = 0.01
"""How far the share of flagged statements with marks may be from that without."""
_REPLICATES = 200


@dataclass(frozen=True, slots=True)
class Judged:
    """A statement with what was found of it, with marks and without.

    Attributes:
        statement: the row.
        marked: ours, with marks.
        bare: ours, without.
        words_marked: the share of its words that no document has, with marks.
        words_bare: the same without.
    """

    statement: Statement
    marked: Found
    bare: Found
    words_marked: float
    words_bare: float


def attribution_rows(run: Run) -> list[Row]:
    """All sets."""
    folder = run.data("attribution")
    most = FEW if run.fast else run.options.rows
    run.parameters["statements"] = most or "all"
    rows = []
    cache = Cache(cache_file())
    for name in SETS:
        run.say(name)
        chosen = sample(read(folder, name), most)
        rows += list(set_rows(name, judge(chosen, run, cache)))
    return rows


def judge(statements: Sequence[Statement], run: Run, cache: Cache | None = None) -> list[Judged]:
    """Check every statement twice and count its words."""
    with opened(cache) as guard:
        texts = [text for one in statements for text in (one.marked, one.bare)]
        cases = [
            Case.of(text, prompt=one.question or None, context=list(one.documents))
            for one, text in zip((one for one in statements for _ in range(2)), texts, strict=True)
        ]
        said = list(map(found, check(guard, cases, run.say)))
    known: dict[tuple[str, ...], DocumentWords] = {}
    rows = []
    for one, marked, bare in zip(statements, said[::2], said[1::2], strict=True):
        if one.documents not in known:
            known = {one.documents: DocumentWords.of(map(readable, one.documents))}
        words = known[one.documents]
        rows.append(Judged(one, marked, bare, _new(one.marked, words), _new(one.bare, words)))
    return rows


def _new(text: str, known: DocumentWords) -> float:
    counted = novelty(text, known)
    return 1.0 if counted is None else counted.words


def set_rows(name: str, judged: Sequence[Judged]) -> Iterator[Row]:
    """The figures of one set."""
    settled = [one for one in judged if one.statement.unsupported is not None]
    truth = [bool(one.statement.unsupported) for one in settled]
    yield Row.shown(f"{name}: statements", len(settled))
    yield Row.shown(f"{name}: share not supported", float(np.mean(truth)) if truth else None)
    yield Row.shown(f"{name}: share with marks of their own", _mean([one.statement.own for one in judged]))
    scores = {
        "ours, without marks": [_score(one.bare) for one in settled],
        "ours, with marks": [_score(one.marked) for one in settled],
        "words, without marks": [one.words_bare for one in settled],
        "words, with marks": [one.words_marked for one in settled],
    }
    for said, values in scores.items():
        yield _area(f"{name}: AUROC, {said}", values, truth, [one.statement.source for one in settled])
    for called, wanted in (("supported", False), ("unsupported", True)):
        yield from _flagged(name, called, [one for one in settled if one.statement.unsupported is wanted])
    yield Row.shown(
        f"{name}: share without a verdict, with marks", _mean([_open(one.marked) for one in judged])
    )
    open_ones = [one for one in judged if one.statement.unsupported is None]
    if open_ones:
        yield from _flagged(name, "unsettled", open_ones)


def _score(one: Found) -> float:
    """What has no score is where the evidence speaks neither way."""
    return PRIOR if one.score is None else one.score


def _area(quantity: str, values: Sequence[float], truth: Sequence[bool], sources: Sequence[str]) -> Row:
    scores, labels = np.asarray(values, dtype=np.float64), np.asarray(truth, dtype=bool)
    interval = resampled(
        sources,
        lambda rows: auc(scores[rows], labels[rows]),
        replicates=_REPLICATES,
        fewest=_REPLICATES // 2,
    )
    return Row.shown(quantity, auc(scores, labels), interval=interval)


def _flagged(name: str, called: str, rows: Sequence[Judged]) -> Iterator[Row]:
    sources = [one.statement.source for one in rows]
    quantity = f"{name}: {called} statements flagged"
    marked, bare = [_is_flagged(one.marked) for one in rows], [_is_flagged(one.bare) for one in rows]
    yield _share(f"{quantity}, with marks", marked, sources)
    yield _share(f"{quantity}, without marks", bare, sources)
    apart = abs(np.mean(marked) - np.mean(bare)) if rows else None
    yield Row.at_most(f"{quantity}, |with − without|", None if apart is None else float(apart), APART)


def _share(quantity: str, flags: Sequence[bool], sources: Sequence[str]) -> Row:
    values = np.asarray(flags, dtype=np.float64)
    interval = None
    if flags:
        interval = resampled(sources, lambda drawn: float(values[drawn].mean()), replicates=_REPLICATES)
    return Row.shown(quantity, _mean(flags), interval=interval)


def _is_flagged(one: Found) -> bool:
    return one.verdict is Verdict.UNSUPPORTED


def _open(one: Found) -> bool:
    return one.verdict in (None, Verdict.UNVERIFIED)


def _mean(values: Sequence[bool]) -> float | None:
    return float(np.mean(values)) if len(values) else None
