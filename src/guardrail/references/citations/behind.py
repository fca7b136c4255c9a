"""What a sentence says of a work behind its title: who wrote it, where and when it appeared."""

from __future__ import annotations

import re
from collections.abc import Sequence

from guardrail.references.citations.before import NOUN
from guardrail.references.citations.houses import EDITION, KINDS
from guardrail.references.citations.identifiers import Identifier
from guardrail.references.citations.parts import CITY, without_roles
from guardrail.references.citations.people import PEOPLE, PERSON, people
from guardrail.references.citations.tail import DAY, HIDDEN, Tail, read_tail
from guardrail.references.citations.venues import NAME, is_venue
from guardrail.references.citations.words import YEAR, is_comment, words

__all__ = ["IS_WORK", "read_behind"]

_YEAR = r"(?:1[4-9]|20)\d\d"
_MONTH = r"(?:(?:January|February|March|April|May|June|July|August|September|October|November|December|Spring|Summer|Autumn|Fall|Winter)\s)?"
_OPEN = r"[*_,\"”’»]{0,4}"
_MARK = rf"(?P<mark>[*_]?)(?P<venue>{NAME})(?P=mark)"
_NUMBERS = (
    r"(?:,?\s(?:vol\.?\s)?(?!(?:1[4-9]|20)\d\d(?!\d))\d{1,4}(?:\s?\(\d{1,4}\))?(?:[:,]\s?\d{1,5}(?:[–-]\d{1,5})?){0,2}"
    r"(?:,?\s(?:no\.|nr\.?|Nr\.|iss(?:ue|\.))\s\d{1,4})?)?"
)
_PAGES = r"(?:[:,]\s(?:pp?\.\s)?\d{1,5}(?:[–-]\d{1,5})?(?!\w))?"
_BRACKET = re.compile(
    rf"{_OPEN}\s{{0,6}}\((?P<inner>[^()\r\n]{{2,200}}(?:\([^()\r\n]{{1,12}}\)[^()\r\n]{{0,80}})?)\)"
)
_COUNT = r"(?:\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|several|many|his|her|their)"
_BY = re.compile(
    rf"{_OPEN}\s(?:(?:(?:which|and)\s)?(?:was\s|were\s)?(?:first\s)?(?:written|authored|co-?authored|co-?written|edited|proposed|introduced|compiled|published)\s"
    rf"(?:in\s(?P<early>{_YEAR})\s)?)?(?:by|von|de|par|por|di)\s(?P<by>{PEOPLE}(?:\s(?:and|with)\s{_COUNT}\s(?:colleagues|others|co-?authors|collaborators|co-?workers))?)(?!['’]|\w)"
)
_CUT = re.compile(rf"\s(?:and|with)\s{_COUNT}\s[a-z-]+$")
_PUBLISHED = re.compile(
    rf"{_OPEN},?\s(?:an?\s(?:[\w-]{{2,20}}\s){{1,4}}?)?(?:(?:which|that|was|were|had|has|been|both)\s){{0,3}}(?:(?:first|originally|later|posthumously|finally|only)\s)?"
    r"(?:published|appeared|printed|came\sout|issued)(?:\sin\s(?:German|French|English|Latin|Italian|Spanish|Russian|Dutch|Danish|Polish|Japanese|Chinese))?"
    r"(?:\s(?:posthumously|anonymously|first|separately))?(?=[\s,])"
)
_RAN = re.compile(  # , which the *Journal of Things* printed in 1968
    rf"{_OPEN},?(?:\san?\s(?:[\w-]{{2,20}}\s){{1,4}}?)?\s?(?:which|that)\s(?:the\s)?{_MARK}\s(?:printed|ran|published|carried)(?:\sin\s{_MONTH}(?P<year>{_YEAR}))?"
)
_PLACED = re.compile(
    rf"{_OPEN},\s(?P<place>{NAME}(?:–{NAME})?)\s(?P<year>{_YEAR})(?!\d)"
)  # , Łódź–Wrocław 1957
_LINK = re.compile(r"[*_\"”’»:]{0,3}\s?[(<\[–—-]?\s?")
_IDENTIFIED = re.compile(r"https?://|\b10\.\d{4,9}/|\barXiv:", re.IGNORECASE)
_WITH_IDENTIFIER = re.compile(  # (Roe et al., 2018; doi:10.1000/182)
    r"[;,]\s(?:doi:\s?|https?://(?:dx\.)?doi\.org/|arXiv:)[^\s()]{4,120}$", re.IGNORECASE
)
_JOINED = re.compile(r"\s(?:&|and)\s[^\W\d_a-z]|\bet al\b")
_APART = re.compile(r"[*_\"”’»\s,.;:–—-]*")
_WHERE = re.compile(
    rf"{_OPEN}\s(?:in|by|with|for|from)\s(?:the\s|journal\s|the\sjournal\s)?{_MARK}{_NUMBERS}"
)
_WHEN = re.compile(rf"{_OPEN}\s(?:in|from|of)\s{_MONTH}(?P<year>{_YEAR})(?![\d–-])")
_FROM = re.compile(rf"{_OPEN}\sfrom\s{_MONTH}(?P<year>{_YEAR})(?![\d–-])")
_THEN = re.compile(rf"{_OPEN},?\s{_MONTH}(?P<year>{_YEAR})(?![\d–-])")
_COMMA = re.compile(
    rf"{_OPEN},[\"”’]?\s(?:in:?\s)?(?:the\s)?{_MARK}{_NUMBERS}(?:,?\s\(?{_MONTH}(?P<year>{_YEAR})\)?(?!\d){_PAGES})?"
)
_LISTED = re.compile(
    rf"{_OPEN},\s(?:by\s)?(?P<by>{PEOPLE})(?=,\s{NAME},?\s(?:1[4-9]|20)\d\d(?!\d)|,\s{_MONTH}{_YEAR}(?!\d)|\s\({_YEAR}\))"
)
_EDITION = re.compile(
    r"[*_\"”’»]{0,3},?\s\(?\d{1,2}(?:st|nd|rd|th)\s(?:ed\.|edn\.?|edition)\)?(?:\sof)?(?=[\s,])"
)
_WHICH = re.compile(  # , in which Ian Watt links; , which Homi Bhabha brought out with Routledge in 1994
    rf"{_OPEN},?\s(?:in\swhich|where|which)\s(?P<by>{PERSON}(?:\sand\s{PERSON})?)(?=\s[a-z])"
    rf"(?P<out>\s(?:brought\sout|published|printed|(?:co-?)?(?:wrote|authored)(?:\swith\s(?:the\s(?:[a-z-]{{2,20}}\s){{1,3}})?(?P<with>{PERSON}))?))?"
)
_OWNED = re.compile(  # *Fatal Passage*, Ken McGoogan's life of John Rae
    rf"{_OPEN},\s(?P<by>{PERSON})['’]s\s(?:[\w-]{{2,20}}\s){{0,3}}?(?:{NOUN}|life|account|history|portrait|biography|memoirs?|story|classic|guide|collection)(?!\w)"
)
IS_WORK = re.compile(
    rf"{_OPEN},?\s(?:(?:an?|the|his|her|their)\s(?:[a-z][\w-]{{1,20}}\s){{0,2}}?{_YEAR}\s(?:[a-z][\w-]{{1,20}}\s){{0,2}}?"
    rf"|{PERSON}['’]s\s(?:[\w-]{{2,20}}\s){{0,3}}?)(?:{NOUN}|life|account|history|biography|memoirs?)(?!\w)"
)
"""What says behind a title that it is a work: , a 2020 paper; , Ken McGoogan's life of John Rae."""
_A_PAPER = re.compile(  # , a 2020 paper
    rf"{_OPEN},?\s(?:an?|the|his|her|their)\s(?:[a-z][\w-]{{1,20}}\s){{0,2}}?(?P<year>{_YEAR})\s(?:[a-z][\w-]{{1,20}}\s){{0,2}}?(?:{NOUN})(?!\w)"
)
_ACTS = re.compile(
    rf"{_OPEN},\s(?P<by>{PEOPLE})(?=\s(?:[a-z]{{2,20}}ly\s)?(?:argu|show|propos|suggest|report|describ|claim|contend|found\b|demonstrat|warn|urg|call|explain|insist|document|chronicl|recount|coin|told\b|tells\b|"
    r"examin|explor|trac|defend|introduc|laid\b|set\b|made\b|wrote\b|asked\b|offer|develop|present|compar|reconstruct|turn))"
)
_AUTHOR_AFTER = re.compile(
    r",?\s([^\W\d_a-z][\w'’-]{1,30}(?:\s(?:and|&)\s[^\W\d_a-z][\w'’-]{1,30}|,?\set al\.?))\s?"
    r"\(((?:1[4-9]|20)\d\d)[a-z]?\)"
)
_EARLIER = re.compile(
    r"(?<!\w)(?:(?:first|originally|re)?\s?(?:published|translated|transl?\.|orig\.|printed|repr\.|rev\.|revised|expanded|in(?:\s(?:English|German|French|Italian|Spanish|translation))?|here)(?:\s(?:ed\.|edition))?[,:]?\s)+"
)
_VOLUME = re.compile(
    r",?\s(?:vol\.?\s|no\.?\s|[Bb]d\.\s)?\d{1,4}(?:\s?\(\d[\d–/-]{0,8}\))?(?:[:,]\s?[\d–:, ()-]{1,24})?$"
)
_EMPHASISED = re.compile(r"[*_](?P<name>[^*_]{2,100})[*_]")
_MOST = 6  # pieces behind a title
_LONGEST_HEAD = 60  # characters of anything before a year in brackets


