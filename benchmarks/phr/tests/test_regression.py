"""Bayesian linear regression behind the port of language models."""

import math

import numpy as np
import pytest
from benchmarks.phr.regression import RegressionModel
from scipy import stats

from guardrail.engine.flow import Answer, Reason, draws
from guardrail.errors import ConfigError
from guardrail.phr.pairs import END, Form
from guardrail.report import Example
from guardrail.requests import Distribution, LogProb, Sample

FORM = Form()
LINE = [Example(input=repr(x), label=repr(0.5 * x)) for x in (-1.0, 0.3, 1.2)]


def value(model, request):
    (reply,) = model.answer([request])
    assert isinstance(reply, Answer), reply
    return reply.value


class TestRegression:
    def test_predicts(self):
        """By the normal equations, with constant and slope N(0, 1)."""
        model = RegressionModel(noise=0.5)
        x = np.array([[1.0, float(pair.input)] for pair in LINE])
        y = np.array([float(pair.label) for pair in LINE])
        covariance = np.linalg.inv(np.eye(2) + x.T @ x / 0.25)
        at = np.array([1.0, 0.7])
        mean, variance = at @ covariance @ x.T @ y / 0.25, at @ covariance @ at
        found = value(model, LogProb(FORM.context(LINE) + FORM.query("0.7"), " 1.5"))
        assert found == pytest.approx(stats.norm(mean, math.sqrt(variance + 0.25)).logpdf(1.5))

    def test_draws_what_it_predicts(self):
        """By Kolmogorov and Smirnov; inputs are uniform."""
        model = RegressionModel(noise=0.5)
        context = FORM.context(LINE)
        mean, variance = model.posterior(LINE).predict([1.0, 0.7])
        labels = [
            float(r.value)
            for r in model.answer(draws(Sample(context + FORM.query("0.7"), stop=("\n",)), 2000))
        ]
        assert (
            stats.kstest(labels, stats.norm(float(mean), math.sqrt(float(variance) + 0.25)).cdf).pvalue
            > 0.001
        )
        inputs = [
            float(FORM.read(r.value).input) for r in model.answer(draws(Sample(context, stop=(END,)), 2000))
        ]
        assert stats.kstest(inputs, stats.uniform(-2, 4).cdf).pvalue > 0.001

    def test_numbers_come_back_to_the_last_bit(self):
        """Text loses nothing."""
        pair = FORM.read(value(RegressionModel(), Sample("", stop=(END,))))
        assert repr(float(pair.input)) == pair.input
        assert repr(float(pair.label)) == pair.label

    @pytest.mark.parametrize(
        "text", ["Hello.\n\nInput: 1\nLabel:", "Input: zzz\nLabel:", "Input: 1\nLabel: z\n\nInput: 1\nLabel:"]
    )
    def test_refuses_other_contexts(self, text):
        """In words, and never by raising."""
        for request in (Sample(text), LogProb(text, " 1.0")):
            (reply,) = RegressionModel().answer([request])
            assert reply.reason is Reason.REFUSED

    def test_has_no_distribution(self):
        """Over single labels."""
        (reply,) = RegressionModel().answer([Distribution(FORM.context(LINE), FORM.query("0.7"))])
        assert "continuous" in reply.detail

    def test_refuses_options(self):
        """Noise of 0."""
        with pytest.raises(ConfigError):
            RegressionModel(noise=0)
