"""The fields of one reference string: who, when, what, where."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.eastern import SCRIPT, Eastern, eastern
from guardrail.references.citations.eastern_names import names as eastern_names
from guardrail.references.citations.houses import HOUSES, is_named_press, is_press
from guardrail.references.citations.identifiers import Identifier, identifiers, with_identifiers
from guardrail.references.citations.languages import BY, OPENERS, OTHERS, VOLUMES, WORKS
from guardrail.references.citations.parts import CITY, NUMBERS, container_at, is_city, role_at
from guardrail.references.citations.people import PEOPLE, authors, body, people
from guardrail.references.citations.sites import with_site
from guardrail.references.citations.tail import Tail, names_at, read_tail
from guardrail.references.citations.venues import is_venue
from guardrail.references.citations.words import VENUE, YEAR, is_comment, quotation_at, title_case, words

__all__ = [
    "JOURNAL_AT_END",
    "LED",
    "Parsed",
    "author_and_year",
    "clean_title",
    "parse",
    "parse_reference",
    "with_labels",
]

_NAMED_AT_END = re.compile(r"(?P<title>[^()]{3,200}?)(?:,\s(?P<full>[^,()]{5,80})|\s\((?P<by>[^()]{3,80})\))")
_LONGEST_LABEL = 8  # words before a colon that say what a link is
_FEW = 5  # words that describe a work rather than name it
LONGEST = 2000
"""A longer string is no reference; only its beginning is read."""

_DATE = re.compile(
    r"\(\s?(?:[^()\d]{0,20})((?:1[4-9]|20)\d\d)[a-z]?(?:\s?[,–-][^()]{0,30})?\s?\)|\(n\.\s?d\.\)"
)
_BARE_DATE = re.compile(r"[.,]\s+((?:1[4-9]|20)\d\d)[a-z]?[.,:]\s+")
_LOOSE_DATE = re.compile(r"[,.]?\s+\(?((?:1[4-9]|20)\d\d)[a-z]?\)?\s?(?:[-–—:]\s|\s[-–—]\s|[.,]\s)\s*")
_VISIT = re.compile(
    r"[(\[]?\b(?:last\s)?(?:retrieved|accessed|viewed|consulted|visited|abgerufen|zugriff|consulté)\b"
    r"(?:\s(?:on|am|le|den))?:?\s[^\d\r\n;]{0,12}?(?:\d{1,2}[.,]?\s?)?(?:[^\W\d_]{3,9}\.?,?\s?)?(?:\d{1,2},\s?)?"
    r"(?:[\d./-]{6,10}|\d{4})?(?:,?\s(?:from|at|via)\b:?)?[)\]]?",
    re.IGNORECASE,
)
_COLON = re.compile(r":\s+(?=\S)")
_HEAD = re.compile(
    r"(?:see|in|read|cf\.?|e\.g\.)[\s:,]{0,4}"
    r"|(?:(?:see|in|read|cf\.?|e\.g\.)[\s:]{1,4})?(?:(?:the|an?|this|their|his|her|another|one)\s)?(?-i:(?:[a-z]{3,14}\s){0,2})"
    r"(?:paper|book|article|study|essay|report|thesis|novel|survey|chapter|work|preprint|publication|textbook)"
    r"(?:\s(?:titled|entitled|called|named))?[\s:,]{0,4}",
    re.IGNORECASE,
)
_WORK = re.compile(rf"(?:[^\W\d_]{{1,4}}\s){{0,2}}ה?{WORKS}", re.IGNORECASE)  # Buku "…" karya …
_NICKNAME = re.compile(
    r"[^\W\d_][\w.+-]{0,20}(?:\s[\w.+-]{1,20}){0,2}[\s*_]{0,4}"
    r"(?:\((?P<names>[^()]{2,150}?),?\s(?P<year>(?:1[4-9]|20)\d\d)[a-z]?\))?[\s*_:–—-]{0,8}"
)
_OWNED = re.compile(
    rf"(?:^(?=[^\W\d_a-z]\w{{2,}}['’]s$)|[:;,.–—-]\s|\s(?!and|und|et|with)[a-z]{{2,12}}\s)(?P<names>{PEOPLE})(?:['’]s?|,)$"
)
"""Names just before a title, behind a label or other words: For another view: Adele Goldberg's *Constructions at Work*."""
_HEAD_ENDS = (",", ".", ":", ";", ")", "-", "–", "—", "，", "：", "|")
_LABELLED = re.compile(r"[^:.()\d]{3,80}:\s+")
_PART_AT = re.compile(
    rf",\s(?=(?:{VOLUMES})\s?\d{{1,4}}\b|\d{{1,2}}\s(?:Bde|vols|тт|t|sv)\b|[\"„«][^\"„”«»]{{3,60}}[\"”»],?\s(?:{VOLUMES})\s?\d)"
)
_PLACED = re.compile(rf"(?<=[.?!“”»])\s+(?:{CITY.pattern})")
_SERIES = re.compile(
    r"\b(?:[Ss]eries|[Ss]tudies|[Rr]eihe|[Bb]ibliothek|[Cc]ollection|[Cc]olección|[Cc]oleção|[Cc]ollana|[Bb]iblioteca|[Ss]chriften|[Ss]erie|[Pp]aperbacks?)\b"
)
_TO_TITLE = re.compile(r"(?P<mark>[,:.]?\s{1,3}(?:[–—-]\s)?(?=[*_]))|[^.!?*_\n]{1,100}(?=[*_])")
_DATED_TITLE = re.compile(r",?\s\([^()\n]{0,60}?(?<!\d)(?:1[4-9]|20)\d\d\b[^()\n]{0,40}\)")
_NAMES_GO_ON = re.compile(rf"[^\W\d_]\.|and\b|&|et al|{OTHERS}(?!\w)")
_SHOUTED = re.compile(
    r"(?P<family>(?:[^\W\d_a-z]{2,30}[\s-]?){1,3}) (?P<given>[^\W\d_a-z][^\W\d_A-Z]+(?:[\s-][^\W\d_a-z][^\W\d_A-Z]+)?),?"
)
_BEFORE_JOURNAL = re.compile(
    r"[,.]\s(?:[^\n«„“\"]{0,60}\b(?:coll?\.|collection|collana|colección|Reihe|seria|serie)\s)?"
)
_BARE_YEAR = re.compile(r",\s(?:1[4-9]|20)\d\d\s?[:–—-]")
_POINTING = re.compile(r"^(?:[Ss]ee(?:\salso)?|[Rr]ead|[Cc]ompare|[Cc]f\.)\s(?=[^\W\d_a-z])")
_REPORT = re.compile(r"(?:^|[,\s])[A-Z]{2,6}[\s-]?\d{1,5}[,:.]?$")  # RFC 9110, "HTTP Semantics"
_BY_NAMES = re.compile(rf"(?:\*{{2,3}}|__)?,?\s*(?:[-–—]\s)?(?:{BY}\s)?")
_STOP = re.compile(r"[.?!](?=[\"”»’*_]{0,3}(?:[\s|]|$))")
_ABBREVIATION = re.compile(
    r"(?:\b(?:vs|no|vol|ed|eds|St|Dr|Mr|Mrs|Inc|Jr|cf|e\.g|i\.e|U\.S|pt)|(?<![’'])\b[^\W\d_])$"
)
_SLASH = re.compile(r"\s(//?)\s+(?=\S)")
_RESPONSIBLE = re.compile(r"[^;—–]{0,200}?(?=\.\s[—–]|;|\s[—–]|\s//|$)|")
_SIMPLE = re.compile(r"[^\W\d_][^\d\"“”„«»‹「『《‘'`\[\](){}*_:;.?!–—@/|]*+\.?\s*")
"""A bare title: nothing in it that could be anything else."""
_OPENING = re.compile(r"[\"“”„«‹「『《‘']|``")
_PAREN = re.compile(r"\s\(([^()]{2,200})\)")
_YEAR_OR_BY = re.compile(r"\(\s?(?:1[4-9]|20)\d\d\s?\)$|(?P<by>\sby\s)")
_LOWER_VENUE = re.compile(r"arXiv|bioRxiv|medRxiv|eLife|iScience|npj\s")
_BY = re.compile(rf"[,.]?\s+(?:[Ww]ritten\s+|[Ee]dited\s+)?(?:{BY}|By|BY)\s+")
_AL = re.compile(r"(?P<al>\bet\.?\sal\b\.?),?\s\(?(?:1[4-9]|20)\d\d\b")
LED = re.compile(r"(?P<names>[^\d\"“”«»*_\[\](){}–—|:;]{3,150}?)\s[–—-]{1,2}\s(?=\S)")
"""What may be names before a title."""
_DASH = re.compile(r"\s+[-–—]+\s+|\s?—\s?")
_VOLUME_AND_MORE = re.compile(
    r",\s(?:vol\.?\s?)?\d{1,4}\s?(?:\(\d[\d–-]*\))?(?:,\s.*)?$"
)  # Science, 349(6251), e124
_VENUE_YEAR = re.compile(
    r"[,，、]?\s*[(（]?(?<!\d)(?:1[4-9]|20)\d\d(?:\s?[年년]\s?(?:\d{1,2}[月월])?(?:第?\d{0,2}[版期号호])?)?[)）]?(?:\s?[（(][^（）()]{0,60}[)）])?\W*$"
)
_EASTERN_YEAR = re.compile(r"(?<!\d)(?:1[4-9]|20)\d\d[年년]")
_LABEL = re.compile(
    r"\s*(?:\*\*|__)?(?:title|paper|book|article|reference|source|citation|titre|titel|related(?:\swork)?|"
    r"(?:key|main|seminal|original|example)\s(?:paper|reference|work|article)|see(?:\salso)?|also|further\sreading|based\son)"
    r"(?:\*\*|__)?\s?:(?:\*\*|__)?\s*|\s*see\salso\s",
    re.IGNORECASE,
)
_SUBTITLE = re.compile(r":\s+[^.:\r\n]{3,120}\.(?=\s+[^\W\d_a-z][^.:\r\n]{1,40}:\s)")
_VOLUME = re.compile(r"(?<=[^\W\d]),?\s(?:[Vv]ol\.?\s)?\d{1,4}(?::\d{1,6}[-–]\d{1,6})?$")
_LISTED = re.compile(r",\s(?=[^\W\d_a-z][\w.&’' -]{1,60},\s(?:\d|[^\W\d_a-z][\w .]{1,30},\s\d))")
_YEARED = re.compile(r"(?P<names>[^()\d]{3,200}?),?\s{0,3}\(?(?P<year>(?:1[4-9]|20)\d\d)[a-z]?\)?\.?")
_TO_PLACE = re.compile(r",\s(?=[^\W\d_a-z])|\s\(")
_WORD_BEHIND = re.compile(r"\s[^\W\d_A-Z]")
_LINKS_BEHIND = re.compile(
    r"(?:\s*\[+\s?(?:abs|pdf|html|code|link|doi|paper|arxiv)\s?\]+){1,4}$", re.IGNORECASE
)
_SITE_BEHIND = re.compile(r"\s[·|]\s(?:[\w-]{1,40}\.){1,4}[a-z]{2,6}$")
_NUMBER = re.compile(r"\d{4}\.\d{4,5}(?:v\d{1,2})?")
_COMMA = re.compile(r",\s")
JOURNAL_AT_END = re.compile(
    r",\s(?=(?P<rest>[^\W\d_a-z][\w.&’' ]{1,60}?\s\d{1,4},\s[A-Z]?\d{1,7}(?:[-–]\d{1,7})?\s\((?:1[4-9]|20)\d\d\)))"
)
"""Journal, volume, page and year, as journals of physics write them: , Phys. Rev. 108, 1175 (1957)."""
_EMPHASIS = re.compile(r"(\*{1,3}|_{1,3})(?=[^\s*_])([^*\n]{1,400}?)(?<=[^\s*_])\1(?![\w*])")
_LINK = re.compile(r"\[([^\[\]\n]{2,400})\]\(([^()\s]{0,500}(?:\([^()\s]{0,200}\)[^()\s]{0,200})?)\)")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A reference string that was read.

    Attributes:
        reference: its fields.
        start, end: the part of the string that is reference; commentary follows.
        marks: what speaks for a reference: "quoted", "emphasised", "link", "apa", "people", "year", "venue",
            "id".
    """

    reference: Reference
    start: int
    end: int
    marks: frozenset[str] = field(default=frozenset())


_BEFORE_QUOTATION = re.compile(r"[\s*_.,:–—-]{1,8}(?=[\"“«„])")
_CLOSED = re.compile(r"[.,:]{0,2}(?:\*{2,3}|_{2,3})[.,:]{0,2}\s+(?:[-–—]+\s+)?")
_ORNAMENT = re.compile(
    r"\s*[\U0001f000-\U0001faff\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff][\s\U0001f000-\U0001faff\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d]*"
)
_SLANTED_ET_AL = re.compile(r"([*_])et al\.()\1")
_ET_AL_HEAD = re.compile(r"(?P<names>[^\d()\"“”*_]{2,200}?\bet\.? al\.?)[,:]\s+(?=[^\W\d_a-z])")
_POINTERS = frozenset(["see", "link", "source", "doi", "url", "available at", "read", "paper", "see also"])
"""Words before an identifier that are no title: See https://doi.org/…"""


