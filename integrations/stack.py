# ruff: noqa: INP001  # a script next to the adapters, as their examples are
"""Every door in front of a real model: is anything lost, does anything of what was removed come through?

`python -m integrations.stack --base-url URL --model NAME [--questions N]`. A detector that rejects every sentence with a digit
stands for any other; its policy removes them. Each answer is looked at as its client gets it: the text, the parts of a stream,
the whole body.
"""

from __future__ import annotations

import argparse
import json
import re
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from guardrail import Guard, Report, remove
from guardrail.detector import Calls, Case, Detector, Finding, Flow, Span, Verdict

__all__ = ["Digits", "faults_of", "main"]

Door: TypeAlias = Callable[[str], "Seen"]

QUESTIONS = (
    "When was the Eiffel Tower built, and who built it? Answer in three sentences.",
    "Give three facts about the moon, one of them with a number.",
    "How tall is Mount Everest, and who climbed it first?",
    "Explain the speed of light in two sentences.",
    "Write a Python function that returns the first 10 prime numbers, and explain it.",
    "Was ist die Hauptstadt von Frankreich, und wie viele Menschen leben dort?",
    "List four planets with their number of moons, as a table.",
    "Who are you?",
    "Name two novels by Jane Austen with their years.",
    "What is 17 times 23? Explain how you got there.",
)
TOOL = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather of a city",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
TOKENS = 120
LEAST = 12  # characters of a removed sentence that is looked for
_SENTENCE = re.compile(r"[^.!?\n]*\d[^.!?\n]*[.!?]?")


class Digits(Detector):
    """Rejects what has a digit."""

    name = "digits"
    scope = "sentence"

    def cost(self, case: Case) -> Calls:  # noqa: ARG002  # the port has it
        """No model is asked."""
        return {}

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """One finding for each sentence with a digit."""
        yield from ()
        return [
            Finding(
                detector=self.name,
                span=Span(start=match.start(), end=match.end()),
                text=match[0],
                score=1.0,
                verdict=Verdict.UNSUPPORTED,
                reason="has a digit",
                mark="digit",
            )
            for match in _SENTENCE.finditer(case.answer)
        ]


@dataclass(frozen=True, slots=True)
class Seen:
    """What a client got.

    Attributes:
        text: the answer.
        body: all that came, as one text.
        calls: names of tools that the model called.
        is_json: whether it must be JSON, whose texts alone are examined.
        whole: whether the model came to an end; JSON that its limit cut is none.
    """

    text: str
    body: str
    calls: tuple[str, ...] = ()
    is_json: bool = False
    whole: bool = True


def faults_of(seen: Seen, reports: Sequence[Report]) -> list[str]:
    """What is wrong with one answer; `reports` are those that the guard made of it."""
    found = []
    if not reports and not seen.calls and not (seen.is_json and _says_nothing(seen.text)):
        found.append("no report" if seen.text else "empty answer, no report")
    removed = [
        finding.text.strip()
        for report in reports
        for finding in report.findings
        if len(finding.text.strip()) >= LEAST
    ]
    shown = f"{seen.text}\n{seen.body}"
    if any(one in shown or json.dumps(one)[1:-1] in shown for one in removed):
        found.append("a removed sentence came through")
    answers = [_words(report.answer) for report in reports]  # one for each choice
    if reports and not seen.is_json and _words(seen.text) not in answers:
        found.append("another text than the guard's")
    if seen.is_json and seen.whole and seen.text:
        try:
            json.loads(seen.text)
        except ValueError:
            found.append("no JSON")
    return found


def _says_nothing(text: str) -> bool:
    """Whether it is JSON without a text in it, such as `{"papers": []}`: there is nothing to examine."""

    def texts(value: object) -> bool:
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return bool(isinstance(value, str) and value.strip()) or any(map(texts, inner))

    try:
        return not texts(json.loads(text))
    except ValueError:
        return False


def _words(text: str) -> list[str]:
    return text.split()


