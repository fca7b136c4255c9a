"""Publishers with a comma in their names, kinds of publications, editions, and cities of publishers."""

from __future__ import annotations

import re

__all__ = ["CITIES", "EDITION", "HOUSES", "KINDS"]

HOUSES = re.compile(
    r"(?:Farrar,? Straus,? (?:and|&) (?:Giroux|Young|Cudahy)|Little,? Brown(?: and Company)?|Harcourt,? Brace(?:,? Jovanovich)?(?: and Company)?|"
    r"Holt,? Rinehart,? (?:and|&) Winston|Charles Scribner['’]s Sons|G\. ?P\. Putnam['’]s Sons|W\. ?W\. Norton(?: (?:and|&) Company)?|W\. ?H\. Freeman(?: and Company)?|"
    r"John Wiley (?:and|&) Sons|Alfred A\. Knopf|L\. Erlbaum(?: Associates)?|J\. ?Wiley(?: (?:and|&) Sons)?|J\. ?B\. Lippincott|B\. ?G\. Teubner|Mohr(?: Siebeck)?(?:,? Paul Siebeck)?)"
)
"""Publishers whose names have a comma or a period in them."""
EDITION = re.compile(
    r",?\s(?:\d{1,2}(?:st|nd|rd|th)?|[Ff]irst|[Ss]econd|[Tt]hird|[Rr]ev(?:ised|\.)?)\s(?:ed\.|edn\.?|edition)$|,?\s(?:ed\.|edn\.?|edition)$"
)
KINDS = re.compile(
    r"(?:(?:un)?published\s)?(?:technical report|tech\.? rep\.?|working paper|discussion paper|(?:doctoral|phd|ph\.d\.|master[’']?s?|m\.?sc\.?)\s(?:thesis|dissertation)|"
    r"dissertation|thesis|report|preprint|white paper|paperback|hardcover|e-?book|translated by .{3,40}|trans\. .{3,40})(?:\s(?:no\.?\s)?[\w/-]*\d[\w/-]*)?",
    re.IGNORECASE,
)
CITIES = frozenset(
    [
        "paris",
        "london",
        "berlin",
        "wien",
        "vienna",
        "münchen",
        "munich",
        "hamburg",
        "leipzig",
        "stuttgart",
        "frankfurt",
        "tübingen",
        "zürich",
        "zurich",
        "basel",
        "bern",
        "madrid",
        "barcelona",
        "milano",
        "torino",
        "roma",
        "rome",
        "bologna",
        "lisboa",
        "lisbon",
        "boston",
        "chicago",
        "oxford",
        "cambridge",
        "москва",
        "ленинград",
        "dordrecht",
        "amsterdam",
        "leiden",
    ]
) | {
    "new york",
    "buenos aires",
    "são paulo",
    "rio de janeiro",
    "frankfurt am main",
    "frankfurt a. m",
    "ciudad de méxico",
    "méxico",
}
