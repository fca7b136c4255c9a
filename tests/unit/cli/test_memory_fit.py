"""`guardrail memory fit`, and `guardrail check` with what it makes."""

import json
import re

import pytest
from tests.unit.memory.external_world import ANSWER, QUESTION, REPHRASED, TEXT

from guardrail.memory.external import read_fit
from guardrail.testing.server import serve

pytest.importorskip("sacrebleu")
MARK = re.compile(r"</?data-[0-9a-f]{16}>")


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")


class Model:
    """Rephrases by a list, and answers in as many words as it was asked before: no two rows are alike."""

    def __init__(self):
        self.asked = 0

    def __call__(self, call):
        text = MARK.sub("", call.text)
        if "other words" in text:
            return REPHRASED[sum(one in text for one in REPHRASED)]
        self.asked += 1
        more = "and a bit more " * (self.asked % 5)
        return (
            f"It is {340 + self.asked % 7} metres {more}long, as number {self.asked % 11} of the list says."
        )


def answers(call):
    """Rephrases by the same list, and answers always the same."""
    text = MARK.sub("", call.text)
    if "other words" in text:
        return REPHRASED[sum(one in text for one in REPHRASED)]
    return "The Corvo bridge opened in 1921." if "one sentence" in text else ANSWER


def corpus(folder, count=12, **more):
    rows = [
        {"document": f"{TEXT} It has {n + 3} arches.", "question": QUESTION, "answer": ANSWER} | more
        for n in range(count)
    ]
    rows.append({"document": TEXT, "question": QUESTION, "answer": "Seven yards.", "label": "invented"})
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def fit(run, folder):
    """The command, in a folder with a corpus."""
    (folder / "bridge.txt").write_text(TEXT, encoding="utf-8")
    corpus(folder)

    def call(url, *more):
        base = ["memory", "fit", "corpus.jsonl", "--model", "m", "--encoder", "chrf", "--out", "fit.json"]
        return run(*base, "--base-url", url, *more)

    return call


class TestFit:
    def test_a_place_that_cannot_be_written_is_told_first(self, fit):
        """Before a model is asked: nobody is there at this address."""
        result = fit("http://127.0.0.1:9/v1", "--out", "missing/fit.json")
        assert result.exit_code == 2
        assert "--out: there is no folder" in result.stderr

    def test_made(self, fit, run):
        """Of the rows that are not invented; the packaged T_cq stays; the file serves `check`."""
        with serve(Model()) as served:
            result = fit(served.base_url)
        assert result.exit_code == 0, result.output
        made = read_fit("fit.json")
        assert made.rows == 12
        assert made.same_meaning == read_fit("answer-en-chrf").same_meaning
        assert (made.form, made.relevance) == ("relative", False)
        with serve(answers) as served:
            result = run(
                "check", "-", "--prompt", QUESTION, "--context", "bridge.txt", "--detector", "memory:fit=fit.json",
                "--model", "m", "--base-url", served.base_url, "--json", input=ANSWER,
            )  # fmt: skip
        assert made.fingerprint in result.stdout

    def test_goes_on(self, fit):
        """With a cache the second run asks nothing, and finds the same."""
        with serve(Model()) as served:
            first = fit(served.base_url, "--cache", "replies.sqlite")
            asked = served.stats()["requests"]
            again = fit(served.base_url, "--cache", "replies.sqlite")
            assert served.stats()["requests"] == asked
        assert first.stdout == again.stdout

    def test_answers_are_asked_for(self, fit, folder):
        """Where a row has none, in one more question each."""
        with serve(Model()) as served:
            given = fit(served.base_url)
            asked = served.stats()["requests"]
            corpus(folder, answer="")
            assert fit(served.base_url).exit_code == given.exit_code == 0
            assert served.stats()["requests"] == 2 * asked + 12

    def test_nothing_can_be_flagged(self, fit):
        """Said, with the rows that it takes: 1 / .01."""
        with serve(Model()) as served:
            result = fit(served.base_url, "--false-alarms", "0.01")
        assert "12 normal answers, flags nothing: 100 are needed for --false-alarms 0.01" in result.stdout

    def test_what_has_no_words_is_left_out(self, fit):
        """A reply of dots is no answer: such rows have too few, and it is said."""
        with serve(lambda call: "..." if "other words" not in call.text else answers(call)) as served:
            result = fit(served.base_url)
        assert result.exit_code == 2
        assert "5 finite points" in result.stderr

    def test_rows_that_fail(self, fit, folder):
        """Are counted, with a reason."""
        text = (folder / "corpus.jsonl").read_text("utf-8")
        long = json.dumps({"document": "word " * 9_000, "question": QUESTION, "answer": ANSWER})
        (folder / "corpus.jsonl").write_text(f"{text}{long}\n", "utf-8")
        with serve(Model()) as served:
            result = fit(served.base_url)
        assert result.exit_code == 0, result.output
        assert "left out 1 of 13 rows, the source has 44,999 characters" in result.stderr

    def test_other_ends_of_lines(self, fit, folder):
        """An answer may hold U+2028, which JSON leaves as it is."""
        row = {"document": TEXT, "question": QUESTION, "answer": f"{ANSWER}\u2028Indeed."}
        text = (folder / "corpus.jsonl").read_text("utf-8")
        (folder / "corpus.jsonl").write_text(f"{text}{json.dumps(row, ensure_ascii=False)}\n", "utf-8")
        with serve(Model()) as served:
            assert fit(served.base_url).exit_code == 0
        assert read_fit("fit.json").rows == 13


