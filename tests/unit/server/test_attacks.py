"""Attacks on a running server, most of them as bytes on a socket."""

import json
import socket

import pytest
from tests.unit.server.conftest import KEY, SECRET, canned, running

from guardrail import Guard
from guardrail.server import Settings
from guardrail.server.keys import hashed

HOST = b"\r\nhost: 127.0.0.1"
UPSTREAM_KEY = "sk-operator-0123456789"
OWN_KEY = {"upstream_key": UPSTREAM_KEY, "keys": (hashed(KEY),)}
SHOWN = {"authorization": f"Bearer {KEY}"}


def sent(port, data, wait=5.0):
    """Send bytes as they are; give all that came back until the server closed or fell silent."""
    said = b""
    with socket.create_connection(("127.0.0.1", port), timeout=wait) as connection:
        connection.sendall(data)
        try:
            while part := connection.recv(65536):
                said += part
        except (TimeoutError, ConnectionError):
            pass
    return said


def statuses(said):
    """The status of each answer in what came back."""
    return [int(part[:3]) for part in said.split(b"HTTP/1.1 ")[1:]]


def completion(text, **more):
    """A chat completion as an upstream writes it."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return json.dumps({"id": "c1", "object": "chat.completion", "choices": [choice], **more}).encode()


def chunks(text, size):
    """A stream of chat chunks, so many characters in each."""
    made = [
        {
            "id": "c1",
            "choices": [{"index": 0, "delta": {"content": text[at : at + size]}, "finish_reason": None}],
        }
        for at in range(0, len(text), size)
    ]
    made.append({"id": "c1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    return b"".join(b"data: " + json.dumps(one).encode() + b"\n\n" for one in made) + b"data: [DONE]\n\n"


class TestRebinding:
    @pytest.mark.parametrize(
        "host",
        [
            "evil.example",
            "evil.example:80",
            "127.0.0.1.evil.example",
            "localhost.evil",
            "",
            "[::1",
            "a@127.0.0.1",
        ],
    )
    def test_a_name_that_was_pointed_here_is_misdirected(self, guarded, host):
        """A web page whose name resolves to this machine sends no Origin on a GET, but always its own Host."""
        served = guarded()
        said = sent(
            served.port,
            b"GET /v1/models HTTP/1.1\r\nhost: " + host.encode() + b"\r\nconnection: close\r\n\r\n",
        )
        assert statuses(said) == [421]
        assert b"--host-name" in said

    @pytest.mark.parametrize(
        "host",
        [
            "127.0.0.1",
            "127.0.0.1:8080",
            "localhost",
            "LOCALHOST:1",
            "[::1]:8080",
            "10.1.2.3",
            "guard.internal:8080",
        ],
    )
    def test_names_of_this_server_are_taken(self, guarded, host):
        """Addresses cannot be rebound; further names are the operator's."""
        served = guarded(host_names=("guard.internal",))
        said = sent(
            served.port,
            b"GET /v1/models HTTP/1.1\r\nhost: " + host.encode() + b"\r\nconnection: close\r\n\r\n",
        )
        assert statuses(said) == [200]

    def test_with_client_keys_any_name_will_do(self, guarded):
        """A web page does not know one."""
        served = guarded(**OWN_KEY)
        found = served.client.get("/v1/models", headers={**SHOWN, "host": "guard.example"})
        assert found.status_code == 200

    def test_a_probe_may_call_it_as_it_likes(self, guarded):
        """There is nothing in a health check."""
        found = guarded().client.get("/healthz", headers={"host": "pod.cluster.local"})
        assert found.status_code == 200

    def test_an_address_without_keys_is_checked_too(self):
        """`--no-auth` says that a proxy decides who connects, and the proxy's name is known."""
        assert Settings("http://up.example/v1", host="0.0.0.0", no_auth=True).checks_host
        assert not Settings("http://up.example/v1", keys=(hashed("k"),)).checks_host


