"""The temperature of a classifier, and how far its probabilities are off, against numbers worked by hand."""

import math

import numpy as np
import pytest
from benchmarks.entailment.calibration import expected_calibration_error, temperature
from scipy.optimize import minimize_scalar

from guardrail.errors import InputError


class TestTemperature:
    @pytest.mark.parametrize(("gap", "right", "wrong"), [(2.0, 3, 1), (0.3, 9, 1), (8.0, 6, 4)])
    def test_two_labels(self, gap, right, wrong):
        """All pairs are as sure, p of them are right: the best says p, so gap / T = ln(p / (1 - p))."""
        logits = [[gap, 0.0]] * (right + wrong)
        expected = gap / math.log(right / wrong)
        assert temperature(logits, [0] * right + [1] * wrong) == pytest.approx(expected, rel=1e-9)

    def test_three_labels(self):
        """Half are right: e^(2/T) / (e^(2/T) + 2) = 1/2, so T = 2 / ln 2."""
        logits = [[2.0, 0.0, 0.0]] * 4
        assert temperature(logits, [0, 0, 1, 2]) == pytest.approx(2 / math.log(2), rel=1e-9)

    def test_is_the_minimum(self):
        """Oracle: scipy's bounded search over the negative log-likelihood itself."""
        source = np.random.default_rng(0)
        logits = source.normal(size=(500, 3)) * 4
        labels = np.where(source.random(500) < 0.7, logits.argmax(axis=1), source.integers(0, 3, 500))

        def loss(degrees):
            scaled = logits / degrees
            return np.mean(np.log(np.exp(scaled).sum(axis=1)) - scaled[np.arange(500), labels])

        expected = minimize_scalar(loss, bounds=(0.2, 50), method="bounded", options={"xatol": 1e-9}).x
        assert temperature(logits, labels) == pytest.approx(expected, rel=1e-5)

    def test_scales_with_the_logits(self):
        """Logits that are k times as large have a temperature that is; a number added to a row changes nothing."""
        logits = np.array([[1.0, 0.0, -1.0], [0.5, 0.1, 0.0], [0.2, 0.9, 0.3]])
        once = temperature(logits, [0, 0, 2])
        assert temperature(1_000 * logits + [[5.0], [-900.0], [1.0]], [0, 0, 2]) == pytest.approx(
            1_000 * once
        )

    def test_nothing_to_fit(self):
        """All right: the colder the better. Worse than chance: the warmer the better. Neither has a best."""
        with pytest.raises(InputError, match="wrong too"):
            temperature([[2.0, 1.0], [0.0, 1.0]], [0, 1])
        with pytest.raises(InputError, match="better than none"):
            temperature([[2.0, 0.0]] * 4, [0, 1, 1, 1])
        with pytest.raises(InputError, match="better than none"):
            temperature([[2.0, 0.0]] * 4, [0, 0, 1, 1])

    @pytest.mark.parametrize(
        ("logits", "labels"),
        [
            ([], []),
            ([[]], [0]),
            ([1.0, 2.0], [0, 1]),
            ([[1.0, 2.0]], [0, 1]),
            ([[1.0, 2.0]], [2]),
            ([[1.0, 2.0]], [-1]),
            ([[1.0, 2.0]], [0.0]),
            ([[1.0, math.nan]], [0]),
            ([[1.0, math.inf]], [0]),
        ],
    )
    def test_refuses(self, logits, labels):
        """What are no rows of numbers, or no labels of them."""
        with pytest.raises(InputError, match="expected"):
            temperature(logits, labels)


class TestExpectedCalibrationError:
    def test_by_hand(self):
        """Bins of a fifth: two pairs at .9 (one right): |.9 - .5|; one at .5 (right): |.5 - 1|; weights 2 and 1 of 3."""
        shares = [[0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.3, 0.2, 0.5]]
        found = expected_calibration_error(shares, [0, 0, 2], bins=5)
        assert found == pytest.approx((2 * 0.4 + 0.5) / 3)

    def test_fifteen_bins(self):
        """.61 and .68 share a bin of ten (mean gap |.645 - .5|), and have one each of fifteen (|.61 - 1|, |.68 - 0|)."""
        shares = [[0.61, 0.39], [0.68, 0.32]]
        assert expected_calibration_error(shares, [0, 1], bins=10) == pytest.approx(0.145)
        assert expected_calibration_error(shares, [0, 1]) == pytest.approx((0.39 + 0.68) / 2)

    def test_ends(self):
        """Sure and right is 0, sure and wrong is 1."""
        assert expected_calibration_error([[1.0, 0.0]] * 3, [0, 0, 0]) == 0.0
        assert expected_calibration_error([[1.0, 0.0]] * 3, [1, 1, 1]) == 1.0

    def test_temperature_mends(self):
        """Oracle: labels drawn from soft-max(z); three times as sure is off by far, and the fitted temperature is near 3."""
        source = np.random.default_rng(1)
        logits = source.normal(size=(4_000, 3)) * 1.5
        shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        labels = (source.random(4_000)[:, None] > shares.cumsum(axis=1)).sum(axis=1)
        degrees = temperature(3 * logits, labels)
        too_sure = np.exp(3 * logits) / np.exp(3 * logits).sum(axis=1, keepdims=True)
        mended = np.exp(3 * logits / degrees)
        mended /= mended.sum(axis=1, keepdims=True)
        assert degrees == pytest.approx(3, rel=0.06)  # standard error about .06
        assert (
            expected_calibration_error(mended, labels)
            < 0.03
            < 0.15
            < expected_calibration_error(too_sure, labels)
        )

    def test_refuses(self):
        """As `temperature`; bins are counted from one."""
        with pytest.raises(InputError, match="labels from 0 to 1"):
            expected_calibration_error([[0.5, 0.5]], [2])
        with pytest.raises(InputError, match="expected a row"):
            expected_calibration_error([], [])
        with pytest.raises(InputError, match="one bin"):
            expected_calibration_error([[0.5, 0.5]], [0], bins=0)
