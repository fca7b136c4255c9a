"""Second readings: a title that nobody has may be a real one with something else of the reference next to it.

"The paper “Attention Is All You Need”" and "2017 - Attention Is All You Need" are texts that were cut in the wrong
place. A part of them counts only if it is a title to the letter, and if the authors or the year agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice

from guardrail.references.authors.lists import MOST_AUTHORS
from guardrail.references.bibliography.claims import unexplained, words_of
from guardrail.references.bibliography.comparison import check_authors
from guardrail.references.bibliography.matching import judge
from guardrail.references.bibliography.normalise import MAX_TITLE, normalise
from guardrail.references.bibliography.records import FieldCheck, Match, Outcome, Record, Reference, Status
from guardrail.references.bibliography.titles import Frequency, Title, unknown

__all__ = ["Reading", "judge_readings", "readings"]

BREAK = re.compile(r":\s|\s[-–—]{1,3}\s|\||//|[\"“”„«»「」『』]|``|''|(?<!\w)['‘]|['’](?!\w)")  # fmt: skip
MOST_BREAKS = 8
LEAST_WORDS = 3  # of a part; shorter ones are titles too often


@dataclass(frozen=True, slots=True)
class Reading:
    """A part of a claimed title that may be the whole of a real one, with the text before and after it."""

    title: Title
    before: str
    after: str


def readings(title: str) -> list[Reading]:
    """The parts of a title between colons, dashes, bars and quotes, longest first.

    Example:
        >>> [reading.title.raw for reading in readings("A. Vaswani: Attention Is All You Need | 2017")]
        ['A. Vaswani: Attention Is All You Need', 'Attention Is All You Need | 2017', 'Attention Is All You Need']
    """
    text = title[:MAX_TITLE]
    breaks = [found.span() for found in islice(BREAK.finditer(text), MOST_BREAKS)]
    ends = [(0, 0), *breaks, (len(text), len(text))]
    parts = []
    for (before, start), (end, after) in combinations(ends, 2):
        part = Title(text[start:end].strip(" .,;"))
        whole = before == 0 and end == len(text)
        if not whole and len(part.words) >= LEAST_WORDS:
            parts.append(Reading(part, text[:before], text[after:]))
    return sorted(parts, key=lambda part: -len(part.title.normalised))


def judge_readings(
    reference: Reference, parts: Sequence[Reading], works: Iterable[Record], frequency: Frequency = unknown
) -> Match | None:
    """The first part that is a work's title, if the authors or the year agree; `None` if there is none.

    Where something is left of the title that neither the work nor an introduction ("the paper") explains, the
    authors must agree, and the title is a difference: else an invented subtitle would be quoted right.
    """
    known = [(Title(work.title).squeezed, work) for work in works]
    for part in parts:
        same = [work for squeezed, work in known if squeezed == part.title.squeezed]
        match = judge(replace(reference, title=part.title.raw), same, frequency)
        if match.status is not Status.FOUND or match.record is None:
            continue
        work = match.record
        agree = check_authors(replace(reference, authors=reference.authors[:MOST_AUTHORS]), work)[1]
        if unexplained(part.before, work) or unexplained(part.after, work):
            if agree and not any(difference.field == "year" for difference in match.differences):
                note = "the work's title is a part of this"
                check = FieldCheck("title", Outcome.DIFFERS, reference.title, work.title, "invented", note)
                return replace(_with_title(match, check), similarity=min(match.similarity, 0.999))
        elif agree or _year_agrees(reference, part, work) or _names_an_author(part, work):
            note = f"title read as “{work.title}”"
            return _with_title(
                match, FieldCheck("title", Outcome.NEAR, reference.title, work.title, "read", note)
            )
    return None


def _with_title(match: Match, title: FieldCheck) -> Match:
    """The match with another check of the title."""
    return replace(match, fields=(title, *(check for check in match.fields if check.field != "title")))


def _year_agrees(reference: Reference, part: Reading, work: Record) -> bool:
    if work.year is None:
        return False
    return reference.year == work.year or str(work.year) in normalise(f"{part.before} {part.after}").split()


def _names_an_author(part: Reading, work: Record) -> bool:
    """Whether what is left of the title has a word of an author's name in it; initials are too little."""
    long = {word for word in words_of(work.authors) if len(word) > 2}
    return not long.isdisjoint(normalise(f"{part.before} {part.after}").split())
