"""What a reply states, apart from what it concludes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from guardrail.logic.knowledge.facts import Triple
from guardrail.logic.paper.oracles.goals import Goal, GoalFacts, Holds
from guardrail.logic.paper.oracles.graphs import Names, canonical
from guardrail.logic.paper.oracles.questions import denies, statement_form
from guardrail.logic.paper.oracles.truth import Truth
from guardrail.logic.paper.questions.reply import ReadReply
from guardrail.logic.statements.dates import spans
from guardrail.logic.statements.items import Known, items
from guardrail.logic.statements.model import Dated, Statement
from guardrail.logic.statements.reading import read, stated
from guardrail.logic.statements.words import ADVERBS, ARTICLES, BE, DO, HAVE, NEGATIONS, folded, stem

_THUS = re.compile(
    r"(?:^|[,;:]\s*(?:and )?)(?:so|thus|hence|therefore|consequently|accordingly|then|it follows(?: that)?|this means(?: that)?"
    r"|that means(?: that)?|as a result|in conclusion|which means(?: that)?)\b,?\s*",
    re.IGNORECASE,
)
_OPPOSITES = tuple((stem(one), stem(other)) for one, other in (
    ("before", "after"),
    ("same", "different"),
    ("earlier", "later"),
    ("precede", "follow"),
    ("begin", "end"),
    ("dead", "alive"),
))  # fmt: skip
_SMALL = (
    ARTICLES
    | BE
    | DO
    | HAVE
    | ADVERBS
    | NEGATIONS
    | {"it", "he", "she", "they", "true", "that", "in", "of", "by", "to", "as"}
)


@dataclass(frozen=True)
class Knowledge:
    """What a reply gives as knowledge.

    Attributes:
        statements: relations between two, in order.
        dates: events and their years, in order.
        conclusions: the sentences, or parts of sentences, that draw a conclusion.
    """

    statements: tuple[Statement, ...]
    dates: tuple[Dated, ...]
    conclusions: tuple[str, ...]


def knowledge(reply: ReadReply, truth: Truth, goal: Goal | None) -> Knowledge:
    """The statements of the reasons; what follows "so", "hence" … is a conclusion and none of them.

    So is what repeats the question behind other statements, see `_repeats`.
    """
    said: list[Statement] = []
    dates: list[Dated] = []
    conclusions: list[str] = []
    asked = truth.question + "\n\n"  # whom it asks about is whom "it" and "both" mean
    text = asked + "\n\n".join(reply.reasons)
    for sentence in read(text, truth.lexicon, about=truth.names):
        if not sentence.row or sentence.start < len(asked):
            continue
        plain, start, stop = sentence.text, sentence.start, sentence.end
        thus = _THUS.search(plain[start:stop])
        cut = start + thus.start() if thus is not None else stop
        here, years = stated(sentence), spans(sentence)
        found = [one for one in here if one.start < cut]
        when = [one for one in years if one.start < cut]
        if said and isinstance(goal, Holds) and any(_repeats(goal, one, truth) for one in found):
            conclusions.append(plain[start:stop])
            continue
        said += found
        dates += when
        if thus is not None:
            conclusions.append(plain[cut:stop])
    return Knowledge(tuple(said), tuple(dates), tuple(conclusions))


def drawn(found: Knowledge, truth: Truth, goal: Goal | None) -> bool | None:
    """Whether the reasons conclude Yes or No; `None` if they draw no conclusion that is understood.

    The last conclusion counts; without any, a statement of what is asked itself.
    """
    for sentence in reversed(found.conclusions):
        answer = _by_statement(sentence, truth, goal)
        if answer is None:
            answer = _by_words(sentence, truth)
        if answer is not None:
            return answer
    if isinstance(goal, Holds) and found.statements:
        last = found.statements[-1]
        if _asks(goal, last, truth):
            return (not last.negated) == goal.affirms
    return None


def _repeats(goal: Holds, statement: Statement, truth: Truth) -> bool:
    """Whether a statement says what the question asks, as a conclusion would, and not as knowledge.

    A false positive statement is knowledge: the reply claims to know it.
    """
    if not _asks(goal, statement, truth):
        return False
    asked = canonical(goal.triple, truth.relations)
    if any(canonical(fact, truth.relations) == asked for fact in truth.facts):
        return False  # to state a fact is knowledge
    return statement.negated or goal.affirms in goal.answers(
        GoalFacts(truth.facts, truth.years, truth.relations)
    )


def _asks(goal: Holds, statement: Statement, truth: Truth) -> bool:
    """Whether a statement is about just what is asked."""
    names = Names(truth.aliases, truth.names)
    asked = canonical(goal.triple, truth.relations)
    for one in statement.readings():
        triple = Triple(names.of(one.subject.name), one.relation, names.of(one.object.name))
        if canonical(triple, truth.relations) == asked:
            return True
    return False


def _by_statement(sentence: str, truth: Truth, goal: Goal | None) -> bool | None:
    """A conclusion that states or denies what is asked, or its converse where only one of the two can hold."""
    if not isinstance(goal, Holds):
        return None
    for one in (s for row in read(_bare(sentence), truth.lexicon, about=truth.names) for s in stated(row)):
        if _asks(goal, one, truth):
            return (not one.negated) == goal.affirms
        turned = Triple(goal.triple.object, goal.triple.relation, goal.triple.subject)
        one_way = truth.relations.of(goal.triple.relation).asymmetric
        if one_way and not one.negated and _asks(Holds(turned), one, truth):
            return not goal.affirms
    return None


def _by_words(sentence: str, truth: Truth) -> bool | None:
    """A conclusion in the words of the question: Yes if it denies as often as the question does.

    Words that say the opposite ("after" where the question has "before") deny, too. Where fewer than half of the
    question's words come back, nothing is concluded.
    """
    asked, said = _content(statement_form(truth.question), truth), _content(_bare(sentence), truth)
    if not asked:
        return None
    common = asked & said
    flips = 0
    for pair in _OPPOSITES:
        for one, other in (pair, pair[::-1]):
            if one in asked and other in said and one not in said:
                flips += 1
                common = common | {one}
    if 2 * len(common) < len(asked) or not common:
        return None
    negations = denies(statement_form(truth.question)) + denies(_bare(sentence)) + flips
    return negations % 2 == 0


def _bare(sentence: str) -> str:
    return _THUS.sub("", sentence, count=1).strip()


def _content(text: str, truth: Truth) -> set[str]:
    """Stems of the words that carry meaning, names left out."""
    row = items(text, 0, len(text), truth.lexicon, Known(truth.names))
    return {
        stem(item.folded)
        for item in row
        if item.kind == "word" and item.folded and folded(item.folded) not in _SMALL and item.key != "BE"
    }
