"""The flow: the source in other words, what of it may be kept, and the task asked on each.

Rephrasings are made one after another, since each is shown those before it; the question on one goes out together with
the request for the next, so that a budget or a deadline that ends early leaves whole pairs.

Source: [memory] §III.C.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from guardrail.engine.flow import Answer, Failed, Flow, Reply, each, one, why
from guardrail.memory.external.fits import ExternalFit
from guardrail.memory.external.measuring import Encoder, likenesses
from guardrail.memory.external.prompts import Kind, rephrase_prompt, translate_prompt
from guardrail.memory.external.segmentation import Language
from guardrail.memory.internal.replies import thought_end
from guardrail.requests import Ask, Completion, Message

SHARE = 0.5
"""Of T_cq: what a question in other words has to be above. Chosen by hand, on nothing that is labelled."""

_PAIRS = {"{": "}", "[": "]", '"': '"', "“": "”", "「": "」"}
_NUMBER = re.compile(r"[0-9]+(?:[.,:][0-9]+)*")
_THOUSANDS = re.compile(r",(?=[0-9]{3}(?![0-9]))")
_ENGLISH = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_WORD = re.compile(rf"\b(?:{'|'.join(_ENGLISH)})\b", re.IGNORECASE)
_CHINESE = {sign: str(n) for n, sign in enumerate("一二三四五六七八九十", 1)} | {"两": "2"}


@dataclass(frozen=True, slots=True)
class Rephrasing:
    """One that was kept.

    Attributes:
        text: q̂_p in the source's language; of a translation, what came back from it.
        sent: what the task is asked on: the same, or the translation.
        likeness: of `text` with the source.
    """

    text: str
    sent: str
    likeness: float


@dataclass(frozen=True, slots=True)
class Pair:
    """q̂_p and r_p."""

    rephrasing: Rephrasing
    response: str


@dataclass(slots=True)
class Again:
    """What came of asking again.

    Attributes:
        pairs: with a response that says something, in order.
        kept: rephrasings that were accepted.
        tried: requests for one.
        unlike: not alike enough to the source, or a question with other numbers, or none any more.
        malformed: empty, or a repetition of the source or of an earlier one.
        empty: responses that say nothing.
        reasons: of failures.
    """

    pairs: list[Pair] = field(default_factory=list)
    kept: int = 0
    tried: int = 0
    unlike: int = 0
    malformed: int = 0
    empty: int = 0
    reasons: list[str] = field(default_factory=list)

    def take(self, rephrasing: Rephrasing, reply: Reply[Completion]) -> None:
        """Keep what the model answered on a rephrasing."""
        if not isinstance(reply, Answer):
            self.reasons.append(why([reply]))
        elif _plain(response := cleaned(reply.value.text)):
            self.pairs.append(Pair(rephrasing, response))
        else:
            self.empty += 1

    @property
    def told(self) -> str:
        """The counts in words."""
        parts = [f"{self.kept} of {self.tried} rephrasings accepted"]
        for count, what in (
            (self.unlike, "unlike the source"),
            (self.malformed, "empty or repeated"),
            (self.empty, "answers empty"),
        ):
            if count:
                parts.append(f"{count} {what}")
        return ", ".join([*parts, *Counter(self.reasons)])


@dataclass(frozen=True, slots=True)
class Yardstick:
    """What compares texts, and the fit that belongs to it."""

    encoder: Encoder
    fit: ExternalFit


@dataclass(frozen=True, slots=True)
class Plan:
    """How to ask again.

    Attributes:
        source: q_0.
        kind: whether it is a text or a question.
        language: of the source.
        through: the language that it is translated into; `None` = rephrased in its own.
        task: the messages that ask the task on a text.
        rephrasings: how many are wanted.
        retries: how many more may be tried.
        texts_by: what compares rephrasings with the source, with T_cq.
        answers_by: what compares answers, which may be in another language, with what is normal for them.
        spoken: the language of the answers.
        temperature: of all requests.
        paper: the paper's prompts.
    """

    source: str
    kind: Kind
    language: Language
    through: Language | None
    task: Callable[[str], tuple[Message, ...]]
    rephrasings: int
    retries: int
    texts_by: Yardstick
    answers_by: Yardstick
    spoken: Language
    temperature: float = 0.95
    paper: bool = False

    @property
    def alike(self) -> float:
        """What a rephrasing has to be above: T_cq, which is for texts; a part of it for questions."""
        limit = self.texts_by.fit.same_meaning
        return limit if self.kind == "text" else min(limit, SHARE * limit)

    def question(self, text: str) -> Ask:
        """The task on one text."""
        return Ask(self.task(text), temperature=self.temperature)

    def another(self, earlier: Sequence[str], missed: int) -> Ask:
        """The request for one more, `missed` attempts having failed with the same earlier ones."""
        if self.through is not None:
            messages = translate_prompt(self.source, earlier, into=self.through)
        else:
            messages = rephrase_prompt(
                self.source, earlier, kind=self.kind, language=self.language, paper=self.paper
            )
        return Ask(messages, temperature=self.temperature, draw=missed)


def ask_again(plan: Plan) -> Flow[Again]:
    """Rephrase the source, and ask the task on each rephrasing that means the same."""
    again = Again()
    kept: list[Rephrasing] = []
    waiting: Rephrasing | None = None
    missed, stopped = 0, False
    while True:
        wanted = (
            not stopped and len(kept) < plan.rephrasings and again.tried < plan.rephrasings + plan.retries
        )
        step = [] if waiting is None else [plan.question(waiting.sent)]
        if wanted:
            step.append(plan.another([one.sent for one in kept], missed))
        if not step:
            return again
        replies = yield from each(step)
        if waiting is not None:
            again.take(waiting, replies[0])
            waiting = None
        if not wanted:
            continue
        again.tried += 1
        reply = replies[-1]
        if isinstance(reply, Failed):
            again.reasons.append(why([reply]))
            stopped = True  # it was retried already; the next would fare no better
            continue
        found = yield from _judged(again, plan, kept, cleaned(reply.value.text))
        missed += 1
        if isinstance(found, Rephrasing):
            waiting, missed = found, 0
            kept.append(found)
            again.kept += 1
        elif found:
            again.reasons.append(found)
            stopped = True


def _judged(again: Again, plan: Plan, kept: Sequence[Rephrasing], sent: str) -> Flow[Rephrasing | str]:
    """A rephrasing that may be kept; else why nothing more can be tried, "" if the next may be."""
    text = sent
    if _plain(sent) in {"", _plain(plan.source), *(_plain(one.sent) for one in kept)}:
        again.malformed += 1
        return ""
    if plan.through is not None:
        back = yield from one(
            Ask(translate_prompt(sent, (), into=plan.language), temperature=plan.temperature)
        )
        if isinstance(back, Failed):
            return why([back])
        text = cleaned(back.value.text)
        if not _plain(text):
            again.malformed += 1
            return ""
    if plan.kind == "question" and not asks_alike(plan.source, text):
        again.unlike += 1
        return ""
    [found] = yield from likenesses([(text, plan.source)], plan.texts_by.encoder)
    if found.value is None:
        return found.reason
    if found.value <= plan.alike:
        again.unlike += 1
        return ""
    return Rephrasing(text, sent, found.value)


def asks_alike(question: str, text: str) -> bool:
    """Whether a text has the numbers of a question, and asks if that does: a rule of ours in front of T_cq.

    T_cq comes from passages; questions are shorter and share less with each other ("Who wrote Hamlet?", "Which author
    penned Hamlet?"), and a question that asks for something else can be more alike than a true rephrasing. So likeness
    keeps out only what speaks of something else. Small numbers may be written in words on either side. What the words
    ask for is not looked at.

    Example:
        >>> asks_alike("A refund after 30 days?", "Is there a refund after 30 days?")
        True
        >>> asks_alike("A refund after 30 days?", "A refund after 90 days?")
        False
    """
    first, second = (unicodedata.normalize("NFKC", one) for one in (question, text))
    if "?" in first and "?" not in second:
        return False
    return _digits(first) <= _numbers(second) and _digits(second) <= _numbers(first)


def _digits(text: str) -> set[str]:
    return {_THOUSANDS.sub("", number) for number in _NUMBER.findall(text)}


def _numbers(text: str) -> set[str]:
    """In digits, and small ones in words too."""
    english = {str(_ENGLISH.index(word.lower()) + 1) for word in _WORD.findall(text)}
    return _digits(text) | english | {number for sign, number in _CHINESE.items() if sign in text}


def cleaned(text: str) -> str:
    """A reply without the thought before it, blanks and one pair of brackets or quotes around it.

    Example:
        >>> cleaned(' {A text.} '), cleaned('"So," he said, "it is."'), cleaned("Hm.</think> A text.")
        ('A text.', '"So," he said, "it is."', 'A text.')
    """
    text = text[thought_end(text) :].strip()
    end = _PAIRS.get(text[:1])
    if end and len(text) > 1 and text.endswith(end) and not (set(text[1:-1]) & {text[0], end}):
        text = text[1:-1].strip()
    return text


def _plain(text: str) -> str:
    """Letters and digits alone, for telling what is the same."""
    return "".join(filter(str.isalnum, text)).casefold()
