"""What a guarded transport does with a request and its response, apart from the sending: bytes in, bytes out."""

from __future__ import annotations

import json
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Sequence,
)
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit
from uuid import uuid4

from guardrail.adapting.openai_api import (
    ChatCompletions,
    Codec,
    Exchange,
    NotReadable,
    Responses,
    Route,
    SentenceExchange,
    Settled,
    Watch,
    allowed,
    error_body,
    has_answer,
    read_stream,
    route,
    warn_if_buffered,
    why_buffered,
    without_text,
)
from guardrail.adapting.own_field import OWN_FIELD, without_own_field
from guardrail.adapting.reasoning import REASONING, Reasoning
from guardrail.adapting.sse import Event, written
from guardrail.adapting.strict_json import read_json
from guardrail.adapting.summaries import headers
from guardrail.errors import ConfigError, InputError
from guardrail.given.accepted import Documents, Json, JsonObject
from guardrail.guard import Guard
from guardrail.options import one_of

_CODECS: dict[str, Codec] = {"chat": ChatCompletions(), "responses": Responses()}
_DROPPED = {"content-length", "content-encoding", "transfer-encoding", "connection"}
_STREAM = "text/event-stream"


@dataclass(frozen=True)
class Given:
    """A response: its status, headers and body."""

    status: int
    headers: Sequence[tuple[str, str]]
    body: bytes

    @property
    def kind(self) -> str:
        """The media type."""
        return next((value for name, value in self.headers if name.lower() == "content-type"), "").partition(
            ";"
        )[0]


class Settings:
    """The options of a guarded client.

    Raises:
        ConfigError: an option is wrong.
    """

    def __init__(
        self,
        guard: Guard,
        *,
        base: str,
        streaming: str,
        context: Callable[[JsonObject], Documents] | None,
        reasoning: Reasoning,
        allow: Collection[str],
    ) -> None:
        one_of("streaming", streaming, ("buffer", "sentence", "observe"))
        one_of("reasoning", reasoning, REASONING)
        if isinstance(allow, str):
            raise ConfigError(f"expected names in a list, got allow={allow!r}: write allow=[{allow!r}]")
        if context is not None and not callable(context):
            raise ConfigError(
                f"expected a function of the request's body, got context={type(context).__name__}: "
                "write context=lambda request: ['…']"
            )
        self.guard = guard
        self.reasoning = reasoning
        self.observes = streaming == "observe"
        self.by_sentence = streaming == "sentence"
        if self.by_sentence:
            warn_if_buffered(guard.why_whole)
        self.allow = allowed(allow)
        self._bases: set[str] = set()
        self.know(base)
        self._context = context

    def know(self, base: str) -> None:
        """Take note of another base URL: `with_options(base_url=…)` keeps the transport."""
        self._bases.add(urlsplit(base).path.strip("/"))

    def route(self, method: str, path: str) -> Route:
        """What is done with a request."""
        path = unquote(path).strip("/")
        known = [base for base in self._bases if f"{path}/".startswith(f"{base}/")]
        return route(method, path.removeprefix(max(known, key=len, default="")).strip("/"), self.allow)

    def context(self, request: JsonObject) -> Documents:
        """The documents that the user's function gives for a request, as `Guard.check` takes them; `None` without one."""
        return self._context(request) if self._context else None


def refused(reason: str, code: str) -> Given:
    """An error that the client raises and does not try again."""
    body = json.dumps(error_body(f"guardrail: {reason}", code)).encode()
    return Given(400, [("content-type", "application/json"), ("x-should-retry", "false")], body)


def unreadable(reason: str) -> Given:
    """An upstream's success that cannot be read as one: the client may try again, as after any 502."""
    body = json.dumps(
        error_body(f"guardrail: {reason}; nothing of it was passed on", "unreadable_response")
    ).encode()
    return Given(502, [("content-type", "application/json")], body)


