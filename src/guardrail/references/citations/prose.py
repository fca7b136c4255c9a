"""References outside lists: titles in running prose, identifiers, and lines under a heading."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.eastern import eastern
from guardrail.references.citations.evidence import EASTERN_MEDIA, heading
from guardrail.references.citations.fields import (
    Parsed,
    author_and_year,
    clean_title,
    parse,
    surely_people,
    with_labels,
)
from guardrail.references.citations.identifiers import Identifier, identifiers, with_identifiers
from guardrail.references.citations.inline import doubtless
from guardrail.references.citations.labels import CASED, points
from guardrail.references.citations.lines import Line
from guardrail.references.citations.markers import field_of, marker_of
from guardrail.references.citations.model import Citation, Style
from guardrail.references.citations.people import PEOPLE, PERSON, people
from guardrail.references.citations.tail import Tail, read_tail
from guardrail.references.citations.unmarked import without_opener
from guardrail.references.citations.words import VENUE, YEAR, title_case, words
from guardrail.report import Span

__all__ = ["above_authors", "standing", "titled"]

_MOST = 3_000  # titles in marks that are looked at
# Atomic groups, not possessive quantifiers, of what has branches: Python 3.11.2 (Debian 12) misses matches of these.
_TITLE = re.compile(
    r"\"(?P<nested>[^\"\r\n]{2,150}\s\"\w[^\"\r\n]{1,150}+\"[^\"\r\n]{0,150}+)\"(?!\w)"
    r"|\"(?P<straight>[^\"\r\n]{4,350}+)\"|“(?P<curly>(?>(?:[^“”\r\n]|“[^“”\r\n]{1,200}+”){4,350}))”|„(?P<german>[^„“”\r\n]{4,350}+)[“”]"
    r"|«(?P<french>[^«»\r\n]{4,350}+)»|《(?P<book>[^《》\r\n]{2,200}+)》|『(?P<corner>[^『』\r\n]{2,200}+)』"
    r"|(?<!\w)'(?P<single>(?>(?:[^'\"“”\r\n]|(?<=\w)'(?=\w)){8,300}))'(?!\w)"
    r"|‘(?P<low>(?>(?:[^‘’\"“”\r\n]|(?<=\w)’(?=\w)){8,300}))’(?!\w)"
    r"|(?<![\w*])(?P<stars>\*\*?)(?=[^\s*])(?P<italic>[^*\r\n]{4,300}+)(?P=stars)(?![\w*])"
    r"|(?<!\w)_(?=[^\s_])(?P<under>[^_\r\n]{4,300}+)_(?!\w)"
    r"|\[(?P<link>[^\[\]\r\n]{4,300}+)\]\((?P<address>[^()\s]{4,500}+)\)"
)
_BROKEN = re.compile(
    r"(?<!\w)(?:\"(?P<straight>[^\"\r\n]{3,200}+\r?\n[ \t>]{0,12}[^\"\r\n]{2,200}+)\"(?!\w)"
    r"|“(?P<curly>[^“”\r\n]{3,200}+\r?\n[ \t>]{0,12}[^“”\r\n]{2,200}+)”)"
)
_LEFT = re.compile(
    r"(?:\A|(?<=[.?!:;]\s)|\b(?:cite|see|read|use|using)\s+)"
    r"(?P<words>[A-Z][\w'’-]*(?:\s[\w'’,:-]{1,20}){0,9}\s(?:of|for|to|on|about|beyond|than|versus|vs\.?|against|after)\s)\Z"
)
_LEADING = frozenset(
    ["in", "see", "according", "based", "as", "while", "when", "since", "also", "from", "following", "like"]
)
_NOUN = (
    r"papers?|books?|articles?|study|studies|essays?|report|thesis|dissertation|novel|survey|chapter|monograph|"
    r"textbook|memoir|preprint|publication|treatise|review|"
    r"livre|ouvrage|roman|article|buch|aufsatz|werk|libro|artículo"
)
_WORK = (
    r"works?|texts?|guides?|introduction|overview|account|history|analysis|collection|exploration|critique|biography|"
    r"autobiography|handbook|classics?|manifesto|bestseller|title|volume|investigation|discussion|look|resource|must-read"
)
_NOUNS = frozenset(word for noun in _NOUN.split("|") for word in (noun.rstrip("?"), noun.removesuffix("s?")))
_NEAR = _NOUNS | {"titled", "entitled", "published", "wrote", "authored", "cite", "cites"}
_MEDIA = frozenset(
    [
        "film",
        "films",
        "movie",
        "movies",
        "song",
        "songs",
        "album",
        "albums",
        "podcast",
        "podcasts",
        "painting",
        "paintings",
    ]
)
_SPEECH = frozenset(
    [
        "said",
        "says",
        "say",
        "asked",
        "asks",
        "answered",
        "replied",
        "shouted",
        "message",
        "button",
        "click",
        "error",
        "menu",
        "option",
        "term",
        "so",
        "called",
        "phrase",
        "word",
        "words",
        "quote",
        "slogan",
        "motto",
        "proverb",
    ]
)
_SHOWN = re.compile(
    r"\b(?:(?:television|tv)\s(?:shows?|series|programs?|programmes?)|(?:debut|hit|lead)\s(?:singles?|tracks?)|music\stracks?|"
    r"(?:Oscar|Emmy|Grammy)s?)\b",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    rf"\b(?:{_NOUN})\s*(?:,|:|is|was|are|were|titled|entitled|called|named|by(?:[^.\n]|(?<=al)\.){{1,40}})?[\s:,*]*$",
    re.IGNORECASE,
)
_NEAR_BEFORE = re.compile(
    rf"\b(?:{_NOUN}|titled|entitled|published|wrote|authored|cites?)\b(?:[^.!?\n]|(?<=al)\.){{0,60}}$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"[\s*,\"”]{{0,4}}(?:(?:is|was)\s(?:published|written|(?:an?|the)\s(?:[\w’'-]{{1,30}},?\s){{0,8}}(?:{_NOUN}|{_WORK}))\b|appeared\b|published\b|\(?\b(?:{_NOUN})\b)",
    re.IGNORECASE,
)
_NOT_TITLE = re.compile(
    r"\b(?:said|says|say|asked|asks|answered|replied|shouted|message|button|click|error|menu|option|term|so-called|"
    r"phrase|word|words|quote|slogan|motto|proverb)\b[^.!?\n]{0,25}$",
    re.IGNORECASE,
)
_SPOKEN = re.compile(
    r"[\s,]{0,3}(?:he|she|they|I|we)?\s?(?:said|says|asked|answered|replied|shouted|button|menu)\b"
)
_AUTHOR_BEFORE = re.compile(
    r"(?<!\w)((?:[^\W\d_a-z][\w'’-]{1,30}(?:\s(?:and|&)\s[^\W\d_a-z][\w'’-]{1,30}|,?\set al\.?)?)\s?"
    r"\(((?:1[4-9]|20)\d\d)[a-z]?\)[,:.]?\s?)$"
)
_AUTHOR_PROPOSES = re.compile(
    r"(?<!\w)((?:[^\W\d_a-z][\w'’-]{1,30}(?:\s(?:and|&)\s[^\W\d_a-z][\w'’-]{1,30}|,?\set al\.?)?)\s?"
    r"\(((?:1[4-9]|20)\d\d)[a-z]?\),?\s"
    r"(?:(?:propose|introduce|describe|argue)[sd]?|present(?:s|ed)?|publish(?:es|ed)?|writes?|wrote|show(?:s|ed)?)\s(?:[\w-]{2,20}\s){0,5}?)$"
)
_AUTHOR_AFTER = re.compile(
    r",?\s([^\W\d_a-z][\w'’-]{1,30}(?:\s(?:and|&)\s[^\W\d_a-z][\w'’-]{1,30}|,?\set al\.?))\s?"
    r"\(((?:1[4-9]|20)\d\d)[a-z]?\)"
)
_AUTHOR_COMMA_BEFORE = re.compile(
    r"(?<!\w)([^\W\d_a-z][\w'’-]{1,30}(?:,?\s(?:and|&)\s[^\W\d_a-z][\w'’-]{1,30}){0,2},?\set al\.?,\s)$"
)
_OWNER_BEFORE = re.compile(
    r"(?<![\w.])(?P<owner>(?:[^\W\d_a-z][\w.-]{0,20}\s){0,3}(?:(?:v[ao]n|de[rn]?|du|di)\s){0,2}[^\W\d_a-z][\w-]{1,30}"
    r"(?:\s(?:and|&)\s(?:[^\W\d_a-z][\w.-]{0,20}\s){0,3}[^\W\d_a-z][\w-]{1,30}|\set\sal\.)?)(?:['’]s|(?<=s)['’])\s"
    r"(?:(?:[a-z][\w-]{2,20}|[A-Z]{3,6}|\(?(?P<year>(?:1[4-9]|20)\d\d)\)?),?\s){0,4}$"
)
_SUBJECT_BEFORE = re.compile(  # Wayne Booth published *…*; Benedict Anderson, in *…*; Meselson and Stahl in their 1958 PNAS article *…*
    rf"(?<![\w.’'-])(?P<owner>{PEOPLE}),?\s(?:(?:first|later|then|also|once)\s)?"
    r"(?:(?:published|wrote|authored)(?:\sin\s(?P<early>(?:1[4-9]|20)\d\d))?|(?:(?:argue|write|propose|introduce|describe|show)[ds]?\s)?in)\s"
    rf"(?:(?:his|her|their|the|a)\s(?:[\w-]{{2,20}}\s){{0,2}}?(?:(?P<year>(?:1[4-9]|20)\d\d)\s)?(?:[\w-]{{2,20}}\s){{0,2}}?(?:{_NOUN})\s)?[*_]{{0,2}}$"
)
_WHERE = re.compile(  # in the *Bell System Technical Journal* in 1948; in Science; (Proceedings of the London Mathematical Society)
    r"[\s*_,\"”’]{0,4}(?:(?:published\s)?(?:\s|(?<=\s))in\s(?:the\s)?|\()[*_]?(?P<venue>[^\W\d_a-z][\w’'-]{1,30}(?:\s(?:of|the|and|&|for|on|in|[^\W\d_a-z][\w’'.-]{1,30})){0,8})[*_]?\)?"
    r"(?:\s(?:in\s|\()(?P<year>(?:1[4-9]|20)\d\d)\)?)?"
)
_LATER = re.compile(  # had appeared in 1897; published in 2013; from 2000
    r"[\s*_,\"”’]{0,4}(?:(?:which\s|that\s)?(?:had\s|was\s)?(?:first\s)?(?:appeared|published|came\sout)\sin|from)\s(?P<year>(?:1[4-9]|20)\d\d)(?!\d)"
)
_MADE_BY = re.compile(
    rf"[,\s]{{1,3}}(?:(?:was|were|which\swas)\s)?(?:first\s)?(?:published|written|authored|proposed|introduced|coauthored)\s(?:in\s(?P<early>(?:1[4-9]|20)\d\d)\s)?"
    rf"by\s(?P<by>{PEOPLE})(?:\s(?:in\s|\()(?P<year>(?:1[4-9]|20)\d\d)\)?)?"
)
_LISTED_AFTER = re.compile(
    rf",\s(?:by\s)?(?P<by>{PEOPLE}),\s(?P<venue>[^\W\d_a-z][^,.;()\r\n]{{1,80}}),\s(?P<year>(?:1[4-9]|20)\d\d)(?!\d)"
)
_PERSON_AFTER = re.compile(rf"[\s*]{{0,3}}\((?:1[4-9]|20)\d\d\),\s{PERSON}\s[a-z]")
_DATED_AFTER = re.compile(r"[\s\"”*_]{0,3}\((?:[^()\d]{2,60},?\s)?(?:1[4-9]|20)\d\d\)")
_WITH_AUTHORS = re.compile(r"(?P<title>[^()]{4,300}?)\s\((?P<by>[^()]{4,150})\)")
_PUBLISHER = re.compile(
    r"[\s*_,\"”’']{0,4}\((?P<name>(?:Alfred A\. )?Knopf|Simon (?:&|and) Schuster|Little,? Brown(?: and Company)?|Faber(?: (?:&|and) Faber)?|"
    r"Doubleday|Farrar,? Straus(?: and| &) Giroux|FSG|Houghton Mifflin(?: Harcourt)?|Penguin|Random House|HarperCollins|"
    r"Harper(?: (?:&|and) Row)?|Macmillan|Norton|W\. ?W\. Norton|Vintage|Viking|Bloomsbury|Scribner|Basic Books|Routledge|"
    r"Springer|Elsevier|Wiley|Picador|Hachette|Crown|Pantheon|Ballantine|Bantam)[:,]?\s(?:1[5-9]|20)\d\d"
)
_IN = re.compile(r"\b(?:in|from|by)(?: the)?\s$", re.IGNORECASE)
_IN_EAST = re.compile(r"(?:发表在|发表于|刊登在|刊载于|刊于|载于|、|年)$")  # 发表在《考古学报》上的《…》
_BOLD_LINE = re.compile(r"[\s>]{0,8}\*\*(?P<title>[^*\r\n]{8,300})\*\*[.:]?\s*")
_BELOW = re.compile(
    rf"[\s>*_]{{0,8}}(?P<by>{PEOPLE})[*_]{{0,2}}[,.]?\s[*_(]{{0,3}}(?P<venue>[^\W\d_a-z][^,;()*_\r\n]{{1,80}}?)[*_]{{0,2}},?\s\(?"
    r"(?P<year>(?:1[4-9]|20)\d\d)[)*_.\s]{0,5}"
)
_LAST_YEAR = re.compile(r"[\s,(·|–—-]{1,6}(?:1[4-9]|20)\d\d\)?\s*$")
_LEADS = re.compile(r"\s*In\s[\"“*_]")
_QUOTES = re.compile(r"[\"“”„«»]|(?<!\w)['‘]")
_QUOTED_LINE = re.compile(r"\s*[\"“«„《][^\"“”«»„《》]{4,350}[\"”»“》][.,]?\s*")


def standing(
    rows: Sequence[Line], taken: bytearray, skipped: Container[int], *, asked: bool, among: bool = False
) -> list[Citation]:
    """Lines that are references as a whole, mostly under a heading "References".

    In an answer with references (`among`), lines of code and quotations are read, too, if there is no doubt.
    """
    found: list[Citation] = []
    under = False
    for number, row in enumerate(rows):
        text = row.text
        if number in skipped or row.blank or taken.find(1, row.start, row.end) >= 0:
            continue
        if row.code:
            found += _whole(row) if among or asked else []
            continue
        if heading(text):
            under = True
            continue
        if text.lstrip().startswith("#"):
            under = False
        if len(text) < 400 and (whole := _eastern(row)):
            found.append(_with_bullets(rows, number, whole))
            continue
        quoted = asked and len(text) < 360 and _QUOTED_LINE.fullmatch(text) is not None
        if not quoted and (len(text) > 1500 or not YEAR.search(text, 0, 700)):
            continue
        parsed = parse(text)
        if quoted or (_stands(parsed, under=under) and not _mentions(text, parsed.reference)):
            span = Span(start=row.start + parsed.start, end=row.start + parsed.end)
            if span.end > span.start and parsed.reference.title:
                found.append(Citation(span, parsed.reference, "line", Span(start=row.start, end=row.stop)))
        elif among or asked:
            found += _whole(row)
        elif not _QUOTES.search(text) or _begins_with_author(text, parsed):
            found += [
                one for one in _whole(row) if 10 * (one.span.end - one.span.start) > 9 * len(text.strip())
            ]
    return found


def _eastern(row: Line) -> Citation | None:
    """The line as a reference in Chinese, Japanese or Korean, unless it is one of films and the like."""
    read = eastern(row.text)
    if read is None or not (read.reference.authors and read.reference.year):
        return None
    if not read.reference.venue and EASTERN_MEDIA.search(row.text):
        return None
    parsed = parse(row.text)
    span = Span(start=row.start + parsed.start, end=row.start + parsed.end)
    said = parsed.reference
    foreign = said.title.isascii() and not all(name.isascii() for name in said.authors)
    style: Style = "unmarked" if foreign else "line"  # its record has the names in other letters
    return Citation(span, said, style, Span(start=row.start, end=row.stop))


def _with_bullets(rows: Sequence[Line], number: int, citation: Citation) -> Citation:
    """The line with the identifier that a label names among the bullets right below it: "- arXiv: …"."""
    for below in rows[number + 1 : number + 5]:
        label = field_of(below.text)
        if below.blank or marker_of(below.text) is None:
            break
        if label and label[0] == "id" and (ids := identifiers(label[1])):
            end = below.start + len(below.text.rstrip())
            return replace(
                citation,
                span=Span(start=citation.span.start, end=end),
                reference=with_identifiers(citation.reference, ids),
                item=Span(start=rows[number].start, end=below.stop),
            )
    return citation


def _begins_with_author(text: str, parsed: Parsed) -> bool:
    """Whether the line opens with the reference's first author, as a bibliography does."""
    authors = parsed.reference.authors
    return bool(authors) and text.lstrip(" \t>*_").startswith(authors[0][:12])


