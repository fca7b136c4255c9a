"""The doors of this adapter for `benchmarks.answers.doors`: does a document of a request arrive?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, convert_to_messages
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder

from guardrail import Guard
from guardrail_langchain import GuardrailMiddleware, guard_runnable


class _Scripted(BaseChatModel):
    """Says one thing: the text of a response, with what its service found as content blocks before it."""

    said: list[Any]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        del messages
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=self.said))])

    def _stream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        del messages
        for index, block in enumerate(self.said):
            chunk = AIMessageChunk(content=[{**block, "index": index}])
            yield ChatGenerationChunk(message=chunk)


def _model(cell: Any) -> _Scripted:
    texts = [one["message"]["content"] for one in cell.response["choices"]]
    found = [
        {
            "type": "file_search_call",
            "id": "s1",
            "results": [{"filename": one["title"], "text": one["snippet"]}],
        }
        for one in cell.response.get("search_results", ())
    ]
    return _Scripted(said=[*found, *({"type": "text", "text": text} for text in texts)])


def _agent(guard: Guard, cell: Any, upstream: Any) -> None:
    """An agent of LangChain's."""
    del upstream
    context = (lambda _: cell.context) if cell.context is not None else None
    agent: Any = create_agent(_model(cell), [], middleware=[GuardrailMiddleware(guard, context=context)])
    agent.invoke({"messages": convert_to_messages(cell.request["messages"])})


def _chain(guard: Guard, cell: Any, upstream: Any) -> None:
    """A chain of a prompt and a model."""
    del upstream
    context = (lambda _: cell.context) if cell.context is not None else None
    streams = bool(cell.request.get("stream"))
    prompt = ChatPromptTemplate.from_messages([MessagesPlaceholder("messages")])
    mode: Any = "sentence" if streams else "buffer"
    chain = guard_runnable(guard, prompt | _model(cell), context=context, streaming=mode)
    given = {"messages": convert_to_messages(cell.request["messages"])}
    if streams:
        list(chain.stream(given))
    else:
        chain.invoke(given)


_FIELDS = ("context field", "documents field")
DOORS = {
    "LangChain agent": ("chat", _agent, False, _FIELDS),
    "LangChain chain": ("chat", _chain, False, _FIELDS),
    "LangChain chain, by sentence": ("chat", _chain, True, _FIELDS),
}
"""By name: the protocol, the door, whether it streams, and the places that it has not."""
