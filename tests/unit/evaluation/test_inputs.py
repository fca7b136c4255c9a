"""Files of answers and labels: every form that is read, and what is refused."""

import csv
import json
from typing import ClassVar

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from tests.unit.evaluation.conftest import read

from guardrail.errors import ConfigError, InputError, ParseError
from guardrail.evaluation import rows as rows_module
from guardrail.evaluation.inputs import Mapped, labelled, survey
from guardrail.evaluation.labels import read_labels

TEXT = "Ada wrote it. Bob ate it."


def one(raw, **columns):
    from guardrail.evaluation.rows import InputFile

    return Mapped(columns).labelled(raw, InputFile("f", "0" * 40, 1), 0)


class TestLabels:
    @pytest.mark.parametrize(
        "value",
        [
            True,
            1,
            1.0,
            "true",
            "Yes",
            "hallucinated",
            "1",
            "FAIL",
            "fake",
            "inconsistent",
            "major_inaccurate",
        ],
    )
    def test_made_up(self, value):
        """Words and numbers that mean made up."""
        assert read_labels(value, TEXT).whole is True

    @pytest.mark.parametrize(
        "value", [False, 0, 0.0, "false", "no", "accurate", "Faithful", "PASS", "0", "0.0"]
    )
    def test_sound(self, value):
        """Words and numbers that mean sound."""
        assert read_labels(value, TEXT).whole is False

    @pytest.mark.parametrize("value", [None, "", "null", "n/a", " - ", float("nan")])
    def test_unknown(self, value):
        """No label is not a label."""
        assert read_labels(value, TEXT).whole is None

    @pytest.mark.parametrize(
        "value", ["perhaps", "falsch", 2, -1, 0.7, "0.5", {"a": 1}, float("inf"), True + 1]
    )
    def test_refused(self, value):
        """What could mean anything is not guessed."""
        with pytest.raises(InputError, match="expected a label"):
            read_labels(value, TEXT)

    def test_inverted(self):
        """Some data sets say what is sound."""
        assert read_labels("yes", TEXT, invert=True).whole is False
        assert read_labels(None, TEXT, invert=True).whole is None

    @pytest.mark.parametrize("passages", [[[0, 5]], [{"start": 0, "end": 5}], []])
    def test_passages_are_not_inverted(self, passages):
        """They mark what is made up: the rest of the answer would be called made up, or nothing inverted."""
        with pytest.raises(InputError, match="without the '!'"):
            read_labels(passages, TEXT, invert=True)

    def test_sentences(self):
        """Each has its own; the answer is made up if one is, and unknown if none is known to be and one is not known."""
        labels = read_labels([0, 1], TEXT)
        assert (labels.of(0, 13), labels.of(14, 25), labels.whole) == (False, True, True)
        assert read_labels([0, None], TEXT).whole is None
        assert read_labels([0, 0], TEXT).whole is False

    def test_sentences_split_by_others(self):
        """They are looked for in the answer, one after the other."""
        labels = read_labels([0, 1], "So. So. Not.", texts=["So. So.", " Not."])
        assert labels.parts == ((0, 7, False), (8, 12, True))

    def test_other_sentences(self):
        """Labels that belong to no sentence are refused."""
        with pytest.raises(InputError, match="a label for each of 2 sentences, got 3"):
            read_labels([0, 1, 0], TEXT)
        with pytest.raises(InputError, match="did not find 'Eve"):
            read_labels([0], TEXT, texts=["Eve."])

    def test_spans(self):
        """What they do not touch is sound; an empty list is an answer that is sound throughout."""
        labels = read_labels([[14, 17]], TEXT)
        assert (labels.of(0, 13), labels.of(14, 25), labels.whole) == (False, True, True)
        assert read_labels([{"start": 14, "end": 17}], TEXT) == labels
        nothing = read_labels([], TEXT)
        assert (nothing.of(0, 13), nothing.whole) == (False, False)

    @pytest.mark.parametrize("span", [[5, 2], [0, 99], [0], ["a", "b"], [True, 2]])
    def test_spans_outside(self, span):
        """Spans lie in the answer."""
        with pytest.raises(InputError, match="spans as"):
            read_labels([span], TEXT)


