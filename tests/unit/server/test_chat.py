"""Chat completions through the server, plain and streaming."""

import json
import socket
import threading
import time

import httpx
import pytest
from tests.unit.server.conftest import FORBIDDEN, SECRET, Spotter, canned, running

from guardrail import Guard, annotate, block, flag, regenerate, remove
from guardrail.detectors import ReferenceCheck

SAID = f"Rivers flow. See {SECRET} for more. They end in seas."


def events(text):
    """The data of each event of a stream."""
    return [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]


def streamed(text, index=0):
    """The text of one choice of a stream."""
    found = [json.loads(data) for data in events(text) if data != "[DONE]"]
    return "".join(
        choice["delta"].get("content") or ""
        for one in found
        for choice in one["choices"]
        if choice["index"] == index
    )


class TestPlain:
    def test_a_clean_answer_is_handed_on(self, guarded):
        """With the report beside it."""
        found = guarded(lambda _: "Rivers flow.").chat()
        assert found.status_code == 200
        assert found.json()["choices"][0]["message"]["content"] == "Rivers flow."
        assert found.headers["x-guardrail-action"] == "pass"
        assert found.headers["x-guardrail-findings"] == "0"

    def test_what_is_made_up_is_cut(self, guarded):
        """The rest stays, as do usage and id."""
        found = guarded(lambda _: SAID).chat()
        body = found.json()
        assert SECRET not in found.text
        assert body["choices"][0]["message"]["content"].startswith("Rivers flow.")
        assert body["usage"]["completion_tokens"] > 0
        assert (found.headers["x-guardrail-verdict"], found.headers["x-guardrail-action"]) == (
            "unsupported",
            "remove",
        )
        assert body["guardrail"]["action"] == "remove"

    def test_a_blocked_answer_is_a_content_filter(self, guarded):
        """Status 200, so that clients' own handling sets in."""
        found = guarded(lambda _: SAID, policy=block()).chat()
        choice = found.json()["choices"][0]
        assert (found.status_code, choice["finish_reason"]) == (200, "content_filter")
        assert SECRET not in found.text

    def test_it_is_asked_again_with_one_choice(self, guarded):
        """With the feedback as a further message; the better attempt is shown."""
        calls = []

        def replies(call):
            calls.append(call)
            return SAID if len(calls) == 1 else "Rivers flow."

        found = guarded(replies, policy=regenerate(1) | remove()).chat()
        assert found.json()["choices"][0]["message"]["content"] == "Rivers flow."
        assert found.json()["guardrail"]["attempts"] == 2
        assert calls[1].body.get("n", 1) == 1
        assert len(calls[1].messages) > len(calls[0].messages)

    def test_each_choice_is_examined_alone(self, guarded):
        """One is cut, the other stays."""
        found = guarded(lambda call: SAID if call.draw else "Rivers flow.").chat(n=2)
        texts = [choice["message"]["content"] for choice in found.json()["choices"]]
        assert texts[0] == "Rivers flow."
        assert SECRET not in found.text
        assert texts[1].startswith("Rivers flow.")

    def test_log_probabilities_spell_nothing_out(self, guarded):
        """They go when the text changed, and stay when it did not."""
        found = guarded(lambda _: SAID).chat(logprobs=True, top_logprobs=2)
        assert not found.json()["choices"][0]["logprobs"]
        kept = guarded(lambda _: "Rivers flow.").chat(logprobs=True, top_logprobs=2)
        assert kept.json()["choices"][0]["logprobs"]["content"]

    def test_a_mark_is_put_behind_what_is_made_up(self, guarded):
        """In the text itself."""
        content = guarded(lambda _: SAID, policy=annotate()).chat().json()["choices"][0]["message"]["content"]
        assert f"{SECRET} [made up" in content

    @pytest.mark.parametrize(("fail", "shown"), [("closed", False), ("open", True)])
    def test_a_broken_check_does_what_the_policy_says(self, guarded, fail, shown):
        """Closed withholds the answer, open shows it as unverified."""
        guard = Guard([Spotter(raises=True)], policy=remove(), on_unverified="allow", fail=fail)
        found = guarded(lambda _: "Rivers flow.", guard=guard).chat()
        assert ("Rivers flow." in found.text) is shown
        assert found.headers["x-guardrail-verdict"] == "unverified"

    def test_audio_cannot_be_examined(self, guarded):
        """So it is refused."""
        assert guarded().chat(modalities=["text", "audio"]).status_code == 501


