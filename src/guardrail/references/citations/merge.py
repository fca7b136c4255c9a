"""What the network reads, joined with what has a grammar: structured entries, identifiers, law, titles in Chinese, Japanese and Korean."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.eastern import SCRIPT
from guardrail.references.citations.identifiers import identifiers, with_identifiers
from guardrail.references.citations.laws import names_a_law
from guardrail.references.citations.model import FIRM, IDENTIFIED, Citation, Style
from guardrail.references.citations.venues import is_venue
from guardrail.report import Span

if TYPE_CHECKING:
    from guardrail.references.citations.tagging import Tagged, Tags

__all__ = ["merged"]

# How probable the tags of a reference must be. Chosen on the half "seen" of benchmarks/references/real: from .4 on, .96 of what has
# authors and a year without a title are marks; of titles with a year, an address or an identifier .95 from .9 on.
_SURE, _SURE_MARK = 0.9, 0.4
_CLEAR = 0.95  # of a title, beside which only names or a venue are said
# How probable the fields of the title and of the names must be, each the least of a word, from which a look-up may call them wrong.
# That of names was chosen on real works under their own and under other authors: docs/design/references.md.
_CERTAIN, _CERTAIN_NAMES = 0.5, 0.7
_DENIED = 0.6  # of no word, from which what a grammar found is left out
_MARKS = {
    '"': '"',
    "“": "”",
    "„": "“",
    "«": "»",
    "»": "«",
    "《": "》",
    "『": "』",
    "「": "」",
    "‘": "’",
    "'": "'",
    "*": "*",
    "_": "_",
}
_CLOSING = {")": "(", "]": "["}
_LOOKED_FOR = 30  # characters of a title that are looked for
_FRONT = re.compile(r"https?://[^/?#\s]+/?")
_SHORT_NAME = 3  # words of the name of a tool
_CONTAINER = re.compile(r"(?<!\w)(?P<again>reprinted\s)?in:?\s*[*_\"“]?\Z", re.IGNORECASE)
_LONGEST_IN = 16  # characters of "Reprinted in: " before a book
_NEAR = 300  # characters around a reference in which its address may go on
_MARKER = re.compile(r"[ \t>]{0,8}(?:(?:[-*•–]|\W?\w{1,3}[.)\]:])[ \t]{1,4})?")
_LONGEST_MARKER = 20
_ITEM = re.compile(r"[-*•–]\s+(?=\S)")


def merged(answer: str, known: Sequence[Citation], read: Tags, *, asked: bool) -> list[Citation]:
    """The references of both, in order, not overlapping.

    Args:
        answer: the text.
        known: what grammars found, in order.
        read: by the network.
        asked: whether the question before it asks for references: then a title in bold is one, too.
    """
    bare = asked and _are_bare(known, read)
    found: list[Citation] = []
    titles = {normalise(one.reference.title) for one in known} - {""}
    for whole in read.found:
        for part in _by_lines(answer, whole):
            one = replace(part, span=_enclosed(answer, part.span))
            over = [other for other in known if _touch(other.span, one.span)]
            if not _counts(answer, one, asked=asked) or any(_stays(other, one, bare) for other in over):
                continue
            if not over and _is_alone(one.reference) and _is_repeated(one, titles):
                continue
            if not _is_container(answer, one, over):
                found.append(_citation(answer, one))
    taken = [one.span for one in found]
    firm = FIRM | IDENTIFIED | (frozenset({"numbered", "bulleted"}) if bare else frozenset())
    for other in known:
        free = not any(_touch(other.span, span) for span in taken)
        sure = other.style in firm or other.kind in {"page", "mark"}  # they say so by their form
        if free and (sure or _is_read(other, read) or read.denies(other.span) < _DENIED):
            found.append(other)
    return sorted(found, key=lambda citation: citation.span.start)


def _counts(answer: str, one: Tagged, *, asked: bool) -> bool:
    """Whether what the network reads is a reference: what it says besides a title, or marks around the title, speak for it."""
    said = one.reference
    if not said.title:
        mark = bool(said.authors and said.year)
        return one.sure >= (_SURE_MARK if mark else _SURE) and (mark or bool(said.url or _identified(said)))
    if one.sure < _SURE or one.mark or _is_front_page(said):
        return False
    if said.year or said.url or _identified(said) or names_a_law(said):
        return True
    marks = _marks_before(answer, one)
    told = (said.authors or (said.venue and marks != 2)) and one.title >= _CLEAR and one.names >= _SURE
    return bool(told) or marks == 1 or (asked and marks == 2)


def _identified(said: Reference) -> bool:
    return bool(said.doi or said.arxiv or said.pmid or said.isbn)


def _marks_before(answer: str, one: Tagged) -> int:
    """How many marks are right before the title: one of quotation, of emphasis or of a link; two of bold type, which headings have as well."""
    at = answer.find(one.reference.title[:_LOOKED_FOR], one.span.start, one.span.end)
    if at <= 0 or answer[at - 1] not in {*_MARKS, "["}:
        return 0
    return 2 if answer[max(0, at - 2) : at] in {"**", "__"} else 1


def _titled(answer: str, one: Tagged) -> Reference:
    """What is said; where no title is, what stands between marks in place of a venue and is the name of none is the title."""
    said = one.reference
    at = answer.find(said.venue, one.span.start, one.span.end) if said.venue and not said.title else -1
    end = at + len(said.venue)
    between = at > 0 and _MARKS.get(answer[at - 1], "") == answer[end : end + 1] != ""
    if not between or is_venue(said.venue):
        return said
    return replace(said, title=said.venue, venue="")


def _citation(answer: str, one: Tagged) -> Citation:
    """A reference of the network alone."""
    said = _titled(answer, one)
    if not said.title and said.authors and said.year and not (said.url or _identified(said)):
        return Citation(one.span, said, "author-year", kind="mark")
    sure = one.title >= _CERTAIN and one.names >= _CERTAIN_NAMES and not _runs_on(answer, one)
    told = bool(said.authors) or len(said.title.split()) > 1  # *Asylums* (Anchor, 1961)
    style: Style = "inline" if sure and told and not _is_alone(said) else "unmarked"
    span = _with_full_stop(answer, one.span)
    return Citation(span, said, "legal" if names_a_law(said) else style)


def _with_full_stop(answer: str, span: Span) -> Span:
    """A span with the full stop behind it, if both are all of a line but its marker: so a mark on it comes behind the stop."""
    before = answer[max(answer.rfind("\n", 0, span.start) + 1, span.start - _LONGEST_MARKER) : span.start]
    ends = answer[span.end : span.end + 1] == "." and answer[span.end + 1 : span.end + 2] in {"", "\r", "\n"}
    return Span(start=span.start, end=span.end + 1) if ends and _MARKER.fullmatch(before) else span


def _is_alone(said: Reference) -> bool:
    """Whether nothing but a title is said."""
    return not (said.authors or said.venue or said.year or said.url or _identified(said))


def _is_read(known: Citation, read: Tags) -> bool:
    """Whether the network, too, reads something there."""
    return any(_touch(known.span, one.span) for one in read.found)


def _are_bare(known: Sequence[Citation], read: Tags) -> bool:
    """Whether the references are titles alone: all of a list's are, and a third or more of these for the network."""
    titles = [normalise(one.reference.title) for one in known if one.reference.title]
    if not all(_is_alone(one.reference) for one in known):
        return False
    alone = {normalise(one.reference.title) for one in read.found if _is_alone(one.reference)}
    return bool(titles) and 3 * sum(title in alone for title in titles) > len(titles)