class TestUpstreamHeaders:
    def test_a_header_that_is_not_latin_1_breaks_nothing(self):
        """It went out as 500, and the connection upstream stayed open."""
        kind = "application/json\r\nx-request-id: caf\u00e9 \u4e2d"
        with canned(completion("fine"), kind=kind) as upstream, running(upstream.url, Guard([])) as served:
            for path in ("chat", "models"):
                found = served.chat() if path == "chat" else served.client.get("/v1/models")
                assert found.status_code == 200
            pools = served.application.upstream._pools
            connections = [one for client in pools._clients for one in client._transport._pool.connections]
            assert [one for one in connections if not one.is_idle() and not one.is_closed()] == []
            assert not any(pools._running)

    def test_only_known_headers_are_handed_on(self):
        """An allowlist: what a provider says about its account or its machines stays here."""
        kind = (
            "application/json\r\nx-request-id: r1\r\nretry-after: 3\r\nx-ratelimit-remaining-tokens: 9\r\n"
            "openai-organization: org-operator\r\nx-powered-by: secret\r\nlink: </x>\r\nrefresh: 0;url=http://evil\r\n"
            "clear-site-data: *\r\nx-accel-redirect: /etc\r\nx-vsr-hallucination-detected: false\r\nx-mine: yes"
        )
        with (
            canned(b'{"data":[]}', kind=kind) as upstream,
            running(upstream.url, Guard([]), response_headers=("x-mine",)) as served,
        ):
            found = served.client.get("/v1/models").headers
        assert {"x-request-id", "retry-after", "x-ratelimit-remaining-tokens", "x-mine"} <= set(found)
        assert not {
            "openai-organization",
            "x-powered-by",
            "link",
            "refresh",
            "clear-site-data",
            "x-accel-redirect",
            "x-vsr-hallucination-detected",
        } & set(found)

    def test_an_announced_length_is_not_believed(self):
        """Ours counts what is sent."""
        with (
            canned(completion(f"so {'x' * 50}"), kind="application/json") as upstream,
            running(upstream.url, Guard([])) as served,
        ):
            assert served.chat().status_code == 200


