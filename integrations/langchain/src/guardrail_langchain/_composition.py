"""Compositions in which a guard comes too early or too late, refused with the line to write instead.

They are refused when they are composed, where a function of ours runs then; else at the first call, whatever the
answer is.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.prompt_values import PromptValue
from langchain_core.prompts import BasePromptTemplate
from langchain_core.runnables import Runnable, RunnableConfig, RunnableSequence
from langchain_core.runnables.base import RunnableBindingBase, coerce_to_runnable
from langchain_core.runnables.history import RunnableWithMessageHistory
from pydantic import BaseModel

from guardrail.errors import ConfigError, GuardrailError
from guardrail.given.accepted import Documents
from guardrail.given.recognition import shown
from guardrail.guard import Guard
from guardrail.policies import Policy
from guardrail_langchain._chains import Chain, Enclosing, Step, asks, inside, listeners


def refuse_no_guard(given: object, door: str, context: object = None) -> None:
    """Refuse what is no guard where one is wanted, and documents in the place of a function that gives them.

    Raises:
        ConfigError: with the line to write.
    """
    if not isinstance(given, Guard):
        instead = f"{door}(Guard([ReferenceCheck()]))"
        if isinstance(given, Runnable) or door == "guard_runnable":
            instead = "guard_runnable(guard, model)"
        raise ConfigError(f"{door} takes a guard first, got {shown(given)}: write {instead}")
    if context is not None and not callable(context):
        raise ConfigError(
            f"context= takes a function that gives documents, got {shown(context)}: write context=lambda given: […]"
        )


def documents_of(context: Callable[[Any], Documents], given: Any) -> Documents:
    """What the application's function gives for an input.

    Raises:
        ConfigError: it raised; the cause is what it raised.
    """
    try:
        return context(given)
    except Exception as error:
        if isinstance(error, GuardrailError) or _is_signal(error):
            raise
        code = getattr(context, "__code__", None)  # many are called <lambda>
        place = f" ({Path(code.co_filename).name}:{code.co_firstlineno})" if code else ""
        takes = "a text" if isinstance(given, str) else shown(given)  # which may be what somebody asked
        if isinstance(state := getattr(given, "state", None), Mapping):  # of an agent's request
            takes += f" whose state is {shown(state)}"
        # the words of the exception may quote a password; they are in the cause
        raise ConfigError(
            f"context= takes a function that gives documents, but {shown(context)}{place} raised {type(error).__name__}. It was "
            f"given {takes}: have it return a list for this, [] where there are no documents"
        ) from error


def _is_signal(error: Exception) -> bool:
    """Whether LangGraph steers a graph by an exception: an interrupt, or a command to the graph around it."""
    signals = getattr(sys.modules.get("langgraph.errors"), "GraphBubbleUp", ())
    return isinstance(error, signals)


def refuse_guarded(model: object) -> None:
    """Refuse a guarded model in an agent that is guarded: what the first guard did would be examined as the model's answer.

    Raises:
        ConfigError: it is one.
    """
    if isinstance(model, Enclosing):
        raise ConfigError(
            f"expected a chat model behind GuardrailMiddleware, got a {type(model).__name__}: give all detectors to one guard, "
            "and write create_agent(model, middleware=[GuardrailMiddleware(guard)])"
        )


def refuse(chain: Step, steps: Chain, policy: Policy) -> None:
    """Refuse what would store an answer before the guard has it, gives no answer, or cannot be asked again.

    Raises:
        ConfigError: it is one of these.
    """
    if steps.tail is not None:
        _refuse_storing(steps.tail)
    if steps.model is None and isinstance(_last(chain), BasePromptTemplate):
        raise _too_early(type(_last(chain)).__name__)
    if steps.model is None and policy.asks_again:
        _refuse_unreached(chain)


def _refuse_storing(tail: Step) -> None:
    for part in inside(tail):
        if isinstance(part, RunnableWithMessageHistory):
            raise ConfigError(
                "RunnableWithMessageHistory stores the answer before it is examined: guard the chain inside it, "
                "RunnableWithMessageHistory(guard_runnable(guard, chain), …)"
            )
        if _is_graph(part):
            raise ConfigError(
                f"a graph stores the answer before it is examined, got {part.get_name()!r}: guard the model inside "
                "it, create_agent(…, middleware=[GuardrailMiddleware(guard)]), or guard_runnable(guard, model) in "
                "the node that asks the model"
            )


def _refuse_unreached(chain: Step) -> None:
    """A model inside a step gets that step's input, and no feedback."""
    steps = chain.steps if isinstance(chain, RunnableSequence) else [chain]
    if hiding := [_unbound(step) for step in steps if asks(step)]:
        advice = "guard the model there, guard_runnable(guard, model)"
        if isinstance(hiding[-1], Enclosing):
            advice = "give all detectors to one guard"
        raise ConfigError(
            f"the policy may ask again, but the model inside {type(hiding[-1]).__name__} would not get the feedback: "
            f"{advice}, or leave regenerate out of the policy"
        )


