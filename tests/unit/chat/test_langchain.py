"""The LangChain chat."""

import asyncio
import sys
from typing import Any

import pytest
from langchain_core.caches import InMemoryCache
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.globals import set_llm_cache
from langchain_core.language_models import BaseChatModel, FakeListChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableLambda
from langchain_openai import ChatOpenAI

from guardrail.chat import LangChainChat
from guardrail.engine.flow import Answer, Cost, Reason, draws
from guardrail.errors import ConfigError, MissingExtra
from guardrail.requests import Ask, Completion, TokenLogprob, Untrusted, system, user
from guardrail.testing.server import serve

ASK = Ask((system("Be brief."), user("Who wrote ", Untrusted("Foo"), "?")), temperature=0.5)


class Model(BaseChatModel):
    """Says a given message, and keeps what it was given."""

    says: Any = "ok"
    temperature: float = 1.0
    num_predict: int = 5
    calls: list[Any]

    @property
    def _llm_type(self) -> str:
        return "test"

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        self.calls.append((messages, kwargs))
        if isinstance(self.says, Exception):
            raise self.says
        said = self.says if isinstance(self.says, AIMessage) else AIMessage(self.says)
        return ChatResult(generations=[ChatGeneration(message=said.model_copy())])


class AsyncModel(Model):
    async def _agenerate(self, messages, stop=None, run_manager=None, **kwargs):
        return self._generate(messages, **kwargs)


def model(says="ok", kind=Model, **fields):
    return kind(says=says, calls=[], **fields)


def say(says):
    return LangChainChat(model(says)).answer([ASK])[0]


class TestWhatIsSent:
    def test_messages_and_the_arguments_that_the_model_has(self):
        """By the names of its own fields; it has no log-probabilities. The model stays as it was."""
        inner = model()
        LangChainChat(inner).answer([Ask(ASK.messages, temperature=0.2, max_tokens=9, logprobs=2)])
        [(messages, arguments)] = inner.calls
        assert [message.type for message in messages] == ["system", "human"]
        assert messages[1].content.startswith("Who wrote <data-")
        assert arguments == {"temperature": 0.2, "num_predict": 9}
        assert (inner.temperature, inner.num_predict) == (1.0, 5)

    def test_names_may_be_given(self):
        """For a model whose arguments are called otherwise."""
        inner = model()
        chat = LangChainChat(inner, names={"temperature": None, "max_tokens": "most"})
        chat.answer([Ask(ASK.messages, temperature=0.2, max_tokens=9)])
        assert inner.calls[0][1] == {"most": 9}

    def test_an_argument_it_does_not_know_is_dropped_for_good(self):
        """A TypeError that names it."""

        class Narrow(Model):
            def _generate(self, messages, stop=None, run_manager=None, num_predict=None):
                return super()._generate(messages)

        chat = LangChainChat(model(kind=Narrow))
        assert [chat.answer([ASK])[0].cost.calls for _ in range(2)] == [2, 1]

    def test_bound_arguments_stay(self):
        """As the user bound them."""
        inner = model()
        LangChainChat(inner.bind(top_k=3)).answer([ASK])
        assert inner.calls[0][1] == {"temperature": 0.5, "top_k": 3}

    def test_through_langchain_openai(self):
        """Everything arrives at the service, and comes back."""
        said = Completion("hi", logprobs=(TokenLogprob("hi", -0.5, (("hi", -0.5), ("ho", -1.5))),))
        seen = []
        with serve(lambda call: seen.append(call.body) or said) as server:
            chat = LangChainChat(ChatOpenAI(model="m", base_url=server.base_url, api_key="k", max_retries=0))
            [reply] = chat.answer([Ask(ASK.messages, temperature=0.2, max_tokens=9, logprobs=2)])
        assert reply.value == Completion("hi", "m", "stop", said.logprobs)
        assert reply.cost == Cost(1, 5, 1, reply.cost.seconds)
        sent = seen[0]
        assert (sent["temperature"], sent["logprobs"], sent["top_logprobs"]) == (0.2, True, 2)
        assert sent.get("max_completion_tokens", sent.get("max_tokens")) == 9


