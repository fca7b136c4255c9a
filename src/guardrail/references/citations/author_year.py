"""Author-year marks in prose: "(Hofmann et al., 2010; Goldin & Gross, 2010)", "Smith and Jones (2020) found …".

A mark that names the author and the year of a reference elsewhere in the answer means that reference.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from guardrail.references.authors.names import parse_name
from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.eastern_names import begins_as_name, cut_off, last_name, names
from guardrail.references.citations.evidence import sure
from guardrail.references.citations.fields import parse
from guardrail.references.citations.languages import AND, OTHERS, PAGES, SEE, VOLUMES
from guardrail.references.citations.model import Citation, Style
from guardrail.references.citations.tail import HIDDEN
from guardrail.report import Span

__all__ = ["marks"]

_YEAR = r"(?:1[5-9]|20)\d\d[a-z]?"
_YEARS = rf"{_YEAR}(?:\s?[/–-]\s?{_YEAR})?(?:,\s?(?:{_YEAR}|[a-z]\b)){{0,4}}"
_PARTICLE = r"(?:(?:[Vv]an|[Vv]on|[Dd]e[rnl]?|[Dd][uia]|[Ll]a|[Ll]e|[Aa]l|[Dd]os|ten|ter|zu[rm]?|[Ii]bn|bin)[\s-]){0,3}"
_OTHER = r"\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3"  # scripts of which names are read apart
_LETTER = rf"[^\W\d_{_OTHER}]"
_WORD = rf"[^\W\d_a-z{_OTHER}](?:{_LETTER}|[’'](?={_LETTER}{{2}})){{1,30}}(?:[-‐–]{_LETTER}{{1,30}}){{0,2}}"
_INITIALS = r"(?:[^\W\d_a-z]\.[\s-]?){1,3}"
_NAME = rf"(?:{_INITIALS})?{_PARTICLE}{_WORD}(?:\s(?i:Filho|Neto|J[úu]nior|Sobrinho|Jr\.)(?!\w))?"
_AND = rf"(?:,?\s(?:{AND}|&)\s|\s?/\s?)"
_CUT = rf",?\s{OTHERS}(?!\w)"
_PEOPLE = rf"{_NAME}(?:(?:,\s{_NAME}){{0,6}}(?P<last>{_AND}{_NAME})|(?:,\s{_NAME}){{0,2}}(?P<cut>{_CUT}))?"
_BODY = r"[^\W\d_a-z][\w’'.&-]{1,30}(?:\s(?:of|for|on|the|and|&|in|de|des|du|[^\W\d_a-z][\w’'.-]{1,30})){1,9}"
_LEAD = (
    r"(?:(?:see(?:\salso|,?\se\.g\.,?)?|e\.g\.,?|cf\.?|for\s(?:an?\s)?(?:review|example|overview),?(?:\ssee)?|also|but\ssee|"
    r"reviewed\sin|compare|following|after|adapted\sfrom|from|according\sto|cp\.)[:,]?\s){0,2}"
    rf"(?:{SEE}[:,]?\s){{0,2}}"
)
_PLACE = (
    rf"(?:[,:]\s?(?:第|{PAGES}|{VOLUMES}|ch(?:ap(?:ter)?)?\.?|sec(?:tion)?\.?|§|Fig(?:ure)?\.?|Table)?\s?[\w–-]{{1,12}}"
    r"(?:\s?[–-]\s?\d{1,5})?(?:\s(?:ff?\.?|et\ss(?:uiv|q)?\.?|nn?\.|y\sss\.|[页頁]))?)?"
)
_PART = re.compile(
    rf"{_LEAD}(?P<mark>(?P<people>{_PEOPLE})(?:(?P<comma>,)\s?|\s)\(?(?P<years>{_YEARS}|n\.d\.|in\spress|forthcoming)\)?{_PLACE})"
)
_CAPITALS = re.compile(  # BUSS; PELLEGRINI FILHO, 2007, as Brazil's standard has it
    rf"(?P<mark>(?P<people>{_NAME}(?:;\s{_NAME}){{1,6}}),\s(?P<years>{_YEARS}){_PLACE})"
)
_BODY_PART = re.compile(rf"{_LEAD}(?P<mark>(?P<people>{_BODY}),\s?(?P<years>{_YEARS}|n\.d\.){_PLACE})")
_JOURNAL = re.compile(
    rf"{_LEAD}(?P<mark>(?P<people>{_NAME}\s(?:[^\W\d_a-z]{{1,4}}\b)?(?:,?\set\sal\.?|(?:,\s{_NAME}\s[^\W\d_a-z]{{1,4}}){{0,6}})?)[,.]\s"
    r"(?P<venue>[^\W\d_a-z][^\d;()]{2,80}?)[.,]?\s(?P<year>(?:19|20)\d\d);\s?(?P<volume>\d{1,4})(?:\((?P<issue>\d{1,4}(?:[-–]\d{1,4})?)\))?"
    r":\s?(?P<pages>[eE]?\d{1,6}(?:[-–]\d{1,6})?))\.?"
)
_BRACKET = re.compile(r"[(\[](?P<inner>[^()\[\]\r\n]{5,400})[)\]]")
_HAS_YEAR = re.compile(rf"(?<!\d){_YEAR}|n\.d\.|in\spress")
_NARRATIVE = re.compile(
    rf"(?:(?<![\w.’'-])|(?<=[{_OTHER}]))(?P<people>{_PEOPLE})(?:['’]s)?\s?[(\[](?P<years>{_YEARS}){_PLACE}[)\]]"
)
_BETWEEN = re.compile(rf"{_AND}|[,;]\s")
_FIRST_YEAR = re.compile(r"(?P<year>\d{4})(?P<suffix>[a-z])?")
_YEAR_BEHIND = re.compile(r"[(\[](?:1[5-9]|20)\d\d")
_MOST = 30  # references of one name and year: more than there are letters behind a year
_LONGEST_PEOPLE, _LONGEST_PLACE = 400, 100  # characters before a year in brackets, and behind it
_FULL_WIDTH = str.maketrans("（）［］，；：", "()[],;:")
_EAST_NAME = r"(?:[\u3400-\u9fff\u30a1-\u30fa\u30fc·・]{2,12}?|[\uac00-\ud7a3]{2,4})"
_EAST_CUT = r"(?:\s?等人?|ら|\s?외)"
_EAST = re.compile(
    rf"(?:(?<=[(;])|(?<=[(;]\s))(?:如|例如|参见|參見|详见|詳見|见|見)?(?P<who>{_EAST_NAME}(?:\s?[、,·・&]\s?{_EAST_NAME}){{0,5}}{_EAST_CUT}?)[,、]?\s?(?P<when>(?:19|20)\d\d)[a-z]?年?"
    r"(?:[,:]\s?(?:第\s?)?(?:[pP]{1,2}\.\s?)?\d{1,5}(?:[-–—]\d{1,5})?(?:\s?[页頁쪽章节])?)?(?=\s?[);])"
    rf"|(?P<whom>[\u30a1-\u30fa\u30fc]{{2,12}}{_EAST_CUT}?|(?:[\u3400-\u9fff]{{2,4}}、){{0,5}}[\u3400-\u9fff]{{2,4}}(?:[和与與・][\u3400-\u9fff]{{2,4}})?{_EAST_CUT}?"
    rf"|(?<![\uac00-\ud7a3])(?:[\uac00-\ud7a3]{{2,4}}(?:,\s|·)){{0,5}}[\uac00-\ud7a3]{{2,4}}(?:[와과]\s[\uac00-\ud7a3]{{2,4}})?{_EAST_CUT}?)"
    r"\s?\((?P<dated>(?:19|20)\d\d)[a-z]?年?(?:[:,]\s?(?:第\s?)?\d{1,5}(?:[-–—]\d{1,5})?(?:\s?[页頁쪽])?)?\)"
)
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_HAN_ONLY = re.compile(r"[\u3005\u3400-\u9fff]{3,6}")
_CUT_END = re.compile(rf"(?:{_CUT})$")
_NOT_PEOPLE = frozenset(
    [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "spring",
        "summer",
        "autumn",
        "fall",
        "winter",
        "section",
        "chapter",
        "figure",
        "table",
        "part",
        "volume",
        "version",
        "since",
        "until",
        "before",
        "after",
        "around",
        "circa",
        "year",
        "in",
        "on",
        "by",
        "the",
        "a",
        "an",
        "from",
        "and",
        "but",
        "for",
        "at",
        "during",
        "early",
        "late",
        "mid",
        "published",
        "released",
        "born",
        "died",
        "founded",
        "season",
        "episode",
        "vol",
        "no",
        "issue",
        "edition",
        "copyright",
    ]
)


@dataclass(frozen=True, slots=True)
class _Mark:
    span: Span
    reference: Reference
    sure: bool
    suffix: str = ""


def marks(answer: str, found: Sequence[Citation]) -> Iterator[Citation]:
    """Author-year marks outside of the references that were found, each with the reference that it means.

    What may be a place or a film with its year ("(Paris, 2019)", "Gladiator (2000)") counts only if it means a reference
    of the answer, or if the answer has other marks that are beyond doubt.

    Args:
        answer: the text.
        found: the references that were read from it, in order.

    Example:
        >>> [one.span.of(text) for text in ["As shown (see Hofmann et al., 2010; Goldin, 2011, p. 3), it works."] for one in marks(text, [])]
        ['Hofmann et al., 2010', 'Goldin, 2011, p. 3']
    """
    covered = sorted((one.span.start, one.span.end) for one in found)
    entries = _entries(found)
    known = frozenset(one.reference.authors[0] for one in found if one.reference.authors)
    candidates = sorted(_candidates(answer.translate(_FULL_WIDTH), known), key=lambda mark: mark.span.start)
    kept: list[tuple[_Mark, Span | None]] = []
    at = end = 0
    for mark in candidates:
        while at < len(covered) and covered[at][1] <= mark.span.start:
            at += 1
        if mark.span.start < end or (at < len(covered) and covered[at][0] < mark.span.end):
            continue
        end = mark.span.end
        kept.append((mark, _meant(mark, entries)))
    certain = any(mark.sure or means for mark, means in kept)
    for mark, means in kept:
        if mark.sure or means or certain:
            style: Style = "inline" if mark.reference.title else "author-year"
            yield Citation(mark.span, mark.reference, style, means=None if mark.reference.title else means)


def _candidates(answer: str, known: Container[str]) -> Iterator[_Mark]:
    for bracket in _BRACKET.finditer(answer):
        if not _HAS_YEAR.search(bracket["inner"]):
            continue
        start = bracket.start("inner")
        if journal := _JOURNAL.fullmatch(bracket["inner"]):
            yield _from_journal(journal, start)
            continue
        if hidden := HIDDEN.search(bracket["inner"]):
            begin = start + hidden.start()
            parsed = parse(hidden[0])
            yield _Mark(Span(start=begin + parsed.start, end=begin + parsed.end), parsed.reference, sure=True)
            continue
        marked = all(_PART.fullmatch(piece.strip()) for piece in bracket["inner"].split(";")[:20])
        if (
            len(bracket["inner"]) > 30
            and not marked
            and sure(bracket["inner"], whole := parse(bracket["inner"]))
        ):
            yield _Mark(Span(start=start + whole.start, end=start + whole.end), whole.reference, sure=True)
            continue
        if capitals := _CAPITALS.fullmatch(bracket["inner"]):
            yield from _read(capitals, start, start + capitals.end(), sure=True)
            continue
        parts = list[re.Match[str]]()
        pieces = bracket["inner"].split(";")[:20]
        for piece in pieces:
            blank = len(piece) - len(piece.lstrip())
            match = _PART.fullmatch(piece.strip()) or _BODY_PART.fullmatch(piece.strip())
            if match and not _named_otherwise(match["people"]):
                parts.append(match)
                begin = start + blank + match.start("mark")
                several = len(pieces) > 1 and len(parts) > 1
                yield from _read(match, begin, start + blank + match.end("mark"), sure=several)
            start += len(piece) + 1
    for match in _narratives(answer):
        if not _named_otherwise(match["people"]):
            yield from _read(match, match.start(), match.end(), sure=False)
    for match in _EAST.finditer(answer):
        if mark := _eastern(match, known):
            yield mark


def _eastern(match: re.Match[str], known: Container[str]) -> _Mark | None:
    """A mark of Chinese, Japanese or Korean names; behind other words, the names begin as one of the answer's authors does."""
    written, year = match["who"] or match["whom"], match["when"] or match["dated"]
    start = match.start("who" if match["who"] else "whom")
    bare, cut = cut_off(written)
    read = ((bare,), False) if bare in known else names(bare)
    if read is None:
        return None
    people = list(read[0])
    korean = _HANGUL.match(people[0]) is not None
    while (
        korean
        and match["whom"]
        and len(people) > 1
        and people[0] not in known
        and not begins_as_name(people[0])
    ):
        people.pop(0)  # 보았고, 박민수와 이영희(2015)
    first = people[0]
    at = written.find(first)
    if match["whom"] and first not in known:
        before = match.string[max(0, start + at - 1) : start + at]
        name = next((first[-size:] for size in (4, 3, 2) if first[-size:] in known), last_name(first, before))
        at, first = at + len(first) - len(name or first), name or first
    start, others = start + at, people[1:]
    reference = Reference(authors=(first, *others), et_al=cut, year=int(year))
    return _Mark(Span(start=start, end=match.end()), reference, sure=cut)


