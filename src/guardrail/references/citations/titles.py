"""Where the title of a reference string ends, and what a reading in progress knows."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from guardrail.references.citations.houses import is_press
from guardrail.references.citations.languages import VOLUMES
from guardrail.references.citations.parts import CITY, NUMBERS, container_at, role_at
from guardrail.references.citations.people import people, surely_people
from guardrail.references.citations.venues import is_venue
from guardrail.references.citations.words import VENUE, YEAR, is_comment, quotation_at, title_case, words

__all__ = [
    "DASH",
    "DATE",
    "EMPHASIS",
    "LINK",
    "ORNAMENT",
    "PAREN",
    "PART_AT",
    "PLACED",
    "STOP",
    "Draft",
    "before_listed",
    "bracketed",
    "clean_title",
    "rest_of_title",
    "sentence_end",
    "title_after",
]

DATE = re.compile(
    r"\(\s?(?:[^()\d]{0,20})((?:1[4-9]|20)\d\d)[a-z]?(?:\s?[,–-][^()]{0,30})?\s?\)|\(n\.\s?d\.\)"
)
PART_AT = re.compile(
    r"\s?[:.]\s(?=[вуВУ]\s\d{1,2}(?:-?х)?\s(?:т|ч|кн)\.)|"  # : в 3 т. — М.: Наука
    rf",\s(?=(?:{VOLUMES})\s?\d{{1,4}}\b|\d{{1,2}}\s(?:Bde|vols|тт|t|sv)\b|[\"„«][^\"„”«»]{{3,60}}[\"”»],?\s(?:{VOLUMES})\s?\d)"
)
PLACED = re.compile(rf"(?<=[.?!“”»])\s+(?:{CITY.pattern})")
_SERIES = re.compile(
    r"\b(?:[Ss]eries|[Ss]tudies|[Rr]eihe|[Bb]ibliothek|[Cc]ollection|[Cc]olección|[Cc]oleção|[Cc]ollana|[Bb]iblioteca|[Ss]chriften|[Ss]erie|[Pp]aperbacks?)\b"
)
STOP = re.compile(r"[.?!](?=[\"”»’*_]{0,3}(?:[\s|]|$))")
_ABBREVIATION = re.compile(
    r"(?:\b(?:vs|no|vol|ed|eds|St|Dr|Mr|Mrs|Inc|Jr|cf|e\.g|i\.e|U\.S|pt)|(?<![’'])(?<![^\W\d_]-)\b[^\W\d_])$"
)
_SLASH = re.compile(r"\s(//?)\s+(?=\S)")
_TRANSLATED = re.compile(
    r"(?:[Пп]ер|[Сс]ост|[Рр]ед|[Пп]од\sред|przeł|přel|prev)\.\s"
)  # / пер. с англ. — М.: …
_RESPONSIBLE = re.compile(r"[^;—–]{0,200}?(?=\.\s[—–]|;|\s[—–]|\s//|$)|")
PAREN = re.compile(r"\s\(([^()]{2,200})\)")
_LOWER_VENUE = re.compile(r"arXiv|bioRxiv|medRxiv|eLife|iScience|npj\s")
DASH = re.compile(r"\s+[-–—]+\s+|\s?—\s?")
_LISTED = re.compile(
    r",\s(?=[^\W\d_a-z][\w.&’' -]{1,60},\s(?:\d|[^\W\d_a-z][\w .]{1,30},\s\d)|[^\W\d_a-z][\w.&’' -]{1,60}\s\d{1,4}\s\((?:1[4-9]|20)\d\d\))"
)
_IN_VENUE = re.compile(r"(?<=[?!])\s[Ii]n\s(?:the\s)?(?P<venue>[^\W\d_a-z][^.,;:()\d\n]{1,80})")
_SLANTED_VENUE = re.compile(r"[,?!]\s([*_])(?P<venue>[^\W\d_a-z][^*_\n]{2,80})\1")
_DATED_VENUE = re.compile(  # each place once: of a name in commas the last part is enough to know it by
    r",\s(?P<venue>[^\W\d_a-z][^,;:()\d\n]{1,80}?),?\s(?:1[4-9]|20)\d\d(?!\d)"
)
_LINKS_BEHIND = re.compile(
    r"(?:\s*\[+\s?(?:abs|pdf|html|code|link|doi|paper|arxiv)\s?\]*){1,4}$", re.IGNORECASE
)
_KIND_BEFORE = re.compile(  # as search engines show it; [2305.14314], as arXiv does
    r"^(?:【\d{1,3}】|(?:Books?|Reviewed|Novel|Livre|Libro|Buch):\s|[(\[](?:PDF|HTML|DOC|BOOK|CITATION)[)\]]|\[\d{4}\.\d{4,5}\])\s*(?=\S)"
)
_SITE_BEHIND = re.compile(r"\s[·|–—-]\s(?:[\w-]{1,40}\.){1,4}[a-z]{2,6}$")
_SHORT_BEHIND = re.compile(r"\s\([\"“„«]\s?[A-Z][\w-]{2,15}\s?[\"”“»]\)$")  # … of a Drug („SOMMER“)
_EDITION_BEHIND = re.compile(  # (любое издание), (any edition)
    r"\s\((?:(?:[^\W\d_A-Z]\w*\s){1,3}|\d{1,2}(?:st|nd|rd|th|e|ª|a|\.)?\s)(?:издани[ея]|editions?|éditions?|edición|edição|edizione|wydani[ea]|vydání|druk|Auflagen?|Ausgaben?|[Ee]d\.?|Edition)\)\.?$"
)
EMPHASIS = re.compile(r"(\*{1,3}|_{1,3})(?=[^\s*_])([^*\n]{1,400}?)(?<=[^\s*_])\1(?![\w*])")
LINK = re.compile(r"\[([^\[\]\n]{2,400})\]\(([^()\s]{0,500}(?:\([^()\s]{0,200}\)[^()\s]{0,200})?)\)")
ORNAMENT = re.compile(
    r"\s*[\U0001f000-\U0001faff\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff][\s\U0001f000-\U0001faff\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d]*"
)


@dataclass(slots=True)
class Draft:
    """A reading in progress: where the title is in the text, who wrote it, where the tail begins, and where it all begins.

    Where its names may as well be the beginning of the title, `parted` is where that begins then. Behind `cut` the title may be a remark.
    """

    title: tuple[int, int]
    tail: int
    least: int = 0
    authors: tuple[str, ...] = ()
    et_al: bool = False
    year: int | None = None
    marks: set[str] = field(default_factory=set)
    start: int = 0
    parted: int | None = None
    cut: int | None = None
    venue: str = ""
    swapped: bool = False
    """Whether its names may be the title, of which the title is said: **Jane Eyre** – Gothic Romance Novel."""


def clean_title(text: str) -> str:
    """A title without emphasis, enclosing quotes, and final period."""
    text = _KIND_BEFORE.sub("", _SITE_BEHIND.sub("", _LINKS_BEHIND.sub("", " ".join(text.split()))))
    text = _SHORT_BEHIND.sub("", text)
    for _ in range(4):
        before = text
        text = _EDITION_BEHIND.sub("", text)
        if ornament := ORNAMENT.match(text):
            text = text[ornament.end() :]
        text = text.strip(" ,;:–—")
        if (text.endswith(")") and text.count(")") > text.count("(")) or text.endswith((" (", " [")):
            text = text[:-1]
        while text.endswith(".") and not text.endswith("..."):
            text = text[:-1]
        for mark in ("***", "**", "*", "___", "__", "_", "`"):
            if text.startswith(mark) and text.endswith(mark) and len(text) > 2 * len(mark):
                text = text[len(mark) : -len(mark)]
        quotation = quotation_at(text, 0)
        if quotation and quotation.end == len(text):
            text = text[quotation.inner_start : quotation.inner_end]
        if text == before:
            break
    return text.replace("**", "").strip()


def before_listed(text: str, title: tuple[int, int]) -> tuple[int, int]:
    """Hardin, G.: The tragedy of the commons, Science, 162, 1243–1248, 1968; … of the commons, Science 1968: up to the venue."""
    asked = _IN_VENUE.search(text, title[0] + 8, title[1] + 100)
    if asked and is_venue(asked["venue"]):
        return title[0], asked.start()
    for slanted in list(_SLANTED_VENUE.finditer(text, title[0] + 8, title[1] + 100))[:4]:
        if is_venue(slanted["venue"]):
            return title[0], slanted.start() + (slanted[0][0] in "?!")
    listed = _LISTED.search(text, title[0], title[1] + 100)
    if listed and listed.start() < title[1]:
        return title[0], listed.start()
    for venue in list(_DATED_VENUE.finditer(text, title[0] + 8, title[1]))[-6:]:
        if is_venue(venue["venue"]):
            return title[0], venue.start()
    return title


def title_after(text: str, at: int) -> tuple[int, int] | None:
    """The title that begins here: a quotation, emphasised words, or a sentence."""
    quotation = quotation_at(text, at)
    if quotation and quotation.inner_end - quotation.inner_start > 3:
        end = rest_of_title(text, quotation.end)
        return quotation.start, _with_subtitle(text, end) if text[at] in "„«" else end
    emphasis = EMPHASIS.match(text, at)
    if emphasis:
        return emphasis.start(), emphasis.end()
    end = sentence_end(text, at)
    part = PART_AT.search(text, at + 3, end + 80)
    if part and part.start() < end:
        return at, part.start()  # Deutsche Gesellschaftsgeschichte, Bd. 3
    return (at, _with_subtitle(text, end)) if end - at > 2 else None


def bracketed(text: str, title: tuple[int, int]) -> tuple[int, int] | None:
    """The title with its subtitle, up to a press or a year in brackets: Das Ufer. Eine Geschichte (Beck, 1993)."""
    for paren in PAREN.finditer(text, title[0], title[0] + 300):
        said = YEAR.search(paren[1])
        if said or is_press(paren[1]):
            more = text[min(title[1], paren.start()) : paren.start()]
            plain = not re.search(r"[\d*_:|]|\s[–—-]\s", more) and len(STOP.findall(more)) <= 1
            press = is_press(paren[1][: said.start()] if said else paren[1])
            journal = VENUE.search(more) or is_venue(more) or title_case(more) == 1
            return (title[0], paren.start()) if plain and (press or not more or not journal) else None
    return None


def _with_subtitle(text: str, end: int) -> int:
    """Where a title ends with the sentences behind it, up to the publisher: Der Klimawandel. Diagnose und Therapie. München: Beck."""
    house = PLACED.search(text, end, end + 300)
    while house and (later := PLACED.search(text, house.start() + 1, house.end() + 1)):
        house = later  # Eine Einführung. Stuttgart/Weimar: Metzler
    if house is None:
        return end
    at = end
    while at < house.start():
        at += len(text[at:]) - len(text[at:].lstrip(" ."))
        stop = sentence_end(text, at)
        piece = text[at:stop]
        if (
            not at < stop <= house.start() + 1
            or not piece[:1].isupper()
            or re.search(r"[\d*_:()|]", piece)
            or (role_at(text, at) or NUMBERS.match(text, at) or container_at(text, at))
            or (
                VENUE.search(piece)
                or _SERIES.search(piece)
                or is_press(piece)
                or surely_people(*(people(piece) or ((), False)))
            )
        ):
            break
        at = end = stop
    return end


def _goes_on(rest: str) -> bool:
    """Whether a title goes on behind its question mark, as in "One Fits All? Modular versus Monolithic"."""
    stop = STOP.search(rest)
    if stop is None or not rest[stop.end() :].strip():
        return False
    piece = rest[: stop.start()]
    return (
        (len(words(piece)) >= 4 or piece.startswith(("A ", "An ")))
        and not re.search(r"\d", piece)
        and not VENUE.search(piece)
        and not people(piece)
    )


def _before_slash(text: str, at: int) -> int | None:
    """Where a title ends before "//", or before "/" and names, as library catalogues write them."""
    slash = _SLASH.search(text, at, at + 500)
    before = STOP.search(text, at, slash.start()) if slash else None
    if slash is None or (
        before and not _ABBREVIATION.search(text[max(at, before.start() - 5) : before.start()])
    ):
        return None
    responsible = _RESPONSIBLE.match(text, slash.end())
    translated = _TRANSLATED.match(text, slash.end())
    named = translated or role_at(text, slash.end()) or (responsible and people(responsible[0]))
    return slash.start() if slash[1] == "//" or named else None


def sentence_end(text: str, at: int) -> int:
    """Just behind the full stop, question mark or exclamation mark that ends the sentence; or before "//" and names behind "/"."""
    if (slash := _before_slash(text, at)) is not None:
        return slash
    for stop in STOP.finditer(text, at):
        if stop[0] == "." and _ABBREVIATION.search(text[max(at, stop.start() - 5) : stop.start()]):
            continue
        rest = text[stop.end() :].lstrip(' *_"”»’')
        if rest[:1].islower() and not _LOWER_VENUE.match(rest):
            continue
        if stop[0] != "." and _goes_on(rest):
            continue
        return stop.end()
    return len(text.rstrip())


def rest_of_title(text: str, end: int) -> int:
    """Where a title ends that only begins with a quotation: "Why Should I Trust You?": Explaining …."""
    more = re.match(r":\s+", text[end:])
    if more is None:
        return end
    stop = sentence_end(text, end + more.end())
    rest = text[end + more.end() : stop]
    if is_comment(rest) or title_case(rest) < 0.6 or len(rest) > 150:
        return end
    return stop
