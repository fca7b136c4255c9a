"""What a trained model reads in the passages of an answer: works that the rules miss, and other readings of those that they find."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from guardrail.references.authors.names import family_names
from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.eastern import SCRIPT
from guardrail.references.citations.eastern_names import is_short
from guardrail.references.citations.evidence import EASTERN_MEDIA
from guardrail.references.citations.houses import is_press
from guardrail.references.citations.lines import Line
from guardrail.references.citations.model import FIRM, IDENTIFIED, Citation, Style
from guardrail.references.citations.parts import is_city
from guardrail.references.citations.people import likely_names, people
from guardrail.references.citations.unmarked import MEDIA
from guardrail.references.citations.words import VENUE, title_case, words
from guardrail.report import Span

if TYPE_CHECKING:
    from guardrail.references.citations.segmentation.works import Work

__all__ = ["MOST", "further", "passages", "read_passages", "seconded"]

MOST = 50_000
"""Characters of an answer from which the rules alone read it: some twenty pages, which the model would take a second for."""

_FOUND, _SURE = 0.7, 0.9  # probability from which a work is one, and from which it may be called wrong
_NAMED = 0.6  # of the authors, below which a work that something else speaks for has none
_SECOND = 0.4  # of the title, from which another reading counts
_CAPITALS = 0.7  # share of words, from which a title without marks looks like one
_PLACED = 0.5  # share of two spans from which they are of one work
_PRESS = re.compile(r"\b(?:UP|Éditions|Editions|Editora|Editorial|Giroux|Brown and Company|Sons)\b")
_LONGEST = 2000  # characters that the model reads at once (`segmentation.tokens`, which is not loaded before it is needed)
_LONGEST_LIST = 12  # lines between a work and the line that announces its list
_LEAST_WORDS = 3  # of a title that may be called wrong; a shorter one may be a part of another
_EASTERN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{3}")
_EASTERN_NAME = re.compile(r"[\u3400-\u9fff\u3005]{2,5}|[\uac00-\ud7a3]{2,4}")
_HINT = re.compile(r"[\"“„«»《『「‘*_]|(?<!\d)(?:1[4-9]|20)\d\d(?!\d)|\bet al\b|\bby\s|\[[^\]]+\]\(")
_WHOLE = (FIRM | IDENTIFIED | {"author-year", "model"}) - {"labelled"}
_LISTED = frozenset({"numbered", "bulleted", "line"})
_YEAR = re.compile(r"(?<!\d)(?:1[4-9]|20)\d\d(?!\d)")
_CONTAINER = re.compile(
    r"(?:(?<!\w)(?:in|dans|en|em|de la|del|nel|nella|w|ред\.)|//)[:\s]{1,3}[^\w\s]{0,3}$"
)  # of another work: dans M. Mauss, *Sociologie
_MARKED_END = re.compile(r"[,.]?[\"”“»’'》』*_\]]")
_MARKED = re.compile(r"[\"“„«‘'《『「*_\[]+$")
_MARK = re.compile(r"\s\([^()\d]{3,60},?\s(?:1[4-9]|20)\d\d[a-z]?\)")
_NEXT_OWNER = re.compile(  # Graham said so in 1973. Roe's *Trees*
    r"[.!?]\s+(?P<owner>[^\W\d_a-z][\w-]{1,30}(?:\s[^\W\d_a-z][\w-]{1,30}){0,2})['’]s\s[*_\"“]{0,3}\Z"
)
_IDENTIFIED = re.compile(r"[.,;]?\s(?:doi\b|https?:|·\s)", re.IGNORECASE)
_NUMBERED = re.compile(r"(?<=[^\W\d])[,\s]+\d{1,4}(?::\d+[-–]\d+)?$")  # Annals of Mathematics 185
_NEXT_SENTENCE = re.compile(r"[.!?]\s+[^\W\d_a-z]")
_NO_LETTER = re.compile(r"[\W\d_]*[a-zA-Z]?[\W\d_]*")


def read_passages(answer: str, rows: Sequence[Line]) -> list[Work]:
    """The works that the model reads in an answer, in order; none in one of more than `MOST` characters.

    Raises:
        ConfigError: the packaged weights are absent or damaged.
    """
    if len(answer) > MOST:
        return []
    found: list[Work] = []
    for start, end in passages(rows):
        text = answer[start:end]
        if _HINT.search(text):
            found += [_moved(work, start) for work in _works(text)]
    return found


def further(answer: str, rows: Sequence[Line], found: Sequence[Work]) -> Iterator[Citation]:
    """The works as citations, if enough is said of them: a title, and who wrote it, or where and when it appeared.

    A title and a year alone may be those of a film; they count in marks, where the answer names a work with authors, too. What is not in
    marks, or not sure, is never called wrong ("unmarked").
    """
    begins = [row.start for row in rows]
    company = any(work.title >= _SURE and work.sure.get("authors", 0.0) >= _SURE for work in found)
    for work in found:
        said = work.reference
        named = bool(said.authors) and work.sure["authors"] >= _FOUND and _are_people(said)
        # not: Netflix's The Crown
        named = named and (bool(said.year) or any(" " in name for name in said.authors))
        named = named or (work.sure.get("authors", 0.0) >= _SURE and _eastern(said))
        placed = bool(said.venue) and work.sure["venue"] >= _SURE and (bool(said.year) or bool(said.volume))
        dated = (
            work.title >= _SURE and work.sure.get("year", 0.0) >= _SURE and _in_company(answer, work, company)
        )
        if (
            work.title < _FOUND
            or not (named or placed or dated or said.doi or said.arxiv)
            or len(said.title) < 3
        ):
            continue
        at = bisect_right(begins, work.span.start) - 1
        row = rows[at]
        if any(media.search(row.text) or media.search(_lead(rows, at)) for media in (MEDIA, EASTERN_MEDIA)):
            continue
        if _is_mark(answer, work) or (not said.authors and _are_names(said.title)):
            continue  # Portfolio theory begins with optimisation (Markowitz, 1952)
        if not _looks_like_title(answer, work, row) or not _among_letters(said.title):
            continue
        if not placed and len(words(said.title)) < 2 and not _EASTERN.search(said.title):
            continue  # Python by Guido van Rossum (1991)
        if not named and work.sure.get("authors", 1.0) < _NAMED:
            said = replace(said, authors=(), et_al=False)
        at = answer.find(said.title[:30], work.span.start, work.span.end)
        if at > 0 and (next_one := _NEXT_OWNER.search(answer, work.span.start, at)):
            year = said.year if str(said.year or "") in answer[at : work.span.end] else None
            span = Span(start=next_one.start("owner"), end=work.span.end)
            yield Citation(
                span, replace(said, authors=(next_one["owner"],), et_al=False, year=year), "unmarked"
            )
            continue
        yield Citation(work.span, said, _style(answer, work), _item(row, work))


def _looks_like_title(answer: str, work: Work, row: Line) -> bool:
    """Whether a title is in marks or begins its line, or has capitals and a year or a venue: biographies are full of names and capitals."""
    said = work.reference
    at = answer.find(said.title[:30], work.span.start, work.span.end)
    if at > 0 and _MARKED.search(answer, max(0, at - 4), at):
        return True
    if _EASTERN.search(said.title) or said.doi or said.arxiv:
        return True
    begins = not re.search(r"\w", row.text[: work.span.start - row.start])
    known = said.year is not None or (bool(said.venue) and work.sure.get("venue", 0.0) >= _FOUND)
    return known and (begins or (said.title[:1].isupper() and title_case(said.title) >= _CAPITALS))


def _among_letters(title: str) -> bool:
    """Not the rest of a sentence, "(born October 22, 1992 …) is an American", nor a name in other letters, "Korean: 최재봉"."""
    return title[:1].isalnum() or not title[:1].isascii() or title[:1] in "¿¡'\"$#@"


def _in_company(answer: str, work: Work, company: bool) -> bool:
    """Whether a title in marks, of three words at least, is in an answer that names works with their authors."""
    at = answer.find(work.reference.title[:30], work.span.start, work.span.end)
    marked = at > 0 and _MARKED.search(answer, max(0, at - 4), at) is not None
    return marked and company and len(words(work.reference.title)) >= _LEAST_WORDS


def _are_names(title: str) -> bool:
    """Watson and Crick (Nature, 1953)."""
    names = people(title)
    return names is not None and (names[1] or len(names[0]) > 1)


def _is_mark(answer: str, work: Work) -> bool:
    """Whether what was taken for a title is the sentence before an author-year mark."""
    title, span = work.reference.title, work.span
    behind = answer.find(title, span.start, span.end) + len(title)
    bare = not _MARKED.search(answer, max(0, behind - len(title) - 4), behind - len(title))
    return bare and title_case(title) < 0.6 and _MARK.match(answer, behind) is not None


def _lead(rows: Sequence[Line], at: int) -> str:
    """The line that announces a list ("Best films:"), if one does."""
    for row in reversed(rows[max(0, at - _LONGEST_LIST) : at]):
        if row.text.rstrip(" *_").endswith((":", "：")):
            return row.text
    return ""


def seconded(answer: str, found: Sequence[Citation], read: Sequence[Work]) -> Iterator[Citation]:
    """The citations, with what the model reads at the same place.

    What the rules left empty is filled where both have the same title, and a span that was cut short is completed. Where titles or
    authors differ, the model's reading is the citation's `other`; if its title is a marked part of a sentence that the rules took for
    one, it replaces theirs.
    """
    spans = [citation.span for citation in found]
    for citation in found:
        near = [] if citation.style in _WHOLE else [work for work in read if _same_place(citation, work)]
        if not near:
            yield citation
            continue
        work = max(near, key=lambda work: _shared(citation.span, work.span))
        work = _without_remark(answer, citation, _without_next(answer, citation, work, spans))
        if _within_sentence(answer, citation, work):
            yield Citation(work.span, work.reference, _style(answer, work))
            continue
        both = _with(citation, work)
        longer = _completed(answer, both, work)
        free = longer is both or all(one == citation.span or _shared(one, work.span) == 0 for one in spans)
        yield longer if free else both


def _without_remark(answer: str, citation: Citation, work: Work) -> Work:
    """Without a venue that is what is remarked behind a colon: **The Silk Roads** by Peter Frankopan: Recentres history on Asia."""
    venue, end = work.reference.venue, citation.span.end
    behind = answer[end : end + 8].lstrip(" *_")
    if not venue or not behind.startswith(":") or VENUE.search(venue) or is_press(venue):
        return work
    if venue not in answer[end : work.span.end]:
        return work
    return replace(
        work, reference=replace(work.reference, venue=""), span=Span(start=min(work.span.start, end), end=end)
    )


def _completed(answer: str, citation: Citation, work: Work) -> Citation:
    """With the authors before it and the venue or the year behind it that the model's span has, if the titles agree."""
    own, read, said = citation.span, work.span, work.reference
    if (
        "title" not in citation.agreed
        or citation.style == "labelled"
        or own.end <= read.start
        or read.end <= own.start
    ):
        return citation
    start, end = own.start, own.end
    before = answer[read.start : own.start]
    last = said.authors[0].split()[-1] if said.authors else ""
    named = last in before and (
        not citation.reference.authors or last in " ".join(citation.reference.authors)
    )
    if citation.style not in _LISTED and last and named and "\n" not in before:
        start = read.start
    tail = answer[own.end : read.end].rstrip(" .,;:")
    new = (
        said.venue if said.venue not in answer[start:end] else "",
        str(said.year or "") if citation.reference.year is None else "",
    )
    if new[1] or not _YEAR.search(tail):  # not: (extended in Winterbottom, Q. 2019, …)
        end += len(tail) if any(one and one in tail for one in new) else 0
    if citation.item and not (citation.item.start <= start and end <= citation.item.end):
        return citation
    grown = Span(start=start, end=end)
    return citation if grown == own else replace(citation, span=grown)


