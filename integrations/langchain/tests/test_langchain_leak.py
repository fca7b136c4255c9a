"""Nothing that a policy rejected reaches the application: not in answers, streams, state, or the next prompt."""

from __future__ import annotations

import asyncio

import pytest
from integrations.langchain.tests.langchain_fakes import (
    BAD,
    GOOD,
    HALVES,
    MARK,
    NOTE,
    Ear,
    FakeChat,
    MarkedWords,
    bad_message,
    leaks,
    text_of,
    told_off,
)
from integrations.langchain.tests.test_langchain_sentences import BySentence as Sentences
from langchain.agents import create_agent
from langchain_core._api import LangChainBetaWarning
from langchain_core.messages import AIMessage, AIMessageChunk, message_chunk_to_message
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.pregel import Pregel

from guardrail import Guard, annotate, block, flag, regenerate, remove
from guardrail_langchain import GuardedOutput, GuardrailMiddleware, guard_runnable

pytestmark = pytest.mark.filterwarnings(f"ignore::{LangChainBetaWarning.__module__}.LangChainBetaWarning")

POLICIES = {
    "remove": remove,
    "regenerate": lambda: regenerate(1) | block(),
    "block": block,
}
PROMPT = ChatPromptTemplate.from_messages([("system", "Be brief."), ("user", "{question}")])


def guard(policy: str) -> Guard:
    return Guard([MarkedWords()], policy=POLICIES[policy]())


# --- ways to call: each returns all that the caller receives, as a list


def _list(async_iterator):
    async def collect():
        return [item async for item in async_iterator()]

    return asyncio.run(collect())


CALLS = {
    "invoke": lambda r, x, c: [r.invoke(x, c)],
    "ainvoke": lambda r, x, c: [asyncio.run(r.ainvoke(x, c))],
    "stream": lambda r, x, c: list(r.stream(x, c)),
    "astream": lambda r, x, c: _list(lambda: r.astream(x, c)),
    "batch": lambda r, x, c: r.batch([x, x], c),
    "abatch": lambda r, x, c: asyncio.run(r.abatch([x, x], c)),
    "batch_as_completed": lambda r, x, c: list(r.batch_as_completed([x, x], c)),
    "events": lambda r, x, c: _list(lambda: r.astream_events(x, c, version="v2")),
    "transform": lambda r, x, c: list((RunnablePassthrough() | r | RunnablePassthrough()).stream(x, c)),
}

MODES = ["values", "updates", "messages", "tasks", "checkpoints", "debug"]
AGENT_CALLS = {
    **{name: call for name, call in CALLS.items() if name not in {"stream", "astream", "transform"}},
    **{f"stream {m}": lambda r, x, c, m=m: list(r.stream(x, c, stream_mode=m)) for m in MODES},
    **{f"astream {m}": lambda r, x, c, m=m: _list(lambda: r.astream(x, c, stream_mode=m)) for m in MODES},
    "stream all": lambda r, x, c: list(r.stream(x, c, stream_mode=MODES)),
}
if hasattr(Pregel, "stream_events"):  # the v3 protocol is younger than the oldest LangChain we support
    AGENT_CALLS["events v3"] = lambda r, x, c: list(r.stream_events(x, c, version="v3"))
    AGENT_CALLS["aevents v3"] = lambda r, x, c: asyncio.run(_v3(r, x, c))


async def _v3(agent, given, config):
    return [event async for event in await agent.astream_events(given, config, version="v3")]


THOUGHTS = {
    "field": [("", {"reasoning_content": half}) for half in ("I might say Xyz", "zyx.")],
    "item": [
        (
            "",
            {"reasoning": {"id": "rs_1", "type": "reasoning", "summary": [{"index": 0, "text": f"{MARK}?"}]}},
        )
    ],
    "blocks": [
        ([{"type": "reasoning", "reasoning": half, "index": 0}], {}) for half in ("I might say Xyz", "zyx.")
    ],
    "signed blocks": [
        ([{"type": "thinking", "thinking": f"{MARK}?", "index": 0}], {}),
        ([{"type": "thinking", "signature": "c2ln", "index": 0}], {}),
    ],
}


