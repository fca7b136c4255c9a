"""`guardrail check` on several files: places in them, SARIF, lines of a compiler, the hook and the action."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from tests.house.source import ROOT

from guardrail.cli._sarif import Checked, lines, region, sarif
from guardrail.report import Action, Case, Decision, DetectorFailure, Finding, Report, Span, Verdict

WRONG = "Bengio, Y., Goodfellow, I. (2016). Deep Residual Learning for Image Recognition. CVPR."
UNKNOWN = "Halloran, M. (2021). Recursive Attention Pruning for Long Documents. ACL."
FILES = {
    "plain.md": f"# Reading\n\n- {WRONG}\n- {UNKNOWN}\n",
    "crlf.md": f"# Reading\r\n\r\n- {WRONG}\r\n- {UNKNOWN}\r\n",
    "wide ä#.md": f"Ünïcode 😀\r\n\r\n- 😀é {WRONG}\n- {UNKNOWN}",
    "mark.md": f"\ufeff- {WRONG}\n",
    "made.bib": "@inproceedings{he, title = {Deep Residual Learning for Image Recognition},\n"
    "  author = {Bengio, Y. and Goodfellow, I.},\n  booktitle = {CVPR}, year = {2016}}\n",
}
LINES = re.compile(r"\r\n|\n")


@pytest.fixture
def files(folder):
    for name, text in FILES.items():
        (folder / name).write_bytes(text.encode())
    return list(FILES)


def report(answer, *findings, failures=()):
    return Report(
        case=Case.of(answer),
        findings=findings,
        failures=failures,
        decision=Decision(action=Action.FLAG, answer=answer),
    )


def finding(answer, said, **more):
    start = answer.index(said)
    given = {"verdict": Verdict.UNSUPPORTED, "label": "made up", "reason": "why", "detector": "one"} | more
    return Finding(span=Span(start=start, end=start + len(said)), text=said, **given)


def utf16(text):
    """A line as a list of its UTF-16 code units."""
    data = text.encode("utf-16-le")
    return [data[at : at + 2] for at in range(0, len(data), 2)]


def shown(text, place):
    """What is in a region, read as SARIF defines it: lines between \\r\\n or \\n, columns in UTF-16 code units."""
    rows = LINES.split(text)
    assert 1 <= place["startLine"] <= place["endLine"] <= len(rows)
    first, last = utf16(rows[place["startLine"] - 1]), utf16(rows[place["endLine"] - 1])
    assert 1 <= place["startColumn"] <= len(first) + 1
    assert 1 <= place["endColumn"] <= len(last) + 1
    if place["startLine"] == place["endLine"]:
        return b"".join(first[place["startColumn"] - 1 : place["endColumn"] - 1]).decode("utf-16-le")
    return (
        b"".join(first[place["startColumn"] - 1 :]).decode("utf-16-le")
        + "".join(f"\n{row}" for row in rows[place["startLine"] : place["endLine"] - 1])
        + "\n"
        + b"".join(last[: place["endColumn"] - 1]).decode("utf-16-le")
    )


def must_be_valid(log):
    """What SARIF 2.1.0 and GitHub ask of a log."""
    assert log["version"] == "2.1.0"
    assert urlsplit(log["$schema"]).path.endswith("/sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"]
    assert run["columnKind"] == "utf16CodeUnits"
    names = [rule["id"] for rule in driver["rules"]]
    assert len(set(names)) == len(names)
    for rule in driver["rules"]:
        assert all(rule[part]["text"] for part in ("shortDescription", "fullDescription", "help"))
    for one in run["artifacts"]:
        assert re.fullmatch(r"[A-Za-z0-9%/._~:-]+", one["location"]["uri"])
    for result in run["results"]:
        assert names[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in {"error", "warning", "note", "none"}
        assert result["message"]["text"]
        (location,) = result["locations"]
        place = location["physicalLocation"]["artifactLocation"]
        assert run["artifacts"][place["index"]]["location"]["uri"] == place["uri"]
        assert location["physicalLocation"]["region"]["startLine"] >= 1
    for one in run["invocations"]:
        assert one["executionSuccessful"] == (not one["toolExecutionNotifications"])
    return run


class TestRegion:
    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    @pytest.mark.parametrize("said", ["bc", "😀", "é 😀 x", "two\nlines", " bc ", "last"])
    def test_is_where_the_text_is(self, said, end):
        """Read by SARIF's own rules it gives the same text; white space at its ends is left out."""
        text = "a😀 bc d\n\né 😀 x\u2028\x0bno line end\ntwo\nlines\nlast".replace("\n", end)
        said = said.replace("\n", end)
        start = text.index(said)
        place = region(text, Span(start=start, end=start + len(said)))
        assert shown(text, place) == said.strip().replace(end, "\n")

    def test_whole_file(self):
        """Without a span it is the first line."""
        assert region("a\nb", None) == {"startLine": 1}

    def test_line_end_at_its_end(self):
        """A span that takes the line end along does not end in column 1 of the next line."""
        assert region("ab\r\ncd", Span(start=0, end=4)) == {
            "startLine": 1,
            "startColumn": 1,
            "endLine": 1,
            "endColumn": 3,
        }