def _messages(question: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": question}]


# -- doors


def openai_doors(guarded: Any, model: str) -> Iterator[tuple[str, Door]]:
    """An OpenAI client that is guarded, or whose base URL is the server's."""

    def chat(question: str, **more: Any) -> Seen:
        reply = guarded.chat.completions.create(
            model=model, messages=_messages(question), max_tokens=TOKENS, **more
        )
        message = reply.choices[0].message
        calls = tuple(call.function.name for call in message.tool_calls or ())
        return Seen(
            message.content or "",
            reply.model_dump_json(),
            calls,
            "response_format" in more,
            reply.choices[0].finish_reason == "stop",
        )

    def stream(question: str) -> Seen:
        parts, body = [], []
        for chunk in guarded.chat.completions.create(
            model=model, messages=_messages(question), max_tokens=TOKENS, stream=True
        ):
            body.append(chunk.model_dump_json())
            if chunk.choices and chunk.choices[0].delta.content:
                parts.append(chunk.choices[0].delta.content)
        return Seen("".join(parts), "\n".join(body))

    def responses(question: str) -> Seen:
        reply = guarded.responses.create(model=model, input=question, max_output_tokens=TOKENS)
        return Seen(reply.output_text, reply.model_dump_json(warnings=False))

    def responses_stream(question: str) -> Seen:
        parts, body = [], []
        for event in guarded.responses.create(
            model=model, input=question, max_output_tokens=TOKENS, stream=True
        ):
            body.append(event.model_dump_json(warnings=False))
            if event.type == "response.output_text.delta":
                parts.append(event.delta)
        return Seen("".join(parts), "\n".join(body))

    as_json = {"response_format": {"type": "json_object"}}
    yield "chat", chat
    yield "chat, stream", stream
    yield "chat, JSON", lambda question: chat(f"{question} Reply as a JSON object with texts.", **as_json)
    yield "chat, tools", lambda question: chat(f"{question} And what is the weather in Oslo?", tools=[TOOL])
    yield "chat, n = 2", lambda question: chat(question, n=2)
    yield "responses", responses
    yield "responses, stream", responses_stream


def langchain_doors(guard: Guard, base_url: str, model: str) -> Iterator[tuple[str, Door]]:
    """A chain and an agent."""
    from langchain.agents import create_agent
    from langchain_core.output_parsers import StrOutputParser
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI

    from guardrail_langchain import GuardedOutput, GuardrailMiddleware

    chat = ChatOpenAI(
        model=model, base_url=base_url, api_key=lambda: "none", max_completion_tokens=TOKENS, timeout=600
    )
    chain = chat | StrOutputParser() | GuardedOutput(guard)

    @tool
    def weather(city: str) -> str:
        """The weather of a city."""
        return f"It is 7 degrees in {city}."

    agent: Any = create_agent(chat, [weather], middleware=[GuardrailMiddleware(guard)])

    def whole(question: str) -> Seen:
        text = str(chain.invoke(question))
        return Seen(text, text)

    def streamed(question: str) -> Seen:
        parts = [str(part) for part in chain.stream(question)]
        return Seen("".join(parts), "\n".join(parts))

    def asked(question: str) -> Seen:
        state = agent.invoke({"messages": [("user", question)]}, {"recursion_limit": 12})
        last = state["messages"][-1]
        return Seen(str(last.text), last.model_dump_json(), tuple(call["name"] for call in last.tool_calls))

    yield "LangChain chain", whole
    yield "LangChain chain, stream", streamed
    yield "LangChain agent with a tool", asked


@contextmanager
def served(guard: Guard, upstream: str, stream: str) -> Iterator[str]:
    """The base URL of a guardrail server in front of the model."""
    import uvicorn

    from guardrail.server import Application, Settings

    application = Application(Settings(upstream=upstream, stream=stream), guard)  # type: ignore[arg-type]
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(application, log_level="critical"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.05)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        server.should_exit = True
        thread.join(10)


def soak(base_url: str, model: str, questions: int) -> dict[str, Counter[str]]:
    """Faults by door; "answers" counts what was asked."""
    from openai import OpenAI

    from guardrail_openai import guard_openai

    reports: list[Report] = []
    guard = Guard([Digits()], policy=remove(), on_report=reports.append)
    client = OpenAI(base_url=base_url, api_key="none", timeout=600, max_retries=0)
    found: dict[str, Counter[str]] = {}

    def ask(title: str, doors: Iterator[tuple[str, Door]]) -> None:
        for name, door in doors:
            own = found.setdefault(f"{title}: {name}", Counter())
            for number in range(questions):
                reports.clear()
                own["answers"] += 1
                try:
                    seen = door(QUESTIONS[number % len(QUESTIONS)])
                except Exception as error:  # noqa: BLE001  # a fault to count, whatever it is
                    own[f"{type(error).__name__}: {str(error)[:160]}"] += 1
                    continue
                own.update(faults_of(seen, reports))
                own["removed"] += any(report.decision.edits for report in reports)
            sys.stderr.write(f"{title}: {name}: {dict(own)}\n")

    ask("guard_openai", openai_doors(guard_openai(client, guard), model))
    ask("guardrail_langchain", langchain_doors(guard, base_url, model))
    for stream in ("buffer", "sentence"):
        with served(guard, base_url, stream) as address:
            through = OpenAI(base_url=address, api_key="none", timeout=600, max_retries=0)
            ask(f"guardrail serve, {stream}", openai_doors(through, model))
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Print faults by door; 1 if there are any."""
    parser = argparse.ArgumentParser(prog="python -m integrations.stack", description=__doc__)
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--questions", type=int, default=10, help="per door (10)")
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    options = parser.parse_args(argv)
    found: Mapping[str, Counter[str]] = soak(options.base_url, options.model, options.questions)
    bad = 0
    for door, counts in found.items():
        faults = {name: count for name, count in counts.items() if name not in {"answers", "removed"}}
        bad += sum(faults.values())
        if not options.json:
            print(
                f"{door:45} {counts['answers']:4} answers, {counts['removed']:3} edited, faults: {faults or 'none'}"
            )
    if options.json:
        print(json.dumps(found, indent=1, ensure_ascii=False))
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
