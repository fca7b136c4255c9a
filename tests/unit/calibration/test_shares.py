"""Promises where fewer rows are made up than in the calibration."""

import numpy as np
import pytest

from guardrail.calibration import Promise, Risk, Rows, Scoring, Target, certify, learn
from guardrail.calibration.shares import bound_here, largest_share, made_up_share
from guardrail.errors import ConfigError


def drawn(seed, share=0.5, sources=200, size=6):
    """Sound rows score u⁸, made-up ones u^(1/8): P(score ≥ t) is 1 − t^(1/8) and 1 − t⁸. Sources differ in their labels."""
    rng = np.random.default_rng(seed)
    names = np.repeat(np.arange(sources), size)
    likely = rng.beta(4 * share, 4 * (1 - share), sources)  # its mean is the share
    made_up = rng.random(names.size) < likely[names]
    uniform = rng.random(names.size)
    return Rows(np.where(made_up, uniform ** (1 / 8), uniform**8), made_up, names, names)


def rate(threshold, share):
    """The false discovery rate by hand."""
    wrong, right = (1 - share) * (1 - threshold ** (1 / 8)), share * (1 - threshold**8)
    return wrong / (wrong + right)


def passing(found):
    return [point for point, passed in zip(found.grid, found.passed, strict=True) if passed]


class TestBoundHere:
    @pytest.mark.parametrize("made_up", [0.2, 0.5, 0.9])
    def test_is_the_rate_at_which_the_smaller_share_meets_its_bound(self, made_up):
        """By hand: flags of 3 in 100 sound rows and as many made-up ones as give .2 at a share of .1."""
        sound = 0.03
        right = 0.9 * sound * 0.8 / (0.2 * 0.1)  # (1 − m) F / ((1 − m) F + m T) = .2, solved for T
        here = (1 - made_up) * sound / ((1 - made_up) * sound + made_up * right)
        assert bound_here(0.2, 0.1, made_up) == pytest.approx(min(here, 0.2))

    def test_is_never_looser_than_the_bound(self):
        """A share above the calibration's loosens nothing, and where all is made up nothing is permitted."""
        assert bound_here(0.2, 0.9, 0.1) == 0.2
        assert 0 < bound_here(0.2, 0.1, 1.0) < 1e-9


class TestLargestShare:
    def test_is_seldom_below_the_truth(self):
        """In at most 5 % of 300 draws (+ 2 sd), and never below the share seen."""
        below = 0
        for seed in range(300):
            rows = drawn(seed, share=0.3, sources=60)
            found = largest_share(rows, error=0.05)
            assert found >= made_up_share(rows)
            below += found < 0.3
        assert below / 300 <= 0.075

    def test_of_nothing_is_everything(self):
        """No rows exclude no share."""
        none = Rows.of([], [], sources=[])
        assert largest_share(none, error=0.05) == 1.0
        assert made_up_share(none) is None


class TestSmallerShares:
    def test_the_rate_is_kept_where_half_as_many_are_made_up(self):
        """Calibrated at a share of .5, promised from .25 on: broken in ≤ 5 % of 100 runs (+ 2 sd), and often without share=."""
        broken, naive, certified = 0, 0, 0
        for seed in range(100):
            rows = drawn(seed, sources=400)
            asked = passing(learn(rows, Promise(Risk.FDR, 0.3, share=0.25), error=0.05, seed=seed))
            plain = passing(learn(rows, Promise(Risk.FDR, 0.3), error=0.05, seed=seed))
            certified += bool(asked)
            broken += any(rate(point, 0.25) > 0.3 for point in asked)
            naive += any(rate(point, 0.25) > 0.3 for point in plain)
        assert broken / 100 <= 0.094
        assert naive / 100 > 0.5
        assert certified / 100 > 0.5

    @pytest.mark.parametrize("risk", [Risk.SOUND, Risk.ANSWERS, Risk.MISSED])
    def test_other_promises_survive_another_share(self, risk):
        """Thresholds learnt at a share of .5 keep their bound where .1 and where .9 is made up (60,000 rows each)."""
        names = np.arange(1200)
        rows = drawn(1, size=1, sources=1200)
        rows = Rows(rows.scores, rows.made_up, names, names)
        found = passing(learn(rows, Promise(risk, 0.3), error=0.05))
        assert found
        for share in (0.1, 0.9):
            live = drawn(2, share=share, sources=10_000)
            for point in found:
                flagged = live.scores >= point
                risky = ~flagged[live.made_up] if risk is Risk.MISSED else flagged[~live.made_up]
                assert risky.mean() <= 0.3

    def test_the_certificate_says_for_which_shares(self):
        """The share, the bound that was tested here, and the limit of the calibration's own share."""
        scoring = Scoring.of({"x": "x"}, {})
        made = certify(drawn(3), Target.parse("fdr=0.3,share=0.2"), scoring)
        outcome = made.groups[0].outcomes[0]
        assert outcome.share == 0.2
        assert outcome.made_up > 0.5
        assert outcome.tested == pytest.approx(bound_here(0.3, 0.2, outcome.made_up))
        assert "where 20% or more are made up" in made.text()
        plain = certify(drawn(3), Target.parse("fdr=0.3"), scoring).groups[0].outcomes[0]
        assert (plain.share, plain.made_up, plain.tested) == (None, None, 0.3)

    @pytest.mark.parametrize(
        "text", ["share=0.2", "missed=0.1,share=0.2", "fdr=0.1,share=1", "fdr=0.1,share=0"]
    )
    def test_a_share_belongs_to_the_rate(self, text):
        """The other promises do not depend on it."""
        with pytest.raises(ConfigError, match="share"):
            Target.parse(text)

    def test_a_share_is_refused_with_another_risk(self):
        """In Python too."""
        with pytest.raises(ConfigError, match="does not depend"):
            Promise(Risk.SOUND, 0.1, share=0.2)
