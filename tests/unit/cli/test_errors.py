"""Every error is one line that says what to do."""

import os
import re
import signal
import subprocess
import sys

import pytest
from tests.effort import ends

CASES = {
    "command": (["chekc"], "Did you mean 'check'?"),
    "option": (["check", "--modle", "x"], "Did you mean --model?"),
    "choice": (["check", "answer.md", "--effort", "most"], "adaptive"),
    "no such file": (["check", "nope.md"], "no such file"),
    "folder": (["check", "."], "folder"),
    "latin-1": (["check", "latin.md"], "byte 0xe9 at offset 3 (line 1). Convert it, if it is Latin-1: iconv"),
    "utf-16": (["check", "wide.md"], "iconv -f UTF-16"),
    "binary": (["check", "binary"], "offset 2"),
    "pdf": (["check", "paper.pdf"], "pdftotext"),
    "empty": (["check", "empty.md"], "empty"),
    "blank": (["check", "blank.md"], "empty"),
    "prompt file": (["check", "answer.md", "--prompt", "@nope"], "the prompt"),
    "context file": (
        ["check", "answer.md", "--config", "bad.toml", "--context", "nope"],
        "a context document",
    ),
    "nobody's home": (["check", "~nosuchuser/a.txt", "--samples", "answer.md"], "begins with ~"),
    "a detector": (["selfcheck", "--answer", "a.txt"], "guardrail check FILE --detector selfcheck"),
    "no bibliography": (["check", "answer.md", "--bibliography", "nope.bib"], "check the path"),
    "not a bibliography": (["check", "answer.md", "--bibliography", "answer.md"], "bibtex"),
    "corrupt index": (
        ["check", "answer.md", "--bibliography", "bad.sqlite"],
        "guardrail references index add",
    ),
    "corrupt index, find": (
        ["references", "index", "find", "bad.sqlite", "x"],
        "guardrail references index add",
    ),
    "no index": (["references", "index", "stats", "nope.sqlite"], "guardrail references index add"),
    "no title": (["references", "index", "find", "nope.sqlite", " "], "TITLE"),
    "index of nothing": (["references", "index", "add", "i.sqlite", "nope.bib"], "check the path"),
    "index of a folder": (["references", "index", "add", "i.sqlite", "."], "*.bib"),
    "complete what": (["check", "answer.md", "--complete"], "--bibliography"),
    "no config": (["check", "answer.md", "--config", "nope.toml"], "nope.toml"),
    "corrupt config": (["check", "answer.md", "--config", "bad.toml"], "bad.toml"),
    "config and model": (["check", "answer.md", "--config", "bad.toml", "--model", "m"], "--model"),
    "policy": (["check", "answer.md", "--policy", "anotate"], "'annotate'"),
    "budget": (["check", "answer.md", "--budget", "much"], "200,50000"),
    "deadline": (["check", "answer.md", "--deadline", "-1"], "above 0"),
    "base url alone": (["check", "answer.md", "--base-url", "http://x"], "--model"),
    "no key": (["check", "answer.md", "--model", "m"], "export OPENAI_API_KEY"),
    "no such variable": (["check", "answer.md", "--model", "m", "--api-key-env", "NOPE"], "export it"),
    "overwrites the answer": (["check", "answer.md", "--out", "answer.md"], "name another file"),
    "no folder": (["check", "answer.md", "--html", "no/page.html"], "no folder"),
    "two on stdout": (["check", "answer.md", "--json", "-", "--out", "-"], "the standard output"),
    "two from stdin": (["check", "-", "--context", "-"], "standard input"),
    "demo": (["demo", "--scripted", "--model", "m"], "--scripted"),
}


@pytest.fixture
def odd_files(folder):
    (folder / "latin.md").write_bytes(b"caf\xe9\n")
    (folder / "wide.md").write_text("Attention", encoding="utf-16")
    (folder / "binary").write_bytes(b"\x7fE\x00LF")
    (folder / "paper.pdf").write_bytes(b"%PDF-1.7\n\x00")
    (folder / "empty.md").write_bytes(b"")
    (folder / "blank.md").write_bytes(b"\xef\xbb\xbf \n\t\n")
    (folder / "bad.sqlite").write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000)
    (folder / "bad.toml").write_text("[guard\n")


