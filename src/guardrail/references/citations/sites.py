"""The site or journal behind the title of a page: "Gout – NHS", with https://www.nhs.uk/conditions/gout/."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import urlsplit

from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.venues import is_named

__all__ = ["with_site"]

_BEHIND = re.compile(r"(?P<title>.*\S)(?P<apart>\s[–—|·-]\s|:\s)(?P<site>[^\W_][^–—|:]{1,70})")
_LEAST = 3  # letters of the name of a site
_WORD = 6  # letters of a word that alone names a site: Encyclopaedia Britannica, britannica.com


def with_site(reference: Reference) -> Reference:
    """The reference with the site as venue, where it was read as the author or as the end of the title.

    Example:
        >>> found = with_site(Reference("Gout – NHS", url="https://www.nhs.uk/conditions/gout/"))
        >>> found.title, found.venue
        ('Gout', 'NHS')
    """
    if reference.venue:
        return reference
    host = urlsplit(reference.url).hostname or "" if reference.url else ""
    names = reference.authors
    if len(names) == 1 and not reference.et_al and "," not in names[0]:
        if _of_host(names[0], host) or (not reference.year and is_named(names[0])):
            return replace(reference, authors=(), venue=names[0])
        return reference
    behind = _BEHIND.fullmatch(reference.title) if not names else None
    if behind is None:
        return reference
    site = behind["site"].strip()
    if _of_host(site, host) or (":" not in behind["apart"] and is_named(site)):
        return replace(reference, title=behind["title"].rstrip(" ,"), venue=site)
    return reference


def _of_host(name: str, host: str) -> bool:
    """Whether an address is that of a site with a name."""
    said = normalise(name).split()
    labels = [label for label in host.replace("-", "").split(".") if label != "www"]
    if not said or not labels or sum(map(len, said)) < _LEAST:
        return False
    initials = "".join(word[0] for word in said)
    joined = "".join(said).removeprefix("the")
    return (
        joined in "".join(labels)
        or (len(said) >= _LEAST and initials in labels)
        or any(len(word) >= _WORD and word in labels for word in said)
    )
