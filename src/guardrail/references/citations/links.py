"""Pages of the web that an answer names by the text of a link: [As We May Think](https://…), [RFC 7519][jwt]."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.behind import read_behind
from guardrail.references.citations.labels import Link
from guardrail.references.citations.model import Citation
from guardrail.references.citations.people import author_and_year
from guardrail.references.citations.sites import STANDARD, names_document
from guardrail.references.citations.titles import clean_title
from guardrail.references.citations.words import points, title_case, words
from guardrail.report import Span

__all__ = ["pages"]

_LINK = re.compile(
    r"(?<!!)\[(?P<text>[^\[\]\r\n]{4,200})\](?:\((?P<url>https?://[^()\s]{4,400}(?:\([^()\s]{0,80}\)[^()\s]{0,80})?)\)|\[(?P<key>[^\[\]\r\n]{1,40})\])"
)
_DEFINED = re.compile(
    r"^[ ]{0,3}\[(?P<key>[^\[\]\r\n]{1,40})\]:\s{1,4}<?(?P<url>https?://[^\s<>]{4,400})", re.MULTILINE
)
_PATH = re.compile(r"https?://[^/?#\s]+/+[^/?#\s][^?#\s]")  # two characters or more behind the host
_CASED = 0.7  # share of words with a capital, from which the text of a link is taken for a title
_LEAST = 3  # words of it


def pages(answer: str, links: Mapping[int, Link], taken: bytearray) -> Iterator[Citation]:
    """The pages outside of what is `taken`; they are never called wrong, since no index has them.

    Args:
        answer: the text, its HTML as Markdown or blanks.
        links: its HTML links by where their addresses begin.
        taken: what belongs to other references.
    """
    defined = {match["key"].casefold(): match["url"] for match in _DEFINED.finditer(answer)}
    for match in _LINK.finditer(answer):
        url = match["url"] or defined.get((match["key"] or "").casefold(), "")
        if url:
            yield from _page(answer, match["text"], url, Span(start=match.start(), end=match.end()), taken)
    for start, link in sorted(links.items()):
        url = re.match(r"\S+", answer[start:])
        if url:
            yield from _page(answer, link.text.of(answer), url[0], link.whole, taken)


def _page(answer: str, text: str, url: str, whole: Span, taken: bytearray) -> Iterator[Citation]:
    title = clean_title(text)
    if taken.find(1, whole.start, whole.end) >= 0 or not _names_a_page(title, url):
        return
    window = answer[whole.end : whole.end + 300].split("\n", 1)[0]
    tail = read_behind(window, (), text, expects=True, owned=False, opened=False, listed=False)
    reference = Reference(title, tail.authors, tail.et_al, tail.year, tail.venue, url=url)
    yield Citation(Span(start=whole.start, end=whole.end + tail.end), reference, "unmarked")


def _names_a_page(title: str, url: str) -> bool:
    """Whether the text of a link is the title of what it leads to, which is not the front page of a site with that name."""
    if STANDARD.fullmatch(title):
        return True
    deep = _PATH.match(url) is not None or names_document(title, url, surely=True)
    cased = title_case(title) >= _CASED and len(words(title)) >= _LEAST
    return deep and cased and not points(title) and author_and_year(title) is None
