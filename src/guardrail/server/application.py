"""The ASGI application: admits, refuses, and gives each request to what answers it."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Coroutine
from functools import partial
from pathlib import Path
from typing import Any

from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from guardrail._log import log
from guardrail.adapting.openai_api import warn_if_buffered
from guardrail.guard import Guard
from guardrail.server import litellm, openapi, questions, stored
from guardrail.server.calls import Call, Held, Sending, attended, read_body
from guardrail.server.guarded import GuardedCall
from guardrail.server.keys import hashed, known, shown
from guardrail.server.metrics import Metrics
from guardrail.server.refusals import Refused
from guardrail.server.routes import Kind, label, nowhere, unguarded
from guardrail.server.rules import Rules
from guardrail.server.settings import Settings
from guardrail.server.upstream import Passed, Upstream

_GRACE = 5.0  # seconds beyond the deadline in which a stream may still say why it ends
_ONE_WORKER = (
    "LiteLLM's calls before and after belong together and would reach different workers: "
    "start a server with --workers 1 for it"
)
_PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


class Application:
    """Guards one upstream. The guard stays the caller's to close.

    Args:
        settings: of the server.
        guard: examines the answers.
        folder: where all workers keep their counts, if there are several.
    """

    def __init__(self, settings: Settings, guard: Guard, folder: Path | None = None) -> None:
        self.settings = settings
        self.guard = guard
        self.metrics = Metrics(folder)
        self.ready = False
        self._through = settings.through
        self._held = Held(settings.held_limit)
        self._remembered = litellm.Remembered()
        self._stored = stored.Stored(shared=settings.is_shared, remembers=settings.workers == 1)
        self._rules = Rules(settings, guard)
        self._running_of: Counter[str] = Counter()
        self._behind: set[asyncio.Task[None]] = set()
        self._opened: Upstream | None = None
        if settings.stream == "sentence":
            warn_if_buffered(guard.why_whole)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """What the server calls."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, Sending(send))
        else:
            await send({"type": "websocket.close", "code": 1008})

    # -- starting and ending

    @property
    def upstream(self) -> Upstream:
        """The client of the upstream, made when it is first needed."""
        if self._opened is None:
            self._opened = Upstream(self.settings)
        return self._opened

    def later(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something that no client waits for; the server waits for it when it ends.

        As many as there are places run at once. What is too much is left out, and counted: with a slow detector and a fast
        client, answers would pile up without end.
        """
        if len(self._behind) >= self.settings.concurrency:
            work.close()
            log.warning("not_observed", error="TooManyAtOnce")
            self.metrics.unfinished.labels("guard").inc()
            return
        task = asyncio.ensure_future(work)
        self._behind.add(task)
        task.add_done_callback(self._behind.discard)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        self.ready = True
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.close()
        await send({"type": "lifespan.shutdown.complete"})

    async def close(self) -> None:
        """Wait for what runs behind, then close the client."""
        self.ready = False
        if self._behind:
            await asyncio.wait(set(self._behind), timeout=self.settings.drain)
        for task in set(self._behind):
            task.cancel()
        if self._opened is not None:
            await self._opened.aclose()

    # -- one request

    @property
    def running(self) -> int:
        """How many requests are being worked on."""
        return self._running_of.total()

    async def _answer(self, scope: Scope, receive: Receive, send: Sending) -> None:
        started = time.perf_counter()
        call = Call.of(scope, self.settings.deadline)
        route = label(call.method, call.path)
        try:
            await self._admit(call, scope, receive, send)
        except Refused as refused:
            self.metrics.refused.labels(refused.code).inc()
            refused.log(route)
            if send.started:
                raise
            await refused.response(call.path)(scope, receive, send)
        except Exception as error:
            log.error("request_failed", route=route, error=type(error).__name__)  # its words may quote
            if send.started:
                raise
            failed = Refused(500, "server_error", "a fault in guardrail itself; the log names it")
            await failed.response(call.path)(scope, receive, send)
        finally:
            self.metrics.requests.labels(route, send.status or 499).inc()
            self.metrics.seconds.labels(route).observe(time.perf_counter() - started)

    async def _admit(self, call: Call, scope: Scope, receive: Receive, send: Sending) -> None:
        """Everything that is settled before the body is read; then the work.

        Raises:
            Refused: the request is not answered.
        """
        if "transfer-encoding" in call.headers and "content-length" in call.headers:
            raise Refused(
                400,
                "two_lengths",
                "a request has either Content-Length or Transfer-Encoding",
                connection="close",  # a proxy in front may see another end of it, and what follows is nobody's request
            )
        if "origin" in call.headers or call.headers.get("sec-fetch-site", "none") != "none":
            raise Refused(403, "from_a_web_page", "requests of web pages are not answered")
        kind = call.kind(self._through)
        if kind is Kind.OPEN:
            await self._open(call.path)(scope, receive, send)
            return
        if self.settings.checks_host and not self.settings.is_called_right(call.headers.get("host", "")):
            raise Refused(
                421,
                "unknown_host",
                "expected this server's name or address in Host, got another: start it with --host-name",
            )
        self._authenticate(call, kind)
        if kind is Kind.REFUSED:
            raise self._not_here(call)
        if self.running >= self.settings.concurrency:
            raise Refused(429, "too_many_requests", "all places are taken; try again", retry_after="1")
        share = self.settings.concurrency_per_key
        if share and self._running_of[call.owner] >= share:
            raise Refused(
                429, "too_many_of_one_key", "all places of this key are taken; try again", retry_after="1"
            )
        self._running_of[call.owner] += 1
        self.metrics.running.inc()
        try:
            call.body = await read_body(
                call,
                receive,
                self._held,
                limit=self.settings.body_limit,
                seconds=self.settings.body_seconds,
            )
            try:
                done = await attended(self._work(call, kind, scope, receive, send), receive)
            finally:
                self._held.now -= len(call.body)
            if not done:
                self.metrics.cancelled.inc()
        finally:
            self.metrics.running.dec()
            self._running_of[call.owner] -= 1
            if not self._running_of[call.owner]:  # of strangers' keys there may be any number
                del self._running_of[call.owner]

    def _authenticate(self, call: Call, kind: Kind) -> None:
        """Find out whose request it is.

        Raises:
            Refused: a key is needed, and none that is known was shown.
        """
        own = kind is Kind.OWN or self.settings.upstream_key is not None
        key = shown(call.headers, others=own)
        call.owner = hashed(key) if key else ""
        if self.settings.needs_key and not known(key, self.settings.keys):
            where = "Authorization: Bearer, x-api-key or x-guardrail-key" if own else "x-guardrail-key"
            raise Refused(
                401, "invalid_api_key", f"expected a key of this server in {where}, got none that is known"
            )

    def _open(self, path: str) -> Response:
        if path == "/openapi.json":
            return Response(openapi.written(), media_type="application/json")
        if path == "/readyz" and not self.ready:
            return PlainTextResponse("not ready\n", 503)
        return PlainTextResponse("ok\n")

    async def _work(self, call: Call, kind: Kind, scope: Scope, receive: Receive, send: Sending) -> None:
        """Answer within the deadline; a stream that has begun gets a moment more to say why it ends."""
        try:
            async with asyncio.timeout_at(call.until) as limit:
                response = await self._response(call, kind)
        except TimeoutError:
            if not limit.expired():
                raise
            raise Refused(
                504, "deadline", f"not answered within {self.settings.deadline:g} s; nothing was released"
            ) from None
        async with asyncio.timeout_at(call.until + _GRACE):
            await response(scope, receive, send)

    async def _response(self, call: Call, kind: Kind) -> Response:
        if kind is Kind.THROUGH:
            return await self._passed(call)
        if call.path == "/metrics":
            return PlainTextResponse(self.metrics.text(), media_type=_PROMETHEUS)
        model = call.json().get("model") if self._rules.by_model else None
        chosen = self._rules.choose(call.owner, model if isinstance(model, str) else "", call.headers)
        guard, settings, metrics = chosen.guard, chosen.settings, self.metrics
        if kind is Kind.GUARDED:
            return await GuardedCall(
                call, settings, guard, metrics, self.upstream, self.later, self._stored
            ).answer()
        match call.path:
            case "/v1/guardrail/check":
                return await questions.check(call, guard, metrics, settings)
            case "/v1/guardrail/estimate":
                return await questions.estimate(call, guard, settings)
            case "/beta/litellm_basic_guardrail_api":
                if settings.workers > 1:
                    raise Refused(501, "several_workers", _ONE_WORKER)
                return await litellm.guarded(call, guard, metrics, self._remembered, settings)
        raise self._not_here(call)

    def _not_here(self, call: Call) -> Refused:
        if not call.path.startswith("/v1/"):
            return Refused(404, "not_found", nowhere(call.method, call.path, self._through))
        return Refused(501, "unguarded_route", unguarded(call.method, call.path))

    async def _passed(self, call: Call) -> Response:
        new = stored.makes(call.method, call.path)
        if self.settings.is_shared:
            request = call.json() if call.body and stored.names(call.path) else {}
            self._stored.check(call.owner, "" if new else call.path, request)
        found = await self.upstream.ask(call)
        if not found.is_success:
            return await self.upstream.error(found)
        if not new:
            return Passed(self.upstream, found)
        after = partial(self._stored.note_text, call.owner)
        return Passed(self.upstream, found, after=after, limit=self.settings.answer_limit)
