"""Nothing rejected is received: structures in every call, mixed batches, many at once, and calls that are given up."""

from __future__ import annotations

import asyncio
import contextlib

import pytest
from integrations.langchain.tests.langchain_fakes import (
    BAD,
    GOOD,
    MARK,
    Ear,
    FakeChat,
    MarkedWords,
    bad_message,
    leaks,
    told_off,
)
from integrations.langchain.tests.test_langchain_leak import CALLS, POLICIES, PROMPT, guard
from langchain.agents import create_agent
from langchain_core._api import LangChainBetaWarning
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel, Field

from guardrail import Blocked, Guard, regenerate, remove
from guardrail.engine.backend import Backend
from guardrail.engine.flow import one
from guardrail.requests import Ask, user
from guardrail_langchain import GuardedOutput, GuardrailMiddleware, guard_runnable

pytestmark = pytest.mark.filterwarnings(f"ignore::{LangChainBetaWarning.__module__}.LangChainBetaWarning")


class Pet(BaseModel):
    """A structured answer."""

    name: str
    notes: dict[str, int] = {}


def structured(messages):
    """Text beside a call, the call's arguments, and a key: all say it."""
    if told_off(messages):
        return AIMessage(GOOD, tool_calls=[{"name": "Pet", "args": {"name": "Rex"}, "id": "c"}])
    arguments = {"name": f"Rex. Says {MARK}.", "notes": {f"By {MARK}.": 1, "Tom purrs.": 2}, "more": BAD}
    return bad_message().model_copy(
        update={"tool_calls": [{"name": "Pet", "args": arguments, "id": "c", "type": "tool_call"}]}
    )


STRUCTURES = {
    "raw": lambda model: PROMPT | model.with_structured_output(Pet, include_raw=True),
    "bare raw": lambda model: (lambda x: x["question"]) | model.with_structured_output(Pet, include_raw=True),
    "parsed": lambda model: PROMPT | model.with_structured_output(Pet),
    "in a dict": lambda model: PROMPT | {"answer": model | StrOutputParser(), "said": model},
}
REPLIES = {  # arguments of calls that nobody parses are not examined
    "in a dict": FakeChat().reply,
}
MORE_CALLS = {
    **CALLS,
    "abatch_as_completed": lambda r, x, c: asyncio.run(_collected(r.abatch_as_completed([x, x], c))),
    "atransform": lambda r, x, c: asyncio.run(_collected(r.atransform(_once(x), c))),
    "events v1": lambda r, x, c: asyncio.run(_collected(r.astream_events(x, c, version="v1"))),
    "log": lambda r, x, c: asyncio.run(_collected(r.astream_log(x, c))),
}


async def _once(given):
    yield given


async def _collected(iterator):
    return [item async for item in iterator]


def received(call, runnable, given, config):
    """What arrives, be it an error."""
    try:
        return call(runnable, given, config)
    except Blocked as error:
        return [str(error), repr(error)]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
class TestStructures:
    """`with_structured_output(…, include_raw=True)` and the like, in every way to call."""

    @pytest.mark.parametrize("call", MORE_CALLS)
    @pytest.mark.parametrize("policy", POLICIES)
    @pytest.mark.parametrize("kind", STRUCTURES)
    def test_nothing_rejected_is_received(self, kind, policy, call):
        """Neither in raw nor in parsed, nor by callbacks."""
        ear = Ear()
        chain = STRUCTURES[kind](FakeChat(REPLIES.get(kind, structured))) | GuardedOutput(guard(policy))
        found = received(MORE_CALLS[call], chain, {"question": "Pets?"}, {"callbacks": [ear]})
        assert found
        assert not leaks(found)
        assert not leaks([text for _, text in ear.heard])

    @pytest.mark.parametrize("call", MORE_CALLS)
    @pytest.mark.parametrize("kind", STRUCTURES)
    def test_control_unguarded_they_leak(self, kind, call):
        """So these tests can fail."""
        ear = Ear()
        chain = STRUCTURES[kind](FakeChat(REPLIES.get(kind, structured)))
        assert leaks(MORE_CALLS[call](chain, {"question": "Pets?"}, {"callbacks": [ear]}))
        assert leaks([text for _, text in ear.heard])

    @pytest.mark.parametrize("policy", POLICIES)
    @pytest.mark.parametrize("call", ["abatch_as_completed", "atransform", "events v1", "log"])
    def test_messages_do_not_leak_either(self, call, policy):
        """By the calls that the other file does not try."""
        ear = Ear()
        chain = PROMPT | FakeChat() | GuardedOutput(guard(policy))
        assert not leaks(MORE_CALLS[call](chain, {"question": "Pets?"}, {"callbacks": [ear]}))
        assert not leaks([text for _, text in ear.heard])


