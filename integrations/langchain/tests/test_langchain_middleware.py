"""What the middleware keeps, what it lets pass, and what it does with structured answers."""

from __future__ import annotations

import asyncio
from typing import Literal

import pytest
from integrations.langchain.tests.langchain_fakes import (
    BAD,
    GOOD,
    MARK,
    Ear,
    FakeChat,
    Idle,
    MarkedWords,
    bad_message,
    leaks,
    told_off,
)
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain.chat_models import init_chat_model
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphInterrupt
from pydantic import BaseModel

from guardrail import Blocked, Detector, Guard, GuardrailError, annotate, block, flag, regenerate, remove
from guardrail.errors import ConfigError, InputError
from guardrail.testing.server import serve
from guardrail_langchain import GuardedOutput, GuardrailMiddleware, guard_runnable
from guardrail_langchain._composition import documents_of


class Pets(BaseModel):
    """A structured answer."""

    names: list[str]
    mood: Literal["good", "bad"]
    remark: str = ""


@tool
def look_up(what: str) -> str:
    """Look something up."""
    return f"{what}: 4 legs"


def call(name: str, arguments: dict, text: str = "") -> AIMessage:
    return AIMessage(
        text, tool_calls=[{"name": name, "args": arguments, "id": "call-1", "type": "tool_call"}]
    )


def ask(agent, question="Pets?", **options):
    return agent.invoke({"messages": [("user", question)]}, **options)


def guarded(reply, policy, *, tools=(), middleware=(), **options):
    on_report = options.pop("on_report", None)
    guard = Guard([MarkedWords()], policy=policy, on_report=on_report)
    model = FakeChat(reply)
    agent = create_agent(model, list(tools), middleware=[*middleware, GuardrailMiddleware(guard)], **options)
    return model, agent


ATTACHED = {
    "to the model": lambda reply, ear: FakeChat(reply, callbacks=[ear]),
    "by with_config": lambda reply, ear: FakeChat(reply).with_config(callbacks=[ear]),
    "by with_config, twice": lambda reply, ear: (
        FakeChat(reply).with_config(callbacks=[ear]).with_config(tags=["pets"])
    ),
}


class TestMessages:
    def test_keep_id_usage_and_metadata(self):
        """Only the text changes; the summary comes along."""
        message = bad_message()
        message.id = "msg-7"
        _, agent = guarded(lambda _: message, remove())
        answer = ask(agent)["messages"][-1]
        assert answer.id == "msg-7"
        assert answer.usage_metadata == message.usage_metadata
        assert answer.response_metadata["model_name"] == "fake-1"
        assert answer.response_metadata["finish_reason"] == "stop"
        assert answer.additional_kwargs == {"kept": 7}
        assert answer.content == GOOD
        assert answer.response_metadata["guardrail"]["action"] == "remove"
        assert len(ask(agent)["messages"]) == 2

    def test_flagged_messages_are_as_they_were(self):
        """Log-probabilities included, plus the summary."""
        _, agent = guarded(lambda _: bad_message(), flag())
        answer = ask(agent)["messages"][-1]
        assert answer.content == BAD
        assert answer.response_metadata.pop("guardrail")["counts"]["unsupported"] == 1
        assert answer.response_metadata == bad_message().response_metadata

    def test_the_model_is_not_changed(self):
        """It gets a tag on a copy."""
        model, agent = guarded(lambda _: AIMessage(GOOD), remove())
        ask(agent)
        assert model.tags is None
        assert "nostream" in model.heard[0][0]

    def test_the_whole_report_goes_to_on_report(self):
        """And the case has the conversation."""
        reports = []
        _, agent = guarded(
            lambda _: bad_message(), remove(), on_report=reports.append, system_prompt="Short."
        )
        ask(agent)
        (report,) = reports
        assert report.case.answer == BAD
        assert [(m.role, m.text) for m in report.case.messages] == [("system", "Short."), ("user", "Pets?")]

    def test_log_probabilities_reach_the_detectors(self):
        """Where the model was asked for them."""
        reports = []
        _, agent = guarded(lambda _: bad_message(), flag(), on_report=reports.append)
        ask(agent)
        assert [token.token for token in reports[0].case.logprobs] == ["Xyz", "zyx"]

    def test_tokens_that_end_within_a_character_are_the_answer(self):
        """By the bytes that the service told with them."""
        reports = []
        halves = [{"token": "?", "logprob": -1, "bytes": [byte]} for byte in (195, 169)]
        message = AIMessage("é", response_metadata={"logprobs": {"content": halves}})
        _, agent = guarded(lambda _: message, flag(), on_report=reports.append)
        ask(agent)
        assert [token.token for token in reports[0].case.logprobs] == ["é", ""]

    def test_agents_keep_their_name(self):
        """`create_agent(name=…)`."""
        _, agent = guarded(lambda _: bad_message(), remove(), name="vet")
        assert ask(agent)["messages"][-1].name == "vet"


