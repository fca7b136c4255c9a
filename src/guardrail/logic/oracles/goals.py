"""What a question asks, so that it can be asked of other facts: those that a reply states.

Where the question was generated, that is known. Else it is read: as a statement with its verb moved back, as a pair
that shares something, as a chain of facts from one name to another, as a claim about years. Of several readings the
first is taken that, asked of the true facts, has the known answer; a question that has none is not decided by logic.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from guardrail.errors import InputError
from guardrail.logic.knowledge.facts import Triple, Years
from guardrail.logic.knowledge.relations import Relations
from guardrail.logic.oracles.graphs import canonical
from guardrail.logic.oracles.truth import Truth
from guardrail.logic.questions.reproof import Evaluator
from guardrail.logic.temporal.claims import Claim, read_claim
from guardrail.logic.temporal.events import history
from guardrail.logic.temporal.formula import And, Formula, Not, Or
from guardrail.logic.temporal.semantics import holds
from guardrail.text.triples import statements
from guardrail.text.triples.items import Known, items
from guardrail.text.triples.sides import PREPOSITIONS

__all__ = ["Goal", "World", "denies", "goal_of", "statement_form"]


@dataclass(frozen=True)
class World:
    """Facts and dated events, true or stated."""

    facts: tuple[Triple, ...]
    years: Mapping[str, tuple[Years, ...]]
    relations: Relations


class Goal(Protocol):
    """What is asked."""

    def answers(self, world: World) -> frozenset[bool]:
        """Whether Yes is right in a world where nothing holds but what follows from its facts.

        Both, where it depends on what the words mean.
        """


@dataclass(frozen=True)
class Holds:
    """Whether a triple holds (`affirms`), or whether it does not; joint relations ("same author") too."""

    triple: Triple
    affirms: bool = True

    def answers(self, world: World) -> frozenset[bool]:
        known = Evaluator(world.facts, world.relations)
        return frozenset({(known.truth(self.triple) is True) == self.affirms})


@dataclass(frozen=True)
class Shares:
    """Whether two have an object (or, `turned`, a subject) of a relation in common."""

    relation: str
    first: str
    second: str
    turned: bool = False
    affirms: bool = True

    def answers(self, world: World) -> frozenset[bool]:
        edges = [canonical(fact, world.relations) for fact in world.facts]
        sides = [
            (e.object, e.subject) if self.turned else (e.subject, e.object)
            for e in edges
            if e.relation == self.relation
        ]
        found = [{value for owner, value in sides if owner == one} for one in (self.first, self.second)]
        return frozenset({bool(found[0] & found[1]) == self.affirms})


@dataclass(frozen=True)
class Leads:
    """Whether facts lead from one to the other, whatever the table says of chains: the true facts are the proof."""

    first: str
    second: str
    affirms: bool = True

    def answers(self, world: World) -> frozenset[bool]:
        reached, waiting = {self.first}, [self.first]
        while waiting:
            here = waiting.pop()
            for fact in world.facts:
                ends = [(fact.subject, fact.object)]
                if world.relations.of(fact.relation).symmetric:
                    ends.append((fact.object, fact.subject))
                for one, other in ends:
                    if one == here and other not in reached:
                        reached.add(other)
                        waiting.append(other)
        return frozenset({(self.second in reached) == self.affirms})


@dataclass(frozen=True)
class Happens:
    """Whether a claim is true: in its weakest and in its strongest sense."""

    claim: Claim

    def answers(self, world: World) -> frozenset[bool]:
        spans = [(event, first, last) for event, several in world.years.items() for first, last in several]
        senses = (self.claim, self.claim.strongest)
        return frozenset(holds(one.formula, one.year, history(spans)) for one in senses)


def goal_of(truth: Truth) -> Goal | None:
    """What is asked; `None` if it is not understood, or in no way that has the known answer."""
    world = World(truth.facts, truth.years, truth.relations)
    for goal in _goals(truth):
        try:
            if truth.answer in goal.answers(world):
                return goal
        except InputError:  # an event without years
            continue
    return None


def _goals(truth: Truth) -> Iterator[Goal]:
    if truth.formula is not None and truth.year is not None:
        yield Happens(Claim(truth.formula, truth.year))
    if truth.asked is not None:
        yield Holds(truth.asked, truth.affirms)
        return
    if truth.facts:
        yield from _about_facts(truth)
    if truth.spans:
        yield from map(Happens, _claims(truth))


def denies(text: str) -> bool:
    """Whether a sentence denies: whether the number of words such as "not", "never", "different" in it is odd."""
    return len(_DENIAL.findall(text)) % 2 == 1


_COMMON = re.compile(r"\b(?:same|common|share|also|both|different)\b", re.IGNORECASE)
_DENIAL = re.compile(
    r"\b(?:not|never|no|neither|none|different|cannot|unlike|false|wrong)\b|n['’]t\b", re.IGNORECASE
)


def _about_facts(truth: Truth) -> Iterator[Goal]:
    text = statement_form(truth.question)
    used = {canonical(fact, truth.relations).relation for fact in truth.facts}
    denied = denies(text)
    read = [
        (Triple(one.subject.name, one.relation, one.object.name), one.negated)
        for form in _forms(text, truth)
        for found in statements(form, truth.lexicon)
        for one in found.readings()
    ]
    known = Known()
    row = items(text, 0, len(text), truth.lexicon, known)
    named = list(dict.fromkeys(item.mention.entity for item in row if item.mention and item.mention.entity))
    pairs: list[Shares] = []
    shared = sorted(name for name in used if not truth.relations.of(name).symmetric)
    for relation, turned in itertools.product(shared, (False, True)):
        for first, second in itertools.combinations(named, 2):
            pairs.append(Shares(relation, first, second, turned, affirms=not denied))
    if _COMMON.search(text):
        yield from pairs
    for triple, negated in read:
        if canonical(triple, truth.relations).relation in used:
            yield Holds(triple, not negated)
    yield from pairs
    for triple, negated in read:
        yield Holds(triple, not negated)
    for first, second in itertools.permutations(named, 2):
        yield Leads(first, second, affirms=not denied)


def _forms(text: str, truth: Truth) -> Iterator[str]:
    """A question as a statement; and with "is" behind the name that it begins with."""
    yield text
    row = items(text, 0, len(text), truth.lexicon, Known())
    if len(row) > 1 and row[0].mention is not None:
        yield f"{text[: row[0].end]} is {text[row[0].end :]}"


# --- questions about years ---


_TRUE_THAT = re.compile(r"\s*(?:is|was) it (?:true|the case|correct|right) that ", re.IGNORECASE)
_WHEN = re.compile(r"\s*((?:In|During|Between|Before|After|From|By) [^,]{1,80}),\s*(?=\w)")
_IDLE = re.compile(r"\b(?:still|already|actually|ever|indeed|really) ", re.IGNORECASE)
_GOING_ON = re.compile(
    r"\b(?:underway|standing|in progress|on air|being fought|in power|in force|on the throne|running|in office)\b",
    re.IGNORECASE,
)
_VERBS = {
    "happen": "happened", "occur": "occurred", "take place": "took place", "end": "ended", "begin": "began",
    "start": "started", "last": "lasted", "exist": "existed", "live": "lived", "go on": "went on", "die": "died",
    "overlap": "overlapped", "run": "ran", "fall": "fell", "continue": "continued", "break out": "broke out",
    "reign": "reigned", "finish": "finished", "air": "ran",
}  # fmt: skip
_DID = re.compile(
    rf"\s*did (?P<x>.+?) (?P<no>not |n['’]t |never )?(?P<verb>{'|'.join(_VERBS)})(?P<rest>\b.*)",
    re.IGNORECASE | re.DOTALL,
)
_STATES = (
    r"(?:still |already )?(?:alive|going on|under way|underway|active|in existence|held|over|in progress|on air|born|being"
    r" fought|fought|in power|founded|established|dissolved)"
)
_WAS = re.compile(
    rf"\s*(?P<be>was|were|is|are) (?P<x>.+?) (?P<no>not )?(?P<state>{_STATES})(?P<rest>\b.*)",
    re.IGNORECASE | re.DOTALL,
)
_BE = re.compile(r"\s*(?:is|was|are|were|has|have|had|did|does|do|can)(?P<no>n['’]t)?\s+", re.IGNORECASE)
_NAMED = 4  # names and words that name one event: "the TV series 'Friends'"
_LONG = 400  # characters of a question that is read


def statement_form(question: str) -> str:
    """What a question asks, as far as that is said by taking off what makes it a question.

    Example:
        >>> statement_form("Is it true that Paris is in France?")
        'Paris is in France.'
        >>> statement_form("Did the war not happen in 1948?")
        'the war did not happen in 1948.'
    """
    text = question.strip().removesuffix("?").strip()
    if _TRUE_THAT.match(text):
        return _TRUE_THAT.sub("", text, count=1) + "."
    if len(text) <= _LONG and (did := _DID.fullmatch(text)):
        verb = did["verb"].lower()
        said = f"did not {verb}" if did["no"] else _VERBS[verb]
        return f"{did['x']} {said}{did['rest']}."
    if len(text) <= _LONG and (was := _WAS.fullmatch(text)):
        return f"{was['x']} {was['be'].lower()} {was['no'] or ''}{was['state']}{was['rest']}."
    bare = _BE.match(text)
    if bare is None:
        return text + "."
    return ("not " if bare["no"] else "") + text[bare.end() :] + "."


def _claims(truth: Truth) -> Iterator[Claim]:
    text = " ".join(truth.question.strip().removesuffix("?").split())[:_LONG]
    text = (
        _GOING_ON.sub("going on", _IDLE.sub("", text))
        .replace(" when ", " while ")
        .replace(" no longer ", " not ")
    )
    when = _WHEN.match(text)
    body, moved = (text[when.end() :], f" {when[1][0].lower()}{when[1][1:]}") if when else (text, "")
    link = _linker(truth)
    whole = _claim(body + moved, link)
    if whole is not None:
        yield whole
    for word, join in ((" nor ", Or), (" or ", Or), (" and ", And)):
        before, between, after = body.partition(word)
        if not between:
            continue
        pair = _pair(before, after, moved, link)
        if pair is None:
            continue
        one, two = pair
        if one.year == two.year:
            both: Formula = join(one.formula, two.formula)
            if re.search(r"\bneither\b", before, re.IGNORECASE):
                both = And(Not(one.formula), Not(two.formula))
            yield Claim(both, one.year)


def _pair(
    before: str, after: str, moved: str, link: Callable[[str], str | None]
) -> tuple[Claim, Claim] | None:
    """Two claims of one sentence: each with its own verb, or one verb for two events ("Were both X and Y alive in …")."""
    one, two = _claim(before + moved, link), _claim(after + moved, link)
    if one is not None and two is not None:
        return one, two
    head = re.match(
        r"\s*(was|were|did|is it true that)?\s*(?:both|either|neither)?\s*(.+)", before, re.IGNORECASE
    )
    if head is None:
        return None
    verb = head[1] or ""
    second = _claim(f"{verb} {after}{moved}", link)
    state = _verb_at(after)
    first = _claim(f"{verb} {head[2]}{after[state:]}{moved}", link) if state is not None else None
    return (first, second) if first is not None and second is not None else None


_SAID = re.compile(
    rf" (?:{'|'.join(_VERBS)}|{'|'.join(_VERBS.values())}|(?:was |were |is |are )?(?:both )?{_STATES})\b",
    re.IGNORECASE,
)


def _verb_at(text: str) -> int | None:
    found = _SAID.search(text)
    return found.start() if found else None


def _claim(text: str, link: Callable[[str], str | None]) -> Claim | None:
    said = statement_form(text)
    return read_claim(said, link=link)


def _linker(truth: Truth) -> Callable[[str], str | None]:
    """The event that some words name."""
    events = frozenset(truth.years)

    def link(words: str) -> str | None:
        known = Known(events)
        row = [item for item in items(words, 0, len(words), truth.lexicon, known) if item.kind != "mark"]
        found = [
            item.mention.entity for item in row if item.mention is not None and item.mention.entity in events
        ]
        if len(found) != 1 or len(row) > _NAMED or any(item.folded in PREPOSITIONS for item in row):
            return None
        return found[0]

    return link
