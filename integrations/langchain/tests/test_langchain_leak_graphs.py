"""Nothing rejected reaches a graph: its state, its checkpoints, what it streams, or the prompt of the next node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypedDict

import pytest
from integrations.langchain.tests.langchain_fakes import GOOD, Ear, FakeChat, bad_message, leaks, told_off
from integrations.langchain.tests.test_langchain_leak import AGENT_CALLS, POLICIES, guard
from langchain.agents import create_agent
from langchain_core._api import LangChainBetaWarning
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import PromptTemplate
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import create_react_agent
from tests.looping import each

from guardrail_langchain import GuardedOutput, GuardrailMiddleware, guard_runnable

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{LangChainBetaWarning.__module__}.LangChainBetaWarning"),
    pytest.mark.filterwarnings("ignore::langgraph.warnings.LangGraphDeprecatedSinceV10"),
]
ASKED = {"messages": [("user", "Pets?")]}
QUESTION = {"question": "Pets?"}
EACH = ("invoke", "ainvoke", "batch", "abatch", "stream all", "astream messages", "events", "events v3")
CALLED = [call for call in EACH if call in AGENT_CALLS]


class Notes(TypedDict):
    """A state without messages."""

    question: str
    answer: str
    title: str


@tool
def look(pet: str) -> str:
    """Look a pet up."""
    return f"{pet} is a pet."


def looks_first(messages):
    """Calls the tool, then says it, until it is told not to."""
    if told_off(messages):
        return AIMessage(GOOD)
    if messages[-1].type == "tool":
        return bad_message()
    return AIMessage(
        "", tool_calls=[{"name": "look", "args": {"pet": "Rex"}, "id": "c", "type": "tool_call"}]
    )


Safe = Callable[[Any], Any]  # puts the guard around a model or a chain


def titled(safe: Safe, model: BaseChatModel, saver: InMemorySaver) -> Any:
    """A node that answers, and one that asks with the answer for a title."""
    answering, titling = safe(model), safe(model)
    builder = StateGraph(Notes)
    builder.add_node("answer", lambda state: {"answer": answering.invoke(state["question"]).text})
    builder.add_node("title", lambda state: {"title": titling.invoke(f"A title for: {state['answer']}").text})
    builder.add_edge(START, "answer")
    builder.add_edge("answer", "title")
    return builder.compile(checkpointer=saver)


def chained(safe: Safe, model: BaseChatModel, saver: InMemorySaver) -> Any:
    """A chain that is a node."""
    chain = PromptTemplate.from_template("{question}") | model | StrOutputParser()
    builder = StateGraph(Notes)
    builder.add_node("answer", safe(chain) | (lambda text: {"answer": text}))
    builder.add_edge(START, "answer")
    return builder.compile(checkpointer=saver)


def chatting(safe: Safe, model: BaseChatModel, saver: InMemorySaver) -> Any:
    """A node that adds a message."""
    safe_model = safe(model)
    builder = StateGraph(MessagesState)
    builder.add_node("answer", lambda state: {"messages": [safe_model.invoke(state["messages"])]})
    builder.add_edge(START, "answer")
    return builder.compile(checkpointer=saver)


Graph = Callable[[Safe, BaseChatModel, InMemorySaver], Any]
GRAPHS: Mapping[str, tuple[Graph, Any, Any]] = {  # the graph, its input, and how the model replies
    "two nodes": (titled, QUESTION, FakeChat().reply),
    "a chain": (chained, QUESTION, FakeChat().reply),
    "messages": (chatting, ASKED, FakeChat().reply),
    "react agent": (
        lambda safe, model, saver: create_react_agent(
            safe(model), [look], prompt="Be brief.", checkpointer=saver
        ),
        ASKED,
        looks_first,
    ),
    "agent": (
        lambda safe, model, saver: create_agent(safe(model), [look], checkpointer=saver),
        ASKED,
        looks_first,
    ),
}


def called(kind: str, safe: Safe, call: str) -> tuple[list[Any], FakeChat]:
    """All that is received, heard, stored and asked in two turns, and the model."""
    make, given, reply = GRAPHS[kind]
    model, saver, ear = FakeChat(reply), InMemorySaver(), Ear()
    graph = make(safe, model, saver)
    config: Any = {"configurable": {"thread_id": "1"}, "callbacks": [ear]}
    if "batch" in call:
        config = [config, {"configurable": {"thread_id": "2"}, "callbacks": [ear]}]
    received = [AGENT_CALLS[call](graph, given, config) for _ in range(2)]
    state = graph.get_state({"configurable": {"thread_id": "1"}})
    stored = [repr(state), repr(list(graph.get_state_history(state.config)))]
    stored += [repr(saver.storage), repr(saver.writes), repr(saver.blobs)]
    return [*received, *stored, [text for _, text in ear.heard], repr(model.first_prompts)], model


class TestLeakOfGraphs:
    """`guard_runnable(guard, model)` in a node, and as the model of an agent."""

    @pytest.mark.parametrize("policy", POLICIES)
    @pytest.mark.parametrize("kind", GRAPHS)
    def test_nothing_rejected_is_received_stored_or_asked(self, kind, policy):
        """By any call: not in streams, state, checkpoints, what callbacks hear, or the next prompt."""

        def check(call):
            seen, model = called(kind, lambda inner: guard_runnable(guard(policy), inner), call)
            assert [i for i, part in enumerate(seen) if leaks(part)] == []
            assert any(map(told_off, model.asked)) == (policy == "regenerate")

        each([(call,) for call in CALLED], check)

    @pytest.mark.parametrize("kind", GRAPHS)
    def test_control_unguarded_they_leak(self, kind):
        """So these tests can fail."""

        def check(call):
            received, again, *stored, heard, asked = called(kind, lambda inner: inner, call)[0]
            assert leaks(received)
            assert leaks(again)
            assert leaks(stored)
            assert leaks(heard)
            assert leaks(asked) == (kind != "a chain")

        each([(call,) for call in CALLED], check)

    @pytest.mark.parametrize("policy", POLICIES)
    def test_an_agent_is_guarded_as_a_node_of_a_graph(self, policy):
        """With the middleware inside: its state is the graph's."""

        def check(call):
            model, saver, ear = FakeChat(), InMemorySaver(), Ear()
            builder = StateGraph(MessagesState)
            builder.add_node(
                "agent", create_agent(model, [], middleware=[GuardrailMiddleware(guard(policy))])
            )
            builder.add_edge(START, "agent")
            graph = builder.compile(checkpointer=saver)
            config: Any = {"configurable": {"thread_id": "1"}, "callbacks": [ear]}
            if "batch" in call:
                config = [config, {"configurable": {"thread_id": "2"}, "callbacks": [ear]}]
            received = [AGENT_CALLS[call](graph, ASKED, config) for _ in range(2)]
            assert not leaks(received)
            assert not leaks([repr(saver.storage), repr(saver.writes), repr(saver.blobs)])
            assert not leaks([[text for _, text in ear.heard], repr(model.first_prompts)])

        each([(call,) for call in CALLED], check)

    def test_a_guarded_chain_is_a_node_by_itself(self):
        """Written with the sign."""
        chain = PromptTemplate.from_template("{question}") | FakeChat() | GuardedOutput(guard("regenerate"))
        builder = StateGraph(Notes)
        builder.add_node("answer", chain | (lambda message: {"answer": message.text}))
        builder.add_edge(START, "answer")
        assert builder.compile().invoke(QUESTION)["answer"] == GOOD