def _broken_off(error: NotReadable) -> bytes:
    """The end of a stream of which something was handed out already: the client raises it."""
    told = without_text(error.error) or error_body(f"guardrail: {error}", "unreadable_response")["error"]
    return written([Event(json.dumps({"error": told}))])


def _missing(watch: Watch) -> bytes:
    """The end of a stream that passed as it came, where it broke off: it must not look complete."""
    return _broken_off(NotReadable("the stream broke off; it was not examined")) if watch.broke_off else b""


class Call:
    """One request that is guarded.

    Args:
        settings: of the client.
        route: of the request.
        body: of the request.

    Attributes:
        refusal: the response in its place, if it is refused.
        body: what is sent in its place, without what is meant for the guard; `None` = as it is.
        streams: whether a stream is wanted.
        sentences: releases the stream sentence by sentence, where that is wanted and safe.
    """

    def __init__(self, settings: Settings, route: Route, body: bytes) -> None:
        self._settings = settings
        self._kept: dict[int, Given] = {}
        self.refusal: Given | None = None
        self.body: bytes | None = None
        self.streams = False
        self.sentences: SentenceExchange | None = None
        if route.kind == "refuse":
            hint = f"{route.reason}. To pass it on unexamined: guard_openai(…, allow=[{route.name!r}])"
            self.refusal = refused(f"{hint}", "not_guarded")
            return
        self._codec = _CODECS[route.kind]
        try:
            self._request = read_json(body)
        except ValueError:
            self._request = None
        if not isinstance(self._request, dict):
            self.refusal = refused(
                "expected a request with a JSON object of at most 100 levels, got something else",
                "not_readable",
            )
            return
        if reason := self._codec.refusal(self._request):
            self.refusal = refused(reason, "not_guarded")
            return
        context: Documents
        try:
            request, context = without_own_field(self._request)
        except InputError as error:
            self.refusal = refused(str(error), "not_readable")
            return
        if OWN_FIELD in self._request:
            self.body = json.dumps(request).encode()
        context = settings.context(request) if context is None else context
        self._request = request
        self.streams = bool(request.get("stream"))
        guard = settings.guard
        self._exchange = Exchange(
            guard,
            self._codec,
            request,
            context=context,
            reasoning=settings.reasoning,
        )
        if self.streams and settings.by_sentence and not why_buffered(guard, self._codec, request):
            self.sentences = SentenceExchange(
                guard, self._codec, request, context=context, reasoning=settings.reasoning
            )

    def first(self, send: Callable[[], Any]) -> Any:
        """The upstream's response; what a stream needs besides is asked meanwhile."""
        if self.sentences is not None:
            self.sentences.start()
        return send()

    async def afirst(self, send: Callable[[], Awaitable[Any]]) -> Any:
        """As `first`."""
        if self.sentences is not None:
            self.sentences.astart()
        try:
            return await send()
        except BaseException:
            await self.aclose()
            raise

    async def aclose(self) -> None:
        """Cancel what was started for this call."""
        if self.sentences is not None:
            await self.sentences.aclose()

    def is_passing(self, status: int, kind: str) -> bool:
        """Whether a response is handed out while it still comes.

        Args:
            status: of the upstream's response.
            kind: its content type.
        """
        if status >= 300 or not self.streams:
            return False
        if self._settings.observes:
            return not kind.startswith(
                "application/json"
            )  # an answer as a whole, though a stream was asked for
        return self.sentences is not None and kind.startswith(_STREAM)

    def pieces(self, parts: Iterable[bytes]) -> Iterator[bytes]:
        """A response that is handed out while it still comes."""
        if self.sentences is None:
            watch = Watch(self._codec, self._exchange)
            for part in parts:
                yield watch.passed(part)
            yield watch.ended()
            yield _missing(watch)
            return
        try:
            yield from self.sentences.pieces(parts)
        except NotReadable as error:
            yield _broken_off(error)

    async def apieces(self, parts: AsyncIterable[bytes]) -> AsyncGenerator[bytes]:
        """As `pieces`."""
        if self.sentences is None:
            watch = Watch(self._codec, self._exchange)
            async for part in parts:
                yield watch.passed(part)
            yield await watch.aended()
            yield _missing(watch)
            return
        try:
            async for piece in self.sentences.apieces(parts):
                yield piece
        except NotReadable as error:
            yield _broken_off(error)

    def settle(self, given: Given, ask: Callable[[bytes], Given]) -> Given:
        """The response to hand out.

        Args:
            given: the upstream's.
            ask: sends another body upstream, with an idempotency key of its own.
        """
        if given.status >= 300:
            return self._failed(given)
        try:
            first = self._read(given, stream=self.streams)
            settled = self._exchange.settle(first, lambda body: self._read(ask(json.dumps(body).encode())))
        except NotReadable as error:
            return self._broken(error)
        return self._written(settled)

    async def asettle(self, given: Given, ask: Callable[[bytes], Any]) -> Given:
        """As `settle`."""
        if given.status >= 300:
            return self._failed(given)

        async def again(body: Json) -> Json:
            return self._read(await ask(json.dumps(body).encode()))

        try:
            settled = await self._exchange.asettle(self._read(given, stream=self.streams), again)
        except NotReadable as error:
            return self._broken(error)
        return self._written(settled)

    def _read(self, given: Given, *, stream: bool = False) -> Json:
        """The body of a response, which is kept with its headers."""
        if given.status >= 300:
            raise NotReadable(f"asking again failed with status {given.status}")
        if stream and given.kind == _STREAM:
            body = self._codec.whole(read_stream(self._codec, given.body))
        else:
            try:
                body = read_json(given.body)
            except ValueError:
                raise NotReadable(
                    f"expected JSON, got {len(given.body)} bytes of {given.kind or 'no type'!r}"
                ) from None
            if not isinstance(body, dict):
                raise NotReadable("expected a JSON object, got something else")
        self._kept[id(body)] = given
        return body

    def _failed(self, given: Given) -> Given:
        """An error of the service: its status and its body, but for what a model wrote."""
        body = given.body
        if has_answer(self._codec, body, kind=given.kind):
            said = f"guardrail: the service answered {given.status} with an answer in its error, which is left out"
            body = json.dumps(error_body(said, "error_with_answer")).encode()
            kept = _kept(given.headers, "content-type")
            return Given(given.status, [*kept, ("content-type", "application/json")], body)
        with suppress(ValueError):
            told = read_json(body)
            if (shown := without_text(told)) is not told:
                body = json.dumps(shown).encode()
        return Given(given.status, _kept(given.headers), body)

    def _broken(self, error: NotReadable) -> Given:
        if error.error is not None and self.streams:
            event = Event(json.dumps({"error": without_text(error.error)}))
            return Given(200, [("content-type", _STREAM)], written([event]))
        return unreadable(str(error))

    def _written(self, settled: Settled) -> Given:
        source = self._kept[id(settled.kept)]
        kept = [
            pair
            for pair in _kept(source.headers, "content-type")
            if not pair[0].lower().startswith("x-guardrail-")
        ]
        if self.streams:
            body, kind = written(self._codec.events(settled.body, self._request)), _STREAM
        else:
            body, kind = json.dumps(settled.body).encode(), "application/json"
        return Given(source.status, [*kept, ("content-type", kind), *headers(settled.summary)], body)


def _kept(pairs: Iterable[tuple[str, str]], *further: str) -> list[tuple[str, str]]:
    """The headers of a response that are true of another body, too, without further ones."""
    return [(name, value) for name, value in pairs if name.lower() not in {*_DROPPED, *further}]


def again_headers(given: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The headers of another attempt: with a key of its own, or a service would send the first answer again."""
    dropped = {"content-length", "idempotency-key", "accept"}
    kept = [(name, value) for name, value in given if name.lower() not in dropped]
    return [*kept, ("accept", "application/json"), ("idempotency-key", f"guardrail-{uuid4()}")]