class Thinker(FakeChat):
    """Thinks of the word, and does not say it."""

    written: str

    def __init__(self, written):
        super().__init__(written=written)

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        first, *others = [one.message for one in self._stream(messages, stop, run_manager, **kwargs)]
        message = message_chunk_to_message(first + others)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(self, messages, stop=None, run_manager=None, **kwargs):
        self.asked.append(list(messages))
        thoughts = THOUGHTS[self.written]
        for content, fields in thoughts:
            yield ChatGenerationChunk(message=AIMessageChunk(content, additional_kwargs=fields))
        for part in (GOOD[:7], GOOD[7:]):
            said = part if thoughts[0][0] == "" else [{"type": "text", "text": part, "index": 1}]
            yield ChatGenerationChunk(message=AIMessageChunk(said))


CHAINS = {
    "message": lambda model: PROMPT | model,
    "string": lambda model: PROMPT | model | StrOutputParser(),
    "model": lambda model: RunnablePassthrough() | (lambda x: x["question"]) | model,
}


def guarded_chain(kind: str, model: FakeChat, policy: str):
    return CHAINS[kind](model) | GuardedOutput(guard(policy))


class TestLeakOfChains:
    """`chain | GuardedOutput(guard)` and `guard_runnable(guard, model)`."""

    @pytest.mark.parametrize("call", CALLS)
    @pytest.mark.parametrize("policy", POLICIES)
    @pytest.mark.parametrize("kind", CHAINS)
    def test_nothing_rejected_is_received(self, kind, policy, call):
        """Neither returned, nor streamed, nor told to callbacks."""
        model, ear = FakeChat(), Ear()
        received = CALLS[call](
            guarded_chain(kind, model, policy), {"question": "Pets?"}, {"callbacks": [ear]}
        )
        assert received
        assert not leaks(received)
        assert not leaks([text for _, text in ear.heard])
        assert len(model.asked) == (2 if policy == "regenerate" else 1) * (2 if "batch" in call else 1)

    @pytest.mark.parametrize("call", [c for c in CALLS if c != "events"])
    @pytest.mark.parametrize("policy", POLICIES)
    def test_a_bare_model_is_guarded(self, policy, call):
        """A model alone, called with a string."""
        model, ear = FakeChat(), Ear()
        received = CALLS[call](guard_runnable(guard(policy), model), "Pets?", {"callbacks": [ear]})
        assert not leaks(received)
        assert not leaks([text for _, text in ear.heard])

    @pytest.mark.parametrize("call", CALLS)
    @pytest.mark.parametrize("kind", CHAINS)
    def test_control_an_unguarded_chain_leaks(self, kind, call):
        """So these tests can fail."""
        ear = Ear()
        received = CALLS[call](CHAINS[kind](FakeChat()), {"question": "Pets?"}, {"callbacks": [ear]})
        assert leaks(received)
        assert leaks([text for _, text in ear.heard])

    @pytest.mark.parametrize("policy", POLICIES)
    def test_events_of_a_bare_model_are_guarded(self, policy):
        """`astream_events` of the guarded model; of the model itself nothing could be."""
        guarded = guard_runnable(guard(policy), FakeChat())
        events = _list(lambda: guarded.astream_events("Pets?", version="v2"))
        assert not leaks(events)
        assert {"on_chat_model_stream", "on_chain_stream"} <= {event["event"] for event in events}

    @pytest.mark.parametrize("policy", POLICIES)
    def test_contexts_hear_nothing(self, policy):
        """`collect_runs` and the like are set for a context, not passed as callbacks."""
        from langchain_core.callbacks import get_usage_metadata_callback
        from langchain_core.tracers.context import collect_runs

        with collect_runs() as runs, get_usage_metadata_callback() as usage:
            guarded_chain("message", FakeChat(), policy).invoke({"question": "Pets?"})
        assert runs.traced_runs
        assert not leaks([repr(run.model_dump()) for run in _all_runs(runs.traced_runs)])
        if policy != "regenerate":  # the honest answer of the fake model has no usage
            assert usage.usage_metadata["fake-1"]["total_tokens"] == 8


