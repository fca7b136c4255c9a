"""References in JSON, and in tables of comma-separated values and YAML, which are read as the same: structured outputs, CSL-JSON, the replies of services; and what else their strings say.

An object is a reference if its keys say so: it has a title, and authors, an identifier or a venue; or a year, where it stands
under a key such as "papers"; or it stands under a key such as "references", or beside other references. A thing that has a title
and a price, or a director, is none.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from html import unescape
from typing import Any, TypeAlias

from guardrail.references.authors.lists import parse_authors
from guardrail.references.bibliography.formats.fields import listed_authors, year_of
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.blocks import block_values, unquoted
from guardrail.references.citations.fields import without_volume
from guardrail.references.citations.houses import is_press
from guardrail.references.citations.identifiers import identifiers, with_identifiers
from guardrail.references.citations.keys import Field, Listing, meaning
from guardrail.references.citations.model import Citation, Style
from guardrail.references.citations.people import body
from guardrail.references.citations.sites import STANDARDS
from guardrail.references.citations.venues import is_journal, is_venue
from guardrail.references.citations.visible import visible
from guardrail.report import Span
from guardrail.text.json_values import Value, all_of_it, decoded, fenced, json_values

__all__ = ["Structured", "holds_references", "structured", "unread_entries"]

_LONGEST = 1_500  # characters of a field
_MOST_NAMES = 300
_NAME = re.compile(r"[\w.:+-]{1,40}")  # a word or a code, which is no sentence
_WORDS = re.compile(r"[^\W\d_]{2,}")
_WHOLE = frozenset(
    [
        "citation",
        "reference",
        "entry",
        "apa",
        "mla",
        "chicago",
        "vancouver",
        "ieee",
        "harvard",
        "full",
        "formatted",
        "bibliographic",
    ]
)
_NOT_WHOLE = frozenset(
    ["inline", "context", "id", "number", "key", "style", "count", "label", "mark", "text"]
)
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_LEAST_TOLD = 4  # words of a string that may be a whole reference
_SAYS_MORE = re.compile(r"\d{4}|https?:|10\.\d{4}")
_WHOLE_NAMES = ("literal", "name", "fullname", "displayname", "authorname", "author", "姓名")
_ET_AL = re.compile(r"[\s,]*(?:\bet\.?\s*al\b\.?|\band\s+others\b|等)\s*$", re.IGNORECASE)

_STANDARD = re.compile(rf"{STANDARDS}[ -]?[A-Z]{{0,2}}\.?\d[\w.:-]{{0,20}}")
_OF_CONTAINER: frozenset[Field] = frozenset(
    ["year", "venue", "publisher", "volume", "issue", "pages", "first_page", "last_page"]
)
_OF_WORK = _OF_CONTAINER | {"authors", "editors", "doi", "arxiv", "isbn", "pmid", "url", "identifiers"}
_RANGE = re.compile(r"\d\s?[-–—]\s?\w")  # of pages
_STAGE = re.compile(
    r"(?<!Prentice[ -])(?<!& )(?<!and )\b(?:hall|theat(?:re|er)|arena|stadium|auditorium|ballroom|club)\b",
    re.IGNORECASE,
)
_BUILDING = re.compile(
    r"\b(?:museum|university|college|school|park|cent(?:re|er)|library|gallery|gardens?)\b(?!.*\bPress\b)",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{2,5}|#x[\da-fA-F]{2,4});")
_TAGS = re.compile(r"</?(?:i|b|em|sub|sup|strong|sc)>|<!\[CDATA\[|\]\]>", re.IGNORECASE)
_TEXTS = {"string", "word"}  # kinds of values
_VENUES: tuple[Field, ...] = ("venue", "publisher", "institution")
_IDENTIFIERS: dict[Field, str] = {"doi": "doi:", "arxiv": "arXiv:", "pmid": "PMID ", "isbn": "ISBN "}
_IDENTIFIED = ("doi", "arxiv", "pmid", "isbn", "url")
_Fields: TypeAlias = dict[Field, Value]


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
        placed = [
            replace(one, span=self._back(one.span), item=None if one.item is None else self._back(one.item))
            for one in others
        ]
        found: list[Citation] = []
        placed = [*self._filled(placed)]
        for one in sorted([*self.citations, *placed], key=lambda one: (one.span.start, -one.span.end)):
            if not found or found[-1].span.end <= one.span.start:
                found.append(one)
        return found

    def _filled(self, read: Sequence[Citation]) -> Iterator[Citation]:
        """What was read, with the identifiers beside it; what could not be read is doubtful, whatever its identifier is."""
        taken: set[int] = set()
        for span, whole in self.wholes:
            inside = [one for one in read if span.start <= one.span.start and one.span.end <= span.end]
            taken |= set(map(id, inside))
            if len(inside) == 1:
                said, beside = inside[0].reference, whole.reference
                names = (name for name in _IDENTIFIED if not getattr(said, name))
                more: dict[str, Any] = {name: getattr(beside, name) for name in names}
                style: Style = inside[0].style if said.authors else "labelled"  # a remark on it, perhaps
                yield replace(inside[0], reference=replace(said, **more), item=whole.item, style=style)
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


@dataclass(frozen=True, slots=True)
class _Found:
    """What JSON holds: references, and lists of references with what stands in them."""

    references: Mapping[int, tuple[Value, _Fields]]
    entries: Sequence[Value]


@lru_cache(maxsize=2)  # reading an answer and asking what was left unread take the same text
def _roots(text: str) -> Sequence[Value]:
    roots = json_values(text)
    blocks = [block for block in block_values(text) if not any(_overlap(block, root) for root in roots)]
    return sorted([*roots, *blocks], key=lambda value: value.start) if blocks else roots


def _overlap(one: Value, other: Value) -> bool:
    return one.start < other.end and other.start < one.end


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
    left = _Left(text)
    for root in roots:
        held = _held(text, root, asked=asked)
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
        for value, heading in _strings(root, held.references, told):
            left.say(value, heading)
    if left.at == 0 and not found and not wholes:
        return None
    left.skip(len(text), len(text))
    return Structured(found, wholes, "".join(left.parts), left.pieces)


def holds_references(text: str) -> bool:
    """Whether JSON in a text holds references, or entries under a key such as "references"."""
    return any(held.references or held.entries for held in (_held(text, root) for root in _roots(text)))


def unread_entries(text: str, found: Sequence[Citation]) -> Iterator[Span]:
    """What stands under a key such as "references" and that no reference was read from.

    Example:
        >>> text = '{"references": ["Smith 2020, somewhere"], "n": 1}'
        >>> [span.of(text) for span in unread_entries(text, [])]
        ['"Smith 2020, somewhere"']
    """
    covered = sorted((one.span.start, one.span.end) for one in found)
    for root in _roots(text):
        for entry in _held(text, root).entries:
            after = bisect_right(covered, (entry.end, 0)) - 1
            if after < 0 or covered[after][1] <= entry.start:
                yield Span(start=entry.start, end=entry.end)


# -- which objects are references


def _held(text: str, root: Value, *, asked: bool = False) -> _Found:
    references: dict[int, tuple[Value, _Fields]] = {}
    entries: list[Value] = []
    left: list[tuple[Value, Listing]] = [(root, "works" if asked else "")]
    _read_row(text, [root], left[0][1], references)
    while left:
        value, listed = left.pop()
        if id(value) in references:
            continue
        if value.kind == "array":
            _read_row(text, value.inner, listed, references)
        for inner in reversed(value.inner):
            under = _under(inner, listed)
            if under is None:
                continue
            if value.kind == "object" and inner.kind == "object":
                _read_row(text, [inner], under, references)
            if inner.kind in {"object", "array"}:
                left.append((inner, under))
            if under == "references" and _is_entry(text, inner):
                entries.append(inner)
    return _Found(references, entries)


def _under(value: Value, listed: Listing) -> Listing | None:
    """What the keys around a value say of it; `None` for people and venues, who are no works."""
    if value.named < 0:
        return listed
    said = meaning(value.key)
    if said.field in {"authors", "editors", "venue", "publisher"}:
        return None
    return "references" if listed == "references" else said.listing or listed


def _read_row(
    text: str, row: Sequence[Value], listed: Listing, references: dict[int, tuple[Value, _Fields]]
) -> None:
    """The references among values: of several objects, all that have a title are if one is."""
    objects = [(value, _fields(text, value)) for value in row if value.kind == "object" and value.closed]
    sure = [one for one in objects if _is_reference(text, *one, listed)]
    if sure and len(sure) < len(objects):
        sure = [one for one in objects if _is_reference(text, *one, listed, beside=True)]
    references.update((id(value), (value, fields)) for value, fields in sure)


def _fields(text: str, value: Value) -> _Fields:
    """The fields of an object, and what objects in it say of where and when it appeared: {"published": {"in": "EMNLP", "year": 2014}}.

    An object under a key such as "journal" or "in" is about what the work is in: its identifiers are left out.
    """
    fields = _named_fields(text, value)
    if "booktitle" in fields:
        fields.setdefault("venue" if "title" in fields else "title", fields.pop("booktitle"))
    inside = [inner for inner in value.inner if inner.kind == "object" and meaning(inner.key).detail]
    for inner in sorted(inside, key=lambda inner: meaning(inner.key).detail == "container"):
        of_work = meaning(inner.key).detail == "work"
        details = _of_work(text, inner) if of_work else _of_container(text, inner)
        fields |= {name: one for name, one in details.items() if fields.get(name) in (None, inner)}
    return fields


def _of_work(text: str, value: Value) -> _Fields:
    """What an object under a key such as "published" or "metadata" says of the work; nothing if it has a title: it is about another one."""
    said = _named_fields(text, value)
    if "booktitle" in said:
        said.setdefault("venue", said.pop("booktitle"))
    return {} if "title" in said else {name: one for name, one in said.items() if name in _OF_WORK}


def _of_container(text: str, value: Value) -> _Fields:
    """What an object under a key such as "journal" says of a work in it: its name, year and volume, and a range of pages.

    Nothing if it has authors: it is about another work, perhaps one under review.
    """
    said, key = _named_fields(text, value), meaning(value.key)
    if "authors" in said:
        return {}
    kept = {name: one for name, one in said.items() if name in _OF_CONTAINER}
    if "pages" in kept and not _RANGE.search(_first(text, kept["pages"])):
        del kept["pages"]  # how many the book has
    name = said.get("title") or said.get("booktitle") or said.get("name")
    if name is not None and key.field not in {"publisher", "issue"}:
        known = not (key.spare and key.listing) or _is_known(_first(text, name))  # "source" may be anything
        kept |= {"venue": value if key.field == "venue" else name} if known else {}
    return kept


def _named_fields(text: str, value: Value) -> _Fields:
    """The fields of a reference that an object itself has; of two with one meaning, the first that says something."""
    fields: _Fields = {}
    # of a key that comes twice, the last counts
    for inner in {inner.key: inner for inner in value.inner}.values():
        name = meaning(inner.key).field
        if name is None or name in fields or (name == "title" and inner.kind == "object"):
            continue
        if _says_something(text, inner):
            fields[name] = inner
    return fields


def _says_something(text: str, value: Value) -> bool:
    if value.kind == "scalar":
        return text[value.start].isdigit()
    return value.kind != "string" or value.end - value.start > 2


def _is_reference(text: str, value: Value, fields: _Fields, listed: Listing, *, beside: bool = False) -> bool:
    """Whether an object is a reference.

    Args:
        text: the text that it stands in.
        value: the object.
        fields: what it says.
        listed: what the keys around it say.
        beside: whether it stands in an array with references.
    """
    said = fields.keys()
    if not said or any(meaning(inner.key).contact or _lists(inner) for inner in value.inner):
        return False
    title, name = fields.get("title"), fields.get("name")
    titled = title is not None and bool(_first(text, title))
    known = not said.isdisjoint({"doi", "arxiv", "pmid", "isbn"})
    if listed != "references" and _belongs_to_a_thing(value):
        return titled and known
    written = not said.isdisjoint({"authors", "editors"})
    placed = _names_venue(text, fields)
    published = _names_publisher(text, value, fields)
    if listed != "references" and _is_a_thing(text, value):
        return titled and (known or (written and (placed or published)))
    surely = known or listed == "references" or placed
    if not surely and _is_somewhere(text, fields, written=written):
        return False
    surely = surely or written or beside
    if titled:
        dated = "year" in said
        return surely or (dated and published) or (listed == "works" and (dated or "venue" in said))
    if name is not None and name.kind in _TEXTS:
        return surely and bool(_WORDS.search(_first(text, name)))
    return listed == "references" and (known or "url" in said or {"authors", "year"} <= said)


def _belongs_to_a_thing(value: Value) -> bool:
    """Whether the keys of an object, or of what it says of where and when it appeared, are those of a film, an event, a product."""
    return any(
        meaning(inner.key).otherwise
        or (
            inner.kind == "object"
            and meaning(inner.key).detail
            and any(meaning(one.key).unwritten for one in inner.inner)
        )
        for inner in value.inner
    )


def _is_a_thing(text: str, value: Value) -> bool:
    """Whether an object is listed under a key such as "films", or says that it is one: {"type": "film"}."""
    owner = value if value.named >= 0 or value.parent is None else value.parent
    kinds = (inner for inner in value.inner if inner.kind in _TEXTS and meaning(inner.key).kind)
    return meaning(owner.key).thing or any(meaning(_first(text, kind)).thing for kind in kinds)


def _names_venue(text: str, fields: _Fields) -> bool:
    """Whether the venue is that of a written work, and not the hall of an event: by its key, its name, or a volume or pages."""
    venue = fields.get("venue")
    if venue is None:
        return False
    key = meaning(venue.key)
    telling = key.field in {"venue", "booktitle"} and not key.broad
    return telling or not fields.keys().isdisjoint({"volume", "pages"}) or _is_known(_first(text, venue))


def _is_somewhere(text: str, fields: _Fields, *, written: bool) -> bool:
    """Whether what is named as the venue is a place where events are: Town hall, {"name": "Blue Note", "city": "Oslo"}.

    What has authors may have been at a conference in Oslo, or be a thesis at a university.
    """
    venue = fields.get("venue")
    if venue is None:
        return False
    name, place = _first(text, venue), venue if venue.kind == "object" else venue.parent
    situated = place is not None and any(meaning(inner.key).place for inner in place.inner)
    return _STAGE.search(name) is not None or (
        not written and (situated or _BUILDING.search(name) is not None)
    )


def _names_publisher(text: str, value: Value, fields: _Fields) -> bool:
    """Whether the object itself says who published it, and that is a publisher of written works."""
    house = fields.get("publisher")
    if house is None or house.parent is None:
        return False
    own = house.parent is value or meaning(house.parent.key).detail == "work"
    return own and (not meaning(house.key).broad or is_press(_first(text, house)))


def _is_known(name: str) -> bool:
    """Whether a name is that of a journal or a conference, and not of a place where events are."""
    return is_journal(name) or (is_venue(name) and not _STAGE.search(name) and not _BUILDING.search(name))


def _lists(value: Value) -> bool:
    """Whether a value is a list of entries under a key such as "references": what holds it is no reference itself."""
    if value.kind != "array" or not value.inner or not (said := meaning(value.key)).listing:
        return False
    return value.inner[0].kind == "object" or said.field is None


def _is_entry(text: str, value: Value) -> bool:
    """Whether something under a key such as "references" is meant as one."""
    if value.kind == "object":
        return not any(
            meaning(inner.key).contact or (inner.inner and meaning(inner.key).field is None)
            for inner in value.inner
        )
    if value.kind not in _TEXTS or (value.named >= 0 and meaning(value.key).listing != "references"):
        return False
    said = _first(text, value)
    return len(_WORDS.findall(said)) > 2 or _SAYS_MORE.search(said) is not None


# -- what a reference says


def _citation(text: str, value: Value, fields: _Fields) -> Citation:
    title = fields.get("title") or fields.get("name")
    names, et_al = _authors(_plain(text, fields.get("authors") or fields.get("editors")))
    named, *houses = (_said(text, fields.get(name)) for name in _VENUES)
    where = named or _spare(text, value)
    venue = without_volume(where) or next(filter(None, houses), "")
    bare = Reference(
        title="" if title is None else _title(_first(text, title)),
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
    item = span if text[value.start] == "{" else _lines(text, span)
    return Citation(span, said, "labelled" if said.url and not any(others) else "json", item)


def _in_one_string(text: str, value: Value, fields: _Fields) -> Value | None:
    """The string that says all: {"citation": "Roe J. A Trial of Trees. Acta 2001;3:4–5", "doi": "10.…"}; `None` if the fields do."""
    if "title" in fields or "name" in fields:
        return None
    used = {id(one) for one in fields.values()}
    told = [
        one for one in value.inner if one.kind == "string" and id(one) not in used and _may_say_all(one.key)
    ]
    said = [(one, _first(text, one)) for one in told]
    whole = [one for one, words in said if len(_WORDS.findall(words)) >= _LEAST_TOLD and _YEAR.search(words)]
    return max(whole, key=lambda one: one.end - one.start, default=None)


def _may_say_all(key: str) -> bool:
    """Whether a string under this key may be a whole reference; a note on one is not."""
    words = {word.casefold() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", key)}
    named = bool(meaning(key).listing) or not words.isdisjoint(_WHOLE)
    return named and words.isdisjoint(_NOT_WHOLE)


def _whole(text: str, value: Value, fields: _Fields, told: Value) -> Citation:
    """An object whose string was not read: its title may be anywhere in it."""
    span = Span(start=value.start, end=value.end)
    said = _identified(text, Reference(title=_first(text, told)), fields)
    return Citation(span, said, "labelled", span)


def _lines(text: str, span: Span) -> Span:
    """The lines of a row of a table, or of an entry of YAML."""
    end = text.find("\n", span.end)
    return Span(start=text.rfind("\n", 0, span.start) + 1, end=end + 1 if end >= 0 else len(text))


def _spare(text: str, value: Value) -> str:
    """What may name the venue of an object that is a reference, under a key such as "source"; "RFC 6749" under any."""
    nested = (
        one
        for inner in value.inner
        if inner.kind == "object" and meaning(inner.key).detail
        for one in inner.inner
    )
    texts = [one for one in [*value.inner, *nested] if one.kind in _TEXTS and meaning(one.key).field is None]
    for one in texts:
        key, said = meaning(one.key), _first(text, one)
        bare = without_volume(said)
        if key.spare and "://" not in said and (key.listing != "works" or is_venue(bare) or is_press(bare)):
            return said
    return next((said for one in texts if _STANDARD.fullmatch(said := _first(text, one))), "")


def _identified(text: str, reference: Reference, fields: _Fields, value: Value | None = None) -> Reference:
    """With its identifiers, each under its own key, in an address, under a key for all, or as all that a key such as "id" of `value` says."""
    said = [
        f"{prefix}{one}" if not one.lower().startswith(("http", name)) else one
        for name, prefix in _IDENTIFIERS.items()
        for one in _texts(_plain(text, fields.get(name)))
    ]
    for key, one in _pairs(_plain(text, fields.get("identifiers"))):
        said.append(f"{_prefix(key)}{one}")
    said += _texts(_plain(text, fields.get("url")))
    for inner in value.inner if value else ():
        if inner.kind in _TEXTS and meaning(inner.key).own:
            one = _first(text, inner)
            said += [one] * any(found.end == len(one) and not found.start for found in identifiers(one[:300]))
    return with_identifiers(reference, identifiers("\n".join(one[:_LONGEST] for one in said[:20])))


def _prefix(key: str) -> str:
    """What is written before an identifier of the kind that a key names."""
    name = meaning(key).field
    return "" if name is None else _IDENTIFIERS.get(name, "")


def _pages(text: str, fields: _Fields) -> str:
    first, last = _said(text, fields.get("first_page")), _said(text, fields.get("last_page"))
    return _said(text, fields.get("pages")) or (f"{first}–{last}" if first and last else first)


def _year(text: str, value: Value | None) -> int | None:
    return None if value is None else year_of(text[value.start : min(value.end, value.start + 200)])


def _said(text: str, value: Value | None) -> str:
    return "" if value is None else _first(text, value)


def _first(text: str, value: Value) -> str:
    """The first text of a value: of an array that of its first value, of an object its name or title, else that of its first value."""
    for _ in range(3):
        if value.kind == "object":
            named = (one for one in value.inner if meaning(one.key).field in {"name", "title"})
            value = next((one for one in named if _says_something(text, one)), next(iter(value.inner), value))
        elif value.kind == "array" and value.inner:
            value = value.inner[0]
    said = "" if value.kind in {"object", "array"} else _plain(text, value)
    return _clean(said)


def _title(said: str) -> str:
    for opening, closing in ('""', "“”", "«»", "''", "《》", "**", "__"):
        if len(said) > 2 and said.startswith(opening) and said.endswith(closing):
            said = said[1:-1].strip()
    return said.rstrip(".").rstrip() if not said.endswith("...") else said


def _clean(said: str) -> str:
    said = visible(said[:_LONGEST])[0]
    return " ".join((_ENTITY.sub(lambda one: unescape(one[0]), said) if "&" in said else said).split())


def _plain(text: str, value: Value | None) -> Any:
    """A value as texts in lists and dicts; numbers are texts, too."""
    if value is None:
        return ""
    if value.kind == "string":
        return decoded(text, value.start, min(value.end, value.start + 8 * _LONGEST)).text
    if value.kind == "word":
        written = unquoted(text[value.start : min(value.end, value.start + _LONGEST)])
        return _TAGS.sub("", written) if "<" in written else written
    if value.kind == "object":
        return {inner.key: _plain(text, inner) for inner in value.inner}
    if value.kind == "array" and value.inner:
        return [_plain(text, inner) for inner in value.inner[:_MOST_NAMES]]
    said = text[value.start : min(value.end, value.start + 200)]
    return said if any(map(str.isdigit, said)) else ""


def _texts(said: Any) -> list[str]:
    if isinstance(said, dict):
        said = list(said.values())
    return (
        [one for one in said if isinstance(one, str) and one]
        if isinstance(said, list)
        else [said] * bool(said)
    )


def _pairs(said: Any) -> Iterator[tuple[str, str]]:
    """Identifiers with their kinds: by key, as {"type": …, "value": …}, or without."""
    for one in said if isinstance(said, list) else [said]:
        if not isinstance(one, dict):
            yield "", str(one)
        elif (kind := one.get("type")) and isinstance(kind, str):
            yield kind, str(one.get("value") or one.get("id") or one.get("identifier") or "")
        else:
            yield from ((key, inner) for key, inner in one.items() if isinstance(inner, str))


# -- authors


def _authors(said: Any) -> tuple[tuple[str, ...], bool]:
    """The names of authors, and whether "et al." cut them short."""
    if isinstance(said, dict):
        said = [said]
    if isinstance(said, list):
        names = [_clean(_name(one)) for one in said]
        names = [name for name in names if name]
        if len(names) != 1 or _in_parts(said[0]):
            return _uncut(names)
        said = names[0]
    return _uncut(_split(_clean(said)))


def _uncut(names: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    real, cut = listed_authors(names)
    bare = tuple(_ET_AL.sub("", name) for name in real)
    return tuple(name for name in bare if name), cut or bare != real


def _split(said: str) -> list[str]:
    """The names in one text."""
    if not said or body(said):
        return [said] if said else []
    cut = ["et al."] * bool(_ET_AL.search(said))
    read = parse_authors(_ET_AL.sub("", said))
    return [*(name.raw or str(name) for name in read or ()), *cut] if read else [said]


def _in_parts(said: Any) -> bool:
    """Whether a name is an object with its parts, so that its comma parts no two names."""
    return isinstance(said, dict) and not any(
        re.sub(r"[\W_]", "", key).casefold() in _WHOLE_NAMES for key in said
    )


def _name(said: Any) -> str:
    """A name: a text, or an object with its parts."""
    if isinstance(said, str):
        return said
    if not isinstance(said, dict):
        return ""
    parts = {re.sub(r"[\W_]", "", key).casefold(): one for key, one in said.items()}
    for key in _WHOLE_NAMES:
        if whole := parts.get(key):
            return _name(whole)

    def part(*keys: str) -> str:
        return next((one for key in keys if isinstance(one := parts.get(key), str) and one), "")

    family = part(
        "family",
        "last",
        "lastname",
        "surname",
        "familyname",
        "nachname",
        "apellido",
        "apellidos",
        "nom",
        "姓",
    )
    family = f"{part('nondroppingparticle')} {family}".strip()
    given = part(
        "given",
        "first",
        "firstname",
        "givenname",
        "forename",
        "initials",
        "vorname",
        "nombre",
        "prenom",
        "名",
    )
    given = f"{given} {part('middle', 'middlename')}".strip()
    return ", ".join(one for one in (family, given, part("suffix")) if one)


# -- the strings that are no fields of a reference


def _strings(
    root: Value, references: Mapping[int, Any], told: Mapping[int, Value]
) -> Iterator[tuple[Value, str]]:
    """The strings outside of references, each with what introduces it: a list marker, or what kind of identifier it is.

    Args:
        root: the whole.
        references: the objects that are references.
        told: of those that say in one string what they cite, the string.
    """
    left = [root]
    while left:
        value = left.pop()
        if value.kind in _TEXTS:
            yield value, _introduction(value)
        elif id(value) in told:
            yield told[id(value)], "References:\n- "
        elif id(value) not in references:
            left.extend(reversed(value.inner))


def _introduction(value: Value) -> str:
    if value.named >= 0:
        return _prefix(value.key)
    row = value.parent
    if row is None or meaning(row.key).listing != "references":
        return ""
    return "References:\n- " if row.inner[0] is value else "- "


class _Left:
    """What is left to read of a text, built up piece by piece."""

    def __init__(self, text: str) -> None:
        self.whole = text
        self.parts: list[str] = []
        self.pieces: list[tuple[int, Sequence[int]]] = []
        self.length = 0
        self.at = 0  # up to here the whole text was dealt with

    def skip(self, start: int, end: int) -> None:
        """Keeps what stands before `start`, and leaves out what stands before `end`."""
        if start > self.at or not self.pieces:
            self._add(self.whole[self.at : start], range(self.at, max(start, self.at) + 1))
        self._between("\n\n")
        self.at = max(end, self.at)

    def say(self, value: Value, introduction: str) -> None:
        """Adds a string as a paragraph, or as an item of a list; a single word says nothing."""
        if not introduction and _NAME.fullmatch(self.whole, value.start + 1, value.end - 1):
            return
        self._between(introduction)
        if value.kind == "word":
            self._add(self.whole[value.start : value.end], range(value.start, value.end + 1))
        else:
            string = decoded(self.whole, value.start, value.end)
            self._add(string.text, string.places)
        self._between("\n" if introduction.endswith("- ") else "\n\n")

    def _between(self, words: str) -> None:
        self.parts.append(words)
        self.length += len(words)

    def _add(self, words: str, places: Sequence[int]) -> None:
        self.pieces.append((self.length, places))
        self._between(words)
