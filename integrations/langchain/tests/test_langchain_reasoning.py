"""Reasoning in messages: left out, examined, or passed on, at each of the doors."""

from __future__ import annotations

import asyncio
import dataclasses
from collections import UserDict, namedtuple

import pytest
from integrations.langchain.tests.langchain_fakes import GOOD, MARK, Ear, FakeChat, MarkedWords, bad_message
from integrations.langchain.tests.test_langchain_sentences import BySentence
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.prompts import ChatPromptTemplate

from guardrail import Guard, annotate, flag, remove
from guardrail.chat import ScriptedChat
from guardrail.detector import Ask, one, user
from guardrail.errors import ConfigError
from guardrail_langchain import GuardedOutput, GuardrailMiddleware, guard_runnable

CALL = {"name": "look", "args": {"pet": "Rex"}, "id": "c", "type": "tool_call"}
PROMPT = ChatPromptTemplate.from_messages([("user", "{question}")])
SAYS = ScriptedChat(lambda _: "yes")
HARMLESS = "Hm, cats are wet."


def forms(said):
    """Each way in which a service writes reasoning down, with a text of it, and what of it stays."""
    text = {"type": "text", "text": GOOD}
    return {
        "field": (GOOD, {"reasoning_content": said}, GOOD, {}),
        "another field": (GOOD, {"reasoning": said, "thinking": said}, GOOD, {}),
        "details": (
            GOOD,
            {"reasoning_details": [{"text": said}, {"type": "x", "data": "ZW5j"}]},
            GOOD,
            {"reasoning_details": [{"type": "x", "data": "ZW5j"}]},
        ),
        "item": (
            GOOD,
            {"reasoning": {"type": "reasoning", "id": "rs_1", "summary": [{"text": said}]}},
            GOOD,
            {"reasoning": {"type": "reasoning", "id": "rs_1", "summary": []}},
        ),
        "field of a field": (GOOD, {"provider": {"thoughts": [said]}}, GOOD, {"provider": {}}),
        "block": ([{"type": "reasoning", "reasoning": said}, text], {}, [text], {}),
        "made by LangChain": ([{"type": "reasoning", "reasoning": said, "id": "lc_1"}, text], {}, [text], {}),
        "with summary": (
            [{"type": "reasoning", "id": "rs_1", "summary": [{"text": said}], "index": 0}, text],
            {},
            [{"type": "reasoning", "id": "rs_1", "summary": [], "index": 0}, text],
            {},
        ),
        "with an id": (
            [{"type": "reasoning", "id": "rs_1", "reasoning": said}, text],
            {},
            [{"type": "reasoning", "id": "rs_1", "reasoning": ""}, text],
            {},
        ),
        "thinking": ([{"type": "thinking", "thinking": said}, text], {}, [text], {}),
        "signed": (
            [{"type": "thinking", "thinking": said, "signature": "c2ln"}, text],
            {},
            [{"type": "thinking", "thinking": "", "signature": "c2ln"}, text],
            {},
        ),
        "signed by extras": (
            [{"type": "reasoning", "reasoning": said, "extras": {"signature": "c2ln", "note": said}}, text],
            {},
            [{"type": "reasoning", "reasoning": "", "extras": {"signature": "c2ln"}}, text],
            {},
        ),
        "of Bedrock": (
            [
                {"type": "reasoning_content", "reasoning_content": {"text": said, "signature": "c2ln"}},
                text,
            ],
            {},
            [{"type": "reasoning_content", "reasoning_content": {"text": "", "signature": "c2ln"}}, text],
            {},
        ),
        "of Mistral": ([{"type": "thinking", "thinking": [{"type": "text", "text": said}]}, text], {}, [text], {}),
        "wrapped": (
            [{"type": "non_standard", "value": {"type": "thinking", "thinking": said, "signature": "s"}}, text],
            {},
            [{"type": "non_standard", "value": {"type": "thinking", "thinking": "", "signature": "s"}}, text],
            {},
        ),
    }  # fmt: skip


FORMS = list(forms(""))


