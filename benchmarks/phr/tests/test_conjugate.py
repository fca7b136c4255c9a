"""The conjugate models. Oracles: normal equations, simulation of the definitions, scipy's integrals."""

import math
from itertools import pairwise

import numpy as np
import pytest
from benchmarks.phr.accuracy import rate_exact
from benchmarks.phr.conjugate import BetaBernoulli, Gaussian, Posterior
from scipy import integrate, stats

from guardrail.errors import InputError


def theta_rate(theta, mean, epsilon):
    """THR of one coin, from the definition."""
    return float(rate_exact([1 - theta, theta], [1 - mean, mean], epsilon))


class TestPosterior:
    def test_pair_by_pair(self):
        """As the normal equations have it."""
        random = np.random.default_rng(0)
        x, y = random.standard_normal((6, 3)), random.standard_normal(6)
        found = Posterior.prior(3, deviation=2.0, noise=0.5)
        for features, label in zip(x, y, strict=True):
            found = found.observe(features, label)
        precision = np.eye(3) / 4 + x.T @ x / 0.25
        assert found.covariance == pytest.approx(np.linalg.inv(precision))
        assert found.mean == pytest.approx(np.linalg.solve(precision, x.T @ y / 0.25))

    def test_many_at_once(self):
        """Each context as alone."""
        x, y = np.array([[1.0, 2.0], [1.0, -1.0]]), np.array([0.3, 0.9])
        both = Posterior.prior(2, deviation=1.0, noise=1.0, shape=(2,)).observe(x, y)
        for i in range(2):
            one = Posterior.prior(2, deviation=1.0, noise=1.0).observe(x[i], y[i])
            assert both.mean[i] == pytest.approx(one.mean)
            assert both.covariance[i] == pytest.approx(one.covariance)


class TestGaussian:
    @pytest.mark.parametrize("epsilon", [0.05, 0.5, 0.9])
    @pytest.mark.parametrize("variance", [0.0, 0.3, 5.0])
    def test_rate_is_the_mean_of_true_rates(self, variance, epsilon):
        """E over f·x − m ~ N(0, s²); with s² = 0 it is ε."""
        form = Gaussian(variance, 0.7, epsilon)
        nodes, weights = np.polynomial.hermite_e.hermegauss(80)
        mean = float((form.true_rate(math.sqrt(variance) * nodes) * weights).sum() / weights.sum())
        assert form.rate() == pytest.approx(mean, abs=1e-6)
        if variance == 0:
            assert form.rate() == pytest.approx(epsilon)

    @pytest.mark.parametrize("later", [0.0, 0.2, 1.0])
    def test_horizon_rate_is_the_mean_over_contexts(self, later):
        """E over m_N − m ~ N(0, s² − s_N²); at s_N² = s² it is ε, at 0 the limit."""
        form = Gaussian(1.0, 0.7, 0.2)
        nodes, weights = np.polynomial.hermite_e.hermegauss(80)
        rates = form.context_rate(math.sqrt(1.0 - later) * nodes, later)
        assert float(form.horizon_rate(later)) == pytest.approx(
            float((rates * weights).sum() / weights.sum()), abs=1e-6
        )
        if later == 1.0:
            assert float(form.horizon_rate(later)) == pytest.approx(0.2)
        if later == 0.0:
            assert float(form.horizon_rate(later)) == pytest.approx(form.rate())

    def test_ends(self):
        """ε = 0: nothing; ε = 1: everything."""
        assert Gaussian(1.0, 1.0, 0.0).rate() == 0.0
        assert float(Gaussian(1.0, 1.0, 0.0).true_rate(3.0)) == 0.0
        assert Gaussian(1.0, 1.0, 1.0).rate() == pytest.approx(1.0)

    @pytest.mark.parametrize(("draws", "epsilon"), [(10, 0.05), (50, 0.05), (20, 0.5), (7, 1.0)])
    def test_bias_of_draws_by_order_statistics(self, draws, epsilon):
        """With s_N² = s² both sides draw from one density: j of K + 1 gaps lie below, j = ⌈εK⌉."""
        found = float(Gaussian(1.0, 1.0, epsilon).drawn_rate(1.0, draws))
        assert found == pytest.approx(math.ceil(round(epsilon * draws, 9)) / (draws + 1), abs=1e-6)

    def test_bias_goes_with_the_draws(self):
        """K = 4,000 is near the form without K."""
        form = Gaussian(1.0, 1.0, 0.2)
        assert float(form.drawn_rate(0.3, 4000)) == pytest.approx(float(form.horizon_rate(0.3)), abs=5e-4)

    def test_information(self):
        """The difference of two normal entropies."""
        found = float(Gaussian(2.0, 0.5, 0.1).information(0.5))
        assert found == pytest.approx(
            stats.norm(scale=1.5).entropy() - stats.norm(scale=math.sqrt(0.75)).entropy()
        )

    def test_refuses(self):
        """Nonsense."""
        for variance, noise, epsilon in ((-1, 1, 0.5), (1, 0, 0.5), (1, 1, 2)):
            with pytest.raises(InputError):
                Gaussian(variance, noise, epsilon)


