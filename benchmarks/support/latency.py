"""How long an answer with eight marks on eight documents of 1,000 words takes, stage by stage."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks._rows import Row
from benchmarks._table import Run
from benchmarks.grounding.sets import read
from guardrail.backends import packaged_entailment
from guardrail.guard import Guard
from guardrail.report import Case
from guardrail.selfcheck.grounding.premises import Premises
from guardrail.support import Sources, SupportCheck, ties
from guardrail.text.sentences import split_sentences

__all__ = ["latency_rows", "material"]

MARKS, WORDS = 8, 1_000
_ANSWERS, _FEW = 5, 2
_WRONG = 2  # of the marks point to the next document, so that other sources are read


def latency_rows(run: Run) -> list[Row]:
    """Seconds by the clock, the median of some answers; shown, since they are those of this machine."""
    count = _FEW if run.fast else _ANSWERS
    rows: list[Row] = []
    for said, wrong in (("all marks right", 0), (f"{_WRONG} of {MARKS} marks wrong", _WRONG)):
        cases = list(material(run.data("grounding"), count + 1, wrong=wrong))
        guard = Guard([SupportCheck()])
        guard.check(cases[0])  # loads the model
        work = packaged_entailment().model.work
        before = work.texts
        whole, processor, of_model = [], [], []
        for case in cases[1:]:
            started, used = time.perf_counter(), time.process_time()
            report = guard.check(case)
            whole.append(time.perf_counter() - started)
            processor.append(time.process_time() - used)
            of_model.append(report.cost.total.seconds)
        pairs = (work.texts - before) / count
        of_ties = [_seconds(_tied, case) for case in cases[1:]]
        of_windows = [_seconds(_windows, case) for case in cases[1:]]
        label = f"{MARKS} marks, {MARKS} documents of {WORDS:,} words, {said}"
        rows += [
            _row(f"{label}: the whole answer", whole),
            _row(f"{label}: processor time of the whole answer", processor),
            _row(f"{label}: marks and their words", of_ties),
            _row(f"{label}: windows of each document once", of_windows),
            _row(f"{label}: the entailment model", of_model),
            Row.shown(f"{label}: pairs that the model reads", pairs, digits=1),
        ]
    return rows


def material(folder: Path, answers: int, *, wrong: int = 0) -> Iterator[Case]:
    """Each time other documents of sources of RAGTruth; each sentence is one of its document's.

    Args:
        folder: of the sets.
        answers: how many.
        wrong: how many marks point to the next document.
    """
    texts = list(dict.fromkeys(one.documents[0] for one in read(folder, "ragtruth_summary")))
    random.Random(0).shuffle(texts)
    place = 0
    for number in range(answers):
        documents: list[str] = []
        for _ in range(MARKS):
            words: list[str] = []
            while len(words) < WORDS:
                words += [f"{number}."] * (not words) + texts[place % len(texts)].split()
                place += 1
            documents.append(" ".join(words[:WORDS]))
        said = []
        for i, text in enumerate(documents):
            one = next(line for line in split_sentences(text)[1:] if 8 <= len(line.split()) <= 30)
            mark = (i + (i < wrong)) % MARKS + 1
            said.append(f"{one.rstrip('.')} [{mark}].")
        yield Case.of(" ".join(said), context=documents)


def _tied(case: Case) -> object:
    return ties(case.answer, Sources.of(case).cites)


def _windows(case: Case) -> object:
    return [Premises([text]) for text in case.context]


def _seconds(work: Callable[[Case], object], case: Case) -> float:
    started = time.perf_counter()
    work(case)
    return time.perf_counter() - started


def _row(quantity: str, seconds: Sequence[float]) -> Row:
    ends = min(seconds), max(seconds)
    return Row.shown(quantity, statistics.median(seconds), interval=ends, unit="s")
