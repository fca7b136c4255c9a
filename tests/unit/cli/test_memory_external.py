"""`guardrail memory external` and `guardrail memory fit`."""

import json
import re

import pytest
from tests.unit.memory.external_world import ANSWER, QUESTION, REPHRASED, TEXT

from guardrail.memory.external import read_fit
from guardrail.testing.server import serve

pytest.importorskip("sacrebleu")
BASE = ["memory", "external", "--model", "m", "--encoder", "chrf"]
MARK = re.compile(r"</?data-[0-9a-f]{16}>")


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")


@pytest.fixture
def texts(folder):
    (folder / "bridge.txt").write_text(TEXT, encoding="utf-8")
    return folder


def model(call):
    """Rephrases by a list, and answers always the same."""
    text = MARK.sub("", call.text)
    if "other words" in text:
        return REPHRASED[sum(one in text for one in REPHRASED)]
    return "The Corvo bridge opened in 1921." if "one sentence" in text else "It is 340 metres long."


class TestOne:
    def test_a_given_answer(self, run, texts):
        """Verdict, score, and what was answered again."""
        with serve(model) as served:
            result = run(
                *BASE,
                "--question",
                QUESTION,
                "--context",
                "bridge.txt",
                "--answer",
                ANSWER,
                "--base-url",
                served.base_url,
            )
        assert result.exit_code == 0, result.stderr
        assert result.stdout.startswith("supported 0.")
        assert result.stdout.count("again:  It is 340 metres long.") == 4

    def test_an_answer_that_does_not_hold(self, run, texts):
        """Exit code 1, and JSON with the numbers."""
        with serve(model) as served:
            result = run(
                *BASE, "--question", QUESTION, "--context", "bridge.txt", "--answer", "Seven hundred yards",
                "--base-url", served.base_url, "--json",
            )  # fmt: skip
        assert result.exit_code == 1, result.stderr
        [row] = json.loads(result.stdout)["rows"]
        assert row["verdict"] == "unsupported"
        assert row["score"] > 0.9
        assert {"consistency", "relevance"} <= row["measurements"].keys()
        assert row["texts"][0] == TEXT

    def test_a_summary_by_the_model(self, run, texts):
        """Without an answer the model is asked for one."""
        with serve(model) as served:
            result = run(*BASE, "--document", "bridge.txt", "--base-url", served.base_url)
        assert "answer: The Corvo bridge opened in 1921." in result.stdout

    def test_nobody_answers(self, run, texts):
        """Exit code 3."""
        with serve(lambda call: "") as served:
            result = run(*BASE, "--document", "bridge.txt", "--answer", ANSWER, "--base-url", served.base_url)
        assert result.exit_code == 3
        assert "too few" in result.stdout


