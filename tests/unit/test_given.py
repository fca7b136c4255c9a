"""What users hand to a guard: objects they have are taken, what cannot be taken is refused with the line to write."""

import asyncio
import importlib.util
import json
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest
from pydantic import BaseModel
from tests.looping import each

from guardrail import (
    Budget,
    Cache,
    Case,
    Finding,
    Guard,
    GuardrailError,
    Retry,
    Verdict,
    annotate,
    block,
    regenerate,
)
from guardrail.chat import CompletionsModel, LangChainChat, OpenAIChat, ScriptedChat
from guardrail.detector import Detector
from guardrail.detectors import FactCheck, ReferenceCheck, SelfCheck
from guardrail.engine.flow import Failed, Reason, Request, one
from guardrail.engine.hub import Hub
from guardrail.errors import BackendError, ConfigError, IndexFault, InputError, UnknownName
from guardrail.given.recognition import is_of, shown
from guardrail.policies import parse_policy
from guardrail.references.bibliography import Index
from guardrail.requests import Ask, Completion, Message, TokenLogprob, Untrusted, user

ROOT = Path(__file__).parents[2]
CALL = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
TOKENS = [{"token": "yes", "logprob": -0.5, "bytes": None, "top_logprobs": []}]


@dataclass(frozen=True, slots=True)
class Tide(Request[float]):
    """A kind of request of its own."""

    lane: ClassVar[str] = "tides"


class Asks(Detector):
    """Finds what a model says about the answer."""

    name = "asks"

    def cost(self, case):
        del case
        return {"chat:subject": (1, 1)}

    def examine(self, case):
        reply = yield from one(Ask((*case.messages, user(case.answer)), role="judge"))
        text = str(reply) if isinstance(reply, Failed) else reply.value.text
        return [Finding(detector=self.name, verdict=Verdict.UNVERIFIED, reason=text)]


@pytest.fixture
def chat():
    return ScriptedChat("hm")


@pytest.fixture
def guard(chat):
    return Guard([Asks()], chat=chat)


def completion(*texts, logprobs=None, **message):
    """A ChatCompletion of OpenAI."""
    from openai.types.chat import ChatCompletion

    choices = [
        {
            "index": i,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": text, **message},
            "logprobs": logprobs,
        }
        for i, text in enumerate(texts)
    ]
    outer = {"id": "c", "created": 0, "model": "gpt-5-mini", "object": "chat.completion"}
    return ChatCompletion.model_validate({**outer, "choices": choices})


def response(*output):
    """A Response of OpenAI's Responses API."""
    from openai.types.responses import Response

    outer = {"id": "r", "created_at": 0, "model": "gpt-5-mini", "object": "response", "tools": []}
    return Response.model_validate(
        {**outer, "output": output, "parallel_tool_calls": False, "tool_choice": "auto"}
    )


def spoken(*texts, logprobs=None):
    """A message in a Response."""
    blocks = [{"type": "output_text", "text": t, "annotations": [], "logprobs": logprobs} for t in texts]
    return {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": blocks}


def refused(call, *fragments, error=GuardrailError):
    """The message of what a call raises: one line that is no longer than a person reads."""
    with pytest.raises(error) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) <= 400
    for fragment in fragments:
        assert fragment in message
    return message


class TestDoor:
    def test_the_table(self, tmp_path):
        """Every wrong object is refused in one line that says what to write; every right one is taken."""
        spec = importlib.util.spec_from_file_location("door", ROOT / "scripts" / "door.py")
        door = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(door)
        rows = door.rows(tmp_path)
        wrong = {row["wrote"]: row["said"] or "(nothing was said)" for row in rows if not row["ok"]}
        assert wrong == {}