@dataclass(slots=True)
class _Draft:
    """A reading in progress: where the title is in the text, who wrote it, where the tail begins, and where it all begins."""

    title: tuple[int, int]
    tail: int
    least: int = 0
    authors: tuple[str, ...] = ()
    et_al: bool = False
    year: int | None = None
    marks: set[str] = field(default_factory=set)
    start: int = 0


def parse_reference(text: str) -> Reference:
    """Read one reference string; what is not said stays empty.

    Example:
        >>> found = parse_reference('Turing, A. M. (1950). Computing machinery and intelligence. Mind, 59(236).')
        >>> found.title, found.authors, found.year, found.venue
        ('Computing machinery and intelligence', ('Turing, A. M.',), 1950, 'Mind')
    """
    return parse(text).reference


@lru_cache(maxsize=1_024)  # lists, lines and what follows in them read the same string
def parse(text: str, *, by: bool = True, led: bool = False) -> Parsed:
    """Read one reference string and say how far it goes.

    With `by=False`, "by" is a word of the title ("Learning by Doing"). With `led=True`, what stands before a dash are names, as in
    the other items of its list ("Edward Aldwell & Carl Schachter – Harmony and Voice Leading").

    Example:
        >>> parsed = parse('"Deep Learning" by Yoshua Bengio (2016) - This book is the standard text.')
        >>> parsed.end, parsed.reference.authors
        (39, ('Yoshua Bengio',))
    """
    raw = re.sub(r"[\r\n\t\f\v]", " ", text[:LONGEST])
    if (read := eastern(raw)) is not None:
        return _from_eastern(raw, read)
    if _SIMPLE.fullmatch(raw) and " by " not in raw and " - " not in raw:
        return Parsed(Reference(title=clean_title(raw)), 0, len(raw.rstrip()))
    found = identifiers(raw)
    raw = _SLANTED_ET_AL.sub(r" et al.\2 ", raw)
    clean = _VISIT.sub(lambda match: " " * len(match[0]), _blanked(raw, found))
    clean = clean.replace("→", "–")
    if clean.islower():
        clean = _capitalised(clean)
    ornament = _ORNAMENT.match(clean)
    label = _LABEL.match(clean, ornament.end() if ornament else 0)
    start = label.end() if label else ornament.end() if ornament else 0
    draft = (
        _dated(clean, start)
        or _abridged(clean, start)
        or _run_on(clean, start)
        or _after_colon(clean, start)
        or _marked(raw, clean, start, by=by)
        or _led(clean, start, certain=led)
        or _in_commas(clean, start)
        or _names_and_year(clean, start)
        or _listed_names(clean, start)
        or (_titled_by(clean, start) if by else None)
        or _sentences(clean, start)
        or _plain(clean, start)
    )
    tail = read_tail(
        clean, draft.tail, found, knows_authors=bool(draft.authors), knows_year=draft.year is not None
    )
    return _parsed(raw, _blanked(raw, found), draft, tail, found)


