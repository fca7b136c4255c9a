"""The detectors; each is imported only when it is asked for.

Each method has a folder whose README says what the method asks and where its parts are: `guardrail/references`, `selfcheck`,
`memory`, `phr`, `logic`, `support`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardrail._lazy import lazy

if TYPE_CHECKING:
    from guardrail.logic import FactCheck
    from guardrail.memory import MemoryConsistency, PairConsistency
    from guardrail.phr import PosteriorHallucinationRate
    from guardrail.references import ReferenceCheck
    from guardrail.selfcheck import SelfCheck
    from guardrail.support import SupportCheck

_HOMES = {
    "FactCheck": "guardrail.logic",
    "MemoryConsistency": "guardrail.memory",
    "PairConsistency": "guardrail.memory",
    "PosteriorHallucinationRate": "guardrail.phr",
    "ReferenceCheck": "guardrail.references",
    "SelfCheck": "guardrail.selfcheck",
    "SupportCheck": "guardrail.support",
}

__all__ = [
    "FactCheck",
    "MemoryConsistency",
    "PairConsistency",
    "PosteriorHallucinationRate",
    "ReferenceCheck",
    "SelfCheck",
    "SupportCheck",
]

__getattr__, __dir__ = lazy(__name__, _HOMES)
