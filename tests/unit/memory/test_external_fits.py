"""Fits: what they hold, how they are read, how they are made. Oracles: by hand; the fit that was written."""

import json

import numpy as np
import pytest

from guardrail.errors import ConfigError, InputError
from guardrail.memory.external import Measured, learn, packaged_fit, read_fit, same_meaning
from guardrail.memory.external.fits import PACKAGED

NORMAL = [Measured(0.5 + 0.1 * (i % 3), 0.01 * (i % 3), 0.4 + 0.02 * (i % 5)) for i in range(40)]
MADE = {"task": "answer", "language": "en", "encoder": "mine", "compared_by": "mine 1"}


@pytest.fixture
def fit():
    return learn(NORMAL, rephrasings=[0.7, 0.8, 0.9], provenance={"corpus": "here"}, **MADE)


class TestSameMeaning:
    def test_by_hand(self):
        """Mean .6, standard deviation .1, z of .975 is 1.96: .6 − .196."""
        assert same_meaning([0.5, 0.6, 0.7], kept=0.975) == pytest.approx(0.6 - 0.1 * 1.959964)

    def test_the_share_passes(self):
        """Of 100,000 normal draws 99.9 % are above, to .05 %."""
        draws = np.random.default_rng(0).normal(0.8, 0.03, size=100_000).tolist()
        limit = same_meaning(draws[:1_000])
        assert np.mean(np.array(draws) > limit) == pytest.approx(0.999, abs=0.0005)

    @pytest.mark.parametrize(
        ("values", "kept"), [([0.5], 0.95), ([0.5, float("nan")], 0.95), ([0.5, 0.6], 1.0)]
    )
    def test_refused(self, values, kept):
        """Nothing, no number, no share."""
        with pytest.raises(InputError):
            same_meaning(values, kept=kept)


class TestLearn:
    def test_what_lacks_a_number_is_left_out(self, fit):
        """A response without relevance makes no point."""
        more = learn([*NORMAL, Measured(0.5, 0.0, None)], rephrasings=[0.7, 0.8, 0.9], **MADE)
        assert (more.rows, more.normal) == (fit.rows, fit.normal)

    def test_the_stated_rate(self, fit):
        """At most 5 % of the normal responses that made it reach the threshold."""
        judged = [fit.judge(one) for one in NORMAL]
        assert sum(one.score >= one.threshold for one in judged) <= 2

    def test_consistency_alone(self):
        """A fit without relevance has no point and does not look at it."""
        alone = learn(NORMAL, rephrasings=[0.7, 0.8], form="relative", relevance=False, **MADE)
        low, high = (alone.judge(Measured(0.5, 0.01, value)) for value in (0.0, 0.9))
        assert low == high
        assert low.point is None
        assert alone.judge(Measured(0.5, None, 0.5)) is None

    def test_too_few(self):
        """Five parameters need five points."""
        with pytest.raises(InputError, match="5 finite points"):
            learn(NORMAL[:4], rephrasings=[0.7, 0.8], **MADE)


class TestJudge:
    def test_without_relevance(self, fit):
        """By consistency, against its own threshold."""
        found = fit.judge(Measured(0.1, 0.0, None))
        assert found.point is None
        assert found.threshold == fit.consistency_threshold
        assert found.score > 0.99

    def test_the_further_the_larger(self, fit):
        """Less consistent, less relevant: larger scores."""
        scores = [fit.judge(Measured(value, 0.0, value / 2)).score for value in (0.7, 0.5, 0.3, 0.1)]
        assert scores == sorted(scores)
        assert 0 <= scores[0] < scores[-1] <= 1


class TestFiles:
    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("{}", r"expected format 1 in '.*', got None: update guardrail-sdk, or make the fit again"),
            ("[1]", "expected a fit in .*, got list"),
            ('"text"', "expected a fit in .*, got str"),
        ],
    )
    def test_what_is_no_fit_is_refused(self, text, why, tmp_path):
        """With what to do."""
        (tmp_path / "fit.json").write_text(text)
        with pytest.raises(ConfigError, match=why):
            read_fit(tmp_path / "fit.json")

    def test_there_and_back(self, fit, tmp_path):
        """The file holds all of it."""
        fit.save(tmp_path / "fit.json")
        assert read_fit(tmp_path / "fit.json") == fit
        assert read_fit(tmp_path / "fit.json").fingerprint == fit.fingerprint

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"format": 2}, "expected format 1"),
            ({"mean": [0.5]}, r"mean.*required"),
            ({"mean": [0.5, "x"]}, r"mean\.1.*a valid number"),
            ({"mean": [0.5, float("nan")]}, "finite"),
            ({"covariance": [[1, 2], [2, 1]]}, "positive definite"),
            ({"threshold": 1.5}, "thresholds"),
            ({"language": "xx"}, "language"),
            ({"task": 3}, "task"),
            ({"relevance": 1}, r"relevance.*boolean"),
            ({"rows": "many"}, r"rows.*integer"),
            ({"encoder": ""}, "encoder"),
            ({"false_alarms": 0}, "rate"),
            ({"sides": "left"}, "sides"),
            ({"more": 1}, r"more.*nexpected"),
        ],
    )
    def test_strict(self, fit, tmp_path, change, message):
        """What is wrong in a file is said, with the file's name."""
        path = tmp_path / "fit.json"
        fit.save(path)
        path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | change), "utf-8")
        with pytest.raises(ConfigError, match=message) as caught:
            read_fit(path)
        assert "fit.json" in str(caught.value)

    @pytest.mark.parametrize("name", ["mean", "form", "sides", "rows", "package", "provenance"])
    def test_whole(self, fit, tmp_path, name):
        """Nothing that a fit says may lack."""
        path = tmp_path / "fit.json"
        fit.save(path)
        content = json.loads(path.read_text("utf-8"))
        del content[name]
        path.write_text(json.dumps(content), "utf-8")
        with pytest.raises(ConfigError, match=name):
            read_fit(path)

    @pytest.mark.parametrize("text", ["", "[]", "{", "null"])
    def test_no_fit(self, tmp_path, text):
        """Other JSON, or none."""
        (tmp_path / "fit.json").write_text(text, "utf-8")
        with pytest.raises(ConfigError, match="a fit in"):
            read_fit(tmp_path / "fit.json")

    def test_no_file(self, tmp_path):
        """The message names the packaged ones, and the command that makes one."""
        with pytest.raises(ConfigError, match=r"summary-zh-chrf.*guardrail memory fit"):
            read_fit(tmp_path / "none.json")


class TestPackaged:
    @pytest.mark.parametrize(("key", "name"), list(PACKAGED.items()))
    def test_whole(self, key, name):
        """Each is what its name says, and tells where it comes from."""
        fit = read_fit(name)
        assert (fit.task, fit.language, fit.encoder) == key
        assert packaged_fit(*key) == fit
        assert {"corpus", "licence", "command", "date"} <= fit.provenance.keys()
        assert 0 < fit.same_meaning < 1
        assert fit.rows > 50

    def test_none(self):
        """There is none for what nobody fitted."""
        assert packaged_fit("answer", "other", "chrf") is None
