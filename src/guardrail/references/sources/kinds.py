"""What kind of work a reference is, and which catalogues would have it.

A work that nobody has is made up only if those catalogues were asked that list *all* works of its kind. So the kind is
guessed from plain signs alone (a volume, an ISBN, an arXiv number, a reporter); without one it is unknown, and then nothing
follows from an absence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from guardrail.references.authors.words import word_set
from guardrail.references.bibliography.normalise import (
    normalise,
    normalise_arxiv,
    normalise_doi,
    normalise_isbn,
)
from guardrail.references.bibliography.records import Reference


class Kind(StrEnum):
    """Of a work."""

    ARTICLE = "article"
    PREPRINT = "preprint"
    BOOK = "book"
    CASE = "US case"
    THESIS = "thesis"
    REPORT = "report"
    WEB = "web page"
    UNKNOWN = "unknown"


COVERAGE: dict[Kind, frozenset[str]] = {
    Kind.ARTICLE: frozenset({"crossref", "openalex"}),
    Kind.PREPRINT: frozenset({"arxiv"}),
    Kind.BOOK: frozenset({"open_library", "crossref"}),
    Kind.CASE: frozenset({"courtlistener"}),
}
"""For each kind of work, the sources that together list all of them; a kind that is not here has no such sources."""

_PAPERS = ("crossref", "openalex", "semantic_scholar", "dblp", "pubmed", "arxiv")
_ASKED: dict[Kind, tuple[str, ...]] = {
    Kind.ARTICLE: ("crossref", "openalex", "semantic_scholar", "dblp", "pubmed"),
    Kind.PREPRINT: ("arxiv", "crossref", "openalex", "semantic_scholar", "dblp"),
    Kind.BOOK: ("open_library", "crossref", "openalex"),
    Kind.CASE: ("courtlistener",),
    Kind.THESIS: ("crossref", "openalex", "open_library"),
    Kind.REPORT: ("crossref", "openalex"),
    Kind.WEB: (),
    Kind.UNKNOWN: (*_PAPERS, "open_library"),
}
"""The sources that may have a work of this kind."""

_REPORTER = (
    r"U\. ?S\.(?! ?App)|US|S\. ?Ct\.|L\. ?Ed\.(?: ?2d)?|F\. ?Supp\.(?: ?[23]d)?|F\.(?: ?(?:2d|3d|4th))?|B\. ?R\.|"
    r"(?:A|P|So)\.(?: ?[23]d)?|N\. ?[EW]\.(?: ?[23]d)?|S\. ?[EW]\.(?: ?[23]d)?|N\. ?Y\. ?S\.(?: ?[23]d)?|"
    r"Cal\. ?(?:App\. ?)?(?:[2345](?:d|th))?|N\. ?Y\.(?: ?[23]d)?|Ill\.(?: ?2d)?|Mass\.|Ohio St\.(?: ?[23]d)?"
)
_CITED = re.compile(rf"(?<!\d)(\d{{1,4}}) ({_REPORTER}) (\d{{1,5}})(?!\d)")
_PARTIES = re.compile(r"\w[.,)’']* (?:v|vs)\.? \w|^(?:in re|ex parte|matter of) \w", re.IGNORECASE)

_THESIS = word_set("thesis theses dissertation dissertations habilitation diplomarbeit")
_REPORT = word_set(
    "report reports whitepaper memo memorandum bulletin factsheet guideline guidelines standard rfc"
)
_REPORT_PHRASE = re.compile(
    r"working paper|white paper|discussion paper|policy brief|technical note|fact sheet"
)
_PRESS = word_set("press verlag publisher publishers publishing")
_SERIAL = word_set(
    "journal transactions proceedings proc conference symposium letters annals acta revue zeitschrift"
)
_OTHER_PREPRINTS = word_set("biorxiv medrxiv ssrn osf chemrxiv preprints psyarxiv techrxiv researchgate")
_LATIN = 0.9  # of a title's letters; the catalogues have gaps in other scripts


def kind_of(reference: Reference, this_year: int) -> tuple[Kind, bool]:
    """The kind of a work, and whether that is sure.

    It is not where the catalogues have gaps: works of this year, and titles in another script than Latin.

    Example:
        >>> kind_of(Reference(title="A Title", venue="Journal of Tests", volume="3", pages="1-9", year=2019), 2026)
        (<Kind.ARTICLE: 'article'>, True)
        >>> kind_of(Reference(title="A Title", venue="Somewhere"), 2026)
        (<Kind.UNKNOWN: 'unknown'>, False)
    """
    kind = _kind(reference)
    settled = reference.year is None or reference.year < this_year
    return kind, kind in COVERAGE and settled and _is_latin(reference.title)


def _kind(reference: Reference) -> Kind:
    title, venue = normalise(reference.title), normalise(reference.venue)
    said = frozenset(f"{title} {venue}".split())
    where = frozenset(venue.split())
    if case_citation(reference) and _PARTIES.search(reference.title):
        return Kind.CASE
    if where & _THESIS or "phd thesis" in title:
        return Kind.THESIS
    if normalise_arxiv(reference.arxiv) or "arxiv" in where:
        return Kind.PREPRINT
    if said & _OTHER_PREPRINTS:
        return Kind.UNKNOWN
    if where & _REPORT or _REPORT_PHRASE.search(venue):
        return Kind.REPORT
    numbered = bool(reference.volume or reference.issue or reference.pages)
    if venue and (numbered or where & _SERIAL) and not where & _PRESS:
        return Kind.ARTICLE
    if normalise_isbn(reference.isbn) or (where & _PRESS and not numbered):
        return Kind.BOOK
    if reference.url and not venue and not normalise_doi(reference.doi):
        return Kind.WEB
    return Kind.UNKNOWN


def _is_latin(title: str) -> bool:
    letters = [letter for letter in title if letter.isalpha()]
    return bool(letters) and sum(ord(letter) < 0x250 for letter in letters) >= _LATIN * len(letters)


def asked(reference: Reference, kind: Kind, names: Iterable[str]) -> list[str]:
    """Which of these sources to ask about a work: those that may have its kind, and those whose identifier it quotes."""
    wanted = {*_ASKED[kind]}
    wanted |= {name for name, given in _by_identifier(reference).items() if given and kind is not Kind.CASE}
    return [name for name in names if name in wanted]


def _by_identifier(reference: Reference) -> dict[str, str]:
    return {
        "arxiv": reference.arxiv,
        "doi": reference.doi,
        "open_library": reference.isbn,
        "pubmed": reference.pmid,
    }


def covered(reference: Reference, kind: Kind, answered: Iterable[str]) -> bool:
    """Whether the sources that answered list all works of this kind.

    A DOI may be of an agency that none of the catalogues knows: then doi.org must have been asked, too.
    """
    if kind not in COVERAGE:
        return False
    needed = COVERAGE[kind] | ({"doi"} if reference.doi and kind is not Kind.CASE else set())
    return needed <= {*answered}


@dataclass(frozen=True, slots=True)
class Cited:
    """Where a case is printed."""

    volume: str
    reporter: str
    page: str
    start: int


def case_citation(reference: Reference) -> Cited | None:
    """Volume, reporter and page of a case, as written after its name or in its venue.

    Example:
        >>> case_citation(Reference(title="Brown v. Board of Education, 347 U.S. 483"))
        Cited(volume='347', reporter='U.S.', page='483', start=29)
    """
    title = " ".join(reference.title[:500].split())
    behind = " ".join(f"{reference.volume} {reference.venue[:200]} {reference.pages}".split())
    for place in (title, behind):
        if found := _CITED.search(place):
            at = found.start() if place is title else len(title)
            return Cited(found[1], found[2], found[3], at)
    return None


def case_name(reference: Reference) -> Reference:
    """The same without the citation, so that its name can be compared; for a case is known by its parties' names."""
    cited = case_citation(reference)
    if cited is None:
        return reference
    name = " ".join(reference.title[:500].split())[: cited.start].rstrip(" ,;(")
    return replace(reference, title=name, venue="", volume="", issue="", pages="")
