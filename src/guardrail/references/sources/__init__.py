"""Public catalogues as sources: does the work exist, and is it quoted right? Nothing is sent unless one is named.

`opened(["crossref", "openalex"])` gives a `Bibliography` of several; each catalogue has a file of its own. What is sent to
whom is in `docs/sources.md`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardrail._lazy import lazy

if TYPE_CHECKING:
    from guardrail.references.sources.arxiv import Arxiv as Arxiv
    from guardrail.references.sources.client import Count as Count
    from guardrail.references.sources.client import Manners as Manners
    from guardrail.references.sources.combined import Sources as Sources
    from guardrail.references.sources.courtlistener import CourtListener as CourtListener
    from guardrail.references.sources.crossref import Crossref as Crossref
    from guardrail.references.sources.dblp import Dblp as Dblp
    from guardrail.references.sources.doi import Doi as Doi
    from guardrail.references.sources.faults import Fault as Fault
    from guardrail.references.sources.faults import SourceFault as SourceFault
    from guardrail.references.sources.names import CATALOGUES as CATALOGUES
    from guardrail.references.sources.names import available as available
    from guardrail.references.sources.names import opened as opened
    from guardrail.references.sources.open_library import OpenLibrary as OpenLibrary
    from guardrail.references.sources.openalex import OpenAlex as OpenAlex
    from guardrail.references.sources.pubmed import PubMed as PubMed
    from guardrail.references.sources.resolver import Resolver as Resolver
    from guardrail.references.sources.semantic_scholar import SemanticScholar as SemanticScholar

_HOMES = {
    "Arxiv": "guardrail.references.sources.arxiv",
    "CATALOGUES": "guardrail.references.sources.names",
    "Count": "guardrail.references.sources.client",
    "CourtListener": "guardrail.references.sources.courtlistener",
    "Crossref": "guardrail.references.sources.crossref",
    "Dblp": "guardrail.references.sources.dblp",
    "Doi": "guardrail.references.sources.doi",
    "Fault": "guardrail.references.sources.faults",
    "Manners": "guardrail.references.sources.client",
    "OpenAlex": "guardrail.references.sources.openalex",
    "OpenLibrary": "guardrail.references.sources.open_library",
    "PubMed": "guardrail.references.sources.pubmed",
    "Resolver": "guardrail.references.sources.resolver",
    "SemanticScholar": "guardrail.references.sources.semantic_scholar",
    "SourceFault": "guardrail.references.sources.faults",
    "Sources": "guardrail.references.sources.combined",
    "available": "guardrail.references.sources.names",
    "opened": "guardrail.references.sources.names",
}

__all__ = [*_HOMES]  # noqa: PLE0604  # written once

__getattr__, __dir__ = lazy(__name__, _HOMES)
