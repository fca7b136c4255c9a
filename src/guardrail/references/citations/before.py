"""Who a sentence names before a title: Caro's *The Power Broker*; David Hockney, whose *Secret Knowledge* …."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from guardrail.references.citations.people import PEOPLE, PERSON, author_and_year, authors, body, people
from guardrail.references.citations.unmarked import without_opener
from guardrail.references.citations.venues import NAME, is_venue
from guardrail.references.citations.words import words

__all__ = ["NOUN", "OPENED", "REACH", "Before", "read_before"]

NOUN = (
    r"papers?|books?|articles?|study|studies|essays?|report|thesis|dissertation|novel|survey|chapter|monograph|"
    r"textbook|memoir|preprint|publication|treatise|review|"
    r"livre|ouvrage|roman|article|buch|aufsatz|werk|libro|artículo"
)
"""A pattern of words for works."""
REACH = 200
"""Characters before a title that may name its author."""

_YEAR = r"(?:1[4-9]|20)\d\d"
_SHORT_NAME = r"[^\W\d_a-z][\w'’-]{1,30}(?:\s(?:and|&)\s[^\W\d_a-z][\w'’-]{1,30}|,?\set al\.?)?"
_SHORT_NAMES = rf"(?:(?!\w+ly,|However|Moreover|Indeed|Here|Today|Later|First|Second|Third)(?:[^\W\d_a-z][\w'’-]{{1,30}},\s){{1,3}}[^\W\d_a-z][\w'’-]{{1,30}},?\s(?:and|&)\s[^\W\d_a-z][\w'’-]{{1,30}}|{_SHORT_NAME})"
_DATED = re.compile(rf"(?<!\w)({_SHORT_NAMES}\s?\(((?:1[4-9]|20)\d\d)[a-z]?\)[,:.]?\s?)$")
_PROPOSES = re.compile(
    rf"(?<!\w)({_SHORT_NAME}\s?\(((?:1[4-9]|20)\d\d)[a-z]?\),?\s"
    r"(?:(?:propose|introduce|describe|argue)[sd]?|present(?:s|ed)?|publish(?:es|ed)?|writes?|wrote|show(?:s|ed)?)\s(?:[\w-]{2,20}\s){0,5}?)$"
)
_OWNER = re.compile(
    r"(?<![\w.])(?P<owner>(?:[^\W\d_a-z][\w.-]{0,20}\s){0,3}(?:(?:v[ao]n|de[rn]?|du|di)\s){0,2}[^\W\d_a-z][\w-]{1,30}"
    r"(?:\s(?:and|&)\s(?:[^\W\d_a-z][\w.-]{0,20}\s){0,3}[^\W\d_a-z][\w-]{1,30}|\set\sal\.)?)(?:['’]s|(?<=s)['’])\s"
    rf"(?P<rest>(?:(?:[a-z][\w’'-]{{2,20}}|[A-Z]{{3,6}}|\d{{1,2}}(?:st|nd|rd|th)|\(?(?P<year>{_YEAR})\)?),?\s){{0,6}}"
    rf"(?:(?:(?:at|in|for)\s(?:the\s)?[*_]?{NAME}[*_]?(?:\sin\s(?P<late>{_YEAR}))?|[*_]?{NAME}[*_]?\s(?:{NOUN})),?\s(?:called\s|titled\s|entitled\s)?)?)$"
)
_SUBJECT = re.compile(  # Wayne Booth published *…*; Benedict Anderson, in *…*; Meselson and Stahl in their 1958 PNAS article *…*
    rf"(?<![\w.’'-])(?P<owner>{PEOPLE}),?\s(?:(?:first|later|then|also|once)\s)?"
    rf"(?P<rest>(?:(?:published|wrote|authored)(?:\sin\s(?P<early>{_YEAR}))?|(?:(?:argue|write|propose|introduce|describe|show)[ds]?\s)?in)\s"
    rf"(?:(?:his|her|their|the|a)\s(?:[\w-]{{2,20}}\s){{0,2}}?(?:(?P<year>{_YEAR})\s)?(?:[\w-]{{2,20}}\s){{0,2}}?(?:{NOUN})\s)?)[*_]{{0,2}}$"
)
_WHOSE = re.compile(
    rf"(?<![\w.’'-])(?P<owner>{PEOPLE}),\s(?P<rest>(?:whose\s|(?:the\s)?authors?\sof\s(?:the\s)?)(?:(?!became\b|led\b|grew\b|turned\b)[a-z-]{{2,20}}\s){{0,3}}"
    rf"(?:(?P<year>{_YEAR})\s)?(?:(?:{NOUN})\s)?)$"
)
_WHO = re.compile(
    rf"(?<![\w.’'-])(?P<owner>{PEOPLE})(?P<rest>,?\swho,?\sin\s)$"
)  # It was Claude Lévi-Strauss who, in *…*
_DATED_PAPER = re.compile(  # The 1983 report *A Nation at Risk*
    rf"(?<!\w)(?P<phrase>(?:[Aa]n?|[Tt]he|[Tt]his|[Tt]hat)\s(?P<year>{_YEAR})\s(?:[a-z-]{{2,20}}\s){{0,2}}?(?:{NOUN}),?\s(?:titled\s|called\s|entitled\s)?)$"
)
_LISTED = re.compile(  # see Martin Kemp, *The Science of Art*; Cengiz et al., "The Effect of …"
    rf"(?:\A|[.!?:;(\[–—|]\s|[\n(\[]|\b(?:is|was|by|see|[Ss]ee|[Rr]ead|and|with|add|to|from|of|recommend|try|are|or|like|than|including|especially|then|next|first|finally|also)\s)(?P<owner>{PEOPLE}),(?P<rest>\s{{1,4}})$"
)
_BRACKETED = re.compile(rf"(?<![\w.’'-])(?P<owner>{PEOPLE})(?P<rest>\s\()$")
_REPORTED = re.compile(  # In 2000 Eleanor Maguire and colleagues reported "Navigation-related structural change …"
    rf"(?<![\w.’'-])(?P<owner>{PEOPLE})(?P<rest>\s(?:(?:first|then|later|also)\s)?(?:reported|introduced|presented|announced|described|proposed|delivered)\s)$"
)
_PATTERNS = (  # each with what is quickly looked for first, in how many characters before the title
    (_OWNER, re.compile(r"['’]s?\s"), REACH),
    (_SUBJECT, re.compile(r"\b(?:published|wrote|authored|in)\s"), REACH),
    (_WHOSE, re.compile(r",\s(?:whose|(?:the\s)?authors?)\s"), REACH),
    (_WHO, re.compile(r"\swho,?\sin\s$"), 10),
    (_REPORTED, re.compile(r"ed\s$"), 10),
    (_BRACKETED, re.compile(r"\w\s\($"), 10),
)
_CLAUSE = re.compile(  # where a clause with a person for its subject begins; -ist, -ian, -pher: the historian Ann Roe
    r"(?=[^\W\d_a-z])(?:\A|(?<=[.!?:;\]¹²³⁰⁴⁵⁶⁷⁸⁹]\s)|(?<=,\s)|(?<=,\sand\s)|(?<=[\sA]s\s)|(?<=\sas\s)|(?<=\show\s)|(?<=[\sW]hen\s)|(?<=\swhere\s)|(?<=\sby\s)|(?<=\slater\s)|(?<=[.:?!]\*\*\s)|(?<=ist\s)|(?<=ian\s)|(?<=pher\s)|(?<=eague\s)|(?<=\d\s)|(?<=\n))"
)
_ACTS = re.compile(  # Harold McGee takes it apart in *On Food and Cooking*; Nagel asked in 1974, in The Philosophical Review, "…"
    rf"(?P<owner>{PERSON},\s(?:together|along)\swith\s{PEOPLE},|{PEOPLE})(?P<rest>(?!\s(?:with|and|or|for|of|at|from)\s),?(?:\s\([^()\n]{{2,30}}\))?"
    rf"(?:[,:]?\s\*{{0,2}}(?:[\w’'-]{{1,20}}|{_YEAR}|\({_YEAR}\)|\d{{1,3}}(?:,\d{{3}}){{1,2}}|(?:[A-Z]\.){{2,3}})\*{{0,2}}){{0,16}}?[,:]?"
    rf"(?:(?:\sfor\s(?:the\s)?[*_]{NAME}[*_])?(?=\s\($)|\s(?:in(?:to)?|called|titled|entitled|under\sthe\s(?:heading|title)|and\spublished|(?:part|chapters?|half|most|much|pages)\sof))\s"
    rf"(?:(?:a|an|the|his|her|their)\s(?:[\w-]{{2,20}}\s){{0,3}}?(?:{NOUN})(?:,\s|\s(?:[a-z]{{2,20}}\s)?(?:called\s|titled\s|entitled\s)?)|(?:the\s)?[*_]?{NAME}[*_]?,?\s)?\(?)$"
)
_PAPER_BY = re.compile(  # a paper in *Science* by Hunt and Lipo, "…"
    rf"(?<!\w)(?P<phrase>(?:an?|the|his|her|their|this|that)\s(?:[\w-]{{2,20}}\s){{0,3}}?(?:{NOUN})\s(?:in\s(?:the\s)?[*_]?{NAME}[*_]?\s)?(?:(?:from|in|of)\s{_YEAR}\s)?)"
    rf"by\s(?P<owner>{PEOPLE})(?P<rest>,?\s(?:titled\s|called\s|entitled\s)?)$"
)
_PAPER_IN = re.compile(  # the 2007 *PNAS* paper "…"
    rf"(?<!\w)(?P<phrase>(?:an?|the|this|that)\s(?:{_YEAR}\s)?[*_]?(?P<venue>{NAME})[*_]?\s(?:{_YEAR}\s)?(?:{NOUN}),?\s(?:titled\s|called\s|entitled\s)?)$"
)
_PAPER_OPENS = re.compile(  # a 2015 paper in *Science* ("…")
    rf"(?<!\w)(?P<phrase>(?:[Aa]n?|[Tt]he|[Tt]his|[Tt]hat|[Oo]ne|[Aa]nother)\s(?:(?:[a-z-]{{2,20}}|{_YEAR})\s){{0,3}}?(?:{NOUN})\s(?:published\s)?in\s(?:the\s)?"
    rf"[*_]?(?P<venue>{NAME})[*_]?(?:\sin\s{_YEAR})?\s\()$"
)
_NAMED_WORK = re.compile(rf"\b(?:{NOUN})\b")
OPENED = re.compile(  # In "Trees"; In his 1945 essay "Trees"
    rf"\b[Ii]n\s(?:(?:an?|the|his|her|their)\s(?:[a-z-]{{2,20}}\s){{0,2}}?(?:(?P<year>{_YEAR})\s)?(?:[a-z-]{{2,20}}\s){{0,2}}?(?:{NOUN}),?\s(?:called\s|titled\s)?)?$"
)
"""The beginning of a sentence whose subject wrote the title that follows."""
_IN_VENUE = re.compile(rf"\b(?:in|for|at|by)\s(?:the\s|journal\s)?[*_]?(?P<venue>{NAME})[*_]?(?=[\s,(]|$)")
_VENUE_PAPER = re.compile(rf"(?<!\w)[*_]?(?P<venue>{NAME})[*_]?\s(?:{NOUN})\b")
_ACRONYM = re.compile(
    r"(?<!\w)[*_]?(?P<venue>[A-Z]{3,6})[*_]?\s(?:papers?|article|study|report|essay|review)\b"
)
_ANY_YEAR = re.compile(rf"(?<![\d–-]){_YEAR}(?![\d–-])")
_IN_YEAR = re.compile(rf"\b[Ii]n\s(?P<year>{_YEAR}),?\s$")  # In 1997 A. K. Gavrilov gathered …
_EASTERN = re.compile(
    r".*[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3。、，：（]\s?", re.DOTALL
)  # 洋書なら Jane Roe, *…*
_PARAGRAPH = re.compile(r"\n\s*(?:\n|[-*•>]\s|\d{1,3}[.)]\s)")
_WITH_AUTHORS = re.compile(r"(?P<title>[^()]{4,300}?)\s\((?P<by>[^()]{4,150})\)")
_PRONOUNS = frozenset(["that", "this", "it", "here", "there", "what", "who", "he", "she", "let", "where"])
_CLAUSES = 8  # the last of a sentence
_WRITES = re.compile(rf"\b(?:published|wrote|authored|{NOUN})\b")


@dataclass(frozen=True, slots=True)
class Before:
    """Who is named before a title or within its link, and the title without that.

    Attributes:
        title: the title.
        names: the authors, and whether more of them are not named; `None` if nobody is.
        year, venue: what is said of them there.
        length: characters before the title that belong to it.
        owned: whether they own the title, or act on it: that alone is no sign of a reference (Netflix's *The Crown*).
        loose: whether they may be the subject of something else.
        listed: whether they are set off by a comma or a bracket, as in a bibliography.
    """

    title: str
    names: tuple[tuple[str, ...], bool] | None = None
    year: int | None = None
    venue: str = ""
    length: int = 0
    owned: bool = False
    loose: bool = False
    listed: bool = False

    @property
    def full(self) -> bool:
        """Whether they are named as authors are: with a given name, an initial, or several of them."""
        names, et_al = self.names or ((), False)
        return bool(names) and (et_al or len(names) > 1 or " " in names[0])


def read_before(before: str, title: str, *, proposes: bool, link: bool) -> Before:
    """Read who is named before a title; `before` is the text up to it, at most `REACH` characters of it."""
    if link and (whole := _WITH_AUTHORS.fullmatch(title)) and (claimed := author_and_year(whole["by"])):
        return Before(whole["title"], (claimed.authors, claimed.et_al), claimed.year)
    shorter = before.rstrip(" ")
    wide = max(len(before) - len(shorter) - 1, 0)  # blanks that were tags
    last = _PARAGRAPH.split(before[: len(before) - wide])[-1]
    if (eastern := _EASTERN.match(last)) and re.search(r"[A-Z]", last[eastern.end() :]):
        last = last[eastern.end() :]
    begun = (
        "…" if not eastern and len(last) + wide >= REACH else ""
    )  # where the text was cut, no sentence begins
    found = _read(begun + last, title, proposes=proposes)
    return replace(found, length=found.length + wide) if found.length else found


def _read(before: str, title: str, *, proposes: bool) -> Before:
    dated = _DATED.search(before) if ")" in before[-3:] else None
    dated = dated or (_PROPOSES.search(before) if proposes and ")" in before else None)
    if dated and (names := people(re.sub(r"\(.*", "", dated[1]))):
        return Before(title, names, int(dated[2]), length=len(dated[1]))
    if _NAMED_WORK.search(before) and (found := _paper(before, title)):
        return found
    if before.rstrip().endswith(",") and (listed := _LISTED.search(before)):
        found = _named(before, listed, title)
        pointed = re.search(
            r"(?:\b(?:[Ss]ee|is|was|[Rr]ead|[Cc]f\.)\s|\()$", before[: len(before) - found.length]
        )
        if (found.full and not found.loose) or (found.names and pointed):
            return replace(found, listed=True, loose=not found.full)  # see Roe, *Trees*
    for pattern, needed, reach in _PATTERNS:
        match = pattern.search(before) if needed.search(before, max(0, len(before) - reach)) else None
        if match and (found := _named(before, match, title)).names:
            found = replace(found, owned=True)
            if pattern is _SUBJECT and re.search(r"[^,]\sin\s[*_]{0,2}$", before) and not found.full:
                continue  # who only stands before "in" may be anybody
            if pattern is _SUBJECT and re.search(r"[^,]\sin\s[*_]{0,2}$", before) and _alone(match["owner"]):
                continue  # the Chinese Room in "Minds, Brains, and Programs"
            if pattern in (_BRACKETED, _REPORTED) and not found.full:
                continue
            return replace(found, listed=pattern is _BRACKETED, loose=pattern is _REPORTED)
    return _acting(before, title)


def _paper(before: str, title: str) -> Before | None:
    """A paper by somebody, or in some journal, before its title."""
    if (match := _PAPER_BY.search(before)) and (found := _named(before, match, title)).names:
        years, venue = _ANY_YEAR.findall(match["phrase"]), _venue_in(match["phrase"])
        length = len(before) - match.start("phrase") if years or venue else found.length
        return replace(found, year=int(years[0]) if years else None, venue=venue, length=length)
    if (match := _PAPER_IN.search(before) or _PAPER_OPENS.search(before)) and is_venue(match["venue"]):
        years = _ANY_YEAR.findall(match["phrase"])
        length = len(before) - match.start("phrase")
        return Before(title, year=int(years[0]) if years else None, venue=match["venue"], length=length)
    if match := _DATED_PAPER.search(before):
        return Before(title, year=int(match["year"]), length=len(before) - match.start("year"))
    return None


def _alone(owner: str) -> bool:
    names = people(without_opener(owner)[0])
    return names is not None and len(names[0]) == 1 and not names[1] and "." not in owner


def _acting(before: str, title: str) -> Before:
    """The subject of the last clause that has a person for one: Gina Perry reports in *Behind the Shock Machine*."""
    if not before.endswith(
        (" in ", "called ", "titled ", "heading ", "title ", "published ", " of ", " (", ", ")
    ):
        return Before(title)
    clauses = [_ACTS.match(before, clause.start()) for clause in list(_CLAUSE.finditer(before))[-_CLAUSES:]]
    acting = [match for match in clauses if match]
    for last in reversed(acting):
        match = next(
            one for one in acting if one.end("owner") == last.end("owner")
        )  # not from its second name on
        found = _named(before, match, title)
        by = before.endswith(("by ", "as ", "As "), 0, match.start("owner"))  # coined by Granovetter in "…"
        if found.names and (found.full or found.year or by):
            sure = found.full and _WRITES.search(match["rest"]) is not None
            return replace(found, owned=True, loose=not sure)
    return Before(title)


def _named(before: str, match: re.Match[str], title: str) -> Before:
    owner, skipped = (match["owner"], 0) if body(match["owner"]) else without_opener(match["owner"])
    if owner.casefold() in _PRONOUNS:
        return Before(title)  # That's the result, from "…"
    names = authors(re.sub(r",\s(?:together|along)\swith\s", " and ", owner.rstrip(",")))
    if names is None or is_venue(owner):
        return Before(title)
    rest = match["rest"]
    years = _ANY_YEAR.findall(rest)
    start = match.start("owner") + skipped
    if not years and not skipped and (dated := _IN_YEAR.search(before, 0, start)):
        years, start = [dated["year"]], dated.start("year")
    return Before(title, names, int(years[-1]) if years else None, _venue_in(rest), len(before) - start)


def _venue_in(rest: str) -> str:
    """Where the work appeared, as words between its author and its title say: in their 1958 PNAS article."""
    for pattern in (_ACRONYM, _IN_VENUE, _VENUE_PAPER):
        for match in pattern.finditer(rest):
            slanted = match[0][:1] in "*_" and pattern is _VENUE_PAPER  # 1968 *Datamation* article
            if (slanted or is_venue(match["venue"])) and words(match["venue"]):
                return match["venue"].rstrip(",.")
    return ""