def _from_eastern(raw: str, read: Eastern) -> Parsed:
    found = [i for i in identifiers(raw) if i.start < read.end + 8]
    end = max([read.end, *(i.end for i in found)])
    reference = with_identifiers(read.reference, found)
    marks = {"quoted", *({"people"} if reference.authors else ()), *({"year"} if reference.year else ())}
    return Parsed(reference, read.start, end, frozenset(marks | ({"venue"} if reference.venue else set())))


def _parsed(raw: str, written: str, draft: _Draft, tail: Tail, found: Sequence[Identifier]) -> Parsed:
    end = max(tail.end, draft.tail, draft.least)
    within = [i for i in found if draft.start <= i.start < end]
    authors, et_al = (draft.authors, draft.et_al) if draft.authors else (tail.authors, tail.et_al)
    title = clean_title(written[slice(*draft.title)])
    named = re.match(r"[\s*_]*:", written[draft.title[1] :]) or title.endswith((":", " DOI", " PMID"))
    if (
        within
        and (len(words(title)) < 3 or _describes(title))
        and not authors
        and (named or written[slice(*draft.title)].rstrip().endswith(":"))
    ):
        title = ""  # - CRISPR: doi:10.1126/science.1225829
    if (
        "people" not in draft.marks
        and re.match(r"[*_]{0,2}:\s*\(", written[draft.title[1] - 1 :].lstrip(" "))
        and len(words(title)) < 4
    ):
        title = ""  # Im Text: (Roe, 2007)
    if within and title and not authors:
        title, (authors, et_al) = _names_at_end(title, apart=not named)
    reference = Reference(
        title="" if within and (title.lower() in _POINTERS or _NUMBER.fullmatch(title)) else title,
        authors=authors,
        et_al=et_al,
        year=draft.year or tail.year,
        venue=tail.venue if is_named_press(tail.venue) else _VOLUME.sub("", tail.venue),
    )
    reference = with_identifiers(reference, within)
    reference = reference if draft.authors else with_site(reference)
    marks = set(draft.marks) | ({"id"} if any(i.kind != "url" for i in within) else set())
    marks |= {"people"} if authors else set()
    marks |= {"inflected"} if tail.inflected else set()
    marks |= {"year"} if reference.year else set()
    marks |= {"venue"} if VENUE.search(tail.venue) or tail.pages or tail.placed else set()
    while end > 0 and raw[end - 1].isspace():
        end -= 1
    start = len(raw) - len(raw.lstrip()) if title or not within or authors else within[0].start
    return Parsed(reference, min(max(start, draft.start), end), end, frozenset(marks))