class TestAnswer:
    def test_a_tool_call_has_nothing_to_check(self, guard, chat):
        """However it comes: no verdict, no finding, and no model is asked."""
        from langchain_core.messages import AIMessage

        def check(given):
            report = guard.check(given, prompt="Hi")
            assert (report.verdict, report.findings, report.answer) == (None, (), "")
            assert (asyncio.run(guard.acheck(given)).verdict, guard.estimate(given).most) == (None, 0)

        calls = [{"name": "f", "args": {}, "id": "1"}]
        reasoning = {"id": "t", "type": "reasoning", "summary": []}
        function = {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}
        each(
            {
                "None": None,
                "OpenAI's response": completion(None, tool_calls=[CALL]),
                "OpenAI's message": completion(None, tool_calls=[CALL]).choices[0].message,
                "Responses": response(reasoning, function),
                "LangChain": AIMessage("", tool_calls=calls),
                "a dict": {"role": "assistant", "content": None, "tool_calls": [CALL]},
            },
            check,
        )
        assert guard.supervise(lambda _: completion(None, tool_calls=[CALL]), prompt="Hi").verdict is None
        assert guard.supervise(lambda _: Completion("", finish_reason="tool_calls")).verdict is None
        assert chat.asked == []

    def test_an_empty_text_is_an_answer(self, guard):
        """What a detector makes of it is its business."""
        assert guard.check("").verdict is Verdict.UNVERIFIED
        assert guard.check(Case.of(None)).verdict is Verdict.UNVERIFIED
        assert guard.supervise(lambda _: "").verdict is Verdict.UNVERIFIED

    def test_a_response_is_its_text(self, guard):
        """Of OpenAI's two interfaces and of LangChain, whole or in part."""
        from langchain_core.messages import AIMessage, AIMessageChunk
        from langchain_core.outputs import ChatGeneration, ChatResult

        blocks = [
            {"type": "reasoning", "reasoning": "hm"},
            {"type": "text", "text": "y"},
            {"type": "text", "text": "es"},
        ]
        whole, result = completion("yes"), ChatGeneration(message=AIMessage("yes"))

        def check(given):
            assert guard.check(given).case.answer == "yes"

        each(
            {
                "completion": whole,
                "choice": whole.choices[0],
                "message": whole.choices[0].message,
                "the response as JSON": json.loads(whole.model_dump_json()),
                "Responses": response(spoken("y", "es")),
                "its message": response(spoken("yes")).output[0],
                "AIMessage": AIMessage("yes"),
                "AIMessage of blocks": AIMessage(blocks),
                "AIMessageChunk": AIMessageChunk("yes"),
                "ChatGeneration": result,
                "ChatResult": ChatResult(generations=[result]),
                "Completion": Completion("yes"),
            },
            check,
        )

    def test_its_log_probabilities_come_along(self, guard):
        """Where a response has one choice and brings them; those given beside it come first."""
        from langchain_core.messages import AIMessage

        said = AIMessage("yes", response_metadata={"logprobs": {"content": TOKENS}})

        def check(given):
            assert guard.check(given).case.logprobs == (TokenLogprob("yes", -0.5),)

        whole = completion("yes", logprobs={"content": TOKENS, "refusal": None})
        told = [{**TOKENS[0], "bytes": [121, 101, 115]}]
        each(
            {
                "completion": whole,
                "choice": whole.choices[0],
                "Responses": response(spoken("yes", logprobs=told)),
                "LangChain": said,
            },
            check,
        )
        own = (TokenLogprob("yes", -1.0),)
        assert Case.of(whole, logprobs=own).logprobs == own
        assert (
            Case.of(AIMessage("yes", response_metadata={"logprobs": {"content": [{"odd": 1}]}})).logprobs
            == ()
        )

    def test_of_several_choices_one_is_the_answer(self, guard):
        """Which is for the user to say; the line to write takes the others as samples."""
        several = completion("yes", "no", "perhaps")
        refused(lambda: guard.check(several), "3 choices", "samples=response.choices[1:]", error=InputError)
        case = guard.check(several.choices[0], samples=several.choices[1:]).case
        assert (case.answer, case.samples) == ("yes", ("no", "perhaps"))

    def test_what_is_no_answer(self, guard):
        """Streams, lists, bytes and results of graphs; nothing of what they hold is repeated."""

        async def call():
            return "yes"

        async def stream():
            yield "yes"

        secret = "the whole secret answer"  # none
        check = guard.check
        assert secret not in refused(
            lambda: check(secret.encode()), "23 bytes", ".decode()", error=InputError
        )
        assert secret not in refused(
            lambda: check([secret]), "a list of 1", "one at a time", error=InputError
        )
        refused(lambda: check(call()), "await", error=InputError)
        refused(lambda: check(stream()), "stream", "join", error=InputError)
        refused(lambda: check({"messages": [1]}), "result['messages'][-1]", error=InputError)
        refused(lambda: check(SimpleNamespace(text=secret)), "SimpleNamespace", error=InputError)
        refused(lambda: check(Case(answer="a"), samples=["b"]), "Case.of(answer, samples=…)")

    def test_a_supervised_function_may_give_a_response(self, guard):
        """As its client gave it."""

        async def give(feedback):
            del feedback
            return completion("yes")

        assert guard.supervise(lambda _: completion("yes")).answer == "yes"
        assert asyncio.run(guard.asupervise(give)).answer == "yes"
        refused(lambda: guard.supervise(lambda _: completion("yes", "no")), "2 choices", error=InputError)


