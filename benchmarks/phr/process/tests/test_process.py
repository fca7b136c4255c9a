"""The regression experiment, with a process whose predictive is known in place of a trained one."""

import argparse
import json

import numpy as np
import pytest
from benchmarks._rows import Expected
from benchmarks.phr.accuracy import rate_exact
from benchmarks.phr.process import statistics, survey, table
from benchmarks.phr.process.functions import NOISE, Functions, Waves, pairs
from benchmarks.phr.process.measure import EPSILONS, MAIN, Ranked, measure, true_rates
from benchmarks.phr.process.model.bars import Bars
from benchmarks.phr.process.training import Recipe, batch
from scipy import stats

from guardrail.phr.estimators import rate

BARS = Bars(count=400, edge=1.0)


class Known:
    """Labels are N(m, s² + .1²), where m and s² are those of a constant with prior N(0, 1); inputs do not matter.

    Has the methods of `NeuralProcess` and `Contexts` that are used here.
    """

    bars = BARS

    def __init__(self, y=None):
        self.y = y

    def contexts(self, x, y, *, room=0):
        return Known(np.array(y))

    def repeat(self, copies):
        return Known(np.repeat(self.y, copies, axis=0))

    def predictive(self):
        precision = 1 + self.y.shape[1] / NOISE**2
        return self.y.sum(axis=1) / NOISE**2 / precision, np.sqrt(1 / precision + NOISE**2)

    def labels(self, queries):
        mean, spread = self.predictive()
        borders = np.append(-np.inf, np.append(BARS.middles[1:] - BARS.width / 2, np.inf))
        masses = np.diff(stats.norm.cdf((borders - mean[:, None]) / spread), axis=1)
        return np.repeat(masses[:, None], np.shape(queries)[-1], axis=1)

    def imagine(self, count, random):
        for _ in range(count):
            mean, spread = self.predictive()
            self.y = np.append(self.y, random.normal(mean, spread)[:, None], axis=1)


@pytest.fixture
def random():
    return np.random.default_rng(3)


@pytest.fixture
def plan():
    return survey.Plan(sizes=(2, 4), groups=1, contexts=4, horizon=3)


def told(number, note):
    del number, note


class TestFunctions:
    def test_noise(self, random):
        """Labels scatter around μ with a deviation of .1."""
        functions = Functions.random(random, 5)
        x, y = pairs(random, functions, 4_000)
        rest = (y - functions(x)) / NOISE
        assert np.abs(x).max() <= 2
        assert stats.kstest(rest.reshape(-1), "norm").pvalue > 0.01

    def test_together(self, random):
        """Functions put together are the functions."""
        one, other = Functions.random(random, 2), Functions.random(random, 3)
        x = np.linspace(-2, 2, 7)
        both = Functions.together([one, other])
        assert len(both) == 5
        assert both(x) == pytest.approx(np.concatenate([one(x), other(x)]))

    def test_are_networks(self, random):
        """Evaluated by hand, one query at a time."""
        functions = Functions.random(random, 2)
        (w1, w2, w3), (b1, b2, b3) = functions.weights, functions.biases
        for i in range(2):
            hidden = np.maximum(0.3 * w1[i, 0] + b1[i, 0], 0)
            hidden = np.maximum(hidden @ w2[i] + b2[i, 0], 0)
            assert functions([0.3])[i, 0] == pytest.approx(float(hidden @ w3[i, :, 0] + b3[i, 0, 0]))

    def test_waves(self, random):
        """Three or four over the range: μ changes its sign six to nine times."""
        waves = Waves.random(random, 20)
        signs = np.diff(np.sign(waves(np.linspace(-2, 2, 4_001))), axis=1) != 0
        assert set(signs.sum(axis=1).tolist()) <= {5, 6, 7, 8, 9}


