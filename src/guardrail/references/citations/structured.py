"""References in JSON: structured outputs, CSL-JSON, the replies of services. Tables of comma-separated values, YAML and XML are read likewise."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from guardrail.references.bibliography.formats.fields import year_of
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.blocks import block_values
from guardrail.references.citations.houses import is_press
from guardrail.references.citations.identifiers import identifiers, with_identifiers
from guardrail.references.citations.keys import Field, meaning
from guardrail.references.citations.model import Citation, Style
from guardrail.references.citations.objects import Fields, references_in
from guardrail.references.citations.remainder import IDENTIFIERS, Left, prefix, strings
from guardrail.references.citations.sites import STANDARD
from guardrail.references.citations.values import LONGEST, TEXTS, authors_of, first_text, pairs, plain, texts
from guardrail.references.citations.venues import is_venue
from guardrail.report import Span
from guardrail.text.json_values import Value, all_of_it, fenced, json_values

__all__ = ["Structured", "holds_references", "structured", "unread_entries"]

_WORDS = re.compile(r"[^\W\d_]{2,}")
_SAYS_ALL = re.compile(
    r"citation|reference|entry|apa|mla|chicago|vancouver|ieee|harvard|full|formatted|bibliographic",
    re.IGNORECASE,
)
_SAYS_LESS = re.compile(r"inline|context|id|number|key|style|count|label|mark|text", re.IGNORECASE)
_KEY_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_LEAST_TOLD = 4  # words of a string that may be a whole reference
_VENUES: tuple[Field, ...] = ("venue", "publisher", "institution")
_IDENTIFIED = ("doi", "arxiv", "pmid", "isbn", "url")
_IN_VOLUME = (  # what shows that a number is a volume's: (3), 12(3); : 663–676; , no. 4; , 663–676; but not Apollo 11: 50 years
    r"(?:\s?\(\d{1,4}\)|\s?:\s?[^\W\d_]?\d{1,8}(?:\s?[–-]\s?[^\W\d_]?\d{1,8})?(?!\w|\s?[–-]|\s[^\W\d_])"
    r"|,\s(?i:no|nr|pp?|issue|pages?|art(?:icle)?)\b\.?\s?(?i:no\.?\s?)?\w?\d|,\s\d{1,5}[–-])"
)
_VOLUME_AND_MORE = re.compile(  # Science, 349(6251), e124; Nature, vol. 323; Mathematik 1(1), pp. 269-271, 1959; Cell 126, 663–676
    r",\s(?:vol(?:ume)?\.?\s?)?\d{1,4}\s?(?:\(\d[\d–-]{0,12}\))?(?=,\s|$)"
    rf"|(?<=\w)\s(?:vol(?:ume)?\.?\s)?\d{{1,4}}{_IN_VOLUME}(?=.{{0,80}}$)"
)
_VENUE_ENDS = ' *_."“”《》『』「」'


@dataclass(slots=True)
class Structured:
    """A text with JSON in it, read.

    Attributes:
        citations: one per object that is a reference; its span is the object.
        wholes: objects that say in one string what they cite: where the string is, and what the other fields identify.
        text: what is left to read: the prose around the JSON, and its other strings, each in a paragraph.
        pieces: where each piece of that text begins, and where its characters stand in the whole text.
    """

    citations: list[Citation]
    wholes: list[tuple[Span, Citation]] = field(default_factory=list)
    text: str = ""
    pieces: list[tuple[int, Sequence[int]]] = field(default_factory=list)

    def joined(self, others: Sequence[Citation]) -> list[Citation]:
        """The citations of the whole text, in order, with those that were read from what was left."""
        placed = [replace(one, span=self._back(one.span)) for one in others]
        found: list[Citation] = []
        placed = [*self._filled(placed)]
        for one in sorted([*self.citations, *placed], key=lambda one: (one.span.start, -one.span.end)):
            if not found or found[-1].span.end <= one.span.start:
                found.append(one)
        return found

    def _filled(self, read: Sequence[Citation]) -> Iterator[Citation]:
        """The references that were read, with the identifiers next to their strings; where none was read, a doubtful one."""
        taken: set[int] = set()
        read = sorted(read, key=lambda one: one.span.start)
        starts = [one.span.start for one in read]
        for span, whole in self.wholes:
            begun = read[bisect_left(starts, span.start) : bisect_left(starts, span.end)]
            inside = [one for one in begun if one.span.end <= span.end]
            taken |= set(map(id, inside))
            if len(inside) == 1:
                said, beside = inside[0].reference, whole.reference
                names = (name for name in _IDENTIFIED if not getattr(said, name))
                more: dict[str, Any] = {name: getattr(beside, name) for name in names}
                style: Style = inside[0].style if said.authors else "labelled"  # a remark on it, perhaps
                yield replace(inside[0], reference=replace(said, **more), style=style)
            else:
                yield whole
        yield from (one for one in read if id(one) not in taken)

    def _back(self, span: Span) -> Span:
        return Span(
            start=self._place(span.start),
            end=self._place(max(span.end - 1, span.start), after=span.end > span.start),
        )

    def _place(self, position: int, *, after: bool = False) -> int:
        index = max(bisect_right(self.pieces, position, key=lambda piece: piece[0]) - 1, 0)
        begin, places = self.pieces[index]
        offset = position - begin
        if offset < len(places) - 1:
            return places[offset + after]
        if after or index + 1 == len(self.pieces):  # between two pieces
            return places[-1]
        return self.pieces[index + 1][1][0]


@lru_cache(maxsize=2)  # reading an answer and asking what was left unread take the same text
def _roots(text: str) -> Sequence[Value]:
    """The outermost values of a text, in order; JSON comes first where it and a table, say, overlap."""
    roots = json_values(text)
    ends = [root.end for root in roots]
    blocks = [
        block
        for block in block_values(text)
        if (after := bisect_right(ends, block.start)) == len(roots) or block.end <= roots[after].start
    ]
    return sorted([*roots, *blocks], key=lambda value: value.start) if blocks else roots


def structured(text: str, *, asked: bool = False) -> Structured | None:
    """The references in the JSON of a text; `None` if there is no JSON that might hold one.

    Args:
        text: any text.
        asked: whether the prompt asked for references: titles with years then count.

    Example:
        >>> read = structured('{"title": "Attention Is All You Need", "authors": ["Ashish Vaswani"], "note": "It won."}')
        >>> read.citations[0].reference.title, read.citations[0].reference.authors, read.text.strip()
        ('Attention Is All You Need', ('Ashish Vaswani',), '')
    """
    roots = _roots(text)
    if not roots:
        return None
    whole = all_of_it(text, roots)
    found: list[Citation] = []
    wholes: list[tuple[Span, Citation]] = []
    left = Left(text)
    for root in roots:
        held = references_in(text, root, asked=asked)
        if not whole and not held.references and not held.entries:
            continue
        told: dict[int, Value] = {}
        for value, fields in held.references.values():
            if (one := _in_one_string(text, value, fields)) is None:
                found.append(_citation(text, value, fields))
            else:
                told[id(value)] = one
                span = Span(start=one.start + 1, end=max(one.end - 1, one.start + 1))
                wholes.append((span, _whole(text, value, fields, one)))
        left.skip(*fenced(text, root.start, root.end))
        for value, heading in strings(root, held.references, told):
            left.say(value, heading)
    if left.at == 0 and not found and not wholes:
        return None
    left.skip(len(text), len(text))
    return Structured(found, wholes, "".join(left.parts), left.pieces)


def holds_references(text: str) -> bool:
    """Whether JSON in a text holds references, or entries under a key such as "references"."""
    return any(
        held.references or held.entries for held in (references_in(text, root) for root in _roots(text))
    )


def unread_entries(text: str, found: Sequence[Citation]) -> Iterator[Span]:
    """Where the entries under keys such as "references" are that no reference was read from.

    Example:
        >>> text = '{"references": ["Smith 2020, somewhere"], "n": 1}'
        >>> [span.of(text) for span in unread_entries(text, [])]
        ['"Smith 2020, somewhere"']
    """
    covered = sorted((one.span.start, one.span.end) for one in found)
    for root in _roots(text):
        for entry in references_in(text, root).entries:
            after = bisect_right(covered, (entry.end, 0)) - 1
            if after < 0 or covered[after][1] <= entry.start:
                yield Span(start=entry.start, end=entry.end)


# -- what a reference says


def _citation(text: str, value: Value, fields: Fields) -> Citation:
    title = fields.get("title") or fields.get("name")
    names, et_al = authors_of(plain(text, fields.get("authors") or fields.get("editors")))
    named, *houses = (_said(text, fields.get(name)) for name in _VENUES)
    where = named or _spare(text, value)
    venue = _without_volume(where) or next(filter(None, houses), "")
    bare = Reference(
        title="" if title is None else _title(first_text(text, title)),
        authors=names,
        et_al=et_al,
        year=_year(text, fields.get("year"))
        or year_of(where.removeprefix(venue) if where.startswith(venue) else ""),
        venue=venue,
        volume=_said(text, fields.get("volume")),
        issue=_said(text, fields.get("issue")),
        pages=_pages(text, fields),
    )
    said = _identified(text, bare, fields, value)
    others = (said.doi, said.arxiv, said.pmid, said.isbn, said.venue, said.year, said.authors)
    span = Span(start=value.start, end=value.end)
    # a title and an address alone: it may be the name of a page
    return Citation(span, said, "labelled" if said.url and not any(others) else "json")


def _in_one_string(text: str, value: Value, fields: Fields) -> Value | None:
    """The string that is the whole reference: {"citation": "Roe J. A Trial of Trees. Acta 2001;3:4–5", "doi": "10.…"}; `None` if there is a title."""
    if "title" in fields or "name" in fields:
        return None
    used = {id(one) for one in fields.values()}
    told = [
        one for one in value.inner if one.kind == "string" and id(one) not in used and _may_say_all(one.key)
    ]
    said = [(one, first_text(text, one)) for one in told]
    whole = [one for one, words in said if len(_WORDS.findall(words)) >= _LEAST_TOLD and _YEAR.search(words)]
    return max(whole, key=lambda one: one.end - one.start, default=None)


def _may_say_all(key: str) -> bool:
    """Whether a string under this key may be a whole reference; a note on one is not."""
    words = _KEY_WORD.findall(key)
    named = bool(meaning(key).listing) or any(map(_SAYS_ALL.fullmatch, words))
    return named and not any(map(_SAYS_LESS.fullmatch, words))


def _whole(text: str, value: Value, fields: Fields, told: Value) -> Citation:
    """The citation of an object whose string could not be read: the title may be anywhere in it."""
    span = Span(start=value.start, end=value.end)
    said = _identified(text, Reference(title=first_text(text, told)), fields)
    return Citation(span, said, "labelled")


def _spare(text: str, value: Value) -> str:
    """The venue of a reference under a key such as "source", or a number such as "RFC 6749" under any key; "" if there is none."""
    nested = (
        one
        for inner in value.inner
        if inner.kind == "object" and meaning(inner.key).detail
        for one in inner.inner
    )
    texts = [one for one in [*value.inner, *nested] if one.kind in TEXTS and meaning(one.key).field is None]
    for one in texts:
        key, said = meaning(one.key), first_text(text, one)
        bare = _without_volume(said)
        if key.spare and "://" not in said and (key.listing != "works" or is_venue(bare) or is_press(bare)):
            return said
    return next((said for one in texts if STANDARD.fullmatch(said := first_text(text, one))), "")


def _identified(text: str, reference: Reference, fields: Fields, value: Value | None = None) -> Reference:
    """The reference with its identifiers: under their own keys, in an address, under one key for all, or alone under a key such as "id" of `value`."""
    said = [
        one if one.lower().startswith(("http", name)) else f"{before}{one}"
        for name, before in IDENTIFIERS.items()
        for one in texts(plain(text, fields.get(name)))
    ]
    for key, one in pairs(plain(text, fields.get("identifiers"))):
        said.append(f"{prefix(key)}{one}")
    said += texts(plain(text, fields.get("url")))
    for inner in value.inner if value else ():
        if inner.kind in TEXTS and meaning(inner.key).own:
            one = first_text(text, inner)
            said += [one] * any(found.end == len(one) and not found.start for found in identifiers(one[:300]))
    return with_identifiers(reference, identifiers("\n".join(one[:LONGEST] for one in said[:20])))


def _pages(text: str, fields: Fields) -> str:
    first, last = _said(text, fields.get("first_page")), _said(text, fields.get("last_page"))
    return _said(text, fields.get("pages")) or (f"{first}–{last}" if first and last else first)


def _year(text: str, value: Value | None) -> int | None:
    return None if value is None else year_of(text[value.start : min(value.end, value.start + 200)])


def _said(text: str, value: Value | None) -> str:
    return "" if value is None else first_text(text, value)


def _title(said: str) -> str:
    for opening, closing in ('""', "“”", "«»", "''", "《》", "**", "__"):
        if len(said) > 2 and said.startswith(opening) and said.endswith(closing):
            said = said[1:-1].strip()
    return said.rstrip(".").rstrip() if not said.endswith("...") else said


def _without_volume(venue: str) -> str:
    """A venue without volume, issue and pages.

    Example:
        >>> _without_volume("River Res. Part B, 15(2), 11-20")
        'River Res. Part B'
        >>> _without_volume("Numerische Mathematik 1(1), pp. 269-271, 1959")
        'Numerische Mathematik'
        >>> _without_volume("Apollo 11: 50 years")
        'Apollo 11: 50 years'
    """
    venue = venue.rstrip("\r\n")
    found = _VOLUME_AND_MORE.search(venue, venue.rfind("\n") + 1)  # what is behind it is on the same line
    return (venue[: found.start()] if found else venue).strip(_VENUE_ENDS)
