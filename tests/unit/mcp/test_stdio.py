"""`guardrail mcp` as a process of its own, spoken to by the client of the official SDK; what the tools answer is in `test_tools.py`."""

import asyncio
import json
import os
import subprocess
import sys

import pytest

mcp = pytest.importorskip("mcp", reason="needs the extra [mcp]", exc_type=ImportError)

CITED = "Bengio, Y., Goodfellow, I. (2016). Deep Residual Learning for Image Recognition. CVPR."
WORKS = """\
@inproceedings{vaswani2017, title = {Attention Is All You Need},
  author = {Vaswani, Ashish and Shazeer, Noam and others}, booktitle = {NeurIPS}, year = {2017}}
@inproceedings{he2016, title = {Deep Residual Learning for Image Recognition},
  author = {He, Kaiming and Zhang, Xiangyu and Ren, Shaoqing and Sun, Jian}, booktitle = {CVPR}, year = {2016}}
"""
CONFIG = """
[guard]
policy = "remove"
[[detectors]]
name = "selfcheck-grounding"
fit = "words"
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "refs.bib").write_text(WORKS, encoding="utf-8")
    (tmp_path / "guardrail.toml").write_text(CONFIG, encoding="utf-8")
    return tmp_path


def words(*options):
    return [sys.executable, "-m", "guardrail.cli", "mcp", *options]


def environment(folder):
    return {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}


def talk(folder, *options, then):
    """Start the command with these options and have `then` speak to it as a host does."""

    async def session():
        command, *arguments = words(*options)
        parameters = mcp.StdioServerParameters(
            command=command, args=arguments, env=environment(folder), cwd=folder
        )
        async with mcp.Client(parameters, read_timeout_seconds=60) as client:
            return await then(client)

    return asyncio.run(session())


class TestSession:
    def test_several_calls_at_once(self, folder):
        """As a host does it: the tools are listed, then called; which detectors run depends on what each call comes with."""

        async def then(client):
            listed = await client.list_tools()
            answer = "The warranty lasts five years."
            calls = [
                client.call_tool("check_references", {"text": CITED}),
                client.call_tool(
                    "check_answer", {"answer": answer, "context": [{"text": "It lasts two years."}]}
                ),
            ]
            return [tool.name for tool in listed.tools], await asyncio.gather(*calls)

        names, results = talk(folder, "--bibliography", "refs.bib", then=then)
        assert names == ["check_references", "check_answer"]
        assert not any(result.is_error for result in results)
        found = [result.structured_content for result in results]
        assert [one["verdict"] for one in found] == ["unsupported"] * 2
        first, second = ({finding["detector"] for finding in one["findings"]} for one in found)
        assert first == {"references"}
        assert all(name.startswith("selfcheck") for name in second)

    def test_errors_end_a_call_and_not_the_session(self, folder):
        """A text that is too long, then one that is not."""

        async def then(client):
            return [
                await client.call_tool("check_references", {"text": text})
                for text in ("x" * (5 << 20), CITED)
            ]

        long, short = talk(folder, "--config", "guardrail.toml", then=then)
        assert long.is_error
        assert "at most 4,194,304 bytes" in long.content[0].text
        assert not short.is_error


class TestStart:
    @pytest.mark.parametrize(
        ("options", "expected"),
        [
            (["--bibliography", "absent.sqlite"], "absent.sqlite"),
            (["--config", "absent.toml"], "absent.toml"),
            (["--config", "guardrail.toml", "--online"], "--online cannot be combined with --config"),
        ],
    )
    def test_at_the_start(self, folder, options, expected):
        """What is missing ends the command: one line in the host's log, nothing on the standard output."""
        done = subprocess.run(
            words(*options),
            cwd=folder,
            env=environment(folder),
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )
        assert done.returncode == 2
        assert done.stdout == ""
        assert expected in done.stderr
        assert len(done.stderr.splitlines()) == 1

    def test_without_the_extra(self, run_without):
        """The command that installs it."""
        assert "pip install 'guardrail-sdk[mcp]'" in run_without("mcp")


class TestStandardOutput:
    def test_has_messages_alone(self, folder):
        """Warnings and what libraries print go to the standard error output; the end of the input ends the process with 0."""
        (folder / "refs.bib").write_text(WORKS + "@article{broken, title = {No end\n", encoding="utf-8")
        hello = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            },
        }
        done = subprocess.run(
            words("--bibliography", "refs.bib"),
            cwd=folder,
            env=environment(folder),
            capture_output=True,
            text=True,
            input=json.dumps(hello) + "\n",
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1]
        assert "note:" in done.stderr


@pytest.fixture
def run_without():
    """The command line's error output where a library is not installed."""

    def run(library):
        code = f"import sys; sys.modules[{library!r}] = None\nfrom guardrail.cli import main\nmain(['mcp'])"
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )
        return done.stderr

    return run
