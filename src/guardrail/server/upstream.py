"""The one service that is asked: the configured base URL, and nothing else."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Iterable
from http.cookiejar import DefaultCookiePolicy
from typing import Self

import httpx
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from guardrail.server.calls import Call
from guardrail.server.pools import AT_ONCE, Pools
from guardrail.server.refusals import Refused
from guardrail.server.routes import PREFIX
from guardrail.server.settings import Settings

_HOP = frozenset(
    [
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ]
)
_OURS = frozenset(
    {
        *_HOP,
        "host",
        "content-length",
        "accept-encoding",
        "content-encoding",
        "cookie",
        "expect",
        "origin",
        "forwarded",
        "x-http-method",
        "x-http-method-override",
    }
    | {"x-method-override", "x-original-url", "x-rewrite-url"}
)
_THEIRS = frozenset(
    {*_HOP, "content-length", "content-encoding", "set-cookie", "date", "server", "alt-svc", "location"}
)
_PRIVATE = ("x-guardrail-", "x-forwarded-", "access-control-")
_HIDDEN = b"[key]"


class Upstream:
    """Asks the configured service; a request's path is put below its base URL, never in its place."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
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

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
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
        url = httpx.URL(self._settings.upstream + call.path.removeprefix(PREFIX))
        if call.query:
            url = url.copy_with(query=call.query)
        content = call.body if body is None else body
        headers = self._headers(call, attempt)
        try:
            found = await self._pools.send(call.method, url, headers=headers, content=content)
        except httpx.TimeoutException:
            raise Refused(504, "upstream_timeout", "the upstream did not answer in time") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Refused(
                502, "upstream_unreachable", f"the upstream cannot be reached ({type(error).__name__})"
            ) from None
        if found.is_redirect:
            await found.aclose()
            raise Refused(502, "upstream_redirect", "the upstream sends elsewhere: mend --upstream")
        if found.headers.get("content-encoding", "identity").lower() != "identity":
            await found.aclose()  # a few bytes may unpack to gigabytes, before any limit counts them
            raise Refused(502, "upstream_encoding", "the upstream compressed its answer, though asked not to")
        return found

    def _headers(self, call: Call, attempt: int) -> list[tuple[str, str]]:
        """The client's, without what is meant for this server or for one connection, and with the right key."""
        dropped = _OURS | {name.strip().lower() for name in call.headers.get("connection", "").split(",")}
        key = self._settings.upstream_key
        if key is not None:
            dropped |= {"authorization", "x-api-key"}
        kept = [(n, v) for n, v in call.pairs if n not in dropped and not n.startswith(_PRIVATE)]
        if attempt:
            kept = [(n, f"{v}-{attempt}" if n == "idempotency-key" else v) for n, v in kept]
        if key is not None:
            kept.append(
                ("x-api-key", key)
                if call.path.startswith("/v1/messages")
                else ("authorization", f"Bearer {key}")
            )
        return [*kept, ("accept-encoding", "identity")]

    async def read(self, response: httpx.Response) -> bytes:
        """The whole body, then closed.

        Raises:
            Refused: it is too long, or was cut.
        """
        read = bytearray()
        async with self.parts(response) as parts:
            async for part in parts:
                read += part
                if len(read) > self._settings.answer_limit:
                    raise Refused(
                        502,
                        "answer_too_long",
                        f"the upstream's answer is longer than {self._settings.answer_limit:,} bytes and was not examined",
                    )
        return bytes(read)

    @contextlib.asynccontextmanager
    async def parts(self, response: httpx.Response) -> AsyncIterator[AsyncIterator[bytes]]:
        """The body piece by piece; when it is left, at its end or before, the response is closed.

        Raises:
            Refused: it was cut.
        """
        try:
            yield response.aiter_bytes()
        except httpx.HTTPError as error:
            raise Refused(
                502, "upstream_cut", f"the upstream's answer was cut ({type(error).__name__})"
            ) from None
        finally:
            await response.aclose()

    def headers(self, response: httpx.Response) -> list[tuple[str, str]]:
        """Those of its headers that the client gets; the server's own key in them is made unreadable."""
        key, hidden = self._settings.upstream_key, _HIDDEN.decode()
        pairs = kept(response.headers.multi_items())
        return [(name, value.replace(key, hidden) if key else value) for name, value in pairs]

    async def error(self, response: httpx.Response) -> Response:
        """An upstream's error with its status and body; the server's key in it is made unreadable."""
        body = await self.read(response)
        if self._settings.upstream_key:
            body = body.replace(self._settings.upstream_key.encode(), _HIDDEN)
        return _response(body, response.status_code, self.headers(response))


def kept(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Headers of an upstream that go to a client."""
    return [
        (name.lower(), value)
        for name, value in pairs
        if name.lower() not in _THEIRS and not name.lower().startswith(_PRIVATE)
    ]


def _response(body: bytes, status: int, pairs: Iterable[tuple[str, str]]) -> Response:
    made = Response(body, status)
    made.raw_headers += [(name.encode("latin-1"), value.encode("latin-1")) for name, value in pairs]
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
        self.raw_headers = [(n.encode("latin-1"), v.encode("latin-1")) for n, v in upstream.headers(response)]

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
                if copy is not None:
                    copy = copy + part if len(copy) + len(part) <= self._limit else None
        await send({"type": "http.response.body", "body": b""})
        if self._after is not None:
            self._after(None if copy is None else bytes(copy))
