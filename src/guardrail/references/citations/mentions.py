"""Works that are named again by their title alone: "… start with *Against the Grain*"."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.model import Citation, Style
from guardrail.references.citations.words import title_case
from guardrail.report import Span

__all__ = ["mentions"]

_IN_MARKS = re.compile(
    r"(?<![\w*])(?:\*{1,2}(?=[^\s*])[^*\n]{2,200}(?<=\S)\*{1,2}(?!\*))|(?<!\w)_(?=\S)[^_\n]{2,200}(?<=\S)_(?!\w)"
    r"|(?<!\w)\"[^\"\n]{2,200}\"|“[^“”\n]{2,200}”|«[^«»\n]{2,200}»|„[^„“”\n]{2,200}[“”]|《[^《》\n]{2,100}》|『[^『』\n]{2,100}』"
)
_SUBTITLE = re.compile(r"\s?[:：]\s?|\s[–—-]\s|——")
_LEAST = 7  # letters of a title of one word; a shorter one may be any word in italics


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
    covered = sorted((one.span.start, one.span.end) for one in found)
    starts = [start for start, _ in covered]
    for match in _IN_MARKS.finditer(answer):
        title = match[0].strip('*_"“”«»„《》『』 ,.')
        means = names.get(normalise(title))
        before = bisect_right(starts, match.start()) - 1
        inside = before >= 0 and covered[before][1] > match.start()
        inside = inside or (before + 1 < len(covered) and covered[before + 1][0] < match.end())
        term = title[:1].islower() or (
            match[0].startswith("**") and (len(title.split()) < 3 or title_case(title) < 0.7)
        )
        if means is not None and not inside and not term:
            style: Style = "emphasised" if match[0][0] in "*_" else "quoted"
            yield Citation(Span(start=match.start(), end=match.end()), Reference(title), style, means=means)


def _may_stand_alone(name: str) -> bool:
    plain = normalise(name)
    return " " in plain or len(plain) >= (_LEAST if plain.isascii() else 3)
