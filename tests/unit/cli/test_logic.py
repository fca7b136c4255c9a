"""`guardrail logic`, and `guardrail check --facts`."""

import json
import re
from pathlib import Path

import pytest
from tests.unit.logic.knowledge.wikidata_server import WikidataServer
from tests.unit.logic.world import make, need_engine

from guardrail.logic.knowledge import EngineFault, KnowledgeBase
from guardrail.testing.server import serve

DOCS = Path(__file__).parents[3] / "docs" / "cli.md"
LOCATED = "located in the administrative territorial entity"


@pytest.fixture
def world(folder):
    """A knowledge base in the folder."""
    need_engine()
    make(folder / "world.kb")
    return "world.kb"


class TestBuild:
    def test_mixed(self, run, folder):
        """Triples, events and aliases from several files; what cannot be read is named and left out."""
        (folder / "a.tsv").write_text("subject\trelation\tobject\nParis\tcountry\tFrance\nbroken\n")
        (folder / "b.jsonl").write_text(
            '{"subject": "Lyon", "relation": "country", "object": "France"}\n{"event": "War", "begin": 1, "end": 3}\n'
            '{"label": "Paris", "aliases": ["Lutetia"]}\n{"event": "War", "begin": "x", "end": 3}\n{"no": 1}\n'
        )
        (folder / "c.csv").write_text("event,name,begin,end\ne,Reign,1837-06-20,1901-01-22\n")
        result = run("logic", "build", "new.kb", "a.tsv", "b.jsonl", "c.csv", "--json")
        assert result.exit_code == 0
        made = json.loads(result.stdout)
        assert (made["facts"], made["events"], made["left_out"]) == (2, 2, 3)
        assert made["relations"] == {"country": 2}
        assert "a.tsv:3" in result.stderr
        assert "b.jsonl:4" in result.stderr

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (["new.kb"], "name FILES, or relations with --wikidata"),
            (["new.kb", "absent.tsv"], "found nothing"),
            (["new.kb", "refs.bib"], ".tsv"),
            (["new.kb", "."], "nontemporal_facts.jsonl"),
            (["new.kb", "--wikidata", "capital"], "--item Q"),
            (["new.kb", "--item", "Q1", "answer.md"], "--wikidata PROPERTY"),
            (["new.kb", "--wikidata", "capitol", "--item", "Q1"], "Did you mean 'capital'?"),
            (["answer.md", "refs.bib"], "--replace"),
        ],
    )
    def test_usage(self, run, arguments, told):
        """2, with what to do."""
        result = run("logic", "build", *arguments)
        assert result.exit_code == 2
        assert told in result.stderr

    def test_replace(self, run, folder):
        """What is there is replaced only if asked for."""
        (folder / "a.tsv").write_text("Paris\tcountry\tFrance\n")
        assert run("logic", "build", "new.kb", "a.tsv").exit_code == 0
        assert run("logic", "build", "new.kb", "a.tsv").exit_code == 2
        assert run("logic", "build", "new.kb", "a.tsv", "--replace").exit_code == 0

    def test_wikidata(self, run, folder):
        """Relations by name or id; the file of pages is gone once the knowledge base is there."""
        labels = {"Q142": "France", "Q90": "Paris"}
        with WikidataServer(
            facts={"P36": [("Q142", "Q90")]}, labels=labels, aliases={"Q90": ["Lutetia"]}
        ) as server:
            result = run(
                "logic", "build", "new.kb", "--wikidata", "capital", "--item", "Q142", "--endpoint", server.address, "--json"
            )  # fmt: skip
        assert result.exit_code == 0, result.stderr
        assert json.loads(result.stdout)["relations"] == {"capital": 1}
        assert not list(folder.glob("*.wikidata.jsonl"))


