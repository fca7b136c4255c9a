"""References: does the work exist, and is it quoted right? Direct and indirect queries, agreement, look-up.

Source: [agrawal2024], "Do Language Models Know When They're Hallucinating References?", and what is built on it
(`docs/design/references.md`).
"""

from guardrail.detectors.references.check import ReferenceCheck
from guardrail.detectors.references.parsing import Parsing, read_overlap, read_yes_no
from guardrail.detectors.references.scoring import direct_score, groundedness, indirect_score, yes_rate

__all__ = [
    "Parsing",
    "ReferenceCheck",
    "direct_score",
    "groundedness",
    "indirect_score",
    "read_overlap",
    "read_yes_no",
    "yes_rate",
]