def by_question(messages):
    """Good, bad, a tool call with text or without, or a failure, as the question wants it."""
    question = next(str(m.text) for m in messages if m.type == "human" and not told_off([m]))
    if told_off(messages) or "good" in question:
        return AIMessage(GOOD)
    if "fail" in question:
        raise TimeoutError("slow")
    if "tool" in question:
        text = BAD if "text" in question else ""
        return AIMessage(text, tool_calls=[{"name": "f", "args": {}, "id": "c", "type": "tool_call"}])
    return bad_message()


MIXED = ["good", "bad", "tool", "fail", "tool and text", "bad", "good"]
BATCHES = {
    "batch": lambda r, xs, c: r.batch(xs, c, return_exceptions=True),
    "abatch": lambda r, xs, c: asyncio.run(r.abatch(xs, c, return_exceptions=True)),
    "batch_as_completed": lambda r, xs, c: _in_order(r.batch_as_completed(xs, c, return_exceptions=True)),
    "abatch_as_completed": lambda r, xs, c: _in_order(
        asyncio.run(_collected(r.abatch_as_completed(xs, c, return_exceptions=True)))
    ),
    "gather": lambda r, xs, c: asyncio.run(_gathered(r, xs, c)),
}


async def _gathered(runnable, inputs, config):
    return await asyncio.gather(*(runnable.ainvoke(x, config) for x in inputs), return_exceptions=True)


def _in_order(pairs):
    return [item for _, item in sorted(pairs, key=lambda pair: pair[0])]


class TestMixedBatches:
    """Good answers, bad ones, tool calls and failures side by side."""

    @pytest.mark.parametrize("batch", BATCHES)
    @pytest.mark.parametrize("policy", POLICIES)
    @pytest.mark.parametrize("limit", [1, 3])
    def test_each_gets_its_own(self, batch, policy, limit):
        """In its place; the good ones and the failures are as they were."""
        ear = Ear()
        guarded = guard_runnable(guard(policy), FakeChat(by_question))
        found = BATCHES[batch](guarded, MIXED, {"callbacks": [ear], "max_concurrency": limit})
        assert not leaks(found)
        assert not leaks([text for _, text in ear.heard])
        assert [found[i].content for i in (0, 6)] == [GOOD, GOOD]
        assert isinstance(found[3], TimeoutError)
        assert found[2].tool_calls
        assert found[2].content == ""
        if policy != "block":
            assert [found[i].content for i in (1, 4, 5)] == [GOOD] * 3
        if policy != "regenerate":  # then it no longer wants to call
            assert found[4].tool_calls

    @pytest.mark.parametrize("batch", BATCHES)
    @pytest.mark.parametrize("policy", POLICIES)
    def test_agents_too(self, batch, policy):
        """Each thread has its own state."""
        middleware = [GuardrailMiddleware(guard(policy))]
        agent = create_agent(FakeChat(by_question), [], middleware=middleware, checkpointer=InMemorySaver())
        inputs = [{"messages": [("user", question)]} for question in ("good", "bad", "fail", "bad")]
        if batch == "gather":
            agent_config = [{"configurable": {"thread_id": str(i)}} for i in range(4)]
            found = asyncio.run(_agents(agent, inputs, agent_config))
        else:
            agent_config = [{"configurable": {"thread_id": str(i)}} for i in range(4)]
            found = BATCHES[batch](agent, inputs, agent_config)
        assert not leaks(found)
        assert found[0]["messages"][-1].content == GOOD
        assert isinstance(found[2], TimeoutError)
        assert not leaks([repr(agent.get_state(config)) for config in agent_config])

    @pytest.mark.parametrize("batch", BATCHES)
    def test_control_unguarded_they_leak(self, batch):
        """So these tests can fail."""
        ear = Ear()
        assert leaks(BATCHES[batch](FakeChat(by_question), MIXED, {"callbacks": [ear]}))
        assert leaks([text for _, text in ear.heard])


