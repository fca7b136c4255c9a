"""Cases of the courts of the United States: "Brown v. Board of Education, 347 U.S. 483 (1954)", read by `eyecite`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from typing import Any

from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.model import Citation
from guardrail.report import Span

__all__ = ["cases", "installed", "named"]

_REPORTED = re.compile(
    r"(?<!\w)\d{1,4}\s(?!(?:Abs|Nr|Art)\.)[A-Z][A-Za-z0-9.'’ ]{0,25}?(?:\s\([^()]{1,20}\))?\s(?:\d{1,5}|_{2,4})(?!\w)"
)
_BEFORE, _AFTER = 240, 120  # characters that may hold the parties, and the court with the year
_MARKUP = re.compile(r"[*>#|]|(?<!_)_(?!_)")
_PARTIES = re.compile(
    r"(?:(?:[Ii]n re|[Ee]x parte|[Mm]atter of)\s+[A-Z][^,;()\[\]]{1,80}|(?:(?<!\w)[a-z]{0,3}[A-Z][\w.’'&-]*,?\s+(?:(?:of|the|for|and|de|ex rel\.|&)\s+){0,2}){1,10}"
    r"(?:\d{1,4}\s+)?v(?:s?\.|ersus)?\s+[A-Z][^;()\[\]]{1,100}?)[\s,]*(?:\((?P<early>1[789]\d\d|20\d\d)\))?[\s,]*\Z"
)
_SENTENCE = re.compile(
    r"(?:In|See|also|Under|Cf|e\.g|As|And|But|Compare|From|Since|Following|By|The)\b[.,]?\s+(?!re\b)"
)
_VERB = re.compile(  # … 597 U.S. 215 (2022). Overruled Roe v. Poe; but Applied Materials is a company
    r"(?<=[.;)]\s)(?<!\d[.)]\s)(?:Overrul(?:ed|ing)|Revers(?:ed|ing)|Affirm(?:ed|ing)|Distinguish(?:ed|ing)|Appl(?:ied|ying)|Extend(?:ed|ing)|Citing|Quoting|Abrogat(?:ed|ing)|Upheld|Accord|Contra)\s+"
)
_TOLD = re.compile(  # Roe lost at its last hearing. In Roe v. Poe; Australia. Roe Pty Ltd v Poe
    r"[^\W\d_]{3,40}\.\s+(?=(?:In|See|Under|Compare|From|Since|Following|By|And|But|As)\s)"
    r"|(?<![\w.])(?!(?:Assoc|Commr|Intern|Transp|Telecomm|Indust|Invest|Manuf|Prods)\.)[^\W\d_]{6,40}\.\s+(?=[A-Z])"
)
_PARALLEL = re.compile(r"(?:,\s\d{1,4}(?:[-–]\d{1,4})?)?,?\s{1,3}")
_EMPHASISED = re.compile(
    r"(?P<mark>[*_]{1,2})(?P<name>[^*_]{5,200})(?P=mark)[\s,]*\Z"
)  # the Fourth Amendment. *Roe v. Poe*,
_COURT = re.compile(
    r"(?:,\s\d{1,5}(?:[-–]\d{1,5})?){0,3}\s{0,3}\((?:[^()]{0,60}?[\s.,])?(?P<year>1[789]\d\d|20\d\d)\)"
    r"|\s{3,5}(?:[A-Z0-9][\w.]{0,8}\s){0,4}(?P<cell>1[789]\d\d|20\d\d)(?=\s{2})"  # the next cell of a table: | 2d Cir. 1976 |
)
_LINKED = re.compile(r"[*_]{0,2}\]\(https?://[^\s()]{4,400}\)")
_BY_NAME = re.compile(
    r"(?<![\w.])\*{0,2}(?P<name>(?:[A-Z][\w.’'&-]*,?\s(?:(?:of|the|for|and|ex rel\.|&)\s){0,2}){1,8}vs?\.\s[A-Z][^\d;:()\[\]\r\n*_]{1,80}?)\*{0,2},?\s\((?P<year>1[789]\d\d|20\d\d)\)"
)
_IN_ITALICS = re.compile(
    r"(?<![\w*])\*(?P<name>(?:[A-Z][\w.’'&-]*,?\s(?:(?:of|the|for|and|ex rel\.|&)\s){0,2}){1,8}v\.\s[A-Z][^\d;:()\[\]\r\n*_]{1,80}?|(?:In re|Matter of)\s[A-Z][^;:()\[\]\r\n*_]{1,60}?)\*(?![\w*])(?:,?\s\(?(?P<year>1[89]\d\d|20\d\d)(?!\d)\)?)?"
)
_SHORT = re.compile(
    r"(?<![\w*])\*(?P<name>[A-Z][^*\d\r\n]{2,80})\*,\s\d{1,4}\s[A-Z][A-Za-z0-9. ]{0,20}?\sat\s\d{1,5}(?:[–-]\d{1,5})?(?!\w)"
)
_LONGEST, _MOST = 1_000, 40_000  # characters of a window, and of all of them


@cache
def installed() -> bool:
    """Whether `eyecite` is there (the extra `[legal]`)."""
    return find_spec("eyecite") is not None


def named(answer: str) -> Iterator[Citation]:
    """Cases by name and year alone: Massachusetts v. EPA (2007)."""
    for match in _BY_NAME.finditer(answer):
        start = match.start("name")
        while lead := _SENTENCE.match(answer, start, match.end("name")):
            start = lead.end()
        marked = start - match.start() if not answer[match.start() : start].strip("*") else 0
        name = " ".join(answer[start : match.end("name")].split())
        span = Span(start=start - marked, end=match.end())
        yield Citation(span, Reference(title=name, year=int(match["year"])), "legal", kind="case")


def in_italics(answer: str, found: Iterable[Citation]) -> Iterator[Citation]:
    """Cases by their names in italics, in an answer that has cases: *Branzburg v. Hayes*; *Campbell*, 510 U.S. at 579, of one of them."""
    known = {normalise(one.reference.title): one.span for one in found if one.style == "legal"}
    for match in _IN_ITALICS.finditer(answer) if known else ():
        name, span = " ".join(match["name"].split()), Span(start=match.start(), end=match.end())
        year = int(match["year"]) if match["year"] else None
        said = Reference(title=name, year=year)
        yield Citation(span, said, "legal", means=known.get(normalise(name)), kind="case")
    for match in _SHORT.finditer(answer) if known else ():
        meant = next(
            (span for name, span in known.items() if name.startswith(normalise(match["name"]))), None
        )
        if meant:
            span = Span(start=match.start(), end=match.end())
            yield Citation(span, Reference(title=match["name"]), "legal", means=meant, kind="case")


def cases(answer: str) -> Iterator[Citation]:
    """The cases that an answer cites; parallel citations of one case are one. Nothing without `eyecite`.

    `title` is the name of the case, `venue` volume, reporter and page as written, `year` that of the decision.
    """
    left = _MOST if installed() else 0
    for start, end in _windows(answer) if left else ():
        left -= end - start
        if left < 0:
            return
        clean = _MARKUP.sub(" ", answer[start:end])
        since = 0
        for group in _together(clean, _cited(clean)):
            case = _case(answer, clean, start, since, group)
            since = case.span.end - start
            yield case


def _windows(answer: str) -> Iterator[tuple[int, int]]:
    """Where volume, something like a reporter, and page stand, with the text around, as far as the line goes."""
    start = end = 0
    for match in _REPORTED.finditer(answer):
        left = max(answer.rfind("\n", 0, match.start()) + 1, match.start() - _BEFORE)
        line = answer.find("\n", match.end(), match.end() + _AFTER)
        right = min(len(answer), match.end() + _AFTER) if line < 0 else line
        if end and left <= end and right - start <= _LONGEST:
            end = right
            continue
        if end:
            yield start, end
        start, end = max(left, end), right
    if end:
        yield start, end


def _cited(text: str) -> list[Any]:
    """The places in reporters, as eyecite's tokens; its own reading of courts costs a hundred times as much."""
    from eyecite.models import CitationToken
    from eyecite.tokenizers import default_tokenizer

    _, found = default_tokenizer.tokenize(text)
    tokens = [
        token
        for _, token in found
        if isinstance(token, CitationToken) and token.groups.get("volume") and not token.short
    ]
    return [
        token
        for token in tokens
        if any(e.reporter.source == "reporters" for e in token.exact_editions or token.variation_editions)
    ]


