"""Code as users write it, under `mypy --strict`: what is right has types, what is wrong is an error.

An error that mypy must report carries a `type: ignore` with its code; if mypy stops reporting it, the ignore is
unused, and that is an error. A test runs the file too, so the types are those of values that exist.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, assert_type

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.prompt_values import ChatPromptValue
from openai.types.chat import ChatCompletion

from guardrail import (
    Case,
    Detector,
    Estimate,
    Failed,
    Finding,
    Flow,
    Guard,
    Report,
    Span,
    Verdict,
    annotate,
    block,
    flag,
    regenerate,
    remove,
)
from guardrail.chat import ScriptedChat
from guardrail.detector import (
    Answer,
    Ask,
    Backend,
    Calls,
    Request,
    Scale,
    Untrusted,
    compute,
    draws,
    each,
    gather,
    one,
    option,
    user,
    why,
)
from guardrail.engine.flow import Reply, values
from guardrail.policies import Policy
from guardrail.requests import Completion
from guardrail.testing import play

# -- a request kind of one's own, and who answers it


@dataclass(frozen=True, slots=True)
class Weather(Request[float]):
    """The temperature of a place."""

    lane: ClassVar[str] = "weather"
    reply_type: ClassVar[Any] = float

    place: str


class Station(Backend[Weather]):
    """Knows one place."""

    batch = 16
    instant = True
    fingerprint = "station"

    def answer(self, requests: Sequence[Weather]) -> list[Reply[float]]:
        """Twelve degrees in Paris."""
        return [Answer(12.0) if request.place == "Paris" else Answer(30.0) for request in requests]


# -- a detector of one's own


class Thermometer(Detector):
    """Doubts an answer that says it is warm where it is not."""

    name = "thermometer"
    scope = "answer"
    scale = Scale(unit="kelvin", least=None, most=None)

    place: str = option(default="Paris", help="where")
    opinions: int = option(default=2, least=1, help="how many are asked for")

    def cost(self, case: Case) -> Calls:
        """One opinion each."""
        return {"chat:subject": (self.opinions, self.opinions)}

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """Every helper keeps the type of what was asked for."""
        reply = yield from one(Weather(self.place))
        assert_type(reply, Answer[float] | Failed)
        asked = Ask((user("Is this warm? ", Untrusted(case.answer)),))
        opinions = yield from each(draws(asked, self.opinions))
        assert_type(opinions, list[Reply[Completion]])
        texts = [completion.text for completion in values(opinions)]
        lengths = yield from gather(self._length(text) for text in texts)
        assert_type(lengths, list[int | Failed])
        if isinstance(reply, Failed):
            return [self._finding(case, None, why([reply]))]
        return [self._finding(case, 20.0 - reply.value, f"{reply.value:.0f} degrees; {', '.join(texts)}")]

    def _length(self, text: str) -> Flow[int]:
        length = yield from compute(len, text)
        assert_type(length, int)
        return length

    def _finding(self, case: Case, score: float | None, reason: str) -> Finding:
        verdict = (
            Verdict.UNVERIFIED if score is None else Verdict.UNSUPPORTED if score > 0 else Verdict.SUPPORTED
        )
        span = Span(start=0, end=len(case.answer))
        return Finding(detector=self.name, span=span, score=score, verdict=verdict, reason=reason)


# -- a guard, and what comes out


def guard() -> Guard:
    """Detectors, a policy, a model and a backend."""
    policy: Policy = regenerate(2) | annotate()
    return Guard(
        [Thermometer(), "references"],
        chat=ScriptedChat("It is warm in Paris."),
        backends={"weather": Station()},
        policy=policy,
        on_unverified="annotate",
    )


def checked() -> Report:
    """A given answer."""
    report = guard().check(
        "It is warm.", prompt=[("system", "Be brief."), {"role": "user", "content": "Warm?"}]
    )
    assert_type(report, Report)
    assert_type(report.verdict, Verdict | None)
    assert_type(report.answer, str)
    assert_type(report.findings, tuple[Finding, ...])
    assert_type(report.findings[0].score, float | None)
    return report


def taken(response: ChatCompletion, model: BaseChatModel) -> list[Report]:
    """Objects of OpenAI and LangChain."""
    own = Guard([Thermometer()], chat=model, judge=model.bind(stop=["."]))
    prompt = [SystemMessage("Be brief."), HumanMessage("Warm?")]
    return [
        own.check(response, prompt=prompt, context=[Document("It is cold."), "It is not warm."]),
        own.check(response.choices[0], prompt=prompt[1], samples=response.choices[1:]),
        own.check(AIMessage("It is warm."), prompt=[response.choices[0].message], samples=[AIMessage("No.")]),
        own.check(None, prompt=None),
        own.supervise(lambda feedback: response, prompt=ChatPromptValue(messages=prompt)),
    ]


def estimated() -> Estimate:
    """What it would cost."""
    return guard().estimate("It is warm.")


async def generated() -> Report:
    """A generated answer, on an event loop."""
    return await guard().agenerate("Is it warm in Paris?")


async def supervised(ask: Callable[[str], str]) -> Report:
    """Somebody else's generator."""

    async def generate(feedback: str) -> str:
        return ask(feedback)

    return await guard().asupervise(generate, prompt="Is it warm in Paris?")


def by_hand() -> list[Finding]:
    """A detector's flow without a guard."""
    return play(Thermometer().examine(Case(answer="It is warm.")), lambda request: Completion("no"))


POLICIES: list[Policy] = [flag(), annotate(), remove(), regenerate(), block(), remove() | block()]


# -- what mypy must refuse


def refused(found: Finding) -> None:
    """Never called."""
    Guard([Thermometer()], on_unverified="ignore")  # type: ignore[arg-type]  # not one of the three
    Guard([Thermometer()], policy="annotate")  # type: ignore[arg-type]  # a policy, not its name
    Guard([""])  # a name is checked when the guard is made
    Guard([object()])  # type: ignore[list-item]  # no detector
    Guard([Thermometer()], chat="gpt-5-mini")  # type: ignore[arg-type]  # a model, not its name
    guard().check(42)  # type: ignore[arg-type]  # no answer
    guard().check("It is warm.", prompt=42)  # type: ignore[arg-type]  # no prompt
    _ = found.score + 1  # type: ignore[operator]  # it may be None
    _ = guard().acheck("It is warm.").answer  # type: ignore[attr-defined]  # not awaited
    Thermometer("Paris")  # type: ignore[call-arg, arg-type]  # by keyword only