async def _agents(agent, inputs, configs):
    calls = (agent.ainvoke(x, c) for x, c in zip(inputs, configs, strict=True))
    return await asyncio.gather(*calls, return_exceptions=True)


class SlowChat(FakeChat):
    """Takes for ever from the given attempt on, in `ainvoke` and in `astream`, and knows how it ended."""

    slow_from: int = 1
    begun: list[int] = Field(default_factory=list)
    ended: list[str] = Field(default_factory=list)

    async def _agenerate(self, messages, stop=None, run_manager=None, **kwargs):
        result = self._generate(messages, stop, run_manager, **kwargs)
        await self._wait()
        return result

    async def _astream(self, messages, stop=None, run_manager=None, **kwargs):
        chunks = list(self._stream(messages, stop, run_manager, **kwargs))
        for chunk in chunks[:12]:
            yield chunk
        await self._wait()
        for chunk in chunks[12:]:
            yield chunk

    async def _wait(self):
        self.begun.append(len(self.asked))
        try:
            if len(self.asked) >= self.slow_from:
                await asyncio.sleep(3600)
        except BaseException as error:
            self.ended.append(type(error).__name__)
            raise
        self.ended.append("done")


class SlowJudge(Backend):
    """A backend that takes for ever."""

    fingerprint = "slow"

    def __init__(self):
        self.begun, self.ended = 0, []

    def answer(self, requests):
        raise AssertionError("a guard on a loop asks there")

    async def aanswer(self, requests):
        self.begun += 1
        try:
            await asyncio.sleep(3600)
        except BaseException as error:
            self.ended.append(type(error).__name__)
            raise
        return []


class Asking(MarkedWords):
    """Asks before it judges."""

    name = "asking"

    def cost(self, case):
        return {"chat:judge": (1, 1)}

    def examine(self, case):
        yield from one(Ask((user("Is it so?"),)))
        return (yield from super().examine(case))


def streams(door, model, one_guard):
    """Both doors: what to call `astream` and `stream` with."""
    if door == "agent":
        agent = create_agent(model, [], middleware=[GuardrailMiddleware(one_guard)] if one_guard else [])
        return agent, {"messages": [("user", "Pets?")]}, {"stream_mode": "messages"}
    if door == "raw":
        chain = (lambda x: x) | model.with_structured_output(Pet, include_raw=True)
        return (guard_runnable(one_guard, chain) if one_guard else chain), "Pets?", {}
    return (guard_runnable(one_guard, model) if one_guard else model), "Pets?", {}


async def given_up(runnable, given, options, config, until):
    """Read until something has happened, then cancel; what was received, and the tasks that are left."""
    before = asyncio.all_tasks()
    got = []

    async def read():
        async for item in runnable.astream(given, config, **options):
            got.append(item)

    reader = asyncio.create_task(read())
    async with asyncio.timeout(10):
        while not until():  # noqa: ASYNC110  # what is waited for are counters of fakes
            await asyncio.sleep(0)
        reader.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await reader
        for _ in range(100):  # turns for those that end with it
            await asyncio.sleep(0)
    return got, asyncio.all_tasks() - before


DOORS = ["model", "raw", "agent"]


