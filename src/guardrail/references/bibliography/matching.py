"""Is this the work that was quoted? Pure functions on titles, names and years: no index, no I/O."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace

from guardrail.references.authors.lists import MOST_AUTHORS, compare_authors, overlap
from guardrail.references.authors.names import LONGEST_NAME, parse_name
from guardrail.references.bibliography.claims import identifiers, invented_subtitle, without_retraction
from guardrail.references.bibliography.comparison import check_authors, check_fields
from guardrail.references.bibliography.journals import journals
from guardrail.references.bibliography.namesakes import is_namesake
from guardrail.references.bibliography.normalise import IDENTIFIERS, normalise
from guardrail.references.bibliography.records import FieldCheck, Match, Outcome, Record, Reference, Status
from guardrail.references.bibliography.titles import (
    NEAR,
    Closeness,
    Frequency,
    Title,
    TitleMatch,
    compare,
    renumbered,
    unknown,
)
from guardrail.references.bibliography.venues import same_venue

_YEAR_BEHIND = re.compile(r"[\s,]*(?:1[5-9]|20)\d\d\W*$")  # JAMA 2016
MAIN_WORDS = 3  # a main title of fewer words ("Attention") names its work only together with its authors


def judge(reference: Reference, works: Sequence[Record], frequency: Frequency = unknown) -> Match:
    """Choose among candidate works the one that was quoted, and say what is quoted wrongly.

    Args:
        reference: as quoted; without a title and identifiers nothing can be decided.
        works: candidates, by identifier or similar title, in any order.
        frequency: in how many known titles a word occurs.

    Returns:
        `FOUND` with a check of each field, or `ABSENT` with the nearest work if one is near. An identifier that
        belongs to a work of quite another title and other authors is no proof of the quoted work: `ABSENT`, and
        the check of the identifier says whose it is. So is another work that has the title (`namesakes`): then the
        check of the title confirms it.
    """
    names = tuple(name[:LONGEST_NAME] for name in reference.authors[:MOST_AUTHORS])
    cut = reference.et_al or len(names) < len(reference.authors)
    reference = replace(reference, authors=names, et_al=cut)
    reference = _with_venue(reference, works)
    title = Title(reference.title)
    weighed = sorted((_weigh(reference, title, work, frequency) for work in works), key=lambda w: w.rank)
    if not weighed:
        return Match(Status.ABSENT)
    best, others = weighed[-1], weighed[-2::-1]
    if best.accepted:
        same = [other for other in others if other.accepted and _one_work(best.work, other.work)]
        rest = [other.work for other in others if not other.accepted]
        works = [best.work, *(other.work for other in same)]
        checks = check_fields(reference, _title(reference, title, best), works, rest)
        alike = [other for other in others if other.accepted and other.titles.closeness is Closeness.EXACT]
        several = alike and best.titles.closeness is Closeness.EXACT
        detail = f"{len(alike) + 1} records carry this title" if several else ""
        return Match(Status.FOUND, best.work, best.similarity, checks, detail=detail)
    best = next((one for one in weighed[::-1] if one.identified), best)  # whose identifier it is says most
    if best.titles.closeness is Closeness.DIFFERENT and not best.identified:
        return Match(Status.ABSENT)
    works, rest = [best.work], []
    if best.identified:  # it is compared as a work without its identifiers: another one is meant
        works, rest = [replace(best.work, doi="", arxiv="", isbn="", pmid="", url="")], [best.work]
    checks = check_fields(reference, _title(reference, title, best), works, rest)
    return Match(Status.ABSENT, best.work, best.similarity, checks)


def as_quoted(record: Record) -> Reference:
    """A record as somebody would quote it who quotes all of it."""
    said = {one.name: getattr(record, one.name) for one in fields(Reference)}
    return Reference(**said)


def is_same(match: Match, right: Collection[str] = ("title", "authors", "year")) -> bool:
    """Whether a work was found, its authors or an identifier agree, and none of these fields differ."""
    agreeing = {check.field for check in match.having(Outcome.CONFIRMED, Outcome.NEAR)}
    known = not agreeing.isdisjoint({"authors", *IDENTIFIERS})
    wrong = {check.field for check in match.differences}
    return match.status is Status.FOUND and known and wrong.isdisjoint(right)


def _with_venue(reference: Reference, works: Sequence[Record]) -> Reference:
    """A reference whose title is where the work with its identifier appeared (Roe et al., *Nature* 2012, doi:…), as one without."""
    owners = [work for work in works if work.venue and _shares_identifier(reference, work)]
    said = normalise(_YEAR_BEHIND.sub("", reference.title)) if owners else ""
    named = said and any(
        (normalise(work.venue) == said or not journals(work.venue).isdisjoint(journals(said)))
        and check_authors(reference, work)[1] is not False
        for work in owners
    )
    if not named or any(normalise(work.title) == said for work in works):  # Cell is a book, too
        return reference
    return replace(reference, title="", venue=reference.venue or reference.title)


@dataclass(frozen=True, slots=True)
class _Weighed:
    work: Record
    titles: TitleMatch
    identified: bool
    authors: bool | None  # None where that cannot be told
    shared: float  # of the authors, in [0, 1], to choose between works of one title
    year_apart: int | None
    accepted: bool

    @property
    def similarity(self) -> float:
        return self.titles.similarity

    @property
    def rank(self) -> tuple[float, ...]:
        year = -1.0 if self.year_apart is None else -float(min(self.year_apart, 50))
        fuller = len(self.work.authors) + (self.work.year is not None) + bool(self.work.venue)
        return (
            self.accepted,
            self.identified and self.titles.closeness >= Closeness.REWORDED,
            1.0 if self.authors else 0.5 if self.authors is None else 0.0,
            self.titles.closeness if self.accepted else self.similarity,
            self.identified,
            round(self.shared, 3),
            year,
            fuller,
        )


def _weigh(reference: Reference, title: Title, work: Record, frequency: Frequency) -> _Weighed:
    identified = _shares_identifier(reference, work)
    if title.normalised:
        titles = compare(title, Title(without_retraction(work.title)), frequency)
    else:
        titles = TitleMatch(Closeness.EXACT if identified else Closeness.DIFFERENT, float(identified))
    agree = check_authors(reference, work)[1]
    years = (reference.year, work.year)
    apart = None if years[0] is None or years[1] is None else abs(years[0] - years[1])
    closeness = titles.closeness
    if closeness is Closeness.SHORTER:
        named = len(title.words) >= MAIN_WORDS or (apart == 0 and same_venue(reference.venue, work.venue))
        accepted = bool(agree) or (named and agree is None)
        if not accepted and agree is None and apart == 0 and len(title.words) > 1:
            closeness, accepted = (
                Closeness.PART,
                True,
            )  # two words may begin many titles: marked, not confirmed
    elif closeness is Closeness.PART:  # The Descent of Man, and Selection in Relation to Sex
        accepted = bool(agree) or (agree is None and apart == 0)
    elif closeness in {Closeness.LONGER, Closeness.LETTER}:
        accepted = bool(agree)
    else:
        accepted = closeness >= Closeness.REWORDED
    accepted = accepted or (identified and (bool(agree) or titles.similarity >= NEAR))
    if accepted and not identified and agree is False and is_namesake(reference, work):
        accepted = False
    return _Weighed(
        work=work,
        titles=replace(titles, closeness=closeness),
        identified=identified,
        authors=agree,
        shared=overlap(
            [parse_name(name) for name in reference.authors],
            [parse_name(name) for name in work.authors[:MOST_AUTHORS]],
        ),
        year_apart=apart,
        accepted=accepted,
    )


def _shares_identifier(reference: Reference, work: Record) -> bool:
    """Whether one of the quoted identifiers is the work's."""
    real = {(found.kind, found.value) for found in identifiers(work)}
    return any(said.value and (said.kind, said.value) in real for said in identifiers(reference))


