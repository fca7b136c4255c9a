"""Names as a sentence inflects them: Olgi Tokarczuk, Фёдора Достоевского, Kivimäen, Pamuk’un, Brinkmanns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from guardrail.references.authors.names import fold, parse_name
from guardrail.references.authors.words import WRITTEN_FIRST

_SUFFIX = re.compile(r"(?<=[^\W\d_]{3})['’‘ʼ][^\W\d_]{1,5}$")  # Tanpınar’ın, Keynes’s
_LEAST, _FAMILY = 1, 4  # letters of a name that no ending changes; of a family name that has cases
# What a name ends in, and what takes its place, without accents (`fold`); "" is the end of any name.
_ENDINGS = (
    # German and the languages of Scandinavia; Finnish; Turkish where the apostrophe is left out
    ("", "s n in nin"),
    ("nen", "sen"),
    ("ki", "en"),
    # Polish, Czech, Slovak, Slovene, Croatian, Serbian
    ("a", "y i e ie ii ej iej ou o u"),
    ("", "a u e ie owi iowi em iem om ovi"),
    ("i", "iego iemu ego eho emu im"),
    ("y", "ego eho emu ym em"),
    ("o", "a u em e y i"),
    ("e", "a u em"),
    *((f"e{letter}", " ".join(f"{letter}{end}" for end in ("a", "u", "em", "owi", "ovi"))) for letter in "klcnrt"),
    # Lithuanian
    ("as", "o ui a"),
    ("is", "io iui i"),
    ("us", "aus u"),
    # Russian, Ukrainian, Bulgarian
    ("", "а у е ом ем ым им ові еві ю я"),
    ("а", "ы и і е у ою ои"),
    ("я", "и і е ю ею еи"),
    ("и", "я ю ем єм ого его ому ему им"),  # й is и without its accent, ї is і
    ("ии", "ого его ому ему им ія"),
    ("ыи", "ого ому ым"),
    ("ои", "ого ому ым им"),
    ("ая", "ои ую"),
    ("ь", "я ю и ем"),
    ("о", "а у ом"),
    *((f"е{letter}", " ".join(f"{soft}{letter}{end}" for soft in ("", "ь") for end in ("а", "у", "ом", "ем", "я", "ю"))) for letter in "влцнк"),
    # Greek, in which ς is σ in small letters
    ("σ", " "),
    ("οσ", "ου ο"),
    ("α", "ασ"),
    ("η", "ησ"),
)  # fmt: skip


def uninflected(said: Sequence[str], known: Sequence[str]) -> list[str]:
    """The names with the words that a sentence inflects as they are in a known name, and the others as they were said.

    Example:
        >>> uninflected(["Olgi Tokarczuk", "Pawła Huellego"], ["Olga Tokarczuk", "Anna Nasiłowska"])
        ['Olga Tokarczuk', 'Pawła Huellego']
    """
    return [next(filter(None, (_as_known(one, name) for name in known)), one) for one in said]


def _as_known(said: str, known: str) -> str:
    """A name with its first and its family name without the endings of a case; "" if it has none, or is another name."""
    ours, theirs = (parse_name(name) for name in (_SUFFIX.sub("", said), known))
    if not ours.family or not theirs.family or (ours.given and not theirs.given):
        return ""
    pairs = [(ours.family, theirs.family), *zip(ours.given[:1], theirs.given[:1], strict=False)]
    words = [(fold(our), fold(their)) for our, their in pairs]
    families = words[0]
    if min(map(len, families)) < _FAMILY or not WRITTEN_FIRST.isdisjoint(families):  # Li is not Lin
        return ""
    if any(our != their and not _is_inflected(our, their) for our, their in words):
        return ""
    inflected = [our != their and _is_inflected(our, their) for our, their in words]
    if not any(inflected) and said == _SUFFIX.sub("", said):
        return ""
    # further names stay as they were said: Kevin T. Murphy is not Kevin P.
    given = [theirs.given[0] if all(inflected[1:]) else ours.given[0], *ours.given[1:]] if ours.given else []
    return " ".join((*given, theirs.family))


def _is_inflected(ours: str, theirs: str) -> bool:
    """Whether a word is another one with the ending of a case."""
    for end, others in _ENDINGS:
        stem = theirs.removesuffix(end) if theirs.endswith(end) else ""
        if len(stem) >= _LEAST and ours.startswith(stem) and ours[len(stem) :] in others.split(" "):
            return True
    return False
