"""Memory consistency: does a model keep what it knows apart, and does it give the same answer when asked in other words?

`internal` asks for pairs that the model knows in shuffled lists; `external` rephrases the source of an answer.

Source: [memory]; `docs/design/memory.md` says what differs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardrail._lazy import lazy

if TYPE_CHECKING:
    from guardrail.memory.external import MemoryConsistency as MemoryConsistency
    from guardrail.memory.internal import PairConsistency as PairConsistency

_HOMES = {
    "MemoryConsistency": "guardrail.memory.external",
    "PairConsistency": "guardrail.memory.internal",
}

__all__ = [*_HOMES]  # noqa: PLE0604  # written once

__getattr__, __dir__ = lazy(__name__, _HOMES)
