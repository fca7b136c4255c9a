"""Fetching an address that somebody else wrote, without reaching what only this machine can reach.

Every host is resolved here, every one of its addresses must be public, and the connection goes to the very address that
was looked at, so that a name which changes its mind in between (DNS rebinding) gains nothing. The same at every redirect.
"""

from __future__ import annotations

import ipaddress
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import httpx

from guardrail.references.sources.faults import Fault, SourceFault
from guardrail.references.sources.pace import Clock

MOST_REDIRECTS = 5
MOST_BYTES = 1_000_000
MOST_ADDRESSES = 4  # of a host that are tried
PATIENCE = 20.0  # seconds for one page, with its redirects
LONGEST_URL = 2_000
PORTS = {"http": 80, "https": 443}
REDIRECTS = {301, 302, 303, 307, 308}
_WITHIN = (  # IPv6 ranges that carry an IPv4 address, and how far up it is
    (ipaddress.IPv6Network("::ffff:0:0/96"), 0),
    (ipaddress.IPv6Network("::/96"), 0),
    (ipaddress.IPv6Network("64:ff9b::/96"), 0),
    (ipaddress.IPv6Network("64:ff9b:1::/48"), 0),
    (ipaddress.IPv6Network("2002::/16"), 80),
)
_CLOSED = (
    ipaddress.ip_network("2001::/32"),  # Teredo: the address within is disguised
    ipaddress.ip_network("192.0.0.0/24"),  # of protocols
    ipaddress.ip_network("192.88.99.0/24"),  # relays of 6to4
    ipaddress.ip_network("fec0::/10"),  # site-local, withdrawn and still routed in places
)


@dataclass(frozen=True, slots=True)
class Page:
    """What an address answered, after redirects.

    Attributes:
        status: of HTTP.
        url: where it ended.
        headers: of the last reply.
        body: at most a megabyte.
        cut: whether there was more.
    """

    status: int
    url: str
    headers: Mapping[str, str]
    body: bytes
    cut: bool = False


def is_public(address: str) -> bool:
    """Whether an IP address is one of the public internet.

    Example:
        >>> [is_public(a) for a in ("93.184.216.34", "127.0.0.1", "::ffff:10.0.0.1", "100.64.0.1", "224.0.0.1")]
        [True, False, False, False, False]
    """
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if any(ip in network for network in _CLOSED if network.version == ip.version):
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        for network, shift in _WITHIN:
            if ip in network:
                return is_public(str(ipaddress.IPv4Address((int(ip) >> shift) & 0xFFFFFFFF)))
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified or ip.is_loopback)