class TestPrompt:
    def test_what_is_taken(self, guard):
        """Texts, pairs, dicts and the messages of others, in a list or one alone, wherever a prompt is taken."""
        from langchain_core.messages import ChatMessage, HumanMessage
        from langchain_core.prompts import ChatPromptTemplate

        template = ChatPromptTemplate.from_messages([("user", "{question}")])

        def check(given):
            expected = (Message("user", "Hi"),)
            assert Case.of("yes", prompt=given).messages == expected
            assert guard.check("yes", prompt=given).case.messages == expected
            assert asyncio.run(guard.acheck("yes", prompt=given)).case.messages == expected
            assert guard.generate(given).case.messages == expected
            assert asyncio.run(guard.agenerate(given)).case.messages == expected
            assert guard.supervise(lambda _: "yes", prompt=given).case.messages == expected
            assert guard.estimate("yes", prompt=given).most == 1

        each(
            {
                "text": "Hi",
                "pair": (("user", "Hi"),),
                "pairs": [("human", "Hi")],
                "dict": {"role": "user", "content": "Hi"},
                "blocks": [
                    {"role": "user", "content": [{"type": "input_text", "text": "Hi"}, {"type": "image_url"}]}
                ],
                "ours": user("Hi"),
                "LangChain": HumanMessage("Hi"),
                "several": ((HumanMessage("Hi"),),),
                "with a role": [ChatMessage("Hi", role="user")],
                "a prompt value": template.invoke({"question": "Hi"}),
            },
            check,
        )
        assert Case.of("yes", prompt=iter([("user", "Hi")])).messages == (Message("user", "Hi"),)
        each([((),), ([],), ("",), (None,)], lambda given: _equal(Case.of("yes", prompt=given).messages, ()))

    def test_a_turn_with_a_tool(self):
        """Its call has no text; its result is text that nobody should trust, which chat APIs refuse as a "tool" message."""
        from langchain_core.messages import AIMessage, ToolMessage

        chats = [
            {"role": "user", "content": "Hi"},
            completion(None, tool_calls=[CALL]).choices[0].message,
            {"role": "tool", "tool_call_id": "1", "content": "42"},
        ]
        responses = [
            {"role": "user", "content": "Hi"},
            *response({"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}).output,
            {"type": "function_call_output", "call_id": "1", "output": "42"},
        ]
        calls = [{"name": "f", "args": {}, "id": "1"}]
        langchain = [("user", "Hi"), AIMessage("", tool_calls=calls), ToolMessage("42", tool_call_id="1")]
        result = Message("assistant", ("Result of a tool:\n", Untrusted("42")))
        each(
            {"chats": chats, "responses": responses, "langchain": langchain},
            lambda turns: _equal(Case.of("yes", prompt=turns).messages, (Message("user", "Hi"), result)),
        )

    def test_what_is_no_prompt(self):
        """With the number of the message that is wrong, and without what it says."""

        def check(given, *fragments):
            refused(lambda: Case.of("yes", prompt=given), *fragments, error=InputError)

        each(
            [
                (["Hi"], "'Hi' as message 1", "('user', 'the text')"),
                ([("user", "Hi"), ("usr", "Hi")], "message 2", "'usr'", "'user'"),
                ([("user", 42)], "42", "('user', 'the text')"),
                (b"Hi", "2 bytes", "prompt.decode()"),
                ({"messages": []}, "state['messages']"),
                ([{"role": ["user"], "content": "Hi"}], "a list of 1", "'user'"),
            ],
            check,
        )


def _equal(actual, expected):
    assert expected == actual


class TestDocumentsAndSamples:
    def test_are_texts_or_objects_that_hold_one(self):
        """One alone, or several."""
        from langchain_core.documents import Document
        from langchain_core.messages import AIMessage

        assert Case.of("a", context=Document("b")).context == ("b",)
        assert Case.of("a", context={"x": "b"}.values()).context == ("b",)
        assert Case.of("a", context=["b", Document("c")]).context == ("b", "c")
        assert Case.of("a", samples="b").samples == ("b",)
        assert Case.of("a", samples=["b", AIMessage("c"), completion("d")]).samples == ("b", "c", "d")
        refused(lambda: Case.of("a", context={"x": "b"}), "a dict with 'x'", error=InputError)
        refused(lambda: Case.of("a", samples=[["b"]]), "a list of 1", error=InputError)


class TestModels:
    def test_a_langchain_model_is_taken_as_it_is(self):
        """Also one with bound arguments, also as the judge, also by role."""
        from langchain_core.language_models import FakeListChatModel

        def check(given):
            guard = Guard([Asks()], **given)
            route = next(iter(given))
            assert any(isinstance(backend, LangChainChat) for backend in guard.hub.backends.values()), route
            assert guard.check("yes").findings[0].reason == "hm"

        model = FakeListChatModel(responses=["hm"])
        each(
            [
                ({"chat": model},),
                ({"chat": model.bind(stop=["."])},),
                ({"chat": model.with_retry()},),
                ({"judge": model},),
                ({"backends": {"chat:judge": model}},),
            ],
            check,
        )

    def test_an_openai_client_is_refused_with_the_line_to_write(self):
        """It names no model; its key is not shown."""
        import openai

        client = openai.OpenAI(api_key="sk-secret")
        found = refused(lambda: Guard([], chat=client), "write chat=OpenAIChat('gpt-5-mini', client=client)")
        assert "secret" not in found
        client = openai.AsyncOpenAI(api_key="sk-secret")
        refused(lambda: Guard([], judge=client), "write judge=OpenAIChat('gpt-5-mini', async_client=client)")

    def test_a_key_is_not_repeated(self):
        """Given in the place of a model, alone or among options."""

        def check(given):
            assert "secret" not in refused(lambda: Guard([], chat=given), "OpenAIChat(", error=ConfigError)

        each(
            [("sk-secret",), ({"api_key": "sk-secret"},), ("Bearer secret",), ("Ab1" * 12 + "secret",)], check
        )

    def test_chains_are_not_models(self):
        """Nor are other things of LangChain; each has its place."""
        from langchain_core.language_models import FakeListChatModel, FakeListLLM
        from langchain_core.prompts import ChatPromptTemplate

        model = FakeListChatModel(responses=["hm"])
        chain = ChatPromptTemplate.from_messages([("user", "{x}")]) | model
        refused(lambda: Guard([], chat=chain), "chain | GuardedOutput(guard)")
        refused(lambda: Guard([], chat=FakeListLLM(responses=["hm"])), "chat=LangChainChat(model)")
        refused(
            lambda: Guard([], backends={"chat:judge": chain}), "backends={'chat:judge': …}", "GuardedOutput"
        )

    def test_lanes(self, chat):
        """Of the registry, of chat by role, of detectors and of every kind of request; another one is a typing error."""
        for lane in ("chat", "chat:judge", "chat:subject", "chat:generate", "embedding", "tides"):
            assert lane in Guard([], backends={lane: chat}).hub.backends
        refused(lambda: Guard([], backends={"chat:jugde": chat}), "'chat:judge'?", error=UnknownName)
        refused(lambda: Guard([], backends={3: chat}), "named '3'", error=UnknownName)

    def test_a_backend_is_not_read_when_it_is_given(self):
        """Its fingerprint may hash gigabytes."""

        class Heavy(ScriptedChat):
            @property
            def fingerprint(self):
                raise AssertionError("read")

        Guard([], chat=Heavy("hm"))

    def test_nothing_is_imported_to_look_at_an_object(self):
        """Whoever holds one has imported its library."""
        code = """
            import sys
            from guardrail import Guard
            from guardrail.chat import ScriptedChat
            Guard(["references"], chat=ScriptedChat("yes")).check("yes", prompt=[("user", "Hi")], samples=["no"])
            print([name for name in ("openai", "langchain_core") if name in sys.modules])
        """
        found = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
        )
        assert found.stdout == "[]\n"
        assert not is_of(1, "nowhere:Thing")


class TestShown:
    def test_a_few_words(self):
        """Never more than a name, a number or a short text."""
        each(
            [
                ("gpt-5-mini", "'gpt-5-mini'"),
                ("a " * 100, f"{'a ' * 29 + 'a'!r}"[:-1] + "…'"),
                ({"api_key": "sk-1"}, "a dict with 'api_key'"),
                ({}, "an empty dict"),
                ((1, 2), "a tuple of 2"),
                (dict, "the class dict"),
                (len, "the function len"),
                (None, "None"),
            ],
            lambda given, expected: _equal(shown(given), expected),
        )


class TestGenerate:
    def test_raises_a_guardrail_error_with_the_clients_own_as_its_cause(self):
        """Of the client's exceptions there are dozens; `supervise` lets them through."""

        class Down(Exception):
            pass

        broken = Down("no route")

        def give(_):
            raise broken

        for call in (
            lambda guard: guard.generate("Hi"),
            lambda guard: asyncio.run(guard.agenerate("Hi")),
        ):
            with pytest.raises(BackendError, match="no route") as caught:
                call(Guard([], chat=ScriptedChat(give)))
            assert caught.value.__cause__ is broken
        with pytest.raises(Down):
            Guard([]).supervise(give)

    def test_a_failure_without_an_exception_has_no_cause(self):
        """A model that refused, say."""
        with pytest.raises(BackendError, match="will not") as caught:
            Guard([], chat=ScriptedChat([Failed(Reason.REFUSED, "it will not")])).generate("Hi")
        assert caught.value.__cause__ is None

    def test_says_where_a_chat_model_goes(self):
        """If there is none; one of a shared hub is one."""
        for call in (lambda guard: guard.generate("Hi"), lambda guard: asyncio.run(guard.agenerate("Hi"))):
            refused(lambda call=call: call(Guard([])), "chat=OpenAIChat(", error=BackendError)
        assert Guard([], backends=Hub({"chat": ScriptedChat("yes")})).generate("Hi").answer == "yes"


class TestPolicy:
    def test_the_written_form_belongs_into_a_file(self):
        """With options it is read by a function."""
        refused(
            lambda: Guard([], policy="regenerate(2) | annotate"), "parse_policy('regenerate(2) | annotate')"
        )
        refused(lambda: Guard([], policy=type(annotate())), "the class Annotate", "policy=annotate()")
        assert re.search(r"policy=remove\(\)$", refused(lambda: Guard([], policy="removed")))


class Table:
    """A table as pandas has it: its parts are the names of its columns."""

    columns = ("text", "source")

    def __iter__(self):
        return iter(self.columns)


class Turn(BaseModel):
    """A message as a web service has it."""

    role: str
    content: object


@dataclass
class Line:
    """A message as a dataclass."""

    role: str
    content: str


@dataclass
class Reply:
    """What a chain of one's own gives."""

    answer: str


class TestTables:
    """Somebody works with pandas and np."""

    def test_a_table_stands_where_its_column_belongs(self, guard):
        """Its parts are the names of its columns, which are no documents."""
        each(
            [("context",), ("samples",), ("prompt",)],
            lambda name: refused(
                lambda: guard.check("yes", **{name: Table()}), "table['text']", error=InputError
            ),
        )
        refused(lambda: guard.check(Table()), "class Table", "table['text']", error=InputError)

    def test_a_column_has_empty_cells(self, guard):
        """They are no documents; of an answer that is missing nothing can be checked."""
        for cell in (None, float("nan")):
            refused(
                lambda cell=cell: guard.check("yes", context=["a", cell]),
                "the list without it",
                error=InputError,
            )
        refused(lambda: guard.check(float("nan")), "None where there is no answer", error=InputError)

    def test_arrays_of_texts_are_taken(self, guard):
        """One without dimensions is none."""
        case = guard.check(np.array(["yes"])[0], context=np.array(["a", "b"]), samples=np.array(["no"])).case
        assert (case.answer, case.context, case.samples) == ("yes", ("a", "b"), ("no",))
        refused(lambda: guard.check(np.array("yes")), "class ndarray", error=InputError)
        refused(lambda: guard.check("yes", prompt=np.array(["Hi"])), "got 'Hi' as", error=InputError)

    def test_numbers_of_numpy_are_counted_with(self, guard):
        """The message has the number to write."""
        three = np.int64(3)
        refused(lambda: Guard([], budget=three), "got np.int64(3): write budget=3")
        refused(lambda: Guard([], deadline=three), "write deadline=3")
        refused(lambda: SelfCheck("ngram", samples=three), "write samples=3")
        refused(lambda: guard.check("yes", samples=three), "SelfCheck(…, samples=3)", error=InputError)


class TestLogs:
    """Somebody reads conversations and documents back from files."""

    def test_messages_of_langchain_come_as_json(self):
        """In each of its three forms; the text is there, not dropped."""
        from langchain_core.load import dumpd
        from langchain_core.messages import AIMessage, HumanMessage, message_to_dict

        said = [HumanMessage("Hi"), AIMessage("Ho")]
        expected = (Message("user", "Hi"), Message("assistant", "Ho"))

        def check(form):
            turns = json.loads(json.dumps([form(message) for message in said]))
            assert Case.of("yes", prompt=turns).messages == expected
            assert Case.of(turns[-1]).answer == "Ho"

        each({"model_dump": HumanMessage.model_dump, "to_dict": message_to_dict, "dumpd": dumpd}, check)

    def test_the_text_has_another_name(self):
        """It would be dropped; a message that only calls a tool may lack it."""
        each(
            [{"role": "user", "text": "Hi"}, {"role": "user", "parts": [{"text": "Hi"}]}, {"role": "user"}],
            lambda turn: refused(
                lambda: Case.of("yes", prompt=[turn]),
                "message 1 of prompt= has no 'content'",
                "'content': '…'",
                error=InputError,
            ),
        )
        called = {"role": "assistant", "tool_calls": [CALL]}
        assert Case.of("yes", prompt=[called, ("user", "Hi")]).messages == (Message("user", "Hi"),)

    def test_the_whole_conversation_is_given_as_the_answer(self, guard):
        """Its last message is the answer, the others are the prompt."""
        from langchain_core.messages import AIMessage, HumanMessage

        pairs = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "yes"}]
        each(
            [(pairs,), ([HumanMessage("Hi"), AIMessage("yes")],), ((Turn(role="user", content="Hi"),) * 2,)],
            lambda said: refused(
                lambda: guard.check(said),
                "2 messages: write messages[-1], with prompt=messages[:-1]",
                error=InputError,
            ),
        )
        assert guard.check(pairs[-1], prompt=pairs[:-1]).case.question == "Hi"

    def test_documents_come_as_json(self):
        """LangChain's own are taken, and rows with a text; of others the message says where the text is."""
        from langchain_core.documents import Document

        assert Case.of("a", context={"text": "b", "id": 1}).context == ("b",)
        dumped = json.loads(Document("b").model_dump_json())
        assert Case.of("a", context=dumped).context == Case.of("a", context=[dumped]).context == ("b",)
        each(
            {
                "a row": ({"words": "b", "id": 1}, "its text"),
                "a message's dict": ({"role": "user", "content": "b"}, "document['content']"),
                "with its score": ((Document("b"), 0.8), "document[0]"),
                "in lists": (["b", "c"], "its texts into the one list"),
                "a message": (user("b"), "document.content"),
                "bytes": (b"b", "document.decode()"),
            },
            lambda given, instead: refused(
                lambda: Case.of("a", context=[given]), "each of context=", instead, error=InputError
            ),
        )
        found = {"ids": [["1"]], "documents": [["b"]]}
        refused(lambda: Case.of("a", context=found), "context['documents']", error=InputError)


