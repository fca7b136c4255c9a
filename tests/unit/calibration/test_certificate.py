"""Certificates, and guards that keep to them."""

import asyncio
from dataclasses import fields, replace

import numpy as np
import pytest

from guardrail import Guard, Verdict, flag
from guardrail.calibration import Calibration, Certificate, Rows, Scoring, Target, certify
from guardrail.calibration.certificate import Outcome
from guardrail.calibration.drift import MESSAGE
from guardrail.calibration.promises import Risk
from guardrail.calibration.scoring import position, score_at
from guardrail.detector import Detector, Finding
from guardrail.errors import ConfigError, InputError
from guardrail.report import Scale
from guardrail.server.rules import _varied


class Number(Detector):
    """The answer is its own score: "0.7"."""

    name = "number"
    scope = "answer"
    scale = Scale(least=0.0, most=1.0)

    def __init__(self, threshold=0.5, samples=1):
        self.threshold, self.samples = threshold, samples

    def cost(self, case):
        return {}

    def examine(self, case):
        yield from ()
        try:
            score = float(case.answer)
        except ValueError:
            return [Finding(detector=self.name, verdict=Verdict.UNVERIFIED, reason="no number")]
        verdict = Verdict.UNSUPPORTED if score >= self.threshold else Verdict.SUPPORTED
        return [Finding(detector=self.name, score=score, verdict=verdict)]


def rows(sources=200, group=""):
    rng = np.random.default_rng(7)
    names = np.repeat(np.arange(sources), 5)
    made_up = rng.random(names.size) < 0.5
    scores = np.clip(rng.normal(0.3, 0.12, names.size) + 0.35 * made_up, 0, 1)
    return Rows.of(scores, made_up, sources=[f"{group}{name}" for name in names], groups=[group] * names.size)


def scoring(**options):
    return Scoring.of({"number": str(Number(**options).signature())}, {})


def certificate(target="fdr=0.2,missed=0.05", **options):
    return certify(rows(), Target.parse(target), scoring(), scales={"number": Number.scale}, **options)


def checked(guard, answer, prompt=None):
    return guard.check(answer, prompt=prompt).findings[0]