def above_authors(rows: Sequence[Line], taken: bytearray) -> Iterator[Citation]:
    """A bold title with a line of authors below it, or with lines that are labelled."""
    for number, (row, below) in enumerate(pairwise(rows)):
        title = _BOLD_LINE.fullmatch(row.text)
        if title is not None and not row.code and (field_of(below.text) or ("", ""))[1]:
            yield from _above_labels(
                rows, number, title["title"], row.start + title.start("title") - 2, taken
            )
            continue
        if title is None or below.blank or row.code or taken.find(1, row.start, below.end) >= 0:
            continue
        where = _BELOW.fullmatch(below.text) if len(below.text) < 300 else None
        written = where["by"] if where else _LAST_YEAR.sub("", below.text).strip(" *_>\t")
        names = people(written)
        if (
            names is None
            or len(words(title["title"])) < 3
            or not (names[1] or len(names[0]) > 1 or surely_people(*names))
        ):
            continue
        year = YEAR.search(below.text)
        reference = Reference(
            clean_title(title["title"]),
            names[0],
            names[1],
            int(where["year"]) if where else int(year[0]) if year else None,
            where["venue"].strip() if where else "",
        )
        yield Citation(
            Span(start=row.start + title.start("title") - 2, end=below.end), reference, "emphasised"
        )


