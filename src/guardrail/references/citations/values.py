"""What values of JSON say: their texts, and names of authors in every form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape
from typing import Any

from guardrail.references.authors.lists import parse_authors
from guardrail.references.bibliography.formats.fields import listed_authors
from guardrail.references.citations.blocks import unquoted
from guardrail.references.citations.keys import meaning
from guardrail.references.citations.people import body
from guardrail.references.citations.visible import visible
from guardrail.text.json_values import Value, decoded

__all__ = ["LONGEST", "TEXTS", "authors_of", "first_text", "pairs", "plain", "says_something", "texts"]

LONGEST = 1_500
"""Characters of a field that are read."""

TEXTS = frozenset(["string", "word"])
"""Kinds of values that are texts."""

_MOST_NAMES = 300
_WHOLE_NAMES = ("literal", "name", "fullname", "displayname", "authorname", "author", "姓名")
_FAMILY = "family last lastname surname familyname nachname apellido apellidos nom 姓"
_GIVEN = "given first firstname givenname forename initials vorname nombre prenom 名"
_ET_AL = re.compile(r"[\s,]*(?:\bet\.?\s*al\b\.?|\band\s+others\b|等)\s*$", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{2,5}|#x[\da-fA-F]{2,4});")
_TAGS = re.compile(r"</?(?:i|b|em|sub|sup|strong|sc)>|<!\[CDATA\[|\]\]>", re.IGNORECASE)


def says_something(text: str, value: Value) -> bool:
    """Whether a value is neither an empty string nor a word such as `null`."""
    if value.kind == "scalar":
        return text[value.start].isdigit()
    if value.kind == "word" and text[value.start : value.end].strip() == "~":  # YAML's null
        return False
    return value.kind != "string" or value.end - value.start > 2


def first_text(text: str, value: Value) -> str:
    """The first text of a value: of an array that of its first value, of an object its name or title, else that of its first value."""
    for _ in range(3):
        if value.kind == "object":
            named = (one for one in value.inner if meaning(one.key).field in {"name", "title"})
            value = next((one for one in named if says_something(text, one)), next(iter(value.inner), value))
        elif value.kind == "array" and value.inner:
            value = value.inner[0]
    said = "" if value.kind in {"object", "array"} else plain(text, value)
    return _clean(said)


def _clean(said: str) -> str:
    said = visible(said[:LONGEST])[0]
    return " ".join((_ENTITY.sub(lambda one: unescape(one[0]), said) if "&" in said else said).split())


def plain(text: str, value: Value | None) -> Any:
    """A value as texts in lists and dicts; numbers are texts, too."""
    if value is None:
        return ""
    if value.kind == "string":
        return decoded(text, value.start, min(value.end, value.start + 8 * LONGEST)).text
    if value.kind == "word":
        written = unquoted(text[value.start : min(value.end, value.start + LONGEST)])
        return _TAGS.sub("", written) if "<" in written else written
    if value.kind == "object":
        return {inner.key: plain(text, inner) for inner in value.inner}
    if value.kind == "array" and value.inner:
        return [plain(text, inner) for inner in value.inner[:_MOST_NAMES]]
    said = text[value.start : min(value.end, value.start + 200)]
    return said if any(map(str.isdigit, said)) else ""


def texts(said: Any) -> list[str]:
    """The texts directly in what `plain` made of a value."""
    if isinstance(said, dict):
        said = list(said.values())
    return (
        [one for one in said if isinstance(one, str) and one]
        if isinstance(said, list)
        else [said] * bool(said)
    )


def pairs(said: Any) -> Iterator[tuple[str, str]]:
    """Kinds and identifiers in what `plain` made of a value: {"doi": …}, {"type": "doi", "value": …}; of a text, the kind is ""."""
    for one in said if isinstance(said, list) else [said]:
        if not isinstance(one, dict):
            yield "", str(one)
        elif (kind := one.get("type")) and isinstance(kind, str):
            yield kind, str(one.get("value") or one.get("id") or one.get("identifier") or "")
        else:
            yield from ((key, inner) for key, inner in one.items() if isinstance(inner, str))


# -- authors


def authors_of(said: Any) -> tuple[tuple[str, ...], bool]:
    """The names in what `plain` made of a value, and whether "et al." cuts them short."""
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

    def part(keys: str) -> str:
        return next((one for key in keys.split() if isinstance(one := parts.get(key), str) and one), "")

    family = f"{part('nondroppingparticle')} {part(_FAMILY)}".strip()
    given = f"{part(_GIVEN)} {part('middle middlename')}".strip()
    return ", ".join(one for one in (family, given, part("suffix")) if one)