def _names_at_end(title: str, *, apart: bool) -> tuple[str, tuple[tuple[str, ...], bool]]:
    """Names behind a title and before its address: Meditations, Marcus Aurelius: https://…; Walden (Thoreau) https://…."""
    match = _NAMED_AT_END.fullmatch(title)
    names = people(match["full"] or match["by"]) if match else None
    if match is None or names is None or is_venue(match["full"] or match["by"]):
        return title, ((), False)
    if (match["full"] and not all(" " in name for name in names[0])) or (match["by"] and not apart):
        return title, ((), False)
    return match["title"].rstrip(" ,"), names


def _describes(title: str) -> bool:
    """Whether a few words in small letters before an identifier only say what it is of: Human genome (Celera): https://…."""
    return len(words(title)) <= _FEW and title_case(title) < 0.7 and '"' not in title


def with_labels(reference: Reference, fields: Mapping[str, str]) -> Reference:
    """The reference with what labelled lines say: {"authors": "Kaiming He, Jian Sun", "venue": "CVPR (2016)"}."""
    written = fields.get("authors", "")
    names = (eastern_names(written) if SCRIPT.search(written) else authors(written)) if written else None
    year = next((found for name in ("year", "venue") if (found := _year(fields.get(name, "")))), None)
    if "title" in fields:
        reference = replace(reference, title=clean_title(fields["title"]))
    if names:
        reference = replace(reference, authors=names[0], et_al=names[1])
    if year:
        reference = replace(reference, year=year)
    if "venue" not in fields and (paren := _PAREN.search(fields.get("year", ""))) and is_press(paren[1]):
        reference = replace(reference, venue=paren[1])  # İlk baskı: 1983 (Hil Yayın)
    if "venue" in fields:
        venue = re.split(r"\s\|", fields["venue"])[0].strip(' *_."“”')
        venue = _VOLUME_AND_MORE.sub("", _VENUE_YEAR.sub("", venue))
        reference = replace(reference, venue=venue.strip(' *_."“”'))
    written = " ".join(f"doi {value}" if value.startswith("10.") else value for value in fields.values())
    return with_identifiers(reference, identifiers(written))


def _year(written: str) -> int | None:
    found = _EASTERN_YEAR.search(written) or YEAR.search(written)
    return int(found[0][:4]) if found else None


def author_and_year(text: str) -> Reference | None:
    """A label such as "Smith et al. (2020)": names and a year, and no title.

    Example:
        >>> author_and_year("He et al. (2016)").authors, author_and_year("Attention Is All You Need")
        (('He',), None)
    """
    match = _YEARED.fullmatch(text.strip())
    names = people(match["names"]) if match else None
    if match is None or names is None:
        return None
    return Reference(authors=names[0], et_al=names[1], year=int(match["year"]))


def clean_title(text: str) -> str:
    """A title without emphasis, enclosing quotes, and final period."""
    text = _SITE_BEHIND.sub("", _LINKS_BEHIND.sub("", " ".join(text.split())))
    for _ in range(4):
        before = text
        if ornament := _ORNAMENT.match(text):
            text = text[ornament.end() :]
        text = text.strip(" ,;:")
        if text.endswith(")") and text.count(")") > text.count("("):
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


def _blanked(text: str, found: Sequence[Identifier]) -> str:
    """The text with identifiers and the address part of links as spaces; every place stays the same."""
    pieces: list[str] = []
    at = 0
    for start, end in _holes(text, found):
        if start >= at:
            pieces += [text[at:start], " " * (end - start)]
            at = end
    return "".join([*pieces, text[at:]])


def _holes(text: str, found: Sequence[Identifier]) -> list[tuple[int, int]]:
    holes = [(i.start, i.end) for i in found]
    for link in _LINK.finditer(text):
        holes = [h for h in holes if not (link.end(1) <= h[0] and h[1] <= link.end())]
        holes += [(link.start(), link.start() + 1), (link.end(1), link.end())]
    return sorted(holes)


def _dated(text: str, start: int) -> _Draft | None:
    """Authors (2017). Title; or Authors. 2017. Title."""
    for pattern in (_DATE, _BARE_DATE, _LOOSE_DATE):
        date = pattern.search(text, start, start + 700)
        if date is None or SCRIPT.match(text, date.end()):
            continue  # 김철수(2016)의 권고
        if pattern is _LOOSE_DATE and not re.search(r"\bet\.? al|\band\b|&|,", text[start : date.start()]):
            continue
        if draft := _behind_date(text, start, date, certain=pattern is not _DATE):
            return draft
    return None


