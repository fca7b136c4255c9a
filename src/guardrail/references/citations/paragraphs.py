"""Lines that are references as a whole: under a heading "References", or a bold title with its authors below it."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.eastern import eastern
from guardrail.references.citations.eastern_names import in_other_letters
from guardrail.references.citations.evidence import EASTERN_MEDIA, heading
from guardrail.references.citations.fields import Parsed, parse, with_labels
from guardrail.references.citations.identifiers import identifiers, with_identifiers
from guardrail.references.citations.inline import doubtless
from guardrail.references.citations.lines import Line
from guardrail.references.citations.markers import field_of, marker_of
from guardrail.references.citations.model import Citation, Style
from guardrail.references.citations.people import PEOPLE, people, surely_people
from guardrail.references.citations.prose import titled
from guardrail.references.citations.sites import names_document
from guardrail.references.citations.titles import clean_title
from guardrail.references.citations.words import YEAR, is_comment, words
from guardrail.report import Span

__all__ = ["above_authors", "standing"]

_BOLD_LINE = re.compile(r"[\s>]{0,8}(?:[^\w\s*]{1,3}\s)?\*\*(?P<title>[^*\r\n]{3,300})\*\*[.:]?\s*")
_SLANTED = re.compile(r"[\s>]{0,8}(?P<mark>[*_])(?P<said>[^*_\s][^*_\r\n]{3,160})(?P=mark)\s*")
_BELOW = re.compile(
    rf"[\s>*_]{{0,8}}(?P<by>{PEOPLE})[*_]{{0,2}}[,.]?\s[*_(]{{0,3}}(?P<venue>[^\W\d_a-z][^,;()*_\r\n]{{1,80}}?)[*_]{{0,2}},?\s\(?"
    r"(?P<year>(?:1[4-9]|20)\d\d)[)*_.\s]{0,5}"
)
_LAST_YEAR = re.compile(r"[\s,(·|–—-]{1,6}(?:1[4-9]|20)\d\d\)?\s*$")
_ADDRESSED = re.compile(
    r"\s*[*_\"“]{0,2}[^\W\d_a-z][^\r\n:;.?!()<>\[\]/]{3,120}?(?::[*_]{0,2}|,|\s[–—-])?\s[(<]{0,2}https?://[^\s()<>]{4,300}/?[)>]{0,2}\.?\s*"
)
_LONGEST_ADDRESSED, _LONGEST_EASTERN = 450, 400  # characters of a line
_LEADS = re.compile(r"\s*In\s[\"“*_]")
_QUOTES = re.compile(r"[\"“”„«»]|(?<!\w)['‘]")
_QUOTED_LINE = re.compile(r"\s*[\"“«„《][^\"“”«»„《》]{4,350}[\"”»“》][.,]?\s*")


def standing(
    rows: Sequence[Line], taken: bytearray, skipped: Container[int], *, asked: bool, among: bool = False
) -> list[Citation]:
    """Lines that are references as a whole, mostly under a heading "References".

    In an answer with references (`among`), lines of code and quotations are read, too, if there is no doubt.
    """
    found: list[Citation] = []
    under = False
    for number, row in enumerate(rows):
        text = row.text
        if number in skipped or row.blank or taken.find(1, row.start, row.end) >= 0:
            continue
        if row.code:
            found += _whole(row) if among or asked else []
            continue
        if heading(text):
            under = True
            continue
        if text.lstrip().startswith("#"):
            under = False
        if whole := (_addressed(row) if asked else None) or _eastern(row):
            found.append(_with_bullets(rows, number, whole))
            continue
        quoted = asked and len(text) < 360 and _QUOTED_LINE.fullmatch(text) is not None
        if not quoted and (len(text) > 1500 or not YEAR.search(text, 0, 700)):
            continue
        parsed = parse(text)
        if quoted or (_stands(parsed, under=under) and not _mentions(text, parsed.reference)):
            span = Span(start=row.start + parsed.start, end=row.start + parsed.end)
            if span.end > span.start and parsed.reference.title:
                found.append(
                    Citation(
                        span,
                        parsed.reference,
                        "line",
                        Span(start=row.start, end=row.stop),
                        other=parsed.other,
                    )
                )
        elif among or asked:
            found += _whole(row)
        elif not _QUOTES.search(text) or _begins_with_author(text, parsed):
            found += [
                one for one in _whole(row) if 10 * (one.span.end - one.span.start) > 9 * len(text.strip())
            ]
    return found


def _addressed(row: Line) -> Citation | None:
    """The line as a title with its address and nothing else: Think Stats: https://greenteapress.com/; the name of a site is none."""
    if len(row.text) > _LONGEST_ADDRESSED or not _ADDRESSED.fullmatch(row.text):
        return None
    parsed = parse(row.text)
    said = parsed.reference
    if not said.url or not (said.authors or names_document(said.title, said.url)) or is_comment(said.title):
        return None
    span = Span(start=row.start + parsed.start, end=row.start + parsed.end)
    return Citation(span, said, "unmarked", Span(start=row.start, end=row.stop), other=parsed.other)


