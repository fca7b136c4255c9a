"""A guard that looks at one answer while it is written: whatever protocol the answer comes in, and whatever it goes out in.

The text is fed as it comes. `examined` gives what may be shown now, `concluded` the report on the whole answer, and `rest`
what is still to be shown then. Each has an asynchronous twin where it asks.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from time import perf_counter

from guardrail._log import log
from guardrail.adapting.sentence_stream import SentenceStream, Withdrawn
from guardrail.detector import Detector
from guardrail.engine.flow import Cost
from guardrail.examination import Tally
from guardrail.guard import Guard
from guardrail.policies import Review
from guardrail.report import Case, Report
from guardrail.requests import TokenLogprob

Tokens = Sequence[TokenLogprob]


def warn_if_buffered(why: str) -> None:
    """Say in the log why streams are released as a whole, although sentences were asked for; "" says nothing."""
    if why:
        log.warning("streams_are_buffered", why=why)


def is_whole(text: str) -> bool:
    """Whether no half of a character is in it."""
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


class SentenceRelease:
    """One answer that a guard examines while it is written.

    Args:
        guard: the guard; its scope is "sentence".
        asked: what the answer is about, without the answer.
        apart: entered while the guard works: what it asks is no part of the application's run.
    """

    def __init__(
        self,
        guard: Guard,
        asked: Case,
        *,
        apart: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._guard = guard
        self._asked = asked
        self._apart = apart
        self._stream = SentenceStream(guard.policy)
        self._tally = Tally()
        self._began = perf_counter()
        self._thread: threading.Thread | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def released(self) -> str:
        """The text that was released so far."""
        return self._stream.released

    # -- before there is an answer

    def start(self) -> None:
        """Have samples drawn while the model works; to be called when the request goes out."""
        if self._asks_ahead:
            work = (self._asked, self._tally)
            self._thread = threading.Thread(target=self._guard.prepare, args=work, daemon=True)
            self._thread.start()

    def astart(self) -> None:
        """As `start`, on the running event loop. Call `aclose` in the end, whatever happens."""
        if self._asks_ahead:
            with self._apart():
                self._task = asyncio.ensure_future(self._guard.aprepare(self._asked, self._tally))

    async def aclose(self) -> None:
        """End what was started."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    @property
    def _asks_ahead(self) -> bool:
        return any(type(detector).ahead is not Detector.ahead for detector in self._guard.detectors)

    # -- while it is written

    def ask(self, asked: Case) -> None:
        """Take what the answer is about anew, as when a tool that the service ran has found documents."""
        self._asked = asked

    def feed(self, said: str | None) -> None:
        """Take what the model wrote next; `None` = something else than text, so that nothing more goes out before the end."""
        if said is None or not is_whole(said):
            self._stream.hold()
        elif said:
            self._stream.feed(said)

    def examined(self) -> str:
        """What may be shown now; "" if it is nothing new."""
        case = self._due()
        if case is None:
            return ""
        self._wait()
        try:
            with self._apart():
                review = self._guard.review(case, self._tally)
        except Exception as error:  # noqa: BLE001  # the end decides what becomes of the answer
            return self._failed(error)
        return self._stream.examined(review)

    async def aexamined(self) -> str:
        """As `examined`."""
        case = self._due()
        if case is None:
            return ""
        await self._prepared()
        try:
            with self._apart():
                review = await self._guard.areview(case, self._tally)
        except Exception as error:  # noqa: BLE001  # as above
            return self._failed(error)
        return self._stream.examined(review)

    def _due(self) -> Case | None:
        due = self._stream.due()
        return None if due is None else self._asked.model_copy(update={"answer": due})

    def _failed(self, error: Exception) -> str:
        log.error("sentence_not_examined", error=type(error).__name__)
        self._stream.hold()
        return ""

    def _wait(self) -> None:
        if self._thread is not None:
            self._thread.join()

    async def _prepared(self) -> None:
        if self._task is not None:
            await self._task

    # -- at its end

    def is_of(self, answer: str) -> bool:
        """Whether this is the answer that was fed."""
        return bool(answer) and answer == self._stream.text and is_whole(answer)

    def concluded(self, answer: str, logprobs: Tokens = (), spent: tuple[int, int] | None = None) -> Report:
        """The report on the whole answer.

        Args:
            answer: as `is_of` it.
            logprobs: its tokens, where they are known.
            spent: tokens of the prompt and of the answer; `None` = somebody else asked for it.
        """
        self._wait()
        with self._apart():
            review = self._guard.review(self._whole(answer, logprobs), self._tally)
            return self._reported(review, spent)

    async def aconcluded(
        self, answer: str, logprobs: Tokens = (), spent: tuple[int, int] | None = None
    ) -> Report:
        """As `concluded`."""
        await self._prepared()
        with self._apart():
            review = await self._guard.areview(self._whole(answer, logprobs), self._tally)
            return self._reported(review, spent)

    def rest(self, answer: str) -> str:
        """What is still to be shown of what the policy made of the whole answer.

        Raises:
            Withdrawn: what was released is not its beginning. Nothing more of it may be shown.
        """
        try:
            return self._stream.rest(answer)
        except Withdrawn:
            log.error("answer_withdrawn")
            raise

    def _whole(self, answer: str, logprobs: Tokens) -> Case:
        return self._asked.model_copy(update={"answer": answer, "logprobs": tuple(logprobs)})

    def _reported(self, review: Review, spent: tuple[int, int] | None) -> Report:
        if spent is not None:
            took = max(0.0, perf_counter() - self._began - self._tally.seconds)
            asked, said = spent
            cost = Cost(calls=1, prompt_tokens=asked, completion_tokens=said, seconds=took)
            self._tally.ledger.book({"guard": None}, cost)
        return self._guard.conclude(self._stream.finish(review), self._tally)
