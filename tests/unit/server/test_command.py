"""`guardrail serve` as a process of its own."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import httpx
import pytest

from guardrail.testing.server import serve

CONFIG = """
[guard]
policy = "remove"

[[detectors]]
name = "references"
"""


@pytest.fixture
def command(tmp_path):
    """Start the command; give the process and its address."""
    (tmp_path / "guardrail.toml").write_text(CONFIG)
    with contextlib.ExitStack() as stack:

        def start(upstream, *options):
            words = [
                sys.executable,
                "-m",
                "guardrail.cli",
                "serve",
                "--upstream",
                upstream,
                "--port",
                "0",
                *options,
            ]
            process = stack.enter_context(
                subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True, env={**os.environ})
            )
            stack.callback(process.kill)
            line = process.stderr.readline()
            assert "guarding" in line, line
            return process, "http://127.0.0.1:" + line.split(" at http://127.0.0.1:")[1].split("/")[0]

        yield start


class TestServe:
    def test_sigterm_finishes_what_runs_and_takes_nothing_new(self, command):
        """A client that was being answered gets its whole answer; the exit code is 0."""
        with serve(lambda _: "Rivers flow.", latency=1.5) as upstream:
            process, url = command(upstream.base_url)
            assert httpx.get(f"{url}/readyz", trust_env=False).status_code == 200
            found = []

            def ask():
                asked = {"model": "m", "messages": [{"role": "user", "content": "how?"}]}
                key = {"authorization": "Bearer sk-secret-of-the-caller"}
                found.append(
                    httpx.post(
                        f"{url}/v1/chat/completions", json=asked, headers=key, timeout=20, trust_env=False
                    )
                )

            client = threading.Thread(target=ask)
            client.start()
            until = time.monotonic() + 10
            while not upstream.stats()["most_running"] and time.monotonic() < until:
                time.sleep(0.02)
            process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
            with pytest.raises(ConnectionError):
                socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), timeout=1).close()
            client.join(timeout=20)
            assert found[0].status_code == 200
            assert found[0].json()["choices"][0]["message"]["content"] == "Rivers flow."
            assert process.wait(timeout=20) == 0
            assert "sk-secret" not in process.stderr.read()

    def test_says_what_it_cannot_verify(self, command):
        """A detector without a model or a bibliography would leave everything unverified, without a word."""
        process, _ = command("http://127.0.0.1:9/v1")
        process.terminate()
        assert process.stderr.read() == (
            "guardrail: warning: references needs a chat model, and the configuration has none: what it finds in guarded "
            'answers will be unverified. Add [chat] or, below its [[detectors]], bibliography = "refs.bib" or '
            'sources = ["crossref"]\n'
        )

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            (["--host", "0.0.0.0"], "needs client keys"),
            (["--upstream-key-env", "NOT_SET_ANYWHERE"], "NOT_SET_ANYWHERE"),
            (["--config", "absent.toml"], "docs/server.md begins with an example"),
        ],
    )
    def test_what_would_be_open_or_wrong_does_not_start(self, tmp_path, options, said):
        """Exit code 2 and one line."""
        (tmp_path / "guardrail.toml").write_text("")
        words = [
            sys.executable,
            "-m",
            "guardrail.cli",
            "serve",
            "--upstream",
            "http://127.0.0.1:1/v1",
            "--port",
            "0",
        ]
        found = subprocess.run(
            [*words, *options], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
        )
        assert found.returncode == 2
        assert said in found.stderr
        assert found.stderr.count("\n") == 1