class TestAsk:
    @pytest.mark.parametrize(
        ("triple", "code", "told"),
        [
            (("Emma", "author", "A Lady"), 0, "Emma was written by Jane Austen"),
            (("Walden", "author", "Jane Austen"), 1, "was not written by Jane Austen"),
            (("Ada Lovelace", "spouse", "Jane Austen"), 3, "proves nothing"),
        ],
    )
    def test_states(self, run, world, triple, code, told):
        """0, 1 and 3."""
        result = run("logic", "ask", world, *triple)
        assert result.exit_code == code
        assert told in result.stdout

    def test_near_names(self, run, world):
        """A relation that is not there is an error, a name that is not there a note, both with the nearest."""
        result = run("logic", "ask", world, "Emma", "autor", "Jane Austen")
        assert (result.exit_code, "Did you mean 'author'?" in result.stderr) == (2, True)
        result = run("logic", "ask", world, "Emma", "author", "Jane Austenn")
        assert (result.exit_code, "Did you mean 'Jane Austen'?" in result.stderr) == (3, True)

    def test_json(self, run, world):
        """Everything, as JSON."""
        found = json.loads(run("logic", "ask", world, "Prater", LOCATED, "Austria", "--json").stdout)
        assert found["state"] == "entailed"
        assert found["facts"] == [["Prater", LOCATED, "Vienna"], ["Vienna", LOCATED, "Austria"]]
        assert [premise["rule"] for premise in found["proof"]["premises"]] == ["fact", "fact"]

    def test_hostile(self, run, world):
        """Words are data."""
        result = run("logic", "ask", world, "'). halt. x('", "author", ":- halt.\n")
        assert result.exit_code == 3

    def test_prove(self, run, world):
        """The tree, a line for each step."""
        lines = run("logic", "prove", world, "Prater", LOCATED, "Austria").stdout.splitlines()
        assert [line.strip() for line in lines[1:]] == [
            "Prater is located in Austria  [transitive]",
            "Prater is located in Vienna  [fact]",
            "Vienna is located in Austria  [fact]",
        ]
        assert [len(line) - len(line.lstrip()) for line in lines[1:]] == [2, 4, 4]

    def test_absent(self, run):
        """No knowledge base: the command that makes one."""
        result = run("logic", "ask", "absent.kb", "a", "b", "c")
        assert result.exit_code == 2
        assert "guardrail logic build absent.kb" in result.stderr

    def test_without_the_engine(self, run, world, monkeypatch):
        """The error names the package."""

        def refuse(path):
            raise EngineFault(
                "expected SWI-Prolog. Install it (Debian, Ubuntu: apt-get install swi-prolog-nox)."
            )

        monkeypatch.setattr(KnowledgeBase, "open", refuse)
        result = run("logic", "ask", world, "a", "author", "c")
        assert result.exit_code == 2
        assert "swi-prolog-nox" in result.stderr


class TestQuestions:
    def test_generate(self, run, world, folder):
        """One case a line, both kinds; the same seed gives the same."""
        for name in ("a.jsonl", "b.jsonl"):
            assert run("logic", "generate", world, "--count", 8, "--out", name).exit_code == 0
        assert (folder / "a.jsonl").read_text() == (folder / "b.jsonl").read_text()
        cases = [json.loads(line) for line in (folder / "a.jsonl").read_text().splitlines()]
        assert {"formula" in case for case in cases} == {True, False}
        assert {case["answer"] for case in cases} == {True, False}

    def test_one_kind(self, run, world):
        """Only about years, or only about relations."""
        years = [
            json.loads(line)
            for line in run("logic", "generate", world, "--temporal", "--count", 4).stdout.splitlines()
        ]
        assert len(years) == 4
        assert all("formula" in case for case in years)
        result = run("logic", "generate", world, "--relations", "--count", 50)
        assert all("rule" in json.loads(line) for line in result.stdout.splitlines())
        assert "note: fewer than 50" in result.stderr

    def test_evaluate_live(self, run, world, folder, monkeypatch):
        """A model behind a base URL; one that always says yes is wrong where the answer is No."""
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        assert run("logic", "generate", world, "--count", 4, "--out", "q.jsonl").exit_code == 0
        cases = [json.loads(line) for line in (folder / "q.jsonl").read_text().splitlines()]
        no = sum(not case["answer"] for case in cases)
        with serve(lambda call: "Yes. 1. It is so.") as server:
            arguments = ("logic", "evaluate", "q.jsonl", "--model", "m", "--base-url", server.base_url)
            result = run(*arguments, "--json", "--out", "o.jsonl")
        assert result.exit_code == 0, result.output
        found = json.loads(result.stdout)["all"]
        assert (found["wrong"], found["judged"], found["says_yes"]) == (no, len(cases), 1.0)
        outcomes = [json.loads(line)["outcome"] for line in (folder / "o.jsonl").read_text().splitlines()]
        assert outcomes == ["right" if case["answer"] else "wrong" for case in cases]

    def test_evaluate_recorded(self, run, folder):
        """Recorded replies; a question without one is told by the exit code."""
        (folder / "q.jsonl").write_text('{"question": "Is it?", "answer": true, "rule": "inverse"}\n')
        (folder / "r.jsonl").write_text("")
        result = run("logic", "evaluate", "q.jsonl", "--replies", "r.jsonl")
        assert result.exit_code == 3
        assert re.search(r"^all +0 +0 +- ", result.stdout, re.MULTILINE)

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            ([], "--model NAME or --replies PATH"),
            (["--model", "m", "--replies", "r.jsonl"], "--model NAME or --replies PATH"),
        ],
    )
    def test_usage(self, run, folder, arguments, told):
        """Who is to answer has to be said once."""
        (folder / "q.jsonl").write_text("{}\n")
        result = run("logic", "evaluate", "q.jsonl", *arguments)
        assert (result.exit_code, told in result.stderr) == (2, True)

    def test_broken_cases(self, run, folder):
        """With the line."""
        (folder / "q.jsonl").write_text('{"question": "Is it?", "answer": true}\n{"question": 1}\n')
        (folder / "r.jsonl").write_text("")
        result = run("logic", "evaluate", "q.jsonl", "--replies", "r.jsonl")
        assert (result.exit_code, "q.jsonl:2" in result.stderr) == (2, True)


