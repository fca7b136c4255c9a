"""What is claimed of a work besides its title: its identifiers, and the words around the title."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from guardrail.references.authors.lists import MOST_AUTHORS
from guardrail.references.authors.words import word_set
from guardrail.references.bibliography.normalise import IDENTIFIERS, normalise, normalise_arxiv
from guardrail.references.bibliography.records import Record, Reference
from guardrail.references.bibliography.titles import Title
from guardrail.references.bibliography.venues import same_venue

ARXIV_DOI = "10.48550/"
EDITIONS = word_set(
    "arxiv preprint edition editions ed text annotated illustrated unabridged critical first second third fourth fifth revised reprint st nd rd th"
)
# What introduces a title, or stands beside it, and says nothing about the work.
LEADS = word_set(
    "a al also an and article as at book by called cf citation doi entitled et from http https in its link named of "
    "on org paper pdf published reference see source the their title titled url work www"
)
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


def same_address(url: str, other: str) -> bool:
    """Whether two addresses are one, whatever the scheme."""
    return bool(other) and _bare(url) == _bare(other)


def _bare(url: str) -> str:
    return re.sub(r"^https?://(?:www\.)?", "", url.strip().lower()).rstrip("/")


RETRACTED = re.compile(
    r"\s*[\[(]?(?:retracted|withdrawn)(?: (?:article|paper|chapter))?[\])]?\s*[:.–—-]?\s+", re.IGNORECASE
)


def without_retraction(title: str) -> str:
    """A record's title without "RETRACTED:" in front.

    Example:
        >>> without_retraction("RETRACTED ARTICLE: On words"), without_retraction("Retracted papers in oncology")
        ('On words', 'Retracted papers in oncology')
    """
    found = RETRACTED.match(title)
    return title[found.end() :] if found and _is_mark(found.group()) else title


def _is_mark(text: str) -> bool:
    """Whether it says "RETRACTED" with a colon, in brackets or in capitals, as no title does."""
    return any(mark in text for mark in ":]") or text.split(maxsplit=1)[0].isupper()


def retraction(record: Record) -> str:
    """What is known of a work's retraction; "" if nothing says that it was retracted."""
    if record.retracted:
        return record.retracted
    return "the source marks its title" if without_retraction(record.title) != record.title else ""


def invented_subtitle(claimed: Title, work: Record) -> bool:
    """Whether something follows the work's title that the work does not explain."""
    real = Title(without_retraction(work.title))
    names = {real.squeezed, *(part.squeezed for part in real.mains)}
    for part in claimed.mains:
        if part.squeezed in names:
            return unexplained(claimed.raw[len(part.raw) :], work)
    return True


def unexplained(text: str, work: Record) -> bool:
    """Whether the text says anything besides the work's authors, year, venue and edition."""
    authors = words_of(work.authors)
    rest = [
        token
        for token in text.split()
        if any(not _is_explained(word, authors, work) for word in normalise(token).split())
    ]
    return bool(rest) and not same_venue(" ".join(rest), work.venue)


def _is_explained(word: str, authors: frozenset[str], work: Record) -> bool:
    """Whether a normalised word leads in a work, or names its authors, its edition or its year."""
    return (
        word in LEADS
        or word in EDITIONS
        or word in authors
        or (len(word) == 1 and word.isalpha() and any(name.startswith(word) for name in authors))
        or ORDINAL.fullmatch(word) is not None
        or (work.year is not None and word in {str(work.year + step) for step in (-1, 0, 1)})
    )


def words_of(names: Sequence[str]) -> frozenset[str]:
    """The normalised words of names."""
    return frozenset(word for name in names[:MOST_AUTHORS] for word in normalise(name).split())