class TestStructured:
    def test_references_in_json_are_read_with_their_fields(self, canned_answer, tmp_path):
        """An entry that is made up goes whole; string by string, none of them would be a reference."""
        library = tmp_path / "refs.bib"
        library.write_text(
            "@book{c, title={Silent Spring}, author={Rachel Carson}, year={1962}}", encoding="utf-8"
        )
        real = {"title": "Silent Spring", "authors": ["Rachel Carson"], "year": 1962}
        false = {"title": "Silent Spring", "authors": ["John Smith"], "year": 1962}
        served = canned_answer(
            "/v1/chat/completions",
            json.dumps({"references": [real, false]}),
            detector=ReferenceCheck(bibliography=library),
        )
        asked = {"model": "m", "messages": [], "response_format": {"type": "json_object"}}
        body = served.client.post("/v1/chat/completions", json=asked).json()
        assert json.loads(body["choices"][0]["message"]["content"]) == {"references": [real]}


class TestStream:
    def test_a_clean_answer_streams(self, guarded):
        """And ends as such streams end."""
        found = guarded(lambda _: "Rivers flow.").chat(stream=True)
        assert found.headers["content-type"].startswith("text/event-stream")
        assert streamed(found.text) == "Rivers flow."
        assert events(found.text)[-1] == "[DONE]"
        assert "x-guardrail-verdict" not in found.headers

    def test_the_report_rides_on_the_last_chunk(self, guarded):
        """The one with the finish_reason."""
        found = guarded(lambda _: SAID).chat(stream=True)
        chunks = [json.loads(data) for data in events(found.text)[:-1]]
        assert chunks[-1]["guardrail"]["action"] == "remove"
        assert chunks[-1]["choices"][0]["finish_reason"] == "stop"

    def test_a_blocked_stream_ends_by_content_filter(self, guarded):
        """The policy's message is its text."""
        found = guarded(lambda _: SAID, policy=block()).chat(stream=True)
        reasons = [
            choice["finish_reason"]
            for data in events(found.text)[:-1]
            for choice in json.loads(data)["choices"]
        ]
        assert reasons[-1] == "content_filter"
        assert SECRET not in found.text

    def test_it_is_kept_alive_while_it_is_held_back(self, guarded):
        """The status comes first, then comments, then the answer."""
        served = guarded(lambda _: "Rivers flow on.", service={"pace": 0.3}, keepalive_seconds=0.1)
        asked = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "a"}]}
        with served.client.stream("POST", "/v1/chat/completions", json=asked) as response:
            assert response.status_code == 200
            text = "".join(response.iter_text())
        assert text.startswith(": keep-alive\n")
        assert streamed(text) == "Rivers flow on."

    def test_each_choice_of_a_stream_is_examined(self, guarded):
        """By its index."""
        found = guarded(lambda call: SAID if call.draw else "Rivers flow.").chat(stream=True, n=2)
        assert streamed(found.text, 0) == "Rivers flow."
        assert SECRET not in streamed(found.text, 1)

    def test_usage_comes_where_it_was_asked_for(self, guarded):
        """In a last chunk."""
        found = guarded(lambda _: SAID).chat(stream=True, stream_options={"include_usage": True})
        assert any(json.loads(data).get("usage") for data in events(found.text)[:-1])


class TestMonitor:
    @pytest.mark.parametrize("stream", [False, True])
    def test_it_changes_no_byte(self, guarded, stream):
        """The client gets what the upstream sent; the metrics know what would have been done."""
        served = guarded(lambda _: SAID, mode="monitor", policy=block())
        asked = {"model": "m", "stream": stream, "messages": [{"role": "user", "content": "a"}]}
        if stream:
            assert streamed(served.chat("a", stream=True).text) == SAID
        else:
            assert served.chat("a").json()["choices"][0]["message"]["content"] == SAID
        found = served.chat("a", stream=stream)
        direct = httpx.post(
            f"{served.application.settings.upstream}/chat/completions", json=asked, trust_env=False
        )
        same = [text.replace("-1", "-2").replace("-0", "-2") for text in (found.text, direct.text)]
        assert same[0] == same[1]
        until = time.monotonic() + 5
        while 'mode="monitor"' not in served.client.get("/metrics").text and time.monotonic() < until:
            time.sleep(0.05)
        assert (
            'guardrail_answers_total{action="block",mode="monitor",verdict="unsupported"}'
            in served.client.get("/metrics").text
        )

    def test_a_broken_guard_is_not_noticed(self, guarded):
        """The answer passes."""
        served = guarded(lambda _: "Rivers flow.", mode="monitor", detector=Spotter(raises=True))
        assert "Rivers flow." in served.chat().text


