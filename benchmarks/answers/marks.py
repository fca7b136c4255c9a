"""Marks of citation, taken off a statement and put on one: a program of the benchmark's own, not the one that is measured."""

from __future__ import annotations

import hashlib
import re

__all__ = ["FORMS", "with_marks", "without_marks"]

_MARK = r"(?:\[\^?\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\^?\]|【[^】\n]{1,40}】)"
_GIVEN = r"(?:the\s+)?(?:(?:given|provided)\s+)?(?:contexts?|documents?|sources?|passages?)\s+"
_SAID = re.compile(
    rf"\s*\((?:{_GIVEN})?{_MARK}(?:(?:\s*,|\s+and)*\s*{_MARK})*\)"  # (contexts [1] and [3])
    rf"|(?:according to|based on|as per)\s+(?:{_GIVEN})?{_MARK}\s*,?\s*"  # According to the given context [2],
    rf"|,?\s*as (?:mentioned|stated|described) in\s+(?:{_GIVEN})?{_MARK}",
    re.IGNORECASE,
)
_SERIES = re.compile(rf"\s*{_MARK}(?:\s*[,;–-]?\s*{_MARK})*")
_NEEDS_IT = ("in", "of", "by", "to", "from", "the", "and")
_FIRST = re.compile(r"\s*\w")
_ENDS = ".!?。"
FORMS = (
    (" [{0}]", "before"),
    ("[{0}]", "behind"),
    (" [{0}][{1}]", "before"),
    (" [{0}, {1}]", "before"),
    ("【{0}†source】", "behind"),
    (" [^{0}]", "before"),
    (" (Source {0})", "before"),
    (" [citation:{0}]", "before"),
)
"""Forms of marks with numbers to fill in; each before or behind the full stop."""


def without_marks(text: str) -> str:
    """The statement without its marks; one that is a word of its sentence ("is mentioned in [4]") stays.

    Example:
        >>> without_marks("It opened in 1904 [1], [2]. It closed.[3]")
        'It opened in 1904. It closed.'
        >>> without_marks("According to the given context [2], it opened in 1904 (contexts [1] and [2]).")
        'It opened in 1904.'
    """
    bare = _SAID.sub("", text)
    if bare != text and (first := _FIRST.match(bare)) and text.lstrip()[:1].isupper():
        bare = first[0].upper() + bare[first.end() :]
    return _SERIES.sub(_unless_needed, bare).strip()


def _unless_needed(series: re.Match[str]) -> str:
    before = series.string[max(0, series.start() - 10) : series.start()].lower().split()
    return series[0] if before and before[-1] in _NEEDS_IT else ""


def with_marks(text: str, key: str) -> str:
    """The statement with a mark at its end, of a form and with numbers that depend on `key` alone.

    Example:
        >>> with_marks("It opened in 1904.", "a"), with_marks("It opened in 1904.", "c")
        ('It opened in 1904 [^6].', 'It opened in 1904 [3].')
    """
    drawn = hashlib.blake2b(key.encode("utf-8", "replace"), digest_size=3).digest()
    form, place = FORMS[drawn[0] % len(FORMS)]
    mark = form.format(1 + drawn[1] % 9, 10 + drawn[2] % 5)
    said = text.rstrip()
    if place == "before" and said.endswith(tuple(_ENDS)):
        return said[:-1] + mark + said[-1]
    return said + mark
