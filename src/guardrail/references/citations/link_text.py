"""What the text of a link says, where the link is the whole reference: a title, and the site before or behind it.

The address decides: [Async IO (Real Python)](https://realpython.com/…) names its site, [Funds (ETFs)](https://www.sec.gov/…) does not.
"""

from __future__ import annotations

import re
from dataclasses import replace

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.eastern import SCRIPT
from guardrail.references.citations.sites import is_the_site, names_site, spells_out
from guardrail.references.citations.titles import clean_title
from guardrail.references.citations.venues import is_venue

__all__ = ["from_link"]

_LINK = re.compile(
    r"[\s*_`«„“\"「『(]{0,4}\[(?P<text>[^\[\]\n]{1,300})\]\(https?://\S{4,600}\)[\s*_`»“”\"」』)]{0,4}"
)
_DOMAIN = re.compile(r"(?:https?://)?(?:www\.)?(?P<host>(?:[\w-]{1,40}\.){1,4}[a-z]{2,10})(?:/\S*)?")
_BEHIND = re.compile(r"(?P<title>.+\S)(?:\s[|·–—-]\s|\s?[|｜]\s?|_)(?P<site>[^|｜·–—_]{2,70})")
_IN_BRACKETS = re.compile(r"(?P<title>.+\S)\s?[(（](?P<site>[^()（）]{2,60})[)）]")
_BEFORE = re.compile(r"(?P<site>[^:|–—]{2,60}?)(?::\s|\s[–—|-]\s)(?P<title>\S.+)")
_QUOTED = re.compile(r"(?P<site>[^\"“”]{2,40}?)\s[\"“](?P<title>[^\"“”]{2,280})[\"”]")
_KNOWN = re.compile(  # encyclopedias of everything, whatever the address
    r"(?:Wikip[eé]dia|Wikipedie|Википедия|维基百科|維基百科|百度百科|ウィキペディア|위키백과(?:,\s우리\s모두의\s백과사전)?|나무위키|[\w ]{0,30}\b(?:docs|documentation|Encyclop(?:a?e|æ)dia of [A-Z]\w+))"
)
_LONGEST_EASTERN = 14  # signs of a site's name behind a bar
_ARTICLE = re.compile(r"(?:an?|the)\s", re.IGNORECASE)


def from_link(text: str, said: Reference) -> Reference:
    """The title and the site as the text of the link has them; as it was read where the text has names, or is not all.

    Args:
        text: of the reference.
        said: what was read.

    Example:
        >>> said = Reference("Async IO (Real Python)", url="https://realpython.com/async-io-python/")
        >>> found = from_link("[Async IO (Real Python)](https://realpython.com/async-io-python/)", said)
        >>> found.title, found.venue
        ('Async IO', 'Real Python')
    """
    link = _LINK.fullmatch(text) if said.url else None
    if link is None:
        return said
    written, address = " ".join(link["text"].split()), said.url
    domain = _DOMAIN.fullmatch(written)
    if domain and domain["host"].lower() in address.lower():
        return replace(said, title="", authors=(), venue=domain["host"])
    if said.authors:
        return said
    for pattern in (_BEHIND, _IN_BRACKETS, _QUOTED, _BEFORE):
        found = pattern.fullmatch(written)
        if pattern is _BEFORE and spells_out(written):
            continue  # BLAST: Basic Local Alignment Search Tool
        if found and _is_site(found["site"], found["title"], address, first=pattern is _BEFORE):
            return replace(said, title=clean_title(found["title"]), venue=found["site"])
    parted = said.title != clean_title(written) and (not said.venue or said.venue in written)
    run_on = written == f"{said.venue} {said.title}"  # SFT Trainer
    named = is_venue(said.venue) or names_site(said.venue, address)
    if not parted or said.year or said.doi or said.arxiv or (named and not run_on):
        return said
    return replace(said, title=clean_title(written), venue="")


def _is_site(site: str, title: str, address: str, *, first: bool) -> bool:
    """Whether a part of the text of a link is the name of the site that it leads to."""
    if first:
        own = is_the_site(site, address) or site.lower() in address.lower()
        return (own or _KNOWN.fullmatch(site) is not None) and not _ARTICLE.match(title)
    eastern = SCRIPT.search(title) and SCRIPT.search(site) and len(site) <= _LONGEST_EASTERN
    return bool(eastern) or _KNOWN.fullmatch(site) is not None or names_site(site, address)
