"""The verdict on a reply: whether what it states is true, and whether what it concludes follows from that.

[li2025] §3.6, Algorithm 3; differs: similarity is reported and is not what decides. Why: `docs/design/logic.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from guardrail.logic.knowledge.facts import Triple, Years
from guardrail.logic.paper.oracles.goals import Goal, GoalFacts, goal_of
from guardrail.logic.paper.oracles.graphs import Names, canonical, jaccard, nodes_of
from guardrail.logic.paper.oracles.stated import Knowledge, drawn, knowledge
from guardrail.logic.paper.oracles.truth import Truth
from guardrail.logic.paper.questions.reply import ReadReply, parse_reply
from guardrail.logic.paper.questions.reproof import Evaluator
from guardrail.logic.statements.model import Dated, Statement

VerdictName: TypeAlias = Literal["correct", "error_inference", "error_knowledge", "both", "unverified"]


@dataclass(frozen=True)
class ReplyVerdict:
    """What is wrong with a reply, and why.

    Attributes:
        name: "correct" (refusals too), "error_inference" (true knowledge, wrong conclusion), "error_knowledge" (a false
            statement, and the conclusion follows from it, or is right), "both", or "unverified": the reply does
            not begin as it was asked to, and its reasons do not show what it concludes.
        contradictory: whether the first word and the reasons conclude differently.
        concluded: what the first word says; `None` for a refusal or a reply that cannot be read.
        follows: whether the conclusion follows from what is stated; `None` if logic cannot decide.
        true, false, unverified: statements, in words; each false one with the fact that it goes against.
        missing: facts that the reply does not state.
        nodes, edges: Jaccard similarity of the graphs, in [0, 1]; `None` where the reply states nothing.
        reason: one sentence.
    """

    name: VerdictName
    contradictory: bool
    concluded: bool | None
    follows: bool | None
    true: tuple[str, ...] = ()
    false: tuple[str, ...] = ()
    unverified: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    nodes: float | None = None
    edges: float | None = None
    reason: str = ""


def judge(reply: str, truth: Truth) -> ReplyVerdict:
    """The verdict on a reply.

    Example:
        >>> truth = Truth("Was Euler born in Basel?", True, (Triple("Euler", "place of birth", "Basel"),))
        >>> judge("No. Euler was born in Bern.", truth).name
        'error_knowledge'
    """
    read = parse_reply(reply)
    if read.conclusion == "unknown":
        return ReplyVerdict("correct", False, None, None, reason="It says that it does not know.")
    goal = goal_of(truth)
    return _Judge(truth, goal).verdict(read, knowledge(read, truth, goal))


class _Judge:
    def __init__(self, truth: Truth, goal: Goal | None) -> None:
        self.truth = truth
        self.goal = goal
        self.names = Names(truth.aliases, truth.names)
        self.evaluator = Evaluator(truth.facts, truth.relations)
        self.facts = [canonical(fact, truth.relations) for fact in truth.facts]
        self.relations = {fact.relation for fact in self.facts}

    def verdict(self, reply: ReadReply, found: Knowledge) -> ReplyVerdict:
        first = {"yes": True, "no": False}.get(reply.conclusion)
        reasoned = drawn(found, self.truth, self.goal)
        sides = [(one, self._triple(one)) for one in found.statements]
        positive = [triple for one, triple in sides if not one.negated]
        stated = Evaluator(positive, self.truth.relations)
        true: list[str] = []
        false: list[str] = []
        open_: list[str] = []
        replaced: set[Triple] = set()
        for one, triple in sides:
            words = _words(triple, denied=one.negated)
            held = self._held(triple, one.negated)
            against = None if held is True else self._against(triple, one.negated, stated)
            if held is True:
                true.append(words)
            elif held is False or against is not None:
                false.append(f"{words} (against: {_words(against) if against else 'what the facts exclude'})")
                if against is not None:
                    replaced.add(against)
            else:
                open_.append(words)
        years = dict(self.truth.years)
        dated = list(self._spans(found.dates))
        for event, span in dated:
            held, words = self._dated(event, span)
            (true if held else false if held is False else open_).append(words)
            if held is False:
                years[event] = (self._as_stated(event, span),)
        world = GoalFacts(
            tuple(fact for fact in self.facts if fact not in replaced) + tuple(positive),
            years,
            self.truth.relations,
        )
        follows = self._follows(world, (first, reasoned))
        if follows and not false and open_ and not {first, reasoned} <= {self.truth.answer, None}:
            # A wrong conclusion follows, and what is known to be true does not lead to it: what is not known is false
            false, open_ = [f"{words} (against: what follows from it is false)" for words in open_], []
        name = self._name(first, reasoned, follows, bool(true), bool(false))
        nodes, edges = self._similar(positive, dated)
        return ReplyVerdict(
            name,
            first is not None and reasoned is not None and first != reasoned,
            first,
            follows,
            tuple(true),
            tuple(false),
            tuple(open_),
            tuple(self._missing(stated, dated)),
            nodes,
            edges,
            _reason(name, false),
        )

    def _name(
        self, first: bool | None, reasoned: bool | None, follows: bool | None, true: bool, false: bool
    ) -> VerdictName:
        wrong = self.truth.answer not in (first, reasoned) or (
            None not in (first, reasoned) and first != reasoned
        )
        if first is None and reasoned is None:
            return "error_knowledge" if false else "unverified"
        if false:
            return "both" if wrong and follows is False else "error_knowledge"
        if not wrong:
            return "correct"
        return "error_inference" if true else "error_knowledge"

    def _follows(self, world: GoalFacts, concluded: tuple[bool | None, bool | None]) -> bool | None:
        """Whether each wrong conclusion follows from what is stated; the true facts stand where it says no other."""
        wrong = [one for one in concluded if one is not None and one != self.truth.answer]
        if self.goal is None:
            return None
        answers = self.goal.answers(world)
        return all(one in answers for one in (wrong or [one for one in concluded if one is not None]))

    # --- single statements ---------------------------------------------------------------------------------

    def _triple(self, statement: Statement) -> Triple:
        """What a statement says, in the meaning that the facts use if they use any."""
        found = [
            canonical(
                Triple(self.names.of(one.subject.name), one.relation, self.names.of(one.object.name)),
                self.truth.relations,
            )
            for one in statement.readings()
        ]
        for triple in found:
            if self.evaluator.truth(triple) is not None:
                return triple
        return next((triple for triple in found if triple.relation in self.relations), found[0])

    def _held(self, triple: Triple, negated: bool) -> bool | None:
        held = self.evaluator.truth(triple)
        return held if held is None else held != negated

    def _against(self, triple: Triple, negated: bool, stated: Evaluator) -> Triple | None:
        """The fact in whose place a statement gives another value.

        The reply gives that value instead of the true one, not beside it: what it states does not entail the fact.
        """
        if negated:
            return triple if self.evaluator.truth(triple) is True else None
        symmetric = self.truth.relations.of(triple.relation).symmetric
        for fact in self.facts:
            if fact.relation != triple.relation or stated.truth(fact) is True:
                continue
            if fact.subject == triple.subject and fact.object != triple.object:
                return fact
            inverse = self.truth.relations.get(self.truth.relations.of(fact.relation).inverse)
            one_valued = symmetric or (inverse is not None and (inverse.functional or inverse.complete))
            if one_valued and fact.object == triple.object and fact.subject != triple.subject:
                return fact
        return None

    # --- years ---------------------------------------------------------------------------------------------

    def _spans(self, dates: tuple[Dated, ...]) -> Iterator[tuple[str, Dated]]:
        """Each event with its years; a beginning and an end that are said apart are one."""
        waiting: dict[str, Dated] = {}
        for one in dates:
            event = self.names.of(one.subject.name)
            other = waiting.pop(event, None)
            if other is not None and not one.negated and (other.begin is None) != (one.begin is None):
                begin = one.begin if other.begin is None else other.begin
                end = one.end if other.end is None else other.end
                if begin is not None and end is not None and begin <= end:
                    yield event, Dated(one.subject, begin, end, False, False, other.start, one.stop)
                    continue
            if other is not None:
                yield event, other
            if (one.begin is None) != (one.end is None) and not one.negated:
                waiting[event] = one
            else:
                yield event, one
        yield from waiting.items()

    def _dated(self, event: str, said: Dated) -> tuple[bool | None, str]:
        words = _said(event, said)
        spans = self.truth.years.get(event)
        if spans is None:
            return None, words
        held = any(_agrees(said, span) for span in spans)
        if held != said.negated:
            return True, words
        truly = " and ".join(f"{first} to {last}" for first, last in spans)
        return False, f"{words} (against: {event}, {truly})"

    def _as_stated(self, event: str, said: Dated) -> Years:
        """The span that the reply gives; where it gives one end, the other is the true one."""
        first, last = self.truth.years[event][0]
        begin = said.begin if said.begin is not None else first
        end = said.end if said.end is not None else last
        return min(begin, end), max(begin, end)

    # --- graphs --------------------------------------------------------------------------------------------

    def _similar(
        self, triples: list[Triple], dated: list[tuple[str, Dated]]
    ) -> tuple[float | None, float | None]:
        """Node and edge similarity of what the reply states and the truth."""
        ours = (edge for event, one in dated if not one.negated for edge in _edges(event, one.begin, one.end))
        said = {*triples, *ours}
        if not said:
            return None, None
        truth = {*self.facts, *(edge for span in self.truth.spans for edge in _edges(*span))}
        names = self.names
        nodes = jaccard(nodes_of(said), nodes_of(truth), names.same)
        return nodes, jaccard(sorted(said), sorted(truth), names.same_edge)

    def _missing(self, stated: Evaluator, dated: list[tuple[str, Dated]]) -> Iterator[str]:
        for fact in self.facts:
            if stated.truth(fact) is not True:
                yield _words(fact)
        told = {event for event, _ in dated}
        for event, first, last in self.truth.spans:
            if event not in told:
                yield f"{event}, {first} to {last}"


def _agrees(said: Dated, span: Years) -> bool:
    first, last = span
    if said.within and said.begin is not None and said.end is not None:
        inside = said.begin <= first and last <= said.end
        return inside or (first <= said.begin and said.end <= last)
    return said.begin in (None, first) and said.end in (None, last)


def _edges(event: str, begin: int | None, end: int | None) -> Iterator[Triple]:
    """An event's first and last year, as far as they are known."""
    for relation, year in (("begin", begin), ("end", end)):
        if year is not None:
            yield Triple(event, relation, str(year))


def _words(triple: Triple, *, denied: bool = False) -> str:
    return f"{'not: ' if denied else ''}{triple.subject}, {triple.relation}, {triple.object}"


def _said(event: str, said: Dated) -> str:
    begin, end = said.begin, said.end
    when = f"from {begin}" if end is None else f"until {end}" if begin is None else f"{begin} to {end}"
    return f"{'not: ' if said.negated else ''}{event}, {when}"


def _reason(name: VerdictName, false: list[str]) -> str:
    match name:
        case "correct":
            return "Nothing that it states is false, and its conclusion is right."
        case "error_inference":
            return "What it states is true, and its conclusion is wrong."
        case "error_knowledge" if not false:
            return "Its conclusion is wrong, and it states none of the facts."
        case "error_knowledge":
            return f"It states what is false: {'; '.join(false)}."
        case "both":
            return f"It states what is false, and its conclusion does not even follow from that: {'; '.join(false)}."
        case _:
            return "It does not begin with Yes, No or I don't know, and its reasons draw no conclusion."
