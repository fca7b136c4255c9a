"""Author-year marks in prose: "(Hofmann et al., 2010; Goldin & Gross, 2010)", "Smith and Jones (2020) found …".

A mark that names the author and the year of a reference elsewhere in the answer means that reference.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.eastern import SCRIPT
from guardrail.references.citations.eastern_names import begins_as_name, cut_off, last_name, names
from guardrail.references.citations.entries import Entries
from guardrail.references.citations.evidence import sure
from guardrail.references.citations.fields import parse
from guardrail.references.citations.houses import is_press
from guardrail.references.citations.languages import AND, CAPITAL, OTHERS, PAGES, SEE, VOLUMES
from guardrail.references.citations.model import Citation, Style
from guardrail.references.citations.people import people
from guardrail.references.citations.tail import HIDDEN
from guardrail.references.citations.unmarked import MEDIA, without_opener
from guardrail.references.citations.untitled import untitled
from guardrail.references.citations.venues import NAME, is_venue
from guardrail.report import Span

__all__ = ["PEOPLE", "YEAR", "Mark", "after_capital", "candidates", "marks", "named_otherwise", "read_marks"]

YEAR = r"(?:1[5-9]|20)\d\d[a-z]?"
_YEARS = rf"{YEAR}(?:\s?[/–-]\s?{YEAR})?(?:,\s?(?:{YEAR}|[a-z]\b)){{0,4}}"
_PARTICLE = r"(?:(?:[Vv]an|[Vv]on|[Dd]e[rnl]?|[Dd][uia]|[Ll]a|[Ll]e|[Aa]l|[Dd]os|ten|ter|zu[rm]?|[Ii]bn|bin)[\s-]){0,3}"
_OTHER = r"\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3"  # scripts of which names are read apart
_LETTER = rf"[^\W\d_{_OTHER}]"
_WORD = rf"[^\W\d_a-z{_OTHER}](?:{_LETTER}|[’'](?={_LETTER}{{2}})){{1,30}}(?:[-‐–]{_LETTER}{{1,30}}){{0,2}}"
_INITIALS = r"(?:[^\W\d_a-z]\.[\s-]?){1,3}"
_NAME = rf"(?:{_INITIALS})?{_PARTICLE}{_WORD}(?:\s(?i:Filho|Neto|J[úu]nior|Sobrinho|Jr\.)(?!\w))?"
_AND = rf"(?:,?\s(?:{AND}|&)\s|\s?/\s?|\s?[和与與及と]\s?|[와과]\s)"
_CUT = rf"(?:,?\s{OTHERS}(?!\w)|\s?等人?|ら)"
PEOPLE = rf"{_NAME}(?:(?:,\s{_NAME}){{0,6}}(?P<last>{_AND}{_NAME})|(?:,\s{_NAME}){{0,2}}(?P<cut>{_CUT}))?"
_BODY = r"[^\W\d_a-z][\w’'.&-]{1,30}(?:\s(?:of|for|on|the|and|&|in|de|des|du|[^\W\d_a-z][\w’'.-]{1,30})){1,9}"
_LEAD = (
    r"(?:(?:see(?:\salso|,?\se\.g\.,?)?|e\.g\.,?|cf\.?|for\s(?:an?\s)?(?:review|example|overview),?(?:\ssee)?|also|but\ssee|"
    r"reviewed\sin|compare|following|after|adapted\sfrom|from|according\sto|cp\.|"
    r"[a-z][^\d();:]{0,80}\s(?:see|in|by|from|with|of|to|in\sthe\swork\sof))[:,]?\s){0,2}"
    rf"(?:{SEE}[:,]?\s){{0,2}}"
)
_PLACE = (
    rf"(?:[,:]\s?(?:第|{PAGES}|{VOLUMES}|ch(?:ap(?:ter)?)?\.?|sec(?:tion)?\.?|§|Fig(?:ure)?\.?|Table)?\s?(?=[\w–-]{{0,11}}\d|[ivxlc]{{1,6}}\b)[\w–-]{{1,12}}"
    r"(?:\s?[–-]\s?\d{1,5})?(?:\s(?:ff?\.?|et\ss(?:uiv|q)?\.?|nn?\.|y\sss\.|[页頁]))?)?"
)
_REST = r"(?:,?\s(?!(?:and|und|et|y)\s[^\W\d_a-z])[a-zäöüéè].{0,200})?"  # VanPatten, 2004, for another view
_SHORT = r"(?:\s[\[(](?P<short>[A-Z][\w&-]{1,12})[\])])?"  # Centers for Disease Control and Prevention [CDC]
_PART = re.compile(
    rf"{_LEAD}(?P<mark>(?P<people>{PEOPLE})(?:(?P<comma>,)\s?|\s)\(?(?P<years>{_YEARS}|n\.d\.|in\spress|forthcoming)\)?{_PLACE}){_REST}"
)
_CAPITALS = re.compile(  # BUSS; PELLEGRINI FILHO, 2007, as Brazil's standard has it
    rf"(?P<mark>(?P<people>{_NAME}(?:;\s{_NAME}){{1,6}}),\s(?P<years>{_YEARS}){_PLACE})"
)
_BODY_PART = re.compile(
    rf"{_LEAD}(?P<mark>(?P<people>{_BODY}){_SHORT},\s?(?P<years>{_YEARS}|n\.d\.){_PLACE}){_REST}"
)
_JOURNAL = re.compile(
    rf"{_LEAD}(?P<mark>(?P<people>{_NAME}\s(?:[^\W\d_a-z]{{1,4}}\b)?(?:,?\set\sal\.?|(?:,\s{_NAME}\s[^\W\d_a-z]{{1,4}}){{0,6}})?)[,.]\s"
    r"(?P<venue>[^\W\d_a-z][^\d;()]{2,80}?)[.,]?\s(?P<year>(?:19|20)\d\d);\s?(?P<volume>\d{1,4})(?:\((?P<issue>\d{1,4}(?:[-–]\d{1,4})?)\))?"
    r":\s?(?P<pages>[eE]?\d{1,6}(?:[-–]\d{1,6})?))\.?"
)
_PLACED = re.compile(  # (Kimura, 1968, *Nature*); (Hunt & Lipo, *Science*, 2006); (Roe et al., Lancet 2008;358:111)
    rf"{_LEAD}(?P<mark>(?P<people>{PEOPLE}),\s(?:(?P<years>{YEAR}),\s)?[*_]?(?P<venue>{NAME})[*_]?(?:,?\s(?!{YEAR}(?!\d))\d{{1,4}}(?:\(\d{{1,4}}\))?(?:[:,]\s?[\d–-]{{1,12}})?)?(?:,?\s(?P<later>{YEAR})(?:;\s?\d{{1,4}}(?:\(\d{{1,4}}\))?(?::\s?[\w–-]{{1,12}})?)?)?)"
)
_BRACKET = re.compile(r"[(\[](?P<inner>(?>(?:[^()\[\]\r\n]|[\[(][A-Z][\w&-]{1,12}[\])]){5,400}))[)\]]")
_HAS_YEAR = re.compile(rf"(?<!\d){YEAR}|n\.d\.|in\spress")
_NARRATIVE = re.compile(
    rf"(?:(?<![\w.’'-])|(?<=[{_OTHER}]))(?P<people>{PEOPLE})(?:['’]s)?\s?[(\[](?P<years>{_YEARS}){_PLACE}[)\]]"
)
_CELL = re.compile(  # | Roe & Poe, 1994 |
    rf"\|[ \t]{{1,8}}(?P<mark>(?P<people>{PEOPLE})(?:(?P<comma>,)\s|\s)\(?(?P<years>{YEAR})\)?)(?=[ \t]{{1,8}}\|)"
)
_BETWEEN = re.compile(rf"{_AND}|[,;]\s")
_REPORTS = re.compile(  # Everett (2005) argues that; a film does not
    r"\s(?:(?:also|later|first|then|likewise|similarly|further)\s)?(?:argu|show|suggest|report|propos|demonstrat|claim|conclud|note[sd]?\b|observ|"
    r"found\b|finds?\b|estimat|hypothes|maintain|contend|emphasi|theori[sz]|posit|distinguish|defin|criticis|criticiz|review|surveyed|tested|measured|introduc)"
)
_CAPITAL_BEFORE = re.compile(r"(?<![\w.])[^\W\d_a-z]\w*\s$")  # New York Times (2019)
_BEGINS = re.compile(r"(?:\A|[.!?;:]\s|\n(?:[-*•]\s)?)$")
_GIVEN = re.compile(
    rf"(?:(?<=[.!?;:,]\s)|(?<=\b(?:and|but)\s)|(?<=\b(?:by|of|as|to)\s)|(?<=\b(?:with|from|that)\s)|(?<=\n)|\A)(?P<given>[^\W\d_a-z]{_LETTER}{{2,14}}(?:\s[^\W\d_a-z]\.)?)\s\Z"
)
_WITHIN = re.compile(r"\s[a-z]")
_EACH_YEAR = re.compile(r"(?:\A|,\s?)(?P<year>\d{4})?(?P<suffix>[a-z])?(?![a-z])(?:\s?[/–-]\s?\d{4})?")
_BARE = re.compile(rf"(?<![\w.’'-])(?P<people>{PEOPLE}),?\s\(?(?P<years>{YEAR})(?![\w-]){_PLACE}")
_BARE_YEAR = re.compile(r"(?<=\s)(?:1[5-9]|20)\d\d(?![\w-])")
_MOST_BARE = 300  # years that are looked at
_YEAR_BEHIND = re.compile(r"[(\[](?:1[5-9]|20)\d\d")
_NAME_ENDS = (
    re.compile(  # in a word, with "u. a", "等" or a period; not in an initial or another single letter
        rf"(?:(?:(?<!\s)|(?<=[uκ]\s)|(?<=[uκ]\.\s)){_LETTER}|(?<!\W{CAPITAL})\.|[等人ら])\s?\Z"
    )
)
_MOST = 30  # references of one name and year: more than there are letters behind a year
_LONGEST_PEOPLE, _LONGEST_PLACE = 400, 100  # characters before a year in brackets, and behind it
_FULL_WIDTH = str.maketrans("（）［］，；：", "()[],;:")
_EAST_NAME = r"(?:[\u3400-\u9fff\u30a1-\u30fa\u30fc·・]{2,12}?|[\uac00-\ud7a3]{2,4})"
_EAST_CUT = r"(?:\s?等人?|ほか|ら|\s?외)"
_SHORTEST = 30  # characters of a reference in full within brackets
_LONGEST_BARE = 120  # before a year without brackets
_LOOKED_AT = 30_000  # characters that show what an answer is about
_SOME = 2  # works of an answer, from which a name with a year is one, too
_EAST = re.compile(
    rf"(?:(?<=[(;])|(?<=[(;]\s))(?:如|例如|参见|參見|详见|詳見|见|見)?(?P<who>{_EAST_NAME}(?:\s?[、,·・&]\s?{_EAST_NAME}){{0,5}}{_EAST_CUT}?)[,、]?\s?(?P<when>(?:19|20)\d\d)[a-z]?年?"
    r"(?:[,:]\s?(?:第\s?)?(?:[pP]{1,2}\.\s?)?\d{1,5}(?:[-–—]\d{1,5})?(?:\s?[页頁쪽章节])?)?(?=\s?[);])"
    rf"|(?P<whom>[\u30a1-\u30fa\u30fc]{{2,12}}{_EAST_CUT}?|(?:[\u3400-\u9fff]{{2,4}}、){{0,5}}[\u3400-\u9fff]{{2,4}}(?:[和与與・][\u3400-\u9fff]{{2,4}})?{_EAST_CUT}?"
    rf"|(?<![\uac00-\ud7a3])(?:[\uac00-\ud7a3]{{2,4}}(?:,\s|·)){{0,5}}[\uac00-\ud7a3]{{2,4}}(?:[와과]\s[\uac00-\ud7a3]{{2,4}})?{_EAST_CUT}?)"
    r"\s?\((?P<dated>(?:19|20)\d\d)[a-z]?年?(?:[:,]\s?(?:第\s?)?\d{1,5}(?:[-–—]\d{1,5})?(?:\s?[页頁쪽])?)?\)"
)
_PRESS = re.compile(r"\b(?:Press|Verlag|Books|Publish(?:ing|ers)|Éditions|Editorial)$")  # (Hill Press, 1985)
_LIFE, _OLD = re.compile(r"(?P<born>\d{4})\s?[–-]\s?(?P<died>\d{4})"), 15  # Philip Zimbardo (1933–2024)
_BROADCASTER = re.compile(r"(?:ABC|AMC|BBC|CBS|HBO|ITV|NBC|PBS|TNT|ZDF|ARD|Netflix|Showtime)(?!\w)")
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_HAN_ONLY = re.compile(r"[\u3005\u3400-\u9fff]{3,6}")
_CUT_END = re.compile(rf"(?:{_CUT})$")
_SHORT_MONTHS = frozenset(
    ["jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"]
)
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
class Mark:
    """A mark of authors and years, and whether it is one beyond doubt."""

    span: Span
    reference: Reference
    sure: bool
    suffix: str = ""
    begins: bool = False
    """Whether a sentence begins with it and goes on behind it."""


def marks(
    answer: str, found: Sequence[Citation], further: Iterable[tuple[Span, Reference]] = ()
) -> Iterator[Citation]:
    """Author-year marks outside of the references that were found, each with the reference that it means.

    What may be a place or a film with its year ("(Paris, 2019)", "Gladiator (2000)") counts only if it means a reference
    of the answer, or if the answer has other marks that are beyond doubt.

    Args:
        answer: the text.
        found: the references that were read from it, in order.
        further: marks that something else read, by their places.

    Example:
        >>> [one.span.of(text) for text in ["As shown (see Hofmann et al., 2010; Goldin, 2011, p. 3), it works."] for one in marks(text, [])]
        ['Hofmann et al., 2010', 'Goldin, 2011, p. 3']
    """
    covered = sorted((one.span.start, one.span.end) for one in found)
    entries = Entries(answer, found)
    known = frozenset(one.reference.authors[0] for one in found if one.reference.authors)
    plain = answer.translate(_FULL_WIDTH)
    every = [*candidates(plain, known), *_bare(plain, entries)]
    every += [
        Mark(span, said, sure=True, suffix=_suffix(span.of(answer), said))
        for span, said in (*untitled(answer), *further)
    ]
    ordered = sorted(
        (_by_entry(answer, mark, entries) for mark in every),
        key=lambda mark: (mark.span.start, -mark.span.end),
    )
    kept: list[tuple[Mark, Span | None]] = []
    at = end = 0
    for mark in ordered:
        while at < len(covered) and covered[at][1] <= mark.span.start:
            at += 1
        if mark.span.start < end or (at < len(covered) and covered[at][0] < mark.span.end):
            continue
        end = mark.span.end
        meant = entries.meant(mark.reference, mark.suffix)
        kept.append((mark, meant.span if meant else None))
    certain = any(mark.sure or means for mark, means in kept)
    among = _among_works(answer, found)
    for mark, means in kept:
        if mark.sure or means or certain or (among and mark.begins):
            style: Style = "inline" if mark.reference.title else "author-year"
            yield Citation(mark.span, mark.reference, style, means=None if mark.reference.title else means)


def _suffix(text: str, said: Reference) -> str:
    """The letter behind the year of a mark: (Roe, 2020b)."""
    found = re.search(rf"{said.year}([a-z])(?!\w)", text)
    return found[1] if found else ""


def _among_works(answer: str, found: Sequence[Citation]) -> bool:
    """Whether an answer names works with their authors, and is not about films."""
    works = (
        one for one in found if one.reference.title and one.reference.authors and one.style != "unmarked"
    )
    return len(list(islice(works, _SOME))) == _SOME and MEDIA.search(answer, 0, _LOOKED_AT) is None


def candidates(answer: str, known: Container[str] = frozenset()) -> Iterator[Mark]:
    """What looks like a mark: in brackets, and in sentences."""
    for bracket in _BRACKET.finditer(answer):
        if _HAS_YEAR.search(bracket["inner"]):
            yield from _in_bracket(bracket["inner"], bracket.start("inner"))
    for cell in _CELL.finditer(answer):
        if not named_otherwise(cell["people"]):
            yield from read_marks(cell, cell.start("mark"), cell.end("mark"), sure=True)
    for match in _narratives(answer):
        if not named_otherwise(match["people"]):
            reports = _REPORTS.match(answer, match.end()) is not None
            reports = reports and not after_capital(answer, match.start())
            begins = _BEGINS.search(answer, max(0, match.start() - 4), match.start()) is not None
            begins = begins and _WITHIN.match(answer, match.end()) is not None
            given = _GIVEN.search(answer, max(0, match.start() - 30), match.start())
            for mark in read_marks(match, match.start(), match.end(), sure=reports):
                full = _in_full_name(mark, given) if given else mark
                yield replace(full, begins=True) if begins else full
    for match in _EAST.finditer(answer) if SCRIPT.search(answer) else ():
        if eastern := _eastern(match, known):
            yield eastern


def _in_full_name(mark: Mark, given: re.Match[str]) -> Mark:
    """The mark with the given name before it: Terence Johnson (1972)."""
    authors = mark.reference.authors
    if authors[0][:1].islower():
        return mark  # das Modell von Novak (1985)
    name, _ = without_opener(f"{given['given']} {authors[0]}")
    if not name.startswith(given["given"]) or people(name) is None or MEDIA.search(given["given"]):
        return mark
    span = Span(start=given.start("given"), end=mark.span.end)
    return replace(mark, span=span, reference=replace(mark.reference, authors=(name, *authors[1:])))


def _in_bracket(inner: str, start: int) -> Iterator[Mark]:
    if journal := _JOURNAL.fullmatch(inner):
        yield _from_journal(journal, start)
        return
    if placed := _with_venue(inner, start):
        yield placed
        return
    pieces = [(part, at + start) for part, at in _parts(inner)]
    if not all(part for part, _ in pieces) and (whole := _in_full(inner, start)):
        yield whole
        return
    if capitals := _CAPITALS.fullmatch(inner):
        yield from read_marks(capitals, start, start + capitals.end(), sure=True)
        return
    parts = [(part, at) for part, at in pieces if part and not named_otherwise(part["people"])]
    for number, (part, at) in enumerate(parts):
        several = len(pieces) > 1 and number > 0
        yield from read_marks(part, at + part.start("mark"), at + part.end("mark"), sure=several)


def _eastern(match: re.Match[str], known: Container[str]) -> Mark | None:
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
    return Mark(Span(start=start, end=match.end()), reference, sure=cut)


def _bare(answer: str, entries: Entries) -> Iterator[Mark]:
    """Foot 1967: without brackets, only where it means a reference of the answer."""
    done = 0
    years = (year for year in _BARE_YEAR.finditer(answer) if entries.of(int(year[0])))
    for year in islice(years, _MOST_BARE):
        start, end = max(done, year.start() - _LONGEST_BARE), year.end() + _LONGEST_PLACE
        near = _BARE.finditer(answer, start, end)
        match = next((one for one in near if one.start("years") == year.start()), None)
        done = year.end()
        for mark in read_marks(match, match.start(), match.end(), sure=False) if match else ():
            if entries.meant(mark.reference, mark.suffix):
                yield mark


def _by_entry(answer: str, mark: Mark, entries: Entries) -> Mark:
    """The mark with the name that its entry has: the Planck Collaboration (2020); in German, von Baddeley (1974)."""
    authors, year = mark.reference.authors, mark.reference.year
    if not entries or year is None or not authors:
        return mark
    behind = answer.find(authors[-1], mark.span.start) + len(authors[-1])
    for name in entries.full_names(authors[0], year) if len(authors) == 1 else ():
        if answer.endswith(name, 0, behind):
            span = Span(start=behind - len(name), end=mark.span.end)
            return replace(mark, span=span, reference=replace(mark.reference, authors=(name,)))
    first, _, rest = authors[0].partition(" ")
    shorter = replace(mark.reference, authors=(rest, *authors[1:]))
    meant = entries.meant(shorter, mark.suffix) if rest and first.islower() else None
    if meant and first not in meant.reference.authors[0].lower().split():
        span = Span(start=mark.span.start + len(first) + 1, end=mark.span.end)
        return replace(mark, span=span, reference=shorter)
    return mark


def _with_venue(inner: str, start: int) -> Mark | None:
    """(Kimura, 1968, *Nature*): people, a year and a journal, in any order."""
    placed = _PLACED.fullmatch(inner)
    year = (placed["years"] or placed["later"]) if placed else None
    if placed is None or not year or not is_venue(placed["venue"]):
        return None
    (mark,) = read_marks(placed, start + placed.start("mark"), start + placed.end("mark"), sure=True)
    said = replace(mark.reference, venue=placed["venue"], year=int(year[:4]))
    return replace(mark, reference=said, sure=True)


def _parts(inner: str) -> Iterator[tuple[re.Match[str] | None, int]]:
    """What is between the semicolons of brackets, as marks, and where each begins."""
    start = 0
    for piece in inner.split(";")[:20]:
        blank = len(piece) - len(piece.lstrip())
        match = _PART.fullmatch(piece.strip()) or _BODY_PART.fullmatch(piece.strip())
        yield match, start + blank
        start += len(piece) + 1


def _in_full(inner: str, start: int) -> Mark | None:
    """A reference with its title in brackets."""
    hidden = HIDDEN.search(inner)
    if hidden:
        start, inner = start + hidden.start(), hidden[0]
    parsed = parse(inner)
    if not hidden and (len(inner) <= _SHORTEST or not sure(inner, parsed)):
        return None
    return Mark(Span(start=start + parsed.start, end=start + parsed.end), parsed.reference, sure=True)


def _narratives(answer: str) -> Iterator[re.Match[str]]:
    """Smith et al. (2020): looked for only before a year in brackets, since names are slow to look for."""
    years = list(_YEAR_BEHIND.finditer(answer))
    named = [
        year.end() for year in years if _NAME_ENDS.search(answer, max(0, year.start() - 2), year.start())
    ]
    done = 0
    for year in years:
        start, end = max(done, year.start() - _LONGEST_PEOPLE), year.end() + _LONGEST_PLACE
        done = year.end()  # names have no bracket in them
        behind_name = bisect_left(named, year.end()) < bisect_right(named, end)
        if behind_name and (match := _NARRATIVE.search(answer, start, end)):
            yield match


def read_marks(match: re.Match[str], start: int, end: int, *, sure: bool) -> Iterator[Mark]:
    """The marks of a match with the groups of `PEOPLE` and its years: one for each year, or one without."""
    groups = match.groupdict()
    if (life := _LIFE.match(groups["years"] or "")) and int(life["died"]) - int(life["born"]) > _OLD:
        return
    cut, last, written = groups.get("cut"), groups.get("last"), match["people"]
    names = _BETWEEN.split(written[: len(written) - len(cut)] if cut else written)
    if match.re is _BODY_PART:
        names = [written]
    beyond = bool(cut) or sure or (bool(last) and match.re is _PART) or bool(groups.get("short"))
    dates = match["years"] or groups.get("later") or ""
    years = list(_EACH_YEAR.finditer(dates)) if dates[:1].isdigit() else []  # none in (Roe, n.d.)
    first = int(years[0]["year"]) if years else None
    reference = Reference(authors=tuple(filter(None, names)), et_al=bool(cut), year=first)
    if len(years) < 2:
        suffix = (years[0]["suffix"] or "") if years else ""
        yield Mark(Span(start=start, end=end), reference, beyond, suffix)
        return
    offset = start - match.start("mark" if "mark" in groups else 0) + match.start("years")
    latest = ""
    for number, year in enumerate(years):  # Geary, 1993, 2004: two works
        latest = year["year"] or latest
        begin = year.start("year") if year["year"] else year.start("suffix")
        span = Span(start=offset + begin if number else start, end=offset + year.end())
        yield Mark(
            span, replace(reference, year=int(latest)), beyond or "comma" in groups, year["suffix"] or ""
        )


def _from_journal(match: re.Match[str], start: int) -> Mark:
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
    return Mark(span, reference, sure=True)


def after_capital(answer: str, at: int) -> bool:
    """Whether another word with a capital stands before a place: the Times in "New York Times (2019)" is no name."""
    return _CAPITAL_BEFORE.search(answer, max(0, at - 30), at) is not None


def named_otherwise(people: str) -> bool:
    """Whether it begins with a month, a season, or what stands before a year without being a name."""
    if people.rstrip(".").casefold() in _SHORT_MONTHS:
        return True
    first = re.split(r"[\s,]", people, maxsplit=1)[0].casefold()
    published = _PRESS.search(people) is not None or (" " in people and is_press(people))
    return published or first in _NOT_PEOPLE or _BROADCASTER.match(people) is not None
