"""Is this the work that was quoted? Pure functions on titles, names and years: no index, no I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from guardrail.bibliography.normalise import IDENTIFIERS
from guardrail.bibliography.records import Difference, Match, Record, Reference, Status
from guardrail.bibliography.titles import NEAR, Closeness, Frequency, Title, TitleMatch, compare, unknown
from guardrail.text.author_lists import MOST_AUTHORS, authors_agree, overlap
from guardrail.text.names import LONGEST_NAME, parse_name

__all__ = ["judge"]

MAIN_WORDS = 3  # a main title of fewer words ("Attention") names its work only together with its authors


def judge(reference: Reference, works: Sequence[Record], frequency: Frequency = unknown) -> Match:
    """Choose among candidate works the one that was quoted, and say what is quoted wrongly.

    Args:
        reference: as quoted; without a title and identifiers nothing can be decided.
        works: candidates, by identifier or similar title, in any order.
        frequency: in how many known titles a word occurs.

    Returns:
        `FOUND` with the differing fields, or `ABSENT` with the nearest work if one is near. An identifier that
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
        detail = _remarks(reference, best, [other for other in weighed[:-1] if other.accepted])
        return Match(Status.FOUND, best.work, best.similarity, tuple(best.differences), detail=detail)
    if best.titles.closeness is Closeness.DIFFERENT and not best.identified:
        return Match(Status.ABSENT)
    detail = "an identifier that was given belongs to another work" if best.identified else ""
    return Match(Status.ABSENT, best.work, best.similarity, tuple(best.differences), detail=detail)


@dataclass(frozen=True, slots=True)
class _Weighed:
    work: Record
    titles: TitleMatch
    identified: bool
    authors: bool | None  # None where that cannot be told
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
    agree = _authors_match(reference, work)
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
    differences = _differences(reference, work, titles, agree, apart)
    return _Weighed(work, titles, identified, agree, _shared(reference, work), apart, differences, accepted)


def _shares_identifier(reference: Reference, work: Record) -> bool:
    """Whether one of the quoted identifiers is the work's."""
    return any(
        bool(value) and value == read(getattr(work, kind))
        for kind, read in IDENTIFIERS.items()
        if (value := read(getattr(reference, kind)))
    )


def _differences(
    reference: Reference, work: Record, titles: TitleMatch, agree: bool | None, apart: int | None
) -> list[Difference]:
    found = []
    if reference.title and titles.closeness <= Closeness.REWORDED:
        found.append(Difference("title", reference.title, work.title))
    if agree is False:
        found.append(Difference("authors", _names(reference), _names(work)))
    if apart is not None and apart > 1:
        found.append(Difference("year", str(reference.year), str(work.year)))
    for kind in ("doi", "arxiv", "pmid"):
        read = IDENTIFIERS[kind]
        claimed, real = read(getattr(reference, kind)), read(getattr(work, kind))
        preprint = kind == "doi" and (claimed.startswith("10.48550/") != real.startswith("10.48550/"))
        if claimed and real and claimed != real and not preprint:
            found.append(Difference(kind, claimed, real))
    return found


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
    if best.titles.closeness is Closeness.NOISE:
        remarks.append("title has a slip")
    same = [other for other in others if other.titles.closeness is Closeness.EXACT]
    if same and best.titles.closeness is Closeness.EXACT:
        remarks.append(f"{len(same) + 1} records carry this title")
    return "; ".join(remarks)


def _authors_match(reference: Reference, work: Record) -> bool | None:
    """Whether the quoted authors are the work's; `None` where that cannot be told."""
    return authors_agree(
        reference.authors, work.authors, found_is_cut=work.et_al, claimed_is_cut=reference.et_al
    )


def _shared(reference: Reference, work: Record) -> float:
    """How much the lists of authors have in common, to choose between works of one title."""
    return overlap(
        [parse_name(name) for name in reference.authors],
        [parse_name(name) for name in work.authors[:MOST_AUTHORS]],
    )
