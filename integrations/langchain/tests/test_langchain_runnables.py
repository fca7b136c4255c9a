"""Chains and models: how feedback gets in, how every kind of output is edited, and what is refused."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest
from integrations.langchain.tests.langchain_fakes import (
    BAD,
    GOOD,
    MARK,
    Ear,
    FakeChat,
    MarkedWords,
    bad_message,
    honest_when_told,
    leaks,
    told_off,
)
from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.documents import Document
from langchain_core.language_models import FakeListLLM
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, SystemMessage
from langchain_core.output_parsers import JsonOutputParser, PydanticOutputParser, StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder, PromptTemplate
from langchain_core.runnables import RunnableLambda, RunnableParallel, RunnablePassthrough
from langchain_core.runnables.history import RunnableWithMessageHistory
from pydantic import BaseModel

from guardrail import Blocked, Guard, annotate, block, flag, regenerate, remove
from guardrail.adapting import Change
from guardrail.errors import ConfigError
from guardrail.given.content import messages as conversation
from guardrail_langchain import GuardedOutput, GuardedRunnable, guard_runnable
from guardrail_langchain._messages import chunks, pieces
from guardrail_langchain._reading import read

PROMPT = ChatPromptTemplate.from_messages([("system", "Be brief."), ("user", "{question}")])
ASKED = {"question": "Pets?"}


class Pet(BaseModel):
    """A structured answer."""

    name: str
    notes: list[str] = []


@dataclass
class Owner:
    """A structured answer of another kind."""

    name: str
    pets: dict[str, str]


def guard(policy, **options):
    return Guard([MarkedWords()], policy=policy, **options)


class TestFeedback:
    def test_is_appended_to_what_the_prompt_made(self):
        """The model gets the prompt's own messages again, and one more."""
        model = FakeChat()
        answer = (PROMPT | model | GuardedOutput(guard(regenerate()))).invoke(ASKED)
        assert answer.content == GOOD
        assert model.asked[0] == [SystemMessage("Be brief."), HumanMessage("Pets?")]
        assert model.asked[1][:2] == model.asked[0]
        assert isinstance(model.asked[1][2], HumanMessage)
        assert "rejected" in model.asked[1][2].content

    def test_does_not_run_the_steps_before_the_model_again(self):
        """A retriever is asked once."""
        asked = []

        def retrieve(given):
            asked.append(given)
            return {"question": given["question"]}

        chain = (
            RunnableLambda(retrieve)
            | PROMPT
            | FakeChat()
            | StrOutputParser()
            | GuardedOutput(guard(regenerate()))
        )
        assert chain.invoke(ASKED) == GOOD
        assert len(asked) == 1

    @pytest.mark.parametrize(
        "wrap",
        [
            lambda m: m.bind(stop=["x"]),
            lambda m: m.with_config(tags=["T"]),
            lambda m: m.with_retry(stop_after_attempt=2),
            lambda m: m.with_fallbacks([FakeChat()]),
            lambda m: m.configurable_alternatives(_field()),
        ],
        ids=["bind", "config", "retry", "fallbacks", "configurable"],
    )
    def test_reaches_a_wrapped_model(self, wrap):
        """Whatever was bound to it."""
        model = FakeChat()
        assert (PROMPT | wrap(model) | GuardedOutput(guard(regenerate()))).invoke(ASKED).content == GOOD
        assert len(model.asked) == 2

    def test_reaches_the_last_model_of_several(self):
        """The one that answers; the others run once, and are not heard."""
        first, last, ear = FakeChat(lambda _: AIMessage(BAD)), FakeChat(), Ear()
        chain = PROMPT | first | StrOutputParser() | (lambda text: f"Improve: {len(text)}") | last
        answer = (chain | GuardedOutput(guard(regenerate()))).invoke(ASKED, {"callbacks": [ear]})
        assert answer.content == GOOD
        assert (len(first.asked), len(last.asked)) == (1, 2)
        assert not leaks([text for _, text in ear.heard])

    def test_reaches_a_chain_that_was_given_a_configuration(self):
        """And keeps it."""
        model = FakeChat()
        chain = (PROMPT | model | StrOutputParser()).with_config(tags=["T"], metadata={"a": "b"})
        assert guard_runnable(guard(regenerate()), chain).invoke(ASKED) == GOOD
        assert all("T" in tags and metadata["a"] == "b" for tags, metadata, _ in model.heard)

    def test_does_not_cost_a_chain_its_retries(self):
        """A failure is tried again inside the chain, or around the guard."""
        asked = []

        def reply(messages):
            asked.append(messages)
            if len(asked) == 1:
                raise TimeoutError("slow")
            return honest_when_told(messages)

        chain, at_once = PROMPT | FakeChat(reply), {"wait_exponential_jitter": False}
        assert guard_runnable(guard(remove()), chain.with_retry(**at_once)).invoke(ASKED).content == GOOD
        asked.clear()
        assert guard_runnable(guard(regenerate()), chain).with_retry(**at_once).invoke(ASKED).content == GOOD
        assert len(asked) == 3

    def test_is_a_paragraph_for_a_text_model(self):
        """It takes a string."""
        model = FakeListLLM(responses=[BAD, GOOD])
        chain = PromptTemplate.from_template("{question}") | model | GuardedOutput(guard(regenerate()))
        assert chain.invoke(ASKED) == GOOD

    def test_without_a_model_in_sight_the_chain_runs_again_as_it_is(self):
        """`strict` refuses that."""
        calls = []

        def whole(given):
            calls.append(given)
            return BAD if len(calls) == 1 else GOOD

        assert guard_runnable(guard(regenerate()), whole).invoke(ASKED) == GOOD
        assert calls == [ASKED, ASKED]
        with pytest.raises(ConfigError, match="chat model"):
            guard_runnable(guard(regenerate()), whole, strict=True)


