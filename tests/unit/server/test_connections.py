"""Connections that are kept open with little, and work that piles up."""

import asyncio
import contextlib
import socket
import time

import pytest
from tests.unit.server.conftest import canned, running

from guardrail import Guard
from guardrail.errors import ConfigError
from guardrail.server import Application, Settings
from guardrail.server.connections import patient
from guardrail.server.headers import going_up
from guardrail.server.keys import hashed
from guardrail.testing.server import serve

HEAD = b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"


def closed_after(port, *parts):
    """Send the parts, and give what came back until the server closed."""
    said = b""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        for part in parts:
            connection.sendall(part)
        while part := connection.recv(65536):
            said += part
    return said


class TestSlowHeads:
    @pytest.fixture
    def impatient(self):
        """A server that waits a moment for a head, and an upstream that takes longer."""
        upstream = serve(lambda _: "Rivers flow.", latency=1.0)
        with upstream as up, running(up.base_url, Guard([]), http=patient(0.3)) as served:
            yield served

    @pytest.mark.parametrize("begun", [b"", b"G", HEAD[:-2], HEAD[:-2] + b"x-a: b\r\n"])
    def test_a_head_that_does_not_end_is_cut_off(self, impatient, begun):
        """It holds a connection and no place among the requests."""
        assert closed_after(impatient.port, *[begun] if begun else []) == b""

    def test_the_next_head_likewise(self, impatient):
        """After an answer."""
        said = closed_after(impatient.port, HEAD + HEAD[:20])
        assert said.count(b"HTTP/1.1 200") == 1

    def test_an_answer_may_take_longer(self, impatient):
        """Only the head is hurried."""
        assert impatient.chat().status_code == 200
        assert impatient.chat().status_code == 200


class TestRequestsAhead:
    @pytest.mark.parametrize("count", [1, 40, 3_000])
    def test_a_client_that_sent_more_and_left_is_missed(self, count):
        """Nothing was read behind its first request, so its work went on until the deadline."""
        body = b'{"model": "m", "messages": [{"role": "user", "content": "Rivers?"}]}'
        head = b"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: %d\r\n\r\n" % len(
            body
        )
        upstream = serve(lambda _: "Rivers flow.", latency=10.0)
        with upstream as up, running(up.base_url, Guard([]), http=patient(30)) as served:
            with socket.create_connection(("127.0.0.1", served.port), timeout=30) as connection:
                connection.sendall(head + body)
                with contextlib.suppress(ConnectionError):  # what is too much ends it
                    for _ in range(3):
                        time.sleep(0.1)
                        connection.sendall(HEAD * count)
            assert served.is_idle()

    def test_they_are_answered_in_order(self, guarded):
        """Each when its turn comes."""
        served = guarded(http=patient(30))
        last = HEAD.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n")
        assert closed_after(served.port, HEAD * 50, HEAD, last).count(b"HTTP/1.1 200") == 52


class TestSlowReaders:
    SIZE = 20_000_000
    ASKED = b"GET /v1/models HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n"

    @pytest.fixture
    def impatient(self):
        """A server that waits half a second for a reader, and has much to say."""
        upstream = canned(b"x" * self.SIZE, kind="application/json")
        with upstream as up, running(up.url, Guard([]), http=patient(0.5)) as served:
            yield served

    def test_one_that_does_not_read_loses_its_place(self, impatient):
        """It kept it until the deadline, and its connection for ever."""
        with socket.create_connection(("127.0.0.1", impatient.port), timeout=30) as connection:
            connection.sendall(self.ASKED)
            assert connection.recv(1000)
            assert impatient.is_idle()

    def test_one_that_is_slow_gets_all(self, impatient):
        """It may take longer in all."""
        read = 0
        with socket.create_connection(("127.0.0.1", impatient.port), timeout=30) as connection:
            connection.sendall(self.ASKED)
            while part := connection.recv(2_000_000):
                read += len(part)
                time.sleep(0.05)
        assert read > self.SIZE


class TestWorkThatPilesUp:
    def test_no_more_is_examined_behind_than_there_are_places(self):
        """With a slow detector and a fast client, answers that were passed on would fill the memory."""

        async def main():
            application = Application(Settings("http://up.example/v1", concurrency=2), Guard([]))
            done = []
            waiting = asyncio.Event()

            async def work(number):
                await waiting.wait()
                done.append(number)

            for number in range(4):
                application.later(work(number))
            waiting.set()
            await application.close()
            return done, application.metrics.text()

        done, metrics = asyncio.run(main())
        assert done == [0, 1]
        assert 'guardrail_unfinished_checks_total{detector="guard"} 2' in metrics


class TestWhoPays:
    def test_a_client_chooses_no_account_of_the_operator(self):
        """With the server's upstream key."""
        pairs = [
            ("openai-organization", "o"),
            ("openai-project", "p"),
            ("x-goog-api-key", "k"),
            ("helicone-openai-api-base", "https://evil.example"),
            ("x-portkey-custom-host", "https://evil.example"),
            ("cf-aig-cache-key", "1"),
            ("user-agent", "u"),
        ]
        assert going_up(pairs, own_key=True) == [("user-agent", "u")]
        assert going_up(pairs, own_key=False) == pairs

    @pytest.mark.parametrize(
        "name",
        ["x_http_method_override", "x_forwarded-for", "x_guardrail_key", "openai_organization", "x_hop"],
    )
    def test_underscores_smuggle_nothing(self, name):
        """A service behind WSGI reads them as dashes."""
        pairs = [("connection", "x-hop"), (name, "v"), ("user_agent", "u")]
        assert going_up(pairs, own_key=True) == [("user_agent", "u")]


class TestWhatIsWritten:
    @pytest.mark.parametrize(
        "url",
        [
            "http://up.example:99999/v1", "http://up.example:0/v1", "http://up.example:x/v1", "http://up.example/v 1", "http://up.ex\nample/v1",
            "http://up.example/v1\r\nx: y", "http://up.example\\@evil.example/v1", "http://\u0430pi.example/v1", "file:///etc/passwd", "unix:/run/x",
        ],
    )  # fmt: skip
    def test_an_upstream_that_is_no_plain_url_is_refused(self, url):
        """When the server starts, and not at the first request."""
        with pytest.raises(ConfigError, match="upstream"):
            Settings(url)

    @pytest.mark.parametrize("key", ["sk-1\n", "sk 1", "sk-\u00e9", "sk-1\r\nx: y", " sk-1", "sk\x00"])
    def test_a_key_that_no_header_can_have_is_refused(self, key):
        """And not shown: every request would have failed."""
        with pytest.raises(ConfigError, match="one word of ASCII") as refused:
            Settings("http://up.example/v1", upstream_key=key, keys=(hashed("k"),))
        assert "sk" not in str(refused.value)
