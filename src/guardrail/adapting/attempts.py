"""One guarded call: ask, let the guard look, ask again with its feedback, hand out what it decided."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from time import perf_counter
from typing import Generic, TypeVar

from guardrail.adapting.changes import Change, Reading, citations
from guardrail.engine.flow import Answer, Cost
from guardrail.given.accepted import Documents
from guardrail.guard import Guard
from guardrail.report import Case, Report
from guardrail.requests import Completion, Message

T = TypeVar("T")


class Attempts(Generic[T]):
    """The answers that a model gave to one prompt; which of them was kept is known by its text.

    Args:
        guard: the guard.
        read: what of an answer is to be examined; `None` = nothing, and it passes untouched.
        spent: tokens of the prompt and of the answer.
        prompt: what was asked.
        context: documents the answer should rest on, given the model's first answer, whose tools may have found some;
            `None` = those that the prompt brings along.
        apart: entered while the guard works: what it asks is no part of the application's run.
    """

    def __init__(
        self,
        guard: Guard,
        read: Callable[[T], Reading | None],
        *,
        spent: Callable[[T], tuple[int, int]],
        prompt: Callable[[], tuple[Message, ...]],
        context: Callable[[T], Documents] = lambda _: None,
        apart: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._guard = guard
        self._read = read
        self._spent = spent
        self._prompt = prompt
        self._context = context
        self._apart = apart
        self._seen: list[tuple[T, Reading]] = []
        self._unread: T | None = None

    def settle(self, ask: Callable[[str], T]) -> tuple[T, Change | None]:
        """The answer to hand out, and what is to be done to it.

        Args:
            ask: calls the model with the feedback on earlier attempts ("" at first).
        """
        started = perf_counter()
        first = ask("")
        cost = self._cost(first, started)
        if self._note(first) is None:
            return first, None

        def generate(feedback: str) -> Answer[Completion]:
            if not feedback:
                return Answer(self._last(), cost)
            started = perf_counter()
            return self._again(ask(feedback), started)

        with self._apart():
            report = self._guard.supervise(generate, prompt=self._prompt(), context=self._context(first))
        return self._settled(report)

    async def asettle(self, ask: Callable[[str], Awaitable[T]]) -> tuple[T, Change | None]:
        """As `settle`."""
        started = perf_counter()
        first = await ask("")
        cost = self._cost(first, started)
        if self._note(first) is None:
            return first, None

        async def again(feedback: str) -> Answer[Completion]:
            started = perf_counter()
            return self._again(await ask(feedback), started)

        def generate(feedback: str) -> Answer[Completion] | Awaitable[Answer[Completion]]:
            return again(feedback) if feedback else Answer(self._last(), cost)

        with self._apart():
            report = await self._guard.asupervise(
                generate, prompt=self._prompt(), context=self._context(first)
            )
        return self._settled(report)

    def _note(self, output: T) -> Reading | None:
        reading = self._read(output)
        if reading is not None:
            self._seen.append((output, reading))
        return reading

    def _last(self) -> Completion:
        reading = self._seen[-1][1]
        return Completion(reading.text, logprobs=reading.logprobs, citations=citations(reading))

    def _again(self, output: T, started: float) -> Answer[Completion]:
        cost = self._cost(output, started)
        if self._note(output) is None:  # a tool call: no answer, so the guard asks no more
            self._unread = output
            return Answer(Completion(""), cost)
        return Answer(self._last(), cost)

    def _cost(self, output: T, started: float) -> Cost:
        """One attempt is one call, whatever happens inside."""
        seconds = perf_counter() - started
        asked, said = self._spent(output)
        return Cost(calls=1, prompt_tokens=asked, completion_tokens=said, seconds=seconds)

    def _settled(self, report: Report) -> tuple[T, Change | None]:
        if self._unread is not None:  # asked to try again, the model wants to look something up first
            return self._unread, None
        # Half an emoji is one replacement character in a case.
        kept = (seen for seen in self._seen if Case(answer=seen[1].text).answer == report.case.answer)
        output, reading = next(kept, self._seen[-1])
        return output, Change.of(reading.text, report)