def message(form, said=HARMLESS, **more):
    content, fields, _, _ = forms(said)[form]
    return AIMessage(content, additional_kwargs={**fields, "kept": 7}, **more)


def guard(policy=None, **options):
    return Guard([MarkedWords()], policy=policy or remove(), **options)


def by_model(guard, reply, ear, **options):
    return guard_runnable(guard, FakeChat(reply), **options).invoke("Pets?", {"callbacks": [ear]})


def by_async_model(guard, reply, ear, **options):
    runnable = guard_runnable(guard, FakeChat(reply), **options)
    return asyncio.run(runnable.ainvoke("Pets?", {"callbacks": [ear]}))


def by_chain(guard, reply, ear, **options):
    chain = PROMPT | FakeChat(reply) | GuardedOutput(guard, **options)
    return chain.invoke({"question": "Pets?"}, {"callbacks": [ear]})


def by_agent(guard, reply, ear, **options):
    agent = create_agent(FakeChat(reply), [], middleware=[GuardrailMiddleware(guard, **options)])
    return agent.invoke({"messages": [("user", "Pets?")]}, {"callbacks": [ear]})["messages"][-1]


def by_async_agent(guard, reply, ear, **options):
    agent = create_agent(FakeChat(reply), [], middleware=[GuardrailMiddleware(guard, **options)])
    found = asyncio.run(agent.ainvoke({"messages": [("user", "Pets?")]}, {"callbacks": [ear]}))
    return found["messages"][-1]


def alone(guard, reply, ear, **options):
    """What the model's callbacks hear comes before the guard here."""
    del ear
    return (FakeChat(reply) | GuardedOutput(guard, **options)).invoke("Pets?")


DOORS = [by_model, by_async_model, by_chain, by_agent, by_async_agent, alone]


@pytest.mark.parametrize("door", DOORS)
class TestDoors:
    @pytest.mark.parametrize("form", FORMS)
    def test_it_is_left_out(self, form, door):
        """By default; what the service needs back in the next turn stays, and so does the answer."""
        ear = Ear()
        found = door(guard(), lambda _: message(form), ear)
        _, _, content, fields = forms(HARMLESS)[form]
        assert found.content == content
        assert found.additional_kwargs == {**fields, "kept": 7}
        assert "wet" not in repr(found)
        assert "wet" not in repr(ear.heard)
        assert found.response_metadata["guardrail"]["verdict"] is None

    @pytest.mark.parametrize("form", FORMS)
    def test_it_passes_if_wanted(self, form, door):
        """As it came, if no text was cut."""
        found = door(guard(), lambda _: message(form), Ear(), reasoning="pass")
        assert found.content == message(form).content
        assert found.additional_kwargs == message(form).additional_kwargs

    @pytest.mark.parametrize("form", FORMS)
    def test_it_is_shown_if_the_guard_has_nothing_against_it(self, form, door):
        """As it came; otherwise it is left out as by default."""
        found = door(guard(), lambda _: message(form), Ear(), reasoning="check")
        assert found.content == message(form).content
        assert found.additional_kwargs == message(form).additional_kwargs
        ear = Ear()
        bad = door(guard(), lambda _: message(form, f"Hm, {MARK}."), ear, reasoning="check")
        assert bad.text == GOOD
        assert MARK not in repr(bad)
        assert MARK not in repr(ear.heard)

    def test_another_word_is_refused(self, door):
        """When it is composed."""
        with pytest.raises(ConfigError, match="reasoning"):
            door(guard(), lambda _: message("field"), Ear(), reasoning="hide")


@pytest.mark.parametrize("door", [by_model, by_async_model, by_chain, alone])
@pytest.mark.parametrize("reasoning", ["drop", "check"])
def test_a_turn_with_tools_keeps_its_calls(reasoning, door):
    """No text is examined there, and reasoning goes all the same."""
    thought = {"type": "thinking", "thinking": f"Hm, {MARK}.", "signature": "c2ln"}
    found = door(guard(), lambda _: AIMessage([thought], tool_calls=[CALL]), Ear(), reasoning=reasoning)
    assert found.content == [{"type": "thinking", "thinking": "", "signature": "c2ln"}]
    assert found.tool_calls == [CALL]


