"""What an ensemble has learnt: its file, its interpolation, and what it does where a member is silent."""

import itertools
import json
import math
from dataclasses import replace
from zlib import crc32

import numpy as np
import pytest

from guardrail import Case
from guardrail.backends.packaged import ENCODER_LANE, ENTAILMENT_LANE
from guardrail.engine.backend import Backend
from guardrail.errors import ConfigError, InputError
from guardrail.report import Finding, Measurement, Verdict
from guardrail.selfcheck.ensemble import fits
from guardrail.selfcheck.ensemble.fits import Fit, Labelled, Member, packaged_fits, read_fit
from guardrail.selfcheck.ensemble.fitting import learn
from guardrail.selfcheck.ensemble.stack import Knot, Range, Stack

MEMBERS = (Member("ngram", "ngram"), Member("nli", "nli", {"premise": 3}))


def stack(*members, bias=0.0, own=1.0, mean=0.0):
    n = len(members)
    return Stack(members, (0.0,) * 2 * n, (1.0,) * 2 * n, (own,) * n + (mean,) * n, bias)


def fit(**options):
    both, one = ("ngram", "nli"), ("ngram",)
    knots = (Knot(4, stack(*both)), Knot(16, stack(*both, bias=2.0)), Knot(4, stack(*one, bias=-1.0)))
    return Fit(MEMBERS, knots, **options)


def odds(fused):
    return [round(math.log(one.probability / (1 - one.probability)), 6) for one in fused]


class TestPredict:
    def test_by_hand(self):
        """Weights of 1: the log-odds are the sum of the scores."""
        found = fit().predict({"ngram": [0.5, -1.0], "nli": [1.0, 0.0]}, 4)
        assert odds(found) == [1.5, -1.0]
        assert [one.members for one in found] == [("ngram", "nli")] * 2

    @pytest.mark.parametrize(("samples", "bias"), [(1, 0), (4, 0), (8, 1), (16, 2), (400, 2)])
    def test_between_numbers_of_samples(self, samples, bias):
        """8 is halfway from 4 to 16 in the log; outside the nearest holds."""
        assert odds(fit().predict({"ngram": [0.0], "nli": [0.0]}, samples)) == [bias]

    def test_silent_member(self):
        """The stack without it, if there is one; else nothing."""
        found = fit().predict({"ngram": [0.5, None, 0.0], "nli": [None, 1.0, 0.25]}, 4)
        assert [one.members for one in found] == [("ngram",), (), ("ngram", "nli")]
        assert odds([found[0], found[2]]) == [-0.5, 0.25]
        assert found[1].probability is None

    def test_mean_over_the_sentences_it_scored(self):
        """A silent sentence counts in no mean of the members that were not silent elsewhere."""
        alone = Fit(MEMBERS[:1], (Knot(5, stack("ngram", own=0.0, mean=1.0)),))
        assert odds(alone.predict({"ngram": [1.0, None, 3.0]}, 5)[::2]) == [2.0, 2.0]

    def test_stays_a_probability(self):
        """However large the scores."""
        for score in (1e6, -1e6):
            [found] = fit().predict({"ngram": [score], "nli": [score]}, 5)
            assert 0 < found.probability < 1

    @pytest.mark.parametrize(
        "scores", [{"ngram": [1.0]}, {"ngram": [1.0], "nli": []}, {"ngram": [math.nan], "nli": [1.0]}]
    )
    def test_refuses(self, scores):
        """Scores of nobody, of unequal numbers, or that are no numbers."""
        with pytest.raises(InputError):
            fit().predict(scores, 5)