def _behind_date(text: str, start: int, date: re.Match[str], *, certain: bool) -> _Draft | None:
    """The reading by which a date parts names from a title; `certain` = it is not in brackets, as that of a title may be."""
    head, named = text[start : date.start()], 0
    names = None if not certain and _named_date(date) else authors(head)
    rest = date.end() + len(text[date.end() :]) - len(text[date.end() :].lstrip(" .,:"))
    if closed := _CLOSED.match(text, date.end()):
        rest = closed.end()  # **Walker, M. P. (2006).** *Sleep, memory, and plasticity.*
    if names is None and not certain and (labelled := _behind_label(head)):
        names, named = labelled[0], start + labelled[1]
    if names is None or rest >= len(text):
        return None
    if _EMPHASIS.fullmatch(head.strip(" (")) and not surely_people(*names):
        by = _BY_NAMES.match(text, date.end())
        if by and by[0].strip() and names_at(text, by.end()):
            return None  # ***Nudge*** (2008), Richard Thaler & Cass Sunstein
    opened = _BEFORE_QUOTATION.match(text, date.end())
    if opened:
        rest = opened.end()  # **Vaswani et al. (2017)** – "Attention Is All You Need"
    title = _title_after(text, rest)
    bare = not re.search(r"[,.;&]|\band\b|\bet al", head)
    if title is None or (bare and len(text[slice(*title)].split()) < 3):
        return None
    emphasised = text[title[0]] in "*_" and len(words(text[slice(*title)])) >= 3
    marked = emphasised or (text[title[0]] in '"“«„*_' and (closed or opened))
    if not certain and not marked and not surely_people(*names) and _is_tail(text[date.end() :]):
        return None
    year = int(date[1]) if date[1] else None
    return _Draft(title, title[1], 0, *names, year=year, marks={"apa"}, start=named)


def _behind_label(head: str) -> tuple[tuple[tuple[str, ...], bool], int] | None:
    """The names behind a label or a remark, and where they begin: Se leggi l'inglese: Roe, J. (2016). *Trees*."""
    label = _LABELLED.match(head)
    names = people(head[label.end() :]) if label else None
    return (names, label.end()) if label and names and surely_people(*names) else None


def _abridged(text: str, start: int) -> _Draft | None:
    """He et al., Title: names that end with "et al." without a year."""
    head = _ET_AL_HEAD.match(text, start)
    names = people(head["names"]) if head else None
    title = _title_after(text, head.end()) if head and names else None
    if names is None or title is None or len(words(text[slice(*title)])) < 3:
        return None
    title = _before_listed(text, title)
    return _Draft(title, title[1], 0, *names)


def _run_on(text: str, start: int) -> _Draft | None:
    """J. Bardeen, L. N. Cooper, and J. R. Schrieffer, Theory of Superconductivity, Phys. Rev. 108, 1175 (1957): only commas."""
    where = JOURNAL_AT_END.search(text, start, start + 900)
    if where is None:
        return None
    head = text[start : where.start()]
    for comma in [len(head), *(found.start() for found in reversed([*_COMMA.finditer(head)][-40:]))]:
        names = people(head[:comma])
        if names and surely_people(*names) and re.search(r"\b[A-Z]\.", names[0][0]):
            at = start + comma + (2 if comma < len(head) else 0)
            return _Draft((at, where.start()), where.start(), 0, *names, marks={"apa"})
    return None


def _led(text: str, start: int, *, certain: bool) -> _Draft | None:
    """Authors – Title (Press, 1998): names in full before a dash; unless that is certain, no names behind it, and a year."""
    head = LED.match(text, start)
    names = people(head["names"]) if head else None
    if head is None or names is None or not all(" " in name for name in names[0]):
        return None
    end = _sentence_end(text, head.end())
    for paren in _PAREN.finditer(text, head.end(), end):
        if YEAR.search(paren[1]) or is_press(paren[1]):
            end = paren.start()
            break
    for more in _DASH.finditer(text, head.end(), end):
        if certain or is_comment(text[more.end() :]):
            end = more.start()
            break
    stop = _STOP.search(text, head.end(), end)
    if stop and stop[0] == "." and title_case(text[head.end() : stop.start()]) >= 0.7:
        end = stop.end()  # in an informal answer a remark in lower case follows
    title = text[head.end() : end].strip()
    if not certain and (people(title) or len(words(title)) < 2 or not YEAR.search(text, end, end + 80)):
        return None
    return _Draft((head.end(), end), end, 0, *names)


def _before_listed(text: str, title: tuple[int, int]) -> tuple[int, int]:
    """Hardin, G.: The tragedy of the commons, Science, 162, 1243–1248, 1968: up to the venue."""
    listed = _LISTED.search(text, title[0], title[1] + 100)
    return (title[0], listed.start()) if listed and listed.start() < title[1] else title


def _named_date(date: re.Match[str]) -> bool:
    """Whether a date in brackets names authors, too: (He et al., 2016)."""
    names = people(re.split(r"\d", date[0])[0].strip("( ,"))
    return names is not None and (names[1] or len(names[0]) > 1)


def _after_colon(text: str, start: int) -> _Draft | None:
    """Authors in full: Title. Venue (2015), as DBLP writes it."""
    colon = _COLON.search(text, start, start + 700)
    if colon is None:
        return None
    names = people(text[start : colon.start()])
    title = _title_after(text, colon.end()) if names else None
    if names is None or title is None:
        return None
    several = len(names[0]) > 1 or names[1] or re.search(r"\b[A-Z]\.|,", names[0][0])
    inverted = len(names[0]) == 1 and "," in names[0][0]
    whole = names[1] or inverted or all(" " in name for name in names[0])
    if not whole or not (several or _PLACED.search(text, title[1] - 1, title[1] + 200)):
        return None
    title = _before_listed(text, title)
    if not YEAR.search(text, title[1]):
        return None
    return _Draft(title, title[1], 0, *names)


def _capitalised(text: str) -> str:
    """A reference all in lower case with capitals where names and sentences begin, each place unchanged."""
    date = _DATE.search(text) or YEAR.search(text)
    edge = date.start() if date else 0
    head = re.sub(
        r"(?<![\w'’])(?!(?:and|et|al|van|von|de|der|den|la|le|by|in|of|the)\b)[a-z]", _upper, text[:edge]
    )
    return head + re.sub(r"(?<=[.?!]\s)[a-z]", _upper, text[edge:])


def _upper(match: re.Match[str]) -> str:
    letter = match[0].upper()
    return letter if len(letter) == 1 else match[0]


def _is_tail(text: str) -> bool:
    """Whether what follows "X (2017)" continues a title that was X: a dash, "by", or commentary."""
    return re.match(r"\s*(?:[-–—]\s|by\s)", text) is not None or is_comment(text)


