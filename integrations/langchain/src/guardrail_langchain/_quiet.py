"""What the application hears of a guarded call: nothing of the attempts, and the accepted answer in full.

LangChain hands tokens to callbacks the moment they arrive, and event streams are callbacks. So the model that is
guarded runs without any, and what was accepted is said again by a stand-in model that runs with them: tracers,
usage counters, `stream_mode="messages"` and event streams all see one model call with the right answer.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing, contextmanager
from typing import Any, TypeVar

from langchain_core.callbacks import BaseCallbackManager, CallbackManager
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config
from langchain_core.tracers import context as tracing
from langchain_core.tracers._streaming import _StreamingCallbackHandler, _V2StreamingCallbackHandler

from guardrail_langchain._stand_ins import stand_in

T = TypeVar("T")


def current() -> RunnableConfig:
    """The configuration of the run we are in."""
    return var_child_runnable_config.get() or RunnableConfig()


@contextmanager
def unheard(config: RunnableConfig) -> Iterator[RunnableConfig]:
    """Runs inside have `config` without its callbacks; tags, metadata and thread ids are kept.

    Handlers that are set for a context (`collect_runs`, `get_usage_metadata_callback`) are taken away, too.
    """
    nobody = CallbackManager(
        handlers=[]
    )  # an empty list is an error in the `ainvoke` of LangChain's text models
    quiet = RunnableConfig(**{**config, "callbacks": nobody})
    restore = [(hook, hook.set(None)) for hook in _hooks()]
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
    if not is_heard(config):
        return message
    return _named(message, stand_in(message, model).invoke(list(prompt), config))


async def asay(
    message: AIMessage, prompt: Sequence[BaseMessage], config: RunnableConfig, *, model: Any
) -> AIMessage:
    """As `say`."""
    if not is_heard(config):
        return message
    return _named(message, await stand_in(message, model).ainvoke(list(prompt), config))


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


def is_heard(config: RunnableConfig) -> bool:
    """Whether anybody listens; some that are set for a context (`collect_runs`) are in no configuration."""
    return bool(_heard(config)) or bool(_hooks())


def _hooks() -> list[Any]:
    """The variables with the handlers that are set for a context."""
    return [hook[0] for hook in getattr(tracing, "_configure_hooks", ()) if hook[0].get() is not None]


def _heard(config: RunnableConfig) -> Sequence[Any]:
    """Who listens by a configuration."""
    callbacks = config.get("callbacks")
    return callbacks.handlers if isinstance(callbacks, BaseCallbackManager) else callbacks or ()


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
