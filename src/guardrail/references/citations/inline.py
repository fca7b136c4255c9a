"""References with authors and a year in brackets, wherever they begin: "Halloran, M. (2021). Title"."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from guardrail.references.citations.evidence import heading, sure
from guardrail.references.citations.fields import parse
from guardrail.references.citations.lines import Line
from guardrail.references.citations.model import Citation, Style
from guardrail.references.citations.names_first import JOURNAL_AT_END
from guardrail.references.citations.people import people, surely_people
from guardrail.references.citations.words import YEAR, is_comment, words
from guardrail.report import Span

__all__ = ["doubtless", "inline", "of_journals", "starts"]

_DATE = re.compile(
    r"\(\s?(?:[^\W\d_]{3,9}\.?\s)?(?:1[4-9]|20)\d\d[a-z]?(?:,\s[^()\r\n]{0,20})?\)(?P<mark>[.,:]{0,2})\s+(?=(?P<first>\S))"
)
_PARTICLES = r"(?:(?:[Vv]an|[Vv]on|de[rnl]?|d[ui]|la|le|al)\s){0,3}"
_SURNAME = r"(?!(?:See|Also|Compare|And|By|In|The)\b)[^\W\d_a-z][\w'’-]{1,30}"
_NAMES = re.compile(
    r"(?:(?P<line>(?:\A|[\r\n])[\s>*•#/%–-]{0,200}+(?:\d{1,3}[.)]\s)?)"
    r"|(?P<strong>;\s{1,8}|\b(?:[Ss]ee(?:\salso)?|[Aa]lso|cf\.|[Cc]ompare)[:,]?\s{1,8})"
    r"|(?<=[\u3041-\u30ff\u3400-\u9fff])(?=[A-Z])|[.:!?)\]”\"]\s{1,8}|\b(?:and|cite|by)\s|[-–—|(\[]\s{0,4})"
    rf"(?P<name>{_PARTICLES}{_SURNAME}(?:[\s-]{_SURNAME})?,\s[^\W\d_]\."
    rf"|(?P<short>{_SURNAME}\s(?:et\.?\sal\b|(?:and|&)\s{_SURNAME}\s\()))"
)
_BLANK = re.compile(r"\r?\n[ \t]*+(?:\r?\n|[-*•+–]\s|\d{1,3}[.)]\s|\[|```|\||\Z)")
_OVER = re.compile(r"(?:[;,(\s]|\b(?:[Ss]ee|[Aa]lso|and|cf\.|[Cc]ompare)\b:?){1,20}$")
_SHORT_NAME = r"[^\W\d_a-z][\w’'-]{1,25}\s[A-Z]{1,3}"
_VANCOUVER = re.compile(  # Kroenke K, Spitzer RL. The PHQ-9: validity of a measure. J Gen Intern Med. 2001;16:606–613
    rf"(?<![\w-]){_SHORT_NAME}(?:,\s{_SHORT_NAME}){{0,20}}(?:,\set\sal)?\.\s[^\W\d_a-z][^.?!\r\n]{{8,300}}[.?!]\s"
    r"[^\W\d_a-z][\w &:-]{1,60}\.\s(?:19|20)\d\d(?:\s[A-Z][a-z]{2}(?:\s\d{1,2})?)?;\d{1,4}(?:\([\w-]{1,9}\))?:[eE]?\d{1,6}(?:[-–]\d{1,6})?(?:\.(?=\s|$))?(?:\s(?:doi:\s?|https?://(?:dx\.)?doi\.org/)10\.[^\s)）]{5,100})?"
)
_OPENED = re.compile(r"[\[(:;\n]\s{0,3}")
_LONGEST = 1200
_OPENING = re.compile(r"[\s>#/%|¹²³⁰⁴-⁹†‡]*+")


def starts(text: str) -> list[int]:
    """Where references begin whose form leaves no doubt: surnames with initials, a year in brackets, a title.

    Example:
        >>> starts("See Doe, J. (2020). Graphs and Trees. Also Roe, R. (2021). Trees and Graphs.")
        [4, 43]
    """
    found: list[int] = []
    before = 0
    for date in _DATE.finditer(text):
        start = _start(text, max(before, date.start() - 600), date)
        before = date.end()
        if start is not None:
            found.append(start)
    return found


def _start(text: str, since: int, date: re.Match[str]) -> int | None:
    """Where the names before a date begin, if they are names, and if a title follows it."""
    if date["first"].islower() or (not date["mark"] and date["first"] not in '"“*_'):
        return None
    window = text[since : date.start()]
    for tried, match in enumerate(_NAMES.finditer(window)):
        if tried > 8:
            break
        if match["short"] and (date["mark"] == "," or (match["line"] is None and match["strong"] is None)):
            continue
        names = people(window[match.start("name") :])
        if names and surely_people(*names):
            return since + match.start("name")
    return None


def inline(text: str, found: Sequence[int], taken: bytearray) -> list[Citation]:
    """The references that begin at the places `found` and belong to nothing else."""
    result: list[Citation] = []
    for place in found:
        start = _below_heading(text, place)
        if start >= len(text) or taken[start]:
            continue
        after = bisect_right(found, start)
        limit = min(len(text), start + _LONGEST, found[after] if after < len(found) else len(text))
        limit = min(limit, taken.find(1, start, limit) if taken.find(1, start, limit) >= 0 else limit)
        blank = _BLANK.search(text, start, limit)
        piece = _clipped(text[start : blank.start() if blank else limit])
        parsed = parse(piece)
        title = parsed.reference.title
        if not parsed.reference.authors or len(words(title)) < 1 or "apa" not in parsed.marks:
            continue
        if is_comment(title, weakly=False):
            continue
        line = text.rfind("\n", 0, start) + 1
        style: Style = "line" if not text[line:start].strip(" \t>") else "inline"
        result.append(
            Citation(
                Span(start=start + parsed.start, end=start + parsed.end),
                parsed.reference,
                style,
                other=parsed.other,
            )
        )
    return result


def _below_heading(text: str, start: int) -> int:
    """The start of the next line where this one is a heading: "References" is no author's name."""
    end = text.find("\n", start, start + 80)
    return end + 1 if end >= 0 and heading(text[text.rfind("\n", 0, start) + 1 : end]) else start


