"""The door that only watches: `model.invoke(question, {"callbacks": [GuardrailCallback(guard)]})`.

Callbacks cannot change an answer, and the chunks of a stream have left before one can object. They record
reports, and raise `Blocked` where LangChain lets them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackHandler, BaseCallbackHandler
from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, Generation, LLMResult

from guardrail.given.citations import citations_of
from guardrail.given.content import messages as conversation
from guardrail.guard import Guard
from guardrail.report import Blocked, Case, Report
from guardrail_langchain._composition import refuse_no_guard
from guardrail_langchain._messages import documents, logprobs
from guardrail_langchain._quiet import apart


class _Watch:
    """What both handlers share: the prompts of running calls, and the reports."""

    guard: Guard
    reports: deque[Report]
    _asked: dict[UUID, Sequence[Sequence[BaseMessage]]]

    def __init__(self, guard: Guard, *, raise_error: bool = False, keep: int = 1000) -> None:
        refuse_no_guard(guard, type(self).__name__)
        self.guard = guard
        self.reports = deque(maxlen=keep)
        self.raise_error = raise_error
        self._asked = {}

    def _cases(self, response: LLMResult, run_id: UUID) -> Iterator[Case]:
        prompts = self._asked.pop(run_id, ())
        for i, generations in enumerate(response.generations):
            asked = prompts[i] if i < len(prompts) else ()
            for generation in generations:
                if text := _text(generation):
                    said = generation.message if isinstance(generation, ChatGeneration) else None
                    yield Case.of(
                        text,
                        prompt=conversation(asked),
                        context=documents(asked, said),
                        logprobs=logprobs(said) if said else (),
                        citations=citations_of(said, text),
                    )

    def _object(self, reports: Sequence[Report]) -> None:
        blocked = next((report for report in reports if report.blocked), None)
        if self.raise_error and blocked is not None:
            raise Blocked(blocked.answer, report=blocked)


class GuardrailCallback(_Watch, BaseCallbackHandler):
    """Examines every answer of the models it hears, and changes none.

    Args:
        guard: the guard; what its policy decides is recorded, not done.
        raise_error: raise `Blocked` in the caller where the policy blocks. A stream has been received by then.
        keep: how many reports to keep in `reports`, the newest last.
    """

    def on_chat_model_start(
        self, serialized: dict[str, Any], messages: list[list[BaseMessage]], *, run_id: UUID, **kwargs: Any
    ) -> None:
        """Remember what was asked."""
        del serialized, kwargs
        self._asked[run_id] = messages

    def on_llm_start(
        self, serialized: dict[str, Any], prompts: list[str], *, run_id: UUID, **kwargs: Any
    ) -> None:
        """Remember what was asked."""
        del serialized, kwargs
        self._asked[run_id] = [[HumanMessage(prompt)] for prompt in prompts]

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """There is no answer."""
        del error, kwargs
        self._asked.pop(run_id, None)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """Examine the answer.

        Raises:
            Blocked: the policy blocks it, and `raise_error` is set.
        """
        del kwargs
        found: list[Report] = []
        for case in self._cases(response, run_id):
            with apart():
                found.append(self.guard.check(case))
            self.reports.append(found[-1])
        self._object(found)


class AsyncGuardrailCallback(_Watch, AsyncCallbackHandler):
    """As `GuardrailCallback`, for `ainvoke` and `astream`: it does not hold up the event loop.

    In a synchronous call LangChain swallows what an asynchronous handler raises: `Blocked` is not seen there.
    """

    async def on_chat_model_start(
        self, serialized: dict[str, Any], messages: list[list[BaseMessage]], *, run_id: UUID, **kwargs: Any
    ) -> None:
        """Remember what was asked."""
        del serialized, kwargs
        self._asked[run_id] = messages

    async def on_llm_start(
        self, serialized: dict[str, Any], prompts: list[str], *, run_id: UUID, **kwargs: Any
    ) -> None:
        """Remember what was asked."""
        del serialized, kwargs
        self._asked[run_id] = [[HumanMessage(prompt)] for prompt in prompts]

    async def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """There is no answer."""
        del error, kwargs
        self._asked.pop(run_id, None)

    async def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """Examine the answer.

        Raises:
            Blocked: the policy blocks it, and `raise_error` is set.
        """
        del kwargs
        found: list[Report] = []
        for case in self._cases(response, run_id):
            with apart():
                found.append(await self.guard.acheck(case))
            self.reports.append(found[-1])
        self._object(found)


def _text(generation: Generation) -> str:
    if isinstance(generation, ChatGeneration):
        return str(generation.message.text)
    return generation.text
