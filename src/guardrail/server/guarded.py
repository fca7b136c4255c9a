"""Guarded routes: ask upstream, keep the answer back until it was examined, as a whole or by sentence, and send what may be shown."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Callable, Collection, Coroutine, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import httpx
from starlette.responses import Response

from guardrail._log import log
from guardrail.adapting import sse, summaries
from guardrail.adapting.anthropic_api import Messages
from guardrail.adapting.openai_api import (
    ChatCompletions,
    Codec,
    Exchange,
    Incoming,
    NotReadable,
    Responses,
    SentenceExchange,
    Settled,
    Watch,
    has_answer,
    why_buffered,
    without_text,
)
from guardrail.adapting.own_field import OWN_FIELD, without_own_field
from guardrail.adapting.reasoning import Reasoning
from guardrail.adapting.residue import is_wordless
from guardrail.adapting.strict_json import TooDeep, read_json
from guardrail.errors import InputError
from guardrail.given.accepted import Documents, Json, JsonObject
from guardrail.guard import Guard
from guardrail.server.calls import Call
from guardrail.server.headers import as_bytes
from guardrail.server.keepalive import sign
from guardrail.server.metrics import Metrics
from guardrail.server.refusals import Refused
from guardrail.server.report_headers import vsr
from guardrail.server.settings import Settings
from guardrail.server.stored import Stored
from guardrail.server.streams import HeldBack
from guardrail.server.upstream import Passed, Upstream

CODECS: dict[str, Codec] = {
    "/v1/chat/completions": ChatCompletions(),
    "/v1/responses": Responses(),
    "/v1/messages": Messages(),
}
_STREAM = "text/event-stream"
_SPREAD = 16  # a stream writes about so many bytes for one of its text
_LINES = 2_000_000  # of a stream; an event is an object for each of its few bytes, and has two or three lines
_MANY = 2_000  # events that take some milliseconds to put together


@dataclass
class GuardedCall:
    """A request whose answer is examined.

    Attributes:
        call: as the client sent it; as the upstream gets it, once it is answered.
        settings: of the server.
        guard: examines the answer.
        metrics: counts it.
        upstream: whom to ask.
        later: does what no client waits for.
        stored: knows whose the answers are that the upstream keeps.
        codec: of its protocol.
        context: documents that the client gives.
    """

    call: Call
    settings: Settings
    guard: Guard
    metrics: Metrics
    upstream: Upstream
    later: Callable[[Coroutine[Any, Any, None]], None]
    stored: Stored
    codec: Codec = field(init=False)
    context: Documents = None

    def __post_init__(self) -> None:
        self.codec = CODECS[self.call.path]

    async def answer(self) -> Response:
        """The guarded answer.

        Raises:
            Refused: it cannot be guarded, or the upstream gave nothing that can be read.
        """
        if OWN_FIELD in self.call.json():
            try:
                request, self.context = without_own_field(self.call.json())
            except InputError as error:
                raise Refused(400, "bad_request", str(error)[:500]) from None
            self.call = self.call.saying(request)
        request = self.call.json()
        if why := self.codec.refusal(request):
            raise Refused(501, "cannot_be_guarded", why)
        self.stored.check(self.call.owner, "", request)
        if self.settings.mode == "monitor":
            return await self._monitored(await self.upstream.ask(self.call))
        by_sentence = self._by_sentence(request)
        if by_sentence is None:
            return await self._answered()
        by_sentence.astart()
        response: Response | None = None
        try:
            response = await self._answered(by_sentence)
            return response
        finally:
            if not isinstance(response, HeldBack):  # it ends what was started; nobody else does
                await by_sentence.aclose()

    def _exchange(self, reasoning: Reasoning) -> Exchange:
        return Exchange(
            self.guard,
            self.codec,
            self.call.json(),
            context=self.context,
            users=self.settings.user_documents,
            reasoning=reasoning,
        )

    def _by_sentence(self, request: Json) -> SentenceExchange | None:
        """For a stream whose sentences may be released one by one."""
        settings = self.settings
        wanted = settings.stream == "sentence" and request.get("stream") is True
        if not wanted or why_buffered(self.guard, self.codec, request):
            return None
        return SentenceExchange(
            self.guard,
            self.codec,
            request,
            context=self.context,
            users=settings.user_documents,
            longest=settings.answer_limit,
            reasoning=settings.reasoning,
        )

    async def _answered(self, by_sentence: SentenceExchange | None = None) -> Response:
        settings, path = self.settings, self.call.path
        found = await self.upstream.ask(self.call)
        if not found.is_success:
            return await self._failed(found)
        headers = _wordless(self.upstream.headers(found), settings.response_headers)
        if _streams(found):
            if by_sentence is not None:
                work = self._sentences(by_sentence, found)
            elif settings.stream == "observe":
                work = self._watched(found)
            else:
                work = self._buffered(found)
            return HeldBack(
                [*headers, ("content-type", f"{_STREAM}; charset=utf-8"), ("cache-control", "no-cache")],
                work,
                path=path,
                keepalive=settings.keepalive_seconds,
                sign=sign(settings.keepalive, path),
                until=self.call.until,
                close=partial(_close, found, by_sentence),
            )
        shown, summary = await self._shown(_parsed(await self.upstream.read(found)))
        made = Response(json.dumps(shown).encode(), media_type="application/json")
        pairs = [*headers, *summaries.headers(summary)]
        if settings.vsr_headers:
            pairs += vsr(summary, [choice.text for choice in self.codec.choices(shown)], self.guard.policy)
        made.raw_headers += as_bytes(pairs)
        return made

    async def _failed(self, found: httpx.Response) -> Response:
        """An upstream's error as it came, without fields that a model wrote.

        Raises:
            Refused: there is an answer in it, which nobody examined.
        """
        response = await self.upstream.error(found)
        body = bytes(response.body)
        if has_answer(self.codec, body, kind=found.headers.get("content-type", "")):
            why = f"the upstream answered {found.status_code} with an answer in its error, which is left out"
            raise Refused(found.status_code, "upstream_error_with_answer", why)
        with contextlib.suppress(ValueError):
            told = read_json(body)
            if (kept := without_text(told)) is not told:
                response.body = json.dumps(kept).encode()
                response.headers["content-length"] = str(len(response.body))
        return response

    # -- streams

    async def _buffered(self, found: httpx.Response) -> AsyncGenerator[bytes]:
        """The events that may be shown: written anew from what was examined, so that nothing else is among them."""
        shown, _ = await self._shown(await self._whole(await self._events(found)))
        for event in self.codec.events(shown, self.call.json()):
            yield sse.written([event])

    async def _sentences(self, exchange: SentenceExchange, found: httpx.Response) -> AsyncGenerator[bytes]:
        async with contextlib.aclosing(self._parts(found, lambda: exchange.is_over)) as parts:
            try:
                async for piece in self.upstream.hiding.parts(
                    exchange.apieces(parts)
                ):  # also what deltas spelt
                    yield piece
            except NotReadable as error:
                raise _unreadable(error) from None
        self.stored.note(self.call.owner, exchange.body)
        self._examined(exchange.summary or {})

    async def _watched(self, found: httpx.Response) -> AsyncGenerator[bytes]:
        watch = Watch(self.codec, self._exchange("drop"))
        async with contextlib.aclosing(self._parts(found, lambda: watch.is_over)) as parts:
            async for part in parts:
                if passed := watch.passed(part):
                    yield passed
        ending = await watch.aended()
        self.stored.note(self.call.owner, watch.body)
        yield ending
        if watch.summary is not None:
            self._examined(watch.summary)
            return
        self._unobserved("NotReadable")
        if watch.broke_off:
            raise Refused(502, "upstream_cut", "the upstream's stream broke off; it was not examined")

    async def _events(self, found: httpx.Response) -> list[sse.Event]:
        """All events of an upstream's stream.

        Raises:
            Refused: it is too long, or was cut.
        """
        incoming = Incoming(self.codec)
        events: list[sse.Event] = []
        async with contextlib.aclosing(self._parts(found, lambda: incoming.ended)) as parts:
            async for part in parts:
                events += incoming.feed(part)
        if incoming.unfinished:
            raise Refused(502, "upstream_cut", "the upstream's stream broke off; nothing of it was released")
        return events

    async def _parts(self, found: httpx.Response, is_over: Callable[[], bool]) -> AsyncGenerator[bytes]:
        """The pieces of an upstream's stream, until it is over.

        Raises:
            Refused: it is too long, was cut, or all streams together are too long.
        """
        limit, lines, taken = self.settings.answer_limit * _SPREAD, _LINES, 0
        try:
            async with self.upstream.parts(found) as parts:
                async for part in parts:
                    self.upstream.held.take(len(part))
                    taken += len(part)
                    lines -= part.count(b"\n") + part.count(b"\r")
                    if taken > limit or lines < 0:
                        raise _too_long()
                    yield part
                    if is_over():
                        await self.upstream.drain(parts)
                        return
        finally:
            self.upstream.held.now -= taken

    async def _whole(self, events: list[sse.Event]) -> Json:
        """The body that a stream would have been.

        Raises:
            Refused: it cannot be read, or its text is too long.
        """
        try:
            if len(events) > _MANY:
                body = await asyncio.to_thread(
                    self.codec.whole, events
                )  # so that other clients need not wait
            else:
                body = self.codec.whole(events)
            said = sum(len(choice.text) for choice in self.codec.choices(body))
        except NotReadable as error:
            raise _unreadable(error) from None
        if said > self.settings.answer_limit:
            raise _too_long()
        return body

    # -- the answer as a whole

    async def _shown(self, body: Json) -> tuple[Json, Json]:
        """The body that may be shown, with the report in it, and the report.

        Raises:
            Refused: the body cannot be read.
        """
        attempts = 0

        async def ask(wanted: Json) -> Json:
            nonlocal attempts
            attempts += 1
            found = await self.upstream.ask(self.call, body=json.dumps(wanted).encode(), attempt=attempts)
            if not found.is_success:
                await found.aclose()
                raise Refused(
                    502, "upstream_error", f"asked again, the upstream answered {found.status_code}"
                )
            again: Json = self.upstream.hiding.json(_parsed(await self.upstream.read(found)))
            return again

        body = self.upstream.hiding.json(body)  # also where it is spelt by escapes, or by several events
        settled = await _settled(self._exchange(self.settings.reasoning), body, ask)
        self._examined(settled.summary)
        self.stored.note(self.call.owner, settled.body)
        return settled.body, settled.summary

    def _examined(self, summary: Json) -> None:
        self.metrics.examined(summary, mode=self.settings.mode)

    # -- monitoring

    async def _monitored(self, found: httpx.Response) -> Response:
        """The answer as it comes; it is examined afterwards, when nobody waits."""
        if not found.is_success:
            return await self.upstream.error(found)
        streams = _streams(found)
        limit = self.settings.answer_limit * (_SPREAD if streams else 1)
        return Passed(
            self.upstream,
            found,
            after=lambda copy: self.later(self._observed(copy, streams=streams)),
            limit=limit,
        )

    async def _observed(self, copy: bytes | None, *, streams: bool) -> None:
        try:
            async with asyncio.timeout(self.settings.deadline):
                body = await self._copied(copy, streams=streams)
                self.stored.note(self.call.owner, body)
                settled = await _settled(self._exchange("pass"), body, _never)  # it is out already
        except Exception as error:  # noqa: BLE001  # the answer is out; that it was not checked is what is left to say
            self._unobserved(type(error).__name__)
            return
        self._examined(settled.summary)

    def _unobserved(self, error: str) -> None:
        """An answer went out, and nobody could examine it."""
        log.error("not_observed", error=error)
        self.metrics.unfinished.labels("guard").inc()

    async def _copied(self, copy: bytes | None, *, streams: bool) -> Json:
        """The body of an answer that was passed on.

        Raises:
            Refused: it is too long or cannot be read.
        """
        if copy is None:
            raise Refused(502, "answer_too_long", "the answer is too long to be examined")
        return await self._whole(list(Incoming(self.codec).feed(copy))) if streams else _parsed(copy)


def _streams(found: httpx.Response) -> bool:
    """Whether an upstream answers by a stream."""
    return bool(found.headers.get("content-type", "").startswith(_STREAM))


def _wordless(pairs: Iterable[tuple[str, str]], wanted: Collection[str]) -> list[tuple[str, str]]:
    """An upstream's headers next to an examined answer: none of prose, which may be what is taken out of it."""
    return [
        (name, value)
        for name, value in pairs
        if name != "content-type" and (name in wanted or is_wordless(value, ()))
    ]


async def _close(found: httpx.Response, by_sentence: SentenceExchange | None) -> None:
    await found.aclose()
    if by_sentence is not None:
        await by_sentence.aclose()


async def _settled(
    exchange: Exchange, body: Json, ask: Callable[[Json], Coroutine[Any, Any, Json]]
) -> Settled:
    try:
        return await exchange.asettle(body, ask)
    except NotReadable as error:
        raise _unreadable(error) from None


async def _never(wanted: JsonObject) -> Json:
    del wanted
    raise Refused(409, "monitoring", "a server that only watches does not ask again")


def _parsed(body: bytes) -> Json:
    try:
        found = read_json(body)
    except TooDeep as error:
        raise Refused(
            502, "upstream_unreadable", f"the upstream's answer is nested too deep: {error}"
        ) from None
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise Refused(
            502, "upstream_unreadable", "expected a JSON object from the upstream, got something else"
        )
    return found


def _unreadable(error: NotReadable) -> Refused:
    return Refused(502, "upstream_unreadable", str(error))


def _too_long() -> Refused:
    return Refused(502, "answer_too_long", "the upstream's answer is too long and was not examined")
