"""From labelled stretches of a string to a `Reference`: how each field is written down."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from guardrail.references.authors.lists import parse_authors
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.identifiers import identifiers, with_identifiers
from guardrail.references.citations.people import people
from guardrail.references.citations.titles import clean_title

__all__ = ["YEAR", "Stretch", "reference_of", "stretches_of"]

YEAR = re.compile(r"(?<!\d)(?:1[4-9]|20)\d\d(?!\d)")
_YEAR_OF_VOLUME = re.compile(r"((?:1[4-9]|20)\d\d)\s?;")
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
_VOLUME = re.compile(
    r"(?:(?:vol(?:ume)?s?|v|bd|band|tom[eo]?|т|第)\.?\s*)?([A-Za-z]{0,2}\d{1,4}|[ivxlcIVXLC]{1,8}\b)",
    re.IGNORECASE,
)
_ISSUE = re.compile(
    r"[(（]\s?(\d{1,4}(?:[-–/]\d{1,4})?)\s?[)）]|\b(?:no|nr|num|number|issue|heft|iss)\b\.?\s*(\d{1,4}(?:[-–/]\d{1,4})?)"
    r"|(?:n°|№|[(（]?第?\s?(?=\d{1,4}号))\s*(\d{1,4})",
    re.IGNORECASE,
)
_PAGES = re.compile(r"[A-Za-z]{0,2}\d{1,6}(?:\s?[-–—‑−~]{1,2}\s?[A-Za-z]{0,2}\d{1,6})?")
_EXTENT = re.compile(r"\d+\s?(?:p|pp|pages|с|s|쪽|页)\.?\s*$")  # 494 p.
_PAGES_OF_VOLUME = re.compile(r":\s*(?:pp?\.\s*)?([A-Za-z]?\d{1,6}(?:\s?[-–—‑]{1,2}\s?[A-Za-z]?\d{1,6})?)")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A run of tokens of one field: the field's name, and the place in the text."""

    field: str
    start: int
    end: int


def stretches_of(found: Sequence[Stretch]) -> dict[str, list[Stretch]]:
    """The stretches that each attribute of a `Reference` is read from.

    "authors" are the editors where nobody else is named before the title; "venue" is the journal or the book, or
    else the publisher. Only the first title, list of authors and venue count.
    """
    by_name: dict[str, list[Stretch]] = {}
    for stretch in found:
        by_name.setdefault(stretch.field, []).append(stretch)
    titles = by_name.get("title", [])
    early = [s for s in by_name.get("editor", []) if not titles or s.start < titles[0].start]
    venues = [s for s in found if s.field in ("journal", "container")]
    chosen = {
        "title": titles[:1],
        "authors": by_name.get("author", early)[:1],
        "year": by_name.get("date", []),
        "venue": (venues or by_name.get("publisher", []))[:1],
        "volume": by_name.get("volume", []),
        "pages": by_name.get("pages", []),
    }
    return {name: stretches for name, stretches in chosen.items() if stretches}


def reference_of(text: str, chosen: Mapping[str, Sequence[Stretch]]) -> Reference:
    """The fields as a `Reference`; identifiers are read from the whole text."""

    def written(name: str) -> str:
        return " ".join(text[s.start : s.end] for s in chosen.get(name, ()))

    authors, cut = _names(written("authors"))
    dates = [s for s in chosen.get("year", ()) if not _SEEN.search(text, max(0, s.start - _NEAR), s.start)]
    volume = written("volume")
    year = YEAR.search(" ".join(text[s.start : s.end] for s in dates)) or _YEAR_OF_VOLUME.search(volume)
    numbers = volume[year.end() :] if year and year.re is _YEAR_OF_VOLUME else volume
    number, issue = _VOLUME.search(numbers), _ISSUE.search(numbers)
    reference = Reference(
        title=_plain(written("title")),
        authors=authors,
        et_al=cut,
        year=int(year[0][:4]) if year else None,
        venue=_plain(_IN.sub("", written("venue").lstrip(" *_(["))),
        volume=number[1] if number and (issue is None or number.start() < issue.start()) else "",
        issue=next(filter(None, issue.groups()), "") if issue else "",
        pages=_pages(written("pages"), volume),
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


def _pages(text: str, volume: str) -> str:
    if found := _PAGES_OF_VOLUME.search(volume) if not text else None:
        return found[1]
    found = None if _EXTENT.search(text) and not re.search(r"\d\s?[-–—‑]", text) else _PAGES.search(text)
    return found[0] if found else ""