def _within_sentence(answer: str, citation: Citation, work: Work) -> bool:
    """Whether the rules took a sentence for a title, of which a part in marks is the title: Most courses use *Mostly Harmless Econometrics*."""
    said, read = citation.reference.title, work.reference.title
    if citation.style not in _LISTED or work.title < _SURE or len(read) >= len(said) or _doubtful(work):
        return False
    at = answer.find(read, work.span.start, work.span.end)
    marked = (
        at > 0 and _MARKED.search(answer, max(0, at - 4), at) and _MARKED_END.match(answer, at + len(read))
    )
    before = answer.rfind(said[:20], citation.span.start, at) if at > 0 else -1
    return bool(marked) and before >= 0 and work.span.end <= citation.span.end + 1


def _doubtful(work: Work) -> bool:
    return not work.reference.authors and not work.reference.year


def _without_next(answer: str, citation: Citation, work: Work, spans: Sequence[Span]) -> Work:
    """The work without authors, if they are named in the next sentence: "Food Webs" (1966). Doe and Roe's "Otters" …; or are another work's."""
    if citation.reference.authors:
        return work
    crosses = any(work.span.start < one.end <= citation.span.start for one in spans)
    if not crosses and not _NEXT_SENTENCE.search(answer, citation.span.end, work.span.end + 1):
        return work
    return replace(work, reference=replace(work.reference, authors=(), et_al=False))


