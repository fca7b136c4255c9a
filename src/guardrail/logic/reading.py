"""What one sentence claims: statements of relations, claims about years, and the words that neither accounts for.

A sentence is called supported only if all that it says was read. So every word has to be part of a name, of a way of
saying a relation that was read, or of a claim about years that was read; or it changes nothing ("the", "also").
What is left over is `unread`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from guardrail.logic.statements.model import Statement
from guardrail.logic.statements.words import (
    ADVERBS,
    ARTICLES,
    BE,
    DO,
    HAVE,
    NEGATIONS,
    Word,
    several,
    stem,
    words,
)
from guardrail.logic.temporal.claims import read_claim
from guardrail.logic.temporal.senses import Claim
from guardrail.logic.world import World
from guardrail.report import Span

LONGEST = 1_000  # characters of a sentence; longer ones are lists or an attack

_LIGHT = (
    ARTICLES
    | BE
    | DO
    | HAVE
    | several(
        "and also both too indeed actually in of by at on to from for as s that which who it he she they true there "
        "furthermore moreover however"
    )
)
_HEDGES = several(
    "if according believe believes believed claim claims claimed say says said allege alleged allegedly rumor rumour rumored "
    "rumoured myth legend suppose supposedly suggest suggests suggested might may could would should perhaps "
    "possibly maybe think thinks thought wish wished pretend pretended imagine imagined fictional fiction hypothetical "
    "hypothetically contrary misconception mistakenly incorrectly falsely wrongly unless whether assume assumed "
    "or either almost nearly probably unlikely plan planned plans intended wanted hoped hopes"
)
_PAST = several("was were became had been former formerly once originally initially until previously used")
_PREPOSITIONS = several("of by for from with about to near")
_CLASSES = several(
    "city town village country state republic kingdom river island novel book film movie play city-state"
)
_ADAPTATIONS = several(
    "film movie musical opera ballet series miniseries serial show adaptation remake version game album song "
    "soundtrack painting episode"
)
_WRITERS = frozenset({"author"})  # of books: who wrote a film of one is another matter
_YEAR = re.compile(r"(?<!\d)\d{3,4}(?!\d)")
_BEFORE = re.compile(r"\b(?:in|on|before|after|by|until|since|between|from|within)\s")
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATE = re.compile(  # finer than what is known, which is years
    rf"(?:(?P<before>\w+)\s+)?\b(?P<date>(?:\d{{1,2}}\w{{0,2}}\s+(?:of\s+)?)?(?:{_MONTH})\b(?:\s+\d{{1,2}}\w{{0,2}}\b)?),?\s+"
    r"\d{3,4}\b",
    re.IGNORECASE,
)
_LIFE = re.compile(r"\s*\(\s*(?P<first>\d{3,4})\s*[-–—]\s*(?P<last>\d{3,4})\s*\)")
_VERB = r"(?:was|were|died|ended|began|started|lasted|lived|existed|fell|happened|took|broke|ran)"
_JOINT = re.compile(rf"(?:,|;)?\s+(?:and|but)\s+(?={_VERB}\b)", re.IGNORECASE)
_SUBJECT = re.compile(rf"(?P<subject>.+?)\s+{_VERB}\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Said:
    """What a sentence claims.

    Attributes:
        statements: relations.
        claims: years.
        unread: words that neither accounts for, in order.
        hedged: whether the sentence may not assert what it says ("some believe", "if").
        past: whether it speaks of the past.
    """

    statements: tuple[Statement, ...]
    claims: tuple[Claim, ...]
    unread: tuple[str, ...]
    hedged: bool
    past: bool


def said(text: str, span: Span, statements: Sequence[Statement], world: World) -> Said:
    """Read one sentence of a text.

    Args:
        text: the whole text.
        span: where the sentence is.
        statements: those that were found in it.
        world: the names that are known.
    """
    row = [word for word in words(text, span.start, span.end) if word.spelt]
    trusted = tuple(s for s in statements if _belongs(s, text, row, world))
    claims: list[Claim] = []
    covered = {number for statement in trusted for number in _covered(statement, row, world)}
    past = {word.key for word in row if not any(_inside(word, statement) for statement in trusted)}
    fine = list(_DATE.finditer(text, span.start, span.end))
    for first, last, claim in _claims(text, span, trusted, world):
        if _finer(fine, first, last, row):
            continue
        claims.append(claim)
        covered.update(n for n, word in enumerate(row) if first <= word.start and word.end <= last)
    days = {
        word.start for word in row for date in fine if date.start("date") <= word.start < date.end("date")
    }
    covered.difference_update(number for number, word in enumerate(row) if word.start in days)
    plain = {word.key for number, word in enumerate(row) if number not in covered and word.start not in days}
    light = _LIGHT | NEGATIONS if any(s.negated for s in trusted) else _LIGHT
    unread = tuple(w.text for n, w in enumerate(row) if n not in covered and w.key not in light)
    return Said(trusted, tuple(claims), unread, bool(plain & _HEDGES), bool(past & _PAST))


# --- statements ----------------------------------------------------------------------------------------------


def _vocabulary(statement: Statement, world: World) -> set[str]:
    return world.vocabulary([statement.relation, *(other for other, _ in statement.alternatives)])


def _inside(word: Word, statement: Statement) -> bool:
    return any(
        mention.start <= word.start and word.end <= mention.end
        for mention in (statement.subject, statement.object)
    )


def _covered(statement: Statement, row: Sequence[Word], world: World) -> set[int]:
    """The words that a statement accounts for: its names, and the way it is said."""
    known = _vocabulary(statement, world)
    return {
        number
        for number, word in enumerate(row)
        if _inside(word, statement)
        or (statement.start <= word.start and word.end <= statement.end and stem(word.key) in known)
    }


def _belongs(statement: Statement, text: str, row: Sequence[Word], world: World) -> bool:
    """Whether nothing beside the names shows that the relation is said of something else.

    It is in "Ann's son was born in Rome" and in "the son of Ann was born in Rome"; and years are no names.
    """
    known = _vocabulary(statement, world)
    both = (statement.subject, statement.object)
    if any(mention.entity is None and not any(map(str.isalpha, mention.name)) for mention in both):
        return False
    for mention in both:
        if text[mention.end : mention.end + 2].lower() in {"'s", "’s"}:
            behind = next((word for word in row if word.start >= mention.end + 2), None)
            if behind is not None and stem(behind.key) not in known:
                return False
    if _another_work(statement, text, row) or _of_a_part(statement, text, row, known):
        return False
    first = min(
        (mention for mention in both if mention.text), key=lambda mention: mention.start, default=None
    )
    before = [word.key for word in row if first is not None and word.end <= first.start]
    before = [key for key in before if key not in ARTICLES]
    if len(before) < 2 or before[-1] not in _PREPOSITIONS:
        return True
    return stem(before[-2]) in known or before[-2] in _CLASSES


def _of_a_part(statement: Statement, text: str, row: Sequence[Word], known: set[str]) -> bool:
    """Whether it is said of what is behind the name: "the Danube canal flows into", "he, whose wife was born in"."""
    for mention in (statement.subject, statement.object):
        behind = [word for word in row if word.start >= mention.end][:2]
        if not mention.text or len(behind) < 2:
            continue
        one, two = behind
        if one.key == "whose" and stem(two.key) not in known:
            return True
        joined = not text[mention.end : two.start].replace(one.text, "").strip()
        noun = one.text.islower() and not one.key.endswith("ly")
        light = _LIGHT | NEGATIONS | ADVERBS | _CLASSES | _PREPOSITIONS
        verb = two.key in BE or (stem(two.key) in known and two.key not in _LIGHT)
        if joined and noun and verb and one.key not in light and stem(one.key) not in known:
            return True
    return False


def _another_work(statement: Statement, text: str, row: Sequence[Word]) -> bool:
    """Whether a work is told from another of its name: "the 1996 film Emma", "Emma (the film)".

    Of what is dated, all is said of that one; of an adaptation, who wrote it.
    """
    for mention in (statement.subject, statement.object):
        if not mention.text:
            continue
        before = [word.key for word in row if word.end <= mention.start][-4:]
        behind = [word.key for word in row if word.start >= mention.end][:4]
        if not text[mention.end :].lstrip(" *_\"'”’").startswith("("):
            behind = []
        near = {*before[-1:], *behind} & _ADAPTATIONS
        if near and (statement.relation in _WRITERS or any(map(_YEAR.fullmatch, before + behind))):
            return True
    return False


def _finer(dates: Sequence[re.Match[str]], first: int, last: int, row: Sequence[Word]) -> bool:
    """Whether a claim rests on a day or month: "before May 1914" and "not in May 1914" may be true of 1914."""
    inside = [date for date in dates if first <= date.start("date") < last]
    asserted = not any(word.key in NEGATIONS for word in row)
    return not all(asserted and (date["before"] or "").lower() in {"in", "on"} for date in inside)


# --- years ---------------------------------------------------------------------------------------------------


def _claims(
    text: str, span: Span, statements: Sequence[Statement], world: World
) -> Iterator[tuple[int, int, Claim]]:
    """Claims about years, each with the part of the text that it accounts for."""
    sentence = span.of(text)
    if len(sentence) > LONGEST:
        return
    for match in _LIFE.finditer(sentence):
        life = _life(sentence[: match.start()], match, world)
        if life is not None:
            yield span.start + match.start() - life[0], span.start + match.end(), life[1]
    plain = _LIFE.sub("", sentence)
    whole = read_claim(plain, link=world.event)
    if whole is not None:
        yield span.start, span.end, whole
        return
    if not _YEAR.search(plain):
        return
    subject = _SUBJECT.match(plain)
    place = 0
    for piece in _JOINT.split(plain.removesuffix(".")) if subject else ():
        at = sentence.find(piece, place)
        clause = piece if not place else f"{subject['subject']} {piece}"  # type: ignore[index]  # see above
        place = max(at, 0) + len(piece)
        for first, last, cut in _cuts(clause, statements, text):
            found = read_claim(cut, link=world.event) if at >= 0 else None
            if found is not None:
                taken = (span.start + at, span.start + at + len(piece))
                yield (*taken, found) if first == last else (_year_at(taken, text), taken[1], found)
                break


def _cuts(clause: str, statements: Sequence[Statement], text: str) -> Iterator[tuple[int, int, str]]:
    """The clause, then the clause without a name that a statement accounts for: "was born (in Ulm) in 1879"."""
    yield 0, 0, clause
    for statement in statements:
        for mention in (statement.object, statement.subject):
            name = text[mention.start : mention.end]
            match = (
                re.search(rf"\s(?:in|at|by)\s(?:the\s)?{re.escape(name)}(?=[\s,.]|$),?", clause)
                if name
                else None
            )
            if match is not None:
                yield match.start(), match.end(), clause[: match.start()] + clause[match.end() :]


def _year_at(taken: tuple[int, int], text: str) -> int:
    """Where the words about years begin: at the preposition before the year."""
    part = text[slice(*taken)]
    year = _YEAR.search(part)
    places = [found.start() for found in _BEFORE.finditer(part, 0, year.start())] if year else []
    return taken[0] + (places[-1] if places else 0)


def _life(before: str, match: re.Match[str], world: World) -> tuple[int, Claim] | None:
    """The years in parentheses behind a name: from when to when."""
    parts = before.split(" ")
    for many in range(min(6, len(parts)), 0, -1):
        name = " ".join(parts[-many:])
        event = world.event(name)
        if event is None:
            continue
        claim = read_claim(f"X lasted from {match['first']} to {match['last']}", link={"X": event}.get)
        return (len(name), claim) if claim is not None else None
    return None
