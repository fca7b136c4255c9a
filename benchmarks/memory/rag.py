"""Answers to questions about a passage, labelled by hand: is what is invented scored above what is not?

Two halves. Everything was chosen on "tuning"; "unseen" is only scored. The guard asks its own prompts; a recording
built from the written rephrasings and replies answers them, and the encoder is the real one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import numpy as np

from benchmarks._stats import auc, resampled
from benchmarks._table import Row, Run
from benchmarks.memory.comparing import NEEDS, SETTINGS, Compare, Setting, comparer, fingerprint
from guardrail import Case, Guard, Verdict
from guardrail.backends.packaged import encoder_installed
from guardrail.chat import RecordedChat
from guardrail.detectors import MemoryConsistency
from guardrail.errors import InputError
from guardrail.memory.external import ExternalFit, Measured, learn, measure, packaged_fit
from guardrail.memory.external.prompts import answer_prompt
from guardrail.report import Finding
from guardrail.requests import Ask, Completion, Similarity
from guardrail.testing import play

__all__ = ["Labelled", "fit_answers", "read", "rows", "true_rephrasings"]

LABELLED = Path(__file__).parent / "labelled" / "rag.jsonl"
TEMPERATURE = 0.95
USED = 4
"""Rephrasings that a check asks for; the data has six, so two more stand by."""

REPLICATES = 2_000

WRONG = {"en02b": {5}, "en06b": {5}, "en08a": {5}, "zh02b": {5}, "zh03a": {6}}
"""Replies of the tuning half that are wrong on purpose, counted from 1, as labelled/README.md tells."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """One row."""

    id: str
    half: Literal["tuning", "unseen"]
    language: Literal["en", "zh"]
    invented: bool
    kind: str
    context: str
    question: str
    answer: str
    rephrasings: tuple[str, ...]
    replies: tuple[str, ...]


def read(path: Path = LABELLED) -> list[Labelled]:
    """All rows.

    Raises:
        InputError: a row is none.
    """
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            found.append(
                Labelled(
                    **{name: row[name] for name in ("id", "half", "language", "kind", "context", "question")},
                    answer=row["answer"],
                    invented={"invented": True, "faithful": False}[row["label"]],
                    rephrasings=tuple(row["rephrasings"]),
                    replies=tuple(row["replies"]),
                )
            )
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path.name}:{number}: expected a labelled answer, got {error!r}") from error
    return found


def true_rephrasings(language: str, compare: Compare) -> list[float]:
    """Similarities of the written rephrasings of the tuning half with their sources, each source once."""
    sources = {
        one.context: one.rephrasings for one in read() if (one.half, one.language) == ("tuning", language)
    }
    return compare([(text, source) for source, some in sources.items() for text in some])


def normal_answers(language: str, compare: Compare) -> list[Measured]:
    """Every right reply of the tuning half in turn as the answer, beside four of the others.

    Whether the row's own answer is invented does not matter: it is not used.
    """
    found = []
    for one in read():
        if (one.half, one.language) != ("tuning", language):
            continue
        for i, reply in enumerate(one.replies):
            if i + 1 in WRONG.get(one.id, ()):
                continue
            chosen = [j for j in range(len(one.replies)) if j != i][:USED]
            others = [one.replies[j] for j in chosen]
            own = compare([(reply, other) for other in others])
            texts = [one.rephrasings[i], *(one.rephrasings[j] for j in chosen)]
            found.append(measure(texts, [reply, *others], own, compare(list(combinations(others, 2)))))
    return found


def fit_answers(setting: Setting, compare: Compare) -> ExternalFit:
    """The packaged fit of normal answers."""
    language, encoder = setting
    return learn(
        normal_answers(language, compare),
        task="answer",
        language=language,
        encoder=encoder,
        compared_by=fingerprint(encoder),
        rephrasings=true_rephrasings(language, compare),
        form="relative",
        relevance=False,
        false_alarms=0.1,
        provenance={
            "corpus": "labelled/rag.jsonl, half 'tuning': each right reply in turn beside four of the others",
            "licence": "written for this project",
            "labels": "by hand: replies that are wrong on purpose are left out",
            "command": "python -m benchmarks.memory.corpus",
        },
    )


def recording(one: Labelled, detector: MemoryConsistency, compare: Compare) -> RecordedChat:
    """What the model is taken to have said to this detector.

    Each request for a rephrasing gets the next of the written ones, and the question on the i-th of them the i-th reply.
    """
    said: dict[Ask, str] = {}
    questions = {
        answer_prompt(one.question, text, language=one.language): reply
        for text, reply in zip(one.rephrasings, one.replies, strict=True)
    }
    texts = iter(one.rephrasings)

    def reply(request: Any) -> Any:
        if not isinstance(request, Ask):
            [value] = compare([(request.candidate, request.reference)])
            return Similarity(value, value, value)
        said[request] = questions.get(request.messages) or next(texts)
        return Completion(said[request])

    play(detector.examine(case_of(one)), reply)
    return RecordedChat(said)


def case_of(one: Labelled) -> Case:
    """The row as a guard gets it."""
    return Case.of(one.answer, prompt=one.question, context=[one.context])


def check(one: Labelled, encoder: Literal["packaged", "chrf"], compare: Compare) -> Finding:
    """The finding of a guard with the packaged fit."""
    detector = MemoryConsistency(
        rephrasings=USED, retries=len(one.rephrasings) - USED, encoder=encoder, temperature=TEMPERATURE
    )
    guard = Guard([detector], chat=recording(one, detector, compare))
    [finding] = guard.check(case_of(one)).findings
    return finding


def _pairs(one: Labelled) -> list[tuple[str, str]]:
    """What a detector may ask to compare about a row."""
    same = [(text, one.context) for text in one.rephrasings]
    return [*same, *((one.answer, reply) for reply in one.replies), *combinations(one.replies, 2)]


def rows(run: Run) -> list[Row]:
    """Both halves, English and Chinese."""
    found: list[Row] = []
    labelled = read()
    run.parameters["rag.rows"] = len(labelled)
    pooled: dict[str, list[tuple[Labelled, float]]] = {"tuning": [], "unseen": []}
    for name, (language, encoder) in SETTINGS.items():
        for half in ("tuning", "unseen"):
            title = f"RAG, {name}, {half} half"
            some = [one for one in labelled if (one.half, one.language) == (half, language)]
            if encoder == "packaged" and not encoder_installed():
                found.append(Row.missing(f"{title}: AUROC", NEEDS))
                continue
            compare = comparer(encoder)
            compare([pair for one in some for pair in _pairs(one)])  # at once: one by one takes twice as long
            findings = [check(one, encoder, compare) for one in some]
            scored = [(one, f.score) for one, f in zip(some, findings, strict=True) if f.score is not None]
            found += _figures(title, scored)
            flagged = [f.verdict is Verdict.UNSUPPORTED for f in findings]
            bad = np.array([one.invented for one in some])
            found += [
                Row.shown(f"{title}: answers unverified", len(some) - len(scored), digits=0),
                *_passing(title, some, encoder, compare),
                Row.shown(f"{title}: invented answers flagged", float(np.mean(np.array(flagged)[bad]))),
                Row.shown(f"{title}: faithful answers flagged", float(np.mean(np.array(flagged)[~bad]))),
            ]
            best = language == "zh" or encoder == ("packaged" if encoder_installed() else "chrf")
            if best:
                pooled[half] += scored
    for half, scored in pooled.items():
        found += _figures(
            f"RAG, both languages by the default encoder, {half} half", scored, bar=half == "unseen"
        )
    return found


def _passing(
    title: str, some: Sequence[Labelled], encoder: Literal["packaged", "chrf"], compare: Compare
) -> list[Row]:
    """What T_cq lets pass: written rephrasings of a context, and other contexts."""
    fit = packaged_fit("answer", some[0].language, encoder)
    assert fit is not None  # noqa: S101  # it is packaged
    sources = {one.context: one.rephrasings for one in some}
    same = compare([(text, source) for source, texts in sources.items() for text in texts])
    other = compare([(first, second) for first in sources for second in sources if first != second])
    found = []
    for what, values in (("rephrasings", same), ("other texts", other)):
        passed = [value > fit.same_meaning for value in values]
        found.append(Row.shown(f"{title}: {what} that pass T_cq, of {len(passed)}", float(np.mean(passed))))
    return found


def _figures(title: str, scored: Sequence[tuple[Labelled, float]], *, bar: bool = False) -> list[Row]:
    labels = [one.invented for one, _ in scored]
    values = [value for _, value in scored]
    area = auc(values, labels)
    interval = clustered(scored)
    quantity = f"{title}: AUROC, {len(scored)} answers"
    if bar:
        return [Row.at_least(quantity, area, 0.5, interval=interval)]
    return [Row.shown(quantity, area, interval=interval)]


def clustered(scored: Sequence[tuple[Labelled, float]]) -> tuple[float, float] | None:
    """The AUROC's 95 % percentile interval, contexts resampled: answers about one context are not independent."""
    labels = np.array([one.invented for one, _ in scored])
    values = np.array([value for _, value in scored])
    contexts = [one.context for one, _ in scored]
    return resampled(contexts, lambda rows: auc(values[rows], labels[rows]), replicates=REPLICATES)
