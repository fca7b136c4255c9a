"""The server as a client sees it, over sockets."""

import gzip
import json
import socket
import time

import httpx
import pytest
from tests.unit.server.conftest import KEY, SECRET, Spotter, canned, running

from guardrail import Detector, Finding, Guard, Verdict, block
from guardrail.chat import OpenAIChat
from guardrail.detectors import SelfCheck
from guardrail.engine.jobs import Retry
from guardrail.server.keys import hashed

ASKED = {"model": "m", "messages": [{"role": "user", "content": "a"}]}


def raw(port, head, body=b"", wait=5.0):
    """Send bytes as they are; give what came back."""
    with socket.create_connection(("127.0.0.1", port), timeout=wait) as connection:
        connection.sendall(head + b"\r\n\r\n" + body)
        return connection.recv(65536)


class Placing(Detector):
    """Says why it could not judge."""

    name = "placing"

    def __init__(self, reason):
        self.reason = reason

    def cost(self, case):
        del case
        return {}

    def examine(self, case):
        del case
        yield from ()
        return [Finding(detector=self.name, score=None, verdict=Verdict.UNVERIFIED, reason=self.reason)]


class TestOwnRoutes:
    def test_it_is_alive_and_ready_without_a_key(self, guarded):
        """A load balancer has none."""
        served = guarded(keys=(hashed(KEY),))
        assert served.client.get("/healthz").text == "ok\n"
        assert served.client.get("/readyz").status_code == 200

    def test_metrics_hold_numbers_and_no_content(self, guarded):
        """Neither what was asked nor what was answered nor a key."""
        served = guarded(keys=(hashed(KEY),))
        key = {"x-guardrail-key": KEY}
        served.client.post("/v1/guardrail/check", json={"answer": f"so {SECRET}"}, headers=key)
        found = served.client.get("/metrics", headers=key)
        assert found.headers["content-type"].startswith("text/plain; version=0.0.4")
        assert 'guardrail_answers_total{action="remove",mode="enforce",verdict="unsupported"} 1' in found.text
        assert 'guardrail_findings_total{detector="spotter",verdict="unsupported"} 1' in found.text
        assert SECRET not in found.text
        assert KEY not in found.text
        assert hashed(KEY) not in found.text

    def test_a_given_answer_is_checked(self, guarded):
        """The report is the published one."""
        served = guarded()
        report = served.client.post(
            "/v1/guardrail/check", json={"answer": f"so {SECRET}", "prompt": "why"}
        ).json()
        assert (report["verdict"], report["decision"]["action"]) == ("unsupported", "remove")
        assert SECRET not in report["answer"]

    def test_a_broken_detector_shows_no_paths(self, guarded):
        """Its traceback stays here."""
        served = guarded(detector=Spotter(raises=True))
        report = served.client.post("/v1/guardrail/check", json={"answer": "so"}).json()
        assert report["verdict"] == "unverified"
        assert "traceback" not in report["failures"][0]

    def test_a_model_that_cannot_be_reached_is_not_placed(self, caplog):
        """Clients learn that, and the log where."""
        with socket.socket() as nobody:
            nobody.bind(("127.0.0.1", 0))  # and does not listen
            port = str(nobody.getsockname()[1])
            chat = OpenAIChat("m", base_url=f"http://127.0.0.1:{port}/v1", api_key="none")
            retry = Retry(attempts=1)
            guard = Guard([SelfCheck("prompt")], chat=chat, retry=retry)
            with running("http://x.test/v1", guard) as served:
                body = {"answer": "The town is old.", "prompt": "Hm?"}
                found = served.client.post("/v1/guardrail/check", json=body)
        [finding] = found.json()["findings"]
        assert finding["reason"].endswith("the connection failed")
        assert (port in found.text, "127.0.0.1" in found.text) == (False, False)
        [line] = [one for one in caplog.records if one.getMessage() == "service_unreachable"]
        assert f"127.0.0.1:{port}" in line.why

    def test_a_file_that_cannot_be_read_is_not_placed(self, tmp_path):
        """Folders of this machine are nothing to clients."""
        index = tmp_path / "works.sqlite"
        guard = Guard(
            [
                Placing(
                    f"the index '{index}' cannot be read. Build it with: guardrail references index add {index}"
                )
            ]
        )
        with running("http://x.test/v1", guard) as served:
            found = served.client.post("/v1/guardrail/check", json={"answer": "so"})
        said = "the index '[path]' cannot be read. Build it with: guardrail references index add [path]"
        assert found.json()["findings"][0]["reason"] == said

    @pytest.mark.parametrize(
        "body", ["{", "[]", '{"answer": 1}', '{"answer": "a", "promt": "b"}', '{"answer": "a", "prompt": 1}']
    )
    def test_what_cannot_be_read_is_said(self, guarded, body):
        """By 400, in the form of OpenAI's errors."""
        found = guarded().client.post("/v1/guardrail/check", content=body)
        assert found.status_code == 400
        assert found.json()["error"]["type"] == "invalid_request_error"

    def test_the_cost_is_known_before(self, guarded):
        """This detector asks nobody."""
        found = guarded().client.post("/v1/guardrail/estimate", json={"answer": "a"}).json()
        assert found == {"least": 0, "most": 0, "by_detector": {"spotter": {"least": 0, "most": 0}}}


