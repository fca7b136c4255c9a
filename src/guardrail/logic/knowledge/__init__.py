"""The knowledge base of the logic method: facts, what follows from them, and proofs.

```
facts       triples, entities, events         sources     Wikidata, TSV, JSON lines, the Drowzee data
relations   the reviewed table                phrases     how a relation reads
building    writes a knowledge base           base        opens one and asks it
rules.pl    what follows from facts           proofs      judgements and proof trees
prolog      the engine and its thread         quoting     labels as Prolog text
```

Nothing here knows of detectors or backends. Building and importing need nothing; asking needs the extra `[logic]`
and SWI-Prolog.

Example:
    >>> Triple("Texaco", "founded by", "Joseph S. Cullinan")
    Triple('Texaco', 'founded by', 'Joseph S. Cullinan')
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from guardrail.logic.knowledge.base import KnowledgeBase as KnowledgeBase
    from guardrail.logic.knowledge.building import build as build
    from guardrail.logic.knowledge.facts import DatedEvent as DatedEvent
    from guardrail.logic.knowledge.facts import Entity as Entity
    from guardrail.logic.knowledge.facts import Triple as Triple
    from guardrail.logic.knowledge.manifest import KnowledgeFault as KnowledgeFault
    from guardrail.logic.knowledge.prolog import EngineFault as EngineFault
    from guardrail.logic.knowledge.prolog import LimitReached as LimitReached
    from guardrail.logic.knowledge.proofs import Derived as Derived
    from guardrail.logic.knowledge.proofs import Judgement as Judgement
    from guardrail.logic.knowledge.proofs import Proof as Proof
    from guardrail.logic.knowledge.relations import Relation as Relation
    from guardrail.logic.knowledge.relations import Relations as Relations
    from guardrail.logic.knowledge.relations import reviewed as reviewed

_HOMES = {
    "DatedEvent": "facts",
    "Derived": "proofs",
    "EngineFault": "prolog",
    "Entity": "facts",
    "Judgement": "proofs",
    "KnowledgeBase": "base",
    "KnowledgeFault": "manifest",
    "LimitReached": "prolog",
    "Proof": "proofs",
    "Relation": "relations",
    "Relations": "relations",
    "Triple": "facts",
    "build": "building",
    "reviewed": "relations",
}

__all__ = [
    "DatedEvent",
    "Derived",
    "EngineFault",
    "Entity",
    "Judgement",
    "KnowledgeBase",
    "KnowledgeFault",
    "LimitReached",
    "Proof",
    "Relation",
    "Relations",
    "Triple",
    "build",
    "reviewed",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f"guardrail.logic.knowledge.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
