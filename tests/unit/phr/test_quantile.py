"""The ε-quantile. Oracles: eq. 14 by hand, and read literally over all candidate values."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.errors import InputError
from guardrail.phr.estimators import quantile

# whole 64ths, so that cumulative masses and ε are exact in binary
mass = st.integers(0, 64)


def literally(values, weights, epsilon):
    """inf{q : P(log p(Y) ≤ q) ≥ ε}: of a finite distribution, over its atoms."""
    if epsilon == 0:
        return -math.inf
    total = sum(weights)
    atoms = sorted(v for v, w in zip(values, weights, strict=True) if w > 0)
    return next(
        q for q in atoms if sum(w for v, w in zip(values, weights, strict=True) if v <= q) >= epsilon * total
    )


class TestQuantile:
    @given(
        st.lists(st.tuples(st.integers(-5, 0), mass), min_size=1, max_size=8).filter(
            lambda atoms: sum(w for _, w in atoms) > 0
        ),
        st.integers(0, 64),
    )
    def test_is_eq_14(self, atoms, epsilon):
        """Also at ties, at cumulative masses and with weights of 0."""
        values, weights = [float(v) for v, _ in atoms], [float(w) for _, w in atoms]
        found = quantile(values, epsilon / 64, weights=np.array(weights) / sum(weights))
        assert float(found) == literally(values, weights, epsilon / 64)

    @given(st.lists(st.integers(-5, 0), min_size=1, max_size=32), st.integers(0, 64))
    def test_samples_are_equal_weights(self, values, epsilon):
        """K draws weigh 1/K each."""
        found = quantile(np.array(values, dtype=float), epsilon / 64)
        assert float(found) == literally(values, [1.0] * len(values), epsilon / 64)

    def test_ends(self):
        """Q_0 = −∞, Q_1 is the largest."""
        assert float(quantile([-1.0, -2.0], 0.0)) == -math.inf
        assert float(quantile([-1.0, -2.0], 1.0)) == -1.0
        assert float(quantile([-1.0, -2.0], 1.0, weights=[0.5, 0.5])) == -1.0

    def test_never_interpolates(self):
        """numpy's default would say −2.2."""
        values = [-3.0, -2.0, -1.0]
        assert float(quantile(values, 0.4)) == -2.0
        assert float(np.quantile(values, 0.4)) == pytest.approx(-2.2)

    @pytest.mark.parametrize(
        ("weights", "epsilon"), [((0.7, 0.1, 0.2), 0.8), ((0.1,) * 10, 0.3), ((0.6, 0.3, 0.1), 0.9)]
    )
    def test_last_bits_do_not_matter(self, weights, epsilon):
        """.7 + .1 is .7999999999999999 in binary, and has reached .8."""
        values = [float(i) for i in range(len(weights))]
        reached = np.cumsum(weights)
        first = next(i for i, total in enumerate(reached) if total > epsilon - 1e-6)
        assert float(quantile(values, epsilon, weights=weights)) == values[first]

    def test_last_bits_of_ranks(self):
        """.07 · 100 is 7.000000000000001 in binary: the seventh of a hundred."""
        assert float(quantile(np.arange(100.0), 0.07)) == 6.0

    def test_rows(self):
        """One per context, each as alone."""
        rows = np.array([[-1.0, -2.0, -3.0], [-6.0, -5.0, -4.0]])
        assert quantile(rows, 0.5).tolist() == [-2.0, -5.0]
        assert quantile(rows, 0.5, weights=[0.1, 0.1, 0.8]).tolist() == [-3.0, -4.0]

    @pytest.mark.parametrize("epsilon", [-0.1, 1.1, math.nan, True])
    def test_refuses_other_epsilons(self, epsilon):
        """Named."""
        with pytest.raises(InputError, match="epsilon in"):
            quantile([1.0], epsilon)

    @pytest.mark.parametrize(
        ("values", "weights"), [([], None), ([math.nan], None), ([1.0], [0.0]), ([1.0, 2.0], [1.5, -0.5])]
    )
    def test_refuses_what_has_none(self, values, weights):
        """Nothing, NaN, no mass, negative mass."""
        with pytest.raises(InputError):
            quantile(values, 0.5, weights=weights)
