"""Mistakes of composition are refused before a model is asked, with the line to write instead."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, TypedDict

import pytest
from integrations.langchain.tests.langchain_fakes import (
    BAD,
    GOOD,
    Ear,
    FakeChat,
    MarkedWords,
    leaks,
    told_off,
)
from integrations.langchain.tests.test_langchain_leak import CALLS, POLICIES, PROMPT, guard
from langchain.agents import create_agent
from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import PromptTemplate
from langchain_core.runnables import (
    RouterRunnable,
    RunnableBranch,
    RunnableConfig,
    RunnableLambda,
    RunnableParallel,
    RunnablePassthrough,
)
from langchain_core.runnables.history import RunnableWithMessageHistory
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint
from langgraph.graph import START, StateGraph
from langgraph.prebuilt import create_react_agent
from tests.looping import each

from guardrail import Guard, flag, regenerate, remove
from guardrail.errors import ConfigError
from guardrail_langchain import (
    AsyncGuardrailCallback,
    GuardedOutput,
    GuardedRunnable,
    GuardrailCallback,
    GuardrailMiddleware,
    guard_runnable,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore::langgraph.warnings.LangGraphDeprecatedSinceV10"),
    pytest.mark.filterwarnings("ignore:.*RunnableWithMessageHistory.*"),
]
QUESTION = {"question": "Pets?"}
ASKED = {"messages": [("user", "Pets?")]}
THREAD: RunnableConfig = {"configurable": {"thread_id": "1"}}
SEVERAL: RunnableConfig = {"configurable": {"thread_id": "2"}}
WAYS = ("invoke", "ainvoke", "stream", "astream", "batch", "abatch")
ALL_POLICIES = {**POLICIES, "flag": flag}


class Notes(TypedDict):
    """A state without messages."""

    question: str
    answer: str


def notes(answer: Callable[[Notes], Any], saver: Any = None, *more: Any) -> Any:
    """A graph of one node that writes the answer, and of those behind it."""
    nodes = [answer, *more]
    builder = StateGraph(Notes)
    for i, node in enumerate(nodes):
        builder.add_node(f"node {i}", node)
        builder.add_edge(START if i == 0 else f"node {i - 1}", f"node {i}")
    return builder.compile(checkpointer=saver)


def raw_node(model: FakeChat) -> Callable[[Notes], dict[str, str]]:
    return lambda state: {"answer": str(model.invoke(state["question"]).text)}


def workflow(model: FakeChat, saver: Any) -> Any:
    """The same in the functional way."""

    @entrypoint(checkpointer=saver)
    def answered(question: str) -> str:
        return str(model.invoke(question).text)

    return answered


# --- graphs guarded from outside: (the composition, what it is asked)

Composed = tuple[Callable[[Guard, FakeChat, Any], Any], Any]
OUTSIDE: Mapping[str, Composed] = {
    "agent": (lambda g, m, s: guard_runnable(g, create_agent(m, [], checkpointer=s)), ASKED),
    "agent, messages": (
        lambda g, m, s: guard_runnable(g, create_agent(m, [], checkpointer=s), key="messages"),
        ASKED,
    ),
    "agent with a configuration": (
        lambda g, m, s: guard_runnable(g, create_agent(m, [], checkpointer=s).with_config(tags=["T"])),
        ASKED,
    ),
    "agent, last message": (
        lambda g, m, s: (
            create_agent(m, [], checkpointer=s) | (lambda x: x["messages"][-1]) | GuardedOutput(g)
        ),
        ASKED,
    ),
    "agent in a function": (
        lambda g, m, s: guard_runnable(g, _asking(create_agent(m, [], checkpointer=s))),
        ASKED,
    ),
    "agent's method": (
        lambda g, m, s: guard_runnable(g, create_agent(m, [], checkpointer=s).invoke, key="messages"),
        ASKED,
    ),
    "react agent": (
        lambda g, m, s: guard_runnable(g, create_react_agent(m, [], checkpointer=s), key="messages"),
        ASKED,
    ),
    "graph without messages": (
        lambda g, m, s: guard_runnable(g, notes(raw_node(m), s), key="answer"),
        QUESTION,
    ),
    "graph in a dict": (
        lambda g, m, s: {"found": notes(raw_node(m), s)} | GuardedOutput(g),
        QUESTION,
    ),
    "workflow": (lambda g, m, s: guard_runnable(g, workflow(m, s)), "Pets?"),
    "history behind a step": (
        lambda g, m, s: _with_history(m) | StrOutputParser() | GuardedOutput(g),
        QUESTION,
    ),
}


def _asking(agent: Any) -> Callable[[Any], str]:
    return lambda given: str(agent.invoke(given, THREAD)["messages"][-1].text)


def _with_history(model: FakeChat) -> Any:
    return RunnablePassthrough() | RunnableWithMessageHistory(
        PROMPT | model, InMemoryChatMessageHistory, input_messages_key="question"
    )


# --- a guard before the model

TEXT = PromptTemplate.from_template("{question}")
BEFORE: Mapping[str, Callable[[Guard, FakeChat], Any]] = {
    "prompt": lambda g, m: PROMPT | GuardedOutput(g) | m,
    "text prompt": lambda g, m: TEXT | GuardedOutput(g) | m | StrOutputParser(),
    "prompt behind a step": lambda g, m: RunnablePassthrough() | PROMPT | GuardedOutput(g) | m,
    "prompt with a configuration": lambda g, m: (
        RunnablePassthrough() | PROMPT.with_config(tags=["T"]) | GuardedOutput(g) | m
    ),
    "prompt alone": lambda g, m: guard_runnable(g, PROMPT) | m,
    "messages": lambda g, m: RunnableLambda(lambda x: [HumanMessage(x["question"])]) | GuardedOutput(g) | m,
    "text": lambda g, m: RunnablePassthrough() | (lambda x: x["question"]) | GuardedOutput(g) | m,
    "a chain with the model": lambda g, m: (
        RunnablePassthrough()
        | (lambda x: x["question"])
        | GuardedOutput(g)
        | {"answer": m | StrOutputParser()}
    ),
    "agent": lambda g, m: PROMPT | GuardedOutput(g) | create_agent(m, []),
}

# --- what regenerate cannot repeat

UNREACHED: Mapping[str, Callable[[Guard, FakeChat], Any]] = {
    "dict": lambda g, m: {"answer": PROMPT | m} | GuardedOutput(g),
    "dict with more": lambda g, m: PROMPT | {"answer": m, "asked": RunnablePassthrough()} | GuardedOutput(g),
    "assign": lambda g, m: (
        RunnablePassthrough() | RunnablePassthrough.assign(answer=PROMPT | m) | GuardedOutput(g, key="answer")
    ),
    "branch": lambda g, m: PROMPT | RunnableBranch((bool, m), m) | StrOutputParser() | GuardedOutput(g),
    "router": lambda g, m: (
        (lambda x: {"key": "a", "input": x["question"]}) | RouterRunnable({"a": m}) | GuardedOutput(g)
    ),
    "function that asks": lambda g, m: PROMPT | (lambda x: m.invoke(x)) | GuardedOutput(g),  # noqa: PLW0108
    "function that chooses": lambda g, m: PROMPT | (lambda _: m) | GuardedOutput(g),
    "method": lambda g, m: PROMPT | m.invoke | GuardedOutput(g),
    "map": lambda g, m: (lambda x: [x]) | (PROMPT | m).map() | GuardedOutput(g),
    "chain with a name": lambda g, m: (
        RunnablePassthrough()
        | (PROMPT | m | StrOutputParser()).with_config(run_name="answering")
        | GuardedOutput(g)
    ),
    "fallbacks": lambda g, m: guard_runnable(g, (PROMPT | m).with_fallbacks([PROMPT | m])),
    "chain with retries": lambda g, m: guard_runnable(g, (PROMPT | m).with_retry()),
    "second guard": lambda g, m: PROMPT | m | GuardedOutput(guard("remove")) | GuardedOutput(g),
}
ALONE: Mapping[str, Callable[[Guard, FakeChat], Any]] = {
    "model": lambda g, m: m | GuardedOutput(g),
    "pipe": lambda g, m: (PROMPT | m).pipe(GuardedOutput(g)),
    "function": lambda g, m: RunnableLambda(lambda _: m.invoke("Pets?")) | GuardedOutput(g),
    "branch": lambda g, m: RunnableBranch((bool, PROMPT | m), PROMPT | m) | GuardedOutput(g),
    "parallel": lambda g, m: RunnableParallel(answer=PROMPT | m) | GuardedOutput(g),
    "guard in a dict": lambda g, m: PROMPT | m | {"answer": GuardedOutput(g)},
}


def refused(compose: Callable[[], Any], given: Any, way: str, line: str, ear: Ear | None = None) -> None:
    """Composed and called, it is refused, and the message has the line to write."""
    config: Any = {**THREAD, "callbacks": [ear] if ear else []}
    with pytest.raises(ConfigError) as caught:
        CALLS[way](compose(), given, [config, {**config, **SEVERAL}] if "batch" in way else config)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


class TestAGraphGuardedFromOutside:
    """Its state keeps what was rejected."""

    def test_is_refused_when_it_is_composed(self):
        """With both doors, whatever the policy; no model is asked."""

        def check(kind, policy):
            compose, _ = OUTSIDE[kind]
            model = FakeChat()
            with pytest.raises(ConfigError) as caught:
                compose(Guard([MarkedWords()], policy=ALL_POLICIES[policy]()), model, InMemorySaver())
            assert "guard_runnable(guard, " in str(caught.value)
            assert ("GuardrailMiddleware(guard)" in str(caught.value)) == ("history" not in kind)
            assert model.asked == []

        each([(kind, policy) for kind in OUTSIDE for policy in ALL_POLICIES], check)

    def test_leaves_nothing_in_state_by_any_call(self):
        """Nor in a checkpoint or in what callbacks hear."""

        def check(kind, policy, way):
            compose, given = OUTSIDE[kind]
            model, saver, ear = FakeChat(), InMemorySaver(), Ear()
            refused(lambda: compose(guard(policy), model, saver), given, way, "guard_runnable(guard, ", ear)
            assert model.asked == []
            assert not leaks([repr(saver.storage), repr(saver.writes), repr(saver.blobs), *ear.heard])

        each([(k, p, w) for k in OUTSIDE for p in POLICIES for w in WAYS], check)

    def test_that_only_brings_the_prompt_is_no_mistake(self):
        """The answer comes from the model behind it."""
        model = FakeChat()
        search = notes(lambda state: {"answer": f"Facts on {state['question']}"})
        chain = search | (lambda state: state["answer"]) | model | GuardedOutput(guard("regenerate"))
        assert chain.invoke(QUESTION).content == GOOD
        assert [told_off(messages) for messages in model.asked] == [False, True]

    def test_that_a_function_calls_out_of_sight_is_refused_by_its_state(self):
        """Under any key: a question and an answer are an agent's messages."""
        state = {"messages": [HumanMessage("Pets?"), AIMessage(BAD)]}
        for key in (None, "messages"):
            with pytest.raises(ConfigError, match="GuardrailMiddleware"):
                guard_runnable(guard("remove"), lambda _: state, key=key).invoke("?")

    def test_may_have_nodes_that_are_guarded(self):
        """What such a function returns is new, and nobody has stored it yet."""
        model = FakeChat()
        node = guard_runnable(
            guard("remove"), lambda state: {"messages": [model.invoke(state["messages"])]}, key="messages"
        )
        assert node.invoke({"messages": [HumanMessage("Pets?")]})["messages"][0].content == GOOD

    def test_is_refused_behind_the_sign_where_it_gives_its_state(self):
        """LangChain does not tell the guard that it follows a graph: the first call is refused, whatever it said."""

        def check(kind, make, given, policy):
            model = FakeChat(lambda _: AIMessage(GOOD))
            refused(
                lambda: make(model) | GuardedOutput(guard(policy), key=kind),
                given,
                "invoke",
                "guard_runnable(",
            )

        graphs = [
            ("messages", lambda m: create_agent(m, []), ASKED),
            ("answer", lambda m: notes(raw_node(m)), QUESTION),
        ]
        each([(*graph, policy) for graph in graphs for policy in POLICIES], check)


