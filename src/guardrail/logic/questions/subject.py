"""A simulated subject: answers cases with errors of knowledge and of inference that were put in on purpose.

It recalls the facts of a case and concludes from what it recalls. A knowledge error replaces one fact by a
false one, and it concludes the opposite of the truth; an inference error turns what it concludes. Both together give
the right word by the wrong way. It says all this in English, so a judge sees no more than of a real model.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from guardrail.errors import ConfigError
from guardrail.logic.knowledge.facts import Triple
from guardrail.logic.knowledge.relations import Relations
from guardrail.logic.questions.cases import FactCase
from guardrail.logic.questions.evaluation import wilson
from guardrail.logic.questions.reply import parse
from guardrail.logic.questions.templates import statement

__all__ = ["Estimate", "Subject", "Verdict", "estimate", "verdict"]

Verdict: TypeAlias = Literal["correct", "error_inference", "error_knowledge", "both", "unknown"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """An error rate by the verdicts, with Wilson's 95 % interval."""

    value: float
    interval: tuple[float, float]


class Subject:
    """Answers cases, the same for the same seed.

    Args:
        relations: for its sentences.
        entities: what a false fact may name instead; at least three.
        knowledge_error: probability, by case, that one fact is recalled wrongly.
        inference_error: probability, by case, that the conclusion is turned.
        silence: probability that it says "I don't know" instead.
        seed: of the random numbers.
    """

    def __init__(
        self,
        relations: Relations,
        entities: Sequence[str],
        *,
        knowledge_error: float,
        inference_error: float,
        silence: float = 0.0,
        seed: int = 0,
    ) -> None:
        rates = (knowledge_error, inference_error, silence)
        if any(not 0 <= one <= 1 for one in rates):
            raise ConfigError(f"expected error rates from 0 to 1, got {rates!r}")
        if len(set(entities)) < 3:
            raise ConfigError(f"expected at least three entities, got {len(set(entities))}")
        self._relations = relations
        self._entities = entities
        self._knowledge, self._inference, self._silence = rates
        self._rng = random.Random(seed)  # noqa: S311  # nothing secret is drawn

    def reply(self, case: FactCase) -> str:
        """What it says to the question of a case."""
        rng = self._rng
        if rng.random() < self._silence:
            return "I don't know."
        facts = list(case.facts)
        conclusion = case.answer
        if rng.random() < self._knowledge:
            wrong = rng.randrange(len(facts))
            facts[wrong] = self._false(facts[wrong])
            conclusion = not conclusion
        if rng.random() < self._inference:
            conclusion = not conclusion
        lines = [f"{n}. {statement(fact, self._relations)}." for n, fact in enumerate(facts, 1)]
        return "\n".join(["Yes." if conclusion else "No.", *lines])

    def _false(self, fact: Triple) -> Triple:
        """The fact with another object."""
        while True:
            other = self._entities[int(self._rng.random() * len(self._entities))]
            if other not in {fact.object, fact.subject}:
                return Triple(fact.subject, fact.relation, other)


def verdict(case: FactCase, text: str, relations: Relations) -> Verdict:
    """What was wrong with a reply whose sentences are those of the templates; for a simulated subject only."""
    read = parse(text)
    if read.conclusion not in {"yes", "no"}:
        return "unknown"
    stated = {sentence.removesuffix(".") for sentence in read.reasons}
    known = stated == {statement(fact, relations) for fact in case.facts}
    follows = case.answer if known else not case.answer
    sound = (read.conclusion == "yes") == follows
    if known:
        return "correct" if sound else "error_inference"
    return "error_knowledge" if sound else "both"


def estimate(verdicts: Sequence[Verdict]) -> Mapping[str, Estimate]:
    """The rates of knowledge and of inference errors among the replies that answer.

    Raises:
        ConfigError: none answers.
    """
    answered = [one for one in verdicts if one != "unknown"]
    if not answered:
        raise ConfigError(f"expected replies that answer, got none in {len(verdicts)}")
    found = {}
    for name in ("knowledge", "inference"):
        count = sum(one in {f"error_{name}", "both"} for one in answered)
        interval = wilson(count, len(answered))
        assert interval is not None  # noqa: S101  # there are answers
        found[name] = Estimate(count / len(answered), interval)
    return found
