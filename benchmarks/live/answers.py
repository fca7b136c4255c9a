"""Biographies judged by their samples, answers from documents, and memory: of pairs, and of texts in other words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks._rows import Row
from benchmarks._stats import auc, delong_interval, resampled, wilson_interval
from benchmarks._table import Run
from benchmarks.live.asked import Asked
from benchmarks.live.labels import Labels
from benchmarks.memory.internal import CAPITALS, live_rows, read_capitals
from benchmarks.selfcheck.metrics import average_precision
from guardrail import Guard, Report, Verdict, flag
from guardrail.detectors import MemoryConsistency, SelfCheck
from guardrail.report import Finding
from guardrail.selfcheck.grounding.novelty import DocumentWords, novelty
from guardrail.text.plain import plain_text

__all__ = ["Paired", "biography", "biography_rows", "document_rows", "memory_rows", "paired"]

SAMPLES = 5
REPLICATES = 1_000
KS = (2, 3, 5)
_PASSAGE = re.compile(r"^passage \d+:", re.MULTILINE)


# -- biographies


def biography(person: str) -> str:
    """What is asked about a person."""
    return f"Write a short biography of {person}, in five sentences."


def biography_rows(asked: Asked, people: Sequence[tuple[int, str]], labels: Labels) -> Iterator[Row]:
    """Row 2: sentences judged by five other answers to the same question."""
    variants = {"n-gram": SelfCheck("ngram", samples=SAMPLES), "default": SelfCheck(samples=SAMPLES)}
    guard = Guard(variants.values(), chat=asked, policy=flag())
    reports = asked.each("biographies", people, lambda one: guard.generate(biography(one[1])))
    spent = asked.spent()
    for name, detector in variants.items():
        rows = list(_sentences(people, reports, detector.name, labels))
        title = f"biographies: {name} with {SAMPLES} samples, AP of made-up sentences"
        yield from _precision_rows(title, rows)
    if "biographies" in labels.agreement:
        yield Row.shown("biographies: two people agree", labels.agreement["biographies"])
    yield Row.shown("biographies: calls each", spent.calls / len(people), digits=1)
    yield Row.shown(
        "biographies: seconds of the model each (four at once)",
        spent.seconds / len(people),
        unit="s",
        digits=1,
    )


def _sentences(
    people: Sequence[tuple[int, str]], reports: Sequence[Report], detector: str, labels: Labels
) -> Iterator[tuple[int, float, bool]]:
    """Person, score, and whether the sentence is made up."""
    for (person, _), report in zip(people, reports, strict=True):
        for finding in report.findings:
            invented = labels.sentences.get((person, finding.text))
            if finding.detector == detector and finding.score is not None and invented is not None:
                yield person, finding.score, invented


def _precision_rows(title: str, rows: Sequence[tuple[int, float, bool]]) -> Iterator[Row]:
    if not rows:
        yield Row.missing(title, "nobody has labelled this model's sentences")
        return
    groups, scores, labels = ([row[i] for row in rows] for i in range(3))

    def of(chosen: Any) -> float | None:
        return average_precision([labels[i] for i in chosen], [scores[i] for i in chosen])

    value = of(range(len(rows)))
    if value is None:
        yield Row.missing(title, "they are all alike")
        return
    yield Row.shown(
        f"{title} ({len(rows)})", value, interval=resampled(groups, of, replicates=REPLICATES), digits=1
    )
    yield Row.shown(f"{title}: by chance", 100 * sum(labels) / len(labels), digits=1)


# -- memory


def memory_rows(run: Run, asked: Asked, questions: int) -> Iterator[Row]:
    """Row 3, pairs: how many lists of k capitals are put right of those that are known singly."""
    capitals = read_capitals(run.data("memory") / "capitals.jsonl")
    for row in live_rows(capitals, CAPITALS, asked, questions=questions, ks=KS):
        yield Row(
            f"capitals: {row.quantity.removeprefix('Live model: ').removeprefix('Live model, ')}",
            ours=row.ours,
            interval=row.interval,
            ok=row.ok,
            reason=row.reason,
        )
    for k, orders in ((2, 2), (3, 6), (5, 120)):
        yield Row.shown(f"capitals: P at k = {k} of an order by chance", 1 - 1 / orders)


# -- documents


@dataclass(frozen=True, slots=True)
class Paired:
    """A question with documents.

    Attributes:
        number: its place.
        question: in words.
        passages: which answer it, or those of another question.
        answerable: which of the two.
    """

    number: int
    question: str
    passages: tuple[str, ...]
    answerable: bool

    @property
    def prompt(self) -> str:
        """What the model gets."""
        shown = "\n\n".join(f"Document {i}: {text}" for i, text in enumerate(self.passages, 1))
        return (
            "Answer the question from the documents alone, in at most three sentences. If they do not contain the answer, say so.\n\n"
            f"{shown}\n\nQuestion: {self.question}"
        )


def paired(run: Run, count: int) -> list[Paired]:
    """Questions of RAGTruth: every second one with the passages of the question that is half of the list away."""
    path = run.data("grounding") / "ragtruth_qa.jsonl"
    rows = [
        json.loads(line)["source"] for line in path.read_text(encoding="utf-8").splitlines() if line.strip()
    ]
    found = []
    for i, row in enumerate(rows[:count]):
        other = rows[(i + len(rows) // 2) % len(rows)] if i % 2 else row
        found.append(Paired(i, row["question"], _passages(other["passages"]), i % 2 == 0))
    return found


def _passages(text: str) -> tuple[str, ...]:
    return tuple(filter(None, (one.strip() for one in _PASSAGE.split(text))))


def document_rows(
    asked: Asked, questions: Sequence[Paired], labels: Labels, remembered: int
) -> Iterator[Row]:
    """Row 5: what grounding says of answers from documents; of the first answerable ones also the answer on documents in other words (row 3)."""
    guard = Guard([SelfCheck("grounding")], chat=asked, policy=flag())
    reports = asked.each("documents", questions, lambda one: guard.generate(one.prompt, context=one.passages))
    asked.spent()
    flagged = {
        one.number: report.verdict is Verdict.UNSUPPORTED
        for one, report in zip(questions, reports, strict=True)
    }
    for name, wanted in (("with the answer", True), ("of another question", False)):
        own = [flagged[one.number] for one in questions if one.answerable is wanted]
        yield Row.shown(
            f"documents {name}: answers flagged of {len(own)}",
            sum(own) / len(own),
            interval=wilson_interval(sum(own), len(own)),
        )
    scores = {one.number: _worst(report.findings) for one, report in zip(questions, reports, strict=True)}
    words = {
        one.number: _new_words(report.case.answer, one.passages)
        for one, report in zip(questions, reports, strict=True)
    }
    yield from _labelled_rows("documents", labels.answers, {"grounding": scores, "new words": words})
    if labels.answers:
        caught = [flagged[i] for i, supported in labels.answers.items() if not supported and i in flagged]
        passed = [not flagged[i] for i, supported in labels.answers.items() if supported and i in flagged]
        if caught and passed:
            yield Row.shown(
                "documents: balanced accuracy at the threshold (.5 by chance)",
                (sum(caught) / len(caught) + sum(passed) / len(passed)) / 2,
            )
    if "documents" in labels.agreement:
        yield Row.shown("documents: two people agree", labels.agreement["documents"])
    yield from _remembered_rows(asked, questions, reports, labels, remembered)


def _remembered_rows(
    asked: Asked, questions: Sequence[Paired], reports: Sequence[Report], labels: Labels, most: int
) -> Iterator[Row]:
    guard = Guard([MemoryConsistency()], chat=asked, policy=flag())
    chosen = [pair for pair in zip(questions, reports, strict=True) if pair[0].answerable][:most]
    again = asked.each(
        "documents in other words",
        chosen,
        lambda pair: guard.check(pair[1].case.answer, prompt=pair[0].prompt, context=pair[0].passages),
    )
    spent = asked.spent()
    scores = {pair[0].number: _worst(report.findings) for pair, report in zip(chosen, again, strict=True)}
    known = [score for score in scores.values() if score is not None]
    yield Row.shown(f"documents in other words: answers with a score of {len(chosen)}", len(known))
    flagged = sum(report.verdict is Verdict.UNSUPPORTED for report in again)
    yield Row.shown(
        "documents in other words: answers flagged",
        flagged / len(chosen),
        interval=wilson_interval(flagged, len(chosen)),
    )
    own = {number: supported for number, supported in labels.answers.items() if number in scores}
    yield from _labelled_rows("documents in other words", own, {"memory": scores})
    yield Row.shown("documents in other words: calls each", spent.calls / len(chosen), digits=1)


def _labelled_rows(
    title: str, labels: Mapping[int, bool], scores: Mapping[str, Mapping[int, float | None]]
) -> Iterator[Row]:
    """AUROC of answers that the documents do not bear out, by each score."""
    for name, own in scores.items():
        rows = [(score, not labels[i]) for i, score in own.items() if score is not None and i in labels]
        values, truth = [one for one, _ in rows], [one for _, one in rows]
        area = auc(values, truth) if rows else None
        if area is None:
            reason = "they are all alike" if labels else "nobody has labelled this model's answers"
            yield Row.missing(f"{title}: {name}, AUROC", reason)
        else:
            yield Row.shown(
                f"{title}: {name}, AUROC ({len(rows)})", area, interval=delong_interval(values, truth)
            )


def _worst(findings: Sequence[Finding]) -> float | None:
    return max((one.score for one in findings if one.score is not None), default=None)


def _new_words(answer: str, passages: Sequence[str]) -> float | None:
    found = novelty(plain_text(answer), DocumentWords.of(passages))
    return None if found is None else found.words
