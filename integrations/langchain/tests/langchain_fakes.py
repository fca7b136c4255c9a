"""A scripted chat model, a detector that knows one word, and ears that hear all that LangChain tells."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, ClassVar

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import Field

from guardrail import Detector, Finding, Span, Verdict

MARK = "Xyzzyx"
HALVES = ("Xyz", "zyx")  # a stream or a list of tokens may break the word
BAD = f"Cats purr. Dogs bark, as {MARK} showed. Cows moo."
GOOD = "Cats purr. Cows moo."
NOTE = "not supported"


class MarkedWords(Detector):
    """Every sentence with the word is unsupported."""

    name: ClassVar[str] = "marked"

    def cost(self, case):
        return {}

    def examine(self, case):
        yield from ()
        return [
            Finding(
                detector=self.name,
                span=Span(start=found.start(), end=found.end()),
                text=found.group(),
                score=1.0,
                verdict=Verdict.UNSUPPORTED,
            )
            for found in re.finditer(rf"[^.\n]*{MARK}[^.\n]*\.?", case.answer)
        ]


class Idle(Detector):
    """Finds nothing."""

    name: ClassVar[str] = "idle"

    def cost(self, case):
        return {}

    def examine(self, case):
        yield from ()
        return []


def bad_message(content: Any = BAD) -> AIMessage:
    """The text, and all the other places in which providers repeat it."""
    tokens = [{"token": half, "logprob": -0.5, "top_logprobs": []} for half in HALVES]
    return AIMessage(
        content=content,
        additional_kwargs={"reasoning_content": f"I might say {MARK}", "kept": 7},
        response_metadata={
            "logprobs": {"content": tokens},
            "model_name": "fake-1",
            "finish_reason": "stop",
            "search": {"quote": f"{MARK} it is", "hits": 3},
        },
        usage_metadata={"input_tokens": 3, "output_tokens": 5, "total_tokens": 8},
    )


def honest_when_told(messages: list[BaseMessage]) -> AIMessage:
    """Says it, until it is told not to."""
    return AIMessage(GOOD) if told_off(messages) else bad_message()


def told_off(messages: list[BaseMessage]) -> bool:
    return "was rejected" in str(messages[-1].text)


class FakeChat(BaseChatModel):
    """Answers by a function of the messages; streams in pieces that break the word; records what it is asked."""

    reply: Callable[[list[BaseMessage]], AIMessage]
    asked: list[list[BaseMessage]] = Field(repr=False)  # tracers store a model's repr
    heard: list[Any]  # tags, metadata and thread of each call
    options: list[dict[str, Any]]

    def __init__(self, reply: Callable[[list[BaseMessage]], AIMessage] = honest_when_told, **kwargs: Any):
        super().__init__(reply=reply, asked=[], heard=[], options=[], **kwargs)

    @property
    def _llm_type(self) -> str:
        return "fake"

    @property
    def first_prompts(self) -> list[list[BaseMessage]]:
        """Without those that carry feedback."""
        return [messages for messages in self.asked if not told_off(messages)]

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self.bind(tools=tools, **kwargs)

    def _answer(self, messages: list[BaseMessage], run_manager: Any, options: dict[str, Any]) -> AIMessage:
        self.asked.append(list(messages))
        self.options.append(options)
        self.heard.append((tuple(run_manager.tags), dict(run_manager.metadata), threading.get_ident()))
        return self.reply(messages).model_copy(deep=True)

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages, run_manager, kwargs))])

    async def _agenerate(self, messages, stop=None, run_manager=None, **kwargs):
        await asyncio.sleep(0)
        return self._generate(messages, stop, run_manager, **kwargs)

    def _stream(self, messages, stop=None, run_manager=None, **kwargs) -> Iterator[ChatGenerationChunk]:
        manager = run_manager or _Nobody()
        message = self._answer(messages, manager, kwargs)
        text = str(message.text)
        for start in range(0, len(text), 3):
            yield ChatGenerationChunk(message=AIMessageChunk(content=text[start : start + 3]))
        yield ChatGenerationChunk(
            message=AIMessageChunk(
                content="",
                additional_kwargs=message.additional_kwargs,
                response_metadata=message.response_metadata,
                usage_metadata=message.usage_metadata,
                tool_call_chunks=[
                    {"name": c["name"], "args": str(c["args"]).replace("'", '"'), "id": c["id"], "index": i}
                    for i, c in enumerate(message.tool_calls)
                ],
            )
        )

    async def _astream(
        self, messages, stop=None, run_manager=None, **kwargs
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in self._stream(messages, stop, run_manager, **kwargs):
            await asyncio.sleep(0)
            yield chunk


class _Nobody:
    tags: ClassVar[list[str]] = []
    metadata: ClassVar[dict[str, Any]] = {}


class Ear(BaseCallbackHandler):
    """Writes down all that callbacks are told."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("on_"):
            heard = object.__getattribute__(self, "heard")
            return lambda *args, **kwargs: heard.append((name, repr((args, kwargs))))
        return object.__getattribute__(self, name)

    def names(self) -> list[str]:
        return [name for name, _ in self.heard]


def text_of(item: Any) -> str:
    """The text that a stream's item carries, for putting a broken word together."""
    if isinstance(item, str):
        return item
    if isinstance(item, BaseMessage):
        return str(item.text)
    if isinstance(item, tuple) and item and isinstance(item[0], BaseMessage):
        return text_of(item[0])  # with metadata beside it
    if isinstance(item, tuple | list):
        return "".join(text_of(part) for part in item)
    if isinstance(item, dict):
        return "".join(text_of(part) for part in item.values())
    return ""


def leaks(received: Any) -> bool:
    """Whether the word is in what was received, in its parts, or in the parts put together."""
    items = received if isinstance(received, list) else [received]
    whole = "".join(text_of(item) for item in items)
    told = [repr(item) for item in items]
    return MARK in whole or any(half in text for text in told for half in HALVES)