def read_behind(
    window: str,
    nearby: Sequence[Identifier],
    inner: str,
    *,
    expects: bool,
    owned: bool,
    opened: bool,
    listed: bool,
) -> Tail:
    """Read on behind a title.

    Args:
        window: the text behind it, up to the end of the line.
        nearby: identifiers there.
        inner: the title as written.
        expects: whether names may follow that are its authors.
        owned: whether its authors are known, so that a single name in brackets is where it appeared.
        opened: whether "In" precedes the title, so that the subject of the sentence is its author.
        listed: whether its authors are set off from it by a comma or a bracket, as in a bibliography.
    """
    tail = Tail(end=0)
    known = owned
    for _ in range(_MOST):
        before = tail.end
        rest = window[before:]
        tail.end += (
            _bracket(rest, tail, known=known)
            or (0 if owned else _by(rest, tail))
            or _published(rest, tail)
            or (
                _place_or_date(rest, tail, listed=listed or bool(tail.authors))
                if known or tail.venue or _in_journal(rest)
                else 0
            )
            or _from(rest, tail)
            or _a_paper(rest, tail)
            or _linked(rest, before, nearby, owned=owned)
            or _listed(rest, tail, expects=expects and not known, closed=inner.endswith(","))
            or _comma(rest, tail, closed=inner.endswith(",") and not before)
            or _edition(rest)
        )
        known = known or bool(tail.authors)
        if tail.end == before:
            break
    if owned and tail.authors and not tail.venue:
        tail.venue = " & ".join(tail.authors)  # Ann Roe's *Trees*, published by John Poe in 1855
    if listed and not tail.year and window.startswith(",", tail.end):
        more = read_tail(window, tail.end, nearby, knows_authors=True)
        tail = more if more.year else tail
    if not known and (match := _subject(window[tail.end :], opened=opened and expects)):
        names = people(match["by"])
        if names:
            coauthor = match.groupdict().get("with")
            tail.authors, tail.et_al = (*names[0], *([coauthor] if coauthor else [])), names[1]
            tail.end += match.end()
            for _ in range(2 if match.groupdict().get("out") else 0):
                tail.end += _place_or_date(window[tail.end :], tail)
    return tail


