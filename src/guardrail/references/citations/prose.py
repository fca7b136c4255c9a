"""Titles in marks within sentences: in quotes, in italics, or as the text of a link."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.before import NOUN, OPENED, REACH, Before, read_before
from guardrail.references.citations.behind import IS_WORK, read_behind
from guardrail.references.citations.identifiers import Identifier, with_identifiers
from guardrail.references.citations.labels import CASED
from guardrail.references.citations.model import Citation, Style
from guardrail.references.citations.people import PERSON, author_and_year, people
from guardrail.references.citations.tail import Tail
from guardrail.references.citations.titles import clean_title
from guardrail.references.citations.unmarked import MEDIA
from guardrail.references.citations.venues import is_journal
from guardrail.references.citations.words import VENUE, points, title_case, words
from guardrail.report import Span

__all__ = ["titled"]

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
_WORK = (
    r"works?|texts?|guides?|introduction|overview|account|history|analysis|collection|exploration|critique|biography|"
    r"autobiography|handbook|classics?|manifesto|bestseller|title|volume|investigation|discussion|look|resource|must-read"
)
_NOUNS = frozenset(word for noun in NOUN.split("|") for word in (noun.rstrip("?"), noun.removesuffix("s?")))
_NEAR = _NOUNS | {"titled", "entitled", "published", "wrote", "authored", "cite", "cites"}
_CALLED = frozenset(["titled", "entitled", "called"])
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
    rf"\b(?:{NOUN})\s*(?:,|:|is|was|are|were|titled|entitled|called|named|by(?:[^.\n]|(?<=al)\.){{1,40}})?[\s:,*]*$",
    re.IGNORECASE,
)
_TITLED = re.compile(rf"\b(?:{NOUN})\s(?:titled|entitled|called)[\s:,*]*$", re.IGNORECASE)
_NEAR_BEFORE = re.compile(
    rf"\b(?:{NOUN}|titled|entitled|published|wrote|authored|cites?)\b(?:[^.!?\n]|(?<=al)\.){{0,60}}$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"[\s*,\"”]{{0,4}}(?:(?:is|was)\s(?:published|written|(?:an?|the)\s(?:[\w’'-]{{1,30}},?\s){{0,8}}(?:{NOUN}|{_WORK}))\b|appeared\b|published\b|\(?\b(?:{NOUN})\b)",
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
_PERSON_AFTER = re.compile(rf"[\s*]{{0,3}}\((?:1[4-9]|20)\d\d\),\s{PERSON}\s[a-z]")
_BY_SEVERAL = re.compile(r"\s\(([^\W\d_a-z][^()\d]{3,80}\s(?:&|and)\s[^\W\d_a-z][\w’'-]+)\)")
_WROTE = re.compile(r"\b(?:published|wrote|authored)\s[*_]{0,2}$")  # Ann Roe published *ReTree*
_DATED_AFTER = re.compile(r"[\s\"”*_]{0,3}\((?:(?:[^()\d]{2,60},?\s)?(?:1[4-9]|20)\d\d\)|https?://)")
_IN = re.compile(r"\b(?:in|from|by)(?: the)?\s$", re.IGNORECASE)
_AT_A_YEAR = re.compile(
    r"\b(?:1[5-9]|20)\d\d[a-z]?,?\s$|\b(?:in|from|by|for)(?:\s(?:the|an?|journal))?\s(?:\d{4}\s)?$"
)
_IN_EAST = re.compile(r"(?:发表在|发表于|刊登在|刊载于|刊于|载于|、|年)$")  # 发表在《考古学报》上的《…》
_PUBLISHED = re.compile(
    r"[\s*_,\"”’]{0,4}(?:(?:which|that|was|were|had|has|been)\s){0,3}(?:first\s)?(?:published|appeared|came\sout)\b"
)
_GOES_ON = re.compile(r"[*_\"”’»]{0,4},\s[„“«\"*_]?[^\W\d_a-z]")
_CASED = 0.7  # share of words with a capital, from which words in marks look like a title
_PLAIN = 3  # words of a title that need no more to look like one
_LEAST = 2.0  # of the score
_NEAR_REACH = 100  # characters before a title in which words for works count
_ON_SCREEN = 2  # words for films, music and pictures from which an answer is about these


def titled(text: str, found: Sequence[Identifier]) -> list[Citation]:
    """Titles in running prose: in quotes, in italics, or as the text of a link."""
    starts = {i.start: i for i in found}
    on_screen = len(list(islice(MEDIA.finditer(text), _ON_SCREEN))) == _ON_SCREEN
    return [
        citation
        for pattern in (_TITLE, _BROKEN)
        for citation in _titles(text, pattern, starts, on_screen=on_screen)
    ]


def _titles(
    text: str, pattern: re.Pattern[str], starts: dict[int, Identifier], *, on_screen: bool
) -> list[Citation]:
    result: list[Citation] = []
    at = 0
    for match in islice(pattern.finditer(text), _MOST):
        if match.start() < at:
            continue
        citation = _title(text, match, starts, on_screen=on_screen)
        if citation:
            result.append(citation)
            at = citation.span.end
    return result


@dataclass(frozen=True, slots=True)
class _Found:
    """Words in marks: the kind of marks, the title, how many words and which share of them in capitals, what is around it, and what was read of that."""

    kind: str
    title: str
    count: int
    cased: float
    inner: str
    before: str
    window: str
    author: Before
    tail: Tail
    known: bool
    """Whether an identifier says that it is a work."""
    on_screen: bool
    """Whether the answer is about films, music or pictures."""
    stars: str
    """The asterisks around it: two make it bold."""

    @property
    def emphasised(self) -> bool:
        return self.kind in ("italic", "under")

    @property
    def slanted(self) -> bool:
        """Whether it is in italics, as titles are and headings are not, and the answer is not about films."""
        return self.kind == "under" or (self.kind == "italic" and self.stars == "*" and not self.on_screen)

    @property
    def eastern(self) -> bool:
        return self.kind in ("book", "corner")

    @property
    def published(self) -> bool:
        return _PUBLISHED.match(self.window) is not None and bool(self.tail.year)

    @property
    def owned(self) -> bool:
        """Whether somebody named in full owns it, and it is no film of theirs."""
        return self.author.owned and self.author.full and not self.on_screen


def _title(
    text: str, match: re.Match[str], starts: dict[int, Identifier], *, on_screen: bool
) -> Citation | None:
    group = match.lastgroup
    kind = "link" if group == "address" else (group or "")
    inner = match["italic"] if kind == "italic" else match[kind]
    title = clean_title(inner)
    identifier = starts.get(match.start("address")) if kind == "link" else None
    named = identifier is not None and identifier.kind != "url"
    if kind == "link" and (points(title) or author_and_year(title) or (named and title_case(title) < CASED)):
        return None  # the label of its address, which is read with that
    before = text[max(0, match.start() - REACH) : match.start()]
    window = text[match.end() : match.end() + 500].split("\n", 1)[0]
    count, cased = _count(title), title_case(title)
    if _is_no_title(kind, title, count, before, window):
        return None
    nearby = [
        replace(i, start=k - match.end(), end=i.end - match.end())
        for k in _close(match.end(), starts)
        for i in [starts[k]]
    ]
    shown = cased >= _CASED and count >= _PLAIN
    author = read_before(before, title, proposes=kind != "link" and shown, link=kind == "link")
    opened = OPENED.search(before)
    tail = read_behind(
        window,
        nearby,
        inner,
        expects=not author.names and (shown or opened is not None),
        owned=bool(author.names),
        opened=opened is not None,
        listed=author.listed or before.endswith(" ("),
    )
    dated = (tail.year or author.year) and (tail.venue or author.venue)
    if before.endswith(" (") and author.owned and not author.listed and (not dated or is_journal(title)):
        author = Before(title)  # Title Case for titles (*The Silent Garden*)
    inside = [i for i in nearby if i.start < tail.end and i.kind != "url"]
    found = _Found(
        kind,
        title,
        count,
        cased,
        inner,
        before,
        window,
        author,
        tail,
        bool(inside) or named,
        on_screen,
        match["stars"] or "" if kind == "italic" else "",
    )
    score = _score(found, linked=identifier is not None)
    if (
        score < _LEAST
        or _may_be_a_film(found)
        or _is_term(found)
        or (author.listed and not tail.end and _GOES_ON.match(window))
    ):
        return None
    reference = with_identifiers(
        replace(_reference(found), url=match["address"] if kind == "link" else ""),
        [*inside, *([identifier] if identifier else [])],
    )
    said = author.names or author.venue or not tail.year  # not of a year that is said again behind the title
    start, end = match.start() - (author.length if said else 0), match.end() + max(0, tail.end)
    if opened and opened["year"] and tail.authors and not author.names and not tail.year:
        start -= len(before) - opened.start("year")
        reference = replace(reference, year=int(opened["year"]))
    if tail.authors and not author.names and kind in ("straight", "curly", "single", "low"):
        left = _left_part(before)
        start -= len(left)
        title = " ".join((left + match[0]).split()) if left else title
        reference = replace(reference, title=title)
    end += before.endswith(" (") and author.length > 0 and text[end : end + 1] == ")"
    # "high utility" (Doe, 2013) may be quoted words, which the mark is about
    short = found.emphasised and found.tail.authors and not found.tail.year and count < _PLAIN
    doubtful = author.loose or title[:1].islower() or short or (found.owned and score < _LEAST + 1)
    style: Style = "unmarked" if doubtful else "emphasised" if found.emphasised else "quoted"
    return Citation(Span(start=start, end=end), reference, style)


def _count(title: str) -> int:
    return len(words(title)) if not title.isascii() or " " in title else 1


def _is_no_title(kind: str, title: str, count: int, before: str, window: str) -> bool:
    """Whether words in marks are too few, or where a work appeared: published in the *Journal of …*."""
    if kind in ("book", "corner"):
        return _IN_EAST.search(before) is not None and window.startswith(
            ("上", "杂志上", "期刊上", "に", "誌")
        )
    if kind in ("italic", "under") and (
        (_IN.search(before) and VENUE.search(title)) or (_AT_A_YEAR.search(before) and is_journal(title))
    ):
        return True
    if kind == "italic" and (by := _BY_SEVERAL.match(window)) and people(by[1]):
        return False
    return count < 2 and not (
        (_DATED_AFTER.match(window) or (kind == "italic" and _WROTE.search(before)))
        and read_before(before, title, proposes=False, link=False).owned
    )


def _may_be_a_film(found: _Found) -> bool:
    """**The Dark Knight** (2008): a year and capitals may be those of a film."""
    said = found.author.names or found.tail.authors or found.tail.venue or found.known
    near_work = (
        not _NEAR.isdisjoint(word.lower() for word in words(found.before[-_NEAR_REACH:]))
        or found.author.owned
        or _PERSON_AFTER.match(found.window) is not None
        or found.published
    )
    return found.emphasised and not said and bool(found.tail.year) and not near_work


def _is_term(found: _Found) -> bool:
    """Larson's (1977) "professional project": a few quoted words in small letters are whose they are, not what they wrote."""
    small = found.title[:1].islower() and found.count <= _PLAIN
    names = found.author.names[0] if found.author.names else ("",)
    owned = found.author.owned or names[-1].endswith(("'s", "’s"))
    return small and owned and not (found.emphasised or found.known or found.tail.year)


