"""The site or journal behind the title of a page: "Gout – NHS", with https://www.nhs.uk/conditions/gout/."""

from __future__ import annotations

import re

from guardrail.references.bibliography.normalise import normalise

__all__ = [
    "STANDARD",
    "names_source",
]

_BODIES = r"(?:RFC|BCP|STD|PEP|ISO(?:/IEC)?|IEEE|NIST SP|ANSI|ECMA|ITU-T)"
STANDARD = re.compile(rf"(?:W3C|{_BODIES})[\s-]?[A-Z]{{0,2}}\.?\d[\w.:-]{{0,20}}")
"""The number of a standard: RFC 6749, ISO/IEC 27001:2022, ITU-T H.264."""

_LEAST = 3  # letters of the name of a site
_WORD = 6  # letters of a word that alone names a site: Encyclopaedia Britannica, britannica.com
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
