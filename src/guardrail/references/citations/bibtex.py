"""BibTeX entries in an answer, fenced or bare."""

from __future__ import annotations

import logging
import re
from contextvars import ContextVar
from functools import cache
from itertools import islice
from typing import Any

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.identifiers import identifiers
from guardrail.references.citations.model import Citation
from guardrail.report import Span

__all__ = ["bibtex"]

_START = re.compile(r"@([A-Za-z]{2,30})[ \t]{0,8}(?P<open>[{(])\s{0,8}([^\s,{}()=@\"]{0,100})[ \t]{0,8},")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_PAREN_END = re.compile(r"\)[ \t]*+(?=\r?\n|\Z|```|~~~|@)")
_BREAK = re.compile(r"\r?\n[ \t]*+(?:\r?\n|```|~~~|@[A-Za-z])|(?:```|~~~)|@[A-Za-z]{2,30}[ \t]{0,8}[{(]")
# An atomic group, not a possessive quantifier, for the reason given at `prose._TITLE`.
_FIELD = re.compile(
    r"(?<!\w)(?P<key>[A-Za-z]{2,20})\s{0,8}=\s{0,8}(?:\{(?P<braced>(?>(?:[^{}]|\{[^{}]{0,300}\}){0,1500}))\}?"
    r"|\"(?P<quoted>[^\"]{0,1500}+)\"?|(?P<bare>\w{1,40}))"
)
_UNCLOSED = 4_000
_STRING = re.compile(
    r"@string[ \t]{0,8}\{[ \t]{0,8}[A-Za-z][\w-]{0,30}\s{0,8}=\s{0,8}(?:\{[^{}]{0,300}\}|\"[^\"{}]{0,300}\")\s{0,8}\}",
    re.IGNORECASE,
)
_MOST_STRINGS = 50
_NOT_ENTRIES = frozenset({"string", "comment", "preamble"})
_LONGEST = 20_000
_PREPRINT = re.compile(r"(?:arxiv|e-?prints?|preprints?|[\s,:])*arxiv:\s?[\w./-]{5,20}\s*\Z", re.IGNORECASE)
_ADDRESS = re.compile(r"\s*(?:\\url\{)?(?:https?://\S{4,400}|doi:\s?10\.\S{4,200})\}?\s*\Z")
_YEAR = re.compile(r"(?<!\d)(?:1[4-9]|20)\d\d(?!\d)")
_PLAIN = (
    re.compile(  # nothing that LaTeX reads otherwise: no signs of it, no empty line, no braces within a value
        r"[^{}]*\{(?>(?:[^\W_]|[ .,:;()/=@+]|-(?!-)|\n(?!\s*\n)|\{(?:[^\W_]|[ .,:;()/=@+]|-(?!-))*\})*)\}"
    )
)
_VENUES = ("journal", "journaltitle", "booktitle", "publisher", "school", "institution", "howpublished")


def bibtex(text: str) -> list[Citation]:
    """The BibTeX entries of a text, in order."""
    starts = list(_START.finditer(text))
    if not starts:
        return []
    strings = "\n".join(one[0] for one in islice(_STRING.finditer(text), _MOST_STRINGS))
    closing = _closing(text, {match.end("open") - 1 for match in starts})
    found: list[Citation] = []
    at = 0
    for match in starts:
        if match.start() < at or match[1].lower() in _NOT_ENTRIES:
            continue
        end = closing.get(match.end("open") - 1, -1) + 1 if match["open"] == "{" else 0
        reference = None
        if 0 < end - match.start() <= _LONGEST:
            reference = _reference(text[match.start() : end], strings)
        if reference is None:
            end = _open_end(text, match)
            reference = _loosely(text[match.end() : end])
        if reference is not None:
            span = Span(start=match.start(), end=end)
            found.append(Citation(span, reference, "bibtex"))
            at = end
    return found


