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

Source: [memory] §III.C; `docs/design/memory.md` says what differs.
"""

from guardrail.memory.external.check import MemoryConsistency
from guardrail.memory.external.fits import ExternalFit, learn, packaged_fit, read_fit, same_meaning
from guardrail.memory.external.formulas import Normal, consistency, relevance, threshold
from guardrail.memory.external.measuring import Measured, chrf, measure

__all__ = [
    "ExternalFit",
    "Measured",
    "MemoryConsistency",
    "Normal",
    "chrf",
    "consistency",
    "learn",
    "measure",
    "packaged_fit",
    "read_fit",
    "relevance",
    "same_meaning",
    "threshold",
]
