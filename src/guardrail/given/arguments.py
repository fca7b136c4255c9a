"""What a guard is made of: models, a policy, a memory and limits, taken or refused with the line to write instead."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timedelta
from functools import partial
from numbers import Number
from pathlib import Path
from typing import Any, Protocol, cast

from guardrail.cache import Cache
from guardrail.engine.backend import Backend
from guardrail.engine.budget import Budget
from guardrail.engine.flow import Request
from guardrail.engine.hub import Store
from guardrail.engine.jobs import Retry
from guardrail.errors import ConfigError, UnknownName
from guardrail.given.accepted import JsonObject
from guardrail.given.advice import policy_to_write
from guardrail.given.recognition import is_missing, is_of, shown, written
from guardrail.options import seconds
from guardrail.registry import BACKENDS

CHAT = "chat"
_ROLES = ("judge", "subject", "generate")
_POLICY = ("decide", "feedback", "edits", "needs_whole_answer", "asks_again")
_RUNNABLE = "langchain_core.runnables.base:Runnable"
_CHAT_MODEL = "langchain_core.language_models.chat_models:BaseChatModel"


class ChatModel(Protocol):
    """A chat model of LangChain."""

    def invoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:  # noqa: A002  # LangChain's name
        """Answer."""
        ...


def detectors(given: Any) -> tuple[Any, ...]:
    """The detectors, or names of some, in a list or the like.

    Raises:
        ConfigError: there is one by itself, or something else.
    """
    if isinstance(given, str):
        raise ConfigError(
            f"Guard takes a list of detectors, got {shown(given)}: write Guard([{written(given, '…')}])"
        )
    if isinstance(given, type) or hasattr(given, "examine"):
        name = given.__name__ if isinstance(given, type) else type(given).__name__
        raise ConfigError(
            f"Guard takes a list of detectors, got one {name} by itself: write Guard([{name}()])"
        )
    if not isinstance(given, Iterable) or isinstance(given, Mapping):
        raise ConfigError(
            f"Guard takes a list of detectors, got {shown(given)}: write Guard([ReferenceCheck()])"
        )
    return tuple(given)


def no_detector(given: Any, *, makes: bool) -> ConfigError:
    """The error for something among the detectors that is no detector.

    Args:
        given: what was given.
        makes: whether it is the class of one.
    """
    if makes or hasattr(given, "class_for"):
        name = given.__name__
        return ConfigError(f"expected a detector, got {name}, which makes one: write {name}()")
    if is_missing(given):
        instead = "the list without it"
    elif isinstance(given, list | set):
        instead = "its detectors into the one list"
    elif isinstance(given, tuple | Mapping):
        instead = "the detector with its options, such as ReferenceCheck(effort='fast')"
    elif isinstance(given, Backend) or is_of(_innermost(given), _CHAT_MODEL, "openai:OpenAI"):
        instead = "Guard([…], chat=model)"
    elif hasattr(given, "examine") and not isinstance(given, type):
        instead = f"class {type(given).__name__}(guardrail.detector.Detector)"
    else:
        instead = "a class that inherits guardrail.detector.Detector"
    return ConfigError(f"expected a detector, got {shown(given)}: write {instead}")


def refuse_no_function(given: Any, method: str) -> None:
    """Refuse what is no function that gives an answer.

    Args:
        given: the function.
        method: that takes it, "supervise" or "asupervise".

    Raises:
        ConfigError: it is no model, or one of the other method.
    """
    if not callable(given):
        instead = f"{method}(lambda feedback: …)"
        if isinstance(given, str):
            instead = "check('the answer')"
        elif is_of(_innermost(given), _RUNNABLE):
            instead = f"{method}(lambda feedback: model.{'a' * method.startswith('a')}invoke(…))"
        raise ConfigError(
            f"{method} takes a function that gives an answer, got {shown(given)}: write {instead}"
        )
    if method == "supervise" and inspect.iscoroutinefunction(given):
        raise ConfigError(
            f"supervise takes a function that is not awaited, got {shown(given)} with async: "
            "write await guard.asupervise(…)"
        )


def awaited(given: Any) -> Any:
    """What `asupervise`'s function gave, to be awaited.

    Raises:
        ConfigError: it cannot be.
    """
    if inspect.isawaitable(given):
        return given
    raise ConfigError(
        f"asupervise takes a function that is awaited, got one that gives {shown(given)}: "
        "write it with async def, or guard.supervise(…)"
    )


# -- models


def chat(given: Any, name: str) -> Backend[Any] | None:
    """A chat model; one of LangChain in its adapter.

    Args:
        given: the model.
        name: of the argument, for the message.

    Raises:
        ConfigError: it is no chat model.
    """
    if given is None:
        return None
    if is_of(_innermost(given), _CHAT_MODEL):
        from guardrail.chat import LangChainChat

        return cast("Backend[Any]", LangChainChat(given))
    return _must_be_backend(given, name, partial(_chat_to_write, given, name))


def backends(given: JsonObject | None, brought: Iterable[str]) -> dict[str, Backend[Any]]:
    """Further models by lane; chat models of LangChain in their adapter.

    Args:
        given: by lane, or by lane and role ("chat:judge").
        brought: the lanes of backends that the detectors bring along.

    Raises:
        ConfigError: no such lane, or something in it is no backend.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ConfigError(
            f"backends= takes a dict by lane, got {shown(given)}: write backends={{'entailment': …}}"
        )
    known = {*BACKENDS, CHAT, *(f"{CHAT}:{role}" for role in _ROLES), *brought, *_lanes()}
    found: dict[str, Backend[Any]] = {}
    for lane, backend in given.items():
        if lane not in known:
            raise UnknownName("lane", str(lane), known)
        name = f"backends={{{lane!r}: …}}"
        if lane.partition(":")[0] == CHAT:
            made = chat(backend, name)
        else:
            made = _must_be_backend(backend, name, partial(_model_to_write, lane, backend))
        if made is not None:
            found[lane] = made
    return found


