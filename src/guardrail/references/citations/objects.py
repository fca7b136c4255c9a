"""Which objects of JSON are references.

An object is one if its keys say so: it has a title, and authors, an identifier or the venue of a written work; or a year, where it
stands under a key such as "papers"; or it stands under a key such as "references", or beside other references. A thing that has a
title and a price, or a director, or that is listed under "events", is not one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from guardrail.references.citations.houses import is_press
from guardrail.references.citations.keys import Field, Listing, meaning
from guardrail.references.citations.values import TEXTS, first_text, says_something
from guardrail.references.citations.venues import is_journal, is_venue
from guardrail.text.json_values import Value

__all__ = ["Fields", "Found", "references_in"]

Fields: TypeAlias = dict[Field, Value]
"""What an object says, by what its keys mean."""

_WORDS = re.compile(r"[^\W\d_]{2,}")
_SAYS_MORE = re.compile(r"\d{4}|https?:|10\.\d{4}")
_OF_CONTAINER: frozenset[Field] = frozenset(
    ["year", "venue", "publisher", "volume", "issue", "pages", "first_page", "last_page"]
)
_OF_WORK = _OF_CONTAINER | {"authors", "editors", "doi", "arxiv", "isbn", "pmid", "url", "identifiers"}
_RANGE = re.compile(r"\d\s?[-–—]\s?\w")  # of pages
_STAGE = re.compile(
    r"(?<!Prentice[ -])(?<!& )(?<!and )\b(?:hall|theat(?:re|er)|arena|stadium|auditorium|ballroom|club)\b",
    re.IGNORECASE,
)
_PERIODICAL = re.compile(
    r"\b(?:journal|quarterly|review|annals|studies|arts|magazine|survey)\b", re.IGNORECASE
)
_BUILDING = re.compile(
    r"\b(?:museum|university|college|school|park|cent(?:re|er)|library|gallery|gardens?)\b(?!.*\bPress\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Found:
    """What a value of JSON has in it.

    Attributes:
        references: the objects that are references with their fields, by the `id` of the object.
        entries: what is listed under keys such as "references", whether it was read or not.
    """

    references: Mapping[int, tuple[Value, Fields]]
    entries: Sequence[Value]


def references_in(text: str, root: Value, *, asked: bool = False) -> Found:
    """The references in a value, and the entries under keys such as "references".

    Args:
        text: the text that it is in.
        root: the outermost value.
        asked: whether the prompt asked for references: titles with years then count.
    """
    references: dict[int, tuple[Value, Fields]] = {}
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
    return Found(references, entries)


def _under(value: Value, listed: Listing) -> Listing | None:
    """What the keys around a value say of it; `None` for people and venues, which are no works."""
    if value.named < 0:
        return listed
    said = meaning(value.key)
    if said.field in {"authors", "editors", "venue", "publisher"}:
        return None
    return "references" if listed == "references" else said.listing or listed


def _read_row(
    text: str, row: Sequence[Value], listed: Listing, references: dict[int, tuple[Value, Fields]]
) -> None:
    """The references among values: of several objects, all that have a title are if one is."""
    objects = [(value, _fields(text, value)) for value in row if value.kind == "object" and value.closed]
    sure = [one for one in objects if _is_reference(text, *one, listed)]
    if sure and len(sure) < len(objects):
        sure = [one for one in objects if _is_reference(text, *one, listed, beside=True)]
    references.update((id(value), (value, fields)) for value, fields in sure)


def _fields(text: str, value: Value) -> Fields:
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


def _of_work(text: str, value: Value) -> Fields:
    """What an object under a key such as "published" or "metadata" says of the work; nothing if it has a title: it is about another one."""
    said = _named_fields(text, value)
    if "booktitle" in said:
        said.setdefault("venue", said.pop("booktitle"))
    return {} if "title" in said else {name: one for name, one in said.items() if name in _OF_WORK}


def _of_container(text: str, value: Value) -> Fields:
    """What an object under a key such as "journal" says of a work in it: its name, year and volume, and a range of pages.

    Nothing if it has authors: it is about another work, perhaps one under review.
    """
    said, key = _named_fields(text, value), meaning(value.key)
    if "authors" in said:
        return {}
    kept = {name: one for name, one in said.items() if name in _OF_CONTAINER}
    if "pages" in kept and not _RANGE.search(first_text(text, kept["pages"])):
        del kept["pages"]  # how many the book has
    name = said.get("title") or said.get("booktitle") or said.get("name")
    if name is not None and key.field not in {"publisher", "issue"}:
        known = not (key.spare and key.listing) or _is_known(
            first_text(text, name)
        )  # "source" may be anything
        kept |= {"venue": value if key.field == "venue" else name} if known else {}
    return kept


def _named_fields(text: str, value: Value) -> Fields:
    """The fields of a reference that an object itself has; of two with one meaning, the first that says something."""
    fields: Fields = {}
    # of a key that comes twice, the last counts
    for inner in {inner.key: inner for inner in value.inner}.values():
        name = meaning(inner.key).field
        if name is None or name in fields or (name == "title" and inner.kind == "object"):
            continue
        if says_something(text, inner):
            fields[name] = inner
    return fields


def _is_reference(text: str, value: Value, fields: Fields, listed: Listing, *, beside: bool = False) -> bool:
    """Whether an object is a reference.

    Args:
        text: the text that it is in.
        value: the object.
        fields: what it says.
        listed: what the keys around it say.
        beside: whether it is in an array with references.
    """
    said = fields.keys()
    if not said or any(meaning(inner.key).contact or _lists(inner) for inner in value.inner):
        return False
    title, name = fields.get("title"), fields.get("name")
    titled = title is not None and bool(first_text(text, title))
    known = not said.isdisjoint({"doi", "arxiv", "pmid", "isbn"})
    written = not said.isdisjoint({"authors", "editors"})
    placed = _names_venue(text, fields)
    published = _names_publisher(text, value, fields)
    if listed != "references" and _belongs_to_a_thing(value):
        return titled and (known or (written and (placed or published)))
    if listed != "references" and _is_a_thing(text, value):
        return titled and (known or (written and (placed or published)))
    surely = known or listed == "references" or placed
    if not surely and _is_somewhere(text, fields, written=written):
        return False
    surely = surely or written or beside
    if titled:
        dated = "year" in said
        return surely or (dated and published) or (listed == "works" and (dated or "venue" in said))
    if name is not None and name.kind in TEXTS:
        return surely and bool(_WORDS.search(first_text(text, name)))
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
    kinds = (inner for inner in value.inner if inner.kind in TEXTS and meaning(inner.key).kind)
    return meaning(owner.key).thing or any(meaning(first_text(text, kind)).thing for kind in kinds)


def _names_venue(text: str, fields: Fields) -> bool:
    """Whether the venue is that of a written work, and not the hall of an event: by its key, its name, or a volume or pages."""
    venue = fields.get("venue")
    if venue is None:
        return False
    key = meaning(venue.key)
    telling = key.field in {"venue", "booktitle"} and not key.broad
    return telling or not fields.keys().isdisjoint({"volume", "pages"}) or _is_known(first_text(text, venue))


def _is_somewhere(text: str, fields: Fields, *, written: bool) -> bool:
    """Whether what is named as the venue is a place where events are: Town hall, {"name": "Blue Note", "city": "Oslo"}.

    What has authors may have been at a conference in Oslo, or be a thesis at a university.
    """
    venue = fields.get("venue")
    if venue is None:
        return False
    name, place = first_text(text, venue), venue if venue.kind == "object" else venue.parent
    situated = place is not None and any(meaning(inner.key).place for inner in place.inner)
    on_stage = _STAGE.search(name) is not None and _PERIODICAL.search(name) is None
    return on_stage or (not written and (situated or _BUILDING.search(name) is not None))


def _names_publisher(text: str, value: Value, fields: Fields) -> bool:
    """Whether the object itself says who published it, and that is a publisher of written works."""
    house = fields.get("publisher")
    if house is None or house.parent is None:
        return False
    own = house.parent is value or meaning(house.parent.key).detail == "work"
    return own and (not meaning(house.key).broad or is_press(first_text(text, house)))


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
    if value.kind not in TEXTS or (value.named >= 0 and meaning(value.key).listing != "references"):
        return False
    said = first_text(text, value)
    return len(_WORDS.findall(said)) > 2 or _SAYS_MORE.search(said) is not None
