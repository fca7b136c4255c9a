"""Any LangChain chat model as the model that a guard asks."""

from __future__ import annotations

import inspect
import re
import secrets
import time
from collections.abc import Generator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from guardrail._log import log
from guardrail.chat._endpoint import Body, adriven, driven
from guardrail.chat._failures import provider_failure
from guardrail.chat.logprobs import token_logprobs
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer, Cost, Failed, Keep, Reason, Reply
from guardrail.errors import ConfigError, MissingExtra
from guardrail.given.recognition import is_of, shown, written
from guardrail.requests import Ask, Completion
from guardrail.text.fence import render, unfenced

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage
    from langchain_core.runnables import Runnable

_OPTIONS = {
    "key_variable": "your provider's variable",
    "key_option": "it to the LangChain model",
    "model_option": "the LangChain model's name",
    "url_option": "its base URL",
}
_LENGTHS = ("max_tokens", "max_completion_tokens", "max_output_tokens", "num_predict", "max_new_tokens")


class LangChainChat(Backend[Ask]):
    """A LangChain chat model.

    Args:
        model: a `BaseChatModel`, or one with bound arguments. It is called as it is, never changed; its own
            retries stay in force (give it `max_retries=0`, the guard retries). Where LangChain's global cache
            is on, draws go to a copy without cache, or all would be equal.
        concurrency: how many calls may run at once.
        timeout: seconds after which a call counts as hung.
        names: what the model calls `temperature`, `max_tokens`, `logprobs` and `top_logprobs` in a call;
            `None` for what it does not take. Default: those of its fields that have such a name.
        fingerprint: what its replies depend on; default: class, fields and a hash of its secrets.

    Calls are made with no callbacks, so that what the guard asks never shows in the application's own
    callbacks or event streams. A model without an asynchronous form of its own is called in threads.

    Raises:
        MissingExtra: langchain-core is not installed.
        ConfigError: it is no chat model.
    """

    fingerprint: str

    def __init__(
        self,
        model: Runnable[Any, BaseMessage],
        *,
        concurrency: int = 32,
        timeout: float | None = 120.0,
        names: Mapping[str, str | None] | None = None,
        fingerprint: str | None = None,
    ) -> None:
        try:
            from langchain_core.language_models import BaseChatModel, SimpleChatModel
        except ImportError as error:
            raise MissingExtra("langchain-core", extra="langchain") from error
        if not callable(getattr(model, "invoke", None)):
            client = "client=client" if is_of(model, "openai:OpenAI") else "async_client=client"
            behind = f", {client}" if is_of(model, "openai:OpenAI", "openai:AsyncOpenAI") else ""
            raise ConfigError(
                f"LangChainChat takes a chat model of LangChain, got {shown(model)}: "
                f"write OpenAIChat({written(model, repr('gpt-5-mini'))}{behind})"
            )
        inner = model
        while not isinstance(inner, BaseChatModel) and hasattr(inner, "bound"):
            inner = inner.bound  # arguments that were bound to it
        self._model = model
        self._chat = inner if isinstance(inner, BaseChatModel) else None
        self._uncached: Any = None
        self._names = {**_names(inner), **(names or {})}
        self.concurrency = concurrency
        self.timeout = timeout
        self.fingerprint = fingerprint or _fingerprint(inner, model)
        borrowed = {BaseChatModel._agenerate, SimpleChatModel._agenerate}  # noqa: SLF001  # the method a model writes
        native = self._chat is None or type(self._chat)._agenerate not in borrowed  # noqa: SLF001  # as above
        self.aanswer = self._aanswer if native else None

    def answer(self, requests: Sequence[Ask]) -> list[Reply[Completion]]:
        """One reply per request."""
        return [driven(self._exchange(ask), partial(self._send, ask)) for ask in requests]

    async def _aanswer(self, requests: Sequence[Ask]) -> list[Reply[Completion]]:
        return [await adriven(self._exchange(ask), partial(self._asend, ask)) for ask in requests]

    def _exchange(self, ask: Ask) -> Generator[Body, Any, Reply[Completion]]:
        """Which arguments to send; gets messages or exceptions. The same for both forms."""
        cost = Cost()
        while True:
            arguments, begun = self._arguments(ask), time.perf_counter()
            said = yield arguments
            cost += Cost(calls=1, seconds=time.perf_counter() - begun)
            if not isinstance(said, Exception):
                return _reply(ask, said, cost)
            if not self._drop(said, arguments):
                return provider_failure(said, options=_OPTIONS, cost=cost)

    def _send(self, ask: Ask, arguments: Body) -> Any:
        return self._target(ask).invoke(_messages(ask), config={"callbacks": []}, **arguments)

    async def _asend(self, ask: Ask, arguments: Body) -> Any:
        return await self._target(ask).ainvoke(_messages(ask), config={"callbacks": []}, **arguments)

    def _arguments(self, ask: Ask) -> dict[str, Any]:
        wanted = {
            "temperature": ask.temperature,
            "max_tokens": ask.max_tokens,
            "logprobs": None if ask.logprobs is None else True,
            "top_logprobs": ask.logprobs or None,
        }
        return {
            name: value
            for field, value in wanted.items()
            if value is not None and (name := self._names.get(field)) is not None
        }

    def _drop(self, error: Exception, arguments: Mapping[str, Any]) -> bool:
        """Whether an argument that the model does not know was taken out, for this and all later calls."""
        match = (
            re.search(r"unexpected keyword argument '(\w+)'", str(error))
            if isinstance(error, TypeError)
            else None
        )
        if match is None or match[1] not in arguments:
            return False
        self._names = {field: None if name == match[1] else name for field, name in self._names.items()}
        log.info("chat_parameter_dropped", model=type(self._model).__name__, parameter=match[1])
        return True

    def _target(self, ask: Ask) -> Any:
        """The model, or a copy that LangChain's global cache does not answer for."""
        if self._chat is None or ask.keep is Keep.ALWAYS or not _cached(self._chat):
            return self._model
        if self._uncached is None:
            copy = self._chat.model_copy(update={"cache": False})
            arguments = getattr(self._model, "kwargs", None)
            self._uncached = copy if self._model is self._chat else copy.bind(**(arguments or {}))
        return self._uncached


