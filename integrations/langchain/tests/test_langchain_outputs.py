"""Every kind of output is read, edited and blocked, or refused: nothing passes because nobody could read it."""

from __future__ import annotations

import asyncio
import datetime as dt
import enum
from collections import ChainMap, OrderedDict, UserDict, UserList, deque
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import PurePosixPath
from types import MappingProxyType, SimpleNamespace
from typing import NamedTuple
from uuid import UUID

import numpy as np
import pytest
from integrations.langchain.tests.langchain_fakes import (
    BAD,
    GOOD,
    MARK,
    FakeChat,
    Idle,
    MarkedWords,
    leaks,
    told_off,
)
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ModelResponse
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.runnables import RunnableLambda
from pydantic import AnyUrl, BaseModel, ConfigDict, HttpUrl, RootModel

from guardrail import Blocked, Guard, annotate, block, flag, regenerate, remove
from guardrail.errors import ConfigError
from guardrail_langchain import GuardedOutput, GuardrailMiddleware, guard_runnable

CALL = {"name": "Pet", "args": {"name": "Rex"}, "id": "c", "type": "tool_call"}


class Pair(NamedTuple):
    """A tuple with names."""

    first: str
    second: int


class Pet(BaseModel):
    """A structured answer."""

    name: str


class Open(BaseModel):
    """One that takes more than it names."""

    model_config = ConfigDict(extra="allow")
    name: str


class Link(BaseModel):
    """One with a typed string."""

    url: HttpUrl


class Names(RootModel[list[str]]):
    """One without a name."""


@dataclass
class Derived:
    """One with a field that is set later."""

    name: str
    note: str = field(init=False, default="")

    def __post_init__(self):
        self.note = f"about {self.name}"


def include_raw(raw, parsed=None, error=None, **more):
    return {
        "raw": raw,
        "parsed": {"name": "Rex"} if parsed is None else parsed,
        "parsing_error": error,
        **more,
    }


READABLE = {
    "text beside a call in include_raw": lambda: include_raw(AIMessage(BAD, tool_calls=[CALL])),
    "the same, blocks": lambda: include_raw(
        AIMessage([{"type": "text", "text": BAD}, {"type": "tool_use", "id": "c", "name": "Pet", "input": {}}],
                  tool_calls=[CALL])
    ),
    "text around JSON in include_raw": lambda: include_raw(AIMessage(f'{BAD} {{"name": "Rex"}}')),
    "JSON that was not used": lambda: include_raw(AIMessage(f'{{"name": "Rex", "more": "{BAD}"}}')),
    "an argument that was not used": lambda: include_raw(
        AIMessage("", tool_calls=[{**CALL, "args": {"name": "Rex", "more": BAD}}])
    ),
    "a second call": lambda: include_raw(
        AIMessage("", tool_calls=[CALL, {**CALL, "id": "d", "args": {"name": BAD}}])
    ),
    "a broken call": lambda: {
        **include_raw(
            AIMessage("", invalid_tool_calls=[
                {"name": "Pet", "args": f'{{"name": "{BAD}', "id": "c", "error": BAD, "type": "invalid_tool_call"}
            ])
        ),
        "parsed": None,
        "parsing_error": ValueError(BAD),
    },
    "include_raw that did not parse": lambda: {
        **include_raw(AIMessage(BAD)), "parsed": None, "parsing_error": ValueError(BAD)
    },
    "include_raw with more beside it": lambda: include_raw(AIMessage("", tool_calls=[CALL]), more=BAD),
    "include_raw deeper": lambda: {"answer": include_raw(AIMessage(BAD, tool_calls=[CALL]))},
    "a list of parsed": lambda: include_raw(
        AIMessage("", tool_calls=[{**CALL, "args": {"name": BAD}}]), [{"name": BAD}]
    ),
    "set": lambda: {BAD},
    "frozenset": lambda: frozenset({BAD, "Tom"}),
    "set in a dict": lambda: {"names": {BAD}},
    "bytes": BAD.encode,
    "bytearray": lambda: bytearray(BAD.encode()),
    "UserDict": lambda: UserDict(answer=BAD),
    "OrderedDict": lambda: OrderedDict(answer=BAD),
    "mapping proxy": lambda: MappingProxyType({"answer": BAD}),
    "chain map": lambda: ChainMap({"answer": BAD}),
    "key": lambda: {BAD: 1, "n": 2},
    "key of bytes": lambda: {BAD.encode(): 1},
    "key of a tuple": lambda: {(BAD, 1): 1},
    "key deeper": lambda: [{"cats": {BAD: 1}}],
    "UserList": lambda: UserList([BAD]),
    "deque": lambda: deque([BAD]),
    "named tuple": lambda: Pair(BAD, 1),
    "extra field": lambda: Open(name="Rex", more=BAD),
    "root model": lambda: Names([BAD]),
    "derived field": lambda: Derived(BAD),
    "path": lambda: PurePosixPath(BAD),
    "generations": lambda: LLMResult(generations=[[ChatGeneration(message=AIMessage(BAD))]]),
    "message with a call": lambda: AIMessage(BAD, tool_calls=[CALL]),
    "message with reasoning": lambda: AIMessage(
        [{"type": "reasoning", "reasoning": BAD}, {"type": "text", "text": BAD, "id": "t"}]
    ),
}  # fmt: skip

