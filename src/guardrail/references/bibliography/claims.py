"""Field by field: what a work confirms of a quotation, what it contradicts, and what it leaves open.

A claim that a work cannot confirm is no error of the quotation, and nothing that was found, either.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from guardrail.references.authors.lists import MOST_AUTHORS, authors_agree
from guardrail.references.authors.names import parse_name
from guardrail.references.bibliography.normalise import IDENTIFIERS, normalise, normalise_arxiv
from guardrail.references.bibliography.records import Record, Reference
from guardrail.references.bibliography.titles import Title
from guardrail.references.bibliography.venues import same_venue

__all__ = [
    "Identifier",
    "authors_match",
    "identifiers",
    "invented_subtitle",
    "unexplained",
    "url_confirmed",
    "venue_confirmed",
    "words_of",
]

ARXIV_DOI = "10.48550/"
# Bodies that stand for people: "the DeepMind Team" says nothing about who wrote it.
_BODIES = (
    "team teams group groups collaboration consortium committee researchers scientists authors author staff lab labs "
    "laboratory laboratories research university institute department company inc corporation organisation "
    "organization colleagues coauthors others unknown anonymous various google deepmind openai microsoft facebook "
    "meta nvidia"
)
BODIES = frozenset(_BODIES.split())
_EDITIONS = "arxiv preprint edition ed first second third fourth fifth revised reprint st nd rd th"
EDITIONS = frozenset(_EDITIONS.split())
# What introduces a title, or stands beside it, and says nothing about the work.
_LEADS = (
    "a al also an and article as at book by called cf citation doi entitled et from http https in its link named of "
    "on org paper pdf published reference see source the their title titled url work www"
)
LEADS = frozenset(_LEADS.split())
ORDINAL = re.compile(r"\d{1,2}(?:st|nd|rd|th)")


class Identifier(NamedTuple):
    """An identifier of a work, in its one form.

    Attributes:
        field: where it stood.
        kind: what it is: arXiv's own DOIs are arXiv numbers.
        value: "" if it could not be read.
    """

    field: str
    kind: str
    value: str


def identifiers(work: Reference | Record) -> list[Identifier]:
    """All identifiers that were given, also unreadable ones."""
    found = []
    for field, read in IDENTIFIERS.items():
        text = getattr(work, field)
        if not text.strip():
            continue
        value = read(text)
        number = normalise_arxiv(value.partition("arxiv.")[2]) if value.startswith(ARXIV_DOI) else ""
        found.append(Identifier(field, "arxiv", number) if number else Identifier(field, field, value))
    return found


def _is_readable(text: str) -> bool:
    """Whether the name says who somebody is: no single letter, no team."""
    if not BODIES.isdisjoint(normalise(text).split()):
        return False
    name = parse_name(text)
    parts = [part for part in (name.family, *name.given) if any(map(str.isalpha, part))]
    return any(len(part) > 1 or not part.isascii() for part in parts)


def authors_match(reference: Reference, work: Record) -> tuple[bool | None, bool]:
    """Whether the quoted authors are the work's, `None` where that cannot be told; and whether all were compared.

    A body or a single letter that is none of the work's authors contradicts nothing.
    """

    def agree(names: Sequence[str]) -> bool | None:
        return authors_agree(names, work.authors, found_is_cut=work.et_al, claimed_is_cut=reference.et_al)

    found = agree(reference.authors)
    if found is not False:
        return found, found is True
    readable = tuple(name for name in reference.authors if _is_readable(name))
    if len(readable) == len(reference.authors):
        return False, True
    return agree(readable), False


def venue_confirmed(reference: Reference, works: Iterable[Record]) -> bool:
    """Whether one of the works appeared where it is said to have appeared."""
    return any(
        same_venue(reference.venue, work.venue)
        or (same_venue(reference.venue, "arXiv") and any(i.kind == "arxiv" for i in identifiers(work)))
        for work in works
    )


def url_confirmed(reference: Reference, works: Iterable[Record]) -> bool:
    """Whether the address is that of one of the works, or has its DOI or arXiv number in it."""
    claimed = _bare(reference.url)
    return any(
        bool(work.url and _bare(work.url) == claimed)
        or any(
            i.value and i.value == IDENTIFIERS[i.kind](reference.url)
            for i in identifiers(work)
            if i.kind in {"doi", "arxiv"}
        )
        for work in works
    )


def _bare(url: str) -> str:
    return re.sub(r"^https?://(?:www\.)?", "", url.strip().lower()).rstrip("/")


def invented_subtitle(claimed: Title, work: Record) -> bool:
    """Whether something follows the work's title that the work does not explain."""
    real = Title(work.title)
    for part in claimed.mains:
        if part.squeezed == real.squeezed:
            return unexplained(claimed.raw[len(part.raw) :], work)
    return True


def unexplained(text: str, work: Record) -> bool:
    """Whether the text says anything beside the work's authors, year, venue and edition."""
    authors = words_of(work.authors)
    rest = [
        token
        for token in text.split()
        if any(not _is_explained(word, authors, work) for word in normalise(token).split())
    ]
    return bool(rest) and not same_venue(" ".join(rest), work.venue)


def _is_explained(word: str, authors: frozenset[str], work: Record) -> bool:
    initial = len(word) == 1 and word.isalpha() and any(name.startswith(word) for name in authors)
    return word in LEADS or word in authors or initial or _is_detail(word, work)


def words_of(names: Sequence[str]) -> frozenset[str]:
    """The normalised words of names."""
    return frozenset(word for name in names[:MOST_AUTHORS] for word in normalise(name).split())


def _is_detail(word: str, work: Record) -> bool:
    """Whether a normalised word names an edition or the work's year, as no title does."""
    if word in EDITIONS or ORDINAL.fullmatch(word):
        return True
    return work.year is not None and word in {str(work.year + step) for step in (-1, 0, 1)}
