"""The expert study and the token counts of the references paper."""

import pytest
from benchmarks._data import data_dir
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

    def test_without_a_tokenizer_rows_say_so(self, monkeypatch, tmp_path):
        """Null rows with the command to install it; no data is read."""

        def absent():
            raise tokens.TokenizerMissing("no tokenizer at hand")

        monkeypatch.setattr(tokens, "minilm_counter", absent)
        found = tokens.rows(tmp_path, list(tokens.PUBLISHED))
        assert {row.ok for row in found} == {None}
        assert found[0].reason == "no tokenizer at hand"
        assert found[0].published == 40.1

    def test_a_package_that_is_not_installed(self, monkeypatch):
        """The error names the package."""
        monkeypatch.setattr(tokens, "PACKAGE", "no-such-tokenizer-package")
        with pytest.raises(tokens.TokenizerMissing, match="no-such-tokenizer-package"):
            tokens.minilm_counter()

    @pytest.mark.parametrize("cell", ["", "[", "3", "__import__('os')"])
    def test_refuses_what_is_no_list(self, cell):
        """A cell is a literal list, never run as code."""
        with pytest.raises(InputError, match="list of replies"):
            tokens._strings(cell)


@pytest.mark.data
class TestPublished:
    def test_expert_study(self):
        """Table 1's two rates and all of Table 3 come out as printed."""
        rows = [
            *human.hallucination_rows(data_dir("references"), list(human.RATES)),
            *human.agreement_rows(data_dir("references")),
        ]
        judged = [row for row in rows if row.bar]
        assert len(judged) == 2 + 10 + 4
        assert [row.quantity for row in judged if not row.ok] == []

    def test_tokens(self):
        """The six completions of direct queries come out as printed, if the tokenizer is there."""
        rows = tokens.rows(data_dir("references"), list(tokens.PUBLISHED))
        if all(row.ok is None for row in rows):
            pytest.skip("the MiniLM tokenizer is not installed")
        judged = [row for row in rows if row.bar]
        assert len(judged) == 6
        assert [row.quantity for row in judged if not row.ok] == []
