"""The detectors; each imports only when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from guardrail.detectors.logic import FactCheck as FactCheck
    from guardrail.memory import MemoryConsistency as MemoryConsistency
    from guardrail.memory import PairConsistency as PairConsistency
    from guardrail.phr import PosteriorHallucinationRate as PosteriorHallucinationRate
    from guardrail.references import ReferenceCheck as ReferenceCheck
    from guardrail.selfcheck import SelfCheck as SelfCheck

__all__ = [
    "FactCheck",
    "MemoryConsistency",
    "PairConsistency",
    "PosteriorHallucinationRate",
    "ReferenceCheck",
    "SelfCheck",
]

_HOMES = {
    "FactCheck": "guardrail.detectors.logic",
    "MemoryConsistency": "guardrail.memory",
    "PairConsistency": "guardrail.memory",
    "PosteriorHallucinationRate": "guardrail.phr",
    "ReferenceCheck": "guardrail.references",
    "SelfCheck": "guardrail.selfcheck",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
