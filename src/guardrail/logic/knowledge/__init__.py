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
    >>> from guardrail.logic.knowledge import Triple
    >>> Triple("Texaco", "founded by", "Joseph S. Cullinan")
    Triple('Texaco', 'founded by', 'Joseph S. Cullinan')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardrail._lazy import lazy

if TYPE_CHECKING:
    from guardrail.logic.knowledge.base import KnowledgeBase as KnowledgeBase
    from guardrail.logic.knowledge.building import build as build
    from guardrail.logic.knowledge.facts import DatedEvent as DatedEvent
    from guardrail.logic.knowledge.facts import Entity as Entity
    from guardrail.logic.knowledge.facts import Triple as Triple
    from guardrail.logic.knowledge.manifest import KnowledgeFault as KnowledgeFault
    from guardrail.logic.knowledge.prolog import EngineFault as EngineFault
    from guardrail.logic.knowledge.prolog import LimitReached as LimitReached
    from guardrail.logic.knowledge.proofs import Judgement as Judgement
    from guardrail.logic.knowledge.proofs import Proof as Proof
    from guardrail.logic.knowledge.relations import Relation as Relation
    from guardrail.logic.knowledge.relations import Relations as Relations
    from guardrail.logic.knowledge.relations import reviewed as reviewed

_HOMES = {
    "DatedEvent": "guardrail.logic.knowledge.facts",
    "EngineFault": "guardrail.logic.knowledge.prolog",
    "Entity": "guardrail.logic.knowledge.facts",
    "Judgement": "guardrail.logic.knowledge.proofs",
    "KnowledgeBase": "guardrail.logic.knowledge.base",
    "KnowledgeFault": "guardrail.logic.knowledge.manifest",
    "LimitReached": "guardrail.logic.knowledge.prolog",
    "Proof": "guardrail.logic.knowledge.proofs",
    "Relation": "guardrail.logic.knowledge.relations",
    "Relations": "guardrail.logic.knowledge.relations",
    "Triple": "guardrail.logic.knowledge.facts",
    "build": "guardrail.logic.knowledge.building",
    "reviewed": "guardrail.logic.knowledge.relations",
}

__all__ = [*_HOMES]  # noqa: PLE0604  # written once

__getattr__, __dir__ = lazy(__name__, _HOMES)