def _field():
    from langchain_core.runnables import ConfigurableField

    return ConfigurableField(id="which")


class TestOutputs:
    def test_of_a_stream_add_up_to_the_message(self):
        """Text in pieces, the rest with the last."""
        message = bad_message().model_copy(update={"id": "m"})
        guarded = guard_runnable(guard(remove()), FakeChat(lambda _: message))
        parts = list(guarded.stream("Pets?"))
        total = sum(parts[1:], parts[0])
        whole = guarded.invoke("Pets?")
        assert len(parts) > 3
        assert all(isinstance(part, AIMessageChunk) for part in parts)
        assert (total.content, total.id) == (GOOD, "m")
        assert total.usage_metadata == whole.usage_metadata
        assert total.response_metadata["guardrail"]["action"] == "remove"
        assert total.additional_kwargs == whole.additional_kwargs == {"kept": 7}

    def test_feed_a_parser_that_streams(self):
        """`chain | GuardedOutput(guard) | parser`."""
        chain = PROMPT | FakeChat() | GuardedOutput(guard(remove())) | StrOutputParser()
        assert "".join(chain.stream(ASKED)) == chain.invoke(ASKED) == GOOD
        assert len(list(chain.stream(ASKED))) > 3

    def test_tool_calls_pass(self):
        """Untouched, and in streams too."""
        call = {"name": "f", "args": {"x": "ä"}, "id": "c", "type": "tool_call"}
        guarded = guard_runnable(guard(block()), FakeChat(lambda _: AIMessage("", tool_calls=[call], id="m")))
        assert guarded.invoke("?").tool_calls == [call]
        parts = list(guarded.stream("?"))
        assert sum(parts[1:], parts[0]).tool_calls == [call]

    def test_structures_are_examined_string_by_string(self):
        """And edited in place."""
        pet = Pet(name="Rex", notes=["Cats purr.", f"Dogs bark, as {MARK} showed.", "Cows moo."])
        chain = FakeChat(lambda _: AIMessage(pet.model_dump_json())) | PydanticOutputParser(
            pydantic_object=Pet
        )
        edited = guard_runnable(guard(remove()), chain).invoke("?")
        assert edited.name == "Rex"
        assert [note for note in edited.notes if note] == ["Cats purr.", "Cows moo."]
        marked = guard_runnable(guard(annotate()), chain).invoke("?")
        assert "[not supported]" in marked.notes[1]
        assert marked.notes[0] == "Cats purr."

    def test_blocked_structures_raise(self):
        """There is no place for a refusal in them."""
        chain = FakeChat(lambda _: AIMessage(f'{{"name": "{MARK}"}}')) | JsonOutputParser()
        for policy in (block(), regenerate() | block()):
            with pytest.raises(Blocked) as caught:
                guard_runnable(guard(policy), chain).invoke("?")
            assert not leaks([str(caught.value)])
            assert caught.value.report.blocked

    def test_dataclasses_and_dicts_are_structures(self):
        """Wherever the string is."""
        owner = Owner("Ann", {"dog": f"Rex, says {MARK}.", "cat": "Tom"})
        chain = FakeChat(lambda _: AIMessage("?")) | RunnableLambda(lambda _: owner)
        edited = guard_runnable(guard(remove()), chain).invoke("?")
        assert (edited.name, edited.pets["cat"]) == ("Ann", "Tom")
        assert not leaks([edited])
        assert owner.pets["dog"].startswith("Rex")

    def test_a_key_names_the_answer(self):
        """The rest of the dict is not examined, and a refusal may stand there."""
        model = FakeChat(lambda _: AIMessage(BAD))
        chain = RunnablePassthrough.assign(answer=PROMPT | model | StrOutputParser())
        blocked = chain | RunnablePassthrough() | GuardedOutput(guard(block("No.")), key="answer")
        assert blocked.invoke({"question": f"{MARK}?"}) == {"question": f"{MARK}?", "answer": "No."}
        with pytest.raises(ConfigError, match="'reply'"):
            guard_runnable(guard(block()), chain, key="reply").invoke(ASKED)

    def test_documents_are_not_the_answer(self):
        """A chain may return its sources."""
        chain = RunnableParallel(answer=FakeChat() | StrOutputParser(), sources=lambda _: [Document(MARK)])
        found = guard_runnable(guard(remove()), chain).invoke("?")
        assert found == {"answer": GOOD, "sources": [Document(MARK)]}

    def test_raw_and_parsed_change_together(self):
        """`with_structured_output(…, include_raw=True)`."""
        raw = AIMessage(
            "",
            tool_calls=[{"name": "Pet", "args": {"name": f"{MARK}."}, "id": "c", "type": "tool_call"}],
            id="m",
        )
        chain = FakeChat(lambda _: raw).with_structured_output(Pet, include_raw=True)
        untouched = guard_runnable(guard(flag()), chain).invoke("?")
        assert untouched["parsed"].name == f"{MARK}."
        guarded = guard_runnable(guard(remove()), chain).invoke("?")
        assert guarded["raw"].id == "m"
        assert isinstance(guarded["parsed"], Pet)
        assert not leaks([guarded])

    def test_structured_output_is_asked_for_again(self):
        """The model step is inside the sequence that LangChain made."""

        def reply(messages):
            name = "Rex" if told_off(messages) else MARK
            return AIMessage("", tool_calls=[{"name": "Pet", "args": {"name": name}, "id": "c"}])

        chain = PROMPT | FakeChat(reply).with_structured_output(Pet) | GuardedOutput(guard(regenerate()))
        assert chain.invoke(ASKED) == Pet(name="Rex")
        assert list(chain.stream(ASKED)) == [Pet(name="Rex")]
        assert asyncio.run(chain.ainvoke(ASKED)) == Pet(name="Rex")

    @pytest.mark.parametrize("output", [None, 7, "", [], {}, {"n": 1}, AIMessage("")])
    def test_nothing_to_read_passes(self, output):
        """Untouched."""
        assert guard_runnable(guard(block()), lambda _: output).invoke("?") == output

    def test_batches_keep_their_order_and_their_errors(self):
        """Sync and async."""

        def reply(messages):
            if "2" in messages[0].text:
                raise TimeoutError("slow")
            return AIMessage(f"{messages[0].text} {MARK}. Fine.")

        guarded = guard_runnable(guard(remove()), FakeChat(reply))
        inputs = ["1", "2", "3"]
        for found in (
            guarded.batch(inputs, return_exceptions=True),
            asyncio.run(guarded.abatch(inputs, return_exceptions=True)),
        ):
            assert [type(item).__name__ for item in found] == ["AIMessage", "TimeoutError", "AIMessage"]


