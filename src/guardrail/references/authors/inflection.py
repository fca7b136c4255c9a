"""Names as a sentence inflects them: Olgi Tokarczuk, Фёдора Достоевского, Kivimäen, Pamuk’un, Brinkmanns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from guardrail.references.authors.names import fold, parse_name
from guardrail.references.authors.words import WRITTEN_FIRST

__all__ = ["uninflected"]

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
    """The names as they are known where a sentence has only inflected them, the others as they were said.

    Example:
        >>> uninflected(["Olgi Tokarczuk", "Pawła Huellego"], ["Olga Tokarczuk", "Anna Nasiłowska"])
        ['Olga Tokarczuk', 'Pawła Huellego']
    """
    return [next((name for name in known if _is_inflected(one, name)), one) for one in said]


def _is_inflected(said: str, known: str) -> bool:
    """Whether all that was said of a name is it, but for the endings."""
    ours, theirs = (parse_name(name) for name in (_SUFFIX.sub("", said), known))
    families = fold(ours.family), fold(theirs.family)
    if min(map(len, families)) < _FAMILY or not WRITTEN_FIRST.isdisjoint(families):  # Li is not Lin
        return families[0] == families[1] != "" and _given_agree(ours.given, theirs.given)
    return _alike(*families) and _given_agree(ours.given, theirs.given)


def _given_agree(said: Sequence[str], known: Sequence[str]) -> bool:
    """Whether the first given name that was said is the first that is known, its initial, or inflected; a family name alone says none."""
    if not said or not known:
        return not said
    ours, theirs = fold(said[0]), fold(known[0])
    return (min(len(ours), len(theirs)) == 1 and ours[:1] == theirs[:1]) or _alike(ours, theirs)


def _alike(ours: str, theirs: str) -> bool:
    """Whether a word is another one, or that with the ending of a case."""
    if ours == theirs:
        return True
    for end, others in _ENDINGS:
        stem = theirs.removesuffix(end) if theirs.endswith(end) else ""
        if len(stem) >= _LEAST and ours.startswith(stem) and ours[len(stem) :] in others.split(" "):
            return True
    return False