class TestAGuardAsANode:
    """It gets what another node wrote, and the state has it."""

    @pytest.mark.parametrize("policy", POLICIES)
    def test_a_node_that_checks_the_state_is_refused_at_the_first_call(self, policy):
        """Not at the first hallucination: the answer here is a good one."""
        model = FakeChat(lambda _: AIMessage(GOOD))
        graph = notes(raw_node(model), None, GuardedOutput(guard(policy), key="answer"))
        refused(lambda: graph, QUESTION, "invoke", "guard_runnable(guard, model)")

    @pytest.mark.parametrize("policy", POLICIES)
    def test_a_model_before_the_sign_in_a_node_is_refused_at_the_first_call(self, policy):
        """The graph has streamed its tokens by then."""
        chain = FakeChat(lambda _: AIMessage(GOOD)) | GuardedOutput(guard(policy))
        graph = notes(lambda state: {"answer": chain.invoke(state["question"]).text})
        refused(lambda: graph, QUESTION, "invoke", "guard_runnable(guard, model)")


class TestAGuardBeforeTheModel:
    """It would examine the question, and nobody the answer."""

    def test_a_guard_before_the_model_is_refused_with_the_line_to_write(self):
        """By every call, under every policy, before the model is asked."""

        def check(kind, policy, way):
            model, ear = FakeChat(), Ear()
            with_policy = Guard([MarkedWords()], policy=ALL_POLICIES[policy]())
            refused(
                lambda: BEFORE[kind](with_policy, model),
                QUESTION,
                way,
                "prompt | model | GuardedOutput(guard)",
                ear,
            )
            assert model.asked == []

        each([(k, p, w) for k in BEFORE for p in ALL_POLICIES for w in WAYS], check)

    def test_between_two_models_guards_the_first(self):
        """That is no mistake: the second is asked with what was accepted."""
        second = FakeChat(lambda _: AIMessage("Fine."))
        chain = PROMPT | FakeChat() | GuardedOutput(guard("regenerate")) | (lambda m: str(m.text)) | second
        assert chain.invoke(QUESTION).content == "Fine."
        assert second.asked == [[HumanMessage(GOOD)]]

    def test_may_stand_before_a_guarded_model(self):
        """A question can be examined, too, where the answer is."""
        model = FakeChat()
        asked = RunnablePassthrough() | (lambda x: x["question"]) | GuardedOutput(guard("remove"))
        assert (asked | guard_runnable(guard("regenerate"), model)).invoke(QUESTION).content == GOOD


