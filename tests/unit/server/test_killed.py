"""kill -9 in the middle of a stream, and a new start: nothing is half released, and clients can ask again."""

import os
import signal
import socket
import threading
import time
from pathlib import Path

import httpx
import openai
import pytest
from tests.unit.server.test_command import command  # noqa: F401  # a fixture
from tests.unit.server.test_workers import chat, metric, until, workers

from guardrail.testing.server import serve

TEXT = "Rivers flow to the sea. " * 20
ASKED = {"model": "m", "messages": [{"role": "user", "content": "how?"}]}


def free_port():
    """A port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Streaming(threading.Thread):
    """A client that reads a stream as bytes."""

    def __init__(self, url):
        super().__init__(daemon=True)
        self.url, self.read, self.error, self.begun = url, b"", None, threading.Event()
        self.start()

    def run(self):
        asked = {**ASKED, "stream": True}
        try:
            with httpx.stream(
                "POST", f"{self.url}/v1/chat/completions", json=asked, timeout=60, trust_env=False
            ) as found:
                self.begun.set()
                for part in found.iter_raw():
                    self.read += part
        except httpx.HTTPError as error:
            self.error = error


def broke_off(clients):
    """Whether all saw the connection break, and nothing of the answer."""
    for client in clients:
        client.join(timeout=20)
        assert isinstance(client.error, httpx.RemoteProtocolError)
        assert client.read.replace(b": keep-alive\n", b"") == b""
    return True


def test_streaming_clients_see_an_error(command):  # noqa: F811
    """They got their status and no text; the connection breaks off, which no client takes for an end."""
    with serve(lambda _: TEXT, pace=0.5) as upstream:
        process, url = command(upstream.base_url)
        clients = [Streaming(url) for _ in range(4)]
        assert all(client.begun.wait(20) for client in clients)
        process.kill()
        process.wait(timeout=20)
        assert broke_off(clients)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are found in /proc")
def test_so_do_those_of_workers_which_come_back(command):  # noqa: F811
    """All workers are killed; the next request waits for a new one."""
    with serve(lambda _: TEXT, pace=0.5) as upstream:
        process, url = command(upstream.base_url, "--workers", "2")
        clients = [Streaming(url) for _ in range(4)]
        assert all(client.begun.wait(20) for client in clients)
        assert metric(url, "running") == 5
        for worker in workers(process):
            os.kill(worker, signal.SIGKILL)
        assert broke_off(clients)
        assert chat(url).status_code == 200
        assert until(
            lambda: metric(url, "running") == 1
        )  # the one that asks; the others ended with their workers


def test_a_client_that_retries_gets_its_answer_from_the_next_start(command):  # noqa: F811
    """OpenAI's client asks again by itself where no status came; here the server comes back on the same port."""
    port = str(free_port())
    with serve(lambda _: TEXT, latency=2.0) as upstream:
        process, url = command(upstream.base_url, "--port", port)
        found = []

        def ask():
            with openai.OpenAI(base_url=f"{url}/v1", api_key="k", max_retries=10, timeout=60) as client:
                found.append(client.chat.completions.create(**ASKED).choices[0].message.content)

        client = threading.Thread(target=ask, daemon=True)
        client.start()
        end = time.monotonic() + 20
        while not upstream.stats()["most_running"] and time.monotonic() < end:
            time.sleep(0.02)
        process.kill()
        process.wait(timeout=20)
        command(upstream.base_url, "--port", port)
        client.join(timeout=60)
        assert found == [TEXT]