def refuse_listeners(step: Step, instead: str) -> None:
    """Refuse models that others listen to.

    Args:
        step: a model, or what has some in it.
        instead: where to give callbacks.

    Raises:
        ConfigError: there is one.
    """
    if found := listeners(step):
        raise ConfigError(
            f"expected models without callbacks of their own, got {found!r}, which would receive rejected text. "
            f"Give them to {instead} instead."
        )


def refuse_unseen(chain: Step, steps: Chain) -> None:
    """Refuse what `strict` does not want: models that others listen to, and chains without a model in sight.

    Raises:
        ConfigError: it is one of these.
    """
    refuse_listeners(chain, "the call's config")
    if steps.model is None:
        raise ConfigError(
            f"expected a chat model or a chain with one as a step, got {type(chain).__name__}: where none can be "
            "recognised, no model can be given the feedback. Guard the part of the chain that has the model."
        )


def refuse_model_behind(chain: Step, other: Any) -> None:
    """Refuse a model behind a guard that has none before it.

    Raises:
        ConfigError: there is one.
    """
    if not asks(chain) and asks(coerce_to_runnable(other)):
        raise _too_early(type(_last(chain)).__name__)


def refuse_a_prompt(output: Any) -> None:
    """Refuse what is the input of a model, and no answer.

    Raises:
        ConfigError: it is.
    """
    roles = (
        {item.type for item in output if isinstance(item, BaseMessage)} if isinstance(output, list) else set()
    )
    if isinstance(output, PromptValue) or (roles and roles <= {"human", "system"}):
        raise _too_early(
            type(output).__name__ if isinstance(output, PromptValue) else "the question's messages"
        )


def refuse_a_conversation(output: Any, key: str | None) -> None:
    """Refuse an agent's state: it has the question and the answer.

    Raises:
        ConfigError: it is one.
    """
    messages = output.get("messages") if isinstance(output, Mapping) and key in {None, "messages"} else None
    if isinstance(messages, list) and {"human", "ai"} <= {
        getattr(message, "type", None) for message in messages
    }:
        raise ConfigError(
            "an agent stores the answer before it is examined: guard the model inside it, "
            "create_agent(…, middleware=[GuardrailMiddleware(guard)])"
        )


def refuse_asking_alone(policy: Policy, *, strict: bool) -> None:
    """Refuse a policy that may ask again where there is nothing that could be asked, and everything if `strict`.

    Raises:
        ConfigError: it may.
    """
    if policy.asks_again or strict:
        why = (
            "the policy may ask again"
            if policy.asks_again
            else "callbacks would receive rejected text (strict)"
        )
        raise ConfigError(
            f"{why}, but GuardedOutput does not know what it follows behind a single runnable or in pipe(): write "
            "guard_runnable(guard, model), or prompt | model | GuardedOutput(guard)"
        )


def refuse_documents_alone(context: Any) -> None:
    """Refuse a function of the chain's input where nobody sees that input.

    Raises:
        ConfigError: there is one.
    """
    if context is not None:
        raise ConfigError(
            "context= is a function of the chain's input, which GuardedOutput does not see behind a single runnable or in pipe(): "
            "write guard_runnable(guard, model, context=…), or prompt | model | GuardedOutput(guard, context=…)"
        )


def refuse_late(given: Any, config: RunnableConfig, policy: Policy) -> None:
    """Refuse to change what a graph has streamed or stored already, or may have: a structure.

    Raises:
        ConfigError: it is one of these, and the policy changes answers.
    """
    in_a_graph = "langgraph_node" in config.get("metadata", {})
    if policy.edits and (in_a_graph or _is_structure(given)):
        where = "in a graph" if in_a_graph else f"with a {type(given).__name__}"
        raise ConfigError(
            f"GuardedOutput behind a single runnable comes too late {where}: the answer is streamed or stored "
            "already. Write guard_runnable(guard, model) where the model is asked"
        )


def _too_early(given: str) -> ConfigError:
    return ConfigError(
        f"expected the answer of a model before the guard, got {given}: "
        "write prompt | model | GuardedOutput(guard), with the guard behind the model"
    )


def _last(chain: Step) -> Step:
    """The last step, behind what was bound to it."""
    step = _unbound(chain)
    return _last(step.last) if isinstance(step, RunnableSequence) else step


def _unbound(step: Step) -> Step:
    return _unbound(step.bound) if isinstance(step, RunnableBindingBase) else step


def _is_graph(step: Step) -> bool:
    """Whether this is a graph of LangGraph's; whoever has one has imported it."""
    protocol = sys.modules.get("langgraph.pregel.protocol")
    return protocol is not None and isinstance(step, protocol.PregelProtocol)


def _is_structure(given: Any) -> bool:
    if isinstance(given, BaseModel):
        return not isinstance(given, BaseMessage)
    return isinstance(given, Mapping) or dataclasses.is_dataclass(given)