class TestWhatCannotBeAskedAgain:
    """A policy with regenerate, and a model that its feedback does not reach."""

    def test_a_model_inside_a_step_is_refused_when_it_is_composed(self):
        """And nowhere else: the other policies ask once."""

        def check(kind):
            model = FakeChat()
            with pytest.raises(ConfigError, match="may ask again") as caught:
                UNREACHED[kind](guard("regenerate"), model)
            assert ("one guard" if kind == "second guard" else "guard_runnable(guard, model)") in str(
                caught.value
            )
            assert model.asked == []
            assert not leaks([UNREACHED[kind](guard("remove"), model).invoke(QUESTION)])

        each([(kind,) for kind in UNREACHED], check)

    def test_what_the_guard_does_not_see_is_refused_at_the_first_call(self):
        """Though its answer is a good one; where it is streamed, before the model is asked."""

        def check(kind, way):
            model = FakeChat(lambda _: AIMessage(GOOD))
            given = "Pets?" if kind == "model" else QUESTION
            refused(
                lambda: ALONE[kind](guard("regenerate"), model), given, way, "guard_runnable(guard, model)"
            )
            assert len(model.asked) <= (0 if "stream" in way and kind != "guard in a dict" else 2)

        each([(kind, way) for kind in ALONE for way in WAYS], check)

    def test_so_are_documents_by_the_input_that_it_does_not_see(self):
        """They would be left out without a word."""

        def check(way):
            alone = FakeChat(lambda _: AIMessage(GOOD)) | GuardedOutput(
                guard("remove"), context=lambda _: ["Rex."]
            )
            refused(lambda: alone, "Pets?", way, "guard_runnable(guard, model, context=…)")

        each([(way,) for way in WAYS], check)

    def test_the_step_is_named(self):
        """So that one finds the model."""

        def check(kind, named):
            with pytest.raises(ConfigError, match=f"the model inside {named} would"):
                UNREACHED[kind](guard("regenerate"), FakeChat())

        each(
            [
                ("branch", "RunnableBranch"),
                ("assign", "RunnableAssign"),
                ("map", "RunnableEach"),
                ("chain with a name", "RunnableSequence"),
                ("second guard", "GuardedRunnable"),
            ],
            check,
        )

    def test_branches_that_begin_with_a_model_are_asked_again(self):
        """Each gets the feedback."""
        model = FakeChat()
        chain = (
            PROMPT
            | {"text": model | StrOutputParser(), "message": model}
            | GuardedOutput(guard("regenerate"))
        )
        assert chain.invoke(QUESTION)["text"] == GOOD
        assert [told_off(messages) for messages in model.asked] == [False, False, True, True]

    def test_a_models_method_is_the_model(self):
        """So it gets the feedback."""
        model = FakeChat()
        assert guard_runnable(guard("regenerate"), model.invoke).invoke("Pets?").content == GOOD
        assert (
            asyncio.run(guard_runnable(guard("regenerate"), model.ainvoke).ainvoke("Pets?")).content == GOOD
        )
        assert [told_off(messages) for messages in model.asked] == [False, True] * 2

    def test_each_branch_can_be_guarded_instead(self):
        """As the message says."""
        model = FakeChat()
        safe = guard_runnable(guard("regenerate"), model)
        chain = PROMPT | RunnableBranch((bool, safe), safe) | StrOutputParser()
        assert chain.invoke(QUESTION) == GOOD
        assert [told_off(messages) for messages in model.asked] == [False, True]

    def test_a_function_that_names_its_own_chain_is_looked_into_once(self):
        """A recursive one."""

        def again(given: Any) -> Any:
            return step.invoke("Pets?") if given == "again" else FakeChat().invoke(given).text

        step: Any = RunnableLambda(again)
        assert guard_runnable(guard("remove"), step).invoke("again") == GOOD


