"""References in an answer: where each stands, and what it says.

Lists, BibTeX, RIS, JSON, CSV, YAML, quoted titles in prose, DOIs, arXiv ids. Whether a list is one of references is decided by
evidence: years, names, quotation marks, identifiers, capitals, the line that introduces it, and the other
items. All matching takes time linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.asking import asks_for_references
from guardrail.references.citations.bibtex import bibtex
from guardrail.references.citations.bounds import linked, stands_alone
from guardrail.references.citations.corrected import corrected
from guardrail.references.citations.decisions import decisions
from guardrail.references.citations.eastern_prose import in_sentences
from guardrail.references.citations.identifiers import Identifier, identifiers, with_identifiers
from guardrail.references.citations.kinds import with_kind
from guardrail.references.citations.laws import named_laws
from guardrail.references.citations.legal import cases, in_italics, named
from guardrail.references.citations.linked_marks import linked_marks, without_linked_marks
from guardrail.references.citations.media import without_media
from guardrail.references.citations.mentions import mentions, with_entries, with_marks_resolved
from guardrail.references.citations.merge import merged
from guardrail.references.citations.model import Citation, Kind, Style
from guardrail.references.citations.ris import ris
from guardrail.references.citations.silence import read_to
from guardrail.references.citations.structured import Structured, structured
from guardrail.references.citations.title_lists import listed_titles
from guardrail.references.citations.visible import placed, visible
from guardrail.report import Span

if TYPE_CHECKING:
    from guardrail.references.citations.tagging import Tagger

__all__ = ["Citation", "Kind", "Style", "asks_for_references", "citations"]


@dataclass(frozen=True, slots=True)
class Link:
    """Where an HTML link is, with its tags, and its text."""

    whole: Span
    text: Span


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
    answer: str, *, asked_for_references: bool = False, tagger: Tagger | None = None, question: str = ""
) -> list[Citation]:
    """The references in an answer, in order, not overlapping.

    Only its first `LONGEST` characters are read (`unread` says what was left).

    Args:
        answer: any text.
        asked_for_references: whether the prompt asked for references (`asks_for_references`): a plain list of
            titles then counts as one.
        tagger: a network that reads the answer, too; see `tagging`.
        question: the prompt, if it is known: "Art. 15" is one of the law that it names.

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
    found = _citations(_plain(seen), prose, asked=asked_for_references, question=question)
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


def _citations(answer: str, tagger: Tagger | None, *, asked: bool, question: str) -> list[Citation]:
    taken = bytearray(len(answer))
    known: list[Citation] = []

    def keep(new: Iterable[Citation]) -> None:
        for citation in new:
            start, end = citation.span.start, citation.span.end
            if end > start and taken.find(1, start, end) < 0:
                taken[start:end] = b"\x01" * (end - start)
                known.append(citation)

    keep(bibtex(answer))
    keep(ris(answer))
    decided = list(cases(answer))
    keep(case for case in decided if case.reference.title)
    keep(
        case for case in named(answer) if " v. " in case.reference.title
    )  # Capitalism vs. the Climate is a title
    keep(
        one
        for one in (*decisions(answer), *named_laws(answer, question=question))
        if stands_alone(answer, one.span)
    )
    keep(chain(*in_sentences(answer)))
    if asked:
        keep(listed_titles(answer))
    keep(linked_marks(answer))
    keep(bare(identifiers(without_linked_marks(answer))))
    keep(decided)
    keep(in_italics(answer, known))
    read = tagger.tags(without_linked_marks(answer), asked=asked) if tagger is not None else None
    found = merged(answer, known, read, asked=asked) if read is not None else known
    if not asked:
        found = without_media(answer, found)
    found = [corrected(answer, one) for one in linked(answer, sorted(found, key=_start))]
    found = with_entries(with_marks_resolved(answer, found))
    return sorted([*found, *mentions(answer, found)], key=_start)


def _start(citation: Citation) -> int:
    return citation.span.start


def bare(found: Iterable[Identifier]) -> Iterator[Citation]:
    """References of identifiers alone, of which nothing else is said."""
    for i in found:
        if i.kind != "url":
            yield Citation(Span(start=i.start, end=i.end), with_identifiers(Reference(), [i]), i.kind)