def _score(found: _Found, *, linked: bool) -> float:
    """How much speaks for a work; `linked` is whether it is the text of a link."""
    author, tail, count, cased = found.author, found.tail, found.count, found.cased
    names, et_al = author.names or ((), False)
    score = (
        1.0 * (cased >= _CASED and count >= _PLAIN)
        + 1.5 * bool(tail.authors)
        + 1.0 * bool(tail.year or author.year)
    )
    score += 0.5 * (found.slanted and count < _PLAIN and any(" " in name for name in tail.authors))
    score += 0.5 * (found.slanted and cased >= _CASED and len(tail.authors) > 1)
    score += 2.0 * (bool(names) and not author.owned) + 3.0 * found.known
    score += _said_around(found.before[-_NEAR_REACH:], found.window)
    score += 0.5 * found.eastern + 1.0 * bool(tail.venue or author.venue) + 1.0 * found.published
    score += (
        1.0 * (author.owned and count < 2)
        + 1.5 * (author.owned and (et_al or len(names) > 1))
        + 1.0 * found.owned
    )
    placed = bool(tail.venue and tail.year)
    if cased < 0.5 and not (names or tail.authors or found.known or linked or placed):
        score -= 1.0
    return score


def _reference(found: _Found) -> Reference:
    authors, et_al = found.author.names or (found.tail.authors, found.tail.et_al)
    return Reference(
        title=found.author.title,
        authors=authors,
        et_al=et_al,
        year=found.tail.year or found.author.year,
        venue=found.tail.venue or found.author.venue,
    )


def _said_around(before: str, window: str) -> float:
    """What the words around a title say of it: a paper, a film, an utterance."""
    near = {word.lower() for word in words(before)}
    score = 2.0 if IS_WORK.match(window) else 1.0 if _AFTER.match(window) else 0.0
    if near & _NEAR:
        score += (
            3.5
            if near & _CALLED and _TITLED.search(before)
            else 1.5
            if _BEFORE.search(before)
            else (1.0 if _NEAR_BEFORE.search(before) else 0.0)
        )
    if near & _MEDIA or _SHOWN.search(before):
        score -= 4.0
    if (near & _SPEECH and _NOT_TITLE.search(before)) or _SPOKEN.match(window):
        score -= 2.0
    return score


def _left_part(before: str) -> str:
    """The beginning of a title that quotes another one: A Critique of "Deep Learning" (Doe et al., 2020)."""
    line = re.split(r"[\r\n]", before[-100:])[-1]
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
    return [k for k in range(at, at + 60) if k in starts] if starts else []
