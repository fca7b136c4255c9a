"""Where a law or a decision ends: its brackets and its link; and whether it is a part of a title."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from guardrail.references.citations.model import Citation
from guardrail.references.citations.sites import names_source
from guardrail.report import Span

__all__ = ["linked", "stands_alone"]

_PAIRS = (("“", "”"), ("„", "“"), ("«", "»"), ("[", "]"))
_SENTENCE = re.compile(r"[^\W\d_A-Z]{3}[.!?;]\s|\s(?:is|are|was|am|has)\s")
_LONGEST_TITLE = 200
_BEFORE = 300  # characters of a line that are looked at before a law
_ITEM = re.compile(r"^\s*(?:[-*•]|\(?\d{1,3}[.)]|\[\d{1,3}\])\s+")
_ENTRY = re.compile(  # Roe, J. (2018). …; Roe J, Poe A. …; Jane Roe (2018). …
    r"^[*_\"“]{0,3}[^\W\d_][\w’'-]+,\s[A-Z]\.|^[^\n(]{3,80}\((?:1[5-9]|20)\d\d[a-z]?\)\.\s|^(?:[A-Z][\w’'-]+\s[A-Z]{1,3}(?:,\s|\.\s)){1,8}"
)
_BOOK = re.compile(  # Directive 95/46/EC and the Future of Privacy, Jane Roe (2013)
    r"\s(?:and|in|at|after|und|im|et|en|y|e)\s[^\n:;()*]{3,100}?(?:\sby\s|,\s)(?:[^\W\d_a-z][\w.’'-]{0,20}\s){1,3}[^\W\d_a-z][\w’'-]{1,30},?\s\(?"
    r"(?:(?:[^\W\d_a-z][\w&’'-]{1,20},?\s){1,4})?(?:1[89]|20)\d\d\)?"
)
_BY = re.compile(r"[^*\n]{0,120}\*\*\s(?:by|von|par|por|di)\s[^\W\d_a-z]")
_ADDRESS = re.compile(r"\]\((?P<url>https?://[^()\s]{4,400}(?:\([^()\s]{0,80}\)[^()\s]{0,80})?)\)")
_SOURCE = re.compile(
    r"(?:,\s|\s)(?P<bracket>\()?\[(?P<text>[^\[\]\r\n]{2,40})(?=\]\(http)"
)  # …, [EUR-Lex](https://…
_CLOSING = {"(": ")", "[": "]"}
_REST = re.compile(r"[^()\[\]\r\n]{0,60}(?P<mark>[)\]])")


def stands_alone(answer: str, span: Span) -> bool:
    """Whether a law or a decision is no part of a title: of one in marks, or in an entry of a bibliography.

    Example:
        >>> text = '"Teacups and the Human Rights Act 1998" by Jo Roe'
        >>> stands_alone(text, Span(start=17, end=38))
        False
    """
    start, end = span.start, span.end
    line = max(answer.rfind("\n", 0, start) + 1, start - _BEFORE)
    before = _ITEM.sub("", answer[line:start])
    if _ENTRY.search(before) or (not before.strip(" *_") and _BOOK.match(answer, end)):
        return False
    if before.count("**") % 2 and _BY.match(answer, end):
        return False
    plain = before.replace("**", "  ")
    for one, other in (*_PAIRS, ('"', '"'), ("*", "*")):
        since = plain.rfind(one)  # the text before may have been cut inside a pair of brackets
        if since < 0 or (plain.count(one) % 2 == 0 if one == other else plain.find(other, since) >= 0):
            continue
        until = answer.find(other, start, start + _BEFORE)
        opening = start - len(before) + since
        told = until - opening > _LONGEST_TITLE or _SENTENCE.search(answer, opening, until)
        if until >= end and not told and not (before.endswith(one) and until == end):
            return False
    return True


def linked(answer: str, found: Sequence[Citation]) -> list[Citation]:
    """The citations in order; laws and decisions with the link that they are the text of, or the link to a source of them right behind.

    Their brackets are balanced, and no span comes to overlap another. The text of a link behind must name a site, or a form of the
    text: [EUR-Lex](…), [PDF](…); any other is another work.

    Example:
        >>> from guardrail.references.bibliography.records import Reference
        >>> text = "See [Directive 95/46/EC](https://eur-lex.europa.eu/eli/dir/1995/46/oj)."
        >>> linked(text, [Citation(Span(start=5, end=23), Reference(), "legal")])[0].span.of(text)[-7:]
        '/46/oj)'
    """
    result: list[Citation] = []
    starts = [*(one.span.start for one in found[1:]), len(answer)]
    for one, after in zip(found, starts, strict=False):
        before = result[-1].span.end if result else 0
        result.append(
            _linked(answer, _balanced(answer, one, after), before, after) if one.style == "legal" else one
        )
    return result


def _linked(answer: str, citation: Citation, before: int, after: int) -> Citation:
    start, end = citation.span.start, citation.span.end
    if citation.reference.url:
        return citation
    if start > before and answer[start - 1] == "[":
        start, source = start - 1, None
        address = _ADDRESS.match(answer, end)
    else:
        source = _SOURCE.match(answer, end)
        address = _ADDRESS.match(answer, source.end()) if source else None
    if address is None or (source and not names_source(source["text"], address["url"])):
        return citation
    end = address.end()
    if source and source["bracket"]:
        if not answer.startswith(")", end):
            return citation  # (…; [PDF](https://…), in force)
        end += 1
    if end > after:
        return citation
    return replace(
        citation,
        span=Span(start=start, end=end),
        reference=replace(citation.reference, url=address["url"]),
    )


def _balanced(answer: str, citation: Citation, after: int) -> Citation:
    """The citation with the rest of a bracket that it opens, and without one that it only closes, as far as other citations allow."""
    start, end = citation.span.start, citation.span.end
    opened: list[int] = []
    for at in range(start, end):
        if answer[at] in _CLOSING:
            opened.append(at)
        elif answer[at] in ")]" and (not opened or _CLOSING[answer[opened.pop()]] != answer[at]):
            end, opened = at, []
            break
    if opened:
        rest = _REST.match(answer, end, after)
        whole = rest and len(opened) == 1 and rest["mark"] == _CLOSING[answer[opened[0]]]
        end = rest.end() if rest and whole else opened[0]
    if end < citation.span.end:
        end = start + len(answer[start:end].rstrip(" ,;"))
    return replace(citation, span=Span(start=start, end=end)) if start < end else citation