class TestOwnKeyInAnswers:
    """An upstream that echoes its caller's key would give the operator's to a client."""

    @pytest.mark.parametrize("mode", ["enforce", "monitor"])
    def test_in_a_body(self, mode):
        """As a text, and in fields that nobody reads."""
        body = completion(f"your key is {UPSTREAM_KEY}.", echo={UPSTREAM_KEY: [UPSTREAM_KEY]})
        with (
            canned(body, kind="application/json", size=7) as upstream,
            running(upstream.url, Guard([]), mode=mode, **OWN_KEY) as served,
        ):
            found = served.chat(headers=SHOWN)
        assert found.status_code == 200
        assert UPSTREAM_KEY not in found.text
        assert "your key is [key]." in found.text

    @pytest.mark.parametrize("size", [1, 2, 5, 21, 22, 23, 1000])
    def test_in_a_body_that_is_passed_on_in_pieces(self, size):
        """Split anywhere."""
        body = f'{{"data": ["{UPSTREAM_KEY}{UPSTREAM_KEY}", "sk-oper", "{UPSTREAM_KEY[:-1]}"]}}'.encode()
        with (
            canned(body, kind="application/json", size=size) as upstream,
            running(upstream.url, Guard([]), **OWN_KEY) as served,
        ):
            found = served.client.get("/v1/models", headers=SHOWN)
        assert found.json() == {"data": ["[key][key]", "sk-oper", UPSTREAM_KEY[:-1]]}

    @pytest.mark.parametrize("mode", ["enforce", "monitor"])
    @pytest.mark.parametrize("size", [1, 13, 4096])
    def test_in_a_stream(self, mode, size):
        """Split over pieces of the connection."""
        body = chunks(f"key {UPSTREAM_KEY}.", 1000)
        with (
            canned(body, size=size) as upstream,
            running(upstream.url, Guard([]), mode=mode, **OWN_KEY) as served,
        ):
            found = served.chat(headers=SHOWN, stream=True)
        assert UPSTREAM_KEY not in found.text
        assert "[key]" in found.text

    @pytest.mark.parametrize("stream", ["buffer", "sentence"])
    def test_in_the_deltas_of_a_stream(self, stream):
        """Spelt by several events: they are put together before anything is shown."""
        with (
            canned(chunks(f"key {UPSTREAM_KEY}.", 3)) as upstream,
            running(upstream.url, Guard([]), stream=stream, **OWN_KEY) as served,
        ):
            found = served.chat(headers=SHOWN, stream=True)
        told = [json.loads(line[6:]) for line in found.text.splitlines() if line.startswith("data: {")]
        said = "".join(c["delta"].get("content") or "" for one in told for c in one["choices"])
        assert said == "key [key]."

    def test_in_an_error(self):
        """With its status; in its headers too."""
        body = json.dumps({"error": {"message": f"Incorrect API key: {UPSTREAM_KEY}"}}).encode()
        kind = f"application/json\r\nx-request-id: {UPSTREAM_KEY}"
        with (
            canned(body, kind=kind, status="401 Unauthorized") as upstream,
            running(upstream.url, Guard([]), **OWN_KEY) as served,
        ):
            found = served.chat(headers=SHOWN)
        assert found.status_code == 401
        assert UPSTREAM_KEY not in found.text + str(found.headers)
        assert found.json()["error"]["message"] == "Incorrect API key: [key]"

    def test_in_an_error_by_escapes(self):
        """As PHP writes a slash."""
        key = "sk-operator/0123456789"
        body = json.dumps({"error": {"message": f"Incorrect API key: {key}"}}).replace("/", "\\/").encode()
        with (
            canned(body, kind="application/json", status="401 Unauthorized") as upstream,
            running(upstream.url, Guard([]), **{**OWN_KEY, "upstream_key": key}) as served,
        ):
            assert served.chat(headers=SHOWN).json()["error"]["message"] == "Incorrect API key: [key]"

    @pytest.mark.parametrize("size", [1, 7, 10_000])
    def test_spelt_by_escapes_in_what_passes_as_it_comes(self, size):
        """Some characters or all, digits in capitals or not, cut anywhere; what only begins like the key stays."""
        spelt = "".join(f"\\u{ord(one):04x}" if at % 3 else one for at, one in enumerate(UPSTREAM_KEY))
        whole = "".join(f"\\u{ord(one):04X}" for one in UPSTREAM_KEY)
        told = f'{{"a": "{spelt}", "b": "{whole}", "c": "{spelt[:20]}!", "d": "{whole[:-1]}"}}'
        with (
            canned(told.encode(), kind="application/json", size=size) as upstream,
            running(upstream.url, Guard([]), **OWN_KEY) as served,
        ):
            found = served.client.get("/v1/models", headers=SHOWN)
        assert found.text == told.replace(spelt, "[key]").replace(whole, "[key]")


class TestUpstreamErrors:
    def test_a_long_error_is_not_handed_on(self):
        """Its status is; the words are ours."""
        with (
            canned(b"x" * 300_000, kind="text/html", status="500 Oops") as upstream,
            running(upstream.url, Guard([])) as served,
        ):
            found = served.chat()
        assert (found.status_code, found.json()["error"]["code"]) == (500, "upstream_error_too_long")

    def test_a_short_one_is(self):
        """As it came."""
        with (
            canned(
                b'{"error": {"message": "no such model"}}', kind="application/json", status="404 Not Found"
            ) as upstream,
            running(upstream.url, Guard([])) as served,
        ):
            found = served.chat()
        assert (found.status_code, found.json()) == (404, {"error": {"message": "no such model"}})


