"""One guarded call: ask, let the guard look, ask again with its feedback, hand out what it decided."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from guardrail.guard import Guard
from guardrail.report import Report
from guardrail.requests import Completion, Message
from guardrail_langchain._answers import Change, Reading
from guardrail_langchain._quiet import apart

__all__ = ["Attempts"]

T = TypeVar("T")


class _Unread(Exception):
    """The model answered with a tool call, or nothing that could be read."""


class Attempts(Generic[T]):
    """The answers that a model gave to one prompt.

    Args:
        guard: the guard.
        read: what of an answer is to be examined; `None` = nothing, and it passes untouched.
        prompt: what was asked.
        context: documents the answer should rest on.
    """

    def __init__(
        self,
        guard: Guard,
        read: Callable[[T], Reading | None],
        *,
        prompt: Callable[[], tuple[Message, ...]],
        context: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._guard = guard
        self._read = read
        self._prompt = prompt
        self._context = context
        self._seen: list[tuple[T, Reading]] = []
        self._unread: T | None = None

    def settle(self, ask: Callable[[str], T]) -> tuple[T, Change | None]:
        """The answer to hand out, and what is to be done to it.

        Args:
            ask: calls the model with the feedback on earlier attempts ("" at first).
        """
        first = ask("")
        if self._note(first) is None:
            return first, None

        def generate(feedback: str) -> Completion:
            if not feedback:
                return self._last()
            return self._again(ask(feedback))

        with apart():
            report = self._guard.supervise(generate, prompt=self._prompt(), context=self._context())
        return self._settled(report)

    async def asettle(self, ask: Callable[[str], Awaitable[T]]) -> tuple[T, Change | None]:
        """As `settle`."""
        first = await ask("")
        if self._note(first) is None:
            return first, None

        async def generate(feedback: str) -> Completion:
            if not feedback:
                return self._last()
            return self._again(await ask(feedback))

        with apart():
            report = await self._guard.asupervise(generate, prompt=self._prompt(), context=self._context())
        return self._settled(report)

    def _note(self, output: T) -> Reading | None:
        reading = self._read(output)
        if reading is not None:
            self._seen.append((output, reading))
        return reading

    def _last(self) -> Completion:
        reading = self._seen[-1][1]
        return Completion(reading.text, logprobs=reading.logprobs)

    def _again(self, output: T) -> Completion:
        if self._note(output) is None:
            self._unread = output
            raise _Unread
        return self._last()

    def _settled(self, report: Report) -> tuple[T, Change | None]:
        if self._unread is not None:  # asked to try again, the model wants to look something up first
            return self._unread, None
        output, reading = next(seen for seen in self._seen if seen[1].text == report.case.answer)
        return output, Change.of(reading.text, report)
