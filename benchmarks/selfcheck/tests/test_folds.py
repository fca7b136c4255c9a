"""`out_of_fold`: the benchmark's ensemble never judges a passage that it was fitted to."""

import numpy as np
import pytest
from benchmarks.selfcheck.beyond import out_of_fold

from guardrail.errors import InputError


@pytest.fixture
def data():
    rng = np.random.default_rng(7)
    passages = np.repeat(np.arange(30), 6)
    labels = rng.choice([0.0, 0.5, 1.0], size=len(passages))
    scores = {"a": labels + rng.normal(size=len(labels)), "b": 3 * labels + 2 * rng.normal(size=len(labels))}
    return scores, labels, passages.tolist()


class TestOutOfFold:
    def test_never_sees_its_own_passage(self, data):
        """Changing a passage's labels changes no prediction of that passage."""
        scores, labels, passages = data
        before = out_of_fold(scores, labels, passages)
        of = np.array(passages)
        changed = np.where(of == 3, 1 - labels, labels)
        after = out_of_fold(scores, changed, passages)
        assert after[of == 3] == pytest.approx(before[of == 3], abs=1e-12)
        assert not np.allclose(after, before)

    def test_one_fold(self, data):
        """Leaves nothing to fit to."""
        with pytest.raises(InputError, match="folds"):
            out_of_fold(*data, folds=1)
