"""Marks of citation that no reference was read from: what looks like a citation and could not be read is said, not passed over."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from guardrail.references.citations.model import Citation
from guardrail.references.citations.structured import unread_entries
from guardrail.report import Span

__all__ = ["LONGEST", "may_cite", "read_to", "unread"]

LONGEST = 200_000
"""Characters of an answer that are read, some eighty pages: what is longer is hostile, or no answer."""

_REASON = "this looks like a citation, but could not be read"
_MARK = re.compile(
    r"(?<!\w)\d{1,4}\s(?:U\.\s?S\.|S\.\s?Ct\.|L\.\s?Ed\.(?:\s?2d)?|F\.(?:\s?[23]d|\s?4th)?|F\.\s?Supp\.(?:\s?[23]d)?)\s\d{1,4}(?!\w)"
    r"|(?:\[(?:1[89]|20)\d\d\]\s(?:\d{1,2}\s)?|\((?:1[89]|20)\d\d\)\s\d{1,3}\s)(?:UKSC|UKHL|EWCA|EWHC|AC|KB|QB|WLR|All\sER|CLR|HCA|SCC|SCR|NZLR|Ch)\b"
    r"(?:\s(?:Civ|Crim))?\s\d{1,5}(?!\w)"
    r"|(?<!\w)(?:19|20)\d\d;\s?\d{1,4}(?:\(\d{1,3}\))?:\s?[eE]?\d{1,6}(?:[-–]\d{1,6})?(?!\w)"
)
_CITES = re.compile(
    r"[(（](?:[^()（）\n]{0,80}[\s,，])?(?:1[5-9]|20)\d\d[a-z年]?[)）]|\bet al\b|\]\(https?:|\bhttps?://",
    re.IGNORECASE,
)


def read_to(answer: str) -> int:
    """Up to where an answer is read: all of it, or the last line that begins within `LONGEST` characters."""
    if len(answer) <= LONGEST:
        return len(answer)
    return answer.rfind("\n", LONGEST // 2, LONGEST) + 1 or LONGEST


def unread(answer: str, found: Sequence[Citation]) -> Iterator[tuple[Span, str]]:
    """Where something looks like a citation and is part of none that was read, and why it was not.

    Reporters of law ("347 U.S. 483", "[1932] AC 562"), volumes with pages ("2019;381:1995-2008"), entries under a
    key of JSON such as "references".

    Args:
        answer: the text.
        found: the references that were read from it, in order.

    Example:
        >>> text = "As held in 347 U.S. 483 (1954)."
        >>> [(span.of(text), reason) for span, reason in unread(text, [])]
        [('347 U.S. 483', 'this looks like a citation, but could not be read')]
    """
    end = read_to(answer)
    entries = sorted(unread_entries(answer[:end], found), key=lambda span: span.start)
    covered = sorted((span.start, span.end) for span in (*(one.span for one in found), *entries))
    yield from ((span, _REASON) for span in entries)
    at = 0
    for match in _MARK.finditer(answer, 0, end):
        while at < len(covered) and covered[at][1] <= match.start():
            at += 1
        if at == len(covered) or covered[at][0] >= match.end():
            yield Span(start=match.start(), end=match.end()), _REASON
    if end < len(answer):
        yield Span(start=end, end=len(answer)), f"only the first {end:,} characters of an answer are read"


def may_cite(answer: str, found: Sequence[Citation]) -> bool:
    """Whether a year in brackets, "et al." or an address stands outside of what was found, so that more may be cited than was read.

    Example:
        >>> may_cite("Trees grow (Roe, 2001).", []), may_cite("Trees grow.", [])
        (True, False)
    """
    covered = [(one.span.start, one.span.end) for one in found]
    signs = _CITES.finditer(answer, 0, read_to(answer))
    return any(not any(start <= sign.start() < end for start, end in covered) for sign in signs)
