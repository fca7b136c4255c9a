"""`guardrail check`: what it prints, writes and says by its exit code."""

import json

import pytest

from guardrail.cli._guard import named
from guardrail.cli._show import show
from guardrail.engine.flow import Reason
from guardrail.references.bibliography import Index
from guardrail.report import Action, Case, Decision, DetectorFailure, Finding, Report, Verdict
from guardrail.testing.server import serve

FIRST = "1. Vaswani, A., Shazeer, N. (2017). Attention Is All You Need. NeurIPS.\n"
THIRD = "3. Halloran, M. (2021). Recursive Attention Pruning for Long Documents. ACL.\n"
OTHER = "4. Dandy, Q., Ulm, R. (2009). Attention Is All You Need. Yeti Press.\n"
RETRACTED = "5. Roe, A. (1998). Hyperplasia in Imaginary Children. The Lancet.\n"
RETRACTED_BIB = "\n@article{roe, title={RETRACTED: Hyperplasia in Imaginary Children}, author={Ann Roe}, journal={The Lancet}, year={1998}}\n"


class TestExitCode:
    def test_supported(self, run, folder):
        """0: everything was found as quoted."""
        (folder / "answer.md").write_text(FIRST)
        assert run("check", "answer.md", "--bibliography", "refs.bib").exit_code == 0

    def test_nothing_to_check(self, run):
        """0: an answer without references, and the output says so."""
        result = run("check", "-", "--bibliography", "refs.bib", input="Paris is the capital of France.\n")
        assert result.exit_code == 0
        assert "nothing to check" in result.stdout

    def test_unsupported(self, run):
        """1: a misquoted work."""
        assert run("check", "answer.md", "--bibliography", "refs.bib").exit_code == 1

    def test_unverified(self, run, folder):
        """3: not in the bibliography, which may lack works, and no model to ask."""
        (folder / "answer.md").write_text(THIRD)
        result = run("check", "answer.md", "--bibliography", "refs.bib")
        assert result.exit_code == 3
        assert "--model NAME" in result.stdout

    @pytest.mark.parametrize(
        ("options", "advised"),
        [
            ([], ["--bibliography PATH", "--online", "--model NAME"]),
            (["--bibliography", "refs.bib"], ["--complete", "--online", "--model NAME"]),
            (["--detector", "references:bibliography=refs.bib"], ["--online", "--model NAME"]),
        ],
    )
    def test_what_would_settle_it(self, run, folder, options, advised):
        """Only what was not given yet, however it was given."""
        (folder / "answer.md").write_text(THIRD)
        said = run("check", "answer.md", *options).output.split("nobody else was asked")[1]
        every = ["--bibliography PATH", "--complete", "--online", "--model NAME"]
        assert [way for way in every if way in said] == sorted(advised, key=every.index)

    def test_complete(self, run, folder):
        """1: the same work, where the bibliography holds everything."""
        (folder / "answer.md").write_text(THIRD)
        result = run("check", "answer.md", "--bibliography", "refs.bib", "--complete")
        assert result.exit_code == 1
        assert "fabricated" in result.stdout

    def test_complete_index(self, run, folder):
        """The claim may be made about an index, too, and does not change it."""
        (folder / "answer.md").write_text(THIRD)
        assert run("references", "index", "add", "library.sqlite", "refs.bib").exit_code == 0
        assert run("check", "answer.md", "--bibliography", "library.sqlite", "--complete").exit_code == 1
        assert run("check", "answer.md", "--bibliography", "library.sqlite").exit_code == 3

    def test_blocked(self, run):
        """4: the policy blocked; what was withheld is not in `--out`."""
        result = run("check", "answer.md", "--bibliography", "refs.bib", "--policy", "block", "--out", "-")
        assert result.exit_code == 4
        assert "withheld" in result.stdout
        assert "Residual" not in result.stdout

    def test_process(self, process):
        """The same from a shell."""
        found = process("check", "answer.md", "--bibliography", "refs.bib")
        assert (found.returncode, found.stderr) == (1, "")


