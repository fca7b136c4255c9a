"""The stack. Oracle: scikit-learn's ridge logistic regression on the same standardised features."""

import json
from dataclasses import asdict

import numpy as np
import pytest

from guardrail.errors import ConfigError, InputError
from guardrail.selfcheck.ensemble.stack import FLOOR, Stack


@pytest.fixture
def data():
    rng = np.random.default_rng(7)
    passages = np.repeat(np.arange(30), 6)
    labels = rng.choice([0.0, 0.5, 1.0], size=len(passages))
    scores = {"a": labels + rng.normal(size=len(labels)), "b": 3 * labels + 2 * rng.normal(size=len(labels))}
    return scores, labels, passages.tolist()


class TestStack:
    def test_is_a_ridge_logistic_regression(self, data):
        """A label of ½ is one row of each class at half weight; C = 1 / penalty."""
        linear_model = pytest.importorskip("sklearn.linear_model")
        scores, labels, passages = data
        own = np.stack([scores["a"], scores["b"]], axis=1)
        of = np.array(passages)
        features = np.hstack([own, np.stack([own[of == p].mean(axis=0) for p in of])])
        features = (features - features.mean(axis=0)) / features.std(axis=0)
        model = linear_model.LogisticRegression(C=1 / 4.0, tol=1e-10, max_iter=10_000)
        model.fit(
            np.vstack([features, features]),
            np.r_[np.ones(len(labels)), np.zeros(len(labels))],
            sample_weight=np.r_[labels, 1 - labels],
        )
        stack = Stack.fit(scores, labels, passages, penalty=4.0)
        assert stack.weights == pytest.approx(model.coef_[0], abs=1e-4)
        assert stack.predict(scores, passages) == pytest.approx(model.predict_proba(features)[:, 1], abs=1e-5)

    def test_travels_as_json(self, data):
        """Written and read, it predicts the same."""
        scores, labels, passages = data
        stack = Stack.fit(scores, labels, passages)
        read = Stack(
            **{
                k: tuple(v) if isinstance(v, list) else v
                for k, v in json.loads(json.dumps(asdict(stack))).items()
            }
        )
        assert read == stack

    def test_one_kind_of_label(self, data):
        """Weights stay finite, and so does the bias."""
        scores, labels, passages = data
        probabilities = Stack.fit(scores, np.ones_like(labels), passages).predict(scores, passages)
        assert np.isfinite(probabilities).all()
        assert (probabilities > 0.9).all()

    def test_constant_member(self, data):
        """Nothing to learn from it, and no division by zero."""
        scores, labels, passages = data
        stack = Stack.fit({**scores, "c": np.zeros(len(labels))}, labels, passages)
        assert stack.weights[2] == 0

    def test_refuses(self, data):
        """What is no number, no label or not there."""
        scores, labels, passages = data
        with pytest.raises(InputError, match="finite"):
            Stack.fit({"a": [np.nan] * len(labels)}, labels, passages)
        with pytest.raises(InputError, match=r"\[0, 1\]"):
            Stack.fit(scores, labels + 1, passages)
        with pytest.raises(InputError, match="every member"):
            Stack.fit(scores, labels, passages).predict({"a": scores["a"]}, passages)


class TestMean:
    def test_orders_as_the_mean(self, data):
        """Sentences come in the order of the plain mean of z-scores, whatever stands beside them."""
        scores, labels, passages = data
        stack = Stack.fit_mean(scores, labels, passages)
        z = [(np.asarray(one) - np.mean(one)) / np.std(one) for one in scores.values()]
        odds = stack.log_odds(scores, passages)
        assert np.corrcoef(odds, np.mean(z, axis=0))[0, 1] > 1 - 1e-12
        alone = [stack.log_odds({k: v[i : i + 1] for k, v in scores.items()}, passages[:1]) for i in range(5)]
        assert np.allclose(np.concatenate(alone), odds[:5], atol=1e-12)

    @pytest.mark.parametrize("pooling", [0.2, 1.0])
    def test_pooled(self, data, pooling):
        """Oracle: the formula, member by member; what lies below the floor counts as the floor, in the mean alone."""
        scores, labels, passages = data
        stack = Stack.fit_mean(scores, labels, passages, pooling=pooling)
        z = np.array([(np.asarray(one) - np.mean(one)) / np.std(one) for one in scores.values()])
        counted = np.maximum(z, FLOOR).mean(axis=0)
        assert (z < FLOOR).any()
        means = np.array([counted[np.array(passages) == passage].mean() for passage in passages])
        wanted = (1 - pooling) * z.mean(axis=0) + pooling * means
        odds = stack.log_odds(scores, passages)
        assert np.corrcoef(odds, wanted)[0, 1] > 1 - 1e-12

    def test_pooled_alone(self, data):
        """A sentence that stands alone is its own mean."""
        scores, labels, passages = data
        stack = Stack.fit_mean(scores, labels, passages, pooling=0.3)
        high = {name: np.sort(values)[-5:] for name, values in scores.items()}
        together, alone = stack.log_odds(high, [0] * 5), stack.log_odds(high, range(5))
        assert together.mean() == pytest.approx(alone.mean())
        assert alone.std() > 1.2 * together.std()

    @pytest.mark.parametrize("pooling", [-0.1, 1.1, float("nan"), "much"])
    def test_refuses_another_pooling(self, data, pooling):
        """A share is from 0 to 1."""
        with pytest.raises(ConfigError, match="pooling"):
            Stack.fit_mean(*data, pooling=pooling)

    def test_learns_the_slope(self, data):
        """More of both means more of the label; the mean probability is the share of the labels."""
        scores, labels, passages = data
        stack = Stack.fit_mean(scores, labels, passages, penalty=0.0)
        assert min(stack.weights[: len(scores)]) > 0
        assert np.mean(stack.predict(scores, passages)) == pytest.approx(np.mean(labels), abs=1e-4)
