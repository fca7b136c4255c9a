"""Titles that the rest of an answer shows to be works: named again, or with a year among other works."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from guardrail.references.authors.names import family_names
from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.eastern import SCRIPT
from guardrail.references.citations.model import Citation, Style
from guardrail.references.citations.people import people
from guardrail.references.citations.unmarked import MEDIA
from guardrail.references.citations.venues import is_venue
from guardrail.references.citations.words import title_case
from guardrail.report import Span

__all__ = ["among_works", "mentions", "with_entries"]

_IN_MARKS = re.compile(
    r"(?<![\w*])(?:\*{1,2}(?=[^\s*])[^*\n]{2,200}(?<=\S)\*{1,2}(?!\*))|(?<!\w)_(?=\S)[^_\n]{2,200}(?<=\S)_(?!\w)"
    r"|(?<!\w)\"[^\"\n]{2,200}\"|“[^“”\n]{2,200}”|«[^«»\n]{2,200}»|„[^„“”\n]{2,200}[“”]|《[^《》\n]{2,100}》|『[^『』\n]{2,100}』"
)
_SUBTITLE = re.compile(r"\s?[:：]\s?|\s[–—-]\s|[—―─]{2}")
_ARTICLE = re.compile(r"(?:the|an?)\s")
_MOST = 500  # references that may be the entry of a short form
_DATED = re.compile(
    r"\s?[(（](?P<year>(?:1[0-9]|20)\d\d)年?[)）]"
    r"|\s(?:(?:only|first|finally|later|was|were)\s){0,2}(?:appeared|published|came\sout)(?:\s[a-z]{2,14}){0,2}?\sin\s(?:[A-Z][a-z]{2,8}\s)?(?P<appeared>(?:1[0-9]|20)\d\d)(?!\d)"
)
_OWNER = re.compile(
    r"(?<![\w.’'-])(?P<owner>[^\W\d_a-z][\w-]{2,20}(?:\s[^\W\d_a-z][\w-]{1,20}){0,2})['’]s\s$"
)
_LONGEST_OWNER = 70  # characters
_SOME = 2  # works of an answer, among which a title with a year is one, too
_BESIDE = 200  # characters around a title in which words for films speak against it
_LEAST = 7  # letters of a title of one word; a shorter one may be any word in italics


def with_entries(found: Sequence[Citation]) -> Iterator[Citation]:
    """The references; of short forms, each with the reference that says more of the work: Shapin, "Invisible Technician," 556.

    A short form names surnames or nobody, neither a year nor an identifier, and words that follow each other in the other's title.
    """
    entries = [one for one in found if one.reference.title and one.reference.authors and one.reference.year][
        :_MOST
    ]
    keys = [
        (f" {normalise(one.reference.title)} ", set(family_names(one.reference.authors)), one)
        for one in entries
    ]
    for one in found:
        said = one.reference
        short = not (said.year or said.doi or said.arxiv or said.isbn or said.pmid or said.url or one.means)
        if short and said.title and said.authors and not any(" " in name.strip() for name in said.authors):
            words = f" {_ARTICLE.sub('', normalise(said.title))} "
            names = set(family_names(said.authors))
            entry = next((entry for title, by, entry in keys if names <= by and words in title), None)
            if entry is not None:
                yield replace(one, means=entry.span)
                continue
        yield one


def mentions(answer: str, found: Sequence[Citation]) -> Iterator[Citation]:
    """Titles in marks, outside of the references that were found, each with the reference whose title (or its main part) it is.

    Args:
        answer: the text.
        found: the references that were read from it.

    Example:
        >>> from guardrail.references.citations.model import Citation
        >>> text = "Roe, *Rivers of Ink: A History* (1999). I would read *Rivers of Ink* first."
        >>> entry = Citation(Span(start=0, end=38), Reference("Rivers of Ink: A History", ("Roe",), year=1999), "emphasised")
        >>> [(one.span.of(text), one.means) for one in mentions(text, [entry])]
        [('*Rivers of Ink*', Span(start=0, end=38))]
    """
    names = dict[str, Span]()
    for one in found:
        title = "" if one.means else one.reference.title
        for name in (title, _SUBTITLE.split(title, maxsplit=1)[0]):
            if name and _may_stand_alone(name):
                names.setdefault(normalise(name), one.span)
    if not names:
        return
    for match, title in _uncovered(answer, found):
        means = names.get(normalise(title))
        term = title[:1].islower() or (
            match[0].startswith("**") and (len(title.split()) < 3 or title_case(title) < 0.7)
        )
        if means is not None and not term:
            style: Style = "emphasised" if match[0][0] in "*_" else "quoted"
            yield Citation(Span(start=match.start(), end=match.end()), Reference(title), style, means=means)


def among_works(answer: str, found: Sequence[Citation]) -> Iterator[Citation]:
    """Titles in marks with a year or an owner, in an answer that names works with their authors; never called wrong.

    Example:
        >>> from guardrail.references.citations import citations
        >>> text = "Ann Roe's *The Silent Tower* (1999), Jo Poe's *The Long Tower* (2001) and *De turribus* (1435)."
        >>> citations(text)[-1].reference.title
        'De turribus'
    """
    works = sum(
        bool(one.reference.title and one.reference.authors) and one.style != "unmarked" for one in found
    )
    for match, title in _uncovered(answer, found) if works >= _SOME else ():
        near = (max(0, match.start() - _BESIDE), match.end() + _BESIDE)
        if not (title[:1].isupper() or SCRIPT.match(title)) or is_venue(title) or MEDIA.search(answer, *near):
            continue
        date = _DATED.match(answer, match.end())
        owner = _OWNER.search(answer, max(0, match.start() - _LONGEST_OWNER), match.start())
        names = people(owner["owner"]) if owner and match[0][0] in "*_" and match[0][:2] != "**" else None
        if date or names:
            span = Span(
                start=owner.start("owner") if owner and names else match.start(),
                end=date.end() if date else match.end(),
            )
            authors, et_al = names or ((), False)
            year = int(date["year"] or date["appeared"]) if date else None
            yield Citation(span, Reference(title, authors, et_al, year), "unmarked")


def _uncovered(answer: str, found: Sequence[Citation]) -> Iterator[tuple[re.Match[str], str]]:
    """Words in marks outside of the references that were found, with and without the marks."""
    covered = sorted((one.span.start, one.span.end) for one in found)
    starts = [start for start, _ in covered]
    for match in _IN_MARKS.finditer(answer):
        before = bisect_right(starts, match.start()) - 1
        inside = before >= 0 and covered[before][1] > match.start()
        inside = inside or (before + 1 < len(covered) and covered[before + 1][0] < match.end())
        if not inside:
            yield match, match[0].strip('*_"“”«»„《》『』 ,.')


def _may_stand_alone(name: str) -> bool:
    plain = normalise(name)
    return " " in plain or len(plain) >= (_LEAST if plain.isascii() else 3)