def of_journals(text: str) -> Iterator[Citation]:
    """References in the styles of medical and physical journals within sentences.

    Example:
        >>> text = "It goes back to Roe K, Poe RL. The HQ-9: validity of a brief measure. J Gen Med. 2001;16:606–613, and so on."
        >>> [(one.reference.title, one.reference.authors, one.reference.venue) for one in of_journals(text)]
        [('The HQ-9: validity of a brief measure', ('Roe K', 'Poe RL'), 'J Gen Med')]
    """
    for match in _VANCOUVER.finditer(text):
        parsed = parse(match[0])
        if parsed.reference.title and parsed.reference.authors:
            yield Citation(Span(start=match.start(), end=match.end()), parsed.reference, "inline")
    for where in JOURNAL_AT_END.finditer(text):
        before = text[max(0, where.start() - 900) : where.start()]
        for opened in [0, *(mark.end() for mark in _OPENED.finditer(before))][:-5:-1]:
            start = where.start() - len(before) + opened
            parsed = parse(text[start : where.end("rest")])
            if "apa" in parsed.marks and parsed.start == 0:
                yield Citation(
                    Span(start=start, end=start + parsed.end), parsed.reference, "inline", other=parsed.other
                )
                break


def doubtless(row: Line) -> list[Citation]:
    """The line as a reference, if names, year, title and form all speak for it."""
    opening = _OPENING.match(row.text)
    at = opening.end() if opening else 0
    text = row.text[at:]
    if len(text) > 1500 or not YEAR.search(text, 0, 700):
        return []
    parsed = parse(text)
    if not sure(text, parsed):
        return []
    span = Span(start=row.start + at + parsed.start, end=row.start + at + parsed.end)
    return [Citation(span, parsed.reference, "line", Span(start=row.start, end=row.stop), other=parsed.other)]


def _clipped(piece: str) -> str:
    """Without the words that lead over to the next reference."""
    head, end = piece[:-40], piece[-40:]
    return head + _OVER.sub("", end)
