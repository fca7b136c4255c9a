"""Addresses that somebody else wrote reach nothing that only this machine can reach."""

import httpx
import pytest
from tests.contract.source import FakeClock
from tests.looping import each

from guardrail.references.bibliography.records import Reference
from guardrail.references.sources import Doi, Fault, SourceFault
from guardrail.references.sources.address import Address
from guardrail.references.sources.guarded import MOST_BYTES, Guarded, is_public

PUBLIC = "93.184.216.34"
CLOSED = (
    "127.0.0.1",
    "127.8.8.8",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "100.127.255.254",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::a00:1",
    "2002:7f00:1::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "2001:db8::1",
    "not an address",
    "",
)


class Wire(httpx.BaseTransport):
    """Answers instead of the network, and remembers to which addresses requests went."""

    def __init__(self, answer=lambda request: httpx.Response(200, content=b"hello")):
        self.requests = []
        self.answer = answer

    def handle_request(self, request):
        self.requests.append(request)
        return self.answer(request)


def guarded(wire, hosts=None, **options):
    def resolve(host, port):
        if hosts is None:
            return [PUBLIC]
        if host not in hosts:
            raise OSError("no such host")
        found = hosts[host]
        return found.pop(0) if found and isinstance(found[0], list) else found

    return Guarded(resolve=resolve, transport=wire, clock=FakeClock(), **options)


def kind_of(fetcher, url):
    with pytest.raises(SourceFault) as caught:
        fetcher.fetch(url)
    return caught.value.kind


class TestAddresses:
    def test_only_those_of_the_public_internet(self):
        """Private, loopback, link-local, shared, multicast, reserved; also inside IPv6."""

        def check(address):
            assert is_public(address) is False

        each(CLOSED, check)

        def check(address):
            assert is_public(address) is True

        each((PUBLIC, "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"), check)


class TestFetching:
    def test_a_host_with_one_closed_address_is_refused(self):
        """Whatever else it has; nothing is sent."""

        def check(address):
            wire = Wire()
            assert kind_of(guarded(wire, {"a.test": [PUBLIC, address]}), "http://a.test/") is Fault.REFUSED
            assert wire.requests == []

        each(CLOSED[:-2], check)

    def test_the_connection_goes_to_the_address_that_was_looked_at(self):
        """A name that changes its mind gains nothing: it is resolved once, and TLS still checks the name."""
        wire = Wire()
        fetcher = guarded(wire, {"a.test": [[PUBLIC], ["127.0.0.1"]]})
        fetcher.fetch("https://a.test/x?y=1")
        [request] = wire.requests
        assert str(request.url) == f"https://{PUBLIC}/x?y=1"
        assert request.headers["host"] == "a.test"
        assert request.extensions["sni_hostname"] == "a.test"

    def test_other_schemes_ports_and_credentials(self):
        """Refused before anything is resolved."""
        urls = (
            "file:///etc/passwd",
            "ftp://a.test/",
            "gopher://a.test:70/_x",
            "javascript:alert(1)",
            "data:text/html,x",
            "//a.test/",
            "http://",
            "http:///x",
            "http://a.test:22/",
            "http://a.test:8080/",
            "https://a.test:6379/",
            "http://user@a.test/",
            "http://user:pass@a.test/",
            "http://a.test@127.0.0.1:80@b.test/",
            "http://[::1",
            "http://a.test:99999/",
            "http://a.test/" + "x" * 3_000,
            "no address",
            "",
        )

        def check(url):
            wire = Wire()
            assert kind_of(guarded(wire), url) is Fault.REFUSED
            assert wire.requests == []

        each(urls, check)

    def test_hosts_in_disguise(self):
        """Numbers and hexadecimal forms mean what the system makes of them; octal ones are no addresses."""

        def check(url):
            wire = Wire()
            hosts = {httpx.URL(url).host: ["127.0.0.1"]}  # as the C library reads them
            assert kind_of(guarded(wire, hosts), url) is Fault.REFUSED
            assert wire.requests == []

        each(
            ("http://2130706433/", "http://0x7f000001/", "http://127.1/", "http://[::ffff:127.0.0.1]/"), check
        )
        assert kind_of(guarded(Wire()), "http://0177.0.0.1/") is Fault.REFUSED
        assert kind_of(Guarded(transport=Wire(), clock=FakeClock()), "http://localhost/") is Fault.REFUSED

    def test_every_redirect_is_looked_at(self):
        """To a closed address, another scheme or port, with credentials: refused."""
        targets = (
            "http://inside.test/",
            "http://127.0.0.1/",
            "http://169.254.169.254/latest/meta-data/",
            "file:///etc/passwd",
            "http://a.test:8080/",
            "http://u:p@a.test/",
            "//inside.test/",
        )
        hosts = {
            "a.test": [PUBLIC],
            "inside.test": ["10.0.0.1"],
            "127.0.0.1": ["127.0.0.1"],
            "169.254.169.254": ["169.254.169.254"],
        }

        def check(target):
            wire = Wire(lambda request, target=target: httpx.Response(302, headers={"location": target}))
            assert kind_of(guarded(wire, hosts), "http://a.test/") is Fault.REFUSED
            assert len(wire.requests) == 1

        each(targets, check)

    def test_a_redirect_to_no_address(self):
        """A fault."""
        wire = Wire(lambda request: httpx.Response(302, headers={"location": "http://[bad"}))
        assert kind_of(guarded(wire, {"a.test": [PUBLIC]}), "http://a.test/") is Fault.UNREACHABLE

    def test_rebinding_between_redirects(self):
        """Public at first, this machine at the second look."""
        wire = Wire(lambda request: httpx.Response(302, headers={"location": "/again"}))
        assert (
            kind_of(guarded(wire, {"a.test": [[PUBLIC], ["127.0.0.1"]]}), "http://a.test/") is Fault.REFUSED
        )
        assert len(wire.requests) == 1

    def test_five_redirects_and_no_more(self):
        """The sixth is refused."""

        def answer(request):
            step = int(request.url.path[1:] or 0)
            if step == limit:
                return httpx.Response(200, content=b"end")
            return httpx.Response(307, headers={"location": f"/{step + 1}"})

        limit = 5
        assert guarded(Wire(answer)).fetch("http://a.test/0").body == b"end"
        limit = 6
        assert kind_of(guarded(Wire(answer)), "http://a.test/0") is Fault.REFUSED

    def test_a_body_over_a_megabyte_is_cut(self):
        """No more is read."""
        read = []

        class Endless(httpx.SyncByteStream):
            def __iter__(self):
                while True:
                    read.append(1)
                    yield b"x" * 65_536

        page = guarded(Wire(lambda request: httpx.Response(200, stream=Endless()))).fetch("http://a.test/")
        assert (len(page.body), page.cut) == (MOST_BYTES, True)
        assert len(read) <= 17

    def test_nothing_is_unpacked(self):
        """A small reply does not become a large one."""
        packed = {"content-encoding": "gzip"}

        class Bomb(httpx.SyncByteStream):
            def __iter__(self):
                yield b"\x1f\x8b packed"

        wire = Wire(lambda request: httpx.Response(200, headers=packed, stream=Bomb()))
        assert guarded(wire).fetch("http://a.test/").body == b"\x1f\x8b packed"
        assert wire.requests[0].headers["accept-encoding"] == "identity"

    def test_a_page_that_does_not_end(self):
        """It is given up after a while."""
        clock = FakeClock()

        class Slow(httpx.SyncByteStream):
            def __iter__(self):
                while True:
                    clock.now += 1.0
                    yield b"."

        wire = Wire(lambda request: httpx.Response(200, stream=Slow()))
        fetcher = Guarded(resolve=lambda host, port: [PUBLIC], transport=wire, clock=clock)
        assert kind_of(fetcher, "http://a.test/") is Fault.UNREACHABLE

    def test_another_address_of_the_host_is_tried(self):
        """Where the first does not answer."""

        def answer(request):
            if request.url.host == PUBLIC:
                raise httpx.ConnectError("refused")
            return httpx.Response(200, content=b"second")

        assert (
            guarded(Wire(answer), {"a.test": [PUBLIC, "8.8.8.8"]}).fetch("http://a.test/").body == b"second"
        )

    def test_a_host_that_does_not_exist(self):
        """Unreachable."""
        assert kind_of(guarded(Wire(), {}), "http://nowhere.test/") is Fault.UNREACHABLE