class TestFile:
    def test_comes_back(self, tmp_path):
        """Saved and read it is the same, with what people want to know."""
        given = fit(backends={"entailment": "x:1"}, provenance={"data": "ours"})
        given.save(tmp_path / "fit.json")
        assert read_fit(tmp_path / "fit.json") == given
        assert read_fit(str(tmp_path / "fit.json")).fingerprint == given.fingerprint

    def test_fingerprint(self):
        """Of what scores depend on, not of what people are told."""
        assert replace(fit(), provenance={"data": "other"}).fingerprint == fit().fingerprint
        assert replace(fit(), knots=fit().knots[:1]).fingerprint != fit().fingerprint

    def test_absent(self, tmp_path):
        """It is said how to make one, and which one comes along."""
        with pytest.raises(ConfigError, match=r"wikibio-minilm.*learn"):
            read_fit(tmp_path / "no.json")

    @pytest.mark.parametrize(
        "change",
        [
            lambda c: c.update(format=2),
            lambda c: c.pop("members"),
            lambda c: c.update(knots=[]),
            lambda c: c["knots"][0]["stack"].update(spread=[0, 1, 1, 1]),
            lambda c: c["knots"][0]["stack"].update(bias=float("nan")),
            lambda c: c["knots"][0]["stack"].update(weights=[1.0]),
            lambda c: c["knots"][0]["stack"].update(members=["ngram", "prompt"]),
            lambda c: c["knots"][0].update(samples=0),
            lambda c: c["members"].append({"name": "nli", "method": "nli"}),
            lambda c: c["members"][0].update(colour="red"),
        ],
    )
    def test_damaged(self, tmp_path, change):
        """What is no fit is refused where it is read."""
        fit().save(tmp_path / "fit.json")
        content = json.loads((tmp_path / "fit.json").read_text(encoding="utf-8"))
        change(content)
        (tmp_path / "fit.json").write_text(json.dumps(content), encoding="utf-8")
        with pytest.raises(ConfigError, match=r"fit\.json"):
            read_fit(tmp_path / "fit.json")

    @pytest.mark.parametrize("text", ["", "[]", "{", '"x"', "\x00"])
    def test_no_json_of_the_kind(self, tmp_path, text):
        """Nor anything else."""
        (tmp_path / "fit.json").write_text(text, encoding="utf-8")
        with pytest.raises(ConfigError, match="expected a fit in"):
            read_fit(tmp_path / "fit.json")

    @pytest.mark.parametrize("name", packaged_fits())
    def test_packaged(self, name):
        """It knows 1 to 20 samples, with and without each model, and says whose rows made it."""
        packaged = read_fit(name)
        sizes = {(knot.samples, knot.stack.members) for knot in packaged.knots}
        first, *models = packaged.names
        assert first == "ngram"
        some = [
            (first, *others) for n in range(len(models) + 1) for others in itertools.combinations(models, n)
        ]
        assert sizes == {(size, members) for size in (1, 3, 5, 10, 20) for members in some}
        assert packaged.provenance["shape"] == "mean"
        assert "rows 0-118" in packaged.provenance["data"]
        assert packaged.provenance["passages"] == 119
        assert packaged.provenance["figures"]


class TestPackaged:
    """Which of the packaged fits a detector takes: the one that makes most of what is installed."""

    @pytest.mark.parametrize("name", packaged_fits())
    @pytest.mark.parametrize("samples", [1, 5, 20])
    @pytest.mark.parametrize("others", [1, 7, 200])
    def test_surrounded(self, name, samples, others):
        """An invention one deviation above the mean in every member is flagged among any sentences that score 0."""
        fit = read_fit(name)
        [stack] = [k.stack for k in fit.knots if (k.samples, k.stack.members) == (samples, fit.names)]
        size = len(fit.names)
        made_up = np.add(stack.center[:size], stack.spread[:size])
        scores = {m: [value, *[0.0] * others] for m, value in zip(fit.names, made_up, strict=True)}
        first, *rest = fit.predict(scores, samples)
        assert first.probability > 0.5
        assert max(one.probability for one in rest) < 0.5

    @pytest.fixture
    def there(self, monkeypatch):
        found = {
            "both": fit(backends={ENCODER_LANE: "a", ENTAILMENT_LANE: "b"}),
            "one": fit(backends={ENCODER_LANE: "a"}),
        }
        monkeypatch.setattr(fits, "packaged_fits", lambda: found)

        def say(*lanes):
            monkeypatch.setattr(
                fits, "_INSTALLED", {lane: lambda lane=lane: lane in lanes for lane in fits._INSTALLED}
            )

        return say

    def test_all(self, there):
        """Everything is there."""
        there(ENCODER_LANE, ENTAILMENT_LANE)
        assert fits.packaged_fit() == "both"

    @pytest.mark.parametrize("lanes", [(), (ENCODER_LANE,), (ENTAILMENT_LANE,)])
    def test_not_all(self, there, lanes):
        """The one that rests on least; where even that lacks its model, its n-gram stands in."""
        there(*lanes)
        assert fits.packaged_fit() == "one"

    def test_every_lane_is_known(self):
        """A packaged fit rests on models that detectors bring along, and on no other; those with more come first."""
        sizes = [len(one.backends) for one in packaged_fits().values()]
        assert sizes == sorted(sizes, reverse=True)
        assert all(set(one.backends) <= set(fits._INSTALLED) for one in packaged_fits().values())
        assert [*packaged_fits()][-1] == "wikibio-minilm"


class TestRange:
    RANGE = Range(4.0, 6.0, 7.0)

    @pytest.mark.parametrize("threshold", [4.0, 5.5, 7.0])
    def test_within(self, threshold):
        """What the fit has seen counts as it is."""
        assert self.RANGE.factor(threshold) == 1.0

    @pytest.mark.parametrize("threshold", [0.5, 2.0, 3.99, 7.01, 20.0])
    def test_outside(self, threshold):
        """A score at the threshold comes to lie within the range, without a jump at its edges."""
        there = threshold * self.RANGE.factor(threshold)
        assert 4.0 <= there <= 7.0
        assert self.RANGE.factor(4.0 - 1e-9) == pytest.approx(1.0)
        assert self.RANGE.factor(7.0 + 1e-9) == pytest.approx(1.0)

    def test_predict(self):
        """Half the score at half the threshold, far outside, is what the usual one is at the usual threshold."""
        given = fit()
        name = given.names[0]
        knots = tuple(replace(knot, ranges={name: Range(0.9, 1.0, 1.1)}) for knot in given.knots)
        given = replace(given, knots=knots)
        scores = {one: [0.8] for one in given.names}
        halved = {**scores, name: [0.4]}
        [usual] = given.predict(scores, 5, {name: 1.0})
        [short] = given.predict(halved, 5, {name: 0.5})
        assert short.probability == pytest.approx(usual.probability)


