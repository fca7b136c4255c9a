"""A streamed answer that is handed out sentence by sentence: bytes of the upstream's stream in, bytes for the client out.

`SentenceExchange.pieces` is a generator, `apieces` its async twin. Text goes out as soon as it was examined; whatever else
the stream has (usage, tool calls, reasoning, how it ended) waits for the end, and goes out with the report. If the stream
breaks off, what was not examined is never released.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Iterator, Sequence
from time import perf_counter

from guardrail._log import log
from guardrail.adapting.changes import Change
from guardrail.adapting.openai_api.choices import Choice, Codec, Json, NotReadable
from guardrail.adapting.openai_api.exchange import Exchange, Settled
from guardrail.adapting.sentence_stream import SentenceStream, Withdrawn
from guardrail.adapting.sse import Event, Reader, written
from guardrail.detector import Detector
from guardrail.engine.flow import Cost
from guardrail.examination import Tally
from guardrail.guard import Guard
from guardrail.policies import Review
from guardrail.report import Case

__all__ = ["SentenceExchange", "warn_if_buffered", "why_buffered"]

_WITHDRAWN = "what was released is not how the answer may begin; nothing more of it was shown"


def why_buffered(guard: Guard, codec: Codec, request: Json) -> str:
    """Why the answers to a request are released as a whole; "" if they may be by sentence."""
    return guard.why_whole or codec.why_whole(request)


def warn_if_buffered(guard: Guard) -> None:
    """Say in the log that a guard's streams are released as a whole, although sentences were asked for."""
    if guard.why_whole:
        log.warning("streams_are_buffered", why=guard.why_whole)