def _linked(rest: str, at: int, nearby: Sequence[Identifier], *, owned: bool) -> int:
    """An address or identifier behind a title, in brackets or not: (https://…)."""
    found = next((i for i in nearby if at <= i.start < at + 6), None)
    if found is None or found.end - at > len(rest) + 1:
        return 0
    between = rest[: found.start - at]
    if (_LINK if owned or found.kind == "url" else _APART).fullmatch(between) is None:
        return 0
    end = found.end - at
    return end + (between[-1:] in ("(", "<", "[") and rest[end : end + 1] in (")", ">", "]"))


def _in_journal(rest: str) -> bool:
    """Whether a journal in italics and a year follow: "…" in the *Journal of Trees* in 2005."""
    where = _WHERE.match(rest)
    return where is not None and bool(where["mark"]) and _WHEN.match(rest, where.end()) is not None


def _from(rest: str, tail: Tail) -> int:
    """What follows a title as its date: from 2007."""
    match = _FROM.match(rest)
    if match is None or tail.year:
        return 0
    tail.year = int(match["year"])
    return match.end()


def _a_paper(rest: str, tail: Tail) -> int:
    match = _A_PAPER.match(rest)
    if match is None or tail.year:
        return 0
    tail.year = int(match["year"])
    return match.end()


