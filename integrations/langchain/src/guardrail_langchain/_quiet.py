"""What the application hears of a guarded call: nothing of the attempts, and the accepted answer in full.

LangChain hands tokens to callbacks the moment they arrive, and event streams are callbacks. So the model that is
guarded runs without any, and what was accepted is said again by a stand-in model that runs with them: tracers,
usage counters, `stream_mode="messages"` and event streams all see one model call with the right answer.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import aclosing, contextmanager
from typing import Any, TypeVar, cast

from langchain_core.callbacks import BaseCallbackManager
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config
from langchain_core.tracers import context as tracing
from langchain_core.tracers._streaming import _StreamingCallbackHandler, _V2StreamingCallbackHandler
from pydantic import Field

from guardrail_langchain._messages import chunks

__all__ = [
    "apart",
    "aquietly",
    "asaid_live",
    "asay",
    "asay_live",
    "current",
    "is_protocol",
    "is_streamed",
    "quietly",
    "said_live",
    "say",
    "say_live",
    "unheard",
]

T = TypeVar("T")


def current() -> RunnableConfig:
    """The configuration of the run we are in."""
    return var_child_runnable_config.get() or RunnableConfig()


@contextmanager
def unheard(config: RunnableConfig) -> Iterator[RunnableConfig]:
    """Runs inside have `config` without its callbacks; tags, metadata and thread ids are kept.

    Handlers that are set for a context (`collect_runs`, `get_usage_metadata_callback`) are taken away, too.
    """
    quiet = RunnableConfig(**{**config, "callbacks": []})
    hooks = [hook[0] for hook in getattr(tracing, "_configure_hooks", ()) if hook[0].get() is not None]
    restore = [(hook, hook.set(None)) for hook in hooks]
    token = var_child_runnable_config.set(quiet)
    try:
        yield quiet
    finally:
        var_child_runnable_config.reset(token)
        for hook, before in restore:
            hook.reset(before)


@contextmanager
def apart() -> Iterator[None]:
    """Runs inside belong to nobody: what a guard asks is no part of the application's run."""
    with unheard(RunnableConfig()):
        yield


def say(
    message: AIMessage, prompt: Sequence[BaseMessage], config: RunnableConfig, *, model: Any
) -> AIMessage:
    """Report to the callbacks, if there are any, that the model answered with this message.

    Returns:
        The message under the id that the streams know; they give it another only in the v3 protocol, where
        every message is named for its run.
    """
    if not _heard(config):
        return message
    return _named(message, _stand_in(message, model).invoke(list(prompt), config))


async def asay(
    message: AIMessage, prompt: Sequence[BaseMessage], config: RunnableConfig, *, model: Any
) -> AIMessage:
    """As `say`."""
    if not _heard(config):
        return message
    return _named(message, await _stand_in(message, model).ainvoke(list(prompt), config))


def _named(message: AIMessage, said: AIMessage) -> AIMessage:
    return message if said.id in {None, message.id} else message.model_copy(update={"id": said.id})


def is_streamed(config: RunnableConfig) -> bool:
    """Whether somebody listens to the pieces of messages, also where the model is not streamed."""
    return any(
        isinstance(one, _StreamingCallbackHandler | _V2StreamingCallbackHandler) for one in _heard(config)
    )


def is_protocol(config: RunnableConfig) -> bool:
    """Whether somebody listens to events of the v3 protocol, which a model sends where it is invoked."""
    return any(isinstance(one, _V2StreamingCallbackHandler) for one in _heard(config))


def _heard(config: RunnableConfig) -> Sequence[Any]:
    """Who listens."""
    callbacks = config.get("callbacks")
    return callbacks.handlers if isinstance(callbacks, BaseCallbackManager) else callbacks or ()


def said_live(
    coming: Iterator[AIMessageChunk], prompt: Sequence[BaseMessage], config: RunnableConfig, *, model: Any
) -> Iterator[AIMessageChunk]:
    """Chunks as they are released; callbacks, if there are any, hear them as the chunks of one model's call."""
    if not _heard(config):
        return coming
    return _stand_in(None, model, coming).stream(list(prompt), config)


def asaid_live(
    coming: AsyncGenerator[AIMessageChunk],
    prompt: Sequence[BaseMessage],
    config: RunnableConfig,
    *,
    model: Any,
) -> AsyncGenerator[AIMessageChunk]:
    """As `said_live`."""
    if not _heard(config):
        return coming
    found = _stand_in(None, model, coming).astream(list(prompt), config)
    return cast("AsyncGenerator[AIMessageChunk]", found)  # it is one, whatever its annotation says


def say_live(
    coming: Iterator[AIMessageChunk], prompt: Sequence[BaseMessage], config: RunnableConfig, *, model: Any
) -> AIMessage:
    """The whole message; callbacks hear it in the chunks in which it is released, and one of them must listen to chunks."""
    return _stand_in(None, model, coming).invoke(list(prompt), config)


async def asay_live(
    coming: AsyncIterator[AIMessageChunk],
    prompt: Sequence[BaseMessage],
    config: RunnableConfig,
    *,
    model: Any,
) -> AIMessage:
    """As `say_live`."""
    return await _stand_in(None, model, coming).ainvoke(list(prompt), config)


def quietly(coming: Iterator[T], config: RunnableConfig) -> Iterator[T]:
    """What an iterator gives that works `unheard`, but not while its user does."""
    while True:
        with unheard(config):
            try:
                one = next(coming)
            except StopIteration:
                return
        yield one


async def aquietly(coming: AsyncGenerator[T], config: RunnableConfig) -> AsyncGenerator[T]:
    """As `quietly`."""
    async with aclosing(coming):
        while True:
            with unheard(config):
                try:
                    one = await anext(coming)
                except StopAsyncIteration:
                    return
            yield one


def _stand_in(message: AIMessage | None, model: Any, coming: Any = None) -> _Accepted:
    while not isinstance(model, BaseChatModel) and hasattr(model, "bound"):
        model = model.bound  # arguments that were bound to it
    chat = model if isinstance(model, BaseChatModel) else None
    return _Accepted(
        message=message,
        coming=coming,
        original=chat,
        name=chat.get_name() if chat else None,
        tags=chat.tags if chat else None,
        metadata=chat.metadata if chat else None,
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