def _same_place(citation: Citation, work: Work) -> bool:
    shared = _shared(citation.span, work.span)
    alike = shared > 0 and normalise(citation.reference.title) == normalise(work.reference.title)
    return work.title >= _SECOND and (shared >= _PLACED or alike)


def _with(citation: Citation, work: Work) -> Citation:
    said, read = citation.reference, work.reference
    if normalise(said.title) != normalise(read.title):
        return replace(citation, other=read)
    agreed = {"title"} if work.title >= _FOUND else set()
    citation = replace(citation, agreed=frozenset(agreed))
    if said.authors and family_names(said.authors) != family_names(read.authors):
        if len(said.authors) == 1 and len(said.authors[0].split()) == 1 and said.authors[0].isascii():
            return replace(citation, other=read)  # it may be a publisher: (Verso, 1983)
        return replace(citation, other=read) if read.authors else citation
    if said.authors and work.sure.get("authors", 0.0) >= _FOUND:
        agreed.add("authors")
    beyond = (
        citation.item is not None and work.span.start < citation.item.start
    )  # the year may be of the item above
    return replace(citation, reference=said if beyond else _filled(said, work), agreed=frozenset(agreed))


def _filled(said: Reference, work: Work) -> Reference:
    """The reference with the authors, the year and the venue that it lacks; a venue that was cut short is completed."""
    read, sure = work.reference, work.sure
    short = all(is_short(name) for name in read.authors if SCRIPT.search(name))
    site = bool(said.venue) and [*map(normalise, read.authors)] == [normalise(said.venue)]
    if site and said.year and likely_names(read.authors):
        site = False  # Martin Fowler, 2020, on martinfowler.com; but Mayo Clinic: Gout
    if not said.authors and not site and short and sure.get("authors", 0.0) >= _SURE and _are_people(read):
        said = replace(said, authors=read.authors, et_al=read.et_al)
    if said.year is None and sure.get("year", 0.0) >= _SURE:
        said = replace(said, year=read.year)
    venue = _NUMBERED.sub("", _IDENTIFIED.split(read.venue.split("*")[0])[0]).rstrip(" ,")
    if (
        venue.startswith(said.venue)
        and not SCRIPT.search(said.venue)
        and not is_city(venue)
        and sure.get("venue", 0.0) >= (_FOUND if said.venue else _SURE)
    ):
        said = replace(said, venue=venue)
    return said