class TestSarif:
    def test_of_files(self, run, files, folder):
        """Each result is where its reference is, in files with \\r\\n, emoji, and a byte order mark."""
        result = run("check", *files, "--bibliography", "refs.bib", "--sarif", "out.sarif")
        assert result.exit_code == 1
        log = must_be_valid(json.loads((folder / "out.sarif").read_text(encoding="utf-8")))
        assert [unquote(one["location"]["uri"]) for one in log["artifacts"]] == files
        found = {}
        for one in log["results"]:
            place = one["locations"][0]["physicalLocation"]
            name = unquote(place["artifactLocation"]["uri"])
            text = (folder / name).read_bytes().decode("utf-8-sig")
            found.setdefault(name, []).append((one["level"], one["ruleId"], shown(text, place["region"])))
        first, second = ("error", "references/misquoted"), ("warning", "references/unknown")
        for name in ("plain.md", "crlf.md", "wide ä#.md"):
            assert [one[:2] for one in found[name]] == [first, second]
            assert WRONG.startswith(found[name][0][2])
            assert UNKNOWN.startswith(found[name][1][2])
        assert [one[:2] for one in found["mark.md"]] == [first]
        assert found["made.bib"][0][2].startswith("@inproceedings{he")
        assert found["made.bib"][0][2].endswith("year = {2016}}")

    def test_nothing_found(self, run):
        """A log without results, on the standard output; the file is still named."""
        result = run("check", "-", "--bibliography", "refs.bib", "--sarif", "-", input="Rivers flow.\n")
        log = must_be_valid(json.loads(result.stdout))
        assert log["results"] == []
        assert log["artifacts"] == [{"location": {"uri": "stdin"}}]

    def test_hostile_words(self):
        """An answer writes no link, line or control character into a message."""
        answer = "See [the fix](https://evil.example)\x1b[2J now."
        one = Checked("a.md", report(answer, finding(answer, answer)))
        message = must_be_valid(sarif([one]))["results"][0]["message"]["text"]
        assert "](" not in message
        assert "\x1b" not in message

    def test_failures(self):
        """A detector that could not finish is said of the tool."""
        failed = DetectorFailure(detector="one", reason="bug", detail="ValueError")
        run = must_be_valid(sarif([Checked("a.md", report("x", failures=[failed]))]))
        assert not run["invocations"][0]["executionSuccessful"]

    def test_outside_of_the_working_directory(self, folder):
        """An absolute address."""
        log = sarif([Checked(str(folder.parent / "x.md"), report("x"))])
        assert log["runs"][0]["artifacts"][0]["location"]["uri"].startswith("file:///")


