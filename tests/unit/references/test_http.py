"""The detector over real HTTP: the `openai` client, a local service, and a recording."""

import asyncio

import pytest
from openai import AsyncOpenAI, OpenAI

from guardrail import Guard, Retry, Verdict
from guardrail.chat import OpenAIChat, RecordedChat, ScriptedChat
from guardrail.detectors import ReferenceCheck
from guardrail.testing.server import serve

ANSWER = "1. Graph Theory with Applications\n2. A Made-Up Theory of Everything Else"
PROMPT = "List two references on graph theory."


def say(ask):
    text = "\n".join(message.text for message in ask.messages)
    asked = ask.messages[-1].text
    about = text.partition("2. ")[2] if "#2" in asked else text.partition("2. ")[0] if "#1" in asked else text
    known = "Graph Theory with Applications" in about
    if "authors" in asked:
        return "AUTHORS: J. A. Bondy, U. S. R. Murty" if known else f"AUTHORS: Ann{ask.draw} Other{ask.draw}"
    return "Yes." if known else "No."


@pytest.fixture
def recording(tmp_path):
    """A recording of everything that the detector asks about the answer."""
    path = tmp_path / "recording.jsonl"
    Guard([ReferenceCheck()], chat=RecordedChat(path, record_from=ScriptedChat(say))).check(
        ANSWER, prompt=PROMPT
    )
    return path


def verdicts(report):
    return [(finding.verdict, finding.label, finding.score) for finding in report.findings]


@pytest.fixture
def expected(recording):
    report = Guard([ReferenceCheck()], chat=RecordedChat(recording)).check(ANSWER, prompt=PROMPT)
    assert [f.verdict for f in report.findings] == [Verdict.SUPPORTED, Verdict.UNSUPPORTED]
    return verdicts(report)


class TestOverHttp:
    def test_a_synchronous_client(self, recording, expected):
        """The user's own `OpenAI`, called from the guard's threads."""
        with (
            serve(recording) as server,
            OpenAI(base_url=server.base_url, api_key="k", max_retries=0) as client,
        ):
            guard = Guard([ReferenceCheck()], chat=OpenAIChat("m", client=client))
            report = guard.check(ANSWER, prompt=PROMPT)
            assert verdicts(report) == expected
            assert report.cost.total.calls == server.stats()["requests"] == 12
            assert report.cost.total.prompt_tokens > 0

    def test_an_asynchronous_client(self, recording, expected):
        """The user's own `AsyncOpenAI`, on the user's loop."""

        async def check(base_url):
            async with AsyncOpenAI(base_url=base_url, api_key="k", max_retries=0) as client:
                guard = Guard([ReferenceCheck()], chat=OpenAIChat("m", async_client=client))
                return await guard.acheck(ANSWER, prompt=PROMPT)

        with serve(recording) as server:
            assert verdicts(asyncio.run(check(server.base_url))) == expected

    def test_a_service_that_fails_now_and_then(self, recording, expected):
        """Every kind of fault; retries bring the same findings, and every attempt is on the bill."""
        faults = dict.fromkeys(["rate_limit", "server_error", "cut", "malformed", "empty"], 0.08)
        with serve(recording, faults=faults, retry_after="0", seed=3) as server:
            chat = OpenAIChat("m", base_url=server.base_url, api_key="k")
            guard = Guard([ReferenceCheck()], chat=chat, retry=Retry(attempts=8, base=0.0))
            report = guard.check(ANSWER, prompt=PROMPT)
            assert sum(server.stats()["faults"].values()) > 0
            assert [v for v, _, _ in verdicts(report)] == [v for v, _, _ in expected]
            assert report.cost.total.calls == server.stats()["requests"] > 12
            chat.close()

    def test_a_service_that_always_fails(self, recording):
        """Unverified with the reason, never clean."""
        with serve(recording, faults={"server_error": 1.0}) as server:
            chat = OpenAIChat("m", base_url=server.base_url, api_key="k")
            guard = Guard([ReferenceCheck()], chat=chat, retry=Retry(attempts=2, base=0.0))
            report = guard.check(ANSWER, prompt=PROMPT)
            chat.close()
        assert {f.verdict for f in report.findings} == {Verdict.UNVERIFIED}
        assert all("asked 2 times" in f.reason for f in report.findings)

    def test_a_guarded_answer(self, recording):
        """`generate` asks the same service for the answer, then about it."""

        def replies(call):
            return ANSWER if call.text == PROMPT else "No."

        with serve(replies) as server:
            chat = OpenAIChat("m", base_url=server.base_url, api_key="k")
            report = Guard([ReferenceCheck()], chat=chat).generate(PROMPT)
            chat.close()
        assert report.case.answer == ANSWER
        assert {f.verdict for f in report.findings} == {Verdict.UNSUPPORTED}