class TestOutput:
    def test_json_is_a_report(self, process, folder):
        """`--json` prints nothing but a report that can be read back."""
        found = process("check", "--json", "answer.md", "--bibliography", "refs.bib")
        report = Report.model_validate_json(found.stdout)
        assert [finding.label for finding in report.findings] == ["verified", "misquoted", "unknown"]
        assert (folder / "answer.md").read_text() == report.case.answer

    def test_json_schema(self, run):
        """What is printed has the fields that the schema requires, and no others."""
        schema = Report.model_json_schema(mode="serialization")
        content = json.loads(run("check", "answer.md", "--bibliography", "refs.bib", "--json").stdout)
        assert set(schema["required"]) <= set(content) <= set(schema["properties"])

    @pytest.mark.parametrize("option", [["--json", "r.json"], ["--json=r.json"]])
    def test_json_file(self, run, folder, option):
        """With a path it is a file, and the rest is printed."""
        result = run("check", "answer.md", "--bibliography", "refs.bib", *option)
        Report.model_validate_json((folder / "r.json").read_text())
        assert "misquoted" in result.stdout

    def test_piped_lines(self, run):
        """Into a pipe a finding is one line of tab-separated fields, without colours."""
        result = run("check", "answer.md", "--bibliography", "refs.bib")
        rows = [line.split("\t") for line in result.stdout.splitlines() if "\t" in line]
        assert [row[:3] for row in rows] == [
            ["supported", "verified", "0.00"],
            ["unsupported", "misquoted", "1.00"],
            ["unverified", "unknown", "-"],
        ]
        assert "\x1b" not in result.stdout

    def test_terminal(self, run, monkeypatch):
        """On a terminal there are colours and a table."""
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("COLUMNS", "80")
        result = run("check", "answer.md", "--bibliography", "refs.bib")
        assert "\x1b[" in result.stdout
        assert "what, and why" in result.stdout
        assert "authors differs: " in result.stdout

    @pytest.mark.parametrize(
        ("line", "options", "label", "said"),
        [
            (FIRST, [], "verified", "the work exists; its title, authors, year and venue agree"),
            (
                FIRST.replace("2017", "2012"),
                [],
                "misquoted",
                "year differs (real work, wrong year: it is of 2017)",
            ),
            (THIRD, [], "unknown", "not in the bibliography, which may lack works; no chat model was given"),
            (
                THIRD,
                ["--complete"],
                "fabricated",
                "not in a bibliography that is declared complete (no such work found)",
            ),
            (
                OTHER,
                [],
                "unknown",
                "only another work with this title was found, by Vaswani, Shazeer and others (2017)",
            ),
            (OTHER, ["--complete"], "fabricated", "only another work with this title was found"),
            (RETRACTED, [], "retracted", "the work was retracted (marked as retracted in its title)"),
        ],
        ids=[
            "verified",
            "year",
            "unknown",
            "fabricated",
            "another work",
            "another work, complete",
            "retracted",
        ],
    )
    def test_what_each_label_says(self, run, folder, monkeypatch, line, options, label, said):
        """On a terminal, with the fields of the work that is meant, and of no other; the evidence names the file."""
        (folder / "answer.md").write_text(line)
        (folder / "refs.bib").write_text((folder / "refs.bib").read_text() + RETRACTED_BIB)
        asked = ["check", "answer.md", "--bibliography", "refs.bib", *options]
        report = json.loads(run(*asked, "--json", "-").stdout)
        assert report["findings"][0]["evidence"][0]["sources"] == ["refs.bib"]
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("COLUMNS", "400")
        shown = run(*asked).stdout
        assert f"  {label}" in shown
        assert said in shown
        assert ("really" in shown) is (label == "misquoted")

    def test_files_are_named_together(self, run, folder):
        (folder / "more.bib").write_text(RETRACTED_BIB)
        (folder / "answer.md").write_text(FIRST)
        done = run(
            "check", "answer.md", "--bibliography", "refs.bib", "--bibliography", "more.bib", "--json", "-"
        )
        assert json.loads(done.stdout)["findings"][0]["evidence"][0]["sources"] == ["refs.bib, more.bib"]

    def test_marks(self, run):
        """Unedited, each finding is followed by its sign and word."""
        result = run("check", "answer.md", "--bibliography", "refs.bib")
        assert "NeurIPS. [✓ verified]\n" in result.stdout
        assert "CVPR. [✗ misquoted]\n" in result.stdout

    def test_annotate(self, run):
        """`--out -` prints the decided answer and nothing else."""
        result = run("check", "answer.md", "--bibliography", "refs.bib", "--policy", "annotate", "--out", "-")
        assert result.stdout.startswith(FIRST)
        assert "ACL. [unverified]\n" in result.stdout
        assert len(result.stdout.splitlines()) == 3

    def test_remove(self, run, folder):
        """What is removed is gone, and the list is numbered again."""
        run("check", "answer.md", "--bibliography", "refs.bib", "--policy", "remove", "--out", "clean.md")
        assert (folder / "clean.md").read_text() == FIRST + "2" + THIRD.rstrip("\n")[1:] + " [unverified]\n"

    def test_regenerate_says_so(self, run):
        """A given answer cannot be written again."""
        result = run(
            "check", "answer.md", "--bibliography", "refs.bib", "--policy", "regenerate(2) | annotate"
        )
        assert "cannot be written again" in result.stdout
        assert "annotate: 2 marks added" in result.stdout

    def test_the_last_line_counts_what_could_not_finish(self, capsys):
        """A detector that broke is not "nothing found", nor are the others' findings all there is."""
        failure = DetectorFailure(detector="phr", reason=Reason.TIMEOUT)
        found = Finding(detector="logic", verdict=Verdict.SUPPORTED, reason="stated")
        decision = Decision(action=Action.PASS, answer="")
        for findings, expected in (
            ((), "1 detector could not finish"),
            ((found,), "1 supported, 1 detector could not finish"),
        ):
            show(
                Report(case=Case(answer=""), findings=findings, failures=(failure,), decision=decision),
                source="a.md",
            )
            assert expected in capsys.readouterr().out.splitlines()

    def test_html(self, run, folder):
        """The page holds the escaped answer."""
        (folder / "answer.md").write_text("1. X. (2020). <script>alert(1)</script> studies. ACL.\n")
        run("check", "answer.md", "--bibliography", "refs.bib", "--html", "page.html", "--quiet")
        page = (folder / "page.html").read_text()
        assert "<script>alert" not in page
        assert "&lt;script&gt;" in page

    def test_quiet(self, process):
        """Nothing at all but the exit code."""
        found = process("check", "answer.md", "--bibliography", "refs.bib", "--quiet")
        assert (found.returncode, found.stdout, found.stderr) == (1, "", "")

    def test_hostile(self, run, folder):
        """Neither escape sequences nor rich's markup reach the terminal as such."""
        (folder / "answer.md").write_text(
            "1. \x1b]0;owned\x07\x1b[2J[red]x[/red] (2020). Attention \u202eIs All You Need. NeurIPS.\n"
        )
        for policy in ("flag", "annotate", "remove", "block"):
            out = run("check", "answer.md", "--bibliography", "refs.bib", "--policy", policy).stdout
            assert not set(out) & {"\x1b", "\x07", "\u202e"}
        told = run("check", "answer.md", "--bibliography", "refs.bib", "--json").stdout
        assert not set(told) & {"\x1b", "\x07", "\u202e"}
        assert json.loads(told)["case"]["answer"] == (folder / "answer.md").read_text()
        flagged = run("check", "answer.md", "--bibliography", "refs.bib").stdout
        assert "[red]x[/red]" in flagged
        assert "\\x1b]0;owned\\x07" in flagged

    def test_ascii(self, process):
        """A terminal without Unicode gets ASCII."""
        import os

        environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
        found = process("check", "answer.md", "--bibliography", "refs.bib", env=environment)
        assert found.stdout.isascii()
        assert "[x misquoted]" in found.stdout