def _narratives(answer: str) -> Iterator[re.Match[str]]:
    """Smith et al. (2020): looked for only before a year in brackets, since names are slow to look for."""
    done = 0
    for year in _YEAR_BEHIND.finditer(answer):
        start, end = max(done, year.start() - _LONGEST_PEOPLE), year.end() + _LONGEST_PLACE
        match = next(
            (one for one in _NARRATIVE.finditer(answer, start, end) if one.end() > year.start()), None
        )
        done = year.end()  # names have no bracket in them
        if match is not None:
            yield match


def _read(match: re.Match[str], start: int, end: int, *, sure: bool) -> Iterator[_Mark]:
    groups = match.groupdict()
    cut, last, written = groups.get("cut"), groups.get("last"), match["people"]
    names = _BETWEEN.split(written[: len(written) - len(cut)] if cut else written)
    if match.re is _BODY_PART:
        names = [written]
    year = _FIRST_YEAR.match(match["years"])
    reference = Reference(
        authors=tuple(filter(None, names)), et_al=bool(cut), year=int(year["year"]) if year else None
    )
    beyond = bool(cut) or sure or (bool(last) and match.re is _PART)
    yield _Mark(Span(start=start, end=end), reference, beyond, (year["suffix"] or "") if year else "")


def _from_journal(match: re.Match[str], start: int) -> _Mark:
    """(McMurray JJV et al., N Engl J Med 2019;381:1995-2008): everything but a title."""
    cut = re.search(r",?\set\sal\.?$", match["people"])
    names = match["people"][: cut.start()] if cut else match["people"]
    reference = Reference(
        authors=tuple(names.split(", ")),
        et_al=cut is not None,
        year=int(match["year"]),
        venue=match["venue"],
        volume=match["volume"],
        issue=match["issue"] or "",
        pages=match["pages"],
    )
    span = Span(start=start + match.start("mark"), end=start + match.end("mark"))
    return _Mark(span, reference, sure=True)


