"""Several processes behind one port, as processes."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest
from tests.unit.server.test_command import command  # noqa: F401  # a fixture

from guardrail.testing.server import serve

ASKED = {"model": "m", "messages": [{"role": "user", "content": "how?"}]}
pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are found in /proc")


def workers(process):
    """Processes that serve."""
    found = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return {int(pid) for pid in found if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()}


def until(question, seconds=30.0):
    """Wait until something is so; say whether it came to be."""
    end = time.monotonic() + seconds
    while not (found := question()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def chat(url):
    """A request on a connection of its own."""
    return httpx.post(f"{url}/v1/chat/completions", json=ASKED, timeout=30, trust_env=False)


def metric(url, series):
    """A number of /metrics, which is of all workers."""
    text = httpx.get(f"{url}/metrics", timeout=30, trust_env=False).text
    found = re.search(rf"^guardrail_{re.escape(series)} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0


def counted(url):
    """Chat requests that were answered."""
    return metric(url, 'requests_total{route="/v1/chat/completions",status="200"}')


class TestWorkers:
    def test_one_port_and_one_count(self, command):  # noqa: F811
        """Whoever answered, /metrics adds it up, and a worker that was killed keeps its counts and is replaced."""
        with serve(lambda _: "Rivers flow.") as upstream:
            process, url = command(upstream.base_url, "--workers", "2", "--quiet")
            before = workers(process)
            assert len(before) == 2
            assert [chat(url).status_code for _ in range(8)] == [200] * 8
            assert counted(url) == 8
            killed = min(before)
            os.kill(killed, signal.SIGKILL)
            said = [process.stderr.readline() for _ in range(3)]
            assert "note: with 2 workers" in said[0]  # once, though there are two workers
            assert "warning: references needs a chat model" in said[1]
            assert "exit code -9" in said[2]
            assert until(lambda: len(workers(process) - {killed}) == 2)
            assert [chat(url).status_code for _ in range(4)] == [200] * 4
            assert counted(url) == 12
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=40) == 0

    def test_sigterm_drains_all(self, command):  # noqa: F811
        """Whoever is answering finishes, and nobody is left behind."""
        with serve(lambda _: "Rivers flow.", latency=1.5) as upstream:
            process, url = command(upstream.base_url, "--workers", "2")
            served = workers(process)
            found = []
            clients = [threading.Thread(target=lambda: found.append(chat(url))) for _ in range(6)]
            for client in clients:
                client.start()
            assert until(lambda: upstream.stats()["most_running"] == 6)
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=40) == 0
            for client in clients:
                client.join(timeout=20)
            assert [one.status_code for one in found] == [200] * 6
            assert not [pid for pid in served if Path(f"/proc/{pid}").exists()]

    def test_without_their_supervisor_workers_end(self, command):  # noqa: F811
        """Or the port would be taken, and nobody could stop them."""
        with serve(lambda _: "Rivers flow.") as upstream:
            process, _ = command(upstream.base_url, "--workers", "2")
            served = workers(process)
            process.kill()
            process.wait(timeout=20)
            assert until(lambda: not [pid for pid in served if Path(f"/proc/{pid}").exists()])

    def test_what_needs_one_worker_says_so(self, command):  # noqa: F811
        """LiteLLM's two calls would reach two processes."""
        _, url = command("http://127.0.0.1:9/v1", "--workers", "2")
        found = httpx.post(f"{url}/beta/litellm_basic_guardrail_api", json={}, timeout=30, trust_env=False)
        assert (found.status_code, found.json()["error"]["code"]) == (501, "several_workers")
        assert "--workers 1" in found.json()["error"]["message"]

    def test_what_cannot_start_says_why(self, tmp_path):
        """As one process would, and ends."""
        (tmp_path / "guardrail.toml").write_text('[[detectors]]\nname = "referenzes"\n')
        words = [
            "-m",
            "guardrail.cli",
            "serve",
            "--upstream",
            "http://127.0.0.1:9/v1",
            "--port",
            "0",
            "--workers",
            "2",
        ]
        found = subprocess.run(
            [sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
        )
        assert found.returncode == 2
        assert "referenzes" in found.stderr
        assert found.stderr.count("\n") == 1
