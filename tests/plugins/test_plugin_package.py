"""Somebody else's package adds a detector; one of its two is broken."""

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
        assert report.signatures["shouting"].startswith("shouting|version:1|threshold:0.5|")
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


class TestContract(DetectorContract):
    """The plug-in keeps what every detector keeps."""

    @pytest.fixture
    def detector(self):
        return DETECTORS.create("shouting", {})

    @pytest.fixture
    def case(self):
        return Case.of(ANSWER)