class TestSmuggling:
    """No bytes of one request may be read as another."""

    @pytest.mark.parametrize(
        ("head", "status"),
        [
            (b"content-length: 4\r\ntransfer-encoding: chunked", 400),
            (b"transfer-encoding: chunked\r\ncontent-length: 4", 400),
            (b"content-length: 4\r\ncontent-length: 5", 400),
            (b"content-length: 4, 5", 400),
            (b"content-length: +4", 400),
            (b"content-length: -1", 400),
            (b"content-length: 0x4", 400),
            (b"transfer-encoding: chunked, identity", 400),
            (b"transfer-encoding: xchunked", 400),
            (b"transfer-encoding : chunked", 400),
            (b"x-a: b\x00c", 400),
            (b"x a: b", 400),
            (b"host: 127.0.0.1", 400),
        ],
    )  # fmt: skip
    def test_a_request_of_unclear_length_is_refused(self, guarded, head, status):
        """And the connection is closed, so that what follows is nobody's request."""
        served = guarded()
        behind = b"0\r\n\r\nGET /metrics HTTP/1.1" + HOST + b"\r\n\r\n"
        said = sent(
            served.port, b"POST /v1/guardrail/check HTTP/1.1" + HOST + b"\r\n" + head + b"\r\n\r\n" + behind
        )
        assert statuses(said) == [status]

    def test_a_folded_header_is_one_line(self, guarded):
        """What is folded into a value is no header of its own."""
        served = guarded()
        folded = b"x-a: b\r\n transfer-encoding: chunked\r\ncontent-length: 15\r\nconnection: close"
        said = sent(
            served.port,
            b"POST /v1/guardrail/check HTTP/1.1" + HOST + b"\r\n" + folded + b"\r\n\r\n" + b'{"answer": "a"}',
        )
        assert statuses(said) == [200]

    def test_pipelined_requests_are_answered_in_order(self, guarded):
        """Each for itself."""
        served = guarded()
        one = b"GET /healthz HTTP/1.1" + HOST + b"\r\n\r\n"
        two = b"GET /v1/responses/r HTTP/1.1" + HOST + b"\r\nconnection: close\r\n\r\n"
        assert statuses(sent(served.port, one + one + two)) == [200, 200, 501]

    def test_a_chunk_of_endless_extensions_is_refused(self, guarded):
        """Its head is bounded as that of a request."""
        served = guarded()
        head = b"POST /v1/guardrail/check HTTP/1.1" + HOST + b"\r\ntransfer-encoding: chunked\r\n\r\n"
        said = sent(served.port, head + b"1;" + b"a" * 200_000)
        assert 200 not in statuses(said)
        assert served.is_idle()

    @pytest.mark.parametrize(
        "head", [b"x: " + b"a" * 200_000, b"\r\n".join(b"x%d: a" % n for n in range(20_000))]
    )
    def test_a_huge_head_is_refused(self, guarded, head):
        """Before anything is read into memory for good."""
        served = guarded()
        said = sent(served.port, b"GET /healthz HTTP/1.1" + HOST + b"\r\n" + head + b"\r\n\r\n")
        assert statuses(said) in ([400], [431], [])  # it may be reset before the answer is read
        assert served.client.get("/healthz").status_code == 200


