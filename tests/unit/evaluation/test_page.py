"""The page and the library: what they show, and that hostile text stays text."""

import json
import re
from collections.abc import Sequence
from html.parser import HTMLParser

import numpy as np
import pytest
from tests.unit.evaluation.conftest import answers

from guardrail import Case, Guard
from guardrail.detector import Detector, Finding, Flow, Scale, Span, Verdict
from guardrail.errors import InputError
from guardrail.evaluation import Evaluation, evaluate
from guardrail.evaluation.charts import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, precision_recall_curve
from guardrail.evaluation.measures import curve
from guardrail.selfcheck import NgramCheck
from guardrail.statistics.ranking import auc

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>\" onload='x' {{ 7*7 }} \u202e</style></svg> javascript:x"


class Judge(Detector):
    """Scores an answer by its first number."""

    name = "judge-test"
    scale = Scale()

    def cost(self, case):
        return {}

    def examine(self, case: Case) -> Flow[list[Finding]]:
        yield from ()
        score = float(case.answer.split()[0])
        verdict = Verdict.UNSUPPORTED if score >= 0.5 else Verdict.SUPPORTED
        span = Span(start=0, end=len(case.answer))
        return [
            Finding(
                detector=self.name, span=span, score=score, verdict=verdict, reason=HOSTILE, label=HOSTILE
            )
        ]


