"""The fields of one reference string: who, when, what, where."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.eastern import SCRIPT, Eastern, eastern
from guardrail.references.citations.eastern_names import names as eastern_names
from guardrail.references.citations.houses import is_named_press, is_press
from guardrail.references.citations.identifiers import Identifier, identifiers, with_identifiers
from guardrail.references.citations.languages import BY, ENGLISH
from guardrail.references.citations.marked import marked_title
from guardrail.references.citations.names_first import (
    abridged,
    after_colon,
    behind_dash,
    dated,
    in_bold,
    in_commas,
    listed_names,
    run_on,
    sentences,
)
from guardrail.references.citations.people import authors, likely_names, people
from guardrail.references.citations.sites import names_document, names_host, visited, with_site
from guardrail.references.citations.tail import Tail, read_tail
from guardrail.references.citations.title_first import bare_title, in_cells, names_and_year, titled_by
from guardrail.references.citations.titles import DATE, LINK, ORNAMENT, PAREN, Draft, clean_title
from guardrail.references.citations.venues import is_journal, is_venue
from guardrail.references.citations.words import VENUE, YEAR, is_comment, points, title_case, words

__all__ = ["Parsed", "parse", "parse_reference", "with_labels", "without_volume"]

_NAMED_AT_END = re.compile(r"(?P<title>[^()]{3,200}?)(?:,\s(?P<full>[^,()]{5,80})|\s\((?P<by>[^()]{3,80})\))")
_AFTER_NAMES = re.compile(r"[,:]\s(?=[^\W\d_a-z])")
_AND = re.compile(r"\s(?:&|and)\s")
_ACRONYM = re.compile(r"[A-Z][A-Z\d-]{2,9}")
_FEW = 5  # words that describe a work rather than name it
LONGEST = 2000
"""A longer string is no reference; only its beginning is read."""
_VISIT = re.compile(
    r"[(\[]?\b(?:last\s)?(?:retrieved|accessed|viewed|consulted|visited|abgerufen|zugriff|consulté)\b"
    r"(?:\s(?:on|am|le|den))?:?\s[^\d\r\n;]{0,12}?(?:\d{1,2}[.,]?\s?)?(?:[^\W\d_]{3,9}\.?,?\s?)?(?:\d{1,2},\s?)?"
    r"(?:[\d./-]{6,10}|\d{4})?(?:,?\s(?:from|at|via)\b:?)?[)\]]?",
    re.IGNORECASE,
)
_SIMPLE = re.compile(r"[^\W\d_][^\d\"“”„«»‹「『《‘'`\[\](){}*_:;.?!–—@/|]*+\.?\s*")
"""A bare title: nothing in it that could be anything else."""
_IN_VOLUME = (  # what shows that a number is a volume's: (3), 12(3); : 663–676; , no. 4; , 663–676; but not Apollo 11: 50 years
    r"(?:\s?\(\d{1,4}\)|\s?:\s?[^\W\d_]?\d{1,8}(?:\s?[–-]\s?[^\W\d_]?\d{1,8})?(?!\w|\s?[–-]|\s[^\W\d_])"
    r"|,\s(?i:no|nr|pp?|issue|pages?|art(?:icle)?)\b\.?\s?(?i:no\.?\s?)?\w?\d|,\s\d{1,5}[–-])"
)
_VOLUME_AND_MORE = re.compile(  # Science, 349(6251), e124; Nature, vol. 323; Mathematik 1(1), pp. 269-271, 1959; Cell 126, 663–676
    r",\s(?:vol(?:ume)?\.?\s?)?\d{1,4}\s?(?:\(\d[\d–-]{0,12}\))?(?=,\s|$)"
    rf"|(?<=\w)\s(?:vol(?:ume)?\.?\s)?\d{{1,4}}{_IN_VOLUME}(?=.{{0,80}}$)"
)
_VENUE_YEAR = re.compile(
    r"[,，、]?\s{0,4}[(（]?(?<!\d)(?:1[4-9]|20)\d\d(?:\s?[年년]\s?(?:\d{1,2}[月월])?(?:第?\d{0,2}[版期号호])?)?[)）]?(?:\s?[（(][^（）()]{0,60}[)）])?\W*$"
)
_EASTERN_YEAR = re.compile(r"(?<!\d)(?:1[4-9]|20)\d\d[年년]")
_LABEL = re.compile(
    r"\s*(?:\*\*|__)?(?:title|paper|book|article|reference|source|citation|titre|titel|related(?:\swork)?|"
    r"(?:key|main|seminal|original|example)\s(?:paper|reference|work|article)|see(?:\salso)?|also|further\sreading|based\son)"
    r"(?:\*\*|__)?\s?:(?:\*\*|__)?\s*|\s*see\salso\s",
    re.IGNORECASE,
)
_VENUE_ENDS = ' *_."“”《》『』「」'
_VOLUME = re.compile(
    r"(?<=[^\W\d])(?<!\bRFC)(?<!\bBCP)(?<!\bSTD)(?<!\bPEP)(?<!\bISO),?\s(?:[Vv]ol\.?\s)?\d{1,4}(?::\d{1,6}[-–]\d{1,6})?$"
)
_BY_NEXT = re.compile(rf"[*_\"”»’]{{0,3}},?\s(?:{BY})\s", re.IGNORECASE)
_NUMBER = re.compile(r"\d{4}\.\d{4,5}(?:v\d{1,2})?")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A reference string that was read.

    Attributes:
        reference: its fields.
        start, end: the part of the string that is reference; commentary follows.
        marks: what speaks for a reference: "quoted", "emphasised", "link", "apa", "people", "year", "venue",
            "id".
        other: another reading, where names may be a part of the title, or no authors.
    """

    reference: Reference
    start: int
    end: int
    marks: frozenset[str] = field(default=frozenset())
    other: Reference | None = None


