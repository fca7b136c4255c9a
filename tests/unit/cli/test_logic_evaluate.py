"""`guardrail logic evaluate`: what replies state and conclude, from a model or recorded."""

import json

import pytest
from tests.unit.logic.world import make, need_engine

from guardrail.logic.knowledge import reviewed
from guardrail.logic.knowledge.facts import Triple
from guardrail.logic.knowledge.proofs import sentence
from guardrail.testing.server import serve

AUSTEN, THOREAU = ["Emma", "author", "Jane Austen"], ["Walden", "author", "Henry Thoreau"]
CASES = [
    {"id": "q1", "rule": "joint", "question": "Do Emma and Walden share an author?", "answer": False, "facts": [AUSTEN, THOREAU]},
    {"id": "q2", "rule": "single", "question": "Did Jane Austen write Emma?", "answer": True, "facts": [AUSTEN]},
    {"id": "q3", "outer": "atom", "formula": '"Great War"', "year": 1916, "question": "Was the Great War going on in 1916?", "answer": True,
     "spans": [["Great War", 1914, 1918]]},
]  # fmt: skip
RIGHT = {
    "q1": "No. Jane Austen wrote Emma. Henry Thoreau wrote Walden.",
    "q2": "Yes. Jane Austen wrote Emma.",
    "q3": "Yes. The Great War lasted from 1914 to 1918.",
}


@pytest.fixture
def cases(folder):
    """Three questions in the folder."""
    (folder / "q.jsonl").write_text("".join(json.dumps(case) + "\n" for case in CASES))


@pytest.fixture
def judge(run, folder, cases):
    """The command's JSON for some replies."""

    def call(replies, *, code=0):
        lines = [json.dumps({"id": name, "reply": text}) + "\n" for name, text in replies.items()]
        (folder / "r.jsonl").write_text("".join(lines))
        result = run("logic", "evaluate", "q.jsonl", "--replies", "r.jsonl", "--json")
        assert result.exit_code == code, result.output
        return json.loads(result.stdout)

    return call


def counts(found, group="all"):
    return {name: one["count"] for name, one in found[group]["verdicts"]["shares"].items() if one["count"]}


class TestVerdicts:
    @pytest.mark.parametrize(
        ("reply", "verdict"),
        [
            (RIGHT["q1"], "right"),
            ("Yes. Jane Austen wrote Emma. Jane Austen wrote Walden.", "error_knowledge"),
            ("Yes. Jane Austen wrote Emma. Henry Thoreau wrote Walden.", "error_inference"),
            ("Yes. Jane Austen wrote Emma. Mark Twain wrote Walden.", "both"),
            ("I don't know.", "unknown"),
            ("No.", "unverified"),
            ("No. It is as I said.", "unverified"),
        ],
    )
    def test_each(self, judge, reply, verdict):
        """A right word alone is never right."""
        found = judge(RIGHT | {"q1": reply})
        assert found["questions"][0]["verdict"] == verdict
        assert found["joint"]["verdicts"]["shares"][verdict]["count"] == 1

    def test_no_conclusion(self, judge):
        """The reply is unverified, and the exit code tells."""
        found = judge(RIGHT | {"q1": "It depends."}, code=3)
        assert (found["questions"][0]["verdict"], counts(found)["unverified"]) == ("unverified", 1)

    def test_years(self, judge):
        """The span it goes against is named."""
        found = judge(RIGHT | {"q3": "No. The Great War lasted from 1914 to 1915."})
        assert found["questions"][2]["verdict"] == "error_knowledge"
        assert "(against: Great War, 1914 to 1918)" in found["questions"][2]["false"][0]

    def test_explained(self, judge):
        """Which statement goes against which fact, and what is open."""
        reply = "Yes. Jane Austen wrote Emma. Jane Austen wrote Walden. Jane Austen was born in Rome."
        question = judge(RIGHT | {"q1": reply})["questions"][0]
        assert question["false"] == ["Walden, author, Jane Austen (against: Walden, author, Henry Thoreau)"]
        assert question["true"] == ["Emma, author, Jane Austen"]
        assert question["unverified"] == ["Jane Austen, place of birth, Rome"]
        assert "against: Walden, author, Henry Thoreau" in question["reason"]

    def test_by_yes_and_no(self, judge):
        """The counts by the first word are what they were; false knowledge behind a right word counts in the other table."""
        found = judge(RIGHT | {"q1": "No. Jane Austen wrote Walden. Jane Austen wrote Emma."})
        assert (found["all"]["wrong"], found["all"]["judged"], found["all"]["says_yes"]) == (0, 3, 2 / 3)
        assert counts(found) == {"right": 2, "error_knowledge": 1}
        share = found["all"]["verdicts"]["shares"]["right"]
        assert share["value"] == 2 / 3
        assert share["interval"][0] < 2 / 3 < share["interval"][1]

    def test_alias(self, run, folder):
        """Another name that the case gives is the same name."""
        case = CASES[1] | {"aliases": {"A Lady": "Jane Austen"}}
        (folder / "q.jsonl").write_text(json.dumps(case))
        (folder / "r.jsonl").write_text('{"id": "q2", "reply": "Yes. Emma was written by A Lady."}')
        found = json.loads(run("logic", "evaluate", "q.jsonl", "--replies", "r.jsonl", "--json").stdout)
        assert counts(found) == {"right": 1}

    def test_no_facts(self, run, folder):
        """A case without facts is counted by Yes and No alone."""
        (folder / "q.jsonl").write_text('{"question": "Is it?", "answer": true}\n')
        (folder / "r.jsonl").write_text('{"question": "Is it?", "reply": "Yes. It is."}\n')
        result = run("logic", "evaluate", "q.jsonl", "--replies", "r.jsonl", "--json")
        found = json.loads(result.stdout)
        assert (result.exit_code, found["all"]["judged"], counts(found)) == (0, 1, {"unverified": 1})
        assert "1 of 1 questions give no facts" in result.stderr


