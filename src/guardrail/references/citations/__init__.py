"""References in an answer: where each stands, and what it says.

Lists, BibTeX, RIS, JSON, CSV, YAML, quoted titles in prose, DOIs, arXiv ids. Whether a list is one of references is decided by
evidence: years, names, quotation marks, identifiers, capitals, the line that introduces it, and the other
items. All matching takes time linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from guardrail.references.citations.author_year import marks
from guardrail.references.citations.beside import beside
from guardrail.references.citations.bibtex import bibtex
from guardrail.references.citations.claims import without_sentences
from guardrail.references.citations.corrected import corrected
from guardrail.references.citations.decisions import decisions
from guardrail.references.citations.eastern_prose import in_sentences
from guardrail.references.citations.evidence import asks_for_references
from guardrail.references.citations.fields import parse_reference
from guardrail.references.citations.identifiers import identifiers, with_identifiers
from guardrail.references.citations.inline import inline, of_journals, starts
from guardrail.references.citations.items import (
    apart,
    completed,
    with_addresses,
    with_full_stops,
    with_places,
    without_lives,
)
from guardrail.references.citations.kinds import with_kind
from guardrail.references.citations.labels import Link, bare, loose
from guardrail.references.citations.legal import cases, in_italics, named
from guardrail.references.citations.lines import Line, lines
from guardrail.references.citations.links import pages
from guardrail.references.citations.lists import listed
from guardrail.references.citations.media import is_headed, is_on_screen, is_printed, without_media
from guardrail.references.citations.mentions import among_works, mentions, with_entries
from guardrail.references.citations.model import Citation, Kind, Style
from guardrail.references.citations.named import with_names
from guardrail.references.citations.paragraphs import above_authors, standing
from guardrail.references.citations.passages import further, read_passages, seconded
from guardrail.references.citations.prose import titled
from guardrail.references.citations.retagged import read_marks_of, retagged, surely_read
from guardrail.references.citations.ris import ris
from guardrail.references.citations.silence import read_to
from guardrail.references.citations.statutes import linked, places_in_codes, stands_alone, statutes
from guardrail.references.citations.structured import Structured, structured
from guardrail.references.citations.tables import tabled
from guardrail.references.citations.unmarked import unmarked
from guardrail.references.citations.visible import placed, visible
from guardrail.report import Span

if TYPE_CHECKING:
    from guardrail.references.citations.tagging import Tagger

__all__ = ["Citation", "Kind", "Style", "asks_for_references", "citations", "parse_reference"]

_NARROW = str.maketrans("．［］", ".[]")  # 综述［J］．地理学报
_LONGEST_TAG = 8  # characters of an opening tag
_ANCHOR = re.compile(
    r"<a\s[^<>]{0,100}?href=[\"'](?P<url>https?://[^\"'<>\s]{4,400})[\"'][^<>]{0,100}>", re.IGNORECASE
)
_SLACK = re.compile(  # <https://…|A Trial of Trees>
    r"(?<!\*)<(?P<url>https?://[^<>|\s]{4,400})\|(?P<text>[^\s<>|*]{1,60}(?:\s[^\s<>|*]{1,60}){1,30})>"
)
_ANCHOR_END = re.compile(r"</a>", re.IGNORECASE)
_LONGEST_ADDRESS = 500  # characters of an HTML link before its text
_LONGEST_LINK = 400  # characters of the text of a link
_NESTED = re.compile(  # [[2011.09926] A Survey of Trees](https://…), but not the picture in [![pdf](https://…)](https://…)
    r"(?<!!)\[(?P<text>[^\[\]\r\n]{0,200}(?:\[[^\[\]\r\n]{1,60}\](?!\()[^\[\]\r\n]{0,200}){1,2})\]\("
)
_LINK_NUMBER = re.compile(r"\\?\[[\w./:-]{1,30}\\?\]\s(?=\S)")
_ARABIC = re.compile("[،؛۔٠-٩۰-۹]")
_AS_LATIN = str.maketrans("،؛۔٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹", ",;.01234567890123456789")
_SET_UPRIGHT = re.compile(  # *Fair Use after the* Roe *Case*: what would be in italics is not where all is
    r"(?<![\w*])\*(?P<left>[^\s*][^*\n]{2,200}\s(?:the|an?|of|in|to|after|from|on|and|or|for|under|by|beyond|before|since|with|between|against))"
    r"\*(?P<word>\s(?:[^\W\d_a-z][\w.'’-]{0,30}\s){1,5})\*(?=[^\s*][^*\n]{1,200}\*(?![\w*]))"
)
_BOLD_WHOLE = re.compile(  # **Ann Roe, *The River*** (1960)
    r"(?<![\w*])\*\*(?P<left>[^\s*][^*\n]{2,150}[,:–—-]\s)(?P<title>\*[^\s*][^*\n]{0,300}\*)\*\*(?![\w*])"
)
_TAG = re.compile(r"<(?P<closing>/?)(?P<name>em|i|cite|b|strong)>", re.IGNORECASE)


def citations(
    answer: str, *, asked_for_references: bool = False, tagger: Tagger | None = None
) -> list[Citation]:
    """The references in an answer, in order, not overlapping.

    Only its first `LONGEST` characters are read (`unread` says what was left).

    Args:
        answer: any text.
        asked_for_references: whether the prompt asked for references (`asks_for_references`): a plain list of
            titles then counts as one.
        tagger: a network that reads the answer, too; see `tagging`.

    Example:
        >>> text = 'See "Attention Is All You Need" by Vaswani et al. (2017) and arXiv:1810.04805.'
        >>> [(c.style, c.reference.title or c.reference.arxiv) for c in citations(text)]
        [('quoted', 'Attention Is All You Need'), ('arxiv', '1810.04805')]
        >>> [(c.marker, c.span.of("1. Topology Without Tears")) for c in citations(
        ...     "1. Topology Without Tears", asked_for_references=True)]
        [('1.', 'Topology Without Tears')]
    """
    answer = answer[: read_to(answer)]
    read = structured(answer, asked=asked_for_references) or Structured([], text=answer)
    seen, places = visible(read.text)
    links = _linked(seen)
    prose = (
        None if read.pieces else tagger
    )  # the strings of JSON come without their keys, which say what they are
    found = _citations(_plain(seen), links, prose, asked=asked_for_references)
    found = [_with_link(citation, links, seen) for citation in found] if links else found
    if places is not None:
        found = [placed(citation, places) for citation in found]
    found = [_with_tag(citation, read.text) for citation in found]
    found = read.joined(found) if read.pieces else found
    return [with_kind(citation) for citation in found]


def _plain(text: str) -> str:
    """The text with HTML as Markdown or blanks, and Arabic marks and digits as Latin ones, every place unchanged."""
    if _ARABIC.search(text):
        text = text.translate(_AS_LATIN)
    text = text.translate(_NARROW)
    if "](" in text:
        text = _NESTED.sub(lambda link: f"[{_unbracketed(link['text'])}](", text)
    if "*" in text:
        text = _SET_UPRIGHT.sub(r"*\g<left> \g<word> ", text)
        text = _BOLD_WHOLE.sub(r"  \g<left>\g<title>  ", text)
    if "<" not in text and "&" not in text:
        return text
    text = _ANCHOR.sub(lambda tag: tag["url"].rjust(tag.end("url") - tag.start()).ljust(len(tag[0])), text)
    text = _SLACK.sub(r"\g<url> *\g<text>*", text)
    text = _ANCHOR_END.sub("    ", text).replace("&amp;", "&    ")
    return _TAG.sub(_as_markdown, text)


def _unbracketed(text: str) -> str:
    """The text of a link with round brackets in it for square ones, which would end it; a number in front is no part of the title."""
    number = _LINK_NUMBER.match(text)
    text = " " * number.end() + text[number.end() :] if number else text
    return text.replace("\\[", " (").replace("\\]", " )").replace("[", "(").replace("]", ")")


def _linked(text: str) -> dict[int, Link]:
    """The links of HTML and Slack, by where their addresses begin."""
    found = {}
    for tag in _ANCHOR.finditer(text) if "<" in text else ():
        end = _ANCHOR_END.search(text, tag.end(), tag.end() + _LONGEST_LINK)
        if end:
            found[tag.start("url")] = Link(
                Span(start=tag.start(), end=end.end()), Span(start=tag.end(), end=end.start())
            )
    for tag in _SLACK.finditer(text) if "<http" in text else ():
        whole, inner = (
            Span(start=tag.start(), end=tag.end()),
            Span(start=tag.start("text"), end=tag.end("text")),
        )
        found[tag.start()] = Link(whole, inner)
    return found


def _with_tag(citation: Citation, text: str) -> Citation:
    """The citation with the whole of a tag at its beginning, of which the Markdown is shorter."""
    start = text.rfind("<", max(0, citation.span.start - _LONGEST_TAG), citation.span.start)
    tag = _TAG.match(text, start) if start >= 0 else None
    if tag is None or tag["closing"] or tag.end() <= citation.span.start:
        return citation
    return replace(citation, span=Span(start=start, end=citation.span.end))


def _with_link(citation: Citation, links: Mapping[int, Link], text: str) -> Citation:
    """The citation with the whole of an HTML link whose text it begins with, and with what its address says."""
    start, end = citation.span.start, citation.span.end
    near = range(max(0, start - _LONGEST_ADDRESS), start + 1)
    at = next((at for at in near if at in links and start <= links[at].text.end <= end), None)
    if at is None:
        return citation
    link = links[at]
    address = text[at : link.text.start - 1]
    reference = with_identifiers(citation.reference, identifiers(address.rstrip("\"'")))
    span = Span(start=min(start, link.whole.start), end=max(end, link.whole.end))
    return replace(citation, span=span, reference=reference)


def _as_markdown(tag: re.Match[str]) -> str:
    """An HTML tag of emphasis as Markdown's, of the same length."""
    mark = "**" if tag["name"].lower() in {"b", "strong"} else "*"
    return mark.ljust(len(tag[0])) if tag["closing"] else mark.rjust(len(tag[0]))


