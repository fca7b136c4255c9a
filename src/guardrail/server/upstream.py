"""The one service that is asked: the configured base URL, and nothing else."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from http.cookiejar import DefaultCookiePolicy

import httpx
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from guardrail._log import log
from guardrail.adapting.strict_json import read_json
from guardrail.server.calls import Call, Held
from guardrail.server.headers import as_bytes, going_up, handed_on
from guardrail.server.hiding import Hiding
from guardrail.server.keys import hashed
from guardrail.server.pools import AT_ONCE, Pools
from guardrail.server.refusals import Refused
from guardrail.server.routes import GUARDED, PREFIX, label
from guardrail.server.settings import Settings

_LAST_STATUS = 599
_LONGEST_ERROR = 256 * 1024  # bytes
_MOST_REST = (
    64 * 1024
)  # bytes after the end of a stream; more is not waited for, and the connection is closed
_REST_SECONDS = 0.25


def _why(error: BaseException | None) -> str:
    """What kept a connection from being made, in a few words; the HTTP library's own exception has the cause behind it."""
    name = type(error).__name__
    while error is not None:
        if isinstance(error, socket.gaierror):
            return "no host with this name is known"
        if isinstance(error, ssl.SSLCertVerificationError):
            return "its TLS certificate is not trusted"
        if isinstance(error, ssl.SSLError):
            return "TLS failed: does it speak https?"
        if isinstance(error, ConnectionRefusedError):
            return "it refused the connection: nothing listens on that port"
        error = error.__cause__ or error.__context__
    return name


_CLOSED = "disconnected without sending a response"


