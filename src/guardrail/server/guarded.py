"""Guarded routes: ask upstream, keep the answer back until it was examined, as a whole or by sentence, and send what may be shown."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Callable, Collection, Coroutine, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import httpx
from starlette.responses import Response

from guardrail._log import log
from guardrail.adapting import sse, summaries
from guardrail.adapting.anthropic_messages import Messages
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


@dataclass(frozen=True)
class Desk:
    """What answering takes.

    Attributes:
        settings: of the server.
        guard: examines the answers.
        metrics: counts them.
        upstream: whom to ask.
        later: does what no client waits for.
        stored: knows whose the answers are that the upstream keeps.
    """

    settings: Settings
    guard: Guard
    metrics: Metrics
    upstream: Upstream
    later: Callable[[Coroutine[Any, Any, None]], None]
    stored: Stored


async def answer(call: Call, desk: Desk) -> Response:
    """The guarded answer to a request.

    Raises:
        Refused: it cannot be guarded, or the upstream gave nothing that can be read.
    """
    codec = CODECS[call.path]
    call, context = _without_own_field(call)
    request = call.json()
    if why := codec.refusal(request):
        raise Refused(501, "cannot_be_guarded", why)
    desk.stored.check(call.owner, "", request)
    if desk.settings.mode == "monitor":
        return await _monitored(codec, call, context, await desk.upstream.ask(call), desk)
    by_sentence = _by_sentence(codec, request, context, desk)
    if by_sentence is None:
        return await _answered(codec, call, context, desk)
    by_sentence.astart()
    response: Response | None = None
    try:
        response = await _answered(codec, call, context, desk, by_sentence)
        return response
    finally:
        if not isinstance(response, HeldBack):  # it ends what was started; nobody else does
            await by_sentence.aclose()


def _without_own_field(call: Call) -> tuple[Call, Documents]:
    """The call as the upstream gets it, and the documents that its client gives.

    Raises:
        Refused: the field for the guard cannot be read.
    """
    if OWN_FIELD not in call.json():
        return call, None
    try:
        request, context = without_own_field(call.json())
    except InputError as error:
        raise Refused(400, "bad_request", str(error)[:500]) from None
    return call.saying(request), context


def _exchange(codec: Codec, request: Json, context: Documents, desk: Desk, reasoning: Reasoning) -> Exchange:
    users = desk.settings.user_documents
    return Exchange(desk.guard, codec, request, context=context, users=users, reasoning=reasoning)


def _by_sentence(codec: Codec, request: Json, context: Documents, desk: Desk) -> SentenceExchange | None:
    """For a stream whose sentences may be released one by one."""
    wanted = desk.settings.stream == "sentence" and request.get("stream") is True
    if not wanted or why_buffered(desk.guard, codec, request):
        return None
    settings = desk.settings
    return SentenceExchange(
        desk.guard,
        codec,
        request,
        context=context,
        users=settings.user_documents,
        longest=settings.answer_limit,
        reasoning=settings.reasoning,
    )


async def _answered(
    codec: Codec, call: Call, context: Documents, desk: Desk, by_sentence: SentenceExchange | None = None
) -> Response:
    found = await desk.upstream.ask(call)
    if not found.is_success:
        return await _failed(codec, found, desk)
    headers = _wordless(desk.upstream.headers(found), desk.settings.response_headers)
    if found.headers.get("content-type", "").startswith(_STREAM):
        if by_sentence is not None:
            work = _sentences(by_sentence, found, call, desk)
        elif desk.settings.stream == "observe":
            exchange = _exchange(codec, call.json(), context, desk, "drop")
            work = _watched(Watch(codec, exchange), found, call, desk)
        else:
            work = _buffered(codec, call, context, found, desk)
        return HeldBack(
            [*headers, ("content-type", f"{_STREAM}; charset=utf-8"), ("cache-control", "no-cache")],
            work,
            path=call.path,
            keepalive=desk.settings.keepalive_seconds,
            sign=sign(desk.settings.keepalive, call.path),
            until=call.until,
            close=partial(_close, found, by_sentence),
        )
    body = _parsed(await desk.upstream.read(found))
    shown, summary = await _shown(codec, call, context, body, desk)
    made = Response(json.dumps(shown).encode(), media_type="application/json")
    pairs = [*headers, *summaries.headers(summary)]
    if desk.settings.vsr_headers:
        pairs += vsr(summary, [choice.text for choice in codec.choices(shown)], desk.guard.policy)
    made.raw_headers += as_bytes(pairs)
    return made


def _wordless(pairs: Iterable[tuple[str, str]], wanted: Collection[str]) -> list[tuple[str, str]]:
    """An upstream's headers next to an examined answer: none of prose, which may be what is taken out of it."""
    return [
        (name, value)
        for name, value in pairs
        if name != "content-type" and (name in wanted or is_wordless(value, ()))
    ]