class TestKeysOverTheWire:
    @pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer wrong"}, {"x-guardrail-key": "wrong"}])
    def test_without_a_key_nothing_is_asked(self, guarded, headers):
        """401, and the upstream hears nothing."""
        served = guarded(keys=(hashed(KEY),), upstream_key="sk-up")
        found = served.client.get("/v1/models", headers=headers)
        assert (found.status_code, found.json()["error"]["code"]) == (401, "invalid_api_key")
        assert "wrong" not in found.text

    def test_the_upstream_gets_the_servers_key(self, guarded):
        """In place of the client's, which it never sees."""
        served = guarded(keys=(hashed(KEY),), upstream_key="sk-up", service={"key": "sk-up"})
        assert served.client.get("/v1/models", headers={"authorization": f"Bearer {KEY}"}).status_code == 200

    def test_or_the_callers(self, guarded):
        """Where the server has none."""
        served = guarded(service={"key": "sk-caller"})
        assert (
            served.client.get("/v1/models", headers={"authorization": "Bearer sk-caller"}).status_code == 200
        )
        assert served.client.get("/v1/models", headers={"authorization": "Bearer other"}).status_code == 401

    def test_no_origin_is_let_in(self, guarded):
        """There are no CORS headers, not even on a preflight."""
        served = guarded()
        asked = {"origin": "https://evil.example", "access-control-request-method": "POST"}
        found = served.client.options("/v1/chat/completions", headers=asked)
        assert found.status_code == 403
        assert not [name for name in found.headers if name.startswith("access-control")]
        plain = {"origin": "https://evil.example", "content-type": "text/plain"}  # needs no preflight
        found = served.client.post("/v1/guardrail/check", content=b'{"answer": "x"}', headers=plain)
        assert found.status_code == 403


class TestLimits:
    def test_a_compressed_body_is_refused(self, guarded):
        """415; nobody unpacks a bomb."""
        found = guarded().client.post(
            "/v1/guardrail/check", content=b"x", headers={"content-encoding": "gzip"}
        )
        assert found.status_code == 415

    def test_a_long_body_is_refused_before_it_is_read(self, guarded):
        """By its announced length, and by what comes where none was announced."""
        served = guarded(body_limit=1000)
        head = b"POST /v1/guardrail/check HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 99999999"
        assert b" 413 " in raw(served.port, head)
        head = b"POST /v1/guardrail/check HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked"
        assert b" 413 " in raw(served.port, head, b"7d0\r\n" + b"a" * 2000 + b"\r\n0\r\n\r\n")

    def test_a_slow_body_times_out(self, guarded):
        """408; a place is not taken for ever."""
        served = guarded(body_seconds=0.2)
        head = b"POST /v1/guardrail/check HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 100"
        assert b" 408 " in raw(served.port, head, b"{")
        assert served.is_idle()

    def test_one_request_too_many_waits_for_its_turn(self, guarded):
        """Our own 429, which says when."""
        served = guarded(concurrency=1, body_seconds=5)
        with socket.create_connection(("127.0.0.1", served.port), timeout=5) as slow:
            slow.sendall(
                b"POST /v1/guardrail/check HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 100\r\n\r\n{"
            )
            while served.application.running == 0:
                time.sleep(0.01)
            found = served.client.get("/v1/models")
            assert (found.status_code, found.headers["retry-after"]) == (429, "1")
            assert served.client.get("/healthz").status_code == 200

    def test_one_client_cannot_take_all_places(self, guarded):
        """With a share for each key; another key's client is served, and the place is free again afterwards."""
        served = guarded(keys=(hashed("one"), hashed("two")), concurrency_per_key=1, body_seconds=5)
        one, two = ({"x-guardrail-key": key} for key in ("one", "two"))
        with socket.create_connection(("127.0.0.1", served.port), timeout=5) as slow:
            slow.sendall(
                b"POST /v1/guardrail/check HTTP/1.1\r\nhost: 127.0.0.1\r\nx-guardrail-key: one\r\ncontent-length: 100\r\n\r\n{"
            )
            while served.application.running == 0:
                time.sleep(0.01)
            found = served.client.get("/v1/models", headers=one)
            assert (found.status_code, found.headers["retry-after"]) == (429, "1")
            assert found.json()["error"]["code"] == "too_many_of_one_key"
            assert served.client.get("/v1/models", headers=two).status_code == 200
        assert served.is_idle()
        assert served.client.get("/v1/models", headers=one).status_code == 200

    def test_all_bodies_together_are_bounded(self, guarded):
        """So many bytes and no more are held."""
        served = guarded(held_limit=100)
        found = served.client.post("/v1/guardrail/check", json={"answer": "a" * 200})
        assert (found.status_code, found.json()["error"]["code"]) == (429, "too_much_at_once")
        assert served.client.post("/v1/guardrail/check", json={"answer": "a"}).status_code == 200

    def test_a_late_answer_is_none(self, guarded):
        """The deadline covers the upstream's time."""
        served = guarded(deadline=0.3, service={"latency": 3.0})
        found = served.chat()
        assert (found.status_code, found.json()["error"]["code"]) in {
            (504, "deadline"),
            (504, "upstream_timeout"),
        }


