"""Test cases from a knowledge base: what the rules derive, asked in English, with the answer and its proof.

A No comes from a fact, or from a contradiction that the knowledge base proves; never from a fact that is
merely absent. Every answer is proved twice: by the rules in Prolog, and by `reproof`.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from guardrail.errors import ConfigError, InputError
from guardrail.logic.knowledge.base import KnowledgeBase
from guardrail.logic.knowledge.building import build
from guardrail.logic.knowledge.facts import Triple, triple_json
from guardrail.logic.knowledge.proofs import Judgement
from guardrail.logic.knowledge.relations import SAME, Relations, reviewed
from guardrail.logic.paper.questions.deriving import Rule, derived
from guardrail.logic.paper.questions.reproof import Disagreement, Evaluator
from guardrail.logic.paper.questions.templates import Wording, wordings

CaseRule: TypeAlias = Literal["negation", "transitive", "inverse", "composite"]

RULES: Sequence[CaseRule] = get_args(CaseRule)
"""`transitive` has chains of two relations too, `inverse` symmetric ones; `composite` is the joint rule."""

_DERIVED: Mapping[CaseRule, Sequence[Rule]] = {
    "negation": ("negation",),
    "transitive": ("transitive", "chain"),
    "inverse": ("inverse", "symmetric"),
    "composite": ("composite",),
}
_PROOFS: Mapping[CaseRule, Sequence[str]] = {**_DERIVED, "negation": ("fact",)}  # of what holds
_TURNS = 2  # how often one triple may be asked of within a cell
_NEEDS: Mapping[CaseRule, str] = {
    "negation": "facts",
    "transitive": "a transitive relation or a chain of two relations among its facts",
    "inverse": "a relation with an inverse, or a symmetric one",
    "composite": "two subjects with one object in common",
}


@dataclass(frozen=True, slots=True)
class FactCase:
    """A question with its answer and the reason.

    Attributes:
        identifier: domain, rule and number ("culture-inverse-17").
        question: in English.
        answer: whether Yes is right.
        domain: of the facts.
        rule: that the triple was derived by.
        triple: what is asked about.
        affirms: whether Yes means that the triple holds; else, that it does not.
        mutation: what was done to the plain sentence (see `templates`).
        facts: the base triples that prove the answer.
        proof: the rule of the last step, as in `rules.pl`.
        explanation: the proof in words.
    """

    identifier: str
    question: str
    answer: bool
    domain: str
    rule: CaseRule
    triple: Triple
    affirms: bool
    mutation: str
    facts: tuple[Triple, ...]
    proof: str
    explanation: str

    def to_json(self) -> dict[str, Any]:
        """The case as JSON objects."""
        return {
            "id": self.identifier,
            "domain": self.domain,
            "rule": self.rule,
            "question": self.question,
            "answer": self.answer,
            "triple": triple_json(self.triple),
            "affirms": self.affirms,
            "mutation": self.mutation,
            "facts": [triple_json(fact) for fact in self.facts],
            "proof": self.proof,
            "explanation": self.explanation,
        }


@dataclass(frozen=True, slots=True)
class Cell:
    """How far the facts of a domain reached for one rule.

    Attributes:
        cases: questions made.
        triples: distinct triples among them.
        reason: why there are fewer than wanted; empty where there are not.
    """

    cases: int
    triples: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Generated:
    """Cases, and what each cell came to, by domain and rule."""

    cases: Sequence[FactCase]
    cells: Mapping[tuple[str, CaseRule], Cell] = field(default_factory=dict)


def generate(
    domains: Mapping[str, Iterable[Triple]],
    *,
    relations: Relations | None = None,
    count: int = 200,
    seed: int = 0,
) -> Generated:
    """Cases for each domain and rule, the same for the same arguments.

    Relations take turns; Yes and No alternate. A triple is asked of once; where a cell is short it is asked of
    again with the other answer. No question is there twice.

    Args:
        domains: base triples by name.
        relations: the table; the reviewed one by default.
        count: cases per domain and rule, at most.
        seed: of the random numbers.

    Raises:
        ConfigError: the count is below 1.
        InputError: there are no facts.
        MissingExtra, EngineFault: SWI-Prolog or pyswip is not installed.
        Disagreement: the two proofs of an answer differ.
    """
    if count < 1:
        raise ConfigError(f"expected count ≥ 1, got {count!r}")
    given = {name: sorted(set(triples)) for name, triples in domains.items()}
    if not any(given.values()):
        raise InputError("expected base triples in at least one domain, got none")
    table = relations or reviewed()
    everything = [triple for triples in given.values() for triple in triples]
    cases: list[FactCase] = []
    cells: dict[tuple[str, CaseRule], Cell] = {}
    with tempfile.TemporaryDirectory() as place:
        build(Path(place) / "all", everything, relations=table)
        with KnowledgeBase.open(Path(place) / "all") as whole:
            maker = _Maker(whole, Evaluator(everything, table), seed)
            for number, (name, triples) in enumerate(given.items()):
                build(Path(place) / str(number), triples, relations=table)
                with KnowledgeBase.open(Path(place) / str(number)) as base:
                    for rule in RULES:
                        made = maker.cell(name, rule, base, count=count)
                        cases += made
                        cells[name, rule] = _cell(made, rule, count)
    return Generated(cases, cells)


class _Maker:
    """Draws candidates from the facts of one domain and lets all facts judge them."""

    def __init__(self, whole: KnowledgeBase, second: Evaluator, seed: int) -> None:
        self.whole = whole
        self.second = second
        self.seed = seed
        self.asked: dict[str, bool] = {}
        self.propositions: dict[Triple, str] = {}

    def cell(self, domain: str, rule: CaseRule, base: KnowledgeBase, *, count: int) -> list[FactCase]:
        """The cases of one domain and rule."""
        rng = random.Random(f"{self.seed}/{domain}/{rule}")  # noqa: S311  # an order, no secret
        found: list[FactCase] = []
        inside = set(base.facts())
        drawn = _candidates(rule, base, count, self.seed)
        pool = [one for one in map(self.whole.ask, drawn) if self._fits(one, rule, inside)]
        given: dict[Triple, bool] = {}
        for turn in range(_TURNS):
            for one in pool:
                if len(found) == count:
                    return found
                wanted = not given[one.triple] if turn and one.triple in given else len(found) % 2 == 0
                wording = self._wording(one, rule, rng, wanted)
                if wording is None:
                    continue
                given[one.triple] = wanted
                self.asked[wording.question] = wanted
                found.append(self._case(f"{domain}-{rule}-{len(found) + 1}", one, wording, domain, rule))
        return found

    def _fits(self, one: Judgement, rule: CaseRule, inside: set[Triple]) -> bool:
        """Whether all facts decide it, by this rule where it holds, and those that do are of this domain."""
        if one.proof is None or not inside.issuperset(one.facts):
            return False
        if one.state == "entailed" and one.proof.rule not in _PROOFS[rule]:
            return False
        return self.propositions.setdefault(one.triple, one.state) == one.state

    def _wording(self, one: Judgement, rule: CaseRule, rng: random.Random, wanted: bool) -> Wording | None:
        """A wording with the wanted answer that was not used yet; for `negation`, one that denies."""
        open_ = [
            wording
            for wording in wordings(one.triple, self.whole.relations, double=rule == "negation")
            if (wording.affirms == (one.state == "entailed")) == wanted and wording.question not in self.asked
        ]
        if rule == "negation":
            open_ = [wording for wording in open_ if "negation" in wording.mutation] or open_
        return rng.choice(open_) if open_ else None

    def _case(
        self, identifier: str, one: Judgement, wording: Wording, domain: str, rule: CaseRule
    ) -> FactCase:
        answer = wording.affirms == (one.state == "entailed")
        again = self.second.answer(wording.question, one.triple)
        if again is not answer or one.proof is None:
            raise Disagreement(f"{wording.question!r}: {answer} by the rules, {again} by the second proof")
        return FactCase(
            identifier=identifier,
            question=wording.question,
            answer=answer,
            domain=domain,
            rule=rule,
            triple=one.triple,
            affirms=wording.affirms,
            mutation=wording.mutation,
            facts=one.facts,
            proof=one.proof.rule,
            explanation=one.words,
        )


def _candidates(rule: CaseRule, base: KnowledgeBase, count: int, seed: int) -> list[Triple]:
    """Triples that a rule is about, relations in turn; half of them excluded ones where there are such."""
    few = max(2, count // 4)
    names = sorted(base.relations)
    holding = [
        list(derived(base, kind, name, limit=count, each=few, seed=seed))
        for kind in _DERIVED[rule]
        for name in names
    ]
    held = _in_turn(holding)
    if rule == "negation":
        denied = random.Random(seed).sample(facts := sorted(base.facts()), min(count, len(facts)))  # noqa: S311
        return list(dict.fromkeys(_in_turn([held, denied])))
    opposed = _differing(base, count, seed) if rule == "composite" else _turned(held, base)
    return list(dict.fromkeys(_in_turn([held, opposed])))


def _turned(held: Sequence[Triple], base: KnowledgeBase) -> list[Triple]:
    """Their converses where the relation excludes them: "B comes before A" of "A comes before B"."""
    return [
        Triple(one.object, one.relation, one.subject)
        for one in held[::2]
        if base.relations.of(one.relation).asymmetric and one.subject != one.object
    ]


def _differing(base: KnowledgeBase, count: int, seed: int) -> list[Triple]:
    """Pairs that the facts prove to have no object of a relation in common."""
    rng = random.Random(seed)  # noqa: S311
    pools = []
    for name, relation in sorted(base.relations.items()):
        if base.relations.joint(SAME + name) is None or not (relation.complete or relation.functional):
            continue
        subjects = sorted({fact.subject for fact in base.facts(name)})
        pairs = [tuple(sorted(rng.sample(subjects, 2))) for _ in range(count)] if len(subjects) > 1 else []
        asked = [Triple(first, SAME + name, second) for first, second in sorted(set(pairs))]
        pools.append([one for one in asked if base.ask(one).state == "contradicted"])
    return _in_turn(pools)


def _in_turn(pools: Iterable[Sequence[Triple]]) -> list[Triple]:
    return [one for row in zip_longest(*pools) for one in row if one is not None]


def _cell(cases: Sequence[FactCase], rule: CaseRule, count: int) -> Cell:
    triples = len({case.triple for case in cases})
    if len(cases) == count:
        return Cell(count, triples)
    if not cases:
        return Cell(0, 0, f"needs {_NEEDS[rule]}")
    kinds = Counter(case.triple.relation.removeprefix(SAME) for case in cases)
    listed = ", ".join(sorted(kinds))
    return Cell(
        len(cases), triples, f"{triples} triples follow ({listed}), each asked of at most {_TURNS} times"
    )
