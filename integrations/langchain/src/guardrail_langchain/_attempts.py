"""One guarded call of a chain or a model; the guard's own questions are no part of the application's run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from langchain_core.messages import AIMessage, BaseMessage

from guardrail import adapting
from guardrail.adapting import Reading
from guardrail.given.accepted import Documents
from guardrail.guard import Guard
from guardrail.requests import Message
from guardrail_langchain._quiet import apart

T = TypeVar("T")


class Attempts(adapting.Attempts[T]):
    """The answers that a model gave to one prompt.

    Args:
        guard: the guard.
        read: what of an answer is to be examined; `None` = nothing, and it passes untouched.
        said: what of an answer the model said: messages, which know their tokens.
        prompt: what was asked.
        context: documents the answer should rest on, given the first answer.
    """

    def __init__(
        self,
        guard: Guard,
        read: Callable[[T], Reading | None],
        *,
        said: Callable[[T], Any],
        prompt: Callable[[], tuple[Message, ...]],
        context: Callable[[T], Documents],
    ) -> None:
        super().__init__(
            guard,
            read,
            spent=lambda output: tokens(said(output)),
            prompt=prompt,
            context=context,
            apart=apart,
        )


def tokens(said: Any) -> tuple[int, int]:
    """Tokens of the prompts and of the answers."""
    used = [usage for message in messages_in(said) if (usage := message.usage_metadata)]
    return (
        sum(usage.get("input_tokens") or 0 for usage in used),
        sum(usage.get("output_tokens") or 0 for usage in used),
    )


def messages_in(said: Any) -> Iterator[AIMessage]:
    """The model's own messages in what it said."""
    if isinstance(said, AIMessage):
        yield said
    elif isinstance(said, Mapping | list | tuple):
        for item in said.values() if isinstance(said, Mapping) else said:
            if isinstance(item, BaseMessage):
                yield from messages_in(item)