UNREADABLE = {
    "object": lambda: SimpleNamespace(text=BAD),
    "object in a dict": lambda: {"answer": [SimpleNamespace(text=BAD)]},
    "binary": lambda: b"\xff\xfe" + BAD.encode(),
    "memory": lambda: memoryview(BAD.encode()),
    "function": lambda: lambda: BAD,
    "exception": lambda: ValueError(BAD),
    "array of objects": lambda: np.array([BAD], dtype=object),
    "speech": lambda: AIMessage("", additional_kwargs={"audio": {"data": "AAAA", "transcript": BAD}}),
    "speech in a block": lambda: AIMessage([{"type": "audio", "base64": "AAAA"}]),
    "unknown block": lambda: AIMessage([{"type": "text", "text": "Hi."}, {"type": "hologram", "says": BAD}]),
    "non-standard block": lambda: AIMessage([{"type": "non_standard", "value": {"type": "poem", "p": BAD}}]),
    "object in include_raw": lambda: include_raw(AIMessage("", tool_calls=[CALL]), SimpleNamespace(name=BAD)),
}


class Color(enum.Enum):
    """What a class lists is no claim of the model's."""

    RED = f"{MARK} red."


WORDLESS = {
    "numbers": lambda: [1, 2.0, Decimal(3), 1j, True, None, np.float64(1.0)],
    "moments": lambda: {"at": dt.date(2020, 1, 1), "for": dt.timedelta(1), "id": UUID(int=1)},
    "array": lambda: {"embedding": np.zeros(3)},
    "enum": lambda: [Color.RED],
    "names of fields": lambda: {MARK: 1, f"{MARK}.a-b_c": 2},
    "empty bytes": lambda: b"",
    "reasoning alone": lambda: AIMessage([{"type": "reasoning", "reasoning": BAD}]),
    "a picture": lambda: AIMessage([{"type": "image", "base64": "AAAA", "mime_type": "image/png"}]),
    "traffic with tools": lambda: AIMessage(
        [
            {"type": "tool_use", "id": "c", "name": "f", "input": {"q": BAD}},
            {"type": "web_search_tool_result", "content": [{"title": BAD}]},
            {"type": "mcp_list_tools", "tools": [{"description": BAD}]},
            {"type": "non_standard", "value": {"type": "code_interpreter_call", "code": BAD}},
        ]
    ),
}


def returned(output, policy, **options):
    return guard_runnable(Guard([MarkedWords()], policy=policy), lambda _: output, **options).invoke("?")