class TestBetaBernoulli:
    @pytest.mark.parametrize("counts", [(1.0, 1.0), (4.0, 2.0), (0.5, 7.0)])
    @pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.3, 0.5, 0.75, 1.0])
    def test_rate_is_the_integral(self, counts, epsilon):
        """Of THR(θ) over Beta(a, b), by scipy; the integrand jumps at ε, ½ and 1 − ε."""
        form = BetaBernoulli(*counts, epsilon)
        jumps = sorted({0.0, min(epsilon, 0.5), 0.5, 1 - min(epsilon, 0.5), 1.0})
        integral = sum(
            integrate.quad(
                lambda t: theta_rate(t, form.mean, epsilon) * stats.beta.pdf(t, *counts), low, high, limit=200
            )[0]
            for low, high in pairwise(jumps)
        )
        assert form.rate() == pytest.approx(integral, abs=1e-6)

    def test_horizon_by_walking_through(self):
        """All sequences of three pairs: this query or another, 0 or 1."""
        form = BetaBernoulli(2.0, 1.0, 0.4, visit=0.3)

        def walk(a, b, steps):
            if not steps:
                return theta_rate(a / (a + b), form.mean, 0.4)
            p = a / (a + b)
            here = p * walk(a + 1, b, steps - 1) + (1 - p) * walk(a, b + 1, steps - 1)
            return 0.3 * here + 0.7 * walk(a, b, steps - 1)

        assert form.horizon_rate(3) == pytest.approx(walk(2.0, 1.0, 3))
        assert form.horizon_rate(0) == pytest.approx(theta_rate(2 / 3, 2 / 3, 0.4))

    def test_information_is_the_integral(self):
        """h(E θ) − E h(θ), by scipy."""
        form = BetaBernoulli(3.0, 1.5, 0.5)
        expected = (
            stats.bernoulli(form.mean).entropy()
            - integrate.quad(lambda t: stats.entropy([t, 1 - t]) * stats.beta.pdf(t, 3.0, 1.5), 0, 1)[0]
        )
        assert form.information() == pytest.approx(float(expected), abs=1e-8)

    def test_tends_to_the_integral(self):
        """The sum at a long horizon."""
        form = BetaBernoulli(4.0, 2.0, 0.2317)
        assert form.horizon_rate(250) == pytest.approx(form.rate(), abs=0.01)
        assert form.horizon_information(250) == pytest.approx(form.information(), abs=0.005)
        assert form.horizon_unlikely(250) == pytest.approx(form.unlikely(), abs=0.02)

    def test_no_visit_no_information(self):
        """Other queries say nothing about this coin."""
        assert BetaBernoulli(4.0, 2.0, 0.2, visit=0.0).horizon_information(5) == pytest.approx(0.0, abs=1e-12)