_SLANTED_ET_AL = re.compile(r"([*_])et al\.()\1")
_TITLE_MARKS = tuple('"“«„‹「『《‘`*_[')


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

    With `by=False`, "by" is a word of the title ("Learning by Doing"). With `led=True`, what stands before a dash or colon are names,
    as in the other items of its list ("Edward Aldwell & Carl Schachter – Harmony and Voice Leading").

    Example:
        >>> parsed = parse('"Deep Learning" by Yoshua Bengio (2016) - This book is the standard text.')
        >>> parsed.end, parsed.reference.authors
        (39, ('Yoshua Bengio',))
    """
    raw = re.sub(r"[\r\n\t\f\v]", " ", text[:LONGEST])
    if (read := eastern(raw)) is not None:
        return _from_eastern(raw, read)
    if (arrow := raw.find(" → ")) > 0 and _is_told(raw[arrow + 3 :]):
        raw = raw[:arrow]
    if _SIMPLE.fullmatch(raw) and " by " not in raw and " - " not in raw:
        return Parsed(Reference(title=clean_title(raw)), 0, len(raw.rstrip()))
    found = identifiers(raw)
    raw = _SLANTED_ET_AL.sub(r" et al.\2 ", raw)
    clean = _VISIT.sub(lambda match: " " * len(match[0]), _blanked(raw, found))
    clean = clean.replace("→", "–")
    if clean.islower():
        clean = _capitalised(clean)
    ornament = ORNAMENT.match(clean)
    label = _LABEL.match(clean, ornament.end() if ornament else 0)
    start = label.end() if label else ornament.end() if ornament else 0
    if (page := visited(raw, start)) is not None:
        end = next(i.end for i in found if i.end > page.tail)
        return _parsed(raw, _blanked(raw, found), page, Tail(end=end), found)
    draft = (
        in_cells(clean, start)
        or dated(clean, start)
        or abridged(clean, start)
        or run_on(clean, start)
        or after_colon(clean, start, certain=led)
        or in_bold(clean, start, certain=led)
        or marked_title(raw, clean, start, by=by, led=led)
        or behind_dash(clean, start, certain=led)
        or in_commas(clean, start, certain=led)
        or names_and_year(clean, start)
        or listed_names(clean, start)
        or (titled_by(clean, start) if by else None)
        or sentences(clean, start)
        or bare_title(clean, start)
    )
    if (last := _identified(clean, draft, found)) is not None:
        draft = replace(draft, title=(last, last), tail=last, start=0)
        return _parsed(raw, _blanked(raw, found), draft, Tail(end=last), found)
    tail = read_tail(
        clean, draft.tail, found, knows_authors=bool(draft.authors), knows_year=draft.year is not None
    )
    return _parsed(raw, _blanked(raw, found), draft, tail, found)


def _is_told(text: str) -> bool:
    """Whether what an arrow points to is said of a work: *Wild Trees* → pure joy."""
    found = words(text)
    return is_comment(text) or 2 * sum(word[0].islower() for word in found) > len(found)


def _identified(text: str, draft: Draft, found: Sequence[Identifier]) -> int | None:
    """Where the identifier of names and a year ends, if the title only follows it: Roe & Poe (2020), https://…. Read it first."""
    at = draft.title[0]
    if not draft.authors or draft.year is None or text[at : at + 1] in _TITLE_MARKS:
        return None
    return max((i.end for i in found if draft.start < i.start and i.end <= at), default=None)


