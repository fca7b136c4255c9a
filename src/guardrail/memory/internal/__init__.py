"""Internal consistency: does a model keep the pairs apart that it knows, when k of them are shuffled?

`task`, `replies`, `chinese`: what is asked and answered, read; `check`: the detector.

Source: [memory] §III-B, §IV-B; `docs/design/memory.md` says what differs.
"""

from guardrail.memory.internal.check import PairConsistency

__all__ = ["PairConsistency"]
