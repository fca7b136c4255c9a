"""A second evaluator: whether a triple holds, is excluded, or neither, in plain Python and by another way.

The rules in Prolog go from the question back to the facts. This one goes forward: every fact's consequences are written
down once, and a triple is excluded when supposing it, with all its consequences, breaks what the table
declares. It reads the base triples and the entries of the table, and shares no code with `rules.pl`.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator

from guardrail.errors import GuardrailError
from guardrail.logic.knowledge.facts import Triple
from guardrail.logic.knowledge.relations import Relation, Relations

_DENYING = re.compile(r"\b(?:not|cannot|no|false|wrong)\b", re.IGNORECASE)
_JOINT = "same "
_BREACHES = 0.01  # share of facts that may break a property before it counts as not there
_Pair = tuple[str, str]


class Disagreement(GuardrailError):
    """The two proofs of an answer differ: an error of this package, never of the facts."""


class Evaluator:
    """What follows from facts by a table of relations.

    Args:
        facts: base triples.
        relations: the table; only its entries are read.
    """

    def __init__(self, facts: Iterable[Triple], relations: Relations) -> None:
        given = set(facts)
        self._table: dict[str, Relation] = dict(relations)
        self._stated: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        self._steps: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        self._entities = {end for one in given for end in (one.subject, one.object)}
        self._follow = self._single_rules()
        for one in given:
            self._stated[one.relation][one.subject].add(one.object)
            for name, subject, object_ in self._consequences(one.relation, one.subject, one.object):
                self._steps[name][subject].add(object_)
        self._complete = {n for n, r in self._table.items() if r.complete}
        self._functional = {n for n, r in self._table.items() if r.functional and not self._often_several(n)}
        turned = {n for n, r in self._table.items() if r.asymmetric and self._often_both_ways(n)}
        turned |= {self._table[n].inverse for n in turned if self._table[n].inverse}
        self._asymmetric = {n for n, r in self._table.items() if r.asymmetric} - turned

    def truth(self, triple: Triple) -> bool | None:
        """Whether it is proved (`True`), excluded (`False`), or neither (`None`)."""
        if self.holds(triple.relation, triple.subject, triple.object):
            return True
        return False if self.excluded(triple.relation, triple.subject, triple.object) else None

    def answer(self, question: str, triple: Triple) -> bool | None:
        """Whether Yes is right to a question about a triple; `None` where the facts do not decide."""
        truth = self.truth(triple)
        return None if truth is None else truth == affirmed(question, triple)

    def holds(self, name: str, subject: str, object_: str) -> bool:
        """Whether the facts entail it."""
        shared = self._shared(name)
        if shared is not None:
            return subject != object_ and bool(self._steps[shared][subject] & self._steps[shared][object_])
        return object_ in self.objects(name, subject)

    def objects(self, name: str, subject: str) -> set[str]:
        """All that a subject is related to, however many steps away."""
        found = self._plain(name, subject)
        relation = self._table.get(name)
        for first, second in self._chains(relation) if relation is not None else ():
            for middle in self._plain(first, subject):
                found |= self._plain(second, middle) - {subject}
        return found

    def _plain(self, name: str, subject: str) -> set[str]:
        """The same without chains of two relations."""
        found = set(self._steps[name].get(subject, ()))
        if name in self._table and self._table[name].transitive:
            return self._reached(name, subject) - ({subject} - found)
        return found

    def excluded(self, name: str, subject: str, object_: str) -> bool:
        """Whether it would break the table: asked only of what does not hold."""
        if subject not in self._entities or object_ not in self._entities:
            return False
        shared = self._shared(name)
        if shared is not None:
            both = self._whole(shared, subject), self._whole(shared, object_)
            return subject != object_ and all(both) and not both[0] & both[1]
        supposed = self._consequences(name, subject, object_)
        return any(self._breaks(*one) for one in supposed)

    def _breaks(self, name: str, subject: str, object_: str) -> bool:
        values = self._steps[name].get(subject, set())
        if name in self._functional and values - {object_}:
            return True
        if name in self._complete and self._stated[name].get(subject) and object_ not in values:
            return True
        converse = name in self._asymmetric and subject != object_
        return converse and self.holds(name, object_, subject)

    def _whole(self, name: str, subject: str) -> set[str]:
        """All objects of a subject where no other can be missing; empty where one can."""
        values = self._steps[name].get(subject, set())
        if name in self._functional and len(values) == 1:
            return values
        return values if name in self._complete and self._stated[name].get(subject) else set()

    def _shared(self, name: str) -> str | None:
        """The relation that a joint one is about."""
        found = name.removeprefix(_JOINT) if name.startswith(_JOINT) and name not in self._table else None
        return found if found in self._table and self._table[found].same else None

    def _reached(self, name: str, subject: str) -> set[str]:
        found: set[str] = set()
        waiting = deque([subject])
        while waiting:
            for other in self._steps[name].get(waiting.popleft(), ()):
                if other not in found:
                    found.add(other)
                    waiting.append(other)
        return found

    def _chains(self, relation: Relation) -> Iterator[_Pair]:
        """The chains that lead to a relation: its own, and those of its inverse read backwards."""
        yield from relation.chains
        for first, second in self._table[relation.inverse].chains if relation.inverse else ():
            turned = self._table[second].inverse, self._table[first].inverse
            if all(turned):
                yield turned

    def _single_rules(self) -> dict[str, set[tuple[str, bool]]]:
        """What one fact of a relation says: other relations, each with the sides as they are or exchanged."""
        follow: dict[str, set[tuple[str, bool]]] = defaultdict(set)
        for relation in self._table.values():
            follow[relation.name] |= {(broader, False) for broader in relation.implies}
            if relation.inverse:
                follow[relation.name].add((relation.inverse, True))
            if relation.symmetric:
                follow[relation.name].add((relation.name, True))
            for narrower in relation.inverse_of:
                follow[narrower].add((relation.name, True))
        return follow

    def _consequences(self, name: str, subject: str, object_: str) -> set[tuple[str, str, str]]:
        """A triple and all that follows from it alone."""
        found = {(name, subject, object_)}
        waiting = deque(found)
        while waiting:
            relation, first, second = waiting.popleft()
            for other, turned in self._follow.get(relation, ()):
                one = (other, second, first) if turned else (other, first, second)
                if one not in found:
                    found.add(one)
                    waiting.append(one)
        return found

    def _often_several(self, name: str) -> bool:
        stated = self._stated.get(name, {})
        return sum(len(values) > 1 for values in stated.values()) > _BREACHES * len(stated)

    def _often_both_ways(self, name: str) -> bool:
        pairs = [(one, other) for one, values in self._stated.get(name, {}).items() for other in values]
        both = sum(one != other and one in self._stated[name].get(other, ()) for one, other in pairs)
        return both > _BREACHES * len(pairs)


def affirmed(question: str, triple: Triple) -> bool:
    """Whether a question asks for a triple or for its opposite: by its denying words, names left out.

    Example:
        >>> vertigo = Triple("Not Vertigo", "director", "Alfred Hitchcock")
        >>> affirmed("Is it wrong to say that Not Vertigo was directed by Alfred Hitchcock?", vertigo)
        False
    """
    left = question
    for name in sorted((triple.subject, triple.object), key=len, reverse=True):
        left = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "", left)
    return len(_DENYING.findall(left)) % 2 == 0
