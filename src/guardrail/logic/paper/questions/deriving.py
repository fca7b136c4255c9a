"""Going through what follows from the facts, rule by rule, each derived fact with its proof."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Literal, TypeAlias, get_args

from guardrail.errors import InputError
from guardrail.logic.knowledge.base import KnowledgeBase
from guardrail.logic.knowledge.facts import Triple
from guardrail.logic.knowledge.proofs import Proof
from guardrail.logic.knowledge.relations import SAME

Rule: TypeAlias = Literal["negation", "symmetric", "inverse", "implied", "transitive", "chain", "composite"]

_MANY = 1_000_000  # of one entity


@dataclass(frozen=True, slots=True)
class Derived:
    """A derived fact.

    Attributes:
        rule: the rule that made it.
        triple: what it is about.
        holds: true if the triple is proved; false for `negation`.
        proof: its proof tree.
    """

    rule: Rule
    triple: Triple
    holds: bool
    proof: Proof


def derived(
    base: KnowledgeBase,
    rule: Rule,
    relation: str,
    *,
    limit: int | None = None,
    each: int | None = None,
    seed: int | None = None,
) -> Iterator[Derived]:
    """Facts of a relation that a rule derives and the base lacks.

    `composite` lists each pair once; it and `negation` are quadratic in the facts, so give `limit` or `each`.
    Where the table does not allow the rule for the relation there are none.

    Args:
        base: an open knowledge base.
        rule: which.
        relation: of the derived facts; for `composite` the one that is shared ("director").
        limit: at most so many.
        each: at most so many of one entity (for `composite`, of one shared object).
        seed: in an order drawn with it; else in order of name.

    Raises:
        InputError: there is no such rule.
    """
    if rule not in get_args(Rule):
        raise InputError(f"expected a rule ({', '.join(get_args(Rule))}), got {rule!r}.")
    draw = random.Random(seed) if seed is not None else None  # noqa: S311  # an order, no secret
    match rule:
        case "composite":
            found = _composites(base, relation, each, draw)
        case "negation":
            found = _negations(base, relation, each, draw)
        case _:
            found = _consequences(base, rule, relation, each, draw)
    yield from islice(found, limit)


def _consequences(
    base: KnowledgeBase, rule: Rule, relation: str, each: int | None, draw: random.Random | None
) -> Iterator[Derived]:
    for entity in _ordered(base.call("bases", rule, relation), draw):
        for reply in base.call("consequences", rule, relation, entity, each or _MANY):
            proof = Proof.read(reply)
            yield Derived(rule, proof.triple, holds=True, proof=proof)


def _composites(
    base: KnowledgeBase, relation: str, each: int | None, draw: random.Random | None
) -> Iterator[Derived]:
    name = SAME + relation
    if base.relations.joint(name) is None:
        return
    seen: set[tuple[str, str]] = set()
    for hub in _ordered(base.call("hubs", relation), draw):
        sharing = base.call("sharing", relation, hub)
        pairs = _pairs(sharing, draw)
        for pair in _first(pairs, each, seen):
            reply = base.call("prove", name, *pair)
            proof = Proof.read(reply)
            yield Derived("composite", proof.triple, holds=True, proof=proof)


def _negations(
    base: KnowledgeBase, relation: str, each: int | None, draw: random.Random | None
) -> Iterator[Derived]:
    one = base.relations.of(relation)
    if not one.negatable:
        return
    whole = set(base.call("bases", "whole", relation))
    turned = set(base.call("bases", "asymmetric", relation))
    pool = base.call("bases", "object", relation) if whole else []
    for subject in _ordered([*(whole | turned)], draw):
        converse = base.call("subjects", relation, subject) if subject in turned else []
        candidates = chain(_ordered(converse, draw), _ordered_lazily(pool, draw) if subject in whole else ())
        given: set[str] = set()
        for other in candidates:
            if each is not None and len(given) >= each:
                break
            if other in given or other == subject:
                continue
            reply = base.call("refute", relation, subject, other)
            if reply is None:
                continue
            given.add(other)
            yield Derived("negation", Triple(subject, relation, other), holds=False, proof=Proof.read(reply))


def _ordered(names: Sequence[str], draw: random.Random | None) -> Iterator[str]:
    found = sorted(names)
    if draw is not None:
        draw.shuffle(found)
    return iter(found)


def _ordered_lazily(names: Sequence[str], draw: random.Random | None) -> Iterator[str]:
    """The names in order, or drawn one by one: of a long list only few are wanted."""
    if draw is None:
        yield from names
        return
    for _ in range(4 * len(names)):
        yield draw.choice(names)
    yield from names


def _pairs(names: Sequence[str], draw: random.Random | None) -> Iterator[tuple[str, str]]:
    """Unordered pairs, in order or drawn."""
    count = len(names)
    if draw is not None:
        for _ in range(count * (count - 1)):
            first, second = draw.sample(range(count), 2)
            yield (names[first], names[second])
    for first in range(count):
        for second in range(first + 1, count):
            yield names[first], names[second]


def _first(
    pairs: Iterator[tuple[str, str]], each: int | None, seen: set[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    given = 0
    for pair in pairs:
        if given == each:
            return
        key = (min(pair), max(pair))
        if key not in seen:
            seen.add(key)
            given += 1
            yield pair
