"""What holds for every input. Oracles: the definitions' own symmetries and bounds, and the closed forms."""

import math

import numpy as np
from benchmarks.phr.accuracy import rate_exact
from benchmarks.phr.conjugate import BetaBernoulli, Gaussian
from hypothesis import given, settings
from hypothesis import strategies as st

from guardrail.phr.bernoulli import BernoulliModel
from guardrail.phr.estimators import entropy, estimate, information, rate
from guardrail.phr.flows import survey
from guardrail.phr.pairs import Form
from guardrail.phr.readings import Query, Settings
from guardrail.report import Example
from guardrail.requests import Sample
from guardrail.statistics.intervals import wilson
from guardrail.testing import play

unit = st.floats(0, 1)
logs = st.lists(st.floats(-50, 5), min_size=1, max_size=12)
masses = st.lists(st.integers(0, 20), min_size=2, max_size=6).filter(lambda w: sum(w) > 0)
counts = st.tuples(st.floats(0.2, 30), st.floats(0.2, 30))
labels = st.sampled_from(["yes", "no"])
pairs = st.lists(st.builds(Example, input=st.sampled_from(["a", "b"]), label=labels), min_size=1, max_size=8)


def normal(weights):
    return np.array(weights, dtype=float) / sum(weights)


def ask(model):
    return lambda request: model.answer([request])[0]


class TestRates:
    @given(logs, logs, unit)
    def test_drawn(self, likely, responses, epsilon):
        """In [0, 1]; nothing at ε = 0; more with a larger ε."""
        found = float(rate(likely, responses, epsilon))
        assert 0 <= found <= 1
        assert float(rate(likely, responses, 0.0)) == 0.0
        assert found <= float(rate(likely, responses, 1.0))

    @given(masses, st.data(), unit)
    def test_exact(self, weights, data, epsilon):
        """The same; and of the model's own responses at most ε are hallucinations."""
        other = data.draw(
            st.lists(st.integers(0, 20), min_size=len(weights), max_size=len(weights)).filter(
                lambda w: sum(w) > 0
            )
        )
        p, q = normal(weights), normal(other)
        found = float(rate_exact(p, q, epsilon))
        assert 0 <= found <= 1
        assert float(rate_exact(p, q, 0.0)) == 0.0
        assert found <= float(rate_exact(p, q, 1.0)) + 1e-12
        assert float(rate_exact(p, p, epsilon)) <= epsilon + 1e-6

    @given(masses, st.randoms(), unit)
    def test_names_do_not_matter(self, weights, random, epsilon):
        """The order of outcomes changes nothing."""
        order = list(range(len(weights)))
        random.shuffle(order)
        p = normal(weights)
        q = p[::-1]
        found = float(rate_exact(p, q, epsilon))
        assert math.isclose(float(rate_exact(p[order], q[order], epsilon)), found, abs_tol=1e-12)

    @given(st.lists(unit, min_size=1, max_size=30))
    def test_intervals_hold_the_mean(self, values):
        """And lie in [0, 1]."""
        found = estimate(values)
        assert 0 <= found.interval[0] <= found.value <= found.interval[1] <= 1
        assert found.interval[0] < found.interval[1]
        low, high = wilson(found.value * len(values), len(values))
        assert 0 <= low <= found.value <= high <= 1


class TestForms:
    @given(st.floats(0, 100), st.floats(0.01, 10), unit, unit)
    def test_gaussian(self, variance, noise, epsilon, part):
        """PHR lies between ε and 1, and a finite horizon between ε and PHR."""
        form = Gaussian(variance, noise, epsilon)
        later = float(form.horizon_rate(part * variance))
        assert epsilon - 1e-9 <= later <= form.rate() + 1e-9 <= 1 + 1e-9
        assert 0 <= float(form.information(part * variance)) <= float(form.information()) + 1e-12

    @given(counts, unit, unit)
    def test_coins(self, ab, epsilon, visit):
        """Rates are probabilities; the information never falls below 0 or above that of a known coin."""
        form = BetaBernoulli(*ab, epsilon, visit)
        for found in (form.rate(), form.horizon_rate(6), *form.unlikely(), *form.horizon_unlikely(6)):
            assert 0 <= found <= 1
        assert -1e-9 <= form.horizon_information(6) <= form.information() + 1e-9

    @given(counts, st.integers(0, 12))
    def test_martingale(self, ab, steps):
        """The predictive keeps its mean along its own contexts."""
        values, weights = BetaBernoulli(*ab, 0.5)._predictions(steps)
        assert math.isclose(weights.sum(), 1.0, rel_tol=1e-9)
        assert math.isclose((values * weights).sum(), ab[0] / sum(ab), rel_tol=1e-9)