class SentenceExchange:
    """One request whose answer is streamed, and the guard that looks at it meanwhile.

    Args:
        guard: the guard; its scope is "sentence".
        codec: of the protocol.
        request: the body that the application sent.
        context: documents the answer should rest on.
        longest: characters of an answer that is examined as a whole; `None` = any number.

    Attributes:
        summary: the report, once the stream has ended.
        body: the whole upstream answer, likewise.
    """

    def __init__(
        self,
        guard: Guard,
        codec: Codec,
        request: Json,
        *,
        context: Sequence[str] = (),
        longest: int | None = None,
    ) -> None:
        self._longest = longest
        self.summary: Json | None = None
        self.body: Json | None = None
        self._guard = guard
        self._codec = codec
        self._request = request
        self._exchange = Exchange(guard, codec, request, context=context)
        self._asked = Case(answer="", messages=codec.messages(request), context=tuple(context))
        self._stream = SentenceStream(guard.policy)
        self._tally = Tally()
        self._reader = Reader()
        self._events: list[Event] = []
        self._began = perf_counter()
        self._thread: threading.Thread | None = None
        self._task: asyncio.Task[None] | None = None

    # -- before there is an answer

    def start(self) -> None:
        """Have samples drawn while the upstream works; to be called when the request goes out."""
        if self._asks_ahead:
            work = (self._asked, self._tally)
            self._thread = threading.Thread(target=self._guard.prepare, args=work, daemon=True)
            self._thread.start()

    def astart(self) -> None:
        """As `start`, on the running event loop. Call `aclose` in the end, whatever happens."""
        if self._asks_ahead:
            self._task = asyncio.ensure_future(self._guard.aprepare(self._asked, self._tally))

    async def aclose(self) -> None:
        """End what was started."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    @property
    def _asks_ahead(self) -> bool:
        return any(type(detector).ahead is not Detector.ahead for detector in self._guard.detectors)

    # -- the two pumps

    def pieces(self, parts: Iterable[bytes]) -> Iterator[bytes]:
        """What the client gets, from what the upstream sends.

        Raises:
            NotReadable: the stream is none of the protocol, says that something failed, or broke off.
        """
        for part in parts:
            if (case := self._due(part)) is not None:
                if self._thread is not None:
                    self._thread.join()
                try:
                    review = self._guard.review(case, self._tally)
                except Exception as error:  # noqa: BLE001  # the end decides what becomes of the answer
                    self._failed(error)
                else:
                    yield from self._released(review)
        if self._thread is not None:
            self._thread.join()
        body, last = self._ended()
        yield self._closing(body, self._settled(body, last) if last else self._exchange.settle(body, _never))

    async def apieces(self, parts: AsyncIterable[bytes]) -> AsyncGenerator[bytes]:
        """As `pieces`."""
        async for part in parts:
            if (case := self._due(part)) is not None:
                await self._prepared()
                try:
                    review = await self._guard.areview(case, self._tally)
                except Exception as error:  # noqa: BLE001  # as above
                    self._failed(error)
                else:
                    for piece in self._released(review):
                        yield piece
        await self._prepared()
        body, last = self._ended()
        if last is None:
            settled = await self._exchange.asettle(body, _anever)
        else:
            settled = await self._asettled(body, last)
        yield self._closing(body, settled)

    async def _prepared(self) -> None:
        if self._task is not None:
            await self._task

    # -- the steps

    def _due(self, part: bytes) -> Case | None:
        """Take bytes; the case that is to be examined now."""
        for event in self._reader.feed(part):
            self._events.append(event)
            said = self._codec.said(event)
            if said is None or not _is_whole(said):
                self._stream.hold()
            elif said:
                self._stream.feed(said)
        due = self._stream.due()
        return None if due is None else self._asked.model_copy(update={"answer": due})

    def _released(self, review: Review) -> Iterator[bytes]:
        begun = bool(self._stream.released)
        text = self._stream.examined(review)
        if text:
            opening = [] if begun else self._codec.begin(self._events, self._request)
            yield written([*opening, *self._codec.saying(text, self._events, self._request)])

    def _failed(self, error: Exception) -> None:
        log.error("sentence_not_examined", error=type(error).__name__)
        self._stream.hold()

    def _ended(self) -> tuple[Json, Case | None]:
        """The whole body, and the case that is examined last; without one it is as any other body.

        Raises:
            NotReadable: it is none.
        """
        if self._reader.unfinished:
            raise NotReadable("expected a whole stream, got one that broke off")
        body = self.body = self._codec.whole(self._events)
        choices = self._codec.choices(body)
        if self._longest is not None and sum(len(choice.text) for choice in choices) > self._longest:
            raise NotReadable(f"expected an answer of at most {self._longest:,} characters, got a longer one")
        if not self._stream.text or not _is_one(choices, self._stream.text):
            return body, None
        choice = choices[0]
        return body, self._asked.model_copy(update={"answer": choice.text, "logprobs": choice.logprobs})

    def _settled(self, body: Json, last: Case) -> Settled:
        try:
            review = self._guard.review(last, self._tally)
            return self._concluded(body, review)
        except Exception as error:  # noqa: BLE001  # the fail mode says what becomes of the answer
            return self._exchange.unfinished(body, error)

    async def _asettled(self, body: Json, last: Case) -> Settled:
        try:
            review = await self._guard.areview(last, self._tally)
            return self._concluded(body, review)
        except Exception as error:  # noqa: BLE001  # as above
            return self._exchange.unfinished(body, error)

    def _concluded(self, body: Json, review: Review) -> Settled:
        asked, said = self._codec.tokens(body)
        took = max(0.0, perf_counter() - self._began - self._tally.seconds)
        self._tally.ledger.book(
            {"guard": None}, Cost(calls=1, prompt_tokens=asked, completion_tokens=said, seconds=took)
        )
        report = self._guard.conclude(self._stream.finish(review), self._tally)
        return self._exchange.decided(body, Change.of(review.case.answer, report))

    def _closing(self, body: Json, settled: Settled) -> bytes:
        """The end of the stream, with all that waited for it."""
        released = self._stream.released
        if not released:
            self.summary = settled.summary
            return written(self._codec.events(settled.body, self._request))
        choices = self._codec.choices(settled.body)
        try:
            rest = self._stream.rest(choices[0].text if len(choices) == 1 else "")
            shown, self.summary = settled.body, settled.summary
        except Withdrawn:
            log.error("answer_withdrawn")
            rest = ""
            self.summary = {**settled.summary, "action": "block", "note": _WITHDRAWN}
            blocked = self._codec.blocked(body, 0, "")
            shown = self._codec.reported(blocked, self.summary, [body.get("usage")])
        return written(self._codec.continued(shown, self._request, released, rest))


def _is_whole(text: str) -> bool:
    """Whether no half of a character is in it."""
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def _is_one(choices: Sequence[Choice], text: str) -> bool:
    """Whether there is one answer, and it is the text that was fed."""
    return len(choices) == 1 and not choices[0].unread and choices[0].text == text and _is_whole(text)


def _never(wanted: Json) -> Json:
    del wanted
    raise NotReadable("expected an answer that is not asked for again, got a policy that does")


async def _anever(wanted: Json) -> Json:
    return _never(wanted)
