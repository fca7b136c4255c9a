"""Where in a chain the model is that gives the answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from langchain_core.callbacks import BaseCallbackManager
from langchain_core.language_models import BaseChatModel, BaseLanguageModel
from langchain_core.runnables import (
    Runnable,
    RunnableConfig,
    RunnableLambda,
    RunnableParallel,
    RunnableSequence,
    RunnableWithFallbacks,
)
from langchain_core.runnables.base import RunnableBindingBase
from langchain_core.runnables.configurable import DynamicRunnable
from langchain_core.runnables.history import RunnableWithMessageHistory
from langchain_core.runnables.passthrough import RunnableAssign

from guardrail.errors import ConfigError

__all__ = ["Chain", "listeners", "split"]

Step: TypeAlias = Runnable[Any, Any]


@dataclass(frozen=True)
class Chain:
    """A chain cut at its last language model.

    Attributes:
        head: what makes the model's input (prompts, retrievers); runs once.
        model: the step whose input takes the feedback; `None` if there is none that could be recognised.
        tail: what is made of its reply (parsers). Without a `model`, the whole chain.
        heard: whether the application's callbacks may hear the head: it contains no language model.
        textual: the model takes a string, not messages.
        config: what `with_config` had bound to the chain.
    """

    head: Step | None
    model: Step | None
    tail: Step | None
    heard: bool = True
    textual: bool = False
    config: RunnableConfig | None = None


def split(chain: Step) -> Chain:
    """Cut a chain at its last language model.

    Raises:
        ConfigError: the chain stores answers before they could be examined.
    """
    if isinstance(chain, RunnableWithMessageHistory):
        raise ConfigError(
            "RunnableWithMessageHistory stores the answer before it is examined: guard the chain inside it, "
            "RunnableWithMessageHistory(guard_runnable(guard, chain), …)"
        )
    if model := _model(chain):
        return Chain(None, chain, None, textual=not isinstance(model, BaseChatModel))
    if isinstance(chain, RunnableSequence):
        steps = chain.steps
        models = [i for i, step in enumerate(steps) if _model(step)]
        if models:
            at = models[-1]
            head = _sequence(steps[:at])
            return Chain(
                head,
                steps[at],
                _sequence(steps[at + 1 :]),
                heard=head is None or not _asks(head),
                textual=not isinstance(_model(steps[at]), BaseChatModel),
            )
    if isinstance(chain, RunnableBindingBase) and not chain.kwargs and not chain.config_factories:
        inner = split(chain.bound)
        if inner.model is not None and inner.config is None:
            return Chain(inner.head, inner.model, inner.tail, inner.heard, inner.textual, chain.config)
    return Chain(None, None, chain)


def listeners(step: Step) -> list[Any]:
    """What is attached to the models themselves and hears every attempt, whatever a call's configuration."""
    found: list[Any] = []
    for part in _inside(step):
        if isinstance(part, BaseLanguageModel):
            found += _handlers(part.callbacks)
            found += ["verbose=True"] if part.verbose else []
        elif isinstance(part, RunnableBindingBase):
            found += _handlers(part.config.get("callbacks"))
            found += part.config_factories
    return found


def _handlers(callbacks: Any) -> list[Any]:
    return list(callbacks.handlers if isinstance(callbacks, BaseCallbackManager) else callbacks or ())


def _sequence(steps: Sequence[Step]) -> Step | None:
    if not steps:
        return None
    return steps[0] if len(steps) == 1 else RunnableSequence(*steps)


def _model(step: Step) -> BaseLanguageModel[Any] | None:
    """The model that a step is, behind arguments, retries and fall-backs that were bound to it."""
    if isinstance(step, BaseLanguageModel):
        return step
    if isinstance(step, RunnableBindingBase) and not isinstance(step, RunnableWithMessageHistory):
        return _model(step.bound)
    if isinstance(step, RunnableWithFallbacks):
        return _model(step.runnable)
    if isinstance(step, DynamicRunnable):
        return _model(step.default)
    if isinstance(step, RunnableParallel):  # `with_structured_output(…, include_raw=True)` begins so
        models = [_model(inner) for inner in step.steps__.values()]
        return models[0] if models and all(models) else None
    return None


def _asks(step: Step) -> bool:
    return any(isinstance(part, BaseLanguageModel) for part in _inside(step))


def _inside(step: Step) -> Iterable[Step]:
    """A step and what is inside it, as far as that can be seen."""
    yield step
    inner: Iterable[Step] = ()
    if isinstance(step, RunnableSequence):
        inner = step.steps
    elif isinstance(step, RunnableParallel):
        inner = step.steps__.values()
    elif isinstance(step, RunnableAssign):
        inner = (step.mapper,)
    elif isinstance(step, RunnableBindingBase):
        inner = (step.bound,)
    elif isinstance(step, RunnableWithFallbacks):
        inner = (step.runnable, *step.fallbacks)
    elif isinstance(step, DynamicRunnable):
        inner = (step.default,)
    elif isinstance(step, RunnableLambda):
        inner = step.deps
    for part in inner:
        yield from _inside(part)