class TestRecipe:
    def test_stages(self):
        """Two steps of 5 pairs, then three of 7."""
        recipe = Recipe(stages=((2, 5), (3, 7)))
        assert recipe.steps == 5
        assert [recipe.pairs_at(step) for step in range(5)] == [5, 5, 7, 7, 7]
        assert [recipe.pairs_to(step) for step in range(6)] == [0, 5, 10, 17, 24, 31]

    def test_rate(self):
        """Rises in a line to its peak, and falls like a cosine to a tenth: half way at .55 of it."""
        recipe = Recipe(stages=((110, 5),), rate=1.0, warmup=10)
        found = [recipe.rate_at(step) for step in (0, 9, 10, 60, 110)]
        assert found == pytest.approx([0.1, 1.0, 1.0, 0.55, 0.1])

    def test_batches(self):
        """A sequence is the same whenever it is met, and is seen in parts and in another order each time."""
        recipe = Recipe(stages=((40, 6),), batch=4, sequences=3, length=8)
        seen = {}
        for step in range(40):
            for x, y in zip(*batch(recipe, step), strict=True):
                pairs_seen = dict(zip(x.tolist(), y.tolist(), strict=True))
                assert len(pairs_seen) == 6
                for one, other in pairs_seen.items():
                    assert seen.setdefault(one, other) == other
        assert len(seen) == 3 * 8
        again = batch(recipe, 7)
        assert (batch(recipe, 7)[0] == again[0]).all()
        assert (batch(recipe, 8)[0] != again[0]).any()


class TestRanked:
    def test_rates(self, random):
        """Those of `rate_exact`, for every ε, ties and empty bins included."""
        under = random.dirichlet(np.full(9, 0.5), size=(4, 3))
        under[0, 0] = [0.1] * 10 if under.shape[-1] == 10 else [1 / 9] * 9
        under[1, 1, :4] = 0.0
        under /= under.sum(axis=-1, keepdims=True)
        given = random.dirichlet(np.ones(9), size=(4, 1))
        ranked = Ranked(under, given)
        for epsilon in (*EPSILONS, 1.0):
            found, own = ranked.rates(epsilon)
            assert found == pytest.approx(rate_exact(under, np.broadcast_to(given, under.shape), epsilon))
            assert own == pytest.approx(rate_exact(under, under, epsilon))

    def test_drawn(self, random):
        """Means and deviations are those of Algorithm 2 with real draws."""
        under, given = random.dirichlet(np.ones(30)), random.dirichlet(np.ones(30))
        logs = np.log(under)
        size = 20_000
        likely = logs[random.choice(30, p=under, size=(size, 50))]
        responses = logs[random.choice(30, p=given, size=(size, 50))]
        expected = rate(likely, responses, 0.3)
        found = Ranked(np.tile(under, (size, 1)), given).drawn(0.3, 50, random)
        assert found.mean() == pytest.approx(expected.mean(), abs=5 * expected.std() * (2 / size) ** 0.5)
        assert found.std() == pytest.approx(expected.std(), rel=0.03)


class TestMeasure:
    def test_closed_forms(self, random):
        """A constant with a normal posterior: PHR_N, MI and THR of 3,000 contexts are those of the conjugate model."""
        from benchmarks.phr.conjugate import Gaussian

        y = np.array([[0.31, 0.12]])
        queries = np.array([[0.0, 1.0]])
        found = measure(
            Known(), lambda x: 0.25 + 0 * x, y, y, queries, contexts=3_000, horizon=3, random=random
        )
        before, later = (1 / (1 + n / NOISE**2) for n in (2, 5))
        mean = y.sum() / NOISE**2 * before
        for i, epsilon in enumerate(EPSILONS):
            form = Gaussian(before, NOISE, epsilon)
            # bins are .005 wide: a likely set may hold the mass of two of them too much
            assert found.rate[i] == pytest.approx(float(form.horizon_rate(later)), abs=0.015)
            assert found.true[i] == pytest.approx(float(form.true_rate(0.25 - mean)), abs=0.002)
        assert found.information == pytest.approx(
            float(Gaussian(before, NOISE, 0.1).information(later)), abs=0.005
        )
        assert 0.045 < found.excluded[0, 0] <= 0.05
        assert found.drawn == pytest.approx(found.rate[MAIN], abs=0.03)

    def test_true_rates(self):
        """All mass in one bin: within the likely set of its middle, outside of one far away."""
        mass = np.zeros((1, 2, 400))
        mass[..., 200] = 1.0
        found = true_rates(BARS, mass, np.array([[0.0, 0.8]]), (0.05,))
        assert found[0, 0] == pytest.approx([0.0, 1.0])