class TestGivenUp:
    """The reader of a stream goes away."""

    @pytest.mark.parametrize("policy", POLICIES)
    @pytest.mark.parametrize("door", ["model", "agent"])
    @pytest.mark.parametrize("taken", [1, 3])
    def test_after_some_pieces(self, door, policy, taken):
        """They were accepted, as were all that would have followed; sync and async."""
        ear = Ear()
        runnable, given, options = streams(door, FakeChat(), guard(policy))
        stream = runnable.stream(given, {"callbacks": [ear]}, **options)
        got = [next(stream) for _ in range(taken)]
        stream.close()
        assert not leaks(got)

        async def read():
            stream = runnable.astream(given, {"callbacks": [ear]}, **options)
            got = [await anext(stream) for _ in range(taken)]
            await stream.aclose()
            return got

        assert not leaks(asyncio.run(read()))
        assert not leaks([text for _, text in ear.heard])

    @pytest.mark.parametrize("door", ["model", "agent"])
    def test_control_unguarded_the_first_pieces_leak(self, door):
        """So these tests can fail."""
        runnable, given, options = streams(door, FakeChat(), None)
        stream = runnable.stream(given, {}, **options)
        got = [next(stream) for _ in range(11)]
        stream.close()
        assert leaks(got)

    @pytest.mark.parametrize("slow_from", [1, 2])
    @pytest.mark.parametrize("door", DOORS)
    def test_while_the_model_speaks(self, door, slow_from):
        """Its call is cancelled, in the first attempt and in the second; nothing was received or heard."""
        ear, model = Ear(), SlowChat(slow_from=slow_from)
        runnable, given, options = streams(door, model, guard("regenerate"))
        got, left = asyncio.run(
            given_up(
                runnable,
                given,
                options,
                {"callbacks": [ear]},
                lambda: len(model.begun) >= slow_from,
            )
        )
        assert not leaks(got)
        assert not leaks([text for _, text in ear.heard])
        assert "on_llm_new_token" not in ear.names()
        assert model.ended == ["done"] * (slow_from - 1) + ["CancelledError"]
        assert len(model.asked) == slow_from
        assert not left

    @pytest.mark.parametrize("door", DOORS)
    def test_while_the_guard_asks(self, door):
        """Its own call is cancelled, too, and the model is not asked again."""
        ear, model, judge = Ear(), FakeChat(), SlowJudge()
        asking = Guard([Asking()], chat=judge, policy=regenerate() | remove())
        runnable, given, options = streams(door, model, asking)
        got, left = asyncio.run(given_up(runnable, given, options, {"callbacks": [ear]}, lambda: judge.begun))
        assert not leaks(got)
        assert not leaks([text for _, text in ear.heard])
        assert judge.ended == ["CancelledError"]
        assert len(model.asked) == 1
        assert not left

    @pytest.mark.parametrize("door", DOORS)
    def test_control_unguarded_the_reader_has_it_by_then(self, door):
        """So these tests can fail."""
        ear, model = Ear(), SlowChat()
        runnable, given, options = streams(door, model, None)
        got, _ = asyncio.run(given_up(runnable, given, options, {"callbacks": [ear]}, lambda: model.begun))
        assert leaks(got) or door == "raw"
        assert "on_llm_new_token" in ear.names()

    @pytest.mark.parametrize("door", DOORS)
    def test_control_not_given_up_the_model_ends(self, door):
        """So that it was cancelled above is the reader's doing."""
        model = SlowChat(slow_from=99)
        runnable, given, options = streams(door, model, guard("regenerate"))
        got = asyncio.run(_collected(runnable.astream(given, {}, **options)))
        assert model.ended == ["done", "done"]
        assert not leaks(got)

    def test_one_of_a_batch_that_is_cancelled(self):
        """`abatch` cancels the calls of all its inputs."""
        model = SlowChat()
        runnable, _, _ = streams("model", model, guard("regenerate"))

        async def run():
            batch = asyncio.create_task(runnable.abatch(["a", "b", "c"]))
            while len(model.begun) < 3:  # noqa: ASYNC110  # as above
                await asyncio.sleep(0)
            batch.cancel()
            with pytest.raises(asyncio.CancelledError):
                await batch

        asyncio.run(asyncio.wait_for(run(), 10))
        assert model.ended == ["CancelledError"] * 3
        assert len(model.asked) == 3
