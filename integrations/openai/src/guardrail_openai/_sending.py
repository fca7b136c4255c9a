"""What a guarded transport does with a request and its response, apart from the sending: bytes in, bytes out."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
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
    Settled,
    error_body,
    route,
)
from guardrail.adapting.sse import Event, Reader, read_all, written
from guardrail.adapting.summaries import headers
from guardrail.errors import ConfigError
from guardrail.guard import Guard
from guardrail.options import one_of
from guardrail.references.citations.structured import holds_references

__all__ = ["Call", "Given", "Settings", "Watch"]

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
        context: Callable[[Mapping[str, Any]], Sequence[str]] | None,
        allow: Collection[str],
    ) -> None:
        one_of("streaming", streaming, ("buffer", "observe"))
        if isinstance(allow, str):
            raise ConfigError(f"expected names in a list, got allow={allow!r}: write allow=[{allow!r}]")
        if context is not None and not callable(context):
            raise ConfigError(
                f"expected a function of the request's body, got context={type(context).__name__}: "
                "write context=lambda request: ['…']"
            )
        self.guard = guard
        self.observes = streaming == "observe"
        self.allow = frozenset(allow)
        self.base = urlsplit(base).path.strip("/")
        self._context = context

    def route(self, method: str, path: str) -> Route:
        """What is done with a request."""
        path = unquote(path).strip("/")
        inner = path.removeprefix(self.base).strip("/") if path.startswith(self.base) else path
        return route(method, inner, self.allow)

    def context(self, request: Mapping[str, Any]) -> Sequence[str]:
        """The documents of a request."""
        return tuple(self._context(request)) if self._context else ()


def refused(reason: str, code: str, *, status: int = 400) -> Given:
    """An error that the client raises and does not try again."""
    body = json.dumps(error_body(f"guardrail: {reason}", code)).encode()
    return Given(status, [("content-type", "application/json"), ("x-should-retry", "false")], body)


def unreadable(reason: str) -> Given:
    """An upstream's success that is none: the client may try again, as after any 502."""
    body = json.dumps(
        error_body(f"guardrail: {reason}; nothing of it was passed on", "unreadable_response")
    ).encode()
    return Given(502, [("content-type", "application/json")], body)