class TestCertify:
    def test_says_what_it_promises(self):
        """Numbers of sources and rows, shares of the error, and thresholds that leave room between them."""
        found = certificate()
        (group,) = found.groups
        assert (found.sources, found.rows, found.unscored) == (200, 1000, 0)
        assert [outcome.error for outcome in group.outcomes] == pytest.approx([0.025, 0.025])
        assert group.lower < group.upper
        assert "fdr ≤ 0.2: kept at" in found.text()

    def test_shows_what_was_measured(self):
        """Of the rows themselves, at the thresholds of the group."""
        found, known = certificate(), rows()
        (group,) = found.groups
        flagged, passed = known.scores >= group.upper, known.scores < group.lower
        assert group.flagged == pytest.approx(flagged.mean())
        assert group.passed == pytest.approx(passed.mean())
        by_name = {outcome.risk: outcome.measured for outcome in group.outcomes}
        # every source has five rows, so that each row counts the same among the flagged
        assert by_name["fdr"] == pytest.approx((flagged & ~known.made_up).sum() / flagged.sum())
        missed = [
            passed[(known.sources == name) & known.made_up].mean()
            for name in known.names
            if ((known.sources == name) & known.made_up).any()
        ]
        assert by_name["missed"] == pytest.approx(np.mean(missed))

    def test_nothing_is_promised_that_cannot_be_shown(self):
        """A bound of one in a thousand: no threshold, and the number of sources that would do."""
        found = certificate("sound=0.001")
        assert found.groups[0].upper is None
        assert found.groups[0].outcomes[0].needed > 200
        assert "about" in found.text()

    @pytest.mark.parametrize("sources", [4, 8, 12])
    def test_few_sources_do_not_say_that_more_would_not_help(self, sources):
        """All of them place the thresholds, though the scores separate the rows. By hand, of the binomial test: .8^17 < .025 < .8^16."""
        found = certify(rows(sources), Target.parse("fdr=0.2,missed=0.2"), scoring())
        said = [outcome.line() for group in found.groups for outcome in group.outcomes]
        expected = (
            "not shown: even without a single error 17 tested sources or more are needed, and there are"
        )
        # where rows may be tested one by one, the rate is also tested on the sources that place the others
        assert said == [f"fdr ≤ 0.2: {expected} {sources}", f"missed ≤ 0.2: {expected} 0"]

    @pytest.mark.parametrize(
        ("sources", "said"),
        [
            (13, "even without a single error 18 tested sources or more are needed, and there are 13"),
            (17, "even without a single error 18 tested sources or more are needed, and there are 17"),
            (
                18,
                "at no threshold is the risk of the 18 tested sources far enough below the bound for more like these to show it",
            ),
        ],
    )
    def test_enough_sources_say_what_they_show(self, sources, said):
        """The border is where faultless sources would be enough; nothing is said of other sources than these."""
        outcome = Outcome(
            risk=Risk.FDR, meaning="", unit="finding", bound=0.2, error=0.025, threshold=None, p_value=None,
            sources=sources, rows=sources, test="betting",
        )  # fmt: skip
        assert said in outcome.line()
        assert "not help" not in outcome.line()

    def test_promises_about_flags_are_kept_together(self):
        """One row a source: the rate passes at a threshold of no grid, and what is flagged keeps the other promise too."""
        rng = np.random.default_rng(3)
        made_up = rng.random(300) < 0.5
        scores = np.clip(rng.normal(0.3, 0.1, 300) + 0.35 * made_up, 0, 1)
        single = Rows(scores, made_up, np.arange(300), np.arange(300))
        (group,) = certify(single, Target.parse("fdr=0.2,sound=0.1"), scoring()).groups
        rate, sound = group.outcomes
        assert (rate.sources, rate.rows) == (300, 300)
        assert group.upper >= max(rate.threshold, sound.threshold)
        flagged = scores >= group.upper
        assert flagged[~made_up].mean() <= 0.1
        assert flagged[made_up].mean() > 0.7

    def test_groups_need_sixty_sources(self):
        """A small group has no thresholds; the error is shared by the others."""
        parts = [rows(80, "north"), rows(70, "south"), rows(20, "west")]
        joined = Rows(
            *(
                np.concatenate([getattr(p, n) for p in parts])
                for n in ("scores", "made_up", "sources", "answers", "groups", "worst")
            )
        )
        found = certify(joined, Target.parse("sound=0.2"), scoring(), by=("place",))
        assert [group.name for group in found.groups] == ["north", "south"]
        assert found.small == {"west": 20}
        assert found.groups[0].outcomes[0].error == pytest.approx(0.025)

    def test_each_group_has_its_own_scores_to_compare_with(self):
        """Scores of all groups together would look changed to each of them."""
        low, high = rows(80, "north"), rows(70, "south")
        high = replace(high, scores=high.scores + 1, worst=high.worst + 1)
        joined = Rows(*(np.concatenate([getattr(p, f.name) for p in (low, high)]) for f in fields(Rows)))
        found = certify(joined, Target.parse("sound=0.2"), scoring(), by=("place",))
        north, south = (group.reference for group in found.groups)
        assert (len(north), len(south), found.reference.scores) == (80, 70, ())
        assert max(north) <= 1 <= min(south)
        alone = certify(rows(80), Target.parse("sound=0.2"), scoring())
        assert (len(alone.reference.scores), alone.groups[0].reference) == (80, ())

    def test_scores_to_compare_with_are_those_of_all_findings(self):
        """A guard sees the worst of them, labelled or not."""
        seen = replace(rows(), worst=np.full(1000, 0.9))
        assert set(certify(seen, Target.parse("sound=0.2"), scoring()).reference.scores) == {0.9}

    def test_refuses_what_was_fitted_on(self):
        """One shared source is enough."""
        with pytest.raises(InputError, match="fitted"):
            certify(rows(), Target.parse("fdr=0.1"), scoring(), refused=[rows(1)])

    def test_travels_as_json(self, tmp_path):
        """What is read is what was written; something else is refused in one line."""
        made = certificate()
        made.save(tmp_path / "c.json")
        assert Certificate.load(tmp_path / "c.json") == made
        (tmp_path / "d.json").write_text('{"confidence": 2}')
        with pytest.raises(ConfigError, match="not a certificate"):
            Certificate.load(tmp_path / "d.json")
        with pytest.raises(ConfigError, match="guardrail calibrate"):
            Certificate.load(tmp_path / "none.json")


class TestScoring:
    def test_leaves_out_thresholds_versions_and_keys(self):
        """Another threshold, package or credential is the same scoring."""
        a = Scoring.of(
            {"x": "x|version:1|threshold:0.5|guardrail:0.1.0"}, {"chat": f"openai m at h as {'a' * 24}"}
        )
        b = Scoring.of(
            {"x": "x|version:1|threshold:0.7|guardrail:0.2.0"}, {"chat": f"openai m at h as {'b' * 24}"}
        )
        a.must_be(b)

    @pytest.mark.parametrize(
        ("other", "what"),
        [
            (Scoring.of({"x": "x|version:2"}, {"chat": "m"}, model="a"), "detector 'x'"),
            (Scoring.of({"x": "x|version:1"}, {"chat": "n"}, model="a"), "model or service 'chat'"),
            (Scoring.of({"x": "x|version:1"}, {"chat": "m"}, model="b"), "answering model"),
            (Scoring.of({"x": "x|version:1", "y": "y"}, {"chat": "m"}, model="a"), "detector 'y'"),
        ],
    )
    def test_refuses_another(self, other, what):
        """Another option, model or detector, by name."""
        with pytest.raises(ConfigError, match=what):
            Scoring.of({"x": "x|version:1"}, {"chat": "m"}, model="a").must_be(other)

    @pytest.mark.parametrize("least", [None, 0.0])
    @pytest.mark.parametrize("most", [None, 3.0])
    def test_positions_keep_the_order(self, least, most):
        """Any scale to [0, 1], ascending."""
        places = [position(score, Scale(least=least, most=most)) for score in (0.0, 0.5, 1.0, 2.9)]
        assert places == sorted(set(places))
        assert 0 <= places[0] <= places[-1] <= 1
        scale = Scale(least=least, most=most)
        assert score_at(position(0.5, scale), scale) == pytest.approx(0.5)


