"""Where facts come from: Wikidata, files of triples, the Drowzee data.

Every reader of files reports what it cannot read, with file and line, counts it, and goes on; nothing is dropped
without a word.
"""

from __future__ import annotations

from guardrail.logic.knowledge.sources.reading import LeftOut, ReadFacts
from guardrail.logic.knowledge.sources.triples import read_triples

__all__ = ["LeftOut", "ReadFacts", "read_triples"]