class Elements(HTMLParser):
    """What a browser would see."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.words = set(), set(), []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.words.append(data)


def judged(count=40, text=HOSTILE, **more):
    cases = [f"{(i * 7 % count) / count} {text}" for i in range(count)]
    labels: Sequence = [i % 3 == 0 for i in range(count)]
    return evaluate(
        cases, Guard([Judge()]), labels=labels, sources=[f"{HOSTILE}{i // 2}" for i in range(count)], **more
    )


class TestHostileText:
    def test_is_escaped(self):
        """Answers, reasons and sources that try to be markup are shown as text; nothing in the page runs or loads."""
        page = judged().html()
        seen = Elements(page)
        assert not seen.tags & {"script", "img", "iframe", "link", "object", "form", "base"}
        assert not {name for name in seen.attributes if name.startswith("on")} - {"on"}
        assert "style" not in seen.attributes
        assert "src" not in seen.attributes
        assert "<script>alert(1)</script>" in "".join(seen.words)
        assert "{{ 7*7 }}" in "".join(seen.words)
        assert "\u202e" not in page
        assert re.search(r"default-src &#39;none&#39;; style-src &#39;sha256-", page)
        assert "http://" not in page.replace("http://www.w3.org", "")

    def test_of_files(self, file, evaluate, tmp_path):
        """The name of a file, of a model and of a group are hostile too."""
        name = "<img src=x onerror=x>.jsonl"
        path = file(answers(10), name)
        words = ("--answering-model", HOSTILE, "--detector", "selfcheck-ngram")
        code, _ = evaluate(path, *words, "--out", tmp_path / "run", "-q")
        assert code == 0
        seen = Elements((tmp_path / "run" / "report.html").read_text(encoding="utf-8"))
        assert not seen.tags & {"script", "img"}


class TestPage:
    def test_is_bounded(self):
        """At most a hundred errors a detector, worst first, and few bytes however long the answers are."""
        found = judged(1_000, text="x" * 20_000)
        page = found.html()
        picks = found.picks()["judge-test"]
        assert len(picks) == 100
        assert page.count('class="pick"') == 100
        assert len(page.encode()) < 300_000
        alarms = [pick.row.score for pick in picks if pick.why == "false alarm"]
        missed = [pick.row.score for pick in picks if pick.why == "missed"]
        assert alarms == sorted(alarms, reverse=True)
        assert missed == sorted(missed)
        assert len(alarms) == len(missed) == 50

    def test_errors_are_errors(self):
        """A false alarm is sound and flagged, one missed is made up and passed."""
        for pick in judged().picks()["judge-test"]:
            wrong = (pick.row.answer_label, pick.row.verdict)
            expected = (False, "unsupported") if pick.why == "false alarm" else (True, "supported")
            assert wrong == expected

    def test_without_labels(self):
        """Rates and examples; no figure that needs labels, and the reason is said."""
        found = evaluate(["0.9 a", "0.1 b"], Guard([Judge()]))
        assert found.figure("judge-test", "flagged") == 0.5
        assert found.figure("judge-test", "auroc") is None
        assert "no row is labelled" in found.html()
        assert {pick.why for pick in found.picks()["judge-test"]} <= {"highest score", "drawn at random"}

    def test_of_nothing(self):
        """No answers at all is a page, too."""
        found = evaluate([], Guard([Judge()]))
        assert found.summary["answers"] == 0
        assert "0 answers" in found.html()

    def test_drawings(self):
        """Scores, both curves, calibration and risk are drawn inline."""
        page = judged().html()
        assert page.count("<svg") == 6
        assert "ROC curve" in page
        assert "Precision and recall" in page
        assert "Risk and coverage" in page

    def test_scores_are_drawn_by_label(self):
        """Sound and made-up rows have a shape each, and a line says where flags begin; without labels there is one shape."""
        page = judged().html()
        assert page.count('class="area sound"') == page.count('class="area made_up"') == 1
        assert "flagged →" in page
        page = evaluate(["0.9 a", "0.1 b"], Guard([Judge()])).html()
        assert page.count('class="area unlabelled"') == 1
        assert "area sound" not in page

    def test_curves_by_hand(self):
        """Four rows, from the highest score: made up, sound, made up, sound. Steps of precision, as average precision has them."""
        points = curve(np.array([0.9, 0.7, 0.6, 0.2]), np.array([True, False, True, False]))
        assert [(one["false_alarms"], one["recall"]) for one in points] == [
            (0, 0),
            (0, 0.5),
            (0.5, 0.5),
            (0.5, 1),
            (1, 1),
        ]
        assert [one["precision"] for one in points] == [None, 1, 0.5, pytest.approx(2 / 3), 0.5]
        places = [tuple(map(float, one.split(","))) for one in precision_recall_curve(points).line.split()]
        left, top, across, down = (
            LEFT,
            TOP,
            WIDTH - LEFT - RIGHT,
            HEIGHT - TOP - BOTTOM,
        )
        expected = [(0, 1), (0.5, 1), (0.5, 0.5), (0.5, 0.5), (0.5, 2 / 3), (1, 2 / 3), (1, 0.5), (1, 0.5)]
        assert places == [
            (pytest.approx(left + x * across, abs=0.06), pytest.approx(top + (1 - y) * down, abs=0.06))
            for x, y in expected
        ]

    def test_curves_are_bounded(self):
        """A hundred points, also where few rows are made up; the area by trapezoids is nearly the AUROC."""
        rng = np.random.default_rng(0)
        truth = rng.random(5_000) < 0.02
        score = truth * 1.5 + rng.normal(size=truth.size)
        points = curve(score, truth)
        assert 50 <= len(points) <= 100
        area = np.trapezoid([one["recall"] for one in points], [one["false_alarms"] for one in points])
        assert area == pytest.approx(auc(score, truth), abs=0.01)

    def test_no_row_of_zeros(self):
        """Tokens and paid calls have a place only where a model was asked."""
        page = judged().html()
        assert "tokens per answer" not in page
        assert "paid calls" not in page

    def test_figures_have_three_decimals(self):
        """In tables and intervals; the axes of shares say 0, 0.5 and 1."""
        page = judged().html(against=judged())
        found = [
            one
            for pair in re.findall(r">(\d+\.\d+)(?: to (\d+\.\d+))?</(?!text)", page)
            for one in pair
            if one
        ]
        assert len(found) > 30
        assert {len(one.partition(".")[2]) for one in found} == {3}

    def test_columns_without_labels(self):
        """No column of dashes where nothing is labelled."""
        page = evaluate(["0.9 a", "0.1 b"], Guard([Judge()])).html()
        assert "AUROC ↑" not in page
        assert "AUROC ↑" in judged().html()

    def test_why_unverified(self):
        """The most frequent reasons are on the page, with their number, whatever they say."""
        found = evaluate(["Ada wrote it. Bob ate it."] * 3, Guard([NgramCheck()]))
        because = found.summary["detectors"]["selfcheck-ngram"]["unverified_because"]
        assert because[0]["rows"] == 3
        assert f"{because[0]['reason']} (3 rows)" in " ".join(Elements(found.html()).words).replace(
            "</bdi>", ""
        ).replace("  ", " ")

    def test_cost_against_quality(self):
        """Two detectors are set against each other; the one that is beaten in both is not on the line."""
        from guardrail.evaluation.charts import cost_chart

        chart = cost_chart({"a": (1, 0.9), "b": (2, 0.8), "c": (0.5, 0.7)}, "calls")
        assert {mark.label for mark in chart.marks if mark.best} == {"a", "c"}
        assert cost_chart({"a": (1, 0.9), "b": (None, 0.8)}, "calls") is None


class TestLibrary:
    def test_figures(self):
        """A figure by name; a name that does not exist is refused with how to write it."""
        found = judged()
        assert (
            found.figure("judge-test", "shipped.f1")
            == found.summary["detectors"]["judge-test"]["answer"]["shipped"]["f1"]["value"]
        )
        with pytest.raises(InputError, match=r"shipped\.f1"):
            found.figure("judge-test", "f1")

    def test_sentence_labels(self):
        """With labels of sentences a detector is judged by its findings."""
        case = Case.of("Ada wrote it. Bob ate it.", samples=["Ada wrote it. Bob read it."])
        found = evaluate([case], Guard([NgramCheck()]), labels=[[0, 1]])
        assert found.summary["detectors"]["selfcheck-ngram"]["judged_by"] == "finding"
        assert [row.label for row in found.rows] == [False, True]

    def test_answer_labels(self):
        """With labels of answers it is judged by its highest score of each."""
        cases = [
            Case.of(text, samples=["Ada wrote it. Bob read it."])
            for text in ("Ada wrote it.", "Ada wrote it. Eve sat.")
        ]
        found = evaluate(cases, Guard([NgramCheck()]), labels=[False, True])
        of = found.summary["detectors"]["selfcheck-ngram"]
        assert of["judged_by"] == "answer"
        assert of["answer"]["rows"] == 2
        assert found.figure("selfcheck-ngram", "auroc") == 1.0

    def test_too_few_labels(self):
        """One for each case."""
        with pytest.raises(InputError, match="labels for 2 cases, got 1"):
            evaluate(["0.1 a", "0.2 b"], Guard([Judge()]), labels=[True])

    def test_failure_of_a_detector(self):
        """A detector that breaks is unverified with the reason; the others' rows are as they were."""
        found = evaluate(["no number here"], Guard([Judge(), NgramCheck()]))
        broken = next(row for row in found.rows if row.detector == "judge-test")
        assert broken.verdict == "unverified"
        assert "could not finish" in broken.reason

    def test_written_and_read(self, file, evaluate, tmp_path):
        """What a run wrote is read back with the same figures, and its summary is plain JSON."""
        evaluate(file(answers(50)), "--detector", "selfcheck-ngram", "--out", tmp_path / "run", "-q")
        found = Evaluation.read(tmp_path / "run")
        written = json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))
        assert written["detectors"] == json.loads(json.dumps(found.summary["detectors"]))