class TestCut:
    """Where the policy cut text from the answer."""

    @pytest.mark.parametrize("reasoning", ["drop", "check", "pass"])
    @pytest.mark.parametrize("form", FORMS)
    def test_readable_reasoning_goes_and_its_seal_stays(self, form, reasoning):
        """Whatever the option says: it may say what was cut."""
        content, fields, kept, left = forms(HARMLESS)[form]
        said = bad_message().content
        if isinstance(content, list):
            content = [*content[:-1], {"type": "text", "text": said}]
        reply = AIMessage(content if isinstance(content, list) else said, additional_kwargs=fields)
        found = by_model(guard(), lambda _: reply, Ear(), reasoning=reasoning)
        assert found.text == GOOD
        assert found.content == kept
        assert {name: value for name, value in found.additional_kwargs.items() if value} == {
            name: value for name, value in left.items() if value != {}
        }


class TestCheck:
    def test_its_calls_are_counted(self):
        """With those of the answer's own check."""
        reports = []
        asking = Guard([Asking()], policy=flag(), chat=SAYS, on_report=reports.append)
        plain = by_model(asking, lambda _: message("field"), Ear())
        checked = by_model(asking, lambda _: message("field"), Ear(), reasoning="check")
        assert plain.response_metadata["guardrail"]["calls"] == 1
        assert checked.response_metadata["guardrail"]["calls"] == 2
        assert [report.case.answer for report in reports] == [GOOD, GOOD, HARMLESS]
        assert reports[-1].case.messages[-1].text == "Pets?"

    def test_its_documents_are_those_of_the_answer(self):
        """As `context` gives them."""
        reports = []
        watching = guard(on_report=reports.append)
        by_model(watching, lambda _: message("field"), Ear(), reasoning="check", context=lambda _: "Cats.")
        by_agent(watching, lambda _: message("field"), Ear(), reasoning="check", context=lambda _: ["Cats."])
        assert [report.case.context for report in reports] == [("Cats.",)] * 4

    def test_one_that_would_be_marked_is_left_out(self):
        """Its policy would change it."""
        found = by_model(
            guard(annotate()), lambda _: message("field", f"Hm, {MARK}."), Ear(), reasoning="check"
        )
        assert "reasoning_content" not in found.additional_kwargs

    def test_one_that_cannot_be_examined_is_left_out(self, caplog):
        """Whatever the policy's fail mode."""
        for detector in (Breaks, BreaksOnDrafts):
            broken = Guard([detector()], policy=flag(), fail="open")
            found = by_model(broken, lambda _: message("field"), Ear(), reasoning="check")
            assert found.text == GOOD
            assert "reasoning_content" not in found.additional_kwargs


@dataclasses.dataclass(frozen=True)
class Kept:
    said: AIMessage
    n: int = 1


Pair = namedtuple("Pair", "said n")  # noqa: PYI024  # a user may have one
OUTPUTS = {
    "dict": lambda said: {"answer": said, "n": 1},
    "list": lambda said: [said, 1],
    "nested": lambda said: {"a": [{"b": (said,)}]},
    "tuple": lambda said: (said, "x"),
    "named tuple": lambda said: Pair(said, 1),
    "dataclass": Kept,
    "mapping": lambda said: UserDict(answer=said),
    "generations": lambda said: LLMResult(generations=[[ChatGeneration(message=said)]]),
    "conversation": lambda said: [said, HumanMessage("And?")],
    "include_raw": lambda said: {"raw": said, "parsed": {"name": "Tom"}, "parsing_error": None},
}


