"""What detectors measure of whole answers, and answers of which a part claims nothing."""

import json

import pytest

from guardrail import Case, Guard
from guardrail.detectors import SelfCheck, SupportCheck
from guardrail.evaluation import Evaluation, read_rows
from guardrail.evaluation import evaluate as evaluated
from guardrail.evaluation.rows import RowWriter, has_pyarrow

CONTEXT = ["The library was built in 1904. It burnt down in 1950.", "Visitors pay 5 euros."]
RIGHT = "The library was built in 1904 [1]."
HALF = "The library was built in 1904 [1]. The roof is made of copper."
NONE = "Nobody has set any mark in this text."


def cases():
    return [Case.of(answer, context=CONTEXT) for answer in (RIGHT, HALF, NONE)]


def test_mean_over_answers():
    """By hand: recall 1 and 1/2, precision 1 and 1; an answer without citations measures nothing. The name says what judged."""
    found = evaluated(cases(), Guard([SupportCheck(fit="words")]))
    noted = found.summary["detectors"]["support"]["noted"]
    values = {name.partition(" (")[0]: figure["value"] for name, figure in noted.items()}
    assert values == {"citation recall": 0.75, "citation precision": 1.0}
    assert all("words alone" in name for name in noted)
    assert [figure["reason"] for figure in noted.values()] == ["mean of 2 answers"] * 2
    assert "citation recall" in found.html()


def test_notes_are_no_rows():
    """What has no verdict and no place is a figure, not a finding."""
    rows = list(evaluated(cases(), Guard([SupportCheck(fit="words")])).rows)
    assert [(row.finding, row.word) for row in rows] == [(0, "yes"), (0, "yes"), (-1, "")]
    assert [len(row.figures) for row in rows] == [2, 2, 0]


def test_by_the_command(file, evaluate, tmp_path):
    """The file of rows keeps them, and the terminal says them."""
    path = file([{"answer": answer, "context": CONTEXT} for answer in (RIGHT, HALF)])
    code, said = evaluate(path, "--detector", "support:fit=words", "--out", tmp_path / "run")
    assert code == 0
    assert "citation recall (words alone" in said
    assert [sorted(row.figures.values()) for row in read_rows(tmp_path / "run")] == [[1, 1], [0.5, 1]]
    again = Evaluation.read(tmp_path / "run").summary["detectors"]["support"]["noted"]
    assert sorted(one["value"] for one in again.values()) == [0.75, 1]


@pytest.mark.parametrize("suffix", ["parquet", "jsonl"])
def test_rows_of_an_older_run(tmp_path, suffix):
    """A file without the column is read; it has no such figures."""
    if suffix == "parquet" and not has_pyarrow():
        pytest.skip("pyarrow is not installed")
    rows = list(evaluated(cases(), Guard([SupportCheck(fit="words")])).rows)
    path = tmp_path / f"results.{suffix}"
    writer = RowWriter(path)
    writer.write(rows)
    writer.close()
    if suffix == "parquet":
        import pyarrow.parquet as parquet

        parquet.write_table(parquet.read_table(path).drop_columns(["figures"]), path)
    else:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        path.write_text(
            "".join(json.dumps({k: v for k, v in one.items() if k != "figures"}) + "\n" for one in lines),
            encoding="utf-8",
        )
    assert [row.figures for row in read_rows(path)] == [{}] * 3
    assert [row.word for row in read_rows(path)] == [row.word for row in rows]


def test_a_greeting():
    """What claims nothing is neither flagged nor sound, and is no reason to fail."""
    case = Case.of("Hello! The library was built in 1904.", context=CONTEXT)
    found = evaluated([case], Guard([SelfCheck("grounding", fit="words")]))
    assert [row.verdict for row in found.rows] == [None, "supported"]
    assert found.summary["detectors"]["selfcheck-grounding"]["finding"]["nothing"]["value"] == 0.5
