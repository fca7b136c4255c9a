"""What the knowledge base answers: a judgement, its proof down to the facts, and both in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from guardrail.logic.knowledge.facts import Triple
from guardrail.logic.knowledge.relations import Relations

State: TypeAlias = Literal["entailed", "contradicted", "unknown"]

DENYING = frozenset({"functional", "complete", "asymmetric", "different", "not_implied", "not_inverse"})
"""Rules whose conclusion is that the triple does not hold."""

_SHOWN = 6  # premises that a sentence lists


@dataclass(frozen=True, slots=True)
class Proof:
    """A tree of conclusions; its leaves are facts.

    Attributes:
        rule: the rule of the last step (`fact` for a leaf), as in `rules.pl`.
        triple: what was concluded, or what was denied where `holds` is false.
        premises: proofs of what the step rests on.
    """

    rule: str
    triple: Triple
    premises: tuple[Proof, ...] = ()

    @classmethod
    def read(cls, reply: Sequence[Any]) -> Proof:
        """A proof as Prolog sends it."""
        rule, relation, subject, object_, premises = reply
        return cls(rule, Triple(subject, relation, object_), tuple(map(cls.read, premises)))

    @property
    def holds(self) -> bool:
        """Whether the triple was concluded to hold; else, not to hold."""
        return self.rule not in DENYING

    @property
    def facts(self) -> tuple[Triple, ...]:
        """The base triples, each once, in the order of the proof."""
        if self.rule == "fact":
            return (self.triple,)
        return tuple(dict.fromkeys(fact for premise in self.premises for fact in premise.facts))

    def conclusion(self, relations: Relations) -> str:
        """What was concluded, as a sentence without its full stop."""
        return sentence(self.triple, relations, holds=self.holds)

    def words(self, relations: Relations) -> str:
        """The conclusion and why, one sentence.

        It names the facts at the leaves; the steps between are in `premises`.
        """
        said = self.conclusion(relations)
        if self.rule == "fact":
            return f"{said}."
        return f"{said}, because {self.because(relations)}."

    def because(self, relations: Relations) -> str:
        """The grounds of the conclusion, as a clause."""
        grounds = [sentence(fact, relations, holds=True) for fact in self.facts]
        listed = " and ".join(grounds[:_SHOWN])
        if len(grounds) > _SHOWN:
            listed += f" and {len(grounds) - _SHOWN} more such facts"
        match self.rule:
            case "functional":
                return f"{listed}, and there is only one"
            case "complete":
                return f"{listed}, and such a list counts as complete"
            case "different":
                return f"{listed}, and such lists count as complete"
            case "asymmetric":
                return f"{listed}, which excludes the converse"
            case "not_implied" | "not_inverse":
                inner = self.premises[0]
                return (
                    f"it would follow that {sentence(inner.triple, relations, holds=True)}; but "
                    f"{inner.conclusion(relations)}, because {inner.because(relations)}"
                )
            case _:
                return listed


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a knowledge base says of a triple.

    Attributes:
        triple: as asked, with aliases replaced by the labels they stand for.
        state: `entailed`, `contradicted`, or `unknown`, which says nothing either way.
        proof: of the triple or of its denial; `None` where the state is unknown.
        words: the state and its grounds in plain English.
    """

    triple: Triple
    state: State
    proof: Proof | None
    words: str

    @property
    def facts(self) -> tuple[Triple, ...]:
        """The base triples that decide."""
        return self.proof.facts if self.proof is not None else ()


def sentence(triple: Triple, relations: Relations, *, holds: bool) -> str:
    """A triple in English, without a full stop."""
    joint = relations.joint(triple.relation)
    if joint is not None:
        phrase, subject, object_ = joint.same_phrase, f"{triple.subject} and {triple.object}", ""
    else:
        phrase, subject, object_ = relations.of(triple.relation).phrase, triple.subject, triple.object
    return phrase.statement(subject, object_) if holds else phrase.denial(subject, object_)