class TestModel:
    def test_asks(self, run, monkeypatch):
        """What the bibliography leaves open is asked of the model behind `--base-url`."""
        monkeypatch.setenv("MY_KEY", "secret")

        def replies(call):
            return f"AUTHORS: Somebody{call.draw} Else{call.draw}" if "authors" in call.text else "No"

        with serve(replies, key="secret") as served:
            result = run(
                "check", "answer.md", "--bibliography", "refs.bib", "--model", "m", "--base-url", served.base_url,
                "--api-key-env", "MY_KEY", "--json",
            )  # fmt: skip
        report = Report.model_validate_json(result.stdout)
        assert [finding.label for finding in report.findings] == ["verified", "misquoted", "fabricated"]
        assert report.cost.total.calls == 6
        assert "secret" not in result.output

    def test_budget(self, run):
        """Six questions do not fit into three: unverified, and nothing is asked in vain."""
        with serve() as served:
            result = run(
                "check", "-", "--model", "m", "--base-url", served.base_url, "--budget", "3", "--json", input=THIRD
            )  # fmt: skip
            assert result.exit_code == 3
            assert served.stats()["requests"] == 0
        assert "budget" in result.stdout

    def test_config(self, run, folder):
        """A guardrail.toml says it all; policy options given here win."""
        run("references", "index", "add", "library.sqlite", "refs.bib")
        (folder / "guardrail.toml").write_text(
            '[guard]\npolicy = "annotate"\n[[detectors]]\nname = "references"\nbibliography = "library.sqlite"\n'
        )
        assert run("check", "answer.md", "--config", "guardrail.toml").exit_code == 1
        blocked = run("check", "answer.md", "--config", "guardrail.toml", "--policy", "block")
        assert blocked.exit_code == 4


