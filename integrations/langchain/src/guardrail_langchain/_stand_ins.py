"""Models that say what has been accepted, in the place of those that said it unheard."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from langchain_core.language_models import BaseChatModel, BaseLanguageModel, BaseLLM
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
    known = _of(model, BaseChatModel)
    tags = [*(known.pop("tags", None) or ()), *(["nostream"] if silent else ())]
    return _Accepted(message=message, coming=coming, tags=tags or None, **known)


def stand_in_text(text: str, model: Any) -> _AcceptedText:
    """A text model that says what was accepted, or nothing."""
    return _AcceptedText(text=text, **_of(model, BaseLLM))


def _of(model: Any, kind: type[Any]) -> dict[str, Any]:
    """What a stand-in has of the model of a kind that a step is, or has bound arguments to."""
    while not isinstance(model, kind) and hasattr(model, "bound"):
        model = model.bound
    if not isinstance(model, kind):
        return {"cache": False}
    known = {"name": model.get_name(), "tags": model.tags, "metadata": model.metadata}
    return {**known, "original": model, "cache": False}


class _StandIn(BaseLanguageModel[Any]):
    """Speaks for a model, and is taken for it."""

    original: Any = Field(default=None, repr=False, exclude=True)  # tracers store a model's repr

    @property
    def _llm_type(self) -> str:
        return self.original._llm_type if self.original else "guardrail"  # noqa: SLF001  # it speaks for it

    @property
    def _serialized(self) -> dict[str, Any]:  # a cached property there, and slow
        return self.original._serialized if self.original else {"name": "guardrail"}  # noqa: SLF001  # as above

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> Any:
        model: Any = super() if self.original is None else self.original
        return model._get_ls_params(stop, **kwargs)  # noqa: SLF001  # as above

    async def _agenerate(self, *asked: Any, **kwargs: Any) -> Any:
        return self._generate(*asked, **kwargs)  # type: ignore[attr-defined]  # each kind has its own


class _Accepted(_StandIn, BaseChatModel):
    """Says one message that has been accepted, or the pieces of one that are."""

    message: AIMessage | None = None
    coming: Any = Field(default=None, repr=False, exclude=True)  # chunks, from an iterator or an async one

    def _generate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        del messages, stop, run_manager, kwargs
        if self.message is None:
            raise AssertionError("chunks are streamed: somebody must listen to them")
        return ChatResult(generations=[ChatGeneration(message=self.message)])

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


class _AcceptedText(_StandIn, BaseLLM):
    """Says one text that has been accepted."""

    text: str

    def _generate(self, prompts: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> LLMResult:
        del prompts, stop, run_manager, kwargs
        return LLMResult(generations=[[Generation(text=self.text)]])
