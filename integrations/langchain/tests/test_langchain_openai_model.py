"""LangChain's own OpenAI model over real HTTP, guarded by every editing door."""

import asyncio

import pytest
from langchain.agents import create_agent
from langchain_core.prompts import ChatPromptTemplate
from langchain_openai import ChatOpenAI

from guardrail import Guard, Verdict, regenerate
from guardrail.chat import LangChainChat
from guardrail.detectors import ReferenceCheck
from guardrail.testing.server import serve
from guardrail_langchain import GuardedOutput, GuardrailMiddleware, guard_runnable

REAL, FAKE = "Graph Theory with Applications", "A Grand Theory of Invented Graphs"
QUESTION = "List references on graph theory."


def replies(call):
    """The model invents at first, and knows better when it is told; asked about a work, it knows one."""
    text = "\n".join(content for _, content in call.messages)
    if "Who were the authors" in text:
        return "J. A. Bondy, U. S. R. Murty" if REAL in text else f"Ann{call.draw} Other{call.draw}"
    if "exist?" in call.text:
        about = text.partition("2. ")[2] if "#2" in call.text else text.partition("2. ")[0]
        return "Yes" if REAL in about else "No"
    return f"1. {REAL}" if "again" in text or FAKE in text else f"1. {REAL}\n2. {FAKE}"


@pytest.fixture
def server():
    with serve(replies) as running:
        yield running


@pytest.fixture
def model(server):
    return ChatOpenAI(model="m", base_url=server.base_url, api_key="k", max_retries=0)


@pytest.fixture
def guard(model):
    return Guard([ReferenceCheck()], chat=LangChainChat(model), policy=regenerate(2))


PROMPT = ChatPromptTemplate.from_messages([("user", "{question}")])


class TestChatOpenAI:
    def test_a_guarded_chain(self, model, guard):
        """Regenerated: the accepted answer, and no trace of the other."""
        said = (PROMPT | model | GuardedOutput(guard)).invoke({"question": QUESTION})
        assert said.text == f"1. {REAL}"
        assert FAKE not in repr(said)
        assert said.response_metadata["guardrail"]["verdict"] == Verdict.SUPPORTED

    def test_a_guarded_stream(self, model, guard):
        """Nothing of the rejected answer in any piece."""
        pieces = list(guard_runnable(guard, PROMPT | model).stream({"question": QUESTION}))
        assert "".join(piece.text for piece in pieces) == f"1. {REAL}"
        assert FAKE not in repr(pieces)

    def test_a_guarded_agent_on_a_loop(self, model, guard):
        """The middleware, asynchronously."""
        agent = create_agent(model, [], middleware=[GuardrailMiddleware(guard)])
        state = asyncio.run(agent.ainvoke({"messages": [("user", QUESTION)]}))
        assert state["messages"][-1].text == f"1. {REAL}"
        assert FAKE not in repr(state)

    def test_the_guards_own_questions(self, model, server):
        """Through LangChain too, with tokens on the bill."""
        report = Guard([ReferenceCheck()], chat=LangChainChat(model)).check(
            f"1. {REAL}\n2. {FAKE}", prompt=QUESTION
        )
        assert [f.verdict for f in report.findings] == [Verdict.SUPPORTED, Verdict.UNSUPPORTED]
        assert report.cost.total.calls == server.stats()["requests"] == 12
        assert report.cost.total.tokens > 0