class TestGuard:
    def test_flags_passes_and_abstains(self):
        """Above, below and between the certificate's thresholds, whatever the detector's own say."""
        made = certificate()
        guard = Guard([Number()], calibration=made)
        group = made.groups[0]
        between = (group.lower + group.upper) / 2
        found = [checked(guard, str(score)).verdict for score in (group.upper, group.lower - 0.01, between)]
        assert found == [Verdict.UNSUPPORTED, Verdict.SUPPORTED, Verdict.UNVERIFIED]
        assert "between the certificate's thresholds" in checked(guard, str(between)).reason

    def test_both_drivers_agree(self):
        """Asynchronous checks too."""
        guard = Guard([Number()], calibration=certificate())
        assert asyncio.run(guard.acheck("0.99")).findings[0].verdict is Verdict.UNSUPPORTED

    def test_what_has_no_score_stays_unverified(self):
        """Nothing is made of it."""
        assert checked(Guard([Number()], calibration=certificate()), "words").reason == "no number"

    def test_takes_another_threshold_and_refuses_another_option(self):
        """Thresholds are the certificate's; samples make other scores."""
        Guard([Number(threshold=0.9)], calibration=certificate())
        with pytest.raises(ConfigError, match="another detector 'number'"):
            Guard([Number(samples=2)], calibration=certificate())

    def test_unknown_groups(self):
        """Unverified, or judged by the strictest thresholds, as the certificate says."""
        for unknown, verdict in (("unverified", Verdict.UNVERIFIED), ("strictest", Verdict.UNSUPPORTED)):
            guard = Guard(
                [Number()], calibration=Calibration(certificate(unknown=unknown), group="elsewhere")
            )
            assert checked(guard, "0.99").verdict is verdict

    def test_an_alarm_makes_it_stricter(self):
        """After it the detector's own threshold counts too, the reason says why, and it stays."""
        made = certificate("fdr=0.2")
        guard = Guard([Number(threshold=0.05)], calibration=made)
        assert checked(guard, "0.1").verdict is Verdict.SUPPORTED
        for _ in range(60):
            guard.check("0.99")
        assert guard.drift.alarm
        found = checked(guard, "0.1")
        assert found.verdict is Verdict.UNSUPPORTED
        assert MESSAGE in found.reason

    def test_unchanged_answers_of_a_group_raise_no_alarm(self):
        """Twice the calibration's own answers, of one group."""
        low, high = rows(80, "north"), rows(70, "south")
        high = replace(high, scores=high.scores / 2 + 0.5, worst=high.worst / 2 + 0.5)
        joined = Rows(*(np.concatenate([getattr(p, f.name) for p in (low, high)]) for f in fields(Rows)))
        made = certify(
            joined, Target.parse("sound=0.2"), scoring(), scales={"number": Number.scale}, by=("place",)
        )
        for group, part in (("north", low), ("south", high)):
            guard = Guard([Number()], calibration=Calibration(made, group=group))
            for score in np.random.default_rng(1).permutation(part.by_answer().scores.repeat(2)):
                guard.check(str(score))
            assert not guard.drift.alarm
        elsewhere = Guard([Number()], calibration=Calibration(made, group="elsewhere"))
        assert elsewhere.drift is None
        with pytest.raises(ConfigError, match="a certificate belongs to one policy"):
            _varied(elsewhere, flag(), None)  # drift or none, a rule of a server leaves no certificate out

    def test_a_conversation_counts_once(self):
        """A hundred answers in one conversation are one score."""
        guard = Guard([Number()], calibration=certificate())
        for _ in range(100):
            guard.check("0.99", prompt="the same question")
        assert guard.drift.answers == 1
        assert not guard.drift.alarm

    @pytest.mark.parametrize("wrong", [5, Number(), {"certificate": "c.json"}])
    def test_something_else_is_refused(self, wrong):
        """With what to do."""
        with pytest.raises(ConfigError, match="make one with guardrail calibrate"):
            Guard([Number()], calibration=wrong)

    def test_a_group_needs_a_certificate(self):
        """Without one it would mean nothing."""
        with pytest.raises(ConfigError, match="certificate"):
            Calibration(group="news")
        assert Guard([Number()]).drift is None