class TestReadable:
    @pytest.mark.parametrize("kind", READABLE)
    def test_removing_leaves_nothing(self, kind):
        """And the type is as it was."""
        output = READABLE[kind]()
        found = returned(output, remove())
        assert type(found) is (dict if isinstance(output, dict) else type(output))
        assert not leaks([_plain(found)])
        assert leaks([_plain(READABLE[kind]())])

    @pytest.mark.parametrize("kind", READABLE)
    def test_blocking_shows_nothing(self, kind):
        """A message has room for the refusal; a structure raises it."""
        output = READABLE[kind]()
        if isinstance(output, AIMessage | bytes | bytearray | PurePosixPath):
            assert "No." in _plain(returned(output, block("No.")))
            assert not leaks([_plain(returned(output, block("No.")))])
        else:
            with pytest.raises(Blocked) as caught:
                returned(output, block("No."))
            assert not leaks([str(caught.value), repr(caught.value)])

    @pytest.mark.parametrize("kind", READABLE)
    def test_flagging_changes_nothing(self, kind):
        """The report is whole all the same."""
        reports = []
        guard = Guard([MarkedWords()], policy=flag(), on_report=reports.append)
        output = READABLE[kind]()
        found = guard_runnable(guard, lambda _: output).invoke("?")
        assert reports[0].findings
        assert MARK in _plain(found)
        assert type(found) is type(output)

    @pytest.mark.parametrize("kind", READABLE)
    def test_idle_guards_change_nothing(self, kind):
        """Where nothing is found, the structure is the same object or equal."""
        output = READABLE[kind]()
        idle = Guard([Idle()], policy=block())
        found = guard_runnable(idle, lambda _: output, reasoning="pass").invoke("?")
        assert found is output or _plain(found).count(MARK) == _plain(output).count(MARK)

    def test_the_rest_of_a_structure_stays(self):
        """Only what was found goes."""
        found = returned({BAD: 1, "n": 2, "names": {"Tom", f"Rex {MARK}."}}, remove())
        assert found == {GOOD: 1, "n": 2, "names": {"Tom"}}
        assert returned(Pair(BAD, 1), remove()) == Pair(GOOD, 1)
        assert returned(UserDict(a=BAD), remove()) == UserDict(a=GOOD)
        assert returned(BAD.encode(), remove()) == GOOD.encode()
        assert returned(Open(name="Rex", more=BAD), remove()) == Open(name="Rex", more=GOOD)

    def test_an_entry_goes_with_its_key(self):
        """Nothing is said about nothing."""
        assert returned({f"Rex {MARK}.": 1, "n": "Tom purrs."}, remove()) == {"n": "Tom purrs."}

    def test_raw_and_parsed_agree(self):
        """After an edit beside the call the call is still there."""
        raw = AIMessage(BAD, tool_calls=[CALL], id="m")
        found = returned(include_raw(raw), remove())
        assert found["raw"].content == GOOD
        assert found["raw"].id == "m"
        assert found["raw"].tool_calls == [CALL]
        assert found["parsed"] == {"name": "Rex"}
        marked = returned(include_raw(raw), annotate())
        assert "[not supported]" in marked["raw"].content
        assert marked["raw"].tool_calls == [CALL]

    def test_links_stay_links(self):
        """A made-up URL cannot be edited into another, so it is withheld."""
        link = Link(url=f"https://example.org/{MARK}")
        with pytest.raises(Blocked):
            returned(link, remove())
        assert returned(link, flag()) is link
        assert returned([AnyUrl("https://example.org/")], remove()) == [AnyUrl("https://example.org/")]

    def test_text_beside_a_call_at_the_end_of_a_chain_is_edited(self):
        """The call stays, as arguments are not examined."""
        model = FakeChat(lambda _: AIMessage(BAD, tool_calls=[CALL]))
        guarded = guard_runnable(Guard([MarkedWords()], policy=remove()), model)
        for found in (guarded.invoke("?"), asyncio.run(guarded.ainvoke("?"))):
            assert (found.content, found.tool_calls) == (GOOD, [CALL])

    def test_ids_of_texts_go_with_the_reasoning(self):
        """Providers that know a text by its id want to see the reasoning before it."""
        found = returned(READABLE["message with reasoning"](), remove())
        assert found.content == [{"type": "text", "text": GOOD}]


