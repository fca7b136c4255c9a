"""A model with a known posterior behind the port of language models."""

import math

import pytest
from scipy import stats

from guardrail.engine.backend import Backend
from guardrail.engine.draws import generator
from guardrail.engine.flow import Answer, Failed, Reason, draws
from guardrail.errors import ConfigError
from guardrail.phr.bernoulli import BernoulliModel
from guardrail.phr.pairs import END, Form
from guardrail.report import Example
from guardrail.requests import Distribution, Embed, LogProb, Outcomes, Sample

FORM = Form()
COINS = [Example(input="a", label=label) for label in ("yes", "yes", "no")]


def value(model, request):
    (reply,) = model.answer([request])
    assert isinstance(reply, Answer), reply
    return reply.value


class TestPort:
    def test_port(self):
        """A backend; the same request has the same reply, other requests have others."""
        model = BernoulliModel(["a", "b"])
        assert isinstance(model, Backend)
        requests = draws(Sample("", stop=(END,)), 20)
        texts = [reply.value for reply in model.answer(requests)]
        assert texts == [reply.value for reply in reversed(model.answer(requests[::-1]))]
        assert len(set(texts)) > 3
        assert all(FORM.read(text) for text in texts)
        assert BernoulliModel(["a", "b"], seed=1).fingerprint != model.fingerprint

    @pytest.mark.parametrize(
        "text",
        [
            "Who wrote it?",
            "Hello.\n\nInput: a\nLabel:",
            "Input: zzz\nLabel:",
            "Input: a\nLabel: zzz\n\nInput: a\nLabel:",
        ],
    )
    def test_refuses_other_contexts(self, text):
        """In words, and never by raising."""
        model = BernoulliModel(["a", "b"])
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


DRAWN = [789, 829, 584, 779]