class TestWhatComesBack:
    def test_usage_and_metadata(self):
        """Tokens, model and why it stopped."""
        said = AIMessage(
            "hi",
            usage_metadata={"input_tokens": 3, "output_tokens": 1, "total_tokens": 4},
            response_metadata={"model_name": "m", "finish_reason": "stop"},
        )
        reply = say(said)
        assert reply == Answer(Completion("hi", "m", "stop"), Cost(1, 3, 1, reply.cost.seconds))

    def test_tokens_that_end_within_a_character_are_the_answer(self):
        """By the bytes that came with them."""
        halves = [
            {"token": "?", "logprob": -1, "bytes": [195]},
            {"token": "?", "logprob": -2, "bytes": [169]},
        ]
        found = say(AIMessage("é", response_metadata={"logprobs": {"content": halves}})).value.logprobs
        assert found == (TokenLogprob("é", -1.0), TokenLogprob("", -2.0))

    def test_of_content_blocks_only_the_text(self):
        """No thoughts, no tool calls."""
        blocks = ["a", {"type": "reasoning", "text": "hm"}, {"type": "text", "text": "b"}, {"type": "image"}]
        assert say(AIMessage(blocks)).value.text == "ab"

    def test_a_refusal_is_no_answer(self):
        """By the filter or by the model."""
        filtered = say(AIMessage("x", response_metadata={"finish_reason": "content_filter"}))
        refused = say(AIMessage("", additional_kwargs={"refusal": "I can't"}))
        assert filtered.reason is refused.reason is Reason.REFUSED

    def test_errors_are_values(self):
        """By the one table of all adapters."""
        assert say(TimeoutError()).reason is Reason.TIMEOUT
        assert not say(ValueError("a bug")).retryable
        with serve(faults={"rate_limit": 1.0}, retry_after="3") as server:
            chat = LangChainChat(ChatOpenAI(model="m", base_url=server.base_url, api_key="k", max_retries=0))
            [reply] = chat.answer([ASK])
        assert (reply.retryable, reply.retry_after) == (True, 3.0)


class TestRespectForTheApplication:
    def test_no_callback_hears_of_it(self):
        """Neither the model's own handlers of a run, nor those of the chain around it."""
        heard = []

        class Handler(BaseCallbackHandler):
            def on_chat_model_start(self, *_, **__):
                heard.append("start")

        chat = LangChainChat(model())
        chain = RunnableLambda(lambda _: chat.answer([ASK])[0].value.text)
        assert chain.invoke("x", config={"callbacks": [Handler()]}) == "ok"
        assert heard == []

    def test_draws_do_not_come_from_the_global_cache(self):
        """Or all samples would be one; the model itself keeps its setting."""
        set_llm_cache(InMemoryCache())
        try:
            inner = model()
            replies = LangChainChat(inner).answer(draws(ASK, 3))
            assert len(replies) == len(inner.calls) == 3
            assert inner.cache is None
        finally:
            set_llm_cache(None)


class TestForms:
    def test_only_models_with_one_of_their_own_have_an_asynchronous_form(self):
        """LangChain's stand-in would block the loop's own threads; the guard has better ones."""
        assert LangChainChat(model()).aanswer is None
        assert LangChainChat(FakeListChatModel(responses=["a"])).aanswer is None
        chat = LangChainChat(model(kind=AsyncModel))
        assert asyncio.run(chat.aanswer([ASK]))[0].value.text == "ok"

    def test_any_runnable_of_messages_will_do(self):
        """A model with fallbacks, say."""
        chat = LangChainChat(RunnableLambda(lambda messages: AIMessage(messages[0]["content"])))
        assert chat.answer([ASK])[0].value.text == "Be brief."

    def test_anything_else_is_refused(self):
        """With what came."""
        with pytest.raises(ConfigError, match="takes a chat model of LangChain, got 'gpt': write OpenAIChat"):
            LangChainChat("gpt")

    def test_without_langchain_it_names_the_extra(self, monkeypatch):
        """With the command."""
        monkeypatch.setitem(sys.modules, "langchain_core.language_models", None)
        with pytest.raises(MissingExtra, match=r"guardrail-sdk\[langchain\]"):
            LangChainChat(object())


class TestFingerprint:
    def test_differs_by_model_and_credential_and_shows_neither_secret(self):
        """So nobody is served through another's key."""

        def mark(**fields):
            return LangChainChat(ChatOpenAI(**{"model": "m", "api_key": "sk-secret"} | fields)).fingerprint

        marks = [mark(), mark(model="m2"), mark(api_key="sk-other"), mark(base_url="http://x")]
        assert len(set(marks)) == 4
        assert mark() == marks[0]
        assert not any("sk-" in text for text in marks)

    def test_may_be_given(self):
        """Where it cannot be read off."""
        assert LangChainChat(model(), fingerprint="mine").fingerprint == "mine"
