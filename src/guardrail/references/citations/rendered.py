"""An answer as the network and the grammars read it: HTML and Slack's links as Markdown or blanks, every place unchanged."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from guardrail.references.citations.identifiers import identifiers, with_identifiers
from guardrail.references.citations.model import Citation
from guardrail.report import Span

__all__ = ["Link", "as_markdown", "linked_text", "with_link", "with_tag"]

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
_BROKEN = re.compile(  # [A Survey of⏎Trees](https://…)
    r"\[[^\[\]\r\n]{0,20}\]?[^\[\]\r\n]{1,200}\r?\n[^\[\]\r\n]{1,200}\]\(https?:"
)
_NESTED = re.compile(  # [[2011.09926] A Survey of Trees](https://…), but not the picture in [![pdf](https://…)](https://…)
    r"(?<!!)\[(?P<text>[^\[\]\r\n]{0,200}(?:\[[^\[\]\r\n]{1,60}\](?!\()[^\[\]\r\n]{0,200}){1,2})\]\("
)
_LINK_NUMBER = re.compile(r"\\?\[[\w./:-]{1,30}\\?\]\s(?=\S)")
_ARABIC = re.compile("[،؛۔٠-٩۰-۹]")
_AS_LATIN = str.maketrans("،؛۔٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹", ",;.01234567890123456789")
_TAG = re.compile(r"<(?P<closing>/?)(?P<name>em|i|cite|b|strong)>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Link:
    """Where an HTML link is, with its tags, and its text."""

    whole: Span
    text: Span


def as_markdown(text: str) -> str:
    """The text with HTML as Markdown or blanks, and Arabic marks and digits as Latin ones, every place unchanged."""
    if _ARABIC.search(text):
        text = text.translate(_AS_LATIN)
    text = text.translate(_NARROW)
    if "](" in text:
        text = _BROKEN.sub(lambda link: link[0].replace("\n", " ").replace("\r", " "), text)
        text = _NESTED.sub(lambda link: f"[{_unbracketed(link['text'])}](", text)
    if "<" not in text and "&" not in text:
        return text
    text = _ANCHOR.sub(lambda tag: tag["url"].rjust(tag.end("url") - tag.start()).ljust(len(tag[0])), text)
    text = _SLACK.sub(r"\g<url> *\g<text>*", text)
    text = _ANCHOR_END.sub("    ", text).replace("&amp;", "&    ")
    return _TAG.sub(_emphasis, text)


def _unbracketed(text: str) -> str:
    """The text of a link with round brackets in it for square ones, which would end it; a number in front is no part of the title."""
    number = _LINK_NUMBER.match(text)
    text = " " * number.end() + text[number.end() :] if number else text
    return text.replace("\\[", " (").replace("\\]", " )").replace("[", "(").replace("]", ")")


def linked_text(text: str) -> dict[int, Link]:
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


def with_tag(citation: Citation, text: str) -> Citation:
    """The citation with the whole of a tag at its beginning, of which the Markdown is shorter."""
    start = text.rfind("<", max(0, citation.span.start - _LONGEST_TAG), citation.span.start)
    tag = _TAG.match(text, start) if start >= 0 else None
    if tag is None or tag["closing"] or tag.end() <= citation.span.start:
        return citation
    return replace(citation, span=Span(start=start, end=citation.span.end))


def with_link(citation: Citation, links: Mapping[int, Link], text: str) -> Citation:
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


def _emphasis(tag: re.Match[str]) -> str:
    """An HTML tag of emphasis as Markdown's, of the same length."""
    mark = "**" if tag["name"].lower() in {"b", "strong"} else "*"
    return mark.ljust(len(tag[0])) if tag["closing"] else mark.rjust(len(tag[0]))
