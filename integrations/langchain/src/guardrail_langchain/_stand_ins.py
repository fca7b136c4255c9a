"""Models that say what has been accepted, in the place of those that said it unheard."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from langchain_core.language_models import BaseChatModel, BaseLLM
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult, Generation, LLMResult
from pydantic import Field

from guardrail_langchain._messages import chunks


def stand_in(message: AIMessage | None, model: Any, coming: Any = None, *, silent: bool = False) -> _Accepted:
    """A chat model that says what was accepted.

    Args:
        message: the message.
        model: the step for which it speaks.
        coming: in place of a message, its chunks.
        silent: streams of messages leave it out.
    """
    while not isinstance(model, BaseChatModel) and hasattr(model, "bound"):
        model = model.bound  # arguments that were bound to it
    chat = model if isinstance(model, BaseChatModel) else None
    return _Accepted(
        message=message,
        coming=coming,
        original=chat,
        name=chat.get_name() if chat else None,
        tags=[*((chat.tags if chat else None) or ()), *(["nostream"] if silent else ())] or None,
        metadata=chat.metadata if chat else None,
        cache=False,
    )


def stand_in_text(text: str, model: Any) -> _AcceptedText:
    """A text model that says what was accepted, or nothing."""
    while not isinstance(model, BaseLLM) and hasattr(model, "bound"):
        model = model.bound
    original = model if isinstance(model, BaseLLM) else None
    return _AcceptedText(
        text=text,
        original=original,
        name=original.get_name() if original else None,
        tags=original.tags if original else None,
        metadata=original.metadata if original else None,
        cache=False,
    )


class _Accepted(BaseChatModel):
    """Says one message that has been accepted, or the pieces of one that are."""

    message: AIMessage | None = None
    coming: Any = Field(default=None, repr=False, exclude=True)  # chunks, from an iterator or an async one
    original: BaseChatModel | None = Field(
        default=None, repr=False, exclude=True
    )  # tracers store a model's repr

    @property
    def _llm_type(self) -> str:
        return self.original._llm_type if self.original else "guardrail"  # noqa: SLF001  # it speaks for it

    @property
    def _serialized(self) -> dict[str, Any]:  # a cached property there, and slow
        return self.original._serialized if self.original else {"name": "guardrail"}  # noqa: SLF001  # as above

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> Any:
        params = super()._get_ls_params(stop, **kwargs)
        if self.original is not None:
            params = self.original._get_ls_params(stop, **kwargs)  # noqa: SLF001  # as above
        return params

    def _generate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        del messages, stop, run_manager, kwargs
        if self.message is None:
            raise AssertionError("chunks are streamed: somebody must listen to them")
        return ChatResult(generations=[ChatGeneration(message=self.message)])

    async def _agenerate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        return self._generate(messages, stop, run_manager, **kwargs)

    def _stream(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        del messages, stop, run_manager, kwargs
        for chunk in self.coming if self.message is None else chunks(self.message):
            yield ChatGenerationChunk(message=chunk)

    async def _astream(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        if self.message is None:
            async for chunk in self.coming:
                yield ChatGenerationChunk(message=chunk)
            return
        for piece in self._stream(messages, stop, run_manager, **kwargs):
            yield piece


class _AcceptedText(BaseLLM):
    """Says one text that has been accepted."""

    text: str
    original: BaseLLM | None = Field(default=None, repr=False, exclude=True)  # as above

    @property
    def _llm_type(self) -> str:
        return self.original._llm_type if self.original else "guardrail"  # noqa: SLF001  # it speaks for it

    @property
    def _serialized(self) -> dict[str, Any]:
        return self.original._serialized if self.original else {"name": "guardrail"}  # noqa: SLF001  # as above

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> Any:
        params = super()._get_ls_params(stop, **kwargs)
        if self.original is not None:
            params = self.original._get_ls_params(stop, **kwargs)  # noqa: SLF001  # as above
        return params

    def _generate(self, prompts: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> LLMResult:
        del prompts, stop, run_manager, kwargs
        return LLMResult(generations=[[Generation(text=self.text)]])

    async def _agenerate(
        self, prompts: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> LLMResult:
        return self._generate(prompts, stop, run_manager, **kwargs)