def _above_labels(
    rows: Sequence[Line], number: int, title: str, start: int, taken: bytearray
) -> Iterator[Citation]:
    """A bold title, and below it "Authors: …", "Published in: …"."""
    fields: dict[str, str] = {}
    end = rows[number].end
    for below in rows[number + 1 : number + 10]:
        label = field_of(below.text)
        if label is None or not label[1] or label[0] == "title":
            break
        fields.setdefault(*label)
        end = below.start + len(below.text.rstrip())
    reference = with_labels(Reference(clean_title(title)), fields)
    if (reference.authors or reference.year) and taken.find(1, start, end) < 0:
        yield Citation(Span(start=start, end=end), reference, "emphasised")


def _whole(row: Line) -> list[Citation]:
    """The line as a reference beyond doubt, unless it is a sentence around a title in marks."""
    return [citation for citation in doubtless(row) if not _mentions(row.text, citation.reference)]


def _mentions(text: str, reference: Reference) -> bool:
    """Whether the title read from a line is a sentence with one in it: I recommend "Deep Learning" by …."""
    title = reference.title
    least = 0 if _LEADS.match(text) else 2
    return any(title.find(citation.reference.title) >= least for citation in titled(text, ()))


def _stands(parsed: Parsed, *, under: bool) -> bool:
    reference = parsed.reference
    if not reference.title or reference.title[0].islower():
        return False
    if reference.title.count("(") > reference.title.count(")"):
        return False  # a sentence with marks: … (Riess et al., 1998; vgl. Perlmutter et al. 1999)
    if under:
        return bool(reference.authors) or bool(parsed.marks & {"quoted", "id", "venue"})
    return "apa" in parsed.marks and any(re.search(r",\s(?:[^\W\d_]\.)", name) for name in reference.authors)


