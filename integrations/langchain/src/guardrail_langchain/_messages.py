"""LangChain's messages as ours, and an accepted message as the chunks of a stream."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    convert_to_messages,
)
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.prompt_values import PromptValue

from guardrail.given.accepted import Documents
from guardrail.given.content import tokens_of
from guardrail.given.documents import gathered
from guardrail.requests import TokenLogprob

_PIECE = re.compile(
    r"\s*\S{1,24}(?:\s{1,8}\[[^\]\n]{1,300}\])*|\s+"
)  # a mark comes with the word that it is behind


def documents(messages: Sequence[Any], said: Any = None) -> Documents:
    """What an answer should rest on where nobody says so: what tools gave, what was attached, what a system prompt delimits.

    Args:
        messages: the model's input.
        said: what it answered, whose service may have searched.
    """
    answers = [said] if isinstance(said, BaseMessage) else []
    return gathered([*messages, *answers])


def as_messages(prompt: Any) -> list[BaseMessage]:
    """What a chat model makes of its input."""
    if isinstance(prompt, PromptValue):
        return prompt.to_messages()
    if isinstance(prompt, str):
        return [HumanMessage(prompt)]
    if isinstance(prompt, BaseMessage):
        return [prompt]
    return convert_to_messages(prompt)


def with_feedback(prompt: Any, feedback: str, *, textual: bool = False) -> Any:
    """A model's input with one more message (or, for a text model, paragraph) that says what was wrong."""
    if not feedback:
        return prompt
    if textual:
        text = prompt.to_string() if isinstance(prompt, PromptValue) else str(prompt)
        return f"{text}\n\n{feedback}"
    return [*as_messages(prompt), HumanMessage(feedback)]


def logprobs(message: BaseMessage) -> tuple[TokenLogprob, ...]:
    """The answer's tokens, if the model was asked for their log-probabilities."""
    return tokens_of(message.response_metadata.get("logprobs"))


def pieces(text: str) -> list[str]:
    """A text in pieces of a word or so, as a model would have streamed it; at least one.

    Example:
        >>> pieces("Nothing is lost. ")
        ['Nothing', ' is', ' lost.', ' ']
        >>> pieces("The moon is hollow. [made up]")
        ['The', ' moon', ' is', ' hollow. [made up]']
    """
    return _PIECE.findall(text) or [text]


def chunks(message: AIMessage, *, words: bool = True) -> Iterator[AIMessageChunk]:
    """Chunks that add up to the message; tool calls, usage and metadata come with the last.

    Args:
        message: what is released.
        words: cut a text into words; else a mark comes in one piece with all that it is about.
    """
    content: list[Any] = message.content if isinstance(message.content, list) else [message.content]
    if words and isinstance(message.content, str):
        content = pieces(message.content)
    for piece in content:
        whole = piece if isinstance(message.content, str) else [piece]
        yield AIMessageChunk(content=cast("Any", whole), id=message.id, name=message.name)
    calls = [
        tool_call_chunk(name=call["name"], args=_arguments(call["args"]), id=call["id"], index=i)
        for i, call in enumerate([*message.tool_calls, *message.invalid_tool_calls])
    ]
    yield AIMessageChunk(
        content="" if isinstance(message.content, str) else [],
        id=message.id,
        name=message.name,
        additional_kwargs=message.additional_kwargs,
        response_metadata=message.response_metadata,
        usage_metadata=message.usage_metadata,
        tool_call_chunks=calls,
        chunk_position="last",
    )


def _arguments(arguments: Any) -> str | None:
    return arguments if arguments is None or isinstance(arguments, str) else json.dumps(arguments)