def resolved(host: str, port: int) -> list[str]:
    """The addresses of a host, as the system knows them."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class Guarded:
    """Fetches pages of public hosts only."""

    def __init__(
        self,
        *,
        agent: str = "guardrail-sdk",
        resolve: Callable[[str, int], Sequence[str]] = resolved,
        transport: httpx.BaseTransport | None = None,
        clock: Clock | None = None,
        timeout: float = 10.0,
    ) -> None:
        """Make one.

        Args:
            agent: the User-Agent.
            resolve: from host and port to addresses.
            transport: carries the requests; tests give their own.
            clock: the time.
            timeout: seconds for connecting, and between two pieces of a body.
        """
        self._resolve = resolve
        self._clock = clock or Clock()
        self._stop = threading.Event()
        # A connection is not used for a second name that lives at the same address.
        once = httpx.Limits(max_keepalive_connections=0)
        self._client = httpx.Client(
            transport=transport or httpx.HTTPTransport(limits=once, trust_env=False),
            timeout=timeout,
            trust_env=False,
            follow_redirects=False,
            headers={"User-Agent": agent, "Accept-Encoding": "identity"},
        )

    def fetch(self, url: str, *, accept: str = "*/*", source: str = "url") -> Page:
        """The page at an address.

        Raises:
            SourceFault: `REFUSED` for what must not be asked; `UNREACHABLE` if nothing answers.
        """
        until = self._clock.time() + PATIENCE
        target = _parsed(url, source)
        for _ in range(MOST_REDIRECTS + 1):
            page = self._once(target, accept, source, until)
            where = page.headers.get("location")
            if page.status not in REDIRECTS or not where:
                return page
            target = _joined(target, where, source)
        raise SourceFault(Fault.REFUSED, source, f"more than {MOST_REDIRECTS} redirects")

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _once(self, url: httpx.URL, accept: str, source: str, until: float) -> Page:
        error: Exception | None = None
        for address in self._addresses(url, source)[:MOST_ADDRESSES]:
            try:
                return self._at(address, url, accept, source, until)
            except (httpx.ConnectError, httpx.ConnectTimeout) as refused:
                error = refused
            except (httpx.HTTPError, httpx.InvalidURL) as broken:
                raise SourceFault(Fault.UNREACHABLE, source, f"{url.host}: {_said(broken)}") from broken
        raise SourceFault(Fault.UNREACHABLE, source, f"{url.host} cannot be reached") from error

    def _addresses(self, url: httpx.URL, source: str) -> list[str]:
        """Where a host lives; all of it must be public."""
        try:
            found = list(self._resolve(url.host, url.port or PORTS[url.scheme]))
        except (OSError, UnicodeError) as error:
            raise SourceFault(Fault.UNREACHABLE, source, f"no host named {url.host!r}") from error
        if not found or not all(map(is_public, found)):
            raise SourceFault(Fault.REFUSED, source, f"{url.host!r} is not a public address")
        return found

    def _at(self, address: str, url: httpx.URL, accept: str, source: str, until: float) -> Page:
        host = url.netloc.decode("ascii")
        request = self._client.build_request(
            "GET",
            url.copy_with(host=address.partition("%")[0], fragment=None),
            headers={"Host": host, "Accept": accept},
            extensions={"sni_hostname": url.raw_host.decode("ascii")},
        )
        response = self._client.send(request, stream=True)
        try:
            body = bytearray()
            # as it comes: nothing is unpacked, so a small reply cannot become a large one
            for piece in cast("httpx.SyncByteStream", response.stream):
                body += piece
                if len(body) > MOST_BYTES:
                    break
                if self._clock.time() > until:
                    raise SourceFault(
                        Fault.UNREACHABLE, source, f"{url.host} takes longer than {PATIENCE:g} s"
                    )
        finally:
            response.close()
        return Page(
            response.status_code,
            str(url),
            dict(response.headers),
            bytes(body[:MOST_BYTES]),
            len(body) > MOST_BYTES,
        )


def _parsed(url: str, source: str) -> httpx.URL:
    """An address that may be asked.

    Raises:
        SourceFault: it is of another scheme or port, carries credentials, or is no address.
    """
    try:
        found = httpx.URL(url) if len(url) <= LONGEST_URL else None
    except (httpx.InvalidURL, ValueError, TypeError):
        found = None
    if found is None or not found.host:
        raise SourceFault(Fault.REFUSED, source, f"expected an address, got {url!r:.80}")
    if found.scheme not in PORTS:
        raise SourceFault(Fault.REFUSED, source, f"expected http or https, got {found.scheme!r}")
    if found.userinfo:
        raise SourceFault(Fault.REFUSED, source, "the address carries a user name or password")
    if found.port not in {None, 80, 443}:
        raise SourceFault(Fault.REFUSED, source, f"expected port 80 or 443, got {found.port}")
    return found


def _joined(base: httpx.URL, where: str, source: str) -> httpx.URL:
    try:
        return _parsed(str(base.join(where)), source)
    except (httpx.InvalidURL, ValueError) as error:
        raise SourceFault(
            Fault.REFUSED, source, f"redirected to {where!r:.80}, which is no address"
        ) from error


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__
