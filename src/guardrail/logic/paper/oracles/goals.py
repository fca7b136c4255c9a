"""What a question asks, so that it can be asked of other facts: those that a reply states.

Where the question was generated, that is known. Else it is read: as a statement with its verb moved back, as a pair
that shares something, as a chain of facts from one name to another, as a claim about years. Of several readings the
first is taken that, asked of the true facts, has the known answer; a question that has none is not decided by logic.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from guardrail.errors import InputError
from guardrail.logic.knowledge.facts import Triple, Years
from guardrail.logic.knowledge.relations import Relations
from guardrail.logic.paper.oracles.graphs import canonical
from guardrail.logic.paper.oracles.questions import denies, statement_form, year_claims
from guardrail.logic.paper.oracles.truth import Truth
from guardrail.logic.paper.questions.reproof import Evaluator
from guardrail.logic.statements.items import Known, items
from guardrail.logic.statements.reading import statements
from guardrail.logic.temporal.intervals import IntervalSet
from guardrail.logic.temporal.semantics import holds
from guardrail.logic.temporal.senses import Claim


@dataclass(frozen=True)
class GoalFacts:
    """Facts and dated events, true or stated."""

    facts: tuple[Triple, ...]
    years: Mapping[str, tuple[Years, ...]]
    relations: Relations


@dataclass(frozen=True)
class Holds:
    """Whether a triple holds (`affirms`), or whether it does not; joint relations ("same author") too."""

    triple: Triple
    affirms: bool = True

    def answers(self, world: GoalFacts) -> frozenset[bool]:
        """Whether Yes is right where only what follows from these facts is true; both, where the words may mean either."""
        known = Evaluator(world.facts, world.relations)
        return frozenset({(known.truth(self.triple) is True) == self.affirms})


@dataclass(frozen=True)
class Shares:
    """Whether two have an object (or, `turned`, a subject) of a relation in common."""

    relation: str
    first: str
    second: str
    turned: bool = False
    affirms: bool = True

    def answers(self, world: GoalFacts) -> frozenset[bool]:
        """As `Holds.answers`."""
        edges = [canonical(fact, world.relations) for fact in world.facts]
        sides = [
            (e.object, e.subject) if self.turned else (e.subject, e.object)
            for e in edges
            if e.relation == self.relation
        ]
        found = [{value for owner, value in sides if owner == one} for one in (self.first, self.second)]
        return frozenset({bool(found[0] & found[1]) == self.affirms})


@dataclass(frozen=True)
class Leads:
    """Whether facts lead from one to the other, whatever the table says of chains: the true facts are the proof."""

    first: str
    second: str
    affirms: bool = True

    def answers(self, world: GoalFacts) -> frozenset[bool]:
        """As `Holds.answers`."""
        reached, waiting = {self.first}, [self.first]
        while waiting:
            here = waiting.pop()
            for fact in world.facts:
                ends = [(fact.subject, fact.object)]
                if world.relations.of(fact.relation).symmetric:
                    ends.append((fact.object, fact.subject))
                for one, other in ends:
                    if one == here and other not in reached:
                        reached.add(other)
                        waiting.append(other)
        return frozenset({(self.second in reached) == self.affirms})


@dataclass(frozen=True)
class Happens:
    """Whether a claim is true: in its weakest and in its strongest sense."""

    claim: Claim

    def answers(self, world: GoalFacts) -> frozenset[bool]:
        """As `Holds.answers`."""
        events = {event: IntervalSet(spans) for event, spans in world.years.items()}
        return frozenset(holds(one.formula, one.year, events) for one in (self.claim, self.claim.strongest))


Goal: TypeAlias = Holds | Shares | Leads | Happens


def goal_of(truth: Truth) -> Goal | None:
    """What is asked; `None` if it is not understood, or in no way that has the known answer."""
    world = GoalFacts(truth.facts, truth.years, truth.relations)
    for goal in _goals(truth):
        try:
            if goal.answers(world) == {truth.answer}:
                return goal
        except InputError:  # an event without years
            continue
    return None


def _goals(truth: Truth) -> Iterator[Goal]:
    if truth.formula is not None and truth.year is not None:
        yield Happens(Claim(truth.formula, truth.year))
    if truth.asked is not None:
        yield Holds(truth.asked, truth.affirms)
        return
    if truth.facts:
        yield from _about_facts(truth)
    if truth.spans:
        for claim in year_claims(truth):
            yield from (Happens(claim), Happens(Claim(claim.formula, claim.year)), Happens(claim.strongest))


_COMMON = re.compile(r"\b(?:same|common|share|also|both|different)\b", re.IGNORECASE)


def _about_facts(truth: Truth) -> Iterator[Goal]:
    text = statement_form(truth.question)
    used = {canonical(fact, truth.relations).relation for fact in truth.facts}
    denied = denies(text)
    read = [
        (Triple(one.subject.name, one.relation, one.object.name), one.negated)
        for form in _forms(text, truth)
        for found in statements(form, truth.lexicon)
        for one in found.readings()
    ]
    row = items(text, 0, len(text), truth.lexicon, Known())
    named = list(dict.fromkeys(item.mention.entity for item in row if item.mention and item.mention.entity))
    shared = sorted(name for name in used if not truth.relations.of(name).symmetric)
    pairs = [
        Shares(relation, first, second, turned, affirms=not denied)
        for relation, turned in itertools.product(shared, (False, True))
        for first, second in itertools.combinations(named, 2)
    ]
    if _COMMON.search(text):
        yield from pairs
    for triple, negated in read:
        if canonical(triple, truth.relations).relation in used:
            yield Holds(triple, not negated)
    yield from pairs
    for triple, negated in read:
        yield Holds(triple, not negated)
    for first, second in itertools.permutations(named, 2):
        yield Leads(first, second, affirms=not denied)


def _forms(text: str, truth: Truth) -> Iterator[str]:
    """A question as a statement; and with "is" behind the name that it begins with."""
    yield text
    row = items(text, 0, len(text), truth.lexicon, Known())
    if len(row) > 1 and row[0].mention is not None:
        yield f"{text[: row[0].end]} is {text[row[0].end :]}"