class Call:
    """One request that is guarded.

    Args:
        settings: of the client.
        route: of the request.
        body: of the request.

    Attributes:
        refusal: the response in its place, if it is refused.
        streams: whether a stream is wanted.
    """

    def __init__(self, settings: Settings, route: Route, body: bytes) -> None:
        self._settings = settings
        self._kept: dict[int, Given] = {}
        self.refusal: Given | None = None
        self.streams = False
        if route.kind == "refuse":
            hint = f"{route.reason}. To pass it on unexamined: guard_openai(…, allow=[{route.name!r}])"
            self.refusal = refused(f"{hint}", "not_guarded")
            return
        self._codec = _CODECS[route.kind]
        try:
            self._request = json.loads(body)
        except (ValueError, RecursionError):
            self._request = None
        if not isinstance(self._request, dict):
            self.refusal = refused(
                "expected a request with a JSON object, got something else", "not_readable"
            )
        elif reason := self._codec.refusal(self._request):
            self.refusal = refused(reason, "not_guarded")
        else:
            self.streams = bool(self._request.get("stream"))
            self._exchange = Exchange(
                settings.guard,
                self._codec,
                self._request,
                context=settings.context(self._request),
                is_record=holds_references,
            )

    @property
    def watches(self) -> bool:
        """Whether the stream passes on as it comes."""
        return self.streams and self._settings.observes

    def settle(self, given: Given, ask: Callable[[bytes], Given]) -> Given:
        """The response to hand out.

        Args:
            given: the upstream's.
            ask: sends another body upstream, with an idempotency key of its own.
        """
        if given.status >= 300:
            return given
        try:
            first = self._read(given, stream=self.streams)
            settled = self._exchange.settle(first, lambda body: self._read(ask(json.dumps(body).encode())))
        except NotReadable as error:
            return self._broken(error)
        return self._written(settled)

    async def asettle(self, given: Given, ask: Callable[[bytes], Any]) -> Given:
        """As `settle`."""
        if given.status >= 300:
            return given

        async def again(body: dict[str, Any]) -> dict[str, Any]:
            return self._read(await ask(json.dumps(body).encode()))

        try:
            settled = await self._exchange.asettle(self._read(given, stream=self.streams), again)
        except NotReadable as error:
            return self._broken(error)
        return self._written(settled)

    def watch(self) -> Watch:
        """For a stream that passes on as it comes."""
        return Watch(self._codec, self._exchange)

    def _read(self, given: Given, *, stream: bool = False) -> dict[str, Any]:
        """The body of a response, which is kept with its headers."""
        if given.status >= 300:
            raise NotReadable(f"asking again failed with status {given.status}")
        if stream and given.kind == _STREAM:
            events, unfinished = read_all([given.body])
            if unfinished:
                raise NotReadable("expected a whole stream, got one that broke off")
            body = self._codec.whole(events)
        else:
            try:
                body = json.loads(given.body)
            except (ValueError, RecursionError):
                raise NotReadable(
                    f"expected JSON, got {len(given.body)} bytes of {given.kind or 'no type'!r}"
                ) from None
            if not isinstance(body, dict):
                raise NotReadable("expected a JSON object, got something else")
        self._kept[id(body)] = given
        return body

    def _broken(self, error: NotReadable) -> Given:
        if error.error is not None and self.streams:
            event = Event(json.dumps({"error": error.error}))
            return Given(200, [("content-type", _STREAM)], written([event]))
        return unreadable(str(error))

    def _written(self, settled: Settled) -> Given:
        source = self._kept[id(settled.kept)]
        kept = [(name, value) for name, value in source.headers if name.lower() not in _DROPPED]
        kept = [(name, value) for name, value in kept if not name.lower().startswith("x-guardrail-")]
        if self.streams:
            body, kind = written(self._codec.events(settled.body, self._request)), _STREAM
        else:
            body, kind = json.dumps(settled.body).encode(), "application/json"
        kept = [(name, value) for name, value in kept if name.lower() != "content-type"]
        return Given(source.status, [*kept, ("content-type", kind), *headers(settled.summary)], body)


class Watch:
    """A stream that passes on as it comes, and what of it waits for the report."""

    def __init__(self, codec: Codec, exchange: Exchange) -> None:
        self._codec = codec
        self._exchange = exchange
        self._reader = Reader()
        self._seen: list[Event] = []
        self._held: list[Event] = []

    def passed(self, piece: bytes) -> bytes:
        """What of a piece is handed on at once."""
        events = []
        for event in self._reader.feed(piece):
            self._seen.append(event)
            if self._held or self._codec.is_last(event):
                self._held.append(event)
            else:
                events.append(event)
        return written(events)

    def ended(self) -> bytes:
        """The last events, with the report; as they are where nothing could be read."""
        try:
            summary = self._exchange.observe(self._codec.whole(self._seen))
        except NotReadable:
            return written(self._held)
        return written(self._codec.reporting(self._held, summary))

    async def aended(self) -> bytes:
        """As `ended`."""
        try:
            summary = await self._exchange.aobserve(self._codec.whole(self._seen))
        except NotReadable:
            return written(self._held)
        return written(self._codec.reporting(self._held, summary))


def again_headers(given: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The headers of another attempt: with a key of its own, or a service would send the first answer again."""
    dropped = {"content-length", "idempotency-key", "accept"}
    kept = [(name, value) for name, value in given if name.lower() not in dropped]
    return [*kept, ("accept", "application/json"), ("idempotency-key", f"guardrail-{uuid4()}")]
