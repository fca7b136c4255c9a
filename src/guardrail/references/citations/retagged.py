"""The references that the rules found, with what the network reads: those that it is sure of have its span and are found where no rule did."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from guardrail.references.authors.names import family_names
from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.eastern import SCRIPT
from guardrail.references.citations.model import Citation, Style
from guardrail.report import Span

if TYPE_CHECKING:
    from guardrail.references.citations.tagging import Tagged, Tags

__all__ = ["retagged"]

_SURE = 0.9  # of all tags, from which a reference is one without the rules
_TITLED = 0.9  # of the title, from which it counts against another title
_CERTAIN = 0.95  # of the title, from which it may be called wrong
_SHOWN = frozenset({"emphasised", "quoted"})  # by marks, which may be around something else than a title
_FIRM = frozenset({"bibtex", "ris", "json", "legal"})  # whose bounds are beyond doubt
_IDENTIFIED = frozenset(
    {"doi", "arxiv", "pmid", "isbn", "labelled"}
)  # which show by themselves that they are references
_LISTED = frozenset({"numbered", "bulleted"})
_DENIED = 0.6  # of no word, from which what the rules found is left out
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
_SAME_PLACE = 0.5  # share of two spans from which they are of one reference


def retagged(answer: str, found: Sequence[Citation], read: Tags, *, asked: bool = False) -> list[Citation]:
    """The references after both readings, in order, not overlapping.

    What only the network finds is called wrong only if it is certain of it ("inline", else "unmarked"); what it reads otherwise than
    the rules only if that is wrong, too (`Citation.other`).
    What the rules took for a reference and the network surely for none is left out, if nothing but its shape speaks for it.

    Args:
        answer: the text.
        found: by the rules.
        read: by the network.
        asked: whether the question before it asks for references: then a bare title is one.
    """
    bare = _are_bare(found, read)
    sure = [
        replace(one, span=_enclosed(answer, one.span))
        for one in read.found
        if not one.mark
        and one.sure >= _SURE
        and one.reference.title
        and not any(_touch(known.span, one.span) and _stays(known, one, bare=bare) for known in found)
        and sum(bool(known.reference.title) and _is_within(known.span, one.span) for known in found)
        < 2  # two works
    ]
    titles = {normalise(known.reference.title) for known in found} - {""}
    after: list[Citation] = []
    for one in sure:
        over = [known for known in found if _touch(known.span, one.span)]
        near = [known for known in over if _is_same(known, one)]
        if near:
            after.append(_both(max(near, key=lambda known: _shared(known.span, one.span)), one))
        elif not _is_container(one, over) and (
            _is_described(one.reference)
            or ((asked or _is_marked(answer, one)) and not _is_repeated(one, titles))
        ):
            style: Style = "inline" if _is_certain(one) else "unmarked"
            after.append(Citation(one.span, one.reference, style, agreed=frozenset({"title"})))
    taken = [one.span for one in after]
    for known in found:
        if any(_touch(known.span, span) for span in taken):
            continue
        read_too = any(_touch(known.span, one.span) for one in read.found)
        # Among bare titles even a sentence is one.
        firm = _FIRM | _IDENTIFIED | (_LISTED if bare and asked else frozenset())
        if known.style in firm or read_too or read.denies(known.span) < _DENIED:
            untitled = any(_is_untitled(known, one) for one in read.found)
            after.append(replace(known, style="unmarked") if untitled else known)
    after.sort(key=lambda citation: citation.span.start)
    return [_alone(citation, after) for citation in after]


def _enclosed(answer: str, span: Span) -> Span:
    """A span with the quotation marks or the emphasis that enclose it: left alone, they would enclose nothing."""
    start, end = span.start, span.end
    while start > 0 and end < len(answer) and _MARKS.get(answer[start - 1], "") == answer[end]:
        start, end = start - 1, end + 1
    return Span(start=start, end=end)


def _are_bare(found: Sequence[Citation], read: Tags) -> bool:
    """Whether the references are titles alone: the rules read all of them so, and the network more than a third."""
    titles = [normalise(known.reference.title) for known in found if known.reference.title]
    if any(_is_described(known.reference) for known in found):
        return False
    alone = {normalise(one.reference.title) for one in read.found if not _is_described(one.reference)}
    return 3 * sum(title in alone for title in titles) > len(titles)


def _stays(known: Citation, one: Tagged, *, bare: bool) -> bool:
    """Whether the rules' bounds are better: those of a structure, and of a title alone, which ends with its line or its marks.

    Among bare titles, what may be said of a work is a part of its title: Trust Management: Third Conference, Paris, 2005.
    """
    differ = normalise(known.reference.title) != normalise(one.reference.title)
    alone = bool(known.reference.title) and not _is_described(known.reference)
    return known.style in _FIRM or (differ and alone and (bare or not _is_described(one.reference)))


def _is_repeated(one: Tagged, titles: Collection[str]) -> bool:
    """Whether it names a work that is found elsewhere; what that means for it says `mentions`."""
    title = normalise(one.reference.title)
    return any(known in title for known in titles)


def _is_container(one: Tagged, over: Sequence[Citation]) -> bool:
    """Whether it is the end of an entry that the rules read whole, and names nobody: the journal with its number."""
    rests = (known.span.start < one.span.start and one.span.end <= known.span.end for known in over)
    return not one.reference.authors and any(rests)


def _is_marked(answer: str, one: Tagged) -> bool:
    """Whether its title is in quotation marks, emphasised or linked."""
    at = answer.find(one.reference.title[:30], one.span.start, one.span.end)
    return at > 0 and answer[at - 1] in {*_MARKS, "["}


def _is_untitled(known: Citation, one: Tagged) -> bool:
    """Whether the network surely reads a reference without a title there: (Doe et al., *Ann Eur Zool* 2011)."""
    shown = bool(known.reference.title) and known.style in _SHOWN
    untitled = not one.mark and one.sure >= _SURE and not one.reference.title
    return shown and untitled and _is_within(known.span, one.span)


def _is_certain(one: Tagged) -> bool:
    """Whether a look-up may call it wrong although no mark and no rule shows the title."""
    sure = one.sure >= _SURE and one.title >= _CERTAIN and one.names >= _SURE
    return sure and _is_described(one.reference)


def _is_described(said: Reference) -> bool:
    """Whether more than a title is said."""
    fields = (said.authors, said.venue, said.year, said.doi, said.arxiv, said.isbn, said.pmid, said.url)
    return any(fields)


def _touch(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _is_within(inner: Span, outer: Span) -> bool:
    """Whether most of a span is in another."""
    return 2 * (min(inner.end, outer.end) - max(inner.start, outer.start)) > inner.end - inner.start


def _shared(one: Span, other: Span) -> float:
    """Characters in both spans, of those in either."""
    both = min(one.end, other.end) - max(one.start, other.start)
    return max(both, 0) / (max(one.end, other.end) - min(one.start, other.start))


def _is_same(known: Citation, one: Tagged) -> bool:
    alike = bool(known.reference.title) and normalise(known.reference.title) == normalise(one.reference.title)
    return alike or _shared(known.span, one.span) >= _SAME_PLACE


def _both(known: Citation, one: Tagged) -> Citation:
    """One reference that both read, with the network's span; East Asian ones the rules read better."""
    said, read = known.reference, one.reference
    style: Style = "inline" if known.style == "unmarked" and _is_certain(one) else known.style
    if SCRIPT.search(said.title):
        return known
    if normalise(said.title) == normalise(read.title):
        if said.authors and read.authors and family_names(said.authors) != family_names(read.authors):
            return replace(known, span=one.span, other=known.other or read, agreed=known.agreed | {"title"})
        agreed = known.agreed | {"title"}
        # the line below a title has its authors
        less = (said.authors and not read.authors) or (said.year and not read.year)
        inside = known.span.start <= one.span.start and one.span.end <= known.span.end
        span = known.span if less and inside else one.span
        return replace(known, span=span, reference=_filled(said, read), agreed=agreed, style=style)
    one_title, other_title = normalise(said.title), normalise(read.title)
    if one_title and other_title in normalise(said.venue):  # the volume in which it is
        return replace(known, span=one.span)
    cut_short = bool(one_title) and (
        one_title in other_title or (known.style in _SHOWN and other_title in one_title)
    )
    if one.title < _TITLED or cut_short:  # the shorter one clears only a work that explains the rest
        return replace(known, span=one.span, other=known.other or read)
    return replace(known, span=one.span, reference=_filled(read, said), other=said, style=style)


def _filled(said: Reference, read: Reference) -> Reference:
    """A reference with what it lacks and another reading of the same place has; not the venue, which a remark may look like."""
    names = ("doi", "arxiv", "isbn", "pmid", "url")
    more = {name: getattr(read, name) for name in names if not getattr(said, name)}
    if not said.year and read.year and not read.url:  # a page's may be that of its retrieval
        more |= {"year": read.year}
    if not said.authors and read.authors:
        more |= {"authors": read.authors, "et_al": read.et_al}
    return replace(said, **more)


def _alone(citation: Citation, all_of_them: Sequence[Citation]) -> Citation:
    """Without the item to cut, if it does not hold the reference, or holds another one."""
    item = citation.item
    if item is None:
        return citation
    whole = item.start <= citation.span.start and citation.span.end <= item.end
    others = any(other is not citation and _touch(item, other.span) for other in all_of_them)
    return citation if whole and not others else replace(citation, item=None)
