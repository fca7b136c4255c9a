"""Short answers: SAC3's answers to HotpotQA questions, which no fit has seen, and single sentences of rows 0-118.

Half of the SAC3 rows are wrong *because* they refuse, so each figure comes twice: over all rows, and over the rows of which
no sentence is a refusal. An answer without a score ("the answer claims nothing") ranks as wrong: it does not answer the
question.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks._stats import auc, delong_interval
from benchmarks._table import Row
from benchmarks.selfcheck.metrics import passage_score
from benchmarks.selfcheck.passages import Passage
from benchmarks.selfcheck.scoring import Replies, case_of
from guardrail import Case
from guardrail.errors import InputError
from guardrail.report import Finding, Measurement, Span
from guardrail.selfcheck import EnsembleCheck, NgramCheck, ngram
from guardrail.selfcheck.ensemble.fits import Fit, threshold_of
from guardrail.selfcheck.similar import nearest
from guardrail.testing import play
from guardrail.text.kinds import refuses
from guardrail.text.sentences import split_sentences

__all__ = ["SAMPLES", "Answer", "chosen_rows", "read_answers", "short_rows"]

SAMPLES = 5
BAR_ALL, GOAL = 0.85, 0.78
"""What the default is to reach on all rows, and on those without a refusal; the second is not reached."""

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Answer:
    """A short answer with its samples, and whether it is wrong."""

    text: str
    samples: tuple[str, ...]
    wrong: bool


def read_answers(folder: Path) -> list[Answer]:
    """Read sac3_hotpotqa.jsonl.

    Raises:
        InputError: it is not of that form.
    """
    try:
        lines = (folder / "sac3_hotpotqa.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines if line.strip()]
        return [
            Answer(r["generated_answer"], tuple(r["self_evaluations"][:SAMPLES]), r["label"] == "False")
            for r in rows
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"sac3_hotpotqa.jsonl: expected rows of SAC3, got {error!r}") from error


def short_rows(answers: Sequence[Answer], fit: Fit | None) -> list[Row]:
    """AUROC of "wrong" on the SAC3 answers.

    Args:
        answers: all.
        fit: the packaged one, whose models are installed; `None` = they are not, and the default has no row.
    """
    wrong = np.array([one.wrong for one in answers])
    refusing = np.array([any(map(refuses, split_sentences(one.text))) for one in answers])
    silent = sum(refuses(one.text) for one in answers)
    title = f"SAC3 HotpotQA, {SAMPLES} samples"
    found = [
        Row.shown(f"{title}: answers that claim nothing", silent),
        Row.shown(f"{title}: answers with a refusal in them", int(refusing.sum())),
        Row.shown(f"{title}, a refusal, yes or no: AUROC, all rows", auc(refusing.astype(float), wrong)),
    ]
    length = [float(len(one.text.split())) for one in answers]
    found += _rows(f"{title}, words of the answer", length, wrong, refusing)
    found += _rows(f"{title}, n-gram as in the paper", [_paper(one) for one in answers], wrong, refusing)
    alone = [_score(play(NgramCheck().examine(_case(one)))) for one in answers]
    found += _rows(f"{title}, n-gram", alone, wrong, refusing)
    name = f"{title}, default"
    if fit is None:
        return [*found, Row.missing(name, "needs the packaged models")]
    detector = EnsembleCheck(fit=fit)
    replies, scores = Replies(detector), []
    for number, one in enumerate(answers):
        replies.learn(Passage(number, one.text, (), (), one.samples))
        scores.append(_score(play(detector.examine(_case(one)), replies)))
    return [*found, *_rows(name, scores, wrong, refusing, bar=BAR_ALL, goal=GOAL)]


def chosen_rows(passages: Sequence[Passage], fit: Fit) -> list[Row]:
    """Why short texts have members of their own: each sentence of the fitted rows as an answer of one sentence.

    A sample is its sentence that is most like the answer.
    """
    detector = EnsembleCheck(fit=fit, splitter=lambda text: [Span(start=0, end=len(text))])
    replies, labels = Replies(detector), []
    own: dict[str, list[float]] = {"all members": [], "the members for short texts": []}
    for passage in passages:
        for sentence, label in zip(passage.sentences, passage.labels, strict=True):
            near = [found[0][0] for s in passage.samples[:SAMPLES] if (found := nearest(sentence, s, 1))]
            one = Passage(passage.number, sentence.strip(), (), (), tuple(near))
            replies.learn(one)
            [finding] = play(detector.examine(case_of(one)), replies)
            said = {e.name: e.value for e in finding.evidence if isinstance(e, Measurement)}
            limits = {n: v for n in fit.names if (v := said.get(threshold_of(n))) is not None}
            scores = {name: [said.get(name)] for name in fit.names}
            whole, short = (
                f.predict(scores, max(1, len(near)), limits)[0].probability
                for f in (replace(fit, short=()), fit)
            )
            if whole is not None and short is not None:
                labels.append(label >= 0.5)
                own["all members"].append(whole)
                own["the members for short texts"].append(short)
    title = f"Single sentences of rows 0-118, {SAMPLES} samples of one sentence"
    return [
        Row.shown(f"{title}, {name}: AUROC", auc(column, labels), interval=delong_interval(column, labels))
        for name, column in own.items()
    ]


def _case(one: Answer) -> Case:
    return Case(answer=one.text, samples=one.samples)


def _score(findings: Sequence[Finding]) -> float | None:
    """The mean of the sentences that have a score."""
    scores = [one.score for one in findings if one.score is not None]
    return statistics.fmean(scores) if scores else None


def _paper(one: Answer) -> float | None:
    """The mean over sentences, refusals scored like all others."""
    return passage_score(ngram.surprisals(split_sentences(one.text), one.samples, tokens="paper"))


def _rows(
    title: str,
    scores: Sequence[float | None],
    wrong: Flags,
    refusing: Flags,
    **bars: float,
) -> list[Row]:
    known = [one for one in scores if one is not None]
    values = np.array([max(known) + 1 if one is None else one for one in scores])
    every, others = (
        f"{title}: AUROC, all rows",
        f"{title}: AUROC, the {int((~refusing).sum())} without a refusal",
    )
    details: dict[str, Any] = {"interval": delong_interval(values[~refusing], wrong[~refusing])}
    if "goal" in bars:
        others += f" (goal: {bars['goal']})"
    rest = Row.shown(others, auc(values[~refusing], wrong[~refusing]), **details)
    if "bar" in bars:
        return [
            Row.at_least(every, auc(values, wrong), bars["bar"], interval=delong_interval(values, wrong)),
            rest,
        ]
    return [Row.shown(every, auc(values, wrong), interval=delong_interval(values, wrong)), rest]