class TestDetector:
    """`--detector NAME[:OPTION=VALUE,…]` runs any registered detector."""

    def test_runs_the_one_that_is_named(self, run, folder):
        """And not references, which are checked where nothing is named."""
        result = run("check", "answer.md", "--detector", "selfcheck-ngram", "--json")
        assert result.exit_code == 3
        assert {one.detector for one in Report.model_validate_json(result.stdout).findings} == {
            "selfcheck-ngram"
        }

    @pytest.mark.parametrize(
        ("text", "options"),
        [
            ("references:effort=paper", {"effort": "paper"}),
            ('references:queries=["iq", "dq1"],draws=2', {"queries": ["iq", "dq1"], "draws": 2}),
            ("phr:input=Question: one, or two,contexts=3", {"input": "Question: one, or two", "contexts": 3}),
            ("selfcheck:method=ngram,n=2", {"n": 2}),
        ],
    )
    def test_values_are_toml_or_text(self, text, options):
        """A comma ends a value where another option follows."""
        [made] = named([text])
        assert {name: made.signature().parameters[name] for name in options} == options

    def test_several(self, run, folder):
        """Beside each other."""
        args = ["--detector", "selfcheck-ngram", "--detector", "references", "--json"]
        signatures = json.loads(run("check", "answer.md", *args).stdout)["signatures"]
        assert set(signatures) == {"selfcheck-ngram", "references"}

    def test_a_shorthand_adds_its_own(self, run, folder):
        """`--bibliography` is one for references."""
        args = ["--detector", "selfcheck-ngram", "--bibliography", "refs.bib", "--json"]
        signatures = json.loads(run("check", "answer.md", *args).stdout)["signatures"]
        assert set(signatures) == {"selfcheck-ngram", "references"}

    def test_a_file_is_read_from_here(self, run, folder):
        """As any path on a command line."""
        run("references", "index", "add", "library.sqlite", "refs.bib")
        result = run("check", "answer.md", "--detector", "references:bibliography=library.sqlite")
        assert result.exit_code == 1

    def test_its_file_is_closed(self, run, folder, monkeypatch):
        """With a configuration file and without one."""
        run("references", "index", "add", "library.sqlite", "refs.bib")
        (folder / "guardrail.toml").write_text("[guard]\n")
        closed = []
        monkeypatch.setattr(Index, "close", lambda index: closed.append(index.path.name))
        for more in ([], ["--config", "guardrail.toml"]):
            run("check", "answer.md", "--detector", "references:bibliography=library.sqlite", *more)
        assert closed == ["library.sqlite"] * 2

    def test_takes_the_place_of_a_files(self, run, folder):
        """The file's models and policy stay."""
        (folder / "guardrail.toml").write_text(
            '[guard]\npolicy = "block"\non_unverified = "block"\n[[detectors]]\nname = "references"\n'
        )
        result = run(
            "check", "answer.md", "--config", "guardrail.toml", "--detector", "selfcheck-ngram", "--json"
        )
        assert result.exit_code == 4
        assert set(json.loads(result.stdout)["signatures"]) == {"selfcheck-ngram"}

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["nonsense"], "no detector named 'nonsense'"),
            (["refrences"], "Did you mean 'references'?"),
            (["selfcheck-ngram:sampels=3"], "Did you mean 'samples'?"),
            (["selfcheck-ngram:samples=none"], "a whole number from 1, got 'none'"),
            (["selfcheck-ngram:samples"], "expected NAME:OPTION=VALUE"),
            (
                ["references", "--bibliography", "refs.bib"],
                "--bibliography and --detector references: give one",
            ),
            (["references:bibliography=nowhere.sqlite"], "guardrail references index add"),
            (["references:bibliography=answer.md"], "answer.md"),
            (["selfcheck-ngram:n=1,n=2"], "expected each option once, got 'n' twice"),
            (["FactCheck"], "Did you mean 'logic'?"),
            (["ngram"], "Did you mean 'selfcheck-ngram'?"),
            (["references", "--deadline", "30s"], "'--deadline': expected a valid number, got '30s'"),
            (["references", "--policy", "annotate,block"], "with | between its parts, got 'annotate,block'"),
        ],
    )
    def test_what_is_wrong_is_said_in_one_line(self, run, folder, arguments, message):
        """With what to write."""
        result = run("check", "answer.md", "--detector", *arguments)
        assert result.exit_code == 2
        assert message in result.stderr
        assert result.stderr.count("\n") == 1

    def test_nothing_to_check_is_said_of_the_one_that_looked(self, run, folder):
        """It looked for examples in the prompt, not for references."""
        result = run("check", "answer.md", "--detector", "phr", "--prompt", "Which books?")
        assert result.exit_code == 0
        assert "nothing to check: phr found nothing to examine in answer.md" in result.stdout

    @pytest.mark.parametrize(
        ("arguments", "add"),
        [
            (["memory"], "--prompt TEXT"),
            (["phr"], "--prompt TEXT"),
            (["pairs"], "--prompt TEXT"),
            (["memory", "--prompt", "Which?"], "--model NAME"),
            (["selfcheck-ngram", "--prompt", "Which?"], "--model NAME, or --samples FILE"),
            (["selfcheck-grounding:fit=words"], "--context FILE"),
            (["support:fit=words"], "--context FILE"),
            (["selfcheck-nli", "--context", "refs.bib"], "--backend entailment=packaged"),
            (["selfcheck-nli", "--samples", "refs.bib"], "--backend entailment=packaged"),
            (["selfcheck-qa", "--samples", "refs.bib"], "--backend questions=local:model=DIR"),
            (["selfcheck-prompt", "--samples", "refs.bib"], "--model NAME"),
        ],
    )
    def test_without_what_it_needs_there_is_one_error(self, run, folder, arguments, add):
        """Not a reason at every sentence."""
        result = run("check", "answer.md", "--detector", *arguments)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr.count("\n") == 1
        assert result.stderr.rstrip().endswith(f": add {add}")

    def test_a_configuration_without_its_model(self, run, folder):
        """The error names the file, for no option may be added."""
        (folder / "guardrail.toml").write_text("[guard]\n")
        words = ["--config", "guardrail.toml", "--detector", "selfcheck-ngram", "--prompt", "Which?"]
        result = run("check", "answer.md", *words)
        assert result.exit_code == 2
        assert "needs a chat model, and guardrail.toml has none: add [chat] to it" in result.stderr

    @pytest.mark.parametrize(
        ("name", "add"),
        [("selfcheck-ngram", "--samples FILE"), ("selfcheck-greybox", "--logprobs FILE")],
    )
    def test_with_nothing_to_compare_there_is_one_finding(self, run, folder, name, add):
        """On the whole answer, and a note says what to add."""
        (folder / "several.txt").write_text("It rained. The river rose. The bridge fell.")
        result = run("check", "several.txt", "--detector", name)
        assert result.exit_code == 3
        assert result.stdout.count("unverified\t") == 1
        assert f"had nothing to compare the answer with; add {add}" in result.stdout

    def test_a_text_is_given_in_the_place_of_a_file(self, run):
        """The message says how a text is given."""
        result = run("check", "The moon is made of cheese.")
        assert result.exit_code == 2
        assert "to check a text, pipe it in: echo 'TEXT' | guardrail check -" in result.stderr
        assert "check the path" in run("check", "missing.md").stderr

    def test_a_wrong_entry_of_a_file_is_said_with_its_place(self, run, folder):
        """A deadline of the guard is found in the file, not in the program."""
        for entry in ("deadline = -1", 'policy = "anotate"', 'on_unverified = "flag"', "budget = -1"):
            (folder / "guardrail.toml").write_text(f"[guard]\n{entry}\n")
            result = run("check", "answer.md", "--config", "guardrail.toml")
            assert (result.exit_code, result.stderr.count("\n")) == (2, 1), entry
            assert "in [guard] of guardrail.toml" in result.stderr, entry