class TestStatistics:
    def test_correlation(self, random):
        """As numpy's."""
        one, other = random.normal(size=(2, 50))
        assert statistics.correlation(one, other) == pytest.approx(np.corrcoef(one, other)[0, 1])

    def test_calibration_error(self):
        """Estimates that are .1 too low everywhere are .1 off; right ones are not, in whatever order."""
        truth = np.random.default_rng(0).permutation(np.linspace(0.2, 0.8, 100))
        assert statistics.calibration_error(truth - 0.1, truth) == pytest.approx(0.1)
        assert statistics.calibration_error(truth, truth) == pytest.approx(0.0)

    def test_interval(self, random):
        """Resamples functions, not points: equal rows of 100 points tell no more than one point each."""
        values = random.normal(size=(40, 1))
        low, high = statistics.interval(
            statistics.mean, values.repeat(100, axis=1), values.repeat(100, axis=1)
        )
        expected = 2 * 1.96 * values.std() / 40**0.5
        assert high - low == pytest.approx(expected, rel=0.2)
        assert statistics.interval(statistics.mean, values[:1], values[:1]) is None


class TestSurvey:
    def test_goes_on(self, plan, tmp_path, monkeypatch):
        """After a stop only the missing parts are computed, and the result is that of a run in peace."""
        peace = survey.survey(Known(), plan, tmp_path / "peace", told)
        done = []
        compute = survey._compute
        monkeypatch.setattr(survey, "_compute", lambda *a: done.append(a[2].name) or compute(*a))

        def stop(number, note):
            if number == 3:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            survey.survey(Known(), plan, tmp_path / "stopped", stop)
        assert len(done) == 3
        (tmp_path / "stopped" / "inside-0-4.npz.part").write_bytes(b"half")
        found = survey.survey(Known(), plan, tmp_path / "stopped", told)
        assert len(done) == survey.count(plan) == len(set(done)) == 7
        for size in plan.sizes:
            assert (found.inside[size].rate == peace.inside[size].rate).all()
        assert (found.outside.true == peace.outside.true).all()
        assert not (tmp_path / "stopped").exists()

    def test_pairs_are_nested(self, plan, tmp_path):
        """D_2 is the beginning of D_4."""
        lines = survey.survey(Known(), plan, tmp_path / "parts", told).lines["inside"]
        assert lines[2].x.tolist() == lines[4].x[:2].tolist()
        assert lines[2].y.tolist() == lines[4].y[:2].tolist()


class TestCorrection:
    def test_held_out(self, random):
        """Fitted to every other function; rates that are half the true ones are mended on the rest."""
        true = random.uniform(0.1, 0.9, (5, 40, 6))
        blank = np.zeros((40, 6))
        measured = survey.Measured(true, true / 2, true, blank, blank, blank)
        _, rates, held_out = table.corrected(measured)
        assert (held_out == true[MAIN][1::2]).all()
        before = statistics.calibration_error(true[MAIN][1::2].reshape(-1) / 2, held_out.reshape(-1))
        after = statistics.calibration_error(rates.reshape(-1), held_out.reshape(-1))
        assert before > 0.2
        assert after < 0.05


class TestParts:
    def test_required_rows(self, monkeypatch, tmp_path):
        """Rows of a part are required where that part has run, and not where it was not asked for or lacked something."""
        from benchmarks._table import Row, Run
        from benchmarks.phr import run

        class Part:
            def __init__(self, rows):
                self.rows = rows

        parts = {
            "process": Part(lambda _: [Row.shown("process: a", 1.0)]),
            "speed": Part(lambda _: [Row.missing("speed: all rows", "no torch")]),
        }
        monkeypatch.setattr(run, "_module", parts.get)
        required = {"convergence": ["c"], "process": ["process: a", "process: b"], "speed": ["s"]}
        (tmp_path / "expected.json").write_text(json.dumps({"values": {"required": required}}))
        options = argparse.Namespace(only=["process", "speed"])
        task = Run("phr", expected=Expected.read(tmp_path), options=options)
        rows = run.compute(task)
        assert [row.quantity for row in rows] == ["process: a", "speed: all rows"]
        assert task.expected.required == ["process: a", "process: b"]

    def test_training(self, monkeypatch):
        """The first word sends the rest of the command line to the training."""
        from benchmarks.phr import run, train

        monkeypatch.setattr(train, "main", len)
        assert run.main(["train", "--size", "small"]) == 2
