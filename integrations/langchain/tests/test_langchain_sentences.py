"""Streams of chains and models that are released sentence by sentence."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from integrations.langchain.tests.langchain_fakes import MARK, Ear, FakeChat, bad_message, leaks, text_of
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AIMessageChunk, ToolMessage, message_chunk_to_message
from langchain_core.output_parsers import JsonOutputParser, StrOutputParser
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.prompts import ChatPromptTemplate
from langgraph.graph import START, MessagesState, StateGraph
from pydantic import Field
from tests.unit.adapting.test_sentence_stream import BySentence as Judged
from tests.unit.adapting.test_sentence_stream import chunked, chunkings
from tests.unit.adapting.test_sentence_stream import texts as texts_of_any_kind

from guardrail import Detector, Finding, Guard, Verdict, annotate, block, flag, remove
from guardrail.chat import ScriptedChat
from guardrail.detector import Ask, draws, each
from guardrail.errors import ConfigError
from guardrail.text.claims import pieces
from guardrail_langchain import GuardedOutput, guard_runnable

SAID = f"Cats purr softly. Dogs bark, as {MARK} showed. Cows say moo. That is all."
CUT = "Cats purr softly. Cows say moo. That is all."
PROMPT = ChatPromptTemplate.from_messages([("user", "{question}")])
POLICIES = {"remove": remove, "annotate": annotate, "flag": flag}
CALL = {"name": "look", "args": {"pet": "Rex"}, "id": "c", "type": "tool_call"}


class BySentence(Detector):
    """Finds sentences with the word."""

    name = "by-sentence"
    scope = "sentence"

    def __init__(self, *, samples=0):
        self.samples = samples

    def cost(self, case):
        return {"chat:subject": (0, self.samples)}

    def ahead(self, case):
        if self.samples:
            yield from each(draws(Ask(case.messages, temperature=1.0), self.samples))

    def examine(self, case):
        yield from self.ahead(case)
        return [self.judged(one.span, one.span.of(case.answer)) for one in pieces(case.answer)]

    def judged(self, span, text):
        bad = MARK in text
        verdict = Verdict.UNSUPPORTED if bad else Verdict.SUPPORTED
        return Finding(
            detector=self.name,
            span=span,
            text=text,
            score=float(bad),
            verdict=verdict,
            mark="no" if bad else "",
        )


class Pieces(FakeChat):
    """Streams these chunks; notes how many were taken."""

    said: list = Field(repr=False)  # tracers store a model's repr
    taken: list = Field(repr=False)

    def __init__(self, said):
        super().__init__(lambda _: AIMessage(""), said=said, taken=[])

    def _stream(self, messages, stop=None, run_manager=None, **kwargs):
        for chunk in self.said:
            self.taken.append(chunk)
            if isinstance(chunk, Exception):
                raise chunk
            yield ChatGenerationChunk(message=chunk.model_copy(deep=True))

    async def _astream(self, messages, stop=None, run_manager=None, **kwargs):
        for chunk in self._stream(messages):
            await asyncio.sleep(0)
            yield chunk


def texts(text, size=5):
    return [AIMessageChunk(text[i : i + size], id="m-1") for i in range(0, len(text), size)]


def blocks(text, size=5, index=0):
    parts = [text[i : i + size] for i in range(0, len(text), size)]
    return [AIMessageChunk([{"type": "text", "text": part, "index": index}], id="m-1") for part in parts]


def guarded(model, policy=remove, **options):
    return guard_runnable(Guard([BySentence()], policy=policy()), model, streaming="sentence", **options)


def streamed(runnable, asynchronous, config=None):
    if not asynchronous:
        return list(runnable.stream("Pets?", config))

    async def run():
        return [chunk async for chunk in runnable.astream("Pets?", config)]

    return asyncio.run(run())


def joined(found):
    return message_chunk_to_message(found[0] + found[1:])


def said(found):
    return [text_of(one) for one in found if text_of(one)]


class TestText:
    @pytest.mark.parametrize("asynchronous", [False, True])
    @pytest.mark.parametrize("policy", POLICIES)
    @pytest.mark.parametrize("heard", [False, True])
    def test_it_is_what_buffering_releases(self, policy, asynchronous, heard):
        """The message, its metadata and its usage too; with callbacks and without."""
        config = {"callbacks": [Ear()]} if heard else None
        model = FakeChat(lambda _: bad_message(SAID))
        found = streamed(guarded(model, POLICIES[policy]), asynchronous, config)
        whole = guard_runnable(Guard([BySentence()], policy=POLICIES[policy]()), model)
        one, other = joined(found), joined(streamed(whole, asynchronous))
        for message in (one, other):
            message.id = None
            message.response_metadata["guardrail"].pop("seconds", None)
        assert one == other
        assert len(said(found)) >= 3
        assert leaks(found) == (policy != "remove")

    @pytest.mark.parametrize("content", [texts, blocks])
    @pytest.mark.parametrize("size", [1, 4, 30, 1000])
    def test_every_chunking(self, content, size):
        """Of strings and of content blocks."""
        found = streamed(guarded(Pieces(content(SAID, size))), False)
        assert joined(found).text == CUT
        assert all(isinstance(one, AIMessageChunk) and one.id == "m-1" for one in found)
        assert isinstance(found[0].content, str) == (content is texts)
        assert not leaks(found)

    @pytest.mark.parametrize("policy", POLICIES)
    @given(text=texts_of_any_kind, sizes=chunkings, in_blocks=st.booleans())
    @settings(max_examples=30, deadline=None)
    def test_any_text_is_what_buffering_releases(self, policy, text, sizes, in_blocks):
        """Headings, lists, code, formulas, other scripts; cut in every way, into strings or blocks."""
        parts = list(chunked(text, sizes))
        said = [content for part in parts for content in (blocks if in_blocks else texts)(part, 1000)]
        guard = Guard([Judged()], policy=POLICIES[policy]())
        found = streamed(guard_runnable(guard, Pieces(said), streaming="sentence"), False)
        assert joined(found).text == guard.check(text).answer

    def test_a_sentence_is_out_before_the_next_is_there(self):
        """The model has not been asked for the rest."""
        model = Pieces(texts(SAID))
        coming = guarded(model).stream("Pets?")
        assert next(coming).text == "Cats purr softly."
        assert len(model.taken) < len(model.said) / 2
        assert "".join(said(coming)) == CUT.removeprefix("Cats purr softly.")

    def test_a_chain_to_text(self):
        """Through a parser of strings, and behind a prompt; the report goes to the guard."""
        reports = []
        guard = Guard([BySentence()], policy=remove(), on_report=reports.append)
        chain = PROMPT | Pieces(texts(SAID)) | StrOutputParser() | GuardedOutput(guard, streaming="sentence")
        found = list(chain.stream({"question": "Pets?"}))
        assert found[0] == "Cats purr softly."
        assert "".join(found) == CUT
        assert [report.verdict for report in reports] == [Verdict.UNSUPPORTED]

    def test_a_listener_that_raises(self):
        """It is seen, and the stream is whole."""
        guard = Guard([BySentence()], policy=remove(), on_report=lambda _: 1 / 0)
        chain = PROMPT | Pieces(texts(SAID)) | StrOutputParser() | GuardedOutput(guard, streaming="sentence")
        with pytest.warns(RuntimeWarning, match="on_report raised ZeroDivisionError"):
            assert "".join(chain.stream({"question": "Pets?"})) == CUT


class TestWaits:
    def test_a_tool_call_comes_at_the_end(self):
        """Whole, though the model sent it in pieces before it had ended."""
        parts = [
            AIMessageChunk(
                "", id="m-1", tool_call_chunks=[{"name": name, "args": args, "id": ident, "index": 0}]
            )
            for name, args, ident in (("look", '{"pet": ', "c"), (None, '"Rex"}', None))
        ]
        found = streamed(guarded(Pieces([*texts(SAID), *parts])), False)
        assert [bool(one.tool_call_chunks) for one in found].index(True) == len(found) - 1
        assert joined(found).tool_calls == [CALL]
        assert joined(found).text == CUT

    def test_reasoning_before_the_text_holds_it_back(self):
        """It may say what the answer then leaves out, and must not come behind the text."""
        reasoning = AIMessageChunk([{"type": "reasoning", "reasoning": f"{MARK}?", "index": 0}], id="m-1")
        model = Pieces([reasoning, *blocks(SAID, index=1)])
        found = streamed(guarded(model, flag, reasoning="pass"), False)
        assert [block["type"] for block in joined(found).content] == ["reasoning", "text"]
        assert not leaks(streamed(guarded(model, reasoning="pass"), False))
        assert joined(streamed(guarded(model, reasoning="pass"), False)).text == CUT

    @pytest.mark.parametrize("asynchronous", [False, True])
    @pytest.mark.parametrize("policy", POLICIES)
    def test_reasoning_that_is_left_out_does_not_hold_the_text_back(self, policy, asynchronous):
        """What its service needs back goes out first, at its place."""
        thinking = [
            AIMessageChunk([{"type": "thinking", "thinking": f"{MARK}?", "index": 0}], id="m-1"),
            AIMessageChunk([{"type": "thinking", "signature": "c2ln", "index": 0}], id="m-1"),
        ]
        model = Pieces([*thinking, *blocks(SAID, index=1)])
        found = streamed(guarded(model, POLICIES[policy]), asynchronous)
        sealed = {"type": "thinking", "thinking": "", "signature": "c2ln", "index": 0}
        assert [sealed] == found[0].content
        assert len([chunk for chunk in found if chunk.text]) > 1
        whole = joined(found)
        assert [block["type"] for block in whole.content] == ["thinking", "text"]
        assert whole.content[0] == sealed
        assert MARK not in repr(found) or policy != "remove"
        assert f"{MARK}?" not in repr(found)

    def test_reasoning_that_is_all_readable_leaves_nothing(self):
        """The text comes as though there were none."""
        thought = AIMessageChunk([{"type": "reasoning", "reasoning": f"{MARK}?", "index": 0}], id="m-1")
        model = Pieces([thought, *blocks(SAID, index=1)])
        it = guarded(model).stream("Pets?")
        first = next(it)
        assert len(model.taken) < len(model.said)
        assert joined([first, *it]).content == [{"type": "text", "text": CUT, "index": 1}]

    def test_blocks_behind_the_text_come_at_the_end(self):
        """In their order, and the text is one block."""
        more = AIMessageChunk([{"type": "text", "text": " It is late.", "index": 1}], id="m-1")
        found = streamed(guarded(Pieces([*blocks(SAID), more])), False)
        content = joined(found).content
        assert [block["text"] for block in content] == [CUT, " It is late."]

    @pytest.mark.parametrize(
        ("chain", "policy"),
        [
            (lambda model: model, block),
            (lambda model: model | JsonOutputParser(), flag),
            (lambda model: model | (lambda message: message.text), flag),
        ],
    )
    def test_what_cannot_be_released_by_sentence_says_so(self, chain, policy, caplog):
        """Once, when it is composed."""
        guard_runnable(Guard([BySentence()], policy=policy()), chain(FakeChat()), streaming="sentence")
        assert caplog.text.count("streams_are_buffered") == 1

    def test_an_agent_that_binds_tools_at_each_call_says_it_once(self, caplog):
        """For all calls of its model."""

        def look(pet: str) -> str:
            """Look at a pet."""
            return f"{pet} is well."

        def reply(messages):
            if isinstance(messages[-1], ToolMessage):
                return AIMessage(CUT)
            return AIMessage("", tool_calls=[CALL])

        model = FakeChat(reply)
        agent = create_agent(guarded(model, block), [look])
        for _ in range(2):
            agent.invoke({"messages": [("user", "Pets?")]})
        assert len(model.asked) == 4
        assert all(options["tools"] for options in model.options)
        assert caplog.text.count("streams_are_buffered") == 1

    def test_what_a_schema_holds_back_is_said(self, caplog):
        """The model alone is released by sentence, its structured answers are not."""
        model = guarded(FakeChat())
        assert "streams_are_buffered" not in caplog.text
        model.with_structured_output({"title": "Pet", "type": "object", "properties": {}})
        assert caplog.text.count("streams_are_buffered") == 1

    def test_an_unknown_mode_is_refused(self):
        """With the known ones."""
        with pytest.raises(ConfigError, match="sentence"):
            guard_runnable(Guard([BySentence()]), FakeChat(), streaming="observe")


class TestSamples:
    @pytest.mark.parametrize("asynchronous", [False, True])
    def test_they_are_asked_for_once(self, asynchronous):
        """While the model works, and no callback hears of it."""
        chat, ear = ScriptedChat(lambda _: "Cats purr."), Ear()
        guard = Guard([BySentence(samples=3)], chat=chat, policy=remove())
        runnable = guard_runnable(guard, Pieces(texts(SAID)), streaming="sentence")
        found = streamed(runnable, asynchronous, {"callbacks": [ear]})
        assert joined(found).text == CUT
        assert len(chat.asked) == 3
        assert ear.names().count("on_chat_model_start") == 1


class TestFaults:
    @pytest.mark.parametrize("asynchronous", [False, True])
    def test_a_model_that_breaks_off_is_an_error(self, asynchronous):
        """What was examined is out, the rest is heard by nobody."""
        ear, found = Ear(), []
        fault = RuntimeError("gone")
        runnable = guarded(Pieces([*texts(f"Cats purr softly. Cows say moo. The {MARK} is"), fault]))
        with pytest.raises(RuntimeError, match="gone"):
            found.extend(self.coming(runnable, {"callbacks": [ear]}, asynchronous))
        assert "".join(said(found)) == "Cats purr softly. Cows say moo."
        assert not leaks([found, *ear.heard])

    def coming(self, runnable, config, asynchronous):
        """The chunks, one by one."""
        if not asynchronous:
            yield from runnable.stream("Pets?", config)
            return
        with asyncio.Runner() as runner:
            found = runnable.astream("Pets?", config)
            while (one := runner.run(anext(found, None))) is not None:
                yield one

    def test_what_cannot_be_kept_is_withdrawn(self):
        """A detector broke its promise: the end says that it was filtered."""

        class Fickle(BySentence):
            times = 0

            def judged(self, span, text):
                self.times += 1
                found = super().judged(span, text)
                if self.times <= 1:
                    return found
                whole = {"span": {"start": 0, "end": span.end}, "verdict": Verdict.UNSUPPORTED, "score": 1.0}
                return Finding(detector=self.name, text="", **whole)

        guard = Guard([Fickle()], policy=remove())
        found = streamed(
            guard_runnable(guard, Pieces(texts("Cats purr. Cows moo.")), streaming="sentence"), False
        )
        message = joined(found)
        assert message.text == "Cats purr."
        assert message.response_metadata["finish_reason"] == "content_filter"
        assert message.response_metadata["guardrail"]["action"] == "block"

    def test_a_caller_that_goes_away_ends_the_work(self):
        """The model's stream is closed, and so are the samples that are still asked for."""
        ended, cancelled = [], []

        class Endless(Pieces):
            async def _astream(self, messages, stop=None, run_manager=None, **kwargs):
                try:
                    for chunk in texts(SAID):
                        yield ChatGenerationChunk(message=chunk)
                        await asyncio.sleep(0)
                    await asyncio.sleep(60)
                finally:
                    ended.append(True)

        async def run():
            coming = guarded(Endless([])).astream("Pets?", {"callbacks": [Ear()]})
            async for _ in coming:
                break
            await coming.aclose()
            cancelled.append(len(asyncio.all_tasks()))

        asyncio.run(run())
        assert ended == [True]
        assert cancelled == [1]


