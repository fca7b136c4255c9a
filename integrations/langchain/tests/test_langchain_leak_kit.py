"""The leak kit through LangChain's own OpenAI model: a guarded runnable and a guarded agent, and what callbacks hear."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import pytest
from integrations.langchain.tests.langchain_fakes import Ear
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI

from guardrail import Guard, annotate, block, flag, regenerate, remove
from guardrail.testing import leaks
from guardrail_langchain import GuardrailMiddleware, guard_runnable

POLICIES = {
    "remove": remove,
    "regenerate": lambda: regenerate(1) | remove(),
    "block": block,
    "annotate": annotate,
}
AXES = leaks.Axes(
    apis=["chat", "responses"],
    shapes=[
        "text",
        "logprobs",
        "reasoning",
    ],  # the model gives one choice; tools and structures have tests of their own
    deliveries=["whole", "words", "halves"],
    policies=["remove", "regenerate", "block"],
    faults=["clean", "stubborn", "rate_limit", "server_error", "empty", "detector"],
)


def model_of(setting, case):
    """The model for a case, with the options of its request."""
    left = {"model", "messages", "input", "stream"}
    options = {name: value for name, value in leaks.request(case).items() if name not in left}
    return ChatOpenAI(
        model="m",
        base_url=setting.upstream,
        api_key="k",
        max_retries=0,
        use_responses_api=case.api == "responses",
        **options,
    )


def runnable(model, guard, case, config):
    """What a guarded model gives."""
    guarded = guard_runnable(guard, model)
    return guarded.stream("Rivers?", config) if case.streams else guarded.invoke("Rivers?", config)


def sentences(model, guard, case, config):
    """What a guarded model gives that releases sentence by sentence."""
    guarded = guard_runnable(guard, model, streaming="sentence")
    return guarded.stream("Rivers?", config) if case.streams else guarded.invoke("Rivers?", config)


def agent(model, guard, case, config):
    """What an agent with the middleware gives."""
    made = create_agent(model, [], middleware=[GuardrailMiddleware(guard)])
    asked = {"messages": [("user", "Rivers?")]}
    if not case.streams:
        return made.invoke(asked, config)["messages"][-1]
    return (chunk for chunk, _ in made.stream(asked, config, stream_mode="messages"))


def door(call, policies=POLICIES):
    """Opens a guard for calls of this kind; callbacks are a channel."""

    @contextlib.contextmanager
    def opened(setting):
        by_sentence = call is sentences
        found = leaks.KnownTexts(
            setting.forbidden, mark=setting.mark, breaks=setting.breaks, by_sentence=by_sentence
        )
        fail = "open" if by_sentence and not setting.breaks else "closed"
        guard = Guard([found], policy=policies[setting.policy](), fail=fail)
        ear = Ear()

        def send(case, body):
            del body
            return call(model_of(setting, case), guard, case, {"callbacks": [ear]})

        heard = {} if setting.policy == "annotate" else {"callbacks": lambda: repr(ear.heard)}
        yield leaks.Opened(leaks.called(send), heard)

    return opened


class TestLeakKit:
    @pytest.mark.parametrize("call", [runnable, sentences, agent])
    def test_nothing_forbidden_gets_out(self, call):
        """Over chat completions and responses, whole and in streams, under faults."""
        table = leaks.matrix(door(call), axes=AXES)
        assert table.ok, str(table)

    @pytest.mark.parametrize("call", [runnable, sentences, agent])
    def test_marks_come_with_their_text(self, call):
        """In whole answers and in streams, which release a decided text word by word."""
        axes = replace(AXES, policies=["annotate"])
        table = leaks.matrix(door(call), axes=axes)
        assert table.ok, str(table)

    @pytest.mark.parametrize("call", [runnable, agent])
    def test_control_a_flag_leaks(self, call):
        """So these tests can fail."""
        axes = leaks.Axes(
            apis=["chat"], shapes=["text"], deliveries=["whole", "words"], policies=["remove"], faults=[]
        )
        table = leaks.matrix(door(call, {"remove": flag}), axes=axes)
        assert {row.bytes for row in table.rows} == {table.most}
