"""Statements and claims about years, judged by a knowledge base: what it proves or refutes.

A knowledge base refutes only what its declared properties exclude, and only of entities that it knows. Made-up
names are those it does not know. So for statements there is a second way, the unique name assumption of databases, which can be
turned off: where a relation has one value (or one at each level: one town, one country), another name than the known
ones, which could be no other spelling or part of them, is taken to name another value.

Claims about years are judged by metric temporal logic over the dated events.
"""

from __future__ import annotations

from dataclasses import dataclass

from guardrail.engine.flow import Failed, Flow, one
from guardrail.logic.knowledge.backend import Prove, Values
from guardrail.logic.knowledge.facts import Triple
from guardrail.logic.knowledge.proofs import Judgement, sentence
from guardrail.logic.knowledge.relations import Relation
from guardrail.logic.linking import LONGEST, EntityLink, alike
from guardrail.logic.outcomes import Outcome
from guardrail.logic.statements.model import Statement
from guardrail.logic.temporal.intervals import in_words
from guardrail.logic.temporal.semantics import holds
from guardrail.logic.temporal.senses import Claim
from guardrail.logic.world import World

LOCATED = "located in the administrative territorial entity"

SINGLE = frozenset({"mouth of the watercourse", "creator", "named after", "father", "mother"})
"""Relations with one value as people speak, besides those that the table declares functional or complete."""

PLACES = frozenset({LOCATED, "country", "continent", "location", "place of birth", "place of death"})
"""Relations with one value at each level: one town, one country, one continent."""

