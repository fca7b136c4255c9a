# a script, no part of a package
"""What the wrapper costs, with a detector that does nothing: `python integrations/langchain/overhead.py`.

Calls with and without a guard alternate, so that both meet the same machine; of each the median is taken, and the
quickest tenth, which is what the call costs while nobody else computes. No key, no network: the model is scripted.

LangChain takes time for any middleware: where there is an asynchronous one, every call goes through a thread pool
twice, whether traces are kept or not. An agent with a guard is therefore compared with one whose middleware does
nothing; what that one costs has a line of its own.
"""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any, ClassVar

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.prompts import ChatPromptTemplate

from guardrail import Detector, Finding, Guard, remove
from guardrail.detector import Calls, Case, Flow
from guardrail_langchain import GuardedOutput, GuardrailMiddleware, guard_runnable

ANSWER = AIMessage("Cats purr. Cows moo.", id="m")


class Idle(Detector):
    """Finds nothing."""

    name: ClassVar[str] = "idle"

    def cost(self, case: Case) -> Calls:
        """Nothing."""
        del case
        return {}

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """Nothing."""
        del case
        yield from ()
        return []


class Scripted(GenericFakeChatModel):
    """Says one thing, without delay."""

    messages: Any = ()

    def _generate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        del messages, stop, run_manager, kwargs
        return ChatResult(generations=[ChatGeneration(message=ANSWER)])

    async def _agenerate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        return self._generate(messages, stop, run_manager, **kwargs)


class Empty(AgentMiddleware[Any, Any, Any]):
    """A middleware that does nothing."""

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        """Only asks."""
        return handler(request)

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        """Only asks."""
        return await handler(request)


def pairs() -> dict[str, tuple[Any, Any, Any]]:
    """What is compared: without a guard, with one, and the input."""
    model, guard = Scripted(), Guard([Idle()], policy=remove())
    prompt = ChatPromptTemplate.from_messages([("user", "{question}")])
    turn = {"messages": [("user", "Pets?")]}
    agent, empty = create_agent(model, []), create_agent(model, [], middleware=[Empty()])
    guarded = create_agent(model, [], middleware=[GuardrailMiddleware(guard)])
    chain = prompt | model | StrOutputParser()
    return {
        "model": (model, guard_runnable(guard, model), "Pets?"),
        "chain": (chain, chain | GuardedOutput(guard), {"question": "Pets?"}),
        "agent": (empty, guarded, turn),
        "(empty middleware)": (agent, empty, turn),
    }


def compared(calls: tuple[Callable[[], Any], Callable[[], Any]], rounds: int) -> tuple[float, float]:
    """Milliseconds that the second takes longer: difference of the medians, and of the quickest tenths."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for i in range(rounds):
        for which in (0, 1) if i % 2 else (1, 0):
            started = perf_counter()
            calls[which]()
            seconds[which].append(perf_counter() - started)
    bare, guarded = (sorted(found[rounds // 10 :]) for found in seconds)  # the first ones warm up
    half, tenth = len(bare) // 2, len(bare) // 10
    return (guarded[half] - bare[half]) * 1e3, (guarded[tenth] - bare[tenth]) * 1e3


def main(rounds: int = 1000) -> None:
    """Print a table."""
    loop = asyncio.new_event_loop()
    gc.collect()
    gc.freeze()  # collections of what was imported are nobody's cost
    sys.stdout.write(f"{f'{rounds} rounds; ms per call':30}median  quickest tenth\n")
    for name, (bare, guarded, given) in pairs().items():

        def later(runnable: Any, given: Any = given) -> Any:
            return loop.run_until_complete(runnable.ainvoke(given))

        for how, call in (
            ("invoke", lambda runnable, given=given: runnable.invoke(given)),
            ("ainvoke", later),
        ):
            median, quick = compared((partial(call, bare), partial(call, guarded)), rounds)
            sys.stdout.write(f"{name:20}{how:10}{median:6.3f}{quick:16.3f}\n")
    loop.close()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
