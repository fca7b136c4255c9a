"""Streams that the server releases sentence by sentence."""

import json
import socket
import threading

import pytest
from tests.unit.server.conftest import FORBIDDEN, SECRET, canned, running
from tests.unit.server.test_chat import events, streamed

from guardrail import Detector, Finding, Guard, Verdict, annotate, block, flag, remove
from guardrail.detector import Ask, draws, each
from guardrail.requests import Completion
from guardrail.testing.messages import anthropic_message, message_stream
from guardrail.testing.responses import response, response_stream
from guardrail.text.claims import claims

SAID = f"Rivers flow to the sea. The town of {SECRET} is old. They end in seas. That is all."
CUT = "Rivers flow to the sea. They end in seas. That is all."


class BySentence(Detector):
    """Finds sentences with the words that must not be released."""

    name = "by-sentence"
    scope = "sentence"

    def __init__(self, *, samples=0):
        self.samples = samples
        self.seen = []

    def cost(self, case):
        del case
        return {}

    def ahead(self, case):
        if self.samples:
            yield from each(draws(Ask(case.messages, temperature=1.0), self.samples))

    def examine(self, case):
        yield from self.ahead(case)
        self.seen.append(case.answer)
        return [self.finding(span, span.of(case.answer)) for span in claims(case.answer)]

    def finding(self, span, text):
        bad = any(word in text for word in SECRET.split())
        verdict = Verdict.UNSUPPORTED if bad else Verdict.SUPPORTED
        return Finding(
            detector=self.name,
            span=span,
            text=text,
            score=float(bad),
            verdict=verdict,
            mark="made up" if bad else "",
        )


def chunks(text, size=5, *, last=True, **head):
    """A stream of chat completions as a service sends it."""
    head = {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "m", **head}
    pieces = [text[i : i + size] for i in range(0, len(text), size)]
    deltas = [{"role": "assistant", "content": ""}, *({"content": piece} for piece in pieces)]
    listed = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    listed += [{"index": 0, "delta": {}, "finish_reason": "stop"}] if last else []
    lines = [json.dumps({**head, "choices": [choice]}) for choice in listed]
    lines += ["[DONE]"] if last else []
    return "".join(f"data: {line}\n\n" for line in lines).encode()


class Paced:
    """An upstream that waits at a place in its stream until it may go on."""

    def __init__(self, before, after):
        self.parts = before, after
        self.go_on = threading.Event()
        self.gone = threading.Event()
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/v1"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        connection, _ = self.socket.accept()
        with self.socket, connection:
            read = b""
            while not read.endswith(b"}"):
                read += connection.recv(65536)
            head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
            connection.sendall(head + self.parts[0])
            self.go_on.wait(20)
            try:
                connection.sendall(self.parts[1])
            except OSError:
                self.gone.set()


@pytest.fixture
def upstream():
    made = []

    def make(body, **options):
        one = canned(body, **options)
        threading.Thread(target=one.serve, daemon=True).start()
        made.append(one)
        return one

    yield make
    for one in made:
        one.socket.close()


class TestText:
    @pytest.mark.parametrize("size", [1, 7, 1000])
    @pytest.mark.parametrize(
        "policy", [remove(), annotate(), flag(), remove() | annotate("unverified")], ids=str
    )
    def test_it_is_what_buffering_releases(self, upstream, policy, size):
        """For every chunking; what was cut is in no byte."""
        found = {}
        for mode in ("buffer", "sentence"):
            service = upstream(chunks(SAID, size))
            with running(service.url, Guard([BySentence()], policy=policy), stream=mode) as server:
                found[mode] = server.chat(stream=True)
        assert streamed(found["sentence"].text) == streamed(found["buffer"].text)
        assert found["sentence"].headers["content-type"].startswith("text/event-stream")
        last = [json.loads(data) for data in events(found["sentence"].text) if data != "[DONE]"][-1]
        assert last["choices"][0]["finish_reason"] == "stop"
        assert last["guardrail"]["verdict"] == "unsupported"
        if policy.__class__.__name__ != "Annotate" and "remove" in str(policy):
            assert not any(word in found["sentence"].content for word in FORBIDDEN)

    def test_a_sentence_is_out_before_the_answer_has_ended(self):
        """The model has not said the rest yet."""
        whole = chunks(SAID)
        place = whole.index(b"all")
        service = Paced(whole[:place], whole[place:])
        with (
            running(service.url, Guard([BySentence()], policy=remove()), stream="sentence") as server,
            server.client.stream(
                "POST", "/v1/chat/completions", json={"messages": [], "stream": True}
            ) as response,
        ):
            text = ""
            for piece in response.iter_text():
                text += piece
                if "They end in seas." in text and not service.go_on.is_set():
                    assert "That" not in text
                    service.go_on.set()
        assert service.go_on.is_set()
        assert streamed(text) == CUT

    def test_a_broken_stream_releases_nothing_unexamined(self, upstream):
        """The unfinished sentence is not shown, and the end is an error."""
        service = upstream(
            chunks(SAID.replace(" That is all.", f" Then {SECRET} said"), last=False), cut=True
        )
        with running(service.url, Guard([BySentence()], policy=flag()), stream="sentence") as server:
            found = server.chat(stream=True)
        assert streamed(found.text.partition('data: {"error"')[0]) == SAID.removesuffix(" That is all.")
        assert "[DONE]" not in found.text
        assert '"error"' in found.text