class TestStructures:
    @pytest.mark.parametrize("kind", OUTPUTS)
    def test_messages_in_them_are_silent(self, kind):
        """Of the same type, with all else as it was."""
        output = OUTPUTS[kind](message("field"))
        for reasoning, is_there in (("drop", False), ("check", True), ("pass", True)):
            found = guard_runnable(guard(), lambda _: output, reasoning=reasoning).invoke("?")
            assert type(found) is type(output)
            assert ("wet" in repr(found)) is is_there
        assert "wet" in repr(output)  # the user's own object

    def test_those_behind_a_key_are_silent_too(self):
        """Only one entry is examined, all are released."""
        output = {"answer": GOOD, "said": message("field", f"Hm, {MARK}.")}
        for reasoning in ("drop", "check"):
            found = guard_runnable(guard(), lambda _: output, key="answer", reasoning=reasoning).invoke("?")
            assert MARK not in repr(found)

    def test_what_cannot_be_made_again_is_refused(self):
        """It says what to write."""
        output = Odd(AIMessage("", additional_kwargs={"thinking": HARMLESS}, tool_calls=[CALL]))
        with pytest.raises(ConfigError, match="reasoning='pass'"):
            guard_runnable(guard(flag()), lambda _: output).invoke("?")

    def test_what_contains_itself(self):
        """Without a message that must change it is released as it is; with one no copy can be made."""
        plain, thinks = {"answer": GOOD}, {"answer": GOOD, "said": message("field")}
        for output in (plain, thinks):
            output["self"] = output
        assert guard_runnable(guard(), lambda _: plain, key="answer").invoke("?")["answer"] == GOOD
        with pytest.raises(ConfigError, match="reasoning='pass'"):
            guard_runnable(guard(), lambda _: thinks, key="answer").invoke("?")
        with pytest.raises(ConfigError, match="contains itself"):
            guard_runnable(guard(), lambda _: plain).invoke("?")

    def test_a_parsed_text_says_nothing_to_callbacks(self):
        """They hear the message that the text was made of."""
        for reasoning, is_there in (("drop", False), ("check", True), ("pass", True)):
            ear = Ear()
            chain = PROMPT | FakeChat(lambda _: message("field")) | StrOutputParser()
            guarded = chain | GuardedOutput(guard(), reasoning=reasoning)
            assert guarded.invoke({"question": "?"}, {"callbacks": [ear]}) == GOOD
            assert ("wet" in repr(ear.heard)) is is_there

    def test_tools_bound_later_keep_the_option(self):
        """So does a schema."""
        guarded = guard_runnable(guard(), FakeChat(lambda _: message("field")), reasoning="pass")
        assert "wet" in repr(guarded.bind_tools([]).invoke("?"))


class TestSentences:
    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("reasoning", ["drop", "check", "pass"])
    def test_the_chunks_add_up_to_the_same(self, reasoning, form):
        """As without streaming."""
        made = Guard([BySentence()], policy=remove())
        options = {"reasoning": reasoning, "streaming": "sentence"}
        whole = by_model(made, lambda _: message(form), Ear(), reasoning=reasoning)
        chunks = list(guard_runnable(made, Whole(lambda _: message(form)), **options).stream("Pets?"))
        found = chunks[0]
        for chunk in chunks[1:]:
            found += chunk
        assert found.text == whole.text
        assert found.additional_kwargs == whole.additional_kwargs
        assert ("wet" in repr(chunks)) is (reasoning != "drop")


class Odd(tuple):
    """Cannot be made of items."""

    __slots__ = ()

    def __new__(cls, said):
        return super().__new__(cls, [said, *(() if isinstance(said, AIMessage) else [1 / 0])])


class Whole(FakeChat):
    """Does not stream: LangChain gives its message as one chunk."""

    def _should_stream(self, **kwargs):
        return False


class Asking(MarkedWords):
    """Asks a model once."""

    def cost(self, case):
        return {"chat:judge": (1, 1)}

    def examine(self, case):
        yield from one(Ask((user("Well?"),)))
        return []


class Breaks(MarkedWords):
    """Has a bug."""

    def examine(self, case):
        yield from ()
        raise ZeroDivisionError


class BreaksOnDrafts(MarkedWords):
    """Has a bug that shows on reasoning."""

    def examine(self, case):
        yield from ()
        return [1 / 0] if "wet" in case.answer else []
