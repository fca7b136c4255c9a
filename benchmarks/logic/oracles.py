"""Semantic oracles on the labelled replies: confusion matrices of both halves, accuracy, paraphrases, thresholds.

Needs neither Prolog nor a model: the ground truth comes with each reply. The half "unseen" was not looked at while
ways of saying, rules and thresholds were chosen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks._stats import wilson_interval
from benchmarks._table import Row, Run
from benchmarks.logic.temporal import read_cases
from benchmarks.logic.thresholds import best, estimate
from guardrail.errors import ParseError
from guardrail.logic.knowledge import Triple
from guardrail.logic.paper.oracles.truth import Truth
from guardrail.logic.paper.oracles.verdicts import ReplyVerdict, judge

__all__ = ["BAR", "CLASSES", "Judged", "judged", "rows"]

BAR = 0.9
ALIKE = 0.8  # the paper's: similarity of graphs from which a reply agrees with the truth
CLASSES = ("correct", "error_inference", "error_knowledge", "both")
HALVES = ("tuning", "unseen")
LABELLED = Path(__file__).parent / "labelled" / "replies.jsonl"


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled reply and the verdict on it."""

    identifier: str
    half: str
    kind: str
    label: str
    contradictory: bool
    verdict: ReplyVerdict
    answer: bool

    @property
    def similarity(self) -> float:
        """The lesser of node and edge similarity; 0 for a reply that states nothing, whose graph is empty."""
        return min(self.verdict.nodes or 0.0, self.verdict.edges or 0.0)

    @property
    def by_similarity(self) -> str:
        """The verdict of the paper's two thresholds alone: unlike edges or nodes are an error of knowledge.

        A conclusion that is wrong over a like graph is one of inference.
        """
        if self.verdict.concluded is None:
            return "correct"
        wrong = self.verdict.concluded != self.answer
        if self.similarity < ALIKE:
            return "both" if wrong else "error_knowledge"
        return "error_inference" if wrong else "correct"

    @property
    def right(self) -> bool:
        """Whether verdict and label are one."""
        return self.verdict.name == self.label


def judged(path: Path = LABELLED) -> list[Judged]:
    """The verdict on each labelled reply of a file.

    Raises:
        ParseError: a line lacks a field or has a label that there is not.
    """
    found = []
    for number, case in enumerate(read_cases(path), start=1):
        try:
            found.append(_judged(case))
        except (KeyError, TypeError, ValueError) as error:
            raise ParseError(
                f"expected a labelled reply: {error!r}", source=path.name, line=number
            ) from error
    return found


def _judged(case: Mapping[str, Any]) -> Judged:
    if case["verdict"] not in CLASSES or case["half"] not in HALVES:
        raise ValueError(f"{case['verdict']!r} in {case['half']!r}")
    truth = Truth(
        case["question"],
        {"Yes": True, "No": False}[case["answer"]],
        tuple(Triple(*fact) for fact in case["facts"]),
        tuple((event, first, last) for event, first, last in case["spans"]),
    )
    verdict = judge(case["reply"], truth)
    label, contradictory = case["verdict"], case["contradictory"]
    return Judged(case["id"], case["half"], case["kind"], label, contradictory, verdict, truth.answer)


def rows(run: Run) -> list[Row]:
    """Every row."""
    del run  # the labelled replies are part of the project
    replies = judged()
    found: list[Row] = []
    for half in HALVES:
        found += _half(half, [one for one in replies if one.half == half])
    wronged = [
        one.identifier for one in replies if one.label == "correct" and "knowledge" in one.verdict.name
    ]
    found.append(Row.equal("Oracle: correct replies called wrong knowledge", len(wronged), 0))
    return [*found, *_thresholds([one for one in replies if one.half == "tuning"])]


def _half(half: str, replies: Sequence[Judged]) -> list[Row]:
    matrix: Counter[tuple[str, str]] = Counter((one.label, one.verdict.name) for one in replies)
    found = []
    for label in CLASSES:
        said = {name: matrix[label, name] for name in (*CLASSES, "unverified") if matrix[label, name]}
        words = ", ".join(f"{name} {count}" for name, count in said.items())
        found.append(Row.shown(f"Oracle, {half} half: replies labelled {label} are called", words))
    right = sum(one.right for one in replies)
    interval = wilson_interval(right, len(replies))
    quantity = f"Oracle, {half} half: accuracy over {len(replies)} replies"
    found.append(Row.at_least(quantity, right / len(replies), BAR, interval=interval))
    for kind in ("facts", "temporal"):
        some = [one for one in replies if one.kind == kind]
        right = sum(one.right for one in some)
        quantity = f"Oracle, {half} half: accuracy over {len(some)} replies on {kind}"
        found.append(Row.shown(quantity, right / len(some), interval=wilson_interval(right, len(some))))
    agreed = sum(one.verdict.contradictory == one.contradictory for one in replies)
    said_so = f"Oracle, {half} half: contradictory or not, as labelled"
    found.append(Row.shown(said_so, agreed / len(replies), interval=wilson_interval(agreed, len(replies))))
    alone = sum(one.by_similarity == one.label for one in replies)
    found.append(
        Row.shown(
            f"Oracle, {half} half: accuracy of the paper's thresholds alone",
            alone / len(replies),
            interval=wilson_interval(alone, len(replies)),
        )
    )
    return found


def _thresholds(replies: Sequence[Judged]) -> list[Row]:
    """The paper's estimate of its threshold, and the best one, on the tuning half."""
    sampled = [
        (one.similarity, one.label in {"error_knowledge", "both"})
        for one in replies
        if one.verdict.concluded is not None
    ]
    paper, ours = estimate(sampled, 0.8), best(sampled)
    return [
        Row.shown(
            f"Threshold .8: the next reply below it states what is false (Laplace, {paper.wrong} of {paper.below})",
            paper.precision,
            published=0.996,
        ),
        Row.shown("Threshold .8: replies on the right side", paper.accuracy),
        Row.shown(
            "Threshold that puts most replies on the right side", ours.threshold, published=0.8, digits=2
        ),
        Row.shown("Replies on the right side of that", ours.accuracy),
    ]