async def _failed(codec: Codec, found: httpx.Response, desk: Desk) -> Response:
    """An upstream's error as it came, without fields that a model wrote.

    Raises:
        Refused: there is an answer in it, which nobody examined.
    """
    response = await desk.upstream.error(found)
    body = bytes(response.body)
    if has_answer(codec, body, kind=found.headers.get("content-type", "")):
        why = f"the upstream answered {found.status_code} with an answer in its error, which is left out"
        raise Refused(found.status_code, "upstream_error_with_answer", why)
    with contextlib.suppress(ValueError):
        told = read_json(body)
        if (kept := without_text(told)) is not told:
            response.body = json.dumps(kept).encode()
            response.headers["content-length"] = str(len(response.body))
    return response


async def _close(found: httpx.Response, by_sentence: SentenceExchange | None) -> None:
    await found.aclose()
    if by_sentence is not None:
        await by_sentence.aclose()


async def _buffered(
    codec: Codec, call: Call, context: Documents, found: httpx.Response, desk: Desk
) -> AsyncGenerator[bytes]:
    """The events that may be shown: written anew from what was examined, so that nothing else is among them."""
    body = await _whole(codec, await _events(codec, found, desk), desk)
    shown, _ = await _shown(codec, call, context, body, desk)
    for event in codec.events(shown, call.json()):
        yield sse.written([event])


async def _sentences(
    exchange: SentenceExchange, found: httpx.Response, call: Call, desk: Desk
) -> AsyncGenerator[bytes]:
    async with contextlib.aclosing(_parts(found, desk, lambda: exchange.is_over)) as parts:
        try:
            async for piece in desk.upstream.hiding.parts(exchange.apieces(parts)):  # also what deltas spelt
                yield piece
        except NotReadable as error:
            raise _unreadable(error) from None
    desk.stored.note(call.owner, exchange.body)
    desk.metrics.examined(exchange.summary or {}, mode=desk.settings.mode)


async def _watched(watch: Watch, found: httpx.Response, call: Call, desk: Desk) -> AsyncGenerator[bytes]:
    async with contextlib.aclosing(_parts(found, desk, lambda: watch.is_over)) as parts:
        async for part in parts:
            if passed := watch.passed(part):
                yield passed
    ending = await watch.aended()
    desk.stored.note(call.owner, watch.body)
    yield ending
    if watch.summary is None:
        _unobserved(desk, "NotReadable")
        if watch.broke_off:
            raise Refused(502, "upstream_cut", "the upstream's stream broke off; it was not examined")
    else:
        desk.metrics.examined(watch.summary, mode=desk.settings.mode)


async def _events(codec: Codec, found: httpx.Response, desk: Desk) -> list[sse.Event]:
    """All events of an upstream's stream.

    Raises:
        Refused: it is too long, or was cut.
    """
    incoming = Incoming(codec)
    events: list[sse.Event] = []
    async with contextlib.aclosing(_parts(found, desk, lambda: incoming.ended)) as parts:
        async for part in parts:
            events += incoming.feed(part)
    if incoming.unfinished:
        raise Refused(502, "upstream_cut", "the upstream's stream broke off; nothing of it was released")
    return events


async def _parts(found: httpx.Response, desk: Desk, is_over: Callable[[], bool]) -> AsyncGenerator[bytes]:
    """The pieces of an upstream's stream, until it is over.

    Raises:
        Refused: it is too long, was cut, or all streams together are too long.
    """
    limit, lines, taken = desk.settings.answer_limit * _SPREAD, _LINES, 0
    try:
        async with desk.upstream.parts(found) as parts:
            async for part in parts:
                desk.upstream.held.take(len(part))
                taken += len(part)
                lines -= part.count(b"\n") + part.count(b"\r")
                if taken > limit or lines < 0:
                    raise Refused(
                        502, "answer_too_long", "the upstream's answer is too long and was not examined"
                    )
                yield part
                if is_over():
                    await desk.upstream.drain(parts)
                    return
    finally:
        desk.upstream.held.now -= taken


