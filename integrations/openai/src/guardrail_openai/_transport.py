"""A transport of the client's own HTTP library that sends through another one, and looks at what comes back."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing
from functools import cache
from importlib import import_module
from typing import Any

from guardrail.errors import ConfigError
from guardrail_openai._sending import Call, Given, Settings, again_headers

_LIBRARIES = ("httpx", "httpx2")


def library(client: Any) -> Any:
    """The library that an HTTP client is of.

    Raises:
        ConfigError: neither httpx nor httpx2.
    """
    for kind in type(client).__mro__:
        name = kind.__module__.partition(".")[0]
        if name in _LIBRARIES:
            return import_module(name)
    raise ConfigError(f"expected an HTTP client of httpx or httpx2, got {type(client).__name__}")


def guarded(transport: Any, settings: Settings, http: Any, *, keep: Any, asynchronous: bool) -> Any:
    """A transport around another one.

    Args:
        transport: of that kind.
        settings: of the guarded client.
        http: the library of both.
        keep: what owns the transport, which would close it as soon as nobody refers to it.
        asynchronous: whether the client is.
    """
    return (_asynchronous if asynchronous else _sync)(http)(transport, settings, keep)


def _response(http: Any, given: Given, request: Any) -> Any:
    return http.Response(given.status, headers=list(given.headers), content=given.body, request=request)


def _given(response: Any, body: bytes) -> Given:
    return Given(response.status_code, list(response.headers.multi_items()), body)


def _again(http: Any, request: Any, body: bytes) -> Any:
    return http.Request(
        request.method,
        request.url,
        headers=again_headers(request.headers.multi_items()),
        content=body,
        extensions=dict(request.extensions),
    )


def _sent(http: Any, request: Any, call: Call) -> Any:
    """The request as the service gets it."""
    if call.body is None:
        return request
    headers = [pair for pair in request.headers.multi_items() if pair[0].lower() != "content-length"]
    extensions = dict(request.extensions)
    return http.Request(
        request.method, request.url, headers=headers, content=call.body, extensions=extensions
    )


def _passing(http: Any, response: Any, stream: Any, request: Any) -> Any:
    """A response whose body comes as it is made."""
    dropped = {"content-length", "content-encoding", "transfer-encoding"}
    kept = [(name, value) for name, value in response.headers.multi_items() if name.lower() not in dropped]
    return http.Response(response.status_code, headers=kept, stream=stream, request=request)


@cache
def _stream(http: Any) -> Callable[..., Any]:
    """A stream that passes, for one library."""

    class _Stream(http.SyncByteStream):  # type: ignore[misc]  # the library is known at run time only
        def __init__(self, response: Any, call: Call) -> None:
            self._response, self._call = response, call

        def __iter__(self) -> Iterator[bytes]:
            return filter(None, self._call.pieces(self._response.iter_bytes()))

        def close(self) -> None:
            self._response.close()

    return _Stream


@cache
def _async_stream(http: Any) -> Callable[..., Any]:
    """As `_stream`."""

    class _AsyncStream(http.AsyncByteStream):  # type: ignore[misc]  # as above
        def __init__(self, response: Any, call: Call) -> None:
            self._response, self._call = response, call

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async with aclosing(self._call.apieces(self._response.aiter_bytes())) as pieces:
                async for piece in pieces:
                    if piece:
                        yield piece

        async def aclose(self) -> None:
            await self._response.aclose()
            await self._call.aclose()

    return _AsyncStream


@cache
def _sync(http: Any) -> Callable[..., Any]:
    """The sync transport for one library: its base class is the library's."""

    class _Transport(http.BaseTransport):  # type: ignore[misc]  # as above
        def __init__(self, inner: Any, settings: Settings, keep: Any) -> None:
            self._inner, self.settings, self._keep = inner, settings, keep

        def handle_request(self, request: Any) -> Any:
            route = self.settings.route(request.method, request.url.path)
            if route.kind == "pass":
                return self._inner.handle_request(request)
            call = Call(self.settings, route, request.read())
            if call.refusal is not None:
                return _response(http, call.refusal, request)
            response = call.first(lambda: self._inner.handle_request(_sent(http, request, call)))
            if call.is_passing(response.status_code, response.headers.get("content-type", "")):
                return _passing(http, response, _stream(http)(response, call), request)
            given = self._read(response)
            return _response(http, call.settle(given, lambda body: self._ask(request, body)), request)

        def _ask(self, request: Any, body: bytes) -> Given:
            return self._read(self._inner.handle_request(_again(http, request, body)))

        @staticmethod
        def _read(response: Any) -> Given:
            try:
                return _given(response, response.read())
            finally:
                response.close()

        def close(self) -> None:
            """It belongs to the client that was given."""

    return _Transport


@cache
def _asynchronous(http: Any) -> Callable[..., Any]:
    """As `_sync`."""

    class _AsyncTransport(http.AsyncBaseTransport):  # type: ignore[misc]  # as above
        def __init__(self, inner: Any, settings: Settings, keep: Any) -> None:
            self._inner, self.settings, self._keep = inner, settings, keep

        async def handle_async_request(self, request: Any) -> Any:
            route = self.settings.route(request.method, request.url.path)
            if route.kind == "pass":
                return await self._inner.handle_async_request(request)
            call = Call(self.settings, route, await request.aread())
            if call.refusal is not None:
                return _response(http, call.refusal, request)
            response = await call.afirst(lambda: self._inner.handle_async_request(_sent(http, request, call)))
            if call.is_passing(response.status_code, response.headers.get("content-type", "")):
                return _passing(http, response, _async_stream(http)(response, call), request)
            await call.aclose()
            given = await self._read(response)

            async def ask(body: bytes) -> Given:
                return await self._read(await self._inner.handle_async_request(_again(http, request, body)))

            return _response(http, await call.asettle(given, ask), request)

        @staticmethod
        async def _read(response: Any) -> Given:
            try:
                return _given(response, await response.aread())
            finally:
                await response.aclose()

        async def aclose(self) -> None:
            """It belongs to the client that was given."""

    return _AsyncTransport