def _all_runs(runs):
    for run in runs:
        yield run
        yield from _all_runs(run.child_runs)


class TestLeakOfAgents:
    """`create_agent(..., middleware=[GuardrailMiddleware(guard)])`."""

    @pytest.mark.parametrize("call", AGENT_CALLS)
    @pytest.mark.parametrize("policy", POLICIES)
    def test_nothing_rejected_is_received_or_stored(self, policy, call):
        """Not in what is returned or streamed, in state, in checkpoints, or in the prompt of a second turn."""
        model, ear, saver = FakeChat(), Ear(), InMemorySaver()
        agent = create_agent(model, [], middleware=[GuardrailMiddleware(guard(policy))], checkpointer=saver)
        config = {"configurable": {"thread_id": "1"}, "callbacks": [ear]}
        if "batch" in call:
            config = [config, {"configurable": {"thread_id": "2"}, "callbacks": [ear]}]
        first = AGENT_CALLS[call](agent, {"messages": [("user", "Pets?")]}, config)
        turns = len(model.first_prompts)
        second = AGENT_CALLS[call](agent, {"messages": [("user", "And others?")]}, config)
        state = agent.get_state({"configurable": {"thread_id": "1"}})
        assert not leaks(first)
        assert not leaks(second)
        assert not leaks([text for _, text in ear.heard])
        assert not leaks([repr(state), repr(list(agent.get_state_history(state.config)))])
        assert not leaks([repr(saver.storage), repr(saver.writes), repr(saver.blobs)])
        later = model.first_prompts[turns:]
        assert later
        assert all(len(messages) == 3 for messages in later)
        assert not leaks([repr(messages) for messages in later])

    @pytest.mark.parametrize("call", AGENT_CALLS)
    def test_control_an_unguarded_agent_leaks(self, call):
        """So these tests can fail; in every mode that carries text at all."""
        ear, saver, model = Ear(), InMemorySaver(), FakeChat()
        agent = create_agent(model, [], checkpointer=saver)
        config = {"configurable": {"thread_id": "1"}, "callbacks": [ear]}
        if "batch" in call:
            config = [config, {"configurable": {"thread_id": "2"}, "callbacks": [ear]}]
        received = AGENT_CALLS[call](agent, {"messages": [("user", "Pets?")]}, config)
        AGENT_CALLS[call](agent, {"messages": [("user", "And others?")]}, config)
        assert leaks(received)
        assert leaks([text for _, text in ear.heard])
        assert leaks([repr(saver.blobs), repr(saver.writes)])
        assert leaks([repr(messages) for messages in model.asked[-1:]])

    @pytest.mark.parametrize("policy", POLICIES)
    def test_blocks_of_content_do_not_leak(self, policy):
        """Text blocks are edited, reasoning goes, and the annotations of what was cut with it."""
        content = [
            {"type": "reasoning", "reasoning": f"{MARK}?"},
            {"type": "text", "text": "Cats purr. "},
            {"type": "text", "text": f"Dogs bark, as {MARK} showed.", "annotations": [{"cited_text": MARK}]},
        ]

        def reply(messages):
            return AIMessage(GOOD) if "rejected" in str(messages[-1].text) else bad_message(content)

        agent = create_agent(FakeChat(reply), [], middleware=[GuardrailMiddleware(guard(policy))])
        received = agent.invoke({"messages": [("user", "Pets?")]})
        assert not leaks([received])

    def test_all_modes_show_the_accepted_text_once(self):
        """In pieces, under the id that the state has."""
        agent = create_agent(FakeChat(), [], middleware=[GuardrailMiddleware(guard("regenerate"))])
        for call in (agent.stream, lambda *a, **k: _list(lambda: agent.astream(*a, **k))):
            items = list(call({"messages": [("user", "Pets?")]}, stream_mode=["messages", "values"]))
            chunks = [item[0] for mode, item in items if mode == "messages"]
            state = [item for mode, item in items if mode == "values"][-1]["messages"][-1]
            assert "".join(str(chunk.text) for chunk in chunks) == GOOD
            assert {chunk.id for chunk in chunks} == {state.id}
            assert len(chunks) > 2