class TestAGuardedModelWithTools:
    def test_keeps_its_guard(self):
        """`bind_tools` gives another guarded model."""
        model = FakeChat()
        bound = guard_runnable(Guard([MarkedWords()], policy=regenerate() | remove()), model).bind_tools(
            ["t"]
        )
        assert isinstance(bound, GuardedRunnable)
        assert bound.invoke("Pets?").content == GOOD
        assert [options["tools"] for options in model.options] == [["t"], ["t"]]

    def test_is_no_chain(self):
        """Whose tools are bound to its model."""
        with pytest.raises(ConfigError, match="bind_tools"):
            guard_runnable(guard("remove"), PROMPT | FakeChat()).bind_tools([])


@pytest.mark.parametrize(
    ("block", "named"),
    [
        ({"text": "Cats purr."}, "a content block without a 'type' (it has 'text')"),
        ({"type": None, "text": "Cats purr."}, "a content block without a 'type' (it has 'text')"),
        ({"type": "non_standard", "value": {"said": "It purrs.", "n": 1}}, "'type' (it has 'said', 'n')"),
        ({"type": "novel", "text": "Cats purr."}, "a content block of type 'novel'"),
    ],
)
def test_a_block_that_does_not_say_what_it_is_is_named_by_what_it_has(block, named):
    """The model's message cannot be examined, and the error says which part of it."""
    guarded = guard_runnable(guard("remove"), FakeChat(lambda _: AIMessage([block])))
    with pytest.raises(ConfigError) as caught:
        guarded.invoke("?")
    assert named in str(caught.value)
    assert asyncio.run(
        guard_runnable(Guard([MarkedWords()]), FakeChat(lambda _: AIMessage([block]))).ainvoke("?")
    )


class TestWhatStandsFirst:
    def test_is_a_guard(self):
        """Its detectors, its class, its name or the model are refused where they are given, by every door."""
        agent = GuardrailMiddleware
        each(
            {
                "detectors": ([MarkedWords()], "(Guard([ReferenceCheck()]))"),
                "the class": (Guard, "got the class Guard"),
                "a name": ("references", "got 'references'"),
                "the model": (FakeChat(replies=[GOOD]), "write guard_runnable(guard, model)"),
            },
            lambda given, words: [
                _refused(lambda door=door: door(given), words)
                for door in (GuardedOutput, agent, GuardrailCallback, AsyncGuardrailCallback)
            ],
        )
        model = FakeChat(replies=[GOOD])
        _refused(lambda: guard_runnable(model, Guard([MarkedWords()])), "write guard_runnable(guard, model)")

    def test_documents_are_given_by_a_function(self):
        """Of the chain's input, or the agent's request."""
        for door in (GuardedOutput, GuardrailMiddleware):
            _refused(
                lambda door=door: door(Guard([MarkedWords()]), context=["a document"]),
                "got a list of 1: write context=lambda given: […]",
            )


def _refused(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        call()
    assert words in str(caught.value)
