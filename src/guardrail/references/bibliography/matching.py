"""Is this the work that was quoted? Pure functions on titles, names and years: no index, no I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from guardrail.references.authors.lists import MOST_AUTHORS, overlap
from guardrail.references.authors.names import LONGEST_NAME, parse_name
from guardrail.references.bibliography.claims import (
    authors_match,
    identifiers,
    invented_subtitle,
    url_confirmed,
    venue_confirmed,
)
from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.records import Difference, Match, Record, Reference, Status
from guardrail.references.bibliography.titles import (
    NEAR,
    Closeness,
    Frequency,
    Title,
    TitleMatch,
    compare,
    unknown,
)

__all__ = ["judge"]

MAIN_WORDS = 3  # a main title of fewer words ("Attention") names its work only together with its authors


def judge(reference: Reference, works: Sequence[Record], frequency: Frequency = unknown) -> Match:
    """Choose among candidate works the one that was quoted, and say what is quoted wrongly.

    Args:
        reference: as quoted; without a title and identifiers nothing can be decided.
        works: candidates, by identifier or similar title, in any order.
        frequency: in how many known titles a word occurs.

    Returns:
        `FOUND` with the fields that differ and those that could not be checked, or `ABSENT` with the nearest work if one is near. An identifier that
        belongs to a work of quite another title and other authors is no proof of the quoted work: `ABSENT`.
    """
    names = tuple(name[:LONGEST_NAME] for name in reference.authors[:MOST_AUTHORS])
    cut = reference.et_al or len(names) < len(reference.authors)
    reference = replace(reference, authors=names, et_al=cut)
    title = Title(reference.title)
    weighed = sorted((_weigh(reference, title, work, frequency) for work in works), key=lambda w: w.rank)
    if not weighed:
        return Match(Status.ABSENT)
    best = weighed[-1]
    if best.accepted:
        others = weighed[:-1]
        wrong, open_ = _identifiers(reference, best, others)
        return Match(
            Status.FOUND,
            best.work,
            best.similarity,
            (*best.differences, *wrong),
            detail=_remarks(reference, best, [other for other in others if other.accepted]),
            unchecked=_unchecked(reference, best, others, open_),
        )
    if best.titles.closeness is Closeness.DIFFERENT and not best.identified:
        return Match(Status.ABSENT)
    detail = "an identifier that was given belongs to another work" if best.identified else ""
    wrong, _ = _identifiers(reference, best, [])
    return Match(Status.ABSENT, best.work, best.similarity, (*best.differences, *wrong), detail=detail)


@dataclass(frozen=True, slots=True)
class _Weighed:
    work: Record
    titles: TitleMatch
    identified: bool
    authors: bool | None  # None where that cannot be told
    compared: bool  # all of the authors
    shared: float  # of the authors, in [0, 1]
    year_apart: int | None
    differences: list[Difference]
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
        titles = compare(title, Title(work.title), frequency)
    else:
        titles = TitleMatch(Closeness.EXACT if identified else Closeness.DIFFERENT, float(identified))
    agree, compared = authors_match(reference, work)
    years = (reference.year, work.year)
    apart = None if years[0] is None or years[1] is None else abs(years[0] - years[1])
    closeness = titles.closeness
    if closeness is Closeness.SHORTER:
        named = len(title.words) >= MAIN_WORDS
        accepted = bool(agree) or (named and agree is None)
    elif closeness in {Closeness.LONGER, Closeness.LETTER}:
        accepted = bool(agree)
    else:
        accepted = closeness >= Closeness.REWORDED
    accepted = accepted or (identified and (bool(agree) or titles.similarity >= NEAR))
    differences = _differences(reference, title, work, titles, agree=agree, apart=apart)
    return _Weighed(
        work=work,
        titles=titles,
        identified=identified,
        authors=agree,
        compared=compared,
        shared=_shared(reference, work),
        year_apart=apart,
        differences=differences,
        accepted=accepted,
    )


def _shares_identifier(reference: Reference, work: Record) -> bool:
    """Whether one of the quoted identifiers is the work's."""
    real = {(found.kind, found.value) for found in identifiers(work)}
    return any(said.value and (said.kind, said.value) in real for said in identifiers(reference))


