"""The expert study and the token counts of the references paper."""

import pytest
from benchmarks.references import human, tokens

from guardrail.errors import InputError

HEADERS = {"A": "Label (H/G)", "B": "label(H/G)", "C": " LABEL", "D": "label (h/g)"}


@pytest.fixture
def small_study(tmp_path):
    """Four titles; the experts' files in other orders and spellings; Bing agrees with all but D."""
    labels = {"t1": "G", "t2": "H", "t3": "G", "t4": "H"}
    for expert, header in HEADERS.items():
        rows = dict(labels, t4="G") if expert == "D" else labels
        lines = [f"{title},{label}" for title, label in sorted(rows.items(), reverse=expert == "B")]
        (tmp_path / f"expert_{expert}.csv").write_text("\n".join([f"gen_title,{header}", *lines]), "utf-8")
    lines = [f"{title},{label == 'G'}" for title, label in labels.items()]
    (tmp_path / "ground_truth.csv").write_text("\n".join(["gen_title,bing_return", *lines]), "utf-8")
    return tmp_path


class TestStudy:
    def test_lines_raters_up_by_title(self, small_study):
        """Whatever the order of a file and the spelling of its header."""
        found = human.study(small_study)
        assert found["A"] == found["B"] == found["Bing"] == ["G", "H", "G", "H"]
        assert found["D"] == ["G", "H", "G", "G"]

    @pytest.mark.parametrize(
        "text",
        ["gen_title,label\nt1,G\n", "gen_title,mark\nt1,G\n", "gen_title,label\nt1,?\nt2,H\nt3,G\nt4,H\n"],
    )
    def test_refuses_other_titles_columns_and_labels(self, small_study, text):
        """Nothing is left out silently."""
        (small_study / "expert_C.csv").write_text(text, encoding="utf-8")
        with pytest.raises(InputError):
            human.study(small_study)


class TestMeans:
    def test_hand_worked(self):
        """Tokens are words here. Two references of one topic; 15 is the most that a direct reply counts."""
        row = {
            "gen_title": "one two three",
            "title": "topic",
            "model_answer_main_query": "1. one two three 2. four",
            "model_ans_1": "A B",
            "model_ans_2": "A B C D",
            "model_ans_3": "A",
            "neural_ans1_list": "['ANS: 50', 'ANS: 0', 'ANS: 100 JUSTIFICATION: x']",
            "neural_ans2_list": str(["yes"] * 9 + ["word " * 40]),
            "neural_ans3_list": str(["no"] * 10),
            "neural_ans4_list": str(["yes it exists"] * 10),
        }
        other = dict(row, neural_ans3_list=str(["no no no"] * 10))
        found = tokens.means([row, other], lambda text: len(text.split()))
        assert found["DS completion"] == 6
        assert found["IQ completion"] == 7 + 2 + 2 + 4
        assert found["DQ1 completion"] == 9 + 15
        assert found["DQ2 completion"] == 20
        assert found["DQ3 completion"] == 30
        assert found["DQ1 prompt"] == 10 * 10  # Does the reference "one two three" exist? Just output yes/no.

    @pytest.mark.parametrize("cell", ["", "[", "3", "__import__('os')"])
    def test_refuses_what_is_no_list(self, cell):
        """A cell is a literal list, never run as code."""
        with pytest.raises(InputError, match="list of replies"):
            tokens._strings(cell)