class TestGraphs:
    @pytest.mark.parametrize("asynchronous", [False, True])
    def test_messages_of_a_graph_come_sentence_by_sentence(self, asynchronous):
        """With `stream_mode="messages"`, from a node that invokes the guarded model; the state has the same message."""
        model = guarded(Pieces(texts(SAID)))
        builder = StateGraph(MessagesState)

        async def anode(state):
            return {"messages": [await model.ainvoke(state["messages"])]}

        builder.add_node(
            "answer", anode if asynchronous else lambda s: {"messages": [model.invoke(s["messages"])]}
        )
        builder.add_edge(START, "answer")
        graph = builder.compile()
        asked, modes = {"messages": [("user", "Pets?")]}, ["messages", "values"]
        if asynchronous:

            async def run():
                return [one async for one in graph.astream(asked, stream_mode=modes)]

            found = asyncio.run(run())
        else:
            found = list(graph.stream(asked, stream_mode=modes))
        chunks = [one[0] for mode, one in found if mode == "messages"]
        assert said(chunks)[0] == "Cats purr softly."
        assert "".join(said(chunks)) == CUT
        states = [one for mode, one in found if mode == "values"]
        assert states[-1]["messages"][-1].text == CUT
        assert states[-1]["messages"][-1].id == "m-1"
        assert not leaks([found])

    def test_event_streams_hear_what_was_released(self):
        """Of `astream_events`, piece by piece."""

        async def run():
            runnable = guarded(Pieces(texts(SAID)))
            return [one async for one in runnable.astream_events("Pets?", version="v2")]

        events = asyncio.run(run())
        heard = [one["data"]["chunk"] for one in events if one["event"] == "on_chat_model_stream"]
        assert said(heard)[0] == "Cats purr softly."
        assert "".join(said(heard)) == CUT
        assert not leaks(events)

    @pytest.mark.parametrize("asynchronous", [False, True])
    def test_messages_of_an_agent_come_sentence_by_sentence(self, asynchronous):
        """An agent takes the guarded model as its model: its tools are bound, run, and the answer after them flows."""

        def reply(messages):
            if isinstance(messages[-1], ToolMessage):
                return AIMessage(SAID)
            return AIMessage("", tool_calls=[CALL])

        def look(pet: str) -> str:
            """Look at a pet."""
            return f"{pet} is well."

        model = FakeChat(reply)
        agent = create_agent(guarded(model), [look])
        asked, modes = {"messages": [("user", "Pets?")]}, ["messages", "values"]
        if asynchronous:

            async def run():
                return [one async for one in agent.astream(asked, stream_mode=modes)]

            found = asyncio.run(run())
        else:
            found = list(agent.stream(asked, stream_mode=modes))
        chunks = [one[0] for mode, one in found if mode == "messages"]
        told = said([chunk for chunk in chunks if isinstance(chunk, AIMessageChunk)])
        assert told[0] == "Cats purr softly."
        assert "".join(told) == CUT
        states = [one for mode, one in found if mode == "values"]
        assert [type(one).__name__ for one in states[-1]["messages"][1:]] == [
            "AIMessage",
            "ToolMessage",
            "AIMessage",
        ]
        assert states[-1]["messages"][-1].text == CUT
        assert model.options[0]["tools"]
        assert not leaks([found])
