"""The kinds of request that models answer.

A kind that only a detector and a backend of its own know is defined next to them; nothing here knows who answers. Prompts keep
text that nobody should trust apart from their own words (`Untrusted`): it is fenced when the prompt is
rendered for a model, so a request is equal to itself in every process and on every machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, TypeAlias

from guardrail.engine.flow import Keep, Request

__all__ = [
    "Answerable",
    "Ask",
    "Choose",
    "Cited",
    "CitedWork",
    "CitedWorks",
    "Compare",
    "Completion",
    "Content",
    "Distract",
    "Distribution",
    "Embed",
    "Entail",
    "Entailment",
    "Generate",
    "LogProb",
    "Message",
    "Outcomes",
    "Question",
    "QuestionAnswer",
    "Role",
    "Sample",
    "ScoreTokens",
    "Similarity",
    "TokenLogprob",
    "Untrusted",
    "Vector",
    "assistant",
    "system",
    "user",
]

Role: TypeAlias = Literal["system", "developer", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class Untrusted:
    """Text that came from a model, a document or a user: data inside a prompt, never instructions."""

    text: str


Content: TypeAlias = str | tuple[str | Untrusted, ...]


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message; `content` is plain text, or pieces of which some are untrusted."""

    role: Role
    content: Content

    @property
    def text(self) -> str:
        """The content as one string, without fences."""
        if isinstance(self.content, str):
            return self.content
        return "".join(part if isinstance(part, str) else part.text for part in self.content)


def system(*parts: str | Untrusted) -> Message:
    """A system message."""
    return _message("system", parts)


def user(*parts: str | Untrusted) -> Message:
    """A user message."""
    return _message("user", parts)


def assistant(*parts: str | Untrusted) -> Message:
    """An assistant message."""
    return _message("assistant", parts)


def _message(role: Role, parts: tuple[str | Untrusted, ...]) -> Message:
    if all(isinstance(part, str) for part in parts):
        return Message(role, "".join(str(part) for part in parts))
    return Message(role, parts)


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    """One token with its natural log-probability.

    Attributes:
        token: its text.
        logprob: at most 0.
        top: the likeliest tokens in its place with theirs; those that the model's interface lists.
        entropy: in nats, over the whole vocabulary; `None` where only the likeliest tokens are known.
    """

    token: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()
    entropy: float | None = None


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation that a service gives apart from the text.

    Attributes:
        start: where its place in the answer begins.
        end: where it ends.
        claims: whether the source is cited for the words at this place; if not, they are a mark, as "[1]" is.
        url: of the source; "" where it has none.
        name: its title or file.
        identifier: what the service calls it.
        number: of the document in the request, counted from 0; `None` where that is not said.
        quoted: the words of the source that the service says it rests on.
    """

    start: int
    end: int
    claims: bool = False
    url: str = ""
    name: str = ""
    identifier: str = ""
    number: int | None = None
    quoted: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """What a chat model said."""

    text: str
    model: str = ""
    finish_reason: str = ""
    logprobs: tuple[TokenLogprob, ...] = ()
    citations: tuple[Cited, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask(Request[Completion]):
    """A chat completion.

    Attributes:
        messages: the conversation.
        temperature: `None` leaves it to the model.
        max_tokens: bound on the reply.
        logprobs: how many alternatives per token to return; `None` asks for none.
        role: which model of the guard is meant: "subject" (the one under test), "judge", or "generate" for the
            answer itself.
        draw: the i-th independent sample.
    """

    lane: ClassVar[str] = "chat"
    reply_type: ClassVar[Any] = Completion

    messages: tuple[Message, ...]
    temperature: float | None = None
    max_tokens: int | None = None
    logprobs: int | None = None
    role: str = "subject"
    draw: int = 0

    @property
    def keep(self) -> Keep:
        """A reply at temperature 0 is the reply; any other is a sample."""
        return Keep.ALWAYS if self.temperature == 0 else Keep.SAMPLED

    @property
    def free(self) -> bool:
        """The user's own question, which is asked with or without a guard."""
        return self.role == "generate" and self.draw == 0

    @property
    def route(self) -> str:
        """`chat:judge` for a judge, so that a guard may give it a model of its own."""
        return f"chat:{self.role}"

    def undrawn(self) -> Ask:
        """The same request without its number: draws of one request may be sent as `n=k`."""
        return replace(self, draw=0)