def _eastern(row: Line) -> Citation | None:
    """The line as a reference in Chinese, Japanese or Korean, unless it is one of films and the like."""
    read = eastern(row.text) if len(row.text) < _LONGEST_EASTERN else None
    if read is None or not (read.reference.authors and read.reference.year):
        return None
    if not read.reference.venue and EASTERN_MEDIA.search(row.text):
        return None
    parsed = parse(row.text)
    span = Span(start=row.start + parsed.start, end=row.start + parsed.end)
    said = parsed.reference
    style: Style = (
        "unmarked" if in_other_letters(said) else "line"
    )  # its record has the names in other letters
    return Citation(span, said, style, Span(start=row.start, end=row.stop))


def _with_bullets(rows: Sequence[Line], number: int, citation: Citation) -> Citation:
    """The line with the identifier that a label names among the bullets right below it: "- arXiv: …"."""
    for below in rows[number + 1 : number + 5]:
        label = field_of(below.text)
        if below.blank or marker_of(below.text) is None:
            break
        if label and label[0] == "id" and (ids := identifiers(label[1])):
            end = below.start + len(below.text.rstrip())
            return replace(
                citation,
                span=Span(start=citation.span.start, end=end),
                reference=with_identifiers(citation.reference, ids),
                item=Span(start=rows[number].start, end=below.stop),
            )
    return citation


def _begins_with_author(text: str, parsed: Parsed) -> bool:
    """Whether the line opens with the reference's first author, as a bibliography does."""
    authors = parsed.reference.authors
    return bool(authors) and text.lstrip(" \t>*_").startswith(authors[0][:12])


def above_authors(rows: Sequence[Line], taken: bytearray) -> Iterator[Citation]:
    """A bold title with a line of authors below it, or with lines that are labelled; lines in italics, if several are so and say when or where."""
    slanted = list(_above_slanted(rows, taken))
    dated = any(one.reference.year or one.reference.venue for one in slanted)
    yield from slanted if dated and len(slanted) > 1 else ()
    for number, (row, below) in enumerate(pairwise(rows)):
        title = _BOLD_LINE.fullmatch(row.text)
        if title is not None and not row.code and (field_of(below.text) or ("", ""))[1]:
            yield from _above_labels(
                rows, number, title["title"], row.start + title.start("title") - 2, taken
            )
            continue
        if title is None or below.blank or row.code or taken.find(1, row.start, below.end) >= 0:
            continue
        where = _BELOW.fullmatch(below.text) if len(below.text) < 300 else None
        written = where["by"] if where else _LAST_YEAR.sub("", below.text).strip(" *_>\t")
        names = people(written)
        if (
            names is None
            or len(words(title["title"])) < 3
            or not (names[1] or len(names[0]) > 1 or surely_people(*names))
        ):
            continue
        year = YEAR.search(below.text)
        reference = Reference(
            clean_title(title["title"]),
            names[0],
            names[1],
            int(where["year"]) if where else int(year[0]) if year else None,
            where["venue"].strip() if where else "",
        )
        yield Citation(
            Span(start=row.start + title.start("title") - 2, end=below.end), reference, "emphasised"
        )


def _above_slanted(rows: Sequence[Line], taken: bytearray) -> Iterator[Citation]:
    """Bold titles, each with a line in italics below it that says who wrote it: *Jana Lis, PhD · Znak, 2004*."""
    for row, below in pairwise(rows):
        title = _BOLD_LINE.fullmatch(row.text) if len(row.text) < 400 and not row.code else None
        slanted = _SLANTED.fullmatch(below.text) if title and len(below.text) < 200 else None
        if title is None or slanted is None or taken.find(1, row.start, below.end) >= 0:
            continue
        reference = parse(f"**{title['title']}** — {slanted['said']}").reference
        if reference.authors and reference.title == clean_title(title["title"]):
            span = Span(
                start=row.start + title.start("title") - 2, end=below.start + len(below.text.rstrip())
            )
            yield Citation(span, reference, "emphasised")


def _above_labels(
    rows: Sequence[Line], number: int, title: str, start: int, taken: bytearray
) -> Iterator[Citation]:
    """A bold title, and below it "Authors: …", "Published in: …"."""
    fields: dict[str, str] = {}
    end = rows[number].end
    for below in rows[number + 1 : number + 10]:
        label = field_of(below.text)
        if label is None or not label[1] or label[0] == "title":
            break
        fields.setdefault(*label)
        end = below.start + len(below.text.rstrip())
    reference = with_labels(Reference(clean_title(title)), fields)
    if (reference.authors or reference.year) and taken.find(1, start, end) < 0:
        yield Citation(Span(start=start, end=end), reference, "emphasised")


def _whole(row: Line) -> list[Citation]:
    """The line as a reference beyond doubt, unless it is a sentence around a title in marks."""
    return [citation for citation in doubtless(row) if not _mentions(row.text, citation.reference)]


def _mentions(text: str, reference: Reference) -> bool:
    """Whether the title read from a line is a sentence with one in it: I recommend "Deep Learning" by …."""
    title = reference.title
    least = 0 if _LEADS.match(text) else 2
    return any(title.find(citation.reference.title) >= least for citation in titled(text, ()))


def _stands(parsed: Parsed, *, under: bool) -> bool:
    reference = parsed.reference
    if not reference.title or reference.title[0].islower():
        return False
    if reference.title.count("(") > reference.title.count(")"):
        return False  # a sentence with marks: … (Riess et al., 1998; vgl. Perlmutter et al. 1999)
    if under:
        return bool(reference.authors) or bool(parsed.marks & {"quoted", "id", "venue"})
    return "apa" in parsed.marks and any(re.search(r",\s(?:[^\W\d_]\.)", name) for name in reference.authors)