def _title_after(text: str, at: int) -> tuple[int, int] | None:
    """The title that begins here: a quotation, emphasised words, or a sentence."""
    quotation = quotation_at(text, at)
    if quotation and quotation.inner_end - quotation.inner_start > 3:
        end = _rest_of_title(text, quotation.end)
        return quotation.start, _with_subtitle(text, end) if text[at] in "„«" else end
    emphasis = _EMPHASIS.match(text, at)
    if emphasis:
        return emphasis.start(), emphasis.end()
    end = _sentence_end(text, at)
    part = _PART_AT.search(text, at + 3, end + 80)
    if part and part.start() < end:
        return at, part.start()  # Deutsche Gesellschaftsgeschichte, Bd. 3
    return (at, _with_subtitle(text, end)) if end - at > 2 else None


def _with_subtitle(text: str, end: int) -> int:
    """Where a title ends with the sentences behind it, up to the publisher: Der Klimawandel. Diagnose und Therapie. München: Beck."""
    house = _PLACED.search(text, end, end + 300)
    while house and (later := _PLACED.search(text, house.start() + 1, house.end() + 1)):
        house = later  # Eine Einführung. Stuttgart/Weimar: Metzler
    if house is None:
        return end
    at = end
    while at < house.start():
        at += len(text[at:]) - len(text[at:].lstrip(" ."))
        stop = _sentence_end(text, at)
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
    stop = _STOP.search(rest)
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
    before = _STOP.search(text, at, slash.start()) if slash else None
    if slash is None or (
        before and not _ABBREVIATION.search(text[max(at, before.start() - 5) : before.start()])
    ):
        return None
    responsible = _RESPONSIBLE.match(text, slash.end())
    named = role_at(text, slash.end()) or (responsible and people(responsible[0]))
    return slash.start() if slash[1] == "//" or named else None


def _sentence_end(text: str, at: int) -> int:
    """Just behind the full stop, question mark or exclamation mark that ends the sentence; or before "//" and names behind "/"."""
    if (slash := _before_slash(text, at)) is not None:
        return slash
    for stop in _STOP.finditer(text, at):
        if stop[0] == "." and _ABBREVIATION.search(text[max(at, stop.start() - 5) : stop.start()]):
            continue
        rest = text[stop.end() :].lstrip(' *_"”»’')
        if rest[:1].islower() and not _LOWER_VENUE.match(rest):
            continue
        if stop[0] != "." and _goes_on(rest):
            continue
        return stop.end()
    return len(text.rstrip())


def _marked(raw: str, text: str, start: int, *, by: bool) -> _Draft | None:
    """A title in quotes, in italics or bold, or as the text of a link; authors may stand before it."""
    at, end, mark, behind = _first_mark(raw, text, start)
    if not mark:
        return None
    head = _POINTING.sub("", text[start:at].strip(" *_|").replace("*", ""))
    if head.casefold() in OPENERS:
        head = ""  # Dans « Le fleuve muet » (1964)
    bold = _EMPHASIS.match(text, start) if mark == "emphasised" else None
    if bold and len(bold[1]) == 2 and bold.end() <= at and people(bold[2]):
        head = bold[2] + ","  # **Luís Melo** escreveu *O rio calado* (Fonte, 1979)
    if mark == "quoted" and _REPORT.search(head):
        head = ""
    if mark == "quoted" and (by or " by " not in head) and (_HEAD.fullmatch(head) or _WORK.fullmatch(head)):
        head = ""
    led = (
        mark in {"link", "emphasised"}
        and head.endswith(":")
        and len(words(head)) <= _LONGEST_LABEL
        and " – " not in head
        and (people(head) is None or (" " not in head and _named_in_full(text, behind)))
    )
    head = "" if led else head
    subtitle = _SUBTITLE.match(text, behind) if mark == "emphasised" else None
    if mark == "quoted":
        end = _rest_of_title(text, end)
    draft = _Draft((at, end), subtitle.end() if subtitle else max(end, behind), behind, marks={mark})
    draft.start = at - 1 if led else 0  # The original paper: [Title](address)
    apart = head.endswith(_HEAD_ENDS) or text[start:at].rstrip().endswith(("*", "_", "|"))
    short = _NICKNAME.fullmatch(head) if apart and mark == "quoted" else None
    named = people(short["names"]) if short and short["names"] else None
    if short and named:
        draft.authors, draft.et_al = named
        draft.year = int(short["year"])
    elif short and not short["names"] and _authors_behind(text, draft.tail):
        pass  # a short name of the work: **ResNet**: "Deep Residual Learning" (He et al., 2016)
    elif head and not _authored(
        draft, head, text[start:at], start, apart=apart or (" " in head and _dated_behind(text, at, behind))
    ):
        return None
    inner = clean_title(text[at:end])
    if mark == "link" and (label := author_and_year(inner)):  # [Kingma & Ba (2015)](address)
        return replace(draft, title=(end, end), authors=label.authors, et_al=label.et_al, year=label.year)
    more = _YEAR_OR_BY.search(inner) if mark != "quoted" else None
    if more and (by or not more["by"]):
        opening = len(text[at:end]) - len(text[at:end].lstrip("*_ "))
        flat = text[:end].replace("*", " ") + text[end:].replace("*", " ")
        deeper = (_titled_by(flat, at + opening) if by else None) or _plain(flat, at + opening)
        return replace(deeper, least=behind, marks={*deeper.marks, mark})
    return draft


def _authored(draft: _Draft, head: str, before: str, start: int, *, apart: bool) -> bool:
    """Whether the words before a title are names, which are then taken: "Beyond Modern" is no author of "Deep Learning"."""
    year = YEAR.search(head)
    plain = re.sub(r"\(?\b(?:1[4-9]|20)\d\d[a-z]?\b\)?", "", head)
    names = people(plain) or people(plain.replace(" – ", ", "))  # Gyáni Gábor – Kövér György: *…*
    if names is None and (shouted := _SHOUTED.fullmatch(head)):
        names = ((f"{shouted['family']} {shouted['given']}",), False)  # LATOUR Bruno
    owned = _OWNED.search(head) if names is None or head.endswith(("'s", "’s")) else None
    if owned:
        names = people(owned["names"])
        if names and head.endswith(",") and not names[1] and not (len(names[0]) > 1 or " " in names[0][0]):
            return False  # garlands, “Happy Birthday”
        draft.start, year = start + before.find(owned["names"]), None
    if names is None or not (year or apart or owned or surely_people(*names)):
        return False
    draft.authors, draft.et_al = names
    draft.year = int(year[0]) if year else None
    return True


