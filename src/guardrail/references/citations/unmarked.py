"""Titles in prose without quotation marks or emphasis: "Thomas Kuhn's 1962 book The Structure of Scientific Revolutions".

Only where a person and a year, or a person and a word such as "book" or "paper", stand beside the title: capitals alone
are no sign of a work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.languages import CAPITAL, THINGS, either
from guardrail.references.citations.languages import MEDIA as OTHER_MEDIA
from guardrail.references.citations.model import Citation, Style
from guardrail.references.citations.people import PEOPLE, PERSON, likely_names, people
from guardrail.references.citations.venues import NAME, is_venue
from guardrail.references.citations.words import words
from guardrail.report import Span

__all__ = ["MEDIA", "THING", "abbreviates", "unmarked", "without_opener"]

_YEAR = r"(?:1[4-9]|20)\d\d"
_NOUN = (
    r"(?:papers?|books?|articles?|study|essay|report|thesis|dissertation|novel|survey|monograph|textbook|memoir|treatise|"
    r"bestseller|classic|review|volume|pamphlet|masterpiece|masterwork|biography|autobiography|magnum\sopus|work)"
)
_LED = rf"(?:(?:[\w-]{{2,20}}\s){{0,3}}{_NOUN},?\s(?:(?:titled|entitled|called|on)\s)?)"
_CAPITAL = rf"(?:(?<!\w){CAPITAL}[\w’'-]{{0,30}}|\d{{1,4}}(?:st|nd|rd|th)?)"
_SMALL = r"(?:an?|the|of|in|on|for|to|and|or|with|from|at|as|is|are|vs\.?|into|through|under|without|between|de|la|du|et|der|und|&)"
_RUN = rf"{_CAPITAL}(?:(?::\s|\s)(?:{_SMALL}\s){{0,3}}{_CAPITAL}){{1,15}}[?!]?"
_COMMAS = rf"{_CAPITAL}(?:(?::\s|,\s|\s)(?:{_SMALL}\s){{0,3}}{_CAPITAL}){{1,15}}[?!]?"
_OWNS = rf"(?<![\w’'])(?P<by>{PEOPLE})(?:['’]s|(?<=s)['’])\s"
_TITLE_WORD = r"(?:The|An?|On|How|Why|What|When|Where|Who|Through|Against|Beyond|Into|To|Of|After|Before|Between|Towards?)"
_SIGNS = {
    "owned": re.compile(r"['’]s?\s"),
    "in": re.compile(r"[Ii]n\s"),
    "by": re.compile(r"\sby\s"),
    "wrote": re.compile(r"(?:published|wrote|authored)\s"),
    "dated": re.compile(rf"{_YEAR}\)"),
    "placed": re.compile(rf"\s{_YEAR}\)"),
    "of a year": re.compile(rf"he\s{_YEAR}\s"),
    "titled": re.compile(rf"\s{_TITLE_WORD}\s"),
    "work": re.compile(rf"\b{_NOUN},?\s"),
}
# Each with the signs that it cannot do without, which are looked for first, since names and titles are slow to look for.
_FORMS = [
    (re.compile(pattern), needed, loose)
    for pattern, needed, loose in (
        # Kahneman's Thinking, Fast and Slow (2011); Thomas Kuhn's 1962 book The Structure of Scientific Revolutions
        (
            rf"{_OWNS}(?:landmark\s|seminal\s|classic\s|influential\s|famous\s)?(?P<title>{_COMMAS})\s\((?:(?P<venue>{NAME}),?\s|(?:[A-Za-z]{{2,12}}\s){{1,3}})?(?P<year>{_YEAR})\)",
            ("owned", "dated"),
            True,  # a person may own, or be in, something that is no work of theirs
        ),
        (
            rf"{_OWNS}(?:[\w-]{{2,20}}\s){{0,2}}?(?:\(?(?P<year>{_YEAR})\)?\s)?{_LED}(?P<title>{_RUN})(?:\s\((?P<later>{_YEAR})\))?",
            ("owned", "work"),
            False,
        ),
        # In their 2017 paper Attention Is All You Need, Vaswani et al. …
        (
            rf"\b[Ii]n\s(?:their|his|her|the|a)\s(?:[\w-]{{2,20}}\s){{0,2}}?(?:(?P<year>{_YEAR})\s)?{_LED}(?P<title>{_RUN})(?:\s\((?P<later>{_YEAR})\))?,\s(?P<by>{PEOPLE})",
            ("in", "work"),
            False,
        ),
        # the book The Selfish Gene by Richard Dawkins (1976)
        (
            rf"\b{_NOUN},?\s(?:(?:titled|entitled|called)\s)?(?P<title>{_RUN})(?:\s\((?P<year>{_YEAR})\))?,?\s(?:was\s)?(?:written\s)?by\s(?P<by>{PEOPLE})(?:,?\s\(?(?P<later>{_YEAR})\)?)?",
            ("by", "work"),
            False,
        ),
        (
            rf"(?P<title>{_RUN})\s\((?P<year>{_YEAR})\),?\s(?:written\s)?by\s(?P<by>{PEOPLE})",
            ("by", "dated"),
            False,
        ),
        (
            rf"(?P<title>{_RUN}),?\s(?:written\s)?by\s(?P<by>{PEOPLE}),?\s\((?:(?P<venue>{NAME}),?\s)?(?P<year>{_YEAR})\)",
            ("by", "dated"),
            False,
        ),
        # B. F. Skinner published The Behavior of Organisms in 1938
        (
            rf"(?<![\w’'])(?P<by>{PEOPLE})\s(?:first\s)?(?:published|wrote|authored)\s(?:(?:his|her|their|the|a)\s{_LED})?(?P<title>{_COMMAS})\s(?:in\s(?P<year>{_YEAR})|\((?:(?P<venue>{NAME}),?\s)?(?P<later>{_YEAR})\))",
            ("wrote",),
            False,
        ),
        # Marya Schechtman, The Constitution of Selves (Cornell University Press, 1996)
        (
            rf"(?<![\w’'])(?P<by>{PERSON}\s{PERSON}|{PEOPLE}),\s(?P<title>{_COMMAS})\s\((?P<press>{NAME}),?\s(?P<year>{_YEAR})\)",
            ("placed",),
            False,
        ),
        # Hans Belting (Florence and Baghdad, Harvard UP, 2011)
        (
            rf"(?<![\w’'])(?P<by>{PEOPLE})\s\((?P<title>{_RUN}),\s(?P<press>{NAME}),\s(?P<year>{_YEAR})\)",
            ("placed",),
            False,
        ),
        # Rachel Carson, in Silent Spring (1962); in Silent Spring (1962), Rachel Carson
        (
            rf"(?<![\w’'])(?!(?:He|She|It|They|We|This|That)\s)(?P<by>{PEOPLE}),?\s(?:[a-z’'-]{{1,20}}\s){{0,6}}?in\s(?P<title>{_COMMAS})\s\((?:(?P<venue>{NAME}),?\s)?(?P<year>{_YEAR})\)",
            ("in", "dated"),
            True,
        ),
        (
            rf"\b[Ii]n\s(?P<title>{_COMMAS})\s\((?:(?P<venue>{NAME}),?\s)?(?P<year>{_YEAR})\),\s(?P<by>{PEOPLE})",
            ("in", "dated"),
            True,
        ),
        # John McWhorter's The Language Hoax: in the middle of a sentence only titles begin with such a word in capitals
        (rf"{_OWNS}(?P<title>{_TITLE_WORD}\s{_COMMAS})", ("owned", "titled"), True),
        # In The Selfish Gene, Richard Dawkins argues
        (
            rf"\b[Ii]n\s(?P<title>{_TITLE_WORD}\s{_COMMAS}),\s(?P<by>{PERSON}\s{PERSON})\s(?:argu|show|writ|describ|explain|claim|explor|trac|suggest|propos)",
            ("in", "titled"),
            True,
        ),
        # Malcolm Gladwell's book Outliers (2008)
        (
            rf"{_OWNS}(?:[\w-]{{2,20}}\s){{0,2}}?{_NOUN}\s(?P<title>{_CAPITAL})\s\((?P<year>{_YEAR})\)",
            ("owned", "dated", "work"),
            True,
        ),
        # (see Piketty, Capital in the Twenty-First Century, 2014)
        (
            rf"\((?:see\s|cf\.\s|e\.g\.,?\s)?(?P<by>{PEOPLE}),\s(?P<title>{_COMMAS}),\s(?P<year>{_YEAR})\)",
            ("placed",),
            True,
        ),
        # The 1972 report The Limits to Growth
        (
            rf"\b[Tt]he\s(?P<year>{_YEAR})\s(?:[a-z-]{{2,20}}\s)?{_NOUN}\s(?P<title>{_TITLE_WORD}\s{_COMMAS})",
            ("of a year", "work"),
            True,
        ),
        # The Structure of Scientific Revolutions (Kuhn, 1962); Obedience to Authority (Harper & Row, 1974)
        (rf"(?P<title>{_RUN})\s\((?P<by>{PEOPLE}),?\s(?P<year>{_YEAR})\)", ("placed",), False),
        (rf"(?P<title>{_RUN})\s\((?P<press>{NAME}),?\s(?P<year>{_YEAR})\)", ("placed",), True),
    )
]
_AMONG = (  # among other works: Ann Roe's Bells, Towers, and Quiet Towns shows
    re.compile(
        rf"(?<![\w’'])(?P<by>{PERSON}\s{PERSON})['’]s\s(?P<title>{CAPITAL}[\w-]{{0,30}}(?:(?::\s|,\s|\s)(?:{_SMALL}\s){{0,2}}{CAPITAL}[\w-]{{0,30}}){{2,10}})(?=\s[a-z]{{3}}|[.,;])"
    ),
    ("owned",),
    True,
)
_IN_BRACKETS = _FORMS[-2][0]  # one word may be a publisher or a broadcaster: Ring of Swords (Ace, 1993)
_OPENERS = frozenset(
    [
        "here",
        "in",
        "as",
        "see",
        "per",
        "from",
        "like",
        "since",
        "while",
        "when",
        "after",
        "before",
        "although",
        "however",
        "but",
        "and",
        "also",
        "then",
        "both",
        "for",
        "on",
        "by",
        "according",
        "thus",
        "hence",
        "similarly",
        "meanwhile",
        "later",
        "today",
        "another",
        "one",
        "his",
        "her",
        "their",
        "its",
        "our",
        "my",
        "this",
        "these",
        "those",
        "yet",
        "still",
        "add",
        "consider",
        "try",
        "read",
    ]
)
MEDIA = re.compile(
    rf"\b(?:{OTHER_MEDIA}|"
    + either(
        "film | films | movie | movies | song | songs | album | albums | podcast | podcasts | painting | paintings | sculpture | sculptures | recording | recordings | "
        "episode | episodes | season | seasons | single | singles | video game | video games | symphony | concerto | opera | musical | soundtrack | cinema | band | "
        "director | directors | directed | starring | starred | actor | actors | actress | actresses | filmmaker | filmmakers | screenwriter | screenwriters | screenplay | screenplays | oscar | oscars"
    )
    + r")\b",
    re.IGNORECASE,
)
THING = re.compile(rf"(?<!\w)(?i:{THINGS})\s[*_„«»“\"]{{0,3}}\s?\Z")
"""What a title in marks is the name of, right before it, and no written work: Das Spiel *Catan*."""
_OWNS_NAME = re.compile(r"\w['’]s\s[^\W\d_a-z]")
_CUE = re.compile(
    rf"(?<!\d){_YEAR}(?!\d)|\b{_NOUN}\b|['’]s\s{_TITLE_WORD}\s[^\W\d_a-z]|\b[Ii]n\s{_TITLE_WORD}\s[^\W\d_a-z]"
)
_SENTENCE_ENDS = re.compile(r"(?<!\bSt)[.!?](?=\s+[^\W\d_a-z\s])|\n")
_BEGINS = re.compile(_TITLE_WORD + r"\b")
_LONGEST = 600
_LONG = 4  # words of a title without marks, from which one name and a word for a work are enough
_IS_WORK = re.compile(rf"['’]s?\s(?:[a-z-]{{2,20}}\s){{0,2}}{_NOUN}\b")


def unmarked(answer: str, taken: bytearray) -> Iterator[Citation]:
    """The works named in the sentences of an answer, outside what is `taken`, without overlap.

    Example:
        >>> text = "B. F. Skinner published The Behavior of Organisms in 1938."
        >>> [(one.reference.title, one.reference.authors, one.reference.year) for one in unmarked(text, bytearray(len(text)))]
        [('The Behavior of Organisms', ('B. F. Skinner',), 1938)]
    """
    start, among = 0, taken.find(1) >= 0
    for end in [*(match.end() for match in _SENTENCE_ENDS.finditer(answer)), len(answer)]:
        if end - start > 25 and not answer[max(start, end - 12) : end].rstrip().endswith(("et al.", " al.")):
            yield from _in_sentence(answer, start, min(end, start + _LONGEST), taken, among=among)
            start = end
        elif end - start <= 25 and answer[end - 1 : end] == "\n":
            start = end


def _in_sentence(answer: str, start: int, end: int, taken: bytearray, *, among: bool) -> Iterator[Citation]:
    sentence = answer[start:end]
    forms = _FORMS if _CUE.search(sentence) else []
    if among and _OWNS_NAME.search(sentence):
        forms = [*forms, _AMONG]
    if not forms or MEDIA.search(sentence):
        return
    found: list[Citation] = []
    shows = cache(lambda sign: _SIGNS[sign].search(sentence) is not None)
    for form, needed, loose in forms:
        for match in form.finditer(sentence) if all(map(shows, needed)) else ():
            citation = _citation(match, start, loose=loose)
            if (
                citation is not None
                and taken.find(1, citation.span.start, citation.span.end) < 0
                and not any(
                    one.span.start < citation.span.end and citation.span.start < one.span.end for one in found
                )
            ):
                found.append(citation)
    yield from sorted(found, key=lambda one: one.span.start)


def _citation(match: re.Match[str], offset: int, *, loose: bool) -> Citation | None:
    groups = match.groupdict()
    owned = bool(groups.get("by")) and match.start("by") < match.start("title")
    title, skipped = (match["title"], 0) if owned else without_opener(match["title"])
    by, before = without_opener(groups.get("by") or "")
    names = people(by) if by else ((), False)
    year = groups.get("year") or groups.get("later")
    venue = (groups.get("press") or groups.get("venue") or "").rpartition(": ")[2]
    count = len(words(title))
    if match.re is _AMONG[0] and not re.search(r"[,:]\s|\s[a-z]", title):
        return None  # Hill Academy's AP Art History
    if (groups.get("press") and not is_venue(venue)) or (
        match[0].startswith("(") and (people(title) or is_venue(title))
    ):
        return None  # (Teece, Pisano and Shuen, 1997)
    if (
        names is None
        or is_venue(by)
        or (count < 2 and not (year and _IS_WORK.search(match[0])))
        or (count == 2 and not title.startswith(("The ", "A ", "On ")) and not year)
        or abbreviates(by or venue, title)
    ):
        return None
    if groups.get("press") and count == 2 and (named := people(title)) and likely_names(named[0]):
        return None  # scritto con Anna Bianchi (Laterza, 1999)
    alone = bool(by) and len(names[0]) == 1 and not names[1] and " " not in names[0][0]
    if alone and not year:
        if count < _LONG or not (_IS_WORK.search(match[0]) or _BEGINS.match(title)):
            return None
        loose = True  # Piketty's book Capital in the Twenty-First Century
    start = match.start("title") + skipped
    start = min(start, match.start("by") + before) if by else start
    end = max(match.end(name) for name in groups if match[name])
    end += match.string[end : end + 1] == ")" and "(" in match.string[start:end]
    reference = Reference(title, names[0], names[1], int(year) if year else None, venue)
    loose = loose or (match.re is _IN_BRACKETS and len(by.split()) == 1)
    style: Style = "unmarked" if loose else "emphasised"
    return Citation(Span(start=offset + start, end=offset + end), reference, style)


def abbreviates(short: str, name: str) -> bool:
    """Whether a name in brackets is that of the body before it: The National Audit Office (NAO, 2018)."""
    return (
        short.isupper()
        and short == "".join(word[0] for word in words(name) if word[0].isupper())[-len(short) :]
    )


def without_opener(text: str) -> tuple[str, int]:
    """Without the word that only begins the sentence, and how long that was."""
    first, _, rest = text.partition(" ")
    return (rest, len(first) + 1) if rest and first.casefold() in _OPENERS else (text, 0)