class TestConfiguration:
    def test_reaches_the_model(self):
        """Tags, metadata and bound arguments; call arguments of a bare model, too."""
        model = FakeChat()
        guarded = guard_runnable(guard(regenerate()), model)
        guarded.invoke("?", {"tags": ["T"], "metadata": {"a": "b"}}, temperature=0)
        asyncio.run(guarded.ainvoke("?", {"tags": ["T"], "metadata": {"a": "b"}}, temperature=0))
        assert all("T" in tags and metadata["a"] == "b" for tags, metadata, _ in model.heard)
        assert all(options["temperature"] == 0 for options in model.options)
        assert len(model.asked) == 4

    def test_questions_of_the_guard_are_not_heard(self):
        """They are nobody's run."""
        from guardrail.chat.langchain import LangChainChat
        from guardrail.requests import Ask, user

        class Curious(MarkedWords):
            name = "curious"

            def examine(self, case):
                from guardrail.engine.flow import one

                yield from one(Ask((user("Is it so?"),)))
                return (yield from super().examine(case))

        judge, ear = FakeChat(lambda _: AIMessage("yes")), Ear()
        chain = (
            PROMPT
            | FakeChat()
            | GuardedOutput(Guard([Curious()], chat=LangChainChat(judge), policy=remove()))
        )
        chain.invoke(ASKED, {"callbacks": [ear], "tags": ["T"]})
        asyncio.run(chain.ainvoke(ASKED, {"callbacks": [ear], "tags": ["T"]}))
        assert len(judge.asked) == 2
        assert all(not tags for tags, _, _ in judge.heard)
        assert not any("Is it so?" in text for _, text in ear.heard)

    def test_prompts_and_retrievers_are_still_heard(self):
        """What runs before the model asks no model."""
        ear = Ear()
        chain = RunnablePassthrough() | PROMPT | FakeChat() | GuardedOutput(guard(remove()))
        chain.invoke(ASKED, {"callbacks": [ear]})
        assert ear.names().count("on_chat_model_start") == 1
        assert any("ChatPromptTemplate" in text for _, text in ear.heard)

    @pytest.mark.filterwarnings("ignore::DeprecationWarning")
    def test_history_keeps_the_accepted_answer(self):
        """With the guard inside; outside it is refused."""
        store = InMemoryChatMessageHistory()
        prompt = ChatPromptTemplate.from_messages([MessagesPlaceholder("history"), ("user", "{question}")])
        inner = prompt | FakeChat() | GuardedOutput(guard(remove()))
        options = {"input_messages_key": "question", "history_messages_key": "history"}
        chain = RunnableWithMessageHistory(inner, lambda: store, **options)
        chain.invoke(ASKED, {"configurable": {}})
        assert [message.content for message in store.messages] == ["Pets?", GOOD]
        with pytest.raises(ConfigError, match="stores the answer"):
            guard_runnable(guard(remove()), chain)

    def test_shape_is_the_chains(self):
        """Schemas, and a place in a graph."""
        chain = PROMPT | FakeChat()
        guarded = chain | GuardedOutput(guard(remove()))
        assert isinstance(guarded, GuardedRunnable)
        assert guarded.get_input_schema().model_json_schema()["required"] == ["question"]
        assert guarded.InputType == chain.InputType
        assert (guarded | StrOutputParser()).get_graph().nodes

    @pytest.mark.parametrize("context", [lambda x: [x["facts"]], lambda x: x["facts"]])
    def test_context_comes_from_the_input(self, context):
        """For detectors that compare with documents; a text alone is one, and not one for each of its characters."""
        reports = []
        chain = PROMPT | FakeChat()
        guarded = guard_runnable(guard(flag(), on_report=reports.append), chain, context=context)
        guarded.invoke({**ASKED, "facts": "Dogs are silent."})
        assert reports[0].case.context == ("Dogs are silent.",)
        assert reports[0].case.question == "Pets?"

    @pytest.mark.parametrize("streaming", ["buffer", "sentence"])
    def test_a_function_for_the_context_that_raises_is_named(self, streaming):
        """With what it was given; what it raised is the cause. What was asked is not quoted."""

        def facts(given):
            return given["facts"]

        chain = PROMPT | FakeChat()
        guarded = guard_runnable(guard(flag()), chain, context=facts, streaming=streaming)
        with pytest.raises(
            ConfigError,
            match=r"the function facts \(test_langchain_runnables\.py:\d+\) raised KeyError\. "
            r"It was given a dict with 'question': have it return a list for this, \[\]",
        ) as raised:
            list(guarded.stream(ASKED))
        assert isinstance(raised.value.__cause__, KeyError)
        asked = guard_runnable(guard(flag()), FakeChat(), context=facts, streaming=streaming)
        with pytest.raises(ConfigError, match="It was given a text: have it"):
            asked.invoke("Pets?")

    def test_two_guards_may_follow_each_other(self):
        """Each sees what the one before let through."""
        chain = PROMPT | FakeChat() | GuardedOutput(guard(remove())) | GuardedOutput(guard(block()))
        assert chain.invoke(ASKED).content == GOOD


