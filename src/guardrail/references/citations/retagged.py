"""The references that the rules found, with what the network reads: those that it is sure of have its span and are found where no rule did."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from guardrail.references.authors.names import family_names
from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.eastern import SCRIPT
from guardrail.references.citations.identifiers import identifiers, with_identifiers
from guardrail.references.citations.model import FIRM, IDENTIFIED, Citation, Style
from guardrail.references.citations.sites import names_document
from guardrail.references.citations.statutes import names_a_law
from guardrail.report import Span

if TYPE_CHECKING:
    from guardrail.references.citations.tagging import Tagged, Tags

__all__ = ["read_marks_of", "retagged", "surely_read"]

_SURE = 0.9  # of all tags, from which a reference is one without the rules
_TITLED = 0.9  # of the title, from which it counts against another title
_CERTAIN = 0.95  # of the title, from which it may be called wrong
_SHOWN = frozenset({"emphasised", "quoted"})  # by marks, which may be around something else than a title
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
_CLOSING = {")": "(", "]": "["}
_LOOKED_FOR = 30  # characters of a title that are looked for
_SHORT_NAME = 3  # words of the name of a tool
_BOOKS = re.compile(
    r"(?<!\w)(?:(?:e-?|text|hand)?books?|libros?|livres?|libri|livros?|buch|bücher|boeken|książki)(?!\w)",
    re.IGNORECASE,
)
_BOOKS_BEFORE = 200  # characters before a reference, in which a word says that books follow
_FRONT = re.compile(r"https?://[^/?#\s]+/?")
_IN = re.compile(r"(?<!\w)(?P<again>reprinted\s)?in:?\s*[*_\"“]?\Z", re.IGNORECASE)
_LONGEST_IN = 16  # characters of "Reprinted in: " before a book
_DOMAIN = re.compile(r"[a-z]{2,4}")
_IDENTIFIERS = ("doi", "arxiv", "isbn", "pmid", "url")
_ITEM = re.compile(r"[-*•–]\s+(?=\S)")
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
    remarks = {id(known) for known in found if _is_remark(answer, known, read)}
    rules = [known for known in found if id(known) not in remarks]
    after = [*_from_network(answer, rules, read, asked=asked, bare=bare)]
    taken = [one.span for one in after]
    kept = [known for known in found if not any(_touch(known.span, span) for span in taken)]
    # Among bare titles even a sentence is one.
    firm = FIRM | IDENTIFIED | (_LISTED if bare and asked else frozenset())
    for known in kept:
        if id(known) in remarks:
            marked = any(not one.reference.title and _touch(known.span, one.span) for one in read.found)
            after += [] if marked else [replace(known, style="unmarked")]  # "…" (Putnam, 1993: 167)
        elif known.style in firm or _is_read(known, read) or read.denies(known.span) < _DENIED:
            untitled = next((one for one in read.found if _is_untitled(known, one)), None)
            after.append(_without_title(known, untitled) if untitled else known)
    after.sort(key=lambda citation: citation.span.start)
    return [_alone(citation, after) for citation in after]


def _from_network(
    answer: str, found: Sequence[Citation], read: Tags, *, asked: bool, bare: bool
) -> Iterator[Citation]:
    """The references that the network is sure of: joined with the rules' where both read one, else on their own."""
    titles = {normalise(known.reference.title) for known in found} - {""}
    parts = (part for whole in read.found for part in _by_lines(answer, whole))
    for one in (replace(part, span=_enclosed(answer, part.span)) for part in parts):
        if not _counts(answer, one, found, bare=bare):
            continue
        over = [known for known in found if _touch(known.span, one.span)]
        near = [known for known in over if _is_same(known, one)]
        if near:
            yield _both(answer, read, max(near, key=lambda known: _shared(known.span, one.span)), one)
        elif not _is_container(answer, one, over) and (
            _is_described(one.reference)
            or ((asked or _is_marked(answer, one)) and not _is_repeated(one, titles))
        ):
            sure = _is_certain(one) and not _runs_on(answer, one)
            style: Style = "inline" if sure else "unmarked"
            style = "legal" if names_a_law(one.reference) else style
            yield Citation(one.span, one.reference, style, agreed=frozenset({"title"}))