class TestBackends:
    class Encoder(Backend):
        fingerprint = "encoder:2"

        def answer(self, requests):
            return []

    def test_another(self):
        """One that it was not fitted with is refused; lanes it knows nothing of are passed over."""
        given = fit(backends={"similarity": "encoder:1"})
        given.must_suit({"entailment": self.Encoder()})
        replace(given, backends={"similarity": "encoder:2"}).must_suit({"similarity": self.Encoder()})
        with pytest.raises(ConfigError, match=r"encoder:1.*encoder:2"):
            given.must_suit({"similarity": self.Encoder()})

    def test_rounding(self):
        """What a backend says to be its origin counts, not in which precision it computes."""

        class Rough(self.Encoder):
            origin = "encoder"

        fit(backends={"similarity": "encoder"}).must_suit({"similarity": Rough()})
        with pytest.raises(ConfigError, match="encoder:2"):
            fit(backends={"similarity": "encoder:2"}).must_suit({"similarity": Rough()})


class TestLearn:
    """Answers whose first sentence is right and whose second is made up, as both members say, with noise."""

    def labelled(self, answers=30, samples=6):
        rng = np.random.default_rng(3)
        return [
            Labelled(
                Case(answer=f"Right {i}. Wrong {i}.", samples=[f"s{j}" for j in range(samples)]),
                [float(rng.random() < 0.1), float(rng.random() < 0.9)],
            )
            for i in range(answers)
        ]

    def examine(self, case, silent=()):
        # Not by `hash`, which gives each process another noise.
        rng = np.random.default_rng(crc32(repr((case.answer, case.samples)).encode()))
        found = []
        for text in ("Right", "Wrong"):
            values = {name: float(text == "Wrong") + 0.1 * rng.normal() for name in ("ngram", "nli")}
            evidence = tuple(Measurement(name=n, value=v) for n, v in values.items() if n not in silent)
            found.append(Finding(detector="x", verdict=Verdict.UNVERIFIED, reason="-", evidence=evidence))
        return found

    def test_learns(self):
        """What both say comes out; each answer counts with each disjoint set of samples."""
        found = learn(MEMBERS, self.labelled(), self.examine, sizes=(2, 6), without=[["nli"]])
        right, wrong = found.predict({"ngram": [0.0, 1.0], "nli": [0.0, 1.0]}, 3)
        assert right.probability < 0.25 < 0.75 < wrong.probability
        [alone] = found.predict({"ngram": [1.0], "nli": [None]}, 3)
        assert alone.members == ("ngram",)
        counts = found.provenance["rows by number of samples"]
        assert counts == {"2": {"sentences": 180, "unscored": 0}, "6": {"sentences": 60, "unscored": 0}}

    def test_pooling(self):
        """A sentence is drawn towards its neighbours by the share that is asked for; 0 leaves it alone."""
        alone, pooled = (
            learn(MEMBERS, self.labelled(), self.examine, shape="mean", pooling=share) for share in (0.0, 0.3)
        )
        scores = {"ngram": [0.0, 1.0], "nli": [0.0, 1.0]}
        first, second = ([one.probability for one in fit.predict(scores, 5)] for fit in (alone, pooled))
        assert first[0] < second[0] < 0.5 < second[1] < first[1]
        assert pooled.provenance["pooling"] == 0.3
        [single] = alone.predict({"ngram": [1.0], "nli": [1.0]}, 5)
        assert single.probability == pytest.approx(first[1])

    def test_a_stack_has_no_pooling(self):
        """It learns how much neighbours count."""
        with pytest.raises(ConfigError, match="pooling"):
            learn(MEMBERS, self.labelled(), self.examine, pooling=0.3)

    def test_nonsense_is_refused_first(self):
        """Nothing is examined before."""
        with pytest.raises(ConfigError, match="pooling"):
            learn(MEMBERS, self.labelled(), lambda _: pytest.fail("examined"), shape="mean", pooling=3)

    def test_labels_do_not_match(self):
        """One label too few."""
        [one] = self.labelled(1)
        with pytest.raises(InputError, match="one label per sentence"):
            learn(MEMBERS, [replace(one, labels=[1.0])], self.examine)

    def test_too_few_samples(self):
        """Nobody has so many."""
        with pytest.raises(InputError, match="at least 7 samples"):
            learn(MEMBERS, self.labelled(), self.examine, sizes=(7,))

    def test_no_scores(self):
        """A member that never speaks has nothing to be fitted."""
        with pytest.raises(InputError):
            learn(MEMBERS, self.labelled(), lambda case: self.examine(case, silent={"nli"}))

    def test_without_whom(self):
        """Only members can be absent."""
        with pytest.raises(InputError, match="prompt"):
            learn(MEMBERS, self.labelled(), self.examine, without=[["prompt"]])