def _dated_behind(text: str, at: int, end: int) -> bool:
    """Whether names may end right before a title, since a year and no other name is behind it: Сергій Плохій «Брама Європи» (КСД, 2016)."""
    if text[at : at + 1] not in "«„*_":
        return False
    tail = read_tail(text, end, (), knows_authors=False)
    return tail.year is not None and not any(" " in name for name in tail.authors)


def _named_in_full(text: str, at: int) -> bool:
    """Whether a title is followed by somebody's full name and a year: Algebra: *Rings Made Visible* (Ada Quill, 1997)."""
    tail = read_tail(text, at, (), knows_authors=False, prose=True)
    return tail.year is not None and any(" " in name and not is_press(name) for name in tail.authors)


def _authors_behind(text: str, at: int) -> bool:
    """Whether names and a year follow a title, in brackets or behind "by"; one name may be a publisher: (Suhrkamp, 1981)."""
    tail = read_tail(text, at, (), knows_authors=False, prose=True)
    alone = len(tail.authors) == 1 and not tail.et_al and not re.search(r"[.,]", tail.authors[0])
    return bool(tail.authors) and tail.year is not None and not alone


def _first_mark(raw: str, text: str, start: int) -> tuple[int, int, str, int]:
    """The first quotation, or else the first linked or emphasised words: start, end, kind, end with marks."""
    link = _LINK.search(raw, start, start + 1200)
    emphasis = _EMPHASIS.search(text, start, start + 900)
    for match in _OPENING.finditer(text, start, start + 600):
        quotation = quotation_at(text, match.start())
        if quotation is None:
            continue
        first = emphasis and emphasis.start(2) == quotation.start and _WORD_BEHIND.match(text, quotation.end)
        inside = emphasis and emphasis.start(2) < quotation.start
        if emphasis and (first or inside) and quotation.end < emphasis.end(2):
            break
        behind = emphasis and _BEFORE_JOURNAL.fullmatch(
            text, emphasis.end(), max(quotation.start, emphasis.end())
        )
        if emphasis and behind and people(text[start : emphasis.start()].strip(" *_")):
            break  # S. Nowak, *System wartości*, „Studia Socjologiczne” 1979
        if emphasis and _BARE_YEAR.search(text, emphasis.end(), max(quotation.start, emphasis.end())):
            break  # *Le Deuxième Sexe*, Paris, Gallimard, 1949 : « On ne naît pas femme »
        return quotation.start, quotation.end, "quoted", quotation.end
    if link:
        return link.start(1), link.end(1), "link", link.end()
    if emphasis and (after := _behind_names(text, emphasis)):
        return after.start(), after.end(), "emphasised", after.end()
    if emphasis and len(emphasis[2]) > 1 and not emphasis[2].endswith(":"):
        return emphasis.start(), emphasis.end(), "emphasised", emphasis.end()
    return 0, 0, "", 0


def _behind_names(text: str, emphasis: re.Match[str]) -> re.Match[str] | None:
    """The title in italics behind names in bold: **Simone de Beauvoir**, *Le Deuxième Sexe*, Paris, Gallimard, 1949."""
    if people(emphasis[2]) is None:
        return None
    gap = _TO_TITLE.match(text, emphasis.end())
    after = _EMPHASIS.match(text, gap.end()) if gap else None
    if gap is None or after is None or after[1] == emphasis[1]:
        return None
    return after if gap["mark"] or _DATED_TITLE.match(text, after.end()) else None


def _rest_of_title(text: str, end: int) -> int:
    """Where a title ends that only begins with a quotation: "Why Should I Trust You?": Explaining …."""
    more = re.match(r":\s+", text[end:])
    if more is None:
        return end
    stop = _sentence_end(text, end + more.end())
    rest = text[end + more.end() : stop]
    if is_comment(rest) or title_case(rest) < 0.6 or len(rest) > 150:
        return end
    return stop


def _titled_by(text: str, start: int) -> _Draft | None:
    """Title by Authors (2017)."""
    for by in _BY.finditer(text, start + 1, start + 500):
        tail = read_tail(text, by.start(), (), knows_authors=False)
        if tail.authors and (
            len(tail.authors[0].split()) > 1 or tail.et_al or tail.year or len(tail.authors) > 1
        ):
            plain = by[0].strip(" ,.").lower() == "by"
            if not plain and not tail.year:
                continue
            return _Draft((start, by.start()), by.start(), marks={"by"})
    return None


def _names_and_year(text: str, start: int) -> _Draft | None:
    """Title, Authors, 1957: full names between the last commas."""
    year = YEAR.search(text, start, start + 500)
    if year is None or not text[: year.start()].rstrip(" (").endswith(","):
        return None
    before = text[start : year.start()].rstrip(" (,")
    for comma in list(re.finditer(r",\s", before))[:8]:
        title, names = before[: comma.start()], people(before[comma.end() :])
        if (
            names
            and all(len(name.split()) > 1 for name in names[0])
            and len(words(title)) >= 2
            and title.count("(") <= title.count(")")
            and not people(title)
            and not (is_city(names[0][0]) or is_press(names[0][-1]))
            and not people(_DASH.split(title)[-1])
        ):
            return _Draft((start, start + comma.start()), year.start(), 0, *names, marks={"by"})
    return None