class TestUnreadable:
    @pytest.mark.parametrize("policy", [remove, block, annotate, lambda: regenerate() | block()])
    @pytest.mark.parametrize("kind", UNREADABLE)
    def test_is_refused_where_the_policy_may_change_the_answer(self, kind, policy):
        """The message says what it was, where, and what to do; not what it said."""
        guarded = guard_runnable(Guard([MarkedWords()], policy=policy()), lambda _: UNREADABLE[kind]())
        with pytest.raises(ConfigError, match=r"can be examined.*got.*key=") as caught:
            guarded.invoke("?")
        assert not leaks([str(caught.value)])
        with pytest.raises(ConfigError):
            asyncio.run(guarded.ainvoke("?"))
        with pytest.raises(ConfigError):
            list(guarded.stream("?"))

    @pytest.mark.parametrize("kind", UNREADABLE)
    def test_passes_where_it_only_flags(self, kind):
        """What can be read of it is examined."""
        output = UNREADABLE[kind]()
        found = returned(output, flag())
        assert found is output or type(found) is type(output)

    def test_is_refused_behind_a_single_runnable(self):
        """`model | GuardedOutput(guard)`."""
        chain = RunnableLambda(lambda _: SimpleNamespace(text=BAD)) | GuardedOutput(
            Guard([MarkedWords()], policy=block())
        )
        with pytest.raises(ConfigError, match="SimpleNamespace"):
            chain.invoke("?")

    @pytest.mark.parametrize("kind", ["speech", "unknown block"])
    def test_a_second_attempt_that_cannot_be_read_does_not_count(self, kind):
        """The first one stands, and what the policy does about it."""

        def reply(messages):
            return UNREADABLE[kind]() if told_off(messages) else AIMessage(BAD)

        guarded = guard_runnable(Guard([MarkedWords()], policy=regenerate() | remove()), FakeChat(reply))
        assert guarded.invoke("?").content == GOOD
        assert asyncio.run(guarded.ainvoke("?")).content == GOOD

    def test_a_key_says_what_matters(self):
        """The rest may be anything."""
        output = {"answer": BAD, "handle": object()}
        assert returned(output, remove(), key="answer")["answer"] == GOOD
        with pytest.raises(ConfigError, match=r"'object' at output\['handle'\]"):
            returned(output, remove())

    @pytest.mark.parametrize("kind", WORDLESS)
    def test_what_holds_no_answer_passes(self, kind):
        """Numbers, field names, pictures, drafts that may be shown, and traffic with tools."""
        output = WORDLESS[kind]()
        assert returned(output, block(), reasoning="pass") is output


class TestAgents:
    def agent(self, reply, policy=None, **options):
        guard = Guard([MarkedWords()], policy=policy or remove())
        middleware = [*options.pop("middleware", []), GuardrailMiddleware(guard)]
        return create_agent(FakeChat(reply), [], middleware=[*middleware[::-1]], **options)

    @pytest.mark.parametrize("kind", ["speech", "speech in a block", "unknown block"])
    def test_answers_that_cannot_be_read_are_refused(self, kind):
        """As at the other door."""
        with pytest.raises(ConfigError, match="can be examined"):
            self.agent(lambda _: UNREADABLE[kind]()).invoke({"messages": [("user", "?")]})
        self.agent(lambda _: UNREADABLE[kind](), flag()).invoke({"messages": [("user", "?")]})

    def test_several_messages_are_refused(self):
        """A middleware inside may return two; one would not be examined."""

        class Two(AgentMiddleware):
            def wrap_model_call(self, request, handler):
                return ModelResponse(result=[AIMessage(BAD), AIMessage(GOOD)])

        with pytest.raises(ConfigError, match="one message"):
            self.agent(FakeChat().reply, middleware=[Two()]).invoke({"messages": [("user", "?")]})

    @pytest.mark.parametrize("policy", [remove, block, lambda: regenerate() | block()])
    @pytest.mark.parametrize("strategy", [ToolStrategy, ProviderStrategy])
    def test_what_a_structured_answer_leaves_out_is_examined(self, strategy, policy):
        """Fields that the schema does not know stay in the message otherwise."""

        def reply(messages):
            extra = {} if told_off(messages) else {"more": BAD}
            if strategy is ToolStrategy:
                return AIMessage("", tool_calls=[{**CALL, "args": {"name": "Rex", **extra}}])
            return AIMessage(str({"name": "Rex", **extra}).replace("'", '"'))

        agent = self.agent(reply, policy(), response_format=strategy(Pet))
        received = agent.invoke({"messages": [("user", "?")]})
        assert not leaks([received])