def _counts(answer: str, one: Tagged, found: Sequence[Citation], *, bare: bool) -> bool:
    """Whether what the network reads is a reference: it is sure of it, and the rules' bounds are not the better ones."""
    if one.mark or one.sure < _SURE or _is_front_page(answer, one):
        return False
    if not one.reference.title and not _is_page(one, found):
        return False
    stays = any(_touch(known.span, one.span) and _stays(known, one, bare=bare) for known in found)
    return not stays and sum(_is_another(known, one) for known in found) < 2


def _is_read(known: Citation, read: Tags) -> bool:
    """Whether the network, too, reads something there."""
    return any(_touch(known.span, one.span) for one in read.found)


def _enclosed(answer: str, span: Span) -> Span:
    """A span without the marker of its item, and with the quotation marks or the emphasis that enclose it: left alone, they would enclose nothing."""
    span = _without_marker(answer, span)
    start, end = span.start, span.end
    while start > 0 and end < len(answer) and _MARKS.get(answer[start - 1], "") == answer[end]:
        start, end = start - 1, end + 1
    text = answer[start:end]
    while text[-1:] in _CLOSING and text.count(text[-1]) > text.count(
        _CLOSING[text[-1]]
    ):  # ([BAILII](https://…))
        text = text[:-1]
    return Span(start=start, end=start + len(text))


def _without_marker(answer: str, span: Span) -> Span:
    marker = _ITEM.match(answer, span.start, span.end)
    return Span(start=marker.end(), end=span.end) if marker else span


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
    return known.style in FIRM or (differ and alone and (bare or not _is_described(one.reference)))


def _by_lines(answer: str, one: Tagged) -> list[Tagged]:
    """What the network reads as one reference; addresses alone, each on a line, are one each."""
    said = one.reference
    text = one.span.of(answer)
    if one.mark or said.title or said.authors or said.year or said.venue or "\n" not in text:
        return [one]
    found: list[Tagged] = []
    start = one.span.start
    for line in text.split("\n"):
        begin = start + len(line) - len(line.lstrip())
        span = _without_marker(answer, Span(start=begin, end=max(begin, start + len(line.rstrip()))))
        address = with_identifiers(Reference(), identifiers(span.of(answer)))
        found += [replace(one, span=span, reference=address)] if _is_described(address) else []
        start += len(line) + 1
    return found


def _is_remark(answer: str, known: Citation, read: Tags) -> bool:
    """Whether the rules took for a title what the network takes for a remark, and it surely reads a reference beside that."""
    title = known.reference.title
    at = answer.find(title[:_LOOKED_FOR], known.span.start, known.span.end) if title else -1
    if known.style in FIRM | _SHOWN or at < 0 or not read.places:
        return False
    place = Span(start=at, end=min(at + len(title), known.span.end))
    beside = any(one.sure >= _SURE and _is_within(one.span, known.span) for one in read.found)
    return beside and read.denies(place) >= _DENIED


def _is_another(known: Citation, one: Tagged) -> bool:
    """Whether the rules read a work within what the network reads as one, and not only a part of its title."""
    title, whole = normalise(known.reference.title), normalise(one.reference.title)
    return bool(title) and _is_within(known.span, one.span) and (title == whole or not _has(whole, title))


def _is_front_page(answer: str, one: Tagged) -> bool:
    """Whether nothing is said but the name of a site or a tool: [Anki](https://apps.ankiweb.net); books have sites of their own, too."""
    said = one.reference
    more = said.authors or said.year or said.venue or said.doi or said.arxiv or said.isbn or said.pmid
    if _FRONT.fullmatch(said.url) is None or more or len(said.title.split()) > _SHORT_NAME:
        return False
    announced = " " in said.title and _BOOKS.search(
        answer, max(0, one.span.start - _BOOKS_BEFORE), one.span.start
    )
    return not (announced or names_document(said.title, said.url))


