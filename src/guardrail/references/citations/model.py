"""What a citation is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from guardrail.references.bibliography.records import Reference
from guardrail.report import Span

__all__ = ["FIRM", "IDENTIFIED", "Citation", "Kind", "Style"]

Style: TypeAlias = Literal[
    "numbered",  # an item of a list with numbers, letters or keys: 1. 1) [1] (1) a) [^1]: [Doe20], a heading ### 1.
    "bulleted",  # an item of a bulleted list
    "line",  # a line, paragraph, row of a table or block of labels of its own
    "quoted",  # a quoted title in running prose
    "emphasised",  # an italic or bold title in running prose
    "unmarked",  # a title that only capitals or the trained model show: Caro's The Power Broker (1974)
    "labelled",  # an identifier with a heading, emphasised words or a link, which may be its title
    "bibtex",
    "ris",
    "json",  # an object of JSON, a row of CSV, an entry of YAML
    "doi",
    "arxiv",
    "pmid",
    "isbn",
    "inline",  # a full reference within a text: behind another one, in a sentence, in a comment
    "author-year",  # a mark in prose that names no title: (Hofmann et al., 2010)
    "model",  # what a model read and the rules did not (`reader="both"`)
    "legal",  # a case: Brown v. Board of Education, 347 U.S. 483 (1954)
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
        item: what to cut in order to remove it: the list item with its marker, indented lines and line end,
            or the BibTeX or RIS block, or the object of JSON; `None` in running prose and where two references share a line. An item never
            holds another citation: with references below it, it ends before the first of them.
        marker: the list marker as written, such as "3.", "[2]" or "-".
        means: where the entry is that an author-year mark, or a title that is named again, refers to; `None` for all other
            citations, and for a mark without an entry in the answer.
        other: another reading of the same place, by the trained model, with another title or other authors; `None` where it
            agrees or is not sure. Then nothing is called wrong (`ReferenceCheck`).
        agreed: of "title" and "authors", what the trained model reads at the same place as it was read here.
        kind: what is cited.
    """

    span: Span
    reference: Reference
    style: Style
    item: Span | None = None
    marker: str = ""
    means: Span | None = None
    other: Reference | None = None
    agreed: frozenset[str] = frozenset()
    kind: Kind = "work"
