"""Whether a question in other words may still ask for the same: what can be seen without a fit.

T_cq comes from passages in other words; questions are shorter and share less with each other ("Who wrote Hamlet?", "Which
author penned Hamlet?"), and a question that asks for something else can be more alike than a true rephrasing. So hard rules
stand in front, and likeness keeps out only what speaks of something else.

Source: ours.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["SHARE", "asks_alike"]

SHARE = 0.5
"""Of T_cq: what a question in other words has to be above. Chosen by hand, on nothing that is labelled."""

_NUMBER = re.compile(r"[0-9]+(?:[.,:][0-9]+)*")
_THOUSANDS = re.compile(r",(?=[0-9]{3}(?![0-9]))")
_ENGLISH = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_WORD = re.compile(rf"\b(?:{'|'.join(_ENGLISH)})\b", re.IGNORECASE)
_CHINESE = {sign: str(n) for n, sign in enumerate("一二三四五六七八九十", 1)} | {"两": "2"}


def asks_alike(question: str, text: str) -> bool:
    """Whether a text has the numbers of a question, and asks if that does.

    Small numbers may be written in words on either side. What the words ask for is not looked at.

    Example:
        >>> asks_alike("A refund after 30 days?", "Is there a refund after 30 days?")
        True
        >>> asks_alike("A refund after 30 days?", "A refund after 90 days?")
        False
    """
    first, second = (unicodedata.normalize("NFKC", one) for one in (question, text))
    if "?" in first and "?" not in second:
        return False
    return _digits(first) <= _numbers(second) and _digits(second) <= _numbers(first)


def _digits(text: str) -> set[str]:
    return {_THOUSANDS.sub("", number) for number in _NUMBER.findall(text)}


def _numbers(text: str) -> set[str]:
    """In digits, and small ones in words too."""
    english = {str(_ENGLISH.index(word.lower()) + 1) for word in _WORD.findall(text)}
    return _digits(text) | english | {number for sign, number in _CHINESE.items() if sign in text}
