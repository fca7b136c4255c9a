"""The lexicon for reading sentences about facts: names from the facts, ways of saying from the table of relations."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache

from guardrail.logic.knowledge.base import KnowledgeBase
from guardrail.logic.knowledge.facts import Triple
from guardrail.logic.knowledge.relations import Relation, Relations, reviewed
from guardrail.logic.statements.lexicon import Lexicon, Saying

_PREPOSITIONS = ("of", "in", "by", "with", "from", "after", "at", "to")


def lexicon_of(base: KnowledgeBase) -> Lexicon:
    """All entities, aliases and events of a knowledge base, and how its relations are said."""
    names = {name: name for name in base.events()}
    names |= {alias: labels[0] for alias, labels in base.aliases().items() if len(labels) == 1}
    names |= {name: name for name in base.entities()}
    return Lexicon(names, sayings(base.relations, used=base.manifest.relations))


def lexicon(
    triples: Iterable[Triple],
    *,
    events: Iterable[str] = (),
    aliases: Mapping[str, str] | None = None,
    relations: Relations | None = None,
) -> Lexicon:
    """What some facts are about, and how their relations are said; also the other relations of the table.

    Args:
        triples: the facts.
        events: names of dated events.
        aliases: other names → the names in the facts.
        relations: the table; the reviewed one if not given.
    """
    facts = list(triples)
    names = {**(aliases or {}), **{name: name for name in events}}
    names |= {name: name for fact in facts for name in (fact.subject, fact.object)}
    table = reviewed() if relations is None else relations
    return Lexicon(names, sayings(table, used=[fact.relation for fact in facts]))


def sayings(relations: Relations, *, used: Collection[str] = ()) -> list[Saying]:
    """How relations are said, those in use first: where words have several meanings, the first is the likeliest."""
    first = dict.fromkeys(used)
    for name in list(first):
        relation = relations.of(name)
        first |= dict.fromkeys(filter(None, (relation.inverse, *relation.implies)))
    order = [*first, *(name for name in relations if name not in first)]
    return [saying for name in order for saying in _sayings(relations.of(name))]


@lru_cache(maxsize=4_096)
def _sayings(relation: Relation) -> tuple[Saying, ...]:
    """Remembered: every lexicon reads the whole table, and one is made per question."""
    return tuple(_said(relation))


def _said(relation: Relation) -> Iterator[Saying]:
    yield _saying(relation.says, relation.name)
    for words in relation.also:
        yield _saying(words, relation.name)
    for noun in relation.nouns:
        yield Saying(noun, relation.name, turned=True, noun=True)
    *before, last = relation.name.split() or [""]
    if relation.kind == "noun phrase":
        if last == "of" and before:  # "director of": the subject is the director
            yield Saying(" ".join(before), relation.name, noun=True)
        elif last not in _PREPOSITIONS:
            yield Saying(relation.name, relation.name, turned=True, noun=True)


def _saying(words: str, relation: str) -> Saying:
    """From a phrase of the table, where `{o}` and `{s}` stand for the sides."""
    turned = words.lstrip().startswith("{o}")
    return Saying(words.replace("{o}", " ").replace("{s}", " ").strip(), relation, turned)
