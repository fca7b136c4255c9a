"""A transport of the client's own HTTP library that sends through another one, and looks at what comes back."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
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


def guarded(transport: Any, settings: Settings, http: Any, *, keep: Any) -> Any:
    """A transport around another one.

    Args:
        transport: of that kind.
        settings: of the guarded client.
        http: the library of both.
        keep: what owns the transport, which would close it as soon as nobody refers to it.
    """
    kind = _derived(_Transport, http.BaseTransport, http.AsyncBaseTransport)
    return kind(transport, settings, http, keep)


@cache
def _derived(kind: type[Any], *bases: type[Any]) -> type[Any]:
    """A class of ours that is one of a library's, too; which library is known at run time only."""
    return type(kind.__name__, (kind, *bases), {})


def _given(response: Any, body: bytes) -> Given:
    return Given(response.status_code, list(response.headers.multi_items()), body)


class _Stream:
    """A body that comes as it is made."""

    def __init__(self, response: Any, call: Call) -> None:
        self._response, self._call = response, call

    def __iter__(self) -> Iterator[bytes]:
        return filter(None, self._call.pieces(self._response.iter_bytes()))

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async with aclosing(self._call.apieces(self._response.aiter_bytes())) as pieces:
            async for piece in pieces:
                if piece:
                    yield piece

    def close(self) -> None:
        self._response.close()

    async def aclose(self) -> None:
        await self._response.aclose()
        await self._call.aclose()


class _Transport:
    """Sends through another transport, for clients of both kinds."""

    def __init__(self, inner: Any, settings: Settings, http: Any, keep: Any) -> None:
        self._inner, self.settings, self._http, self._keep = inner, settings, http, keep

    def handle_request(self, request: Any) -> Any:
        route = self.settings.route(request.method, request.url.path)
        if route.kind == "pass":
            return self._inner.handle_request(request)
        call = Call(self.settings, route, request.read())
        if call.refusal is not None:
            return self._response(call.refusal, request)
        response = call.first(lambda: self._inner.handle_request(self._sent(request, call)))
        if call.is_passing(response.status_code, response.headers.get("content-type", "")):
            return self._passing(response, call, request)
        given = self._read(response)

        def ask(body: bytes) -> Given:
            return self._read(self._inner.handle_request(self._again(request, body)))

        return self._response(call.settle(given, ask), request)

    async def handle_async_request(self, request: Any) -> Any:
        route = self.settings.route(request.method, request.url.path)
        if route.kind == "pass":
            return await self._inner.handle_async_request(request)
        call = Call(self.settings, route, await request.aread())
        if call.refusal is not None:
            return self._response(call.refusal, request)
        response = await call.afirst(lambda: self._inner.handle_async_request(self._sent(request, call)))
        if call.is_passing(response.status_code, response.headers.get("content-type", "")):
            return self._passing(response, call, request)
        await call.aclose()
        given = await self._aread(response)

        async def ask(body: bytes) -> Given:
            return await self._aread(await self._inner.handle_async_request(self._again(request, body)))

        return self._response(await call.asettle(given, ask), request)

    @staticmethod
    def _read(response: Any) -> Given:
        try:
            return _given(response, response.read())
        finally:
            response.close()

    @staticmethod
    async def _aread(response: Any) -> Given:
        try:
            return _given(response, await response.aread())
        finally:
            await response.aclose()

    def _response(self, given: Given, request: Any) -> Any:
        return self._http.Response(
            given.status, headers=list(given.headers), content=given.body, request=request
        )

    def _passing(self, response: Any, call: Call, request: Any) -> Any:
        """A response whose body comes as it is made."""
        dropped = {"content-length", "content-encoding", "transfer-encoding"}
        kept = [pair for pair in response.headers.multi_items() if pair[0].lower() not in dropped]
        stream = _derived(_Stream, self._http.SyncByteStream, self._http.AsyncByteStream)(response, call)
        return self._http.Response(response.status_code, headers=kept, stream=stream, request=request)

    def _sent(self, request: Any, call: Call) -> Any:
        """The request as the service gets it."""
        if call.body is None:
            return request
        headers = [pair for pair in request.headers.multi_items() if pair[0].lower() != "content-length"]
        return self._like(request, headers, call.body)

    def _again(self, request: Any, body: bytes) -> Any:
        return self._like(request, again_headers(request.headers.multi_items()), body)

    def _like(self, request: Any, headers: list[tuple[str, str]], body: bytes) -> Any:
        extensions = dict(request.extensions)
        return self._http.Request(
            request.method, request.url, headers=headers, content=body, extensions=extensions
        )

    def close(self) -> None:
        """It belongs to the client that was given."""

    async def aclose(self) -> None:
        """As `close`."""
