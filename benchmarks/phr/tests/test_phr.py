"""The rows on posterior hallucination rate: small runs pass, and estimators that are wrong do not."""

import numpy as np
import pytest
from benchmarks.phr import accuracy, drift, simulation
from benchmarks.phr.conjugate import BetaBernoulli


def judged(rows):
    """Those with a bar."""
    found = [row for row in rows if row.bar is not None]
    assert found
    return found


@pytest.fixture
def random():
    return np.random.default_rng(3)


class TestRows:
    def test_small_runs_pass(self, random):
        """Every part, with few contexts."""
        curves = accuracy.Curves()
        rows = [
            *accuracy.quantile_rows(),
            *accuracy.form_rows(random, size=5_000),
            *accuracy.coin_rows(random, contexts=1_000),
            *accuracy.bias_rows(random, contexts=20, curves=curves),
            *accuracy.agreement_rows(random, contexts=20, draws=20_000),
        ]
        assert [row.quantity for row in judged(rows) if not row.ok] == []
        assert set(curves.biases) == {"ε = 0.05", "ε = 0.5"}

    def test_a_wrong_quantile(self, random, monkeypatch):
        """One that interpolates is seen."""
        monkeypatch.setattr(
            accuracy, "quantile", lambda v, e, weights=None: np.quantile(np.maximum(v, -99), e)
        )
        assert not accuracy.quantile_rows()[0].ok

    def test_a_wrong_form(self, random, monkeypatch):
        """Likely sets that forget the other label are seen."""
        monkeypatch.setattr(
            BetaBernoulli, "unlikely", lambda self: (min(1.0, self.epsilon), min(1.0, self.epsilon))
        )
        assert not all(row.ok for row in judged(accuracy.form_rows(random, size=5_000)))

    def test_a_wrong_estimator(self, random, monkeypatch):
        """One that counts responses at the quantile is seen."""
        monkeypatch.setattr(
            accuracy, "rate_exact", lambda p, q, e: (q * (p <= p.max(axis=1, keepdims=True) * e)).sum(axis=1)
        )
        assert not all(row.ok for row in judged(accuracy.coin_rows(random, contexts=1_000)))

    def test_eager_bets(self, random, monkeypatch):
        """A warning at half the wealth is seen."""
        monkeypatch.setattr(drift, "drifts", lambda reached: reached > 1.5)
        assert not judged(drift.alarm_rows(random, replicates=100))[0].ok


class TestSimulation:
    def test_contexts_keep_the_mean(self, random):
        """m_N scatters around m with variance s² − s_N²."""
        found = simulation.line(random, pairs=3, steps=4, noise=1.0, contexts=20_000)
        assert abs(simulation.standardised(found.means - found.mean)) < 4
        spread = float(((found.means - found.mean) ** 2).mean())
        assert spread == pytest.approx(float((found.variance - found.variances).mean()), rel=0.05)

    def test_drift(self, random):
        """And coins that are told to do not."""
        still, moved = (
            simulation.coins(random, counts=(2, 2), queries=1, steps=4, epsilon=0.5, contexts=20_000, drift=d)
            for d in (0.0, 0.2)
        )
        assert abs(simulation.standardised(still.chances - 0.5)) < 4
        assert simulation.standardised(moved.chances - 0.5) > 50


class TestRateExact:
    def test_by_hand(self):
        """p(·|D) = (.7, .2, .1): Q_.75 is .7, so b and c are hallucinations; of D_n's mass they have .5."""
        assert float(accuracy.rate_exact([0.7, 0.2, 0.1], [0.5, 0.3, 0.2], 0.75)) == pytest.approx(0.5)
        assert float(accuracy.rate_exact([0.7, 0.2, 0.1], [0.5, 0.3, 0.2], 0.2)) == pytest.approx(0.2)

    def test_at_a_cumulative_mass(self):
        """ε = .1 is the mass of c: Q is c's own probability, and c is in the likely set."""
        assert float(accuracy.rate_exact([0.7, 0.2, 0.1], [0.5, 0.3, 0.2], 0.1)) == 0.0
        assert float(accuracy.rate_exact([0.7, 0.2, 0.1], [0.5, 0.3, 0.2], 0.1001)) == pytest.approx(0.2)

    def test_ties(self):
        """Of equally likely responses none is below the other."""
        assert float(accuracy.rate_exact([0.5, 0.5], [1.0, 0.0], 0.9)) == 0.0

    def test_drawn_tends_to_exact(self):
        """Away from cumulative masses; here both masses differ from ε by more than .1."""
        random = np.random.default_rng(0)
        p, q = np.array([0.6, 0.3, 0.1]), np.array([0.2, 0.3, 0.5])
        draws = np.log(random.choice(p, size=100_000, p=p))
        responses = np.log(random.choice(p, size=100_000, p=q))
        for epsilon in (0.25, 0.55):
            assert float(accuracy.rate(draws, responses, epsilon)) == pytest.approx(
                float(accuracy.rate_exact(p, q, epsilon)), abs=0.01
            )
