"""The types of what is taken as a prompt, an answer, documents and samples, for type checkers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from guardrail.given.sources import Document, Gathered
from guardrail.requests import Completion, Message

Json: TypeAlias = dict[str, Any]
"""An object of JSON that is made here."""
JsonObject: TypeAlias = Mapping[str, Any]
"""An object of JSON that somebody gave: it is read, and never changed."""


class MessageLike(Protocol):
    """A message of OpenAI or LangChain."""

    @property
    def content(self) -> Any:
        """Its text, or blocks of which some are text."""
        ...


class PromptValue(Protocol):
    """What a LangChain prompt template makes."""

    def to_messages(self) -> Sequence[Any]:
        """Its messages."""
        ...


class ChatCompletion(Protocol):
    """A chat completion of OpenAI."""

    @property
    def choices(self) -> Sequence[Any]:
        """Its answers."""
        ...


class Produced(Protocol):
    """A response of OpenAI's Responses API."""

    @property
    def output(self) -> Any:
        """Messages, calls of tools and thoughts."""
        ...


class Holder(Protocol):
    """A choice of a chat completion, or a generation of LangChain."""

    @property
    def message(self) -> Any:
        """The answer."""
        ...


class ChatResult(Protocol):
    """A result of a LangChain chat model."""

    @property
    def generations(self) -> Sequence[Any]:
        """Its answers."""
        ...


class LangChainDocument(Protocol):
    """A document of LangChain."""

    @property
    def page_content(self) -> str:
        """Its text."""
        ...


Turn: TypeAlias = Message | JsonObject | tuple[str, str] | MessageLike
Prompt: TypeAlias = str | Turn | PromptValue | Sequence[Turn] | None
"""A text, a message or messages: pairs, dicts, or those of OpenAI and LangChain."""
Given: TypeAlias = (
    str | Completion | JsonObject | MessageLike | ChatCompletion | Produced | Holder | ChatResult | None
)
"""An answer: a text, or a message or response of OpenAI or LangChain. `None` is no text, as with a tool call."""
Text: TypeAlias = str | LangChainDocument | Document | JsonObject
Documents: TypeAlias = Text | Iterable[Text] | Gathered | None
"""Texts, documents of LangChain, as objects or as JSON, or dicts with a text and a title, a URL and the like."""
Sayings: TypeAlias = str | Iterable[Given] | None
