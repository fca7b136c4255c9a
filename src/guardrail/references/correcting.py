"""What of a reference can be put right from the record of its work: only where all else that is said of the work agrees.

A book has editions of other years, a paper a preprint and a print: then another year or another venue is no error. Volume, issue and pages are
read here, where the work is known, since without it a number in a reference may be anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from rapidfuzz.distance import OSA

from guardrail.references.authors.names import Name, fold, parse_name, same_author
from guardrail.references.bibliography.comparison import check_fields
from guardrail.references.bibliography.conferences import named
from guardrail.references.bibliography.journals import journals
from guardrail.references.bibliography.records import (
    FieldCheck,
    Match,
    Outcome,
    Record,
    Reference,
    Status,
    in_order,
)
from guardrail.references.bibliography.venues import publishes
from guardrail.references.citations import Citation
from guardrail.report import Edit, Span

_NUMBERS = ("volume", "issue", "pages")
# kinds of difference; a workshop, or findings, are near the conference
_VENUES = frozenset({"another", "unknown", "unlike"})
# characters: of a family name that is put right; of a reference in which numbers are read
_SHORTEST, _MOST = 3, 600
_RANGE = r"\d{1,6}\s?[-–—]\s?\d{1,6}"
_ALIKE = 0.5  # similarity of two family names above which they may be one
_PAGES = re.compile(r"(\d+)(\D+)(\d+)")
_PATTERNS = (  # of what follows a title: each says what its groups are
    re.compile(
        rf"(?<![\w.])\*{{0,2}}(?P<volume>\d{{1,4}})\*{{0,2}}\s?\(\*?(?P<issue>\d{{1,5}})\*?\)\*{{0,2}}(?:\s?[:,]\s?(?:pp?\.\s?)?(?P<pages>{_RANGE}))?"
    ),
    re.compile(
        rf"[,;]\s?\*{{0,2}}(?P<volume>\d{{1,4}})\*{{0,2}}\s?[:,]\s?(?:pp?\.\s?)?(?P<pages>{_RANGE})(?!\d)"
    ),
    re.compile(r"\s(?P<volume>\d{1,4}),\s?(?:[Nn]o|[Nn]r|n)\.?\s?(?P<issue>\d{1,5})(?!\d)"),
    re.compile(r"\b(?:[Vv]ol(?:ume)?\.?|[Bb]d\.?|[Bb]and|[Tt]omo?\.?|v\.)\s?(?P<volume>\d{1,4})(?!\d)"),
    re.compile(r"(?:\b(?:[Nn]o\.|[Nn]r\.|n\.|[Ii]ssue|[Nn]um\.)|№|[Nn]°)\s?(?P<issue>\d{1,5})(?!\d)"),
    re.compile(rf"\b(?:[Pp]{{1,2}}\.?|[Pp]ages?|S\.|с\.|С\.)\s?(?P<pages>{_RANGE})(?!\d)"),
    re.compile(rf"[:,]\s?(?P<pages>{_RANGE})(?!\d)"),
)


def with_numbers(match: Match, citation: Citation, text: str) -> Match:
    """A match with the one number of volume, issue and pages that the record has otherwise, where all else agrees.

    Args:
        match: of the look-up.
        citation: the reference.
        text: the citation as written.
    """
    work = match.record
    if (
        match.status is not Status.FOUND
        or work is None
        or match.differences
        or not _is_the_print(match, work)
    ):
        return match
    said = {name: value for name, value in _numbers(citation, text) if getattr(work, name)}
    new = [name for name in said if not getattr(citation.reference, name)]
    volume, issue, pages = (said.get(name, "") for name in _NUMBERS)
    checks = check_fields(Reference(title="", volume=volume, issue=issue, pages=pages), None, [work])
    wrong = [one for one in checks if one.outcome is Outcome.DIFFERS]
    if len(wrong) != 1 or wrong[0].field not in new:
        return match
    found = {one.field: one for one in (*match.fields, *wrong)}
    return replace(match, fields=in_order(found))


def corrections(match: Match, citation: Citation, text: str) -> tuple[Edit, ...]:
    """The edit that puts the one wrong field of a reference right; none where more than one differs, or the work may be another edition.

    Args:
        match: of the look-up; its record is the work.
        citation: the reference.
        text: the citation as written.
    """
    work, span = match.record, citation.span
    if work is None or len(match.differences) != 1:
        return ()
    wrong = match.differences[0]
    edit = None
    if wrong.field == "authors":
        sure = _agrees(match, "venue")
        edit = _name(citation.reference, work, span, text, sure=sure) if _agrees(match, "year") else None
    elif _is_certain(wrong, match, work):
        known = _written_alike(wrong.found, wrong.claimed) if wrong.field == "pages" else wrong.found
        edit = Edit.of_one(wrong.claimed, known, within=span, text=text, why=f"{wrong.field} of the record")
    return () if edit is None else (edit,)


def _is_certain(wrong: FieldCheck, match: Match, work: Record) -> bool:
    if wrong.field == "venue":
        return wrong.how in _VENUES and _agrees(match, "year") and _agrees(match, "authors")
    if wrong.field == "year":
        return _is_printed(match, work)
    return wrong.field in _NUMBERS and bool(wrong.found) and _is_the_print(match, work)


def _agrees(match: Match, field: str) -> bool:
    """Whether a field is said, and is the record's; of authors, those that are known."""
    check = next((one for one in match.fields if one.field == field), None)
    cut = check is not None and check.field == "authors" and check.outcome is Outcome.NEAR
    return check is not None and (check.outcome is Outcome.CONFIRMED or cut)


