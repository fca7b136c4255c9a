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

TOGETHER = """
import os
from pathlib import Path
import pytest

@pytest.mark.parametrize("i", range(20))
def test_each(i, once):
    def make(folder):
        with open("made.txt", "a") as file:
            file.write("made\\n")
        (folder / "done").touch()

    assert (once("thing", make) / "done").exists()
    with open("homes.txt", "a") as file:
        file.write(f"{os.getpid()} {Path.home()}\\n")
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

    def run(text, *options, **environment):
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
                *options,
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


class TestTogether:
    OPTIONS = ("-p", "xdist", "-n2")

    def test_homes_and_things(self, trial, tmp_path):
        """Each worker has a home of its own; what is made once is there for all."""
        pytest.importorskip("xdist")
        found, output = trial(TOGETHER, *self.OPTIONS)
        assert "20 passed" in output, found
        assert (tmp_path / "made.txt").read_text(encoding="utf-8") == "made\n"
        homes = {*(tmp_path / "homes.txt").read_text(encoding="utf-8").splitlines()}
        assert (
            len(homes) == len({line.split()[0] for line in homes}) == len({line.split()[1] for line in homes})
        )
        assert len(homes) == 2
        assert not [line for line in homes if Path(line.split()[1]).exists()]

    def test_rules(self, trial, tmp_path):
        """Keys, network and skipped data are seen to in workers too."""
        pytest.importorskip("xdist")
        data = {"CI": "true", "GUARDRAIL_DATA": str(tmp_path), "OPENAI_API_KEY": "secret"}
        _, output = trial(SKIPPED + REACHING + HOME, *self.OPTIONS, **data)
        assert (
            "2 failed, 3 passed, 1 skipped, 3 errors" in output
        )  # tests on the network fail in the end, as errors


class TestExamples:
    def test_the_same_in_ci(self, trial, tmp_path):
        """Hypothesis draws the same examples each time and writes no folder."""
        trial(DRAWN, CI="true")
        trial(DRAWN, CI="true")
        first, second = (tmp_path / "seen.json").read_text(encoding="utf-8").splitlines()
        assert first == second
        assert not (tmp_path / ".hypothesis").exists()
