"""What is wrong with a quotation by itself, whatever the work: an arXiv number of a later year, a DOI of another venue.

Pure functions on one reference. What a DOI says about venue and year is in a table of November 2026; a prefix that is not in it
says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from guardrail.references.bibliography.claims import identifiers
from guardrail.references.bibliography.conferences import conference, named
from guardrail.references.bibliography.journals import journals
from guardrail.references.bibliography.normalise import normalise_isbn
from guardrail.references.bibliography.records import FieldCheck, Outcome, Reference
from guardrail.references.bibliography.venues import compare_venues

ARXIV = re.compile(r"(?:[a-z-]{2,20}(?:\.[a-z]{2})?/)?(\d\d)(\d\d)(?:\.\d{4,5}|\d{3})$")
FIRST_ARXIV = 91  # the archive began in August 1991
FAR = 2  # years apart that no delay between preprint and print explains

# Patterns with the groups "venue" (an acronym), "year", "short" (two digits of it) or "volume" (that counts from a year on).
_IEEE = re.compile(r"10\.1109/(?P<venue>[a-z]+?)(?P<beside>w?)\d*\.(?P<year>(?:19|20)\d\d)\.")
_AAAI = re.compile(r"10\.1609/aaai\.v(?P<volume>\d\d)i\d")
_OLD_ACL = re.compile(r"10\.18653/v1/(?P<letter>[pnde])(?P<short>\d\d)-[1-4]\d{3}$")
_ACL = re.compile(
    r"10\.18653/v1/(?P<year>20\d\d)\.(?P<venue>acl|emnlp|naacl|eacl|aacl)-(?:long|main|short)\."
)
_IJCAI = re.compile(r"10\.24963/(?P<venue>ijcai)\.(?P<year>20\d\d)/")
_SPEECH = re.compile(r"10\.21437/(?P<venue>interspeech)\.(?P<year>20\d\d)-")
_NATURE = re.compile(r"10\.1038/s(?P<code>\d{5})-0(?P<short>\d\d)-")
_PATTERNS = (_IEEE, _AAAI, _OLD_ACL, _ACL, _IJCAI, _SPEECH, _NATURE)
_LETTERS = {"p": "ACL", "n": "NAACL", "d": "EMNLP", "e": "EACL"}
_AAAI_BEFORE_FIRST = 1986  # AAAI-19 is volume 33
_NATURES = {
    "41586": "Nature",
    "41467": "Nature Communications",
    "41598": "Scientific Reports",
    "41591": "Nature Medicine",
    "41592": "Nature Methods",
    "41587": "Nature Biotechnology",
    "42256": "Nature Machine Intelligence",
}
_JOURNALS = {"10.1613/jair.": "JAIR", "10.1162/tacl_a_": "TACL", "10.1371/journal.pone.": "PLoS ONE"}


class DoiSays(NamedTuple):
    """The venue and the year that a DOI spells; "" and `None` where it does not."""

    venue: str = ""
    year: int | None = None


def doi_says(doi: str) -> DoiSays:
    """What a normalised DOI spells about its work.

    Example:
        >>> doi_says("10.1109/cvpr52729.2023.00373"), doi_says("10.1609/aaai.v37i9.26237")
        (DoiSays(venue='CVPR', year=2023), DoiSays(venue='AAAI', year=2023))
    """
    found = next(filter(None, (pattern.match(doi) for pattern in _PATTERNS)), None)
    if found is None:
        return DoiSays(next((name for start, name in _JOURNALS.items() if doi.startswith(start)), ""))
    groups = found.groupdict()
    if "volume" in groups:
        return DoiSays("AAAI", _AAAI_BEFORE_FIRST + int(groups["volume"]))
    year = int(groups.get("year") or 2000 + int(groups["short"]))
    if "code" in groups:
        return DoiSays(_NATURES.get(groups["code"], ""), year)
    if "letter" in groups:
        return DoiSays(_LETTERS[groups["letter"]], year)
    meeting = conference(groups["venue"])
    if meeting is None or groups["venue"].startswith("t"):  # a journal's DOI has the year of submission
        return DoiSays()
    return DoiSays(meeting.acronyms[0] + (" Workshops" if groups.get("beside") else ""), year)


def contradictions(reference: Reference, *, today: tuple[int, int]) -> list[FieldCheck]:
    """The fields of a reference that cannot be right, or are not what they look like, in the order of `Reference`.

    Args:
        reference: as quoted.
        today: year and month.

    Example:
        >>> [(c.field, c.note) for c in contradictions(Reference(year=2019, arxiv="2301.00001"), today=(2026, 11))]
        [('arxiv', 'the number is of January 2023')]
    """
    return [*_years(reference, today), *_by_doi(reference), *_arxiv(reference, today), *_numbers(reference)]


def _wrong(reference: Reference, field: str, how: str, note: str, found: str = "") -> FieldCheck:
    return FieldCheck(field, Outcome.DIFFERS, str(getattr(reference, field)), found, how, note)


def _years(reference: Reference, today: tuple[int, int]) -> Iterator[FieldCheck]:
    if reference.year is not None and reference.year > today[0] + 1:
        yield _wrong(reference, "year", "future", "a year to come")


def _by_doi(reference: Reference) -> Iterator[FieldCheck]:
    said = doi_says(next((i.value for i in identifiers(reference) if i.kind == "doi"), ""))
    if said.year is not None and reference.year is not None and abs(said.year - reference.year) >= FAR:
        yield _wrong(reference, "year", "doi", f"the DOI is of {said.year}", str(said.year))
    known = named(reference.venue) or journals(reference.venue)
    if said.venue and known and compare_venues(reference.venue, said.venue).outcome is Outcome.DIFFERS:
        yield _wrong(reference, "venue", "doi", f"the DOI is of {said.venue}", said.venue)


_MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"]  # fmt: skip


def _arxiv(reference: Reference, today: tuple[int, int]) -> Iterator[FieldCheck]:
    """An arXiv number of a month that there is not, that is to come, or that is later than the claimed year."""
    number = next((i for i in identifiers(reference) if i.kind == "arxiv"), None)
    found = ARXIV.match(number.value) if number is not None else None
    if number is None or found is None:
        return
    short, month = map(int, found.groups())
    year = 1900 + short if short >= FIRST_ARXIV else 2000 + short
    if not 1 <= month <= 12:
        yield _wrong(reference, number.field, "impossible", "no arXiv number has such a month")
    elif (year, month) > today:
        yield _wrong(
            reference,
            number.field,
            "future",
            f"the number is of {_MONTHS[month - 1]} {year}, which is to come",
        )
    elif reference.year is not None and year > reference.year:
        note = f"the number is of {_MONTHS[month - 1]} {year}"
        outcome = Outcome.DIFFERS if year - reference.year >= FAR else Outcome.NEAR
        yield FieldCheck(number.field, outcome, number.value, "", "later", note)


def _numbers(reference: Reference) -> Iterator[FieldCheck]:
    if (
        reference.isbn.strip()
        and sum(map(str.isdigit, reference.isbn)) >= 9
        and not normalise_isbn(reference.isbn)
    ):
        yield _wrong(reference, "isbn", "digits", "the check digit is wrong")
    if any(i.kind == "doi" and i.value.startswith("10.5555/") for i in identifiers(reference)):
        note = "10.5555 is a prefix for examples: no DOI that is registered"
        yield FieldCheck("doi", Outcome.NEAR, reference.doi, "", "example", note)