def _one_work(work: Record, other: Record) -> bool:
    """Whether two records of one title are of one work: most of their authors are the same, or unknown."""
    if not work.authors or not other.authors:
        return True
    compared = compare_authors(
        other.authors, work.authors, found_is_cut=work.et_al, claimed_is_cut=other.et_al
    )
    shared = compared.claimed - len(compared.strangers)
    return compared.agree is not False or 2 * shared > max(compared.claimed, compared.known)


_TITLES = {
    Closeness.EXACT: (Outcome.CONFIRMED, "", ""),
    Closeness.NOISE: (Outcome.NEAR, "slip", "with a slip"),
    Closeness.SHORTER: (Outcome.NEAR, "subtitle", "without its subtitle"),
    Closeness.LONGER: (Outcome.NEAR, "added", "authors, year, venue or edition added to the title"),
    Closeness.PART: (Outcome.DIFFERS, "part", "it is a part of the work's title"),
    Closeness.REWORDED: (Outcome.DIFFERS, "reworded", "a word differs"),
    Closeness.LETTER: (Outcome.DIFFERS, "letter", "a letter differs, which makes another word"),
}


def _title(reference: Reference, title: Title, best: _Weighed) -> FieldCheck | None:
    """The check of the title, if one was given."""
    if not title.normalised:
        return None
    found = without_retraction(best.work.title)
    check = FieldCheck("title", Outcome.OPEN, reference.title, found)
    if not normalise(found):
        return check
    closeness = best.titles.closeness
    if closeness is Closeness.LONGER and renumbered(title, Title(found), [str(best.work.year)]):
        return replace(check, outcome=Outcome.DIFFERS, how="number", note="a number differs")
    if closeness is Closeness.LONGER and invented_subtitle(title, best.work):
        return replace(
            check, outcome=Outcome.DIFFERS, how="invented", note="what follows is not in the work's title"
        )
    outcome, how, note = _TITLES.get(closeness, (Outcome.DIFFERS, "another", ""))
    return replace(check, outcome=outcome, how=how, note=note)
