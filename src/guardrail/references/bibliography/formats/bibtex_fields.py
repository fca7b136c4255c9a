"""What the fields of a BibTeX or biblatex entry say of a work, for records of files and references of answers."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from typing import Any

from guardrail.references.bibliography.formats.fields import arxiv_of, listed_authors, year_of
from guardrail.references.bibliography.normalise import (
    TAG,
    decode_tex,
    normalise_arxiv,
    normalise_doi,
    normalise_isbn,
    normalise_pmid,
)

LONGEST = 5_000  # characters of a value that are read
VENUES = (
    "journal", "journaltitle", "booktitle", "shortjournal", "publisher", "institution", "school", "howpublished",
)  # fmt: skip
PREPRINT = re.compile(r"(?:arxiv|e-?prints?|preprints?|[\s,:])*arxiv:\s?[\w./-]{5,20}\s*\Z", re.IGNORECASE)
COPY = re.compile(r"\s*abs/[\w.-]{4,20}(?:/\d{7})?\s*\Z")  # DBLP's volumes of preprints
ARXIV = re.compile(r".*(?:arxiv:|abs/)\s?", re.IGNORECASE | re.DOTALL)  # what precedes its number
ADDRESS = re.compile(r"\s*(?:https?://\S{4,400}|doi:\s?10\.\S{4,200})\s*\Z", re.IGNORECASE)
BY_PARTS = re.compile(r"\s*(?:family|given|prefix|suffix)(?:-i)?\s*=")
PART = re.compile(r"([a-z-]{1,20})\s*=((?:\{(?:[^{}]|\{[^{}]*+\})*+\}|\"[^\"]*+\"|[^,{\"])*+)")
# Up to three braces deep.
_GROUP = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]{0,300}+\}){0,300}+\}){0,1000}+\}"
# Commands whose first argument is not printed where the text is. Only in entries: elsewhere people see it as it is.
UNPRINTED = re.compile(
    r"\\(?:href|textcolor|color|texorpdfstring|footnote(?:text)?|thanks|noopsort|[hv]space)(?![A-Za-z])"
    rf"\*?\s{{0,9}}(?:\[[^\[\]]{{0,200}}\]\s{{0,9}})?{_GROUP}"
)
QUOTED = re.compile(rf"\\(?:enquote|mkbibquote)\*?({_GROUP})")
OPEN = re.compile(r"\s*(?:open|unknown|\*|\.\.)?/")  # a range of dates without a start
GRANULAR = re.compile(r"\s*xdata\s*=", re.IGNORECASE)  # what another entry has: not followed
FAMILY_LAST = re.compile(rf"\s*([^{{}},]+?)\s+({_GROUP})\s*\Z")  # Gabriel {Garcia Marquez}
AND = re.compile(r"( and |[{}])", re.IGNORECASE)


def work_of(fields: Mapping[str, str]) -> dict[str, Any]:
    """What `Record` and `Reference` have in common, from raw values by names in lower case."""
    title, subtitle = plain(fields.get("title", "")), plain(fields.get("subtitle", ""))
    authors, et_al = listed_authors(_names(fields.get("author") or fields.get("editor") or ""))
    # `date` has precedence over `year`; dates of origin, of an event and of reading are others
    date, venue, volume = fields.get("date", ""), plain(_first(fields, *VENUES)), fields.get("volume", "")
    year = None if OPEN.match(date) else year_of(plain(date))
    eprint, archive = fields.get("eprint", ""), _first(fields, "archiveprefix", "eprinttype").lower()
    # A note or a journal that says more may be about another work: "Reply to arXiv:…".
    alone = [_address(fields.get(name, "")) for name in ("howpublished", "note", *VENUES[:3])]
    places = [_address(fields.get("url", "")), *filter(ADDRESS.match, alone)]
    doi = _found(normalise_doi, _address(fields.get("doi", "")), *places)
    arxiv = _found(normalise_arxiv, eprint if archive in {"", "arxiv"} else "")
    preprints = [*filter(PREPRINT.match, alone), volume if COPY.match(volume) else ""]
    return {
        "title": f"{title}: {subtitle}" if title and subtitle else title or subtitle,
        "authors": authors,
        "et_al": et_al,
        "year": year or year_of(plain(fields.get("year", ""))),
        "venue": "" if ADDRESS.match(venue) else venue,
        "doi": doi,
        "arxiv": arxiv
        or _found(lambda place: arxiv_of(place, doi), *places)
        or _found(lambda said: normalise_arxiv(ARXIV.sub("", said)), *preprints),
        "isbn": _found(normalise_isbn, *re.split(r"[,;\s]+", fields.get("isbn", "")[:200])),
        "pmid": normalise_pmid(fields.get("pmid", "") or (eprint if archive == "pubmed" else "")),
        "url": next((place for place in places if place and not place.lower().startswith("doi:")), ""),
        "volume": "" if COPY.match(volume) else plain(volume),
        "issue": plain(_first(fields, "number", "issue")),
        "pages": plain(fields.get("pages", "")),
    }


def plain(value: str) -> str:
    r"""A value as people read it: LaTeX and mark-up of HTML decoded.

    Example:
        >>> plain(r"{\textless}i{\textgreater}Nature{\textless}/i{\textgreater} \&amp; \emph{us}")
        'Nature & us'
    """
    if GRANULAR.match(value):
        return ""
    text = " ".join(value[:LONGEST].split())
    if "\\" in text:
        text = QUOTED.sub(r"“\1”", UNPRINTED.sub("", text))
    text = html.unescape(decode_tex(text))
    return " ".join(TAG.sub("", text).split())


def _found(read: Callable[[str], str], *values: str) -> str:
    return next(filter(None, map(read, values)), "")


def _first(fields: Mapping[str, str], *names: str) -> str:
    return next((fields[name] for name in names if fields.get(name, "").strip()), "")


def _address(value: str) -> str:
    """A value that is read letter by letter: an address or an identifier."""
    text = re.sub(r"\{?\\textasciitilde\s?(?:\{\})?\}?", "~", re.sub(r"^\s*\\url\s?", "", value[:LONGEST]))
    return re.sub(r"[\\{}]", "", text).strip()


def _names(text: str) -> list[str]:
    """The names of a list: split at "and" outside of braces, so that "{World Health Organization}" stays one."""
    names, depth = list[list[str]]([[]]), 0
    for part in AND.split(" ".join(text.split())):
        depth += (part == "{") - (part == "}")
        if depth <= 0 and part.lower() == " and ":
            names.append([])
        else:
            names[-1].append(part)
    return [_name("".join(parts)) for parts in names]


def _name(name: str) -> str:
    if GRANULAR.match(name):
        return "others"
    if BY_PARTS.match(name):
        return _by_parts(name)
    double = FAMILY_LAST.match(name[:LONGEST])
    family = plain(double[2]) if double else ""
    return f"{family}, {plain(double[1])}" if double and " " in family else plain(name)


def _by_parts(name: str) -> str:
    """A name that biber's extended format gives by its parts: "family=Berg, given=Anna, prefix=van den"."""
    parts = {found[1]: plain(found[2].strip().strip('"')) for found in PART.finditer(name[:LONGEST])}
    family = f"{parts.get('prefix', '')} {parts.get('family', '')}".strip()
    return ", ".join(filter(None, (family, parts.get("suffix", ""), parts.get("given", ""))))