class TestTables:
    def test_printed(self, run, folder, judge):
        """Rates by Yes and No, rates of the verdicts, and the verdicts of each group."""
        judge(RIGHT | {"q1": "Yes. Jane Austen wrote Emma. Henry Thoreau wrote Walden."})
        first, second, third = run("logic", "evaluate", "q.jsonl", "--replies", "r.jsonl").stdout.split(
            "\n\n"
        )
        assert first.splitlines()[1].split()[:4] == ["all", "1", "3", "0.333"]
        rows = {line[:22].strip(): line[22:].split() for line in second.splitlines()[1:]}
        assert rows["right"][:3] == ["2", "3", "0.667"]
        assert rows["wrong inference"] == ["1", "3", "0.333", "0.061", "to", "0.792"]
        assert rows["unverified"][:3] == ["0", "3", "0.000"]
        assert [line.split()[0] for line in third.splitlines()] == [
            "replies",
            "all",
            "joint",
            "single",
            "atom",
        ]

    def test_no_reply(self, run, folder, cases):
        """No reply is no verdict: counts are of the replies."""
        (folder / "r.jsonl").write_text(json.dumps({"id": "q2", "reply": RIGHT["q2"]}))
        result = run("logic", "evaluate", "q.jsonl", "--replies", "r.jsonl", "--json")
        found = json.loads(result.stdout)
        assert (result.exit_code, found["all"]["failed"], found["all"]["verdicts"]["replies"]) == (3, 2, 1)
        assert [one["verdict"] for one in found["questions"]] == [None, "right", None]


