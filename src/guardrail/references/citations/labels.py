"""Identifiers that no reference has taken, with what they are called: the text of a link, a title in marks, the heading above.

An identifier proves that its work exists. What it is called is a claim of its own, and is compared with that work.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.behind import read_behind
from guardrail.references.citations.eastern import SCRIPT
from guardrail.references.citations.evidence import heading
from guardrail.references.citations.fields import parse
from guardrail.references.citations.identifiers import Identifier, with_identifiers
from guardrail.references.citations.lines import Line
from guardrail.references.citations.model import Citation, Style
from guardrail.references.citations.people import PEOPLE, author_and_year, people
from guardrail.references.citations.titles import ORNAMENT, clean_title
from guardrail.references.citations.words import points, title_case, words
from guardrail.report import Span

__all__ = ["CASED", "Link", "bare", "loose"]

_LINK = re.compile(r"\[(?P<text>[^\[\]\r\n]{3,300})\]\(\Z")
_MARKED = re.compile(
    r"(?P<marked>\"[^\"\r\n]{4,300}\"|“[^”\r\n]{4,300}”|«[^»\r\n]{4,300}»|《[^》\r\n]{2,200}》"
    r"|\*\*[^*\r\n]{4,300}\*\*|\*[^*\r\n]{4,300}\*|(?<!\w)_[^_\r\n]{4,300}_)"
    r"(?:\s?[(（][^()（）\r\n]{1,80}[,，、;；\s])?[\s(\[<,:.–—-]{0,6}(?:(?:doi|link|url|source|available (?:at|from|online)|at|see)\b[:\s]{0,3})?[\s(\[<]{0,3}\Z",
    re.IGNORECASE,
)
_CLOSED, _LONGEST_BETWEEN = re.compile(r"[\"”»》*_]"), 112  # the end of marks, and characters from there on
_ALONE = re.compile(
    r"[\s>*_+•-]{0,12}(?:(?:doi|link|url|source|arxiv|available (?:at|from|online))\b[:*_\s]{0,6})?[\s<(\[*_]{0,4}",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[\s>)\].,;*_]{0,6}")
_IN_BRACKETS = re.compile(  # the Lottery Ticket Hypothesis (Frankle & Carbin, [1803.03635](https://arxiv.org/…
    r"(?P<name>(?:(?<![\w-])[^\W\d_a-z][\w'’-]{0,30}\s(?:(?:of|the|and|for|in|to|with|an?|is)\s){0,2}){0,12})\((?P<by>[^()\[\]\r\n\d]{3,80}),?\s{0,2}[\[<]?(?:[^()\[\]\s]{4,20}\]\()?\Z"
)
_NAMES_BEFORE = re.compile(  # Chen and co-authors ([1609.04836](https://arxiv.org/…; Chen & Roe, [arXiv:1609.04836](https://…
    rf"(?<![\w.’'-])(?P<by>{PEOPLE})(?:\s\(|,\s(?=\[))(?:\[(?:[^()\[\]\s]{{4,20}}\]\()?)?\Z"
)
_CLAIM = re.compile(
    rf"[\s>*_+•-]{{0,12}}(?:{ORNAMENT.pattern})?(?P<claim>[^\W_].{{8,380}}?)\s{{0,2}}[—–:,-]{{1,2}}\s?[<\[(]{{0,2}}"
)
_LINE = re.compile(  # 🔗 A trial of trees in towns (Journal of Trees), above its address
    rf"[\s>*_+•-]{{0,12}}(?:{ORNAMENT.pattern})(?P<claim>[^\W\d_a-z].{{8,300}}?[^\s.:!?])\s*"
)
_HALF = 0.5  # share of words with a capital, from which a line may be a title
_WHOLE = re.compile(
    r"\s{0,12}(?:#{1,6}\s+(?P<head>\S.{2,300})|(?P<marked>\*\*[^*]{4,300}\*\*|\"[^\"]{4,300}\"|“[^”]{4,300}”))[.:]?\s*"
)
CASED = 0.7
"""Share of words with a capital from which the text of a link is taken for a title."""


_LONGEST_BY, _LONGEST_NAME = (
    115,
    200,
)  # characters of names in brackets with what follows them, and of the words before these
_NAME = 3  # words in capitals before brackets that look like a title


@dataclass(frozen=True, slots=True)
class _Label:
    """What an identifier is called: a text of the answer from `start` on, and whether that is sure to be a title.

    A heading may be that of a section, emphasised words may be a journal, and a link in small letters may describe a work.
    """

    text: str
    start: int
    sure: bool
    authors: tuple[tuple[str, ...], bool] = ((), False)


@dataclass(frozen=True, slots=True)
class Link:
    """Where an HTML link is, with its tags, and its text."""

    whole: Span
    text: Span


def loose(
    answer: str, found: Sequence[Identifier], rows: Sequence[Line], links: Mapping[int, Link]
) -> Iterator[Citation]:
    """References of an identifier alone, each with its label where there is one.

    Args:
        answer: the text, its HTML as Markdown or blanks.
        found: its identifiers.
        rows: its lines.
        links: its HTML links by where their addresses begin.
    """
    at = 0
    linked = {i.start: i for i in found}
    over = -1
    for i in found:
        if i.kind == "url" or i.start == over:
            continue
        while at + 1 < len(rows) and rows[at + 1].start <= i.start:
            at += 1
        link = links.get(i.start)
        label = _linked(answer, link.text) if link else _label(answer, i, rows, at)
        reference = _called(label) if label else None
        if label is None or reference is None:
            yield from bare([i])
            continue
        style: Style = "quoted" if label.sure or not reference.title else "labelled"
        whole = answer[label.start] == "[" or label.authors[0]
        opened = (
            answer.count("(", label.start, i.start) - answer.count(")", label.start, i.start) if whole else 0
        )
        behind = answer[i.end : i.end + 2]
        end = i.end + min(max(opened, 0), len(behind) - len(behind.lstrip(")")))
        again = linked.get(i.end + 2) if answer.startswith("](", i.end) else None
        if again and again.value == i.value:  # [arXiv:1609.04836](https://arxiv.org/abs/1609.04836)
            over, end = again.start, again.end + answer.startswith(")", again.end)
        span = link.whole if link else Span(start=label.start, end=end)
        if link and not reference.authors and not reference.year:
            span, reference = _with_more(answer, span, reference)
        yield Citation(span, with_identifiers(reference, [i]), style)


def bare(found: Iterable[Identifier]) -> Iterator[Citation]:
    """References of identifiers alone, of which nothing else is said."""
    for i in found:
        if i.kind != "url":
            yield Citation(Span(start=i.start, end=i.end), with_identifiers(Reference(), [i]), i.kind)


def _with_more(answer: str, span: Span, reference: Reference) -> tuple[Span, Reference]:
    """What follows an HTML link: Edsger W. Dijkstra (1968)."""
    window = answer[span.end : span.end + 300].split("\n", 1)[0]
    tail = read_behind(window, (), "", expects=True, owned=False, opened=False, listed=False)
    said = replace(
        reference, authors=tail.authors, et_al=tail.et_al, year=tail.year, venue=reference.venue or tail.venue
    )
    return Span(start=span.start, end=span.end + tail.end), said


def _linked(answer: str, link: Span) -> _Label:
    """The text of an HTML link, which comes after its address."""
    text = answer[link.start : link.end]
    return _Label(text, link.start, sure=title_case(text) >= CASED)


def _label(answer: str, i: Identifier, rows: Sequence[Line], at: int) -> _Label | None:
    row = rows[at]
    before = answer[max(row.start, i.start - 400) : i.start]
    opened = max(before.rfind("(", -_LONGEST_BY), 0)  # without a bracket there, nothing is looked for
    inside = _IN_BRACKETS.search(before, max(0, opened - _LONGEST_NAME)) if opened else None
    if inside and (names := people(inside["by"].rstrip(" ,;:"))):
        name = inside["name"].rstrip()
        start = i.start - len(before) + inside.start("name" if len(words(name)) >= _NAME else "by")
        return _Label(name if len(words(name)) >= _NAME else "", start, sure=False, authors=names)
    if (
        before.endswith(("(", "["))
        and (named := _NAMES_BEFORE.search(before))
        and (names := people(named["by"]))
        and (names[1] or len(names[0]) > 1)
    ):
        return _Label("", i.start - len(before) + named.start("by"), sure=False, authors=names)
    if link := _LINK.search(before):
        return _Label(link["text"], i.start - len(link[0]), sure=title_case(link["text"]) >= CASED)
    if _CLOSED.search(before, max(0, len(before) - _LONGEST_BETWEEN)) and (marked := _MARKED.search(before)):
        text = marked["marked"]
        return _Label(text, i.start - len(before) + marked.start(), sure=text[0] in '"“«《')
    ends = _ENDS.fullmatch(answer[i.end : row.end]) is not None
    if ends and (claim := _CLAIM.fullmatch(before)) and _says_a_title(claim["claim"]):
        return _Label(claim["claim"], i.start - len(before) + claim.start("claim"), sure=False)
    if not (_ALONE.fullmatch(before) and ends):
        return None
    above = next((row for row in reversed(rows[:at]) if not row.blank), None)
    line = _LINE.fullmatch(above.text) if above is not None and above is rows[at - 1] else None
    if above is not None and line and len(words(line["claim"])) >= _NAME and not heading(above.text):
        return _Label(line["claim"], above.start + line.start("claim"), sure=False)
    whole = _WHOLE.fullmatch(above.text) if above else None
    if above is None or whole is None or heading(above.text):
        return None
    text = whole["head"] or whole["marked"]
    return _Label(text, above.start + whole.start("head" if whole["head"] else "marked"), sure=False)


def _says_a_title(claim: str) -> bool:
    """Whether a line before its address says a title that the readers of lines left: 🔗 Roe J et al., A trial of trees — https://…."""
    said = parse(claim).reference
    return (
        len(words(said.title)) >= _NAME
        and not points(said.title)
        and (bool(said.authors) or title_case(said.title) >= _HALF)
    )


def _called(label: _Label) -> Reference | None:
    """What a label claims; `None` where it is no name of a work ("read the full paper here")."""
    text = clean_title(label.text)
    if label.authors[0]:
        return Reference(text, *label.authors)
    if yeared := author_and_year(text):
        return yeared
    if (len(words(text)) < 3 and not SCRIPT.search(text)) or points(text):
        return None
    return parse(text).reference if parse(text).reference.title else Reference(title=text)
