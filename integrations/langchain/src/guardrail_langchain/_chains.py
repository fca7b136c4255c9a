"""Where in a chain the model is that gives the answer."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from langchain_core.callbacks import BaseCallbackManager
from langchain_core.language_models import BaseChatModel, BaseLanguageModel
from langchain_core.runnables import (
    RouterRunnable,
    Runnable,
    RunnableBranch,
    RunnableConfig,
    RunnableLambda,
    RunnableParallel,
    RunnableSequence,
    RunnableWithFallbacks,
)
from langchain_core.runnables.base import RunnableBinding, RunnableBindingBase, RunnableEachBase
from langchain_core.runnables.configurable import DynamicRunnable
from langchain_core.runnables.history import RunnableWithMessageHistory
from langchain_core.runnables.passthrough import RunnableAssign

Step: TypeAlias = Runnable[Any, Any]

_FORMAT = "ls_structured_output_format"


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


class Enclosing(Runnable[Any, Any]):
    """A runnable that has a chain inside."""

    chain: Step


def split(chain: Step) -> Chain:
    """Cut a chain at its last language model."""
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
                heard=head is None or not asks(head),
                textual=not isinstance(_model(steps[at]), BaseChatModel),
            )
    if isinstance(chain, RunnableBinding) and not chain.kwargs and not chain.config_factories:
        inner = split(chain.bound)
        if inner.model is not None and inner.config is None:
            return Chain(inner.head, inner.model, inner.tail, inner.heard, inner.textual, chain.config)
    return Chain(None, None, chain)


def listeners(step: Step) -> list[Any]:
    """What is attached to the models themselves and hears every attempt, whatever a call's configuration."""
    found: list[Any] = []
    for part in inside(step):
        if isinstance(part, BaseLanguageModel):
            found += _handlers(part.callbacks)
            found += ["verbose=True"] if part.verbose else []
        elif isinstance(part, RunnableBindingBase):
            found += _handlers(part.config.get("callbacks"))
            found += part.config_factories
    return found


def schemas(step: Step | None) -> list[Any]:
    """What `with_structured_output` was given: it is bound to the model, next to what the provider wants."""
    parts = inside(step) if step is not None else ()
    bound = [part.kwargs.get(_FORMAT) for part in parts if isinstance(part, RunnableBindingBase)]
    return [one["schema"] for one in bound if isinstance(one, dict) and "schema" in one]


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
        models = [_first_model(inner) for inner in step.steps__.values()]
        return models[0] if models and all(models) else None
    return None


def _first_model(step: Step) -> BaseLanguageModel[Any] | None:
    """The model that takes what this step is given."""
    return _first_model(step.first) if isinstance(step, RunnableSequence) else _model(step)


def branch(step: Step | None, name: str | None) -> Step | None:
    """The model in one branch of a dict of them; the step itself, if it is no such dict."""
    inner = step
    while isinstance(inner, RunnableBindingBase):
        inner = inner.bound
    found = inner.steps__.get(name or "") if isinstance(inner, RunnableParallel) else None
    return _first_model(found) if found else step


def asks(step: Step) -> bool:
    """Whether there is a language model in it, as far as that can be seen."""
    return any(isinstance(part, BaseLanguageModel) for part in inside(step))


def inside(step: Step) -> Iterable[Step]:
    """A step and what is inside it, as far as that can be seen; each once, for functions may name their own chain."""
    seen: dict[int, Step] = {}
    left = [step]
    while left:
        part = left.pop()
        if id(part) not in seen:
            seen[id(part)] = part
            left += _parts(part)
    return seen.values()


def _parts(step: Step) -> Iterable[Step]:
    inner: Iterable[Step] = ()
    if isinstance(step, RunnableSequence):
        inner = step.steps
    elif isinstance(step, RunnableParallel):
        inner = step.steps__.values()
    elif isinstance(step, RunnableAssign):
        inner = (step.mapper,)
    elif isinstance(step, RunnableBindingBase | RunnableEachBase):
        inner = (step.bound,)
    elif isinstance(step, Enclosing):
        inner = (step.chain,)
    elif isinstance(step, RunnableBranch):
        inner = (*(branch for _, branch in step.branches), step.default)
    elif isinstance(step, RouterRunnable):
        inner = step.runnables.values()
    elif isinstance(step, RunnableWithFallbacks):
        inner = (step.runnable, *step.fallbacks)
    elif isinstance(step, DynamicRunnable):
        inner = (step.default,)
    elif isinstance(step, RunnableLambda):
        inner = (*step.deps, *_named(getattr(step, "func", None) or step.afunc))
    return inner


def _named(function: Any) -> list[Step]:
    """The runnables that a function names; LangChain looks for them in its source, and cannot read that of each."""
    found = [getattr(function, "__self__", None)]  # `graph.invoke` as a function
    if inspect.isfunction(function):
        for cell in function.__closure__ or ():
            with suppress(ValueError):  # a variable that is not set yet
                found.append(cell.cell_contents)
        used = {step.argval for step in dis.get_instructions(function) if step.opname == "LOAD_GLOBAL"}
        found += [function.__globals__.get(name) for name in used]
    return [item for item in found if isinstance(item, Runnable)]