def _citations(
    answer: str, links: Mapping[int, Link], tagger: Tagger | None, *, asked: bool
) -> list[Citation]:
    rows = lines(answer)
    taken = bytearray(len(answer))
    found: list[Citation] = []

    def take(start: int, end: int) -> None:
        taken[start:end] = b"\x01" * (end - start)

    def keep(new: Iterable[Citation]) -> None:
        for citation in new:
            area = citation.item if citation.item and citation.style in {"bibtex", "ris"} else citation.span
            start, end = min(area.start, citation.span.start), max(area.end, citation.span.end)
            if citation.span.end > citation.span.start and taken.find(1, start, end) < 0:
                take(start, end)
                found.append(citation)

    begun = starts(answer)
    ids = identifiers(answer)
    keep(bibtex(answer))
    keep(ris(answer))
    decided = list(cases(answer))
    keep(case for case in decided if case.reference.title)
    by_name = list(named(answer))
    keep(case for case in by_name if " v. " in case.reference.title)  # Capitalism vs. the Climate is a title
    keep(_laws(answer, asked=asked or bool(decided)))
    within, beginning = in_sentences(answer)
    keep(within)
    lists = listed(rows, begun, asked=asked)
    keep(lists.citations)
    keep(tabled(rows, asked=asked))
    keep(chain(inline(answer, begun, taken), of_journals(answer)))
    keep(above_authors(rows, taken))
    keep(standing(rows, taken, lists.rows, asked=asked, among=bool(found)))
    keep(beginning)
    for row in rows:
        if row.code:
            take(row.start, row.end)
    keep(beside(answer, taken, among=bool(found)))
    keep(titled(answer, ids))
    keep(unmarked(answer, taken))
    read = read_passages(answer, rows)
    found[:] = list(seconded(answer, found, read))
    # (Smith, 2020), of an entry of the answer
    meant = [
        mark.span
        for mark in (marks(answer, found) if read else ())
        if mark.means or answer[max(0, mark.span.start - 3) : mark.span.start].strip() == "|"
    ]
    keep(
        work
        for work in further(answer, rows, read)
        if all(work.span.end <= mark.start or mark.end <= work.span.start for mark in meant)
    )
    found[:] = with_addresses(answer, found, ids, taken)
    found[:] = with_places(answer, completed(answer, found, ids, taken))
    # bare: where the label of an identifier is a part of another reference
    keep(chain(loose(answer, ids, rows, links), bare(i for i in ids if not taken[i.start])))
    keep(decided)
    keep(by_name)
    keep(in_italics(answer, found))
    keep(pages(answer, links, taken))
    return _settled(answer, rows, found, tagger, asked=asked)


