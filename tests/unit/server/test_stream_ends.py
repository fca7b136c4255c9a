"""What an upstream sends after the end of a stream: nobody's answer, so it is not examined, not shown, and not waited for."""

import contextlib
import json
import socket
import threading

import pytest
from tests.unit.server.conftest import SECRET, canned, running
from tests.unit.server.test_deep_json import stream_of
from tests.unit.server.test_hostile_answers import ASKED, PATHS
from tests.unit.server.test_sentences import BySentence

from guardrail import Guard, remove

SAID = "Rivers flow to the sea. They end in seas. That is all."
LATER = "Hills are high. They have tops. That is more."
MODES = ("buffer", "sentence", "observe")
ENDS = {PATHS[0]: "[DONE]", PATHS[1]: "response.completed", PATHS[2]: "message_stop"}


def said_again(path, text):
    """Events with a text as they come in the middle of a stream."""
    if path == PATHS[0]:
        told = [{"id": "c-1", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}]
    elif path == PATHS[1]:
        at = {"output_index": 0, "content_index": 0, "item_id": "msg_1"}
        told = [{"type": "response.output_text.delta", **at, "delta": text}]
    else:
        told = [{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}]
    return "".join(f"event: {one.get('type', '')}\ndata: {json.dumps(one)}\n\n" for one in told).encode()


@contextlib.contextmanager
def asked(path, body, *, mode, size=1_000_000, **settings):
    with (
        canned(body, size=size) as upstream,
        running(upstream.url, Guard([BySentence()], policy=remove()), stream=mode, **settings) as served,
    ):
        yield served.client.post(path, json={**ASKED, "stream": True})


@pytest.mark.parametrize("path", PATHS)
class TestTextAfterTheEnd:
    @pytest.mark.parametrize("mode", MODES)
    @pytest.mark.parametrize("size", [1_000_000, 7])
    @pytest.mark.parametrize("later", [LATER, f"See {SECRET}. It is nice.", ""])
    def test_it_is_no_part_of_the_answer(self, path, mode, size, later):
        """In every mode; by sentence it was released, and then the answer withdrawn."""
        whole = stream_of(path, SAID)
        after = said_again(path, later) + whole if later else b"data: x\n\nevent: y"
        with asked(path, whole + after, mode=mode, size=size) as found:
            shown = found.text
        assert "all." in shown
        assert SECRET not in shown
        assert "Hills" not in shown
        assert "error" not in shown.replace('"error": null', "")
        assert shown.count(ENDS[path]) == whole.decode().count(ENDS[path])
        assert '"guardrail"' in shown

    @pytest.mark.parametrize("mode", ["buffer", "sentence"])
    def test_the_detectors_never_see_it(self, path, mode):
        """Nor does the report."""
        detector = BySentence()
        with (
            canned(stream_of(path, SAID) + said_again(path, LATER)) as upstream,
            running(upstream.url, Guard([detector], policy=remove()), stream=mode) as served,
        ):
            served.client.post(path, json={**ASKED, "stream": True})
        assert detector.seen
        assert not any("Hills" in text for text in detector.seen)

    @pytest.mark.parametrize("mode", MODES)
    def test_a_connection_that_breaks_after_it_harms_nothing(self, path, mode):
        """All of the answer is there."""
        with (
            canned(stream_of(path, SAID) + b"data: ", cut=True) as upstream,
            running(upstream.url, Guard([BySentence()], policy=remove()), stream=mode) as served,
        ):
            found = served.client.post(path, json={**ASKED, "stream": True})
        assert "event: error" not in found.text
        assert found.text.count(ENDS[path]) == stream_of(path, SAID).decode().count(ENDS[path])


@pytest.mark.parametrize("path", PATHS[1:])
def test_an_end_that_is_spelt_by_escapes_is_one(path):
    """A reader of JSON sees no difference."""
    whole = stream_of(path, SAID).decode()
    spelt = "".join(f"\\u{ord(character):04x}" for character in ENDS[path])
    escaped = whole.replace(f'"type": "{ENDS[path]}"', f'"type": "{spelt}"')
    assert escaped != whole
    escaped = escaped.replace(f"event: {ENDS[path]}\n", "")
    with asked(path, escaped.encode() + said_again(path, LATER), mode="sentence") as found:
        assert "Hills" not in found.text
        assert "all." in found.text
        assert "event: error" not in found.text


class Staying:
    """An upstream that keeps its connections, and sends what it is told after the end of each stream.

    Attributes:
        connections: how many were made.
        gone: set when the other side has closed one.
    """

    def __init__(self, body, after):
        self.body = body
        self.after = after
        self.connections = 0
        self.gone = threading.Event()
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/v1"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.socket.accept()
                self.connections += 1
                threading.Thread(target=self.serve, args=[connection], daemon=True).start()

    def serve(self, connection):
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        with connection, contextlib.suppress(OSError):
            while self.read_request(connection):
                connection.sendall(head + b"%x\r\n%b\r\n" % (len(self.body), self.body))
                for part in self.after:
                    connection.sendall(part)
        self.gone.set()

    @staticmethod
    def read_request(connection):
        read = b""
        while not read.endswith(b"}"):
            part = connection.recv(65536)
            if not part:
                return False
            read += part
        return True


class TestConnections:
    @pytest.mark.parametrize("mode", MODES)
    def test_one_whose_body_ends_is_used_again(self, mode):
        """Also where a little comes after the end of the stream."""
        upstream = Staying(stream_of(PATHS[0], SAID), [b"7\r\n: bye\n\n\r\n", b"0\r\n\r\n"])
        with (
            upstream.socket,
            running(upstream.url, Guard([BySentence()], policy=remove()), stream=mode) as served,
        ):
            for _ in range(3):
                assert "all." in served.chat(stream=True).text
            assert upstream.connections == 1

    @pytest.mark.parametrize("mode", MODES)
    @pytest.mark.parametrize(
        "after", [[], [b"fffff\r\n" + b"x" * 0xFFFFF + b"\r\n"] * 50], ids=["nothing", "much"]
    )
    def test_one_whose_body_goes_on_is_closed(self, mode, after):
        """And the answer does not wait for it."""
        upstream = Staying(stream_of(PATHS[0], SAID), after)
        with (
            upstream.socket,
            running(
                upstream.url, Guard([BySentence()], policy=remove()), stream=mode, deadline=20.0
            ) as served,
        ):
            found = served.chat(stream=True).text
            assert found.endswith("data: [DONE]\n\n")
            assert upstream.gone.wait(10)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("mode", MODES)
class TestCutStreams:
    def test_never_look_complete(self, path, mode, caplog):
        """Also where all text was passed on already: it ends in an error, and the log says that nobody examined it."""
        events = stream_of(path, SAID).split(b"\n\n")
        half = events[: len(events) // 2]
        with asked(path, b"\n\n".join([*half, b""]), mode=mode) as found:
            assert '"error"' in found.text
            assert "[DONE]" not in found.text
        said = {record.msg for record in caplog.records}
        assert ("not_observed" in said) == (mode == "observe")
