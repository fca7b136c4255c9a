"""What a citation is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from guardrail.references.bibliography.records import Reference
from guardrail.report import Span

__all__ = ["FIRM", "IDENTIFIED", "Citation", "Kind", "Style"]

Style: TypeAlias = Literal[
    "inline",  # what the network reads, with a title that a look-up may call wrong
    "unmarked",  # what it is less sure of, or a page: never called wrong
    "quoted",  # a title in marks: named again, or in East Asian brackets
    "emphasised",
    "numbered",  # an item of a plain list of titles
    "bulleted",
    "labelled",  # an address or an identifier with words that may be its title
    "bibtex",
    "ris",
    "json",  # an object of JSON, a row of CSV, an entry of YAML
    "doi",
    "arxiv",
    "pmid",
    "isbn",
    "author-year",  # a mark that names no title: (Hofmann et al., 2010)
    "model",  # what a chat model read (`reader="model"`)
    "legal",  # a case or a law: Brown v. Board of Education, 347 U.S. 483 (1954)
]

Kind: TypeAlias = Literal["work", "page", "law", "case", "mark"]
"""What is cited: a mark stands for a work, by its authors and its year: (Hofmann et al., 2010)."""

FIRM: frozenset[Style] = frozenset({"bibtex", "ris", "json", "legal"})
"""Styles whose bounds and fields are beyond doubt."""

IDENTIFIED: frozenset[Style] = frozenset({"doi", "arxiv", "pmid", "isbn", "labelled"})
"""Styles of what is a reference by its identifier."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A reference found in an answer.

    Attributes:
        span: the citation without its list marker and without commentary that follows it; enclosing quotes
            and emphasis are part of it.
        reference: the fields that were said.
        style: how it stands in the text.
        means: where the entry is that an author-year mark, or a title that is named again, refers to; `None` for all other
            citations, and for a mark without an entry in the answer.
        kind: what is cited.
    """

    span: Span
    reference: Reference
    style: Style
    means: Span | None = None
    kind: Kind = "work"