def _must_be_backend(given: Any, name: str, to_write: Callable[[], str]) -> Backend[Any]:
    """The backend, if it is one.

    Args:
        given: the backend.
        name: of the argument.
        to_write: says what to write instead.
    """
    if isinstance(given, Backend):
        return given
    if not isinstance(given, type) and _has(given, "answer") and _has(given, "fingerprint"):
        kind = type(given).__name__
        raise ConfigError(f"{name} takes a model, got {kind}: write class {kind}(guardrail.detector.Backend)")
    raise ConfigError(f"{name} takes a model, got {_kind(given)}: write {to_write()}")


def _has(given: Any, name: str) -> bool:
    """Whether there is such an attribute; a property, which may hash weights, is not read."""
    try:
        inspect.getattr_static(given, name)
    except AttributeError:
        return False
    return True


def _lanes() -> Iterator[str]:
    """The lanes of all kinds of request that there are."""
    kinds: list[type[Request[Any]]] = [Request]
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        if kind.lane:
            yield kind.lane


def _innermost(given: Any) -> Any:
    """A LangChain model without the arguments that were bound to it."""
    while is_of(given, "langchain_core.runnables.base:RunnableBindingBase"):
        given = given.bound
    return given


def _kind(given: Any) -> str:
    return (
        "a chain of LangChain"
        if is_of(given, "langchain_core.runnables.base:RunnableSequence")
        else shown(given)
    )


def _chat_to_write(given: Any, name: str) -> str:
    """What to write in the place of something that is no chat model."""
    if inspect.ismethod(given):
        given = given.__self__  # chat=model.invoke, chat=client.chat.completions.create
    model = f"OpenAIChat({written(given, repr('gpt-5-mini'))})"
    if is_of(given, "openai:AsyncOpenAI", "openai.resources.chat:AsyncCompletions"):
        model = "OpenAIChat('gpt-5-mini', async_client=client)"
    elif is_of(given, "openai:OpenAI", "openai.resources.chat:Completions"):
        model = "OpenAIChat('gpt-5-mini', client=client)"
    elif isinstance(given, str) and given.startswith(("http://", "https://")):
        model = f"OpenAIChat('gpt-5-mini', base_url={written(given, '…')})"
    elif is_of(given, _CHAT_MODEL):
        model = "model"
    elif is_of(given, "langchain_core.runnables.base:RunnableSequence"):
        return f"{name}model with the chat model alone, and chain | GuardedOutput(guard) to guard the chain"
    elif is_of(given, _RUNNABLE):
        model = "LangChainChat(model)"
    elif isinstance(given, type):
        model = f"{given.__name__}({'…' if given.__name__ != 'OpenAIChat' else repr('gpt-5-mini')})"
    elif callable(given):
        model = "ScriptedChat(function)"
    elif isinstance(given, Mapping) and isinstance(given.get("model"), str):
        model = f"OpenAIChat({written(given['model'], '…')}, …)"
    elif not isinstance(given, str | Mapping | bool | int | list | tuple):
        model += ", or a chat model of LangChain"
    return f"{name}{model}" if name.endswith("=") else model