def _open_end(text: str, match: re.Match[str]) -> int:
    """Where an entry ends that no brace closes: at its parenthesis, an empty line, or the next entry."""
    limit = min(len(text), match.end() + _UNCLOSED)
    stop = _BREAK.search(text, match.end(), limit)
    end = stop.start() if stop else limit
    paren = _PAREN_END.search(text, match.end(), limit) if match["open"] == "(" else None
    if paren and paren.start() < end:
        return paren.start() + 1
    piece = text[match.start() : end].rstrip()
    return match.start() + len(piece)


def _loosely(inner: str) -> Reference | None:
    """The fields of an entry that the library does not read: with parentheses, or broken off."""
    fields: dict[str, str] = {}
    for match in _FIELD.finditer(inner):
        value = match["braced"] or match["quoted"] or match["bare"] or ""
        fields.setdefault(match["key"].lower(), value)
    return _from_fields(fields) if "title" in fields else None


def _closing(text: str, opening: set[int]) -> dict[int, int]:
    """The brace that closes each of some opening ones: one pass over the text."""
    pairs: dict[int, int] = {}
    stack: list[int] = []
    for match in _BRACE.finditer(text):
        if match[0] == "{":
            stack.append(match.start())
        elif match[0] == "}" and stack:
            start = stack.pop()
            if start in opening:
                pairs[start] = match.start()
    return pairs


_reading: ContextVar[bool] = ContextVar("_reading", default=False)


@cache
def _parser() -> Any:
    """The library, imported when the first entry is met, and quiet about the text that it is given here."""
    import bibtexparser

    logging.getLogger("bibtexparser.splitter").addFilter(lambda _: not _reading.get())
    return bibtexparser


def _reference(entry: str, strings: str) -> Reference | None:
    """What an entry says, with the abbreviations that the text defines."""
    library = _parser()
    token = _reading.set(True)
    try:
        latex = [] if _PLAIN.fullmatch(entry) else [library.middlewares.LatexDecodingMiddleware()]
        entries = library.parse_string(f"{strings}\n{entry}", append_middleware=latex).entries
    except Exception:  # noqa: BLE001  # hostile text: whatever the parser stumbles over is no entry
        return None
    finally:
        _reading.reset(token)
    if len(entries) != 1:
        return None
    return _from_fields({field.key.lower(): str(field.value) for field in entries[0].fields})


def _from_fields(fields: dict[str, str]) -> Reference | None:
    title = " ".join(fields.get("title", "").replace("{", "").replace("}", "").split()).rstrip(".")
    names = [_name(name) for name in re.split(r"\s+and\s+", fields.get("author", "").strip()) if name.strip()]
    year = _YEAR.search(fields.get("year") or fields.get("date", ""))
    venue = next((" ".join(fields[key].split()) for key in _VENUES if fields.get(key)), "")
    if "http" in venue or _PREPRINT.match(
        venue
    ):  # howpublished = {\url{…}}, journal = {arXiv preprint arXiv:2305.14314}
        venue = ""
    ids = {i.kind: i.value for i in identifiers(f"doi:{fields.get('doi', '')} isbn {fields.get('isbn', '')}")}
    # a note or a journal that says more may be about another work: "Reply to arXiv:…"
    alone = (fields.get(key, "") for key in ("howpublished", "note", *_VENUES[:3]))
    elsewhere = "\n".join(
        [fields.get("url", ""), *(one for one in alone if _PREPRINT.match(one) or _ADDRESS.match(one))]
    )
    links = {i.kind: i.value for i in identifiers(elsewhere)}
    eprint = {i.kind: i.value for i in identifiers(f"arxiv:{fields.get('eprint', '')}")}
    reference = Reference(
        title=title,
        authors=tuple(name for name in names if name.lower() != "others"),
        et_al=any(name.lower() == "others" for name in names),
        year=int(year[0]) if year else None,
        venue=venue,
        doi=ids.get("doi") or links.get("doi", ""),
        arxiv=eprint.get("arxiv") or links.get("arxiv", ""),
        isbn=ids.get("isbn", ""),
        pmid=fields.get("pmid", "").strip(),
        url=fields.get("url", "").strip(),
    )
    return None if reference == Reference() else reference


def _name(name: str) -> str:
    return " ".join(name.replace("{", "").replace("}", "").split())
