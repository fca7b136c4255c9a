"""What reading needs of a knowledge base, made once: names, ways of saying, events, countries."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from guardrail.logic.knowledge.base import KnowledgeBase
from guardrail.logic.linking import EntityLink, Linker
from guardrail.logic.places import Level, level
from guardrail.logic.statements.lexicon import phrase
from guardrail.logic.statements.model import Mention
from guardrail.logic.vocabulary import lexicon_of, sayings

_REMEMBERED = 4096  # names


class World:
    """A knowledge base as a reader of sentences needs it. Immutable once made; any thread may use it.

    Attributes:
        relations: those of the knowledge base.
        lexicon: its names and ways of saying, for `guardrail.logic.statements`.
        events: its dated events.
    """

    _made: dict[str, World] = {}  # noqa: RUF012  # of this process, by content
    _lock = threading.Lock()

    def __init__(self, base: KnowledgeBase) -> None:
        self.relations = base.relations
        self.lexicon = lexicon_of(base)
        self.events = base.events()
        aliases = base.aliases()
        self._entities = Linker(base.entities(), aliases)
        dated = {
            alias: [label for label in labels if label in self.events] for alias, labels in aliases.items()
        }
        self._events = Linker(self.events, {alias: labels for alias, labels in dated.items() if labels})
        self._vocabulary: defaultdict[str, set[str]] = defaultdict(set)
        for saying in sayings(base.relations, used=base.manifest.relations):
            self._vocabulary[saying.relation].update(phrase(saying.words))
        self._countries = frozenset(fact.object for fact in base.facts("country"))
        self.link_name = lru_cache(_REMEMBERED)(self._entities.find)
        self.link_event = lru_cache(_REMEMBERED)(self._events.find)

    @classmethod
    def of(cls, base: KnowledgeBase) -> World:
        """The world of a knowledge base; made once for each content."""
        with cls._lock:
            found = cls._made.get(base.fingerprint)
            if found is None:
                while len(cls._made) >= 4:  # a process rarely asks several; the oldest goes
                    del cls._made[next(iter(cls._made))]
                found = cls._made[base.fingerprint] = cls(base)
            return found

    def link(self, mention: Mention) -> EntityLink:
        """The entity that a mention names."""
        if mention.entity is None:
            return self.link_name(mention.text)
        same = self._entities.sharing(mention.entity)
        if len(same) < 2 or mention.text in {"", mention.entity}:
            return EntityLink(mention.entity, "exact")
        if mention.text in same:
            return EntityLink(mention.text, "exact")
        return EntityLink(None, "ambiguous", tuple(sorted(same)))

    def event(self, words: str) -> str | None:
        """The dated event that some words name."""
        return self.link_event(words.strip(" \"“”'’‘")).entity

    def vocabulary(self, relations: Iterable[str]) -> set[str]:
        """The words, as stems, by which some relations are said."""
        return {word for relation in relations for word in self._vocabulary[relation]}

    def level(self, name: str) -> Level:
        """How wide the place of that name is."""
        return "country" if name in self._countries else level(name)
