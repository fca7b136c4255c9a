"""What words tell: title case, commentary, venues, years, quotation marks."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["VENUE", "YEAR", "Quotation", "quotation_at", "title_case", "words"]

YEAR = re.compile(r"(?<![\w.:/-])(?:1[4-9]|20)\d\d(?![^\W⁰-⁹¹²³]|[%/]|\.\d)")

VENUE = re.compile(
    r"\b(?:Journal|Proceedings|Proc|Conference|Transactions|Trans|Press|Publish\w{2,4}|Springer|Elsevier|Wiley|"
    r"IEEE|ACM|arXiv|Nature|Science|Advances|Review|Reviews|Letters|Annals|Bulletin|Magazine|Symposium|"
    r"Workshop|Lecture Notes|Communications|Books|Quarterly|University|Verlag|NeurIPS|NIPS|ICML|ICLR|CVPR|"
    r"ICCV|ECCV|EMNLP|NAACL|AAAI|IJCAI|Academic|McGraw|O'Reilly|Pearson|Addison|Routledge|Penguin|"
    r"preprint|thesis|dissertation)\b"
)

_SMALL = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "in",
        "on",
        "for",
        "to",
        "and",
        "or",
        "with",
        "by",
        "from",
        "at",
        "as",
        "via",
        "is",
        "are",
        "be",
        "into",
        "over",
        "under",
        "without",
        "within",
        "its",
        "using",
        "toward",
        "towards",
        "between",
        "through",
        "against",
        "not",
        "do",
        "does",
        "how",
        "vs",
        "than",
        "de",
        "la",
        "le",
        "les",
        "des",
        "du",
        "et",
        "en",
        "der",
        "die",
        "das",
        "und",
        "von",
        "im",
        "el",
        "los",
        "las",
        "y",
        "e",
        "il",
        "di",
        "da",
        "per",
    ]
)
_WORD = re.compile(r"[^\W\d_][\w'’]*")
_PAIRS = {
    '"': '"',
    "“": "”",
    "”": "”",
    "„": '“”"',
    "«": "»",
    "»": "«",
    "‹": "›",
    "「": "」",
    "『": "』",
    "《": "》",
    "‘": "’",
    "'": "'",
    "``": "''",
}
_LONGEST = 350


@dataclass(frozen=True, slots=True)
class Quotation:
    """A quotation at `text[start:end]`, its words at `text[inner_start:inner_end]`."""

    start: int
    end: int
    inner_start: int
    inner_end: int


def quotation_at(text: str, at: int) -> Quotation | None:
    """The quotation that opens exactly here and closes within one line and 350 characters.

    Example:
        >>> quotation_at('"A Tale", he said', 0)
        Quotation(start=0, end=8, inner_start=1, inner_end=7)
    """
    opening = "``" if text.startswith("``", at) else text[at : at + 1]
    closers = _PAIRS.get(opening)
    if closers is None:
        return None
    first = at + len(opening)
    window = text[first : first + _LONGEST]
    if opening == "``":
        length, width = window.find("''"), 2
    elif opening in "'‘":
        if at and (text[at - 1].isalnum()):
            return None
        closing = re.search(rf"{closers}(?!\w)", window)
        length, width = (closing.start() if closing else -1), 1
    elif opening == "“":
        length, width = _nested(window, "“", "”"), 1
    else:
        places = [place for place in (window.find(closer) for closer in closers) if place >= 0]
        length, width = min(places, default=-1), 1
        if opening == '"':
            length = _straight(window, length)
    if length <= 0 or "\n" in window[:length] or not window[:length].strip():
        return None
    return Quotation(at, first + length + width, first, first + length)


def _straight(window: str, length: int) -> int:
    """The end of a quotation in straight marks, behind another one inside it: "On "Deep Learning" Again"."""
    if length < 1 or not window[length - 1].isspace() or not window[length + 1 : length + 2].isalnum():
        return length
    inner = window.find('"', length + 1)
    outer = window.find('"', inner + 1) if inner > 0 else -1
    return outer if outer > 0 else length


def _nested(window: str, opening: str, closing: str) -> int:
    depth = 1
    for place, character in enumerate(window):
        if character == opening:
            depth += 1
        elif character == closing:
            depth -= 1
            if not depth:
                return place
    return window.find(closing)


def words(text: str) -> list[str]:
    """The words of a text, without digits and marks."""
    return _WORD.findall(text)


def title_case(text: str) -> float:
    """Share of the longer words that begin with a capital; 1 for scripts without case, 0 for no words.

    Example:
        >>> title_case("The Art of Computer Programming"), title_case("The art of programming")
        (1.0, 0.3333333333333333)
    """
    found = words(text)
    long = [w for i, w in enumerate(found) if i == 0 or (w not in _SMALL)]
    return sum(not w[0].islower() for w in long) / len(long) if long else 0.0