class TestCosts:
    """Of the attempts, rejected ones included."""

    def bill(self, policy, door, *, tools=False):
        reports = []
        guard = Guard([MarkedWords()], policy=policy, on_report=reports.append)

        def reply(messages):
            told = told_off(messages)
            usage = {"input_tokens": 9 if told else 3, "output_tokens": 2 if told else 5, "total_tokens": 0}
            usage["total_tokens"] = usage["input_tokens"] + usage["output_tokens"]
            calls = [CALL] if tools and told else []
            text = ("" if tools else GOOD) if told else BAD
            return AIMessage(text, tool_calls=calls, usage_metadata=usage)

        model = FakeChat(reply)
        question, runnable = "?", None
        if door == "agent":
            question = {"messages": [("user", "?")]}
            runnable = create_agent(model, [], middleware=[GuardrailMiddleware(guard)])
        elif door == "string":
            runnable = guard_runnable(guard, model | StrOutputParser())
        elif door == "raw":
            parsed = model.with_structured_output(Pet, include_raw=True)
            runnable = guard_runnable(guard, parsed)
        elif door == "function":
            runnable = guard_runnable(guard, model.invoke)
        else:
            runnable = guard_runnable(guard, model)
        return runnable, question, reports

    @pytest.mark.parametrize("door", ["agent", "string", "raw", "function", "model"])
    def test_are_on_the_bill(self, door):
        """Tokens as the model counted them, one call per attempt."""
        for policy, expected in ((flag(), (1, 3, 5)), (regenerate(1), (2, 12, 7))):
            runnable, question, reports = self.bill(policy, door)
            if door == "function" and policy != flag():
                continue  # it cannot be told what was wrong
            runnable.invoke(question)
            asyncio.run(runnable.ainvoke(question))
            for report in reports:
                total = report.cost.total
                assert (total.calls, total.prompt_tokens, total.completion_tokens) == expected
                assert total.seconds > 0
            assert len(reports) == 2

    def test_include_an_attempt_that_became_a_tool_call(self):
        """It was paid for, though there is nothing to examine in it."""
        runnable, question, reports = self.bill(regenerate(1), "model", tools=True)
        assert runnable.invoke(question).tool_calls == [CALL]
        assert reports[0].cost.total.calls == 2
        assert reports[0].cost.total.prompt_tokens == 12

    def test_of_a_model_that_does_not_count_are_calls_only(self):
        """Undefined is not estimated."""
        reports = []
        guard = Guard([MarkedWords()], policy=flag(), on_report=reports.append)
        guard_runnable(guard, FakeChat(lambda _: AIMessage(GOOD))).invoke("?")
        assert (reports[0].cost.total.calls, reports[0].cost.total.tokens) == (1, 0)


def _plain(value):
    """Everything that a value says."""
    if isinstance(value, bytes | bytearray):
        return bytes(value).decode()
    if isinstance(value, LLMResult):
        return repr(value.model_dump())
    return repr(value)
