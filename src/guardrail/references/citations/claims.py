"""Sentences that were taken for titles, since a mark of another reference ends them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from guardrail.references.authors.names import family_names
from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.author_year import Mark, candidates
from guardrail.references.citations.entries import Entries
from guardrail.references.citations.model import Citation
from guardrail.references.citations.words import title_case, words

__all__ = ["without_sentences"]

_CASED = 0.6  # share of words with a capital, below which a sentence is none of a title
_DOUBTFUL = frozenset({"numbered", "bulleted", "line", "inline", "emphasised", "unmarked"})
_HEADED = re.compile(r"\**(?P<head>[^*\n]{2,80}?)(?P<mark>[.:])\*\*\s+(?![*_\"“«„])\S+(?:\s\S+){2}")
_HEADING = re.compile(r"^\*\*\d{1,2}[.)]\s[^*\n]{2,100}\*\*[ \t]*\n", re.MULTILINE)
_TOLD = 6  # words of a sentence that may end with a mark of which only the year is in brackets
_REACH = 100  # characters behind what was read, in which the bracket closes


def without_sentences(answer: str, found: Sequence[Citation]) -> list[Citation]:
    """The references without the sentences that end with a mark of another one: "Ties may exclude outsiders (Portes, 1998)".

    Args:
        answer: the text.
        found: the references that were read from it.
    """
    found = _without_headings(answer, [one for one in found if not _is_headed(answer, one)])
    doubtful = {id(one): marked for one in found if (marked := _marks_within(answer, one))}
    if not doubtful:
        return list(found)
    entries = Entries(answer, (one for one in found if id(one) not in doubtful))
    return [one for one in found if not _is_sentence(one, doubtful.get(id(one), []), entries)]


def _is_headed(answer: str, citation: Citation) -> bool:
    """Whether what was taken for a title is a heading in bold and the sentence behind it: **Early work.** That it grows was known to Roe (1933)."""
    said = citation.reference
    headed = (
        _HEADED.match(answer, citation.span.start) if citation.style in _DOUBTFUL and said.title else None
    )
    if headed is None or said.venue or len(said.title) <= len(headed["head"]) + 10:
        return False
    told = title_case(said.title[len(headed["head"]) :]) < _CASED
    return told if headed["mark"] == "." else not (said.authors or said.year)


def _without_headings(answer: str, found: Sequence[Citation]) -> list[Citation]:
    """Without lines in bold that only head the works below them: **1. Theory**, and on the next line: Roe, *Trees*, 1897."""
    heads = {
        number
        for number, one in enumerate(found)
        if one.style in _DOUBTFUL
        and not (one.reference.authors or one.reference.year or one.reference.venue)
        and _HEADING.search(answer, max(0, one.span.start - 8), one.span.end + _REACH)
    }
    held = sum(number + 1 < len(found) and number + 1 not in heads for number in heads)
    if held * 2 < len(heads):
        return list(found)
    return [one for number, one in enumerate(found) if number not in heads]


def _marks_within(answer: str, citation: Citation) -> list[Mark]:
    """The marks that may have given what was taken for a title its authors or its year, so that it is a sentence with marks.

    They are in brackets behind it, or they end it: "Willows stayed short; Marsh et al. (2013)"; or it is nothing else: "Mesh (2012)".
    """
    said, span = citation.reference, citation.span
    if citation.style not in _DOUBTFUL or not said.title:
        return []
    line = answer.find("\n", span.end, span.end + _REACH)
    end = answer.find(")", span.end - 1, line if line >= 0 else span.end + _REACH) + 1
    text = answer[span.start : max(end, span.end)]
    behind = text.find(said.title[:20])
    told = len(words(said.title)) >= _TOLD and title_case(said.title) < _CASED
    marks = [mark for mark in candidates(text) if not mark.reference.title and mark.span.start >= behind]
    if not said.authors:
        last = [mark for mark in marks if mark.span.end == len(text)]
        return [mark for mark in last if told or mark.span.start == behind]
    marks = [mark for mark in marks if told or "(" not in mark.span.of(text)]
    names = family_names(said.authors)
    return marks if any(family_names(mark.reference.authors) == names for mark in marks) else []


def _is_sentence(citation: Citation, within: Sequence[Mark], entries: Entries) -> bool:
    """Whether the marks at the end of what was read mean other references, or are more than a title has: (Doe, 1993, 2004)."""
    if len(within) > 1 and title_case(citation.reference.title) < _CASED:
        return True
    meant = (entries.meant(mark.reference, mark.suffix) for mark in within)
    return any(entry and not _alike(citation.reference, entry.reference) for entry in meant)


def _alike(said: Reference, entry: Reference) -> bool:
    """Whether one title is the other or its beginning."""
    one, other = normalise(said.title), normalise(entry.title)
    return bool(one) and (one.startswith(other) or other.startswith(one))