class TestLeakOfReasoning:
    """The answer is clean, and what the model thought is not; nothing of it is released by default."""

    @pytest.mark.parametrize("call", CALLS)
    @pytest.mark.parametrize("written", THOUGHTS)
    @pytest.mark.parametrize("policy", ["remove", "regenerate", "block", "annotate", "flag"])
    def test_chains_say_nothing_of_it(self, policy, written, call):
        """Nor do callbacks."""
        ear = Ear()
        made = Guard([MarkedWords()], policy={**POLICIES, "annotate": annotate, "flag": flag}[policy]())
        chain = PROMPT | Thinker(written) | GuardedOutput(made)
        received = CALLS[call](chain, {"question": "Pets?"}, {"callbacks": [ear]})
        assert GOOD in "".join(map(text_of, received))
        assert not leaks(received)
        assert not leaks([text for _, text in ear.heard])

    @pytest.mark.parametrize("call", ["stream", "astream", "events"])
    @pytest.mark.parametrize("written", THOUGHTS)
    @pytest.mark.parametrize("reasoning", ["drop", "check"])
    def test_sentences_say_nothing_of_it(self, reasoning, written, call):
        """Though they go out before the end."""
        ear = Ear()
        made = Guard([Sentences()], policy=remove())
        guarded = guard_runnable(made, Thinker(written), streaming="sentence", reasoning=reasoning)
        received = CALLS[call](guarded, "Pets?", {"callbacks": [ear]})
        assert GOOD in "".join(map(text_of, received))
        assert not leaks(received)
        assert not leaks([text for _, text in ear.heard])

    @pytest.mark.parametrize("call", AGENT_CALLS)
    @pytest.mark.parametrize("written", THOUGHTS)
    @pytest.mark.parametrize("reasoning", ["drop", "check"])
    def test_agents_say_and_store_nothing_of_it(self, reasoning, written, call):
        """Nor is it in the prompt of a second turn."""
        model, ear, saver = Thinker(written), Ear(), InMemorySaver()
        middleware = GuardrailMiddleware(guard("remove"), reasoning=reasoning)
        agent = create_agent(model, [], middleware=[middleware], checkpointer=saver)
        config = {"configurable": {"thread_id": "1"}, "callbacks": [ear]}
        if "batch" in call:
            config = [config, {"configurable": {"thread_id": "2"}, "callbacks": [ear]}]
        received = AGENT_CALLS[call](agent, {"messages": [("user", "Pets?")]}, config)
        AGENT_CALLS[call](agent, {"messages": [("user", "And others?")]}, config)
        assert not leaks(received)
        assert not leaks([text for _, text in ear.heard])
        assert not leaks([repr(saver.storage), repr(saver.writes), repr(saver.blobs)])
        assert not leaks([repr(model.asked)])

    @pytest.mark.parametrize("written", THOUGHTS)
    def test_control_it_leaks_if_it_may_pass(self, written):
        """So these tests can fail."""
        chain = PROMPT | Thinker(written) | GuardedOutput(guard("remove"), reasoning="pass")
        for call in ("invoke", "stream", "events"):
            assert leaks(CALLS[call](chain, {"question": "Pets?"}, {}))