class TestFiles:
    """Somebody gives a path, or an open file, in the place of what is in it."""

    def test_paths_and_open_files(self, guard, tmp_path):
        """A file is no list of its lines, and a path is no text."""
        path = tmp_path / "notes.txt"
        path.write_text("one\ntwo\n")

        def check(call):
            refused(lambda: call(path), "notes.txt", "path.read_text()", error=InputError)
            with path.open() as file:
                refused(lambda: call(file), "an open file", "file.read()", error=InputError)

        each(
            {
                "the answer": guard.check,
                "the prompt": lambda given: guard.check("yes", prompt=given),
                "documents": lambda given: guard.check("yes", context=given),
                "one of them": lambda given: guard.check("yes", context=[given]),
                "samples": lambda given: guard.check("yes", samples=given),
            },
            check,
        )

    def test_a_bibliography_that_is_not_there(self, tmp_path):
        """A file of which one is made does not exist; an index of its own is made by a command."""
        path = tmp_path / "refs.bib"
        path.write_text("@misc{a, title = {On Nothing}}")
        missing = tmp_path / "missing.bib"
        refused(
            lambda: ReferenceCheck(bibliography=missing),
            f"{str(missing)!r}, found no such file",
            error=IndexFault,
        )
        refused(
            lambda: ReferenceCheck(bibliography=tmp_path), f"{tmp_path / 'refs.sqlite'}", error=IndexFault
        )
        refused(
            lambda: FactCheck(path), "name the folder that `guardrail logic build` made", error=InputError
        )
        refused(lambda: FactCheck(tmp_path / "world.kb"), "guardrail logic build", "FILE", error=InputError)
        refused(lambda: FactCheck(42), "write kb='…'")
        refused(lambda: ReferenceCheck(bibliography=Index), "the class Index", "'refs.sqlite'")
        refused(lambda: Index.create(None), "Index.open('refs.sqlite')")

    def test_a_title_is_looked_up_by_hand(self, tmp_path):
        """An index finds references."""
        with Index.create(tmp_path / "refs.sqlite") as index:
            refused(lambda: index.find("On Nothing"), "find(Reference(title='…'))", error=InputError)

    def test_a_cache_is_a_file(self, tmp_path):
        """No folder, no address, and nobody's bibliography, which must not be deleted."""
        refused(lambda: Guard([], cache=tmp_path), f"{tmp_path / 'replies.sqlite'}")
        refused(lambda: Guard([], cache="redis://localhost:6379"), "an address", "cache='replies.sqlite'")
        secret = refused(lambda: Guard([], cache="redis://me:secret@localhost"), "cache='replies.sqlite'")
        assert "secret" not in secret
        Index.create(tmp_path / "refs.sqlite").close()
        message = refused(lambda: Guard([], cache=tmp_path / "refs.sqlite"), "another database")
        assert "elete" not in message
        refused(lambda: Cache(42), "Cache('replies.sqlite')")
        refused(lambda: Cache(tmp_path / "c.sqlite", max_age="60"), "write max_age=60")