async def _whole(codec: Codec, events: list[sse.Event], desk: Desk) -> Json:
    """The body that a stream would have been.

    Raises:
        Refused: it cannot be read, or its text is too long.
    """
    try:
        if len(events) > _MANY:
            body = await asyncio.to_thread(codec.whole, events)  # so that other clients need not wait
        else:
            body = codec.whole(events)
        said = sum(len(choice.text) for choice in codec.choices(body))
    except NotReadable as error:
        raise _unreadable(error) from None
    if said > desk.settings.answer_limit:
        raise Refused(502, "answer_too_long", "the upstream's answer is too long and was not examined")
    return body


async def _shown(codec: Codec, call: Call, context: Documents, body: Json, desk: Desk) -> tuple[Json, Json]:
    """The body that may be shown, with the report in it, and the report.

    Raises:
        Refused: the body cannot be read.
    """
    attempts = 0

    async def ask(wanted: Json) -> Json:
        nonlocal attempts
        attempts += 1
        found = await desk.upstream.ask(call, body=json.dumps(wanted).encode(), attempt=attempts)
        if not found.is_success:
            await found.aclose()
            raise Refused(502, "upstream_error", f"asked again, the upstream answered {found.status_code}")
        again: Json = desk.upstream.hiding.json(_parsed(await desk.upstream.read(found)))
        return again

    body = desk.upstream.hiding.json(body)  # also where it is spelt by escapes, or by several events
    exchange = _exchange(codec, call.json(), context, desk, desk.settings.reasoning)
    settled = await _settled(exchange, body, ask)
    desk.metrics.examined(settled.summary, mode=desk.settings.mode)
    desk.stored.note(call.owner, settled.body)
    return settled.body, settled.summary


async def _settled(
    exchange: Exchange, body: Json, ask: Callable[[Json], Coroutine[Any, Any, Json]]
) -> Settled:
    try:
        return await exchange.asettle(body, ask)
    except NotReadable as error:
        raise _unreadable(error) from None


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


# -- monitoring


async def _monitored(
    codec: Codec, call: Call, context: Documents, found: httpx.Response, desk: Desk
) -> Response:
    """The answer as it comes; it is examined afterwards, when nobody waits."""
    if not found.is_success:
        return await desk.upstream.error(found)
    streams = found.headers.get("content-type", "").startswith(_STREAM)
    limit = desk.settings.answer_limit * (_SPREAD if streams else 1)

    def after(copy: bytes | None) -> None:
        desk.later(_observed(codec, call, context, copy, streams=streams, desk=desk))

    return Passed(desk.upstream, found, after=after, limit=limit)


async def _observed(
    codec: Codec, call: Call, context: Documents, copy: bytes | None, *, streams: bool, desk: Desk
) -> None:
    try:
        async with asyncio.timeout(desk.settings.deadline):
            body = await _copied(codec, copy, streams=streams, desk=desk)
            desk.stored.note(call.owner, body)
            exchange = _exchange(codec, call.json(), context, desk, "pass")  # it is out already
            settled = await _settled(exchange, body, _never)
    except Exception as error:  # noqa: BLE001  # the answer is out; that it was not checked is what is left to say
        _unobserved(desk, type(error).__name__)
        return
    desk.metrics.examined(settled.summary, mode=desk.settings.mode)


def _unobserved(desk: Desk, error: str) -> None:
    """An answer went out, and nobody could examine it."""
    log.error("not_observed", error=error)
    desk.metrics.unfinished.labels("guard").inc()


async def _copied(codec: Codec, copy: bytes | None, *, streams: bool, desk: Desk) -> Json:
    """The body of an answer that was passed on.

    Raises:
        Refused: it is too long or cannot be read.
    """
    if copy is None:
        raise Refused(502, "answer_too_long", "the answer is too long to be examined")
    return await _whole(codec, list(Incoming(codec).feed(copy)), desk) if streams else _parsed(copy)


async def _never(wanted: JsonObject) -> Json:
    del wanted
    raise Refused(409, "monitoring", "a server that only watches does not ask again")
