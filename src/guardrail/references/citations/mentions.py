"""Works that an answer names again: a title in marks, an author-year mark; each with the entry that it means."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.entries import Entries
from guardrail.references.citations.model import Citation, Style
from guardrail.references.citations.words import title_case
from guardrail.report import Span

__all__ = ["mentions", "with_marks_resolved"]

_IN_MARKS = re.compile(
    r"(?<![\w*])(?:\*{1,2}(?=[^\s*])[^*\n]{2,200}(?<=\S)\*{1,2}(?!\*))|(?<!\w)_(?=\S)[^_\n]{2,200}(?<=\S)_(?!\w)"
    r"|(?<!\w)\"[^\"\n]{2,200}\"|“[^“”\n]{2,200}”|«[^«»\n]{2,200}»|„[^„“”\n]{2,200}[“”]|《[^《》\n]{2,100}》|『[^『』\n]{2,100}』"
)
_SUBTITLE = re.compile(r"\s?[:：]\s?|\s[–—-]\s|[—―─]{2}")
_LEAST = 7  # letters of a title of one word; a shorter one may be any word in italics


def with_marks_resolved(answer: str, found: Sequence[Citation]) -> list[Citation]:
    """The references; of author-year marks, each with the entry of its first author and year, if there is only one.

    Args:
        answer: the text.
        found: the references that were read from it.

    Example:
        >>> text = "As Roe (2001) says. Roe, A. (2001). Rivers."
        >>> entry = Citation(Span(start=20, end=43), Reference("Rivers", ("Roe, A.",), year=2001), "inline")
        >>> mark = Citation(Span(start=3, end=13), Reference(authors=("Roe",), year=2001), "author-year")
        >>> with_marks_resolved(text, [mark, entry])[0].means
        Span(start=20, end=43)
    """
    entries = Entries(answer, [one for one in found if one.style != "author-year"])
    return [
        replace(one, means=meant.span)
        if one.style == "author-year" and (meant := entries.meant(one.reference, _letter(answer, one)))
        else one
        for one in found
    ]


def _letter(answer: str, mark: Citation) -> str:
    """The letter behind the year of a mark: (Roe, 2020b)."""
    letter = re.search(rf"{mark.reference.year}([a-z])(?!\w)", answer[mark.span.start : mark.span.end + 1])
    return letter[1] if letter else ""


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