class TestFiles:
    ROW: ClassVar = {
        "answer": TEXT,
        "samples": ["a", "b"],
        "label": [0, 1],
        "source": "s1",
        "context": ["doc"],
    }

    def test_forms_agree(self, tmp_path):
        """JSON lines, CSV and Parquet of the same rows give the same cases and labels."""
        (tmp_path / "a.jsonl").write_text(json.dumps(self.ROW) + "\n\n", encoding="utf-8")
        with (tmp_path / "a.csv").open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            writer.writerow(self.ROW)
            writer.writerow([v if isinstance(v, str) else json.dumps(v) for v in self.ROW.values()])
        parquet.write_table(pa.Table.from_pylist([self.ROW]), tmp_path / "a.parquet")
        found = []
        for name in ("a.jsonl", "a.csv", "a.parquet"):
            path = tmp_path / name
            file = survey(path, Mapped()).file
            assert file.rows == 1
            (item,) = labelled(path, file, Mapped(), [range(1)])
            found.append((item.case, item.labels, item.source))
        assert found[0] == found[1] == found[2]
        assert found[0][0].samples == ("a", "b")
        assert found[0][0].context == ("doc",)

    def test_only_wanted_rows(self, file):
        """Rows outside the ranges are passed over."""
        path = file({"answer": str(i)} for i in range(10))
        info = survey(path, Mapped()).file
        found = labelled(path, info, Mapped(), [range(2, 4), range(8, 9)])
        assert [item.case.answer for item in found] == ["2", "3", "8"]

    def test_map(self):
        """Columns of other names, and a label that says what is sound."""
        item = one({"response": "So.", "ok": 1, "q": "Why?"}, answer="response", label="!ok", prompt="q")
        assert item.case.answer == "So."
        assert item.case.question == "Why?"
        assert item.labels.whole is False

    def test_logprobs(self):
        """Pairs or objects; anything else is refused."""
        pairs = one({"answer": "So", "logprobs": [["So", -0.5]]}).case.logprobs
        objects = one({"answer": "So", "logprobs": [{"token": "So", "logprob": -0.5}]}).case.logprobs
        assert pairs == objects
        with pytest.raises(InputError, match="log-probabilities"):
            one({"answer": "So", "logprobs": [1, 2]})

    def test_missing_column(self):
        """It is named, with those there are."""
        with pytest.raises(
            InputError, match=r"no column 'answer': there are response\. Try --map answer=response"
        ):
            one({"response": "So."})
        with pytest.raises(InputError, match="no column 'gold' for label"):
            one({"answer": "So."}, label="gold")

    def test_unknown_field(self):
        """A field that is misspelt is refused, not ignored."""
        with pytest.raises(ConfigError, match="no field 'anwser'"):
            Mapped({"anwser": "x"})

    def test_no_json_lines(self, tmp_path):
        """A JSON list over several lines is named as what it is."""
        (tmp_path / "a.jsonl").write_text('[\n{"answer": "x"}\n]', encoding="utf-8")
        with pytest.raises(ParseError, match="no JSON lines"):
            read(tmp_path / "a.jsonl")

    def test_other_files(self, tmp_path):
        """A form that is not read, or a file that is not there."""
        with pytest.raises(InputError, match=r"ends in \.jsonl"):
            read(tmp_path / "a.xlsx")
        with pytest.raises(InputError, match="found none"):
            read(tmp_path / "a.csv")

    def test_broken_parquet(self, tmp_path):
        """A file that only has the name."""
        (tmp_path / "a.parquet").write_bytes(b"no")
        with pytest.raises(ParseError, match="a Parquet file"):
            read(tmp_path / "a.parquet")


class TestWithoutPyarrow:
    def test_lines_in_its_place(self, file, evaluate, tmp_path, monkeypatch):
        """Results are JSON lines with the same columns, and Parquet input says what to install."""
        path = file([{"answer": TEXT, "samples": [TEXT], "label": [0, 1]}])
        evaluate(path, "--detector", "selfcheck-ngram", "--out", tmp_path / "with", "-q")

        def absent(what):
            raise rows_module.MissingExtra(f"pyarrow, which {what},", extra="evaluate")

        monkeypatch.setattr(rows_module, "pyarrow", absent)
        code, _ = evaluate(path, "--detector", "selfcheck-ngram", "--out", tmp_path / "run", "-q")
        assert code == 0
        assert (tmp_path / "run" / "results.jsonl").exists()
        monkeypatch.undo()
        mine, theirs = (list(rows_module.read_rows(tmp_path / name)) for name in ("run", "with"))
        assert [(r.text, r.score, r.label) for r in mine] == [(r.text, r.score, r.label) for r in theirs]

    def test_says_what_to_install(self, tmp_path, monkeypatch):
        """The command is in the message."""
        import builtins

        whole = builtins.__import__

        def without(name, *rest):
            if name.startswith("pyarrow"):
                raise ImportError(name)
            return whole(name, *rest)

        (tmp_path / "a.parquet").write_bytes(b"no")
        monkeypatch.setattr(builtins, "__import__", without)
        with pytest.raises(rows_module.MissingExtra, match=r"pip install 'guardrail-sdk\[evaluate\]'"):
            read(tmp_path / "a.parquet")