class TestWhatCannotBeGuarded:
    def test_behind_a_single_model_only_the_output_is_edited(self):
        """Callbacks have heard the answer; `strict` refuses."""
        ear = Ear()
        loose = FakeChat() | GuardedOutput(guard(remove()))
        assert loose.invoke("?", {"callbacks": [ear]}).content == GOOD
        assert not leaks(list(loose.stream("?")))
        assert asyncio.run(loose.ainvoke("?")).content == GOOD
        assert leaks([text for _, text in ear.heard])
        with pytest.raises(ConfigError, match="guard_runnable"):
            (FakeChat() | GuardedOutput(guard(remove()), strict=True)).invoke("?")

    def test_behind_a_single_model_nothing_can_be_asked_again(self):
        """The message says what to write."""
        chain = FakeChat() | GuardedOutput(guard(regenerate()))
        with pytest.raises(ConfigError, match="guard_runnable"):
            chain.invoke("?")
        with pytest.raises(ConfigError, match="guard_runnable"):
            asyncio.run(chain.ainvoke("?"))

    def test_models_with_ears_of_their_own_are_refused_by_strict(self):
        """On the model, or bound to it."""
        for model in (
            FakeChat(callbacks=[Ear()]),
            FakeChat().with_config(callbacks=[Ear()]),
            FakeChat(verbose=True),
        ):
            with pytest.raises(ConfigError, match="callbacks of their own"):
                guard_runnable(guard(remove()), PROMPT | model, strict=True)


