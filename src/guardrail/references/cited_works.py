"""Which works of a bibliography an answer cites: what other methods ask for, without knowing how references are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from guardrail.references.bibliography.matching import is_same
from guardrail.references.bibliography.records import (
    Bibliography,
    Match,
    Record,
    Reference,
    abstracts_of,
)
from guardrail.references.citations import Citation, asks_for_references, citations
from guardrail.references.citations.tagging import packaged_tagger, tagger_installed
from guardrail.report import Span
from guardrail.requests import CitedWork, CitedWorks

_LEFT_OUT = frozenset({"author-year", "legal"})  # what is no reference by itself, and what has no abstract


def cited_works(bibliography: Bibliography, requests: Sequence[CitedWorks]) -> list[tuple[CitedWork, ...]]:
    """The works that each answer cites and the bibliography has; equal references are looked up once."""
    read = [_read(request) for request in requests]
    wanted = [
        list(islice((one for one in found if _is_reference(one)), request.most))
        for request, found in zip(requests, read, strict=True)
    ]
    references = list(dict.fromkeys(one.reference for own in wanted for one in own))
    known = dict(zip(references, bibliography.find_all(references), strict=True)) if references else {}
    works = [match.record for match in known.values() if match.record is not None and _is_certain(match)]
    abstracts = dict(zip(works, abstracts_of(bibliography, works), strict=True))
    return [_of_answer(own, found, known, abstracts) for own, found in zip(wanted, read, strict=True)]


def _read(request: CitedWorks) -> list[Citation]:
    return citations(
        request.answer,
        asked_for_references=asks_for_references(request.question),
        tagger=packaged_tagger() if tagger_installed() else None,
        question=request.question,
    )


def _is_reference(one: Citation) -> bool:
    return one.means is None and one.style not in _LEFT_OUT


def _is_certain(match: Match) -> bool:
    """Whether no other work can be meant; its year may be quoted wrongly."""
    return is_same(match, ("title", "authors"))


def _of_answer(
    wanted: Sequence[Citation],
    read: Sequence[Citation],
    known: Mapping[Reference, Match],
    abstracts: Mapping[Record, str],
) -> tuple[CitedWork, ...]:
    meaning: dict[Span, list[Span]] = {}  # by the place of the entry that is meant
    for one in read:
        if one.means is not None:
            meaning.setdefault(one.means, []).append(one.span)
    places: dict[Record, list[Span]] = {}
    for one in wanted:
        match = known[one.reference]
        if match.record is not None and _is_certain(match):
            places.setdefault(match.record, []).extend([one.span, *meaning.get(one.span, ())])
    return tuple(
        CitedWork(
            places=tuple(sorted((span.start, span.end) for span in spans)),
            title=work.title,
            authors=work.authors,
            year=work.year,
            url=work.url or (f"https://doi.org/{work.doi}" if work.doi else ""),
            abstract=abstracts[work],
        )
        for work, spans in places.items()
    )