def titled(text: str, found: Sequence[Identifier]) -> list[Citation]:
    """Titles in running prose: in quotes, in italics, or as the text of a link."""
    starts = {i.start: i for i in found}
    return [*_titles(text, _TITLE, starts), *_titles(text, _BROKEN, starts)]


def _titles(text: str, pattern: re.Pattern[str], starts: dict[int, Identifier]) -> list[Citation]:
    result: list[Citation] = []
    at = 0
    for match in islice(pattern.finditer(text), _MOST):
        if match.start() < at:
            continue
        citation = _title(text, match, starts)
        if citation:
            result.append(citation)
            at = citation.span.end
    return result


def _title(text: str, match: re.Match[str], starts: dict[int, Identifier]) -> Citation | None:
    group = match.lastgroup
    name = "link" if group == "address" else (group or "")
    inner = match["italic"] if name == "italic" else match[name]
    title = clean_title(inner)
    identifier = starts.get(match.start("address")) if name == "link" else None
    named = identifier is not None and identifier.kind != "url"
    if name == "link" and (points(title) or author_and_year(title) or (named and title_case(title) < CASED)):
        return None  # the label of its address, which is read with that
    count = len(words(title)) if not title.isascii() or " " in title else 1
    before = text[max(0, match.start() - 100) : match.start()]
    if (
        count < 2
        and name not in ("book", "corner")
        and not _owned(before, text[match.end() : match.end() + 80])
    ):
        return None
    if name in ("italic", "under") and _IN.search(before) and VENUE.search(title):
        return None  # published in the *Journal of …*: where it is, not what it is
    window = text[match.end() : match.end() + 500].split("\n", 1)[0]
    if (
        name in ("book", "corner")
        and _IN_EAST.search(before)
        and window.startswith(("上", "杂志上", "期刊上", "に", "誌"))
    ):
        return None
    nearby = [
        replace(i, start=k - match.end(), end=i.end - match.end())
        for k in _close(match.end(), starts)
        for i in [starts[k]]
    ]
    cased = title_case(title)
    author = _author(
        before, title, proposes=name != "link" and cased >= 0.7 and count >= 3, link=name == "link"
    )
    tail = _behind(
        window,
        nearby,
        inner,
        expects=count >= 3 and not author.names and (cased >= 0.7 or before.endswith("In ")),
        owned=bool(author.names or _owner(before, author).names),
    )
    inside = [i for i in nearby if i.start < tail.end and i.kind != "url"]
    known = bool(inside) or named
    near_work = (
        not _NEAR.isdisjoint(word.lower() for word in words(before))
        or _OWNER_BEFORE.search(before) is not None
        or _SUBJECT_BEFORE.search(before) is not None
        or _PERSON_AFTER.match(window) is not None
    )
    if (
        name in ("italic", "under")
        and not (author.names or tail.authors or known)
        and tail.year
        and not near_work
    ):
        return None  # **The Dark Knight** (2008): a year and capitals may be those of a film
    score = 1.0 * (cased >= 0.7 and count >= 3) + 1.5 * bool(tail.authors) + 1.0 * bool(tail.year)
    score += 2.0 * bool(author.names) + 3.0 * known + _said_around(before, window)
    score += 0.5 if name in ("book", "corner") else 0.0
    score += 1.0 if _owned(before, window) else 0.0
    score += 1.5 * _belongs_to_several(before)
    if cased < 0.5 and not (author.names or tail.authors or inside or identifier):
        score -= 1.0
    if score < 2.0:
        return None
    title, start = author.title, match.start() - author.length
    if tail.authors and not author.names and name in ("straight", "curly", "single", "low"):
        left = _left_part(before)
        start -= len(left)
        title = " ".join((left + match[0]).split()) if left else title
    if not author.names and not tail.authors:
        author = _owner(before, author)
        start = match.start() - author.length if author.names else start
    authors, et_al = author.names or (tail.authors, tail.et_al)
    reference = Reference(
        title=title,
        authors=authors,
        et_al=et_al,
        year=tail.year or author.year,
        venue=tail.venue if authors else "",
        url=match["address"] if name == "link" else "",
    )
    reference = with_identifiers(reference, [*inside, *([identifier] if identifier else [])])
    style: Style = "emphasised" if name in ("italic", "under") else "quoted"
    return Citation(Span(start=start, end=match.end() + max(0, tail.end)), reference, style)