def _from_eastern(raw: str, read: Eastern) -> Parsed:
    found = [i for i in identifiers(raw) if i.start < read.end + 8]
    end = max([read.end, *(i.end for i in found)])
    reference = with_identifiers(read.reference, found)
    title = read.reference.title
    form = "emphasised" if SCRIPT.search(title) and f"**{title}**" in raw else "quoted"
    marks = {form, *({"people"} if reference.authors else ()), *({"year"} if reference.year else ())}
    return Parsed(reference, read.start, end, frozenset(marks | ({"venue"} if reference.venue else set())))


def _parsed(raw: str, written: str, draft: Draft, tail: Tail, found: Sequence[Identifier]) -> Parsed:
    end = max(tail.end, draft.tail, draft.least)
    within = [i for i in found if draft.start <= i.start < end]
    authors, et_al = (draft.authors, draft.et_al) if draft.authors else (tail.authors, tail.et_al)
    first = next((i.start for i in found if draft.title[0] + 3 < i.start < draft.title[1]), draft.title[1])
    title = clean_title(written[draft.title[0] : first])  # an address ends it
    named = re.match(r"[\s*_]*:", written[draft.title[1] :]) or title.endswith((":", " DOI", " PMID"))
    if (
        within
        and (len(words(title)) < 3 or _describes(title))
        and not authors
        and (named or written[slice(*draft.title)].rstrip().endswith(":"))
        and not (all(i.kind == "url" for i in within) and names_document(title, within[0].value))
    ):
        title = ""  # - CRISPR: doi:10.1126/science.1225829
    if (
        "people" not in draft.marks
        and re.match(r"[*_]{0,2}:\s*\(", written[draft.title[1] - 1 :].lstrip(" "))
        and len(words(title)) < 4
    ):
        title = ""  # Im Text: (Roe, 2007)
    if named and tail.authors and _ACRONYM.fullmatch(title):
        title = ""  # **COREQ**: Roe A, Poe B, Int J Qual Health Care, 2007
    if within and title and not authors:
        title, (authors, et_al) = _names_at_end(title, apart=not named)
    if within and title and not authors:
        title, (authors, et_al) = _names_at_begin(title)
    reference = Reference(
        title="" if within and (points(title) or _NUMBER.fullmatch(title)) else title,
        authors=authors,
        et_al=et_al,
        year=draft.year or tail.year,
        venue=tail.venue if is_named_press(tail.venue) else _VOLUME.sub("", tail.venue) or draft.venue,
    )
    reference = with_identifiers(reference, within)
    if not draft.authors and not _BY_NEXT.match(written, draft.title[1]):
        reference = with_site(reference)
    marks = set(draft.marks) | ({"id"} if any(i.kind != "url" for i in within) else set())
    marks |= {"people"} if authors else set()
    marks |= {"year"} if reference.year else set()
    placed = VENUE.search(tail.venue) or tail.pages or tail.placed or (tail.venue and is_journal(tail.venue))
    marks |= {"venue"} if placed else set()
    if "](" in raw:
        end = next((link.end() for link in LINK.finditer(raw) if link.start() < end <= link.end()), end)
    while end > 0 and raw[end - 1].isspace():
        end -= 1
    start = len(raw) - len(raw.lstrip()) if title or not within or authors else within[0].start
    parsed = Parsed(reference, min(max(start, draft.start), end), end, frozenset(marks))
    return (
        replace(parsed, other=replace(reference, authors=(), et_al=False))
        if tail.inflected
        else _doubted(parsed, draft, written)
    )


def _doubted(parsed: Parsed, draft: Draft, written: str) -> Parsed:
    """What was read, with the other reading where names may begin the title, Hans Holbein: Maler und Hof (1990), or a remark end it."""
    reference = parsed.reference
    if draft.parted is not None:
        whole = clean_title(written[draft.parted : draft.title[1]])
        other = replace(reference, title=whole, authors=(), et_al=False)
        if not _is_english(reference.title):
            return replace(parsed, other=other)
        # in English works are seldom cited so, but lives have such titles
        return replace(parsed, reference=other, other=reference, marks=parsed.marks - {"people"})
    if draft.swapped:
        return replace(parsed, other=Reference(" and ".join(reference.authors), venue=reference.venue))
    if draft.cut is not None:
        return replace(
            parsed, other=replace(reference, title=clean_title(written[draft.title[0] : draft.cut]))
        )
    return parsed


def _is_english(title: str) -> bool:
    return re.match(r"An?\s[A-Z]", title) is not None or not ENGLISH.isdisjoint(map(str.lower, words(title)))