def _named_otherwise(people: str) -> bool:
    """Whether it begins with a month, a season, or what stands before a year without being a name."""
    return re.split(r"[\s,]", people, maxsplit=1)[0].casefold() in _NOT_PEOPLE


# -- which reference is meant


def _entries(found: Sequence[Citation]) -> dict[tuple[str, int], list[Citation]]:
    """The references by the name of the first author and the year."""
    entries: dict[tuple[str, int], list[Citation]] = {}
    for one in found:
        reference = one.reference
        if reference.authors and reference.year:
            for name in _spellings(reference.authors[0]) | _families(reference.authors[0]):
                same = entries.setdefault((name, reference.year), [])
                same += [one] * (len(same) < _MOST)
    return entries


def _spellings(author: str) -> set[str]:
    """What a mark may call an author: by family name, by the whole name, a body by its initials."""
    whole = normalise(author)
    initials = "".join(word[0] for word in author.split() if word[:1].isupper())
    family = normalise(parse_name(author).family)
    return {name for name in (whole, family, initials.lower() if len(initials) > 2 else "") if name}


def _families(author: str) -> set[str]:
    """The family name of a Japanese author, which nothing parts from the given name: 田中一郎."""
    return (
        {normalise(author[:size]) for size in (2, 3) if len(author) > size}
        if _HAN_ONLY.fullmatch(author)
        else set()
    )


def _meant(mark: _Mark, entries: dict[tuple[str, int], list[Citation]]) -> Span | None:
    year, authors = mark.reference.year, mark.reference.authors
    if year is None or not authors or not entries:
        return None
    found = {one.span.start: one for name in _spellings(authors[0]) for one in entries.get((name, year), [])}
    meant = [found[start] for start in sorted(found)]
    if len(meant) > 1 and len(authors) > 1:
        second = _spellings(authors[1])
        alike = [
            one
            for one in meant
            if len(one.reference.authors) > 1 and second & _spellings(one.reference.authors[1])
        ]
        meant = alike or meant
    if len(meant) > 1 and mark.suffix:
        meant = meant[ord(mark.suffix) - ord("a") :][:1]
    return meant[0].span if len(meant) == 1 else None
