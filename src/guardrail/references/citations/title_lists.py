"""Plain lists of titles, which are references because they were asked for: "1. Topology Without Tears"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.model import Citation
from guardrail.report import Span

__all__ = ["listed_titles"]

_ITEM = re.compile(
    r"^[ \t]{0,6}(?P<marker>\d{1,3}[.)]|\[\d{1,3}\]|\(\d{1,3}\)|[-*•–])[ \t]{1,4}(?P<text>\S[^\r\n]{1,298}\S)[ \t]*\r?$",
    re.MULTILINE,
)
_LINE = re.compile(r"^.*\S.*$", re.MULTILINE)
_EDGES = re.compile(r"\A[*_\"“«]+|[*_\"”».,;]+\Z")
_TOLD = re.compile(  # more than a title: a sentence, a year in brackets, names behind "by", a heading in bold
    r"[:;]$|\w{4}[.!]\s+[A-Z][a-z]|[(（](?:1[5-9]|20)\d\d[a-z]?[)）]|[\"”*]\s(?:by|von|par|de)\s|[\[［][A-Z]{1,2}(?:/OL)?[\]］]|^\W*\*\*[^*]+:?\*\*:?\s"
)
_OTHER_LINES = 2  # what introduces a list, and what closes it
_MOST_WORDS = 40


def listed_titles(answer: str) -> Iterator[Citation]:
    r"""The items of an answer that is nothing but a list, whose items are no sentences; for answers to questions that ask for references.

    Example:
        >>> text = "Here are two:\n1. Topology Without Tears\n2. Walden"
        >>> [one.reference.title for one in listed_titles(text)]
        ['Topology Without Tears', 'Walden']
    """
    items = list(_ITEM.finditer(answer))
    others = len(_LINE.findall(answer)) - len(items)
    if not items or others > _OTHER_LINES or any(_is_told(item["text"]) for item in items):
        return
    for item in items:
        title = _EDGES.sub("", item["text"])
        if title:
            span = Span(start=item.start("text"), end=item.end("text"))
            yield Citation(span, Reference(title), "bulleted" if item["marker"] in "-*•–" else "numbered")


def _is_told(text: str) -> bool:
    """Whether an item tells something: it is more than a sentence, or begins with a heading in bold."""
    return len(text.split()) > _MOST_WORDS or _TOLD.search(text) is not None