def _is_page(one: Tagged, found: Sequence[Citation]) -> bool:
    """Whether it is an address of which no title is said, and the rules read none there: [NHS](https://www.nhs.uk/conditions/gout/)."""
    titled = any(known.reference.title and _touch(known.span, one.span) for known in found)
    return bool(one.reference.url) and not titled


def _is_repeated(one: Tagged, titles: Collection[str]) -> bool:
    """Whether it names a work that is found elsewhere; what that means for it says `mentions`."""
    title = normalise(one.reference.title)
    return any(known in title for known in titles)


def _is_container(answer: str, one: Tagged, over: Sequence[Citation]) -> bool:
    """Whether it is the end of an entry: the journal with its number, or the book after "In" or "Reprinted in"."""
    introduced = _IN.search(answer, max(0, one.span.start - _LONGEST_IN), one.span.start)
    rests = any(known.span.start < one.span.start and one.span.end <= known.span.end for known in over)
    again = introduced is not None and introduced["again"] is not None
    return again or (rests and (introduced is not None or not one.reference.authors))


def _is_marked(answer: str, one: Tagged) -> bool:
    """Whether its title is in quotation marks, emphasised or linked."""
    at = answer.find(one.reference.title[:_LOOKED_FOR], one.span.start, one.span.end)
    return at > 0 and answer[at - 1] in {*_MARKS, "["}


def _runs_on(answer: str, one: Tagged) -> bool:
    """Whether marks are opened before its title and not closed behind it, so that more than the title may have been taken."""
    title = one.reference.title
    at = answer.find(title[:_LOOKED_FOR], one.span.start, one.span.end)
    mark = answer[at - 1] if at > 0 else ""
    closing = _MARKS.get(mark, "")
    behind = answer[at + len(title) : at + len(title) + 3]
    return bool(closing) and at > 0 and closing not in behind and mark not in behind


def _is_untitled(known: Citation, one: Tagged) -> bool:
    """Whether the network surely reads a reference without a title there: (Doe et al., *Ann Eur Zool* 2011)."""
    if one.mark or one.sure < _SURE or one.reference.title or known.style in FIRM:
        return False
    if not known.reference.title or not _is_within(known.span, one.span):
        return False
    return known.style in _SHOWN or normalise(known.reference.title) == normalise(one.reference.venue)


def _without_title(known: Citation, one: Tagged) -> Citation:
    """What the rules read, so that nothing is called wrong; without the title, if that is the journal for the network."""
    if normalise(known.reference.title) != normalise(one.reference.venue):
        return replace(known, style="unmarked")
    return replace(known, reference=_filled(one.reference, known.reference), style="unmarked")


def _is_certain(one: Tagged) -> bool:
    """Whether a look-up may call it wrong although no mark and no rule shows the title."""
    sure = one.sure >= _SURE and one.title >= _CERTAIN and one.names >= _SURE
    told = bool(one.reference.authors) or len(one.reference.title.split()) > 1  # *Asylums* (Anchor, 1961)
    return sure and told and _is_described(one.reference)


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
    title, read = normalise(known.reference.title), normalise(one.reference.title)
    alike = bool(title) and (title == read or (f" {title}".endswith(f" {read}") and _same_page(known, one)))
    return alike or _shared(known.span, one.span) >= _SAME_PLACE


def _same_page(known: Citation, one: Tagged) -> bool:
    """Whether both read the same identifier or address."""
    said, read = known.reference, one.reference
    pairs = ((said.doi, read.doi), (said.arxiv, read.arxiv), (said.url, read.url))
    return any(a and a == b for a, b in pairs)


def _both(answer: str, tags: Tags, known: Citation, one: Tagged) -> Citation:
    """One reference that both read, with the network's span; East Asian ones the rules read better."""
    if SCRIPT.search(known.reference.title):
        return known
    if normalise(known.reference.title) == normalise(one.reference.title):
        return _agreed(answer, tags, known, one)
    return _disputed(answer, known, one)


