"""BibTeX entries in an answer, fenced or bare: read as files are, and as far as they go."""

from __future__ import annotations

from guardrail.references.bibliography.formats.bibtex_entries import entries
from guardrail.references.bibliography.formats.bibtex_fields import PREPRINT, work_of
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.model import Citation
from guardrail.report import Span

__all__ = ["bibtex"]


def bibtex(text: str) -> list[Citation]:
    """The BibTeX entries of a text, in order.

    Example:
        >>> [one.reference.title for one in bibtex("Cite it as @book{k, title = {On {T}rees}, year = 2001")]
        ['On Trees']
    """
    found: list[Citation] = []
    for entry in entries(text, {}):
        if "title" not in entry.fields and (entry.fault or not entry.closed):
            continue
        said = work_of(entry.fields)
        if PREPRINT.match(said["venue"]):  # journal = {arXiv preprint arXiv:2305.14314}
            said["venue"] = ""
        reference = Reference(**said | {"title": said["title"].rstrip(".")})
        if reference != Reference():
            found.append(Citation(Span(start=entry.start, end=entry.end), reference, "bibtex"))
    return found
