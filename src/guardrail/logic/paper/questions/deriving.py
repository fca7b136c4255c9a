"""Going through what follows from the facts, rule by rule."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, islice
from typing import Literal, TypeAlias

from guardrail.logic.knowledge.base import KnowledgeBase
from guardrail.logic.knowledge.facts import Triple
from guardrail.logic.knowledge.proofs import Proof
from guardrail.logic.knowledge.relations import SAME

Rule: TypeAlias = Literal["negation", "symmetric", "inverse", "implied", "transitive", "chain", "composite"]


def derived(
    base: KnowledgeBase, rule: Rule, relation: str, *, limit: int, each: int, seed: int
) -> Iterator[Triple]:
    """What a rule derives about a relation and the base lacks, drawn in an order of its own for each seed.

    `composite` gives each pair once; `negation` gives triples that do not hold. Where the table does not allow the
    rule for the relation there are none.

    Args:
        base: an open knowledge base.
        rule: which.
        relation: of the derived facts; for `composite` the one that is shared ("director").
        limit: at most so many.
        each: at most so many of one entity (for `composite`, of one shared object).
        seed: of the random choices.
    """
    draw = random.Random(seed)  # noqa: S311  # an order, no secret
    match rule:
        case "composite":
            found = _composites(base, relation, each, draw)
        case "negation":
            found = _negations(base, relation, each, draw)
        case _:
            found = _consequences(base, rule, relation, each, draw)
    yield from islice(found, limit)


def _consequences(
    base: KnowledgeBase, rule: Rule, relation: str, each: int, draw: random.Random
) -> Iterator[Triple]:
    for entity in _shuffled(base.call("bases", rule, relation), draw):
        for reply in base.call("consequences", rule, relation, entity, each):
            yield Proof.read(reply).triple


def _composites(base: KnowledgeBase, relation: str, each: int, draw: random.Random) -> Iterator[Triple]:
    name = SAME + relation
    if base.relations.joint(name) is None:
        return
    seen: set[frozenset[str]] = set()
    for hub in _shuffled(base.call("hubs", relation), draw):
        given = 0
        for first, second in _pairs(base.call("sharing", relation, hub), draw):
            if given == each:
                break
            if (pair := frozenset({first, second})) not in seen:
                seen.add(pair)
                given += 1
                yield Triple(first, name, second)


def _negations(base: KnowledgeBase, relation: str, each: int, draw: random.Random) -> Iterator[Triple]:
    if not base.relations.of(relation).negatable:
        return
    whole = set(base.call("bases", "whole", relation))
    turned = set(base.call("bases", "asymmetric", relation))
    pool = base.call("bases", "object", relation) if whole else []
    for subject in _shuffled([*(whole | turned)], draw):
        converse = base.call("subjects", relation, subject) if subject in turned else []
        candidates = chain(_shuffled(converse, draw), _drawn(pool, draw) if subject in whole else ())
        given: set[str] = set()
        for other in candidates:
            if len(given) >= each:
                break
            if other in given or other == subject or base.call("refute", relation, subject, other) is None:
                continue
            given.add(other)
            yield Triple(subject, relation, other)


def _shuffled(names: Sequence[str], draw: random.Random) -> list[str]:
    found = sorted(names)
    draw.shuffle(found)
    return found


def _drawn(names: Sequence[str], draw: random.Random) -> Iterator[str]:
    """The names, drawn one by one: of a long list only few are wanted."""
    for _ in range(4 * len(names)):
        yield draw.choice(names)
    yield from names


def _pairs(names: Sequence[str], draw: random.Random) -> Iterator[tuple[str, str]]:
    """Unordered pairs, drawn, then all in order."""
    count = len(names)
    for _ in range(count * (count - 1)):
        first, second = draw.sample(range(count), 2)
        yield names[first], names[second]
    yield from combinations(names, 2)
