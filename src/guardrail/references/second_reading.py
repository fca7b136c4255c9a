"""Other readings of a reference, where a look-up does not confirm the first."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from dataclasses import replace

from guardrail.engine.flow import Answer, Flow, one
from guardrail.references.authors.lists import MOST_AUTHORS
from guardrail.references.bibliography.claims import unexplained, words_of
from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.records import (
    FieldCheck,
    Find,
    Match,
    Outcome,
    Record,
    Reference,
    Status,
)
from guardrail.references.citations import Citation, Style
from guardrail.references.citations.identifiers import identifiers
from guardrail.references.citations.words import title_case, words
from guardrail.references.quotation import Differences, accused

STRINGS: frozenset[Style] = frozenset({"numbered", "bulleted", "inline"})
"""Styles in which the fields have to be separated."""

_STOP = re.compile(r"[.,;?!\"”»'’]+\s")  # ends a title; a subtitle has a colon or a dash before it
_SUBTITLE = re.compile(r"[*_\"”’» ]{0,4}[:：]\s{0,3}[^\W\d_]")
_BEFORE = 200  # characters before an identifier that may be a title
_LEAST = 2  # words with capitals in it, of three or more
_SMALL = "a|al|an|and|as|at|by|et|for|from|in|into|of|on|or|the|to|via|with"
_TITLE_BEFORE = re.compile(  # ends where only brackets, a year and marks stand before the identifier
    rf"(?P<title>[^\W\d_a-z][\w’'-]*:?(?:\s(?:(?:{_SMALL})\b|[^\W_a-z][\w’'-]*:?)){{2,30}})"
    r"(?:\s\([A-Z][\w-]{1,9}\)|\s\([^()\n]{2,80}?,?\s(?:1[4-9]|20)\d\d\))?[\s.,:;–—*_\"”»()\[\]<]{0,8}(?:\(?(?:1[4-9]|20)\d\d\)?[\s.,:;()\[\]<]{0,6})?(?:\[?\w{2,12}(?:\]\(|:\s?))?$",
)
_LINKED = re.compile(r"\[(?P<text>[^\[\]\n]{1,400})\]\(http")
_LONGEST_LABEL = 400
_LABEL = re.compile(
    rf"\[(?P<text>[^\[\]\n]{{1,{_LONGEST_LABEL}}})\]\(<?$"
)  # the text of a link of which only the address was read
_TITLE_BEHIND = re.compile(r"[)\]>*_]{0,3}(?:,|:|\s[–—-])\s(?P<title>[^\W\d_a-z][^\n;]{8,200})")
_NAME_BEHIND = re.compile(
    r"\s\((?P<title>[^\W\d_a-z][^()\n]{8,150})"
)  # Regulation (EU) 2024/1689 (Artificial …
_NAME_BEFORE = re.compile(  # Ludowa historia New Translation (Regulation (EU) 2016/679
    r"(?:^|[.;:!?]\s|[-*•]\s)[*_\"“]{0,3}(?P<title>[^\W\d_a-z][^\n.;:!?()]{6,150}?)[*_\"”]{0,3}\s\($"
)
_NAMES_BEFORE = 40  # characters before a citation in which its first author may begin
_CASED = 0.6  # share of its words with a capital
_LINE_BEFORE = re.compile(  # a line that is nothing but a title, and an arrow or nothing before the identifier
    r"^\W{0,6}(?:\d{1,3}[.)]\s+)?(?P<title>[^\W\d_][^\n.!?{}]{6,180}?)[*_\"”»\s]{0,4}(?P<arrow>→|->|=>)?[\s<(]{0,4}(?:https?:\S{0,20})?$"
)
_LEADS = re.compile(  # Full text of the paper → https://doi.org/…
    r"\b(?:paper|article|link|pdf|text|doi|here|source|see|study|abstract|preprint|introduced|published|read|find|found|available|access|download)\b",
    re.IGNORECASE,
)
_OF_A_LINE = 3  # words in it, of which two are capitalised if there is no arrow
_NEAR = 120  # characters around a citation that may be of its title
_OPENS = re.compile(
    r"^\W{0,4}(?:\d{1,3}[.)]\s+)?[*_\"“„«]{0,3}|[:;,!?–—|(\[\"“„«*_]\s?|\.\s|['’]s\s|\s-\s|\sin\s"
)
_CLOSES = re.compile(
    r"[;,.!?–—|)\]\"”“»*_(]|\s-\s|\sby\s|\spaper\b|\sbook\b|\s(?:1[5-9]|20)\d\d\b|\s[^\w\s\"“„«'’(*&-]"
)
_BY = re.compile(r"\W{0,4}(?:by\s|[,–—-]\s)(?P<name>(?:[^\W\d_][\w.’'-]{0,30}\s?){1,3})(?=$|\W)")
_WHOSE = re.compile(r"(?:^|\s)(?P<name>[^\W\d_][\w-]{1,30})['’]s\s\Z")
_EDGES = ' .,;:!?"“”„«»*_()[]#-–—|'
# Bounds that are tried on each side; titles that are looked up. Of 3,300 real works of 200 answers 49 were called wrong without,
# 42 with three, 41 with six.
_BOUNDS, TRIED = 5, 3
_FEWEST, _MOST_WORDS, _TELLING = 2, 25, 3  # words of such a title; of one that says enough without its author
_PAIR = re.compile(  # of a script without capitals, all of which may be a title: بوف کور، صادق هدایت (امیرکبیر)
    r"(?P<one>[^,/–—]{2,120}?)(?:[.,]|\s[-–—/])\s(?P<other>[^,/–—()]{2,60}?)(?:\s\((?P<venue>[^()]{2,60})\))?"
)
_LONGEST_NAME = 5  # words
_INITIALS = 3  # letters at most: Kahneman D, Poe ABC
_WORD = re.compile(r"[*_\"”’»]{0,3}[ \t]{1,3}[^\W\d_]")


def confirms(match: Match, differences: Differences) -> bool:
    """Whether a work was found and nothing about it is an accusation."""
    return match.status is Status.FOUND and not accused(match, differences)


def takes_in_more(citation: Citation, match: Match, differences: Differences) -> bool:
    """Whether what the title has beyond the found work's is behind a mark that ends a title: it may be what the work appeared in.

    Behind a colon or a dash is a subtitle, which may be an invented one.
    """
    said, work = citation.reference.title, match.record
    if work is None or not any(check.field == "title" for check in accused(match, differences)):
        return False
    known = normalise(work.title)
    return any(normalise(said[: stop.start()]) == known for stop in _STOP.finditer(said))


def read_exchanged(
    citation: Citation, match: Match, differences: Differences
) -> Flow[tuple[Citation, Match]]:
    """A title and a name that were taken for each other, or both for one title; a work must confirm both."""
    for way in exchanged(citation):
        reply = yield from one(Find(way))
        if isinstance(reply, Answer) and confirms(reply.value, differences):
            agreed = {
                check.field
                for check in reply.value.fields
                if check.outcome in {Outcome.CONFIRMED, Outcome.NEAR}
            }
            if {"title", "authors"} <= agreed:
                return replace(citation, reference=way), reply.value
    return citation, match


def exchanged(citation: Citation) -> list[Reference]:
    """The readings of a citation in which a name is the title and the title a name; at most `TRIED`.

    Example:
        >>> from guardrail.report import Span
        >>> said = Citation(Span(start=0, end=30), Reference("Mara Vale", ("The Weight of Ink",)), "numbered")
        >>> [(one.title, one.authors) for one in exchanged(said)]
        [('The Weight of Ink', ('Mara Vale',))]
    """
    said = citation.reference
    single = said.title and len(said.authors) == 1 and not said.et_al
    ways = [replace(said, title=said.authors[0], authors=(said.title,))] if single else []
    if not said.authors and (pair := _PAIR.fullmatch(said.title)):
        venue = pair["venue"] or said.venue
        ways.append(replace(said, title=pair["one"], authors=(pair["other"],), venue=venue))
        ways.append(replace(said, title=pair["other"], authors=(pair["one"],), venue=venue))
    return [way for way in ways if len(way.authors[0].split()) <= _LONGEST_NAME][:TRIED]


def read_between(
    citation: Citation, answer: str, match: Match, differences: Differences
) -> Flow[tuple[Citation, Match]]:
    """Other bounds of a title that no work has: what is between marks of its line, around it or inside it.

    If one of these is the title of a work, the title was misread, and the look-up is no accusation: kahneman's thinking fast and
    slow - the big one. It is that work if an author or an identifier agrees and the work explains the rest, or if all of the title
    that was read is in it. Where the rest looks like a title, that is the title, and the work may be what it appeared in.
    """
    marked = citation.style not in STRINGS or in_marks(citation, citation.span.of(answer))
    for other, name in _between(citation, answer):
        said = replace(citation.reference, title=other)
        if name and not said.authors:
            said = replace(said, authors=(name,))
        reply = yield from one(Find(said))
        if not isinstance(reply, Answer) or not _has_title(reply.value):
            continue
        work, first = reply.value.record, citation.reference.title
        before, longer, after = other.partition(first)
        left = "" if longer else rest(first, other)
        theirs = work is not None and _is_of(left, work)
        sure = confirms(reply.value, differences) and _corroborated(reply.value)
        if longer and said.authors:  # all of it is the title, unless a part of it was read as a name
            sure = sure or words_of(said.authors).isdisjoint(normalise(f"{before} {after}").split())
        if theirs and not marked and sure:
            return replace(citation, reference=said), reply.value
        capitals = sum(word[:1].isupper() for word in words(left))
        if len(normalise(other).split()) >= _TELLING and (theirs or capitals < _LEAST):
            return replace(citation, style="labelled"), match  # else that is the title, in a container
    return citation, match


def _is_of(left: str, work: Record) -> bool:
    """Whether all that is left names the work's authors, or joins them to it: kahneman's; by Daniel Kahneman; Kahneman D."""
    names = words_of(work.authors[:MOST_AUTHORS])
    initials, joining = {name[0] for name in names}, {"by", "the", "s", "and"}
    said = (word for word in normalise(left).split() if word not in names | joining)
    return all(len(word) <= _INITIALS and initials.issuperset(word) for word in said)


def _has_title(match: Match) -> bool:
    """Whether a work has this title, but for its subtitle or a slip."""
    title = next((check for check in match.fields if check.field == "title"), None)
    same = title is not None and (title.outcome is Outcome.CONFIRMED or title.how in {"slip", "subtitle"})
    return match.status is Status.FOUND and same


def _line(citation: Citation, answer: str) -> tuple[str, int]:
    """The line that a title is in, as far as it is near, and where it begins."""
    span = citation.span
    begin = max(answer.rfind("\n", 0, span.start) + 1, span.start - _NEAR)
    end = answer.find("\n", span.end)
    return answer[begin : min(end if end >= 0 else len(answer), span.end + _NEAR)], begin


def _between(citation: Citation, answer: str) -> list[tuple[str, str]]:
    """What may be the title instead, each with what may be its author beside it; those with the fewest marks inside first."""
    line, begin = _line(citation, answer)
    title = citation.reference.title
    at = line.find(title, max(0, citation.span.start - begin - 1))
    if at < 0 or not title:
        return []
    over = at + len(title)
    starts = [found.end() for found in _OPENS.finditer(line) if found.end() < over]
    if whose := _WHOSE.search(line, 0, at):
        starts.append(whose.start("name"))  # Silman's Complete Endgame Course
    starts = sorted(starts)[-_BOUNDS:]
    ends = [*(found.start() for found in _CLOSES.finditer(line) if found.start() > at), len(line)][:_BOUNDS]
    said = {normalise(title)}
    found: list[tuple[int, int, str, str]] = []
    for start in starts:
        for end in ends:
            text = line[start:end].strip(_EDGES)
            key = normalise(text)
            if end <= at or key in said or not _FEWEST <= len(key.split()) <= _MOST_WORDS:
                continue
            said.add(key)
            inside = sum(start < one < end for one in (*starts, *ends))
            beside = _WHOSE.search(line, 0, start) or _BY.match(line, end)
            found.append((inside, -len(text), text, beside["name"].strip(_EDGES) if beside else ""))
    return [(text, name) for _, _, text, name in sorted(found)[:TRIED]]


def in_marks(citation: Citation, text: str) -> bool:
    """Whether the title comes after a quotation mark, emphasis or the bracket of a link."""
    at = text.find(citation.reference.title[:30])
    return at > 0 and text[at - 1] in "\"“„«‘'《『「*_["


def rest(text: str, title: str) -> str:
    """What a citation says apart from its title, without marks at the ends."""
    before, _, after = text.partition(title) if title else (text, "", "")
    return " ".join(f"{before} {after}".split()).strip(' .,;:!?"“”„«»*_()[]#-–—')


def title_beside(citation: Citation, answer: str, work: Record) -> str:
    """What may be a title before an identifier, or behind its link, and was not read as one; "" if there is none, or half of it belongs to the work.

    Three words or more, two of them with capitals: RAGAS: Automated Evaluation of Codes (arXiv:2104.08663); or all of a line before an
    arrow.
    """
    begin = max(answer.rfind("\n", 0, citation.span.start) + 1, citation.span.start - _BEFORE)
    text, start = answer[begin : citation.span.end], citation.span.start - begin
    first = min((one.start for one in identifiers(text) if one.end > start), default=len(text))
    known = words_of([work.title, work.venue, *work.authors[:MOST_AUTHORS]])
    for end in (start,) if citation.reference.authors else (start, first):  # names lead to the identifier
        found = _TITLE_BEFORE.search(text, 0, end)
        if found and _capitals(found["title"]) >= _LEAST and _is_of_another(found["title"], known):
            return found["title"].strip()
    label = _LABEL.search(answer, max(0, citation.span.start - _LONGEST_LABEL), citation.span.start)
    # a part of it was read as something else: a law
    if label and not _LEADS.search(label["text"]) and _is_of_another(label["text"], known, _OF_A_LINE):
        return label["text"].strip()
    alone = begin == answer.rfind("\n", 0, citation.span.start) + 1 and not citation.reference.authors
    if alone and (line := _LINE_BEFORE.match(text[:first])) and not _LEADS.search(line["title"]):
        marked = line["arrow"] or _capitals(line["title"]) >= _LEAST
        if marked and _is_of_another(line["title"], known, _OF_A_LINE):
            return line["title"].strip()
    end = citation.span.start + len(citation.span.of(answer).rstrip(" ,:–—-"))
    behind = _TITLE_BEHIND.match(answer, end)
    if (
        behind
        and not citation.reference.authors
        and title_case(behind["title"]) >= _CASED
        and _is_of_another(behind["title"], known, _OF_A_LINE)
    ):
        return behind["title"].strip()
    return ""


def _capitals(text: str) -> int:
    """How many words begin with a capital."""
    return sum(word[:1].isupper() for word in words(text))


def _is_of_another(text: str, known: AbstractSet[str], least: int = 1) -> bool:
    """Whether a text has enough words, and less than half of them are known of a work."""
    said = set(normalise(text).split()).difference(_SMALL.split("|"))
    return len(said) >= least and 2 * len(said & known) < len(said)


def with_names_before(citation: Citation, answer: str, match: Match) -> Match:
    """The match; with its authors confirmed where all of them are named in full, the first right before what was read: See also Ann *Roe and Jo Poe, …*."""
    check, work = next((one for one in match.fields if one.field == "authors"), None), match.record
    if check is None or work is None or check.how not in {"missing", "given"} or work.et_al:
        return match
    begin = max(answer.rfind("\n", 0, citation.span.start) + 1, citation.span.start - _NAMES_BEFORE)
    text, at = answer[begin : citation.span.end], citation.span.start - begin
    found = text.find(work.authors[0])
    if not 0 <= found < at or not all(name in text[found:] for name in work.authors):
        return match
    confirmed = FieldCheck("authors", Outcome.CONFIRMED, check.found, check.found)
    return replace(match, fields=tuple(confirmed if one is check else one for one in match.fields))


def name_beside(citation: Citation, answer: str, work: Record) -> str:
    """What seems to name a law next to its number, in brackets, and shares less than half of its words with the law; "" if nothing does."""
    start, end = citation.span.start, citation.span.end
    line = max(answer.rfind("\n", 0, start) + 1, start - _BEFORE)
    before = _NAME_BEFORE.search(answer, line, start) if answer[start - 1 : start] == "(" else None
    if before and title_case(before["title"]) < _CASED:
        before = None  # Processing is lawful (Regulation (EU) …)
    behind = _NAME_BEHIND.match(answer, end)
    known = words_of([work.title, work.venue])
    for found in filter(None, (before, behind)):
        if _is_of_another(found["title"], known, _OF_A_LINE):
            return found["title"].strip()
    return ""


def says_more(text: str, title: str, work: Record) -> bool:
    """Whether three words or more apart from the title do not belong to the work: they may be of another title."""
    left = rest(text, title)
    return len(words(left)) >= 3 and unexplained(left, work)


def unexplained_link(text: str, title: str, work: Record) -> str:
    """What the text of a link says besides the title that was read in it, if it does not belong to the work: there the whole is the title."""
    link = _LINKED.search(text)
    said = link["text"] if link else ""
    if not title or title not in said:
        return ""
    left = rest(said, title)
    known = words_of([work.title, work.venue, *work.authors[:MOST_AUTHORS]])
    other = set(normalise(left).split()) - known
    return left if len(other) >= _OF_A_LINE and unexplained(left, work) else ""


def goes_on(text: str, behind: str, match: Match) -> bool:
    """Whether a title lacks the work's subtitle, and a colon, or a word behind a question mark, may begin another one."""
    cut = any(check.field == "title" and check.how == "subtitle" for check in match.fields)
    asks = text.rstrip('*_"”’»').endswith(("?", "!"))
    return cut and (_SUBTITLE.match(behind) is not None or (asks and _WORD.match(behind) is not None))


def _corroborated(match: Match) -> bool:
    """Whether an author or an identifier agrees beside the title."""
    return any(
        check.outcome is Outcome.CONFIRMED and check.field in {"authors", "doi", "arxiv", "isbn", "pmid"}
        for check in match.fields
    )
