"""QA (MQAG): do other answers answer questions about a sentence as the answer itself does?

Questions are made from the sentence, wrong answers to them from the whole answer; then the answer and every sample
choose among the options. The formulas are in `scores`, the requests in `guardrail.requests`.

Source: [manakul2023] §5.2 and Appendix B.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias, TypeVar

from guardrail.detector import Scope
from guardrail.engine.flow import Answer, Calls, Failed, Flow, Reply, Request, draws, each, why
from guardrail.errors import ConfigError
from guardrail.options import option
from guardrail.report import Evidence, Measurement, Replies, Scale
from guardrail.requests import Answerable, Choose, Distract, Question
from guardrail.selfcheck.base import SampledCheck
from guardrail.selfcheck.material import Judged, Material, mean
from guardrail.selfcheck.qa.scores import (
    BETA,
    Scoring,
    chosen,
    options,
    question_score,
)

T = TypeVar("T")

_SHOWN = 3  # questions that evidence quotes
_QUOTED = 300  # characters of an option or a question there
_Known: TypeAlias = Mapping[Request[Any], Reply[Any]]


@dataclass(frozen=True, slots=True)
class _Item:
    """One question; the first option is the answer that it was made with."""

    question: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Quiz:
    """The questions about one sentence, and what became of the draws that gave none."""

    items: tuple[_Item, ...]
    failed: tuple[Failed, ...]
    useless: int


@dataclass(frozen=True, slots=True)
class _Scored:
    """How one question was answered: by the texts that did, and what follows."""

    item: _Item
    own: int
    answers: tuple[int, ...]
    answerable: tuple[float, ...]
    score: float
    weight: float


class QACheck(SampledCheck):
    """Scores sentences by the answers that other samples give to questions about them.

    Needs a backend for "questions" (`guardrail.backends.QuestionModel`) and one for "answers"
    (`guardrail.backends.AnswerModel`). Score: the mean over a sentence's questions, in [0, 1], ½ = the
    samples say neither. A sentence about which no question can be made, or none that the samples answer, is
    unverified.

    Documents (`case.context`) are read as samples are: one that does not answer a question weighs nothing.

    Differs from the paper's package: a question that shows nothing counts ½ among others, as there, but a
    sentence with no other question is unverified, not ½.
    """

    name: ClassVar[str] = "selfcheck-qa"
    scope: ClassVar[Scope] = (
        "answer"  # wrong answers to a question are made from all of it, and it is asked too
    )
    scale: ClassVar[Scale] = Scale(unit="P(false | answers to questions)", sentences=True)
    reads_context = True

    questions: int = option(default=5, least=1, help="questions to draw per sentence; some draws give none")
    scoring: Scoring = option(
        default="bayes_with_alpha",
        help="bayes_with_alpha = a sample has the weight α, how answerable the question is from it; bayes, "
        "counting = a sample counts if α is at least `answerable`",
    )
    beta_1: float = option(
        default=BETA, above=0, most=1, help="P(a sample answers otherwise | the sentence is false), below 1"
    )
    beta_2: float = option(
        default=BETA,
        above=0,
        most=1,
        help="P(a sample answers likewise | the sentence is true), below 1; the two must add up to more than 1, or "
        "samples that answer otherwise would speak for the sentence",
    )
    answerable: float = option(
        default=0.5,
        least=0,
        most=1,
        help="for bayes and counting the smallest α, 0 = count every sample and do not ask for α; for "
        "bayes_with_alpha a question counts if the α of all samples add up to this",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.beta_1 < 1 and self.beta_2 < 1 and self.beta_1 + self.beta_2 > 1):
            raise ConfigError(
                "expected beta_1 and beta_2 between 0 and 1, adding up to more than 1, got "
                f"{self.beta_1!r}, {self.beta_2!r}"
            )

    # -- what is asked

    def _asks(self, sentences: Sequence[str], texts: Sequence[str]) -> Calls:
        distinct = len(set(sentences))
        most = self._asks_at_most(distinct, len(texts))
        return {
            Question.lane: (distinct * self.questions, most[Question.lane]),
            Choose.lane: (0, most[Choose.lane]),
        }

    def _asks_at_most(self, sentences: int, samples: int) -> Mapping[str, int]:
        drawn = sentences * self.questions
        read = drawn * (samples + 1)  # by the samples, and by the answer itself
        with_alpha = self.scoring == "bayes_with_alpha" or self.answerable > 0
        return {Question.lane: 2 * drawn, Choose.lane: 2 * read if with_alpha else read}

    def _judge(self, sentences: Sequence[str], material: Material) -> Flow[list[Judged]]:
        quizzes = yield from self._quizzes(material.answer, sentences)
        items = dict.fromkeys(item for quiz in quizzes for item in quiz.items)
        asked = [one for item in items for one in self._requests(item, material.answer, material)]
        known = yield from _asked(asked)
        return [self._judge_one(quiz, known, material.answer, material) for quiz in quizzes]

    def _quizzes(self, answer: str, sentences: Sequence[str]) -> Flow[list[_Quiz]]:
        """Questions about each sentence, with options; all at once, since a local model answers in batches."""
        wanted = {text: draws(Question(text), self.questions) for text in dict.fromkeys(sentences)}
        asked = [one for several in wanted.values() for one in several]
        drawn = yield from _asked(asked)
        distract: dict[Question, Distract] = {}
        for one in asked:
            reply = drawn[one]
            found = reply.value if isinstance(reply, Answer) else None
            if found is not None and found.question.strip() and found.answer.strip():
                distract[one] = Distract(found.question.strip(), found.answer.strip(), answer, one.draw)
        distractors = yield from _asked(list(distract.values()))
        return [_quiz(wanted[text], distract, drawn, distractors) for text in sentences]

    def _requests(self, item: _Item, answer: str, material: Material) -> list[Request[Any]]:
        texts = (answer, *material.texts)
        asked: list[Request[Any]] = [Choose(item.question, item.options, text) for text in texts]
        if self.scoring == "bayes_with_alpha":
            asked += [Answerable(item.question, text) for text in material.texts]
        elif self.answerable > 0:
            asked += [Answerable(item.question, text) for text in texts]
        return asked

    # -- what follows

    def _judge_one(self, quiz: _Quiz, known: _Known, answer: str, material: Material) -> Judged:
        limit = 0.5 if self.threshold is None else self.threshold
        asked = [one for item in quiz.items for one in self._requests(item, answer, material)]
        failures = why([*quiz.failed, *(known[one] for one in asked)])
        if not quiz.items:
            reason = "no question could be made from it"
            if quiz.useless:
                reason += f": {quiz.useless} of {self.questions} draws gave none"
            return Judged(None, limit, f"{reason}; {failures}" if failures else reason)
        scored = [m for item in quiz.items if (m := self._scored(item, known, answer, material)) is not None]
        value = mean([one.score for one in scored])
        if value is None:
            return Judged(None, limit, failures or "no answer to the questions about it is a number")
        if not any(one.weight > 0 and one.weight >= self._least for one in scored):
            return Judged(None, limit, _unanswerable(len(scored), material, failures))
        texts = len(quiz.items) * len(material.texts)
        came = sum(len(one.answers) for one in scored)
        evidence: list[Evidence] = [
            Measurement(name="MQAG inconsistency", value=value, note="larger = more likely made up"),
            Measurement(name="questions used", value=float(len(scored))),
            Measurement(name=f"{material.kind} used", value=float(max(len(one.answers) for one in scored))),
        ]
        if value >= limit:
            evidence += self._speaking_against(scored)
        partial = ""
        if failures:
            partial = f"{len(scored)} of {self.questions} questions, {came} of {texts} answers: {failures}"
        return Judged(value, limit, evidence=tuple(evidence), partial=partial)

    @property
    def _least(self) -> float:
        """The weight from which a question tells something."""
        return self.answerable if self.scoring == "bayes_with_alpha" else 1.0

    def _scored(self, item: _Item, known: _Known, answer: str, material: Material) -> _Scored | None:
        """How a question was answered; `None` where the answer itself, or every other text, has no answer."""
        own = _choice(known, item, answer)
        alpha = self._alpha(known, item, answer) if self.scoring != "bayes_with_alpha" else 1.0
        if own is None or alpha is None:
            return None
        pairs = [(_choice(known, item, text), self._alpha(known, item, text)) for text in material.texts]
        whole = [(choice, a) for choice, a in pairs if choice is not None and a is not None]
        if not whole:
            return None
        answers, answerable = tuple(choice for choice, _ in whole), tuple(a for _, a in whole)
        value = question_score(
            self.scoring,
            own,
            answers,
            answerable,
            own=alpha,
            bound=self.answerable,
            beta_1=self.beta_1,
            beta_2=self.beta_2,
        )
        if self.scoring == "bayes_with_alpha":
            weight = math.fsum(answerable)
        else:
            weight = sum(a >= self.answerable for a in answerable) if alpha >= self.answerable else 0
        return _Scored(item, own, answers, answerable, value, weight)

    def _alpha(self, known: _Known, item: _Item, text: str) -> float | None:
        if self.scoring != "bayes_with_alpha" and self.answerable <= 0:
            return 1.0
        reply: Reply[float] = known[Answerable(item.question, text)]
        if not isinstance(reply, Answer) or not math.isfinite(reply.value):
            return None
        return min(1.0, max(0.0, reply.value))

    def _speaking_against(self, scored: Sequence[_Scored]) -> list[Evidence]:
        """The questions that speak most against the sentence, with what each text answers."""
        worst = sorted((one for one in scored if one.score > 0.5), key=lambda one: -one.score)
        return [
            Replies(
                query=f"{one.item.question[:_QUOTED]} (this answer: {one.item.options[one.own][:_QUOTED]})",
                texts=tuple(one.item.options[choice][:_QUOTED] for choice in one.answers),
                read=tuple(
                    None if alpha < self.answerable else "same" if choice == one.own else "other"
                    for choice, alpha in zip(one.answers, one.answerable, strict=True)
                ),
            )
            for one in worst[:_SHOWN]
        ]


def _asked(requests: Sequence[Request[T]]) -> Flow[dict[Request[T], Reply[T]]]:
    """The reply to each distinct request."""
    distinct = list(dict.fromkeys(requests))
    replies = (yield from each(distinct)) if distinct else []
    return dict(zip(distinct, replies, strict=True))


def _quiz(
    wanted: Sequence[Question], distract: Mapping[Question, Distract], drawn: _Known, distractors: _Known
) -> _Quiz:
    items, failed, useless = [], [], 0
    for one in wanted:
        reply = distractors[distract[one]] if one in distract else drawn[one]
        offered = None
        if isinstance(reply, Failed):
            failed.append(reply)
            continue
        if one in distract:
            offered = options(distract[one].answer, reply.value)
        if offered is None:
            useless += 1
        else:
            items.append(_Item(distract[one].question, offered))
    return _Quiz(tuple(items), tuple(failed), useless)


def _choice(known: _Known, item: _Item, text: str) -> int | None:
    reply = known[Choose(item.question, item.options, text)]
    if not isinstance(reply, Answer) or len(reply.value) != len(item.options):
        return None
    return chosen(reply.value)


def _unanswerable(questions: int, material: Material, failures: str) -> str:
    other = "documents" if material.kind == "context" else "other answers"
    none = f"none of the {questions} questions" if questions > 1 else "the question"
    reason = f"{none} about it can{'' if questions > 1 else 'not'} be answered from the {other}"
    return f"{reason}; {failures}" if failures else reason
