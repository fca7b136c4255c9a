"""External memory consistency: does the answer about a text hold when the text says the same in other words?

Pure functions make the numbers: `consistency`, `relevance`, `gaussian`, `rates`; `check` holds the detector.

Source: [memory] §III.C; `docs/design/memory.md` says what differs.
"""

from guardrail.memory.external.check import MemoryConsistency
from guardrail.memory.external.consistency import consistency
from guardrail.memory.external.fits import ExternalFit, packaged_fit, read_fit
from guardrail.memory.external.fitting import learn, same_meaning
from guardrail.memory.external.gaussian import Normal, threshold
from guardrail.memory.external.measuring import Measured, measure
from guardrail.memory.external.rates import Known, Share, corrected_share, flagged_share
from guardrail.memory.external.relevance import Collection, bm25, relevance
from guardrail.memory.external.similarity import chrf

__all__ = [
    "Collection",
    "ExternalFit",
    "Known",
    "Measured",
    "MemoryConsistency",
    "Normal",
    "Share",
    "bm25",
    "chrf",
    "consistency",
    "corrected_share",
    "flagged_share",
    "learn",
    "measure",
    "packaged_fit",
    "read_fit",
    "relevance",
    "same_meaning",
    "threshold",
]