class TestFaults:
    @pytest.mark.parametrize("stream", [False, True])
    @pytest.mark.parametrize(("fault", "status"), [("rate_limit", 429), ("server_error", 500)])
    def test_an_upstreams_error_keeps_status_and_body(self, guarded, fault, status, stream):
        """And says when to ask again."""
        found = guarded(service={"faults": {fault: 1.0}}).chat(stream=stream)
        assert found.status_code == status
        assert "error" in found.json()
        if status == 429:
            assert found.headers["retry-after"] == "1"

    @pytest.mark.parametrize("fault", ["cut", "malformed", "content_type"])
    def test_what_cannot_be_read_is_never_passed_on(self, guarded, fault):
        """502."""
        assert guarded(service={"faults": {fault: 1.0}}).chat().status_code == 502

    @pytest.mark.parametrize("fault", ["cut", "malformed"])
    def test_a_cut_stream_ends_in_an_error(self, guarded, fault):
        """Never in a normal end."""
        found = guarded(service={"faults": {fault: 1.0}}).chat(stream=True)
        if found.status_code == 200:
            assert "error" in json.loads(events(found.text)[-1])
            assert "[DONE]" not in found.text
        else:
            assert found.status_code == 502

    def test_a_client_that_leaves_a_stream_frees_its_place(self, guarded):
        """Though the stream has begun and sends nothing but comments."""
        served = guarded(lambda _: "Rivers flow on and on.", service={"pace": 2.0}, keepalive="off")
        asked = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "a"}]}
        with served.client.stream("POST", "/v1/chat/completions", json=asked) as response:
            assert response.status_code == 200
        assert served.is_idle()


class TestNoLeak:
    @pytest.mark.parametrize("size", [1, 2, 7, 64, 100_000])
    def test_however_the_stream_was_cut_into_pieces(self, size):
        """Pieces of a network are no events, and characters of several bytes lie across them."""
        guard = Guard([Spotter()], policy=remove())
        sent = stream_of(f"Flüsse fließen 🌊. See {SECRET}. Ende.")
        with canned(sent, size=size) as upstream, running(upstream.url, guard) as served:
            found = served.chat(stream=True)
        assert [word for word in FORBIDDEN if word in found.content] == []
        assert streamed(found.text).startswith("Flüsse fließen 🌊.")
        assert events(found.text)[-1] == "[DONE]"

    def test_a_flag_leaves_the_text(self, guarded):
        """The check of this test: where the policy changes nothing, the bytes are there."""
        found = guarded(lambda _: SAID, policy=flag()).chat()
        assert all(word in found.content for word in FORBIDDEN)


def stream_of(text):
    """Chunks of one character each, as bytes."""
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    chunks = [{"role": "assistant", "content": ""}, *({"content": one} for one in text), {}]
    said = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None if delta else "stop"}]}
        for delta in chunks
    ]
    lines = [f"data: {json.dumps(one, ensure_ascii=False)}\n\n" for one in said]
    return "".join([*lines, "data: [DONE]\n\n"]).encode()


class TestUpstreamIsLeft:
    @pytest.mark.parametrize("mode", ["enforce", "monitor"])
    @pytest.mark.parametrize("stream", [False, True])
    def test_the_upstream_notices_that_the_client_left(self, mode, stream):
        """Its connection is closed, so that it stops writing."""
        left = threading.Event()
        listener = socket.create_server(("127.0.0.1", 0))

        def upstream():
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                kind = b"text/event-stream" if stream else b"application/json"
                head = b"HTTP/1.1 200 OK\r\ncontent-type: " + kind + b"\r\ntransfer-encoding: chunked\r\n\r\n"
                connection.sendall(head + b"2\r\n: \r\n")
                connection.settimeout(5)
                while connection.recv(65536):
                    pass
                left.set()

        threading.Thread(target=upstream, daemon=True).start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        asked = {"model": "m", "stream": stream, "messages": [{"role": "user", "content": "a"}]}
        with listener, running(url, Guard([Spotter()]), mode=mode, keepalive="off") as served:
            with pytest.raises(httpx.ReadTimeout):
                served.client.post("/v1/chat/completions", json=asked, timeout=1.0)
            assert left.wait(5)