class TestRemembered:
    def test_index_is_reused(self, run, folder):
        """A bibliography is imported once, and again when it changes."""
        kept = folder / "cache" / "guardrail" / "bibliographies"
        for _ in range(2):
            run("check", "answer.md", "--bibliography", "refs.bib")
        assert len(list(kept.iterdir())) == 1
        (folder / "refs.bib").write_text((folder / "refs.bib").read_text() + "\n% changed\n")
        run("check", "answer.md", "--bibliography", "refs.bib")
        assert len(list(kept.iterdir())) == 2

    def test_broken_entries_are_told_each_time(self, run, folder):
        """With --complete a lost entry would make a real work look fabricated."""
        (folder / "refs.bib").write_text((folder / "refs.bib").read_text() + "@book{x, title = }\n")
        for _ in range(2):
            result = run("check", "answer.md", "--bibliography", "refs.bib")
            assert "1 entry was left out" in result.stderr
            assert "refs.bib:" in result.stderr

    def test_a_bibliography_that_lost_an_entry_is_not_complete(self, run, folder):
        """Refused, with the entry and why, each time."""
        (folder / "refs.bib").write_text((folder / "refs.bib").read_text() + "@book{x, title = }\n")
        for _ in range(2):
            result = run("check", "answer.md", "--bibliography", "refs.bib", "--complete")
            assert result.exit_code == 2
            assert "refs.bib:5: broken entry 'x': expected a value of 'title'" in result.stderr
            assert "leave --complete out" in result.stderr

    def test_no_cache(self, run, folder, monkeypatch):
        """Without a place to remember it works all the same."""
        (folder / "file").write_text("")
        monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "file"))
        assert run("check", "answer.md", "--bibliography", "refs.bib").exit_code == 1
