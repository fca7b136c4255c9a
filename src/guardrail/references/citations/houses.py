"""Publishers: `houses.toml` has their names, and which belong together."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

from guardrail.references.citations.languages import either

__all__ = [
    "HOUSES",
    "HOUSE_WORDS",
    "is_press",
    "one_house",
]

HOUSES = re.compile(
    r"(?:Farrar,? Straus,? (?:and|&) (?:Giroux|Young|Cudahy)|Little,? Brown(?: and Company)?|Harcourt,? Brace(?:,? Jovanovich)?(?: and Company)?|"
    r"Holt,? Rinehart,? (?:and|&) Winston|Charles Scribner['’]s Sons|G\. ?P\. Putnam['’]s Sons|W\. ?W\. Norton(?: (?:and|&) Company)?|W\. ?H\. Freeman(?: and Company)?|"
    r"John Wiley (?:and|&) Sons|Alfred A\. Knopf|L\. Erlbaum(?: Associates)?|J\. ?Wiley(?: (?:and|&) Sons)?|J\. ?B\. Lippincott|B\. ?G\. Teubner|Mohr(?: Siebeck)?(?:,? Paul Siebeck)?)"
)
"""Publishers whose names have a comma or a period in them."""
_KNOWN = tomllib.loads(files(__package__).joinpath("houses.toml").read_text(encoding="utf-8"))
_PRESSES = frozenset(_KNOWN["presses"])
_FAMILIES = [frozenset(family) for family in _KNOWN["families"]]
HOUSE_WORDS = either("|".join(_KNOWN["words"]))
"""A pattern of words in the names of publishers."""
_WITH_PRESS = re.compile(
    rf"(?<!\w)(?:Press|UP|U\.P\.|Publish\w{{2,4}}|Publications|Books|Editions|Editrice|University|Univ\.|{HOUSE_WORDS})(?!\w)"
)
_NAMED_PRESS = re.compile(either("|".join(_KNOWN["names"])))


def is_press(name: str) -> bool:
    """Whether a text is the name of a publisher: a known one, or one that says so.

    Example:
        >>> is_press("Palgrave Macmillan"), is_press("Duke University Press"), is_press("Donald Richie")
        (True, True, False)
    """
    bare = " ".join(name.replace("’", "'").split()).strip(" .,;:*_").removesuffix(" & Co")
    return (
        bare.casefold() in _PRESSES
        or _NAMED_PRESS.fullmatch(bare) is not None
        or _WITH_PRESS.search(bare) is not None
        or HOUSES.fullmatch(bare) is not None
        or ("/" in bare and all(is_press(part) for part in bare.split("/", 3)))  # Gallimard/Seuil
    )


def one_house(name: str, other: str) -> bool:
    """Whether two names are of publishers that belong together.

    Example:
        >>> one_house("Allen Lane", "Penguin Press"), one_house("Prentice Hall", "Knopf")
        (True, False)
    """
    ours, theirs = (f" {one.replace('’', chr(39)).casefold()} " for one in (name, other))
    return any(
        any(f" {house} " in ours for house in family) and any(f" {house} " in theirs for house in family)
        for family in _FAMILIES
    )
