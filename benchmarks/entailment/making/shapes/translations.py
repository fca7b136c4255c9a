"""One manual in many languages, paragraph by paragraph: claims in one language beside documents in another.

Made for the help of GNOME (https://help.gnome.org; CC BY-SA 3.0), of which each language has the same pages with the same paragraphs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from benchmarks.entailment.making.shapes.amounts import CHANGES as AMOUNTS
from benchmarks.entailment.making.shapes.exchanging import CHANGES
from guardrail.errors import InputError
from guardrail.text.typography import normalised

__all__ = ["ENGLISH", "Beside", "Page", "beside", "manuals"]

ENGLISH = "en"

Page = Mapping[str, Sequence[str]]
"""By language the paragraphs of a page, the same number in each; "" where one is not translated."""

_ORIGINAL = "C"  # the folder of the English texts
_PARAGRAPH = "{http://projectmallard.org/1.0/}p"
_OFTEN = {
    "de": 4,
    "fr": 4,
    "es": 4,
    "it": 4,
    "zh_CN": 4,
    "ja": 4,
    "pt_BR": 2,
    "ko": 2,
    "ru": 2,
    "nl": 2,
    "pl": 2,
}
_LEFT_OUT = ("sr@latin", "as")
_FEWEST, _MOST = 20, 240  # characters of an English paragraph; most have one sentence or two
_LEAST = 4  # paragraphs of a page
_ABSENT, _CHANGED = 0.3, 0.35  # shares; of the latter some cannot be
_CHANGES = {**CHANGES, **AMOUNTS}


@dataclass(frozen=True, slots=True)
class Beside:
    """A claim beside a document in another language, or the same.

    Attributes:
        premise: paragraphs of a page.
        hypothesis: the translation of one of them, or of one that is not there.
        kind: "translated", "absent", or what was changed in one of the two.
    """

    premise: str
    hypothesis: str
    kind: str


def manuals(folder: Path) -> list[Page]:
    """The pages of a manual, each in English and in the languages that have as many paragraphs.

    Args:
        folder: one folder of each language, with pages below; English is "C".

    Raises:
        InputError: there are no pages.
    """
    found: list[Page] = []
    for path in sorted((folder / _ORIGINAL).rglob("*.page")):
        place, english = path.relative_to(folder / _ORIGINAL), _paragraphs(path)
        page: dict[str, Sequence[str]] = {ENGLISH: english}
        for own in sorted(folder.iterdir()):
            texts = [] if own.name in (_ORIGINAL, *_LEFT_OUT) else _paragraphs(own / place)
            if len(texts) == len(english):
                page[own.name] = ["" if a == b else a for a, b in zip(texts, english, strict=True)]
        if len(english) >= _LEAST:
            found.append(page)
    if not found:
        raise InputError(
            f"expected the help of GNOME in {str(folder)!r}, a folder for each language, got none in {_ORIGINAL!r}: "
            "install gnome-user-docs (Debian, Ubuntu) and name /usr/share/help, or unpack its release"
        )
    return found


def beside(pages: Sequence[Page], source: random.Random) -> Iterator[Beside]:
    """Pairs without end: about half of them borne out, a third absent from the document, the rest changed in English."""
    each = [(page, [name for name, own in page.items() if name != ENGLISH and any(own)]) for page in pages]
    known = [one for one in each if one[1]]
    while known:
        page, names = source.choice(known)
        weights = [_OFTEN.get(name, 1) for name in names]
        other = source.choices(names, weights)[0]
        one, two = source.choice(
            [
                (ENGLISH, other),
                (ENGLISH, other),
                (other, ENGLISH),
                (other, other),
                (other, source.choices(names, weights)[0]),
            ]
        )
        made = _made(page, one, two, source)
        if made is not None:
            yield made


def _made(page: Page, one: str, two: str, source: random.Random) -> Beside | None:
    places = [
        i
        for i, text in enumerate(page[ENGLISH])
        if _FEWEST <= len(text) <= _MOST and page[one][i] and page[two][i]
    ]
    if len(places) < _LEAST:
        return None
    at = source.randrange(len(places))
    size = source.choice([1, 1, 2, 3, 5])
    first = max(0, at - source.randrange(size))
    window, place = places[first : first + size], places[at]
    drawn = source.random()
    if drawn < _ABSENT:
        known = {page[ENGLISH][i] for i in window}  # one page may say a thing twice
        rest = [i for i in places if page[ENGLISH][i] not in known]
        if not rest:
            return None
        return Beside(_text(page[one], window), page[two][source.choice(rest)], "absent")
    if drawn < _ABSENT + _CHANGED and ENGLISH in (one, two):
        for kind in source.sample(list(_CHANGES), len(_CHANGES)):
            changed = _CHANGES[kind](page[ENGLISH][place], page[ENGLISH], source)
            if changed is None or changed in page[ENGLISH]:
                continue
            if two == ENGLISH:
                return Beside(_text(page[one], window), changed, kind)
            texts = [changed if i == place else page[one][i] for i in window]
            return Beside(normalised(" ".join(texts)), page[two][place], kind)
    return Beside(_text(page[one], window), page[two][place], "translated")


def _text(paragraphs: Sequence[str], window: Sequence[int]) -> str:
    return " ".join(paragraphs[i] for i in window)


def _paragraphs(path: Path) -> list[str]:
    """The paragraphs of a page as normalised text, in order; none where there is no such page."""
    try:
        root = ET.parse(path).getroot()  # noqa: S314  # a manual that was installed
    except (OSError, ET.ParseError):
        return []
    return [normalised(" ".join("".join(one.itertext()).split())) for one in root.iter(_PARAGRAPH)]