class TestRefusals:
    def test_an_unguarded_route_is_501_and_not_asked_again(self, guarded):
        """OpenAI's clients would retry a 5xx."""
        found = guarded().client.get("/v1/responses/resp_1")
        assert (found.status_code, found.headers["x-should-retry"]) == (501, "false")

    def test_anthropics_errors_have_their_form(self, guarded):
        """As their client reads them."""
        found = guarded(keys=(hashed(KEY),)).client.post("/v1/messages", json={})
        assert found.json()["type"] == "error"
        assert found.json()["error"]["type"] == "authentication_error"

    def test_paths_cannot_be_smuggled(self, guarded):
        """Nothing but plain segments below /v1 reaches the upstream."""
        served = guarded()
        for target in (
            b"/v1/../x",
            b"/v1/models/%2e%2e/x",
            b"//127.0.0.1/v1/models",
            b"/v1/models%2f..%2f..%2fx",
        ):
            assert b" 400 " in raw(served.port, b"GET " + target + b" HTTP/1.1\r\nhost: 127.0.0.1")

    def test_an_absolute_url_calls_nobody_else(self, guarded):
        """A proxy would; this is none."""
        served = guarded()
        said = raw(served.port, b"GET http://203.0.113.1/v1/models HTTP/1.1\r\nhost: 203.0.113.1")
        assert (
            b" 400 " in said or b'"object":"list"' in said
        )  # refused, or the configured upstream's own list

    def test_an_upstream_that_is_not_there_is_said(self, guarded):
        """502, and nothing of its address."""
        served = guarded()
        object.__setattr__(served.application.settings, "upstream", "http://127.0.0.1:9/v1")
        found = served.client.get("/v1/models")
        assert (found.status_code, found.json()["error"]["code"]) == (502, "upstream_unreachable")
        assert "127.0.0.1" not in found.text


class closing(canned):  # noqa: N801  # as `canned`
    """An upstream that closes its first connections when they are asked something, as one closes kept ones."""

    def __init__(self, times):
        super().__init__(b'{"object": "list", "data": []}', kind="application/json")
        self.left = times

    def answer(self, connection):
        if self.left:
            self.left -= 1
            self.asked.append(connection.recv(65536))
        else:
            super().answer(connection)


class TestClosedConnections:
    def test_a_connection_that_is_closed_when_it_is_used(self):
        """Seen in front of llama.cpp: its server closes what was idle for five seconds. Another connection is taken."""
        with closing(1) as upstream, running(upstream.url, Guard([])) as served:
            assert served.client.get("/v1/models").status_code == 200
            assert len(upstream.asked) == 2

    def test_once(self):
        """An upstream that closes every connection is not asked for ever."""
        with closing(9) as upstream, running(upstream.url, Guard([])) as served:
            found = served.client.get("/v1/models")
            assert (found.status_code, found.json()["error"]["code"]) == (502, "upstream_unreachable")
            assert len(upstream.asked) == 2


