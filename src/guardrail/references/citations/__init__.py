"""References in an answer: where each stands, and what it says.

Structured entries are parsed (BibTeX, RIS, JSON, CSV, YAML); a network reads all other text (`tagging`); what has a grammar is added: links,
identifiers, law, author-year marks, titles in East Asian brackets, plain lists of titles that were asked for. `merge` joins them. All matching takes time
linear in the length of the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.asking import asks_for_references
from guardrail.references.citations.author_year import author_year_marks
from guardrail.references.citations.bibtex import bibtex
from guardrail.references.citations.bounds import linked, stands_alone
from guardrail.references.citations.decisions import decisions
from guardrail.references.citations.eastern_prose import in_sentences
from guardrail.references.citations.identifiers import Identifier, identifiers, with_identifiers
from guardrail.references.citations.kinds import with_kind
from guardrail.references.citations.laws import named_laws
from guardrail.references.citations.legal import cases, in_italics, named
from guardrail.references.citations.linked_marks import linked_marks, without_linked_marks
from guardrail.references.citations.media import is_on_screen, without_media
from guardrail.references.citations.mentions import mentions, with_marks_resolved
from guardrail.references.citations.merge import merged
from guardrail.references.citations.model import Citation, Kind, Style
from guardrail.references.citations.rendered import as_markdown, linked_text, with_link, with_tag
from guardrail.references.citations.ris import ris
from guardrail.references.citations.silence import read_to
from guardrail.references.citations.structured import Structured, structured
from guardrail.references.citations.title_lists import listed_titles
from guardrail.references.citations.visible import placed, visible
from guardrail.report import Span

if TYPE_CHECKING:
    from guardrail.references.citations.tagging import Tagger

__all__ = ["Citation", "Kind", "Style", "asks_for_references", "citations"]


def citations(
    answer: str, *, asked_for_references: bool = False, tagger: Tagger | None = None, question: str = ""
) -> list[Citation]:
    """The references in an answer, in order, not overlapping.

    Only its first `LONGEST` characters are read (`unread` says what was left).

    Args:
        answer: any text.
        asked_for_references: whether the prompt asked for references (`asks_for_references`): a plain list of
            titles then counts as one.
        tagger: the network that reads the answer; without it only what has a grammar is found.
        question: the prompt, if it is known: "Art. 15" is one of the law that it names.

    Example:
        >>> [c.style for c in citations("See arXiv:1810.04805 and Brown v. Board of Education, 347 U.S. 483 (1954).")]
        ['arxiv', 'legal']
        >>> text = "1. Topology Without Tears"
        >>> [c.span.of(text) for c in citations(text, asked_for_references=True)]
        ['Topology Without Tears']
    """
    answer = answer[: read_to(answer)]
    read = structured(answer, asked=asked_for_references) or Structured([], text=answer)
    seen, places = visible(read.text)
    links = linked_text(seen)
    found = _citations(as_markdown(seen), tagger, asked=asked_for_references, question=question)
    found = [with_link(citation, links, seen) for citation in found] if links else found
    if places is not None:
        found = [placed(citation, places) for citation in found]
    found = [with_tag(citation, read.text) for citation in found]
    found = read.joined([one for one in found if _says_enough(one)]) if read.pieces else found
    return [with_kind(citation) for citation in found]


def _says_enough(citation: Citation) -> bool:
    """Whether a string of JSON is a reference though it stands without its key, which says what it is: it has authors, or a form of its own."""
    said = citation.reference
    return citation.style not in {"inline", "unmarked"} or bool(said.title and said.authors and said.year)


def _citations(answer: str, tagger: Tagger | None, *, asked: bool, question: str) -> list[Citation]:
    taken = bytearray(len(answer))
    known: list[Citation] = []

    def keep(new: Iterable[Citation]) -> None:
        for citation in new:
            start, end = citation.span.start, citation.span.end
            if end > start and taken.find(1, start, end) < 0:
                taken[start:end] = b"\x01" * (end - start)
                known.append(citation)

    keep(bibtex(answer))
    keep(ris(answer))
    laws = [*decisions(answer), *named_laws(answer, question=question)]
    if asked:
        keep(_listed(answer, laws))
    decided = list(cases(answer))
    keep(case for case in decided if case.reference.title)
    # Capitalism vs. the Climate is a title
    keep(case for case in named(answer) if " v. " in case.reference.title)
    keep(one for one in laws if stands_alone(answer, one.span))
    keep(chain(*in_sentences(answer)))
    keep(linked_marks(answer))
    keep(author_year_marks(answer))
    keep(_bare(identifiers(without_linked_marks(answer))))
    keep(decided)
    keep(in_italics(answer, known))
    read = tagger.tags(without_linked_marks(answer), asked=asked) if tagger is not None else None
    found = merged(answer, known, read, asked=asked) if read is not None else known
    found = without_media(answer, found, asked=asked)
    found = with_marks_resolved(answer, linked(answer, sorted(found, key=_start)))
    again = [one for one in mentions(answer, found) if not is_on_screen(answer, one)]
    return sorted([*found, *again], key=_start)


def _start(citation: Citation) -> int:
    return citation.span.start


def _listed(answer: str, laws: Sequence[Citation]) -> Iterator[Citation]:
    """Titles of a plain list, but for those that a law ends, which are read as laws: Our Rules (Regulation (EU) 2016/679)."""
    ends = [law.span.end for law in laws]
    return (one for one in listed_titles(answer) if not any(one.span.end - end in {0, 1} for end in ends))


def _bare(found: Iterable[Identifier]) -> Iterator[Citation]:
    """References of identifiers alone, of which nothing else is said."""
    for i in found:
        if i.kind != "url":
            yield Citation(Span(start=i.start, end=i.end), with_identifiers(Reference(), [i]), i.kind)