@dataclass(frozen=True, slots=True)
class _Author:
    """Who is named before a title or within its link, and the title without that; `length` characters before it belong to it."""

    title: str
    names: tuple[tuple[str, ...], bool] | None = None
    year: int | None = None
    length: int = 0


def _author(before: str, title: str, *, proposes: bool, link: bool) -> _Author:
    if link and (whole := _WITH_AUTHORS.fullmatch(title)) and (claimed := author_and_year(whole["by"])):
        return _Author(whole["title"], (claimed.authors, claimed.et_al), claimed.year)
    dated = _AUTHOR_BEFORE.search(before) or (_AUTHOR_PROPOSES.search(before) if proposes else None)
    if dated and (names := people(re.sub(r"\(.*", "", dated[1]))):
        return _Author(title, names, int(dated[2]), len(dated[1]))
    if listed := _AUTHOR_COMMA_BEFORE.search(before):
        return _Author(title, people(listed[1].rstrip(", ")))
    return _Author(title)


def _owner(before: str, author: _Author) -> _Author:
    """Caro's *The Power Broker*. That alone is no sign of a reference: Netflix's *The Crown*."""
    owner, names = _named_before(before)
    if owner is None or names is None:
        return author
    written = owner["year"] or owner.groupdict().get("early")
    year = int(written) if written else None
    return replace(author, names=names, year=year, length=len(owner[0]) - without_opener(owner["owner"])[1])


