"""Short answers in the SelfCheck benchmark. Oracle: rows written for it, counted by hand."""

import json

import pytest
from benchmarks.selfcheck.short import Answer, read_answers, short_rows

from guardrail.errors import InputError

REFUSAL = "I'm sorry, but I cannot answer this question."
ANSWERS = [
    Answer("It is in Rome.", ("It is in Rome.",) * 5, wrong=False),
    Answer("It is in Oslo.", ("It is in Oslo.",) * 5, wrong=False),
    Answer("It is in Bern.", ("It is in Rome.",) * 5, wrong=True),
    Answer("It was Nero.", ("It is in Rome.",) * 5, wrong=True),
    Answer(REFUSAL, ("It is in Rome.",) * 5, wrong=True),
]


class TestShortRows:
    def test_figures(self):
        """One refusal of three wrong answers is worth (1/3 + 1) / 2; n-gram parts the rest."""
        found = {row.quantity: row.ours for row in short_rows(ANSWERS, None)}
        title = "SAC3 HotpotQA, 5 samples"
        assert found[f"{title}: answers that claim nothing"] == 1
        assert found[f"{title}, a refusal, yes or no: AUROC, all rows"] == pytest.approx(2 / 3)
        assert found[f"{title}, n-gram: AUROC, all rows"] == 1
        assert found[f"{title}, n-gram: AUROC, the 4 without a refusal"] == 1

    def test_reads(self, tmp_path):
        """The file of the set; another form is refused."""
        row = {"generated_answer": "a", "self_evaluations": ["b"] * 10, "label": "False"}
        (tmp_path / "sac3_hotpotqa.jsonl").write_text(json.dumps(row))
        assert read_answers(tmp_path) == [Answer("a", ("b",) * 5, wrong=True)]
        (tmp_path / "sac3_hotpotqa.jsonl").write_text("{}")
        with pytest.raises(InputError, match="SAC3"):
            read_answers(tmp_path)
