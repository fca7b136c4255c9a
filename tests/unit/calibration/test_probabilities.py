"""Scores as probabilities, learnt from own labels."""

import math

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import log_loss

from guardrail import Guard, Verdict, flag
from guardrail.calibration import Calibration, Probabilities, Rows, Scoring
from guardrail.calibration.probabilities import NAME, DetectorCurve, learn_probabilities
from guardrail.detector import Detector, Finding
from guardrail.errors import ConfigError, InputError
from guardrail.report import Scale
from guardrail.server.rules import _varied
from guardrail.statistics.curves import IsotonicCalibration, choose_curve, fit_isotonic, fit_rising


class Number(Detector):
    """The answer is its own score: "0.7 0.2" has two findings."""

    name = "number"
    scope = "answer"
    scale = Scale(least=0.0, most=1.0)

    def __init__(self, samples=1):
        self.samples = samples

    def cost(self, case):
        return {}

    def examine(self, case):
        yield from ()
        return [
            Finding(detector=self.name, score=float(word), verdict=Verdict.SUPPORTED)
            for word in case.answer.split()
        ]


class Other(Number):
    """The same by another name."""

    name = "other"


def drawn(size, seed=0, slope=0.5, intercept=-1.0):
    """Positions whose true log-odds of being made up are slope · log-odds + intercept; two rows a source."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(0, 2.5, size)
    made_up = rng.random(size) < 1 / (1 + np.exp(-slope * odds - intercept))
    return Rows.of(1 / (1 + np.exp(-odds)), made_up, sources=np.arange(size) // 2)


def learnt(rows=None, unit="finding"):
    scoring = Scoring.of({"number": str(Number().signature())}, {})
    return learn_probabilities(
        {"number": (drawn(50) if rows is None else rows, unit)}, scoring, scales={"number": Number.scale}
    )


class TestCurves:
    def test_isotonic_is_scikit_learns(self):
        """Oracle: its own prediction, also outside of the points."""
        rng = np.random.default_rng(1)
        scores = np.round(rng.normal(size=400), 2)
        labels = rng.random(400) < 1 / (1 + np.exp(-scores))
        peer = IsotonicRegression(y_min=1 / 402, y_max=401 / 402, out_of_bounds="clip").fit(scores, labels)
        ask = np.linspace(-5, 5, 101)
        assert fit_isotonic(scores, labels).probabilities(ask) == pytest.approx(peer.predict(ask))

    def test_a_falling_curve_is_a_constant(self):
        """Scores that speak against the label say nothing: the share of true labels, smoothed by two rows."""
        curve = fit_rising([0, 1, 2, 3], [True, True, False, False])
        assert (curve.slope, curve.probability(9.0)) == (0.0, 0.5)

    def test_the_smaller_loss_on_other_sources_wins(self):
        """A step is isotonic, a logistic curve is logistic; few rows are never isotonic."""
        rng = np.random.default_rng(2)
        scores = rng.normal(size=4000)
        sources = np.arange(4000) // 4
        step = rng.random(4000) < np.where(scores > 0, 0.6, 0.4) + 0.35 * (np.abs(scores) > 1.5) * np.sign(
            scores
        )
        assert choose_curve(scores, step, sources).kind == "isotonic"
        smooth = rng.random(4000) < 1 / (1 + np.exp(-scores))
        assert choose_curve(scores, smooth, sources).kind == "logistic"
        few = choose_curve(scores[:50], step[:50], sources[:50])
        assert set(few.losses) == {"constant", "logistic"}

    def test_losses_are_of_sources_left_out(self):
        """By hand with two sources: each is judged by the curve of the other (oracle: scikit-learn's log loss)."""
        scores, labels = np.array([0.0, 1.0, 0.0, 2.0]), np.array([False, True, True, False])
        sources = np.array(["a", "a", "b", "b"])
        found = choose_curve(scores, labels, sources)
        held = np.concatenate(
            [
                fit_rising(scores[2:], labels[2:]).probabilities(scores[:2]),
                fit_rising(scores[:2], labels[:2]).probabilities(scores[2:]),
            ]
        )
        assert found.losses["logistic"] == pytest.approx(log_loss(labels, held))

    @pytest.mark.parametrize(
        ("labels", "sources"), [([True] * 4, [1, 2, 3, 4]), ([True, False] * 2, [1] * 4)]
    )
    def test_one_kind_of_label_or_one_source_is_refused(self, labels, sources):
        """Nothing could be held out."""
        with pytest.raises(InputError, match="label more"):
            choose_curve([0.1, 0.2, 0.3, 0.4], labels, sources)

    @pytest.mark.parametrize(
        ("scores", "values"),
        [
            ((), ()),
            ((0.0, 0.0), (0.1, 0.2)),
            ((0.0, 1.0), (0.3, 0.2)),
            ((0.0,), (1.0,)),
            ((math.nan,), (0.5,)),
        ],
    )
    def test_points_of_another_form_are_refused(self, scores, values):
        """None, two at one score, falling ones, certainty, and no number."""
        with pytest.raises(InputError, match="ascending"):
            IsotonicCalibration(scores, values)


class TestDetectorCurve:
    def test_many_labels_find_the_true_curve(self):
        """20,000 rows: the slope and the intercept that made them, or points within .03 of it."""
        curve = DetectorCurve.learn(drawn(20_000))
        for place in (0.1, 0.5, 0.9):
            truth = 1 / (1 + math.exp(-0.5 * math.log(place / (1 - place)) + 1.0))
            assert curve.probability(place) == pytest.approx(truth, abs=0.03)

    def test_fifty_labels_are_better_than_the_share(self):
        """In the mean over 40 draws, by the Brier score on 20,000 other rows."""
        other = drawn(20_000, seed=99)
        gains = []
        for seed in range(40):
            rows = drawn(50, seed=seed)
            curve = DetectorCurve.learn(rows)
            found = np.array([curve.probability(place) for place in other.scores[:2000]])
            truth = other.made_up[:2000]
            gains.append(np.mean((truth - rows.made_up.mean()) ** 2) - np.mean((truth - found) ** 2))
        assert np.mean(gains) > 0

    def test_needs_twenty_labels(self):
        """Rows without a score do not count."""
        rows = drawn(30)
        scores = np.where(np.arange(30) < 15, np.nan, rows.scores)
        with pytest.raises(InputError, match="got 15"):
            learnt(Rows.of(scores, rows.made_up, sources=rows.sources))

    def test_ends_of_the_scale_are_finite(self):
        """Positions 0 and 1."""
        curve = DetectorCurve.learn(drawn(50))
        assert 0 < curve.probability(0.0) <= curve.probability(1.0) < 1


class TestProbabilities:
    def test_travel_as_json(self, tmp_path):
        """What is read is what was written; another file is refused in one line."""
        made = learnt()
        made.save(tmp_path / "p.json")
        assert Probabilities.load(tmp_path / "p.json") == made
        (tmp_path / "q.json").write_text('{"curves": {}}')
        with pytest.raises(ConfigError, match="not a file of probabilities"):
            Probabilities.load(tmp_path / "q.json")
        with pytest.raises(ConfigError, match="--probabilities"):
            Probabilities.load(tmp_path / "none.json")

    def test_a_guard_adds_them_to_findings(self, tmp_path):
        """Every scored finding; its score and verdict stay."""
        made = learnt()
        made.save(tmp_path / "p.json")
        with Guard([Number()], calibration=tmp_path / "p.json") as guard:
            first, second = guard.check("0.9 0.2").findings
        assert (first.score, first.verdict) == (0.9, Verdict.SUPPORTED)
        values = {one.evidence[-1].name: one.evidence[-1].value for one in (first,)}
        assert values == {NAME: pytest.approx(made.of("number", 0.9))}
        assert second.evidence[-1].value < first.evidence[-1].value

    def test_of_answers_stand_at_the_worst_finding(self):
        """Where only answers had labels."""
        guard = Guard([Number()], calibration=learnt(unit="answer"))
        first, second = guard.check("0.9 0.2").findings
        assert first.evidence[-1].note == "that something in the answer is made up"
        assert second.evidence == ()

    def test_another_scoring_is_refused(self):
        """Another option of the detector, or another model that answered."""
        with pytest.raises(ConfigError, match="another detector 'number'"):
            Guard([Number(samples=2)], calibration=learnt())
        with pytest.raises(ConfigError, match="another answering model"):
            Guard([Number()], calibration=Calibration(probabilities=learnt(), answering="gpt-4"))

    def test_a_rule_of_a_server_keeps_those_of_its_detectors(self):
        """Another policy with one of two detectors: its curve goes along, and the model that answered."""
        signature = str(Number().signature())
        scoring = Scoring.of({"number": signature, "other": str(Other().signature())}, {}, model="gpt-4")
        both = {name: (drawn(50), "finding") for name in ("number", "other")}
        made = learn_probabilities(both, scoring, scales=dict.fromkeys(both, Number.scale))
        guard = Guard([Number(), Other()], calibration=Calibration(probabilities=made, answering="gpt-4"))
        alone = _varied(guard, flag(), ("other",))
        assert [*alone.calibration.probabilities.curves] == ["other"]
        assert alone.check("0.9").findings[0].evidence[-1].name == NAME

    def test_an_unknown_detector_has_none(self):
        """It is not guessed."""
        assert learnt().of("other", 0.5) is None