def _bracket(rest: str, tail: Tail, *, known: bool) -> int:
    """(Viking, 2005); (Rosenhan, 1973); (Armstrong McKay and others, Science, September 2022); (*Mind*, 59)."""
    match = _BRACKET.match(rest)
    inner = _WITH_IDENTIFIER.sub("", match["inner"]) if match else ""
    if match is None or HIDDEN.search(inner) or _IDENTIFIED.search(inner):
        return 0
    year = YEAR.search(inner)
    head, behind = (inner[: year.start()], inner[year.end() :]) if year else (inner, "")
    head = _EARLIER.sub("", head.strip(" ,;:"), count=1) if not _EARLIER.fullmatch(f"{head.strip()} ") else ""
    head = without_roles(DAY.sub("", head).strip(" ,;:"))
    names, venue = _who_and_where(head, known=known or bool(tail.authors), dated=year is not None)
    venue = venue or (_name_of(behind) if year and (names or not head) and is_venue(_name_of(behind)) else "")
    if year is None and not venue:
        several = None if known or tail.authors else people(head)
        if several is None or not _JOINED.search(head):
            return 0
        tail.authors, tail.et_al = several  # *Speed* (Roe, Poe & Doe)
        return match.end()
    if len(head) > _LONGEST_HEAD and not (names or venue):
        return 0
    if names and not tail.authors:
        tail.authors, tail.et_al = names
    if year and not tail.year:
        tail.year = int(year[0])
    tail.venue = tail.venue or venue
    return match.end()


def _who_and_where(head: str, *, known: bool, dated: bool) -> tuple[tuple[tuple[str, ...], bool] | None, str]:
    """What brackets say before the year: names, or a venue, or names and then a venue."""
    name = _name_of(head)
    for comma in list(re.finditer(r",\s", head))[:6]:
        if _EMPHASISED.search(head, comma.end()) and not _EMPHASISED.match(head, comma.end()):
            continue  # Fischer, Lynch & Paterson, *Journal of the ACM*
        names, where = people(head[: comma.start()]), _name_of(head[comma.end() :])
        if (
            names
            and where
            and not is_venue(head[: comma.start()])
            and (_EMPHASISED.match(head, comma.end()) or is_venue(where))
        ):
            return (None if known else names), where
    if _EMPHASISED.fullmatch(head) or (name and is_venue(name)):
        return None, name
    if known:
        return None, (name if dated and 0 < len(words(name)) <= _MOST and not is_comment(name) else "")
    return (people(head) if dated else None), ""


def _name_of(written: str) -> str:
    """A name without emphasis, the city before it, and the volume behind it: Oxford: Oxford University Press; *Mind*, 59."""
    written = written.strip(" ,;:")
    if emphasised := _EMPHASISED.match(written):
        return " ".join(emphasised["name"].split()).strip(" ,")
    if kind := KINDS.match(written):
        written = written[kind.end() :].lstrip(" ,:")
    city = CITY.match(written)
    name = EDITION.sub("", f" {written[city.end() if city else 0 :]}").strip()
    return " ".join(_VOLUME.sub("", name).split()).strip(" ,;:")


