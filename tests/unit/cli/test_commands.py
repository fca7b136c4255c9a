"""Help, version, doctor, and how fast it all starts."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer

import guardrail
from guardrail._visible import one_line, visible
from guardrail.backends import is_here
from guardrail.cli._application import app
from guardrail.errors import ConfigError
from guardrail.references.bibliography import remembered as _bibliography
from guardrail.report import Report
from guardrail.testing.server import serve

DOCS = Path(__file__).parents[3] / "docs" / "cli.md"


def commands(group=None, path="guardrail"):
    """All commands with their names, groups included."""
    group = group or typer.main.get_command(app)
    yield path, group
    for name, command in getattr(group, "commands", {}).items():
        yield from commands(command, f"{path} {name}")


class TestHelp:
    @pytest.mark.parametrize(("path", "command"), [*commands()], ids=str)
    def test_documented(self, path, command):
        """docs/cli.md names every command and option, and no option that is not there."""
        text = DOCS.read_text(encoding="utf-8")
        if path != "guardrail" and hasattr(command, "commands"):
            return  # a group: its commands are documented
        block = re.search(rf"^<!-- help: {path} -->\n```text\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        assert block, f"docs/cli.md lacks {path} --help"
        listed = set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", block[1], re.MULTILINE))
        known = {
            option for parameter in command.params for option in parameter.opts if option.startswith("--")
        }
        assert listed - {"--help"} == known - {"--help"}

    def test_exit_codes(self, run):
        """They are in the help text and in the document."""
        text = run("check", "--help").stdout
        for code in (0, 1, 2, 3, 4, 130):
            assert re.search(rf"^ +{code}  ", text, re.MULTILINE)
            assert re.search(rf"^\| {code} \|", DOCS.read_text(encoding="utf-8"), re.MULTILINE)

    @pytest.mark.parametrize("arguments", [[], ["--help"], ["references"], ["references", "index"]])
    def test_no_arguments(self, run, arguments):
        """Help, not an error."""
        result = run(*arguments)
        assert result.exit_code == 0
        assert "Commands:" in result.stdout

    def test_version(self, process):
        """The package's."""
        assert process("--version").stdout == f"guardrail {guardrail.__version__}\n"


class TestStart:
    def test_help_is_light(self):
        """Help imports nothing heavy."""
        code = (
            "import sys\n"
            "from guardrail.cli import main\n"
            "try: main(['--help'])\n"
            "except SystemExit: pass\n"
            "print([m for m in ('torch', 'langchain_core', 'openai', 'httpx', 'numpy', 'jinja2', 'sqlite3', "
            "'guardrail.guard', 'rich.console') if m in sys.modules])"
        )
        # measured, it would import sqlite3 for that
        free = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
        found = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=free
        )
        assert found.stdout.splitlines()[-1] == "[]"


class TestSchema:
    def test_is_that_of_what_json_prints(self, run):
        """All that a report has, the verdict and the answer too; harmless on a terminal."""
        schema = json.loads(run("schema").stdout)
        assert schema == Report.model_json_schema(mode="serialization")
        content = json.loads(run("check", "answer.md", "--bibliography", "refs.bib", "--json").stdout)
        assert {"verdict", "answer"} <= set(schema["required"]) <= set(content) <= set(schema["properties"])
        assert (content["verdict"], content["answer"]) == ("unsupported", content["case"]["answer"])


