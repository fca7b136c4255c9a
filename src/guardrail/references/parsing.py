"""Reading replies: to a value or to `None`, never by chance.

`parsing="exact"` is the default; `parsing="paper"` keeps the published substring rules for reproduction.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, TypeAlias

Parsing: TypeAlias = Literal["exact", "paper"]

_NUMBER = re.compile(r"\s*(?:ANSWER|ANS)?\s*:?\s*(\d{1,3}(?:\.\d{1,20})?)(?![\d.]*\d)", re.IGNORECASE)
_LEAD = re.compile(r"\A[\s\W]*(?:(?:the )?answer(?: is)?\s*:?|\d{1,2}\s*[.):])[\s\W]*(?=yes|no)")
_WORD = re.compile(r"\w+(?:['’]\w+)?")
_SENTENCE_END = re.compile(r"(?<=\w)[.!?\n]")
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
_READ = 2_000  # characters of a reply that are looked at


def said(reply: str) -> str:
    """A reply without the thoughts that some models write before it."""
    start = reply.find("<think>", 0, 100)
    if start < 0:
        return reply
    end = reply.find("</think>", start)
    return "" if end < 0 else reply[:start] + reply[end + len("</think>") :]


def read_yes_no(reply: str, parsing: Parsing = "exact") -> bool | None:
    """Yes, no, or not understood.

    Exact: the first sentence begins with "yes" or "no" (case, mark-up and a leading "Answer:" or number aside), does
    not contain the other word too, and a "yes" is not taken back by a "not"; anything else is `None`.
    Paper: whether the reply contains the letters "yes"; never `None` ([agrawal2024] footnote 9).

    Example:
        >>> read_yes_no("Yes, it does."), read_yes_no("I do not know"), read_yes_no("I don't know", "paper")
        (True, None, False)
        >>> read_yes_no("yes/no"), read_yes_no("Yes, it does not exist.")
        (None, None)
    """
    if parsing == "paper":
        return "yes" in reply.lower()
    text = unicodedata.normalize("NFKC", reply[:_READ]).replace("_", " ").casefold()
    text = _LEAD.sub("", text, count=1)
    words = _WORD.findall(_SENTENCE_END.split(text.lstrip(), maxsplit=1)[0])
    if not words or words[0] not in {"yes", "no"} or {"yes", "no"} <= set(words):
        return None
    if words[0] == "yes" and any(word == "not" or word.endswith(("n't", "n’t")) for word in words):
        return None
    return bool(words[0] == "yes")


def read_overlap(reply: str, parsing: Parsing = "exact") -> float | None:
    """An overlap in [0, 1] from "ANS: 66.67 JUSTIFICATION: …".

    Exact: a leading number after an optional "ANS"/"ANSWER"; more than 100 or no number is `None`.
    Paper: more than 100 counts as 100, no number as 0.

    Example:
        >>> read_overlap("ANS: 50% JUSTIFICATION: one of two"), read_overlap("None of them")
        (0.5, None)
    """
    match = _NUMBER.match(reply[:_READ])
    if match is None:
        return 0.0 if parsing == "paper" else None
    value = float(match[1]) / 100
    if value > 1:
        return 1.0 if parsing == "paper" else None
    return value


def read_year(reply: str) -> int | None:
    """The one year that a reply names; `None` if it names none or several."""
    years = set(_YEAR.findall(reply[:_READ]))
    return int(years.pop()) if len(years) == 1 else None


def normalised_venue(reply: str) -> str | None:
    """A venue as lower-case words for comparison; `None` for an empty or long reply (prose)."""
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", reply[:_READ]).casefold())
    return " ".join(words) if 0 < len(words) <= 15 else None
