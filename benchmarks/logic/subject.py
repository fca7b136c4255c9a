"""A simulated subject: answers cases with errors of knowledge and of inference that were put in on purpose.

It recalls the facts of a case and says what follows from them. A knowledge error replaces one fact by a false one of
the same relation; an inference error turns what it concludes. All this it says in English, so a judge sees no more than
of a real model, and the rates that come out of the judge's verdicts can be compared with those that went in.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from guardrail.errors import ConfigError, InputError
from guardrail.logic.knowledge.facts import Triple
from guardrail.logic.knowledge.proofs import sentence
from guardrail.logic.knowledge.relations import Relations
from guardrail.logic.paper.questions.cases import FactCase
from guardrail.logic.paper.questions.reproof import Evaluator
from guardrail.statistics.intervals import wilson

__all__ = ["Estimate", "Subject", "estimate"]

_FALSE_KNOWLEDGE = frozenset({"error_knowledge", "both"})
_TRUE_KNOWLEDGE = frozenset({"correct", "error_inference"})


@dataclass(frozen=True, slots=True)
class Estimate:
    """An error rate by the verdicts, with Wilson's 95 % interval.

    Attributes:
        value: in [0, 1].
        interval: both ends in [0, 1].
        replies: of how many.
    """

    value: float
    interval: tuple[float, float]
    replies: int


class Subject:
    """Answers cases, the same for the same seed.

    Args:
        relations: for its sentences and conclusions.
        facts: what is true; false facts are made from other objects of their relations.
        knowledge_error: probability, by case, that one fact is recalled wrongly.
        inference_error: probability, by case, that the conclusion is turned.
        silence: probability that it says "I don't know" instead.
        seed: of the random numbers; which fact a case's false one is does not depend on it.

    Raises:
        ConfigError: a rate is no probability.
        InputError: the facts name fewer than four entities.
    """

    def __init__(
        self,
        relations: Relations,
        facts: Iterable[Triple],
        *,
        knowledge_error: float,
        inference_error: float,
        silence: float = 0.0,
        seed: int = 0,
    ) -> None:
        rates = (knowledge_error, inference_error, silence)
        if any(not 0 <= one <= 1 for one in rates):
            raise ConfigError(f"expected error rates from 0 to 1, got {rates!r}")
        self._relations = relations
        self._facts = set(facts)
        self._knowledge, self._inference, self._silence = rates
        self._rng = random.Random(seed)  # nothing secret is drawn
        objects: dict[str, set[str]] = defaultdict(set)
        for fact in self._facts:
            objects[fact.relation].add(fact.object)
        self._objects = {name: sorted(values) for name, values in objects.items()}
        self._told: dict[tuple[FactCase, bool, bool], str] = {}
        self._entities = sorted({end for fact in self._facts for end in (fact.subject, fact.object)})
        if len(self._entities) < 4:
            raise InputError(f"expected facts about at least four entities, got {len(self._entities)}")

    def seeded(self, seed: int) -> Subject:
        """The same subject, drawing anew."""
        self._rng = random.Random(seed)
        return self

    def reply(self, case: FactCase) -> str:
        """What it says to the question of a case."""
        rng = self._rng
        silent, misled, turned = (rng.random() < p for p in (self._silence, self._knowledge, self._inference))
        return "I don't know." if silent else self.said(case, misled=misled, turned=turned)

    def said(self, case: FactCase, *, misled: bool, turned: bool) -> str:
        """What it says with a false fact or not, and with the conclusion turned or not; the same each time."""
        key = case, misled, turned
        if key not in self._told:
            self._told[key] = self._says(case, misled=misled, turned=turned)
        return self._told[key]

    def _says(self, case: FactCase, *, misled: bool, turned: bool) -> str:
        facts, conclusion = list(case.facts), case.answer
        if misled:
            rng = random.Random(case.identifier)
            wrong = rng.randrange(len(facts))
            facts[wrong] = self._false(facts[wrong], rng)
            holds = Evaluator(facts, self._relations).truth(case.triple) is True
            conclusion = holds == case.affirms
        lines = [f"{n}. {sentence(fact, self._relations, holds=True)}." for n, fact in enumerate(facts, 1)]
        return "\n".join(["Yes." if conclusion != turned else "No.", *lines])

    def _false(self, fact: Triple, rng: random.Random) -> Triple:
        """The fact with another object, one of the same relation if there is one with which it is false."""
        for pool in (self._objects.get(fact.relation, ()), self._entities):
            for other in rng.sample(pool, min(20, len(pool))):
                made = Triple(fact.subject, fact.relation, other)
                if other != fact.subject and made not in self._facts:
                    return made
        raise InputError(f"expected an entity with which {fact} is false, found none")


def estimate(verdicts: Sequence[str]) -> Mapping[str, Estimate]:
    """The rates of the two kinds of errors, by the names of verdicts (`guardrail.logic.paper.oracles`).

    `knowledge`: how many replies state what is false. `inference`: how many of those that state nothing false conclude
    wrongly; of the others a verdict cannot tell, since a turned conclusion from a false fact may be right. Leave out
    replies that say they do not know.

    Returns:
        Each rate that has replies, by its name.
    """
    false = sum(name in _FALSE_KNOWLEDGE for name in verdicts)
    true = sum(name in _TRUE_KNOWLEDGE for name in verdicts)
    counts = {"knowledge": (false, false + true), "inference": (verdicts.count("error_inference"), true)}
    return {
        name: Estimate(errors / replies, wilson(errors, replies), replies)
        for name, (errors, replies) in counts.items()
        if replies
    }
