"""The rules that `conftest.py` keeps for every test, tried on a small project of its own."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ALONE = {"CI": "", "GUARDRAIL_DATA": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

SKIPPED = """
import pytest

@pytest.mark.data
def test_in_its_body():
    pytest.skip("no data")

@pytest.mark.data
@pytest.mark.skipif(True, reason="no data")
def test_by_a_mark():
    pass

def test_of_another_kind():
    pytest.skip("no GPU")
"""

REACHING = """
import asyncio, socket

def test_swallows_the_error():
    try:
        socket.create_connection(("example.com", 80))
    except Exception:
        pass

def test_of_an_address():
    with socket.socket() as away:
        away.connect_ex(("192.0.2.1", 80))

def test_of_this_machine():
    async def talk():
        server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
        _, writer = await asyncio.open_connection("localhost", server.sockets[0].getsockname()[1])
        writer.close()
        await writer.wait_closed()
        server.close()

    asyncio.run(talk())
"""

HOME = """
import os
from pathlib import Path

def test_home():
    assert list(Path.home().glob("[!.]*")) == []
    assert Path(os.environ["XDG_CACHE_HOME"]).is_relative_to(Path.home())
    assert "OPENAI_API_KEY" not in os.environ
"""

DRAWN = """
import json
from hypothesis import given, settings, strategies as st

seen = []

@given(st.integers())
def test_drawn(number):
    seen.append(number)

def test_last():
    with open("seen.json", "a") as file:
        file.write(json.dumps(seen) + "\\n")
"""


@pytest.fixture
def trial(tmp_path):
    """Runs pytest with our conftest on one file; gives the outcomes by name."""

    def run(text, **environment):
        shutil.copy(ROOT / "conftest.py", tmp_path)
        (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = data\n", encoding="utf-8")
        (tmp_path / "test_it.py").write_text(text, encoding="utf-8")
        found = subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "-rA",
                "-p",
                "no:cacheprovider",
                "--import-mode=importlib",
            ],
            cwd=tmp_path,
            env={**os.environ, **ALONE, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        outcomes = re.findall(r"^(PASSED|FAILED|ERROR|SKIPPED)\b.*?(?:::(\w+)|$)", found.stdout, re.MULTILINE)
        return {name: outcome for outcome, name in outcomes if name}, found.stdout

    return run


class TestData:
    def test_skipped_though_there(self, trial, tmp_path):
        """In CI, with the data at hand, both ways to skip fail; other skips stay skips."""
        found, output = trial(SKIPPED, CI="true", GUARDRAIL_DATA=str(tmp_path))
        assert found == {"test_in_its_body": "FAILED", "test_by_a_mark": "ERROR"}, output
        assert "1 skipped" in output

    @pytest.mark.parametrize("environment", [{"CI": ""}, {"CI": "true", "GUARDRAIL_DATA": "/nowhere"}])
    def test_skipped_elsewhere(self, trial, tmp_path, environment):
        """At a desk, or without the data, a skip is a skip."""
        _, output = trial(SKIPPED, **{"GUARDRAIL_DATA": str(tmp_path), **environment})
        assert "3 skipped" in output


class TestNetwork:
    def test_only_this_machine(self, trial):
        """Another machine fails the test, even where the error was swallowed; loopback works."""
        found, output = trial(REACHING)
        assert "2 errors" in output
        assert found["test_of_this_machine"] == "PASSED"


class TestHome:
    def test_empty(self, trial):
        """Nothing of the developer's own settings, caches and keys is seen."""
        found, output = trial(HOME, OPENAI_API_KEY="secret")
        assert found == {"test_home": "PASSED"}, output


class TestExamples:
    def test_the_same_in_ci(self, trial, tmp_path):
        """Hypothesis draws the same examples each time and writes no folder."""
        trial(DRAWN, CI="true")
        trial(DRAWN, CI="true")
        first, second = (tmp_path / "seen.json").read_text(encoding="utf-8").splitlines()
        assert first == second
        assert not (tmp_path / ".hypothesis").exists()
