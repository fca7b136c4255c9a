"""From stretches of a text that the network read to a `Reference`: how each field is written down."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from guardrail.references.authors.lists import parse_authors
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.identifiers import identifiers, with_identifiers
from guardrail.references.citations.people import people
from guardrail.references.citations.titles import clean_title

__all__ = ["Stretch", "reference_of"]

_YEAR = re.compile(r"(?<!\d)(?:1[4-9]|20)\d\d(?!\d)")
_SEEN = re.compile(  # Retrieved May 3, 2024: when a page was seen is not when it appeared
    r"(?:retriev|access|visit|viewed|abgerufen|zugriff|consult|acess|dostęp|обращ|访问|訪問|閲覧)\w*\W[^.;]{0,20}$",
    re.IGNORECASE,
)
_NEAR = 40
_IN = re.compile(r"\A(?:(?:in|dans|en)\b|[вВ]\s|//?)(?:\s*:)?\s*(?:the\s)?", re.IGNORECASE)
_ET_AL = re.compile(
    r"[,;]?\s{0,3}\(?(?:\bet\.?\s{0,3}al\b\.?|\b(?:and|&)\s{1,3}(?:\w{1,20}\s)?(?:others|colleagues)\b|…|\.\.\.|[,，]?\s?(?:等|他|외)人?"
    r"|и\sдр\.?)[\s.,:]*$",
    re.IGNORECASE,
)
_EDGES = re.compile(r"\A[ *_\[\](){}–—|：:，。,;<>-]+|[ *_\[({–—|：:，。,;<>-]+\Z")
_BY = re.compile(r"(?:(?:written\s|edited\s)?by|von|par|authors?)\b:?\s*", re.IGNORECASE)
_ROLE = re.compile(
    r"[,\s]*[(\[（]?\b(?:eds?|editors?|hrsg|dirs?|directors?|authors?|著|編)\b\.?[)\]）]?[\s.,:]*$|[著編]$",
    re.IGNORECASE,
)
_DOUBLE = re.compile(r"[^\s,;]+\s[^\s,;.]+\sy\s[^\s,;]+")  # José Ortega y Gasset
_JOINED = re.compile(r"\s[+/]\s")  # collins + porras
_PARTS = re.compile(
    r"\s*[;；、·]\s*|\s+(?:and|und|et|y|e|и|&)\s+|[,，]\s*(?:and|und|et|y|e|и|&)?\s*", re.IGNORECASE
)
_EAST = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A run of tokens of one field: the field's name, and the place in the text."""

    field: str
    start: int
    end: int


def reference_of(text: str, stretches: Sequence[Stretch]) -> Reference:
    """The fields as a `Reference`; identifiers are read from the whole text.

    Args:
        text: of the reference.
        stretches: of its title, author, journal and dates; of the others than dates the first counts.
    """

    def written(field: str) -> str:
        return next((text[one.start : one.end] for one in stretches if one.field == field), "")

    authors, cut = _names(written("author"))
    dates = (one for one in stretches if one.field == "date")
    told = [
        text[one.start : one.end]
        for one in dates
        if not _SEEN.search(text, max(0, one.start - _NEAR), one.start)
    ]
    year = _YEAR.search(" ".join(told))
    reference = Reference(
        title=_plain(written("title")),
        authors=authors,
        et_al=cut,
        year=int(year[0]) if year else None,
        venue=_plain(_IN.sub("", written("journal").lstrip(" *_(["))),
    )
    return with_identifiers(reference, identifiers(text))


def _plain(text: str) -> str:
    """Without the marks around a field: emphasis, quotes, brackets that open or close nothing, a final stop."""
    text = clean_title(text)
    for _ in range(3):
        before = text
        text = text.strip(" ,;:/|*_`-–—，。；：、．")
        for opening, closing in ("[]", "()", "（）", "《》", "『』", "「」", "【】"):
            if text.startswith(opening) and text.endswith(closing) and text.count(opening) == 1:
                text = text[1:-1]
            elif text.startswith(opening) and closing not in text:
                text = text[1:]
            elif text.endswith(closing) and opening not in text:
                text = text[:-1]
        if text[:1] in "\"“”«»‘’'" and not re.search(r"[\"“”«»‘’']", text[1:]):
            text = text[1:]
        elif text[-1:] in '"“”«»' and not re.search(r"[\"“”«»]", text[:-1]):
            text = text[:-1]
        text = clean_title(text)
        if text == before:
            break
    return text


def _names(text: str) -> tuple[tuple[str, ...], bool]:
    """One name each, and whether the list was cut short."""
    text = _EDGES.sub("", " ".join(text.split()))
    text = re.sub(r"['’]s$", "", _BY.sub("", text, count=1) if _BY.match(text) else text)
    if not any(letter.isalpha() for letter in text):
        return (), False  # ———, for the author above
    text = _JOINED.sub(" & ", text)
    shorter = _ROLE.sub("", _ET_AL.sub("", text)).strip(" ,;:，；：、")
    cut = _ET_AL.search(text) is not None
    if _DOUBLE.fullmatch(shorter):
        return (shorter,), cut
    if read := people(shorter):
        return read[0], cut or read[1]
    if _EAST.search(shorter) is None and (listed := parse_authors(shorter)):
        return tuple(name.raw for name in listed), cut
    parts = [part.strip(" .*_") for part in _PARTS.split(shorter)]
    if _EAST.search(shorter):
        return tuple(part for part in parts if part), cut
    return (shorter.strip(" .") or text,), cut