def _is_the_print(match: Match, work: Record) -> bool:
    """Whether the record is that of the print which is cited: year and venue agree, and authors where any are said."""
    conference = named(work.venue)
    preprint = conference is not None and conference.conference.preprint
    said = any(one.field == "authors" for one in match.fields)
    return not preprint and all(
        _agrees(match, one) for one in ("year", "venue", *(["authors"] if said else []))
    )


def _is_printed(match: Match, work: Record) -> bool:
    """Whether the journal or the conference is the record's: one that lists know, and no publisher or archive of preprints."""
    if not _agrees(match, "authors") or not _agrees(match, "venue"):
        return False
    conference = named(work.venue)
    if conference is not None:
        return not conference.conference.preprint
    return bool(journals(work.venue)) or (bool(work.volume) and not publishes(work.venue))


def _numbers(citation: Citation, text: str) -> Iterator[tuple[str, str]]:
    """Volume, issue and pages as they are written behind the title, each only if there is one."""
    title = citation.reference.title
    at = text.find(title)
    tail = text[at + len(title) if at >= 0 else 0 :][:_MOST]
    found: dict[str, set[str]] = {name: set() for name in _NUMBERS}
    for pattern in _PATTERNS:
        for match in pattern.finditer(tail):
            for name, value in match.groupdict().items():
                if value and value != str(citation.reference.year):
                    found[name].add(value)
    yield from ((name, values.pop()) for name, values in found.items() if len(values) == 1)


def _written_alike(pages: str, claimed: str) -> str:
    """A range of pages with the dash of another one."""
    parts, dash = _PAGES.fullmatch(pages.strip()), _PAGES.fullmatch(claimed.strip())
    return f"{parts[1]}{dash[2]}{parts[3]}" if parts and dash else pages


def _name(reference: Reference, work: Record, span: Span, text: str, *, sure: bool) -> Edit | None:
    """The family name of the one author who is another at that place, if the given names are the author's.

    Of an author who is named alone one letter of the given name is not enough, unless the venue agrees as well (`sure`).
    """
    claimed, known = [[parse_name(one) for one in of.authors] for of in (reference, work)]
    pairs = list(zip(claimed, known, strict=False))
    wrong = [(said, right) for said, right in pairs if not same_author(said, right)]
    if len(wrong) != 1 or (len(claimed) > len(known) and not work.et_al):
        return None
    said, right = wrong[0]
    if not _given_agree(said, right, alone=len(pairs) == 1 and not sure) or any(
        said.family == one.family for one in known
    ):
        return None
    alike = OSA.normalized_similarity(fold(said.family), fold(right.family))
    if alike > _ALIKE or min(len(said.family), len(right.family)) < _SHORTEST:
        return None  # another spelling, or a letter that the record has lost
    return Edit.of_one(said.family, right.family, within=span, text=text, why="authors of the record")


def _given_agree(said: Name, right: Name, *, alone: bool) -> bool:
    """Whether given names may be one person's; of a name alone, whether they are written out and the same."""
    if not said.given or not right.given:
        return False
    one, other = said.given[0].casefold(), right.given[0].casefold()
    return (one == other and len(one) > 1) or (
        not alone and one[0] == other[0] and 1 in {len(one), len(other)}
    )