class TestFlow:
    @settings(deadline=None, max_examples=30)
    @given(pairs, st.integers(0, 5), unit, labels)
    def test_bounds(self, given_pairs, seed, epsilon, answer):
        """Rates, shares and intervals in [0, 1]; at ε = 0 none is a hallucination."""
        model = BernoulliModel(["a", "b"], seed=seed)
        for level in (epsilon, 0.0):
            chosen = Settings(contexts=4, horizon=2, epsilon=level)
            (found,) = play(survey(given_pairs, [Query("a", answer)], settings=chosen), ask(model)).measured
            assert 0 <= found.rate.value <= 1
            assert 0 <= found.unlikely.value <= 1
            assert found.wealth >= 1
            assert math.isfinite(found.information.value)
        assert found.rate.value == found.unlikely.value == 0.0

    @settings(deadline=None, max_examples=30)
    @given(pairs, st.randoms(), unit)
    def test_order_of_the_context(self, given_pairs, random, epsilon):
        """An exchangeable model that draws alike finds the same, whatever the order of the pairs."""
        shuffled = list(given_pairs)
        random.shuffle(shuffled)
        form, model = Form(), BernoulliModel(["a", "b"])

        def alike(request):
            """Draws by the set of pairs in place of their order."""
            if isinstance(request, Sample):
                _, seen, _ = form.split(request.context)
                ordered = sorted(seen, key=lambda pair: (pair.input, pair.label))
                request = Sample(form.context(ordered), request.draw, stop=request.stop)
            return model.answer([request])[0]

        chosen = Settings(contexts=4, horizon=3, epsilon=epsilon)
        first, second = (
            play(survey(order, [Query("a", "no")], settings=chosen), alike).measured
            for order in (given_pairs, shuffled)
        )
        assert first == second

    @settings(deadline=None, max_examples=30)
    @given(masses)
    def test_identical_contexts(self, weights):
        """Contexts that say what D_n says know no more: the exact information is 0."""
        p = normal(weights)
        assert information(float(entropy(p)), [float(entropy(p))] * 3).value == 0.0

    @settings(deadline=None, max_examples=20)
    @given(pairs, labels, st.integers(0, 3))
    def test_imagined_contexts_that_repeat_the_prediction(self, given_pairs, answer, seed):
        """The same through the flow: queries that no imagined pair is about."""
        model = BernoulliModel(["a", "b", "c"], seed=seed)

        def elsewhere(request):
            return "Input: c\nLabel: yes\n\n" if isinstance(request, Sample) else ask(model)(request)

        (found,) = play(
            survey(given_pairs, [Query("a", answer)], settings=Settings(contexts=3)), elsewhere
        ).measured
        assert found.information.value == 0.0
        assert found.wealth == 1.0


class TestAnswers:
    @settings(deadline=None, max_examples=12)
    @given(pairs, st.integers(0, 1000), st.sampled_from([0.2317, 0.5731, 0.7273]))
    def test_are_scored_as_they_should(self, given_pairs, seed, epsilon):
        """Equal to the exact probability within its interval (99.99 %), and the unlikely answer above the likely one."""
        model = BernoulliModel(["a", "b"], seed=seed)
        a, b = model.counts(given_pairs, "a")
        chosen = Settings(contexts=60, horizon=3, epsilon=epsilon)
        found = play(
            survey(given_pairs, [Query("a", "no"), Query("a", "yes")], settings=chosen), ask(model)
        ).measured
        exact = BetaBernoulli(a, b, epsilon, 0.5).horizon_unlikely(3)
        for one, expected in zip(found, exact, strict=True):
            low, high = wilson(
                one.unlikely.value * one.unlikely.contexts, one.unlikely.contexts, confidence=0.9999
            )
            assert low - 1e-9 <= expected <= high + 1e-9
        no, yes = (one.unlikely.value for one in found)
        assert no + yes <= 1.0 + 1e-12  # never both
        if exact[0] > exact[1] + 0.5:
            assert no > yes
        if exact[1] > exact[0] + 0.5:
            assert yes > no