def _agreed(answer: str, tags: Tags, known: Citation, one: Tagged) -> Citation:
    """A reference of which both read the same title."""
    read = one.reference
    if any(_has_its_names(known, other) for other in tags.found):
        return replace(known, agreed=known.agreed | {"title"})
    said = _with_its_names(answer, tags, known, one)
    # the line below a title has its authors
    inside = known.span.start <= one.span.start and one.span.end <= known.span.end
    span = known.span if inside and _says_less(one.span.of(answer), said) else one.span
    if said.venue and not read.venue and said.venue in known.span.of(answer):
        said = said if said.venue in span.of(answer) else replace(said, venue="")  # a remark behind it
    both = replace(known, span=span, agreed=known.agreed | {"title"})
    if _is_merged(tags, known, one):
        return replace(both, span=one.span, reference=read)
    if said.authors and read.authors and family_names(said.authors) != family_names(read.authors):
        return replace(both, span=one.span, reference=said, other=known.other or read)
    unsure = bool(read.title and read.authors) and one.names < _SURE
    other = known.other or (replace(said, authors=(), et_al=False) if unsure else None)
    return replace(both, reference=_filled(said, read), other=other, style=_style(known, one))


def _has_its_names(known: Citation, one: Tagged) -> bool:
    """Whether the network takes the names on the line below a title, which the rules read with it, for a reference of its own."""
    names = family_names(known.reference.authors)
    alone = bool(names) and not one.reference.title
    return alone and _is_within(one.span, known.span) and family_names(one.reference.authors) == names


def _is_merged(tags: Tags, known: Citation, one: Tagged) -> bool:
    """Whether the network reads another reference in what the rules took for this one: its authors and identifiers may be of that."""
    return any(
        not _touch(other.span, one.span) and _is_within(other.span, known.span) and other.sure >= _SURE
        for other in tags.found
    )


def _disputed(answer: str, known: Citation, one: Tagged) -> Citation:
    """A reference of which they read two titles: the network's if it is sure and that is no part of the rules', which then is another reading."""
    said, read = known.reference, one.reference
    title, other = normalise(said.title), normalise(read.title)
    span = one.span
    if said.title and said.title in known.span.of(answer) and said.title not in span.of(answer):
        span = Span(start=min(known.span.start, span.start), end=max(known.span.end, span.end))
    if title and _has(normalise(said.venue), other):  # the volume in which it is
        return replace(known, span=span)
    cut_short = bool(title) and (_has(other, title) or (known.style in _SHOWN and _has(title, other)))
    linked = f"[{said.title}](" in known.span.of(answer) and not _explains(read, title, other)
    if one.title < _TITLED or cut_short or linked:
        # the shorter one clears only a work that explains the rest
        return replace(known, span=span, other=known.other or read)
    reference = _filled(read, said, _IDENTIFIERS)
    return replace(known, span=one.span, reference=reference, other=said, style=_style(known, one))


def _style(known: Citation, one: Tagged) -> Style:
    return "inline" if known.style == "unmarked" and _is_certain(one) else known.style


def _has(text: str, part: str) -> bool:
    """Whether whole words of a normalised text are another."""
    return f" {part} " in f" {text} "