class TestMany:
    @pytest.fixture
    def corpus(self, texts):
        rows = [
            {"id": "a", "document": TEXT, "question": QUESTION, "answer": ANSWER},
            {
                "id": "b",
                "context": [TEXT],
                "question": QUESTION,
                "answer": "Seven hundred yards",
                "label": "invented",
            },
            {"id": "c", "question": QUESTION, "document": TEXT},
        ]
        (texts / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return texts

    def test_goes_on(self, run, corpus):
        """P with its interval; the second run asks nothing; every row is written."""
        with serve(model) as served:
            options = ["--corpus", "corpus.jsonl", "--base-url", served.base_url, "--out", "runs"]
            first = run(*BASE, *options)
            asked = served.stats()["requests"]
            again = run(*BASE, *options)
            assert served.stats()["requests"] == asked
        assert first.exit_code == 1, first.stderr
        assert first.stdout == again.stdout
        assert "P (inconsistent): 0.333, 95 % 0.0" in first.stdout
        rows = [
            json.loads(line) for line in (corpus / "runs" / "results.jsonl").read_text("utf-8").splitlines()
        ]
        assert [row["id"] for row in rows] == ["a", "b", "c"]
        assert rows[2]["answer"] == "It is 340 metres long."
        assert json.loads((corpus / "runs" / "result.json").read_text("utf-8"))["judged"] == 3

    @pytest.mark.parametrize("line", ["[]", "{", '{"id": "a"}', '{"document": 3}'])
    def test_lines_that_are_no_case(self, run, texts, line):
        """Are named, with their number."""
        (texts / "corpus.jsonl").write_text(line + "\n", encoding="utf-8")
        result = run(*BASE, "--corpus", "corpus.jsonl")
        assert result.exit_code == 2
        assert "corpus.jsonl:1" in result.stderr


class TestUsage:
    @pytest.mark.parametrize(
        "options",
        [
            [],
            ["--corpus", "c.jsonl", "--document", "bridge.txt"],
            ["--document", "bridge.txt", "--question", "How long?"],
            ["--document", "nowhere.txt"],
            ["--document", "bridge.txt", "--fit", "nowhere.json"],
            ["--document", "bridge.txt", "--out", "bridge.txt"],
        ],
    )
    def test_refused(self, run, texts, options):
        """Before anything is asked."""
        assert run(*BASE, *options).exit_code == 2


class TestFit:
    @pytest.fixture
    def results(self, texts):
        rows = [
            {
                "texts": [TEXT, *REPHRASED[:3]],
                "responses": [
                    ANSWER,
                    *(
                        f"It is {340 + (i * k) % 7} metres {'and a bit more ' * (i % 5)}long"
                        for k in range(3)
                    ),
                ],
                "label": "invented" if i == 0 else "",
            }
            for i in range(31)
        ]
        (texts / "results.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
        )
        return texts

    def test_made(self, run, results):
        """Of the 30 rows that are not invented; the packaged T_cq stays; the file serves `external`."""
        result = run("memory", "fit", "results.jsonl", "--encoder", "chrf", "--out", "fit.json")
        assert result.exit_code == 0, result.stderr
        fit = read_fit("fit.json")
        assert fit.rows == 30
        assert fit.same_meaning == read_fit("answer-en-chrf").same_meaning
        assert (fit.form, fit.relevance) == ("relative", False)
        with serve(model) as served:
            result = run(
                *BASE, "--question", QUESTION, "--context", "bridge.txt", "--answer", ANSWER, "--base-url", served.base_url,
                "--fit", "fit.json", "--json",
            )  # fmt: skip
        assert "fit.json" in json.loads(result.stdout)["detector"]

    def test_nothing_can_be_flagged(self, run, results):
        """Said, with the rows that it takes: 1 / .01."""
        result = run(
            "memory",
            "fit",
            "results.jsonl",
            "--encoder",
            "chrf",
            "--out",
            "fit.json",
            "--false-alarms",
            "0.01",
        )
        assert "30 normal answers, flags nothing: 100 are needed for --false-alarms 0.01" in result.stdout

    def test_what_has_no_words_is_left_out(self, run, results):
        """A reply of dots is not as unlike as can be: the fit is the one without it."""
        rows = [json.loads(line) for line in (results / "results.jsonl").read_text("utf-8").splitlines()]
        run("memory", "fit", "results.jsonl", "--encoder", "chrf", "--out", "before.json")
        for row in rows:
            row["texts"].append(TEXT)
            row["responses"].append("...")
        (results / "results.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        run("memory", "fit", "results.jsonl", "--encoder", "chrf", "--out", "after.json")
        assert read_fit("after.json").normal.mean[0] == read_fit("before.json").normal.mean[0]

    def test_other_ends_of_lines(self, run, results):
        """A reply may hold U+2028, which JSON leaves as it is."""
        rows = [json.loads(line) for line in (results / "results.jsonl").read_text("utf-8").splitlines()]
        rows[1]["responses"][1] += "\u2028Indeed."
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (results / "results.jsonl").write_text(text, "utf-8")
        result = run("memory", "fit", "results.jsonl", "--encoder", "chrf", "--out", "fit.json")
        assert result.exit_code == 0, result.stderr

    @pytest.mark.parametrize(
        "line", ["{", '{"texts": ["a"], "responses": []}', '{"texts": 3, "responses": []}', "[]"]
    )
    def test_no_results(self, run, texts, line):
        """A row that is none is named."""
        (texts / "results.jsonl").write_text(line, encoding="utf-8")
        result = run("memory", "fit", "results.jsonl", "--out", "fit.json")
        assert result.exit_code == 2
        assert "results.jsonl:1" in result.stderr

    def test_too_few(self, run, texts):
        """Says how many there must be."""
        row = {"texts": [TEXT, *REPHRASED[:2]], "responses": [ANSWER, "340 m", "340 metres"]}
        (texts / "results.jsonl").write_text(json.dumps(row), encoding="utf-8")
        result = run("memory", "fit", "results.jsonl", "--encoder", "chrf", "--out", "fit.json")
        assert result.exit_code == 2
        assert "5 finite points" in result.stderr