def _together(text: str, tokens: list[Any]) -> Iterator[list[Any]]:
    """Parallel citations of one case: nothing but a comma, and perhaps a page, between them."""
    group: list[Any] = []
    for token in tokens:
        if group and not _PARALLEL.fullmatch(text, group[-1].end, token.start):
            yield group
            group = []
        group.append(token)
    if group:
        yield group


def _case(answer: str, clean: str, offset: int, since: int, group: list[Any]) -> Citation:
    """One case, from the first letter of its name to the year; what is before `since` belongs to another."""
    first, last = group[0], group[-1]
    at = first.start
    start, name = at, ""
    parties = _PARTIES.search(clean, max(since, at - _BEFORE), at)
    if parties:
        start = parties.start()
        told = [*_TOLD.finditer(clean, start, at)]
        start = told[-1].end() if told else start  # the tide was at its ebb. In Roe v. Poe
        if within := _EMPHASISED.search(answer, offset + start, offset + at):
            start = within.start("name") - offset
        if verb := _VERB.match(clean, start, at):
            start = verb.end()
        while lead := _SENTENCE.match(clean, start, at):
            start = lead.end()
        name = " ".join(clean[start : parties.start("early") - 1 if parties["early"] else at].split()).strip(
            " ,"
        )
    court = _COURT.match(clean, last.end)
    end = court.end() if court else last.end
    while start > 0 and answer[offset + start - 1] in "*_":
        start -= 1
    while answer[offset + end : offset + end + 1] in ("*", "_"):
        end += 1
    if (
        link := _LINKED.match(answer, offset + end)
        if answer[offset + start - 1 : offset + start] == "["
        else None
    ):
        start, end = start - 1, link.end() - offset
    year = (court and (court["year"] or court["cell"])) or (parties and parties["early"]) or ""
    reference = Reference(
        title=name,
        year=int(year) if year else None,
        venue=" ".join(clean[first.start : first.end].split()),
        volume=first.groups.get("volume") or "",
        pages=first.groups.get("page") or "",
    )
    return Citation(Span(start=offset + start, end=offset + end), reference, "legal", kind="case")