def _with_its_names(answer: str, tags: Tags, known: Citation, one: Tagged) -> Reference:
    """What the rules read with the names that the network is sure of, where they are the same people's or for it a journal's."""
    said, read = known.reference, one.reference
    if not said.authors or one.names < _SURE:
        return said
    at = answer.find(said.authors[0], known.span.start, known.span.end)
    place = Span(start=max(at, 0), end=max(at, 0) + len(said.authors[0]))
    if not read.authors and at >= 0 and tags.places and tags.denies(place) >= _DENIED:
        return replace(said, authors=(), et_al=False)  # TLS: [RFC 8446](https://…)
    written = [normalise(name) for name in said.authors]
    if read.authors and len(read.authors) == len(written):
        pairs = [*zip(written, map(normalise, read.authors), strict=True)]
        same = all(  # Yes. Martin Riesebrodt; Hartmut Rosas
            f" {a}".endswith((f" {b}", f" {b}s")) or f" {b}".endswith(f" {a}") for a, b in pairs
        )
        return replace(said, authors=read.authors) if same else said
    journal = normalise(read.venue)
    if journal and not said.venue and [*map(normalise, read.authors), journal] == written:
        return replace(said, authors=read.authors, venue=read.venue)  # (Ethan Marcotte, A List Apart, 2010)
    named = " ".join(written)
    if not read.authors and journal and _has(named, journal) and journal != named and not said.venue:
        return replace(said, authors=(), et_al=False, venue=read.venue)  # (Critical Inquiry, Winter 1980)
    return said


def _explains(read: Reference, whole: str, title: str) -> bool:
    """Whether the network knows what the rest of the text of a link is, of which the title is a part: the site, or who wrote it."""
    rest = f" {whole} ".replace(f" {title} ", " ", 1)
    named = [normalise(read.venue), *family_names(read.authors)]
    return not _has(whole, title) or any(name and _has(rest, name) for name in named)


def _says_less(text: str, said: Reference) -> bool:
    """Whether some of the authors, or the year, of a reference stand elsewhere."""
    named = normalise(text)
    return any(not _has(named, name) for name in family_names(said.authors)) or (
        bool(said.year) and str(said.year) not in text
    )


def _filled(said: Reference, read: Reference, names: Sequence[str] = (*_IDENTIFIERS, "venue")) -> Reference:
    """A reference with what it lacks and another reading of the same place has."""
    more = {name: getattr(read, name) for name in names if not getattr(said, name)}
    if _DOMAIN.fullmatch(more.get("venue", "")):  # the "org" of an address
        del more["venue"]
    if not said.year and read.year and not _may_be_retrieval(said, read):
        more |= {"year": read.year}
    other_fields = {normalise(said.title), normalise(said.venue)}  # NHS – Measles: https://…
    if not said.authors and not {normalise(name) for name in read.authors} <= other_fields:
        more |= {"authors": read.authors, "et_al": read.et_al}
    return replace(said, **more)


def _may_be_retrieval(said: Reference, read: Reference) -> bool:
    """Whether a year may be that of a page's retrieval, or a part of the address: not in "Codd 1970, https://doi.org/…"."""
    if not read.url:
        return False
    identified = bool(read.doi or read.arxiv or read.pmid) and not said.title
    return not identified or str(read.year) in f"{read.doi} {read.arxiv} {read.url}"


def _alone(citation: Citation, all_of_them: Sequence[Citation]) -> Citation:
    """Without the item to cut, if it does not hold the reference, or holds another one."""
    item = citation.item
    if item is None:
        return citation
    whole = item.start <= citation.span.start and citation.span.end <= item.end
    others = any(other is not citation and _touch(item, other.span) for other in all_of_them)
    return citation if whole and not others else replace(citation, item=None)


def surely_read(span: Span, read: Tags | None) -> bool:
    """Whether the network surely reads a work with its author, or with an address, at a place.

    Args:
        span: the place.
        read: by the network; `None` without one.
    """
    return any(
        one.sure >= _SURE
        and one.title >= _TITLED
        and bool(one.reference.authors or one.reference.url)
        and _shared(one.span, span) >= _SAME_PLACE
        for one in (read.found if read else ())
    )


def read_marks_of(read: Tags | None) -> list[tuple[Span, Reference]]:
    """The author-year marks that the network surely reads: authors and year without a title.

    Args:
        read: by the network; `None` without one.
    """
    return [
        (one.span, one.reference)
        for one in (read.found if read else ())
        if one.sure >= _SURE and one.reference.authors and one.reference.year and not one.reference.title
    ]