def _laws(answer: str, *, asked: bool) -> Iterator[Citation]:
    """Decisions of other countries, and laws, if anything else says that works of law are cited; none that is a part of a title."""
    elsewhere = [one for one in decisions(answer) if stands_alone(answer, one.span)]
    in_codes = [one for one in places_in_codes(answer) if stands_alone(answer, one.span)]
    yield from elsewhere
    if asked or elsewhere or in_codes:
        yield from (one for one in statutes(answer) if stands_alone(answer, one.span))
        yield from in_codes


def _settled(
    answer: str, rows: Sequence[Line], found: list[Citation], tagger: Tagger | None, *, asked: bool
) -> list[Citation]:
    """What is left of the references, with the marks and the titles that mean one of them, in order."""
    read = tagger.tags(answer, asked=asked) if tagger is not None else None
    if read is not None:
        found = retagged(answer, found, read, asked=asked)
    if not asked:
        kept = [*without_media(answer, found)]
        # a film has a director and an address, too, so that none of these is called wrong
        left = {id(one) for one in kept}
        likely = [
            one
            for one in found
            if id(one) not in left and surely_read(one.span, read) and not is_on_screen(answer, one)
        ]
        found = [*kept, *(replace(one, style="unmarked") for one in likely)]
    else:
        found = [one for one in found if one.means or is_printed(one) or not is_on_screen(answer, one)]
    found = [
        replace(one, style="unmarked")
        if one.style != "legal" and not is_printed(one) and is_headed(answer, one.span.start)
        else one
        for one in found
    ]
    found = without_sentences(answer, sorted(found, key=lambda citation: citation.span.start))
    found = linked(answer, found)
    found = [corrected(answer, one) for one in with_entries(list(apart(found, rows)))]
    found = with_full_stops(answer, found)
    found = with_names(answer, found)
    found += [*marks(answer, found, read_marks_of(read))]
    found += [one for one in mentions(answer, found) if not is_on_screen(answer, one)]
    found += [*among_works(answer, found)]
    return sorted(without_lives(answer, found), key=lambda citation: citation.span.start)
