"""The conjugate models behind the port of language models."""

import math

import numpy as np
import pytest
from scipy import stats

from guardrail.engine.backend import Backend
from guardrail.engine.draws import generator
from guardrail.engine.flow import Answer, Failed, Reason, draws
from guardrail.errors import ConfigError
from guardrail.phr.models import BernoulliModel, RegressionModel
from guardrail.phr.pairs import END, Form
from guardrail.report import Example
from guardrail.requests import Distribution, Embed, LogProb, Outcomes, Sample

FORM = Form()
COINS = [Example(input="a", label=label) for label in ("yes", "yes", "no")]
LINE = [Example(input=repr(x), label=repr(0.5 * x)) for x in (-1.0, 0.3, 1.2)]


def value(model, request):
    (reply,) = model.answer([request])
    assert isinstance(reply, Answer), reply
    return reply.value


class TestBoth:
    @pytest.mark.parametrize("model", [BernoulliModel(["a", "b"]), RegressionModel()], ids=["coins", "line"])
    def test_port(self, model):
        """A backend; the same request has the same reply, other requests have others."""
        assert isinstance(model, Backend)
        requests = draws(Sample("", stop=(END,)), 20)
        texts = [reply.value for reply in model.answer(requests)]
        assert texts == [reply.value for reply in reversed(model.answer(requests[::-1]))]
        assert len(set(texts)) > 3
        assert all(FORM.read(text) for text in texts)
        assert (
            type(model)(*([["a", "b"]] if isinstance(model, BernoulliModel) else []), seed=1).fingerprint
            != model.fingerprint
        )

    @pytest.mark.parametrize("model", [BernoulliModel(["a", "b"]), RegressionModel()], ids=["coins", "line"])
    @pytest.mark.parametrize(
        "text",
        [
            "Who wrote it?",
            "Hello.\n\nInput: a\nLabel:",
            "Input: zzz\nLabel:",
            "Input: a\nLabel: zzz\n\nInput: a\nLabel:",
        ],
    )
    def test_refuses_other_contexts(self, model, text):
        """In words, and never by raising."""
        for request in (Sample(text), LogProb(text, " yes"), Distribution(text, "")):
            (reply,) = model.answer([request])
            assert isinstance(reply, Failed)
            assert reply.detail
            assert reply.reason is Reason.REFUSED

    def test_other_requests(self):
        """Are somebody else's."""
        (reply,) = BernoulliModel(["a"]).answer([Embed("a")])
        assert reply.reason is Reason.MISSING

    def test_draws_do_not_depend_on_the_machine(self):
        """Stored with this file: equal requests and seeds have equal random numbers, everywhere."""
        assert generator(Sample("c", 3), 1).integers(1000, size=4).tolist() == DRAWN

    def test_stops(self):
        """At the first stop, which is kept."""
        model = BernoulliModel(["a"])
        assert value(model, Sample("", stop=("\n",))) == "Input: a\n"
        assert value(model, Sample(FORM.query("a"), stop=("\n",))) in {" yes\n", " no\n"}
        assert value(model, Sample("")).endswith(END)


class TestBernoulli:
    def test_predicts(self):
        """Laplace's rule: (2 + 1) / (3 + 2)."""
        model = BernoulliModel(["a", "b"])
        found = value(model, Distribution(FORM.context(COINS), FORM.query("a"), (" yes", " maybe")))
        assert found == Outcomes((" no", " yes"), (pytest.approx(0.4), pytest.approx(0.6)), (1, None))
        context = FORM.context(COINS) + FORM.query("a")
        assert value(model, LogProb(context, " no")) == pytest.approx(math.log(0.4))
        assert value(model, Distribution(FORM.context(COINS), FORM.query("b"))).probabilities == (0.5, 0.5)

    def test_draws_what_it_predicts(self):
        """Labels behind a query and pairs, by a binomial test."""
        model = BernoulliModel(["a", "b"])
        context = FORM.context(COINS)
        labels = [r.value for r in model.answer(draws(Sample(context + FORM.query("a")), 2000))]
        pairs = [FORM.read(r.value) for r in model.answer(draws(Sample(context, stop=(END,)), 2000))]
        assert stats.binomtest(sum(" yes" in text for text in labels), 2000, 0.6).pvalue > 0.001
        seen = [pair.label for pair in pairs if pair.input == "a"]
        assert stats.binomtest(len(seen), 2000, 0.5).pvalue > 0.001
        assert stats.binomtest(seen.count("yes"), len(seen), 0.6).pvalue > 0.001

    def test_refuses_options(self):
        """Without queries, twice the same label, no prior."""
        for options in (
            {"queries": []},
            {"queries": ["a"], "labels": ("x", "x")},
            {"queries": ["a"], "prior": (0, 1)},
        ):
            with pytest.raises(ConfigError):
                BernoulliModel(**options)


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
        model = RegressionModel(inputs=3)
        pair = FORM.read(value(model, Sample("", stop=(END,))))
        assert [repr(float(x)) for x in pair.input.split()] == pair.input.split()
        assert repr(float(pair.label)) == pair.label

    def test_has_no_distribution(self):
        """Over single labels."""
        (reply,) = RegressionModel().answer([Distribution(FORM.context(LINE), FORM.query("0.7"))])
        assert "continuous" in reply.detail
        with pytest.raises(ConfigError):
            RegressionModel(noise=0)


DRAWN = [789, 829, 584, 779]