@dataclass(frozen=True, slots=True)
class Generate(Request[Completion]):
    """Let the model that the guard wraps answer (again); answered by the framework's own handler.

    Attributes:
        feedback: what was wrong with the attempts so far; empty for the first.
        attempt: 0 for the first answer.
    """

    lane: ClassVar[str] = "generate"
    reply_type: ClassVar[Any] = Completion

    feedback: str = ""
    attempt: int = 0

    @property
    def keep(self) -> Keep:
        """Never: a regenerated answer must be a new one."""
        return Keep.NEVER

    @property
    def free(self) -> bool:
        """The first answer, which is asked for with or without a guard."""
        return self.attempt == 0


@dataclass(frozen=True, slots=True)
class Entailment:
    """Probabilities in [0, 1], and how much of the texts they rest on.

    Attributes:
        entailment: of the hypothesis by the premise.
        contradiction: of the same.
        neutral: neither; `None` for a two-way model.
        premise_read: characters of the premise, from its beginning, that the model read; `None` = all of it.
        hypothesis_read: the same of the hypothesis.
    """

    entailment: float
    contradiction: float
    neutral: float | None = None
    premise_read: int | None = None
    hypothesis_read: int | None = None


@dataclass(frozen=True, slots=True)
class Entail(Request[Entailment]):
    """Does the premise entail, contradict or leave open the hypothesis?

    Of a pair that is too long for a model the reply says how much was read.
    """

    lane: ClassVar[str] = "entailment"
    version: ClassVar[int] = 2  # replies of version 1 did not say what was cut off
    reply_type: ClassVar[Any] = Entailment

    premise: str
    hypothesis: str


Vector: TypeAlias = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Embed(Request[Vector]):
    """One vector for a text."""

    lane: ClassVar[str] = "embedding"
    reply_type: ClassVar[Any] = Vector

    text: str


@dataclass(frozen=True, slots=True)
class Similarity:
    """BERTScore of two texts; without baseline rescaling in [-1, 1]."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class Compare(Request[Similarity]):
    """BERTScore of a candidate against a reference; the backend encodes each distinct text once."""

    lane: ClassVar[str] = "similarity"
    reply_type: ClassVar[Any] = Similarity

    candidate: str
    reference: str


@dataclass(frozen=True, slots=True)
class Sample(Request[str]):
    """A continuation drawn from a white-box language model.

    The reply ends with the first of `stop` that comes, and includes it; one that ends otherwise was cut by
    `max_tokens`, or the model ended the text. What is drawn depends on the request and the backend's seed alone, not
    on what is asked with it: two backends of one model and one seed give the same text.

    Attributes:
        context: the text before.
        draw: the i-th independent sample.
        max_tokens: bound on the reply; `None` = the backend's own.
        stop: texts that end the reply.
        temperature: 1 draws from the model's own distribution.
        top_p: draws from the likeliest tokens that together have this probability.
    """

    lane: ClassVar[str] = "language_model"
    reply_type: ClassVar[Any] = str

    context: str
    draw: int = 0
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    temperature: float = 1.0
    top_p: float = 1.0

    @property
    def keep(self) -> Keep:
        """A random draw."""
        return Keep.SAMPLED


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How likely is what may come next? Natural probabilities, never renormalised over some labels.

    Attributes:
        names: of disjoint outcomes, each once: the model's tokens as its vocabulary spells them, say. A model that
            knows only some lists its likeliest.
        probabilities: of each, in [0, 1]; together at most 1, up to rounding.
        begun: per label that was asked for, the number of the outcome that it begins with; `None` if that outcome is
            not among those listed.
    """

    names: tuple[str, ...]
    probabilities: tuple[float, ...]
    begun: tuple[int | None, ...] = ()

    @property
    def other(self) -> float:
        """The probability of all outcomes that are not listed, in [0, 1]; rounding errors count as none."""
        rest = 1.0 - math.fsum(self.probabilities)
        return rest if rest > 1e-6 else 0.0


