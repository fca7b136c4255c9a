"""Memory consistency: does a model keep what it knows apart, and does its answer hold when it is asked in other words?

`internal` asks for pairs that the model knows in shuffled lists; `external` rephrases the source of an answer.

Source: [memory]; `docs/design/memory.md` says what differs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from guardrail.detectors.memory.external import MemoryConsistency as MemoryConsistency
    from guardrail.detectors.memory.internal import PairConsistency as PairConsistency

__all__ = ["MemoryConsistency", "PairConsistency"]

_HOMES = {
    "MemoryConsistency": "guardrail.detectors.memory.external",
    "PairConsistency": "guardrail.detectors.memory.internal",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
