"""Semantic graphs: names and years as nodes, relations as edges; and how like two of them are.

[li2025] §3.6. An edge has one form, whichever way round it is said: of a relation and its inverse, the first in the
table stands for both, and the sides of a symmetric relation are in order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

from guardrail.logic.knowledge.facts import Triple
from guardrail.logic.knowledge.relations import Relations
from guardrail.logic.statements.words import folded, words

T = TypeVar("T")

_SMALL = frozenset({"the", "a", "an", "of", "in", "for", "de", "du"})


def canonical(triple: Triple, relations: Relations) -> Triple:
    """The one form of what a triple says.

    Example:
        >>> from guardrail.logic.knowledge.relations import reviewed
        >>> canonical(Triple("George Orwell", "author of", "Animal Farm"), reviewed())
        Triple('Animal Farm', 'author', 'George Orwell')
    """
    relation = relations.of(triple.relation)
    if relation.symmetric:
        first, second = sorted((triple.subject, triple.object))
        return Triple(first, triple.relation, second)
    form = next((name for name in relations if name in {triple.relation, relation.inverse}), None)
    if form in {triple.relation, None}:
        return triple
    return Triple(triple.object, relation.inverse, triple.subject)


def nodes_of(edges: Collection[Triple]) -> list[str]:
    """The names and years between which edges run, in order."""
    return sorted({end for edge in edges for end in (edge.subject, edge.object)})


class Names:
    """When two names are one: identical, alias, or equal but for case, accents and small words.

    Args:
        aliases: other names → the names in the facts.
        facts: the names in the facts.
    """

    def __init__(self, aliases: Mapping[str, str], facts: Collection[str]) -> None:
        self._known = {_key(alias): name for alias, name in aliases.items()}
        self._known |= {_key(name): name for name in facts}

    def of(self, name: str) -> str:
        """The name in the facts that a name stands for; itself if there is none."""
        return self._known.get(_key(name), name)

    def same(self, one: str, other: str) -> bool:
        """Whether two names are of one thing."""
        return self.of(one) == self.of(other) or _key(one) == _key(other)

    def same_edge(self, one: Triple, other: Triple) -> bool:
        """Whether two edges in their one form say the same."""
        ends = self.same(one.subject, other.subject) and self.same(one.object, other.object)
        return one.relation == other.relation and ends


def _key(name: str) -> tuple[str, ...]:
    spelt = [folded(word.text) for word in words(name) if word.spelt]
    return tuple(key for key in spelt if key not in _SMALL) or tuple(spelt) or (name,)


def jaccard(one: Collection[T], other: Collection[T], same: Callable[[T, T], bool]) -> float | None:
    """Common elements over all elements, in [0, 1]; `None` if there is none at all.

    An element has at most one partner, so synonyms within one graph are not counted twice.
    """
    right = list(other)
    for element in one:
        partner = next((place for place, candidate in enumerate(right) if same(element, candidate)), None)
        if partner is not None:
            del right[partner]
    total = len(one) + len(right)
    return (len(other) - len(right)) / total if total else None
