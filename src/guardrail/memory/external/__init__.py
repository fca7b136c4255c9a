"""External memory consistency: does the answer about a text stay the same when the text is rephrased?

| file | what it has |
| --- | --- |
| `check` | the detector: options, cost, what is asked, the verdict |
| `flows` | the source in other words, what of it is kept, the task asked on each |
| `prompts` | what the model is asked |
| `measuring` | from texts to numbers: likeness, consistency, relevance |
| `formulas` | eqs. 6 to 8: consistency, relevance, distance from normal, and the threshold |
| `fits` | what is known of normal responses: how a fit judges, is made and read |
| `segmentation` | words, sentences and the language of a text |
| `rates` | how often answers are inconsistent, and what that says about the true share |

Source: [memory] §III.C; `docs/design/memory.md` says what differs.
"""

from guardrail.memory.external.check import MemoryConsistency
from guardrail.memory.external.fits import ExternalFit, learn, packaged_fit, read_fit, same_meaning
from guardrail.memory.external.formulas import Normal, consistency, relevance, threshold
from guardrail.memory.external.measuring import Measured, chrf, measure
from guardrail.memory.external.rates import Known, Share, corrected_share, flagged_share
from guardrail.text.bm25 import Collection, bm25

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