class TestCompare:
    def test_paired(self, file, evaluate, tmp_path):
        """Two runs over the same answers: the difference has an interval that is paired by source."""
        path = file(answers(200))
        evaluate(path, "--detector", "selfcheck-ngram", "--out", tmp_path / "one", "-q")
        words = (
            "--detector",
            "selfcheck-ngram:n=2",
            "--out",
            tmp_path / "two",
            "--compare",
            tmp_path / "one",
        )
        code, _ = evaluate(path, *words, "-q")
        assert code == 0
        (pair,) = json.loads((tmp_path / "two" / "summary.json").read_text(encoding="utf-8"))["comparison"]
        assert (pair["rows"], pair["sources"]) == (200, 40)
        area = pair["figures"]["auroc"]
        assert area["difference"]["value"] == pytest.approx(area["ours"] - area["theirs"])
        assert (
            area["difference"]["interval"][0]
            <= area["difference"]["value"]
            <= area["difference"]["interval"][1]
        )
        page = (tmp_path / "two" / "report.html").read_text(encoding="utf-8")
        assert "Compared with another run" in page
        assert '<bdi>two</bdi></th><th scope="col"><bdi>one</bdi></th>' in page
        assert "Differences are <bdi>two</bdi> less <bdi>one</bdi>" in page
        assert f"{area['ours']:.3f}</td><td>{area['theirs']:.3f}</td>" in page

    def test_folders_of_one_name(self, file, evaluate, tmp_path):
        """Their paths distinguish them; a run in memory has no folder."""
        path = file(answers(10))
        for folder in ("a", "b"):
            evaluate(path, "--detector", "selfcheck-ngram", "--out", tmp_path / folder / "run", "-q")
        first, second = (Evaluation.read(tmp_path / folder / "run") for folder in ("a", "b"))
        page = first.html(against=second)
        assert f"<bdi>{tmp_path / 'a' / 'run'}</bdi> less <bdi>{tmp_path / 'b' / 'run'}</bdi>" in page
        assert "<bdi>this run</bdi> less <bdi>the other run</bdi>" in judged().html(against=judged())

    def test_with_itself(self):
        """No difference, and an interval of no width."""
        found = judged()
        (pair,) = found.compare(judged())
        assert pair["figures"]["auroc"]["difference"] == {"value": 0.0, "interval": [0.0, 0.0], "reason": ""}

    def test_nothing_in_common(self):
        """Other answers leave nothing to compare, and it is said."""
        empty = evaluate([], Guard([Judge()]))
        assert judged().compare(empty) == []