@pytest.mark.usefixtures("odd_files")
class TestOneLine:
    @pytest.mark.parametrize("name", CASES)
    def test_says_what_to_do(self, run, name):
        """Exit code 2, nothing on the standard output, one line that helps."""
        arguments, helpful = CASES[name]
        result = run(*arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.count("\n") == 1
        assert result.stderr.startswith("guardrail: ")
        assert helpful in result.stderr
        assert "Traceback" not in result.stderr

    def test_process(self, process):
        """The same from a shell."""
        found = process("check", "latin.md")
        assert (found.returncode, found.stdout, found.stderr.count("\n")) == (2, "", 1)

    def test_debug(self, process):
        """`GUARDRAIL_DEBUG=1` shows where it happened."""
        found = process("check", "latin.md", env={**os.environ, "GUARDRAIL_DEBUG": "1"})
        assert "Traceback" in found.stderr
        assert found.returncode == 2

    def test_hostile_path(self, run, folder):
        """A file's name cannot steer the terminal either."""
        name = "a\x1b[31m\nb.md"
        result = run("check", name)
        assert "\x1b" not in result.stderr
        assert result.stderr.count("\n") == 1

    def test_fault_of_ours(self, run, monkeypatch):
        """An unexpected error is called what it is."""
        monkeypatch.setattr("guardrail.cli._read.read_text", lambda *_: 1 / 0)
        result = run("check", "answer.md")
        assert result.exit_code == 70
        assert "ZeroDivisionError" in result.stderr
        assert result.stderr.count("\n") == 1

    def test_named_in_a_file(self, run, folder):
        """Which entry of which file is meant stands before what to do, which may be a command."""
        (folder / "a.txt").write_text("She ran.", encoding="utf-8")
        (folder / "g.toml").write_text('[similarity]\nadapter = "pakaged"', encoding="utf-8")
        result = run("check", "a.txt", "--config", "g.toml")
        assert result.exit_code == 2
        assert re.search(
            r"^guardrail: in \[similarity\] of .*g\.toml: no similarity model named", result.stderr
        )

    def test_missing_extra(self, run, monkeypatch):
        """What to install is said exactly."""
        monkeypatch.setitem(sys.modules, "openai", None)
        result = run("check", "answer.md", "--model", "m", "--base-url", "http://127.0.0.1:9/v1")
        assert result.exit_code == 2
        assert "pip install 'guardrail-sdk[openai]'" in result.stderr

    def test_demo_without_langchain(self, run, monkeypatch):
        """The demo, too."""
        for name in [name for name in sys.modules if name.startswith(("langchain_core", "guardrail.demo"))]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "langchain_core", None)
        result = run("demo")
        assert result.exit_code == 2
        assert result.stderr == (
            "guardrail: langchain is not installed. Install it with: pip install 'guardrail-sdk[langchain]'\n"
        )


class TestEnd:
    def test_ctrl_c(self):
        """130, one line, no traceback."""
        waiting = subprocess.Popen(
            [sys.executable, "-m", "guardrail.cli", "check", "-"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        with ends():
            waiting.stdin.write(b"x" * 2**17)  # more than a pipe holds: once it is written, the command reads
        waiting.send_signal(signal.SIGINT)
        out, err = waiting.communicate(timeout=60)
        assert (waiting.returncode, out, err) == (130, b"", b"guardrail: interrupted\n")

    def test_ctrl_c_in_import(self, run, monkeypatch):
        """An import says what it has done."""

        def interrupted(_index, _paths, *, progress, **_options):
            progress(5000, 4999)
            raise KeyboardInterrupt

        monkeypatch.setattr("guardrail.references.bibliography.importers.import_files", interrupted)
        result = run("references", "index", "add", "library.sqlite", "refs.bib")
        assert result.exit_code == 130
        assert "5,000 records were read and 4,999 added, and are kept" in result.stderr

    def test_broken_pipe(self):
        """A reader that goes away is no error worth a word."""
        reader, writer = os.pipe()
        os.close(reader)
        found = subprocess.run(
            [sys.executable, "-m", "guardrail.cli", "check", "answer.md", "--bibliography", "refs.bib"],
            stdout=writer, stderr=subprocess.PIPE, check=False, timeout=60,
        )  # fmt: skip
        os.close(writer)
        assert (found.returncode, found.stderr) == (141, b"")
