"""The bar distribution: a density, its integral, and draws from it."""

import math

import numpy as np
import pytest
from benchmarks.phr.process.model.bars import Bars

from guardrail.errors import InputError

BARS = Bars(count=8, edge=2.0)


@pytest.fixture
def masses():
    """Of three distributions; the ends have much of it."""
    found = np.random.default_rng(0).dirichlet(np.full(8, 4.0), size=3)
    assert (found[:, [0, -1]] > 0.01).all()
    return found


class TestDensity:
    def test_integrates_to_one(self, masses):
        """By the trapezoidal rule over a range far wider than the bins, tails included."""
        x = np.linspace(-6, 6, 240_001)
        density = np.exp(BARS.log_density(np.log(masses)[:, None].repeat(len(x), axis=1), np.tile(x, (3, 1))))
        assert np.trapezoid(density, x, axis=1) == pytest.approx(np.ones(3), abs=1e-4)

    def test_inner_bins(self, masses):
        """Mass over width: .5 here."""
        assert BARS.log_density(np.log(masses[0]), 0.1) == pytest.approx(math.log(masses[0, 4] / 0.5))

    def test_tails(self, masses):
        """Mass times twice a normal density of deviation edge / 8, from the inner end of the last bin."""
        reach = (3.0 - 1.5) / 0.25
        expected = math.log(masses[1, 7] * 2 * math.exp(-0.5 * reach**2) / (0.25 * math.sqrt(2 * math.pi)))
        assert BARS.log_density(np.log(masses[1]), 3.0) == pytest.approx(expected)
        assert BARS.log_density(np.log(masses[1][::-1]), -3.0) == pytest.approx(expected)

    def test_borders(self):
        """A value on a border belongs to the bin above it; what is outside, to the last ones."""
        assert BARS.bin([-99, -2, -1.5, 0, 1.49, 2, 99]).tolist() == [0, 0, 1, 4, 6, 7, 7]

    def test_nan(self):
        """Is in no bin."""
        with pytest.raises(InputError, match="NaN"):
            BARS.bin([math.nan])


class TestCumulative:
    def test_is_the_integral(self, masses):
        """Of the density, by the trapezoidal rule, at values inside and in both tails."""
        x = np.linspace(-6, 6, 240_001)
        density = np.exp(BARS.log_density(np.log(masses[0])[None].repeat(len(x), axis=0), x))
        for value in (-2.4, -1.7, -0.3, 0.0, 1.1, 1.7, 2.2):
            expected = np.trapezoid(density[x <= value], x[x <= value])
            assert BARS.cumulative(masses[0], value) == pytest.approx(expected, abs=2e-4)

    def test_inverse_of_draw(self, masses):
        """The value at a cumulative probability has that cumulative probability."""
        uniforms = np.random.default_rng(1).random((3, 200))
        wide = masses[:, None].repeat(200, axis=1)
        assert BARS.cumulative(wide, BARS.draw(wide, uniforms)) == pytest.approx(uniforms, abs=1e-6)


class TestDraw:
    def test_bins_without_mass(self):
        """Are not drawn, also at the ends of the unit interval."""
        mass = np.array([0, 0, 0.5, 0, 0.5, 0, 0, 0])
        drawn = BARS.draw(mass[None].repeat(1000, axis=0), np.linspace(0, 1, 1000, endpoint=False))
        assert set(BARS.bin(drawn).tolist()) == {2, 4}

    def test_single_precision(self, masses):
        """As a network gives it."""
        drawn = BARS.draw(masses.astype(np.float32), np.array([0.1, 0.5, 0.9]))
        assert drawn == pytest.approx(BARS.draw(masses, np.array([0.1, 0.5, 0.9])), abs=1e-4)
