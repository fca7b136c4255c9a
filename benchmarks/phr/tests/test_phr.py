"""The rows on posterior hallucination rate: small runs pass, and estimators that are wrong do not."""

import numpy as np
import pytest
from benchmarks.phr import accuracy, drift, simulation

from guardrail.phr.conjugate import BetaBernoulli


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
