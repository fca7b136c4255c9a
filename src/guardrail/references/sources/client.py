"""HTTP for one source: its pace, its key, retries, what replies may be, what is kept of them, and what it has cost.

A source (`resolver`) asks a `Query` and gets the body of the reply, `None` for a "not found" that it expects, or a
`SourceFault`. From the outside in: what is kept (`memory`), the pace, the key, the network.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TypeVar, cast

import httpx

from guardrail._version import __version__
from guardrail.engine.retry_after import retry_after
from guardrail.references.sources.faults import Fault, SourceFault
from guardrail.references.sources.guarded import REDIRECTS, Guarded
from guardrail.references.sources.memory import Memory
from guardrail.references.sources.pace import Clock, Pace

T = TypeVar("T")

MOST_BYTES = 8_000_000
MOST_REDIRECTS = 5
CONTACT = "GUARDRAIL_CONTACT"  # an e-mail address, for services that answer those better who say who they are
FIRST_WAIT = 0.5  # seconds before the second attempt, doubled each time
NOT_READ = (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError, SyntaxError)
LONGEST_WAIT = 10.0  # seconds; a source that asks for more is left alone for so long


@dataclass(frozen=True, slots=True)
class Query:
    """One request to a source.

    Attributes:
        path: behind the source's base address; what comes from an answer is escaped (`escaping.segment`).
        parameters: of the query string; httpx escapes them.
        form: of the body; the request is then a POST.
        headers: besides the usual.
        may_miss: whether "404" is an answer: there is no such work.
        credits: what it takes of the source's allowance.
    """

    path: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, str] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    may_miss: bool = False
    credits: int = 0


@dataclass(frozen=True, slots=True)
class Manners:
    """What a service asks of its callers, and how it complains.

    Attributes:
        seconds: between two requests, at least.
        concurrency: requests at once.
        header: of the key; "Authorization: Token {key}" is written with its prefix in `prefix`.
        parameter: the same where the key belongs into the query string.
        prefix: before the key.
        too_fast: statuses that mean "slower".
        spent: statuses that mean "nothing is left of your allowance".
        missing_is_html: whether its "404" is a page for people; of others such a page is a wrong address.
    """

    seconds: float = 0.2
    concurrency: int = 4
    header: str = ""
    parameter: str = ""
    prefix: str = ""
    too_fast: frozenset[int] = frozenset({429})
    spent: frozenset[int] = frozenset()
    missing_is_html: bool = False


@dataclass(frozen=True, slots=True)
class Count:
    """What a source was asked.

    Attributes:
        calls: requests that were sent, repeated ones too.
        kept: replies that came from the disk.
        faults: lookups that ended in a fault.
        credits: of the source's own allowance.
    """

    calls: int = 0
    kept: int = 0
    faults: int = 0
    credits: int = 0


class Client:
    """Asks one source. Any thread may use it, and after a fork any process."""

    def __init__(
        self,
        source: str,
        base_url: str,
        manners: Manners,
        *,
        key: str = "",
        memory: Memory | None = None,
        clock: Clock | None = None,
        timeout: float = 10.0,
        attempts: int = 3,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """See `resolver.Resolver`."""
        self.source = source
        self.base_url = httpx.URL(base_url.rstrip("/"))
        self.manners = manners
        self.clock = clock or Clock()
        self.pace = Pace(manners.seconds, self.clock)
        self.stop = threading.Event()
        self._key = key
        self._memory = memory
        self._timeout = timeout
        self._attempts = attempts
        self._transport = transport
        self._lock = threading.Lock()
        self._count = Count()
        self._opened: tuple[int, httpx.Client] | None = None

    @property
    def count(self) -> Count:
        """What was asked so far."""
        return self._count

    def add(self, **more: int) -> None:
        """Count."""
        with self._lock:
            self._count = replace(
                self._count, **{name: getattr(self._count, name) + n for name, n in more.items()}
            )

    def fetch(self, query: Query, read: Callable[[bytes], T], elsewhere: Guarded | None = None) -> T | None:
        """What is read from the reply; `None` if the source says that there is no such thing.

        Args:
            query: the request.
            read: from the body; raises any of `NOT_READ` if it is not what the source documents.
            elsewhere: follows redirects to other hosts; without it they are refused.

        Raises:
            SourceFault: there is no answer.
        """
        key = self.key_of(query)
        if self._memory is not None and self._memory.is_missing(key):
            self.add(kept=1)
            return None
        wait = FIRST_WAIT
        for attempt in range(1, self._attempts + 1):
            try:
                body = self._attempt(query, key, elsewhere)
                return None if body is None else self._understood(body, read, key)
            except SourceFault as fault:
                pause = wait if fault.retry_after is None else fault.retry_after
                if not fault.retryable or attempt == self._attempts or pause > LONGEST_WAIT:
                    raise
                self.clock.sleep(pause, self.stop)
                if self.stop.is_set():
                    raise
                wait *= 2
        raise AssertionError("an attempt returns or raises")

    def key_of(self, query: Query) -> str:
        """What a reply is kept under: all that was asked but the key."""
        asked = [
            str(self.base_url),
            query.path,
            sorted(query.parameters.items()),
            sorted(query.headers.items()),
        ]
        form = sorted((query.form or {}).items())
        return hashlib.sha256(json.dumps([self.source, asked, form]).encode()).hexdigest()

    def unsettled(self, keys: list[str]) -> None:
        """These replies did not settle the reference: they are kept for a day only."""
        if self._memory is not None:
            self._memory.note(keys)

    def close(self) -> None:
        """Close the connections, and end all waiting."""
        self.stop.set()
        with self._lock:
            opened, self._opened = self._opened, None
        if opened is not None and opened[0] == os.getpid():
            opened[1].close()

    # -- one attempt

    def _understood(self, body: bytes, read: Callable[[bytes], T], key: str) -> T:
        try:
            return read(body)
        except NOT_READ as error:
            if self._memory is not None:
                self._memory.forget(key)
            start = body.lstrip()[:40].decode("utf-8", "replace")
            raise SourceFault(
                Fault.UNREADABLE, self.source, f"the reply is not what it documents: {start!r}"
            ) from error

    def _attempt(self, query: Query, key: str, elsewhere: Guarded | None) -> bytes | None:
        url = self.base_url.copy_with(
            raw_path=self.base_url.raw_path.rstrip(b"/") + query.path.encode("ascii")
        )
        if query.parameters:
            url = url.copy_merge_params(query.parameters)
        for _ in range(MOST_REDIRECTS + 1):
            status, headers, body = self._send(query, url, key)
            if status not in REDIRECTS:
                return self._read(query, key, status, headers, body)
            target = self._redirected(url, headers)
            if not self._is_own(target):
                return self._from(target, query, elsewhere)
            url = target
        raise SourceFault(Fault.REFUSED, self.source, f"more than {MOST_REDIRECTS} redirects")

    def _send(self, query: Query, url: httpx.URL, key: str) -> tuple[int, httpx.Headers, bytes]:
        method = "GET" if query.form is None else "POST"
        started = self.clock.time()
        try:
            client = self._client()
            request = client.build_request(
                method,
                url,
                data=query.form,
                headers=dict(query.headers),
                extensions={"caching": {"key": key}},
            )
            request.extensions["guardrail.credits"] = query.credits
            response = client.send(request, stream=True)
            try:
                body = bytearray()
                for piece in response.iter_bytes(65_536):
                    body += piece
                    if len(body) > MOST_BYTES:
                        raise SourceFault(
                            Fault.REFUSED, self.source, f"the reply is longer than {MOST_BYTES:,} bytes"
                        )
                    if self.clock.time() - started > 3 * self._timeout:
                        raise SourceFault(Fault.UNREACHABLE, self.source, "the reply does not come to an end")
            finally:
                response.close()
        except _Resting as error:
            raise SourceFault(Fault.SPENT, self.source, str(error)) from error
        except httpx.TimeoutException as error:
            raise SourceFault(
                Fault.UNREACHABLE, self.source, f"no reply within {self._timeout:g} s"
            ) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise SourceFault(Fault.UNREACHABLE, self.source, str(error) or type(error).__name__) from error
        if response.extensions.get("caching", {}).get("from_cache"):
            self.add(kept=1)
        return response.status_code, response.headers, bytes(body)

    def _read(self, query: Query, key: str, status: int, headers: httpx.Headers, body: bytes) -> bytes | None:
        """The body of a reply, `None` for nothing, or what is wrong."""
        manners = self.manners
        if status == 200:  # OK
            self.pace.went_well()
            return body
        html = "html" in headers.get("content-type", "")
        if status == 404 and query.may_miss and (manners.missing_is_html or not html):
            if self._memory is not None:
                self._memory.note([key], missing=True)
            return None
        now = self.clock.time()
        after = retry_after(headers, now)
        after = _wait_in(body, now) if after is None else after
        if status in manners.spent or (status in manners.too_fast and (after or 0) > LONGEST_WAIT):
            self.pace.rest(after or 3_600.0)
            raise SourceFault(
                Fault.SPENT, self.source, f"its allowance is used up (HTTP {status})", retry_after=after
            )
        if status in manners.too_fast:
            self.pace.too_fast()
            raise SourceFault(
                Fault.TOO_FAST, self.source, f"it is asked too often (HTTP {status})", retry_after=after
            )
        if status >= 500 or status == 408:  # theirs, and a time-out
            raise SourceFault(Fault.UNREACHABLE, self.source, f"HTTP {status}", retry_after=after)
        why = (
            "the key is not accepted" if status in {401, 403} and self._key else "the request is not accepted"
        )
        raise SourceFault(Fault.REFUSED, self.source, f"{why} (HTTP {status})")

    def _redirected(self, url: httpx.URL, headers: httpx.Headers) -> httpx.URL:
        try:
            return url.join(headers["location"])
        except (KeyError, httpx.InvalidURL, ValueError) as error:
            raise SourceFault(Fault.REFUSED, self.source, "it redirects to no address") from error

    def _is_own(self, target: httpx.URL) -> bool:
        """Whether a redirect stays with the source: its host, and its port or from http to https."""
        base = self.base_url
        same = (target.scheme, target.port) == (base.scheme, base.port)
        safer = base.scheme == "http" and target.scheme == "https" and base.port is target.port is None
        return target.host == base.host and not target.userinfo and (same or safer)

    def _from(self, target: httpx.URL, query: Query, elsewhere: Guarded | None) -> bytes | None:
        if elsewhere is None:
            raise SourceFault(
                Fault.REFUSED, self.source, f"it redirects to another host, {target.host!r:.80}"
            )
        page = elsewhere.fetch(str(target), accept=query.headers.get("Accept", "*/*"), source=self.source)
        if page.cut:
            raise SourceFault(Fault.REFUSED, self.source, f"the reply of {target.host} is too long")
        return self._read(
            replace(query, may_miss=False), "", page.status, httpx.Headers(page.headers), page.body
        )

    def _client(self) -> httpx.Client:
        with self._lock:
            if self.stop.is_set():
                raise SourceFault(Fault.UNREACHABLE, self.source, "it was closed")
            if self._opened is None or self._opened[0] != os.getpid():
                wire: httpx.BaseTransport = _Wire(self, self._transport)
                if self._memory is not None:
                    wire = self._memory.transport(wire)
                self._opened = (
                    os.getpid(),
                    httpx.Client(transport=wire, timeout=self._timeout, headers={"User-Agent": agent()}),
                )
            return self._opened[1]

    def signed(self, request: httpx.Request) -> httpx.Request:
        """The request with the key."""
        manners = self.manners
        if not self._key:
            return request
        if manners.parameter:
            request.url = request.url.copy_merge_params({manners.parameter: self._key})
        elif manners.header:
            request.headers[manners.header] = manners.prefix + self._key
        return request


class _Wire(httpx.BaseTransport):
    """What really leaves this machine: in its turn, counted, and with the key, which nothing outside of this sees."""

    def __init__(self, owner: Client, transport: httpx.BaseTransport | None) -> None:
        self._owner = owner
        # a client, for it knows the proxies of the environment
        self._client = httpx.Client(transport=transport, timeout=None, follow_redirects=False)  # noqa: S113

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        owner = self._owner
        left = owner.pace.resting()
        if left:
            raise _Resting(
                f"its allowance is used up; it may be asked again in {left / 60:.0f} min", request=request
            )
        owner.pace.wait(owner.stop)
        if owner.stop.is_set():
            raise httpx.TransportError("closed", request=request)
        owner.add(calls=1, credits=int(request.extensions.get("guardrail.credits", 0)))
        sent = owner.signed(
            httpx.Request(
                request.method,
                request.url,
                headers=request.headers,
                stream=request.stream,
                extensions=request.extensions,
            )
        )
        response = self._client.send(sent, stream=True)
        response.headers.pop("set-cookie", None)
        return httpx.Response(
            response.status_code,
            headers=response.headers,
            stream=_Raw(response),
            extensions={"http_version": response.extensions.get("http_version", b"HTTP/1.1")},
        )

    def close(self) -> None:
        self._client.close()


class _Resting(httpx.TransportError):
    """Not asked: the source said when it may be asked again."""


class _Raw(httpx.SyncByteStream):
    """The bytes of a response as they came."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        return iter(cast("httpx.SyncByteStream", self._response.stream))

    def close(self) -> None:
        self._response.close()


def agent() -> str:
    """The User-Agent, with the address of whoever runs this if it is known."""
    contact = os.environ.get(CONTACT, "")
    known = contact.isascii() and contact.isprintable() and "@" in contact
    return f"guardrail-sdk/{__version__}" + (f" (mailto:{contact})" if known else "")


def _wait_in(body: bytes, now: float) -> float | None:
    """Seconds to wait until CourtListener's `wait_until`."""
    try:
        said = json.loads(body)
        until = said.get("wait_until") if isinstance(said, dict) else None
        if until is None:
            return None
        moment = datetime.fromisoformat(str(until))
        return max(0.0, (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - now)
    except (ValueError, TypeError, RecursionError):
        return None