def _stays(known: Citation, one: Tagged, bare: bool) -> bool:
    """Whether the bounds of a grammar are better: of a structure, of titles in East Asian brackets, of a list of titles."""
    listed = bare and known.style in {"numbered", "bulleted"}
    eastern = SCRIPT.search(known.reference.title) is not None and _is_same(known, one)
    return known.style in FIRM or listed or eastern


def _is_same(known: Citation, one: Tagged) -> bool:
    """Whether two references have the same title or most of their letters in common."""
    title = normalise(known.reference.title)
    both = min(known.span.end, one.span.end) - max(known.span.start, one.span.start)
    either = max(known.span.end, one.span.end) - min(known.span.start, one.span.start)
    return title == normalise(one.reference.title) or 2 * both >= either


def _enclosed(answer: str, span: Span) -> Span:
    """A span without the marker of its item, and with the quotation marks or the emphasis that enclose it: left alone, they would enclose nothing."""
    span = _without_marker(answer, span)
    start, end = span.start, span.end
    while start > 0 and end < len(answer) and _MARKS.get(answer[start - 1], "") == answer[end]:
        start, end = start - 1, end + 1
    text = answer[start:end]
    for i in identifiers(answer[max(0, start - _NEAR) : end + _NEAR]):  # no span ends within an address
        first, last = i.start + max(0, start - _NEAR), i.end + max(0, start - _NEAR)
        if first < end < last:
            end = last
    text = answer[start:end]
    while text[-1:] in _CLOSING and text.count(text[-1]) > text.count(_CLOSING[text[-1]]):
        text = text[:-1]  # ([BAILII](https://…))
    return Span(start=start, end=start + len(text))


