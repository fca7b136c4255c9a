"""Putting cases to a chat model: replies, what became of each, and rates with intervals.

The flow asks at temperature 0, so that with a lasting cache a run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from guardrail.engine.flow import Failed, Flow, each
from guardrail.logic.paper.questions.prompt import Kind, prompt
from guardrail.logic.paper.questions.reply import parse_reply
from guardrail.requests import Ask
from guardrail.statistics.intervals import wilson

_MOST_TOKENS = 400  # of a reply

Outcome: TypeAlias = Literal["right", "wrong", "unknown", "malformed", "failed"]


class Asked(Protocol):
    """What a case must have: a question and its answer."""

    @property
    def question(self) -> str:
        """In English."""

    @property
    def answer(self) -> bool:
        """Whether Yes is right."""


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """One case and what a model made of it.

    Attributes:
        case: what was asked.
        outcome: "wrong" is a hallucination; "unknown" (I don't know, a refusal) is normal [li2025, §3.6];
            "malformed" and "failed" are not judged.
        said: "yes" or "no" where the reply says so.
        text: the reply; the reason where it failed.
    """

    case: Asked
    outcome: Outcome
    said: Literal["yes", "no"] | None
    text: str


@dataclass(frozen=True, slots=True)
class Rate:
    """How many of the judged replies are wrong.

    Attributes:
        wrong: how many.
        judged: right, wrong and unknown ones together.
        value: wrong of judged, in [0, 1]; `None` where none was judged.
        interval: Wilson's, 95 %.
        says_yes: share of Yes among Yes and No; `None` where there is neither.
        malformed: replies without a conclusion.
        failed: questions without a reply.
    """

    wrong: int
    judged: int
    value: float | None
    interval: tuple[float, float] | None
    says_yes: float | None
    malformed: int = 0
    failed: int = 0


def evaluate(
    cases: Sequence[Asked],
    *,
    kind: Kind = "relation",
    context: Callable[[Any], Sequence[str]] | None = None,
) -> Flow[list[CaseOutcome]]:
    """Ask all cases; the outcomes come in their order.

    Args:
        cases: what to ask.
        kind: which prompt.
        context: sentences in the prompt: a case's own facts, for asking again with the evidence.
    """
    replies = yield from each(
        Ask(
            prompt(case.question, kind=kind, context=context(case) if context else ()),
            temperature=0.0,
            max_tokens=_MOST_TOKENS,
        )
        for case in cases
    )
    return [
        CaseOutcome(case, "failed", None, str(reply))
        if isinstance(reply, Failed)
        else judged(case, reply.value.text)
        for case, reply in zip(cases, replies, strict=True)
    ]


def judged(case: Asked, text: str) -> CaseOutcome:
    """What became of one reply."""
    match parse_reply(text).conclusion:
        case "unknown" | "malformed" as other:
            return CaseOutcome(case, other, None, text)
        case said:
            right = (said == "yes") == case.answer
            return CaseOutcome(case, "right" if right else "wrong", said, text)


def wrong_rate(outcomes: Sequence[CaseOutcome]) -> Rate:
    """The rate of wrong replies."""
    count = {name: sum(one.outcome == name for one in outcomes) for name in ("right", "wrong", "unknown")}
    total = sum(count.values())
    said = [one.said for one in outcomes if one.said is not None]
    return Rate(
        wrong=count["wrong"],
        judged=total,
        value=count["wrong"] / total if total else None,
        interval=wilson(count["wrong"], total) if total else None,
        says_yes=said.count("yes") / len(said) if said else None,
        malformed=sum(one.outcome == "malformed" for one in outcomes),
        failed=sum(one.outcome == "failed" for one in outcomes),
    )
