"""The log that `guardrail serve` writes: a line for each event, and nothing of an answer."""

import logging

import httpx
import pytest
from tests.unit.server.test_command import command  # noqa: F401  # a fixture

from guardrail import Detector, Guard
from guardrail.server.log_lines import write_log
from guardrail.testing.server import serve

ASK = {
    "model": "m",
    "messages": [{"role": "user", "content": "1. The Ontology of Teapots, by Quentin Quuxington (2019)"}],
}


@pytest.fixture
def lines(capsys):
    """Start to write the log; give what was written."""
    logger = logging.getLogger("guardrail")
    before, level = list(logger.handlers), logger.level

    def start(**options):
        write_log(**options)
        return lambda: capsys.readouterr().err.splitlines()  # noqa: PLW0108  # read when it is called

    yield start
    logger.handlers, logger.level = before, level


class Broken(Detector):
    """Fails with words of the answer."""

    name = "broken"

    def cost(self, case):
        del case
        return {}

    def examine(self, case):
        yield from ()
        raise RuntimeError(f"a bug that quotes {case.answer}")


class TestWriteLog:
    def test_a_line_for_each_answer(self, lines, guarded):
        """What was found and done, in one line."""
        written = lines()
        with_log = guarded(lambda call: "Xyzzyville Quuxington flows.")
        with_log.chat()
        (line,) = written()
        assert line.startswith("guardrail: 20")
        assert " guarded verdict=unsupported action=remove findings=1 " in line
        assert " calls=0 " in line  # as x-guardrail-calls: the upstream's answer is no question of the guard
        assert "Xyzzyville" not in line

    def test_a_line_for_each_detector_that_fails(self, lines, guarded):
        """Its name and a word; the exception quotes the answer."""
        written = lines(quiet=True)
        guarded(lambda call: "Xyzzyville.", guard=Guard([Broken()])).chat()
        (line,) = written()
        assert line.endswith(" detector_failed detector=broken reason=bug error=RuntimeError")

    def test_a_listener_that_fails_quotes_nothing(self, lines):
        """A traceback has the exception's words."""

        def listener(report):
            raise RuntimeError(report.answer)

        written = lines(quiet=True)
        with pytest.warns(RuntimeWarning, match="on_report raised RuntimeError") as warned:
            Guard([Broken()], on_report=listener).check("Xyzzyville.")
        assert "Xyzzyville" not in str(warned[0].message)
        assert [line.partition("Z ")[2] for line in written()] == [
            "detector_failed detector=broken reason=bug error=RuntimeError",
            "on_report_failed error=RuntimeError",
        ]

    @pytest.mark.parametrize("stream", [False, True])
    def test_a_line_for_an_upstream_that_fails(self, lines, guarded, stream):
        """One, with its status."""
        written = lines()
        guarded(service={"faults": {"server_error": 1.0}}).chat(stream=stream)
        (line,) = written()
        assert " upstream_failed route=/v1/chat/completions status=" in line

    def test_a_line_for_an_upstream_that_is_cut(self, lines, canned_answer):
        """It is known only when the answer is read."""
        written = lines()
        canned_answer("/v1/chat/completions", "", body=["no object"]).chat()
        (line,) = written()
        assert line.endswith("upstream_failed route=/v1/chat/completions status=502 code=upstream_unreadable")


class TestCommand:
    @pytest.mark.parametrize("options", [(), ("--workers", "2"), ("--mode", "monitor")], ids=" ".join)
    def test_writes_its_log(self, command, options):  # noqa: F811
        """By default, in each process, without the answer and the key."""
        with serve() as upstream:
            process, url = command(upstream.base_url, *options)
            key = {"authorization": "Bearer sk-secret-of-the-caller"}
            httpx.post(f"{url}/v1/chat/completions", json=ASK, headers=key, timeout=20, trust_env=False)
            process.terminate()
            written = process.stderr.read()
        assert " guarded verdict=unverified " in written
        assert "Quuxington" not in written
        assert "sk-secret" not in written

    def test_says_why_an_upstream_cannot_be_reached(self, command):  # noqa: F811
        """To the client and in the log: what to check."""
        process, url = command("http://127.0.0.1:9/v1", "--quiet")
        found = httpx.post(f"{url}/v1/chat/completions", json=ASK, timeout=20, trust_env=False)
        assert found.status_code == 502
        said = found.json()["error"]["message"]
        assert said == (
            "the upstream cannot be reached (it refused the connection: nothing listens on that port): "
            "check --upstream"
        )
        process.terminate()
        assert said in process.stderr.read()