class TestOwnClasses:
    """Somebody has models of pydantic and dataclasses of their own. (That no warning is given is pytest's to see.)"""

    def test_messages_with_role_and_content_are_taken(self, guard):
        """As prompts and as answers, in lists or alone; roles may be members of an enumeration."""
        assert Case.of("yes", prompt=[Turn(role="user", content="Hi"), Line("assistant", "Ho")]).messages == (
            Message("user", "Hi"),
            Message("assistant", "Ho"),
        )
        assert Case.of("yes", prompt=Line("user", "Hi")).question == "Hi"
        role = StrEnum("Who", {"USER": "user"}).USER
        [message] = Case.of("yes", prompt=Turn(role=role, content="Hi")).messages
        assert (type(message.role), message.role) == (str, "user")

        class Block(BaseModel):
            type: str = "text"
            text: str

        assert guard.check(Turn(role="assistant", content=[Block(text="yes")])).case.answer == "yes"

    def test_results_are_refused_with_the_place_of_their_text(self, guard):
        """By the usual names; nothing of what they hold is repeated."""

        class Result(BaseModel):
            output: str

        def check(given, instead):
            message = refused(lambda: guard.check(given), f"write {instead}", error=InputError)
            assert "secret" not in message

        each(
            {
                "a chain's dict": ({"question": "Hi", "answer": "secret"}, "result['answer']"),
                "a pipeline's": ({"generated_text": "secret"}, "result['generated_text']"),
                "a model of pydantic": (Result(output="secret"), "result.output"),
                "a dataclass": (Reply("secret"), "result.answer"),
                "a report": (guard.check("secret"), "result.answer"),
                "a client's": (
                    SimpleNamespace(message=Line("assistant", "secret")),
                    "result.message.content",
                ),
                "bytes": (b"secret", "result.decode()"),
            },
            check,
        )
        refused(lambda: Case.of("yes", prompt=Result(output="x")), "prompt.output", error=InputError)

    def test_things_that_would_have_to_be_called(self, guard):
        """Functions, and models and retrievers of LangChain."""
        from langchain_core.language_models import FakeListChatModel
        from langchain_core.runnables import RunnableLambda

        refused(lambda: guard.check(lambda: "yes"), "write what it returns", error=InputError)
        refused(lambda: guard.check(FakeListChatModel(responses=["hm"])), ".invoke(…)", error=InputError)
        retriever = RunnableLambda(lambda question: [question])
        refused(lambda: guard.check("yes", context=retriever), ".invoke(…)", error=InputError)

    def test_one_answer_is_given_as_the_samples(self, guard):
        """A response with its choices, or a message by itself."""
        from langchain_core.messages import AIMessage

        refused(
            lambda: guard.check("a", samples=completion("b", "c")),
            "samples=response.choices",
            error=InputError,
        )
        refused(lambda: guard.check("a", samples=AIMessage("b")), "samples=[message]", error=InputError)

    def test_a_case_is_written_by_its_fields(self):
        """What users have at hand is for `Case.of`; a report's JSON is read as it always was."""
        each(
            {
                "a prompt": ({"answer": "a", "prompt": "Hi"}, "Case.of(answer, prompt=…)"),
                "a text for messages": ({"answer": "a", "messages": "Hi"}, "Case.of(answer, prompt=…)"),
                "a text for documents": ({"answer": "a", "context": "b"}, "Case.of(answer, context=…)"),
                "a text for samples": ({"answer": "a", "samples": "b"}, "Case.of(answer, samples=…)"),
                "no answer": ({"answer": None}, "Case.of(None)"),
            },
            lambda fields, instead: refused(lambda: Case(**fields), instead, error=InputError),
        )
        assert Case(answer="a", context=["b"]).context == ("b",)
        guard = Guard([Asks()])
        refused(
            lambda: guard.check(Case(answer="a"), context=np.array(["b", "c"])),
            "Case.of(answer, context=…)",
        )
        assert Case.of("a", logprobs=None).logprobs == ()

    def test_a_verdict_is_misspelt(self, guard):
        """No finding has it, which would look like good news."""
        report = guard.check("yes")
        assert report.with_verdict("unverified") == report.findings
        refused(lambda: report.with_verdict("unverifed"), "write verdict='unverified'")