class TestLiveness:
    def test_says_whether_an_address_answers(self):
        """A remark; never more."""
        said = {
            200: "it answers",
            404: "there is nothing (HTTP 404)",
            410: "there is nothing (HTTP 410)",
            403: "whether it answers is not known (HTTP 403)",
            503: "whether it answers is not known (HTTP 503)",
        }

        def check(status):
            wire = Wire(lambda request, status=status: httpx.Response(status))
            assert Address(guarded(wire)).remark(Reference(url="https://a.test/")) == said[status]

        each(list(said), check)

    def test_an_address_inside_is_not_asked(self):
        """The remark says so."""
        wire = Wire()
        remark = Address(guarded(wire, {"inside.test": ["10.0.0.1"]})).remark(
            Reference(url="http://inside.test/")
        )
        assert remark == "whether it answers is not known (url: 'inside.test' is not a public address)"
        assert wire.requests == []

    def test_no_address_no_remark(self):
        """Nothing to ask."""
        assert Address(guarded(Wire())).remark(Reference(title="A")) == ""


CSL = (
    b'{"title": "A Registered Work", "type": "article", "issued": {"date-parts": [[2001]]}, "DOI": "10.1/x"}'
)


class TestContentNegotiation:
    """doi.org sends its callers to agencies: to public hosts only."""

    def source(self, wire, target, hosts):
        def doi_org(request):
            if "/api/handles/" in request.url.path:
                return httpx.Response(200, json={"responseCode": 1})
            return httpx.Response(302, headers={"location": target})

        return Doi(
            base_url="https://doi.org",
            transport=Wire(doi_org),
            elsewhere=guarded(wire, hosts),
            clock=FakeClock(),
        )

    def test_is_followed_to_an_agency(self):
        """With the format that was asked for."""
        wire = Wire(lambda request: httpx.Response(200, content=CSL))
        source = self.source(wire, "https://agency.test/10.1/x", {"agency.test": [PUBLIC]})
        [work] = source.lookup(Reference(doi="10.1000/x"))
        assert (work.title, work.year) == ("A Registered Work", 2001)
        assert wire.requests[0].headers["accept"] == "application/vnd.citationstyles.csl+json"

    def test_is_not_followed_inside(self):
        """A fault, and nothing is sent there."""
        hosts = {"inside.test": ["10.0.0.1"], "127.0.0.1": ["127.0.0.1"]}

        def check(target):
            wire = Wire()
            with pytest.raises(SourceFault) as caught:
                self.source(wire, target, hosts).lookup(Reference(doi="10.1000/x"))
            assert caught.value.kind is Fault.REFUSED
            assert wire.requests == []

        each(
            ("http://inside.test/", "http://127.0.0.1/", "file:///etc/passwd", "http://agency.test:81/"),
            check,
        )
