"""The site or journal behind the title of a page: "Gout – NHS", with https://www.nhs.uk/conditions/gout/."""

from __future__ import annotations

import re
from dataclasses import replace

from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.venues import is_named
from guardrail.references.citations.words import words

__all__ = [
    "STANDARD",
    "names_source",
    "parted",
    "spells_out",
]

_BEHIND = re.compile(
    r"(?P<title>.*\S)(?P<apart>\s[–—|·-]\s|:\s|(?<=[.?!])\s|,\s)(?P<site>[^\W_][^–—|:.?!,]{1,70})"
)
_BEFORE = re.compile(
    r"(?P<site>[^\W_](?:[^–—|:.?!,]|\.(?=\w)){1,60}?)(?:(?P<dash>\s[–—|-]\s)|:\s)(?P<title>\S.*)"
)
_BODIES = r"(?:RFC|BCP|STD|PEP|ISO(?:/IEC)?|IEEE|NIST SP|ANSI|ECMA|ITU-T)"
STANDARD = re.compile(rf"(?:W3C|{_BODIES})[\s-]?[A-Z]{{0,2}}\.?\d[\w.:-]{{0,20}}")
"""The number of a standard: RFC 6749, ISO/IEC 27001:2022, ITU-T H.264."""
_DOCS = re.compile(r"\s(?:docs|documentation)$", re.IGNORECASE)
_DOCS_ADDRESS = re.compile(r"//docs\.|/(?:docs?|documentation|wiki)/", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:an?|the|der|die|das|eine?|le|la|les|une?|el|los|las)\s", re.IGNORECASE)
_SHORT = re.compile(r"[A-Z][A-Z.]{1,7}")  # CDC, GOV.UK
_MOST_BEFORE = 5  # words of the name of a site before a title

_TITLED_STANDARD = re.compile(rf"(?P<code>{_BODIES}\s?\d[\d.-]{{0,12}})(?:\s[–—-]\s|:\s)(?=\S{{2}})")
_OWNED = re.compile(
    r"[\w.-]{2,30}(?:\s[\w.-]{1,30}){0,3}['’]s?\s[^\W\d_]\w{2,20}(?:\s\w{2,20})?"
    r"|(?:.{1,40}\s)?(?:Blog|Wiki|Docs|Documentation|News|Magazine|Podcast|Forums?|Newsletter)"
)
"""Names that show that they are those of sites: Ann's Ramblings, Stack Overflow Blog."""
_ACRONYM = re.compile(r"[A-Z]{2,6}")
_LEAST = 3  # letters of the name of a site
_WORD = 6  # letters of a word that alone names a site: Encyclopaedia Britannica, britannica.com
_LONGEST = 6  # words of it, behind a bar
_ADDRESS = re.compile(r"\s*(?:https?:)?//(?:www\.)?([\w.-]+)", re.IGNORECASE)

_SOURCE = re.compile(  # what the text of a link to a law or a decision may say of it
    r"(?:the |see )?(?:(?:full|official|original|consolidated) )?(?:text|texts|pdf|html|link|source|version|url|website|web page|here|online|paper|document|"
    r"judge?ment|decision|opinion|ruling|summary|official journal|oj(?: [lc])?(?: \d{1,4})?|eu law|statute book|legal information institute|lii|volltext|urteil|beschluss|quelle|"
    r"texte|texte officiel|arret|lien|texto|texto completo|texto oficial|sentencia|enlace|testo|sentenza|tekst|wyrok|uitspraak|arrest|bron)(?: (?:here|pdf|html))?"
)


_SITES = {
    "mdn": "mozilla",
    "mdn web": "mozilla",
    "sep": "plato",
    "stanford encyclopedia of philosophy": "plato",
}
"""Names of sites, and parts of their addresses that do not look like them."""


def _host(address: str) -> str:
    """The host of an address without "www."; "" if there is none. The library's parser refuses some addresses."""
    found = _ADDRESS.match(address)
    return found[1].lower() if found else ""


def names_source(text: str, address: str) -> bool:
    """Whether the text of a link behind a law names the site that has it, or the form that it has there, and no other work.

    Example:
        >>> names_source("EUR-Lex", "https://eur-lex.europa.eu/eli/dir/1995/46"), names_source("Smith 2019", "https://doi.org/10.1000/xyz")
        (True, False)
    """
    return _SOURCE.fullmatch(normalise(text)) is not None or _of_host(text, _host(address))


