"""Second readings: a title that nobody has may be a real one with something else of the reference next to it.

"The paper “Attention Is All You Need”" and "2017 - Attention Is All You Need" are texts that were cut in the wrong
place. A part of them counts only if it is a title to the letter, and if the authors or the year agree.

What leads in a title in a sentence ("Voir", "Zum Beispiel") is known by no list of words: the rest is a work's title to the letter, begins as
a title does, and the authors agree.
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
from guardrail.references.bibliography.records import (
    LED,
    FieldCheck,
    Match,
    Outcome,
    Record,
    Reference,
    Status,
)
from guardrail.references.bibliography.titles import FUNCTION_WORDS, Frequency, Title, unknown

BREAK = re.compile(r":\s|\s[-–—]{1,3}\s|\||//|[\"“”„«»「」『』]|``|''|(?<!\w)['‘]|['’](?!\w)")  # fmt: skip
MOST_BREAKS = 8
LEAST_WORDS = 3  # of a part; shorter ones are titles too often
LONGEST_LEAD = 4  # words before a title
_PAUSE = re.compile("[.,،，、]$")
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Reading:
    """A part of a claimed title that may be the whole of a real one, with the text before and after it.

    Attributes:
        leads: whether nothing but the beginning of a sentence is before it, and no mark that parts titles.
    """

    title: Title
    before: str
    after: str
    leads: bool = False


def readings(title: str) -> list[Reading]:
    """The parts of a title between colons, dashes, bars and quotes, longest first, after those behind its first words.

    Example:
        >>> [reading.title.raw for reading in readings("paper: attention is all you need | 2017")]
        ['paper: attention is all you need', 'attention is all you need | 2017', 'attention is all you need']
        >>> [reading.title.raw for reading in readings("Je recommande The Fate of Rome")]
        ['The Fate of Rome']
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
    return [*_led(text), *sorted(parts, key=lambda part: -len(part.title.normalised))]


def _led(text: str) -> list[Reading]:
    """The parts behind the first words that begin as a title does, with a capital or in a script without any."""
    words = text.split()
    found = []
    for size in range(1, min(LONGEST_LEAD, len(words) - 1) + 1):
        before, rest = " ".join(words[:size]), " ".join(words[size:])
        capitals = sum(word[:1].isupper() for word in words[:size])
        if ":" in before:
            break  # behind a colon is a subtitle
        if _WORD.search(words[size - 1]) and _WORD.match(rest) and not rest[0].islower() and capitals <= 1:
            found.append(Reading(Title(rest), before, "", leads=True))
    return found


def _begins_anew(before: str, title: str) -> bool:
    """Whether how it is written shows that a title begins there: a pause before it, words of another language, or a capital that words in a title do not have.

    Example:
        >>> _begins_anew("Voir", "The Fate of Rome"), _begins_anew("Voir", "Categories and sheaves"), _begins_anew("Je recommande", "Modern Physics")
        (True, True, True)
        >>> _begins_anew("Understanding", "Modern Physics"), _begins_anew("Introduction to", "Modern Physics")
        (False, False)
    """
    words, lead = _WORD.findall(title), _WORD.findall(before)
    content = [word for word in words[1:] if word.lower() not in FUNCTION_WORDS]
    small = [word for word in content if word.islower()]
    if 2 * len(small) > len(content):  # in the case of a sentence
        return True
    foreign = any(word.islower() and len(word) > 1 and word not in FUNCTION_WORDS for word in lead)
    if foreign or (title.isascii() and not before.isascii()):
        return True
    return bool(_PAUSE.search(before)) or words[0].lower() in FUNCTION_WORDS


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
        if part.leads:
            check = _behind(part, reference, work) if agree and reference.year in {None, work.year} else None
            if check:
                return replace(_with_title(match, check), similarity=min(match.similarity, 0.999))
        elif unexplained(part.before, work) or unexplained(part.after, work):
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


def _behind(part: Reading, reference: Reference, work: Record) -> FieldCheck | None:
    """The check of a title behind other words, which may be of another title where nothing shows that one begins; `None` if they may be the title itself."""
    if _begins_anew(part.before, part.title.raw):
        note = f"title read as “{work.title}”"
        return FieldCheck("title", Outcome.NEAR, reference.title, work.title, LED, note)
    note = f"“{part.before}” is not in the work's title"
    return FieldCheck("title", Outcome.DIFFERS, reference.title, work.title, LED, note)


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
