"""What callbacks hear where a parser made something of the answer, or a text model gave it: what it cost, nothing rejected."""

from __future__ import annotations

import pytest
from integrations.langchain.tests.langchain_fakes import (
    GOOD,
    MARK,
    Ear,
    FakeChat,
    MarkedWords,
    bad_message,
    leaks,
    text_of,
    told_off,
)
from integrations.langchain.tests.test_langchain_leak import CALLS, POLICIES, PROMPT, guard
from integrations.langchain.tests.test_langchain_sentences import BySentence
from langchain_core._api import LangChainBetaWarning
from langchain_core.callbacks import get_usage_metadata_callback
from langchain_core.language_models import BaseLLM
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import JsonOutputParser, StrOutputParser
from langchain_core.outputs import Generation, LLMResult
from langchain_core.runnables import RunnableParallel, RunnablePassthrough
from langchain_core.tracers.context import collect_runs
from langgraph.graph import START, StateGraph
from pydantic import Field

from guardrail import Blocked, Guard, flag, remove
from guardrail_langchain import guard_runnable

pytestmark = pytest.mark.filterwarnings(f"ignore::{LangChainBetaWarning.__module__}.LangChainBetaWarning")

JSON = f'{{"pets": "Cats purr. Dogs bark, as {MARK} showed."}}'
BETTER = '{"pets": "Cats purr."}'
SCHEMA = {"title": "Pets", "type": "object", "properties": {"pets": {"type": "string"}}}
USAGE = {"input_tokens": 3, "output_tokens": 5, "total_tokens": 8}
QUESTION = {"question": "Pets?"}


def reply(messages):
    """JSON, until it is told off; both cost the same."""
    if told_off(messages):
        return AIMessage(BETTER, usage_metadata=USAGE, response_metadata={"model_name": "fake-1"})
    return bad_message(JSON)


class TextModel(BaseLLM):
    """A model that takes and gives a string."""

    replies: list[str] = Field(repr=False)  # tracers store a model's repr

    @property
    def _llm_type(self):
        return "text-model"

    def _generate(self, prompts, stop=None, run_manager=None, **kwargs):
        told = "was rejected" in prompts[0]
        return LLMResult(generations=[[Generation(text=self.replies[-1] if told else self.replies[0])]])


# Each with the number of its model's calls.
CHAINS = {
    "parsed": (1, lambda: PROMPT | FakeChat(reply) | JsonOutputParser()),
    "made by a function": (1, lambda: PROMPT | FakeChat(reply) | (lambda message: [message.text, 3])),
    "structured": (1, lambda: PROMPT | FakeChat(reply).with_structured_output(SCHEMA, include_raw=True)),
    "branches": (2, lambda: PROMPT | RunnableParallel(raw=FakeChat(reply), more=FakeChat(reply))),
    "bound branches": (1, lambda: PROMPT | RunnableParallel(raw=FakeChat(reply)).with_config(tags=["pets"])),
}
TEXTS = {
    "text": lambda: PROMPT | TextModel(replies=[f"Cats purr. Dogs bark, as {MARK} showed. Cows moo.", GOOD]),
    "text, parsed": lambda: PROMPT | TextModel(replies=[JSON, BETTER]) | JsonOutputParser(),
}


def received(call, guarded, given, config):
    """What arrives, be it an error."""
    try:
        return call(guarded, given, config)
    except Blocked as error:
        return [str(error)]


def runs_of(runs):
    """Of models."""
    for run in runs:
        if run.run_type == "llm":
            yield run
        yield from runs_of(run.child_runs)


def texts_of(runs):
    return [run.outputs["generations"][0][0]["text"] for run in runs_of(runs)]