CITED = {
    "citations": {"citations": [{"type": "char_location", "cited_text": f"As {MARK} showed."}]},
    "annotations": {"annotations": [{"type": "citation", "cited_text": f"As {MARK} showed."}]},
    "extras": {"extras": {"note": f"As {MARK} showed."}},
}


BESIDE = {
    "list": lambda message: [message, AIMessage(BAD)],
    "dict": lambda message: {"said": message, "answer": BAD},
    "deep": lambda message: {"said": [[message]], "answer": BAD},
    "raw": lambda message: {"raw": message, "parsed": None, "parsing_error": None, "answer": BAD},
    "raw and parsed": lambda message: {"raw": message, "parsed": ["Cats."], "parsing_error": None, "b": BAD},
}


class Citing(FakeChat):
    """Says it in the second of three blocks; the other two quote it."""

    quoted: str

    def __init__(self, quoted):
        super().__init__(quoted=quoted)

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        first, *others = [one.message for one in self._stream(messages, stop, run_manager, **kwargs)]
        message = message_chunk_to_message(first + others if others else first)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(self, messages, stop=None, run_manager=None, **kwargs):
        self.asked.append(list(messages))
        if told_off(messages):
            yield ChatGenerationChunk(message=AIMessageChunk(GOOD))
            return
        for i, text in enumerate(["Cats purr.", f" Dogs bark, as {MARK} showed.", " Cows moo."]):
            for part in (text[:18], text[18:]):
                said = {"type": "text", "text": part, "index": i}
                yield ChatGenerationChunk(message=AIMessageChunk([said]))
            if i != 1:
                said = {"type": "text", "text": "", "index": i, **CITED[self.quoted]}
                yield ChatGenerationChunk(message=AIMessageChunk([said]))