class TestDoctor:
    def test_json(self, process):
        """All that is needed is there; optional things may be missing, and then say how to get them."""
        found = process("doctor", "--json")
        content = json.loads(found.stdout)
        assert (found.returncode, content["ok"]) == (0, True)
        assert {"installed", "extras", "configured", "files"} <= {
            item["section"] for item in content["items"]
        }
        assert all(item["mend"] for item in content["items"] if item["state"] != "ok")

    @pytest.mark.parametrize("here", [True, False])
    def test_entailment_model(self, run, monkeypatch, here):
        """No extra brings it, so it has a line of its own."""
        monkeypatch.setattr("guardrail.backends.is_here", lambda _name: here)
        monkeypatch.setattr("guardrail.backends.entailment_installed", lambda: here)
        monkeypatch.setattr("guardrail.backends.PackagedEntailment.load", lambda _self: None)
        items = json.loads(run("doctor", "--json").stdout)["items"]
        [found] = [item for item in items if item["name"] == "entailment-mini"]
        assert (found["state"], "guardrail-sdk[mini]" in found["mend"]) == (
            ("ok", False) if here else ("missing", True)
        )

    @pytest.mark.parametrize("here", [True, False])
    def test_network_that_finds_references(self, run, monkeypatch, here):
        monkeypatch.setattr("guardrail.references.citations.tagging.tagger_installed", lambda: here)
        monkeypatch.setattr(
            "guardrail.references.citations.tagging.packaged_tagger", lambda: SimpleNamespace(load=list)
        )
        items = json.loads(run("doctor", "--json").stdout)["items"]
        [found] = [item for item in items if item["name"] == "citations-mini"]
        assert (found["state"], "guardrail-sdk[mini]" in found["mend"]) == (
            ("ok", False) if here else ("missing", True)
        )

    @pytest.mark.parametrize("model", ["citations-mini", "entailment-mini"])
    def test_installed_models_are_loaded(self, run, model):
        """With the time that it took."""
        if not is_here(model):
            pytest.skip(f"guardrail-{model} is not installed")
        items = json.loads(run("doctor", "--json").stdout)["items"]
        [found] = [item for item in items if item["name"] == model]
        assert found["state"] == "ok"
        assert re.match(r"loaded in \d+\.\d s; ", found["detail"])

    def test_models_that_do_not_load(self, run, monkeypatch):
        """1, what is wrong with each, and what mends it; in JSON too."""

        def damaged(*_):
            raise ConfigError("expected a graph that ONNX Runtime can run")

        monkeypatch.setattr("guardrail.backends.entailment_installed", lambda: True)
        monkeypatch.setattr("guardrail.backends.PackagedEntailment.load", damaged)
        monkeypatch.setattr("guardrail.references.citations.tagging.tagger_installed", lambda: True)
        monkeypatch.setattr("guardrail.references.citations.tagging.packaged_tagger", damaged)
        result = run("doctor", "--json")
        content = json.loads(result.stdout)
        assert (result.exit_code, content["ok"]) == (1, False)
        for model in ("citations-mini", "entailment-mini"):
            [found] = [item for item in content["items"] if item["name"] == model]
            assert found["state"] == "broken"
            assert found["detail"] == "expected a graph that ONNX Runtime can run"
            assert f"pip install --force-reinstall guardrail-{model} " in found["mend"]

    def test_key_is_never_shown(self, run, monkeypatch):
        """Only that there is one."""
        monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
        monkeypatch.setenv("OPENAI_BASE_URL", "http://me:hidden@127.0.0.1:9/v1?token=hidden")
        result = run("doctor", "--online")
        assert "secret" not in result.output
        assert "hidden" not in result.output

    def test_broken_index_and_config(self, run, folder):
        """1, with what mends them."""
        (folder / "bad.sqlite").write_bytes(b"nonsense")
        (folder / "guardrail.toml").write_text("[nonsense]\n")
        result = run("doctor", "--index", "bad.sqlite")
        assert result.exit_code == 1
        assert "guardrail references index add bad.sqlite" in result.stdout
        assert "nonsense" in result.stdout

    def test_plugin_that_does_not_import(self, run, monkeypatch):
        """It is named with the command that takes it away."""
        from importlib import metadata

        point = metadata.EntryPoint("mine", "no_such_module:Detector", "guardrail.detectors")
        monkeypatch.setattr(
            metadata, "entry_points", lambda **given: [point] if given["group"] == point.group else []
        )
        result = run("doctor")
        assert result.exit_code == 1
        assert "no_such_module" in result.stdout
        assert "pip uninstall" in result.stdout

    @pytest.mark.parametrize(("key", "expected"), [(None, "answers"), ("other", "wants a key")])
    def test_endpoint(self, run, key, expected):
        """It is asked only when it is named."""
        with serve(key=key) as served:
            result = run("doctor", "--base-url", served.base_url)
        assert expected in result.stdout or "/v1 missing" in result.stdout

    def test_unreachable(self, run):
        """A server that does not run."""
        result = run("doctor", "--base-url", "http://127.0.0.1:9/v1")
        assert result.exit_code == 1
        assert "curl -i http://127.0.0.1:9/v1/models" in result.stdout


class TestText:
    def test_visible(self):
        """What steers a terminal is written out; letters of any script stay."""
        assert (
            visible("a\x1b[1m\r\n\tb\rc\x9b\u202e\U000e0041") == "a\\x1b[1m\n\tb\\x0dc\\x9b\\u202e\\U000e0041"
        )
        assert visible("论文 é 👩‍🔬 ناقل") == "论文 é 👩‍🔬 ناقل"

    def test_one_line(self):
        """Cut with an ellipsis."""
        assert one_line("a\n b  c", 4) == "a b…"

    def test_cache_is_bounded(self, folder):
        """The latest twenty are kept."""
        for number in range(25):
            (folder / f"{number}.sqlite").write_text("")
        _bibliography._forget(folder)
        assert len(list(folder.glob("*.sqlite"))) == 20
