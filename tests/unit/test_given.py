"""What users hand to a guard: objects they have are taken, what cannot be taken is refused with the line to write."""

import asyncio
import importlib.util
import json
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import pytest
from tests.looping import each

from guardrail import Case, Finding, Guard, GuardrailError, Verdict, annotate
from guardrail.chat import LangChainChat, ScriptedChat
from guardrail.detector import Detector
from guardrail.engine.flow import Failed, Reason, Request, one
from guardrail.engine.hub import Hub
from guardrail.errors import BackendError, ConfigError, InputError, UnknownName
from guardrail.given.recognition import is_of, shown
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
        refused(lambda: check(Case(answer="a"), samples=["b"]), "Case.of(", error=ConfigError)

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
                (b"Hi", "2 bytes", "prompt='the text'"),
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
        assert Guard([], hub=Hub({"chat": ScriptedChat("yes")})).generate("Hi").answer == "yes"


class TestPolicy:
    def test_the_written_form_belongs_into_a_file(self):
        """With options it is read by a function."""
        refused(
            lambda: Guard([], policy="regenerate(2) | annotate"), "parse_policy('regenerate(2) | annotate')"
        )
        refused(lambda: Guard([], policy=type(annotate())), "the class Annotate", "policy=annotate()")
        assert re.search(r"policy=remove\(\)$", refused(lambda: Guard([], policy="removed")))