class TestCheck:
    def test_codes(self, run, world, folder):
        """The worst of references and facts."""
        (folder / "good.txt").write_text("Emma was written by Jane Austen.")
        (folder / "bad.txt").write_text("Walden was written by Jane Austen.")
        (folder / "open.txt").write_text("Walden is long.")
        codes = [
            run("check", name, "--facts", world, "--quiet").exit_code
            for name in ("good.txt", "bad.txt", "open.txt")
        ]
        assert codes == [0, 1, 3]

    def test_shown(self, run, world):
        """Sentence, verdict and reason; nobody proposes a model for what only facts could settle."""
        result = run(
            "check", "-", "--facts", world, input="Walden was written by Jane Austen. Walden is long."
        )
        assert "unsupported\tcontradicted\t1.00\tWalden was written by Jane Austen." in result.stdout
        assert "--model" not in result.stdout

    def test_with_config(self, run, world, folder):
        """A file says which facts; the option would say it twice."""
        (folder / "guardrail.toml").write_text('[[detectors]]\nname = "logic"\nkb = "world.kb"\n')
        (folder / "bad.txt").write_text("Walden was written by Jane Austen.")
        assert run("check", "bad.txt", "--config", "guardrail.toml").exit_code == 1
        assert run("check", "bad.txt", "--config", "guardrail.toml", "--facts", world).exit_code == 2

    def test_absent(self, run, folder):
        """2, with the command that makes one."""
        result = run("check", "answer.md", "--facts", "absent.kb")
        assert (result.exit_code, "guardrail logic build" in result.stderr) == (2, True)

    def test_documented_example(self, process, folder):
        """What docs/cli.md shows is what is printed."""
        need_engine()
        text = DOCS.read_text(encoding="utf-8")
        section = text[text.index("## Logic") : text.index("<!-- help: guardrail logic build -->")]
        (folder / "facts.jsonl").write_text(
            re.search(r"```json\n(.*?)```", section, re.DOTALL)[1], encoding="utf-8"
        )
        assert process("logic", "build", "world.kb", "facts.jsonl").returncode == 0
        block = section[section.index("$ guardrail logic ask") :]
        for step in block.partition("```")[0].split("$ ")[1:]:
            command, _, expected = step.partition("\n")
            words = re.findall(r'"([^"]*)"|(\S+)', command)
            words = [quoted or plain for quoted, plain in words]
            if words[0] == "echo":
                (folder / words[3]).write_text(words[1] + "\n", encoding="utf-8")
            else:
                assert process(*words[1:]).stdout.rstrip() == expected.rstrip()