class TestAsynchronous:
    """Somebody writes asynchronous code, and forgets an await or an async."""

    def test_a_call_is_not_awaited(self, guard):
        """Wherever a text is wanted; nobody is told a second time."""

        async def later():
            return "yes"

        each(
            {
                "the prompt": lambda: guard.check("yes", prompt=later()),
                "documents": lambda: guard.check("yes", context=later()),
                "one of them": lambda: guard.check("yes", context=[later()]),
                "samples": lambda: guard.check("yes", samples=later()),
                "one of those": lambda: guard.check("yes", samples=[later()]),
            },
            lambda call: refused(call, "not awaited: write await before it", error=InputError),
        )

    def test_functions_of_the_wrong_kind(self, guard):
        """They would never be awaited, or cannot be."""

        async def later(_):
            return "yes"

        refused(lambda: Guard([], on_report=later), "the function later with async", "def alone")
        refused(lambda: ScriptedChat(later), "the function later", "ScriptedChat('yes')")
        refused(lambda: guard.supervise(later), "await guard.asupervise(…)")
        refused(lambda: asyncio.run(guard.asupervise(lambda _: "yes")), "async def", "guard.supervise(…)")

    def test_what_supervise_cannot_call(self, guard):
        """An answer, or a model."""
        from langchain_core.language_models import FakeListChatModel

        model = FakeListChatModel(responses=["hm"])
        refused(lambda: guard.supervise("yes"), "check('the answer')")
        refused(lambda: guard.supervise(model), "supervise(lambda feedback: model.invoke(…))")
        refused(lambda: asyncio.run(guard.asupervise(model)), "asupervise(lambda feedback: model.ainvoke(…))")

    def test_the_pieces_of_a_stream_are_given_as_samples(self, guard):
        """Each would count as an answer; answers that are made one by one do not."""
        from langchain_core.language_models import FakeListChatModel

        model = FakeListChatModel(responses=["hm"])
        refused(lambda: guard.check("a", samples=model.stream("Hi")), "a stream", "join", error=InputError)
        assert guard.check("a", samples=(model.invoke("Hi") for _ in range(2))).case.samples == ("hm", "hm")