def _cached(model: Any) -> bool:
    from langchain_core.globals import get_llm_cache

    if model.cache is None:
        return get_llm_cache() is not None
    return model.cache is not False


def _names(model: Any) -> dict[str, str | None]:
    """What the model calls the parameters: its own fields of those names."""
    fields = getattr(type(model), "model_fields", {})
    aliases = {field.alias: name for name, field in fields.items() if field.alias}
    known = {**aliases, **{name: name for name in fields}}
    return {
        "temperature": "temperature" if "temperature" in known else None,
        "max_tokens": next((name for name in _LENGTHS if name in known), None),
        "logprobs": "logprobs" if "logprobs" in known else None,
        "top_logprobs": "top_logprobs" if "top_logprobs" in known else None,
    }


def _messages(ask: Ask) -> list[dict[str, str]]:
    return [{"role": message.role, "content": render(message)} for message in ask.messages]


def _reply(ask: Ask, said: Any, cost: Cost) -> Reply[Completion]:
    usage = getattr(said, "usage_metadata", None) or {}
    cost += Cost(0, usage.get("input_tokens") or 0, usage.get("output_tokens") or 0)
    content = getattr(said, "content", said)
    if isinstance(content, list):
        content = "".join(_text(block) for block in content)
    if not isinstance(content, str):
        return Failed(Reason.BACKEND, f"expected a message from the model, got {said!r:.120}", cost=cost)
    metadata = getattr(said, "response_metadata", None) or {}
    finish = str(metadata.get("finish_reason") or metadata.get("stop_reason") or "")
    if finish == "content_filter":
        return Failed(Reason.REFUSED, "the content filter took the reply", cost=cost)
    refusal = (getattr(said, "additional_kwargs", None) or {}).get("refusal")
    if not content and refusal:
        return Failed(Reason.REFUSED, f"the model refused: {str(refusal)[:200]}", cost=cost)
    model = str(metadata.get("model_name") or metadata.get("model") or "")
    found = metadata.get("logprobs")
    tokens = found.get("content") if isinstance(found, Mapping) else None
    return Answer(Completion(unfenced(content, ask), model, finish, token_logprobs(tokens or ())), cost)


def _text(block: Any) -> str:
    """A content block's text; thoughts, tool calls and pictures are no part of the answer."""
    if isinstance(block, str):
        return block
    return (
        str(block.get("text") or "")
        if isinstance(block, dict) and block.get("type", "text") == "text"
        else ""
    )


def _fingerprint(model: Any, whole: Any) -> str:
    """Class, name, plain fields and secrets, the latter only as part of a hash."""
    seen: list[str] = []
    for name in sorted(getattr(type(model), "model_fields", {})):
        value: Any = getattr(model, name, None)
        if hasattr(value, "get_secret_value"):
            seen.append(f"{name}={value.get_secret_value()}")
        elif value is None or isinstance(value, str | int | float | bool | list | tuple | dict):
            seen.append(f"{name}={value!r}")
        elif inspect.isroutine(value):  # a credential that is fetched: never shared
            seen.append(secrets.token_hex(8))
    seen.append(repr(getattr(whole, "kwargs", None)))
    name = next((str(v) for f in ("model_name", "model", "model_id") if (v := getattr(model, f, None))), "")
    digest = blake2b("\n".join(seen).encode("utf-8", "replace"), digest_size=12).hexdigest()
    return f"langchain {type(model).__name__} {name} as {digest}"
