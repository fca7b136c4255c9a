"""Semantic graphs: names and years as nodes, relations as edges; and how like two of them are.

[li2025] §3.6. An edge has one form, whichever way round it is said: of a relation and its inverse, the first in the
table stands for both, and the sides of a symmetric relation are in order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from guardrail.logic.knowledge.facts import Triple, Years
from guardrail.logic.knowledge.relations import Relations
from guardrail.logic.statements.words import folded, words

BEGIN, END = "begin", "end"  # the relations of an event to its first and its last year

_SMALL = frozenset({"the", "a", "an", "of", "in", "for", "de", "du"})
Similarity = Callable[[str, str], "float | None"]
"""Cosine of the embeddings of two names; `None` where it is not known."""


@dataclass(frozen=True)
class Graph:
    """Edges, and the nodes between which they run."""

    edges: frozenset[Triple]

    @cached_property
    def nodes(self) -> frozenset[str]:
        """Names and years."""
        return frozenset(end for edge in self.edges for end in (edge.subject, edge.object))


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
    if relation.inverse:
        for name in relations:
            if name == triple.relation:
                return triple
            if name == relation.inverse:
                return Triple(triple.object, name, triple.subject)
    return triple


def dated_edges(event: str, years: Years) -> list[Triple]:
    """An event's first and last year as edges."""
    return [Triple(event, BEGIN, str(years[0])), Triple(event, END, str(years[1]))]


class Names:
    """When two names are one: identical, alias, equal but for case, accents and small words, or near in meaning.

    Names that differ in a word where they otherwise agree ("Nobel Prize in Physics", "Nobel Prize in Chemistry") are
    two, however near: embeddings put siblings close together. So are two years, and two names of the facts.

    Args:
        aliases: other names → the names in the facts.
        facts: the names in the facts.
        similarity: cosine of embeddings.
        threshold: cosine from which two names are one; the paper's .8.
    """

    def __init__(
        self,
        aliases: Mapping[str, str],
        facts: Collection[str],
        *,
        similarity: Similarity | None = None,
        threshold: float = 0.8,
    ) -> None:
        self._aliases = {_key(alias): name for alias, name in aliases.items()}
        self._aliases |= {_key(name): name for name in facts}
        self._facts = frozenset(facts)
        self._similarity = similarity
        self._threshold = threshold

    def of(self, name: str) -> str:
        """The name in the facts that a name stands for; itself if there is none."""
        known = self._aliases.get(_key(name))
        if known is not None:
            return known
        return next((fact for fact in sorted(self._facts) if self.same(name, fact)), name)

    def same(self, one: str, other: str) -> bool:
        """Whether two names are of one thing."""
        first, second = _key(one), _key(other)
        if self._aliases.get(first, one) == self._aliases.get(second, other) or first == second:
            return True
        if (
            self._similarity is None
            or (one in self._facts and other in self._facts)
            or not _comparable(one, other)
        ):
            return False
        found = self._similarity(one, other)
        return found is not None and found >= self._threshold


def _key(name: str) -> tuple[str, ...]:
    spelt = [folded(word.text) for word in words(name) if word.spelt]
    return tuple(key for key in spelt if key not in _SMALL) or tuple(spelt) or (name,)


def _comparable(one: str, other: str) -> bool:
    """Whether the meaning of two names may make them one: not where both add a word to common ones, or numbers differ."""
    first, second = set(_key(one)), set(_key(other))
    numbers = [{word for word in some if word.isdigit()} for some in (first, second)]
    return numbers[0] == numbers[1] and not (first & second and first - second and second - first)


def same_edge(one: Triple, other: Triple, names: Names) -> bool:
    """Whether two edges in their one form say the same."""
    return (
        one.relation == other.relation
        and names.same(one.subject, other.subject)
        and names.same(one.object, other.object)
    )


def jaccard(
    one: Collection[str] | Collection[Triple], other: Collection[str] | Collection[Triple], names: Names
) -> float | None:
    """Common elements over all elements, in [0, 1]; `None` if there is none at all.

    An element has at most one partner, so synonyms within one graph are not counted twice.
    """
    left: list[str | Triple] = list(one)
    right: list[str | Triple] = list(other)
    common = 0
    for element in left:
        for number, candidate in enumerate(right):
            if _equal(element, candidate, names):
                common += 1
                del right[number]
                break
    total = len(left) + len(right)
    return common / total if total else None


def _equal(one: str | Triple, other: str | Triple, names: Names) -> bool:
    if isinstance(one, Triple) and isinstance(other, Triple):
        return same_edge(one, other, names)
    return isinstance(one, str) and isinstance(other, str) and names.same(one, other)
