"""Many cases together: what a model answers, how it answers a rephrased text, how often the two differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from guardrail.engine.flow import Branch, Failed, Flow, gather, one, why
from guardrail.memory.external.check import MemoryConsistency
from guardrail.memory.external.flows import ask_again, cleaned
from guardrail.memory.external.prompts import source_of, task_of
from guardrail.memory.external.segmentation import language
from guardrail.report import Case, Finding, Verdict
from guardrail.requests import Ask
from guardrail.statistics.intervals import wilson


@dataclass(frozen=True, slots=True)
class Entry:
    """A case to survey; without an answer the model is asked for one.

    Attributes:
        id: of the row.
        case: documents, a question, or both.
        label: "normal", "invented", or "" where nobody said.
    """

    id: str
    case: Case
    label: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one case.

    Attributes:
        entry: as given.
        answer: r_1, given or asked for.
        texts: the source, and the rephrasings that were answered.
        responses: r_1, and one per rephrasing.
        finding: `None` where there was no answer.
        reason: why there is no finding.
    """

    entry: Entry
    answer: str = ""
    texts: tuple[str, ...] = ()
    responses: tuple[str, ...] = ()
    finding: Finding | None = None
    reason: str = ""


def survey(entries: Sequence[Entry], detector: MemoryConsistency) -> Flow[list[Outcome]]:
    """All cases at their own speed, in order; one that fails does not stop the others."""
    found = yield from gather(Branch(_outcome(entry, detector)) for entry in entries)
    return [
        Outcome(entry, reason=str(outcome)) if isinstance(outcome, Failed) else outcome
        for entry, outcome in zip(entries, found, strict=True)
    ]


class Share(NamedTuple):
    """A share with its 95 % interval; `None` where it is not defined."""

    value: float | None
    interval: tuple[float, float] | None


def share_of(outcomes: Sequence[Outcome]) -> tuple[Share, int]:
    """P: the share of inconsistent answers among those that were judged; and how many were not."""
    judged = [one.finding for one in outcomes if one.finding is not None and one.finding.score is not None]
    flagged = sum(finding.verdict is Verdict.UNSUPPORTED for finding in judged)
    share = Share(flagged / len(judged), wilson(flagged, len(judged))) if judged else Share(None, None)
    return share, len(outcomes) - len(judged)


def _outcome(entry: Entry, detector: MemoryConsistency) -> Flow[Outcome]:
    case, answer = entry.case, entry.case.answer
    if not answer.strip():
        source = source_of(case) or case.question.strip()
        if not source:
            return Outcome(entry, reason="there is neither a document nor a question")
        tongue = language(source) if detector.language == "auto" else detector.language
        messages = task_of(case, source, language=tongue, paper=detector.prompts == "paper")
        reply = yield from one(Ask(messages, temperature=detector.temperature))
        if isinstance(reply, Failed):
            return Outcome(entry, reason=why([reply]))
        answer = cleaned(reply.value.text)
        case = case.model_copy(update={"answer": answer})
    findings = yield from detector.examine(case)
    plan = detector.plan(case)
    if isinstance(plan, str) or not findings:
        finding = findings[0] if findings else None
        return Outcome(entry, answer, finding=finding, reason="" if findings else "the answer is empty")
    again = yield from ask_again(plan)  # answered from memory
    return Outcome(
        entry,
        answer,
        (plan.source, *(pair.rephrasing.text for pair in again.pairs)),
        (answer, *(pair.response for pair in again.pairs)),
        findings[0],
    )