def _sentences(text: str, start: int) -> _Draft | None:
    """Authors. Title. Venue; or Title. Authors. Venue."""
    stops = [m.end() for m in _STOP.finditer(text, start, start + 700)][:40]
    for stop in stops:
        rest = text[stop:].lstrip()
        if not rest or _NAMES_GO_ON.match(rest):
            continue
        head = text[start:stop]
        names = people(head)
        if names and surely_people(*names):
            at = stop + len(text[stop:]) - len(text[stop:].lstrip())
            title = _title_after(text, at)
            if title:
                return _Draft(title, title[1], 0, *names)
            return None
        if body(head) and " " in head.strip(" .") and YEAR.search(text, stop, stop + 300):
            at = stop + len(text[stop:]) - len(text[stop:].lstrip())
            title = _title_after(text, at)
            if title and len(words(text[slice(*title)])) >= 2:
                return _Draft(title, title[1], 0, *(authors(head) or ((), False)))
        if names and _title_follows(text, stop, names[0]):
            at = stop + len(text[stop:]) - len(text[stop:].lstrip())
            return _Draft((at, _sentence_end(text, at)), _sentence_end(text, at), 0, *names)
        break_at = _sentence_end(text, start)
        if stop >= break_at:
            return _title_first(text, start, break_at)
    return None


def _in_commas(text: str, start: int) -> _Draft | None:
    """J. Smit, De stille haven (Haarlem 1941); Eva Hahn (Hg.), Ufer und Quelle, Bonn: Kessler 1979: a title without marks."""
    for comma in list(_COMMA.finditer(text, start, start + 150))[:6]:
        head = text[start : comma.start()]
        names = people(head)
        edited = head.endswith((")", "]")) or (names is not None and surely_people(*names) and "." in head)
        if names is None or not edited or not text[comma.end() : comma.end() + 1].isupper():
            continue
        for stop in list(_TO_PLACE.finditer(text, comma.end() + 8, comma.end() + 250))[:8]:
            tail = read_tail(text, stop.start(), (), knows_authors=True)
            title = text[comma.end() : stop.start()]
            bracket = stop[0].endswith("(") and tail.end == text.find(")", stop.end()) + 1
            if tail.year and (tail.placed or bracket) and len(words(title)) > 2:
                return _Draft((comma.end(), stop.start()), stop.start(), 0, *names)
    return None


def _listed_names(text: str, start: int) -> _Draft | None:
    """Names with surnames first, then a title in which "de" or "by" is no word before names: BUSS, Paulo. A saúde e os seus."""
    draft = _sentences(text, start)
    return (
        draft
        if draft and draft.authors and any("," in name for name in draft.authors) and draft.title[0] > start
        else None
    )


def _title_follows(text: str, at: int, names: tuple[str, ...]) -> bool:
    """Whether full names and a period stand before a title, a venue and a year: "Mary Doe. Trees. ACL, 2021"."""
    if any(not 2 <= len(name.split()) <= 4 for name in names):
        return False
    at += len(text[at:]) - len(text[at:].lstrip())
    end = _sentence_end(text, at)
    title = text[at:end]
    if len(words(title)) < 2 or VENUE.search(title) or YEAR.search(title) or people(title):
        return False
    return YEAR.search(text, end, end + 120) is not None and not is_comment(title)


def _title_first(text: str, start: int, end: int) -> _Draft | None:
    after = text[end:]
    at = end + len(after) - len(after.lstrip())
    for stop in [m.end() for m in _STOP.finditer(text, at, at + 500)][:20]:
        names = people(text[at:stop])
        if names and (surely_people(*names) or HOUSES.match(text[stop:].lstrip())):
            return _Draft((start, end), stop, 0, *names)
    return None


def surely_people(names: tuple[str, ...], et_al: bool) -> bool:
    """Whether the form alone shows that these are names, not a title in capitals."""
    if et_al or any("," in name for name in names):
        return True
    return (
        bool(names)
        and all(re.search(r"\b[^\W\d_]\.|\s[^\W\d_]{1,3}$", n) and not n.islower() for n in names)
        and any(re.search(r"\b[A-ZА-ЯЁ]\.|\s[A-ZА-ЯЁ]{1,3}$", n) for n in names)
    )


def _full_names(text: str) -> bool:
    names = people(text)
    return names is not None and "," in text and any(len(name.split()) > 1 for name in names[0])


def _ends_as_sentence(text: str) -> bool:
    return text.rstrip(" *_").endswith((".", "!")) or len(text) > 120


def _plain(text: str, start: int) -> _Draft:
    """A bare title, perhaps with something behind it: (2017), - Authors, : commentary."""
    end = len(text.rstrip())
    for paren in _PAREN.finditer(text, start):
        if YEAR.search(paren[1]) or _full_names(paren[1]):
            end = min(end, paren.start())
            break
    for dash in _DASH.finditer(text, start + 1, start + 600):
        right = text[dash.end() :]
        if (
            names_at(text, dash.end())
            or YEAR.match(right)
            or is_comment(right, weakly=_ends_as_sentence(right))
        ):
            end = min(end, dash.start())
            break
    for colon in re.finditer(r":\s+|[.?!]\s+", text[start : start + 600]):
        left, right = text[start : start + colon.start()], text[start + colon.end() :]
        weakly = _ends_as_sentence(right) and (colon[0][0] != ":" or title_case(left) >= 0.7)
        if is_comment(right, weakly=weakly):
            end = min(end, start + colon.start() + (0 if colon[0][0] == ":" else 1))
            break
    stop = _sentence_end(text, start)
    rest = text[stop:end].strip()
    if rest and (YEAR.search(rest) or VENUE.search(rest)):
        end = stop
    end = min(end, _names_behind(text, start, end))
    comma = re.search(r",\s+(?=(?:1[4-9]|20)\d\d\b\W*$)", text[start:end])
    if comma:
        end = start + comma.start()
    return _Draft((start, end), end)


def _names_behind(text: str, start: int, end: int) -> int:
    """Where a title ends before a comma, names cut short, and a year: "Deep Learning for Trees, Doe et al., 2017"."""
    al = _AL.search(text, start, min(start + 700, len(text)))
    if al is None:
        return end
    for comma in list(re.finditer(r",\s+", text[start : al.start()]))[:20]:
        left, right = text[start : start + comma.start()], text[start + comma.end() : al.end("al")]
        if len(words(left)) >= 2 and not people(left) and people(right):
            return start + comma.start()
    return end