def _belongs_to_several(before: str) -> bool:
    """Whether two people, or one and others, are named as authors: Angrist and Pischke's *Mostly Harmless Econometrics*."""
    _, names = _named_before(before)
    return names is not None and (names[1] or len(names[0]) > 1)


def _named_before(before: str) -> tuple[re.Match[str] | None, tuple[tuple[str, ...], bool] | None]:
    """Who owns a title or is the subject before it. Who only stands before "in" may be anybody: the Chinese Room in "Minds, …"."""
    owner = _OWNER_BEFORE.search(before)
    subject = None if owner else _SUBJECT_BEFORE.search(before)
    named = owner or subject
    names = people(without_opener(named["owner"])[0]) if named else None
    if subject and names and re.search(r"[^,]\sin\s[*_]{0,2}$", subject[0]):
        written = subject["owner"]
        if len(names[0]) == 1 and not names[1] and "." not in written:
            return None, None
    return named, names


def _owned(before: str, after: str) -> bool:
    """Whether a title of one word has an author and a year beside it: Bostrom's *Superintelligence* (2014)."""
    return _named_before(before)[1] is not None and _DATED_AFTER.match(after) is not None


def _behind(
    window: str, nearby: Sequence[Identifier], inner: str, *, expects: bool, owned: bool = False
) -> Tail:
    """What follows a title; of a publisher with a year nobody is the author."""
    tail = read_tail(window, 0, nearby, knows_authors=owned, prose=True)
    if not tail.year and (later := _LATER.match(window)):
        tail = replace(tail, year=int(later["year"]), end=later.end())
    if owned and not tail.venue and (where := _WHERE.match(window)) and VENUE.search(where["venue"]):
        year = int(where["year"]) if where["year"] else tail.year
        tail = replace(tail, venue=where["venue"], year=year, end=max(tail.end, where.end()))
    if publisher := _PUBLISHER.match(window):
        tail = replace(tail, authors=(), et_al=False, venue=publisher["name"])
    if expects and not tail.authors:
        tail = _names_after(window, comma=inner.endswith(",")) or _made_by(window) or tail
    return tail