class TestOtherProtocols:
    """Responses and Anthropic's messages."""

    def whole(self, api, text=SAID):
        head, usage = {"id": "chatcmpl-1", "created": 1, "model": "m"}, {"prompt_tokens": 1}
        usage |= {"completion_tokens": 2, "total_tokens": 3}
        if api == "responses":
            return b"".join(response_stream(response(head, Completion(text), {}, usage, {})))
        return b"".join(message_stream(anthropic_message(head, Completion(text), {}, usage)))

    def asked(self, server, api):
        body = {"model": "m", "stream": True, "max_tokens": 9, "input": [], "messages": []}
        found = server.client.post(f"/v1/{api}", json=body)
        return found, [json.loads(data) for data in events(found.text)]

    def text(self, api, told):
        if api == "responses":
            return [one["delta"] for one in told if one["type"] == "response.output_text.delta"]
        return [one["delta"]["text"] for one in told if one["type"] == "content_block_delta"]

    @pytest.mark.parametrize("api", ["responses", "messages"])
    def test_sentences_come_one_by_one(self, upstream, api):
        """And the end has the report."""
        service = upstream(self.whole(api), size=100)
        with running(service.url, Guard([BySentence()], policy=remove()), stream="sentence") as server:
            found, told = self.asked(server, api)
        assert len(self.text(api, told)) > 2
        assert "".join(self.text(api, told)) == CUT
        report = told[-1]["response"] if api == "responses" else told[-2]
        assert report["guardrail"]["action"] == "remove"
        assert not any(word in found.content for word in FORBIDDEN)

    @pytest.mark.parametrize("api", ["responses", "messages"])
    def test_a_broken_stream_ends_in_an_error_of_the_protocol(self, upstream, api):
        """Only what was examined is out; the error of a response is numbered as its events are."""
        whole = self.whole(api)
        service = upstream(whole[: whole.index(b"all.")], size=100, cut=True)
        with running(service.url, Guard([BySentence()], policy=remove()), stream="sentence") as server:
            found, told = self.asked(server, api)
        text = "".join(self.text(api, told[:-1]))
        assert text.startswith("Rivers flow to the sea.")
        assert CUT.removesuffix(" That is all.").startswith(text)
        assert "event: error" in found.text
        assert told[-1]["type"] == "error"
        assert told[-1]["error"]["message"]
        if api == "responses":
            assert [one["sequence_number"] for one in told] == list(range(len(told)))
            assert told[-1]["message"] == told[-1]["error"]["message"]


class TestBuffered:
    @pytest.mark.parametrize(
        ("policy", "more"),
        [
            (block(), {}),
            (remove(), {"n": 2}),
            (remove(), {"logprobs": True}),
            (remove(), {"response_format": {"type": "json_object"}}),
        ],
        ids=str,
    )
    def test_where_sentences_are_not_safe(self, upstream, policy, more):
        """One report in the first chunk, as from any buffered stream."""
        service = upstream(chunks(SAID))
        with running(service.url, Guard([BySentence()], policy=policy), stream="sentence") as server:
            found = server.chat(stream=True, **more)
        assert "guardrail" in json.loads(events(found.text)[0])
        assert not any(word in found.content for word in FORBIDDEN)

    def test_a_tool_call_is_handed_on_whole(self, upstream):
        """After the text, which is examined too."""
        call = {"index": 0, "id": "t", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        extra = {
            "id": "c-1",
            "choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}],
        }
        body = chunks(SAID)
        place = body.rindex(b"data: {")
        body = body[:place] + b"data: " + json.dumps(extra).encode() + b"\n\n" + body[place:]
        with running(upstream(body).url, Guard([BySentence()], policy=remove()), stream="sentence") as server:
            found = server.chat(stream=True)
        assert streamed(found.text) == CUT
        assert found.text.count('"tool_calls"') == 1


class TestClient:
    def test_its_going_away_ends_the_work(self):
        """The upstream's connection is closed."""
        whole = chunks(SAID)
        place = whole.index(b"all")
        service = Paced(whole[:place], whole[place:] + b" " * 5_000_000)
        with running(service.url, Guard([BySentence()], policy=remove()), stream="sentence") as server:
            with server.client.stream(
                "POST", "/v1/chat/completions", json={"messages": [], "stream": True}
            ) as response:
                next(response.iter_text())
            assert server.is_idle()
            service.go_on.set()
            assert service.gone.wait(5)


class TestObserve:
    def test_the_stream_passes_with_the_report_at_its_end(self, upstream):
        """Nothing is changed."""
        with running(
            upstream(chunks(SAID)).url, Guard([BySentence()], policy=remove()), stream="observe"
        ) as server:
            found = server.chat(stream=True)
        assert streamed(found.text) == SAID
        last = json.loads([data for data in events(found.text) if data != "[DONE]"][-1])
        assert last["guardrail"]["action"] == "flag"