_WHERE = frozenset({LOCATED, "country", "continent", "location"})  # "is in": what one excludes, all do
_SHOWN = 3  # values in one sentence


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges statements, and claims about years.

    Attributes:
        world: the knowledge base.
        distinct: whether names that differ are taken to name things that differ.
    """

    world: World
    distinct: bool = True

    def statement(self, statement: Statement, *, past: bool) -> Flow[Outcome]:
        """What the knowledge base says of a statement in any meaning of its words."""
        found: list[tuple[str, Outcome]] = []
        for reading in statement.readings():
            outcome = yield from self._reading(reading, past=past)
            if outcome.state == "entailed":
                return outcome.denied() if statement.negated else outcome
            found.append((reading.relation, outcome))
        outcome = _together(found)
        return outcome.denied() if statement.negated else outcome

    def claim(self, claim: Claim) -> Outcome:
        """What the dated events say of a claim about years.

        False in the weakest sense is contradicted, true in the strongest is entailed; between them it depends on
        what was meant.
        """
        events, strongest = self.world.events, claim.strongest
        names = dict.fromkeys((*claim.formula.atoms(), *strongest.formula.atoms()))
        dates = [f"{name} is dated {in_words(events[name])}" for name in names]
        known, steps = " and ".join(dates), tuple(f"{one}." for one in dates)
        if holds(strongest.formula, strongest.year, events):
            words = f"{_logic(strongest)} is true."
            return Outcome("entailed", f"True by the dates: {known}.", (*steps, words), known)
        if not holds(claim.formula, claim.year, events):
            words = f"{_logic(claim)} is false, so the claim is false in every sense."
            return Outcome("contradicted", f"False by the dates: {known}.", (*steps, words), known)
        return Outcome("unknown", f"Whether it is true depends on what is meant: {known}.", steps)

    def _reading(self, said: Statement, *, past: bool) -> Flow[Outcome]:
        """One meaning; whether the statement denies it is the caller's."""
        subject, object_ = self.world.link(said.subject), self.world.link(said.object)
        relation = self.world.relations.of(said.relation)
        if max(len(said.subject.name), len(said.object.name)) > LONGEST:
            return Outcome("unknown", f"A name is longer than {LONGEST} characters, so it was not looked up.")
        if not said.subject.name.strip() or not said.object.name.strip():
            return Outcome("unknown", "A name is missing.", applies=False)
        if subject.entity is not None and object_.entity is not None:
            reply = yield from one(Prove(Triple(subject.entity, said.relation, object_.entity)))
            if isinstance(reply, Failed):
                return _failed(reply)
            judgement: Judgement = reply.value
            if judgement.state == "entailed":
                return self._proved(judgement, said, subject, object_)
            if judgement.state == "contradicted" and self._fits(said.relation, object_.entity):
                return _of_today(self._proved(judgement, said, subject, object_), relation, past=past)
        return _of_today((yield from self._by_name(said, subject, object_)), relation, past=past)

    def _fits(self, relation: str, name: str) -> bool:
        """Whether the name can be a value at all: that Munich's country is not Bavaria says nothing of "in Bavaria"."""
        wanted = {"country": "country", "continent": "continent"}.get(relation)
        return wanted is None or self.world.level(name) == wanted

    def _proved(
        self, judgement: Judgement, said: Statement, subject: EntityLink, object_: EntityLink
    ) -> Outcome:
        known = [sentence(fact, self.world.relations, holds=True) for fact in judgement.facts]
        steps = [f"Known: {fact}." for fact in known]
        for mention, link in ((said.subject, subject), (said.object, object_)):
            if link.how == "spelling":
                steps.insert(0, f"{mention.text!r} was read as {link.entity!r}.")
        return Outcome(
            judgement.state, judgement.words, (*steps, judgement.words), " and ".join(known[:_SHOWN])
        )

    # --- by names ------------------------------------------------------------------------------------------

    def _by_name(self, said: Statement, subject: EntityLink, object_: EntityLink) -> Flow[Outcome]:
        relation, sides = said.relation, [(subject, said.subject.name), (object_, said.object.name)]
        turned = self.world.relations.of(relation).inverse
        if self._kind(relation) is None and turned and self._kind(turned) is not None:
            relation, sides = turned, sides[::-1]
        for link, words in sides:
            if link.how == "ambiguous":
                return Outcome("unknown", f"{words!r} {link.reason}.", applies=False)
        (owner, shown), (value, words) = sides
        name = value.entity or words
        kind = self._kind(relation)
        if owner.entity is None:
            return Outcome("unknown", f"{shown!r} {owner.reason}.", applies=False)
        reply = yield from one(Values(owner.entity, relation))
        if isinstance(reply, Failed):
            return _failed(reply)
        values: tuple[str, ...] = reply.value
        open_ = self._open(owner.entity, relation, name, values)
        if kind is None or not self.distinct or not values:
            return open_
        rivals = self._rivals(kind, relation, name, values)
        if not rivals or (kind == "place" and (yield from self._nested(value.entity, rivals))):
            return open_
        return self._other(owner.entity, relation, name, rivals)

    def _kind(self, name: str) -> str | None:
        relation = self.world.relations.of(name)
        if name in PLACES:
            return "place"
        return "single" if relation.functional or relation.complete or name in SINGLE else None

    def _rivals(self, kind: str, relation: str, name: str, values: tuple[str, ...]) -> list[str]:
        """The known values that exclude another one of this name."""
        if not any(letter.isupper() for letter in name) or any(alike(name, v) for v in values):
            return []
        if kind == "single":
            several = _SHOWN if self.world.relations.of(relation).complete else 1
            return list(values) if len(values) <= several else []
        wide = self.world.level(name)
        if wide in {"none", "site", "region"}:
            return []
        return [value for value in values if self.world.level(value) == wide]

    def _nested(self, place: str | None, rivals: list[str]) -> Flow[bool]:
        """Whether the places do not exclude each other: a river has many, and a known one may lie in another.

        All rivals have to lie in one of them.
        """
        if len(rivals) > _SHOWN:
            return True
        inside = dict.fromkeys(rivals, 0)
        for inner in rivals:
            for outer in rivals:
                if inner != outer:
                    inside[outer] += yield from self._lies(inner, outer)
        if max(inside.values()) < len(rivals) - 1:
            return True
        for rival in rivals if place is not None else ():
            if (yield from self._lies(place or "", rival)) or (yield from self._lies(rival, place or "")):
                return True
        return False

    def _lies(self, inner: str, outer: str) -> Flow[bool]:
        reply = yield from one(Prove(Triple(inner, LOCATED, outer)))
        return isinstance(reply, Failed) or reply.value.state == "entailed"

    def _other(self, owner: str, relation: str, name: str, rivals: list[str]) -> Outcome:
        facts = [Triple(owner, relation, value) for value in rivals[:_SHOWN]]
        known = [sentence(fact, self.world.relations, holds=True) for fact in facts]
        words = f"{' and '.join(known)}, and {name!r} is the name of another."
        steps = (
            *(f"Known: {fact}." for fact in known),
            f"There is one such value, and {name!r} is no other name of it that is known.",
        )
        return Outcome("contradicted", words, steps, " and ".join(known), assumed=True)

    def _open(self, owner: str, relation: str, name: str, values: tuple[str, ...]) -> Outcome:
        if not values:
            words = f"The knowledge base does not say what {owner!r} has as {relation!r}."
            return Outcome("unknown", words, applies=False)
        more = ", …" if len(values) > _SHOWN else ""
        known = ", ".join(map(repr, values[:_SHOWN])) + more
        return Outcome(
            "unknown",
            f"Of {owner!r}, {relation!r}, is known {known}; {name!r} is neither entailed nor excluded.",
        )


def _together(found: list[tuple[str, Outcome]]) -> Outcome:
    """One outcome for several meanings, none of them entailed: contradicted if all that apply are."""
    against = [outcome for _, outcome in found if outcome.state == "contradicted"]
    if against and all(relation in _WHERE for relation, _ in found):
        return against[0]
    open_ = [outcome for _, outcome in found if outcome.state == "unknown" and outcome.applies]
    if against and not open_:
        return against[0]
    return open_[0] if open_ else found[0][1]


def _of_today(outcome: Outcome, relation: Relation, *, past: bool) -> Outcome:
    """What holds for a time may have been otherwise: what is known of today contradicts nothing that is said of the past."""
    if outcome.state != "contradicted" or not (past and relation.temporal):
        return outcome
    words = f"It speaks of the past, and what is known of {relation.name!r} is of today: {outcome.words}"
    return Outcome("unknown", words, outcome.steps)


def _logic(claim: Claim) -> str:
    return f"In metric temporal logic, {claim.formula} in {claim.year}"


def _failed(reply: Failed) -> Outcome:
    return Outcome("unknown", f"The knowledge base did not answer ({reply}).")
