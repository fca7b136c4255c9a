"""An address in an answer is asked only if it is public, at every step."""

import httpx
import pytest

from guardrail.references.sources.faults import Fault, SourceFault
from guardrail.references.sources.guarded import MOST_BYTES, Guarded, is_public

PUBLIC = "93.184.216.34"
PRIVATE = [
    "127.0.0.1",
    "127.8.8.8",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "192.0.2.1",
    "::1",
    "::",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "::10.0.0.1",
    "64:ff9b::a00:1",
    "2002:7f00:1::",
    "2001:0:1::1",
    "fec0::1",
    "not an address",
]


class Web:
    """Hosts with their addresses, and pages; remembers what was asked of which address."""

    def __init__(self, hosts, pages):
        self.hosts, self.pages, self.asked = hosts, pages, []

    def resolve(self, host, port):
        found = self.hosts[host]
        return found.pop(0) if isinstance(found[0], list) else found

    def answer(self, request):
        self.asked.append((request.url.host, request.headers["host"]))
        return self.pages[request.headers["host"] + request.url.path]

    def guarded(self):
        return Guarded(resolve=self.resolve, transport=httpx.MockTransport(self.answer))


def refused(web, url):
    """Why an address is not asked."""
    with pytest.raises(SourceFault) as caught:
        web.guarded().fetch(url)
    return caught.value.kind


class TestIsPublic:
    @pytest.mark.parametrize("address", PRIVATE)
    def test_what_is_not_of_the_public_internet(self, address):
        """Loopback, private, link-local, shared, multicast, and IPv4 inside IPv6."""
        assert not is_public(address)

    @pytest.mark.parametrize(
        "address", [PUBLIC, "2606:2800:220:1:248:1893:25c8:1946", "::ffff:93.184.216.34"]
    )
    def test_what_is(self, address):
        """Both versions."""
        assert is_public(address)


class TestFetch:
    def test_a_public_page_is_asked_at_the_address_that_was_looked_at(self):
        """The name goes along, the connection to the address."""
        web = Web({"example.org": [PUBLIC]}, {"example.org/a": httpx.Response(200, content=b"yes")})
        assert web.guarded().fetch("https://example.org/a").status == 200
        assert web.asked == [(PUBLIC, "example.org")]

    @pytest.mark.parametrize("address", ["10.0.0.1", "169.254.169.254", "::1"])
    def test_a_name_of_a_private_address_is_refused(self, address):
        """Nothing is sent."""
        web = Web({"inside.example": [address]}, {})
        assert refused(web, "http://inside.example/") is Fault.REFUSED
        assert web.asked == []

    def test_one_private_address_among_public_ones_is_enough(self):
        """The next connection might take it."""
        assert (
            refused(Web({"both.example": [PUBLIC, "10.0.0.1"]}, {}), "http://both.example/") is Fault.REFUSED
        )

    def test_a_redirect_to_a_private_address_is_refused(self):
        """Also at the second step, and by a name that changes its mind."""
        there = httpx.Response(302, headers={"location": "http://inside.example/secret"})
        web = Web({"example.org": [PUBLIC], "inside.example": ["10.0.0.1"]}, {"example.org/": there})
        assert refused(web, "http://example.org/") is Fault.REFUSED
        assert web.asked == [(PUBLIC, "example.org")]
        again = httpx.Response(302, headers={"location": "http://example.org/"})
        turning = Web({"example.org": [[PUBLIC], ["127.0.0.1"]]}, {"example.org/": again})
        assert refused(turning, "http://example.org/") is Fault.REFUSED
        assert turning.asked == [(PUBLIC, "example.org")]

    def test_redirects_have_an_end(self):
        """Five, and no more."""
        web = Web({"example.org": [PUBLIC]}, {"example.org/": httpx.Response(302, headers={"location": "/"})})
        assert refused(web, "http://example.org/") is Fault.REFUSED
        assert len(web.asked) == 6

    @pytest.mark.parametrize(
        "url",
        [
            "file:///etc/passwd",
            "ftp://example.org/",
            "gopher://example.org/",
            "http://user:pass@example.org/",
            "http://example.org:22/",
            "http://example.org:8080/",
            "javascript:alert(1)",
            "http://",
            "//example.org",
            "http://example.org/" + "a" * 3_000,
        ],
    )
    def test_other_schemes_ports_and_credentials_are_refused(self, url):
        """Nothing is looked up."""
        assert refused(Web({}, {}), url) is Fault.REFUSED

    def test_a_long_body_is_cut(self):
        """At a megabyte."""
        web = Web(
            {"example.org": [PUBLIC]}, {"example.org/": httpx.Response(200, content=b"x" * (2 * MOST_BYTES))}
        )
        page = web.guarded().fetch("http://example.org/")
        assert len(page.body) == MOST_BYTES