def _model_to_write(lane: str, given: Any) -> str:
    """What to write in the place of something that is no model for a lane."""
    if isinstance(given, type):
        model = f"{given.__name__}()"
    elif lane in BACKENDS and given == "packaged" and given in BACKENDS[lane]:
        model = f"{BACKENDS[lane][given].__name__}()"
    elif lane in BACKENDS:
        first = "local" if "local" in BACKENDS[lane] else next(iter(BACKENDS[lane]))
        model = f"{BACKENDS[lane][first].__name__}({written(given, '…')})"
    else:
        model = "an object with answer and fingerprint"
    return f"backends={{{lane!r}: {model}}}"


# -- what to do about findings


def policy(given: Any) -> Any:
    """A policy.

    Raises:
        ConfigError: it is no policy.
    """
    if given is None or (not isinstance(given, type) and all(hasattr(given, name) for name in _POLICY)):
        return given
    lacking = [name for name in _POLICY if not hasattr(given, name)]
    if not isinstance(given, type) and "decide" not in lacking:
        raise ConfigError(
            f"policy= takes a policy, got {type(given).__name__} without {', '.join(lacking)}: write it"
        )
    raise ConfigError(f"policy= takes a policy, got {shown(given)}: write policy={policy_to_write(given)}")


def listener(given: Any) -> Any:
    """A function that is called with every report.

    Raises:
        ConfigError: it is not one, or its calls would have to be awaited.
    """
    if inspect.iscoroutinefunction(given):
        raise ConfigError(
            f"on_report= takes a function that is not awaited, got {shown(given)} with async: write it with def alone"
        )
    if given is not None and not callable(given):
        raise ConfigError(
            f"on_report= takes a function of a report, got {shown(given)}: write on_report=print"
        )
    return given


# -- memory and limits


def retry(given: Any) -> Retry | None:
    """How failures are asked again.

    Raises:
        ConfigError: it is no `Retry`.
    """
    if given is None or isinstance(given, Retry):
        return given
    options = {True: "", False: "attempts=1"}.get(given) if isinstance(given, bool) else None
    if options is None:
        options = f"attempts={given}" if isinstance(given, int) and given > 0 else "attempts=3"
    raise ConfigError(f"retry= takes a Retry, got {shown(given)}: write retry=Retry({options})")


def store_of(given: Any) -> Store | None:
    """A lasting memory; a path is opened as a `Cache`.

    Raises:
        ConfigError: it is neither, or the file cannot be used.
    """
    if given is None:
        return None
    if isinstance(given, str) and "://" in given:
        raise ConfigError(
            f"cache= takes the path of a file or a Cache, got {shown(given)}, an address: write cache='replies.sqlite'"
        )
    if isinstance(given, str | Path):
        return Cache(given)
    if isinstance(given, type) or not all(hasattr(given, name) for name in ("put", "samples")):
        raise ConfigError(
            f"cache= takes the path of a file or a Cache, got {shown(given)}: write cache='replies.sqlite'"
        )
    return cast("Store", given)


def budget(given: Any) -> Budget | None:
    """A bound on one call of a guard; a number is one of paid calls.

    Raises:
        ConfigError: it is neither.
    """
    if given is None or isinstance(given, Budget):
        return given
    if isinstance(given, int) and not isinstance(given, bool) and given >= 0:
        return Budget(calls=given)
    raise ConfigError(
        f"budget= takes a whole number of paid calls from 0, or a Budget, got {shown(given)}: "
        f"write budget={_budget_to_write(given)}"
    )


def _budget_to_write(given: Any) -> str:
    if isinstance(given, Mapping) and given and set(given) <= {"calls", "tokens"}:
        return f"Budget({', '.join(f'{name}={value!r}' for name, value in given.items())})"
    if isinstance(given, tuple) and len(given) == 2:
        return f"Budget(calls={given[0]!r}, tokens={given[1]!r})"
    if isinstance(given, Number) and not isinstance(given, bool):
        given = f"{given}".removesuffix(".0")
    digits = re.fullmatch(r"\s*(\d{1,9})\s*", given) if isinstance(given, str) else None
    return digits[1] if digits else "200"


def deadline(given: Any) -> float | None:
    """Seconds.

    Raises:
        ConfigError: it is no number of seconds from 0.
    """
    if isinstance(given, str | timedelta):
        read = re.fullmatch(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*s?\s*", given) if isinstance(given, str) else None
        number = read[1] if read else f"{given.total_seconds():g}" if isinstance(given, timedelta) else "30"
        raise ConfigError(f"deadline= takes a number of seconds, got {shown(given)}: write deadline={number}")
    seconds("deadline", given)
    return cast("float | None", given)