def _without_marker(answer: str, span: Span) -> Span:
    marker = _ITEM.match(answer, span.start, span.end)
    return Span(start=marker.end(), end=span.end) if marker else span


def _by_lines(answer: str, one: Tagged) -> Iterator[Tagged]:
    """What the network reads as one reference; addresses alone, each on a line, are one each."""
    said, text = one.reference, one.span.of(answer)
    if said.title or said.authors or said.year or said.venue or "\n" not in text:
        yield one
        return
    start = one.span.start
    for line in text.split("\n"):
        begin = start + len(line) - len(line.lstrip())
        span = _without_marker(answer, Span(start=begin, end=max(begin, start + len(line.rstrip()))))
        address = with_identifiers(Reference(), identifiers(span.of(answer)))
        if not _is_alone(address):
            yield replace(one, span=span, reference=address)
        start += len(line) + 1


def _is_front_page(said: Reference) -> bool:
    """Whether nothing is said but the name of a site or a tool: [Anki](https://apps.ankiweb.net)."""
    more = said.authors or said.year or said.venue or _identified(said)
    return _FRONT.fullmatch(said.url) is not None and not more and len(said.title.split()) <= _SHORT_NAME


def _is_repeated(one: Tagged, titles: Collection[str]) -> bool:
    """Whether it names a work that is found elsewhere; what that means for it says `mentions`."""
    title = normalise(one.reference.title)
    return any(known in title for known in titles)


def _is_container(answer: str, one: Tagged, over: Sequence[Citation]) -> bool:
    """Whether it is the end of an entry: the book after "In" or "Reprinted in"."""
    introduced = _CONTAINER.search(answer, max(0, one.span.start - _LONGEST_IN), one.span.start)
    rests = any(known.span.start < one.span.start and one.span.end <= known.span.end for known in over)
    again = introduced is not None and introduced["again"] is not None
    return again or (rests and (introduced is not None or not one.reference.authors))


def _runs_on(answer: str, one: Tagged) -> bool:
    """Whether marks are opened before its title and not closed behind it, so that more than the title may have been taken."""
    title = one.reference.title
    at = answer.find(title[:_LOOKED_FOR], one.span.start, one.span.end) if title else 0
    mark = answer[at - 1] if at > 0 else ""
    behind = answer[at + len(title) : at + len(title) + 3]
    return bool(_MARKS.get(mark)) and _MARKS[mark] not in behind and mark not in behind


def _touch(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