class Upstream:
    """Asks the configured service; a request's path is put below its base URL, never in its place."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.hiding = Hiding(settings.upstream_key)
        self.held = Held(settings.held_limit)  # bytes of streams that are kept until they were examined
        self._trusted = httpx.create_ssl_context()  # read once: it takes longer than a request
        self._pools = Pools(self._client)

    def _client(self) -> httpx.AsyncClient:
        wait = httpx.Timeout(self._settings.deadline, connect=10.0)
        here = {f"all://{host}": None for host in ("127.0.0.1", "localhost", "[::1]")}
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=AT_ONCE)
        made = httpx.AsyncClient(
            verify=self._trusted, timeout=wait, limits=limits, follow_redirects=False, mounts=here
        )
        nobody = DefaultCookiePolicy(
            allowed_domains=[]
        )  # one client's cookie would go out with all others' requests
        made.cookies.jar.set_policy(nobody)
        return made

    async def aclose(self) -> None:
        """Close its connections."""
        await self._pools.aclose()

    async def ask(self, call: Call, *, body: bytes | None = None, attempt: int = 0) -> httpx.Response:
        """The head of the answer; its body is still to be read, and the response to be closed.

        Args:
            call: what the client sent.
            body: in place of the client's.
            attempt: 0 for the client's own request; later ones get an `Idempotency-Key` of their own.

        Raises:
            Refused: the upstream cannot be reached, or sends elsewhere.
        """
        route = label(call.method, call.path)
        try:
            found = await self._asked(call, body, attempt)
        except Refused as refused:
            refused.log(route)
            raise
        if found.status_code >= 400:
            log.warning("upstream_failed", route=route, status=found.status_code)
        return found

    async def _asked(self, call: Call, body: bytes | None, attempt: int) -> httpx.Response:
        url = self._url(call)
        content = call.body if body is None else body
        headers = as_bytes(self._headers(call, attempt))
        try:
            found = await self._sent(call.method, url, headers, content)
        except httpx.TimeoutException:
            raise Refused(504, "upstream_timeout", "the upstream did not answer in time") from None
        except httpx.HTTPError as error:
            raise Refused(
                502,
                "upstream_unreachable",
                f"the upstream cannot be reached ({_why(error)}): check --upstream",
            ) from None
        if not 200 <= found.status_code <= _LAST_STATUS:
            await found.aclose()
            raise Refused(502, "upstream_unreadable", "the upstream answered with a status that HTTP has not")
        if found.is_redirect:
            await found.aclose()
            raise Refused(502, "upstream_redirect", "the upstream sends elsewhere: mend --upstream")
        if found.headers.get("content-encoding", "identity").lower() != "identity":
            await found.aclose()  # a few bytes may unpack to gigabytes, before any limit counts them
            raise Refused(502, "upstream_encoding", "the upstream compressed its answer, though asked not to")
        return found

    async def _sent(
        self, method: str, url: httpx.URL, headers: list[tuple[bytes, bytes]], content: bytes
    ) -> httpx.Response:
        """The head of the answer. An upstream may close a kept connection just when it is used (llama.cpp's does after five seconds): then once more."""
        try:
            return await self._pools.send(method, url, headers=headers, content=content)
        except httpx.RemoteProtocolError as error:
            if _CLOSED not in str(error):
                raise
            return await self._pools.send(method, url, headers=headers, content=content)

    def _url(self, call: Call) -> httpx.URL:
        """Where a request goes.

        Raises:
            Refused: it can be no URL.
        """
        try:
            url = httpx.URL(self._settings.upstream + call.path.removeprefix(PREFIX))
            return url.copy_with(query=call.query) if call.query else url
        except httpx.InvalidURL:
            said = "expected a path and a query that a URL can have: no '#', and not too long"
            raise Refused(400, "bad_path", said) from None

    def _headers(self, call: Call, attempt: int) -> list[tuple[str, str]]:
        """The client's, without what is meant for this server or for one connection, and with the right key."""
        key = self._settings.upstream_key
        kept = going_up(call.pairs, own_key=key is not None)
        if self._settings.is_shared:  # one client's key must not fetch the answer to another's request
            kept = [(n, hashed(f"{call.owner} {v}") if n == "idempotency-key" else v) for n, v in kept]
        if attempt:
            kept = [(n, f"{v}-{attempt}" if n == "idempotency-key" else v) for n, v in kept]
        if (
            call.path in GUARDED
        ):  # as it was read here: in another character set the same bytes may say something else
            kept = [pair for pair in kept if pair[0] != "content-type"]
            kept.append(("content-type", "application/json"))
        if key is not None:
            kept.append(
                ("x-api-key", key)
                if call.path.startswith("/v1/messages")
                else ("authorization", f"Bearer {key}")
            )
        return [*kept, ("accept-encoding", "identity")]

    async def read(self, response: httpx.Response, limit: int | None = None) -> bytes:
        """The whole body, then closed.

        Raises:
            Refused: it is longer than the limit, or was cut.
        """
        limit = self._settings.answer_limit if limit is None else limit
        read = bytearray()
        async with self.parts(response) as parts:
            async for part in parts:
                read += part
                if len(read) > limit:
                    raise Refused(
                        502,
                        "answer_too_long",
                        f"the upstream's answer is longer than {limit:,} bytes and was not examined",
                    )
        return bytes(read)

    @contextlib.asynccontextmanager
    async def parts(self, response: httpx.Response) -> AsyncIterator[AsyncIterator[bytes]]:
        """The body piece by piece, without the server's own key; when it is left, the response is closed.

        Raises:
            Refused: it was cut.
        """
        try:
            yield self.hiding.parts(response.aiter_bytes())
        except httpx.HTTPError as error:
            raise Refused(
                502, "upstream_cut", f"the upstream's answer was cut ({type(error).__name__})"
            ) from None
        finally:
            await response.aclose()

    async def drain(self, parts: AsyncIterator[bytes]) -> None:
        """Drop what is left of a body. If that is little and there soon, its connection can serve another request."""
        left = _MOST_REST
        with contextlib.suppress(httpx.HTTPError, TimeoutError):
            async with asyncio.timeout(_REST_SECONDS):
                async for part in parts:
                    left -= len(part)
                    if left < 0:
                        return

    def headers(self, response: httpx.Response) -> list[tuple[str, str]]:
        """Those of its headers that the client gets; a value is its bytes, read as Latin-1, without the server's own key."""
        pairs = handed_on(response.headers.raw, self._settings.response_headers)
        return [
            (name.decode("latin-1"), self.hiding.written(value).decode("latin-1")) for name, value in pairs
        ]

    async def error(self, response: httpx.Response) -> Response:
        """An upstream's error with its status and its body.

        Raises:
            Refused: the body is very long; the status is the upstream's.
        """
        try:
            body = await self.read(response, _LONGEST_ERROR)
        except Refused as refused:
            if refused.code != "answer_too_long":
                raise
            said = f"the upstream answered {response.status_code} with more than {_LONGEST_ERROR:,} bytes, which are left out"
            raise Refused(response.status_code, "upstream_error_too_long", said) from None
        with contextlib.suppress(ValueError):
            told = read_json(body)
            if (shown := self.hiding.json(told)) != told:  # spelt by escapes
                body = json.dumps(shown).encode()
        made = Response(body, response.status_code)
        made.raw_headers += as_bytes(self.headers(response))
        return made


class Passed(Response):
    """An answer that is handed on as it comes.

    Args:
        upstream: whom it is from.
        response: its answer, whose body is still to be read.
        after: called with a copy of the whole body once it was sent; `None` where it is too long or was cut.
        limit: bytes that are copied.
    """

    def __init__(
        self,
        upstream: Upstream,
        response: httpx.Response,
        *,
        after: Callable[[bytes | None], None] | None = None,
        limit: int = 0,
    ) -> None:
        super().__init__(status_code=response.status_code)
        self._upstream = upstream
        self._response = response
        self._after = after
        self._limit = limit
        self.raw_headers = as_bytes(upstream.headers(response))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send all of it; a cut answer cuts the connection."""
        del scope, receive
        copy: bytearray | None = bytearray() if self._after is not None else None
        async with self._upstream.parts(self._response) as parts:
            await send(
                {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
            )
            async for part in parts:
                await send({"type": "http.response.body", "body": part, "more_body": True})
                if copy is not None and len(copy) + len(part) > self._limit:
                    copy = None
                elif copy is not None:
                    copy += part  # in place: a stream comes in very many parts
        await send({"type": "http.response.body", "body": b""})
        if self._after is not None:
            self._after(None if copy is None else bytes(copy))