class TestPieces:
    @pytest.mark.parametrize("text", ["", " ", "a", " a  b\n", "中文没有空格" * 20, "x" * 100, "a\n\n- b\n"])
    def test_nothing_is_lost(self, text):
        """They join to the text, and there is at least one."""
        assert "".join(pieces(text)) == text
        assert pieces(text)

    def test_messages_are_told_in_roles_that_any_model_takes(self):
        """A tool's result is untrusted."""
        from langchain_core.messages import ToolMessage

        call = {"name": "f", "args": {}, "id": "c", "type": "tool_call"}
        found = conversation(
            [
                HumanMessage("q"),
                AIMessage("", tool_calls=[call]),
                ToolMessage("r", tool_call_id="c", name="f"),
            ]
        )
        assert [(message.role, message.text) for message in found] == [
            ("user", "q"),
            ("assistant", "Result of f:\nr"),
        ]

    def test_blocks_are_whole_chunks(self):
        """A list of blocks adds up again."""
        content = [{"type": "text", "text": "a b"}, {"type": "image", "url": "x"}]
        parts = list(chunks(AIMessage(content, id="m")))
        assert sum(parts[1:], parts[0]).content == content


class TestChanges:
    def test_edits_between_parts_follow_the_text_before(self):
        """And those across parts are cut at the borders."""
        report = guard(remove()).check(f"One. {MARK} two. Three.")
        reading = read({"a": "One.", "b": f"{MARK} two.", "c": "Three."})
        report = guard(annotate()).check(reading.text)
        changed = reading.changed(Change.of(reading.text, report))
        assert changed["a"] == "One."
        assert changed["b"].startswith(f"{MARK} two")
        assert "[not supported]" in changed["b"]
        assert changed["c"] == "Three."