class TestLeakOfCitations:
    """A block that no policy touched quotes what was taken out of another block of the message."""

    @pytest.mark.parametrize("call", CALLS)
    @pytest.mark.parametrize("quoted", CITED)
    @pytest.mark.parametrize("policy", POLICIES)
    def test_chains_say_nothing_of_it(self, policy, quoted, call):
        """Nor do callbacks."""
        ear = Ear()
        chain = PROMPT | Citing(quoted) | GuardedOutput(guard(policy))
        received = CALLS[call](chain, {"question": "Pets?"}, {"callbacks": [ear]})
        assert received
        assert policy == "block" or GOOD in "".join(map(text_of, received))
        assert not leaks(received)
        assert not leaks([text for _, text in ear.heard])

    @pytest.mark.parametrize("call", ["invoke", "stream", "astream", "events"])
    @pytest.mark.parametrize("quoted", CITED)
    def test_sentences_say_nothing_of_it(self, quoted, call):
        """Though the first block goes out before the second is there."""
        ear = Ear()
        guarded = guard_runnable(Guard([Sentences()], policy=remove()), Citing(quoted), streaming="sentence")
        received = CALLS[call](guarded, "Pets?", {"callbacks": [ear]})
        assert GOOD in "".join(map(text_of, received))
        assert not leaks(received)
        assert not leaks([text for _, text in ear.heard])

    @pytest.mark.parametrize("call", AGENT_CALLS)
    @pytest.mark.parametrize("quoted", CITED)
    @pytest.mark.parametrize("policy", POLICIES)
    def test_agents_say_and_store_nothing_of_it(self, policy, quoted, call):
        """Nor is it in the prompt of a second turn."""
        model, ear, saver = Citing(quoted), Ear(), InMemorySaver()
        agent = create_agent(model, [], middleware=[GuardrailMiddleware(guard(policy))], checkpointer=saver)
        config = {"configurable": {"thread_id": "1"}, "callbacks": [ear]}
        if "batch" in call:
            config = [config, {"configurable": {"thread_id": "2"}, "callbacks": [ear]}]
        received = AGENT_CALLS[call](agent, {"messages": [("user", "Pets?")]}, config)
        turns = len(model.first_prompts)
        AGENT_CALLS[call](agent, {"messages": [("user", "And others?")]}, config)
        assert not leaks(received)
        assert not leaks([text for _, text in ear.heard])
        assert not leaks([repr(saver.storage), repr(saver.writes), repr(saver.blobs)])
        assert not leaks([repr(messages) for messages in model.first_prompts[turns:]])

    @pytest.mark.parametrize("quoted", CITED)
    def test_control_it_leaks_if_nothing_is_cut(self, quoted):
        """So these tests can fail."""
        chain = PROMPT | Citing(quoted) | GuardedOutput(Guard([MarkedWords()], policy=flag()))
        [said] = CALLS["invoke"](chain, {"question": "Pets?"}, {})
        assert all(leaks([said.content[i]]) for i in (0, 2))

    @pytest.mark.parametrize("place", BESIDE)
    def test_other_messages_of_an_output_say_nothing_of_it(self, place):
        """Nor do their metadata."""
        beside = AIMessage(
            [{"type": "text", "text": "Cats purr.", **CITED["citations"]}],
            additional_kwargs={"search": f"{MARK} did"},
            response_metadata={"quote": f"{MARK} did", "model_name": "fake-1"},
        )
        chain = RunnableLambda(lambda _: BESIDE[place](beside))
        made = guard_runnable(Guard([MarkedWords()], policy=remove()), chain)
        found = made.invoke("Pets?")
        assert "Cats purr." in repr(found)
        assert "fake-1" in repr(found)
        assert not leaks([found])

    def test_what_is_no_prose_stays_with_a_block(self):
        """A signature, where in the list it is, and a citation that no text was cut from."""
        content = [
            {"type": "text", "text": f"As {MARK} showed. ", "extras": {"signature": "c2ln"}},
            {"type": "text", "text": GOOD, "index": 1, "extras": {"signature": "c2ln"}, "annotations": [{}]},
        ]
        model = FakeChat(lambda _: AIMessage(content))
        for policy in (remove, flag):
            found = guard_runnable(Guard([MarkedWords()], policy=policy()), model).invoke("Pets?")
            assert found.content[-1]["extras"] == {"signature": "c2ln"}
            assert len(found.content[-1]) == 5


class TestAnnotationsInStreams:
    """The text stays, by definition; the mark comes with it."""

    @pytest.mark.parametrize("call", CALLS)
    @pytest.mark.parametrize("kind", CHAINS)
    def test_chains_carry_the_mark(self, kind, call):
        """Before the stream ends."""
        chain = CHAINS[kind](FakeChat()) | GuardedOutput(Guard([MarkedWords()], policy=annotate()))
        received = CALLS[call](chain, {"question": "Pets?"}, {})
        assert NOTE in repr(received) or NOTE in "".join(map(text_of, received))

    @pytest.mark.parametrize("call", AGENT_CALLS)
    def test_agents_carry_the_mark(self, call):
        """Before the stream ends."""
        agent = create_agent(
            FakeChat(),
            [],
            checkpointer=InMemorySaver(),
            middleware=[GuardrailMiddleware(Guard([MarkedWords()], policy=annotate()))],
        )
        config = {"configurable": {"thread_id": "1"}}
        received = AGENT_CALLS[call](
            agent,
            {"messages": [("user", "Pets?")]},
            [config, {"configurable": {"thread_id": "2"}}] if "batch" in call else config,
        )
        assert NOTE in repr(received) or NOTE in "".join(map(text_of, received))


def test_the_word_is_where_providers_repeat_it():
    """The fake message would leak by each of these ways."""
    message = bad_message()
    assert MARK in BAD
    assert MARK in repr(message.additional_kwargs)
    assert all(half in repr(message.response_metadata["logprobs"]) for half in HALVES)