def parted(reference: Reference) -> Reference:
    """The reference with the site, or the number of a standard, as venue where it was read as an end of the title.

    Example:
        >>> found = parted(Reference("CDC: Botulism", url="https://www.cdc.gov/botulism/"))
        >>> found.title, found.venue
        ('Botulism', 'CDC')
    """
    names, host = reference.authors, _host(reference.url)
    if len(names) == 1 and _ACRONYM.fullmatch(names[0]) and _of_host(names[0], host):
        # RHS – "Blossom end rot"
        reference = replace(reference, authors=(), venue=reference.venue or names[0])
    if reference.authors or not reference.title:
        return reference
    if code := _TITLED_STANDARD.match(reference.title):  # RFC 7519 - JSON Web Token
        venue = reference.venue or code["code"]
        return replace(reference, title=reference.title[code.end() :], venue=venue)
    if reference.venue or spells_out(reference.title):
        return reference
    before = _BEFORE.fullmatch(reference.title) if not reference.year else None
    if before and _is_before(before["site"], before["title"], reference.url, dashed=bool(before["dash"])):
        return replace(reference, title=before["title"], venue=before["site"])
    if behind := _BEHIND.fullmatch(reference.title):
        site = behind["site"].strip(" ·•")
        if _of_host(site, host) or _is_site(site, behind["apart"].strip(), paged=bool(host)):
            return replace(reference, title=behind["title"].rstrip(" ,."), venue=site)
    return reference


def _is_before(name: str, title: str, address: str, *, dashed: bool) -> bool:
    """Whether a name before a title is its site's: Python docs: Random numbers; CDC: About Measles; but not NASA: A History of …."""
    bare = _DOCS.sub("", name)
    if not _of_host(bare, _host(address)):
        return False
    if bare != name:
        return True
    if _ARTICLE.match(title):
        return False
    count = len(name.split())
    if _SHORT.fullmatch(name) or (dashed and 1 < count <= _MOST_BEFORE):
        return True
    documented = _DOCS_ADDRESS.search(address) is not None  # PostgreSQL: Using EXPLAIN
    return count <= _MOST_BEFORE and (count > 1 or documented) and _is_in_path(title, address)


def _is_in_path(title: str, address: str) -> bool:
    """Whether the path of an address has a word of a title: Mayo Clinic: Gout, https://www.mayoclinic.org/gout."""
    path = normalise(address.partition("//")[2].partition("/")[2]).split()
    said = normalise(title).split()
    telling = (word for word in said if len(word) > _LEAST or not word.isalpha())
    return "".join(said) in path or any(word in path for word in telling)


def spells_out(title: str) -> bool:
    """Whether the letters of its first word begin the words behind it: "BLAST: Basic Local Alignment Search Tool" names no site."""
    name, *rest = re.split(r":\s|\s[–—-]\s", title, maxsplit=1)
    return bool(rest) and "".join(word[0] for word in words(rest[0]) if word[0].isupper()).startswith(name)


def _is_site(name: str, apart: str, *, paged: bool) -> bool:
    """Whether what stands behind a sign in the title of a page is the name of a site or a journal."""
    if apart == "" or apart in {":", ","}:
        return False
    shown = apart == "|" and len(words(name)) <= _LONGEST  # Using Cookies | MDN: as browsers show pages
    return shown or is_named(name) or (paged and _OWNED.fullmatch(name) is not None)


def _of_host(name: str, host: str) -> bool:
    """Whether an address is that of a site with a name."""
    said = normalise(name).split()
    labels = [label for label in host.replace("-", "").split(".") if label != "www"]
    labels += [label for label in host.split("-", 1)[:1] if "." not in label and "-" in host]  # git-scm.com
    if not said or not labels or sum(map(len, said)) < _LEAST:
        return False
    if _SITES.get(" ".join(said)) in labels:
        return True
    initials = "".join(word[0] for word in said)
    joined = "".join(said).removeprefix("the")
    return (
        joined in "".join(labels)
        or (len(said) >= _LEAST and initials in labels)
        or any(len(word) >= _WORD and word in labels for word in said)
    )
