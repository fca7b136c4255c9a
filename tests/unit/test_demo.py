"""The demo: five references, two made up, one with other people's names on it."""

import json
import os
import subprocess
import sys

import pytest

from guardrail.demo.script import ANSWER, SECOND_ANSWER
from guardrail.report import Report
from guardrail.testing.server import serve


@pytest.fixture
def demo(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)

    def call(*arguments, **environment):
        return subprocess.run(
            [sys.executable, "-m", "guardrail.cli", "demo", *arguments],
            capture_output=True, text=True, encoding="utf-8", timeout=120, check=False,
            env={**os.environ, **environment},
        )  # fmt: skip

    return call


class TestDemo:
    def test_prints_everything(self, demo, tmp_path):
        """Raw answer, annotated answer, regenerated answer, cost, page; nothing on the error output."""
        found = demo()
        assert (found.returncode, found.stderr) == (0, "")
        for line in ANSWER.strip().splitlines():
            assert line in found.stdout
        assert "[authors differ: Lin, Stephanie; Hilton, Jacob; Evans, Owain]" in found.stdout
        assert found.stdout.count("[probably no such work]") == 2
        assert "all 3 references are supported" in found.stdout
        assert "18 short questions about the other 3, 6 each" in found.stdout
        assert "guardrail-demo.html" in found.stdout
        assert (tmp_path / "guardrail-demo.html").read_text().startswith("<!")
        assert not [line for line in found.stdout.splitlines() if line != line.rstrip()]

    def test_json(self, demo, tmp_path):
        """Two reports that can be read back."""
        content = json.loads(demo("--json", "--out", "there").stdout)
        annotated = Report.model_validate(content["annotated"])
        assert [finding.label for finding in annotated.findings] == [
            "verified", "fabricated", "misquoted", "grounded", "fabricated",
        ]  # fmt: skip
        regenerated = Report.model_validate(content["regenerated"])
        assert (regenerated.answer, regenerated.decision.attempts) == (SECOND_ANSWER, 2)
        assert (tmp_path / "there" / "guardrail-demo.html").is_file()

    def test_ascii(self, demo):
        """A terminal without Unicode gets ASCII."""
        assert demo(PYTHONIOENCODING="ascii").stdout.isascii()

    def test_live(self, demo):
        """With a base URL the same chain runs on what is there; a key alone does not stop --scripted."""

        def replies(call):
            if "authors of the reference" in call.text:
                return "AUTHORS: Ada Lovelace"
            return (
                "Yes" if "yes/no" in call.text else "1. Ada Lovelace (1843). Notes on the Engine. Taylor.\n"
            )

        with serve(replies) as served:
            found = demo("--model", "m", "--base-url", served.base_url)
        assert (found.returncode, found.stderr) == (0, "")
        assert "Notes on the Engine" in found.stdout
        assert "the live model m" in found.stdout
        assert "scripted" in demo("--scripted", OPENAI_API_KEY="sk-x").stdout

    def test_live_model_that_fails(self, demo):
        """One line that says what to look at."""
        with serve(key="right") as served:
            found = demo("--model", "m", "--base-url", served.base_url, OPENAI_API_KEY="wrong")
        assert found.returncode == 2
        assert found.stderr.count("\n") == 1
        assert "key" in found.stderr