@dataclass(frozen=True, slots=True)
class Distribution(Request[Outcomes]):
    """The distribution over all that may come next, as a rule the whole vocabulary of next tokens.

    Attributes:
        context: the text before, shared by several queries.
        query: the text between the context and the next token.
        labels: continuations; the reply says with which outcome each begins.
    """

    lane: ClassVar[str] = "language_model"
    version: ClassVar[int] = (
        2  # 1 had texts and probabilities in a mapping, in which equal texts fell together
    )
    reply_type: ClassVar[Any] = Outcomes

    context: str
    query: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LogProb(Request[float]):
    """Mean natural log-probability per token of a continuation after a context."""

    lane: ClassVar[str] = "language_model"
    reply_type: ClassVar[Any] = float

    context: str
    continuation: str


@dataclass(frozen=True, slots=True)
class ScoreTokens(Request[tuple[TokenLogprob, ...]]):
    """How likely is each token of a text that is given, after a context?

    The reply's tokens, strung together, are the text. A character of several tokens is in the first of them;
    the others are empty.

    Attributes:
        context: the text before; read, not scored.
        text: what is scored.
        top: how many alternatives per token to return.
    """

    lane: ClassVar[str] = "language_model"
    reply_type: ClassVar[Any] = tuple[TokenLogprob, ...]

    context: str
    text: str
    top: int = 5


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    """A question with the answer that the text it was made from gives."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Question(Request[QuestionAnswer | None]):
    """A question about a text, with its answer; `None` where the model wrote no such pair.

    Attributes:
        text: what is asked about, a sentence of the answer say.
        draw: the i-th independent sample.
    """

    lane: ClassVar[str] = "questions"
    reply_type: ClassVar[Any] = QuestionAnswer | None

    text: str
    draw: int = 0

    @property
    def keep(self) -> Keep:
        """A random draw."""
        return Keep.SAMPLED


@dataclass(frozen=True, slots=True)
class Distract(Request[tuple[str, ...]]):
    """Wrong answers to a question that could be taken for the right one; as many as the model writes.

    Attributes:
        question: what is asked.
        answer: the right answer.
        context: the text that the question is about.
        draw: the i-th independent sample.
    """

    lane: ClassVar[str] = "questions"
    reply_type: ClassVar[Any] = tuple[str, ...]

    question: str
    answer: str
    context: str
    draw: int = 0

    @property
    def keep(self) -> Keep:
        """A random draw."""
        return Keep.SAMPLED


@dataclass(frozen=True, slots=True)
class Choose(Request[tuple[float, ...]]):
    """Which of several answers does a text give? One probability per option; they add up to 1.

    Attributes:
        question: what is asked.
        options: the answers, in an order that the reply keeps.
        context: the text that is to be read.
    """

    lane: ClassVar[str] = "answers"
    reply_type: ClassVar[Any] = tuple[float, ...]

    question: str
    options: tuple[str, ...]
    context: str


@dataclass(frozen=True, slots=True)
class Answerable(Request[float]):
    """Does a text answer a question? α, in [0, 1], larger = it does."""

    lane: ClassVar[str] = "answers"
    reply_type: ClassVar[Any] = float

    question: str
    context: str


@dataclass(frozen=True, slots=True)
class CitedWork:
    """A work that an answer cites, as a bibliography has it.

    Attributes:
        places: where the answer names it, as beginning and end, in order: its reference, and what means the same work.
        title: as the bibliography has it, as all that follows.
        authors: as they are written there.
        year: of publication; `None` where it is not known.
        url: an address; "" where none is known.
        abstract: plain text; "" where the bibliography has none.
    """

    places: tuple[tuple[int, int], ...]
    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    url: str = ""
    abstract: str = ""


@dataclass(frozen=True, slots=True)
class CitedWorks(Request[tuple[CitedWork, ...]]):
    """Which works does an answer cite? Those that a bibliography has, in the order of the answer.

    A reference whose title or authors are another's, or of which nothing but the title agrees, is left out.

    Attributes:
        answer: the text.
        question: what was asked.
        most: references that are looked up; the rest is left out.
    """

    lane: ClassVar[str] = "bibliography"
    reply_type: ClassVar[Any] = tuple[CitedWork, ...]

    answer: str
    question: str = ""
    most: int = 50

    @property
    def keep(self) -> Keep:
        """Never: a bibliography grows, and has a memory of its own."""
        return Keep.NEVER

    @property
    def free(self) -> bool:
        """Always: looking up is never paid for."""
        return True