class TestRefused:
    @pytest.mark.parametrize("line", ["[]", "{", '{"id": "a"}', '{"document": 3}'])
    def test_lines_that_are_no_case(self, fit, folder, line):
        """Are named, with their number, before anything is asked."""
        (folder / "corpus.jsonl").write_text(line + "\n", encoding="utf-8")
        result = fit("http://127.0.0.1:9/v1")
        assert result.exit_code == 2
        assert "corpus.jsonl:1" in result.stderr

    @pytest.mark.parametrize(
        ("rows", "told"),
        [
            ([{"document": TEXT, "label": "invented"}], "got none"),
            ([{"document": TEXT}, {"document": TEXT, "question": QUESTION}], "got both"),
        ],
    )
    def test_not_one_kind(self, fit, folder, rows, told):
        """A fit is of summaries, or of answers."""
        (folder / "corpus.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
        )
        result = fit("http://127.0.0.1:9/v1")
        assert (result.exit_code, told in result.stderr) == (2, True)

    def test_too_few(self, fit, folder):
        """Says how many there must be."""
        corpus(folder, count=1)
        with serve(Model()) as served:
            result = fit(served.base_url)
        assert result.exit_code == 2
        assert "5 finite points" in result.stderr


class TestCheck:
    """What a check of one answer says."""

    @pytest.fixture
    def check(self, run, folder):
        (folder / "bridge.txt").write_text(TEXT, encoding="utf-8")

        def call(answer, replies, *more):
            with serve(replies) as served:
                base = [
                    "check",
                    "-",
                    "--context",
                    "bridge.txt",
                    "--detector",
                    "memory:encoder=chrf",
                    "--model",
                    "m",
                ]
                return run(*base, "--base-url", served.base_url, *more, input=answer)

        return call

    def test_stable(self, check):
        """0."""
        result = check(ANSWER, answers, "--prompt", QUESTION)
        assert result.exit_code == 0, result.output
        assert "when asked in other words the model answers the same" in result.stdout

    def test_unstable(self, check):
        """1, and JSON with the numbers."""
        result = check("Seven hundred yards", answers, "--prompt", QUESTION, "--json")
        assert result.exit_code == 1, result.output
        [finding] = json.loads(result.stdout)["findings"]
        assert finding["score"] > 0.9
        names = {one["name"] for one in finding["evidence"] if one["kind"] == "measurement"}
        assert {"consistency", "threshold"} <= names

    def test_a_summary(self, check):
        """Without a prompt."""
        result = check("The Corvo bridge opened in 1921.", answers, "--json")
        [finding] = json.loads(result.stdout)["findings"]
        assert "relevance" in {one.get("name") for one in finding["evidence"]}

    def test_nobody_answers(self, check):
        """3."""
        result = check(ANSWER, lambda call: "")
        assert result.exit_code == 3
        assert "too few" in result.stdout