class TestSeveralFiles:
    def test_a_line_each(self, run, files):
        """FILE:LINE:COLUMN, in the order of the files; what is supported has none."""
        result = run("check", *files, "--bibliography", "refs.bib")
        places = [line.split(": ")[0] for line in result.stdout.splitlines()]
        assert places[:4] == ["plain.md:3:3", "plain.md:4:3", "crlf.md:3:3", "crlf.md:4:3"]
        assert places[4:] == ["wide ä#.md:3:7", "wide ä#.md:4:3", "mark.md:1:3", "made.bib:1:1"]

    def test_short(self, run, folder):
        """Of one file too, where that is asked for."""
        result = run("check", "answer.md", "--bibliography", "refs.bib", "--short")
        assert [line.split(": ")[0] for line in result.stdout.splitlines()] == [
            "answer.md:2:4",
            "answer.md:3:4",
        ]

    def test_none_can_be_read(self, run, folder):
        """Each is named, also in the log."""
        (folder / "empty.md").touch()
        result = run(
            "check", "empty.md", "nope.md", "none.md", "--bibliography", "refs.bib", "--sarif", "out.sarif"
        )
        assert result.exit_code == 2
        assert "nope.md" in result.stderr
        assert "none.md" in result.stderr
        log = must_be_valid(json.loads((folder / "out.sarif").read_text(encoding="utf-8")))
        assert len(log["invocations"][0]["toolExecutionNotifications"]) == 2

    def test_exit_code(self, run, folder):
        """The worst of all; unverified passes where that is asked for, unsupported never."""
        (folder / "unknown.md").write_text(UNKNOWN, encoding="utf-8")
        (folder / "wrong.md").write_text(WRONG, encoding="utf-8")
        options = ["--bibliography", "refs.bib", "--quiet"]
        assert run("check", "unknown.md", "refs.bib", *options).exit_code == 3
        assert run("check", "unknown.md", "refs.bib", *options, "--pass-unverified").exit_code == 0
        assert run("check", "unknown.md", "wrong.md", *options, "--pass-unverified").exit_code == 1

    @pytest.mark.parametrize(
        "option",
        [["--json"], ["--html", "a.html"], ["--out", "-"], ["--prompt", "x"], ["--samples", "refs.bib"]],
    )
    def test_what_is_for_one_answer(self, run, option):
        """An error that names the option."""
        result = run("check", "answer.md", "refs.bib", *option)
        assert result.exit_code == 2
        assert f"{option[0]} is for one answer, got 2 files" in result.output

    def test_would_overwrite(self, run):
        """The log does not take the place of a file that is read."""
        result = run("check", "answer.md", "refs.bib", "--sarif", "refs.bib")
        assert result.exit_code == 2
        assert "--sarif: 'refs.bib' is read as well" in result.output

    def test_whole_answer(self):
        """A finding without a place is on the first line."""
        one = Finding(detector="one", verdict=Verdict.UNVERIFIED, reason="nothing to compare with")
        assert list(lines([Checked("a.md", report("x", one))])) == [
            "a.md:1:1: unverified: the whole text: nothing to compare with"
        ]