def _differences(
    reference: Reference,
    title: Title,
    work: Record,
    titles: TitleMatch,
    *,
    agree: bool | None,
    apart: int | None,
) -> list[Difference]:
    """The differences in title, authors and year."""
    found = []
    another = titles.closeness <= Closeness.REWORDED or (
        titles.closeness is Closeness.LONGER and invented_subtitle(title, work)
    )
    if title.normalised and normalise(work.title) and another:
        found.append(Difference("title", reference.title, work.title))
    if agree is False:
        found.append(Difference("authors", _names(reference), _names(work)))
    if apart is not None and apart > 1:
        found.append(Difference("year", str(reference.year), str(work.year)))
    return found


def _identifiers(
    reference: Reference, best: _Weighed, others: Sequence[_Weighed]
) -> tuple[list[Difference], set[str]]:
    """Identifiers that are wrong, and the fields of those that the work does not settle.

    An identifier is confirmed by any record of the work. It is wrong if it is another work's, or if the record has
    another one of the kind. That is not said of ISBNs, of which every edition has its own.
    """
    wrong, open_ = [], set()
    same = [best.work, *(other.work for other in others if other.accepted)]
    confirmed = {(i.kind, i.value) for work in same for i in identifiers(work)}
    elsewhere = {
        (i.kind, i.value): other.work
        for other in others
        if not other.accepted
        for i in identifiers(other.work)
    }
    real = {i.kind: i.value for i in identifiers(best.work) if i.value}
    for said in identifiers(reference):
        if not said.value:
            open_.add(said.field)
        elif (said.kind, said.value) in confirmed:
            continue
        elif said.kind in real and said.kind != "isbn":
            wrong.append(Difference(said.field, said.value, real[said.kind]))
        elif owner := elsewhere.get((said.kind, said.value)):
            wrong.append(Difference(said.field, said.value, f"the identifier of “{owner.title}”"))
        else:
            open_.add(said.field)
    return wrong, open_


def _unchecked(
    reference: Reference, best: _Weighed, others: Sequence[_Weighed], identifiers_open: set[str]
) -> tuple[str, ...]:
    """The claimed fields that the work neither confirms nor contradicts."""
    different = {difference.field for difference in best.differences}
    same = [best.work]
    if best.authors:  # other records of the same work
        same += [other.work for other in others if other.accepted and other.authors]
    open_ = {
        "title": bool(reference.title) and not normalise(best.work.title),
        "authors": bool(reference.authors) and not best.compared,
        "year": reference.year is not None and best.work.year is None,
        "venue": bool(reference.venue.strip()) and not venue_confirmed(reference, same),
        **dict.fromkeys(identifiers_open, True),
        "url": bool(reference.url.strip()) and not url_confirmed(reference, same),
    }
    return tuple(
        field.name for field in fields(Reference) if open_.get(field.name) and field.name not in different
    )


def _names(work: Reference | Record) -> str:
    return "; ".join([*work.authors, *(["et al."] if work.et_al else [])])


def _remarks(reference: Reference, best: _Weighed, others: list[_Weighed]) -> str:
    remarks = []
    if best.year_apart == 1:
        remarks.append(
            f"year differs by one ({reference.year}, {best.work.year}): taken as preprint and print"
        )
    if best.titles.closeness is Closeness.SHORTER:
        remarks.append("subtitle left out")
    if best.titles.closeness is Closeness.LONGER and not any(d.field == "title" for d in best.differences):
        remarks.append("authors, year, venue or edition added to the title")
    if best.titles.closeness is Closeness.NOISE:
        remarks.append("title has a slip")
    same = [other for other in others if other.titles.closeness is Closeness.EXACT]
    if same and best.titles.closeness is Closeness.EXACT:
        remarks.append(f"{len(same) + 1} records carry this title")
    return "; ".join(remarks)


def _shared(reference: Reference, work: Record) -> float:
    """How much the lists of authors have in common, to choose between works of one title."""
    return overlap(
        [parse_name(name) for name in reference.authors],
        [parse_name(name) for name in work.authors[:MOST_AUTHORS]],
    )
