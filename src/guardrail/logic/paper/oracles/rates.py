"""Verdicts on the replies to many questions: what is wrong with each, and how often.

A right word is not enough to be right: a reply that states none of the facts, or none that could be read, is unverified.
"I don't know" and refusals are counted apart; the paper calls them normal [li2025, §3.6].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias, get_args

from guardrail.logic.paper.oracles.truth import Truth
from guardrail.logic.paper.oracles.verdicts import ReplyVerdict, judge
from guardrail.logic.paper.questions.evaluation import CaseOutcome
from guardrail.statistics.intervals import wilson

Category: TypeAlias = Literal["right", "error_knowledge", "error_inference", "both", "unknown", "unverified"]

CATEGORIES: Sequence[Category] = get_args(Category)
"""In the order in which they are shown; `unknown` is "I don't know" or a refusal."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """What is wrong with one reply.

    Attributes:
        name: the category; `None` where there is no reply.
        reason: one or two sentences.
        verdict: the oracles', with the statements that decided; `None` where they could not be asked.
    """

    name: Category | None
    reason: str
    verdict: ReplyVerdict | None = None

    @property
    def contradictory(self) -> bool:
        """Whether the first word and the reasons conclude differently."""
        return self.verdict is not None and self.verdict.contradictory

    def to_json(self) -> dict[str, Any]:
        """The category, and what decided it, as JSON objects."""
        decided = asdict(self.verdict) if self.verdict is not None else {}
        for name in ("name", "concluded", "reason"):
            decided.pop(name, None)
        return {"verdict": self.name, "reason": self.reason, **decided}


@dataclass(frozen=True, slots=True)
class Share:
    """How many replies are of one category.

    Attributes:
        count: how many.
        value: their share of all replies, in [0, 1]; `None` where there is no reply.
        interval: Wilson's, 95 %.
    """

    count: int
    value: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class CategoryCounts:
    """The categories of some replies.

    Attributes:
        replies: how many there are; questions without one do not count.
        shares: by category; the counts add up to `replies`.
        contradictory: replies whose first word and reasons conclude differently.
    """

    replies: int
    shares: Mapping[Category, Share]
    contradictory: int


def assess(outcome: CaseOutcome, truth: Truth | None) -> Assessment:
    """What is wrong with a reply.

    Args:
        outcome: the reply, read.
        truth: of its question; `None` where the facts are not known.

    Example:
        >>> from guardrail.logic.knowledge.facts import Triple
        >>> from guardrail.logic.paper.questions.evaluation import judged
        >>> truth = Truth("Was Euler born in Basel?", True, (Triple("Euler", "place of birth", "Basel"),))
        >>> [assess(judged(truth, text), truth).name for text in ("Yes. Euler was born in Basel.", "Yes.")]
        ['right', 'unverified']
    """
    if outcome.outcome == "failed":
        return Assessment(None, f"There is no reply: {outcome.text}")
    if outcome.outcome == "unknown":
        return Assessment("unknown", "It says that it does not know, or does not answer.")
    if truth is None:
        return Assessment("unverified", "The case gives no facts to judge the reply by.")
    verdict = judge(outcome.text, truth)
    if verdict.name != "correct":
        return Assessment(verdict.name, verdict.reason, verdict)
    if not verdict.true and len(verdict.missing) == len(truth.facts) + len(truth.spans):
        reason = (
            "Its conclusion is right, and it states none of the facts, or in words that could not be read."
        )
        return Assessment("unverified", reason, verdict)
    return Assessment("right", _right(verdict), verdict)


def tally(assessments: Sequence[Assessment]) -> CategoryCounts:
    """The shares of the categories."""
    names = [one.name for one in assessments if one.name is not None]
    return CategoryCounts(
        len(names),
        {name: _share(names.count(name), len(names)) for name in CATEGORIES},
        sum(one.contradictory for one in assessments),
    )


def _share(count: int, replies: int) -> Share:
    return Share(count, count / replies, wilson(count, replies)) if replies else Share(0, None, None)


def _right(verdict: ReplyVerdict) -> str:
    said = (
        "Its conclusion is right. The facts confirm what it rests on and contradict nothing that it states."
    )
    return f"{said} They do not settle: {'; '.join(verdict.unverified)}." if verdict.unverified else said