class TestOtherLibraries:
    """Somebody writes what another library's page taught."""

    def test_policies_have_other_names(self):
        """The nearest of ours is to be written."""
        each(
            [
                ("reask", "regenerate"),
                ("Fix", "regenerate"),
                ("filter", "remove"),
                ("exception", "block"),
                ("noop", "flag"),
            ],
            lambda given, ours: refused(lambda: Guard([], policy=given), f"policy={ours}()"),
        )

    def test_what_is_joined_is_no_policy(self):
        """It was found out when the first answer was wrong."""
        each(
            [(annotate, "annotate()"), ("block", "block()"), (None, "annotate()")],
            lambda given, ours: refused(lambda: regenerate(2) | given, "| joins policies", f"write {ours}"),
        )

    def test_options_of_policies(self):
        """One verdict may be given by itself, and by its name."""
        assert annotate(on="unverified") == annotate(on=Verdict.UNVERIFIED) == annotate(on=["unverified"])
        refused(lambda: annotate(on="unverifed"), "Did you mean 'unverified'?", error=UnknownName)
        refused(lambda: annotate(on=3), "on={'unsupported', 'unverified'}")
        refused(lambda: regenerate("2"), "write times=2")
        refused(lambda: regenerate(0), "write flag()")
        refused(lambda: block(message=None), "block('No answer.')")
        refused(lambda: parse_policy(annotate()), "takes a text")
        refused(lambda: parse_policy("annotate, block"), "with | between")
        refused(lambda: Guard([], fail=None), "open, closed, got None: write fail='open'")

    def test_checks_are_functions_and_callable_objects(self):
        """Ours are detectors; `write <lambda>()` helped nobody."""

        class Validator:
            def __call__(self, answer):
                return answer

        from langchain_core.language_models import FakeListChatModel

        each(
            {
                "a function": (lambda text: text, "inherits guardrail.detector.Detector"),
                "an object": (Validator(), "inherits guardrail.detector.Detector"),
                "the base class": (Detector, "inherits guardrail.detector.Detector"),
                "a list": ([Asks()], "into the one list"),
                "a table": ({"name": "asks"}, "the detector with its options"),
                "nothing": (None, "the list without it"),
                "a model": (FakeListChatModel(responses=["hm"]), "Guard([…], chat=model)"),
                "a class": (Asks, "write Asks()"),
            },
            lambda given, instead: refused(lambda: Guard([given]), instead),
        )
        refused(lambda: Guard(["FactCheck"]), "Did you mean 'logic'?", error=UnknownName)
        refused(lambda: Guard(["nli"]), "Did you mean 'selfcheck-nli'?", error=UnknownName)

    def test_a_model_is_given_to_a_detector(self):
        """It belongs to the guard."""
        for call in (lambda: SelfCheck("prompt", llm=1), lambda: ReferenceCheck(chat=1)):
            refused(call, "given to the guard: write Guard([…], chat=model)")
        refused(
            lambda: SelfCheck("nli", model="deberta-nli"),
            "backends={'entailment': EntailmentModel('deberta-nli')}",
        )

    def test_options_of_detectors(self):
        """Misspelt, without a name, or several methods at once."""
        refused(lambda: ReferenceCheck(bibliografy="refs.sqlite"), "Did you mean 'bibliography'?")
        refused(
            lambda: ReferenceCheck("refs.sqlite"), "'refs.sqlite' without one", "(bibliography='refs.sqlite')"
        )
        refused(lambda: SelfCheck(["ngram", "nli"]), "Guard([SelfCheck('ngram'), SelfCheck('nli')])")
        refused(lambda: SelfCheck("NLI"), "Did you mean 'nli'?", error=UnknownName)

    def test_models_by_their_address_or_a_method(self):
        """And by what a registry calls them."""
        import openai
        from langchain_core.language_models import FakeListChatModel

        client = openai.OpenAI(api_key="sk-secret")
        refused(lambda: Guard([], chat=client.chat.completions.create), "client=client")
        refused(lambda: Guard([], chat=client.chat.completions), "client=client")
        refused(lambda: Guard([], chat=FakeListChatModel(responses=["hm"]).invoke), "write chat=model")
        refused(
            lambda: Guard([], chat="http://localhost:8000/v1"),
            "OpenAIChat('gpt-5-mini', base_url='http://localhost:8000/v1')",
        )
        refused(
            lambda: Guard([], backends={"entailment": "packaged"}), "{'entailment': PackagedEntailment()}"
        )

    def test_limits(self):
        """As a configuration file has them."""
        refused(lambda: Guard([], budget={"calls": 9, "tokens": 5}), "write budget=Budget(calls=9, tokens=5)")
        refused(lambda: Guard([], budget=(9, 5)), "write budget=Budget(calls=9, tokens=5)")
        refused(lambda: Budget(calls="9"), "expected calls to be", "write calls=9")
        refused(lambda: Hub(ScriptedChat("yes")), "Hub({'chat': model})")
        refused(
            lambda: Guard([], backends=Hub({}), retry=Retry()), "got retry= with it: give retry to the hub"
        )
        refused(lambda: Hub({"chat": "gpt"}), "got str")
        refused(lambda: Hub({}, retry=3), "Retry(attempts=3)")
        refused(lambda: Hub({}, store="c.sqlite"), "Cache('replies.sqlite')")


