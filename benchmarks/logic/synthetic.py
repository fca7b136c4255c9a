"""Invented facts for measurements: the sizes of relations and the fame of objects are skewed as in real ones."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import accumulate

from guardrail.logic.knowledge.facts import Triple

__all__ = ["PAPER_FACTS", "RELATIONS", "cyclic_facts", "skewed_facts"]

PAPER_FACTS = 1_650_000
"""How many facts the paper gathered [li2025]."""

RELATIONS = (
    "country", "instance of", "cast member", "located in the administrative territorial entity", "genre",
    "award received", "occupation", "author", "director", "followed by", "part of", "member of", "child",
    "platform", "capital of", "student", "founded by", "shares border with", "named after", "spouse",
)  # fmt: skip


def skewed_facts(count: int, *, seed: int = 0) -> Iterator[Triple]:
    """Distinct facts: the k-th relation has a share of 1/k, the k-th object of a relation about as many again.

    Args:
        count: how many.
        seed: of the drawing; the same gives the same facts.
    """
    draw = random.Random(seed)  # invented, no secret
    weights = list(accumulate(1 / (rank + 1) for rank in range(len(RELATIONS))))
    subjects = max(count // 3, 10)
    objects = max(count // 5, 10)
    seen: set[tuple[int, int, int]] = set()
    while len(seen) < count:
        relation = draw.choices(range(len(RELATIONS)), cum_weights=weights)[0]
        subject = draw.randrange(subjects)
        object_ = min(int(draw.paretovariate(0.4)) - 1, 1 << 60) % objects
        key = (relation, subject, object_)
        if key not in seen:
            seen.add(key)
            yield Triple(f"Entity {subject}", RELATIONS[relation], f"Object {object_} of {relation}")


def cyclic_facts(count: int, *, nodes: int = 20_000, seed: int = 0) -> list[Triple]:
    """So many edges of one transitive relation over so many entities, with cycles of all lengths.

    A ring through all entities, and chords drawn at random: every entity reaches every other.
    """
    draw = random.Random(seed)  # invented, no secret
    edges = {(node, (node + 1) % nodes) for node in range(nodes)}
    while len(edges) < count:
        edges.add((draw.randrange(nodes), draw.randrange(nodes)))
    return [Triple(f"Class {a}", "subclass of", f"Class {b}") for a, b in sorted(edges)]