def _by(rest: str, tail: Tail) -> int:
    """By Elinor Ostrom; edited by Patricia McAnany and Norman Yoffee. A name in brackets before was no author."""
    match = _BY.match(rest)
    if match is None or is_venue(match["by"]):
        return 0
    cut = _CUT.search(match["by"])
    names = people(match["by"][: cut.start()] if cut else match["by"])
    if names is None:
        return 0
    if tail.authors and not tail.venue:
        tail.venue = " & ".join(tail.authors)
    tail.authors, tail.et_al = names[0], names[1] or cut is not None
    if match["early"] and not tail.year:
        tail.year = int(match["early"])
    return match.end()


def _published(rest: str, tail: Tail) -> int:
    """Published in German in 1927; which appeared in 1968; published in 2013 in *Environmental Research Letters* by John Cook."""
    if (ran := _RAN.match(rest)) and not tail.venue and (ran["mark"] or is_venue(ran["venue"])):
        tail.venue = ran["venue"]
        tail.year = tail.year or (int(ran["year"]) if ran["year"] else None)
        return ran.end()
    match = _PUBLISHED.match(rest)
    if match is None:
        return 0
    at, by = match.end(), 0
    for _ in range(_MOST):
        stop = _place_or_date(rest[at:], tail)
        if not stop and not tail.authors and not by:
            by = stop = _by(rest[at:], tail)
        if not stop:
            break
        at += stop
    return at if at > match.end() else 0


def _place_or_date(rest: str, tail: Tail, *, listed: bool = False) -> int:
    """In the *Bell System Technical Journal*; in 1948; for Cambridge University Press."""
    date = _WHEN.match(rest) or (_THEN.match(rest) if tail.venue or listed else None)
    if date and not tail.year:
        tail.year = int(date["year"])
        return date.end()
    placed = _PLACED.match(rest) if listed and not tail.year else None
    if placed and not is_venue(placed["place"]):
        tail.year = int(placed["year"])
        return placed.end()
    where = _WHERE.match(rest)
    if where and not tail.venue and (where["mark"] or is_venue(where["venue"])):
        tail.venue = where["venue"].rstrip(".,")
        return where.end()
    return 0


def _listed(rest: str, tail: Tail, *, expects: bool, closed: bool) -> int:
    """A. M. Turing, Mind, 1950; behind a comma, Halloran et al. (2016)."""
    match = _LISTED.match(rest) if expects else None
    names = people(match["by"]) if match else None
    if match is None or names is None or is_venue(match["by"]):
        return _dated_names(rest, tail) if expects and (closed or rest.startswith(",")) else 0
    tail.authors, tail.et_al = names
    return match.end()


def _dated_names(rest: str, tail: Tail) -> int:
    after = _AUTHOR_AFTER.match(rest)
    names = people(after[1]) if after else None
    if after is None or names is None:
        return 0
    tail.authors, tail.et_al = names
    tail.year = tail.year or int(after[2])
    return after.end()


def _comma(rest: str, tail: Tail, *, closed: bool) -> int:
    """Journal of Law and Economics, 1960; QJE 2019; Commun. Math. Phys. 43, 199 (1975)."""
    match = _COMMA.match(f",{rest}" if closed and not rest.startswith(",") else rest)
    if match is None or tail.venue:
        return 0
    if not (is_venue(match["venue"]) or (match["mark"] and match["year"])):
        return 0
    tail.venue = match["venue"].rstrip(",")
    if match["year"] and not tail.year:
        tail.year = int(match["year"])
    return match.end() - (closed and not rest.startswith(","))


def _edition(rest: str) -> int:
    match = _EDITION.match(rest)
    return match.end() if match else 0


def _subject(rest: str, *, opened: bool) -> re.Match[str] | None:
    """Who acts in a clause behind the title: in which Ian Watt links; In "Trees" (2006), Hunt argued."""
    return _WHICH.match(rest) or _OWNED.match(rest) or (_ACTS.match(rest) if opened else None)