class TestParsedAnswers:
    @pytest.mark.parametrize("policy", POLICIES)
    @pytest.mark.parametrize("kind", CHAINS)
    def test_what_they_cost_is_heard(self, kind, policy):
        """Also where the answer is withheld: usage, under the model's name, and no text."""
        times, chain = CHAINS[kind]
        guarded = guard_runnable(guard(policy), chain())
        with collect_runs() as runs, get_usage_metadata_callback() as usage:
            received(CALLS["invoke"], guarded, QUESTION, {})
        assert usage.usage_metadata == {"fake-1": {name: n * times for name, n in USAGE.items()}}
        assert texts_of(runs.traced_runs) == [""] * times
        assert {run.name for run in runs_of(runs.traced_runs)} == {"FakeChat"}

    @pytest.mark.parametrize("call", CALLS)
    @pytest.mark.parametrize("policy", POLICIES)
    @pytest.mark.parametrize("kind", CHAINS)
    def test_nothing_rejected_is_heard(self, kind, policy, call):
        """Nor received."""
        ear = Ear()
        times, chain = CHAINS[kind]
        found = received(CALLS[call], guard_runnable(guard(policy), chain()), QUESTION, {"callbacks": [ear]})
        assert found
        assert not leaks(found)
        assert not leaks([text for _, text in ear.heard])
        asked = 2 * times if "batch" in call else times
        withheld = (
            policy == "block" and "batch" in call
        )  # one error ends a batch, be it between two branches of another
        assert ear.names().count("on_chat_model_start") in (range(times, asked + 1) if withheld else [asked])

    def test_control_unguarded_they_leak(self):
        """So these tests can fail."""
        for _, chain in CHAINS.values():
            ear = Ear()
            chain().invoke(QUESTION, {"callbacks": [ear]})
            assert leaks([text for _, text in ear.heard])

    def test_a_message_in_what_a_function_made_is_heard_as_well(self):
        """Though no model is a step of the chain; a message of the input was paid for before."""
        chain = RunnablePassthrough.assign(answer=PROMPT | FakeChat(reply))
        before = AIMessage("Yes?", usage_metadata=USAGE, response_metadata={"model_name": "fake-1"})
        guarded = guard_runnable(Guard([MarkedWords()], policy=remove()), chain)
        with get_usage_metadata_callback() as usage:
            guarded.invoke({**QUESTION, "before": before})
        assert usage.usage_metadata == {"fake-1": USAGE}

    @pytest.mark.parametrize("streaming", ["buffer", "sentence"])
    @pytest.mark.parametrize("parser", [False, True])
    def test_a_message_or_its_text_is_heard_as_it_is_returned(self, parser, streaming):
        """Once, also by `collect_runs` alone, which no configuration has."""
        chain = PROMPT | FakeChat(lambda _: bad_message())
        chain = chain | StrOutputParser() if parser else chain
        made = guard_runnable(Guard([BySentence()], policy=remove()), chain, streaming=streaming)
        with collect_runs() as runs:
            found = "".join(map(text_of, made.stream(QUESTION)))
        assert found == GOOD
        assert texts_of(runs.traced_runs) == [GOOD]

    def test_a_name_that_repeats_the_answer_is_no_name(self):
        """A service may call its model what it likes."""
        message = bad_message(JSON)
        message.response_metadata["model_name"] = f"who says: {JSON}"
        ear = Ear()
        chain = PROMPT | FakeChat(lambda _: message) | JsonOutputParser()
        made = Guard([MarkedWords()], policy=remove())
        guard_runnable(made, chain).invoke(QUESTION, {"callbacks": [ear]})
        assert "total_tokens" in repr(ear.heard)
        assert not leaks([text for _, text in ear.heard])

    def test_streams_of_messages_have_none_that_says_nothing(self):
        """Of a graph, with the model in a node."""
        guarded = guard_runnable(Guard([MarkedWords()], policy=flag()), CHAINS["parsed"][1]())
        builder = StateGraph(dict)
        builder.add_node("pets", lambda state: guarded.invoke({**state}))
        builder.add_edge(START, "pets")
        with get_usage_metadata_callback() as usage:
            assert list(builder.compile().stream(QUESTION, stream_mode="messages")) == []
        assert usage.usage_metadata == {"fake-1": USAGE}


class TestTextModels:
    @pytest.mark.parametrize("call", CALLS)
    @pytest.mark.parametrize("policy", POLICIES)
    @pytest.mark.parametrize("kind", TEXTS)
    def test_callbacks_hear_the_accepted_text(self, kind, policy, call):
        """Of one call, and nothing that was rejected; where a parser made something of it, no text."""
        ear = Ear()
        guarded = guard_runnable(guard(policy), TEXTS[kind]())
        with collect_runs() as runs:
            found = received(CALLS[call], guarded, QUESTION, {"callbacks": [ear]})
        assert not leaks(found)
        assert not leaks([text for _, text in ear.heard])
        assert ear.names().count("on_llm_start") in ({1, 2} if "batch" in call else {1})
        models = list(runs_of(runs.traced_runs))
        assert {run.name for run in models} == {"TextModel"}
        if call == "invoke":
            assert texts_of(runs.traced_runs) == (found if kind == "text" else [""])

    def test_control_unguarded_they_leak(self):
        """So these tests can fail."""
        for chain in TEXTS.values():
            ear = Ear()
            chain().invoke(QUESTION, {"callbacks": [ear]})
            assert leaks([text for _, text in ear.heard])
