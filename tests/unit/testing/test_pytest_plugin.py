"""The pytest plugin, in runs of pytest of its own."""

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points

import numpy as np  # noqa: F401  # runs of pytest in this process would load it twice, which it refuses
import pytest
from tests.house.source import ROOT

pytest_plugins = ["pytester"]

MANUAL = "The warranty lasts two years. Shipping costs 5 euros."
CONFIG = """
[[detectors]]
name = "selfcheck-grounding"
fit = "words"
"""
REFS = """
@inproceedings{he2016, title = {Deep Residual Learning for Image Recognition},
  author = {He, Kaiming and Zhang, Xiangyu and Ren, Shaoqing and Sun, Jian}, booktitle = {CVPR}, year = {2016}}
"""
CITED = "Bengio, Y., Goodfellow, I. (2016). Deep Residual Learning for Image Recognition. CVPR."
CHECKS = f"""
MANUAL = {MANUAL!r}

def test_right(guardrail_check):
    report = guardrail_check.assert_supported("The warranty lasts two years.", context=[MANUAL])
    assert report.verdict == "supported"

def test_wrong(guardrail_check):
    answer = "Shipping costs 5 euros. The warranty lasts five years."
    guardrail_check.assert_supported(answer, context=[MANUAL])

def test_report(guardrail_check):
    assert guardrail_check("The warranty lasts five years.", context=MANUAL).verdict == "unsupported"

def test_claims_nothing(guardrail_check):
    guardrail_check.assert_supported("Hello! How can I help you?", context=[MANUAL])
"""


@pytest.fixture
def run(pytester, monkeypatch):
    """A run of pytest in this process, with the plugin and without those of this environment."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def call(*arguments):
        return pytester.runpytest("-p", "guardrail.pytest_plugin", *arguments)

    return call


class TestFixture:
    def test_reads_guardrail_toml(self, pytester, run):
        """The file next to pytest's own; a failed test shows the wrong sentence, why, and the nearest passage, and no line of this package."""
        pytester.makefile(".toml", guardrail=CONFIG)
        pytester.makepyfile(CHECKS)
        result = run()
        result.assert_outcomes(passed=3, failed=1)
        result.stdout.fnmatch_lines(
            [
                ">*guardrail_check.assert_supported(answer, context=[[]MANUAL[]])",
                "E*AssertionError: the answer is not supported: 1 unsupported, 1 supported",
                "E*unsupported (inconsistent): The warranty lasts five years.",
                "E*why: *two*five*",
                "E*nearest: *The warranty lasts two years.*",
            ]
        )
        result.stdout.no_fnmatch_line("*answers.py*")

    def test_page(self, pytester, run):
        """The example of the page does what the page says."""
        page = (ROOT / "docs" / "testing-prompts.md").read_text(encoding="utf-8")
        test, printed = (
            re.search(rf"^```{kind}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[1]
            for kind in ("python", "console")
        )
        pytester.makepyfile(test_warranty=test)
        result = run("-q")
        shown = [line for line in printed.splitlines() if line.startswith((">", "E", "test_"))]
        assert len(shown) > 5
        result.stdout.fnmatch_lines([line.rstrip().replace("[", "[[]") + "*" for line in shown])

    def test_reads_options(self, pytester, run):
        """Paths are relative to the root of the tests, wherever pytest is started."""
        pytester.makeini("[pytest]\nguardrail_options = --bibliography refs.bib\n")
        pytester.makefile(".bib", refs=REFS)
        pytester.mkdir("below").joinpath("test_it.py").write_text(
            f"def test_it(guardrail_check):\n    guardrail_check.assert_supported({CITED!r})\n"
        )
        result = run("below")
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(
            ["E*unsupported (misquoted): Deep Residual Learning*", "E*why: *it is by He, Zhang*"]
        )

    @pytest.mark.parametrize(
        ("call", "expected"),
        [
            ("'Paris is in France.'", "nothing was checked: references found nothing to examine*"),
            ("''", "the answer is empty"),
            ("'', context=['x']", "the answer is empty"),
            (f"{CITED!r}", "the answer is not supported: 1 unverified"),
            (f"{CITED!r}, unverified='fial'", "*expected unverified to be*fail*"),
        ],
    )
    def test_could_not_be_checked(self, pytester, run, call, expected):
        """No silent success."""
        pytester.makepyfile(f"def test_it(guardrail_check):\n    guardrail_check.assert_supported({call})\n")
        result = run()
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines([f"E*{expected}"])

    def test_lets_unverified_pass(self, pytester, run):
        """Where the test says so."""
        pytester.makepyfile(
            f"def test_it(guardrail_check):\n    guardrail_check.assert_supported({CITED!r}, unverified='pass')\n"
        )
        run().assert_outcomes(passed=1)

    @pytest.mark.parametrize(
        ("options", "expected"),
        [
            ("--bibliogrphy refs.bib", "guardrail_options: No such option*--bibliography*"),
            ("--deadline soon", "guardrail_options: *soon*"),
            ("--bibliography absent.bib", "*absent.bib*"),
        ],
    )
    def test_wrong_options(self, pytester, run, options, expected):
        """The test that asked for the fixture does not pass, and the message names the option."""
        pytester.makeini(f"[pytest]\nguardrail_options = {options}\n")
        pytester.makepyfile("def test_it(guardrail_check):\n    guardrail_check('x')\n")
        result = run()
        assert result.ret == 1
        result.stdout.fnmatch_lines([f"*{expected}"])


class TestLoaded:
    def test_is_inert(self, pytester, monkeypatch):
        """A run that does not ask for the fixture: one passed, no warning, and of guardrail four modules, though a guardrail.toml is broken."""
        pytester.makefile(".toml", guardrail="no toml")
        pytester.makepyfile(
            "import sys\n"
            "def test_it():\n"
            "    loaded = {name for name in sys.modules if name.partition('.')[0] == 'guardrail'}\n"
            "    assert loaded == {'guardrail', 'guardrail._lazy', 'guardrail._version', 'guardrail.pytest_plugin'}\n"
            "    assert not {'pydantic', 'numpy', 'httpx', 'typer', 'structlog'} & set(sys.modules)\n"
        )
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        result = pytester.runpytest_subprocess("-W", "error", "-p", "guardrail.pytest_plugin")
        result.assert_outcomes(passed=1, warnings=0)

    def test_imports_what_pytest_has(self):
        """And no more, so that every run of pytest can afford it."""
        code = (
            "import json, sys, pytest\nbefore = set(sys.modules)\nimport guardrail.pytest_plugin\n"
            "print(json.dumps(sorted(set(sys.modules) - before)))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert json.loads(done.stdout) == [
            "guardrail",
            "guardrail._lazy",
            "guardrail._version",
            "guardrail.pytest_plugin",
        ]

    def test_is_an_entry_point(self):
        """By which pytest finds it; if this environment has it, under the same name."""
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        assert project["entry-points"]["pytest11"] == {"guardrail.pytest_plugin": "guardrail.pytest_plugin"}
        assert {one.value for one in entry_points(group="pytest11", name="guardrail.pytest_plugin")} <= {
            "guardrail.pytest_plugin"
        }
