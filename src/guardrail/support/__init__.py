"""Citation support: does each source say what the answer cites it for?

| file | what it has |
| --- | --- |
| `tying` | which words of an answer a mark of citation is for |
| `sources` | which of the documents a mark points to |
| `works` | works of a bibliography that the answer cites, whose abstracts are sources |
| `cited` | what an answer cites: marks in a row, their documents, the claim that is judged |
| `exchanged` | marks that belong to another source, by words alone |
| `check` | the detector: options, cost, the verdict of each mark |
| `judge` | a chat model as the judge |
| `quality` | citation recall and precision, claims without a citation, sources that are never cited |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardrail._lazy import lazy

if TYPE_CHECKING:
    from guardrail.support.check import SupportCheck as SupportCheck
    from guardrail.support.quality import CitationQuality as CitationQuality
    from guardrail.support.quality import citation_quality as citation_quality
    from guardrail.support.sources import Sources as Sources
    from guardrail.support.tying import Tie as Tie
    from guardrail.support.tying import ties as ties

_HOMES = {
    "CitationQuality": "guardrail.support.quality",
    "Sources": "guardrail.support.sources",
    "SupportCheck": "guardrail.support.check",
    "Tie": "guardrail.support.tying",
    "citation_quality": "guardrail.support.quality",
    "ties": "guardrail.support.tying",
}

__all__ = [*_HOMES]  # noqa: PLE0604  # written once

__getattr__, __dir__ = lazy(__name__, _HOMES)