class TestTargets:
    @pytest.mark.parametrize(
        "target",
        [
            b"/v1/../v1/models", b"/v1/models/%2e%2e/x", b"/v1/models%2f..%2fx", b"/v1/%6dodels", b"//up.example/v1/models",
            b"/v1//models", b"/v1/models/", b"/v1/models;x", b"/v1/models\\x", b"http://up.example/v1/models", b"https://127.0.0.1/v1/models",
            b"*", b"up.example:443", b"/V1/../models", b"/v1/models/.", b"/v1/models/..", b"/v1/models%00", b"/v1/models%0d%0ax",
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("method", [b"GET", b"POST", b"OPTIONS"])
    def test_nothing_else_reaches_the_upstream(self, target, method):
        """No dots, escapes, empty segments or whole URLs."""
        with canned(b"{}", kind="application/json") as upstream, running(upstream.url, Guard([])) as served:
            said = sent(
                served.port, method + b" " + target + b" HTTP/1.1" + HOST + b"\r\nconnection: close\r\n\r\n"
            )
            assert statuses(said) == [400]
            assert upstream.asked == []

    @pytest.mark.parametrize("query", [b"?a=b#c", b"?#"])
    def test_a_query_that_is_none_is_refused(self, query):
        """It was a 500."""
        with canned(b"{}", kind="application/json") as upstream, running(upstream.url, Guard([])) as served:
            head = b"GET /v1/models" + query + b" HTTP/1.1" + HOST
            assert statuses(sent(served.port, head + b"\r\nconnection: close\r\n\r\n")) == [400]
            assert upstream.asked == []

    def test_a_header_goes_up_as_it_came(self):
        """Whatever its bytes: it was a 500."""
        with canned(b"{}", kind="application/json") as upstream, running(upstream.url, Guard([])) as served:
            head = b"GET /v1/models HTTP/1.1" + HOST + b"\r\nx-title: caf\xe9"
            assert statuses(sent(served.port, head + b"\r\nconnection: close\r\n\r\n")) == [200]
            assert "\r\nx-title: caf\u00e9\r\n" in upstream.asked[0][0]

    def test_a_proxy_is_not_made_of_it(self, guarded):
        """CONNECT opens no tunnel, and an upgrade is none."""
        served = guarded()
        assert statuses(sent(served.port, b"CONNECT up.example:443 HTTP/1.1" + HOST + b"\r\n\r\n"))[0] >= 400
        upgrade = (
            b"GET /v1/realtime HTTP/1.1"
            + HOST
            + b"\r\nupgrade: websocket\r\nconnection: upgrade, close\r\n\r\n"
        )
        assert statuses(sent(served.port, upgrade)) == [501]


class TestBombs:
    @pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "gzip, gzip", "x-gzip"])
    def test_a_compressed_answer_is_not_unpacked(self, encoding):
        """We asked for none."""
        kind = f"application/json\r\ncontent-encoding: {encoding}"
        with canned(b"\x00" * 10, kind=kind) as upstream, running(upstream.url, Guard([])) as served:
            for found in (served.chat(), served.client.get("/v1/models")):
                assert (found.status_code, found.json()["error"]["code"]) == (502, "upstream_encoding")

    @pytest.mark.parametrize("size", [1_000, 100_000])
    def test_an_endless_answer_ends(self, size):
        """At so many bytes."""
        with (
            canned(b"x" * 200_000, kind="application/json", size=size) as upstream,
            running(upstream.url, Guard([]), answer_limit=10_000) as served,
        ):
            found = served.chat()
        assert (found.status_code, found.json()["error"]["code"]) == (502, "answer_too_long")

    def test_a_deep_answer_is_unreadable(self):
        """And no stack overflows."""
        with (
            canned(b"[" * 100_000, kind="application/json") as upstream,
            running(upstream.url, Guard([])) as served,
        ):
            found = served.chat()
        assert (found.status_code, found.json()["error"]["code"]) == (502, "upstream_unreadable")

    def test_a_deep_request_is_refused(self, guarded):
        """Likewise."""
        found = guarded().client.post("/v1/chat/completions", content=b'{"a":' * 100_000)
        assert found.status_code == 400

    def test_secrets_stay_out_of_errors(self):
        """An answer that cannot be read is not quoted."""
        with (
            canned(f'{{"choices": "{SECRET}"'.encode(), kind="application/json") as upstream,
            running(upstream.url, Guard([])) as served,
        ):
            assert SECRET not in served.chat().text
