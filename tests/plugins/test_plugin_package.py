"""Somebody else's package adds a detector; one of its two is broken."""

import json
import os
import subprocess
import sys

import pytest
from tests.contract.detector import DetectorContract

from guardrail import Case, Guard, Verdict, annotate
from guardrail.errors import ConfigError, UnknownName
from guardrail.registry import DETECTORS

ANSWER = "It is quiet here. WHO SAID THAT? 42."


@pytest.fixture(autouse=True)
def _installed(installed):
    return installed


class TestRegistry:
    def test_finds_by_name(self):
        """Built-in and installed detectors stand in one list."""
        assert {"references", "shouting", "broken"} <= set(DETECTORS)
        assert DETECTORS["shouting"].name == "shouting"

    def test_broken_only_warns(self):
        """Listing what works says once what does not, and why."""
        with pytest.warns(RuntimeWarning, match=r"'broken'.*guardrail_shouting.*does not import") as warned:
            found = DETECTORS.working()
        assert len(warned) == 1
        assert "shouting" in found
        assert "broken" not in found

    def test_broken_by_name(self):
        """Asked for, the broken one is an error that names the package."""
        with pytest.raises(ConfigError, match=r"guardrail_shouting\.broken"):
            Guard(["broken"])

    def test_misspelt(self):
        """The nearest name is offered, a plug-in's too."""
        with pytest.raises(UnknownName, match="Did you mean 'shouting'"):
            Guard(["shuoting"])

    def test_unknown_parameter(self):
        """Parameters are checked against the plug-in's own."""
        with pytest.raises(ConfigError, match="It takes: threshold"):
            DETECTORS.create("shouting", {"volume": 11})


class TestGuard:
    def test_from_a_file(self, tmp_path):
        """guardrail.toml names the plug-in like any other detector."""
        (tmp_path / "guardrail.toml").write_text(
            '[guard]\npolicy = "annotate"\n\n[[detectors]]\nname = "shouting"\nthreshold = 0.5\n',
            encoding="utf-8",
        )
        guard = Guard.from_config(tmp_path / "guardrail.toml")
        report = guard.check(ANSWER)
        assert [finding.verdict for finding in report.findings] == ["supported", "unsupported", "unverified"]
        assert report.signatures["shouting"].startswith("shouting|version:1|deadline:null|threshold:0.5|")
        assert "shouted" in report.answer

    def test_by_name(self):
        """The policy acts on its findings; nothing was paid."""
        report = Guard(["shouting"], policy=annotate()).check(ANSWER)
        assert report.verdict is Verdict.UNSUPPORTED
        assert report.cost.total.calls == 0

    def test_beside_the_broken_one(self, installed):
        """A fresh interpreter, in which a broken plug-in lies around, guards and does not complain."""
        code = "from guardrail import Guard; print(Guard(['shouting']).check('WHO SAID THAT?').verdict)"
        environment = {**os.environ, "PYTHONPATH": str(installed), "PYTHONWARNINGS": "error"}
        found = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
        )
        assert (found.stdout, found.stderr) == ("unsupported\n", "")


class TestCommands:
    """The plug-in adds to the command line; two faulty ones of its package are left out, and said to be."""

    @pytest.fixture
    def guardrail(self, installed, tmp_path):
        def call(*arguments):
            environment = {**os.environ, "PYTHONPATH": str(installed), "COLUMNS": "100"}
            command = [sys.executable, "-m", "guardrail.cli", *arguments]
            return subprocess.run(
                command,
                env=environment,
                cwd=tmp_path,
                input=ANSWER,
                capture_output=True,
                text=True,
                check=False,
            )

        return call

    def test_a_command(self, guardrail):
        """Beside those built in."""
        assert guardrail("shout", "ABcd").stdout == "0.5\n"

    def test_an_option_of_check(self, guardrail):
        """Its detector is in the guard; the option's default does not count as given."""
        report = json.loads(guardrail("check", "-", "--loud", "0.9", "--json").stdout)
        assert [f["verdict"] for f in report["findings"]] == ["supported", "unsupported", "unverified"]
        assert "threshold:0.9" in report["signatures"]["shouting"]

    def test_with_a_configuration(self, guardrail, tmp_path):
        """An option that nobody gave does not stand in the way of --config."""
        (tmp_path / "guardrail.toml").write_text('[[detectors]]\nname = "shouting"\n')
        assert guardrail("check", "-", "--config", "guardrail.toml").returncode == 1
        found = guardrail("check", "-", "--config", "guardrail.toml", "--loud", "0.5")
        assert (found.returncode, "--loud" in found.stderr) == (2, True)

    def test_faulty_ones(self, guardrail):
        """One note each, and everything else works."""
        found = guardrail("check", "-", "--quiet")
        assert found.returncode == 1
        lines = found.stderr.splitlines()
        assert len(lines) == 2
        assert "'broken'" in lines[0]
        assert "'taken' are left out (ConfigError: '--prompt' is there already)" in lines[1]

    def test_doctor(self, guardrail):
        """Names them as broken."""
        items = json.loads(guardrail("doctor", "--json").stdout)["items"]
        states = {
            (i["name"], i["state"]) for i in items if "command" in i["detail"] or i["state"] == "broken"
        }
        assert {("shouting", "ok"), ("taken", "broken"), ("broken", "broken")} <= states


class TestContract(DetectorContract):
    """The plug-in keeps what every detector keeps."""

    @pytest.fixture
    def detector(self):
        return DETECTORS.create("shouting", {})

    @pytest.fixture
    def case(self):
        return Case.of(ANSWER)
