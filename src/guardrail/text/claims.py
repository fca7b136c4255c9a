"""The sentences of a text that can claim something: without headings, table headers and lead-ins.

`sentences` leaves out headings of Markdown ("# Life") and rules already. Left out here, each only where more text
follows, so that an answer of one such line is still examined:

- the header of a table that has a rule below it;
- a line that is bold from end to end, of at most `HEADING` words, without a digit and without the end of a sentence;
- a line of at most `LABEL` words that ends with a colon, without a digit ("Early life:");
- a lead-in: "Here's an overview:", at most `LEAD_IN` words that begin with "here is", "below are", "the following
  are", end with a colon, and have neither a digit nor a clause of their own ("who", "which", "because", a comma).

The rules are narrow, since what is left out is never examined.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import zip_longest

from guardrail.report import Span
from guardrail.text.layout import Layout, Region
from guardrail.text.sentences import sentences

__all__ = ["HEADING", "LABEL", "LEAD_IN", "claims"]

HEADING, LABEL, LEAD_IN = 8, 3, 14

_MARGIN = 20  # characters before a heading that are looked at
_LINE_END = re.compile(r"[ \t*_]*(?:\n|$)")
_BOLD = re.compile(r"(\*\*|__)(?!\s)([^*_\n]+)(?<!\s)\1(:?)")
_NO_HEADING = re.compile(r"\d|[.!?。！？,;]|\b(?:is|are|was|were|has|had|did|not|no)\b", re.IGNORECASE)
_ANNOUNCES = re.compile(
    r"(?:(?:sure|certainly|absolutely|of course|okay|ok|great question)[,!.]? )?"
    r"(?:here(?:['’]s| is| are)|below (?:is|are)|(?:the )?following (?:is|are)|these are|this is)\b"
    r"(?P<rest>[^,;.!?]*):",
    re.IGNORECASE,
)
_OWN_CLAUSE = re.compile(
    r"\d|\b(?:who|whom|whose|which|that|because|when|where|after|before|since|was|were|had|did|not|never)\b",
    re.IGNORECASE,
)


def claims(text: str) -> list[Span]:
    r"""Where the sentences of a text are that can claim something; in order, as those of `sentences`.

    Example:
        >>> text = "Here's an overview:\n\n**Early life**\n\nShe was born in Rome.\n\n| name | born |\n|---|---|\n| Ada | 1815 |\n"
        >>> [span.of(text) for span in claims(text)]
        ['She was born in Rome.', 'Ada | 1815']
    """
    found = sentences(text)
    headers = [rows[0] for rows in Layout(text).tables] if "|" in text else []
    return [
        span
        for span, following in zip_longest(found, found[1:])
        if following is None or not (_in(headers, span) or _announces(text, span, following))
    ]


def _in(regions: Sequence[Region], span: Span) -> bool:
    """Whether a sentence begins in one of the regions, which are in order."""
    index = bisect_right(regions, span.start, key=lambda region: region.start) - 1
    return index >= 0 and span.start < regions[index].end


def _announces(text: str, span: Span, following: Span) -> bool:
    """Whether a sentence only says what comes."""
    if _LINE_END.match(text, span.end) is None:
        return False
    said = span.of(text)
    bare = said.strip("*_ ")
    words = len(bare.split())
    if match := _ANNOUNCES.fullmatch(bare):
        return words <= LEAD_IN and _OWN_CLAUSE.search(match["rest"]) is None
    before = text[max(0, span.start - _MARGIN) : span.start].rpartition("\n")
    whole = not before[2].strip() and (
        bool(before[1]) or span.start <= _MARGIN
    )  # no bullet, no other sentence
    if not whole or _NO_HEADING.search(bare):
        return False
    if _BOLD.fullmatch(said):  # several in a row are a list, not headings
        return words <= HEADING and _BOLD.fullmatch(following.of(text)) is None
    return bare.endswith(":") and words <= LABEL