def passages(rows: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Paragraphs and blocks of lines; long ones are parted at the ends of lines."""
    start = end = -1
    for row in rows:
        apart = row.blank or row.code
        if start >= 0 and (apart or row.end - start > _LONGEST):
            yield start, end
            start = -1
        if not apart:
            start, end = row.start if start < 0 else start, row.end
    if start >= 0:
        yield start, end


@lru_cache(maxsize=256)
def _works(text: str) -> tuple[Work, ...]:
    from guardrail.references.citations.segmentation.works import works

    return tuple(works(text))


def _moved(work: Work, by: int) -> Work:
    return replace(work, span=Span(start=work.span.start + by, end=work.span.end + by))


def _style(answer: str, work: Work) -> Style:
    """Whether it may be called wrong: only with a title in marks, of which the model is sure, as of the authors."""
    at = answer.find(work.reference.title[:30], work.span.start, work.span.end)
    marks = _MARKED.search(answer, max(0, at - 4), at) if at > 0 else None
    sure = work.title >= _SURE and work.sure.get("authors", 0.0) >= _SURE and _are_people(work.reference)
    doubtful = len(words(work.reference.title)) < _LEAST_WORDS or VENUE.search(work.reference.title)
    doubtful = doubtful or _CONTAINER.search(answer, max(0, work.span.start - 20), work.span.start)
    if marks is None or not sure or doubtful:
        return "unmarked"
    return "emphasised" if marks[0][-1] in "*_" else "quoted"


def _are_people(said: Reference) -> bool:
    """Whether the authors have the form of names, and none has a word of presses and journals in it."""
    return all(
        people(name)
        and (is_short(name) if SCRIPT.search(name) else name[:1].isupper())
        and not VENUE.search(name)
        and not _PRESS.search(name)
        and not is_press(name)
        for name in said.authors
    )


def _eastern(said: Reference) -> bool:
    """Whether the authors have the form of Chinese, Japanese or Korean names."""
    return bool(said.authors) and all(_EASTERN_NAME.fullmatch(name) for name in said.authors)


def _item(row: Line, work: Work) -> Span | None:
    """The line, if nothing but a marker stands before the work and the work does not go on below."""
    before = row.text[: work.span.start - row.start]
    alone = work.span.end <= row.end and before.strip() and _NO_LETTER.fullmatch(before)
    return Span(start=row.start, end=row.stop) if alone else None


def _shared(one: Span, other: Span) -> float:
    """Characters in both spans, of those in either."""
    both = min(one.end, other.end) - max(one.start, other.start)
    return max(both, 0) / (max(one.end, other.end) - min(one.start, other.start))