class TestHook:
    def test_runs_what_it_says(self, files, folder):
        """Its entry, with the files that it takes, as pre-commit calls it."""
        (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
        assert {"id", "name", "entry", "language"} <= hook.keys()
        taken = [name for name in [*files, "answer.md", "code.py"] if re.search(hook["files"], name)]
        assert taken == [*files, "answer.md"]
        program, *words = shlex.split(hook["entry"])
        assert program == "guardrail"
        command = [sys.executable, "-m", "guardrail", *words, "--bibliography", "refs.bib", *taken]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 1
        assert "crlf.md:3:3: unsupported" in done.stdout


class TestAction:
    @pytest.fixture
    def script(self, folder):
        """Runs the step that checks, as GitHub does, with these inputs in place of the defaults."""
        action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
        step = action["runs"]["steps"][-1]
        bin_folder = folder / "bin"
        bin_folder.mkdir()
        program = bin_folder / "guardrail"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m guardrail "$@"\n')
        program.chmod(0o755)
        (folder / "empty.md").touch()
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
        subprocess.run(["git", "add", "*.md", "*.bib"], cwd=folder, check=True)

        def run(**inputs):
            given = {name: one["default"] for name, one in action["inputs"].items()} | inputs
            environment = {
                **os.environ,
                "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
                "GITHUB_OUTPUT": str(folder / "outputs"),
                "RUNNER_TEMP": str(folder.parent),
            }
            for name, value in step["env"].items():
                environment[name] = given[re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", value)[1]]
            return subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )

        return run

    def test_checks_files_of_the_repository(self, files, script, folder):
        """With blanks and other letters in their names; empty ones are left out; the log is an output."""
        done = script(options="--bibliography refs.bib")
        assert done.returncode == 1, done.stderr
        assert "wide ä#.md:3:7: unsupported" in done.stdout
        log = must_be_valid(json.loads((folder / "guardrail.sarif").read_text(encoding="utf-8")))
        assert {unquote(one["location"]["uri"]) for one in log["artifacts"]} == {
            *files,
            "answer.md",
            "refs.bib",
        }
        assert (folder / "outputs").read_text() == "sarif=guardrail.sarif\n"

    def test_inputs_are_no_commands(self, files, script, folder):
        """Whatever is in them."""
        hostile = {"options": "--bibliography $(touch${IFS}b) `touch c`", "sarif": "$(touch d)"}
        assert script(files="answer.md; touch a", **hostile).returncode == 0
        assert script(**hostile).returncode == 2
        assert not [name for name in "abcd" if (folder / name).exists()]
        action = Path(ROOT / "action.yml").read_text(encoding="utf-8")
        for step in yaml.safe_load(action)["runs"]["steps"]:
            assert "${{" not in step["run"]

    def test_options_may_have_several_lines(self, script):
        """All of them count."""
        done = script(options="--bibliography\n  refs.bib\n--complete\n", unverified="fail")
        assert done.returncode == 1
        assert "unverified" not in done.stdout

    def test_prints_no_commands_of_the_runner(self, script, folder):
        """What files or inputs say is between two marks that nobody can guess."""
        (folder / "answer.md").write_text(
            '- Halloran, M. (2021). "Attention ##[set-output name=a]b", ACL.\n', encoding="utf-8"
        )
        for inputs in ({"options": "--bibliography refs.bib"}, {"files": "::set-output name=a::b"}):
            lines = script(**inputs).stdout.splitlines()
            first, *said, last = lines
            assert first.startswith("::stop-commands::")
            assert last == f"::{first.removeprefix('::stop-commands::')}::"
            assert any("set-output" in line for line in said)

    def test_fails_without_a_repository(self, script, folder):
        """And does not say that there was nothing to check."""
        shutil.rmtree(folder / ".git")
        done = script(options="--bibliography refs.bib")
        assert done.returncode not in {0, 1}
        assert "no file" not in done.stdout

    def test_passes_over_links_that_lead_nowhere(self, script, folder):
        """And says which files cannot be read, when all others are checked."""
        (folder / "gone.md").symlink_to("nowhere.md")
        (folder / "latin.md").write_bytes(b"caf\xe9\n")
        subprocess.run(["git", "add", "*.md"], cwd=folder, check=True)
        done = script(options="--bibliography refs.bib")
        assert done.returncode == 2
        assert "latin.md" in done.stderr
        assert "gone.md" not in done.stderr
        log = must_be_valid(json.loads((folder / "guardrail.sarif").read_text(encoding="utf-8")))
        assert log["results"]
        assert "latin.md" in log["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
        assert log["invocations"][0]["executionSuccessful"] is False

    @pytest.mark.parametrize(
        ("extras", "models"), [("online", False), ("online,mini", True), ("", False), ("online, mini", True)]
    )
    def test_installs_its_own_models(self, folder, extras, models):
        """Those of the tag that is used, where the extras name them."""
        action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
        bin_folder = folder / "guardrail" / "bin"
        bin_folder.mkdir(parents=True)
        for program, what in ((folder / "python3", ":"), (bin_folder / "pip", 'printf "%s\\n" "$@"')):
            program.write_text(f"#!/bin/sh\n{what}\n")
            program.chmod(0o755)
        environment = {
            "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
            "RUNNER_TEMP": str(folder),
            "GITHUB_PATH": str(folder / "path"),
            "SOURCE": str(ROOT),
            "EXTRAS": extras,
        }
        script = action["runs"]["steps"][0]["run"]
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=60, check=True
        )
        expected = [f"{ROOT}[{extras.replace(' ', '')}]" if extras else str(ROOT)]
        expected += sorted(map(str, (ROOT / "models").iterdir())) if models else []
        assert done.stdout.splitlines() == ["install", "--quiet", *expected]

    def test_no_file(self, script):
        """Passes, and says so."""
        done = script(files="*.none")
        assert done.returncode == 0
        assert "no file of *.none" in done.stdout
