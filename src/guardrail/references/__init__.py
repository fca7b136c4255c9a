"""References: does the work exist, and is it quoted right? Direct and indirect queries, agreement, look-up.

Source: [agrawal2024], "Do Language Models Know When They're Hallucinating References?", and what is built on it
(`docs/design/references.md`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardrail._lazy import lazy

if TYPE_CHECKING:
    from guardrail.references.bibliography.backend import BibliographyBackend as BibliographyBackend
    from guardrail.references.bibliography.backend import IndexBackend as IndexBackend
    from guardrail.references.check import ReferenceCheck as ReferenceCheck
    from guardrail.references.parsing import Parsing as Parsing
    from guardrail.references.parsing import read_overlap as read_overlap
    from guardrail.references.parsing import read_yes_no as read_yes_no
    from guardrail.references.scoring import direct_score as direct_score
    from guardrail.references.scoring import groundedness as groundedness
    from guardrail.references.scoring import indirect_score as indirect_score
    from guardrail.references.scoring import yes_rate as yes_rate

_HOMES = {
    "BibliographyBackend": "guardrail.references.bibliography.backend",
    "IndexBackend": "guardrail.references.bibliography.backend",
    "Parsing": "guardrail.references.parsing",
    "ReferenceCheck": "guardrail.references.check",
    "direct_score": "guardrail.references.scoring",
    "groundedness": "guardrail.references.scoring",
    "indirect_score": "guardrail.references.scoring",
    "read_overlap": "guardrail.references.parsing",
    "read_yes_no": "guardrail.references.parsing",
    "yes_rate": "guardrail.references.scoring",
}

__all__ = [*_HOMES]  # noqa: PLE0604  # written once

__getattr__, __dir__ = lazy(__name__, _HOMES)