class TestContentBlocks:
    def blocks(self):
        return [
            {"type": "text", "text": "Cats purr. "},
            {"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}},
            {"type": "text", "text": f"Dogs bark, as {MARK} showed. Cows moo."},
        ]

    def test_only_text_is_edited(self):
        """Each block in its place."""
        _, agent = guarded(lambda _: AIMessage(self.blocks()), remove())
        content = ask(agent)["messages"][-1].content
        assert [block["type"] for block in content] == ["text", "image_url", "text"]
        assert content[1] == self.blocks()[1]
        assert "".join(block.get("text", "") for block in content) == GOOD

    def test_a_block_replaces_all_text(self):
        """By the policy's message, once."""
        _, agent = guarded(lambda _: AIMessage(self.blocks()), block("No."))
        assert str(ask(agent)["messages"][-1].text) == "No."

    def test_marks_stand_in_the_block_they_belong_to(self):
        """And the first block is untouched."""
        _, agent = guarded(lambda _: AIMessage(self.blocks()), annotate())
        content = ask(agent)["messages"][-1].content
        assert content[0] == self.blocks()[0]
        assert "[not supported]" in content[2]["text"]


class TestToolCalls:
    def test_calls_without_text_pass_untouched(self):
        """Not even looked at; the answer after them is, with the tool's result as context."""
        reports = []

        def reply(messages):
            last = messages[-1]
            return bad_message() if isinstance(last, ToolMessage) else call("look_up", {"what": "dog"})

        _, agent = guarded(reply, remove(), tools=[look_up], on_report=reports.append)
        messages = ask(agent)["messages"]
        assert [m.type for m in messages] == ["human", "ai", "tool", "ai"]
        assert "guardrail" not in messages[1].response_metadata
        assert messages[-1].content == GOOD
        assert len(reports) == 1
        assert reports[0].case.context == ("dog: 4 legs",)
        assert reports[0].case.question == "Pets?"

    def test_text_beside_a_call_is_examined_and_the_call_is_kept(self):
        """Even where the text is blocked."""

        def reply(messages):
            done = isinstance(messages[-1], ToolMessage)
            return AIMessage(GOOD) if done else call("look_up", {"what": "dog"}, BAD)

        _, agent = guarded(reply, block("No."), tools=[look_up])
        messages = ask(agent)["messages"]
        assert messages[1].content == "No."
        assert messages[1].tool_calls[0]["args"] == {"what": "dog"}
        assert messages[-1].content == GOOD

    def test_asked_again_the_model_may_look_something_up(self):
        """Then the call takes the answer's place, and nothing rejected remains."""

        def reply(messages):
            if isinstance(messages[-1], ToolMessage):
                return AIMessage(GOOD)
            return call("look_up", {"what": "dog"}) if told_off(messages) else bad_message()

        _, agent = guarded(reply, regenerate(2) | block(), tools=[look_up])
        result = ask(agent)
        assert [m.type for m in result["messages"]] == ["human", "ai", "tool", "ai"]
        assert result["messages"][-1].content == GOOD
        assert not leaks([result])

    def test_feedback_is_the_last_message_and_is_not_stored(self):
        """The rejected answer itself is not repeated as an assistant's message."""
        model, agent = guarded(FakeChat().reply, regenerate(1))
        messages = ask(agent)["messages"]
        assert [m.type for m in model.asked[1]] == ["human", "human"]
        assert [m.type for m in messages] == ["human", "ai"]
        assert messages[-1].response_metadata["guardrail"]["attempts"] == 2

    def test_the_best_attempt_is_kept_with_its_own_message(self):
        """Here the first: the second is worse."""
        second = AIMessage(f"{MARK}. {MARK}.", id="second")
        first = bad_message().model_copy(update={"id": "first"})
        _, agent = guarded(lambda messages: second if told_off(messages) else first, regenerate(1) | remove())
        answer = ask(agent)["messages"][-1]
        assert answer.id == "first"
        assert answer.content == GOOD


class TestStructuredAnswers:
    def strategies(self):
        return [ToolStrategy(Pets), ProviderStrategy(Pets)]

    def reply(self, strategy, *names):
        pets = Pets(names=list(names), mood="good", remark=GOOD)
        if isinstance(strategy, ToolStrategy):
            return call("Pets", pets.model_dump())
        return AIMessage(pets.model_dump_json())

    @pytest.mark.parametrize("which", [0, 1], ids=["tool", "provider"])
    @pytest.mark.parametrize("tools", [(), (look_up,)], ids=["alone", "with tools"])
    def test_strings_in_them_are_edited(self, which, tools):
        """And the message that carried them says the same."""
        strategy = self.strategies()[which]
        _, agent = guarded(
            lambda _: self.reply(strategy, "Tom", f"Rex by {MARK}."),
            remove(),
            response_format=strategy,
            tools=tools,
        )
        result = ask(agent)
        assert result["structured_response"].names[0] == "Tom"
        assert result["structured_response"].remark == GOOD
        assert not leaks([result])
        assert result["messages"][1].response_metadata["guardrail"]["action"] == "remove"

    @pytest.mark.parametrize("which", [0, 1], ids=["tool", "provider"])
    def test_they_are_asked_for_again(self, which):
        """With the feedback."""
        strategy = self.strategies()[which]
        _, agent = guarded(
            lambda m: self.reply(strategy, "Tom" if told_off(m) else MARK),
            regenerate(1) | block(),
            response_format=strategy,
        )
        result = ask(agent)
        assert result["structured_response"].names == ["Tom"]
        assert not leaks([result])

    @pytest.mark.parametrize("which", [0, 1], ids=["tool", "provider"])
    @pytest.mark.parametrize("tools", [(), (look_up,)], ids=["alone", "with tools"])
    def test_blocked_ones_end_the_agent(self, which, tools):
        """With the message and without a structured answer; the model is not asked for ever."""
        strategy = self.strategies()[which]
        saver = InMemorySaver()
        model, agent = guarded(
            lambda _: self.reply(strategy, MARK),
            block("No."),
            response_format=strategy,
            tools=tools,
            checkpointer=saver,
        )
        result = ask(agent, config={"configurable": {"thread_id": "1"}, "recursion_limit": 10})
        assert result.get("structured_response") is None
        assert result["messages"][-1].content == "No."
        assert not leaks([result, repr(saver.storage), repr(saver.blobs), repr(saver.writes)])
        assert len(model.asked) == 1

    def test_untouched_ones_stay_the_same_object(self):
        """Nothing is rebuilt without need."""
        strategy = ToolStrategy(Pets)
        _, agent = guarded(lambda _: self.reply(strategy, "Tom"), remove(), response_format=strategy)
        result = ask(agent)
        assert result["structured_response"] == Pets(names=["Tom"], mood="good", remark=GOOD)
        assert result["messages"][1].tool_calls[0]["args"]["names"] == ["Tom"]

    def test_edits_that_make_them_invalid_are_not_shown(self):
        """`Blocked` says so, without the text."""

        class Strict(BaseModel):
            name: Literal["Xyzzyx."]

        _, agent = guarded(
            lambda _: call("Strict", {"name": f"{MARK}."}), remove(), response_format=ToolStrategy(Strict)
        )
        with pytest.raises(Blocked) as caught:
            ask(agent)
        assert not leaks([str(caught.value), repr(caught.value)])


class TestModels:
    def test_a_guarded_model_is_refused(self):
        """Two guards would look at one answer; the message says what to write."""
        model = guard_runnable(Guard([Idle()]), FakeChat(lambda _: GOOD))
        agent = create_agent(model, [], middleware=[GuardrailMiddleware(Guard([Idle()]))])
        with pytest.raises(ConfigError, match="give all detectors to one guard"):
            ask(agent)

    @pytest.mark.parametrize("tools", [[], [look_up]])
    def test_a_model_that_the_call_chooses(self, tools):
        """`init_chat_model(…, configurable_fields=…)` is no chat model by its class, and is guarded all the same."""
        with serve(lambda _: BAD) as server:
            model = init_chat_model(
                "m",
                model_provider="openai",
                base_url=server.base_url,
                api_key="k",
                configurable_fields=("model",),
            )
            guard = Guard([MarkedWords()], policy=remove())
            agent = create_agent(model, tools, middleware=[GuardrailMiddleware(guard)])
            assert not leaks(ask(agent))
            assert not leaks(list(agent.stream({"messages": [("user", "?")]}, stream_mode="messages")))


class TestConfiguration:
    def test_tags_metadata_and_thread_reach_the_model(self):
        """Its own tags, too."""
        model, agent = guarded(lambda _: AIMessage(GOOD), remove())
        config = {"tags": ["T"], "metadata": {"a": "b"}, "configurable": {"thread_id": "9"}}
        ask(agent, config=config)
        asyncio.run(agent.ainvoke({"messages": [("user", "Pets?")]}, config))
        for tags, metadata, _ in model.heard:
            assert "T" in tags
            assert metadata["a"] == "b"
            assert metadata["thread_id"] == "9"
            assert metadata["langgraph_node"] == "model"

    def test_callbacks_hear_one_call_with_the_accepted_answer(self):
        """However many attempts there were."""
        ear = Ear()
        _, agent = guarded(FakeChat().reply, regenerate(1))
        ask(agent, config={"callbacks": [ear]})
        assert ear.names().count("on_chat_model_start") == 1
        assert ear.names().count("on_llm_end") == 1
        told = next(text for name, text in ear.heard if name == "on_llm_end")
        assert GOOD in told

    def test_two_instances_have_names(self):
        """LangChain refuses two of one name."""
        guard = Guard([MarkedWords()], policy=remove())
        two = [GuardrailMiddleware(guard), GuardrailMiddleware(guard, name="second")]
        agent = create_agent(FakeChat(lambda _: AIMessage(BAD)), [], middleware=two)
        assert ask(agent)["messages"][-1].content == GOOD

    def test_it_stands_beside_other_middleware(self):
        """Outside of it and inside, where another may change the model."""

        class Other(AgentMiddleware):
            def wrap_model_call(self, request, handler):
                return handler(request.override(model=FakeChat(lambda _: AIMessage(BAD))))

        guard = GuardrailMiddleware(Guard([MarkedWords()], policy=remove()))
        for middleware in ([guard, Other()], [Other(), guard]):
            agent = create_agent(FakeChat(lambda _: AIMessage("?")), [], middleware=middleware)
            received = list(
                agent.stream({"messages": [("user", "Pets?")]}, stream_mode=["messages", "values"])
            )
            assert not leaks(received)

    @pytest.mark.parametrize("attach", ATTACHED)
    def test_strict_refuses_a_model_with_ears_of_its_own(self, attach):
        """They hear every attempt."""
        ear = Ear()
        model = ATTACHED[attach](lambda _: AIMessage(BAD), ear)
        loose, strict = (
            create_agent(
                model, [], middleware=[GuardrailMiddleware(Guard([MarkedWords()], policy=remove()), strict=s)]
            )
            for s in (False, True)
        )
        ask(loose)
        assert leaks([text for _, text in ear.heard])
        ear.heard.clear()
        with pytest.raises(ConfigError, match="callbacks of their own"):
            ask(strict)
        assert not ear.heard

    def test_strict_refuses_a_model_that_prints(self):
        """Whoever reads the terminal reads every attempt."""
        model = FakeChat(lambda _: AIMessage(BAD), verbose=True)
        strict = GuardrailMiddleware(Guard([MarkedWords()], policy=remove()), strict=True)
        agent = create_agent(model, [], middleware=[strict])
        with pytest.raises(ConfigError, match="verbose"):
            ask(agent)

    def test_strict_takes_a_model_with_a_configuration_that_hears_nothing(self):
        """Tags and metadata may be bound to it."""
        model = FakeChat(lambda _: AIMessage(BAD)).with_config(tags=["pets"], metadata={"a": 1})
        agent = create_agent(
            model, [], middleware=[GuardrailMiddleware(Guard([MarkedWords()], policy=remove()), strict=True)]
        )
        assert ask(agent)["messages"][-1].content == GOOD

    def test_context_can_be_given(self):
        """From the request."""
        reports = []
        guard = Guard([MarkedWords()], on_report=reports.append)
        middleware = GuardrailMiddleware(guard, context=lambda request: [str(len(request.messages))])
        ask(create_agent(FakeChat(), [], middleware=[middleware]))
        assert reports[0].case.context == ("1",)

    def test_a_function_for_the_context_that_raises_is_named(self):
        """With what it was given; what it raised is the cause."""
        guard = Guard([MarkedWords()])
        middleware = GuardrailMiddleware(guard, context=lambda request: request.state["facts"])
        with pytest.raises(
            ConfigError,
            match=r"the function <lambda> \(test_langchain_middleware\.py:\d+\) raised KeyError\. It was given an object of the "
            r"class ModelRequest whose state is a dict with 'messages'",
        ) as raised:
            ask(create_agent(FakeChat(), [], middleware=[middleware]))
        assert isinstance(raised.value.__cause__, KeyError)

    @pytest.mark.parametrize("error", [GraphInterrupt(), Blocked, InputError("no such tenant")], ids=repr)
    def test_what_steers_a_graph_or_is_an_error_of_ours_passes(self, error):
        """An interrupt in a function for the context pauses the graph."""
        guard = Guard([MarkedWords()], policy=block())
        if error is Blocked:
            error = Blocked("withheld", report=guard.check("Xyzzy."))

        def interrupted(request):
            raise error

        with pytest.raises(type(error)) as raised:
            documents_of(interrupted, "who?")
        assert raised.value is error

    def test_errors_of_the_model_are_its_own(self):
        """As if there were no guard."""

        def broken(_):
            raise TimeoutError("slow")

        _, agent = guarded(broken, remove())
        with pytest.raises(TimeoutError, match="slow"):
            ask(agent)
        with pytest.raises(TimeoutError, match="slow"):
            asyncio.run(agent.ainvoke({"messages": [("user", "Pets?")]}))

    def test_the_first_answer_stands_where_the_second_fails(self):
        """Edited by the policies that follow."""

        def once(messages):
            if told_off(messages):
                raise TimeoutError("slow")
            return bad_message()

        _, agent = guarded(once, regenerate(1) | remove())
        assert ask(agent)["messages"][-1].content == GOOD

    def test_sync_agents_may_run_inside_a_loop(self):
        """A tool or a notebook cell calls one."""
        _, agent = guarded(FakeChat().reply, regenerate(1))

        async def cell():
            return ask(agent)

        assert asyncio.run(asyncio.wait_for(cell(), 10))["messages"][-1].content == GOOD

    def test_a_guarded_agent_may_be_a_tool_of_another(self):
        """Nested, sync within async."""
        _, inner = guarded(FakeChat().reply, regenerate(1))

        @tool
        def vet(question: str) -> str:
            """Ask the vet."""
            return str(ask(inner, question)["messages"][-1].text)

        def reply(messages):
            done = isinstance(messages[-1], ToolMessage)
            return bad_message() if done else call("vet", {"question": "Dogs?"})

        _, outer = guarded(reply, remove(), tools=[vet])
        received = asyncio.run(asyncio.wait_for(outer.ainvoke({"messages": [("user", "Pets?")]}), 10))
        assert received["messages"][-1].content == GOOD
        assert not leaks([received])


class TestFailures:
    class Broken(Detector):
        name = "broken"

        def cost(self, case):
            return {}

        def examine(self, case):
            yield from ()
            raise RuntimeError("bug")

    def test_open_passes_the_answer_and_says_so(self):
        """The answer is not lost."""
        guard = Guard([self.Broken()], policy=remove(), on_unverified="allow")
        answer = ask(create_agent(FakeChat(), [], middleware=[GuardrailMiddleware(guard)]))["messages"][-1]
        assert answer.content == BAD
        assert answer.response_metadata["guardrail"]["verdict"] == "unverified"

    def test_closed_withholds_it(self):
        """In full."""
        guard = Guard([self.Broken()], policy=remove(), fail="closed")
        result = ask(create_agent(FakeChat(), [], middleware=[GuardrailMiddleware(guard)]))
        assert not leaks([result])

    def test_a_policy_that_breaks_is_heard_of(self):
        """Nothing is shown that no policy has decided on."""

        class Odd:
            needs_whole_answer = asks_again = True
            edits = False

            def feedback(self, review, attempt):
                raise RuntimeError("bug in the policy")

            def decide(self, review):
                return flag().decide(review)

        guard = Guard([Idle()], policy=Odd(), on_unverified="allow")
        agent = create_agent(FakeChat(), [], middleware=[GuardrailMiddleware(guard)])
        with pytest.raises(RuntimeError, match="bug in the policy"):
            ask(agent)


def test_state_of_an_agent_is_refused_by_the_door_for_chains():
    """It has stored what was said before it could be examined."""
    agent = create_agent(FakeChat(), [])
    with pytest.raises(GuardrailError, match="GuardrailMiddleware"):
        (agent | GuardedOutput(Guard([MarkedWords()]))).invoke({"messages": [("user", "Pets?")]})