class TestReplies:
    def test_out_is_read_again(self, run, folder, cases):
        """What --out wrote, failures too, gives the same figures."""
        (folder / "r.jsonl").write_text(json.dumps({"id": "q2", "reply": RIGHT["q2"]}))
        found = [
            run("logic", "evaluate", "q.jsonl", "--replies", name, "--out", out).stdout
            for name, out in (("r.jsonl", "a.jsonl"), ("a.jsonl", "b.jsonl"))
        ]
        assert found[0] == found[1]
        assert [json.loads(line)["verdict"] for line in (folder / "b.jsonl").read_text().splitlines()] == [
            None,
            "right",
            None,
        ]

    def test_strangers(self, run, folder, cases):
        """Replies to other questions are left out, and the user hears of it."""
        (folder / "r.jsonl").write_text('{"id": "q2", "reply": "Yes."}\n{"id": "q9", "reply": "Yes."}\n')
        result = run("logic", "evaluate", "q.jsonl", "--replies", "r.jsonl")
        assert "left out 1 replies that are to none of the cases, 'q9' first" in result.stderr

    @pytest.mark.parametrize(
        ("lines", "told"),
        [
            (['{"id": "q9", "reply": "Yes."}'], "such as 'q1', got 'q9'"),
            (['{"id": "q1"}'], 'r.jsonl:1: expected a line like {"id": "…", "reply": "…"}'),
            (["[1]"], "r.jsonl:1: expected a line like"),
            (['{"id": "q1", "reply": "No."}', '{"id": "q1", "reply": "Yes."}'], "r.jsonl:2: an earlier line replies to"),
            (['{"id": "q1", "reply": "No."}', '{"id": "q2", "re'], "r.jsonl:2: expected a line like"),
        ],
    )  # fmt: skip
    def test_broken(self, run, folder, cases, lines, told):
        """2, with the line and what to do."""
        (folder / "r.jsonl").write_text("\n".join(lines))
        result = run("logic", "evaluate", "q.jsonl", "--replies", "r.jsonl")
        assert (result.exit_code, told in result.stderr) == (2, True), result.output
        assert result.stderr.count("\n") == 1

    def test_absent(self, run, cases):
        """2."""
        result = run("logic", "evaluate", "q.jsonl", "--replies", "absent.jsonl")
        assert (result.exit_code, "found no such file: check the path" in result.stderr) == (2, True)

    def test_one_id_twice(self, run, folder):
        """Cases that cannot be told apart."""
        (folder / "q.jsonl").write_text(json.dumps(CASES[0]) + "\n" + json.dumps(CASES[1] | {"id": "q1"}))
        (folder / "r.jsonl").write_text('{"id": "q1", "reply": "No."}')
        result = run("logic", "evaluate", "q.jsonl", "--replies", "r.jsonl")
        assert (result.exit_code, "several cases have the id 'q1'" in result.stderr) == (2, True)

    @pytest.mark.parametrize(
        "change", [{"facts": [["Emma", "author"]]}, {"facts": "Emma"}, {"triple": [1, 2, 3]}]
    )
    def test_broken_facts(self, run, folder, change):
        """2, with the line of the case."""
        (folder / "q.jsonl").write_text(json.dumps(CASES[0] | change))
        (folder / "r.jsonl").write_text('{"id": "q1", "reply": "No."}')
        result = run("logic", "evaluate", "q.jsonl", "--replies", "r.jsonl")
        assert (result.exit_code, "q.jsonl:1: expected a case with its facts" in result.stderr) == (2, True)


class TestGenerated:
    def test_a_model_that_knows(self, run, folder, monkeypatch):
        """Generated cases bring what judging needs: a model that gives the proof back is right, or wrong in inference alone."""
        need_engine()
        make(folder / "world.kb")
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        assert run("logic", "generate", "world.kb", "--count", 8, "--out", "q.jsonl").exit_code == 0
        cases = [json.loads(line) for line in (folder / "q.jsonl").read_text().splitlines()]
        assert len({case["id"] for case in cases}) == len(cases)
        knows = {case["question"]: case for case in cases}

        def answer(call):
            case = next(case for question, case in knows.items() if question in call.text)
            facts = [f"{sentence(Triple(*fact), reviewed(), holds=True)}." for fact in case.get("facts", [])]
            facts += [f"{name} lasted from {first} to {last}." for name, first, last in case.get("spans", [])]
            return "Yes.\n" + "\n".join(f"{number}. {fact}" for number, fact in enumerate(facts, start=1))

        with serve(answer) as server:
            arguments = ("logic", "evaluate", "q.jsonl", "--model", "m", "--base-url", server.base_url)
            result = run(*arguments, "--json")
        assert result.exit_code == 0, result.output
        yes = sum(case["answer"] for case in cases)
        assert counts(json.loads(result.stdout)) == {"right": yes, "error_inference": len(cases) - yes}

    def test_aliases(self, run, folder):
        """Other names of what the facts name; none that stands for two."""
        need_engine()
        make(folder / "world.kb")
        lines = run("logic", "generate", "world.kb", "--relations", "--count", 30).stdout.splitlines()
        found = {alias: name for line in lines for alias, name in json.loads(line)["aliases"].items()}
        assert found == {"A Lady": "Jane Austen", "Thoreau": "Henry David Thoreau"}