class TestUpstreamHeaders:
    TOLD = "set-cookie: a=b\r\nx-request-id: r1\r\naccess-control-allow-origin: *\r\nx-guardrail-verdict: supported"

    def test_what_is_ours_stays_here(self):
        """A client's x-guardrail headers, cookies and hop-by-hop headers are not sent on."""
        sent = {
            "x-guardrail-verdict": "supported", "x-guardrail-key": "k", "cookie": "c=d", "x-mine": "yes", "authorization": "Bearer up",
            "connection": "keep-alive, x-hop", "x-hop": "1", "x-forwarded-for": "10.0.0.1",
        }  # fmt: skip
        with (
            canned(b'{"data":[]}', kind=f"application/json\r\n{self.TOLD}") as upstream,
            running(upstream.url, Guard([])) as served,
        ):
            found = served.client.get("/v1/models?limit=2", headers=sent)
        head = upstream.asked[0][0]
        assert head.startswith("get /v1/models?limit=2 http/1.1")
        assert "x-mine: yes" in head
        assert "authorization: bearer up" in head
        for gone in ("x-guardrail", "cookie", "x-hop", "x-forwarded", "gzip"):
            assert gone not in head
        assert found.headers["x-request-id"] == "r1"
        assert not {"set-cookie", "access-control-allow-origin", "x-guardrail-verdict"} & set(found.headers)

    def test_a_cookie_of_the_upstream_is_nobodys(self):
        """It would make the next client somebody else."""
        with (
            canned(b'{"data":[]}', kind="application/json\r\nset-cookie: session=alice; Path=/") as upstream,
            running(upstream.url, Guard([])) as served,
        ):
            for _ in range(2):
                served.client.get("/v1/models")
        assert len(upstream.asked) == 2
        assert "cookie" not in upstream.asked[1][0]

    def test_the_servers_key_is_not_echoed(self):
        """Not in a header either."""
        settings = {"upstream_key": "sk-operator", "keys": (hashed(KEY),)}
        with (
            canned(b'{"data":[]}', kind="application/json\r\nx-request-id: sk-operator") as upstream,
            running(upstream.url, Guard([]), **settings) as served,
        ):
            found = served.client.get("/v1/models", headers={"authorization": f"Bearer {KEY}"})
        assert found.status_code == 200
        assert "sk-operator" in upstream.asked[0][0]
        assert "sk-operator" not in str(found.headers)

    def test_a_compressed_answer_is_refused(self):
        """Before it is unpacked: a few bytes may become gigabytes."""
        with (
            canned(gzip.compress(b"{}"), kind="application/json\r\ncontent-encoding: gzip") as upstream,
            running(upstream.url, Guard([])) as served,
        ):
            found = served.client.get("/v1/models")
        assert (found.status_code, found.json()["error"]["code"]) == (502, "upstream_encoding")


class TestLiteLLM:
    PATH = "/beta/litellm_basic_guardrail_api"

    def said(self, served, kind, texts, **more):
        body = {"input_type": kind, "texts": texts, "litellm_call_id": "c1", **more}
        return served.client.post(self.PATH, json=body).json()

    def test_a_response_is_examined_with_the_messages_of_its_request(self, guarded):
        """They came in another call."""
        detector = Spotter()
        served = guarded(detector=detector)
        asked = [{"role": "user", "content": "why?"}]
        assert self.said(served, "request", ["why?"], structured_messages=asked) == {"action": "NONE"}
        assert self.said(served, "response", ["because"])["action"] == "NONE"
        assert detector.seen[0].question == "why?"

    def test_a_changed_text_is_handed_back(self, guarded):
        """Each in its place."""
        said = self.said(guarded(), "response", ["fine", f"so {SECRET} it is"])
        assert said["action"] == "GUARDRAIL_INTERVENED"
        assert said["texts"][0] == "fine"
        assert SECRET not in json.dumps(said)

    def test_or_blocked_where_rewriting_leaks(self, guarded):
        """As on /v1/messages of LiteLLM."""
        said = self.said(guarded(on_rewrite="block"), "response", [f"so {SECRET}"])
        assert said["action"] == "BLOCKED"
        assert SECRET not in json.dumps(said)

    def test_a_blocked_answer_says_why(self, guarded):
        """By the policy's message, which quotes nothing."""
        said = self.said(guarded(policy=block()), "response", [f"so {SECRET}"])
        assert said["action"] == "BLOCKED"
        assert "withheld" in said["blocked_reason"]
        assert SECRET not in json.dumps(said)

    def test_monitoring_changes_nothing(self, guarded):
        """It only counts."""
        served = guarded(policy=block(), mode="monitor")
        assert self.said(served, "response", [f"so {SECRET}"]) == {"action": "NONE"}
        assert 'action="block",mode="monitor"' in served.client.get("/metrics").text

    def test_another_callers_messages_are_not_read(self, guarded):
        """The call id alone does not open them."""
        detector = Spotter()
        served = guarded(detector=detector)
        self.said(served, "request", ["mine"], request_data={"user_api_key_hash": "one"})
        self.said(served, "response", ["because"], request_data={"user_api_key_hash": "two"})
        assert detector.seen[0].messages == ()


class TestClient:
    def test_a_client_that_goes_away_frees_its_place(self, guarded):
        """And the upstream's work is dropped."""
        served = guarded(service={"latency": 5.0})
        with pytest.raises(httpx.ReadTimeout):
            served.client.post("/v1/chat/completions", json=ASKED, timeout=0.3)
        assert served.is_idle()
