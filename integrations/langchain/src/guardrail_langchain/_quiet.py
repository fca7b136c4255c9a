"""What the application hears of a guarded call: nothing of the attempts, and the accepted answer in full.

LangChain hands tokens to callbacks the moment they arrive, and event streams are callbacks. So the model that is
guarded runs without any, and what was accepted is said again by a stand-in model that runs with them: tracers,
usage counters, `stream_mode="messages"` and event streams all see one model call with the right answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from langchain_core.callbacks import BaseCallbackManager
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config
from langchain_core.tracers import context as tracing
from pydantic import Field

from guardrail_langchain._messages import chunks

__all__ = ["apart", "asay", "current", "say", "unheard"]


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


def _heard(config: RunnableConfig) -> bool:
    callbacks = config.get("callbacks")
    return bool(callbacks.handlers if isinstance(callbacks, BaseCallbackManager) else callbacks)


def _stand_in(message: AIMessage, model: Any) -> _Accepted:
    while not isinstance(model, BaseChatModel) and hasattr(model, "bound"):
        model = model.bound  # arguments that were bound to it
    chat = model if isinstance(model, BaseChatModel) else None
    return _Accepted(
        message=message,
        original=chat,
        name=chat.get_name() if chat else None,
        tags=chat.tags if chat else None,
        metadata=chat.metadata if chat else None,
        cache=False,
    )


class _Accepted(BaseChatModel):
    """Says one message that has been accepted."""

    message: AIMessage
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
        return ChatResult(generations=[ChatGeneration(message=self.message)])

    async def _agenerate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        return self._generate(messages, stop, run_manager, **kwargs)

    def _stream(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        del messages, stop, run_manager, kwargs
        for chunk in chunks(self.message):
            yield ChatGenerationChunk(message=chunk)