def _names_at_end(title: str, *, apart: bool) -> tuple[str, tuple[tuple[str, ...], bool]]:
    """Names behind a title and before its address: Meditations, Marcus Aurelius: https://…; Walden (Thoreau) https://…."""
    match = _NAMED_AT_END.fullmatch(title)
    names = people(match["full"] or match["by"]) if match else None
    if match is None or names is None or is_venue(match["full"] or match["by"]):
        return title, ((), False)
    before = people(match["title"]) if match["full"] else None
    if before and likely_names(before[0]) and not likely_names(names[0]):
        return match["full"], before  # Allen Downey, Think Stats: https://…
    if (match["full"] and not all(" " in name for name in names[0])) or (match["by"] and not apart):
        return title, ((), False)
    return match["title"].rstrip(" ,"), names


def _names_at_begin(title: str) -> tuple[str, tuple[tuple[str, ...], bool]]:
    """Several names before a title and its address: Roe & Poe, Trees of the shore, https://…; Roe, Poe, Doe: Why trees, https://…."""
    for apart in list(_AFTER_NAMES.finditer(title, 3, 120))[:6]:
        head, rest = title[: apart.start()], title[apart.end() :]
        names = people(head) if apart[0][0] == ":" or _AND.search(head) else None
        several = names is not None and (len(names[0]) > 1 or names[1])
        if names and several and len(words(rest)) > 2 and not people(rest) and likely_names(names[0]):
            return rest, names
    return title, ((), False)


def _describes(title: str) -> bool:
    """Whether a few words in small letters before an identifier only say what it is of: Human genome (Celera): https://…."""
    return len(words(title)) <= _FEW and title_case(title) < 0.7 and '"' not in title


def with_labels(reference: Reference, fields: Mapping[str, str]) -> Reference:
    """The reference with what labelled lines say: {"authors": "Kaiming He, Jian Sun", "venue": "CVPR (2016)"}."""
    written = fields.get("authors", "")
    year = next((found for name in ("year", "venue") if (found := _year(fields.get(name, "")))), None)
    if "title" in fields:
        reference = replace(reference, title=clean_title(fields["title"]))
    names = (eastern_names(written) if SCRIPT.search(written) else authors(written)) if written else None
    if names:
        reference = replace(reference, authors=names[0], et_al=names[1])
    if year:
        reference = replace(reference, year=year)
    if "venue" not in fields and (paren := PAREN.search(fields.get("year", ""))) and is_press(paren[1]):
        reference = replace(reference, venue=paren[1])  # İlk baskı: 1983 (Hil Yayın)
    if "venue" in fields:
        venue = re.split(r"\s\|", fields["venue"])[0].strip(_VENUE_ENDS)
        reference = replace(reference, venue=without_volume(_VENUE_YEAR.sub("", venue)))
    written = " ".join(f"doi {value}" if value.startswith("10.") else value for value in fields.values())
    return with_identifiers(reference, identifiers(written))


def without_volume(venue: str) -> str:
    """A venue without volume, issue and pages.

    Example:
        >>> without_volume("River Res. Part B, 15(2), 11-20")
        'River Res. Part B'
        >>> without_volume("Numerische Mathematik 1(1), pp. 269-271, 1959")
        'Numerische Mathematik'
        >>> without_volume("Apollo 11: 50 years")
        'Apollo 11: 50 years'
    """
    venue = venue.rstrip("\r\n")
    found = _VOLUME_AND_MORE.search(venue, venue.rfind("\n") + 1)  # what is behind it is on the same line
    return (venue[: found.start()] if found else venue).strip(_VENUE_ENDS)


def _year(written: str) -> int | None:
    found = _EASTERN_YEAR.search(written) or YEAR.search(written)
    return int(found[0][:4]) if found else None


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
    holes = [
        (i.start - 1, i.end + 1)
        if text[i.start - 1 : i.start] + text[i.end : i.end + 1] == "<>"
        else (i.start, i.end)
        for i in found
    ]
    for link in LINK.finditer(text):
        holes = [h for h in holes if not (link.end(1) <= h[0] and h[1] <= link.end())]
        if text[: link.start()].strip(" *_([") and names_host(link[1], link[2]):
            # *Walden* ([Project Gutenberg](https://www.gutenberg.org/…))
            holes.append((link.start(), link.end()))
        else:
            holes += [(link.start(), link.start() + 1), (link.end(1), link.end())]
    return sorted(holes)


def _capitalised(text: str) -> str:
    """A reference all in lower case with capitals where names and sentences begin, each place unchanged."""
    date = DATE.search(text) or YEAR.search(text)
    edge = date.start() if date else 0
    head = re.sub(
        r"(?<![\w'’])(?!(?:and|et|al|van|von|de|der|den|la|le|by|in|of|the)\b)[a-z]", _upper, text[:edge]
    )
    return head + re.sub(r"(?<=[.?!]\s)[a-z]", _upper, text[edge:])


def _upper(match: re.Match[str]) -> str:
    letter = match[0].upper()
    return letter if len(letter) == 1 else match[0]
