"""The demo: five references, two made up, one with other people's names on it; seven sentences, two made up."""

import json
import os
import re
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from guardrail.backends import ComparePackaged, EntailPackaged, packaged_encoder
from guardrail.cli._application import app
from guardrail.cli.demo import _Stage
from guardrail.demo import portrait, scenario
from guardrail.demo.script import ANSWER, SECOND_ANSWER
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer
from guardrail.report import Report
from guardrail.requests import Similarity
from guardrail.testing.server import serve
from guardrail.text.sentences import split_sentences


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


@pytest.fixture(scope="class")
def scripted(tmp_path_factory):
    """What the demo printed in a process of its own, and the folder that it wrote into."""
    folder = tmp_path_factory.mktemp("demo")
    command = [sys.executable, "-m", "guardrail.cli", "demo"]
    found = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False
    )
    return found, folder


class TestDemo:
    def test_prints_everything(self, scripted):
        """Raw answer, annotated answer, regenerated answer, cost, page; nothing on the error output."""
        found, folder = scripted
        assert (found.returncode, found.stderr) == (0, "")
        for line in ANSWER.strip().splitlines():
            assert line in found.stdout
        assert "[real work, wrong authors: it is by Lin, Hilton and Evans]" in found.stdout
        assert found.stdout.count("[probably no such work]") == 2
        assert "all 3 references are supported" in found.stdout
        assert "18 short questions about the other 3, 6 each" in found.stdout
        assert "guardrail-demo.html" in found.stdout
        assert (folder / "guardrail-demo.html").read_text().startswith("<!")
        assert not [line for line in found.stdout.splitlines() if line != line.rstrip()]

    def test_json(self, tmp_path, monkeypatch):
        """Two reports that can be read back."""
        monkeypatch.chdir(tmp_path)
        content = json.loads(CliRunner().invoke(app, ["demo", "--json", "--out", "there"]).stdout)
        annotated = Report.model_validate(content["annotated"])
        assert [finding.label for finding in annotated.findings] == [
            "verified", "fabricated", "misquoted", "grounded", "fabricated",
        ]  # fmt: skip
        regenerated = Report.model_validate(content["regenerated"])
        assert (regenerated.answer, regenerated.decision.attempts) == (SECOND_ANSWER, 2)
        assert (tmp_path / "there" / "guardrail-demo.html").is_file()
        scored = Report.model_validate(content["scored"])
        assert scored.case.question == portrait.QUESTION
        assert "guardrail-demo-sentences.html" in content["sentences_page"]

    def test_scores_sentences(self, scripted):
        """Each stands beside its score and the truth, and on a page of its own."""
        found, folder = scripted
        lines = found.stdout.splitlines()
        scores = [place for place, line in enumerate(lines) if "true?" in line]
        assert [lines[place - 1].strip() for place in scores] == split_sentences(portrait.ANSWER)
        for place, true in zip(scores, portrait.TRUE, strict=True):
            assert re.search(("✓" if true else "✗") + r" ngram [█░]{8} \d\.\d\d", lines[place])
            assert ("no, made up" in lines[place]) is not true
        assert "'1842' is in none of the other answers; sample 5: In 1831 she published" in found.stdout
        assert "compared with 5 other answers to the same question, written for this demo" in found.stdout
        assert "Sentences and their scores" in (folder / "guardrail-demo-sentences.html").read_text()

    def test_ascii(self, demo):
        """A terminal without Unicode gets ASCII."""
        assert demo(PYTHONIOENCODING="ascii").stdout.isascii()

    def test_live(self, demo, monkeypatch):
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
        assert "compared with 5 other answers to the same question, drawn from the model" in found.stdout
        assert "true?" not in found.stdout
        monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
        assert "scripted" in CliRunner().invoke(app, ["demo", "--scripted"]).stdout

    def test_live_model_that_fails(self, demo):
        """One line that says what to look at."""
        with serve(key="right") as served:
            found = demo("--model", "m", "--base-url", served.base_url, OPENAI_API_KEY="wrong")
        assert found.returncode == 2
        assert found.stderr.count("\n") == 1
        assert "key" in found.stderr


class TestPortrait:
    def test_answer_is_its_sentences(self):
        """The truth is known of every sentence that the guard finds."""
        assert len(split_sentences(portrait.ANSWER)) == len(portrait.TRUE)

    def test_samples_are_other_answers(self):
        """As many as are drawn, no two alike, and none holds what the answer made up."""
        assert len({*portrait.SAMPLES, portrait.ANSWER}) == 6
        invented = [
            s for s, true in zip(split_sentences(portrait.ANSWER), portrait.TRUE, strict=True) if not true
        ]
        assert len(invented) == 2
        assert not [word for word in ("Aberdeen", "Lalande") if any(word in s for s in portrait.SAMPLES)]


class Alike(Backend):
    """Stands for MiniLM: texts are alike if they share a number."""

    batch, instant, fingerprint = 4096, True, "alike"

    def answer(self, requests):
        found = [
            set(re.findall(r"\d+", r.candidate)) & set(re.findall(r"\d+", r.reference)) for r in requests
        ]
        return [Answer(Similarity(1.0, 1.0, 0.9 if numbers else 0.1)) for numbers in found]


def replaced(monkeypatch):
    """MiniLM, also where it is not installed."""
    monkeypatch.setattr(scenario, "encoder_installed", lambda: True)
    monkeypatch.setattr(packaged_encoder(), "_made", Alike())


class TestLocal:
    def test_adds_minilm_where_it_is_installed(self, monkeypatch):
        """All detectors score every sentence, by the same five samples."""
        replaced(monkeypatch)
        report = scenario.run().scored
        names = [finding.detector for finding in report.findings]
        assert names.count("selfcheck-ngram") == names.count("selfcheck-bertscore") == len(portrait.TRUE)
        assert {cost.calls for name, cost in report.cost.alone.items() if "selfcheck" in name} == {5}

    @pytest.mark.parametrize(
        ("installed", "wanted"),
        [(True, {"selfcheck-ngram", "selfcheck-ensemble"}), (False, {"selfcheck-ngram"})],
    )
    def test_does_without(self, installed, wanted, monkeypatch):
        """Without the extra `local`: by the packaged entailment model where that is installed, else by n-grams alone."""

        monkeypatch.setattr(scenario, "encoder_installed", lambda: False)
        monkeypatch.setattr("guardrail.backends.encoder_installed", lambda: False)
        lanes = {ComparePackaged.lane: lambda: False, EntailPackaged.lane: lambda: installed}
        monkeypatch.setattr("guardrail.selfcheck.ensemble.fits._INSTALLED", lanes)
        monkeypatch.setattr("guardrail.backends.entailment_installed", lambda: installed)
        assert {finding.detector for finding in scenario.run().scored.findings} == wanted

    def test_prints_both_columns(self, monkeypatch, capsys):
        """Side by side, with what speaks against a sentence below."""
        replaced(monkeypatch)
        _Stage().play(scenario.run(), "a model", ["page.html"])
        out = capsys.readouterr().out
        assert len(re.findall(r"[✓✗] ngram [█░]{8} \d\.\d\d   [✓✗] bertscore [█░]{8} \d\.\d\d", out)) == 7
        assert "1 − BERTScore" in out