def _made_by(window: str) -> Tail | None:
    """Who made it, behind a title: published by Vaswani and colleagues in 2017; A. M. Turing, Mind, 1950."""
    for pattern in (_MADE_BY, _LISTED_AFTER):
        match = pattern.match(window)
        names = people(match["by"]) if match else None
        if match and names:
            found = match.groupdict()
            year = found.get("year") or found.get("early")
            return Tail(match.end(), *names, int(year) if year else None, venue=found.get("venue") or "")
    return None


def _said_around(before: str, window: str) -> float:
    """What the words around a title say of it: a paper, a film, an utterance."""
    near = {word.lower() for word in words(before)}
    score = 1.0 if _AFTER.match(window) else 0.0
    if near & _NEAR:
        score += 1.5 if _BEFORE.search(before) else (1.0 if _NEAR_BEFORE.search(before) else 0.0)
    if near & _MEDIA or _SHOWN.search(before):
        score -= 4.0
    if (near & _SPEECH and _NOT_TITLE.search(before)) or _SPOKEN.match(window):
        score -= 2.0
    return score


def _names_after(window: str, *, comma: bool) -> Tail | None:
    """Names and a year behind a comma: In "Trees and Graphs," Halloran et al. (2016) say so."""
    after = _AUTHOR_AFTER.match(window)
    names = people(after[1]) if after and (comma or window.startswith(",")) else None
    return Tail(after.end(), *names, int(after[2])) if after and names else None


def _left_part(before: str) -> str:
    """The beginning of a title that quotes another one: A Critique of "Deep Learning" (Doe et al., 2020)."""
    line = re.split(r"[\r\n]", before)[-1]
    if len(line) == 100:
        line = "…" + line
    for match in (_LEFT.search(line), _LEFT.search(line, 1)):
        found = words(match["words"]) if match else []
        plain = {word.lower() for word in found}
        if len(found) < 2 or found[0].lower() in _LEADING or plain & _NEAR:
            continue
        if match and title_case(match["words"]) == 1.0:
            return match["words"]
    return ""


def _close(at: int, starts: dict[int, Identifier]) -> list[int]:
    return [k for k in range(at, at + 60) if k in starts]
