"""`guardrail calibrate`: a certificate from a run."""

import json

import pytest

from guardrail import Guard, Verdict
from guardrail.calibration import Certificate
from guardrail.evaluation.labelled import labelled
from guardrail.evaluation.rows import ResultRow
from guardrail.report import Scale

SCALES = {"a": Scale(least=0.0, most=1.0), "b": Scale(least=0.0, most=4.0)}


def result(**fields):
    """A row; what is not given does not matter."""
    given = {
        "file": "f", "row": 0, "source": "s", "detector": "a", "finding": 0, "start": 0, "end": 5, "text": "", "score": 0.5,
        "verdict": "supported", "word": "", "reason": "", "label": None, "answer_label": None,
    }  # fmt: skip
    return ResultRow(**(given | fields))


@pytest.fixture
def folder(folder, run):
    """A run over 240 answers of 120 sources; made-up ones share no word with the samples."""
    rows = [
        {
            "answer": f"Town {source} lies on the Alder."
            if sound
            else f"Pirates founded port {source} near Lisbon.",
            "source": str(source),
            "samples": [f"Town {source} lies on the river Alder.", f"Town {source} is on the Alder."],
            "label": not sound,
            "part": "north" if source % 2 else "south",
        }
        for source in range(120)
        for sound in (True, False)
    ]
    (folder / "answers.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    made = run(
        "evaluate", "answers.jsonl", "--detector", "selfcheck-ngram", "--group", "part", "--out", "run"
    )
    assert made.exit_code == 0, made.output
    return folder


class TestCalibrate:
    def test_writes_a_certificate(self, run, folder):
        """It says what was promised, and a guard with the same detector takes it."""
        found = run("calibrate", "run", "--target", "fdr=0.2,missed=0.2", "--out", "c.json")
        assert found.exit_code == 0, found.output
        assert "120 sources, 240 answers" in found.output
        assert "of these answers 50% are flagged, 50% pass, 0% are unverified" in found.output
        assert "(measured 0, p = " in found.output
        assert "--map source" not in found.output
        made = Certificate.load(folder / "c.json")
        assert made.groups[0].upper is not None
        assert made.groups[0].outcomes[0].unit == "answer"
        (folder / "guardrail.toml").write_text(
            '[guard]\ncertificate = "c.json"\n[[detectors]]\nname = "selfcheck-ngram"\n', encoding="utf-8"
        )
        with Guard.from_config(folder / "guardrail.toml") as guard:
            text = "Town 1 lies on the Alder."
            assert guard.check(text, samples=[text, text], prompt="Where?").verdict is Verdict.SUPPORTED
            assert guard.drift is not None

    def test_says_what_is_lacking(self, run, folder):
        """Exit code 1, the number of sources, and the certificate all the same."""
        found = run("calibrate", "run", "--target", "sound=0.01", "--out", "c.json")
        assert found.exit_code == 1
        assert "would be needed" in found.output
        assert (folder / "c.json").exists()

    def test_says_that_no_source_is_named(self, run, folder):
        """Answers about one document would then count as independent."""
        rows = [json.loads(line) for line in (folder / "answers.jsonl").read_text().splitlines()]
        bare = "\n".join(json.dumps({**row, "source": None}) for row in rows)
        (folder / "bare.jsonl").write_text(bare, encoding="utf-8")
        run("evaluate", "bare.jsonl", "--detector", "selfcheck-ngram", "--out", "bare")
        found = run("calibrate", "bare", "--target", "fdr=0.2", "--out", "c.json")
        assert "--map source=COLUMN" in found.output

    def test_makes_groups(self, run, folder):
        """Two parts of 60 sources."""
        found = run("calibrate", "run", "--target", "missed=0.3", "--by", "part", "--out", "c.json")
        assert found.exit_code == 0, found.output
        assert [group.name for group in Certificate.load(folder / "c.json").groups] == ["north", "south"]

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (["--target", "recall=1"], "promise"),
            (["--target", "fdr=0.1", "--by", "colour"], "--group colour"),
            (["--target", "fdr=0.1", "--refuse", "run"], "fitted"),
        ],
    )
    def test_refuses(self, run, options, words):
        """Unknown promises and columns, and a run that something was fitted on; nothing is written."""
        found = run("calibrate", "run", *options, "--out", "c.json")
        assert found.exit_code == 2
        assert words in found.output


class TestLabelled:
    def test_the_worst_of_the_detectors_counts(self):
        """One span, two detectors: .5 of 1 and 3 of 4."""
        rows, unit = labelled([result(label=True), result(detector="b", score=3.0, label=True)], SCALES)
        assert (rows.scores.tolist(), unit) == ([0.75], "finding")

    def test_a_detector_that_failed_leaves_a_row_without_score(self):
        """It counts as abstained; where another judged the answer it is not counted twice."""
        failed = result(
            finding=-1, start=None, end=None, score=None, verdict="unverified", answer_label=True, row=1
        )
        rows, _ = labelled([result(label=False), failed], SCALES)
        assert rows.unscored == 0.5
        rows, _ = labelled([result(label=False, row=1, answer_label=True), failed], SCALES)
        assert len(rows) == 1

    def test_answers_count_where_findings_have_no_labels(self):
        """One row per answer, with its worst finding."""
        rows, unit = labelled(
            [result(answer_label=True, score=0.2), result(answer_label=True, start=6, end=9, score=0.9)],
            SCALES,
        )
        assert (rows.scores.tolist(), unit) == ([0.9], "answer")

    def test_what_has_no_label_is_left_out(self):
        """Nothing is made of it."""
        assert len(labelled([result()], SCALES)[0]) == 0


class TestProbabilities:
    def test_are_written_and_a_configured_guard_adds_them(self, run, folder):
        """From answers' labels: the worst sentence of an answer gets P(made up), high for words that no sample has."""
        found = run("calibrate", "run", "--probabilities", "p.json")
        assert found.exit_code == 0, found.output
        assert "better than the share alone" in found.output
        (folder / "guardrail.toml").write_text(
            '[guard]\nprobabilities = "p.json"\n[[detectors]]\nname = "selfcheck-ngram"\n', encoding="utf-8"
        )
        samples = ["Town 1 lies on the river Alder.", "Town 1 is on the Alder."]
        with Guard.from_config(folder / "guardrail.toml") as guard:
            values = [
                guard.check(text, samples=samples, prompt="Where?").findings[0].evidence[-1].value
                for text in ("Town 1 lies on the Alder.", "Pirates founded port 1 near Lisbon.")
            ]
        assert values[0] < 0.1 < 0.9 < values[1]

    def test_go_with_a_certificate(self, run, folder):
        """Both from one run; the exit code is the certificate's."""
        found = run(
            "calibrate", "run", "--target", "sound=0.01", "--out", "c.json", "--probabilities", "p.json"
        )
        assert found.exit_code == 1
        assert (folder / "c.json").exists()
        assert (folder / "p.json").exists()

    @pytest.mark.parametrize("options", [[], ["--target", "fdr=0.1"], ["--out", "c.json"]])
    def test_half_of_a_question_is_refused(self, run, folder, options):
        """Neither, a target without a place, a place without a target; the message says what to write."""
        found = run("calibrate", "run", *options)
        assert found.exit_code == 2
        assert "--target fdr=0.1 --out certificate.json" in found.output
        assert not (folder / "c.json").exists()