class TestEndpoints:
    def test_what_a_model_behind_openais_protocol_takes(self):
        """It was found out at the first question, or by an exception of Python's."""
        import openai

        client, later = openai.OpenAI(api_key="k"), openai.AsyncOpenAI(api_key="k")
        each(
            {
                "a client": ((client,), {}, "('gpt-5-mini', client=client)"),
                "an asynchronous one": ((later,), {}, "('gpt-5-mini', async_client=client)"),
                "no name": (("",), {}, "('gpt-5-mini')"),
                "the other client": (("m",), {"client": later}, "async_client=client"),
                "the other one": (("m",), {"async_client": client}, "client=client"),
                "a class": (("m",), {"client": openai.OpenAI}, "client=OpenAI()"),
                "no client": (("m",), {"client": "sk-secret"}, "a client of openai"),
                "half an address": (("m",), {"base_url": "localhost:1"}, "base_url='http://localhost:1'"),
                "a number as a key": (("m",), {"api_key": 42}, "api_key='…'"),
                "a text as a number": (("m",), {"timeout": "60"}, "write timeout=60"),
                "nobody at once": (("m",), {"concurrency": 0}, "concurrency to be a whole number from 1"),
                "a list of options": (("m",), {"options": ["seed"]}, "options={'seed': 1}"),
            },
            lambda given, options, instead: [
                refused(lambda kind=kind: kind(*given, **options), instead)
                for kind in (OpenAIChat, CompletionsModel)
            ],
        )

    def test_langchain_is_not_openai(self):
        """Each client has its own."""
        import openai

        client = openai.OpenAI(api_key="k")
        refused(lambda: LangChainChat(client), "OpenAIChat('gpt-5-mini', client=client)")
        refused(lambda: LangChainChat("gpt-5-mini"), "OpenAIChat('gpt-5-mini')")

    def test_a_script_gives_something_else_than_texts(self):
        """The guard's answer says what to return; no exception of Python's comes out."""
        from langchain_core.messages import AIMessage

        refused(lambda: ScriptedChat(42), "ScriptedChat('yes')")
        for given, instead in ((AIMessage("yes"), "reply.content"), (None, "a text")):
            guard = Guard([], chat=ScriptedChat(lambda _, given=given: given))
            refused(lambda guard=guard: guard.generate("Hi"), f"write {instead}", error=BackendError)


class TestQuestion:
    def test_nothing_is_asked(self, chat, guard):
        """No model is asked either."""
        for prompt in (None, "", [], [("user", "")]):
            refused(lambda p=prompt: guard.generate(p), "generate('the question')", error=InputError)
            refused(lambda p=prompt: asyncio.run(guard.agenerate(p)), "the question", error=InputError)
        assert chat.asked == []
